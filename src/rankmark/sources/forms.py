"""Which form of judgments or of a run an object is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from rankmark.errors import InputError, SchemaError
from rankmark.sources.files import TextFile, is_file
from rankmark.sources.mappings import NestedMapping
from rankmark.sources.trec import TrecText

if TYPE_CHECKING:
    from rankmark.sources.source import Source

Kind = Literal["qrels", "run"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller says about a source; None where the source speaks for itself."""

    format: str | None = None
    columns: Mapping[str, str] | None = None
    groups: Any = None
    mask: Any = None
    lengths: Any = None
    holds: Literal["ids", "scores", "labels"] | None = None

    def only(self, form: str, *known: str) -> None:
        """Refuse options that this form has no use for."""
        for field in fields(self):
            if field.name not in known and getattr(self, field.name) is not None:
                raise InputError(f"{field.name} says nothing about {form}; leave it out")


def recognised(source: Any, kind: Kind, options: Options) -> Source:
    """Find the form of an object.

    Raises
    ------
    SchemaError
        If it has none of the forms that are known.
    InputError
        If an option does not belong to its form.
    """
    if hasattr(source, "read_qrels"):
        return source  # type: ignore[no-any-return]  # recognised before
    if isinstance(source, Mapping):
        options.only("a mapping")
        return NestedMapping(source, kind)
    if is_file(source):
        options.only("TREC text")
        return TrecText(TextFile(source), kind=kind)
    number = "label" if kind == "qrels" else "score"
    raise SchemaError(
        f"{kind} is {type(source).__name__}; need a path, an open file, "
        f"or {{query id: {{document id: {number}}}}}"
    )
