"""Rules for ties that have no order, the tie interval, and where all of it is shown."""

import io
import json
import math
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from conformance.cases import OVER_LABELS
from rankmark import AP, RR, P
from rankmark.data.alignment import Alignment, Needs
from rankmark.data.alignment import tie_probabilities as chances
from rankmark.measures.base.measure import Measure
from rankmark.scoring import ties
from unit.commands import rankmark_here

QRELS = {"q1": {"c": 1}, "q2": {"a": 2, "b": 0}}
RUN = {"q1": {"a": 0.5, "b": 0.5, "c": 0.5}, "q2": {"a": 1.0, "b": 0.5}}
LONG = {f"d{number:02}": float(number % 3) for number in range(20)}


class Span(Measure):
    """How far apart the first and the last relevant documents stand: nothing to be added up."""

    name = "Span"
    formula = "last relevant rank - first relevant rank"
    depends_on = "order"
    bounds = (0.0, math.inf)
    promoting_helps = False

    def score(self, a: Alignment) -> Any:
        relevant = a.relevant(1.0)
        last = a.sum(
            np.where(a.cumsum(relevant * 1.0) == a.spread(a.found(1.0, None)), a.rank, 0.0)
            * relevant
        )
        return last - a.first(relevant, a.rank * 1.0)

    def needs(self) -> Needs:
        return Needs(lowest=1.0)


def test_the_expected_best_and_worst_values_are_those_worked_by_hand() -> None:
    found = {rule: rm.evaluate(QRELS, RUN, "RR", ties=rule) for rule in ("mean", "best", "worst")}  # type: ignore[arg-type]
    assert found["mean"].per_query("RR") == pytest.approx({"q1": 11 / 18, "q2": 1.0})
    assert found["best"].per_query("RR") == {"q1": 1.0, "q2": 1.0}
    assert found["worst"].per_query("RR") == {"q1": pytest.approx(1 / 3), "q2": 1.0}
    assert [ev.settings["ties"] for ev in found.values()] == list(found)
    assert str(found["mean"].conventions).split()[1] == "ties=mean"


@pytest.mark.parametrize(
    ("measure", "relevant", "other"),
    [
        (rm.Utility(noise=2), 1.0, 2.0),
        (rm.Utility(hit=-1, noise=1), -1.0, 1.0),
        (rm.Utility(miss=3), 1.0, 2.0),  # -1 for the other document, 3 for the one missed
        (rm.Utility(rest=-3, collection=2), -2.0, -1.0),
        (rm.Utility, 1.0, -1.0),
    ],
    ids=str,
)
def test_a_cut_tie_keeps_what_the_weights_of_utility_prefer(
    measure: Measure, relevant: float, other: float
) -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    ends = {
        rule: rm.evaluate(qrels, run, measure, ties=rule, depth=1)[measure]
        for rule in ("best", "worst")
    }
    assert ends == {"best": max(relevant, other), "worst": min(relevant, other)}


def test_a_measure_without_a_formula_is_averaged_over_all_orders_if_they_are_few() -> None:
    qrels = {"q": {"a": 1, "b": 1}}
    run = {"q": dict.fromkeys("abcd", 1.0)}
    # Pairs of ranks among 1 to 4 lie 1, 1, 1, 2, 2 and 3 apart.
    ev = rm.evaluate(qrels, run, Span(), ties="mean")
    assert next(iter(ev.values())) == pytest.approx(10 / 6)
    assert ev.sampling_errors == {}
    assert tuple(rm.evaluate(qrels, run, Span(), ties="best").values()) == (3.0,)
    assert tuple(rm.evaluate(qrels, run, Span(), ties="worst").values()) == (1.0,)


def test_a_measure_without_a_formula_is_estimated_if_orders_are_many() -> None:
    qrels = {"q": LONG, "untied": {"a": 1}}
    run = {"q": dict.fromkeys(LONG, 1.0), "untied": {"a": 1.0}}
    ev = rm.evaluate(qrels, run, [Span(), AP], ties="mean")
    # Of 20 places 13 are relevant: the first is at 21 / 14 on average, the last at its mirror.
    expected = (21 - 2 * 21 / 14) / 2
    error = ev.sampling_errors["Span"]
    assert 0 < error < 0.1
    assert list(ev.sampling_errors) == ["Span"]
    assert abs(next(iter(ev.values())) - expected) < 4 * error
    assert "estimated from sampled orders, standard error: Span" in str(ev)
    assert ev.to_dict()["sampling_errors"] == {"Span": error}


def test_drawn_orders_are_the_same_at_each_call_and_among_any_neighbours() -> None:
    run = {"q": dict.fromkeys(LONG, 1.0), "z": dict.fromkeys(reversed(LONG), 2.0)}
    both = rm.evaluate({"z": LONG, "q": LONG}, run, Span(), ties="mean")
    alone = rm.evaluate({"q": LONG}, {"q": dict(reversed(run["q"].items()))}, Span(), ties="mean")
    assert both.scores[1, 0] == alone.scores[0, 0]
    assert both.scores[0, 0] != both.scores[1, 0]


def test_standard_errors_are_those_of_the_mean_over_queries() -> None:
    ids = [f"q{number}" for number in range(30)]
    qrels = dict.fromkeys(ids, LONG)
    run = {query_id: dict.fromkeys(LONG, 1.0) for query_id in ids}
    ev = rm.evaluate(qrels, run, Span(), ties="mean")
    spread = statistics.stdev(ev.scores[:, 0].tolist()) / math.sqrt(30)
    assert ev.sampling_errors["Span"] == pytest.approx(spread, rel=0.5)


def test_what_runs_down_a_ranking_is_refused_where_no_order_is() -> None:
    a = Alignment(
        queries=["q"],
        starts=np.array([0, 1]),
        rank=np.array([1], dtype=np.int32),
        label=np.array([1.0]),
        retrieved=np.array([2]),
        ideal_starts=np.array([0, 1]),
        ideal_label=np.array([1.0]),
        tie_first=np.array([1], dtype=np.int32),
        tie_last=np.array([2], dtype=np.int32),
    )
    places = chances.places(a, None)
    assert places.rank.tolist() == [1, 2]
    assert places.chance.tolist() == [0.5, 0.5]
    for misused in (
        lambda: places.cumsum(places.label),
        lambda: places.cumprod(places.label),
        lambda: places.first(places.label > 0, places.label),
    ):
        with pytest.raises(TypeError, match="tied documents have none"):
            misused()


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["mean", "best", "worst"])
def test_many_queries_are_taken_in_pieces_that_change_nothing(
    rule: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels = {f"q{number}": {"a": 1, "b": 2, f"d{number}": 1} for number in range(4)}
    run = {query_id: dict.fromkeys([*"abc", "d3"], 1.0) for query_id in qrels}
    whole = rm.evaluate(qrels, run, OVER_LABELS, ties=rule)
    bounds = whole.bounds
    monkeypatch.setattr(chances, "_PIECE", 17)
    pieces = rm.evaluate(qrels, run, OVER_LABELS, ties=rule)
    assert pieces.scores.tobytes() == whole.scores.tobytes()
    for name, ends in bounds.items():
        assert pieces.bounds[name] == pytest.approx(ends), name


@pytest.mark.parametrize("judged_only", [False, True])
def test_the_audit_counts_as_if_ties_were_ordered_by_id(judged_only: bool) -> None:
    run = {"q1": {"c": 0.5, "b": 0.5, "a": 0.5}, "q2": {"b": 1.0, "a": 0.5, "x": 0.5}}
    for depth in (None, 1, 2, 3, 2**70):
        conventions: dict[str, Any] = {"depth": depth, "judged_only": judged_only}
        by_id = rm.evaluate(QRELS, run, "RR", **conventions)
        for rule in ("mean", "best", "worst"):
            ev = rm.evaluate(QRELS, run, "RR", ties=rule, **conventions)  # type: ignore[arg-type]
            assert ev.audit == by_id.audit


@pytest.mark.parametrize("rule", ["mean", "best", "worst"])
def test_arrays_frames_and_files_have_the_same_values(rule: Any) -> None:
    import pandas as pd

    labels, scores = np.array([[1, 0, 2, 0], [0, 1, 0, 3]]), np.array([[1, 1, 1, 0], [2, 1, 1, 1]])
    asked = ["nDCG@2", "AP", "RR", "Success@1"]
    arrays = rm.evaluate(labels, scores, asked, ties=rule, contents="scores")
    rows = [(str(q), str(d), labels[q, d], scores[q, d]) for q in range(2) for d in range(4)]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "label", "score"])
    frames = rm.evaluate(
        frame[["query_id", "doc_id", "label"]],
        frame[["query_id", "doc_id", "score"]],
        asked,
        ties=rule,
    )
    qrels = "".join(f"{q} 0 {d} {label}\n" for q, d, label, _ in rows)
    run = "".join(f"{q} Q0 {d} 1 {score} t\n" for q, d, _, score in rows)
    files = rm.evaluate(io.BytesIO(qrels.encode()), io.BytesIO(run.encode()), asked, ties=rule)
    assert arrays.scores.tobytes() == frames.scores.tobytes() == files.scores.tobytes()
    assert arrays.tie_interval == files.tie_interval


def test_queries_with_nothing_relevant_stay_as_chosen_in_every_interval() -> None:
    qrels = QRELS | {"q3": {"a": 0}}
    run = RUN | {"q3": {"a": 1.0, "b": 1.0}}
    assert rm.evaluate(qrels, run, "RR", ties="mean", no_relevant="skip")["RR"] == pytest.approx(
        29 / 36
    )
    one = rm.evaluate(qrels, run, "RR", no_relevant="one").tie_interval
    assert one["RR"] == pytest.approx((7 / 9, 1.0))
    skipped = rm.evaluate(qrels, run, "RR", no_relevant="skip", queries=["q3", "q1"]).tie_interval
    assert skipped["RR"] == pytest.approx((1 / 3, 1.0))


def test_a_line_tells_of_ties_only_where_a_printed_digit_would_change() -> None:
    ev = rm.evaluate(QRELS, RUN, ["RR", "R@3", "NumRet"])
    assert "another order of ties could give RR 0.6667 to 1.0000\n" in str(ev)
    assert "another order of ties could give RR 0.6667 to 1.0000<br>" in ev._repr_html_()
    assert ev.to_dict()["tie_interval"] == {"RR": [pytest.approx(2 / 3), 1.0]}
    assert list(ev.to_dict(tie_interval=True)["tie_interval"]) == ["RR", "R@3", "NumRet"]
    still = rm.evaluate(QRELS, RUN, ["R@3", "NumRet"])
    assert "another order" not in str(still)
    assert "tie_interval" not in still.to_dict()


def test_a_tie_across_a_depth_is_told_though_nothing_within_it_is_judged() -> None:
    ev = rm.evaluate({"q": {"a": 1}}, {"q": {"x": 1.0, "a": 1.0}}, "R", depth=1)
    assert (ev["R"], ev.audit.tied_share) == (0.0, 0.0)
    assert ev.tie_interval == {"R": (0.0, 1.0)}
    assert "another order of ties could give R 0.0000 to 1.0000" in str(ev)


def test_trusted_ranks_that_are_equal_tie(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 x 1 9 t\nq Q0 a 1 8 t\nq Q0 b 2 7 t\n")
    ev = rm.evaluate({"q": {"a": 1}}, tmp_path / "run", "RR", ties="rank")
    assert (ev["RR"], ev.tie_interval["RR"]) == (0.5, (0.5, 1.0))


def test_a_cut_of_ties_among_the_judged_alone_weighs_how_many_are_left() -> None:
    # One of a, b and x comes first: a, b, or nothing once x, that nobody judged, has gone.
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": dict.fromkeys("abx", 1.0)}
    asked = [P, RR, rm.NumRet]
    conventions: dict[str, Any] = {"depth": 1, "judged_only": True}
    mean = rm.evaluate(qrels, run, asked, ties="mean", **conventions)
    assert tuple(mean.values()) == pytest.approx((1 / 3, 1 / 3, 2 / 3))
    assert tuple(rm.evaluate(qrels, run, asked, ties="best", **conventions).values()) == (
        1.0,
        1.0,
        1.0,
    )
    assert tuple(rm.evaluate(qrels, run, asked, ties="worst", **conventions).values()) == (
        0.0,
        0.0,
        0.0,
    )


def test_what_self_matches_are_worth_is_told_under_the_rule_in_force() -> None:
    qrels, run = {"a": {"b": 1}}, {"a": {"a": 1.0, "b": 1.0}}
    ev = rm.evaluate(qrels, run, "nDCG@10", ties="mean")
    assert ev.audit.self_matches_ndcg == pytest.approx((ev["nDCG@10"], 1.0))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with judgments and a run, and go there."""
    (tmp_path / "qrels").write_text("q 0 c 1\nq 0 z 1\n")
    (tmp_path / "run").write_text("".join(f"q Q0 {doc} 1 0.5 t\n" for doc in "abc"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_the_command_line_shows_intervals_and_bounds_that_are_asked_for() -> None:
    done = rankmark_here(
        "evaluate", "qrels", "run", "-m", "RR", "-m", "R", "--tie-interval", "--bounds"
    )
    assert done.stdout.splitlines()[4:6] == [
        "run  another order of ties could give RR 0.3333 to 1.0000, R 0.5000 to 0.5000",
        "run  judging the unjudged could give RR 1.0000 to 1.0000, R 0.5000 to 0.7500",
    ]
    plain = rankmark_here("evaluate", "qrels", "run", "-m", "RR", "-m", "R")
    assert "another order of ties could give RR 0.3333 to 1.0000\n" in plain.stdout
    assert "judging" not in plain.stdout


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_holds_intervals_and_bounds_that_are_asked_for(form: str) -> None:
    asked = ("evaluate", "qrels", "run", "-m", "RR", "-m", "R", "--format", form)
    written = json.loads(rankmark_here(*asked, "--bounds", "--tie-interval").stdout)
    run = written["runs"][0] if form == "json" else written
    assert run["tie_interval"] == {"RR": [pytest.approx(1 / 3), 1.0], "R": [0.5, 0.5]}
    assert run["bounds"] == {"RR": [1.0, 1.0], "R": [0.5, 0.75]}
    plain = json.loads(rankmark_here(*asked).stdout)
    run = plain["runs"][0] if form == "json" else plain
    assert list(run["tie_interval"]) == ["RR"]
    assert "bounds" not in run


@pytest.mark.usefixtures("here")
def test_a_table_of_numbers_alone_has_its_intervals_on_standard_error() -> None:
    done = rankmark_here(
        "evaluate", "qrels", "run", "-m", "RR", "--format", "csv", "--ties", "mean"
    )
    assert done.stdout.splitlines()[1].startswith("run,0.611111111")
    assert "another order of ties could give RR 0.3333 to 1.0000" in done.stderr


def test_what_nobody_asked_for_tries_no_orders_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    # Relevant documents at ranks 1 and 4 lie farthest apart, which no sorted order brings about.
    qrels, run = {"q": {"a": 1, "b": 1}}, {"q": dict.fromkeys("abcd", 1.0)}
    ev = rm.evaluate(qrels, run, Span())
    assert ev.tie_interval == {"Span": (1.0, 3.0)}
    assert "another order" not in str(ev)
    monkeypatch.setattr(ties, "orders_of", None)
    assert "another order" not in str(rm.evaluate(qrels, run, Span()))
