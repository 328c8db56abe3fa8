"""Ask tools that are not among the test dependencies, where they are installed."""

import copy
import importlib.util
import sys
import types
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Rows = Mapping[str, Mapping[str, float]]
CUTOFFS = [1, 3, 5, 10]


def ranx_says(qrels: Rows, run: Rows, names: Iterable[str]) -> dict[str, float]:
    """Give the means over all judged queries."""
    ranx = pytest.importorskip("ranx")
    judged, ranked = ranx.Qrels(copy.deepcopy(qrels)), ranx.Run(copy.deepcopy(run))
    return {
        name: float(ranx.evaluate(judged, ranked, name, make_comparable=True)) for name in names
    }


def beir_says(qrels: Rows, run: Rows, names: Iterable[str]) -> dict[str, float]:
    """Give what evaluate and evaluate_custom return, to five decimals."""
    retrieval = pytest.importorskip("beir.retrieval.evaluation").EvaluateRetrieval
    results, said = copy.deepcopy(run), {}
    for group in retrieval.evaluate(copy.deepcopy(qrels), results, CUTOFFS):
        said.update(group)
    customs = {"MRR": "mrr", "R_cap": "r_cap", "Accuracy": "accuracy"}
    stems = {name.partition("@")[0] for name in names}
    for metric in {customs[stem] for stem in stems & set(customs)}:
        said.update(retrieval.evaluate_custom(qrels, results, CUTOFFS, metric))
    return {name: said[name] for name in names}


def mteb_says(qrels: Rows, run: Rows, names: Iterable[str]) -> dict[str, float]:
    """Give what its retrieval tasks report; only this file of it is imported, not torch."""
    metrics = _retrieval_metrics()
    said: dict[str, float] = {}
    found = metrics.calculate_retrieval_scores(copy.deepcopy(run), copy.deepcopy(qrels), CUTOFFS)
    for group in (found.ndcg, found.map, found.recall, found.precision, found.mrr, found.hit_rate):
        said.update(group)
    return {name: said[name] for name in names}


def mteb_p_mrr(changed: Mapping[str, Any], original: Rows, new: Rows) -> float:
    """Give p-MRR, where query ids end in -og and -changed."""
    return float(_retrieval_metrics().calculate_pmrr(original, new, changed))


class _Result(NamedTuple):
    all_scores: Any
    ndcg: Any
    map: Any
    recall: Any
    precision: Any
    naucs: Any
    mrr: Any
    naucs_mrr: Any
    hit_rate: Any


def _retrieval_metrics() -> Any:
    place = importlib.util.find_spec("mteb")
    if place is None or place.origin is None:
        pytest.skip("MTEB is not installed")
    path = Path(place.origin).parent / "_evaluators" / "retrieval_metrics.py"
    with pytest.MonkeyPatch.context() as patched:
        of_types = types.ModuleType("mteb.types")
        of_types.RetrievalEvaluationResult = _Result  # type: ignore[attr-defined]
        patched.setitem(sys.modules, "mteb", types.ModuleType("mteb"))
        patched.setitem(sys.modules, "mteb.types", of_types)
        spec = importlib.util.spec_from_file_location("retrieval_metrics", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


SAYS = {"ranx": ranx_says, "beir": beir_says, "mteb": mteb_says}
