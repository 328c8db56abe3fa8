"""Mappings of mappings through the core: ``{query id: {document id: label or score}}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankmark import _core
from rankmark.errors import DuplicateError, InputError, SchemaError
from rankmark.sources.trec import AlignedRun

Nested = Mapping[Any, Mapping[Any, Any]]


def read_qrels(qrels: Nested) -> tuple[_core.Judgments, list[str], list[str]]:
    """Read judgments; with them the ids of queries and of judged documents, as str."""
    with_text_ids = _with_text_ids(qrels, "qrels")
    try:
        return _core.qrels_from_dict(with_text_ids)
    except _core.MappingFault as fault:
        raise _worded(fault, "qrels") from None


def align_run(
    run: Nested,
    judgments: _core.Judgments,
    query_ids: list[str],
    doc_ids: list[str],
    *,
    ties: str,
    depth: int,
    judged_only: bool,
    lowest: float,
) -> AlignedRun:
    """Align a run with the judgments."""
    if ties == "rank":
        raise InputError('ties="rank" needs a rank column, which a mapping has not; use "input"')
    rule = ties if ties in {"docid", "docid-up", "input"} else "docid"
    with_text_ids = _with_text_ids(run, "run")
    try:
        return _core.align_dict(
            with_text_ids, judgments, query_ids, doc_ids, rule, depth, judged_only, lowest
        )
    except _core.MappingFault as fault:
        raise _worded(fault, "run") from None


def _with_text_ids(nested: Nested, kind: str) -> dict[str, dict[str, Any]]:
    """Give the mapping itself where its ids are text, else a copy with whole numbers as text.

    Looks at the first id of each query, as ids of one column are of one type.
    """
    plain = isinstance(nested, dict)
    if plain:
        for query, inner in nested.items():
            if (
                type(query) is not str
                or not isinstance(inner, dict)
                or (inner and type(next(iter(inner))) is not str)
            ):
                plain = False
                break
    if plain:
        return nested  # type: ignore[return-value]
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
