"""One sign everywhere: the first run named is the baseline, and gains of the other come first."""

import json
import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure

import rankmark as rm
from unit.commands import rankmark_here
from unit.plot.plotted import caption

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, BM25, LSA = (str(EXAMPLE / name) for name in ("qrels.txt", "bm25.run", "lsa.run"))


def test_explain_subtracts_the_run_that_is_named_first() -> None:
    means = {run: rm.evaluate(QRELS, run, "AP")["AP"] for run in (BM25, LSA)}
    found = rm.explain(QRELS, BM25, None, "AP", against=LSA)
    assert found.difference == means[LSA] - means[BM25] > 0
    assert (found.baseline_name, found.other_name) == ("bm25.run", "lsa.run")
    written = json.loads(
        rankmark_here(
            "explain", QRELS, BM25, "--against", LSA, "-m", "AP", "--format", "json"
        ).stdout
    )
    assert written["runs"] == {"baseline": "bm25.run", "other": "lsa.run"}
    assert written["difference"] == written["values"]["other"] - written["values"]["baseline"]
    for row in written["rows"]:
        assert row["difference"] == row["run_value"] - row["baseline_value"]


def test_explain_and_the_picture_have_one_sign_and_one_order() -> None:
    found = rm.explain(QRELS, BM25, None, "AP", against=LSA)
    ax = Figure().add_subplot()
    bm25, lsa = (rm.evaluate(QRELS, run, "AP") for run in (BM25, LSA))
    bm25.plot("differences", lsa, ax=ax)
    drawn = [bar.get_height() for bar in ax.patches]
    gains = [row["difference"] for row in found.rows if row["difference"] > 0]
    assert drawn[: len(gains)] == pytest.approx(gains, abs=1e-12)
    assert f"mean, {found.difference:+.4f}".replace("-", "\u2212") in caption(ax)


def test_gains_come_before_losses_each_by_size() -> None:
    found = rm.explain(QRELS, BM25, None, "AP", against=LSA)
    steps = [row["difference"] for row in found.rows]
    assert steps == sorted(steps, key=lambda step: (step <= 0, step == 0, -abs(step)))
    text = str(found)
    assert "lsa.run is better in 14, bm25.run in 7, and 3 are equal." in text
    assert text.index("Better with lsa.run:") < text.index("Worse with lsa.run:")
    one = rm.explain(QRELS, BM25, "q13", "AP", against=LSA)
    assert [row["difference"] > 0 for row in one.rows] == [True] * len(one.rows)
    assert "lsa.run is better." in str(one)


def test_where_less_is_better_a_negative_difference_comes_first_and_is_told_to_be_a_gain() -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 1}}
    baseline = {"q": ["x", "y", "a"], "r": ["a"], "s": ["a"]}
    other = {"q": ["a"], "r": ["x", "a"], "s": ["a"]}
    found = rm.explain(qrels, baseline, None, "MeanRank", against=other)
    assert [(row["query_id"], row["difference"]) for row in found.rows] == [
        ("q", -2.0),
        ("r", 1.0),
        ("s", 0.0),
    ]
    assert "other is better. Less is better, so a negative difference is a gain." in re.sub(
        r"\s+", " ", str(found)
    )
    assert json.loads(found.to_json())["more_is_better"] is False
    one = rm.explain(qrels, baseline, "q", "MeanRank", against=other)
    assert "other is better. Less is better" in re.sub(r"\s+", " ", str(one))
    assert json.loads(one.to_json())["more_is_better"] is False


def test_headings_speak_of_a_querys_values_where_runs_answer_different_queries() -> None:
    """What a query adds can have another sign than its values differ by."""
    qrels = {query: {"a": 1} for query in "qrstu"}
    baseline = {"q": ["a"], "r": ["x", "a"]}
    other = {"q": ["a"], "r": ["x", "y", "a"], "s": ["x"], "t": ["a"]}
    found = rm.explain(qrels, baseline, None, "RR", against=other, queries="both")
    rows = {row["query_id"]: row for row in found.rows}
    assert rows["q"]["difference"] == 0
    assert rows["q"]["contribution"] == pytest.approx(1 / 4 - 1 / 2)
    assert found.rows[-1]["total"] == pytest.approx(found.difference, abs=1e-15)
    text = re.sub(r"\s+", " ", str(found))
    assert "other is better in 0, baseline in 1, and 1 is equal. 2 have no value" in text
    assert "Better with other:" not in text
    assert "Worse with other: query baseline other difference adds r 0.5000 0.3333" in text
    assert "Only other has a value: query baseline other difference adds t 1" in text
    assert "The equal queries add -0.2500 together." in text
    assert "mean is over 2 queries and the other's over 4 queries" in text
