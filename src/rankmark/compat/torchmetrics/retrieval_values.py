"""The values of torchmetrics' retrieval metrics, by query, computed for all queries at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from rankmark.errors import InputError, quiet
from rankmark.evaluating.evaluate import evaluate
from rankmark.evaluating.evaluation import Evaluation
from rankmark.measures import Measure, P
from rankmark.profiles.requests import in_notation
from rankmark.profiles.torchmetrics import PROFILE


def _declared(name: str) -> Measure:
    """Return what a name of torchmetrics means, by its profile."""
    return in_notation(PROFILE, name)[0]


class QueryValues:
    """What a retrieval metric computes; the options are attributes of the metric."""

    if TYPE_CHECKING:  # TorchScript reads annotations, and knows few types
        higher_is_better: bool
        empty_target_action: str
        top_k: int | None
        _measure: ClassVar[Measure]
        _ties: ClassVar[Literal["input", "mean"]]
        _binary: ClassVar[bool]
        _positive_only: ClassVar[bool]
    else:
        higher_is_better, top_k = True, None
        _ties, _binary = PROFILE.conventions["ties"], True
        _positive_only = False  # documents with a score of 0 or less are not relevant

    def values(self, query: Any, score: Any, label: Any) -> Any:
        """Return the value of each query that counts, in the order of their indexes.

        Parameters
        ----------
        query, score, label
            (n,) arrays, the index of each document's query, its score and its target.

        Returns
        -------
        numpy.ndarray
            (n_queries,) float64, without those that are skipped.

        Raises
        ------
        InputError
            If ``empty_target_action`` is "error", and a query has no relevant document.
        """
        order = np.argsort(query, kind="stable")
        _, starts, sizes = np.unique(query[order], return_index=True, return_counts=True)
        score, label = score[order], label[order]
        with quiet():  # the options say what queries without relevant documents count
            values = self._scores(score, label, sizes)
        empty = np.add.reduceat(self._wanted(label), starts) == 0
        if not empty.any() or self.empty_target_action == "skip":
            return values[~empty]
        if self.empty_target_action == "error":
            index = query[order][starts[empty.argmax()]]
            missing = "positive" if self.higher_is_better else "negative"
            raise InputError(
                f"`compute` method was provided with a query with no {missing} target: {index}",
                "choose another empty_target_action",
            )
        values[empty] = self.empty_target_action == "pos"
        return values

    def _chosen(self) -> Measure:
        """Return the measure under the options of the metric, without the cutoff."""
        return self._measure

    def _cutoff(self) -> int | None:
        """Return the cutoff; None for all documents."""
        return self.top_k

    def _at_cutoff(self, measure: Measure) -> Measure:
        cutoff = self._cutoff()
        return measure if cutoff is None else measure @ cutoff

    def _wanted(self, label: Any) -> Any:
        """Return what makes a query count."""
        return label

    def _scores(self, score: Any, label: Any, sizes: Any) -> Any:
        """Return the value of each query, given its rows one after the other."""
        if self._positive_only:
            label = np.where(score > 0, label, 0.0)
        return self._evaluated(self._chosen(), label, score, sizes).scores[:, 0].copy()

    def _evaluated(self, measure: Measure, label: Any, score: Any, sizes: Any) -> Evaluation:
        chosen = self._at_cutoff(measure)
        if len(sizes) == len(score):  # sizes that may be ids
            return evaluate(label[:, None], score[:, None], chosen, ties=self._ties)
        return evaluate(label, score, chosen, groups=sizes, ties=self._ties)


class MAP(QueryValues):
    """Average precision, divided by the relevant documents in the first k with positive scores."""

    _measure, _positive_only = _declared("RetrievalMAP"), True


class MRR(QueryValues):
    """The reciprocal rank of the first relevant document with a positive score."""

    _measure, _positive_only = _declared("RetrievalMRR"), True


class Precision(QueryValues):
    """Precision, in which documents with a score of 0 or less are not relevant."""

    _measure, _positive_only = _declared("RetrievalPrecision"), True

    def _chosen(self) -> Measure:
        adaptive = _declared("RetrievalPrecision(adaptive_k=True)")
        return adaptive if self.adaptive_k else self._measure

    if TYPE_CHECKING:
        adaptive_k: bool


class Recall(QueryValues):
    """Recall, in which documents with a score of 0 or less are not found."""

    _measure = _declared("RetrievalRecall")

    def _evaluated(self, measure: Measure, label: Any, score: Any, sizes: Any) -> Evaluation:
        query, document = np.repeat(np.arange(len(sizes)), sizes), np.arange(len(score))
        ids = {"query_id": query, "doc_id": document}
        found = score > 0
        run = {name: column[found] for name, column in (ids | {"score": score}).items()}
        chosen = self._at_cutoff(measure)
        return evaluate(ids | {"label": label}, run, chosen, ties=self._ties)


class HitRate(QueryValues):
    """Whether a relevant document is among the first k."""

    _measure = _declared("RetrievalHitRate")


class FallOutRate(QueryValues):
    """The fraction of the irrelevant documents that are among the first k."""

    higher_is_better: bool = False
    _measure = _declared("RetrievalFallOut")

    def _wanted(self, label: Any) -> Any:
        return 1 - label


class RPrecision(QueryValues):
    """Precision at the number of relevant documents."""

    _measure = _declared("RetrievalRPrecision")


class NormalizedDCG(QueryValues):
    """nDCG of graded targets, averaged over all orders of tied documents."""

    # All judged documents are retrieved: the ideal ranking is the same, and this is faster.
    _measure = _declared("RetrievalNormalizedDCG")(ideal="judged")
    _ties = PROFILE.conventions_of(_declared("RetrievalNormalizedDCG"))["ties"]
    _binary = False


class AUROC(QueryValues):
    """The area under the ROC curve of the first k documents; 0 if all of them are relevant."""

    _measure = _declared("RetrievalAUROC")

    def _chosen(self) -> Measure:
        return self._measure if self.max_fpr is None else self._measure(max_fpr=self.max_fpr)

    if TYPE_CHECKING:
        max_fpr: float | None

    def _scores(self, score: Any, label: Any, sizes: Any) -> Any:
        values = super()._scores(score, label, sizes)
        only = self._evaluated(P(norm="retrieved"), label, score, sizes).scores[:, 0] == 1
        return np.where(only, 0.0, values)
