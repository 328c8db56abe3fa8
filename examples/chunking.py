"""Compare three ways to cut documents into chunks, by the spans that answer questions.

Whole paragraphs, fixed windows and overlapping windows are put into SQLite's full-text index, FTS5,
and retrieved by its BM25. The chunks differ, so judgments of chunks would not carry over; the
sentences that answer the questions are the same for all.

    python examples/chunking.py
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing

import rankmark as rm

Chunk = tuple[str, int, int]
DOCUMENTS = {
    "kettle": """Fill the kettle to the mark inside, never above it. Boiling water may spill over \
the rim and scald your hand.

Limescale builds up in hard water. Once a month, boil a cup of vinegar with a cup of water, leave \
it for an hour, and rinse the kettle twice. A kettle with scale needs more power and is louder.

The kettle switches itself off when the water boils. If it does not, the sensor at the handle is \
blocked by scale. The guarantee covers the sensor for two years, but not damage by scale.""",
    "oven": """Heat the oven before you bake bread. It reaches two hundred degrees in twelve \
minutes; the lamp goes out when it is hot.

Put the rack in the middle for cakes, and at the bottom for pizza. The fan spreads the heat, so \
lower the temperature by twenty degrees when you use it. Without the fan, turn the tray once.

Clean the oven while it is warm, with water and a little soap. Never use a scraper on the glass of \
the door: it leaves scratches, and the glass may break. The guarantee does not cover the glass.""",
    "mixer": """Let the mixer run at the lowest speed for flour, or it will dust the kitchen. \
Knead dough for no longer than eight minutes, and then let the motor cool for twenty.

The bowl and the hooks may go into the dishwasher. The beaters are made of aluminium and turn grey \
there, so wash them by hand with soap.

If the motor smells of burning, switch the mixer off and pull the plug. The motor has a guarantee \
of five years, and all other parts have two.""",
}
QUESTIONS = {
    "q1": ("how do I remove limescale from the kettle", ["Once a month, boil a cup of vinegar"]),
    "q2": ("why does the kettle not switch off", ["the sensor at the handle is blocked by scale"]),
    "q3": ("how long is the guarantee of the motor", ["The motor has a guarantee of five years"]),
    "q4": ("what temperature with the fan", ["lower the temperature by twenty degrees"]),
    "q5": ("may the beaters go into the dishwasher", ["so wash them by hand with soap"]),
    "q6": (
        "what does the guarantee not cover",
        ["but not damage by scale", "The guarantee does not cover the glass"],
    ),
    "q7": ("how long may I knead dough", ["Knead dough for no longer than eight minutes"]),
    "q8": ("how do I clean the glass of the oven door", ["Never use a scraper on the glass"]),
}
MEASURES = ["SpanRecall@3", "SpanPrecision@3", "SpanIoU@3", "SpanRecall@characters(300, cut)"]


def paragraphs(document: str, text: str) -> list[Chunk]:
    """Cut at empty lines."""
    found = re.finditer(r"(?:(?!\n\n).)+", text, re.DOTALL)
    return [(document, part.start(), part.end()) for part in found if part[0].strip()]


def windows(size: int, step: int) -> Callable[[str, str], list[Chunk]]:
    """Cut every few characters; the windows overlap if they are longer than the step."""

    def cut(document: str, text: str) -> list[Chunk]:
        return [
            (document, start, min(start + size, len(text))) for start in range(0, len(text), step)
        ]

    return cut


CHUNKERS = {
    "paragraphs": paragraphs,
    "windows": windows(150, 150),
    "overlapping": windows(150, 75),
}


def gold() -> dict[str, list[Chunk]]:
    """Find where each answer begins and ends."""
    found: dict[str, list[Chunk]] = {}
    for query, (_, answers) in QUESTIONS.items():
        for answer in answers:
            (document,) = (name for name, text in DOCUMENTS.items() if answer in text)
            start = DOCUMENTS[document].index(answer)
            found.setdefault(query, []).append((document, start, start + len(answer)))
    return found


def search(chunks: list[Chunk], most: int = 5) -> dict[str, list[tuple[str, int, int, float]]]:
    """Retrieve chunks for each question by BM25."""
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute("CREATE VIRTUAL TABLE chunks USING fts5(text, tokenize = 'porter unicode61')")
        index.executemany(
            "INSERT INTO chunks (rowid, text) VALUES (?, ?)",
            [
                (number, DOCUMENTS[document][start:end])
                for number, (document, start, end) in enumerate(chunks, 1)
            ],
        )
        found = {}
        for query, (question, _) in QUESTIONS.items():
            words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
            rows = index.execute(
                "SELECT rowid, -bm25(chunks) FROM chunks WHERE chunks MATCH ? "
                "ORDER BY bm25(chunks), rowid LIMIT ?",
                (words, most),
            )
            found[query] = [(*chunks[number - 1], score) for number, score in rows]
    return found


def main() -> dict[str, rm.SpanEvaluation]:
    """Evaluate the three chunkers, compare them, and rank their chunks by the gold spans."""
    answers, evaluations, retrieved = gold(), {}, {}
    for name, cut in CHUNKERS.items():
        chunks = [chunk for document, text in DOCUMENTS.items() for chunk in cut(document, text)]
        by_document = {
            document: [chunk[1:] for chunk in chunks if chunk[0] == document]
            for document in DOCUMENTS
        }
        retrieved[name] = search(chunks)
        evaluations[name] = rm.evaluate_spans(
            answers, retrieved[name], [*MEASURES, "PrecisionOmega"], chunks=by_document
        )
        print(f"{name}: {len(chunks)} chunks")
        print(evaluations[name], end="\n\n")
    compared = rm.compare_scores(evaluations, MEASURES, baseline="paragraphs")
    for row in compared.differences:
        print(
            f"{row.measure}: {row.run} minus {row.baseline} {row.difference:+.4f}, "
            f"p {row.adjusted_p:.2f}"
        )
    qrels, *runs = rm.judge_spans(answers, *retrieved.values())
    for name, run in zip(retrieved, runs, strict=True):
        ranked = rm.evaluate(qrels, run, ["RR@5", "StRecall@3"])
        print(f"{name}: " + ", ".join(f"{of} {mean:.4f}" for of, mean in ranked.items()))
    return evaluations


if __name__ == "__main__":
    main()
