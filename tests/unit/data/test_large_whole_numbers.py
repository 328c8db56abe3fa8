"""Whole numbers that no double holds are refused in every form, as others would tie with them."""

import io
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import rankmark as rm
from rankmark.data.ids.numeric import first_inexact

QRELS = {"0": {"0": 1}}
LARGE = 2**60 + 1  # one more than what a double would make of it
EXACT = 2**60 + 2**8


def rows(score: int) -> list[tuple[str, str, Any]]:
    return [("0", "0", score), ("0", "1", 2**60)]


def frame(score: int) -> pd.DataFrame:
    return pd.DataFrame(rows(score), columns=["query_id", "doc_id", "score"])


FORMS: dict[str, Callable[[int], Any]] = {
    "dict": lambda score: {"0": {"0": score, "1": 2**60}},
    "dict of NumPy's": lambda score: {"0": {"0": np.int64(score), "1": np.uint64(2**60)}},
    "dict of pairs": lambda score: {"0": [("0", score), ("1", 2**60)]},
    "rows": rows,
    "rows of dicts": lambda score: frame(score).to_dict("records"),
    "pandas": frame,
    "pandas objects": lambda score: frame(score).astype(object),
    "Polars": lambda score: pl.DataFrame(frame(score).to_dict("list")),
    "Arrow uint64": lambda score: pa.table(
        {"qid": ["0", "0"], "docid": ["0", "1"], "score": pa.array([score, 2**60], pa.uint64())}
    ),
    "dense int64": lambda score: np.array([[score, 2**60]]),
    "dense uint64": lambda score: np.array([[score, 2**60]], dtype=np.uint64),
    "sparse": lambda score: scipy.sparse.csr_matrix(np.array([[score, 2**60]])),
    "TREC text": lambda score: io.BytesIO(f"0 0 0 1 {score} t\n0 0 1 2 {2**60} t\n".encode()),
    "CSV": lambda score: io.BytesIO(f"qid,docid,score\n0,0,{score}\n0,1,{2**60}\n".encode()),
    "JSON": lambda score: io.BytesIO(json.dumps({"0": {"0": score, "1": 2**60}}).encode()),
    "JSONL": lambda score: io.BytesIO(
        "".join(json.dumps(row) + "\n" for row in frame(score).to_dict("records")).encode()
    ),
}


def prepared(form: str, score: int) -> rm.Run:
    given = FORMS[form](score)
    return rm.Run(given, contents="scores") if isinstance(given, np.ndarray) else rm.Run(given)


@pytest.mark.parametrize("form", FORMS)
def test_a_score_that_would_tie_with_another_is_refused(form: str) -> None:
    with pytest.raises(rm.InputError, match="whole number that no double holds exactly"):
        rm.evaluate(QRELS, prepared(form, LARGE), "RR")


@pytest.mark.parametrize("form", FORMS)
def test_a_large_score_that_doubles_hold_is_taken(form: str) -> None:
    assert rm.evaluate(QRELS, prepared(form, EXACT), "RR")["RR"] == 1.0


@pytest.mark.parametrize("form", FORMS)
def test_who_rounds_scores_on_purpose_is_not_held_up(form: str) -> None:
    assert rm.evaluate(QRELS, prepared(form, LARGE), "RR", precision="float32")["RR"] == 0.5


@pytest.mark.parametrize("form", FORMS)
def test_every_verb_refuses_them(form: str) -> None:
    run = prepared(form, LARGE)
    with pytest.raises(rm.InputError, match="no double holds exactly"):
        rm.explain(QRELS, run, "0", "RR")
    with pytest.raises(rm.InputError, match="no double holds exactly"):
        rm.compare_rankings(prepared(form, LARGE), {"0": ["0", "1"]})
    assert not rm.check(QRELS, prepared(form, LARGE)).ok


LABELS: dict[str, Callable[[], Any]] = {
    "dict": lambda: {"0": {"0": LARGE}},
    "rows": lambda: [("0", "0", LARGE)],
    "dense": lambda: np.array([[LARGE]]),
    "Polars": lambda: pl.DataFrame({"qid": ["0"], "docid": ["0"], "label": [LARGE]}),
    "TREC text": lambda: io.BytesIO(f"0 0 0 {LARGE}\n".encode()),
}


@pytest.mark.parametrize("form", LABELS)
def test_labels_are_never_rounded(form: str) -> None:
    with pytest.raises(rm.InputError, match="no double holds exactly; give smaller labels"):
        rm.Qrels(LABELS[form]())


@pytest.mark.parametrize("written", ["1152921504606846977.0", "1.152921504606846977e18"])
def test_decimals_are_read_as_the_nearest_double(written: str) -> None:
    run = io.BytesIO(f"0 0 0 1 {written} t\n".encode())
    assert rm.evaluate(QRELS, run, "RR")["RR"] == 1.0


@pytest.mark.parametrize("written", ["9007199254740993.5", "-123456789012345678901.25"])
def test_a_large_decimal_that_is_not_whole_is_read_as_in_text(written: str, tmp_path: Path) -> None:
    scores = pa.array([Decimal(written), Decimal(0)], pa.decimal128(38, 2))
    table = pa.table({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": scores})
    text = tmp_path / "run.csv"
    text.write_text(f"query_id,doc_id,score\nq,a,{written}\nq,b,0\n")
    for run in (table, text):
        assert rm.evaluate({"q": {"a": 1}}, run, "RR")["RR"] == (0.5 if written[0] == "-" else 1)


def test_where_no_double_holds_a_number_is_found_without_a_loop() -> None:
    for number in (0, 1, -1, 2**53, -(2**53), 2**62, -(2**63), 3 * 2**60):
        assert first_inexact(np.array([number, 0])) is None
    for number in (2**53 + 1, -(2**53) - 1, 2**63 - 1):
        assert first_inexact(np.array([0, number, number])) == 1
    assert first_inexact(np.array([2**64 - 1], dtype=np.uint64)) == 0
    assert first_inexact(np.array([2**64 - 2**11], dtype=np.uint64)) is None
