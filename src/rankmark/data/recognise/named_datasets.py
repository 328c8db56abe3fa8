"""Datasets of ir_datasets by their ids, such as ``beir/scifact/test``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError, RankmarkError

if TYPE_CHECKING:
    from rankmark.data.contract.source import Source
    from rankmark.data.contract.source_options import Kind, SourceOptions


def from_named_dataset(
    name: str, kind: Kind, options: SourceOptions, read: Callable[..., Source]
) -> Source | None:
    """Read the dataset with an id; None if there is no such dataset, or no such library.

    The library loads what it does not have yet.

    Raises
    ------
    InputError
        If the library knows the dataset, and cannot load it.
    """
    try:
        import ir_datasets  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: PLC0415

        dataset: Any = ir_datasets.load(name)
    except Exception:  # ImportError, KeyError, or what it raises for ids of another form
        return None
    try:
        found = read(dataset, kind, options)
    except RankmarkError:
        raise
    except Exception as error:  # of a download
        raise InputError(
            f"ir_datasets cannot load it: {error}", "see what it says of this dataset", where=name
        ) from error
    found.name = name
    return found
