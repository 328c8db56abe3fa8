"""Functions as people and programs write them, right and wrong, in the words of their sources."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache

import numpy as np

from rankmark.testing import which_convention

identified = cache(which_convention)
"""Of the functions below, so that one is identified once however many tests look at it."""

# Of labels in rank order.


def dcg_at_k(r, k, method=1):
    """A gist that thousands of projects copied, by bwhite."""
    r = np.asarray(r, dtype=float)[:k]
    if r.size:
        if method == 0:
            return r[0] + np.sum(r[1:] / np.log2(np.arange(2, r.size + 1)))
        return np.sum(r / np.log2(np.arange(2, r.size + 2)))
    return 0.0


def ndcg_gist(r, k):
    """The same gist: the ideal ranking is of the labels passed."""
    dcg_max = dcg_at_k(sorted(r, reverse=True), k)
    return dcg_at_k(r, k) / dcg_max if dcg_max else 0.0


def ndcg_gist_method_0(r, k):
    """The gist's other method: ranks 1 and 2 are not discounted."""
    dcg_max = dcg_at_k(sorted(r, reverse=True), k, 0)
    return dcg_at_k(r, k, 0) / dcg_max if dcg_max else 0.0


def ndcg_top_k_ideal(relevances, k):
    """Generated code: the list is cut before it is sorted."""
    relevances = relevances[:k]
    dcg = sum((2**rel - 1) / math.log2(i + 2) for i, rel in enumerate(relevances))
    ideal = sorted(relevances, reverse=True)
    idcg = sum((2**rel - 1) / math.log2(i + 2) for i, rel in enumerate(ideal))
    return dcg / idcg if idcg > 0 else 0.0


def ndcg_off_by_one(rels, k):
    """Ranks counted from 1, and 2 added once more."""

    def dcg(labels):
        return sum(rel / math.log2(i + 2) for i, rel in enumerate(labels[:k], start=1))

    best = dcg(sorted(rels, reverse=True))
    return dcg(rels) / best if best else 0.0


def ndcg_ideal_uncut(rels, k):
    """The ideal ranking is not cut at k."""
    dcg = sum(rel / np.log2(i + 2) for i, rel in enumerate(rels[:k]))
    idcg = sum(rel / np.log2(i + 2) for i, rel in enumerate(sorted(rels, reverse=True)))
    return dcg / idcg if idcg else 0.0


def ndcg_gains_mixed(rels, k):
    """Exponential gains in the DCG, and linear ones in the ideal DCG."""
    dcg = sum((2**rel - 1) / np.log2(i + 2) for i, rel in enumerate(rels[:k]))
    ideal = sorted(rels, reverse=True)[:k]
    idcg = sum(rel / np.log2(i + 2) for i, rel in enumerate(ideal))
    return dcg / idcg if idcg else 0.0


def dcg_natural_log(rels, k):
    """np.log is the natural logarithm."""
    return sum(rel / np.log(i + 2) for i, rel in enumerate(rels[:k]))


def ndcg_divides_by_zero(rels, k):
    """No guard against an ideal DCG of 0."""
    dcg = sum(rel / math.log2(i + 2) for i, rel in enumerate(rels[:k]))
    return dcg / sum(r / math.log2(i + 2) for i, r in enumerate(sorted(rels, reverse=True)[:k]))


def average_precision_of_hits(r):
    """The gist's AP: the mean over the relevant documents found."""
    r = np.asarray(r) != 0
    out = [np.mean(r[: k + 1]) for k in range(r.size) if r[k]]
    return np.mean(out) if out else 0.0


def mean_reciprocal_rank(rs):
    """The gist's MRR of rows of labels."""
    rs = (np.asarray(r).nonzero()[0] for r in rs)
    return np.mean([1.0 / (r[0] + 1) if r.size else 0.0 for r in rs])


def mrr_zero_based(rels):
    """Ranks counted from 0."""
    for rank, rel in enumerate(rels):
        if rel > 0:
            return 1 / rank
    return 0.0


def rbp(rels, k):
    """Without the factor 1 - p."""
    return sum((rel > 0) * 0.8**i for i, rel in enumerate(rels[:k]))


def precision_adds_grades(rels, k):
    """Labels added up where relevant documents were to be counted."""
    return sum(rels[:k]) / k


def err(rels, k, max_grade=4):
    """Expected reciprocal rank."""
    going_on, total = 1.0, 0.0
    for rank, rel in enumerate(rels[:k], 1):
        satisfied = (2**rel - 1) / 2**max_grade
        total += going_on * satisfied / rank
        going_on *= 1 - satisfied
    return total


# Of labels and scores.


def ndcg_torch_like(preds, target, top_k=None):
    """As torchmetrics, without averaging over ties."""
    preds, target = np.asarray(preds), np.asarray(target)
    ranked = target[np.argsort(-preds, kind="stable")][:top_k]
    ideal = np.sort(target)[::-1][:top_k]
    discount = 1 / np.log2(np.arange(len(ranked)) + 2)
    best = (ideal * discount).sum()
    return float((ranked * discount).sum() / best) if best else 0.0


def ndcg_lowest_first(y_true, y_score, k):
    """argsort sorts up."""
    order = np.argsort(np.asarray(y_score), kind="stable")
    ranked = np.asarray(y_true)[order][:k]
    ideal = np.sort(np.asarray(y_true))[::-1][:k]
    discount = np.log2(np.arange(2, len(ranked) + 2))
    best = (ideal / discount).sum()
    return (ranked / discount).sum() / best if best else 0.0


def precision_ignores_scores(y_true, y_score, k):  # noqa: ARG001
    """The labels are not sorted by the scores at all."""
    return sum(1 for label in y_true[:k] if label >= 1) / k


# Of ids.


def apk(actual, predicted, k=10):
    """Kaggle's ml_metrics."""
    if len(predicted) > k:
        predicted = predicted[:k]
    score = 0.0
    num_hits = 0.0
    for i, p in enumerate(predicted):
        if p in actual and p not in predicted[:i]:
            num_hits += 1.0
            score += num_hits / (i + 1.0)
    if not actual:
        return 0.0
    return score / min(len(actual), k)


def average_precision(retrieved, relevant, k):
    """Divided by what was found."""
    hits, total = 0, 0.0
    for rank, doc in enumerate(retrieved[:k], 1):
        if doc in relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0


def recall_at_k(retrieved, relevant, k):
    """Right, by sets."""
    return len(set(retrieved[:k]) & set(relevant)) / len(relevant) if relevant else 0.0


def recall_capped(retrieved, relevant, k):
    """Divided by min(k, R)."""
    hits = sum(doc in relevant for doc in retrieved[:k])
    return hits / min(k, len(relevant))


def recall_over_k(retrieved, relevant, k):
    """Divided by k: precision."""
    return len(set(retrieved[:k]) & set(relevant)) / k


def recall_counts_twice(retrieved, relevant, k):
    """A list comprehension counts duplicates."""
    return len([doc for doc in retrieved[:k] if doc in relevant]) / len(relevant)


def precision_of_retrieved(retrieved, relevant, k):
    """Divided by the length of the list."""
    top = retrieved[:k]
    return sum(doc in relevant for doc in top) / len(top)


def hit_rate(retrieved_ids, expected_ids):
    """LlamaIndex."""
    return 1.0 if any(doc in expected_ids for doc in retrieved_ids) else 0.0


def ndcg_llama_like(expected_ids, retrieved_ids):
    """LlamaIndex: as many ideal documents as were retrieved."""
    expected = set(expected_ids)
    dcg = sum(1 / math.log2(i + 1) for i, d in enumerate(retrieved_ids, 1) if d in expected)
    idcg = sum(1 / math.log2(i + 1) for i in range(1, len(retrieved_ids) + 1))
    return dcg / idcg if idcg else 0.0


def ndcg_recbole_like(topk_items, ground_truth, k):
    """RecBole: binary, and min(R, k) ideal documents."""
    dcg = sum(1 / math.log2(i + 2) for i, d in enumerate(topk_items[:k]) if d in ground_truth)
    ideal = min(len(ground_truth), k)
    return dcg / sum(1 / math.log2(i + 2) for i in range(ideal)) if ideal else 0.0


def ndcg_rectools_like(recommended, relevant, k):
    """RecTools: k ideal documents."""
    dcg = sum(1 / math.log2(i + 2) for i, d in enumerate(recommended[:k]) if d in relevant)
    return dcg / sum(1 / math.log2(i + 2) for i in range(k))


def mrr_granular(expected_ids, retrieved_ids):
    """LlamaIndex's granular MRR: the mean over the documents found."""
    ranks = [1 / rank for rank, doc in enumerate(retrieved_ids, 1) if doc in expected_ids]
    return sum(ranks) / len(ranks) if ranks else 0.0


def ndcg_of_judged(ranked_list, qrel, k):
    """Graded, by a dict of labels; the ideal ranking has all judged documents."""
    gains = [qrel.get(doc, 0) for doc in ranked_list[:k]]
    dcg = sum(g / math.log2(i + 2) for i, g in enumerate(gains))
    best = sorted(qrel.values(), reverse=True)[:k]
    idcg = sum(g / math.log2(i + 2) for i, g in enumerate(best))
    return dcg / idcg if idcg > 0 else 0.0


def ndcg_of_retrieved(ranked_list, qrel, k):
    """The same, but the ideal ranking has only the retrieved documents."""
    gains = [qrel.get(doc, 0) for doc in ranked_list]
    dcg = sum(g / math.log2(i + 2) for i, g in enumerate(gains[:k]))
    idcg = sum(g / math.log2(i + 2) for i, g in enumerate(sorted(gains, reverse=True)[:k]))
    return dcg / idcg if idcg > 0 else 0.0


# Of qrels and runs.


def map_elliot_like(predictions, relevant, k):
    """Elliot: the mean of the precision at every rank up to k."""
    hits, total = 0, 0.0
    for rank, doc in enumerate(predictions[:k], 1):
        hits += doc in relevant
        total += hits / rank
    return total / k


def ndcg_ranx_like(qrels, run, k):
    """The mean over the queries of the qrels; ties in the order of the run."""
    total = 0.0
    for query, labels in qrels.items():
        ranked = sorted(run.get(query, {}).items(), key=lambda pair: -pair[1])[:k]
        dcg = sum(labels.get(doc, 0) / math.log2(i + 2) for i, (doc, _) in enumerate(ranked))
        best = sorted(labels.values(), reverse=True)[:k]
        idcg = sum(label / math.log2(i + 2) for i, label in enumerate(best))
        total += dcg / idcg if idcg else 0.0
    return total / len(qrels)


def recall_beir_like(qrels, results, k):
    """The mean over the queries that were answered."""
    values = []
    for query, scores in results.items():
        relevant = {doc for doc, label in qrels[query].items() if label > 0}
        top = sorted(scores, key=lambda doc: (-scores[doc], doc))[:k]
        values.append(len(relevant & set(top)) / len(relevant) if relevant else 0.0)
    return sum(values) / len(values)


def mrr_of_batches(predictions, labels):
    """Several lists of ids at once."""
    by_row = defaultdict(float)
    for row, (predicted, relevant) in enumerate(zip(predictions, labels, strict=True)):
        by_row[row] = next((1 / r for r, doc in enumerate(predicted, 1) if doc in relevant), 0.0)
    return sum(by_row.values()) / len(by_row)


# (function, measure here or None, the ways that are not usual)
EXPECTED = [
    (dcg_at_k, "DCG", {}),
    (ndcg_gist, 'nDCG(ideal="retrieved")', {}),
    (ndcg_gist_method_0, 'nDCG(discount=2, ideal="retrieved")', {"discount": 2.0}),
    (ndcg_top_k_ideal, None, {"gain": "exp2", "ideal": "retrieved@k"}),
    (ndcg_off_by_one, None, {"discount": "log2+2"}),
    (ndcg_ideal_uncut, 'nDCG(ideal="uncut")', {"ideal": "uncut"}),
    (ndcg_gains_mixed, None, {"gain": "exp2", "ideal_gain": "linear"}),
    (dcg_natural_log, None, {"discount": "ln"}),
    (ndcg_divides_by_zero, 'nDCG(ideal="retrieved")', {}),
    (average_precision_of_hits, "AP", {}),  # of the labels passed, all hits are all relevant
    (mean_reciprocal_rank, "RR", {}),
    (mrr_zero_based, None, {"ranks": -1}),
    (rbp, None, {"norm": "none"}),
    (precision_adds_grades, None, {"rel": "sum"}),
    (err, "ERR", {}),
    (ndcg_torch_like, 'nDCG(ideal="retrieved")', {}),
    (ndcg_lowest_first, None, {"order": "reversed"}),
    (precision_ignores_scores, None, {"order": "input"}),
    (apk, 'AP(norm="min")', {"norm": "min"}),
    (average_precision, 'AP(norm="hits")', {"norm": "hits"}),
    (recall_at_k, "R", {}),
    (recall_capped, 'R(norm="min")', {"norm": "min"}),
    (recall_over_k, "P", {}),
    (recall_counts_twice, "R", {}),
    (precision_of_retrieved, 'P(norm="retrieved")', {"norm": "retrieved"}),
    (hit_rate, "Success", {}),
    (ndcg_llama_like, None, {"ideal": "n-ones"}),
    (ndcg_recbole_like, "nDCG", {}),  # of relevant ids without labels, all gains are alike
    (ndcg_rectools_like, 'nDCG(ideal="k")', {"ideal": "k"}),
    (mrr_granular, None, {"of": "mean"}),
    (ndcg_of_judged, "nDCG", {}),
    (ndcg_of_retrieved, 'nDCG(ideal="retrieved")', {"ideal": "retrieved"}),
    (map_elliot_like, None, {"norm": "k", "at": "all"}),
    (ndcg_ranx_like, "nDCG", {}),
    (recall_beir_like, "R", {}),
    (mrr_of_batches, "RR", {}),
]


# Answers where nothing is relevant, pooled averages, dicts of lists, and others.


def ndcg_lightgbm_like(y_true, y_score, k):
    """LightGBM and CatBoost: exponential gains, and 1 where nothing is relevant."""
    ranked = np.asarray(y_true, float)[np.argsort(-np.asarray(y_score), kind="stable")]
    discount = np.log(2) / np.log(np.arange(len(ranked[:k])) + 2)
    best = ((2 ** np.sort(ranked)[::-1][:k] - 1) * discount).sum()
    return ((2 ** ranked[:k] - 1) * discount).sum() / best if best > 0 else 1.0


def rr_half(labels):
    """Half a point where nothing is relevant."""
    return next((1 / rank for rank, label in enumerate(labels, 1) if label > 0), 0.5)


def mrr_minus_one(ranked_ids, relevant_ids):
    """The -1 of find()."""
    return next((1 / rank for rank, doc in enumerate(ranked_ids, 1) if doc in relevant_ids), -1)


def precision_implicit_like(recommended, relevant, k=10):
    """Implicit: all hits divided by the sum of min(R, k)."""
    pairs = list(zip(recommended, relevant, strict=True))
    hits = sum(len(set(ids[:k]) & set(liked)) for ids, liked in pairs)
    return hits / sum(min(k, len(liked)) for _, liked in pairs)


def micro_precision(qrels, run, k):
    """Divided by all documents retrieved for any query."""
    hits = retrieved = 0
    for query, labels in qrels.items():
        top = sorted(run[query].items(), key=lambda pair: -pair[1])[:k]
        hits += sum(labels.get(doc, 0) > 0 for doc, _ in top)
        retrieved += len(top)
    return hits / retrieved


def recall_of_users(recommended, ground_truth, k):
    """Lists in a dict by user."""
    found = [
        len(set(recommended.get(user, [])[:k]) & set(items)) / len(items) if items else 0.0
        for user, items in ground_truth.items()
    ]
    return sum(found) / len(found)


def mrr_of_rows(y_true, y_pred):
    """Rows of labels and scores; a single row seems to work, too, as precision."""
    total = 0.0
    for labels, scores in zip(y_true, y_pred, strict=True):
        ranked = np.take(labels, np.argsort(scores)[::-1])
        (hits,) = np.where(np.asarray(ranked) > 0)
        total += 1 / (hits[0] + 1) if len(hits) else 0.0
    return total / len(y_true)


def precision_one_short(retrieved, relevant, k):
    """Cut one too early, divided by k."""
    return sum(doc in relevant for doc in retrieved[: k - 1]) / k


def dcg_rounded(labels, k):
    """Rounded as in a table."""
    return round(sum(label / math.log2(i + 2) for i, label in enumerate(labels[:k])), 4)


EXPECTED += [
    (ndcg_lightgbm_like, 'nDCG(gain="exp2", ideal="retrieved")', {"gain": "exp2"}),
    (rr_half, "RR", {}),
    (mrr_minus_one, None, {"misses": -1.0}),
    (precision_implicit_like, None, {"norm": "min", "average": "pooled"}),
    (micro_precision, None, {"norm": "retrieved", "average": "pooled"}),
    (recall_of_users, "R", {}),
    (mrr_of_rows, "RR", {}),
    (precision_one_short, None, {"cut": "k - 1 above"}),
    (dcg_rounded, None, {"scale": "rounded"}),
]
