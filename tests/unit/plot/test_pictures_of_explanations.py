"""Pictures of explanations: a row for each rank, and the numbers of the explanation in it."""

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import rankmark as rm
from rankmark import AP, nDCG
from rankmark.errors import InputError, MeasureError, MissingDependencyError
from rankmark.measures import ALL, RBPResidual, Utility, alpha_nDCG
from unit.commands import rankmark_here, told
from unit.plot.plotted import EXAMPLE, axes, legend, title, written

QRELS, BM25 = str(EXAMPLE / "qrels.txt"), str(EXAMPLE / "bm25.run")


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    mpl.use("agg")
    plt.close("all")
    yield
    plt.close("all")


def names(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def bars(ax: Axes, at: int) -> list[float]:
    return [bar.get_width() for bar in ax.containers[at]]


def test_a_row_for_each_rank_has_what_it_adds_beside_the_ideal() -> None:
    ax = nDCG.plot([2, 3, 0], missed=[1], ax=axes())
    told = nDCG.explain([2, 3, 0], missed=[1])
    assert names(ax) == ["1: label 2", "2: label 3", "3: label 0"]
    assert bars(ax, 0) == [row["contribution"] for row in told.rows]
    assert bars(ax, 1) == [row["contribution"] for row in told.ideal]
    assert sum(bars(ax, 0)) == pytest.approx(nDCG([2, 3, 0], missed=[1]))
    assert sum(bars(ax, 1)) == pytest.approx(1.0)
    assert legend(ax) == [f"this ranking: {told.value:.4f}", "ideal ranking: 1"]
    assert title(ax) == "nDCG"
    assert ax.get_xlabel() == "what the document adds to nDCG"
    top, bottom = ax.get_ylim()
    assert top > bottom, "the first rank is on top"
    assert [text.get_text() for text in ax.texts] == ["0.4200", "0.3975", "0"]


def test_the_same_is_drawn_of_ids_and_of_an_evaluation() -> None:
    by_ids = nDCG.plot(ranking=["a", "b"], relevant={"b": 2, "c": 1}, ax=axes())
    assert names(by_ids) == ["1: a, unjudged", "2: b, label 2"]
    found = rm.evaluate(QRELS, BM25, "nDCG@10").explain("q02", "AP")
    ax = found.plot(ax=axes(), title=False)
    assert title(ax) == ""
    assert title(found.plot(ax=axes())) == "AP of query q02"
    assert names(ax)[0] == "1: knife-01, label 3"
    assert bars(ax, 0) == [row["contribution"] for row in found.rows]


def test_an_ideal_ranking_that_is_longer_has_rows_of_its_own() -> None:
    ax = AP.plot([0], missed=[1, 1], ax=axes())
    assert names(ax) == ["1: label 0", "2: no document"]
    assert bars(ax, 1) == [0.5, 0.5]


def test_rows_without_a_rank_are_named_and_drawn() -> None:
    assert names(RBPResidual.plot([1, None], ax=axes())) == [
        *("1: label 1", "2: unjudged", "ranks further down")
    ]
    missed = Utility(miss=-2.0).plot([1, 0], missed=[1], ax=axes())
    assert names(missed)[-1] == "not retrieved: label 1"
    assert bars(missed, 0) == [1.0, -1.0, -2.0]
    assert missed.get_xlim()[0] < -2.0
    assert legend(missed) == ["this ranking: -2"]


def test_subtopics_and_negative_labels_are_named() -> None:
    qrels = {"q": {"1": {"a": 1}, "2": {"a": 1, "c": 1}}}
    ax = rm.explain(qrels, {"q": ["a", "x", "c"]}, "q", alpha_nDCG).plot(ax=axes())
    assert names(ax) == ["1: a, subtopics 1 2", "2: x, unjudged", "3: c, subtopic 2"]
    assert names(nDCG.plot([-2, 1], ax=axes()))[0] == "1: label -2"


@pytest.mark.parametrize("count", [41, 1000])
def test_long_rankings_are_counted_and_end_where_nothing_is_added(count: int) -> None:
    labels = [0] * count
    labels[0] = labels[29] = 1
    ax = AP.plot(labels, ax=axes())
    told = AP.explain(labels)
    assert title(ax) == "AP: documents from rank 31 on add nothing"
    assert len(names(ax)) == 30
    assert bars(ax, 0) == [row["contribution"] for row in told.rows[:30]]
    labels[-1] = 1
    ax = AP.plot(labels, ax=axes())
    assert title(ax) == "AP"
    assert ax.get_ylim()[0] > count
    if count == 1000:
        assert ax.get_ylabel() == "rank"
        assert not ax.texts
        (drawn,) = ax.collections
        segments = drawn.get_segments()
        assert [float(line[1][0]) for line in segments] == [
            row["contribution"] for row in AP.explain(labels).rows
        ]
        assert min(drawn.get_linewidths()) >= 0.8, "a bar that is too thin cannot be seen"


@pytest.mark.parametrize("size", [(3.3, 2.5), (12.0, 3.0)])
def test_texts_stay_within_narrow_and_wide_pictures(size: tuple[float, float]) -> None:
    ax = Figure(figsize=size, layout="constrained").add_subplot()
    ids = [f"a-document-with-a-very-long-id-{i}" for i in range(8)]
    nDCG.plot(ranking=ids, relevant={ids[0]: 3, ids[5]: 1}, ax=ax)
    written(ax)
    whole = ax.figure.bbox
    shown = [text for text in [*ax.get_yticklabels(), *ax.texts] if text.get_text()]
    for text in shown:
        box = text.get_window_extent()
        assert box.x0 >= whole.x0 - 1
        assert box.x1 <= whole.x1 + 1
    tops = sorted((text.get_window_extent() for text in ax.get_yticklabels()), key=lambda b: b.y0)
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(tops))


def test_a_dark_style_keeps_lines_visible() -> None:
    with plt.style.context("dark_background"):
        ax = nDCG.plot([1, 0, 2])
        paper = to_rgb(ax.get_facecolor())
        for bar in [*ax.containers[0], ax.containers[1][0]]:
            drawn = bar.get_facecolor() if bar in [*ax.containers[0]] else bar.get_edgecolor()
            assert np.abs(np.subtract(to_rgb(drawn), paper)).max() > 0.4
        assert all(np.abs(np.subtract(to_rgb(t.get_color()), paper)).max() > 0.4 for t in ax.texts)


def test_without_axes_a_figure_of_pyplot_is_made_as_high_as_it_needs() -> None:
    before = dict(mpl.rcParams)
    short, long = nDCG.plot([1, 0]), nDCG.plot([1, 0] * 8)
    assert [short.figure.number, long.figure.number] == plt.get_fignums()
    assert short.figure.get_size_inches()[1] < long.figure.get_size_inches()[1] <= 9
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("one", ALL, ids=str)
def test_every_measure_is_drawn_or_refused_in_words(one: Any) -> None:
    labels: list[Any] = [["1"], None, ["2"]] if one.depends_on == "subtopics" else [1, None, 0, 2]
    told = one.explain(labels)
    known = all(row["contribution"] is not None for row in [*told.rows, *told.ideal])
    if known:
        drawn = sum(bars(one.plot(labels, ax=axes()), 0))
        assert drawn == pytest.approx(told.value)
    else:
        with pytest.raises(MeasureError, match=r"what each document adds to .* is unknown"):
            one.plot(labels, ax=axes())


@pytest.mark.parametrize(
    ("draw", "error", "message"),
    [
        (lambda: rm.Own("x", labels=len).plot([1]), MeasureError, "adds to x is unknown; print"),
        (lambda: nDCG.plot([]), InputError, "there is no document to draw"),
        (lambda: nDCG.plot([1], ax=5), InputError, "ax is a int; need one Axes"),
        (lambda: nDCG.plot(["a"]), rm.errors.SchemaError, "label"),
        (lambda: nDCG.plot(ranking=["a", "a"], relevant={"a"}), rm.errors.DuplicateError, "a"),
        (lambda: nDCG(no_relevant="nan").plot([0]), InputError, "what a row adds is NaN"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_no_figure_stays(
    draw: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        draw()
    assert plt.get_fignums() == []


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"rankmark\[plot\]"):
        nDCG.plot([1, 0])


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_the_command_writes_the_picture_beside_the_text(form: str, tmp_path: Path) -> None:
    asked = ("explain", QRELS, BM25, "--query", "q02", "-m", "AP")
    beginnings = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    # Each time the same, as files of all kinds of pictures are.
    files = [tmp_path / f"{name}.{form}" for name in ("ab" if form == "svg" else "a")]
    done = [rankmark_here(*asked, "--plot", file) for file in files]
    assert {one.returncode for one in done} == {0}
    assert done[0].stdout == rankmark_here(*asked).stdout
    first = files[0].read_bytes()
    assert first.startswith(beginnings[form])
    if form == "svg":
        assert b"1: knife-01, label 3" in first
        assert first == files[1].read_bytes()


def test_the_command_refuses_a_picture_that_it_cannot_draw(tmp_path: Path) -> None:
    asked = ("explain", QRELS, BM25, "--query", "q02")
    wrong = rankmark_here(*asked, "--plot", tmp_path / "a.gif")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "has no known format; end it in .svg, .png or .pdf" in wrong.stderr
    against = rankmark_here(*asked, "--against", BM25, "--plot", tmp_path / "a.svg")
    assert against.returncode == 2
    assert "--plot draws the score of one run; leave --against out" in against.stderr
    here = tmp_path / "a.svg"
    both = rankmark_here(*asked, "--plot", here, "-o", here)
    assert both.returncode == 2
    assert "is to hold two results" in both.stderr
    absent = rankmark_here(*asked, "--plot", tmp_path / "none" / "a.svg")
    assert absent.returncode == 1
    assert "choose another path" in told(absent)
    assert [*tmp_path.iterdir()] == []


def test_notebooks_show_a_bar_for_each_number() -> None:
    found = nDCG.explain([1, 0, 2])
    shown = found._repr_html_()
    most = max(row["contribution"] for row in [*found.rows, *found.ideal])
    for row in found.rows:
        if row["contribution"]:
            assert f"width:{row['contribution'] / most * 5:.2f}em" in shown
    assert shown.count("border-top:0.6em solid") == 2
    assert "border:1px solid" in Utility.explain([0, 1])._repr_html_()
    assert "solid" not in rm.Own("x", labels=len).explain([1])._repr_html_()
