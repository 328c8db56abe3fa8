"""Intervals of differences that are corrected as p-values are."""

import math
import pickle
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

import rankmark as rm
from rankmark.statistics import (
    adjust,
    bootstrap_max_t,
    max_t,
    mean_interval,
    randomised_tukey,
    simultaneous_ends,
    tukey,
)
from rankmark.verbs.compare.statistics_choices import Correction

CORRECTIONS = get_args(Correction)


def compared(runs: int = 8, queries: int = 60, **options: Any) -> rm.Comparison:
    rng = np.random.default_rng(5)
    hard = rng.beta(1, 1, (queries, 1)) / 2
    scores = np.clip(hard + rng.normal(np.linspace(0.2, 0.35, runs), 0.12, (queries, runs)), 0, 1)
    return rm.compare_scores(frame(scores), **{"correction": "holm"} | options)


def frame(scores: Any) -> pd.DataFrame:
    rows = [
        (f"run{run}", f"q{query}", scores[query, run])
        for run in range(scores.shape[1])
        for query in range(len(scores))
    ]
    return pd.DataFrame(rows, columns=["run", "query_id", "score"])


@pytest.mark.slow
@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("test", ["randomisation", "t", "bootstrap"])
def test_intervals_exclude_0_where_differences_are_significant_or_it_is_said(
    correction: Any, test: Any
) -> None:
    if (correction, test) in {("max-t", "t"), ("tukey", "bootstrap")}:
        pytest.skip(f"{correction} does not belong to the test {test}")
    found = compared(correction=correction, test=test)
    rows = found.differences
    assert 5 < sum(row.significant for row in rows) < len(rows) - 2
    apart = [row for row in rows if row.significant != row.excludes_zero]
    said = [line for line in found.legend if "significant, but the" in line]
    assert bool(apart) == bool(said)
    assert len(apart) <= 2
    assert all(row.adjusted_low <= row.difference <= row.adjusted_high for row in rows)
    alone = [(row.adjusted_low, row.adjusted_high) == (row.low, row.high) for row in rows]
    assert all(alone) == (correction == "none")
    heads = [line for line in str(found).splitlines() if "d_z" in line]
    assert all(("adjusted 95% interval" in line) == (correction != "none") for line in heads)


def test_single_intervals_beside_corrected_p_values_were_at_odds() -> None:
    rows = compared().differences
    single = [row for row in rows if (row.low > 0 or row.high < 0) and not row.significant]
    assert single
    assert not any(row.excludes_zero for row in single)


def test_bonferronis_intervals_have_a_part_of_the_level() -> None:
    found = compared(4, correction="bonferroni", test="t")
    row = found.differences[0]
    values = found.scores[:, 1, 0] - found.scores[:, 0, 0]
    alone = mean_interval(values, method="t", confidence=1 - 0.05 / 6)
    assert (row.adjusted_low, row.adjusted_high) == pytest.approx((alone.low, alone.high))


def test_holms_intervals_are_those_of_strassburger_and_bretz() -> None:
    p, d = [0.004, 0.02, 0.021, 0.9, math.nan], [1.0, 2.0, -1.0, 0.5, math.nan]
    ends = simultaneous_ends(p, d, "holm")
    # Upwards, 0.004 <= 0.05 / 4, and then 0.02 > 0.05 / 3; downwards, 0.021 > 0.05 / 4.
    assert ends.low[:4].tolist() == [math.inf, *[1 - 0.05 / 3] * 3]
    assert ends.high[:4].tolist() == [1 - 0.05 / 4] * 4
    assert ends.beyond.tolist() == [1, 0, 0, 0, 0]
    assert math.isnan(ends.low[4])
    every = simultaneous_ends([0.001, 0.03], [1, 1], "holm")
    assert every.low.tolist() == [0.975, 0.975]
    assert every.beyond.tolist() == [1, 1]
    assert simultaneous_ends([0.03], [1], "holm").low.tolist() == [0.95]


@pytest.mark.slow
def test_an_open_end_is_written_as_such() -> None:
    found = compared()
    row = next(row for row in found.differences if row.adjusted_low == 0)
    assert f"(0, {row.adjusted_high:+.4f}]" in str(found)
    assert f"(0, {row.adjusted_high:+.4f}]" in found.to_markdown()
    assert "it leaves 0 out" in str(found)
    down = compared(baseline="run7")
    row = next(row for row in down.differences if row.adjusted_high == 0)
    assert f"[{row.adjusted_low:.4f}, 0)" in str(down)
    assert f"{{[}}{row.adjusted_low:.4f}, 0)".replace("-", "$-$") in down.to_latex()


def test_intervals_of_the_false_coverage_rate_have_the_share_of_the_significant() -> None:
    p = np.array([0.001, 0.01, 0.02, 0.5])
    assert int((adjust(p, "bh").adjusted <= 0.05).sum()) == 3
    assert simultaneous_ends(p, np.ones(4), "bh").low.tolist() == [1 - 0.05 * 3 / 4] * 4
    harmonic = 1 + 1 / 2 + 1 / 3 + 1 / 4
    found = simultaneous_ends([0.001, 0.5, 0.6, 0.7], np.ones(4), "by").low
    assert found == pytest.approx([1 - 0.05 / 4 / harmonic] * 4)


@pytest.mark.slow
@pytest.mark.parametrize("queries", [8, 40])
def test_critical_values_of_tukeys_tests_exclude_0_where_they_reject(queries: int) -> None:
    rng = np.random.default_rng(queries)
    for _ in range(20):
        scores = rng.normal(size=(queries, 4, 2)) + rng.uniform(0, 0.4) * np.arange(4)[:, None]
        shuffled = randomised_tukey(scores, resamples=499, level=0.1)
        reached = np.abs(shuffled.difference) > shuffled.critical
        assert (reached == (shuffled.adjusted <= 0.1)).all()
    parametric = tukey(scores, level=0.1)
    reached = np.abs(parametric.difference) > parametric.critical
    assert (reached == (parametric.adjusted <= 0.1)).all()
    assert np.isinf(max_t(scores, resamples=10, level=0.01).critical).all()
    assert np.isinf(randomised_tukey(scores, resamples=10, level=0.01).critical).all()


@pytest.mark.parametrize(
    "options", [{}, {"clusters": True}, {"weights": True}, {"interval": "BCa"}]
)
def test_intervals_of_max_t_and_others_follow_clusters_and_weights(options: Any) -> None:
    queries = [f"q{number}" for number in range(60)]
    given: Any = {name: value for name, value in options.items() if name == "interval"}
    if options.get("clusters"):
        given["clusters"] = {query: at // 2 for at, query in enumerate(queries)}
        given["correction"] = "max-t"
    if options.get("weights"):
        given["weights"] = {query: 1 + at % 3 for at, query in enumerate(queries)}
    found = compared(4, **given)
    assert all(row.adjusted_low < row.difference < row.adjusted_high for row in found.differences)
    wider = [
        row.adjusted_high - row.adjusted_low > row.high - row.low
        for row in found.differences
        if not row.significant
    ]
    assert wider
    assert all(wider)


def test_scores_of_0_and_1_have_newcombes_intervals_at_the_adjusted_level() -> None:
    rng = np.random.default_rng(3)
    found = rm.compare_scores(frame((rng.random((50, 3)) < [0.4, 0.5, 0.6]).astype(float)))
    row = found.differences[0]
    assert (row.method, row.significant) == ("Newcombe", False)
    assert row.adjusted_low < row.low < row.high < row.adjusted_high
    assert not any("to be trusted" in line for line in found.legend)


def test_slices_have_intervals_for_their_family() -> None:
    by = {f"q{number}": f"s{number % 3}" for number in range(60)}
    found = compared(3, by=by, correction="bonferroni", test="t")
    part = found.slices["s1"]
    row = part.differences[0]
    assert row.family == 9
    values = part.scores[:, 1, 0] - part.scores[:, 0, 0]
    alone = mean_interval(values, method="t", confidence=1 - 0.05 / 9)
    assert (row.adjusted_low, row.adjusted_high) == pytest.approx((alone.low, alone.high))
    together = compared(3, by=by, correction="bonferroni", test="t", family="all")
    assert together.differences[0].family == 12
    values = found.scores[:, 1, 0] - found.scores[:, 0, 0]
    alone = mean_interval(values, method="t", confidence=1 - 0.05 / 12)
    assert together.differences[0].adjusted_low == pytest.approx(alone.low)
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize("family", ["measure", "all"])
def test_the_bootstrap_of_max_t_has_intervals_that_always_agree(family: Any) -> None:
    for level in (0.01, 0.05, 0.2):
        found = compared(
            6, 30, correction="max-t", family=family, confidence=1 - level, resamples=999
        )
        assert (found.chosen.test, found.chosen.correction) == ("bootstrap", "max-t")
        assert all(row.significant == row.excludes_zero for row in found.differences)
        scores = found.scores[np.argsort(found.queries)]
        wanted = bootstrap_max_t(scores, resamples=999, level=found.chosen.level)
        rows = found.differences
        assert [row.adjusted_p for row in rows] == wanted.adjusted[:, 0].tolist()
        half = wanted.critical[:, 0] * wanted.error[:, 0]
        assert [row.adjusted_high - row.difference for row in rows] == pytest.approx(half.tolist())
        assert not any("significant, but" in line for line in found.legend)
        assert any("together, by max-T and the bootstrap" in line for line in found.legend)


@pytest.mark.parametrize(
    ("runs", "queries", "options", "chosen"),
    [
        (6, 60, {}, ("bootstrap", "max-t")),
        (6, 101, {}, ("randomisation", "holm")),
        (5, 60, {}, ("randomisation", "holm")),
        (6, 60, {"baseline": "run0"}, ("randomisation", "holm")),
        (12, 60, {"baseline": "run0"}, ("bootstrap", "max-t")),
        (6, 60, {"test": "bootstrap"}, ("bootstrap", "max-t")),
        (5, 60, {"test": "bootstrap"}, ("bootstrap", "holm")),
        (6, 60, {"test": "t"}, ("t", "holm")),
        (6, 60, {"test": "randomisation"}, ("randomisation", "holm")),
        (6, 60, {"correction": "holm"}, ("randomisation", "holm")),
        (3, 60, {"correction": "max-t"}, ("bootstrap", "max-t")),
        (6, 60, {"by": "halves"}, ("randomisation", "holm")),
        (6, 60, {"weights": "halves"}, ("randomisation", "holm")),
        (6, 60, {"clusters": "halves"}, ("randomisation", "holm")),
        (6, 60, {"clusters": "halves", "correction": "max-t"}, ("randomisation", "max-t")),
    ],
)
def test_families_of_many_pairs_on_few_queries_have_the_bootstrap(
    runs: int, queries: int, options: Any, chosen: tuple[str, str]
) -> None:
    halves = {f"q{number}": 1 + number // 2 for number in range(queries)}
    given = {name: halves if value == "halves" else value for name, value in options.items()}
    found = compared(runs, queries, **{"correction": None, "resamples": 20} | given)
    assert (found.chosen.test, found.chosen.correction) == chosen
    assert (found.settings["test"], found.settings["correction"]) == chosen


@pytest.mark.slow
def test_intervals_of_max_t_do_not_depend_on_how_much_runs_differ() -> None:
    """Signs of differences far from 0 go together, which would make intervals too short."""
    noise = np.random.default_rng(8).normal(size=(60, 5))
    alike = max_t(noise, resamples=4999, level=0.05)
    apart = max_t(noise + np.array([0, 5, 10, 20, 40]), resamples=4999, level=0.05)
    assert apart.critical == pytest.approx(alike.critical)
    assert (alike.critical > 2.5).all()
    single = max_t(noise, steps="single step", resamples=4999, level=0.05)
    assert ((np.abs(single.t) > single.critical) == (single.adjusted <= 0.05)).all()
    assert np.isnan(max_t(noise, resamples=99).critical).all()


def test_few_queries_that_differ_are_told() -> None:
    rng = np.random.default_rng(2)
    base = rng.random(60)
    other = base + np.where(np.arange(60) < 12, rng.normal(0, 0.1, 60), 0)
    found = rm.compare_scores(frame(np.stack([base, other], axis=1)))
    line = (
        "score of run1 against run0: only 12 queries differ, and with fewer than 20 an interval by "
        "t is unreliable"
    )
    assert line in found.legend
    assert line in str(found)
    assert line in found.to_dict()["legend"]
    every = rm.compare_scores(frame(np.stack([base, base + rng.normal(0, 0.1, 60)], axis=1)))
    assert not any("to be trusted" in line for line in every.legend)


def test_weighted_queries_say_what_they_are_worth() -> None:
    weights = {f"q{number}": 10.0 if number < 3 else 1.0 for number in range(60)}
    found = compared(2, weights=weights)
    worth = (30 + 57) ** 2 / (300 + 57)
    assert found.effective_queries == pytest.approx(worth)
    assert found.settings["effective_queries"] == found.effective_queries
    line = "queries are weighted in means, intervals and tests: 60 are worth 21.2 of equal weight"
    assert line in str(found)
    by = {query: "first" if at < 30 else "second" for at, query in enumerate(weights)}
    sliced = compared(2, weights=weights, by=by)
    assert "first, 30 queries, worth 9.9 of equal weight:" in str(sliced)
    assert compared(2).effective_queries is None
