"""``nuggets``: answers scored by the nuggets that they support."""

import json
import math
import pickle
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rankmark as rm
from unit.spans.forms import FORMS

FIVE = [
    ("n1", "vital", "support"),
    ("n2", "vital", "partial_support"),
    ("n3", "vital", "not_support"),
    ("n4", "okay", "support"),
    ("n5", "okay", "partial_support"),
]
GOLDEN = {
    "strict_vital": 1 / 3,
    "strict_all": 0.4,
    "vital": 0.5,
    "all": 0.6,
    "weighted_strict": 0.375,
    "weighted": 0.5625,
}
NAMES = ("query_id", "nugget", "importance", "support")
ROWS = [dict(zip(NAMES, ("q1", *row), strict=True)) for row in FIVE]
ROWS += [dict(zip(NAMES, ("q2", "n1", "okay", "no"), strict=True))]


def test_five_nuggets_have_the_figures_of_trec_rag() -> None:
    found = rm.nuggets({"q1": FIVE})
    assert dict(found) == pytest.approx(GOLDEN, abs=1e-15)
    assert found.names == [*GOLDEN]
    names = ["V_strict", "A_strict", "V", "A", "W_strict", "W"]
    assert dict(rm.nuggets({"q1": FIVE}, names)) == dict(found)
    assert rm.nuggets({"q1": FIVE}, ["weighted", "all_score", "weighted"]).names == [
        "weighted",
        "all",
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_table_has_the_same_scores_in_every_form(form: str, tmp_path: Path) -> None:
    found = rm.nuggets(FORMS[form](ROWS, tmp_path))
    assert found.queries == ("q1", "q2")
    assert found.per_query("all") == {"q1": pytest.approx(0.6), "q2": 0.0}
    assert found == rm.nuggets(ROWS)


def test_a_file_of_nuggetizer_is_read_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "assignments.jsonl"
    nuggets = [{"text": n, "importance": i, "assignment": a} for n, i, a in FIVE]
    lines = [{"query": "What?", "qid": f"q{n}", "nuggets": nuggets[n:]} for n in range(2)]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    found = rm.nuggets(file)
    assert found.per_query("strict_all") == {"q0": 0.4, "q1": 0.25}
    assert any("nugget=text" in note for note in found.notes)
    file.write_text(json.dumps(lines[0]), encoding="utf-8")
    assert dict(rm.nuggets(file)) == pytest.approx(GOLDEN, abs=1e-15)


def test_a_topic_without_an_answer_counts_zero_unless_only_answers_are_averaged() -> None:
    gold = {query: [(n, i) for n, i, _ in FIVE] for query in ("q1", "q2", "q3")}
    answers = {"q1": [(n, s) for n, _, s in FIVE], "q2": [("n1", "full")]}
    found = rm.nuggets(answers, gold=gold)
    assert found.per_query("strict_vital") == {"q1": 1 / 3, "q2": 1 / 3, "q3": 0.0}
    assert (found.audit.answered, found.audit.missing) == (2, 1)  # type: ignore[union-attr]
    assert rm.nuggets(answers, gold=gold, queries="both").queries == ("q1", "q2")
    chosen = rm.nuggets(answers, gold=gold, queries=["q3", "q1", "unknown"])
    assert chosen.per_query("all") == {"q3": 0.0, "q1": 0.6, "unknown": 0.0}
    empty = [*ROWS[:5], {"query_id": "q9", "nugget": "n1", "importance": "vital"}]
    assert rm.nuggets(empty).per_query("all") == {"q1": 0.6, "q9": 0.0}
    assert rm.nuggets(empty, queries="both").queries == ("q1",)
    # In a mapping, a query may have no nugget at all.
    assert rm.nuggets({"q1": FIVE, "q2": []}).per_query("all") == {"q1": 0.6, "q2": 0.0}


def test_without_vital_nuggets_the_vital_scores_are_zero_or_left_out() -> None:
    judged = {"q1": FIVE, "q2": [("n", "okay", "support")]}
    assert rm.nuggets(judged)["strict_vital"] == pytest.approx(1 / 6)
    left_out = rm.nuggets(judged, empty="nan")
    assert left_out["strict_vital"] == pytest.approx(1 / 3)
    assert math.isnan(left_out.per_query("vital")["q2"])
    assert left_out["all"] == pytest.approx(0.8)
    assert "without vital nuggets 1" in str(left_out.audit)


def test_weights_can_be_chosen() -> None:
    found = rm.nuggets({"q1": FIVE}, partial=0.25, okay=0)
    assert found["vital"] == pytest.approx(1.25 / 3)
    assert found["weighted"] == found["vital"]


WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "a word": ([{**ROWS[0], "support": "suport"}], {}, "support of row 1 is 'suport'"),
    "importance": ([{**ROWS[0], "importance": 3}], {}, "importance of row 1 is 3"),
    "twice": (ROWS + ROWS[:1], {}, "'n1' of row 7 appears twice for query 'q1'"),
    "a column": ([{"query_id": "q"}], {}, "could be nugget"),
    "nothing": ([], {}, "holds no rows"),
    "a form": (3, {}, "answers is 3"),
    "a share": (ROWS, {"partial": 2}, "partial is 2"),
    "not gold": (
        ROWS,
        {"gold": [("q1", "n1", "vital")]},
        "'n2' of row 2 is not in gold",
    ),
    "no gold": (ROWS, {"gold": [("q7", "n1", "vital")]}, "'q1' .* has no nuggets in gold"),
    "queries": (ROWS, {"queries": "all"}, "queries is 'all'"),
    "other queries": (ROWS, {"queries": ["x"]}, "none of the queries was judged"),
    "no such column": (ROWS, {"columns": {"support": "grade"}}, "no input has a column 'grade'"),
    "no such role": (ROWS, {"columns": {"score": "grade"}}, "columns names 'score'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name: str) -> None:
    given, options, told = WRONG[name]
    with pytest.raises(rm.InputError, match=told):
        rm.nuggets(given, **options)


def test_a_score_that_does_not_exist_is_a_wrong_measure_and_the_nearest_is_named() -> None:
    told = "there is no score 'strict_vitl'; did you mean strict_vital?"
    with pytest.raises(rm.MeasureError, match=re.escape(told)):
        rm.nuggets(ROWS, "strict_vitl")
    with pytest.raises(rm.MeasureError, match="there is no score 'f1'; choose from strict_vital"):
        rm.nuggets(ROWS, "f1")


def test_results_are_compared_kept_and_written() -> None:
    many = {f"q{n}": FIVE[n % 4 :] for n in range(12)}
    fewer = {query: [(n, i, "no") for n, i, _ in rows] for query, rows in many.items()}
    found, other = rm.nuggets(many), rm.nuggets(fewer)
    compared = rm.compare_scores({"a": found, "b": other}, "weighted", baseline="b")
    assert compared.differences[0].difference == pytest.approx(found["weighted"])
    assert pickle.loads(pickle.dumps(found)) == found
    low, high = found.intervals()["all"]
    assert low < found["all"] < high
    written = json.loads(found.to_json())
    assert written["intervals"]["all"] == [low, high]
    assert written["per_query"]["q0"]["weighted"] == 0.5625
    assert isinstance(found.to_pandas(), pd.DataFrame)
    with pytest.raises(rm.NotEvaluatedError, match="this result has strict_vital"):
        found["nDCG"]
