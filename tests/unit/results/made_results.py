"""A result of each kind, for tests of what all of them can do."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner

import rankmark as rm
from rankmark.commands.app import app
from rankmark.testing import which_convention

EXAMPLE = Path(rm.__file__).parent / "example"

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"x": 1, "w": 1}}
OLD = {"q1": {"b": 3.0, "a": 2.0, "z": 2.0}, "q2": {"x": 1.0}}
NEW = {"q1": {"a": 3.0, "c": 2.0}, "q2": {"y": 2.0, "x": 1.0, "w": 0.5}}


def _compared() -> rm.Comparison:
    return rm.compare(QRELS, {"old": OLD, "new": NEW}, ["AP", "RR"])


def _judged() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return human labels and LLM labels, and two runs."""
    model = {f"q{at}": {"a": 1, "b": at % 2, "c": int(at % 3 == 0)} for at in range(40)}
    people = {query: model[query] | {"c": at % 2} for at, query in enumerate([*model][:20])}
    old = {query: {"a": 1.0, "b": 2.0 + at % 5, "c": 3.0} for at, query in enumerate(model)}
    new = {query: {"a": 3.0, "b": 4.0 - at % 3, "c": 1.0} for at, query in enumerate(model)}
    return people, model, {"old": old, "new": new}


def _log() -> rm.ClickLog:
    """Return a log in which two documents of two queries change places."""
    issues = [(at, query, docs) for at, docs in enumerate(["ab", "ba"] * 6) for query in "pq"]
    rows = [
        {
            "query_id": f"{query}{at}",
            "query": query,
            "doc": doc,
            "rank": rank,
            "click": at % 3 // rank,
        }
        for at, query, docs in issues
        for rank, doc in enumerate(docs, 1)
    ]
    return rm.read_log(rows)


def _judged_clicks() -> rm.JudgedClicks:
    run = {"p": ["a", "c"]}
    return rm.judge_clicks(
        _log(), "PBM", prior=(1, 4), examination="pairs", grades=[0.2, 0.5], run=run
    )


@cache
def _experiment() -> rm.ClickLog:
    return rm.read_log(rm.example_log(60).columns)


_FOLDERS: list[TemporaryDirectory[str]] = []  # removed when the process ends


@cache
def records() -> list[str]:
    """Return the paths of two records of the example, a day apart."""
    _FOLDERS.append(TemporaryDirectory())
    paths = [Path(_FOLDERS[-1].name) / f"{name}.json" for name in ("bm25", "lsa")]
    for day, path in enumerate(paths, 1):
        run = EXAMPLE / f"{path.stem}.run"
        words = ["evaluate", EXAMPLE / "qrels.txt", run, "-m", "R@10", "--record", path]
        assert CliRunner().invoke(app, [*map(str, words)]).exit_code == 0
        record = json.loads(path.read_text())
        record |= {"date": f"2026-11-0{day}T00:00:00+00:00", "commit": None}
        path.write_text(json.dumps(record))
    return [*map(str, paths)]


def own_recall(retrieved: list[str], relevant: list[str], k: int) -> float:
    """Compute recall, as users do."""
    return len({*retrieved[:k]} & {*relevant}) / len(relevant)


RESULTS: dict[str, Any] = {
    "evaluation": lambda: rm.evaluate(QRELS, OLD, ["nDCG@10", "AP"]),
    "evaluation of trials": lambda: rm.evaluate(QRELS, {"s": [OLD, NEW]}, ["AP", "Success@1"]),
    "comparison": _compared,
    "long form": lambda: _compared().long,
    "long form of an evaluation": lambda: rm.evaluate(QRELS, OLD, "AP").long,
    "leaderboard": lambda: _compared().leaderboard,
    "differences of runs": lambda: _compared().differences,
    "comparison of one run": lambda: rm.compare(QRELS, {"old": OLD}, "AP"),
    "comparison of scores": lambda: rm.compare_scores({"a": {"q": 1}, "b": {"q": 2, "r": 1}}),
    "slices": lambda: (
        rm.compare(QRELS, {"old": OLD, "new": NEW}, "AP", by={"q1": "long", "q2": "short"}).slices
    ),
    "failure causes": lambda: rm.failure_causes(QRELS, {"old": OLD, "new": NEW}, "R@1"),
    "trend": lambda: rm.trend(records()),
    "abstention": lambda: rm.abstention(QRELS, NEW, "AP", resamples=10),
    "leaderboard of models": lambda: rm.leaderboard(
        {"m": {"t": 0.5, "u": 0.7}, "n": {"t": 0.4, "u": 0.8}, "o": {"t": 0.3}}, resamples=20
    ),
    "estimate": lambda: rm.estimate(*_judged(), "RR"),
    "estimate of one run": lambda: rm.estimate(*_judged()[:2], {"old": _judged()[2]["old"]}, "RR"),
    "chosen queries": lambda: rm.choose_queries(*_judged()[1:], "RR", n=9, method="stratified"),
    "comparison of rankings": lambda: rm.compare_rankings(OLD, NEW, ["tau", "RBO"]),
    "recall of neighbours": lambda: rm.ann_recall(
        [[1, 2], [3, -1]], [[1, 4], [3, 3]], 2, true_distances=[[1, 2], [3, 0]]
    ),
    "trade-off of recall": lambda: rm.ann_tradeoff(
        [{"algorithm": "ivf", "recall": 0.9, "qps": 50.0}]
    ),
    "lists of a run": lambda: rm.evaluate(
        QRELS,
        OLD,
        ["RR", "MIUF@2", "ItemCoverage@2", "Gini@2"],
        history={"u": ["a"], "v": ["a", "b"]},
    ),
    "what users did": lambda: rm.online(
        _experiment(), ["CTR@3", "ClickRate@5", "SAT", "Revenue(of=dwell)"]
    ),
    "variants": lambda: rm.compare_variants(
        _experiment(),
        ["CTR@1", "ZeroResults", "Clicks"],
        baseline="A",
        before=rm.read_log(rm.example_log(60, seed=1).columns),
    ),
    "offline and online differences": lambda: rm.compare_online_offline(
        [
            {
                **{"experiment": at, "measure": name, "offline": at % 5 - 1.5 + noise * (at % 3)},
                **{"offline_se": 0.3, "online": at % 5 - 2.0, "online_se": 0.5},
            }
            for at in range(9)
            for name, noise in (("nDCG@10", 0.1), ("RR", 2.0))
        ],
        resamples=50,
    ),
    "comparison of lists": lambda: rm.compare(
        None, {"old": OLD, "new": NEW}, ["ItemCoverage@2"], catalogue=["a", "b", "c", "x", "y"]
    ),
    "evaluation of spans": lambda: rm.evaluate_spans(
        {"q1": [("d", 0, 9)], "q2": [("e", 2, 5)]}, {"q1": [("d", 3, 12)], "q2": []}
    ),
    "evaluation of spans among all chunks": lambda: rm.evaluate_spans(
        {"q1": [("d", 0, 9)]}, {"q1": [("d", 3, 12)]}, chunks=[("d", 0, 6), ("d", 6, 12)]
    ),
    "several searches": lambda: rm.evaluate_calls(
        {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": [["x"], ["a"]], "q2": [["b"]]}, ["RR@3", "R@3"]
    ),
    "scores of nuggets": lambda: rm.nuggets(
        {"q1": [("n", "no")]}, gold={"q1": [("n", "vital")], "q2": [("m", "okay")]}
    ),
    "scores of citations": lambda: rm.citations({"q1": [("s", "p", "full")], "q2": []}),
    "click log": lambda: rm.read_log(rm.example_log(60).columns, drop=["crossover"]),
    "tuned fusion": lambda: rm.tune_fusion(
        QRELS, {"Old": OLD, "New": NEW}, "RR", folds=2, repeats=2, step=0.5, k=[60]
    ),
    "bounds of fusion": lambda: rm.fusion_bounds(QRELS, {"Old": OLD, "New": NEW}, "RR"),
    "explanation of a fused run": lambda: rm.explain(
        QRELS, rm.fuse({"Old": OLD, "New": NEW}), "q2", "AP"
    ),
    "comparison of judgments with systems": lambda: rm.compare_judgments(
        QRELS, QRELS, runs={"old": OLD, "new": NEW}, by={"q1": "x", "q2": "y"}
    ),
    "comparison of judgments": lambda: rm.compare_judgments(
        {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}, {"q1": {"a": 1, "b": 1}, "q2": {"c": 0}}
    ),
    "judgments from clicks": _judged_clicks,
    "position bias": lambda: rm.position_bias(_log(), "pairs"),
    "explanation": lambda: rm.explain(QRELS, NEW, "q2", "AP"),
    "explanation of an unknown sum": lambda: rm.explain(QRELS, OLD, "q1", "Bpref"),
    "difference": lambda: rm.explain(QRELS, OLD, "q2", "AP", against=NEW),
    "no difference": lambda: rm.explain(QRELS, OLD, "q1", "AP", against=OLD),
    "difference of means": lambda: rm.explain(QRELS, OLD, measure="AP", against=NEW),
    "power": lambda: rm.power(QRELS, OLD, NEW, "AP", resamples=100),
    "power of one query": lambda: rm.power(QRELS, OLD, NEW, "AP", queries=["q1"]),
    "check": lambda: rm.check(QRELS, OLD, NEW),
    "gate": lambda: rm.gate(
        *(EXAMPLE / name for name in ("qrels.txt", "bm25.run", "lsa.run")),
        {"AP": 0.5},
        rm.Condition("nDCG@10", 0.9),
    ),
    "power of a gate": lambda: rm.gate_power(QRELS, OLD, NEW, {"AP": 0.1}, resamples=20),
    "reconciliation": lambda: rm.reconcile(QRELS, OLD, "AP", "0.75", changes=1),
    "identification": lambda: which_convention(own_recall, expect="AP@10"),
    "interleaved lists": lambda: rm.compare_interleaved(
        rm.read_log(
            [
                {"query_id": i, "user": f"u{i % 9}", "doc": d, "rank": d, "team": t, "click": c}
                for i in range(20)
                for d, t, c in [(1, "ab"[i % 2], i % 3 < 2), (2, "ba"[i % 2], i % 5 == 0)]
            ]
        )
    ),
    "counterfactual value": lambda: rm.counterfactual(
        rm.read_log(
            {"query_id": [1, 2], "query": ["q", "r"], "doc": ["a", "b"], "rank": [1, 2]}
            | {"click": [1, 1]}
        ),
        {"q": {"a": 1.0}},
        examination=[1, 0.5],
        min_effective=0,
    ),
    "power of interleaving": lambda: rm.interleaving_power(QRELS, OLD, NEW),
    "difference of a tool": lambda: rm.reconcile(QRELS, OLD, "AP", against="ranx"),
}


@cache
def made(name: str) -> Any:
    """Give a result by its name, the same one each time."""
    return RESULTS[name]()
