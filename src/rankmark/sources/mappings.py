"""Mappings through the core: by query, ``{id: label or score}`` or a list or set of ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from rankmark import _core
from rankmark.errors import DuplicateError, InputError, SchemaError
from rankmark.sources.source import AlignedRun, Columns, Judged

if TYPE_CHECKING:
    from rankmark.sources.files import Progress
    from rankmark.sources.qrels import Qrels

Nested = Mapping[Any, Any]


class NestedMapping:
    """A mapping: ``{query id: {document id: label or score}}``, or ``{query id: [ids]}``.

    A list holds ids best first, or those that are relevant; a set holds relevant ones.
    """

    name = "<mapping>"
    positions = False

    def __init__(self, mapping: Nested, kind: str) -> None:
        self.mapping = mapping
        self._kind = kind

    def read_qrels(self, *, threads: int, progress: Progress | None) -> Judged:
        """Read judgments."""
        if not self.mapping:
            raise InputError("qrels hold no judgments; need {query id: {document id: label}}")
        judgments, query_ids, doc_ids = _read(_core.qrels_from_dict, self.mapping, self._kind)
        return Judged(judgments, query_ids, len(doc_ids), doc_ids=doc_ids)

    def align_run(
        self,
        qrels: Qrels,
        ranking: _core.RankingOptions,
        *,
        by_rank: bool,
        threads: int,
        progress: Progress | None,
    ) -> AlignedRun:
        """Align a run with judgments."""
        if by_rank:
            raise InputError('ties="rank" needs a rank column, which a mapping lacks; use "input"')
        options = (
            qrels.judgments,
            qrels.query_ids,
            qrels.doc_ids,
            ranking,
            threads,
        )
        columns, *counted = _read(
            lambda run: _core.align_dict(run, *options), self.mapping, self._kind
        )
        return AlignedRun(Columns(*columns), *counted)

    def taken(self) -> dict[str, Any]:
        """Say what it was taken for."""
        return {"form": "mapping"}

    def sha256(self) -> str | None:
        """Give no hash; this is no file."""
        return None


def _read(read: Callable[[Any], Any], mapping: Nested, kind: str) -> Any:
    """Let the core read the mapping as it is; or, where it is no dict of dicts or lists, a copy."""
    try:
        if type(mapping) is dict:
            try:
                return read(mapping)
            except _core.MappingFault as fault:
                if fault.args[3] != "a dict or a list":
                    raise
        return read({query: _plain(inner) for query, inner in mapping.items()})
    except _core.MappingFault as fault:
        raise _worded(fault, kind) from None
    except _core.DuplicateFault as fault:
        query, document = fault.args
        what = f"document {document!r} stands twice for query {query!r}"
        if not document:
            what = f"query {query!r} stands twice"
        raise DuplicateError(f"{kind}: {what}; keep one (1 and '1' are one id)") from None


def _plain(inner: Any) -> Any:
    """Copy what a query holds into what the core walks."""
    if isinstance(inner, Mapping):
        return dict(inner)
    if isinstance(inner, AbstractSet):
        return set(inner)
    if hasattr(inner, "tolist"):  # an array of ids
        return inner.tolist()
    if isinstance(inner, Sequence) and not isinstance(inner, (str, bytes)):
        return list(inner)
    return inner


def _worded(fault: Exception, kind: str) -> SchemaError:
    query, document, found, wanted = fault.args
    where = f"{kind}: query {query!r}"
    if document is not None:
        where += f", document {document!r}"
    if wanted == "a dict or a list":
        number = "label" if kind == "qrels" else "score"
        wanted = f"{{id: {number}}} or a list of ids"
    return SchemaError(f"{where}: found {found!r}, need {wanted}")
