"""A collection's files as nested dicts, which several peers take."""

from collections import defaultdict
from pathlib import Path

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def qrels(path: Path | str) -> Qrels:
    """Read {query id: {document id: label}}."""
    read: Qrels = defaultdict(dict)
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            query_id, _, doc_id, label = line.split()
            read[query_id][doc_id] = int(label)
    return dict(read)


def run(path: Path | str) -> Run:
    """Read {query id: {document id: score}}."""
    read: Run = defaultdict(dict)
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            query_id, _, doc_id, _, score, _ = line.split()
            read[query_id][doc_id] = float(score)
    return dict(read)
