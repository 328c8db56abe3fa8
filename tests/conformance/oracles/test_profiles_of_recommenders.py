"""Profiles of recommenders' tools, sentence-transformers and ragas give what the tools say."""

import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from conformance.agreement import agrees, agrees_by_name
from generators.plain_collections import plain_collections
from generators.random_collections import Collection

KS = (1, 3, 20)
Said = dict[str, float]


def relevant(collection: Collection) -> dict[str, list[str]]:
    """Give the relevant items of users who have some."""
    found = {
        user: [item for item, label in labels.items() if label > 0]
        for user, labels in collection.qrels.items()
    }
    return {user: items for user, items in found.items() if items}


def ranked(collection: Collection) -> dict[str, list[str]]:
    """Give the items of each user, best first."""
    return {
        user: sorted(scores, key=scores.__getitem__, reverse=True)
        for user, scores in collection.run.items()
    }


def recbole_says(collection: Collection) -> Said:
    metrics = pytest.importorskip("recbole.evaluator.metrics")
    depth, truth, lists = max(KS), relevant(collection), ranked(collection)
    hits = np.zeros((len(truth), depth), dtype=bool)
    for row, (user, items) in enumerate(truth.items()):
        found = [item in items for item in lists.get(user, [])[:depth]]
        hits[row, : len(found)] = found
    sizes = np.array([len(items) for items in truth.values()])
    said: Said = {}
    for name in ("Hit", "MRR", "MAP", "Recall", "NDCG", "Precision"):
        metric = object.__new__(getattr(metrics, name))
        needs = (hits, sizes) if name in {"MAP", "Recall", "NDCG"} else (hits,)
        with pytest.MonkeyPatch.context() as patch:  # NumPy has no float any more
            patch.setattr(np, "float", float, raising=False)
            values = metric.metric_info(*needs).mean(axis=0)
        said |= {f"{name.lower()}@{k}": float(values[k - 1]) for k in KS}
    return said


def rectools_says(collection: Collection) -> Said:
    pd = pytest.importorskip("pandas")
    metrics = pytest.importorskip("rectools.metrics")
    truth, lists = relevant(collection), ranked(collection)
    interactions = pd.DataFrame(
        [(user, item) for user, items in truth.items() for item in items],
        columns=["user_id", "item_id"],
    )
    reco = pd.DataFrame(
        [(user, item, at) for user, row in lists.items() for at, item in enumerate(row, 1)],
        columns=["user_id", "item_id", "rank"],
    )
    made: dict[str, Any] = {}
    for k in KS:
        made |= {f"{name}(k={k})": getattr(metrics, name)(k=k) for name in (
            "Precision", "Recall", "HitRate", "MRR", "MAP", "NDCG",
        )}  # fmt: skip
        made |= {
            f"Precision(k={k}, r_precision=True)": metrics.Precision(k=k, r_precision=True),
            f"F1Beta(k={k})": metrics.F1Beta(k=k),
            f"F1Beta(k={k}, beta=2)": metrics.F1Beta(k=k, beta=2),
            f"MAP(k={k}, divide_by_k=True)": metrics.MAP(k=k, divide_by_k=True),
            f"NDCG(k={k}, divide_by_achievable=True)": metrics.NDCG(k=k, divide_by_achievable=True),
        }
    return {name: float(metric.calc(reco, interactions)) for name, metric in made.items()}


def replay_says(collection: Collection) -> Said:
    metrics = pytest.importorskip("replay.metrics")
    lists = {
        user: [(item, -float(at)) for at, item in enumerate(items)]
        for user, items in ranked(collection).items()
    }
    truth = {user: [i for i, x in row.items() if x > 0] for user, row in collection.qrels.items()}
    said: Said = {}
    for name in ("Precision", "Recall", "HitRate", "MRR", "MAP", "NDCG", "RocAuc"):
        said |= getattr(metrics, name)(list(KS))(lists, truth)
    return said


def lenskit_says(collection: Collection) -> Said:
    ranking = pytest.importorskip("lenskit.metrics.ranking")
    data = pytest.importorskip("lenskit.data")
    truth, lists = relevant(collection), ranked(collection)
    names = ("NDCG", "DCG", "Precision", "Recall", "RecipRank", "Hit", "AveragePrecision", "RBP")
    made = [getattr(ranking, name)(k) for name in names for k in KS]
    made += [getattr(ranking, name)() for name in names]
    made = [one for one in made if not shorter(one, lists)]
    users = [user for user in truth if lists.get(user)]
    return {
        metric.label: float(np.mean([
            metric.measure_list(
                data.ItemList(lists[user], ordered=True), data.ItemList(truth[user])
            )
            for user in users
        ]))
        for metric in made
    }  # fmt: skip


def shorter(metric: Any, lists: dict[str, list[str]]) -> bool:
    """Tell whether average precision is divided by the length of a list, which the profile says."""
    return type(metric).__name__ == "AveragePrecision" and any(
        len(items) < (metric.n or 0) for items in lists.values()
    )


def implicit_says(collection: Collection) -> Said:
    evaluation = pytest.importorskip("implicit.evaluation")
    sparse = pytest.importorskip("scipy.sparse")
    truth, lists = relevant(collection), ranked(collection)
    users = [*truth]
    items = sorted({item for row in (*truth.values(), *lists.values()) for item in row})
    entries = [(at, items.index(item)) for at, user in enumerate(users) for item in truth[user]]
    liked = sparse.csr_matrix(
        (np.ones(len(entries)), tuple(zip(*entries, strict=True))), (len(users), len(items))
    )

    def recommend(numbers: Any, _: Any, N: int) -> tuple[Any, Any]:
        found = np.full((len(numbers), N), -1, dtype=np.int32)
        for row, number in enumerate(numbers):
            top = [items.index(item) for item in lists.get(users[number], [])[:N]]
            found[row, : len(top)] = top
        return found, np.zeros(found.shape, dtype=np.float32)

    said: Said = {}
    for k in KS:
        found = evaluation.ranking_metrics_at_k(
            SimpleNamespace(recommend=recommend), liked, liked, K=k, show_progress=False
        )
        said |= {f"{name}@{k}": float(found[name]) for name in ("map", "ndcg")}
        # A pooled number is a mean weighted by what it is divided by.
        weights = {user: min(k, len(wanted)) for user, wanted in truth.items()}
        weights |= dict.fromkeys(collection.qrels.keys() - truth.keys(), 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rm.RankmarkWarning)
            pooled = rm.evaluate(*collection, rm.R(norm="min") @ k, weights=weights, ties="input")
        agrees("implicit", "R", next(iter(pooled.values())), float(found["precision"]), abs=1e-12)
    return said


def sentence_transformers_says(collection: Collection) -> Said:
    evaluation = pytest.importorskip("sentence_transformers.evaluation")
    truth = relevant(collection)
    queries = list(truth)
    self = SimpleNamespace(
        accuracy_at_k=KS, precision_recall_at_k=KS, mrr_at_k=KS, ndcg_at_k=KS, map_at_k=KS,
        queries_ids=queries, queries=queries, relevant_docs={q: set(truth[q]) for q in queries},
        compute_dcg_at_k=evaluation.InformationRetrievalEvaluator.compute_dcg_at_k,
    )  # fmt: skip
    hits = [
        [{"corpus_id": doc, "score": score} for doc, score in collection.run.get(q, {}).items()]
        for q in queries
    ]
    said = evaluation.InformationRetrievalEvaluator.compute_metrics(self, hits)
    return {
        name.replace("@k", f"@{k}"): float(value)
        for name, values in said.items()
        for k, value in values.items()
    }


def ragas_says(collection: Collection) -> Said:
    precision = pytest.importorskip("ragas.metrics._context_precision")
    verdicts = [
        [int(collection.qrels[query].get(doc, 0) > 0) for doc in ranked(collection).get(query, [])]
        for query in collection.qrels
    ]
    average = precision.NonLLMContextPrecisionWithReference._calculate_average_precision
    values = [average(None, verdict) for verdict in verdicts]
    return {"context_precision": float(np.mean(values))}


TOOLS: dict[str, Callable[[Collection], Said]] = {
    "recbole": recbole_says,
    "rectools": rectools_says,
    "replay": replay_says,
    "lenskit": lenskit_says,
    "implicit": implicit_says,
    "sentence-transformers": sentence_transformers_says,
    "ragas": ragas_says,
}
TIED = {"sentence-transformers"}  # the others are given lists in order


@pytest.mark.parametrize("tool", TOOLS)
def test_names_under_the_profile_of_a_tool_have_its_numbers(tool: str) -> None:
    for collection in plain_collections(
        25, labels=(0, 0, 1, 3), tied=tool in TIED, unjudged=True, missed=True, unanswered=True
    ):
        if not relevant(collection):
            continue
        said = TOOLS[tool](collection)
        with warnings.catch_warnings():  # of ties, at the last rank of a search
            warnings.simplefilter("ignore", rm.RankmarkWarning)
            ev = rm.evaluate(*collection, list(said), profile=tool)
        agrees_by_name(tool, ev, said, abs=1e-6)
