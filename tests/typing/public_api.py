"""The public interface as a type checker sees it; never run, only checked."""

from pathlib import Path
from typing import IO, Any, assert_type

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from matplotlib.axes import Axes
from numpy.typing import NDArray

import rankmark as rm
from rankmark import AP, DCG, RR, F, IPrec, Judged, Measure, NumQ, P, R, Rprec, Success, nDCG
from rankmark.testing import assert_not_worse, which_convention


def check_measures() -> None:
    """Variants keep their type, one ranking gives a number."""
    assert_type(rm.measure("ndcg_cut_10"), Measure)
    assert_type(P([0, 1, None, 2]), float)
    assert_type(R([1.0], missed=[1, 2]), float)
    assert_type(R(ranking=[1, 2, 3], relevant={2, 4}), float)
    assert_type(nDCG(ranking=["a"], relevant={"a": 2.0}), float)
    measures: list[Measure] = [AP @ 10, AP(rel=2), nDCG(gain={1: 1.0}) @ 5, F(beta=2), RR, Judged]
    more: tuple[Measure, ...] = (DCG, NumQ, Rprec, Success @ 1, IPrec @ 0.1, IPrec(recall=[0, 1]))
    several: tuple[Measure, ...] = nDCG @ [1, 3]
    assert_type(rm.evaluate({}, {}, [several, "AP", AP @ (5, 10)]), rm.Evaluation)
    assert_type(str(measures[0]), str)
    assert_type(more[0] == AP, bool)
    assert_type(more[0].name, str)
    assert_type(AP.bounds, tuple[float, float])
    assert_type(AP.symbols, dict[str, str])
    assert_type(nDCG.plot([2, 3, 0], missed=[1]), Axes)
    assert_type(AP.explain([1, 0]).plot(title=False), Axes)


def check_evaluate(stream: IO[bytes], text: IO[str]) -> None:
    """Whatever someone holds goes in."""
    qrels = {"q1": {"a": 1, "b": 0}}
    run = {"q1": {"a": 0.5, "b": 0.7}}
    assert_type(rm.evaluate(qrels, run), rm.Evaluation)
    assert_type(rm.evaluate({1: {2: 1}}, {1: {2: 0.5}}, "AP"), rm.Evaluation)
    assert_type(rm.evaluate("qrels", Path("run"), [AP, "P@5"]), rm.Evaluation)
    by_subtopic = rm.Qrels({"q": {"1": {"a": 1}}}, subtopics=True)
    assert_type(rm.evaluate(by_subtopic, run, rm.alpha_nDCG @ 10), rm.Evaluation)
    assert_type(rm.evaluate(stream, text, AP), rm.Evaluation)
    assert_type(rm.evaluate(rm.Qrels(qrels), rm.Run(run), {AP @ 5, P @ 1}), rm.Evaluation)
    labels, scores = np.eye(3), np.ones((3, 3), dtype=np.float32)
    assert_type(rm.evaluate(labels, scores, mask=labels > 0), rm.Evaluation)
    assert_type(rm.evaluate(rm.Qrels(labels[0], groups=[1, 2]), scores[0]), rm.Evaluation)
    assert_type(rm.evaluate(labels, np.array([[1]]), contents="ids"), rm.Evaluation)
    assert_type(rm.evaluate(pl.DataFrame(), pd.DataFrame(), columns={"rank": "r"}), rm.Evaluation)
    assert_type(rm.evaluate([("q", "a", 1)], iter([("q", "a")]), AP), rm.Evaluation)
    assert_type(rm.evaluate({"a", "b"}, ["b", "a"], AP), rm.Evaluation)
    assert_type(rm.evaluate([{"a"}], [["b", "a"]], AP), rm.Evaluation)
    rm.evaluate(labels, scores, contents="labels")  # type: ignore[arg-type]
    rm.Run(scores, contents="labels")  # type: ignore[arg-type]
    rm.evaluate(
        qrels,
        run,
        ["AP"],
        queries=["q1"],
        ties="docid-asc",
        no_relevant="skip",
        depth=100,
        judged_only=True,
        threads=2,
    )
    ev = rm.evaluate(qrels, run, "AP", ties="mean")
    assert_type(ev.tie_interval, dict[str, tuple[float, float]])
    assert_type(ev.bounds, dict[str, tuple[float, float]])
    assert_type(ev.sampling_errors, dict[str, float])
    rm.evaluate(qrels, run, ties="average")  # type: ignore[arg-type]
    columns = {"query_id": "user"}
    rm.evaluate("q.csv", "r.tsv", qrels_format="csv", run_format="msmarco", columns=columns)
    rm.evaluate(rm.Qrels("q", format="beir"), rm.Run("r", format="csv", columns=columns))
    acc = rm.Accumulator(["AP", RR], on_repeat="last", depth=10)
    acc.update(qrels, run, name="first")
    assert_type(acc.merge(rm.Accumulator()), rm.Accumulator)
    assert_type(acc.result(), rm.Evaluation)
    rm.Accumulator("AP", on_repeat="first")  # type: ignore[arg-type]
    rm.Accumulator("AP", depth="10")  # type: ignore[arg-type]
    rm.Accumulator("AP", threads=2)  # type: ignore[call-arg]
    acc.update(qrels, run, mask=None, memory="256M")
    acc.update(qrels, run, ties="mean")  # type: ignore[call-arg]
    rm.check(qrels, run, contents="ids", threads=1)
    rm.check(qrels, run, depth=10)  # type: ignore[call-arg]
    rm.evaluate(qrels, run, ties="by luck")  # type: ignore[arg-type]
    rm.evaluate(qrels, run, no_relevant=0)  # type: ignore[arg-type]
    rm.evaluate(qrels, run, depth="10")  # type: ignore[arg-type]
    rm.evaluate(qrels, run, ["AP"], "judged")  # type: ignore[call-arg]
    rm.evaluate(qrels, 5)  # type: ignore[arg-type]


def check_evaluation(ev: rm.Evaluation) -> None:
    """What comes out is what one uses next."""
    assert_type(ev["nDCG@10"], float)
    assert_type(ev[AP], float)
    assert_type(ev.means, dict[str, float])
    assert_type(ev.per_query("AP"), dict[str, float])
    assert_type(ev.scores, NDArray[np.float64])
    assert_type(ev.queries, tuple[str, ...])
    assert_type(ev.measures, tuple[Measure, ...])
    assert_type(ev.settings, dict[str, Any])
    assert_type(ev.audit.missing, int)
    assert_type(ev.audit.missing_queries, tuple[str, ...])
    assert_type(ev.audit.tied_share, float)
    assert_type(ev.run_name, str)
    assert_type(ev.to_dict(), dict[str, Any])
    assert_type(ev.to_json(per_query=False, indent=2), str)
    assert_type(ev.to_pandas(), pd.DataFrame)
    assert_type(ev.to_polars(), pl.DataFrame)
    assert_type(ev.to_arrow(), pa.Table)


def check_comparison() -> None:
    """Several runs go in, rows with named fields come out."""
    runs = {"a": "a.run", "b": {"q": {"d": 0.5}}}
    compared = rm.compare("qrels.txt", runs, ["nDCG@10", rm.AP], baseline="a", ties="mean")
    assert_type(compared, rm.Comparison)
    assert_type(compared.runs, tuple[str, ...])
    assert_type(compared["a"], dict[str, float])
    assert_type(compared.evaluations["a"], rm.Evaluation)
    assert_type(compared.leaderboard[0].mean, float)
    assert_type([row.adjusted_p for row in compared.differences], list[float])
    assert_type(compared.slices["short"], rm.Comparison)
    assert_type(compared.to_pandas(), pd.DataFrame)
    assert_type(rm.compare_scores("scores.csv", by={"q": "long"}), rm.Comparison)
    rm.compare("qrels.txt", runs, test="z")  # type: ignore[arg-type]
    rm.compare("qrels.txt", runs, correction="dunn")  # type: ignore[arg-type]
    rm.compare("qrels.txt", runs, run_format="trec", threads=2, progress=print)
    rm.compare("qrels.txt", runs, ties="by luck")  # type: ignore[arg-type]
    rm.compare("qrels.txt", runs, tie="mean")  # type: ignore[call-arg]
    rm.compare("qrels.txt", runs, columns="qid")  # type: ignore[arg-type]


def check_gate() -> None:
    result = rm.gate(
        "qrels", "old", "new", {"AP": 0.1}, rm.Condition(rm.nDCG @ 10, "1%"), {"RR": 0.1}
    )
    assert_type(result, rm.GateResult)
    assert_type(result.holds, bool)
    assert_type(result.to_junit(), str)
    assert_type(result.conditions[0].decision.low, float)
    assert_type(assert_not_worse({}, {}, {}, max_drop=0.02, ties="mean"), rm.GateResult)
    assert_type(which_convention(len, expect=nDCG @ 10, leave_out=["ties"]), rm.Identification)
    assert_type(rm.verify("record.json").same, bool)
    found = rm.reconcile("qrels", "run", ["AP", rm.nDCG @ 10], ["0.1731", 0.3], ties="input")
    assert_type(found, rm.Reconciliation)
    assert_type(found.answers[0].values, dict[str, float])
    assert_type(found.answers[0].coincidence.probability, float)
    rm.reconcile("qrels", "run", "AP", 0.3, no_relevant=0)  # type: ignore[arg-type]
    rm.gate("qrels", "old", "new", "AP", max_drop=0.1, depth="10")  # type: ignore[arg-type]
    rm.power("qrels", "old", "new", "AP", judged=True)  # type: ignore[call-arg]
    rm.scorer("AP", precision="single")  # type: ignore[arg-type]
    assert_type(rm.scorer([rm.nDCG @ 10, "AP"], groups="query_id", ties="mean"), rm.Scorer)
    reward = rm.reward("qrels", [rm.nDCG @ 10], baseline={"q": ["d"]}, malformed="raise", depth=5)
    assert_type(reward, rm.Reward)
    assert_type(reward.batch(["q"], [["d"]]), NDArray[np.float64])
    rm.reward("qrels", "AP", malformed="ignore")  # type: ignore[arg-type]
    rm.reward("qrels", "AP", queries="both")  # type: ignore[call-arg]


def check_profiles() -> None:
    """A profile is a name, or a changed one."""
    changed = rm.profile("trec_eval9").with_conventions(queries="judged")
    assert_type(changed, rm.Profile)
    profiles: list[rm.Profile] = rm.profiles()
    assert_type(profiles[0], rm.Profile)
    assert_type(rm.evaluate("qrels", "run", "map", profile=changed)["map"], float)
    assert_type(rm.compare("qrels", ["a", "b"], profile="ranx"), rm.Comparison)


def check_similarity() -> None:
    """Rankings of any form go in, numbers come out."""
    ids, scores = ["a", "b"], {"a": 0.5, "b": 0.7}
    assert_type(rm.similarity.kendall_distance(ids, scores, k=10, p=0.5, form="top-k"), float)
    assert_type(rm.similarity.kendall_tau(np.ones(3), np.ones(3), variant="a"), float)
    assert_type(rm.similarity.spearman_rho(ids, ("b", {"a", "c"}), missing="drop"), float)
    found = rm.similarity.rbo(ids, scores, p=0.9, ties="w")
    assert_type(found, rm.similarity.RankBiasedOverlap)
    assert_type((found.min, found.residual, found.extrapolated), tuple[float, float, float])
    assert_type(float(found), float)
    assert_type(rm.similarity.overlap(ids, ids, 10), float)
    compared = rm.compare_rankings({"q": scores}, "a.run", ["tau@10", rm.similarity.RBO(p=0.5)])
    assert_type(compared["tau@10"], float)
    assert_type(compared.per_query("RBO"), dict[str, float])
    assert_type(rm.p_mrr({"q": ["a"]}, {"q": ["a"]}, {"q": ["a"]}), float)
    assert_type(rm.compare_judgments({"q": {"a": 1}}, {"q": {"a": 2}})["kappa"].estimate, float)
    rm.compare_rankings("a.run", "b.run", queries="all")  # type: ignore[arg-type]
    assert_type(rm.similarity.compatibility(ids, {"a": 1}), float)
    assert_type(rm.similarity.ranking([1, 2], contents="ranks"), rm.similarity.Ranking)
    assert_type(rm.similarity.p_value(rm.similarity.tau_ap, ids, ids, symmetric=True), float)
    assert_type(rm.similarity.interval(rm.similarity.kendall_tau, ids, ids).low, float)
    rm.similarity.rbo(ids, ids, ties="best")  # type: ignore[arg-type]
    rm.similarity.rbo(ids, 5)  # type: ignore[arg-type]
    rm.similarity.kendall_tau(ids, ids, "a")  # type: ignore[call-arg]


def check_fusion() -> None:
    """Runs by name or in a list go in; what was chosen, and scores by query, come out."""
    tuned = rm.tune_fusion("qrels.txt", ["a.run", "b.run"], "nDCG@10", methods=["RRF", "wsum"])
    assert_type(tuned, rm.TunedFusion)
    assert_type(tuned.best.weights, tuple[float, ...] | None)
    assert_type(tuned.held_out, dict[str, float])
    assert_type(tuned.run, rm.FusedRun)
    assert_type(tuned.compared, rm.Comparison)
    assert_type(rm.fusion_bounds("qrels.txt", {"a": "a.run", "b": "b.run"}), rm.FusionBounds)
    rm.tune_fusion("qrels.txt", ["a.run", "b.run"], ties="best")  # type: ignore[arg-type]


def check_spans() -> None:
    """Spans of any form go in; measures are names or objects."""
    gold = {"q": [("d", 0, 9)]}
    asked: list[str | rm.spans.SpanMeasure]
    asked = ["SpanRecall@5", rm.spans.SPAN_F(beta=2) @ 3, *rm.spans.SPAN_IOU @ [1, 2]]
    found = rm.evaluate_spans(gold, "retrieved.csv", asked, chunks={"d": [(0, 9)]}, empty="nan")
    assert_type(found, rm.SpanEvaluation)
    assert_type(found["SpanRecall@5"], float)
    assert_type(found.per_query(rm.spans.SPAN_RECALL), dict[str, float])
    assert_type(found.intervals(0.9), dict[str, tuple[float, float]])
    rm.evaluate_spans(gold, gold, empty="one")  # type: ignore[arg-type]
    rm.evaluate_spans(gold, gold, profile="ragas")  # type: ignore[arg-type]
    rm.judge_spans(gold, gold, of="both")  # type: ignore[arg-type]


def check_calls() -> None:
    """Searches of any form go in, and a run of them everywhere."""
    calls = {"q": [["a", "b"], ["c"]]}
    assert_type(rm.merge_calls(calls, "union"), rm.Run)
    found = rm.evaluate_calls({"q": {"c": 1}}, calls, ["R", rm.RR @ 10, "SessionDCG@10"])
    assert_type(found, rm.CallEvaluation)
    assert_type(found["R"], float)
    assert_type(found.ways, dict[str, dict[str, float]])
    rm.merge_calls(calls, "best")  # type: ignore[arg-type]
    rm.evaluate_calls({"q": {"c": 1}}, calls, how="all")  # type: ignore[arg-type]


def check_answers() -> None:
    """Judged answers of any form go in; measures are names of scores."""
    judged = {"q": [("n", "vital", "support")]}
    found = rm.nuggets(judged, ["vital", "weighted"], gold="gold.csv", queries=["q"], partial=0.4)
    assert_type(found, rm.AnswerEvaluation)
    assert_type(found["vital"], float)
    assert_type(found.intervals(0.9), dict[str, tuple[float, float]])
    assert_type(rm.citations("judged.csv", method="alce", passages=5), rm.AnswerEvaluation)
    rm.citations("judged.csv", passages={"q": ["a"]}, at_most_citations=3)
    rm.citations("judged.csv", method="ragas")  # type: ignore[arg-type]
    rm.nuggets(judged, empty="one")  # type: ignore[arg-type]


def check_errors(error: rm.ParseError, twice: rm.DuplicateError) -> None:
    """Errors say what was found and where, and what to do."""
    assert_type((error.found, error.remedy), tuple[str, str | None])
    assert_type(error.where, str | None)
    assert_type(error.line, int | None)
    assert_type(twice.where, str | None)
    assert_type(twice.line, int | None)
    as_base: rm.RankmarkError = error
    as_builtin: ValueError = error
    assert_type((as_base.args, as_builtin.args), tuple[tuple[Any, ...], tuple[Any, ...]])
