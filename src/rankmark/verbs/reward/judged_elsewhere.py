"""Measures of whether a document is judged for any query: judgments of its own for each ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.units import document_of
from rankmark.verbs.reward.pattern_scores import PatternScores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools, Floats
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.parents import DocumentsOfUnits
    from rankmark.measures import Measure


class JudgedElsewhere:
    """Scores rankings of single queries, in which documents judged for other queries have label 0.

    Parameters
    ----------
    qrels, conventions, measures, parents
        As for ``PatternScores``.
    """

    values = None

    def __init__(
        self,
        qrels: Qrels,
        conventions: Conventions,
        measures: Sequence[Measure],
        parents: DocumentsOfUnits | None = None,
    ) -> None:
        self._conventions = conventions
        self._measures = measures
        self._parents = parents
        self._judged = qrels.by_query()
        self._anywhere = frozenset(qrels.doc_ids)

    def find(self, query_id: Any, ranking: Any) -> bytes | None:  # noqa: ARG002
        """Find no pattern: the judgments of one query do not tell the values."""
        return None

    def score(self, pattern: bytes) -> Floats:
        """Refuse, as there are no patterns."""
        raise NotImplementedError(pattern)

    def score_all(self, query_ids: list[Any], rankings: list[Any]) -> tuple[Floats, Bools]:  # noqa: ARG002
        """Find no pattern for any of n rankings: (n, M) NaN, and (n,) False."""
        scores = np.full((len(rankings), len(self._measures)), np.nan)
        return scores, np.zeros(len(rankings), dtype=np.bool_)

    def has(self, query: str) -> bool:
        """Return whether a query is judged."""
        return query in self._judged

    def score_plain(self, query: str, ranking: list[Any]) -> Floats:
        """Score a ranking of a judged query, a list of ids or of pairs: (M,) float64."""
        ids = [one if isinstance(one, str) else one[0] for one in ranking]
        ids = [self._document_of(one) for one in ids]
        elsewhere = {doc_id: 0.0 for doc_id in ids if doc_id in self._anywhere}
        qrels = Qrels({query: elsewhere | self._judged[query]}, contents="labels")
        scores = PatternScores(qrels, self._conventions, self._measures, self._parents)
        return scores.score_plain(query, ranking)

    def _document_of(self, doc_id: str) -> str:
        """Return the document of a unit; an id of another kind as it is."""
        if self._parents is not None:
            return self._parents.documents.get(doc_id, doc_id)
        separator = self._conventions.unit
        return doc_id if separator is None else document_of(doc_id, separator)

    def try_all(self) -> None:
        """Do nothing: such measures can be computed from any judgments."""
