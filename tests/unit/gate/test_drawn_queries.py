"""A gate of queries that were drawn by traffic, with replacement: every draw counts once."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import InputError
from rankmark.statistics.reweighting import of_mean
from unit.commands import rankmark_here

OLD = {f"q{n}": {"s": (n % 7 + 1) / 10} for n in range(12)}
NEW = {f"q{n}": {"s": (n % 7 + 1) / 10 + (n % 3 - 1) / 20} for n in range(12)}
DRAWS = {f"q{n}": n % 4 for n in range(12)}


def gate(old: Any, new: Any, **options: Any) -> rm.GateResult:
    return rm.gate(None, old, new, "s", max_drop=0.3, score_range=(0, 1), **options)


def repeated(scores: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return the scores of a query once for each time that it was drawn, under other ids."""
    return {
        f"{query} {number}": scores[query]
        for query, count in DRAWS.items()
        for number in range(count)
    }


def test_every_draw_counts_as_a_query_of_its_own() -> None:
    found = gate(OLD, NEW, draws=DRAWS).conditions[0].decision
    assert found == gate(repeated(OLD), repeated(NEW)).conditions[0].decision
    assert found.n == sum(DRAWS.values()) == 18
    assert "18 draws of 9 queries, each of which counts once" in gate(OLD, NEW, draws=DRAWS).notes


def test_queries_that_were_not_drawn_are_left_out() -> None:
    new = NEW | {"q0": {"s": 0.0}, "q4": {"s": 0.0}, "q8": {"s": 0.0}}
    found = gate(OLD, new, draws=DRAWS)
    assert found.conditions[0].decision == gate(OLD, NEW, draws=DRAWS).conditions[0].decision
    lost = {one.query_id for one in found.conditions[0].lost}
    assert lost
    assert not lost & {"q0", "q4", "q8"}


def test_draws_are_counted_in_slices_and_plans() -> None:
    slices = {"half": [f"q{n}" for n in range(6)]}
    by = {query: "half" if query in slices["half"] else "rest" for query in OLD}
    found = {row.name: row.decision.n for row in gate(OLD, NEW, draws=DRAWS, by=by).conditions}
    assert found == {"s": 18, "s, half": 7, "s, rest": 11}
    options: dict[str, Any] = {"max_drop": 0.3, "score_range": (0, 1), "resamples": 200}
    planned = rm.gate_power(None, OLD, NEW, "s", draws=DRAWS, **options)
    again = rm.gate_power(None, repeated(OLD), repeated(NEW), "s", **options)
    assert (planned.n, planned.rows, planned.power) == (18, again.rows, again.power)


@pytest.mark.parametrize("form", ["mapping", "file", "plan", "rows", "series"])
def test_every_form_of_draws_decides_the_same(form: str, tmp_path: Path) -> None:
    plan = rm.choose_queries(n=40, method="traffic", weights=dict.fromkeys(OLD, 1.0))
    draws = plan.draws
    assert draws is not None
    wanted = gate(OLD, NEW, draws=draws).conditions[0].decision
    given: Any = draws
    if form == "file":
        given = tmp_path / "plan.csv"
        given.write_text(plan.to_csv())
    elif form == "plan":
        given = plan
    elif form == "rows":
        given = [{"query_id": query, "draws": count} for query, count in draws.items()]
    elif form == "series":
        given = pytest.importorskip("pandas").Series(draws)
    assert gate(OLD, NEW, draws=given).conditions[0].decision == wanted


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": dict.fromkeys(OLD, 1.0)}, "draws and weights are given"),
        ({"clusters": dict.fromkeys(OLD, "c")}, "draws and clusters are given"),
        ({"largest_weight": 5.0}, "draws and largest_weight are given"),
        ({"anytime": True}, "draws and anytime are given"),
        ({"draws": DRAWS | {"other": 1}}, "draws names 1 query that is not averaged: 'other'"),
        ({"draws": DRAWS | {"q1": 1.5}}, "draws has 1.5 for query 'q1'"),
        ({"draws": DRAWS | {"q1": -1}}, "draws has -1 for query 'q1'"),
        ({"draws": dict.fromkeys(DRAWS, 0)}, "draws has none for any query"),
    ],
)
def test_what_would_count_traffic_twice_or_miss_a_draw_is_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        gate(OLD, NEW, **({"draws": DRAWS} | options))


def test_the_commands_draw_and_decide(tmp_path: Path) -> None:
    example = Path(rm.__file__).parent / "example"
    qrels, old, new = (str(example / name) for name in ("qrels.txt", "bm25.run", "lsa.run"))
    log = tmp_path / "log.txt"
    log.write_text("".join(f"q{n:02} {1 + 9 * (n % 5 == 0)}\n" for n in range(1, 25)))
    plan, ids = tmp_path / "plan.csv", tmp_path / "ids.txt"
    done = rankmark_here(
        *("choose-queries", "--method", "traffic", "--weights", str(log), "-n", "60"),
        *("--format", "csv", "-o", str(plan), "--to-judge", str(ids)),
    )
    assert done.returncode == 0, done.stderr
    assert len(ids.read_text().split()) == len(plan.read_text().splitlines()) - 1
    done = rankmark_here("gate", qrels, old, new, "--max-drop", "0.3", "--draws", str(plan))
    assert done.returncode in {0, 3}, done.stderr
    assert "60 draws of" in done.stdout


LOG_SIZE = 4_000


def heavy_head() -> np.ndarray:
    """1% of the queries weigh 50, all others 1."""
    return np.where(np.arange(LOG_SIZE) < 0.01 * LOG_SIZE, 50.0, 1.0)


def zipf() -> np.ndarray:
    return np.asarray(1 / np.arange(1, LOG_SIZE + 1) ** 0.8)


@pytest.mark.parametrize("n", [25, 50, 100])
@pytest.mark.parametrize(
    ("weights", "lost"), [(heavy_head(), 0.01), (zipf(), 0.005)], ids=["head of 50", "Zipf"]
)
def test_heavy_queries_that_a_sample_may_lack_pass_no_more_than_the_level(
    weights: np.ndarray, lost: float, n: int
) -> None:
    """2,000 samples at the margin; with weights and the largest of the sample, 12 to 83% pass."""
    breaks = np.arange(LOG_SIZE) < lost * LOG_SIZE
    share = float(weights[breaks].sum() / weights.sum())
    drawn = np.random.default_rng(n).binomial(n, share, 2_000)
    passed = 0
    for broken, samples in zip(*np.unique(drawn, return_counts=True), strict=True):
        new = np.repeat([0.0, 1.0], [broken, n - broken])
        passed += samples * (of_mean(new - 1, -1.0).p(-share) < 0.05)
    assert 0 < passed <= 120


def test_a_plan_draws_what_is_lost_as_often_as_its_share_of_the_traffic() -> None:
    log = dict(zip(map(str, range(LOG_SIZE)), heavy_head().tolist(), strict=True))
    draws = rm.choose_queries(n=5_000, method="traffic", weights=log, seed=1).draws or {}
    lost = sum(count for query, count in draws.items() if int(query) < 0.01 * LOG_SIZE)
    share = 0.01 * 50 / (0.01 * 50 + 0.99)
    assert abs(lost - 5_000 * share) < 4 * (5_000 * share * (1 - share)) ** 0.5
