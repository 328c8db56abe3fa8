"""The made-up log: it is the same every time, and clicks are as likely as its truth says."""

from collections import Counter

import pytest

import rankmark as rm


def test_it_is_drawn_alike_for_a_seed_and_read_as_a_log() -> None:
    made = rm.example_log()
    assert made == rm.example_log(seed=0) != rm.example_log(seed=1)
    assert rm.example_log(30).columns["query_id"][-1] == "i00029"
    with pytest.raises(rm.InputError, match="searches is 0"):
        rm.example_log(0)
    pytest.importorskip("narwhals")
    log = rm.read_log(made.columns)
    assert log.audit.issues == 2000
    assert log.audit.impressions == len(made.columns["doc"]) - made.columns["doc"].count(None)


def test_clicks_are_as_likely_as_the_truth_says() -> None:
    made = rm.example_log(10_000, swaps=0.5)
    rows = made.columns
    shown, clicked, expected = Counter(), Counter(), Counter()
    for query, doc, rank, click in zip(
        rows["query"], rows["doc"], rows["rank"], rows["click"], strict=True
    ):
        if doc is not None:
            shown[rank] += 1
            clicked[rank] += click
            expected[rank] += made.attraction[query][doc] * made.examination[rank - 1]
    for rank in range(1, 11):
        assert abs(clicked[rank] - expected[rank]) < 4 * expected[rank] ** 0.5
    assert shown[1] > shown[10] > 5_000
    pytest.importorskip("narwhals")
    found = rm.position_bias(rm.read_log(made.columns))
    for rank in range(1, 5):
        assert abs(found.examination[rank - 1] - made.examination[rank - 1]) < 0.08
    assert {made.labels["q01"]["bread-01"], made.labels["q01"]["bread-02"]} == {3, 2}
