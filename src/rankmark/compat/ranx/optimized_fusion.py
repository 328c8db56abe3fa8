"""ranx's ``optimize_fusion``: the parameters with the best mean on the queries given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

from rankmark.compat.ranx.fused_runs import fuse
from rankmark.compat.ranx.inputs import Qrels, Run
from rankmark.compat.ranx.metrics import RefusedError
from rankmark.errors import InputError, shown
from rankmark.formatting.text_tables import text

_WEIGHTED = ("w_bordafuse", "w_condorcet", "wmnz", "mixed", "wsum")
_NUMBERS = {"gmnz": "gamma", "logn_isr": "sigma", "rbc": "phi"}
METHODS = (*_NUMBERS, "rrf", *_WEIGHTED)
_TRAINED = ("mapfuse", "posfuse", "probfuse", "segfuse", "slidefuse", "bayesfuse")


class OptimizationReport:
    """The mean of each configuration that was tried.

    Attributes
    ----------
    method, metric
        Their names.
    configs, results
        The configurations as text, and their means.
    """

    def __init__(
        self,
        method: str,
        configs: list[str],
        results: list[float],
        metric: str,
        rounding_digits: int = 3,
        show_percentages: bool = False,  # noqa: FBT001, FBT002  (as in ranx)
    ) -> None:
        self.method = method
        self.configs = configs
        self.results = results
        self.metric = metric
        self.rounding_digits = rounding_digits
        self.show_percentages = show_percentages

    def __str__(self) -> str:
        """Return a table, the first of the best marked."""
        factor, cut = (100, 2) if self.show_percentages else (1, 0)
        digits = max(self.rounding_digits - cut, 0)
        best = int(np.argmax(self.results)) if self.results else -1
        rows = [
            [config, f"{round(score * factor, digits):.{digits}f}", "*" if at == best else ""]
            for at, (config, score) in enumerate(zip(self.configs, self.results, strict=True))
        ]
        return text([self.method, self.metric, ""], rows, 1)

    def __repr__(self) -> str:
        return str(self)


def best_parameters(
    mean: Callable[[Run], float],
    qrels: Qrels,
    runs: list[Run],
    norm: str | None,
    method: str,
    grid: Mapping[str, Any],
) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the best parameters, and the mean of each configuration.

    Parameters
    ----------
    mean
        Evaluates a run.
    grid
        ranx's options of the grid.
    """
    _refuse(qrels, runs, method)
    name, trials = _trials(method, len(runs), dict(grid))
    best: Any = []
    best_score, report = 0.0, {}
    for trial in trials:
        score = mean(_fused(runs, norm, method, name, trial))
        report[str(trial)] = score
        if score >= best_score:  # the last of the best, as in ranx
            best_score, best = score, trial
    return {name: best}, report


def _fused(runs: list[Run], norm: str | None, method: str, name: str, trial: Any) -> Run:
    """Fuse runs; with a phi of 1, the end of ranx's grid, rbc gives all documents 0."""
    if method != "rbc" or trial != 1:
        return fuse(runs, norm, method, {name: trial})
    return Run(
        {query: {doc: 0.0 for run in runs for doc in run[query]} for query in runs[0].keys()}  # noqa: SIM118
    )


def _refuse(qrels: Qrels, runs: list[Run], method: str) -> None:
    """Refuse what ranx refuses, and methods that learn from judgments."""
    if len(runs) < 2:
        raise RefusedError("only one run", "give two or more")
    for number, run in enumerate(runs):
        if run.keys() != qrels.keys():
            raise RefusedError(
                f"run {number} has other queries than the judgments", "give runs of these queries"
            )
    if method in _TRAINED:
        raise InputError(
            f"{method} learns from judgments",
            "call rankmark.train_fusion, which refuses to fuse the queries it learnt from",
        )
    if method not in METHODS:
        raise InputError(f"method is {shown(method)}", f"need one of {', '.join(METHODS)}")


def _trials(method: str, runs: int, given: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return the name of the parameter, and ranx's values of it, in its order."""
    given.pop("show_progress", None)
    found: list[Any]
    if method in _WEIGHTED:
        name, step = "weights", given.pop("step", 0.1)
        each = _rounded(np.arange(0, 1 + step, step), step)
        # Some weights are lost, whose sum is not 1.0 to the bit, such as (0.2, 0.7, 0.1).
        found = [weights for weights in product(*[each] * runs) if sum(weights) == 1.0]
    elif method == "rrf":
        name, step = "k", given.pop("step", 10)
        found = [*range(given.pop("min_k", 10), given.pop("max_k", 100) + 1, step)]
    else:
        name, step = _NUMBERS[method], given.pop("step", 0.01)
        first, last = given.pop(f"min_{name}", 0.01), given.pop(f"max_{name}", 1.0)
        found = _rounded(np.arange(first, last + step, step), step)
    if given:
        raise InputError(f"{method} has no option {', '.join(given)}", "leave it out")
    return name, found


def _rounded(values: Any, step: float) -> list[float]:
    """Round to as many digits as the step has, as ranx does."""
    digits = str(step)[::-1].find(".")
    return [float(round(value, digits)) for value in values]
