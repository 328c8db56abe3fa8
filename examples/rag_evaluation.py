"""Evaluate the retrieval step of RAG, where chunks are retrieved but documents are judged.

Hits have the form of sentence-transformers' ``semantic_search``: for each query, a list of
``{"corpus_id": position in the corpus, "score": similarity}``. The encoder here counts words, so
the example needs only NumPy; replace ``encode`` and ``search`` with ``SentenceTransformer.encode``
and ``util.semantic_search``.

    python examples/rag_evaluation.py
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

import rankmark as rm

DOCUMENTS = {
    "returns": "An order can be returned within thirty days. The label for the parcel is in your "
    "account. Refunds take five days.",
    "shipping": "Parcels leave the warehouse on the day of the order. Shipping abroad takes two "
    "weeks. The parcel is insured.",
    "accounts": "To change your password, open your account and choose security. A lost password "
    "is sent to your address.",
    "warranty": "Every machine has a warranty of two years. Keep the receipt. Repairs under "
    "warranty take three weeks.",
    "cleaning": "Clean the machine once a week. Use vinegar against lime. Never put the machine "
    "under water.",
}
QUESTIONS = {
    "q1": "how many days until my refund",
    "q2": "can I return an order",
    "q3": "I lost my password",
    "q4": "how long is the warranty of the machine",
    "q5": "how do I clean lime off the machine",
    "q6": "shipping abroad",
}
QRELS = {
    "q1": {"returns": 1},
    "q2": {"returns": 1},
    "q3": {"accounts": 1},
    "q4": {"warranty": 1},
    "q5": {"cleaning": 1},
    "q6": {"shipping": 1},
}
MEASURES = ["R@1", "R@3", "RR@10", "nDCG@10"]


class Chunk(NamedTuple):
    """A sentence, and the id of its document."""

    doc_id: str
    text: str


def cut(documents: dict[str, str]) -> list[Chunk]:
    """Split documents into sentences."""
    return [
        Chunk(doc_id, sentence)
        for doc_id, text in documents.items()
        for sentence in re.split(r"(?<=\.) ", text)
    ]


def encode(texts: list[str], words: list[str]) -> np.ndarray[Any, Any]:
    """Encode each text as a unit vector of word counts."""
    place = {word: number for number, word in enumerate(words)}
    vectors = np.zeros((len(texts), len(words)))
    for row, text in enumerate(texts):
        for word in stems(text):
            if word in place:
                vectors[row, place[word]] += 1
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9))


def stems(text: str) -> list[str]:
    """Return the words of a text, without endings and without the most common words."""
    return [word[:5] for word in re.findall(r"[a-z]+", text.lower()) if len(word) > 2]


def search(
    queries: np.ndarray[Any, Any], corpus: np.ndarray[Any, Any], top_k: int
) -> list[list[dict[str, Any]]]:
    """Find the nearest chunks, in the form of ``sentence_transformers.util.semantic_search``."""
    similarity = queries @ corpus.T
    best = np.argsort(-similarity, axis=1, kind="stable")[:, :top_k]
    return [
        [{"corpus_id": int(chunk), "score": float(row[chunk])} for chunk in chunks]
        for row, chunks in zip(similarity, best, strict=True)
    ]


def by_document(
    hits: list[list[dict[str, Any]]], chunks: list[Chunk]
) -> dict[str, list[tuple[str, float]]]:
    """Replace chunks with their documents: (document id, score) pairs by query."""
    return {
        query: [(chunks[hit["corpus_id"]].doc_id, hit["score"]) for hit in found]
        for query, found in zip(QUESTIONS, hits, strict=True)
    }


def main() -> rm.Evaluation:
    """Retrieve chunks, and evaluate the ranking of their documents."""
    chunks = cut(DOCUMENTS)
    words = sorted({word for chunk in chunks for word in stems(chunk.text)})
    hits = search(
        encode(list(QUESTIONS.values()), words),
        encode([chunk.text for chunk in chunks], words),
        top_k=8,
    )
    # A document can be found through several chunks; its best chunk determines its rank.
    ev = rm.evaluate(QRELS, by_document(hits, chunks), MEASURES, duplicates="best")
    print(ev)
    worst = min(ev.queries, key=ev.per_query("RR@10").__getitem__)
    print(f"\n{worst}: {QUESTIONS[worst]}?")
    print(ev.explain(worst, "RR@10"))
    return ev


if __name__ == "__main__":
    main()
