"""Scores of judged answers are those of ALCE and nuggetizer, which were run on random judgments.

``oracles/answer_figures.jsonl`` has what ALCE's ``compute_autoais`` gave, with a table of random
judgments in place of its model, and nuggetizer's ``calculate_nugget_scores``. Fractions, computed
here from the formulas, have the weighted scores, which neither tool has.
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm

FIGURES = [
    json.loads(line)
    for line in (Path(__file__).parent / "oracles" / "answer_figures.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
WORDS = {None: None, 0: "no", 1: "yes"}


def of_tool(tool: str) -> list[dict[str, Any]]:
    found = [figures for figures in FIGURES if figures["tool"] == tool]
    assert len(found) >= 30
    return found


def test_citations_are_scored_as_alce_scores_them() -> None:
    for figures in of_tool("ALCE"):
        rows = [
            ("q", sentence, passage, *(WORDS[judged] for judged in judgments))
            for sentence, passage, *judgments in figures["rows"]
        ]
        found = rm.citations(
            rows,
            method="alce",
            passages=figures["docs"],
            at_most_citations=figures["at_most_citations"],
        )
        assert found["recall"] == pytest.approx(figures["recall"], abs=1e-12)
        assert found["precision"] == pytest.approx(figures["precision"], abs=1e-12)


def test_nuggets_are_scored_as_nuggetizer_scores_them() -> None:
    for figures in of_tool("nuggetizer"):
        judged = [(f"n{n}", *judged) for n, judged in enumerate(figures["nuggets"])]
        found = rm.nuggets({"q": judged})
        for name in ("strict_vital", "strict_all", "vital", "all"):
            assert found[name] == pytest.approx(figures[f"{name}_score"], abs=1e-15)


def test_weighted_scores_are_sums_of_fractions() -> None:
    credit = {"support": Fraction(1), "partial_support": Fraction(1, 2), "not_support": Fraction(0)}
    weight = {"vital": Fraction(1), "okay": Fraction(1, 2)}
    for figures in of_tool("nuggetizer"):
        judged = figures["nuggets"]
        total = sum(weight[importance] for importance, _ in judged)
        found = rm.nuggets({"q": [(f"n{n}", *one) for n, one in enumerate(judged)]})
        gained = sum(weight[i] * credit[s] for i, s in judged) / total
        strict = sum(weight[i] for i, s in judged if s == "support") / total
        assert found["weighted"] == pytest.approx(float(gained), abs=1e-15)
        assert found["weighted_strict"] == pytest.approx(float(strict), abs=1e-15)
