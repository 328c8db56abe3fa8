"""Compatibility: how near a ranking comes to the best that judgments allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.conventions import whole
from rankmark.errors import SchemaError
from rankmark.similarity.coefficient_parameters import within
from rankmark.similarity.given_rankings import Ranking, read

if TYPE_CHECKING:
    from rankmark.similarity.given_rankings import Rankable


def compatibility(
    run: Rankable,
    qrels: Mapping[Any, float] | Iterable[Any],
    *,
    p: float = 0.95,
    depth: int = 1000,
) -> float:
    """Compare a ranking by RBO with the ideal ranking of the judgments that is nearest to it.

    Formula: RBO(run, ideal) / RBO(ideal, ideal), RBO being the sum over d = 1 to depth of
    p^(d - 1) X_d / d. Ideal are documents with labels above 0, the highest first; those of one
    label as the run has them, those that it lacks last, which is the largest RBO there is.
    Only in one list: documents of the run without a label above 0 are in no ideal ranking. Nothing
    relevant, or nothing retrieved: 0.
    Ties: equal scores by id ascending, as the authors' script has it.
    Bounds: 0 to 1; 1 for a run that begins with all that is relevant in an ideal order.
    Elsewhere: the authors' compatibility.py is as here; it leaves queries without relevant
    documents out. ir_measures' Compat sums only to the end of the longer list; its length as
    ``depth`` gives that.
    Source: Clarke, Vtyurina, Smucker 2021, ACM TOIS 39(3), Assessing top-k preferences; Clarke,
    Smucker, Vtyurina 2020, CIKM; compatibility.py of github.com/claclark/Compatibility.

    Parameters
    ----------
    run
        A ranking, as ``ranking`` takes it.
    qrels
        ``{document: label}``, or the relevant documents.
    p
        How likely it is to look at the next rank as well, between 0 and 1.
    depth
        The last depth of the sum.

    Raises
    ------
    InputError
        If a parameter is none of these, or the run or the qrels cannot be taken.

    Examples
    --------
    >>> from rankmark.similarity import compatibility
    >>> compatibility(["a", "b", "c"], {"b": 2, "a": 2, "c": 1, "d": 0})
    1.0
    >>> round(compatibility(["c", "a", "b"], {"a": 2, "b": 2, "c": 1}), 4)
    0.7888
    """
    p, depth = within("p", p), whole("depth", depth)
    ideal = _labelled(qrels)
    if not len(ideal):
        return 0.0
    ranked = read(run, "run")
    by_score = sorted(zip(ranked.first.tolist(), ranked.ids, strict=True))
    rank = {doc_id: at for at, (_, doc_id) in enumerate(by_score, 1)}
    by_label = zip(ideal.first.tolist(), ideal.ids, strict=True)
    nearest = sorted(by_label, key=lambda one: (one[0], rank.get(one[1], math.inf)))
    met = [max(at, rank[doc_id]) for at, (_, doc_id) in enumerate(nearest, 1) if doc_id in rank]
    # What a document adds that both have by rank d: the weights of all depths from there on.
    weights = p ** np.arange(depth) / np.arange(1, depth + 1)
    adds = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
    best = adds[:depth][: len(ideal)].sum()
    return float(adds[np.minimum(np.array(met, dtype=np.int64) - 1, depth)].sum() / best)


def _labelled(qrels: Mapping[Any, float] | Iterable[Any]) -> Ranking:
    """Rank the documents with labels above 0, those of one label tied."""
    if isinstance(qrels, (str, bytes)) or not isinstance(qrels, Iterable):
        raise SchemaError(f"qrels is {qrels!r}; need {{document: label}} or the relevant documents")
    labels = qrels if isinstance(qrels, Mapping) else dict.fromkeys(qrels, 1)
    read(labels, "qrels")  # refuses what is no label
    return read({doc_id: label for doc_id, label in labels.items() if label > 0}, "qrels")
