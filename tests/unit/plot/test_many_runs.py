"""Pictures of many runs: which stand out, which stand back, and what each line is called."""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import rankmark as rm
from rankmark.results.drawing.figures import COLOURS
from rankmark.results.drawing.lines import spread
from rankmark.verbs.plot.evaluation_plots import Plot
from rankmark.verbs.plot.kinds import NAMES
from rankmark.verbs.plot.plot_request import numbers_of_runs
from unit.plot.plotted import axes, caption, evaluations, legend, runs_of, texts, title, written

pytestmark = pytest.mark.slow

HELD: list[Any] = []
"""What evaluations read again for some pictures, and do not hold themselves."""


@cache
def runs(count: int, queries: int = 40) -> list[rm.Evaluation]:
    """Evaluate runs, the first of them the worst, the last the best."""
    labels = np.random.default_rng(0).integers(0, 3, (queries, 30))
    noise = np.random.default_rng(1).normal(size=(count, *labels.shape))
    scores = [labels + one * 0.3 * (count - at + 1) for at, one in enumerate(noise)]
    HELD.append([labels, *scores])
    return [rm.evaluate(labels, one, ["nDCG@10", "AP"]) for one in scores]


def names(count: int) -> list[str]:
    return [f"system-{chr(97 + (7 * at) % count)}" for at in range(count)]


def labels_of(ax: Axes) -> Any:
    (labels,) = [one for one in ax.artists if type(one).__name__ == "EndLabels"]
    return labels


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        *((kind, (3.3, 2.5)) for kind in ("curve", "dcg", "precision-recall", "judged")),
        ("curve", (6.0, 4.0)),
        ("judged", (8.0, 5.0)),
    ],
)
def test_names_stand_at_the_ends_of_lines_without_overlaps(kind: Any, size: Any) -> None:
    evs = runs(17)
    figure = Figure(figsize=size, layout="constrained")
    ax = figure.add_subplot()
    evs[0].plot(kind, *evs[1:], names=names(17), ax=ax)
    figure.draw_without_rendering()
    labels = labels_of(ax)
    assert sorted(one.get_text() for one in labels.texts) == sorted(names(17))
    boxes = sorted(
        (one.get_window_extent(figure._get_renderer()) for one in labels.texts),
        key=lambda box: box.y0,
    )
    middles = [(box.y0 + box.y1) / 2 for box in boxes]
    tall = 0.6 * max(one.get_fontsize() for one in labels.texts) * figure.dpi / 72
    assert all(high - low >= tall for low, high in pairwise(middles))
    assert all(box.x0 >= ax.bbox.x1 and box.x1 <= figure.bbox.x1 + 1 for box in boxes)


def test_of_many_runs_the_six_best_have_colours(ax: Axes) -> None:
    evs = runs(17)
    given = names(17)
    evs[0].plot("curve", *evs[1:], names=given, ax=ax)
    numbers = numbers_of_runs(evs, given)
    chosen = {run for run, number in enumerate(numbers) if number is not None}
    means = [ev["nDCG@10"] for ev in evs]
    assert chosen == {*np.argsort(-np.array(means))[:6].tolist()}
    assert 0 not in numbers  # black is the baseline's
    marked = [one.get_marker() != "None" for one in labels_of(ax).leaders]
    assert marked == [number is not None for number in numbers]
    coloured = {to_hex(line.get_color()).upper() for line in ax.get_lines()} & set(COLOURS)
    assert len(coloured) == 6
    assert legend(ax) == []


@pytest.mark.parametrize("kind", ["curve", "dcg", "precision-recall", "judged"])
def test_a_run_has_one_colour_in_all_kinds(kind: Any, ax: Axes) -> None:
    """It goes by the runs' names, not by the order in which they are given."""
    bm25, lsa, overlap = evaluations()
    overlap.plot(kind, bm25, lsa, names=["c", "a", "b"], ax=ax)
    colours = [to_hex(line.get_color()).upper() for line in ax.get_lines()]
    in_order = list(dict.fromkeys(one for one in colours if one in COLOURS))
    assert in_order[:3] == [COLOURS[3], COLOURS[1], COLOURS[2]]


def test_a_run_has_its_colour_in_pictures_by_query_too(ax: Axes) -> None:
    bm25, lsa, _ = evaluations()
    lsa.plot("differences", bm25, measures="AP", ax=ax)
    gain, loss = (to_hex(ax.patches[at].get_facecolor()).upper() for at in (0, -1))
    assert (gain, loss) == (COLOURS[1], COLOURS[2])
    other = axes()
    lsa.plot("distribution", bm25, measures="AP", ax=other)
    rows = [to_hex(one.get_facecolor()[0]).upper() for one in other.collections]
    assert rows == [COLOURS[2], COLOURS[1]]
    points = axes()
    lsa.plot("scatter", bm25, measures="AP", ax=points)
    places = points.collections[0].get_offsets().data
    shades = [to_hex(one).upper() for one in points.collections[0].get_facecolor()]
    for (x, y), shade in zip(places.tolist(), shades, strict=True):
        if x != y:
            assert shade == (COLOURS[1] if y > x else COLOURS[2])


def test_highlighted_runs_have_colours_and_the_others_stand_back(ax: Axes) -> None:
    evs = evaluations()
    evs[0].plot("curve", *evs[1:], k=2, highlight=["lsa"], ax=ax)
    shades = [to_hex(line.get_color()).upper() for line in ax.get_lines()]
    assert shades.count(COLOURS[1]) == 1
    assert len(set(shades)) == 2
    assert [one.get_text() for one in labels_of(ax).texts] == ["bm25", "lsa", "overlap"]
    by_file = numbers_of_runs(evs, ["a", "b", "c"], "overlap.run")
    assert by_file == [None, None, 1]
    with pytest.raises(rm.InputError, match="8 runs, and there are 7 distinct colours"):
        numbers_of_runs(runs(8), [*"abcdefgh"], [*"abcdefgh"])


@pytest.mark.parametrize("kind", NAMES)
def test_every_kind_takes_a_highlight_and_no_title(kind: Any, ax: Axes) -> None:
    first, *others = runs_of(kind, evaluations())
    first.plot(kind, *others, highlight="lsa" if others else "bm25", title=False, ax=ax)
    written(ax)
    assert not title(ax)
    assert not caption(ax)


def test_lines_end_where_rankings_end(ax: Axes) -> None:
    qrels = {query: {"a": 1, "b": 1} for query in "qrs"}
    short = rm.evaluate(qrels, {"q": ["a", "x"], "r": ["a"], "s": ["a"]}, "P")
    long = rm.evaluate(qrels, {query: ["x", "a", "y", "z", "b"] for query in "qrs"}, "P")
    short.plot("curve", long, measures="P", k=8, names=["short", "long"], ax=ax)
    lines = [line for line in ax.get_lines() if line.get_linestyle() != "None"]
    assert [list(line.get_xdata()) for line in lines] == [[1], [1, 2], [1, 2, 3, 4, 5]]
    assert ax.get_xlim()[1] >= 8
    said = caption(ax)
    assert ax.get_xlabel() == "k"
    assert "a line ends with the run's longest ranking; thin where fewer than half" in said
    whole = axes()
    long.plot("curve", measures="P", k=5, ax=whole)
    assert whole.get_xlabel() == "k"


def test_shares_and_gains_end_with_the_rankings_and_the_ideal_does_not(ax: Axes) -> None:
    qrels = {"q": {f"d{at}": 1 for at in range(6)}}
    ev = rm.evaluate(qrels, {"q": ["d0", "d1", "x"]}, "nDCG@6")
    ev.plot("dcg", ax=ax)
    lengths = {len(line.get_xdata()) for line in ax.get_lines()}
    assert {3, 6} <= lengths
    shares = axes()
    ev.plot("judged", k=6, ax=shares)
    assert max(len(line.get_xdata()) for line in shares.get_lines()) == 3


def test_ranks_on_a_logarithmic_axis_are_spaced_along_it(ax: Axes) -> None:
    labels = np.zeros((2, 3000))
    labels[:, 5] = 1
    ev = rm.evaluate(labels, np.random.default_rng(0).random(labels.shape), "R@3000")
    ev.plot("curve", log_k=True, ax=ax)
    written(ax)
    assert ax.get_xscale() == "log"
    ranks = ax.get_lines()[0].get_xdata()
    assert (ranks[0], ranks[-1]) == (1, 3000)
    assert (np.asarray(ranks) <= 100).sum() > 80  # evenly spaced there would be 14
    shown = [one.get_text() for one in ax.get_xticklabels()]
    assert {"1", "10", "100", "1,000"} <= set(shown)


@pytest.mark.parametrize(("last", "shown"), [(50, {"1", "2", "5", "20", "50"}), (900, {"1", "10"})])
def test_a_short_logarithmic_axis_has_numbers_between_powers_of_ten(
    last: int, shown: set[str], ax: Axes
) -> None:
    ev = rm.evaluate(np.ones((1, last)), np.arange(last)[None].astype(float), "R")
    ev.plot("curve", measures="R", k=last, log_k=True, ax=ax)
    written(ax)
    assert shown <= {one.get_text() for one in ax.get_xticklabels()}


def test_the_extreme_queries_of_a_difference_are_named(ax: Axes) -> None:
    evs = runs(2, queries=120)
    evs[0].plot("differences", evs[1], names=["a", "b"], ax=ax)
    steps = evs[1].scores[:, 0] - evs[0].scores[:, 0]
    above, below = (text.get_text().splitlines() for text in texts(ax))
    most = [evs[0].queries[at] for at in np.argsort(-steps)[:3]]
    least = [evs[0].queries[at] for at in np.argsort(steps)[:3]]
    assert above[0] == f"b better: {(steps > 0).sum()}"
    assert above[1].startswith("most: ")
    assert [one.split()[0] for one in above[1].removeprefix("most: ").split(", ")] == most
    assert [one.split()[0] for one in below[0].removeprefix("most: ").split(", ")] == least
    assert below[1] == f"a better: {(steps < 0).sum()}"


def test_gains_come_first_where_less_is_better(ax: Axes) -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    one = rm.evaluate(qrels, {"q": ["x", "y", "a"], "r": ["a"]}, "MeanRank")
    two = rm.evaluate(qrels, {"q": ["a"], "r": ["x", "a"]}, "MeanRank")
    one.plot("differences", two, names=["one", "two"], ax=ax)
    assert [bar.get_height() for bar in ax.patches] == [-2.0, 1.0]
    assert "lower is better" in ax.get_ylabel()
    assert {text.get_text() for text in texts(ax)} == {"two better: 1", "one better: 1"}


def test_a_heat_map_drawn_again_has_one_colour_bar(ax: Axes) -> None:
    evs = evaluations()
    for _ in range(3):
        evs[0].plot("heatmap", *evs[1:], ax=ax)
    assert len(ax.figure.axes) == 2
    assert len(ax.images) == 1
    written(ax)
    many = [rm.evaluate(np.ones((1500, 2)), np.random.default_rng(at).random((1500, 2)), "RR")
            for at in range(2)]  # fmt: skip
    many[0].plot("scatter", many[1], ax=ax)
    assert len(ax.figure.axes) == 2


def test_places_are_spread_without_overlaps_and_near_where_they_should_be() -> None:
    dice = np.random.default_rng(3)
    for count in (1, 2, 5, 17):
        wanted = dice.random(count)
        places = spread(wanted, 0.05, 0.0, 1.0)
        assert (np.diff(np.sort(places)) >= 0.05 - 1e-12).all()
        assert places.min() >= -1e-12
        assert places.max() <= 1.0 + 1e-12
        assert np.argsort(places, kind="stable").tolist() == np.argsort(wanted).tolist()
    apart = np.array([0.9, 0.1, 0.5])
    assert spread(apart, 0.05, 0.0, 1.0) == pytest.approx(apart)
    assert spread(np.array([0.5, 0.5]), 0.2, 0.0, 1.0) == pytest.approx([0.4, 0.6])
    assert spread(np.zeros(5), 0.5, 0.0, 1.0) == pytest.approx(np.arange(5) / 4)


def test_seventeen_runs_fit_a_column_of_print_in_every_kind() -> None:
    evs = runs(17)
    for kind in NAMES:  # lines and their names are measured above
        if kind in {"curve", "dcg", "precision-recall"}:
            continue
        chosen = runs_of(kind, evs)
        picture = Plot(kind, chosen, names=names(17)[: len(chosen)])
        assert picture.as_file("svg", (3.3, 2.5)).startswith(b"<?xml")


@pytest.fixture
def ax() -> Axes:
    return axes()
