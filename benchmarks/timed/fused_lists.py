"""Three runs of 1,000 queries with 1,000 documents each, the same wherever they are made."""

from pathlib import Path

import numpy as np

RUNS, QUERIES, DOCUMENTS = 3, 1000, 1000
POOL = 3000  # documents of which a run has a third
IDS = 8_000_000


def rows(run: int) -> list[tuple[str, list[str], list[float]]]:
    """Return for each query its id, and ids and scores, best first."""
    draws = np.random.default_rng(run)
    found = []
    for query in range(QUERIES):
        pool = np.random.default_rng(1000 + query).choice(IDS, POOL, replace=False)
        ids = draws.choice(pool, DOCUMENTS, replace=False)
        scores = np.sort(draws.gamma(2, 5, DOCUMENTS))[::-1]
        found.append((str(100_000 + query), [*map(str, ids.tolist())], scores.tolist()))
    return found


def dicts() -> list[dict[str, dict[str, float]]]:
    """Return the runs as dicts."""
    return [
        {query: dict(zip(ids, scores, strict=True)) for query, ids, scores in rows(run)}
        for run in range(RUNS)
    ]


def paths(folder: Path) -> list[Path]:
    """Return the runs as files of TREC text, which are written first if they are missing."""
    found = [folder / f"fused-{run}.run" for run in range(RUNS)]
    for run, path in enumerate(found):
        if path.exists():
            continue
        with path.open("w") as file:
            for query, ids, scores in rows(run):
                for rank, (doc, score) in enumerate(zip(ids, scores, strict=True), 1):
                    file.write(f"{query} Q0 {doc} {rank} {score!r} run\n")
    return found


def means(fused: dict[str, dict[str, float]]) -> dict[str, float]:
    """Return the number of documents, and the mean of the highest scores, to be compared."""
    best = [max(scores.values()) for scores in fused.values()]
    return {"documents": sum(map(len, fused.values())), "highest": sum(best) / len(best)}
