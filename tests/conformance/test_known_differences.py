"""Each difference that the ledger explains still exists: one that has gone must leave it."""

import importlib.util
import shutil
import statistics
from typing import Any

import pytest

import rankmark as rm
from conformance.agreement import differing
from conformance.ledger import ENTRIES
from conformance.oracles import rag_tools
from conformance.oracles.voices import (
    ir_measure,
    ir_measures_says,
    lightgbm_says,
    ndeval_says,
    pytrec_eval_says,
    ranx_says,
    scikit_learn_says,
    trec_eval_says,
    xgboost_says,
)

OF_ONE_MEAN = {"ndeval": ndeval_says, "ranx": ranx_says, "trec_eval": trec_eval_says}

OF_RAG = {"LlamaIndex", "Haystack", "TruLens"}


def name_of(entry: dict[str, Any]) -> str:
    """Name an entry in a test report."""
    return f"{entry['oracle']}-{entry['theirs']}"


def says(entry: dict[str, Any]) -> float:
    """Ask the oracle of an entry for its figure."""
    qrels, run, theirs = entry["qrels"], entry["run"], entry["theirs"]
    options = entry.get("options", {})
    if entry["oracle"] == "scikit-learn":
        (query_id,) = qrels
        rows = [(qrels[query_id].get(doc_id, 0), score) for doc_id, score in run[query_id].items()]
        return scikit_learn_says(rows, theirs, **options)
    if entry["oracle"] in OF_RAG:
        return rag_tools.SAYS[entry["oracle"].lower()](qrels, run)[theirs]
    if ask := OF_ONE_MEAN.get(entry["oracle"]):
        return ask(qrels, run, theirs)
    if entry["oracle"] in {"LightGBM", "XGBoost"}:
        pairs = [(qrels[q].get(d, 0), score) for q in qrels for d, score in run[q].items()]
        labels, scores = zip(*pairs, strict=True)
        sizes = [len(run[q]) for q in qrels]
        if entry["oracle"] == "XGBoost":
            return xgboost_says(labels, scores, sizes, theirs)
        return lightgbm_says(labels, scores, sizes, theirs, **options)
    if entry["oracle"] == "ir_measures":
        (values,) = ir_measures_says(qrels, run, [ir_measure(theirs)]).values()
    else:
        (values,) = pytrec_eval_says(qrels, run, [theirs], **options).values()
    return sum(values.values()) if "Num" in theirs else statistics.fmean(values.values())


@pytest.mark.parametrize("number", range(len(ENTRIES)), ids=lambda n: name_of(ENTRIES[n]))
def test_a_known_difference_is_still_there(number: int) -> None:
    entry = ENTRIES[number]
    needs = entry.get("needs")
    if needs and importlib.util.find_spec(needs) is None and shutil.which(needs) is None:
        pytest.skip(f"{entry['oracle']} asks {needs}, which is not installed")
    conventions = entry.get("conventions", {})
    ev = rm.evaluate(entry["qrels"], entry["run"], [entry["measure"]], **conventions)
    assert ev[entry["measure"]] == pytest.approx(entry["our_figure"], abs=1e-12)
    said = says(entry)
    if not entry.get("chance"):
        assert said == pytest.approx(entry["their_figure"], abs=1e-12)
    assert entry["our_figure"] != pytest.approx(entry["their_figure"], abs=1e-6)
    differing.add(number)


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_a_known_difference_says_why(entry: dict[str, Any]) -> None:
    assert len(entry["why"].split()) > 5
    assert entry["why"].endswith(".")
