"""Pictures of comparisons: leaderboards, matrices of pairs, runs joined by bars."""

import itertools
import math
import re
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

import rankmark as rm
from rankmark.commands.app import app
from rankmark.results.drawing.dots import lanes_of
from rankmark.verbs.plot.comparison_plots import ComparedPlot
from rankmark.verbs.plot.kinds import COMPARED
from unit.plot.plotted import EXAMPLE, RUNS, axes, caption, texts, title, written

mpl.use("agg")
MINUS = "\u2212"
RANKED = [kind for kind in COMPARED if kind not in {"cutoffs", "trade-off"}]


def compared(**choices: Any) -> rm.Comparison:
    measures = choices.pop("measures", ["nDCG@10", "AP"])
    return rm.compare(EXAMPLE / "qrels.txt", [*RUNS], measures, **choices)


@cache
def many(runs: int, queries: int = 30, *, longer: str = "") -> rm.Comparison:
    """Compare so many runs, each a little better than the one before."""
    dice = np.random.default_rng(0)
    hard = dice.beta(0.8, 1.2, (queries, 1))
    scores = np.clip(hard + dice.normal(np.linspace(0, 0.3, runs), 0.1, (queries, runs)), 0, 1)
    rows = [
        {"run": f"system-{run}{longer}", "query_id": f"q{query}", "nDCG@10": scores[query, run]}
        for run in range(runs)
        for query in range(queries)
    ]
    return rm.compare_scores(pd.DataFrame(rows), test="t")


@pytest.fixture(scope="module")
def of_pairs() -> rm.Comparison:
    return compared()


@pytest.fixture(scope="module")
def against_bm25() -> rm.Comparison:
    return compared(baseline="bm25")


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def plotted(*arguments: object) -> Result:
    """Run ``rankmark plot`` in this process, which has imported matplotlib already."""
    return CliRunner().invoke(app, ["plot", *map(str, arguments)])


def rows(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def dots(ax: Axes) -> list[Any]:
    return [line for line in ax.get_lines() if line.get_marker() == "o"]


def test_a_leaderboard_shows_means_and_intervals_best_run_first(of_pairs: rm.Comparison) -> None:
    ax = of_pairs.plot("leaderboard", measure="AP")
    standings = sorted(of_pairs.leaderboard.where(measure="AP"), key=lambda row: row.rank)
    assert rows(ax) == [row.run for row in standings]
    assert [dot.get_xdata()[0] for dot in dots(ax)] == [row.mean for row in standings]
    intervals = [tuple(line.get_xdata()) for line in ax.get_lines() if len(line.get_xdata()) == 2]
    assert intervals == [(row.low, row.high) for row in standings]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first row is on top
    assert not texts(ax)
    assert title(ax) == "means of 24 queries with 95% intervals"
    assert caption(ax) == (
        "no significant difference by the randomisation test with the Holm correction for 3 tests; "
        "ties by docid"
    )


def test_a_leaderboard_lists_the_runs_that_a_run_is_better_than() -> None:
    found = many(5)
    ax = found.plot("leaderboard")
    beaten = {row.run: row.better_than for row in found.leaderboard}
    letter = dict(map(str.split, rows(ax)))
    assert [*letter] == ["a", "b", "c", "d", "e"]
    assert any(beaten.values())
    for run, shown in zip(letter.values(), texts(ax), strict=True):
        first, _, last = shown.get_text().strip().partition("–")
        within = [name for key, name in letter.items() if first <= key <= (last or first)]
        assert within == sorted(beaten[run], key=[*letter.values()].index)
    assert "letters on the right: runs that are significantly worse by the t test" in caption(ax)


def test_a_leaderboard_has_a_panel_for_each_measure(of_pairs: rm.Comparison) -> None:
    ax = of_pairs.plot()
    panels = ax.figure.axes
    assert [panel.get_xlabel() for panel in panels] == ["nDCG@10", "AP"]
    assert rows(panels[0]) == list(dict.fromkeys(row.run for row in of_pairs.leaderboard))
    assert rows(panels[1]) == ["", "", ""]
    by_run = {row.run: row.mean for row in of_pairs.leaderboard.where(measure="AP")}
    assert [dot.get_xdata()[0] for dot in dots(panels[1])] == [by_run[r] for r in rows(panels[0])]


def test_hollow_dots_are_runs_not_told_apart_from_the_baseline(
    against_bm25: rm.Comparison,
) -> None:
    ax = against_bm25.plot("leaderboard", measure="nDCG@10")
    apart = {row.run: row.significant for row in against_bm25.differences.where(measure="nDCG@10")}
    hollow = [to_hex(dot.get_markerfacecolor()) == "#ffffff" for dot in dots(ax)]
    assert hollow == [not apart.get(run, True) for run in rows(ax)]
    dashed = [line.get_xdata()[0] for line in ax.get_lines() if line.get_linestyle() == "--"]
    assert dashed == [against_bm25["bm25"]["nDCG@10"]]
    expected = "dashed line: mean of bm25; hollow dots: not significantly different from it"
    assert expected in caption(ax)


def test_a_matrix_shows_row_less_column_and_shades_what_is_told_apart() -> None:
    found = many(4)
    ax = found.plot("matrix")
    order = [name.split()[1] for name in rows(ax)]
    assert order == [f"system-{run}" for run in (3, 2, 1, 0)]
    shown = {tuple(round(x) for x in text.get_position()): text.get_text() for text in texts(ax)}
    shades = ax.images[0].get_array()
    for pair in found.differences:
        row, column = order.index(pair.run), order.index(pair.baseline)
        difference, p = shown[column, row].split("\n")
        assert difference == f"{pair.difference:+.3f}".replace("-", MINUS)
        assert shown[row, column].split("\n")[0] == f"{-pair.difference:+.3f}".replace("-", MINUS)
        assert p == ("<0.001" if pair.adjusted_p < 0.001 else f"{pair.adjusted_p:.3f}")
        assert np.ma.is_masked(shades[row, column]) != pair.significant
        if pair.significant:
            assert shades[row, column] == pair.difference
    assert len(shown) == 12
    assert any(pair.significant for pair in found.differences)
    assert title(ax) == "nDCG@10, row minus column, 30 queries"
    assert "p below each difference" in caption(ax)
    assert "t test with the Holm correction for 6 tests" in caption(ax)


@pytest.mark.slow
def test_blue_is_better_also_where_less_is() -> None:
    for measure, sign in (("nDCG@10", 1), ("MeanRank", -1)):
        ax = compared(measures=measure).plot("matrix")
        shades = ax.images[0]
        red, _, blue = shades.cmap(shades.norm(sign * shades.norm.vmax))[:3]
        assert blue > red
        assert rows(ax)[0].split()[1] == compared(measures=measure).leaderboard[0].run


def test_bars_join_runs_that_are_not_told_apart() -> None:
    found = many(6)
    ax = found.plot("critical-difference")
    standings = {row.run: row for row in found.leaderboard}
    bars = [
        sorted(np.asarray(line.get_xdata()).tolist())
        for line in dots(ax)
        if line.get_ydata()[0] < 0
    ]
    order = sorted(standings.values(), key=lambda row: row.rank)
    apart = {frozenset([row.run, row.baseline]) for row in found.differences if row.significant}
    alike = [
        {row.run for row in rows}
        for size in range(len(order), 1, -1)
        for rows in itertools.combinations(order, size)
        if not any(frozenset([a.run, b.run]) in apart for a, b in itertools.combinations(rows, 2))
    ]
    largest = [one for one in alike if not any(one < other for other in alike)]
    groups = [sorted(standings[run].mean for run in one) for one in largest]
    assert sorted(bars) == sorted(group for group in groups if len(group) > 1)
    assert bars
    by_mean = sorted(standings.values(), key=lambda row: row.mean)
    names = [re.sub(r"\s*\d\.\d{4}\s*", "", text.get_text()).strip() for text in texts(ax)]
    assert sorted(names) == sorted(found.runs)
    best = max(texts(ax), key=lambda text: (text.get_position()[0], text.get_position()[1]))
    assert by_mean[-1].run in best.get_text()
    assert "bars join runs that do not differ significantly at level 0.05 by the t test" in caption(
        ax
    )


def test_the_best_run_is_on_the_right_also_where_less_is_better() -> None:
    ax = compared(measures="MeanRank").plot("critical-difference")
    left, right = ax.get_xlim()
    assert left > right
    assert ax.get_xlabel() == "MeanRank, lower is better"


def test_bars_that_overlap_have_lanes_of_their_own() -> None:
    values = [5.0, 4.0, 3.0, 2.0, 1.0]
    found = lanes_of(values, [[0, 1], [1, 2, 3], [2, 3], [3, 4]])
    assert found == [(0, [0, 1]), (1, [1, 2, 3]), (0, [2, 3]), (2, [3, 4])]
    taken: dict[int, list[set[int]]] = {}
    for lane, group in found:
        spanned = set(range(min(group), max(group) + 1))
        assert all(not spanned & other for other in taken.setdefault(lane, []))
        taken[lane].append(spanned)


def at_depths(**choices: Any) -> rm.Comparison:
    return compared(measures=["AP", "nDCG@3", "nDCG@1", "nDCG@10"], test="t", **choices)


@pytest.mark.slow
def test_differences_at_each_cutoff_have_intervals_and_marks_where_told_apart() -> None:
    found = at_depths(baseline="bm25")
    ax = found.plot("cutoffs", measure="nDCG")
    rows_of = {(row.run, row.measure): row for row in found.differences}
    panels = {panel.get_title(loc="left"): panel for panel in ax.figure.axes}
    order = sorted(found.leaderboard.where(measure="nDCG@1"), key=lambda row: row.rank)
    assert [*panels] == [row.run for row in order if row.run != "bm25"]
    filled = []
    for run, panel in panels.items():
        at = [rows_of[run, f"nDCG@{k}"] for k in (1, 3, 10)]
        (band,) = panel.collections
        (line,) = (line for line in panel.get_lines() if line.get_linewidth() == 1.4)
        assert to_hex(band.get_facecolor()[0]) == to_hex(line.get_color())
        assert line.get_xdata().tolist() == [1, 3, 10]
        assert line.get_ydata().tolist() == [row.difference for row in at]
        ends = {(x, y) for x, y in band.get_paths()[0].vertices.tolist()}
        assert {(k, end) for k, row in zip((1, 3, 10), at, strict=True)
                for end in (row.adjusted_low, row.adjusted_high)} <= ends  # fmt: skip
        markers = [line for line in panel.get_lines() if line.get_linestyle() == "None"]
        filled.append(np.isfinite(markers[1].get_ydata()).tolist())
    assert filled == [
        [bool(rows_of[run, f"nDCG@{k}"].significant) for k in (1, 3, 10)] for run in panels
    ]
    assert any(map(any, filled))
    assert title(ax) == "nDCG@k minus that of bm25, 24 queries"
    assert caption(ax) == (
        "grey lines: the other runs; bands: adjusted 95% intervals; filled markers: significant by "
        "the t test with the Holm correction for 2 tests at each k; ties by docid"
    )
    everything = at_depths(family="all", baseline="bm25")
    assert "minus that of bm25" in title(everything.plot("cutoffs", measure="nDCG@3"))
    assert "correction for 8 tests; ties" in caption(everything.plot("cutoffs", measure="nDCG"))


def test_bands_of_several_runs_never_overlap() -> None:
    dice = np.random.default_rng(0)
    rows = pd.DataFrame(
        [
            {"run": f"r{run}", "query_id": f"q{query}"}
            | {f"P@{k}": dice.random() + 0.1 * run for k in (1, 5)}
            for run in range(3)
            for query in range(9)
        ]
    )
    found = rm.compare_scores(rows, test="t", baseline="r0")
    alone = found.plot("cutoffs", measure="P", highlight="r2")
    assert len(alone.figure.axes) == len(alone.collections) == 1
    assert "bands" in caption(alone)
    left = plt.subplots(1, 2)[1][0]
    assert found.plot("cutoffs", measure="P", ax=left) is left
    assert not left.collections
    assert "bands" not in caption(left)
    small = Figure(figsize=(2.5, 2.5), layout="constrained").add_subplot()
    assert not found.plot("cutoffs", measure="P", ax=small).collections
    parts = found.plot("cutoffs", measure="P").figure.axes
    assert [len(part.collections) for part in parts] == [1, 1]
    assert len({part.get_ylim() for part in parts}) == 1


def test_cutoffs_need_a_measure_at_several() -> None:
    with pytest.raises(rm.InputError, match="AP has 0; compare several, such as nDCG @"):
        at_depths(baseline="bm25").plot("cutoffs")
    with pytest.raises(rm.InputError, match="cutoffs draws 1 measure, and there are 2"):
        at_depths(baseline="bm25").plot("cutoffs", measure=["nDCG", "AP"])


@pytest.mark.slow
def test_the_command_expands_a_measure_to_cutoffs() -> None:
    base = ["cutoffs", EXAMPLE / "qrels.txt", *RUNS, "--baseline", "bm25", "--test", "t"]
    done = plotted(*base, "--cutoffs", "1..3,10")
    found = compared(measures="nDCG@1,2,3,10", test="t", baseline="bm25")
    assert done.stdout.encode() == ComparedPlot("cutoffs", found).as_file("svg")
    assert plotted(*base, "-m", "Bpref").exit_code == 1  # it takes no cutoff
    assert plotted(*base, "-m", "nDCG").exit_code == 0  # at 1 to 20


@pytest.mark.slow
@pytest.mark.parametrize("kind", RANKED)
def test_files_are_the_same_each_time_and_of_three_formats(
    kind: Any, of_pairs: rm.Comparison
) -> None:
    picture = ComparedPlot(kind, of_pairs, "AP")
    with plt.style.context("dark_background"):
        svg = picture.as_file("svg")
    assert svg == ComparedPlot(kind, of_pairs, "AP").as_file("svg")
    assert all(run.encode() in svg for run in of_pairs.runs)
    if kind == "leaderboard":  # any kind is written alike
        assert picture.as_file("png", (4, 3)).startswith(b"\x89PNG")
        assert picture.as_file("pdf", (4, 3)).startswith(b"%PDF")


@pytest.mark.slow
@pytest.mark.parametrize("kind", RANKED)
@pytest.mark.parametrize("runs", [2, 24])
def test_many_runs_with_long_names_are_legible(kind: Any, runs: int) -> None:
    found = many(runs, longer="-with-a-name-of-a-few-more-letters-than-fit")
    svg = ComparedPlot(kind, found).as_file("svg").decode()
    sizes = [float(size) for size in re.findall(r"font(?:-size)?: ([\d.]+)px", svg)]
    assert min(sizes) >= 4
    assert svg.count("system-") >= runs


@pytest.mark.slow
@pytest.mark.parametrize("kind", RANKED)
def test_runs_that_have_no_room_are_refused(kind: Any) -> None:
    with pytest.raises(rm.InputError, match=r"make (the picture|it) (higher|larger)"):
        ComparedPlot(kind, many(40)).as_file("svg", (3, 1.5))


def test_what_is_undefined_leaves_no_mark() -> None:
    scores = pd.DataFrame(
        {
            "run": ["a", "a", "b", "b", "c", "c"],
            "query_id": ["1", "2"] * 3,
            "clicks": [0.5, 0.5, 0.1, 0.4, math.nan, math.nan],
        }
    )
    found = rm.compare_scores(scores)
    ax = found.plot("leaderboard")
    assert rows(ax) == ["a", "b", "c"]
    assert len(dots(ax)) == 2
    assert [text.get_text() for text in texts(ax)] == ["no score"]
    assert "with the Holm correction for 1 test" in caption(ax)
    joined = found.plot("critical-difference")
    assert len(texts(joined)) == 2
    same = rm.compare_scores(scores.replace(math.nan, 0.5), test="t").plot("matrix")
    assert "0\nno p" in [text.get_text() for text in texts(same)]
    one = rm.compare_scores(scores[scores.run == "a"])
    assert rows(one.plot("leaderboard")) == ["a"]


@pytest.mark.slow
def test_other_kinds_are_drawn_of_the_evaluations(of_pairs: rm.Comparison) -> None:
    ax = of_pairs.plot("curve", measure="P@5", k=5)
    first, *others = of_pairs.evaluations.values()
    expected = first.plot("curve", *others, measures="P@5", k=5, names=of_pairs.runs)
    assert [line.get_ydata().tolist() for line in ax.get_lines()] == [
        line.get_ydata().tolist() for line in expected.get_lines()
    ]
    assert len(of_pairs.plot("distribution", measures="AP").get_yticklabels()) == 3
    ax = of_pairs.plot("differences", runs=["lsa", "bm25"])
    assert "nDCG@10: bm25 minus lsa" in title(ax)


@pytest.mark.slow
def test_the_baseline_is_the_baseline_of_other_kinds() -> None:
    found = rm.compare(EXAMPLE / "qrels.txt", RUNS[:2], "AP", baseline="lsa")
    assert "AP: bm25 minus lsa" in title(found.plot("differences"))


@pytest.mark.slow
def test_a_run_has_one_colour_in_all_pictures(of_pairs: rm.Comparison) -> None:
    curve = of_pairs.plot("curve", measure="P@5", runs=["bm25", "lsa", "overlap"])
    legend: Any = curve.get_legend()
    by_curve = {
        text.get_text(): to_hex(handle.get_color())
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True)
    }
    ax = of_pairs.plot("leaderboard", measure="AP")
    shades = [to_hex(dot.get_markeredgecolor()) for dot in dots(ax)]
    assert dict(zip(rows(ax), shades, strict=True)) == by_curve
    grey = of_pairs.plot("leaderboard", measure="AP", highlight="lsa")
    colours = dict(zip(rows(grey), (dot.get_markeredgecolor() for dot in dots(grey)), strict=True))
    assert len({colours["bm25"], colours["overlap"]}) == 1
    assert colours["lsa"] != colours["bm25"]


@pytest.mark.parametrize("kind", RANKED)
def test_a_dark_style_hides_nothing(kind: Any) -> None:
    found = many(3)
    with plt.style.context("dark_background"):
        made = found.plot(kind)
        assert not {to_rgb(line.get_color()) for line in dots(made)} & {(0.0, 0.0, 0.0)}
        assert {to_rgb(text.get_color()) for text in made.texts} - {(0.0, 0.0, 0.0)}


@pytest.mark.slow
def test_a_picture_is_drawn_on_axes_of_the_caller(of_pairs: rm.Comparison) -> None:
    for kind in RANKED:
        ax = axes()
        assert of_pairs.plot(kind, measure="AP", title=False, ax=ax) is ax
        written(ax)
        assert title(ax) == ""
    figure, (left, right) = plt.subplots(1, 2, layout="constrained")
    assert of_pairs.plot("critical-difference", ax=left) is left
    assert "bars join" in caption(left)
    with pytest.raises(rm.InputError, match="2 measures take a figure of their own"):
        of_pairs.plot("leaderboard", ax=right)
    assert figure.get_suptitle() == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "pie"}, "kind is 'pie'; need one of leaderboard, matrix"),
        ({"kind": ["matrix"]}, "kind is"),
        (
            {"kind": "matrix", "measure": ["AP", "nDCG@10"]},
            "matrix draws 1 measure, and there are 2; name one",
        ),
        ({"kind": "matrix", "k": 5}, "matrix does not use k"),
        ({"kind": "leaderboard", "runs": ["lsa"]}, "leaderboard does not use runs"),
        ({"kind": "leaderboard", "measure": "P@3"}, "was not evaluated"),
        ({"kind": "leaderboard", "measure": []}, "measure names none"),
        ({"kind": "leaderboard", "highlight": "none"}, "no run is called 'none'"),
        ({"kind": "leaderboard", "title": 1}, "title is 1"),
        ({"kind": "leaderboard", "ax": 1}, "ax is a int"),
        ({"measure": "AP", "measures": "AP"}, "measure and measures are one parameter"),
        ({"kind": "differences"}, "differences takes 2 runs, and there are 3; choose them with"),
        ({"kind": "curve", "runs": ["none"]}, "no run is called 'none'"),
    ],
)
def test_what_cannot_be_drawn_is_said(
    arguments: dict[str, Any], message: str, of_pairs: rm.Comparison
) -> None:
    with pytest.raises((rm.InputError, rm.MeasureError), match=re.escape(message)):
        of_pairs.plot(**arguments)


def test_pairs_need_all_pairs_and_evaluations_a_comparison(against_bm25: rm.Comparison) -> None:
    for kind in ("matrix", "critical-difference"):
        with pytest.raises(rm.InputError, match="only those with 'bm25' were compared"):
            against_bm25.plot(kind)
        with pytest.raises(rm.InputError, match=f"{kind} needs two runs or more"):
            many(1).plot(kind)
    with pytest.raises(rm.InputError, match="leaderboard is drawn of a comparison"):
        against_bm25.evaluations["bm25"].plot("leaderboard")  # type: ignore[arg-type]
    with pytest.raises(rm.InputError, match="these scores came from another program"):
        many(2).plot("curve")
