"""Graded labels and scores of a few queries, larger than what an evaluation copies."""

from typing import Any

import numpy as np

QUERIES, ITEMS = 60, 40


def collection(queries: int) -> tuple[Any, Any]:
    """Make labels and scores, (queries, ITEMS) each; every query has something relevant."""
    dice = np.random.default_rng(3)
    labels = dice.integers(0, 3, (queries, ITEMS)).astype(float)
    labels[:, 0] = 1.0
    labels[:, 30:] = 0.0
    return labels, dice.random((queries, ITEMS))


def nested(matrix: Any) -> dict[str, dict[str, float]]:
    return {
        str(query): {f"d{item}": number for item, number in enumerate(row)}
        for query, row in enumerate(matrix.tolist())
    }


def rows(matrix: Any) -> list[tuple[str, str, float]]:
    return [(q, d, number) for q, held in nested(matrix).items() for d, number in held.items()]
