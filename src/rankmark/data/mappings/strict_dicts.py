"""Dicts in which nothing is converted: ids are strings, and numbers int or float."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark._core import RankingOptions, align_plain_dict
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import AlignedRun, Columns
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.errors import shown

if TYPE_CHECKING:
    from rankmark.data.contract.source import PreparedQrels, Vouched


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
