"""Mappings of mappings through the core: ``{query id: {document id: label or score}}``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rankmark import _core
from rankmark.errors import DuplicateError, InputError, SchemaError
from rankmark.sources.trec import AlignedRun

if TYPE_CHECKING:
    from rankmark.conventions import Conventions

Nested = Mapping[Any, Mapping[Any, Any]]


def read_qrels(qrels: Nested) -> tuple[_core.Judgments, tuple[str, ...], tuple[str, ...]]:
    """Read judgments; with them the ids of queries and of judged documents, as str."""
    if not qrels:
        raise InputError("qrels hold no judgments; need {query id: {document id: label}}")
    read: tuple[_core.Judgments, tuple[str, ...], tuple[str, ...]]
    read = _with_text_ids(_core.qrels_from_dict, qrels, "qrels")
    return read


def align_run(
    run: Nested,
    judgments: _core.Judgments,
    query_ids: tuple[str, ...],
    doc_ids: tuple[str, ...],
    conventions: Conventions,
    *,
    lowest: float,
) -> AlignedRun:
    """Align a run with the judgments."""
    if conventions.ties == "rank":
        raise InputError('ties="rank" needs a rank column, which a mapping has not; use "input"')
    options = (judgments, query_ids, doc_ids, *conventions.for_core(), lowest)
    aligned: AlignedRun = _with_text_ids(lambda run: _core.align_dict(run, *options), run, "run")
    return aligned


def _with_text_ids(read: Callable[[Any], Any], nested: Nested, kind: str) -> Any:
    """Let the core read the mapping as it is; or, where it is no dict of text ids, a copy."""
    try:
        if type(nested) is dict:
            try:
                return read(nested)
            except _core.MappingFault as fault:
                if fault.args[3] not in {"a str id", "a dict"}:
                    raise
        return read(_copied(nested, kind))
    except _core.MappingFault as fault:
        raise _worded(fault, kind) from None


def _copied(nested: Nested, kind: str) -> dict[str, dict[str, Any]]:
    """Copy a mapping, with whole numbers as text."""
    copied: dict[str, dict[str, Any]] = {}
    for query, inner in nested.items():
        if not isinstance(inner, Mapping):
            raise SchemaError(
                f"{kind}: query {query!r} holds {type(inner).__name__}; need {{id: number}}"
            )
        documents = copied.setdefault(_text(query, kind), {})
        before = len(documents)
        for doc_id, value in inner.items():
            documents[_text(doc_id, kind)] = value
        if len(documents) != before + len(inner):
            raise DuplicateError(f"{kind}: query {query!r} holds one id as a number and as text")
    return copied


def _text(key: Any, kind: str) -> str:
    if isinstance(key, str):
        return str(key)
    if not isinstance(key, (bool, float)) and hasattr(key, "__index__"):
        return str(int(key))
    raise SchemaError(f"{kind}: {key!r} is no id; ids are text or whole numbers")


def _worded(fault: Exception, kind: str) -> SchemaError:
    query, document, found, wanted = fault.args
    where = f"{kind}: query {query!r}"
    if document is not None:
        where += f", document {document!r}"
    return SchemaError(f"{where}: found {found!r}, need {wanted}")
