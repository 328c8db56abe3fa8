"""Queries that people are to judge, and their probabilities."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm

MODEL = {f"q{at:03}": {"a": 1, "b": at % 3, "c": int(at % 7 == 0)} for at in range(90)}
RUNS = {
    "old": {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in MODEL},
    "new": {query: {"b": 3.0, "c": 2.0, "a": 1.0} for query in MODEL},
}


def chosen(**changes: Any) -> rm.ChosenQueries:
    given: dict[str, Any] = {"model": MODEL, "runs": RUNS, "measure": "nDCG@10", "n": 20}
    return rm.choose_queries(**(given | changes))


@pytest.mark.parametrize("method", ["random", "stratified", "active"])
def test_as_many_as_asked_are_chosen_with_probabilities_that_sum_up_to_it(method: Any) -> None:
    plan = chosen(method=method)
    assert len(set(plan.chosen)) == 20
    assert set(plan.chosen) <= set(MODEL)
    assert [*plan.probabilities] == [*MODEL]
    assert sum(plan.probabilities.values()) == pytest.approx(20)
    assert chosen(method=method).chosen == plan.chosen
    assert chosen(method=method, seed=1).chosen != plan.chosen
    assert plan.to_csv() == chosen(method=method, seed=0).to_csv()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["random", "stratified", "active"])
def test_probabilities_are_true(method: Any) -> None:
    counts: Counter[str] = Counter()
    for seed in range(300):
        counts.update(chosen(method=method, seed=seed).chosen)
    expected = np.array([*chosen(method=method).probabilities.values()])
    seen = np.array([counts[query] / 300 for query in MODEL])
    error = np.sqrt(expected * (1 - expected) / 300)
    assert np.abs((seen - expected) / np.maximum(error, 0.01)).max() < 4.5


def test_queries_on_which_runs_differ_are_likelier() -> None:
    plan = chosen(method="active", uniform=0.2)
    scores = [rm.evaluate(MODEL, run, "nDCG@10").scores[:, 0] for run in RUNS.values()]
    differ = np.abs(scores[1] - scores[0])
    chances = np.array([*plan.probabilities.values()])
    assert np.corrcoef(differ, chances)[0, 1] > 0.999
    assert chances.min() == pytest.approx(0.2 * 20 / 90)


def test_uncertainty_may_be_given() -> None:
    given = {query: float(at) for at, query in enumerate(MODEL)}
    plan = chosen(method="active", uncertainty=given, uniform=0.1, runs={"old": RUNS["old"]})
    chances = [*plan.probabilities.values()]
    assert chances == sorted(chances)


@pytest.mark.parametrize("allocation", ["proportional", "equal", "neyman"])
def test_strata_have_their_shares(allocation: Any) -> None:
    strata = {query: "few" if at < 10 else "many" for at, query in enumerate(MODEL)}
    plan = chosen(method="stratified", strata=strata, allocation=allocation)
    counts = Counter(strata[query] for query in plan.chosen)
    if allocation == "proportional":
        assert counts == {"few": 2, "many": 18}
    if allocation == "equal":
        assert counts == {"few": 10, "many": 10}
    assert plan.probabilities["q000"] == counts["few"] / 10
    assert plan.probabilities["q089"] == counts["many"] / 80
    assert plan.strata == strata


def test_a_number_of_strata_is_of_equal_size_by_score() -> None:
    plan = chosen(method="stratified", strata=5)
    assert plan.strata is not None
    sizes = Counter(plan.strata.values())
    assert sizes == dict.fromkeys((f"{at} of 5" for at in range(1, 6)), 18)
    scores = dict(zip(plan.queries, plan.scores, strict=True))
    highest = max(scores[query] for query, one in plan.strata.items() if one == "1 of 5")
    lowest = min(scores[query] for query, one in plan.strata.items() if one == "5 of 5")
    assert highest <= lowest


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"n": 91}, "n is 91, and the model judged 90"),
        ({"n": 0}, "n is 0"),
        ({"n": 5, "method": "stratified"}, "4 strata need 2 queries each"),
        ({"method": "stratified", "strata": 60}, "strata is 60"),
        ({"strata": 3}, "strata is given, and method is random"),
        ({"uncertainty": {}}, "uncertainty is given"),
        ({"method": "active", "runs": {"old": RUNS["old"]}}, "there is one run"),
        ({"method": "active", "uncertainty": {"q001": 1}}, "none for 89"),
        ({"method": "active", "uncertainty": dict.fromkeys(MODEL, -1)}, "is -1"),
        ({"uniform": 0.0, "method": "active"}, "uniform is 0.0"),
        ({"measure": ["RR", "AP"]}, "2 measures"),
        (
            {"method": "stratified", "strata": dict.fromkeys(MODEL, "a") | {"q000": "b"}},
            "stratum 'b' has 1 query",
        ),
    ],
)
def test_what_is_impossible_is_refused(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(rm.RankmarkError, match=told):
        chosen(**changes)


def test_a_plan_is_written() -> None:
    plan = chosen(method="stratified")
    written = json.loads(plan.to_json())
    assert written["chosen"] == [*plan.chosen]
    assert [one["query_id"] for one in written["queries"] if one["to_judge"]] == [*plan.chosen]
    assert str(plan).startswith("People are to judge 20 of 90 queries, drawn at random from strata")
    assert plan.to_csv().splitlines()[0] == "query_id,to_judge,probability,score,stratum"


LOG = {f"q{n}": 1 / (n + 1) for n in range(500)}


def test_queries_are_drawn_by_traffic_with_replacement() -> None:
    plan = rm.choose_queries(n=2_000, method="traffic", weights=LOG, seed=3)
    draws = plan.draws
    assert draws is not None
    assert sum(draws.values()) == 2_000
    assert plan.chosen == tuple(query for query in LOG if query in draws)
    total = sum(LOG.values())
    for query in ("q0", "q1", "q4"):
        share = LOG[query] / total
        assert abs(draws[query] - 2_000 * share) < 4 * (2_000 * share * (1 - share)) ** 0.5
        assert plan.probabilities[query] == pytest.approx(share)
    assert plan == plan  # noqa: PLR0124
    again = rm.choose_queries(n=2_000, method="traffic", weights=LOG, seed=3)
    assert again.draws == draws
    assert rm.choose_queries(n=2_000, method="traffic", weights=LOG, seed=4).draws != draws


def test_draws_are_as_many_of_each_query_as_a_multinomial_distribution_has() -> None:
    """Counts of 400 samples of 10 draws: mean and variance, and those of two queries together."""
    log = {"a": 3.0, "b": 2.0, "c": 0.0, "d": 5.0}
    counts = np.array(
        [
            [
                (rm.choose_queries(n=10, method="traffic", weights=log, seed=at).draws or {}).get(
                    q, 0
                )
                for q in log
            ]
            for at in range(400)
        ]
    )
    assert counts[:, 2].max() == 0
    assert counts.mean(0) == pytest.approx([3.0, 2.0, 0.0, 5.0], abs=0.35)
    assert counts.var(0) == pytest.approx([2.1, 1.6, 0.0, 2.5], abs=0.6)
    assert np.cov(counts[:, 0], counts[:, 3])[0, 1] == pytest.approx(-1.5, abs=0.5)


@pytest.mark.parametrize(
    ("weights", "error", "told"),
    [({1: 3, "1": 4}, rm.DuplicateError, "'1' appears twice"),
     ({"a": 1e308, "b": 1e308}, rm.InputError, "the weight of query 'a' is 1e\\+308")],
)  # fmt: skip
def test_weights_of_a_log_that_lose_draws_are_refused(
    weights: dict[Any, float], error: type[rm.InputError], told: str
) -> None:
    with pytest.raises(error, match=told):
        rm.choose_queries(n=10, method="traffic", weights=weights)


def test_a_plan_by_traffic_has_no_model_and_is_written_with_draws(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("".join(f"{query} {weight}\n" for query, weight in LOG.items()))
    plan = rm.choose_queries(n=30, method="traffic", weights=log)
    assert plan.draws == rm.choose_queries(n=30, method="traffic", weights=LOG).draws
    assert "30 draws by traffic from the 500 queries of the log" in str(plan)
    written = json.loads(plan.to_json())
    assert written["population"] == 500
    assert "model" not in written
    assert sum(row["draws"] for row in written["queries"]) == 30
    header, *rows = plan.to_csv().splitlines()
    assert header == "query_id,to_judge,draws,share"
    assert len(rows) == len(plan.chosen)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "traffic"}, "there are no weights"),
        ({"method": "traffic", "weights": LOG, "model": {"q": {"a": 1}}}, "needs no model"),
        ({"method": "traffic", "weights": {"a": 0, "b": 0}}, "all weights are 0"),
        ({"method": "traffic", "weights": {"a": -1, "b": 2}}, "-1"),
        ({"method": "traffic", "weights": LOG, "strata": 4}, "method is traffic"),
        ({"weights": LOG, "model": {"q": {"a": 1}}, "runs": {}}, "weights are given"),
        ({}, "there are no judgments by a model"),
        ({"model": {"q": {"a": 1}}}, "there are no runs"),
    ],
)
def test_what_a_draw_by_traffic_does_not_take_is_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(rm.errors.InputError, match=message):
        rm.choose_queries(n=5, **options)
