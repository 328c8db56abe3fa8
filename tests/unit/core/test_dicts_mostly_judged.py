"""Runs in dicts whose documents are mostly judged, as in training, give the numbers of rows."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

import rankmark as rm

MEASURES = ["nDCG@10", "nDCG(gain='exp2')", "AP", "RR", "P@5", "R@20", "Judged@10"]

# How scores lie: apart, crowded into a small part of their range, equal, or without an end.
SCORES: dict[str, Any] = {
    "spread": lambda draw, _: draw.uniform(-5, 5),
    "crowded": lambda draw, row: draw.uniform(0, 1e-9) if row else 1e9,
    "tied": lambda draw, _: float(draw.randrange(4)),
    "equal": lambda _, __: 1.0,
    "infinite": lambda draw, row: (math.inf, -math.inf, draw.random())[row % 3],
    "zeros": lambda draw, _: draw.choice([0.0, -0.0, 1e-300, -1e-300]),
    "rising": lambda _, row: float(row),
}


def a_collection(scores: str, judged: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judge a share of the documents of each query, and some that the run lacks."""
    draw = random.Random(f"{scores} {judged}")
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query in map(str, range(10)):
        documents = draw.sample([query, "é", "ж-1", *(f"d{n}" for n in range(150))], 100)
        score = SCORES[scores]
        run[query] = {document: score(draw, row) for row, document in enumerate(documents)}
        chosen = [document for document in documents if draw.random() < judged] or documents[:1]
        # Other objects than the keys of the run, with the same text.
        qrels[query] = {"".join([*document]): draw.randrange(4) for document in chosen}
        qrels[query]["absent"] = 1
    return qrels, run


# Every two of scores, shares and conventions meet.
JUDGED = [1.0, 0.6, 0.4]
CONVENTIONS: list[dict[str, Any]] = [{}, {"ties": "mean"}, {"drop_self": True, "depth": 30}]
MET = [(scores, i, (i + row) % 3) for row, scores in enumerate(SCORES) for i in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize(("scores", "share", "convention"), MET)
def test_dicts_give_the_numbers_of_rows(scores: str, share: int, convention: int) -> None:
    judged, conventions = JUDGED[share], CONVENTIONS[convention]
    qrels, run = a_collection(scores, judged)
    rows = [
        {"query_id": query, "doc_id": document, "score": score}
        for query, held in run.items()
        for document, score in held.items()
    ]
    conventions = conventions | {"contents": "scores"}  # which rise, as distances do
    expected = rm.evaluate(qrels, rows, MEASURES, **conventions)
    for judgments in (qrels, rm.Qrels(qrels)):
        found = rm.evaluate(judgments, run, MEASURES, **conventions)
        assert found.scores.tobytes() == expected.scores.tobytes()
        assert found.audit.to_dict() == expected.audit.to_dict()
