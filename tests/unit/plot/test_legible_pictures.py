"""No words of a picture overlap or leave it, however long names are and however many runs."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

import rankmark as rm
from rankmark.results.drawing.figures import axes
from rankmark.verbs.plot.comparison_plots import ComparedPlot
from rankmark.verbs.plot.evaluation_plots import Plot
from rankmark.verbs.plot.kinds import COMPARED, KINDS, NAMES

QUERIES = {2: "q{}", 30: "2f0c9b1e-7d3a-4e55-9c1f-{:04d}-0123456789"}
NAMES_OF_RUNS = {
    2: ["bm25", "поиск$_2$"],
    3: [*(f"msmarco-passage-bm25-k1-0.9-b-0.4-{b}-and-more" for b in "ab"), "x" * 90],
    17: [f"sentence-transformers-all-MiniLM-L6-v2-q-{run}" for run in range(17)],
}


SIZES = [(2, 2), *(pytest.param(30, runs, marks=pytest.mark.slow) for runs in (3, 17))]


@pytest.fixture(autouse=True)
def _closed() -> Any:
    yield
    plt.close("all")


def evaluated(queries: int, runs: int) -> list[rm.Evaluation]:
    dice = np.random.default_rng(0)
    ids = [QUERIES[queries].format(query) for query in range(queries)]
    qrels = {query: {f"d{doc}": int(dice.integers(0, 3)) for doc in range(12)} for query in ids}
    return [
        rm.evaluate(
            qrels,
            {query: {f"d{doc}": dice.random() for doc in range(16)} for query in ids},
            "nDCG@10",
        )
        for _ in range(runs)
    ]


def compared(queries: int, runs: int, measures: list[str]) -> rm.Comparison:
    dice = np.random.default_rng(0)
    rows = [
        {"run": name, "query_id": f"q{query}"}
        | {measure: dice.random() + 0.04 * number for measure in measures}
        for number, name in enumerate(NAMES_OF_RUNS[runs])
        for query in range(queries)
    ]
    baseline = NAMES_OF_RUNS[runs][0] if len(measures) > 2 else None
    return rm.compare_scores(pd.DataFrame(rows), test="t", baseline=baseline)


def refuse_overlaps(figure: Figure, monkeypatch: pytest.MonkeyPatch) -> None:
    figure.draw_without_rendering()
    boxes: list[tuple[str, Any]] = []

    def draw(text: Text, renderer: Any) -> None:
        if text.get_text().strip():
            boxes.append((text.get_text(), text.get_window_extent(renderer)))

    monkeypatch.setattr(Text, "draw", draw)
    monkeypatch.setattr(Annotation, "draw", draw)
    figure.draw_without_rendering()
    edges = figure.bbox
    outside = [
        text
        for text, box in boxes
        if box.x0 < -1 or box.y0 < -1 or box.x1 > edges.x1 + 1 or box.y1 > edges.y1 + 1
    ]
    assert outside == []
    overlapping = [
        (one, other)
        for (one, a), (other, b) in itertools.combinations(boxes, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 2
    ]
    assert overlapping == []
    assert len(boxes) > 3


@pytest.mark.parametrize(("queries", "runs"), SIZES)
@pytest.mark.parametrize("kind", NAMES)
def test_words_of_evaluations_neither_overlap_nor_leave_the_picture(
    kind: Any, queries: int, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = KINDS[kind].runs or runs
    plot = Plot(kind, evaluated(queries, number), names=NAMES_OF_RUNS[runs][:number])
    with axes(None) as canvas:
        plot._drawing()(canvas)
    refuse_overlaps(canvas.figure, monkeypatch)


@pytest.mark.parametrize(("queries", "runs"), SIZES)
@pytest.mark.parametrize("kind", COMPARED)
def test_words_of_comparisons_neither_overlap_nor_leave_the_picture(
    kind: Any, queries: int, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures = [f"nDCG@{k}" for k in (1, 5, 10)] if kind == "cutoffs" else ["nDCG@10", "AP"]
    plot = ComparedPlot(kind, compared(queries, runs, measures))
    refuse_overlaps(plot.draw().figure, monkeypatch)
