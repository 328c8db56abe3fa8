"""Pictures of evaluations: what is drawn, the words around it, and what is left alone."""

import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import rgb_to_hsv, to_rgb
from matplotlib.figure import Figure

import rankmark as rm
from rankmark.results.drawing.figures import COLOURS, DASHES, FORMATS, MARKERS
from rankmark.verbs.plot.evaluation_plots import Plot
from rankmark.verbs.plot.kinds import KINDS, NAMES
from rankmark.verbs.plot.numbers_by_rank import curves, ideals
from rankmark.verbs.plot.plot_request import names_of_runs
from unit.plot.plotted import (
    RUNS,
    axes,
    caption,
    evaluations,
    legend,
    many,
    runs_of,
    texts,
    title,
    written,
)


@pytest.fixture(scope="module")
def evs() -> list[rm.Evaluation]:
    return [*evaluations()]


@pytest.fixture
def ax() -> Axes:
    return axes()


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    mpl.use("agg")
    plt.close("all")
    yield
    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
def test_every_kind_draws_on_the_axes_given_and_gives_them_back(
    kind: Any, evs: list[rm.Evaluation], ax: Axes
) -> None:
    before = dict(mpl.rcParams)
    first, *others = runs_of(kind, evs)
    assert first.plot(kind, *others, ax=ax) is ax
    written(ax)
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == []
    assert ax.has_data()
    assert "ties by docid" in caption(ax)
    assert ax.get_xlabel()


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
def test_without_axes_a_figure_of_pyplot_is_made(kind: Any, evs: list[rm.Evaluation]) -> None:
    before = dict(mpl.rcParams)
    first, *others = runs_of(kind, evs)
    made = first.plot(kind, *others)
    assert plt.get_fignums() == [made.figure.number]
    assert dict(mpl.rcParams) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "form"), [*zip(NAMES, [*FORMATS, *["svg"] * len(NAMES)], strict=False)]
)
def test_the_same_picture_is_the_same_bytes_whatever_the_settings(
    kind: Any, form: Any, evs: list[rm.Evaluation]
) -> None:
    beginnings = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    chosen = runs_of(kind, evs)
    first = Plot(kind, chosen).as_file(form)
    assert first.startswith(beginnings[form])
    with mpl.rc_context({"font.size": 20, "axes.grid": True, "svg.hashsalt": "other"}):
        assert Plot(kind, chosen).as_file(form) == first
    if kind == NAMES[0]:
        assert Plot(kind, chosen).as_file(form, (3.3, 2.5)) != first


@pytest.mark.slow
def test_text_of_svg_stays_text(evs: list[rm.Evaluation]) -> None:
    svg = Plot("curve", evs).as_file("svg").decode()
    assert ">nDCG@k, mean of 24 queries</text>" in svg
    assert ">ties by docid</text>" in svg
    assert "Date" not in svg


@pytest.mark.slow
def test_a_curve_draws_its_numbers(evs: list[rm.Evaluation], ax: Axes) -> None:
    evs[0].plot("curve", evs[1], measures=["P", "R"], k=18, ax=ax)
    found = curves(evs[:2], (rm.P, rm.R), 18, None)
    lines = [(line.get_xdata(), line.get_ydata()) for line in ax.get_lines()]
    assert len(lines) == 4
    for (x, y), values in zip(lines, found.values.reshape(4, -1), strict=True):
        assert list(x) == found.k.tolist()
        assert list(y) == values.tolist()
    assert legend(ax) == ["bm25", "lsa", "P@k", "R@k"]
    assert title(ax) == "P@k, R@k, mean of 24 queries"
    assert caption(ax) == "ties by docid"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("k", "value")
    assert len({line.get_color() for line in ax.get_lines()}) == 2
    assert len({line.get_linestyle() for line in ax.get_lines()}) == 2


@pytest.mark.slow
def test_runs_differ_in_more_than_colour(evs: list[rm.Evaluation], ax: Axes) -> None:
    evs[0].plot("curve", *evs[1:], ax=ax)
    looks = [
        (line.get_color(), line.get_marker(), str(line._dash_pattern)) for line in ax.get_lines()
    ]
    for places in zip(*looks, strict=True):
        assert len(set(places)) == 3
    assert legend(ax) == ["bm25", "lsa", "overlap"]
    assert ax.get_ylabel() == "nDCG@k"


def test_colours_are_far_enough_from_white_and_from_one_another() -> None:
    lightness = [float(np.dot(to_rgb(one), (0.2126, 0.7152, 0.0722))) for one in COLOURS]
    assert max(lightness) < 0.8
    hues = [tuple(np.round(rgb_to_hsv(to_rgb(one)), 2)) for one in COLOURS]
    assert len(set(hues)) == len(COLOURS)
    assert len(set(MARKERS)) == len(MARKERS) > len(COLOURS)
    assert len({str(one) for one in DASHES}) == len(DASHES)


def test_dcg_is_drawn_below_its_ideal(evs: list[rm.Evaluation], ax: Axes) -> None:
    evs[0].plot("dcg", measures='nDCG(gain="exp2")@20', query="q05", ax=ax)
    found = ideals(evs[:1], rm.measure('nDCG(gain="exp2")@20'), None, "q05")
    gained, best = ax.get_lines()
    assert list(gained.get_ydata()) == found.dcg[0].tolist()
    assert list(best.get_ydata()) == found.ideal[0].tolist()
    assert legend(ax) == ["DCG@k", "IDCG@k"]
    assert title(ax) == 'DCG(gain="exp2")@k and IDCG@k, query q05'


@pytest.mark.slow
def test_precision_of_one_query_is_drawn_at_each_rank_too(
    evs: list[rm.Evaluation], ax: Axes
) -> None:
    evs[0].plot("precision-recall", evs[1], query="q05", measures="IPrec(rel=2)", ax=ax)
    points = [len(line.get_xdata()) for line in ax.get_lines()]
    assert points[:2] == [101, 101]
    assert len(points) == 4
    assert legend(ax) == ["bm25", "lsa", "at each rank"]
    assert title(ax).startswith("interpolated precision (rel=2), query q05")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "precision")


@pytest.mark.slow
def test_differences_are_sorted_and_counted(evs: list[rm.Evaluation], ax: Axes) -> None:
    evs[0].plot("differences", evs[1], measures="AP", ax=ax)
    found = np.sort(evs[1].scores[:, 1] - evs[0].scores[:, 1])[::-1]
    assert [bar.get_height() for bar in ax.patches] == found.tolist()
    assert [text.get_text() for text in texts(ax)] == [
        f"lsa better: {(found > 0).sum()}",
        f"bm25 better: {(found < 0).sum()}",
    ]
    assert caption(ax) == f"dashed line: the mean, {found.mean():+.4f}; ties by docid"
    assert title(ax) == "AP: lsa minus bm25, 24 queries"


def test_the_better_run_is_the_lower_one_where_less_is_better(ax: Axes) -> None:
    qrels = {"q": {"a": 1}}
    low, high = (rm.evaluate(qrels, {"q": run}, "MeanRank") for run in (["a"], ["x", "a"]))
    low.plot("differences", high, names=["low", "high"], ax=ax)
    assert [text.get_text() for text in texts(ax)] == ["low better: 1", "high better: 0"]


@pytest.mark.slow
def test_ids_stand_under_the_bars_where_there_is_room(ax: Axes) -> None:
    qrels = {f"${n}_x$": {"a": 1} for n in range(5)}
    evs = [rm.evaluate(qrels, dict.fromkeys(qrels, run), "RR") for run in (["a"], ["b", "a"])]
    evs[0].plot("differences", evs[1], ax=ax)
    written(ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == list(qrels)
    assert not any(label.get_parse_math() for label in ax.get_xticklabels())


@pytest.mark.slow
def test_scatter_has_a_point_for_each_pair_of_scores(evs: list[rm.Evaluation], ax: Axes) -> None:
    evs[0].plot("scatter", evs[2], ax=ax)
    pairs = np.unique(np.column_stack([evs[0].scores[:, 0], evs[2].scores[:, 0]]), axis=0)
    assert ax.collections[0].get_offsets().data.tolist() == pairs.tolist()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("nDCG@10 of bm25", "nDCG@10 of overlap")


@pytest.mark.slow
def test_a_distribution_shows_every_query_and_the_mean(evs: list[rm.Evaluation], ax: Axes) -> None:
    evs[0].plot("distribution", *evs[1:], measures="AP", ax=ax)
    best = sorted(evs, key=lambda ev: -ev["AP"])
    for ev, points in zip(best, ax.collections, strict=True):
        assert sorted(points.get_offsets().data[:, 0]) == sorted(ev.scores[:, 1])
    means = [line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() == "D"]
    assert means == pytest.approx([ev["AP"] for ev in best], abs=1e-12)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["lsa", "bm25", "overlap"]
    assert title(ax) == "AP, 24 queries"
    assert caption(ax) == "a dot for each query; best run first; ties by docid"
    assert ax.get_xlabel() == "AP"


@pytest.mark.slow
def test_a_heat_map_has_a_row_for_each_run_and_the_best_query_first(
    evs: list[rm.Evaluation], ax: Axes
) -> None:
    evs[0].plot("heatmap", *evs[1:], ax=ax)
    shown = np.asarray(ax.images[0].get_array())
    assert shown.shape == (3, 24)
    means = shown.mean(axis=0)
    assert all(one >= next_one for one, next_one in pairwise(means))
    assert shown.sum() == pytest.approx(sum(ev.scores[:, 0].sum() for ev in evs), abs=1e-9)
    assert ax.images[0].get_clim() == (0.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
def test_ten_thousand_queries_make_a_small_picture(kind: Any) -> None:
    evs = [many(1), many(2)]
    svg = Plot(kind, evs).as_file("svg", (3.3, 2.5))
    assert len(svg) < 400_000
    assert b"10,000" in svg


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
def test_one_query_of_one_document_makes_a_picture(kind: Any, ax: Axes) -> None:
    evs = [rm.evaluate({"q": {"a": 1}}, {"q": run}, "nDCG@10") for run in (["a"], ["b"])]
    evs[0].plot(kind, evs[1], ax=ax)
    written(ax)
    one_query = KINDS[kind].one_query
    if one_query:
        evs[1].plot(kind, query="q", ax=Figure().add_subplot())


def test_of_many_queries_a_column_of_heat_is_their_mean(ax: Axes) -> None:
    ev = many(3, 1200)
    ev.plot("heatmap", ax=ax)
    shown = np.asarray(ax.images[0].get_array())
    assert shown.shape == (1, 600)
    ordered = np.sort(ev.scores[:, 0])[::-1]
    assert shown[0].tolist() == pytest.approx(ordered.reshape(600, 2).mean(axis=1).tolist())


def test_queries_without_a_value_are_left_out(ax: Axes) -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 0}}
    ev = rm.evaluate(qrels, {"q": ["a"], "r": ["a"]}, "nDCG@3", no_relevant="skip")
    ev.plot("curve", k=1, ax=ax)
    assert title(ax) == "nDCG@k, mean of 1 query"
    assert caption(ax) == "ties by docid, no relevant: skip"
    assert list(ax.get_lines()[0].get_ydata()) == [1.0]


@pytest.mark.parametrize(
    ("conventions", "said"),
    [
        ({"ties": "mean"}, "mean over orders of ties"),
        ({"ties": "input", "depth": 1000}, "ties as given, depth 1,000"),
        ({"judged_only": True, "precision": "float32"}, "judged documents only, float32"),
        ({"drop_self": True, "duplicates": "first"}, "own documents dropped, duplicates: first"),
        ({"queries": "both", "no_relevant": "one"}, "ties by docid, no relevant: one"),
    ],
)
def test_the_title_says_what_was_chosen(conventions: Any, said: str, ax: Axes) -> None:
    ev = rm.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, "P@2", **conventions)
    ev.plot("curve", ax=ax)
    assert caption(ax).endswith(said)


def test_the_title_says_how_queries_become_one_number(ax: Axes) -> None:
    ev = rm.evaluate({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"], "r": ["c"]}, ["NumRelRet", "P@1"])
    ev.plot("curve", measures="NumRelRet", k=1, ax=ax)
    assert title(ax) == "NumRelRet@k, sum over 2 queries"
    assert list(ax.get_lines()[0].get_ydata()) == [1.0]
    both = Figure().add_subplot()
    ev.plot("curve", measures=["NumRelRet", "P"], k=1, ax=both)
    assert title(both) == "NumRelRet@k, P@k, 2 queries"


def test_names_are_taken_as_they_are(ax: Axes) -> None:
    evs = [rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "P@3") for _ in range(2)]
    evs[0].plot("curve", evs[1], names=["_hidden", "$x^2$"], ax=ax)
    assert legend(ax) == ["_hidden", "$x^2$"]
    assert not any(text.get_parse_math() for text in ax.get_legend().get_texts())
    other = Figure().add_subplot()
    evs[0].plot("curve", evs[1], ax=other)
    assert legend(other) == ["run 1", "run 2"]
    with pytest.raises(rm.InputError, match="names: 1 for 2 runs; give each run one"):
        evs[0].plot("curve", evs[1], names="one", ax=ax)


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a/bm25.run", "b/dense.run.gz"], ["bm25", "dense"]),
        (["bm25-b0.4.trec", "bm25-b0.9"], ["bm25-b0.4", "bm25-b0.9"]),
        (["bm25.run", "bm25.txt"], ["bm25.run", "bm25.txt"]),
        (["a/bm25.run", "b/bm25.run"], ["a/bm25", "b/bm25"]),
        (["a.run", "<stdin>"], ["run 1", "run 2"]),
        (["same.run", "same.run"], ["run 1", "run 2"]),
        (["<mapping>"], ["run"]),
    ],
)
def test_runs_are_named_for_their_files_as_shortly_as_tells_them_apart(
    files: list[str], names: list[str]
) -> None:
    assert names_of_runs(files) == names


@pytest.mark.slow
def test_an_id_that_is_no_utf8_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"q\xff 0 a 1\n")
    (tmp_path / "run").write_bytes(b"q\xff Q0 a 1 1.0 t\n")
    ev = rm.evaluate(tmp_path / "qrels", tmp_path / "run", "P@3")
    svg = Plot("curve", [ev], query=ev.queries[0]).as_file("svg")
    assert b"query q\\xff" in svg


def test_a_comparison_of_rankings_draws_its_values(ax: Axes) -> None:
    found = rm.compare_rankings(RUNS[0], RUNS[1], ["tau@10", "overlap@10"])
    assert found.plot(ax=ax) is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == ["tau@10", "overlap@10"]
    present = found.scores[~np.isnan(found.scores[:, 0]), 0]
    assert sorted(ax.collections[0].get_offsets().data[:, 0]) == sorted(present)
    assert "bm25 and lsa, 23 queries" in title(ax)
    with pytest.raises(rm.InputError, match="choose others to plot"):
        rm.compare_rankings({"q": ["a"]}, {"q": ["a"]}, "tau").plot(ax=ax)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in NAMES if kind != "heatmap"])
def test_a_dark_style_hides_nothing(kind: Any, evs: list[rm.Evaluation]) -> None:
    first, *others = runs_of(kind, evs)
    with plt.style.context("dark_background"):
        made = first.plot(kind, *others)
        lines = [line.get_color() for line in made.get_lines()]
        assert not {to_rgb(one) for one in lines} & {(0.0, 0.0, 0.0)}
        assert all(text.get_bbox_patch().get_facecolor()[:3] == (0, 0, 0) for text in texts(made))


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
def test_twelve_runs_leave_room_in_a_column_of_print(kind: Any) -> None:
    evs = [many(seed, 20) for seed in range(12)]
    chosen = runs_of(kind, evs)
    names = [f"bm25-k1.{number}-b0.{number}-rerank" for number in range(len(chosen))]
    with mpl.rc_context({"font.size": 7.5, "axes.labelsize": 7.5}):
        canvas = Figure(figsize=(3.3, 2.5), layout="constrained").add_subplot()
        chosen[0].plot(kind, *chosen[1:], names=names, ax=canvas)
    written(canvas)
    box = canvas.get_position()
    assert box.width > 0.35
    assert box.height > 0.35
    around = canvas.get_tightbbox()
    assert around is not None
    assert around.y1 <= canvas.figure.bbox.y1 + 1  # dots


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
def test_a_name_of_any_length_and_letters_leaves_room(kind: Any) -> None:
    chosen = runs_of(kind, [many(1, 20), many(2, 20)])
    names = ["x" * 200, "two\nlines\tand\0\x1b[31m" + "y" * 200]
    svg = Plot(kind, chosen, names=names).as_file("svg", (3.3, 2.5)).decode()
    assert "x" * 41 not in svg
    assert not {"\0", "\x1b", "\t"} & set(svg)
    assert names_of_runs(["a", "b"], names)[0] == "x" * 19 + "…" + "x" * 20


@pytest.mark.slow
def test_letters_that_the_font_lacks_stay_in_svg_and_are_told_of_in_png(
    evs: list[rm.Evaluation],
) -> None:
    picture = Plot("curve", evs[:2], names=["日本", "b"])
    assert "日本" in picture.as_file("svg").decode()
    with pytest.warns(rm.RankmarkWarning, match="and png shows them as boxes; svg keeps them"):
        picture.as_file("png")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Plot("curve", evs[:2]).as_file("png")
