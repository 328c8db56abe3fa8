"""Evaluate an agent that searches several times for one question, and one that searches once.

Both search the example collection with SQLite's full-text index, FTS5, and its BM25. The patient
agent first asks for documents with all words of the question; then for those with any of them; and
then for what the best document so far is about. Each search costs the words that are read.

    python examples/agent_searches.py
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import rankmark as rm

COLLECTION = Path(rm.__file__).parent / "example"
DEPTH = 5
STOP = {"and", "for", "from", "how", "that", "the", "what", "when", "with"}
Row = dict[str, Any]


def words(text: str) -> list[str]:
    """Return the words of a text without those that say nothing."""
    found = re.findall(r"[a-z]+", text.lower())
    return [word for word in found if word not in STOP and len(word) > 2]


def searches(index: sqlite3.Connection, question: str) -> Iterator[list[tuple[str, str]]]:
    """Search three times; yield the ids and texts of the documents, best first."""
    asked = list(dict.fromkeys(words(question)))
    yield search(index, " AND ".join(asked))
    found = search(index, " OR ".join(asked))
    yield found
    if found:
        common = Counter(words(found[0][1])).most_common(4)
        yield search(index, " OR ".join([*asked, *(word for word, _ in common)]))


def search(index: sqlite3.Connection, asked: str) -> list[tuple[str, str]]:
    """Return the ids and texts of the documents that match, best first."""
    rows = index.execute(
        "SELECT id, text FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT ?",
        (asked, DEPTH),
    )
    return list(rows)


def calls_of(query: str, found: Sequence[list[tuple[str, str]]]) -> list[Row]:
    """Return a row for each document of each call; a call that found nothing has one, too."""
    return [
        {
            "query_id": query,
            "call": number,
            "doc_id": document,
            "rank": rank,
            "words": len((text or "").split()),
        }
        for number, documents in enumerate(found, 1)
        for rank, (document, text) in enumerate(documents or [(None, None)], 1)
    ]


def main() -> dict[str, rm.CallEvaluation]:
    """Evaluate both agents; return the evaluations."""
    tables: dict[str, list[Row]] = {"once": [], "patient": []}
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute("CREATE VIRTUAL TABLE documents USING fts5(id UNINDEXED, text)")
        for line in (COLLECTION / "corpus.tsv").read_text("utf-8").splitlines():
            document, title, text = line.split("\t")
            index.execute("INSERT INTO documents VALUES (?, ?)", (document, f"{title}. {text}"))
        for line in (COLLECTION / "queries.tsv").read_text("utf-8").splitlines():
            query, question = line.split("\t")
            found = list(searches(index, question))
            tables["once"] += calls_of(query, found[1:2])
            tables["patient"] += calls_of(query, found)

    qrels = COLLECTION / "qrels.txt"
    measures = ["R", "nDCG@5", "SessionDCG@5"]
    agents = {
        name: rm.evaluate_calls(qrels, rows, measures, document_costs="words")
        for name, rows in tables.items()
    }
    for name, agent in agents.items():
        print(f"{name}\n{agent}\n")
    patient = agents["patient"]
    print("the patient agent, by the way in which its searches are taken together:")
    for how, means in patient.ways.items():
        if how == "union":  # which has no order
            continue
        print(f"  {how:<12} nDCG@5 {means['nDCG@5']:.4f}")
    print("recall after each search:")
    for row in patient.curve.to_dict()["rows"]:
        print(f"  {row['call']}: {row['R']:.4f}")
    compared = rm.compare_scores(agents, ["R", "nDCG@5"], baseline="once")
    for one in compared.differences:
        print(f"{one.measure}: {one.run} minus once {one.difference:+.4f}, p {one.p:.3f}")
    return agents


if __name__ == "__main__":
    main()
