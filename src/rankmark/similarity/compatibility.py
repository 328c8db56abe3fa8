"""Compatibility: how close a ranking is to the ideal ranking of the judgments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rankmark.arguments import share, whole
from rankmark.errors import SchemaError
from rankmark.similarity.given_rankings import Rankable, Ranking, read


def compatibility(
    run: Rankable,
    qrels: Mapping[Any, float] | Iterable[Any],
    *,
    p: float = 0.95,
    depth: int = 1000,
) -> float:
    """Compare a ranking, by RBO, with the closest ideal ranking of the judgments.

    Formula: RBO(run, ideal) / RBO(ideal, ideal), where RBO is the sum over d = 1 to depth of
    p^(d - 1) X_d / d. The ideal ranking contains the documents with labels above 0, the highest
    first; those of equal label in the order of the run, those not retrieved last, which maximizes
    RBO.
    Only in one list: documents of the run without a label above 0 are in no ideal ranking. Nothing
    relevant, or nothing retrieved: 0.
    Ties: broken by id, ascending, as in the authors' script.
    Bounds: 0 to 1; 1 for a run that begins with all relevant documents in an ideal order.
    Elsewhere: the authors' compatibility.py agrees, but leaves out queries without relevant
    documents. ir_measures' Compat sums only to the end of the longer list; set ``depth`` to its
    length to reproduce that.
    Source: Clarke, Vtyurina, Smucker 2021, ACM TOIS 39(3), Assessing top-k preferences; Clarke,
    Smucker, Vtyurina 2020, CIKM; compatibility.py of github.com/claclark/Compatibility.

    Parameters
    ----------
    run
        A ranking; see ``ranking``.
    qrels
        ``{document: label}``, or the relevant documents.
    p
        The probability that a user goes on to the next rank, between 0 and 1.
    depth
        The last depth of the sum.

    Examples
    --------
    >>> from rankmark.similarity import compatibility
    >>> compatibility(["a", "b", "c"], {"b": 2, "a": 2, "c": 1, "d": 0})
    1.0
    >>> round(compatibility(["c", "a", "b"], {"a": 2, "b": 2, "c": 1}), 4)
    0.7888
    """
    p, depth = share("p", p), whole("depth", depth)
    ideal = _labelled(qrels)
    if not len(ideal):
        return 0.0
    ranked = read(run, "run")
    by_score = sorted(zip(ranked.first.tolist(), ranked.ids, strict=True))
    rank = {doc_id: i for i, (_, doc_id) in enumerate(by_score, 1)}
    by_label = zip(ideal.first.tolist(), ideal.ids, strict=True)
    closest = sorted(by_label, key=lambda row: (row[0], rank.get(row[1], math.inf)))
    common = [max(i, rank[doc_id]) for i, (_, doc_id) in enumerate(closest, 1) if doc_id in rank]
    # A document that both contain from rank d on adds the weights of all depths from d on.
    weights = p ** np.arange(depth) / np.arange(1, depth + 1)
    adds = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
    best = adds[:depth][: len(ideal)].sum()
    return float(adds[np.minimum(np.array(common, dtype=np.int64) - 1, depth)].sum() / best)


def _labelled(qrels: Mapping[Any, float] | Iterable[Any]) -> Ranking:
    """Rank the documents with labels above 0, those of equal label tied."""
    if isinstance(qrels, (str, bytes)) or not isinstance(qrels, Iterable):
        raise SchemaError(f"qrels is {qrels!r}", "need {document: label} or the relevant documents")
    labels = qrels if isinstance(qrels, Mapping) else dict.fromkeys(qrels, 1)
    read(labels, "qrels")  # refuses invalid labels
    return read({doc_id: label for doc_id, label in labels.items() if label > 0}, "qrels")
