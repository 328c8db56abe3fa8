"""Draw how chunks make a ranking of documents: ``python docs/learn/draw_units.py``.

The orders and the values of nDCG in the pictures are computed by rankmark.
"""

from collections.abc import Callable, Sequence
from typing import Any

from shapes import documents, path, save, text

import rankmark as rm

CHUNKS = {
    "D1#3": 0.92,
    "D4#1": 0.90,
    "D1#1": 0.88,
    "D2#7": 0.60,
    "D1#9": 0.55,
    "D5#2": 0.50,
    "D3#1": 0.40,
}
LABELS = {"D1": 2, "D2": 1, "D3": 1}
COMBINED: dict[str, Callable[[dict[int, float]], float]] = {
    "best": lambda units: max(units.values()),
    "first": lambda units: -min(units),
    "sum": lambda units: sum(units.values()),
    "sum@2": lambda units: sum(sorted(units.values())[-2:]),
    "mean": lambda units: sum(units.values()) / len(units),
    "count": len,
    "rrf": lambda units: sum(1 / (60 + rank) for rank in units),
}
"""The definitions, of {rank: score} of a document's chunks."""
DECIMALS = {"first": 0, "count": 0, "mean": 3, "rrf": 4}
LEFT, STEP, ROW = 130, 60, 62
NOTE = "Relevant: D1 with label 2, D2 and D3 with label 1. D4 and D5 are not judged."


def ranked(**options: Any) -> tuple[list[str], float]:
    """Return the documents in order, and nDCG@5, as rankmark ranks and scores them."""
    explained = rm.explain({"q": LABELS}, {"q": CHUNKS}, "q", "nDCG@5", unit="#", **options)
    ranks = [row for row in explained.rows if row["rank"] is not None]
    return [str(row["doc_id"]) for row in ranks], explained.value


def score_of(document: str, how: str) -> str:
    """Return the score of a document by the definition of how units are combined."""
    units = {
        rank: score
        for rank, (chunk, score) in enumerate(CHUNKS.items(), 1)
        if chunk.startswith(document)
    }
    decimals = DECIMALS.get(how, 2)
    return f"{COMBINED[how](units):.{decimals}f}".removeprefix("0")


def chunk_row(y: float) -> list[str]:
    """Draw the chunks in order, with their scores."""
    labels = {chunk: LABELS[chunk[:2]] for chunk in CHUNKS if chunk[:2] in LABELS}
    parts = [text(16, y + 20, "chunks"), *documents([*CHUNKS], LEFT, y, labels)]
    for place, score in enumerate(CHUNKS.values()):
        parts.append(text(LEFT + 26 + STEP * place, y + 45, f"{score:.2f}"[1:], "small middle"))
    return parts


def document_row(y: float, name: str, order: Sequence[str], value: float) -> list[str]:
    """Draw documents in order, with the value of the ranking behind them."""
    return [
        text(16, y + 20, name),
        *documents(order, LEFT, y, LABELS),
        text(LEFT + STEP * 5 + 12, y + 20, f"nDCG@5 = {value:.4f}"),
    ]


def draw_combinations() -> None:
    """Show the order of documents that each way of combining scores gives."""
    parts = chunk_row(20)
    parts.append(path([(16, 78), (574, 78)], "faint"))
    for row, how in enumerate(COMBINED):
        y = 92 + ROW * row
        order, value = ranked(combine=how)
        parts += document_row(y, how, order, value)
        for place, document in enumerate(order):
            x = LEFT + 26 + STEP * place
            parts.append(text(x, y + 45, score_of(document, how), "small middle"))
    title = "Seven chunks, and the rankings of documents that each way of combining scores makes"
    height = 92 + ROW * len(COMBINED)
    parts.append(text(16, height + 6, NOTE, "small"))
    save("units.svg", title, 590, height + 20, parts)


def draw_depth() -> None:
    """Show what is left if chunks are cut before they are mapped, or documents afterwards."""
    parts = chunk_row(20)
    cut = LEFT + STEP * 5 - 4
    parts += [
        path([(cut, 12), (cut, 72)], "tie"),
        text(cut + 6, 82, "unit_depth=5", "small"),
        path([(16, 92), (574, 92)], "faint"),
    ]
    parts += document_row(106, "unit_depth=5", *ranked(unit_depth=5))
    parts += document_row(152, "all chunks", *ranked())
    title = "Five chunks are three documents: cut before mapping, and after it"
    save("unit-depth.svg", title, 590, 200, parts)


def main() -> None:
    """Draw the pictures."""
    draw_combinations()
    draw_depth()


if __name__ == "__main__":
    main()
