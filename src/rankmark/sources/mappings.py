"""Mappings of mappings through the core: ``{query id: {document id: label or score}}``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rankmark import _core
from rankmark.errors import DuplicateError, InputError, SchemaError
from rankmark.sources.source import AlignedRun, Columns, Judged

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.sources.files import Progress
    from rankmark.sources.qrels import Qrels

Nested = Mapping[Any, Mapping[Any, Any]]


class NestedMapping:
    """A mapping of mappings: ``{query id: {document id: label or score}}``."""

    name = "<mapping>"
    positions = False

    def __init__(self, mapping: Nested, kind: str) -> None:
        self.mapping = mapping
        self._kind = kind

    def read_qrels(self, *, threads: int, progress: Progress | None) -> Judged:
        """Read judgments."""
        if not self.mapping:
            raise InputError("qrels hold no judgments; need {query id: {document id: label}}")
        judgments, query_ids, doc_ids = _with_text_ids(
            _core.qrels_from_dict, self.mapping, self._kind
        )
        return Judged(judgments, query_ids, len(doc_ids), doc_ids=doc_ids)

    def align_run(
        self,
        qrels: Qrels,
        conventions: Conventions,
        *,
        lowest: float,
        threads: int,
        progress: Progress | None,
    ) -> AlignedRun:
        """Align a run with judgments."""
        if conventions.ties == "rank":
            raise InputError(
                'ties="rank" needs a rank column, which a mapping has not; use "input"'
            )
        options = (
            qrels.judgments,
            qrels.query_ids,
            qrels.doc_ids,
            *conventions.for_core(),
            lowest,
        )
        columns, *counted = _with_text_ids(
            lambda run: _core.align_dict(run, *options), self.mapping, self._kind
        )
        return AlignedRun(Columns(*columns), *counted)

    def taken(self) -> dict[str, Any]:
        """Say what it was taken for."""
        return {"form": "mapping"}

    def sha256(self) -> str | None:
        """Give no hash; this is no file."""
        return None


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
