"""Position bias: known truth, slow references, every engine, what cannot be known."""

import numpy as np
import pytest

import rankmark as rm

pytest.importorskip("narwhals")
pa = pytest.importorskip("pyarrow")
pytest.importorskip("scipy")

from rankmark.clicks.labels import examination_estimates  # noqa: E402
from rankmark.clicks.labels.rank_cells import RankCells, SharedClicks  # noqa: E402
from unit.clicks.slow_labels import examination, pbm_by_em  # noqa: E402
from unit.clicks.test_judge_clicks import DRAWN, ENGINES  # noqa: E402

METHODS = ("chain", "swap", "pairs")


def counts(*cells):
    """Return a log from (query, document, rank, impressions, clicks)."""
    rows = [
        {"query_id": f"{at}-{one}", "query": query, "doc": doc, "rank": rank, "click": one < clicks}
        for at, (query, doc, rank, n, clicks) in enumerate(cells)
        for one in range(n)
    ]
    return rm.read_log(pa.Table.from_pylist(rows))


def by_model(attraction=(0.8, 0.4), looks=(1, 0.5, 0.25, 0.125), times=40):
    """Return a log whose click rates are those of the position-based model, exactly."""
    return counts(
        *(
            (f"q{at}", "d", rank, times * (rank + at), round(times * (rank + at) * a * e))
            for at, a in enumerate(attraction)
            for rank, e in enumerate(looks, 1)
        )
    )


@pytest.fixture(scope="module")
def known():
    return by_model()


@pytest.mark.parametrize("method", METHODS)
def test_examination_of_the_model_is_found_exactly(method, known):
    found = rm.position_bias(known, method)
    assert found.examination == pytest.approx((1, 0.5, 0.25, 0.125), rel=1e-12)
    assert [row.compared for row in found.rows] == {
        "chain": [0, 2, 2, 2],
        "swap": [0, 2, 2, 2],
        "pairs": [0, 2, 4, 6],
    }[method]
    labels = rm.judge_clicks(known, "PBM", examination=method).labels
    assert labels == pytest.approx([0.8, 0.4], rel=1e-12)
    assert rm.judge_clicks(known, "IPS", examination=found).labels == pytest.approx([0.8, 0.4])


@pytest.mark.parametrize("method", METHODS)
def test_examination_is_that_of_the_slow_reference(method):
    rows = [row for row in DRAWN if row["rank"] is not None]
    found = rm.position_bias(rm.read_log(rows), method)
    assert found.examination == pytest.approx(examination(rows, method), rel=1e-9)


def test_em_is_that_of_pyclick_without_its_prior(monkeypatch):
    monkeypatch.setattr(examination_estimates, "_PASSES", 20)
    rows = [row for row in DRAWN if row["rank"] is not None]
    found = rm.position_bias(rm.read_log(rows), "em")
    assert found.examination == pytest.approx(pbm_by_em(rows, 20), rel=1e-9)
    assert np.isnan([row.low for row in found.rows]).all()
    assert "no intervals: EM has no interval here" in str(found)
    assert "EM overrates low ranks" in str(found)


@pytest.mark.parametrize("method", [*METHODS, "em"])
def test_every_engine_gives_the_same_bits(method):
    found = [rm.position_bias(rm.read_log(form(DRAWN)), method) for form in ENGINES.values()]
    for other in found[1:]:
        assert repr(other.rows) == repr(found[0].rows)


def test_a_known_truth_of_a_tenth_is_found_where_em_finds_more(monkeypatch):
    """Examination is 1 / rank; each of 5,000 queries is issued 4 times, and documents move."""
    draws = np.random.default_rng(0)
    attraction = draws.beta(1, 3, (5000, 12))
    query = np.repeat(np.arange(5000), 4)
    scores = np.log(attraction / (1 - attraction))[query] + draws.normal(0, 1, (len(query), 12))
    shown = np.argsort(-scores, axis=1)[:, :10]
    looks = draws.random(shown.shape) < 1 / np.arange(1, 11)
    clicks = looks & (draws.random(shown.shape) < attraction[query[:, None], shown])
    table = {
        "query_id": np.repeat(np.arange(len(query)), 10),
        "query": np.repeat(query, 10),
        "doc": shown.ravel(),
        "rank": np.tile(np.arange(1, 11), len(query)),
        "click": clicks.ravel().astype(int),
    }
    log = rm.read_log(pa.table(table))
    found = rm.position_bias(log, "pairs")
    assert found.examination[9] == pytest.approx(0.1, abs=0.01)
    assert found.rows[9].low < 0.1 < found.rows[9].high < 0.12
    assert rm.position_bias(log).examination[9] == pytest.approx(0.1, abs=0.02)
    monkeypatch.setattr(examination_estimates, "_PASSES", 60)  # 200 find .179
    assert rm.position_bias(log, "em").examination[9] > 0.17


def test_ranks_that_share_no_documents_are_refused():
    apart = counts(("q", "a", 1, 9, 5), ("q", "a", 2, 9, 3), ("q", "b", 3, 9, 2))
    with pytest.raises(rm.InputError, match=r"at rank 3 and at rank 2,.*choose pairs.*k=2"):
        rm.position_bias(apart)
    assert rm.position_bias(apart, k=2).examination == (1.0, 0.6)
    with pytest.raises(rm.InputError, match="seen at rank 1 only"):
        rm.position_bias(counts(("q", "a", 1, 9, 5)))
    unclicked = counts(("q", "a", 1, 9, 5), ("q", "a", 2, 9, 0))
    with pytest.raises(rm.InputError, match="was clicked at both"):
        rm.position_bias(unclicked)
    jump = counts(("q", "a", 1, 9, 5), ("q", "a", 3, 9, 3), ("q", "b", 2, 9, 2))
    for method in (*METHODS, "em"):
        with pytest.raises(rm.InputError, match=r"both at rank 2 and at (rank 1|one above it),"):
            rm.position_bias(jump, method)
    gap = counts(("q", "a", 1, 9, 5), ("q", "a", 3, 9, 3))
    with pytest.raises(rm.InputError, match="at rank 2"):
        rm.position_bias(gap, "pairs")


def test_a_single_query_has_no_interval_and_one_with_all_clicks_a_wide_one():
    one = rm.position_bias(counts(("q", "a", 1, 90, 50), ("q", "a", 2, 90, 30)))
    assert np.isnan(one.rows[1].low)
    assert "no intervals: a single query has no variance" in str(one)
    cells = [("q0", "a", 1, 900, 500), ("q0", "a", 2, 900, 300)]
    cells += [("q1", "a", 1, 3, 2), ("q1", "a", 2, 3, 1)]
    wide = rm.position_bias(counts(*cells))
    assert wide.rows[1].low < 0.59
    assert wide.rows[1].high > 0.61


def test_intervals_hold_the_truth_as_often_as_they_say():
    draws, held = np.random.default_rng(1), []
    for _ in range(300):
        n = draws.integers(20, 60, (12, 3))
        a = draws.beta(2, 2, 12)
        clicks = draws.binomial(n, a[:, None] * [1, 0.6, 0.3])
        shared = SharedClicks.of(_cells(n, clicks), "pairs")
        found = examination_estimates.from_shared(shared, shared.totals(3), 0.95)
        held.append((found.low[1:] <= [0.6, 0.3]) & (found.high[1:] >= [0.6, 0.3]))
    assert np.mean(held) == pytest.approx(0.95, abs=0.025)


def _cells(n, clicks):
    query, rank = np.indices(n.shape)
    return RankCells(query.ravel(), query.ravel(), rank.ravel() + 1, n.ravel(), clicks.ravel())


def test_a_rank_far_below_the_others_takes_no_memory():
    rows = {"query_id": [1, 2], "query": ["q", "q"], "doc": ["a", "b"], "rank": [1, 10**9]}
    with pytest.raises(rm.InputError, match="at rank 2 and at"):
        rm.position_bias(rm.read_log(rows | {"click": [1, 1]}))
