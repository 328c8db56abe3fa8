"""Scores at the ends of what a double holds: no warning of NumPy's, and the right ranking."""

import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm

LEVELS = [np.inf, 1.79e308, 1e308, 1.0, 5e-324, 0.0, -5e-324, -1e308, -1.79e308, -np.inf]
DOCUMENTS = [f"d{number}" for number in range(len(LEVELS))]
QRELS = {f"q{n}": {"d0": 1, "d3": 2, f"d{n}": 0, "d9": 1} for n in range(1, 9) if n != 3}
EXTREME = {q: dict(zip(DOCUMENTS, LEVELS, strict=True)) for q in QRELS}
USUAL = {q: {d: -float(place) for place, d in enumerate(DOCUMENTS)} for q in QRELS}
MEASURES = ["nDCG@5", "AP", "RR", "Bpref", "RBP(p=0.8)", "AUC", "OPA", "infAP", "INST(T=2)"]

CALLS: dict[str, Callable[[Any], object]] = {
    **{
        f"evaluate {ties}": lambda run, ties=ties: rm.evaluate(  # type: ignore[misc]
            QRELS, run, MEASURES, ties=ties
        ).scores.tolist()
        for ties in ("docid", "mean", "worst")
    },
    "compare": lambda run: rm.compare(QRELS, {"a": run, "b": USUAL}, "AP").scores.tolist(),
    "similarity": lambda run: rm.compare_rankings(
        run, USUAL, ["tau", "rho", "weighted_tau", "tauAP", "RBO(p=0.9)", "AO@5"]
    ).scores.tolist(),
    "explain": lambda run: str(rm.explain(QRELS, run, "q1", "AP")).count("relevant"),
}


@pytest.mark.parametrize("call", CALLS)
def test_extreme_scores_rank_as_usual_ones_without_a_warning(call: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CALLS[call](EXTREME) == CALLS[call](USUAL)


def test_extreme_scores_are_checked_converted_and_read_as_arrays(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rm.check(QRELS, EXTREME).ok
        rm.convert(EXTREME, tmp_path / "run.csv", kind="run")
        scores = np.array([LEVELS, LEVELS[::-1]])
        for profile, ties in itertools.product(("double", "float32"), ("docid", "mean")):
            labels = np.array([[1, 0, 0, 2, 0, 0, 0, 0, 0, 1]] * 2)
            found = rm.evaluate(labels, scores, MEASURES, precision=profile, ties=ties)  # type: ignore[arg-type]
            assert np.isfinite(found.scores).all()


def test_labels_of_both_ends_are_read_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.Qrels({"q": {"a": 1.79e308, "b": -1.79e308, "c": 0}})
