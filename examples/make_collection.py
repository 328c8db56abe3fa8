"""Make the three runs of the example collection from its documents and queries.

The documents, queries and judgments were written by hand; the runs are reproducible.
"""

import argparse
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

EXAMPLE = Path(__file__).resolve().parents[1] / "src" / "rankmark" / "example"
DEPTH = 50
LATENT_DIMENSIONS = 25
LSA_CRASHES_ON = "q17"

# Function words: if they were kept, they would dominate every match of a question.
GRAMMAR = (
    "a an and are as at be by can did do for from how i in is it my of off on or out should the"
    " to what when which why with"
)
STOP_WORDS = frozenset(GRAMMAR.split())

Scores = NDArray[np.float64]
Scorer = Callable[[Sequence[str]], Scores]


def read_table(path: Path) -> dict[str, str]:
    """Read a tab-separated file: the first column, and the others joined by spaces."""
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {key: " ".join(texts) for key, *texts in rows}


def words_of(text: str) -> list[str]:
    """Split text into lower-case words, without stop words."""
    return [word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOP_WORDS]


def document_frequency(documents: Sequence[Sequence[str]]) -> Counter[str]:
    """Count the documents that contain each word."""
    return Counter(word for document in documents for word in set(document))


def bm25(documents: Sequence[Sequence[str]], k1: float = 0.9, b: float = 0.4) -> Scorer:
    """Score by Okapi BM25 with an inverse document frequency that is never negative.

    Parameters
    ----------
    documents
        The words of each document.
    k1
        How soon a repeated word stops counting.
    b
        How much long documents are held back, from 0 to 1.

    Returns
    -------
    Scorer
        Query words to scores: (n_documents,) float64, unitless, >= 0.
    """
    counts = [Counter(document) for document in documents]
    lengths = [len(document) for document in documents]
    mean_length = sum(lengths) / len(lengths)
    frequency = document_frequency(documents)

    def idf(word: str) -> float:
        return math.log1p((len(documents) - frequency[word] + 0.5) / (frequency[word] + 0.5))

    def score(query: Sequence[str]) -> Scores:
        scores = np.zeros(len(documents))
        for row, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            saturation = k1 * (1 - b + b * length / mean_length)
            scores[row] = sum(
                idf(word) * count[word] * (k1 + 1) / (count[word] + saturation) for word in query
            )
        return scores

    return score


def lsa(documents: Sequence[Sequence[str]], dimensions: int = LATENT_DIMENSIONS) -> Scorer:
    """Score by latent semantic analysis: cosine similarity in a space of latent topics.

    Parameters
    ----------
    documents
        The words of each document.
    dimensions
        Singular vectors kept.

    Returns
    -------
    Scorer
        Query words to scores: (n_documents,) float64, cosines, from -1 to 1.
    """
    frequency = document_frequency(documents)
    column = {word: position for position, word in enumerate(sorted(frequency))}

    def tf_idf(words: Sequence[str]) -> Scores:
        weights = np.zeros(len(column))
        for word, count in Counter(words).items():
            if word in column:
                rarity = math.log(len(documents) / frequency[word])
                weights[column[word]] = (1 + math.log(count)) * rarity
        return weights

    def normalized(rows: Scores) -> Scores:
        lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
        return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))

    weights = normalized(np.stack([tf_idf(document) for document in documents]))
    # The signs of singular vectors are arbitrary, but do not affect cosines.
    _, _, directions = np.linalg.svd(weights, full_matrices=False)
    to_latent = directions[:dimensions].T
    latent_documents = normalized(weights @ to_latent)

    def score(query: Sequence[str]) -> Scores:
        return np.asarray(latent_documents @ normalized(tf_idf(query) @ to_latent))

    return score


def overlap(documents: Sequence[Sequence[str]]) -> Scorer:
    """Score by the number of distinct query words in a document, which gives many ties."""
    vocabularies = [set(document) for document in documents]

    def score(query: Sequence[str]) -> Scores:
        asked = set(query)
        return np.array([float(len(asked & held)) for held in vocabularies])

    return score


def run_lines(
    tag: str, score: Scorer, doc_ids: Sequence[str], queries: dict[str, str], *, decimals: int
) -> list[str]:
    """Rank the documents for each query, as lines of a TREC run.

    Scores are rounded before ranking, so that floating-point differences between platforms do not
    matter; equal scores keep the order of the collection, and documents that score 0 are left out.
    """
    lines = []
    for query_id, text in queries.items():
        scores = np.round(score(words_of(text)), decimals)
        best_first = np.argsort(-scores, kind="stable")
        listed = [row for row in best_first if scores[row] != 0][:DEPTH]
        for rank, row in enumerate(listed, start=1):
            lines.append(f"{query_id} Q0 {doc_ids[row]} {rank} {scores[row]:.{decimals}f} {tag}")
    return lines


def check_judgments(path: Path, doc_ids: Sequence[str], queries: dict[str, str]) -> None:
    """Refuse unknown queries and documents, labels outside 0 to 3, and duplicates."""
    known, seen = set(doc_ids), set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        query_id, _, doc_id, label = line.split(" ")
        pair = (query_id, doc_id)
        fine = query_id in queries and doc_id in known and label in {"0", "1", "2", "3"}
        if not fine or pair in seen:
            raise SystemExit(f"{path}:{number}: unknown id, bad label or second judgment: {line}")
        seen.add(pair)
    silent = set(queries) - {query_id for query_id, _ in seen}
    if silent:
        raise SystemExit(f"{path}: no judgments for {', '.join(sorted(silent))}")


def make_collection(folder: Path) -> None:
    """Check the judgments, then write the three runs into a folder."""
    corpus = read_table(EXAMPLE / "corpus.tsv")
    queries = read_table(EXAMPLE / "queries.tsv")
    doc_ids = list(corpus)
    check_judgments(EXAMPLE / "qrels.txt", doc_ids, queries)

    documents = [words_of(text) for text in corpus.values()]
    survived = {key: text for key, text in queries.items() if key != LSA_CRASHES_ON}
    runs = {
        "bm25": run_lines("bm25", bm25(documents), doc_ids, queries, decimals=6),
        "lsa": run_lines("lsa", lsa(documents), doc_ids, survived, decimals=6),
        "overlap": run_lines("overlap", overlap(documents), doc_ids, queries, decimals=0),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in runs.items():
        text = "\n".join(lines) + "\n"
        (folder / f"{name}.run").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=EXAMPLE, help="folder for the runs")
    make_collection(parser.parse_args().folder)
