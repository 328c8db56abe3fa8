"""MTEB's prediction files: ``{subset: {split: {query id: {document id: score}}}}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmark.errors import SchemaError

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind

_META = "mteb_model_meta"


def of_mteb(mapping: Mapping[Any, Any], kind: Kind, where: str) -> Mapping[Any, Any]:
    """Return the predictions of the only subset and split; other mappings unchanged.

    Raises
    ------
    SchemaError
        If there are several, or judgments are expected.
    """
    if _META not in mapping or not isinstance(mapping[_META], Mapping):
        return mapping
    if kind == "qrels":
        raise SchemaError(
            "these are predictions of MTEB, not judgments", "give judgments", where=where
        )
    splits = {
        (subset, split): held
        for subset, of_subset in mapping.items()
        if subset != _META and isinstance(of_subset, Mapping)
        for split, held in of_subset.items()
    }
    if len(splits) == 1:
        (held,) = splits.values()
        if isinstance(held, Mapping):
            return held
    has = " and ".join(f"{subset}/{split}" for subset, split in splits) or "none"
    raise SchemaError(
        f"MTEB's predictions are a run for one subset and split, and these have {has}",
        "give one of them, as in json.load(file)['default']['test']",
        where=where,
    )
