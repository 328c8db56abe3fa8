"""Two measures of each run against each other: values, intervals, the Pareto front, the picture."""

import json
from functools import cache

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

import rankmark as rm
from rankmark.results.trade_off import Side, TradeOff
from unit.commands import rankmark_here
from unit.plot.plotted import EXAMPLE, RUNS, axes, caption, texts, title, written

mpl.use("agg")
HISTORY = {"u": ["a", "b"], "v": ["a"], "w": ["c"]}
LISTS = {
    "popular": {"u": ["c", "d"], "v": ["b", "c"], "w": ["a", "b"]},
    "broad": {"u": ["e", "d"], "v": ["c", "f"], "w": ["a", "b"]},
    "worse": {"u": ["d", "c"], "v": ["d", "c"], "w": ["d", "b"]},
}
HELD_OUT = {"u": ["c"], "v": ["b"], "w": ["a"]}


@cache
def recommenders() -> rm.Comparison:
    asked = ["nDCG@2", "ARP@2", "ItemCoverage@2"]
    return rm.compare(HELD_OUT, LISTS, asked, history=HISTORY, catalogue=[*"abcdef"])


def test_values_and_intervals_are_those_of_the_comparison() -> None:
    found = recommenders().trade_off("ItemCoverage@2", "nDCG@2")
    of_run = [one.of_run["ItemCoverage@2"] for one in recommenders().evaluations.values()]
    assert found.names == recommenders().runs
    assert found.x.values.tolist() == [one.value for one in of_run]
    np.testing.assert_array_equal(found.x.ends, [(one.low, one.high) for one in of_run])
    rows = {row.run: row for row in recommenders().leaderboard if row.measure == "nDCG@2"}
    assert found.y.values.tolist() == [rows[run].mean for run in found.names]
    np.testing.assert_array_equal(found.y.ends, [(rows[r].low, rows[r].high) for r in found.names])


def test_the_front_is_said_in_text_json_and_frames() -> None:
    found = recommenders().trade_off("ItemCoverage@2", "nDCG@2")
    assert found.headline == "2 of 3 runs are on the Pareto front: popular, broad"
    assert [line.split()[0] for line in str(found).splitlines()[1:4]] == [
        *("worse", "popular", "broad")
    ]
    assert str(found).splitlines()[1].endswith(" popular")  # which beats it
    told = json.loads(found.to_json())
    assert (told["x"], told["y"]) == ("ItemCoverage@2", "nDCG@2")
    assert [(row["name"], row["front"], row["beaten_by"]) for row in told["rows"]] == [
        ("popular", True, None),
        ("broad", True, None),
        ("worse", False, "popular"),
    ]
    assert [row["x_low"] for row in told["rows"]] == [
        None if np.isnan(low) else low for low in found.x.ends[:, 0].tolist()
    ]
    assert found.to_pandas()["ItemCoverage@2_low"].tolist() == pytest.approx(
        found.x.ends[:, 0].tolist(), nan_ok=True
    )


def test_less_is_better_where_the_measure_says_so() -> None:
    found = recommenders().trade_off("ARP@2", "nDCG@2")
    assert not found.x.more_is_better
    merits = list(zip(-found.x.values, found.y.values, strict=True))
    beaten = [any(x >= a and y >= b and (x, y) != (a, b) for x, y in merits) for a, b in merits]
    assert found.front.tolist() == [not one for one in beaten]
    ax = found.plot(ax=axes())
    assert ax.get_xlabel() == "ARP@2, lower is better"


def test_the_picture_has_points_bars_names_and_the_front() -> None:
    pair = ["ItemCoverage@2", "nDCG@2"]
    ax = recommenders().plot("trade-off", measures=pair, ax=axes())
    written(ax)
    assert title(ax) == "nDCG@2 against ItemCoverage@2, 3 queries"
    assert "dashed line: the Pareto front" in caption(ax)
    assert "bars: 95% intervals" in caption(ax)
    (front,) = [line for line in ax.get_lines() if line.get_linestyle() == "--"]
    found = recommenders().trade_off(*pair)
    assert sorted(front.get_xdata().tolist()) == sorted(found.x.values[found.front].tolist())
    assert sorted(text.get_text() for text in texts(ax)) == sorted(LISTS)
    points = {to_rgb(one.get_color()): one.get_alpha() for one in _points(ax)}
    assert len(points) == 3  # each run has a colour of its own, and what is beaten is faint
    assert sorted(points.values(), key=str) == [0.35, None, None]


def test_the_baseline_has_a_marker_of_its_own() -> None:
    compared = rm.compare(HELD_OUT, LISTS, ["nDCG@2", "RR@2"], baseline="worse")
    drawn = _points(compared.plot("trade-off", ax=axes()))
    assert len({one.get_marker() for one in drawn}) == len(LISTS)


def _points(ax: mpl.axes.Axes) -> list[Line2D]:
    return [
        line for line in ax.get_lines() if line.get_marker() != "None" and len(line.get_xdata())
    ]


def test_the_command_draws_it_and_says_the_front() -> None:
    asked = ["trade-off", EXAMPLE / "qrels.txt", *RUNS, "-m", "R@20", "-m", "RR"]
    done = rankmark_here("plot", *asked)
    assert done.returncode == 0, done.stderr
    assert "2 of 3 runs are on the Pareto front: bm25, lsa\n" in done.stderr
    compared = rm.compare(EXAMPLE / "qrels.txt", [*RUNS], ["R@20", "RR"])
    assert done.stderr.startswith(compared.trade_off().notes[0])
    assert done.stdout.startswith("<?xml")
    done = rankmark_here("plot", *asked[:-2])
    assert "trade-off draws 2 measures, and there is 1; name two" in done.stderr


def test_what_is_no_trade_off_is_refused() -> None:
    with pytest.raises(rm.InputError, match="draws 2 measures, and there are 3; name two"):
        recommenders().trade_off()
    with pytest.raises(rm.InputError, match="x and y are both nDCG@2"):
        recommenders().trade_off("nDCG@2", "ndcg@2")
    with pytest.raises(rm.NotEvaluatedError, match=r"AP was not evaluated"):
        recommenders().trade_off("AP", "nDCG@2")
    with pytest.raises(rm.InputError, match=r"cost of 'b' is nan; leave it out"):
        TradeOff(["a", "b"], Side("cost", np.array([1.0, np.nan])), Side("RR", np.ones(2)))


def test_scores_of_another_program_have_trade_offs_too() -> None:
    scores = {"a": {"q1": 0.5, "q2": 0.7}, "b": {"q1": 0.4, "q2": 0.2}}
    found = rm.compare_scores({"RR": scores, "P": {"a": scores["b"], "b": scores["a"]}})
    assert found.trade_off().front.tolist() == [True, True]
