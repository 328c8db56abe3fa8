"""Trials of two systems on eight queries, with their scores."""

from collections.abc import Sequence

A = [
    [0.88, 1.00, 0.80],
    [0.58, 0.62, 1.00],
    [0.59, 0.30, 0.55],
    [0.23, 0.31, 0.33],
    [0.13, 0.32, 0.23],
    [0.38, 0.53, 0.59],
    [0.24, 0.45, 0.34],
    [0.21, 0.04, 0.23],
]
B = [
    [0.82, 0.78, 0.67],
    [0.77, 0.66, 0.62],
    [0.65, 0.45, 0.80],
    [0.57, 0.16, 0.50],
    [0.13, 0.30, 0.30],
    [0.23, 0.49, 0.49],
    [0.69, 0.37, 0.66],
    [0.13, 0.24, 0.17],
]
"""P@100 by query and trial."""
QRELS = {f"q{query}": {f"r{number}": 1 for number in range(100)} for query in range(8)}


def trials_of(scores: Sequence[Sequence[float]]) -> list[dict[str, list[str]]]:
    """Return runs with these P@100."""
    return [
        {f"q{query}": _documents(round(100 * score)) for query, score in enumerate(column)}
        for column in zip(*scores, strict=True)
    ]


def _documents(relevant: int) -> list[str]:
    return [f"{'r' if number < relevant else 'n'}{number}" for number in range(100)]
