"""Planning a gate: what it needs by formula and in draws, and all conditions together."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import InputError
from rankmark.statistics.margin_decision import decide_margin
from rankmark.statistics.margin_power import (
    DrawnCondition,
    moved,
    passing_shares,
    units_for_all,
)
from unit.commands import rankmark_here


def collection(count: int, changed: float, seed: int = 0) -> tuple[dict, dict, dict]:
    """Make judgments and two runs, whose relevant documents are at ranks from 1 to 4."""
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 5, count)
    others = np.where(rng.random(count) < changed, rng.integers(1, 5, count), ranks)
    qrels = {f"q{n}": {"a": 1} for n in range(count)}

    def run(places: np.ndarray) -> dict[str, dict[str, float]]:
        return {
            f"q{n}": {f"d{place}": -float(place) for place in range(1, 6)} | {"a": 0.5 - rank}
            for n, rank in enumerate(places.tolist())
        }

    return qrels, run(ranks), run(others)


def test_changed_queries_are_moved_and_the_others_stay() -> None:
    values = np.array([0.0, 0.2, -0.4, 0.0])
    assert moved(values, None, 0.0).tolist() == pytest.approx([0, 0.3, -0.3, 0])
    weighted = moved(values, np.array([1.0, 3.0, 1.0, 1.0]), 0.1)
    assert np.average(weighted, weights=[1, 3, 1, 1]) == pytest.approx(0.1)
    assert moved(np.zeros(3), None, 0.5).tolist() == [0, 0, 0]


@pytest.mark.slow
def test_a_drawn_condition_passes_as_the_gate_decides() -> None:
    rng = np.random.default_rng(1)
    values = np.where(rng.random(80) < 0.4, rng.normal(0, 0.15, 80), 0.0)
    drawn = rng.integers(0, 80, (60, 120))
    condition = DrawnCondition(values + 0.06, np.ones(80), 1 - 0.06, 0.05, 1.0)
    base = np.full(80, 0.5)
    decided = [
        decide_margin(base[rows], (base + values)[rows], 0.06).verdict == "holds" for rows in drawn
    ]
    # The approximation of p is good to 2%, so that a draw at the limit may differ.
    assert np.mean(condition.passes(drawn) == decided) > 0.96


def test_queries_outside_of_a_slice_do_not_count() -> None:
    values, sizes = np.array([0.06, 0.06, 0.0]), np.array([1.0, 1.0, 0.0])
    condition = DrawnCondition(values, sizes, 0.94, 0.05, 1.0)
    drawn = np.array([[0] * 60 + [2] * 60, [0] * 20 + [2] * 100, [2] * 120])
    assert condition.passes(drawn).tolist() == [True, False, False]


@pytest.mark.slow
def test_all_together_need_more_queries_than_one() -> None:
    rng = np.random.default_rng(2)
    conditions = [
        DrawnCondition(rng.normal(0, 0.1, 100) + 0.05, np.ones(100), 0.95, 0.05, 1.0)
        for _ in range(3)
    ]
    conditions = [
        DrawnCondition(one.values - one.values.mean() + 0.05, one.sizes, one.loss, one.level, 1.0)
        for one in conditions
    ]
    drawn = {"resamples": 500, "seed": 0}
    one = units_for_all(conditions[:1], 60, 0.8, **drawn) or 0
    three = units_for_all(conditions, 60, 0.8, **drawn) or 0
    assert 70 < one < three < 140
    shares, together = passing_shares(conditions, three, **drawn)
    assert together >= 0.8
    assert (shares >= together).all()
    assert units_for_all(conditions, 10, 0.8, resamples=5, seed=0) is not None


@pytest.mark.slow
def test_a_plan_has_the_parts_that_the_gate_prints() -> None:
    qrels, old, new = collection(120, 0.2)
    planned = rm.gate_power(qrels, old, new, "RR", max_drop=0.05, resamples=300)
    (row,) = planned.rows
    decision = rm.gate(qrels, old, new, "RR", max_drop=0.05).conditions[0].decision
    assert (row.required, row.required_for_spread, row.required_for_rare) == (
        decision.required,
        decision.required_for_spread,
        decision.required_for_rare,
    )
    assert row.required == (row.required_for_spread or 0) + (row.required_for_rare or 0)
    assert (row.n, row.smallest_margin) == (120, decision.smallest_margin)
    assert row.required_if_unchanged == 59
    assert 0 < planned.power < 1
    assert planned.power == row.power
    better = rm.gate_power(qrels, old, new, "RR", max_drop=0.05, gain=0.03, resamples=300)
    assert better.power > planned.power
    assert (better.required or 0) < (planned.required or 0)


@pytest.mark.slow
def test_several_conditions_slices_weights_and_clusters_are_planned_together() -> None:
    qrels, old, new = collection(120, 0.2)
    slices = {"first": [f"q{n}" for n in range(60)]}
    asked = [rm.Condition("RR", 0.1), rm.Condition("P@1", "30%", slice="first")]
    planned = rm.gate_power(qrels, old, new, *asked, slices=slices, resamples=200)
    assert [row.n for row in planned.rows] == [120, 60]
    assert planned.power <= min(row.power for row in planned.rows)
    assert "all together" in str(planned)
    clusters = {f"q{n}": n // 3 for n in range(120)}
    clustered = rm.gate_power(qrels, old, new, "RR", max_drop=0.1, clusters=clusters, resamples=200)
    assert clustered.clusters == 40
    assert clustered.rows[0].effective == pytest.approx(40)
    assert (clustered.rows[0].required or 0) % 3 <= 3
    weights = {f"q{n}": 1 + n % 4 for n in range(120)}
    weighted = rm.gate_power(qrels, old, new, "RR", max_drop=0.1, weights=weights, resamples=200)
    assert weighted.rows[0].effective < 120
    assert "weights or clusters make queries worth less" in str(weighted)
    written = json.loads(weighted.to_json())
    assert written["conditions"][0]["effective"] == weighted.rows[0].effective


@pytest.mark.slow
def test_a_plan_has_a_range_for_spreads_that_so_few_queries_allow() -> None:
    qrels, old, new = collection(60, 0.4)
    planned = rm.gate_power(qrels, old, new, "RR", max_drop=0.1, resamples=200)
    (row,) = planned.rows
    assert row.spread_low < row.spread < row.spread_high
    assert (row.required_low or 0) < (row.simulated or 0) < (row.required_high or 0)
    assert row.power_low <= row.power <= row.power_high
    assert f"{row.required_low} to {row.required_high}" in str(planned)
    written = json.loads(planned.to_json())["conditions"][0]
    assert (written["required_low"], written["required_high"]) == (
        row.required_low,
        row.required_high,
    )
    assert written["spread_high"] == row.spread_high


def test_where_no_score_changed_a_plan_allows_for_changes_that_a_pilot_lacks() -> None:
    qrels, old, _ = collection(24, 0.0)
    (row,) = rm.gate_power(qrels, old, old, "RR", max_drop=0.05, resamples=100).rows
    assert (row.spread, row.required_low) == (0.0, row.simulated)
    assert row.spread_high == pytest.approx((1 - 0.1 ** (1 / 24)) ** 0.5)
    assert (row.required_high or 0) > 250


@pytest.mark.slow
def test_the_heaviest_query_is_planned_for_as_the_gate_decides() -> None:
    qrels, old, new = collection(60, 0.3)
    weights = {f"q{n}": 1 + n % 3 for n in range(60)}
    options = {"weights": weights, "largest_weight": 9.0, "max_drop": 0.1}
    (row,) = rm.gate_power(qrels, old, new, "RR", **options, resamples=100).rows
    decision = rm.gate(qrels, old, new, "RR", **options).conditions[0].decision
    assert (row.smallest_margin, row.required) == (decision.smallest_margin, decision.required)
    clusters = {f"q{n}": n // 3 for n in range(60)}
    options = {"clusters": clusters, "largest_cluster": 5.0, "max_drop": 0.1}
    (row,) = rm.gate_power(qrels, old, new, "RR", **options, resamples=100).rows
    decision = rm.gate(qrels, old, new, "RR", **options).conditions[0].decision
    assert (row.smallest_margin, row.required) == (decision.smallest_margin, decision.required)


def test_without_runs_a_plan_says_what_so_many_queries_can_show() -> None:
    qrels, _, _ = collection(120, 0.2)
    planned = rm.gate_power(qrels, None, None, "RR", max_drop=0.02)
    (row,) = planned.rows
    assert (row.n, row.required, row.required_if_unchanged) == (120, None, 149)
    assert row.smallest_margin == pytest.approx(1 - 0.05 ** (1 / 120))
    said = str(planned)
    assert "120 judged queries" in said
    assert "nan" not in said


def test_where_a_larger_loss_than_assumed_was_seen_nothing_is_known() -> None:
    qrels, old, new = collection(40, 0.4)
    planned = rm.gate_power(qrels, old, new, "MeanRank", max_drop=0.1, max_query_drop=0.5)
    (row,) = planned.rows
    assert (row.required, row.required_if_unchanged, row.simulated) == (None, None, None)
    assert planned.power == 0.0
    assert "nan" not in str(planned)


def test_what_cannot_be_planned_is_refused() -> None:
    qrels, old, new = collection(20, 0.2)
    with pytest.raises(InputError, match="gain is -1"):
        rm.gate_power(qrels, old, new, "RR", max_drop=0.1, gain=-1)
    with pytest.raises(InputError, match="no max_drop is given"):
        rm.gate_power(qrels, old, new, "RR")
    with pytest.raises(InputError, match="candidates"):
        rm.gate_power(qrels, old, {"a": new, "b": new}, "RR", max_drop=0.1)
    with pytest.raises(InputError, match="one of the two runs"):
        rm.gate_power(qrels, old, None, "RR", max_drop=0.1)
    planned = rm.gate_power(qrels, old, old, "RR", max_drop=0.01, resamples=20)
    assert planned.power == 0.0
    assert planned.rows[0].required == 299


def scored(count: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Make scores of answers by two systems that are as good as each other."""
    rng = np.random.default_rng(4)
    old = rng.uniform(0.2, 0.8, count)
    new = old + np.where(rng.random(count) < 0.5, rng.normal(0, 0.1, count).clip(-0.2, 0.2), 0.0)
    systems = [{f"q{n}": {"it": float(x)} for n, x in enumerate(one)} for one in (old, new)]
    return systems[0], systems[1]


def test_scores_are_planned_as_their_gate_decides(tmp_path: Path) -> None:
    old, new = scored(150)
    terms = {"max_drop": 0.05, "score_range": (0.0, 1.0)}
    planned = rm.gate_power(None, old, new, "it", **terms, resamples=200)  # type: ignore[arg-type]
    decided = rm.gate(None, old, new, "it", **terms).conditions[0].decision  # type: ignore[arg-type]
    (row,) = planned.rows
    assert (row.n, row.spread) == (150, decided.spread)
    assert row.smallest_margin == decided.smallest_margin
    assert row.required_for_rare == decided.required_for_rare
    assert 0 < planned.power <= 1
    only = rm.gate_power(None, old, new, **terms, resamples=200)  # type: ignore[arg-type]
    assert only.to_dict() == planned.to_dict()
    for name, one in (("old", old), ("new", new)):
        (tmp_path / f"{name}.json").write_text(json.dumps(one))
    files = [str(tmp_path / "old.json"), str(tmp_path / "new.json")]
    words = ["power", "--scores", *files, "-m", "it", "--max-drop", "0.05", "--resamples", "200"]
    done = rankmark_here(*words, "--score-range", "0", "1", "--format", "json")
    assert json.loads(done.stdout)["conditions"] == planned.to_dict()["conditions"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((None, None, None), "there are no judgments and no runs"),
        ((None, scored(9)[0], None), "one of the two runs is None"),
        ((None, scored(9)[0], dict.fromkeys("ab", scored(9)[1])), "new is 2 candidates"),
        ((None, scored(9)[0], {"q0": {"it": 1.0}}), "has scores of"),
    ],
)
def test_scores_that_cannot_be_planned_are_refused(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        rm.gate_power(*given, "it", max_drop=0.1, max_query_drop=1)


def test_scores_are_only_for_a_gate() -> None:
    assert "--scores goes with --max-drop" in rankmark_here("power", "--scores", "a", "b").stderr
    done = rankmark_here("power", "--scores", "a", "b", "c", "--max-drop", "0.1")
    assert "Got unexpected extra argument (c)" in done.stderr
    done = rankmark_here("power", "a", "b", "c", "--max-drop", "0.1", "--score-range", "0", "1")
    assert "--score-range is for scores by query" in done.stderr


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_the_command_writes_every_form(form: str, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from rankmark.commands.app import app

    qrels, old, new = collection(40, 0.3)
    (tmp_path / "qrels.json").write_text(json.dumps(qrels))
    for name, run in (("old", old), ("new", new)):
        (tmp_path / f"{name}.json").write_text(json.dumps(run))
    files = [str(tmp_path / name) for name in ("qrels.json", "old.json", "new.json")]
    words = ["power", *files, "-m", "RR", "--max-drop", "0.1", "--resamples", "100"]
    done = CliRunner().invoke(app, [*words, "--format", form])
    assert done.exit_code == 0, done.stderr
    assert "RR" in done.stdout
    done = CliRunner().invoke(app, ["power", *files, "-m", "RR", "--gain", "0.1"])
    assert done.exit_code == 2
    assert "--gain goes with --max-drop or --config" in done.stderr
    done = CliRunner().invoke(app, ["power", files[0], "-m", "RR", "--max-drop", "0.1"])
    assert done.exit_code == 0, done.stderr
    done = CliRunner().invoke(app, ["power", files[0], "-m", "RR"])
    assert done.exit_code == 2
