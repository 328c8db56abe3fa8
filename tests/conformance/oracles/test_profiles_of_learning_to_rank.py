"""Profiles of LightGBM, XGBoost, CatBoost, torchmetrics and gdeval give what the tools say."""

import csv
import shutil
import subprocess
import warnings
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pytest

import rankmark as rm
from conformance.agreement import agrees_by_name
from conformance.oracles.voices import lightgbm_says, xgboost_says
from generators.plain_collections import plain_collections
from generators.random_collections import Collection

CUTOFFS = (1, 3, 20)


def rows(collection: Collection) -> tuple[list[float], list[float], list[int]]:
    """Give labels and scores of what was retrieved, 0 if unjudged, and the sizes of queries."""
    answered = [query for query in collection.qrels if query in collection.run]
    labels = [
        max(collection.qrels[query].get(document, 0), 0)
        for query in answered
        for document in collection.run[query]
    ]
    scores = [score for query in answered for score in collection.run[query].values()]
    return labels, scores, [len(collection.run[query]) for query in answered]


def ours(collection: Collection, name: str, profile: str) -> rm.Evaluation:
    return rm.evaluate(*collection, name, profile=profile)


@pytest.mark.parametrize("name", ["ndcg", "map"])
def test_names_under_lightgbms_profile_have_its_numbers(name: str) -> None:
    for seed, k in enumerate(CUTOFFS):
        for collection in plain_collections(
            8, labels=(0, 0, 1, 3), tied=True, unjudged=True, unanswered=True, seed=seed
        ):
            said = lightgbm_says(*rows(collection), f"{name}@{k}")
            ev = ours(collection, f"{name}@{k}", "lightgbm")
            agrees_by_name("LightGBM", ev, {f"{name}@{k}": said}, abs=1e-12)


def test_lightgbm_without_cutoffs_has_five() -> None:
    (collection,) = plain_collections(1, labels=(0, 1, 2))
    ev = rm.evaluate(*collection, "ndcg", profile="lightgbm")
    said = [lightgbm_says(*rows(collection), f"ndcg@{k}") for k in range(1, 6)]
    assert list(ev.values()) == pytest.approx(said)


@pytest.mark.parametrize("name", ["ndcg", "map", "pre"])
def test_names_under_xgboosts_profile_have_its_numbers(name: str) -> None:
    pytest.importorskip("xgboost")
    labels = (0, 0, 1, 3) if name == "ndcg" else (0, 0, 1)
    for seed, k in enumerate((None, 3)):
        asked = name if k is None else f"{name}@{k}"
        for collection in plain_collections(
            3, labels=labels, tied=True, unjudged=True, unanswered=True, seed=seed
        ):
            said = xgboost_says(*rows(collection), asked)
            agrees_by_name("XGBoost", ours(collection, asked, "xgboost"), {asked: said}, abs=2e-6)
            zero = ours(collection, asked, "xgboost(no_relevant=zero)")
            said = xgboost_says(*rows(collection), f"{asked}-")
            agrees_by_name("XGBoost", zero, {asked: said}, abs=2e-6)


CATBOOST = {
    "NDCG": (0, 0, 1, 3),
    "DCG": (0, 0, 1, 3),
    "MAP": (0, 0, 1),
    "MRR": (0, 0, 1),
    "PrecisionAt": (0, 0, 1),
    "RecallAt": (0, 0, 1),
    "PFound": (0, 0.0, 0.5, 1.0, 0.25),
    "QueryAUC": (0, 0, 1),
}
"""The labels with which CatBoost computes each metric."""


@pytest.mark.parametrize("name", CATBOOST)
def test_names_under_the_profile_of_catboost_have_its_numbers(name: str) -> None:
    utils = pytest.importorskip("catboost.utils")
    options = [""] if name == "QueryAUC" else ["", ":top=1", ":top=3", ":top=20"]
    if name in {"NDCG", "DCG"}:
        options += [":type=Exp", ":top=3;type=Exp", ":top=3;denominator=Position"]
        options += [":top=3;type=Exp;denominator=Position"]
    if name == "PFound":
        options += [":decay=0.5", ":top=3;decay=0.5"]
    for seed, option in enumerate(options):
        asked = f"{name}{option}"
        for collection in plain_collections(
            8, labels=CATBOOST[name], tied=True, unjudged=True, unanswered=True, seed=seed
        ):
            labels, scores, sizes = rows(collection)
            groups = np.repeat(np.arange(len(sizes)), sizes)
            (said,) = utils.eval_metric(labels, scores, asked, group_id=groups)
            seen = {
                query: {doc: collection.qrels[query].get(doc, 0) for doc in scores_of}
                for query, scores_of in collection.run.items()
                if query in collection.qrels
            }
            ev = rm.evaluate(seen, collection.run, asked, profile="catboost")
            agrees_by_name("CatBoost", ev, {asked: said}, abs=1e-6)


@pytest.mark.parametrize("profile", ["lightgbm", "xgboost", "torchmetrics"])
def test_relevant_documents_that_the_tool_does_not_see_are_warned_of(profile: str) -> None:
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0, "x": 0.5}}
    name = {"torchmetrics": "RetrievalRecall"}.get(profile, "map@5")
    with pytest.warns(rm.RankmarkWarning, match="relevant documents? .*not retrieved"):
        rm.evaluate(qrels, run, name, profile=profile)


TORCHMETRICS = (
    "RetrievalMAP", "RetrievalMRR", "RetrievalPrecision", "RetrievalRecall", "RetrievalHitRate",
    "RetrievalFallOut", "RetrievalRPrecision", "RetrievalNormalizedDCG", "RetrievalAUROC",
)  # fmt: skip


def torchmetrics_says(collection: Collection, name: str, **options: Any) -> float:
    torch = pytest.importorskip("torch")
    metric = getattr(pytest.importorskip("torchmetrics").retrieval, name)(**options)
    labels, scores, sizes = rows(collection)
    index = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    return float(metric(torch.tensor(scores), torch.tensor(labels).long(), indexes=index))


@pytest.mark.parametrize("name", TORCHMETRICS)
def test_names_under_the_profile_of_torchmetrics_have_its_numbers(name: str) -> None:
    pytest.importorskip("torchmetrics")
    graded = name == "RetrievalNormalizedDCG"
    for k in (None, *CUTOFFS) if name != "RetrievalRPrecision" else (None,):
        options = {} if k is None else {"top_k": k}
        asked = name if k is None else f"{name}(top_k={k})"
        for collection in plain_collections(
            10, labels=(0, 0, 1, 3) if graded else (0, 0, 1), tied=graded, unjudged=True
        ):
            if name in {"RetrievalFallOut", "RetrievalAUROC"} and is_special(collection, k):
                continue
            said = torchmetrics_says(collection, name, **options)
            found = ours(collection, asked, "torchmetrics")
            agrees_by_name("torchmetrics", found, {asked: said}, abs=1e-6)


def is_special(collection: Collection, k: int | None) -> bool:
    """Tell whether everything is relevant in a query, or among its first documents."""
    for query, scores in collection.run.items():
        ranked = sorted(scores, key=scores.__getitem__, reverse=True)[:k]
        if all(collection.qrels[query].get(document, 0) > 0 for document in ranked):
            return True
    return False


@pytest.mark.parametrize("scores", ["positive", "logits", "some 0"])
@pytest.mark.parametrize("name", TORCHMETRICS)
def test_what_differs_from_torchmetrics_is_warned_of(name: str, scores: str) -> None:
    torch = pytest.importorskip("torch")
    metrics = pytest.importorskip("torchmetrics").retrieval
    dice = np.random.default_rng(17)
    for k in (None, 1, 3) if name != "RetrievalRPrecision" else (None,):
        metric = getattr(metrics, name)(**({} if k is None else {"top_k": k}))
        asked = name if k is None else f"{name}@{k}"
        for share in (0.2, 0.5, 0.9):
            given = dice.permuted(np.tile(np.linspace(0.1, 1, 6), (4, 1)), axis=1)
            given = {"positive": given, "logits": given - 0.55, "some 0": given.round()}[scores]
            labels = (dice.random(given.shape) < share).astype(int)
            if scores == "some 0":  # without ties
                given = np.where(given > 0, given + dice.random(given.shape), -dice.random((4, 6)))
            index = torch.arange(4).repeat_interleave(6)
            flat = torch.tensor(given).flatten(), torch.tensor(labels).flatten()
            said = float(metric(*flat, indexes=index))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", rm.RankmarkWarning)
                ev = rm.evaluate(labels, given, asked, profile="torchmetrics")
            is_told = any("may differ" in str(warning.message) for warning in caught)
            assert is_told or ev.scores.mean() == pytest.approx(said, abs=1e-6)


def gdeval_says(collection: Collection, k: int, folder: Path) -> tuple[list[float], list[float]]:
    """Give nDCG and ERR of the topics that gdeval prints; the script comes with ir_measures."""
    script = Path(ir_measures.__file__).parent / "bin" / "gdeval.pl"
    if shutil.which("perl") is None or not script.is_file():
        pytest.skip("gdeval needs Perl, and the script that comes with ir_measures")
    qrels, run = folder / "qrels", folder / "run"
    qrels.write_text("".join(
        f"{q} 0 {d} {label}\n" for q, row in collection.qrels.items() for d, label in row.items()
    ))  # fmt: skip
    run.write_text("".join(
        f"{q} Q0 {d} 1 {score} r\n" for q, row in collection.run.items() for d, score in row.items()
    ))  # fmt: skip
    said = subprocess.run(
        ["perl", script, qrels, run, str(k)], capture_output=True, text=True, check=True
    ).stdout
    topics = list(csv.reader(said.splitlines()))[1:]
    return [float(topic[2]) for topic in topics], [float(topic[3]) for topic in topics]


def test_names_under_gdevals_profile_have_its_numbers(tmp_path: Path) -> None:
    for collection in plain_collections(
        12, labels=(-2, 0, 0, 1, 2, 4), tied=True, unjudged=True, missed=True, unanswered=True
    ):
        for said, name in zip(
            gdeval_says(collection, 3, tmp_path), ("ndcg@3", "err@3"), strict=True
        ):
            found = rm.evaluate(*collection, name, profile="gdeval")
            if said:
                agrees_by_name("gdeval", found, {name: sum(said) / len(said)}, abs=1e-5)


@pytest.mark.parametrize(("profile", "name"), [("lightgbm", "ndcg@10"), ("xgboost", "ndcg@10")])
def test_published_rows_have_the_numbers_of_the_tool(
    lightgbm_example: tuple[list[float], list[float], list[int]], profile: str, name: str
) -> None:
    labels, sums, sizes = lightgbm_example
    scores = [float(round(score, -1)) for score in sums]  # so that many are tied
    qrels = rm.Qrels(np.array(labels), groups=np.array(sizes))
    ev = rm.evaluate(qrels, np.array(scores), name, profile=profile)
    assert ev.audit.tied_share > 0.5
    said = {"lightgbm": lightgbm_says, "xgboost": xgboost_says}[profile](
        labels, scores, sizes, name
    )
    agrees_by_name(profile, ev, {name: said}, abs=2e-6)


def test_topics_of_trec_have_the_numbers_of_gdeval(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "trec_eval-test"
    qrels: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.test").read_text().splitlines():
        query, _, document, label = line.split()
        qrels.setdefault(query, {})[document] = int(label)
    run: dict[str, dict[str, float]] = {}
    for line in (folder / "results.test").read_text().splitlines():
        query, _, document, _, score, _ = line.split()
        run.setdefault(query, {})[document] = float(score)
    said = gdeval_says(Collection(qrels, run), 20, tmp_path)
    ev = rm.evaluate(
        folder / "qrels.test", folder / "results.test", ["ndcg@20", "err@20"], profile="gdeval"
    )
    for name, values in zip(("ndcg@20", "err@20"), said, strict=True):
        assert list(ev.per_query(ev.measures[ev.names.index(str(ev.asked[name]))]).values()) == (
            pytest.approx(values, abs=1e-5)
        )
