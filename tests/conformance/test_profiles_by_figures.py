"""Profiles give figures that the tools gave, by running them on these collections, or published."""

import warnings

import numpy as np
import pytest

import rankmark as rm
from conformance.agreement import agrees, agrees_by_name

QRELS = {
    "1": {"d1": 1, "d2": 0, "d3": 2, "d4": 1},
    "2": {"d1": 0, "d2": 3},
    "3": {"d4": 1, "d5": 1},
    "4": {"d1": 0},
}
RUN = {
    "1": {"d9": 6.0, "d1": 5.0, "d2": 4.0, "d3": 3.0, "d8": 2.0},
    "2": {"d3": 3.0, "d1": 2.0, "d2": 1.0},
    "4": {"d1": 1.0},
}
# These tools are given labels and scores of the same documents, and take labels of 0 and 1 for all
# but nDCG.
SEEN = {
    query: {document: QRELS[query][document] for document in QRELS[query] if document in scores}
    for query, scores in RUN.items()
}
BINARY = {q: {d: min(label, 1) for d, label in row.items()} for q, row in SEEN.items()}

# Said by the versions that the profiles name.
SAID = {
    "torchmetrics": {
        "RetrievalMAP": 0.277777791,
        "RetrievalMAP(top_k=3)": 0.277777791,
        "RetrievalMRR": 0.277777791,
        "RetrievalMRR(top_k=3)": 0.277777791,
        "RetrievalPrecision": 0.244444445,
        "RetrievalPrecision(top_k=3)": 0.222222224,
        "RetrievalRecall": 0.666666687,
        "RetrievalRecall(top_k=3)": 0.5,
        "RetrievalHitRate": 0.666666687,
        "RetrievalHitRate(top_k=3)": 0.666666687,
        "RetrievalFallOut": 1.0,
        "RetrievalFallOut(top_k=3)": 0.888888896,
        "RetrievalRPrecision": 0.166666672,
        "RetrievalNormalizedDCG": 0.355735868,
        "RetrievalNormalizedDCG(top_k=3)": 0.246604145,
        "RetrievalAUROC": 0.166666672,
        "RetrievalAUROC(top_k=3)": 0.166666672,
    },
    "lightgbm": {
        "ndcg@1": 0.333333333,
        "ndcg@3": 0.557921781,
        "map@3": 0.527777778,
    },
    "xgboost": {
        "ndcg@3": 0.557921781,
        "map@3": 0.527777778,
        "pre@4": 0.277777778,
    },
    "spark": {
        "meanAveragePrecision": 0.166666667,
        "meanAveragePrecisionAt(3)": 0.125,
        "precisionAt(3)": 0.166666667,
        "recallAt(3)": 0.333333333,
        "ndcgAt(3)": 0.199020478,
        "precisionAt(20)": 0.0375,
        "ndcgAt(20)": 0.249547314,
    },
    "catboost": {
        "NDCG": 0.689069139,
        "NDCG:top=2": 0.413270822,
        "NDCG:type=Exp": 0.67653508,
        "NDCG:top=2;type=Exp": 0.391255114,
        "NDCG:denominator=Position": 0.577777778,
        "NDCG:top=2;denominator=Position": 0.4,
        "NDCG:top=2;type=Exp;denominator=Position": 0.380952381,
        "DCG": 0.997427623,
        "DCG:top=2": 0.210309918,
        "DCG:type=Exp": 1.807653143,
        "DCG:top=2;type=Exp;denominator=Position": 0.166666667,
        "MRR": 0.277777778,
        "MRR:top=2": 0.166666667,
        "MAP": 0.277777778,
        "MAP:top=2": 0.083333333,
        "PrecisionAt:top=2": 0.166666667,
        "PrecisionAt:top=5": 0.244444444,
        "RecallAt": 1.0,
        "RecallAt:top=2": 0.5,
        "PFound": 0.524166667,
        "PFound:top=2": 0.283333333,
        "PFound:top=2;decay=0.6": 0.2,
        "QueryAUC": 0.166666667,
    },
    "implicit": {
        "map@2": 0.083333333,
        "map@3": 0.166666667,
        "map@5": 0.222222222,
        "ndcg@2": 0.128950936,
        "ndcg@3": 0.265360637,
        "ndcg@5": 0.332729752,
    },
    "recbole": {
        "hit@3": 0.666666667,
        "mrr@3": 0.277777778,
        "map@3": 0.166666667,
        "recall@3": 0.444444444,
        "ndcg@3": 0.265360637,
        "precision@3": 0.222222222,
    },
    "rectools": {
        "Precision(k=3)": 0.222222222,
        "Recall(k=3)": 0.444444444,
        "HitRate(k=3)": 0.666666667,
        "MRR(k=3)": 0.277777778,
        "MAP(k=3)": 0.166666667,
        "NDCG(k=3)": 0.176907091,
        "Precision(k=3, r_precision=True)": 0.444444444,
        "F1Beta(k=3)": 0.277777778,
        "F1Beta(k=3, beta=2)": 0.349206349,
        "MAP(k=3, divide_by_k=True)": 0.092592593,
        "NDCG(k=3, divide_by_achievable=True)": 0.265360637,
    },
    "replay": {
        "Precision@3": 0.166666667,
        "Recall@3": 0.333333333,
        "HitRate@3": 0.5,
        "MRR@3": 0.208333333,
        "MAP@3": 0.125,
        "NDCG@3": 0.199020478,
        "RocAuc@3": 0.125,
    },
    "lenskit": {
        "NDCG@3": 0.50551176,
        "NDCG": 0.600535202,
        "DCG@3": 0.815464877,
        "DCG": 1.065464877,
        "Precision@3": 0.333333333,
        "Precision": 0.366666667,
        "Recall@3": 0.666666667,
        "Recall": 0.833333333,
        "RecipRank@3": 0.416666667,
        "RecipRank": 0.416666667,
        "Hit@3": 1.0,
        "Hit": 1.0,
        "AveragePrecision@3": 0.25,
        "AveragePrecision": 0.333333333,
        "RBP@3": 0.1179375,
        "RBP": 0.163996875,
    },
    "lenskit-2025": {
        "NDCG@3": 0.33700784,
        "DCG@3": 0.543643251,
        "Precision@3": 0.222222222,
        "Recall@3": 0.444444444,
        "RecipRank@3": 0.277777778,
        "Hit@3": 0.666666667,
        "RBP@3": 0.078625,
        "NDCG": 0.400356801,
        "DCG": 0.710309918,
        "Precision": 0.244444444,
        "Recall": 0.555555556,
        "RecipRank": 0.277777778,
        "Hit": 0.666666667,
        "AveragePrecision": 0.222222222,
        "RBP": 0.10933125,
    },
    "sentence-transformers": {
        "accuracy@3": 0.666666667,
        "precision@3": 0.222222222,
        "recall@3": 0.444444444,
        "ndcg@3": 0.265360637,
        "mrr@3": 0.277777778,
        "map@3": 0.166666667,
    },
    "gdeval": {
        "ndcg@3": 0.326365,
        "err@3": 0.08854,
    },
    "ragas": {
        "context_precision": 0.208333333,
    },
}


def qrels_for(tool: str, name: str) -> dict[str, dict[str, int]]:
    if tool not in {"torchmetrics", "lightgbm", "xgboost", "catboost"}:
        return QRELS
    graded = tool == "lightgbm" or "ndcg" in name or "DCG" in name
    return SEEN if graded else BINARY


@pytest.mark.parametrize("tool", SAID)
def test_profiles_give_what_the_tools_said(tool: str) -> None:
    for name, said in SAID[tool].items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rm.RankmarkWarning)  # of labels above 1, for some
            ev = rm.evaluate(qrels_for(tool, name), RUN, name, profile=tool)
        agrees_by_name(tool, ev, {name: said}, abs=5e-6 if tool == "gdeval" else 1e-6)


# Said by PyKEEN 1.11.1 of these scores, of which t is the target, by type of rank.
TIED = {
    "a": {"t": 2.0, "x": 2.0, "y": 1.0, "z": 0.0},
    "b": {"t": 2.0, "x": 3.0, "y": 1.0, "z": 0.0},
    "c": {"t": 1.0, "x": 1.0, "y": 1.0, "z": 2.0},
}
OF_LINKS = {
    "best": [0.6666666666666666, 1.0, 1.6666666666666667, 0.6666666666666667, 0.5555555555555554],
    "midrank": [0.5, 0.6666666666666666, 2.1666666666666665, 0.8666666666666667, 0.2222222222222],
    "worst": [0.4166666666666667, 2 / 3, 2.6666666666666665, 1.0666666666666667, -0.1111111111111],
}


@pytest.mark.parametrize("ties", OF_LINKS)
def test_the_ranks_of_pykeen_are_three_rules_of_ties(ties: str) -> None:
    names = ["mrr", "hits@2", "arithmetic_mean_rank", "amr", "amri"]
    profile = "pykeen" if ties == "midrank" else f"pykeen(ties={ties})"
    ev = rm.evaluate({query: {"t": 1} for query in TIED}, TIED, names, profile=profile)
    agrees_by_name("PyKEEN", ev, dict(zip(names, OF_LINKS[ties], strict=True)), abs=1e-12)


# Said by Evaluation.java of search-relevance 3.1.0, query by query, of QRELS and RUN.
OF_WORKBENCH = {
    "Precision@2": [0.5, 0, 0, 0],
    "Precision@3": [0.33, 0.33, 0, 0],
    "Precision@5": [0.4, 0.33, 0, 0],
    "MAP@2": [0.17, 0, 0, 0],
    "MAP@3": [0.17, 0.33, 0, 0],
    "MAP@5": [0.33, 0.33, 0, 0],
    "NDCG@2": [0.17, 0, 0, 0],
    "NDCG@3": [0.15, 0.5, 0, 0],
    "NDCG@5": [0.47, 0.5, 0, 0],
}


@pytest.mark.filterwarnings("ignore:.*may differ from")
@pytest.mark.parametrize("name", OF_WORKBENCH)
def test_values_of_queries_are_those_of_the_workbench_of_opensearch(name: str) -> None:
    ev = rm.evaluate(QRELS, RUN, name, profile="opensearch")
    found = [round(value, 2) for value in ev.per_query(name).values()]
    agrees("OpenSearch", ev.asked.get(name, name), np.array(found), np.array(OF_WORKBENCH[name]))


# Average precision of the ranking a, x, b at cutoff 2 where a, b, c and d are relevant, as their
# sources divide it.
DIVISORS = {
    ("rectools", "MAP(k=2)"): 0.25,
    ("spark", "meanAveragePrecisionAt(2)"): 0.5,
    ("replay", "MAP@2"): 0.5,
    ("sentence-transformers", "map@2"): 0.5,
    ("recbole", "map@2"): 0.5,
    ("torchmetrics", "RetrievalMAP(top_k=2)"): 1.0,
    ("rectools", "MAP(k=2, divide_by_k=True)"): 0.5,
}


@pytest.mark.parametrize(("tool", "name"), DIVISORS)
def test_average_precision_has_the_divisor_of_the_tool(tool: str, name: str) -> None:
    qrels, run = {"q": dict.fromkeys("abcd", 1)}, {"q": list("axb")}
    assert rm.evaluate(qrels, run, name, profile=tool)[name] == DIVISORS[tool, name]


def test_a_single_relevant_item_is_divided_by_k_of_them_in_rectools() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["x", "a"]}
    found = {
        tool: rm.evaluate(qrels, run, "nDCG@5", profile=tool).scores[0, 0].item()
        for tool in ("rectools", "recbole", "replay", "lenskit")
    }
    assert found == pytest.approx(
        {"rectools": 0.2140, "recbole": 0.6309, "replay": 0.6309, "lenskit": 1.0}, abs=5e-5
    )


def test_the_areas_and_minus_names_that_cannot_be_computed_are_refused_with_what_to_write() -> None:
    for tool, name, remedy in (
        ("xgboost", "ndcg@5-", "no_relevant=zero"),
        ("recbole", "gauc", "write AUC"),
        ("lightgbm", "auc", "write AUC"),
        ("rectools", "MCC(k=5)", "write AUC"),
        ("ragas", "context_recall", "write R"),
        ("catboost", "ERR:top=5", "write RR"),
        ("implicit", "precision@10", "weight each user"),
        ("pykeen", "median_rank", "MeanRank"),
    ):
        with pytest.raises(rm.MeasureError, match=remedy):
            rm.evaluate(QRELS, RUN, name, profile=tool)
