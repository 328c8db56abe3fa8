"""Mappings, read by the core: by query, ``{id: label or score}`` or a list or set of ids."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from itertools import compress
from typing import Any, Self

import numpy as np

from rankmark._core import (
    DuplicateFault,
    LimitFault,
    ListOptions,
    MappingFault,
    RankingOptions,
    Rankings,
    align_dict,
    align_plain_dict,
    qrels_from_dict,
    rankings_from_dict,
    table_from_columns,
)
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import (
    DUPLICATES,
    AlignedRun,
    Columns,
    Judged,
    Order,
    PreparedQrels,
    Rows,
    RowsBySubtopic,
    Source,
    Vouched,
)
from rankmark.data.contract.source_options import OR_CHOOSE, Kind
from rankmark.data.ids.numeric import Place, doubles_of, id_text
from rankmark.data.mappings.hits import is_id, items, plain
from rankmark.data.tables.column_values import is_series
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import refuse_beyond, rows_of_table, worded
from rankmark.errors import DuplicateError, InputError, SchemaError, pass_on, says_no, shown

Nested = Mapping[Any, Any]
_BEGINNING = 20  # queries
_CHANGEABLE = frozenset((dict, list, set))
_WALKED = (dict, list, tuple, set, frozenset)  # types that the core reads


class NestedMapping(Source):
    """A mapping: ``{query id: {document id: label or score}}``, or ``{query id: [ids]}``.

    A list contains ids, best first or relevant; a set contains relevant ids.

    Parameters
    ----------
    left_out
        By query, the number of rows left out because their document appears in another row.
    """

    name = "<mapping>"
    form: Mapping[str, Any] | None = None
    """How the caller's object was interpreted, if the mapping was made from another form."""

    def __init__(
        self, mapping: Nested, kind: Kind, *, left_out: Mapping[str, int] | None = None
    ) -> None:
        self.mapping: Nested = mapping
        self._left_out = left_out
        self._kind = kind

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        if not self.mapping:
            raise InputError("the qrels hold no judgments", "need {query id: {document id: label}}")
        judgments, query_ids, doc_ids = _read(qrels_from_dict, self.mapping, self._kind)
        return Judged(judgments, query_ids, len(doc_ids), doc_ids=doc_ids)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments."""
        if by_rank and not all(type(row) is dict and not row for row in self.mapping.values()):
            raise InputError(
                'ties="rank" needs a rank column, and a mapping has none', 'use "input"'
            )
        options = (qrels.judgments, qrels.query_ids, qrels.doc_ids, ranking)
        found = _read(align_dict, self.mapping, self._kind, *options)
        if len(qrels.shape or ()) == 2 and not ranking.ranks_units:
            self._refuse_beyond(qrels.shape[1])  # type: ignore[index]
        columns, run_only, examples, rows, extra_columns, interleaved = found
        aligned = Columns(*columns)
        if self._left_out:
            counts = aligned.counts.copy()
            counts[DUPLICATES] += [self._left_out.get(query, 0) for query in qrels.query_ids]
            aligned = aligned._replace(counts=counts)
        order = self._order()
        return AlignedRun(aligned, run_only, examples, rows, extra_columns, interleaved, order)

    def _refuse_beyond(self, items: int) -> None:
        """Refuse whole numbers that are no columns of judgments; they may be scores."""
        ids = {
            int(one)
            for held in self.mapping.values()
            if not is_series(held)
            for one in held
            if isinstance(one, (int, np.integer))
        }
        refuse_beyond(sorted(one for one in ids if not 0 <= one < items), items, self.name)

    def _order(self) -> Order:
        """Return what the order of the documents says, which is the same for all queries."""
        first = next(iter(self.mapping.values()), None)
        if type(first) is dict or isinstance(first, Mapping) or is_series(first):
            return "rows"
        return "best first"

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:
        """List all entries; relevant ids in a list or set have label 1, ranked ones no score.

        If some queries have scores and others lists, the scores of listed ids count down from 0.
        """
        queries: list[Any] = []
        documents: list[Any] = []
        numbers: list[float] = []
        scored = self._kind == "qrels"
        for query, held in items(self.mapping, self._kind):
            inner = self._walked(query, held)
            if not isinstance(inner, _WALKED):
                where = _where(query, None, self._kind)
                raise _unwanted(held, "a dict or a list", where, self._kind)
            if isinstance(inner, dict) or is_paired(inner):
                scored = True
                # Listed at once, as another thread may change it.
                pairs = [*(inner.items() if isinstance(inner, dict) else inner)]
                for pair in pairs:
                    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                        needed = "a pair (id, number), as the first is"
                        where = _where(query, None, self._kind)
                        raise _unwanted(pair, needed, where, self._kind)
                inner, values = zip(*pairs, strict=True) if pairs else ((), ())
                where = f"{self._kind}: query {shown(query)}"
                place = _document_of(inner)
                numbers.extend(doubles_of(values, where, "score", place).tolist())
            else:
                inner = [*inner]
                ranks = range(len(inner))
                numbers += [1.0 if self._kind == "qrels" else -float(rank) for rank in ranks]
            queries += [query] * len(inner)
            documents += inner
        names = ["query_id", "doc_id", "number"]
        with worded(self.name, names):
            table = table_from_columns(names, [queries, documents, np.array(numbers)])
            rows = rows_of_table(table, Chosen(0, 1, 2 if scored else None, None), "run")
            return rows._replace(order=self._order() if scored else None)

    def rankings(self, options: ListOptions) -> Rankings | None:
        """Rank all documents of a dict of dicts of floats; None for other mappings."""
        if type(self.mapping) is not dict:
            return None
        return rankings_from_dict(self.mapping, options)

    def beginning(self) -> Self | None:
        """Return a few queries alone, spread over all, if there are many."""
        many = len(self.mapping)
        if many <= _BEGINNING:
            return None
        source = copy(self)
        source.mapping = dict(items(self.mapping, self._kind)[:: -(-many // _BEGINNING)])
        return source

    def first_documents(self, most: int) -> Self:
        """Return the run with the first documents of each query, and all that tie with the last."""
        source = copy(self)
        source.mapping = {
            query: _first(held, most) for query, held in items(self.mapping, self._kind)
        }
        return source

    def documents_of(self, query: str) -> Collection[str]:
        """Return the ids of a query's documents, without a copy; none if the first is no text."""
        held = self.mapping.get(query)
        if held is None and query.isdecimal():
            held = self.mapping.get(int(query))
        if not isinstance(held, _WALKED) or not isinstance(next(iter(held), None), str):
            return ()
        return held

    def _walked(self, query: Any, held: Any) -> Any:
        """Return a query's documents in a form that the core reads."""
        if isinstance(held, _WALKED) and not _may_be_hits(held):
            return held
        return plain(held, self._kind, f"{self._kind}: query {shown(query)}")

    def for_query(self, query: str, reading: Reading) -> Self | None:
        """Return the entries of one query; a query that appears twice, as 1 and '1', stays so."""
        held = {
            key: inner
            for key, inner in items(self.mapping, self._kind)
            if (key == query if isinstance(key, str) else id_text(key) == query)
        }
        if not any(map(_holds_something, held.values())):
            return None
        source = copy(self)
        source.mapping = held
        return source

    def keep(self) -> None:
        """Copy what the caller may change."""
        self.mapping = _copied(self.mapping, self._kind)

    def rows_by_subtopic(self, reading: Reading) -> RowsBySubtopic:
        """List all judgments of ``{query id: {subtopic: {document id: label}}}``."""
        from rankmark.data.mappings.subtopic_mappings import rows_of_nested  # noqa: PLC0415  (rarely needed)

        return rows_of_nested(self.mapping, self._kind)

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return {"form": "mapping"} if self.form is None else dict(self.form)


def _read(read: Callable[..., Any], mapping: Nested, kind: Kind, *options: Any) -> Any:
    """Let the core read the mapping, or a copy if it is not a dict of dicts or lists."""
    try:
        if type(mapping) is dict:
            try:
                return read(mapping, *options)
            except MappingFault as fault:
                if not str(fault.args[3]).startswith(("a dict or a list", "an id", "(id, number)")):
                    raise
        walked = {
            query: plain(inner, kind, f"{kind}: query {shown(query)}")
            for query, inner in items(mapping, kind)
        }
        return read(walked, *options)
    except MappingFault as fault:
        query, document, found, needed, failure, why = fault.args
        if not says_no(failure, found):
            pass_on(failure, _where(query, document, kind))
        where = _where(query, document, kind)
        if why:
            raise SchemaError(f"found {shown(found)}, {why}", needed, where=where) from None
        raise _unwanted(found, needed, where, kind) from None
    except LimitFault as fault:
        raise InputError(*fault.args, where=kind) from None
    except DuplicateFault as fault:
        query, document = fault.args
        what, choice = f"document {document!r} appears twice for query {query!r}", OR_CHOOSE[kind]
        if not document:
            what, choice = f"query {query!r} appears twice", ""
        raise DuplicateError(what, f"keep one{choice} (1 and '1' are one id)", where=kind) from None


def _first(held: Any, most: int) -> Any:
    """Return the documents with the highest scores; all that are not in a plain dict or list."""
    if type(held) is list:
        return held if is_paired(held) or _may_be_hits(held) else held[:most]
    if type(held) is not dict or len(held) <= most:
        return held
    pairs = tuple(held.items())  # at once, as another thread may change it
    scores = doubles_of(tuple(score for _, score in pairs), "run", "score", _document_of(()))
    least = np.partition(scores, -most)[-most]
    return dict(compress(pairs, scores >= least))


def _document_of(keys: Sequence[Any]) -> Place:
    return lambda row: f"document {shown(keys[row])}"


def _copied(mapping: Nested, kind: Kind) -> dict[Any, Any]:
    """Copy a mapping and its entries."""
    return {query: _copy_of(inner, kind) for query, inner in [*mapping.items()]}


def _copy_of(inner: Any, kind: Kind) -> Any:
    """Copy a query's documents; what cannot be read is refused when it is read."""
    if type(inner) is dict:
        for first in inner.values():
            return _copied(inner, kind) if type(first) in _CHANGEABLE else inner.copy()
        return {}
    if type(inner) is list:
        nested = bool(inner) and type(inner[0]) in _CHANGEABLE
        return [_copy_of(held, kind) for held in inner] if nested else inner.copy()
    if type(inner) in {str, frozenset}:
        return inner
    try:
        return plain(inner, kind, kind)
    except InputError:
        return inner


def _holds_something(inner: Any) -> bool:
    """Return False if it is empty; unknown types are refused when they are read."""
    return not hasattr(inner, "__len__") or len(inner) > 0


def _may_be_hits(held: Any) -> bool:
    """Return True if a list begins with neither an id nor a pair (id, number)."""
    if not isinstance(held, (list, tuple)) or not held:
        return False
    first = held[0]
    return not is_id(first[0] if is_paired(held) and first else first)


def is_paired(inner: Any) -> bool:
    """Return True if a list, tuple or set contains pairs (id, number), by the first of them."""
    if not isinstance(inner, (list, tuple, set, frozenset)):
        return False
    first = next(iter(inner), None)
    is_pair = isinstance(first, tuple) or (isinstance(first, list) and isinstance(inner, list))
    return is_pair and first is not None and len(first) == 2


def _where(query: Any, document: Any, kind: Kind) -> str:
    where = f"{kind}: query {shown(query)}"
    return where if document is None else f"{where}, document {shown(document)}"


def _unwanted(found: object, needed: str, where: str, kind: Kind) -> SchemaError:
    if needed == "a dict or a list":
        number = "label" if kind == "qrels" else "score"
        needed = f"{{id: {number}}} or a list of ids"
    return SchemaError(f"found {shown(found)}", f"need {needed}", where=where)


class StrictDicts(NestedMapping):
    """``{query id: {document id: score}}``, in which nothing is converted.

    Ids of other types than str, scores of other types than int and float, and anything but dicts
    are refused with TypeError; the class of a dict does not matter.
    """

    vouched: Vouched = True  # as the tool whose interface takes them does not doubt scores

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments."""
        options = (qrels.judgments, qrels.query_ids, qrels.doc_ids, ranking)
        if not isinstance(self.mapping, dict):
            raise TypeError(f"run is {shown(self.mapping)}: need a dict")
        found = align_plain_dict(self.mapping, *options)
        if found is None:  # some are of subclasses, or of wrong types
            self.mapping: dict[str, dict[str, float]] = _checked(self.mapping)
            return super().align_run(qrels, ranking, reading, by_rank=by_rank)
        columns, *counted = found
        return AlignedRun(Columns(*columns), *counted)


def _checked(mapping: dict[Any, Any]) -> dict[str, dict[str, float]]:
    """Return a dict of plain dicts, if all types are right."""
    checked: dict[str, dict[str, float]] = {}
    for query, scores in mapping.items():
        where = f"run: query {shown(query)}"
        if not isinstance(query, str):
            raise TypeError(f"{where}: need a string as id")
        if not isinstance(scores, dict):
            raise TypeError(f"{where}: found {shown(scores)}, need a dict of scores")
        for document, score in scores.items():
            if not isinstance(document, str):
                raise TypeError(f"{where}: document {shown(document)}: need a string as id")
            if not isinstance(score, (int, float)):
                found = f"found {shown(score)}, need int or float"
                raise TypeError(f"{where}, document {shown(document)}: {found}")
        checked[query] = scores if type(scores) is dict else dict(scores)
    return checked
