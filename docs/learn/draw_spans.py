"""Draw what measures of spans count: ``python docs/learn/draw_spans.py``.

The values in the picture are computed by rankmark.
"""

from collections.abc import Sequence

from shapes import box, save, text

import rankmark as rm

GOLD = [(25, 45), (40, 70)]
CHUNKS = [(10, 50), (30, 60)]
WIDTH, LEFT, UNIT = 560, 150, 5  # of the picture; where characters begin, and how wide one is
Strip = Sequence[tuple[str, float, float]]


def value(measure: str) -> float:
    """Return the value of a measure for the one query of the picture."""
    gold, chunks = ({"q": [("d", *span) for span in spans]} for spans in (GOLD, CHUNKS))
    return rm.evaluate_spans(gold, chunks, measure)[measure]


def strip(y: float, name: str, pieces: Strip) -> list[str]:
    """Draw pieces of a document beside a name, with their lengths in them."""
    parts = [text(16, y + 15, name)]
    for kind, start, end in pieces:
        x, width = LEFT + UNIT * start, UNIT * (end - start)
        parts += [
            box(x, y, width, 20, kind, 2),
            text(x + width / 2, y + 15, f"{end - start:g}", "small middle"),
        ]
    return parts


def told(y: float, name: str, formula: str) -> str:
    """Write a measure with what it divides and its value."""
    return text(LEFT, y, f"{name} = {formula} = {value(name):.4g}", "small")


def draw_spans() -> None:
    """Show gold, chunks, and what each option counts of them."""
    both, missed = "relevant", "unknown"
    parts = strip(20, "gold", [(both, *GOLD[0])]) + strip(44, "", [(both, *GOLD[1])])
    parts += strip(80, "chunk 1", [("box", *CHUNKS[0])])
    parts += strip(104, "chunk 2", [("box", *CHUNKS[1])])
    parts += strip(150, "union", [("box", 10, 25), (both, 25, 60), (missed, 60, 70)])
    parts += [
        told(188, "SpanRecall", "35 / (35 + 10)"),
        told(206, "SpanPrecision", "35 / (15 + 35)"),
        told(224, "SpanIoU", "35 / (15 + 35 + 10)"),
    ]
    parts += strip(244, 'count="sum"', [("box", 0, 40), ("box", 41, 71)])
    parts.append(told(282, 'SpanPrecision(count="sum")', "35 / (40 + 30)"))
    parts += strip(302, 'gold="sum"', [(both, 0, 20), (both, 21, 51)])
    parts.append(told(340, 'SpanRecall(gold="sum")', "35 / (20 + 30)"))
    parts += strip(360, "@tokens(50, cut)", [("box", 10, 50)]) + strip(384, "", [("box", 30, 40)])
    parts.append(told(422, "SpanRecall@tokens(50, cut)", "25 / 45"))
    title = "Two gold spans, two chunks, and what union, sums and a budget count of them"
    save("spans.svg", title, WIDTH, 442, parts)


def main() -> None:
    """Draw the picture."""
    draw_spans()


if __name__ == "__main__":
    main()
