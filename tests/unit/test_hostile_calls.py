"""Every public function with values that nobody should pass: only errors that say what to do."""

from __future__ import annotations

import inspect
import io
import math
import warnings
from collections.abc import Callable, Iterator
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import rankmark as rm
from rankmark.errors import shown
from rankmark.testing import assert_not_worse, which_convention
from unit.results.made_results import records

QRELS = {f"q{n}": {"a": 1, "b": 0, "c": 2} for n in range(6)}
RUN = {f"q{n}": {"a": 0.5 + n, "b": 0.25 * n, "x": 0.5} for n in range(6)}
OTHER = {f"q{n}": {"c": 0.5 + n, "b": 0.25 * n, "y": 0.5} for n in range(6)}
SPANS = {f"q{n}": [("a", n, n + 9), ("b", 0, 5)] for n in range(3)}
NUGGETS = {f"q{n}": [("n1", "vital", "support"), ("n2", "okay", "no")] for n in range(3)}
CITATIONS = {f"q{n}": [("s1", "a", "full"), ("s2", None, None)] for n in range(3)}
SEARCHED = {f"q{n}": [["x", "a"], ["c"]] for n in range(3)}


def precision(retrieved, relevant):
    """Compute numbers of many values, which rule most formulas out at once."""
    return sum(doc in relevant for doc in retrieved) / max(len(retrieved), 1)


MET = rm.evaluate(QRELS, RUN, "AP")["AP"]  # so that reconcile need not search
LABELS = {f"q{n}": {"a": 1, "b": n % 2, "c": 1} for n in range(6)}
BOARD = {"one": 0.5, "two": 0.25, "three": 0.125}
SCORES = pd.DataFrame(
    [(run, f"q{n}", 0.1 * n) for n in range(6) for run in ("one", "two")],
    columns=["run", "query_id", "AP"],
)


class Raising:
    """An object whose code fails however it is used."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("no iteration here")  # the caller's own error comes through

    def __repr__(self) -> str:
        return "a raising object"


class Unlike:
    """An object that compares with nothing, like an array."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("the truth is ambiguous")

    def __hash__(self) -> int:
        return 7


def deep(levels: int) -> list[Any]:
    held: list[Any] = []
    for _ in range(levels):
        held = [held]
    return held


def closed() -> io.BytesIO:
    file = io.BytesIO()
    file.close()
    return file


HOSTILE: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "nothing in text": lambda: "",
    "NUL": lambda: "\0",
    "half a pair": lambda: "\ud800",
    "bytes": lambda: b"\xff",
    "long text": lambda: "x" * 5000,
    "0": lambda: 0,
    "-1": lambda: -1,
    "5": lambda: 5,
    "huge": lambda: 10**400,
    "NaN": lambda: math.nan,
    "infinite": lambda: math.inf,
    "1e308": lambda: 1e308,
    "complex": lambda: 1j,
    "Decimal NaN": lambda: Decimal("sNaN"),
    "Fraction": lambda: Fraction(1, 3),
    "True": lambda: True,
    "no list": list,
    "no dict": dict,
    "no set": set,
    "no tuple": tuple,
    "list of None": lambda: [None],
    "list of lists": lambda: [[], [[]]],
    "nested deep": lambda: deep(3000),
    "dict of None": lambda: {None: None},
    "dict of dicts": lambda: {"q0": {"a": {}}},
    "NA": lambda: pd.NA,
    "list of NA": lambda: [pd.NA],
    "NaT": lambda: pd.NaT,
    "array": lambda: np.arange(6),
    "array of two dimensions": lambda: np.ones((2, 2)),
    "array of NaN": lambda: np.full(6, np.nan),
    "no array": lambda: np.zeros(0),
    "array of objects": lambda: np.array([None, {}, []], dtype=object),
    "array without dimensions": lambda: np.array(3),
    "times": lambda: np.array(["2020-01-01"], dtype="datetime64[D]"),
    "record array": lambda: np.zeros(2, dtype=[("x", "i4")]),
    "frame": lambda: pd.DataFrame({"x": [1, None]}),
    "no frame": pd.DataFrame,
    "Series": lambda: pd.Series([1, 2], index=["q0", "q0"]),
    "Polars": lambda: pl.DataFrame({"x": [[1], None]}),
    "sparse": lambda: scipy.sparse.csr_array((2, 2)),
    "generator": lambda: (n for n in range(3)),
    "lambda": lambda: lambda *_, **__: None,
    "type": lambda: int,
    "module": lambda: math,
    "object": object,
    "unlike": Unlike,
    "raising": Raising,
    "time": lambda: datetime(2020, 1, 1),
    "no such file": lambda: Path("no/such/file"),
    "folder": Path,
    "closed file": closed,
    "text file": lambda: io.StringIO("q 0 a\n"),
    "memory": lambda: memoryview(b"abc"),
}


def evaluated() -> rm.Evaluation:
    return rm.evaluate(QRELS, RUN, ["AP"])


def compared() -> rm.Comparison:
    return rm.compare(QRELS, {"one": RUN, "two": OTHER}, ["AP"], resamples=100)


@cache
def interleaved() -> rm.ClickLog:
    rows = {"query_id": [1, 1, 2, 2], "user": [1, 1, 2, 2], "doc": ["x", "y"] * 2}
    more = {"rank": [1, 2] * 2, "team": ["a", "b"] * 2, "click": [1, 0, 0, 1]}
    chances = {"query": ["q1"] * 4, "propensity": [0.5] * 4, "target": [0.5] * 4}
    return rm.read_log(pl.DataFrame(rows | more | chances))


def spans_judged(
    gold: Any,
    retrieved: Any,
    theta: Any = 0.5,
    of: Any = "gold",
    chunks: Any = None,
    columns: Any = None,
) -> Any:
    return rm.judge_spans(gold, retrieved, theta=theta, of=of, chunks=chunks, columns=columns)


PAST = [
    {"experiment": at, "offline": at % 5, "offline_se": 0.3, "online": at % 4, "online_se": 0.5}
    for at in range(9)
]
ASSIGNED = rm.read_log(
    {
        "query_id": [*range(8)],
        "doc": ["x"] * 8,
        "rank": [1] * 8,
        "click": [0, 1, 1, 0, 1, 1, 0, 1],
        "user": [0, 0, 1, 2, 3, 4, 5, 5],
        "variant": [*"AAABBBBB"],
    }
)
CLICKED = rm.read_log(
    [
        {
            "query_id": f"{query}{at}",
            "query": query,
            "doc": doc,
            "rank": rank,
            "click": at % 3 // rank,
        }
        for at, docs in enumerate(["ab", "ba"] * 3)
        for query in ("q0", "q1")
        for rank, doc in enumerate(docs, 1)
    ]
)
CALLS: dict[str, tuple[Callable[..., Any], Callable[[], dict[str, Any]]]] = {
    "evaluate": (rm.evaluate, lambda: {"qrels": QRELS, "run": RUN, "measures": ["AP"]}),
    "compare": (
        rm.compare,
        lambda: {"qrels": QRELS, "runs": {"one": RUN, "two": OTHER}, "measures": ["AP"]},
    ),
    "compare_scores": (rm.compare_scores, lambda: {"scores": SCORES}),
    "compare_rankings": (rm.compare_rankings, lambda: {"run_a": RUN, "run_b": OTHER}),
    "fuse": (
        rm.fuse,
        lambda: {"runs": {"one": RUN, "two": OTHER}, "method": "RRF"},
    ),
    "fuse by scores": (
        rm.fuse,
        lambda: {"runs": {"one": RUN, "two": OTHER}, "method": "wsum", "norm": "z"},
    ),
    "tune_fusion": (
        rm.tune_fusion,
        lambda: {"qrels": QRELS, "runs": {"one": RUN, "two": OTHER}, "folds": 2, "step": 0.5},
    ),
    "fusion_bounds": (
        rm.fusion_bounds,
        lambda: {"qrels": QRELS, "runs": {"one": RUN, "two": OTHER}},
    ),
    "ann_recall": (
        rm.ann_recall,
        lambda: {"true_ids": [[1, 2]], "ids": [[1, 3]], "k": 2, "true_distances": [[0.1, 0.2]]},
    ),
    "ann_tradeoff": (
        rm.ann_tradeoff,
        lambda: {"table": {"recall": [0.9], "qps": [10.0]}, "algorithm": None},
    ),
    "judge_clicks": (rm.judge_clicks, lambda: {"log": CLICKED, "run": RUN, "min_examined": 1}),
    "position_bias": (rm.position_bias, lambda: {"log": CLICKED}),
    "evaluate_spans": (rm.evaluate_spans, lambda: {"gold": SPANS, "retrieved": SPANS}),
    "judge_spans": (spans_judged, lambda: {"gold": SPANS, "retrieved": SPANS}),
    "merge_calls": (rm.merge_calls, lambda: {"calls": SEARCHED}),
    "evaluate_calls": (
        rm.evaluate_calls,
        lambda: {"qrels": QRELS, "calls": SEARCHED, "measures": ["AP"]},
    ),
    "nuggets": (rm.nuggets, lambda: {"answers": NUGGETS}),
    "citations": (rm.citations, lambda: {"answers": CITATIONS}),
    "p_mrr": (rm.p_mrr, lambda: {"changed": QRELS, "original": RUN, "new": OTHER}),
    "compare_judgments": (rm.compare_judgments, lambda: {"people": QRELS, "model": LABELS}),
    "runs compare_judgments": (
        rm.compare_judgments,
        lambda: {"people": QRELS, "model": LABELS, "runs": {"one": RUN, "two": OTHER}},
    ),
    "gate": (
        rm.gate,
        lambda: {"qrels": QRELS, "base": RUN, "new": OTHER, "max_drop": 0.1},
    ),
    "online": (rm.online, lambda: {"log": interleaved(), "measures": ["CTR@1", "ClickRate@2"]}),
    "compare_variants": (
        rm.compare_variants,
        lambda: {"log": ASSIGNED, "measures": "CTR@1", "baseline": "A"},
    ),
    "compare_online_offline": (
        rm.compare_online_offline,
        lambda: {"table": PAST, "resamples": 20},
    ),
    "plan_gate": (
        rm.plan_gate,
        lambda: {"base": RUN, "new": OTHER, "max_drop": 0.1, "seed": 1},
    ),
    "explain": (
        rm.explain,
        lambda: {"qrels": QRELS, "run": RUN, "query": "q1", "measure": "AP"},
    ),
    "failure_causes": (
        rm.failure_causes,
        lambda: {"qrels": QRELS, "stages": {"old": RUN, "new": OTHER}, "measure": "R@1"},
    ),
    "power": (
        rm.power,
        lambda: {"qrels": QRELS, "baseline": RUN, "other": OTHER, "measures": "AP"},
    ),
    "reconcile": (
        rm.reconcile,
        lambda: {"qrels": QRELS, "run": RUN, "measure": "AP", "value": MET, "changes": 1},
    ),
    "estimate": (
        rm.estimate,
        lambda: {"people": QRELS, "model": QRELS, "runs": {"a": RUN, "b": OTHER}, "measures": "AP"},
    ),
    "choose_queries": (
        rm.choose_queries,
        lambda: {"model": QRELS, "runs": {"a": RUN, "b": OTHER}, "measure": "AP", "n": 2},
    ),
    "interleave": (rm.interleave, lambda: {"a": ["x", "y"], "b": ["y", "z"]}),
    "compare_interleaved": (rm.compare_interleaved, lambda: {"log": interleaved()}),
    "counterfactual": (
        rm.counterfactual,
        lambda: {"log": interleaved(), "run": RUN, "examination": [1, 0.5], "min_effective": 0},
    ),
    "drawn counterfactual": (
        rm.counterfactual,
        lambda: {"log": interleaved(), "target": "target", "method": "IPS"},
    ),
    "interleaving_power": (
        rm.interleaving_power,
        lambda: {"qrels": QRELS, "a": RUN, "b": OTHER, "k": 3},
    ),
    "abstention": (
        rm.abstention,
        lambda: {"qrels": QRELS, "run": RUN, "measure": "AP", "resamples": 5},
    ),
    "leaderboard": (
        rm.leaderboard,
        lambda: {"table": {"a": {"t": 1, "u": 2}, "b": {"t": 2, "u": 1}}, "resamples": 5},
    ),
    "read_log": (
        rm.read_log,
        lambda: {"source": {"query_id": ["i", "i"], "doc": ["a", "b"], "click": [0, 1]}},
    ),
    "example_log": (rm.example_log, lambda: {"searches": 2}),
    "check": (rm.check, lambda: {"qrels": QRELS}),
    "convert": (
        rm.convert,
        lambda: {"source": QRELS, "target": "out.trec", "kind": "qrels", "to": "trec"},
    ),
    "trend": (rm.trend, lambda: {"records": records(), "measure": "R@10"}),
    "verify": (rm.verify, lambda: {"path": "no-record.json"}),
    "write_report": (
        rm.write_report,
        lambda: {"compared": compared(), "path": "report.html"},
    ),
    "scorer": (rm.scorer, lambda: {"measures": "nDCG@5"}),
    "Scorer": (rm.Scorer, dict),
    "reward": (rm.reward, lambda: {"qrels": QRELS, "measures": "AP"}),
    "Reward": (rm.reward(QRELS, "AP"), lambda: {"query_id": "q1", "ranking": ["a"]}),
    "Reward.batch": (
        rm.reward(QRELS, "AP").batch,
        lambda: {"query_ids": ["q1"], "rankings": [["a"]]},
    ),
    "Qrels": (rm.Qrels, lambda: {"source": QRELS}),
    "Run": (rm.Run, lambda: {"source": RUN}),
    "Accumulator": (rm.Accumulator, lambda: {"measures": ["AP"]}),
    "Accumulator.update": (
        lambda **given: rm.Accumulator(["AP"]).update(**given),
        lambda: {"qrels": QRELS, "run": RUN},
    ),
    "Condition": (rm.Condition, lambda: {"measure": "AP", "max_drop": 0.1}),
    "measure": (rm.measure, lambda: {"name": "AP"}),
    "profile": (rm.profile, lambda: {"name": "trec_eval9"}),
    "assert_not_worse": (
        assert_not_worse,
        lambda: {"qrels": QRELS, "base": RUN, "new": RUN, "max_drop": 0.5},
    ),
    "which_convention": (
        which_convention,
        lambda: {"function": precision, "arguments": "retrieved, relevant"},
    ),
    **{
        f"measure {name}": (getattr(rm, name), dict)
        for name in ("AP", "DCG", "ERR", "F", "RBP", "RR", "P", "R", "nDCG", "Bpref", "Judged")
    },
    "Evaluation.per_query": (
        lambda **given: evaluated().per_query(**given),
        lambda: {"name": "AP"},
    ),
    "Evaluation[...]": (lambda measure: evaluated()[measure], lambda: {"measure": "AP"}),
}
OWN: dict[str, list[str]] = {
    "Accumulator.update": [*inspect.signature(rm.Accumulator.update).parameters][1:],
    "Evaluation.per_query": [*inspect.signature(rm.Evaluation.per_query).parameters][1:],
    "explain": [
        "ties",
        "depth",
        "seen",
        "queries",
        "rel",
        "columns",
        "threads",
        "memory",
        "mask",
        "parents",
    ],
    "compare": [
        "ties",
        "depth",
        "seen",
        "parents",
        "queries",
        "rel",
        "profile",
        "no_relevant",
        "precision",
    ],
    "gate": ["ties", "depth", "seen", "qrels_parents", "queries", "rel", "profile", "conditions"],
    "plan_gate": ["ties", "depth", "unit", "combine", "unit_depth", "conditions", "rel"],
    "power": ["ties", "depth", "seen", "queries", "rel", "profile"],
    "estimate": [
        *("method", "baseline", "strata", "probabilities", "clusters", "finite", "random"),
        *("confidence", "correction", "family", "interval", "half_width", "seed", "queries"),
    ],
    "choose_queries": ["method", "strata", "allocation", "uncertainty", "uniform", "seed"],
    "abstention": ["signal", "thresholds", "tied", "rates", "confidence", "resamples", "seed"],
    "check": ["run"],
}
# Valid, and seconds to half a minute of searching.
SEARCHES = {("reconcile", "changes", "5"), ("reconcile", "changes", "array without dimensions")}
RESULTS = {  # what functions return, which nobody builds
    *(
        "Abstention",
        "CheckReport",
        "ChosenQueries",
        "ClickLog",
        "ExampleLog",
        "Comparison",
        "Contributions",
        "Difference",
        "Estimate",
        "JudgedClicks",
        "OnlineEvaluation",
        "OnlineOffline",
        "VariantComparison",
        "PositionBias",
        "Evaluation",
        "Explanation",
        "FusedRun",
        "GatePlan",
        "FusionBounds",
        "Identification",
        "TunedFusion",
    ),
    *(
        "GateResult",
        "Leaderboard",
        "GatePlan",
        "GatePower",
        "JudgmentComparison",
        "FailureCauses",
        "MeanDifference",
        "NeighbourRecall",
        "Own",
        "PowerAnalysis",
        "Profile",
    ),
    *(
        "RankingComparison",
        "SpanEvaluation",
        "AnswerEvaluation",
        "CallEvaluation",
        "Reconciliation",
        "TradeOff",
        "Verification",
        "Trend",
        "Measure",
        "CounterfactualValue",
        "InterleavingComparison",
        "InterleavingPower",
    ),
}


@cache
def parameters_of(name: str) -> list[str]:
    call, base = CALLS[name]
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    if name in {"Accumulator.update", "Evaluation.per_query"}:
        known = OWN[name]
    else:
        known = [
            parameter.name
            for parameter in inspect.signature(call).parameters.values()
            if parameter.kind not in kinds
        ]
        known += OWN.get(name, [])
    return list(dict.fromkeys([*known, *base()]))


def values_for(name: str, parameter: str) -> list[str]:
    """List the values to try: all, but a third where another function has the parameter, too.

    What these have in common is checked by its kind, and each function tries another third.
    """
    owners = [one for one in CALLS if parameter in parameters_of(one)]
    place, values = owners.index(name), [*HOSTILE]
    return values if place < 2 or parameter in CALLS[name][1]() else values[place % 3 :: 3]


def outcome(
    call: Callable[..., Any], given: dict[str, Any], name: str, parameter: str
) -> str | None:
    """Return what is wrong with how a call ends; None if nothing is."""
    given = dict(given)
    positional = []
    if (name, parameter) == ("check", "run"):
        positional = [given.pop("qrels"), given.pop("run")]
    elif (name, parameter) == ("gate", "conditions"):
        positional = [given.pop(key) for key in ("qrels", "base", "new", "conditions")]
        given.pop("max_drop")
    elif name == "measure":
        positional = [given.pop("name")]
    try:
        call(*positional, **given)
    except rm.RankmarkError as error:
        text = str(error)
        return None if len(text) < 8000 else f"{len(text)} characters: {text[:100]}"
    except TypeError as error:
        return None if documented(error) else f"TypeError: {error}"
    except Exception as error:
        own = "no iteration here", "closed file"  # what the caller's object raised
        fails = isinstance(error, AssertionError) and name == "assert_not_worse"
        is_right = fails or any(text in str(error) for text in own)
        return None if is_right else f"{type(error).__name__}: {error}"
    return None


def documented(error: TypeError) -> bool:
    """Return whether Python, or rankmark as Python does, refuses a call that has no such form."""
    told = ("unexpected keyword argument", "positional argument", "required", "keywords must be")
    return any(part in str(error) for part in told)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_public_function_is_called() -> None:
    called = {name.split(" ")[-1].split(".")[0] for name in CALLS} | RESULTS
    public = {name for name in rm.__all__ if callable(getattr(rm, name))}
    errors = {name for name in public if name.endswith(("Error", "Warning"))}
    skipped = {"Rprec", "Success", "WrittenReport", "measures", "profiles", "quiet", "gate_power"}
    assert public - errors - called - skipped == set()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"verify", "Scorer"}))
def test_calls_without_a_hostile_value_are_answered(name: str) -> None:
    """Else all that follow would end in the same error, and say nothing."""
    call, base = CALLS[name]
    given = base()
    with rm.quiet():
        call(*[given.pop("name")] if name == "measure" else [], **given)


def test_every_parameter_is_given_every_value() -> None:
    tried: dict[str, set[str]] = {}
    for name in CALLS:
        for parameter in parameters_of(name):
            tried.setdefault(parameter, set()).update(values_for(name, parameter))
    assert {parameter: values for parameter, values in tried.items() if values != {*HOSTILE}} == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_hostile_values_end_in_errors_that_say_what_to_do(name: str) -> None:
    call, base = CALLS[name]
    wrong = []
    for parameter in parameters_of(name):
        for what in values_for(name, parameter):
            value = HOSTILE[what]
            if (name, parameter, what) in SEARCHES:
                continue
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                given = base() | {parameter: value()}
                found = outcome(call, given, name, parameter)
            if found is not None:
                wrong.append(f"{name}({parameter}={what}): {shown(found, 200)}")
            wrong += [
                f"{name}({parameter}={what}): {shown(str(one.message))}"
                for one in caught
                if issubclass(one.category, RuntimeWarning)
            ]
    assert wrong == []
