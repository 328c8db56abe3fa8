"""Evaluate a retriever of chunks where documents are judged, as a team does before a change.

The 155 documents and 24 judged questions about cooking are those of ``rankmark demo``. They are cut
in three ways, whole, into sentences, and into overlapping pairs of sentences, and the chunks are
retrieved by BM25 from SQLite's full-text index, FTS5. The index knows the document of each chunk,
so a hit has both ids. The steps: hits that are not mapped give no number; mapped, they do; the
choices are looked at; the ways of cutting are compared; and a gate decides.

    python examples/chunks_to_documents.py
"""

from __future__ import annotations

import itertools
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import rankmark as rm
import rankmark.example

COLLECTION = Path(rankmark.example.__file__).parent
QRELS = COLLECTION / "qrels.txt"
MEASURES = ["nDCG@5", "R@5", "RR@5"]
OF_HITS = {"doc_id": "chunk_id", "parent": "doc_id"}
"""What was retrieved, and to which document it belongs."""
IN_THE_PROMPT = 8
"""The number of chunks that the language model reads."""
Rows = list[dict[str, Any]]


def texts(name: str) -> dict[str, str]:
    """Read ids and texts, with the title of a document before its text."""
    lines = (COLLECTION / name).read_text(encoding="utf-8").splitlines()
    return {one: ". ".join(rest) for one, *rest in (line.split("\t") for line in lines)}


def sentences(text: str) -> list[str]:
    """Cut a text into sentences."""
    return re.split(r"(?<=[.?!]) (?=[A-Z])", text)


def pairs(text: str) -> list[str]:
    """Cut a text into pairs of sentences; each sentence but the first begins in the one before."""
    of = sentences(text)
    return [" ".join(two) for two in itertools.pairwise(of)] or of


CHUNKERS: dict[str, Callable[[str], list[str]]] = {
    "whole": lambda text: [text],
    "sentences": sentences,
    "pairs": pairs,
}


def search(cut: Callable[[str], list[str]], most: int = 100) -> Rows:
    """Cut the documents, index the chunks, and retrieve them for each question by BM25."""
    return list(_hits(cut, most))


def _hits(cut: Callable[[str], list[str]], most: int) -> Iterator[dict[str, Any]]:
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute("CREATE VIRTUAL TABLE chunks USING fts5(doc_id UNINDEXED, text)")
        for doc_id, text in texts("corpus.tsv").items():
            index.executemany("INSERT INTO chunks VALUES (?, ?)", [(doc_id, x) for x in cut(text)])
        for query_id, question in texts("queries.tsv").items():
            words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
            found = index.execute(
                "SELECT rowid, doc_id, -bm25(chunks) FROM chunks WHERE chunks MATCH ? "
                "ORDER BY bm25(chunks), rowid LIMIT ?",
                (words, most),
            )
            for chunk_id, doc_id, score in found:
                yield {
                    "query_id": query_id,
                    "chunk_id": f"c{chunk_id}",
                    "doc_id": doc_id,
                    "score": score,
                }


def refused(hits: Rows) -> list[str]:
    """Return what is said about hits that are evaluated as they are."""
    said = []
    for columns in (None, {"doc_id": "doc_id"}, {"doc_id": "chunk_id"}):
        with warnings.catch_warnings():
            warnings.simplefilter("error", rm.RankmarkWarning)
            try:
                rm.evaluate(QRELS, hits, MEASURES, run_columns=columns)
            except (rm.RankmarkError, rm.RankmarkWarning) as error:
                said.append(f"{columns}: {error}")
    return said


def main() -> tuple[rm.Comparison, rm.GateResult]:
    """Take the steps, and print what each shows."""
    runs = {name: search(cut) for name, cut in CHUNKERS.items()}

    print("Hits as they are:")
    for line in refused(runs["sentences"]):
        print("-", line)

    print("\nSentences, mapped to their documents:")
    print(rm.evaluate(QRELS, runs["sentences"], MEASURES, rel=2, run_columns=OF_HITS))

    print("\nnDCG@5 of sentences, by how scores are combined: all of them, and those in the prompt")
    for combine in ("best", "sum", "sum@2", "mean", "count", "rrf"):
        values = [
            rm.evaluate(
                QRELS,
                runs["sentences"],
                "nDCG@5",
                run_columns=OF_HITS,
                combine=combine,
                unit_depth=depth,
            )["nDCG@5"]
            for depth in (None, IN_THE_PROMPT)
        ]
        print(f"{combine:6}", *(f"{value:.4f}" for value in values))

    print(f"\nThree ways to cut, {IN_THE_PROMPT} chunks in the prompt:")
    options: Any = {"run_columns": OF_HITS, "unit_depth": IN_THE_PROMPT}
    compared = rm.compare(QRELS, runs, MEASURES, baseline="whole", rel=2, **options)
    print(compared)

    print("\nMay pairs take the place of whole documents?")
    gate = rm.gate(QRELS, runs["whole"], runs["pairs"], "nDCG@5", max_drop=0.05, **options)
    print(gate)
    return compared, gate


if __name__ == "__main__":
    main()
