"""Bets on the mean over a log: against a plain loop, and how often they are wrong."""

import math

import numpy as np
import pytest

from rankmark.statistics.log_bets import Log, bounds_of_log, bounds_of_share, looks_of_logs


def a_log(size, largest, total=None, *, planned):
    total = float(np.sum(largest)) if total is None else total
    return Log(size, total, total, 0.0, 1.0, planned=planned)


def drawn(weights, n, dice):
    """Return n queries, each drawn from the rest in proportion to its weight."""
    has = np.flatnonzero(weights > 0)
    return has[np.argsort(dice.exponential(size=len(has)) / weights[has])][:n]


def plain_capital(changes, weights, log, limit, level):
    """Bet as the documentation says, one query after another."""
    seen = used = ratios = 0.0
    spread, capital, most = 0.1, 1.0, 1.0
    for t, (change, weight) in enumerate(zip(changes, weights, strict=True)):
        mean = max((limit * log.size - seen) / (log.total - used), -1 + 1e-9)
        left = max(math.log(1 / level) - math.log(capital), 1e-9)
        stake = min(
            math.sqrt(2 * left / (spread / (t + 1) * (log.planned - t))), 0.999 / (1 + mean)
        )
        ratio = change / weight
        capital *= 1 + stake * (ratio - mean)
        most = max(most, capital)
        if capital >= 1 / level:
            return most, t + 1
        seen, used, ratios = seen + change, used + weight, ratios + ratio
        spread += (ratio - ratios / (t + 2)) ** 2
    return most, 0


def test_a_plain_loop_wins_the_same():
    dice = np.random.default_rng(1)
    for _ in range(30):
        c = dice.random(60) * (dice.random(60) < 0.7)
        d = np.where(dice.random(60) < 0.2, -c, dice.random(60) * c * 0.3)
        order = drawn(c, 20, dice)
        log = a_log(60, c, planned=20)
        found = bounds_of_log(d[order], c[order], c[order], log, limit=-0.1)
        most, looks = plain_capital(d[order], c[order], log, -0.1, 0.05)
        if not math.isinf(found.capital):
            assert found.capital == pytest.approx(most)
            assert found.looks == looks
            assert found.p == pytest.approx(min(1, 1 / most))
        assert (found.low >= -0.1) == bool(found.looks or math.isinf(found.capital))


def test_a_log_that_loses_exactly_the_limit_rarely_passes():
    """Every third query that can lose loses all; the worst of many looks counts."""
    dice = np.random.default_rng(2)
    c = np.where(dice.random(400) < 0.3, dice.random(400) * 0.6, 0.0)
    d = np.where(dice.random(400) < 1 / 3, -c, 0.0)
    log = a_log(400, c, planned=40)
    draws = np.transpose([drawn(c, 40, dice) for _ in range(2000)])
    passed = looks_of_logs(d[draws], c[draws], log, limit=float(d.mean())) > 0
    assert 0.02 < np.mean(passed) <= 0.064  # 5%, and 3 standard errors of 2,000 draws
    one = bounds_of_log(d[draws[:, 0]], c[draws[:, 0]], c[draws[:, 0]], log, float(d.mean()))
    assert (one.looks > 0) == passed[0]


def test_bounds_contain_the_mean():
    dice = np.random.default_rng(3)
    c = np.where(dice.random(200) < 0.5, dice.random(200) * 0.6, 0.0)
    g = c * dice.random(200) * 2
    d = np.where(dice.random(200) < 0.2, -c, np.where(dice.random(200) < 0.3, g, 0.0))
    has = c > 0
    log = Log(200, c.sum(), g[has].sum(), 0.0, float((g[has] / c[has]).max()), planned=25)
    low = high = 0
    for _ in range(60):
        rows = drawn(c, 25, dice)
        found = bounds_of_log(d[rows], c[rows], g[rows], log, limit=-0.02)
        assert found.low <= found.high
        low += found.low > d.mean()
        high += found.high < d.mean()
    assert low <= 7
    assert high <= 7


def test_the_estimate_is_unbiased():
    dice = np.random.default_rng(4)
    c = dice.random(50)
    d = c * dice.uniform(-1, 1, 50)
    log = a_log(50, c, planned=10)
    found = []
    for _ in range(150):
        rows = drawn(c, 10, dice)
        found.append(bounds_of_log(d[rows], c[rows], c[rows], log, limit=-0.1).estimate)
    assert np.mean(found) == pytest.approx(d.mean(), abs=4 * np.std(found) / 12)
    assert bounds_of_log(d, c, c, log, limit=-0.1).estimate == pytest.approx(d.mean(), abs=1e-4)


def test_without_a_judgment():
    log = Log(100, 2.0, 3.0, 1.0, 2.0, planned=10)
    assert bounds_of_log([], [], [], log, limit=-0.02).capital == math.inf  # at most this is lost
    found = bounds_of_log([], [], [], log, limit=-0.019)
    assert (found.capital, found.p, found.looks) == (1.0, 1.0, 0)
    assert (found.low, found.high) == (-0.02, 0.04)
    assert math.isnan(found.estimate)
    nothing = Log(100, 0.0, 0.0, 0.0, 0.0, planned=1)
    assert bounds_of_log([], [], [], nothing, limit=-0.01).estimate == 0.0


def test_all_judged_is_certain_unless_the_limit_is_met():
    c = np.array([0.5, 0.25, 0.25])
    d = np.array([-0.5, 0.0, 0.25])
    log = Log(3, 1.0, 1.0, 0.0, 1.0, planned=3)
    found = bounds_of_log(d, c, c, log, limit=-0.09)
    assert found.capital == math.inf
    assert found.low == pytest.approx(d.mean(), abs=1e-4)
    assert found.high == pytest.approx(d.mean(), abs=1e-4)
    assert bounds_of_log(d, c, c, log, limit=float(d.mean())).capital < math.inf


def test_a_longer_plan_is_bet_on_differently_and_may_be_exceeded():
    c = [0.3] * 60
    short = Log(1000, 150.0, 150.0, 0.0, 1.0, planned=20)
    long = Log(1000, 150.0, 150.0, 0.0, 1.0, planned=60)
    assert bounds_of_log([0.0] * 60, c, c, short, limit=-0.01).looks > 20
    assert bounds_of_log([0.0] * 60, c, c, long, limit=-0.01).looks > 0


def sampled(c, n, largest=1.0):
    return Log(len(c), c.sum(), c.sum(), 0.0, 1.0, n, float(c.std(ddof=1)), largest)


@pytest.mark.parametrize("pattern", ["at random", "heavy"])
def test_a_population_that_loses_exactly_the_limit_rarely_passes(pattern):
    """The log is a sample of it, and its queries are taken independently."""
    dice = np.random.default_rng(6)
    population = np.where(dice.random(20_000) < 0.3, dice.random(20_000) * 0.6, 0.0)
    if pattern == "heavy":  # few can lose much, and a log may lack them
        population = np.where(dice.random(20_000) < 0.004, 1.0, 0.02)
    lost = dice.random(20_000) < 0.3
    if pattern == "heavy":
        lost = population == 1
    change = np.where(lost, -population, 0.0)
    passed = 0
    for _ in range(400):
        rows = dice.integers(0, 20_000, 500)
        c = population[rows]
        taken = rows[dice.random(500) < c]
        taken = dice.permutation(taken)[:40]
        d, w = change[taken][:, None], population[taken][:, None]
        passed += looks_of_logs(d, w, sampled(c, 40), float(change.mean()))[0] > 0
    assert passed <= 33  # 5% and 3 standard errors of 400


def test_claims_about_a_population_need_more():
    c = np.where(np.arange(5000) % 4 == 0, 0.13, 0.0)
    log, sample = a_log(5000, c, planned=20), sampled(c, 20)
    assert log.least_queries(0.01, 0.05) < sample.least_queries(0.01, 0.05) < 20
    assert log.smallest_margin(10, 0.05) < sample.smallest_margin(10, 0.05)
    found = bounds_of_log([0.0] * 20, [0.13] * 20, [0.13] * 20, sample, limit=-0.01)
    assert found.looks in {sample.least_queries(0.01, 0.05), sample.least_queries(0.01, 0.05) + 1}
    assert math.isnan(found.high)
    none = sampled(np.zeros(5000), 1)
    assert none.least_queries(0.01, 0.05) == 0  # what others of the population lose is bounded
    assert none.least_queries(0.001, 0.05) > 0
    assert sampled(np.zeros(50), 1).least_queries(0.01, 0.05) > 0


@pytest.mark.parametrize(("margin", "least"), [(0.01, 44), (0.05, 8), (0.15, 0), (0.3, 0)])
def test_how_many_queries_are_needed_at_least(margin, least):
    log = Log(100, 15.0, 15.0, 0.0, 1.0, planned=10)
    assert log.least_queries(margin, 0.05) == least


def test_shares_of_the_baseline():
    dice = np.random.default_rng(5)
    n, margin = 300, 0.1
    a = dice.random(n)
    c = np.where(dice.random(n) < 0.4, a * dice.random(n), 0.0)
    d = np.where(dice.random(n) < 0.4, -c, 0.0)
    share = d.sum() / a.sum()
    w = c + margin
    log = Log(n, w.sum(), w.sum(), 0.0, 1.0, planned=60)
    wrong = at_limit = 0
    for _ in range(60):
        rows = drawn(w, 60, dice)
        found = bounds_of_share(a[rows], d[rows], w[rows], w[rows], log, margin)
        wrong += not found.low <= share <= found.high
        assert (found.low >= -margin) == (found.looks > 0)
        assert 0 <= found.baseline <= 1
        at_limit += found.looks > 0
    assert wrong <= 6
    assert (at_limit > 0) == (share > -margin)
