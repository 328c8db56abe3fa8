"""Comparisons as objects: copied, pickled, compared, iterated, and shown in notebooks."""

import copy
import math
import pickle

import pytest

import rankmark as rm

QUERIES = [f"q{number}" for number in range(6)]
QRELS = {query: {"a": 1, "b": at % 3} for at, query in enumerate(QUERIES)}
RUNS = {
    "old": {query: {"a": 1, "b": 2, "c": 3} for query in QUERIES},
    "new": {query: {"a": 3, "b": at, "<i>": 2} for at, query in enumerate(QUERIES)},
}
KINDS = {query: at % 2 for at, query in enumerate(QUERIES)}


def compared(**options: object) -> rm.Comparison:
    return rm.compare(QRELS, RUNS, ["nDCG", "AP"], by=KINDS, clusters=KINDS, **options)  # type: ignore[arg-type]


def test_copies_are_equal_even_where_something_is_undefined() -> None:
    result = compared(no_relevant="nan")
    copies = [pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)]
    for other in [*copies, compared(no_relevant="nan", threads=1)]:
        assert other == result
        assert hash(other) == hash(result)
        assert other.differences == result.differences
        assert hash(other.differences) == hash(result.differences)
        assert other.leaderboard == result.leaderboard
        assert dict(other.slices) == dict(result.slices)
        assert str(other) == str(result)
    assert result != compared(no_relevant="nan", seed=1)
    assert result.differences != compared(test="t").differences
    assert result != "a comparison"


def test_a_comparison_has_its_runs() -> None:
    result = compared()
    assert [*result] == ["old", "new"]
    assert len(result) == 2
    assert "old" in result
    assert "bm25" not in result
    assert {run: result[run]["AP"] for run in result} == {
        row.run: row.mean for row in result.leaderboard.where(measure="AP")
    }


def test_parts_of_a_comparison_are_shown_in_notebooks() -> None:
    result = compared()
    html = result.leaderboard._repr_html_()
    assert html.count("<tr>") == 5
    assert "adjusted_p" in result.differences._repr_html_()
    assert repr(result.slices) == "Slices('0', '1')"


def test_a_difference_that_is_no_number_is_refused() -> None:
    for wrong in ("x", None.__class__, [0.1]):
        with pytest.raises(rm.InputError, match="difference is "):
            rm.power(QRELS, RUNS["old"], RUNS["new"], "AP", difference=wrong)  # type: ignore[arg-type]


def test_a_share_of_a_negative_mean_is_undefined() -> None:
    worse = {query: -3.0 + at / 10 for at, query in enumerate(QUERIES)}
    better = {query: score + 1 + score**2 / 100 for query, score in worse.items()}
    (row,) = rm.compare_scores({"old": worse, "new": better}).differences
    assert row.difference > 1
    assert math.isnan(row.relative)
    assert math.isnan(row.relative_low)
    (other,) = rm.compare_scores({"old": worse, "new": worse}).differences
    assert str(other.relative) == "0.0"
    above = {query: -score for query, score in worse.items()}
    (row,) = rm.compare_scores({"old": above, "new": worse}).differences
    assert row.relative == -2
