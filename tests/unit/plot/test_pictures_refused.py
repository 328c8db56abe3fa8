"""Pictures that cannot be drawn are refused, with what to do, and nothing is left half-drawn."""

import sys
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import rankmark as rm
from rankmark.verbs.plot.evaluation_plots import Plot
from rankmark.verbs.plot.kinds import NAMES
from unit.plot.plotted import EXAMPLE, RUNS, axes, evaluations, runs_of


@pytest.fixture(scope="module")
def evs() -> list[rm.Evaluation]:
    return evaluations()


@pytest.fixture
def ax() -> Axes:
    return axes()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "runs", "options", "message"),
    [
        ("pie", 1, {}, "kind is 'pie'; need one of curve, dcg"),
        ("differences", 1, {}, "differences takes 2 runs; there is 1"),
        ("scatter", 3, {}, "scatter takes 2 runs; there are 3"),
        ("dcg", 1, {"measures": ["nDCG", "DCG"]}, "dcg draws 1 measure, and there are 2; name one"),
        ("judged", 1, {"measures": "P"}, "judged draws no measure, and there is 1; name none"),
        ("heatmap", 1, {"query": "q01"}, "heatmap shows all queries"),
        ("heatmap", 1, {"k": 5}, "heatmap does not go down ranks"),
        ("curve", 1, {"k": 0}, "k is 0; need a whole number from 1"),
        ("scatter", 2, {"log_k": True}, "scatter has no axis of k; leave log_k out"),
        ("precision-recall", 1, {"log_k": True}, "precision-recall has no axis of k"),
        ("curve", 1, {"names": 5}, "names is 5; need names of runs: a str, or a list of them"),
        ("curve", 2, {"names": ["a", 5]}, r"names is \['a', 5\]; need names of runs"),
        ("curve", 1, {"names": {"a": "b"}}, "names is {'a': 'b'}; need names of runs"),
        ("curve", 1, {"names": b"a"}, "names is b'a'; need names of runs"),
        ("curve", 1, {"highlight": 5}, "highlight is 5; need names of runs"),
        (
            "curve",
            1,
            {"highlight": "none"},
            "highlight: no run is called 'none'; need one of 'bm25'",
        ),
        ("curve", 1, {"title": "mine"}, "title is 'mine'; need True or False"),
        ("curve", 1, {"log_k": 1}, "log_k is 1; need True or False"),
        ("curve", 1, {"query": ["q01"]}, r"""query "\['q01'\]" is not among those averaged"""),
        ("curve", 1, {"k": "5"}, "k is '5'; need a whole number"),
        ("curve", 1, {"ax": 5}, "ax is a int; need one Axes"),
        ("curve", 1, {"query": "q99"}, "query 'q99' is not among those averaged"),
    ],
)
def test_what_a_picture_does_not_take_is_refused(
    kind: Any,
    runs: int,
    options: dict[str, Any],
    message: str,
    evs: list[rm.Evaluation],
    ax: Axes,
) -> None:
    first, *others = evs[:runs]
    with pytest.raises(rm.InputError, match=message):
        first.plot(kind, *others, **{"ax": ax} | options)
    assert not ax.has_data()


def test_what_is_no_measure_is_refused(evs: list[rm.Evaluation], ax: Axes) -> None:
    with pytest.raises(rm.MeasureError, match="measures is 5; need names"):
        evs[0].plot(measures=5, ax=ax)  # type: ignore[arg-type]


def test_what_was_not_evaluated_is_not_drawn_by_query(evs: list[rm.Evaluation], ax: Axes) -> None:
    with pytest.raises(
        rm.MeasureError, match="RR was not evaluated; this evaluation has nDCG@10, AP"
    ):
        evs[0].plot("distribution", measures="RR", ax=ax)


def test_evaluations_under_unlike_conventions_are_not_drawn_together(
    evs: list[rm.Evaluation], ax: Axes
) -> None:
    other = rm.evaluate(EXAMPLE / "qrels.txt", RUNS[1], "nDCG@10", ties="mean")
    with pytest.raises(rm.InputError, match="different conventions"):
        evs[0].plot("curve", other, ax=ax)


def test_evaluations_over_other_judgments_are_not_drawn_together(
    evs: list[rm.Evaluation], ax: Axes
) -> None:
    some = rm.evaluate({"q01": {"a": 1}}, {"q01": ["a"]}, "nDCG@10")
    with pytest.raises(rm.InputError, match="different judgments cannot be drawn together"):
        evs[0].plot("curve", some, ax=ax)
    first, other = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 1}}
    one, two = (rm.evaluate(qrels, {"q": ["b", "a"]}, "RR") for qrels in (first, other))
    with pytest.raises(rm.InputError, match="evaluate the runs with the same qrels"):
        one.plot("scatter", two, ax=ax)
    assert not ax.has_data()


def test_the_same_judgments_read_twice_or_in_another_order_are_the_same(ax: Axes) -> None:
    first = {"q": {"a": 1, "b": 0}, "r": {"c": 2}}
    turned = {"r": {"c": 2.0}, "q": {"b": 0, "a": 1}}
    run = {"q": ["b", "a"], "r": ["c"]}
    one, two = (rm.evaluate(qrels, run, "RR") for qrels in (first, turned))
    one.plot("scatter", two, ax=ax)
    labels, scores = np.array([[1, 0], [0, 2]]), np.array([[0.2, 0.3], [0.1, 0.9]])
    three, four = (rm.evaluate(labels.copy(), scores, "RR") for _ in range(2))
    three.plot("scatter", four, ax=axes())
    with pytest.raises(rm.InputError, match="different judgments"):
        three.plot("scatter", rm.evaluate(labels[::-1], scores, "RR"), ax=axes())


def test_matplotlib_that_is_not_there_is_named_with_its_remedy(
    evs: list[rm.Evaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(rm.MissingDependencyError, match=r"pip install 'rankmark\[plot\]'"):
        evs[0].plot()


@pytest.mark.parametrize("wrong", ["lsa.run", [1, 2]])
def test_what_is_no_evaluation_is_refused(wrong: Any, evs: list[rm.Evaluation], ax: Axes) -> None:
    with pytest.raises(rm.InputError, match=f"a {type(wrong).__name__} cannot be drawn"):
        evs[0].plot("curve", wrong, ax=ax)
    with pytest.raises(rm.InputError, match="need one of curve, dcg"):
        evs[0].plot([evs[1]], ax=ax)


def test_several_axes_are_refused(evs: list[rm.Evaluation]) -> None:
    several: Any = Figure().subplots(2)
    with pytest.raises(rm.InputError, match="ax is a ndarray; need one Axes"):
        evs[0].plot(ax=several)


@pytest.mark.parametrize("kind", ["curve", "dcg", "judged"])
def test_a_cutoff_beyond_all_ranks_is_refused(
    kind: Any, evs: list[rm.Evaluation], ax: Axes
) -> None:
    with pytest.raises(rm.InputError, match="k is 1000000000000000000000000000000; need at most"):
        evs[0].plot(kind, k=10**30, ax=ax)


@pytest.mark.slow
def test_words_without_room_are_refused(evs: list[rm.Evaluation]) -> None:
    with pytest.raises(rm.InputError, match="no room for a drawing in 1x1 inches; make it larger"):
        Plot("curve", evs).as_file("svg", (1, 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "size"), [*zip(NAMES, cycle([(1, 1), (1.2, 1.0), (50, 0.5)]), strict=False)]
)
def test_a_size_too_small_to_draw_is_refused(
    kind: Any, size: tuple[float, float], evs: list[rm.Evaluation]
) -> None:
    with pytest.raises(rm.InputError, match=r"make it larger|make the picture higher"):
        Plot(kind, runs_of(kind, evs)).as_file("svg", size)


@pytest.mark.slow
def test_rows_too_low_for_a_name_are_refused(ax: Axes) -> None:
    evs = [rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR") for _ in range(80)]
    for kind in ("distribution", "heatmap"):
        with pytest.raises(rm.InputError, match=r"80 runs leave .* points for a row"):
            evs[0].plot(kind, *evs[1:], ax=ax)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["curve", "differences", "scatter", "distribution", "heatmap"])
def test_what_is_infinite_is_refused(kind: Any, ax: Axes) -> None:
    endless = rm.Own("endless", labels=lambda _: float("inf")) @ 5
    evs = [rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, endless) for _ in range(2)]
    with pytest.raises(rm.InputError, match="infinite and cannot be drawn"):
        evs[0].plot(kind, evs[1], ax=ax)


def test_where_no_query_is_averaged_none_can_be_shown(ax: Axes) -> None:
    ev = rm.evaluate({"q": {"a": 1}}, {}, "P@5", queries="both")
    with pytest.raises(rm.InputError, match="no query is averaged, so not query 'q'"):
        ev.plot("curve", query="q", ax=ax)
