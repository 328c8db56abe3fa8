"""Columns of every type are ids or numbers, or are refused by the name that people have for it."""

import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm
from rankmark.data.contract.reading_options import ONE_THREAD


def test_ids_that_are_whole_floats_meet_text_and_others_are_refused() -> None:
    floats = pd.DataFrame({"user": [1.0, 1.0], "item": [5.0, 2.0**53 - 1], "score": [2, 1]})
    assert rm.evaluate({"1": {"5": 1}}, floats, "RR")["RR"] == 1.0
    floats.loc[1, "item"] = 2.5
    with pytest.raises(rm.SchemaError, match=r"row 1 \(from 0\): 'item' holds 2.5.*, which is no"):
        rm.evaluate({"1": {"5": 1}}, floats)


@pytest.mark.parametrize(("kind", "digits"), [("f2", 11), ("f4", 24), ("f8", 53)])
def test_a_float_that_may_have_been_another_id_is_refused(kind: str, digits: int) -> None:
    for sign in (1, -1):
        last = sign * (2**digits - 1)
        floats = pa.table({"qid": ["q"], "docid": np.array([last], dtype=kind)})
        assert rm.evaluate({"q": [str(last)]}, floats, "RR")["RR"] == 1.0
        floats = pa.table({"qid": ["q"], "docid": np.array([last + sign], dtype=kind)})
        for run in (floats, floats.set_column(1, "docid", floats["docid"].dictionary_encode())):
            with pytest.raises(rm.SchemaError, match=r"row 0 .*, a float so large that another id"):
                rm.evaluate({"q": [str(last)]}, run)


def test_a_document_twice_whose_id_is_no_text_is_refused_as_any() -> None:
    odd = pa.table({"qid": ["q"] * 3, "docid": [b"a", b"\xff", b"\xff"]})
    with pytest.raises(rm.DuplicateError, match=r"row 2 .*document '\\xff' appears twice"):
        rm.evaluate({"q": ["a"]}, odd)


@pytest.mark.parametrize(
    ("column", "values", "holds"),
    [
        ("docid", [True, False], "truth values"),
        ("docid", [{"a": 1}, {"a": 2}], "structs"),
        ("docid", np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[ns]"), "timestamps"),
        ("score", ["1.0", "2.0"], "text"),
        ("score", [None, None], "nothing but nulls"),
        ("score", np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[ns]"), "timestamps"),
        ("score", np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"), "dates"),
        ("score", np.array([1, 2], dtype="timedelta64[ns]"), "durations"),
    ],
)
def test_a_column_of_a_type_that_is_no_id_or_number_is_refused(
    column: str, values: Any, holds: str
) -> None:
    columns = {"qid": ["q", "q"], "docid": ["a", "b"], "score": [1.0, 2.0]} | {column: values}
    with pytest.raises(rm.SchemaError, match=rf"run <frame>: '{column}' holds {holds}; need"):
        rm.evaluate({"q": {"a": 1}}, pl.DataFrame(columns))


def test_numbers_written_as_text_among_objects_are_no_numbers() -> None:
    objects = pd.DataFrame({"qid": ["q"], "docid": ["a"], "score": pd.Series(["1"], dtype=object)})
    with pytest.raises(rm.SchemaError, match=r"row 0 \(from 0\): 'score' is '1'; need a number"):
        rm.Run(objects)


def test_numbers_of_any_type_among_objects_are_numbers() -> None:
    scores = pd.Series([1, Decimal("2.5"), np.float32(2)], dtype=object)
    objects = pd.DataFrame({"qid": ["q"] * 3, "docid": ["a", "b", "c"], "score": scores})
    assert rm.evaluate({"q": {"c": 1}}, objects, "RR")["RR"] == 0.5


@pytest.mark.parametrize(
    "kind",
    [pa.decimal32(9, 2), pa.decimal64(18, 3), pa.decimal128(38, 0), pa.decimal256(70, 5)],
    ids=str,
)
def test_decimals_are_ids_where_they_are_whole_and_numbers_to_the_bit(kind: Any) -> None:
    ids = [Decimal(5), Decimal(-17), Decimal(0), Decimal(1000)]
    numbers = [Decimal(value).scaleb(-kind.scale) for value in (1, -3, 123456, 0)]
    table = pa.table({"qid": pa.array([Decimal(7)] * 4, kind), "docid": pa.array(ids, kind)})
    table = table.append_column("score", pa.array(numbers, kind))
    rows = rm.Run(table).source.rows(ONE_THREAD, lenient=False)
    assert rows.query_ids == ("7",)
    assert [rows.doc_ids(code) for code in rows.doc_codes] == ["5", "-17", "0", "1000"]
    assert rows.number is not None
    assert rows.number.tolist() == [float(number) for number in numbers]


def test_long_decimals_become_the_nearest_doubles_and_ids_of_all_their_digits() -> None:
    dice = np.random.default_rng(0)
    digits = ["".join(map(str, dice.integers(10, size=30))) for _ in range(500)]
    numbers = [Decimal(f"-{one[:12]}.{one[12:]}") for one in digits]
    kind, whole = pa.decimal128(38, 18), pa.decimal256(76, 0)
    ids = pa.array([Decimal("9" + one * 2) for one in digits], whole)
    table = pa.table({"qid": ["q"] * 500, "docid": ids, "score": pa.array(numbers, kind)})
    rows = rm.Run(table).source.rows(ONE_THREAD, lenient=False)
    assert rows.number is not None
    assert rows.number.tolist() == [float(number) for number in numbers]
    assert [rows.doc_ids(code) for code in rows.doc_codes] == ["9" + one * 2 for one in digits]


def test_a_decimal_that_is_not_whole_is_no_id() -> None:
    table = pa.table({"qid": ["q"], "docid": pa.array([Decimal("1.50")])})
    with pytest.raises(
        rm.SchemaError, match=r"row 0 \(from 0\): 'docid' holds 1.50, which is not an id"
    ):
        rm.evaluate({"q": ["1"]}, table)


@pytest.mark.parametrize("kind", ["pandas", "Arrow", "records", "dict"])
def test_uuids_are_ids_and_meet_their_text(kind: str) -> None:
    ids = [uuid.UUID(int=number << 64) for number in (5, 6)]
    held: Any = {"qid": [ids[0]] * 2, "docid": ids, "score": [1.0, 2.0]}
    if kind == "pandas":
        held = pd.DataFrame(held)
    elif kind == "Arrow":
        coded = {
            name: pa.array([one.bytes for one in held[name]], pa.uuid())
            for name in held
            if name != "score"
        }
        held = pa.table(coded | {"score": held["score"]})
    elif kind == "records":
        held = list(zip(*held.values(), strict=True))
    else:
        held = {ids[0]: dict(zip(ids, held["score"], strict=True))}
    ev = rm.evaluate({str(ids[0]): {str(ids[0])}}, held, "RR")
    assert ev["RR"] == 0.5
    assert rm.explain(rm.Qrels({ids[0]: {ids[0]}}), held, str(ids[0]), "RR").value == 0.5


def test_decimals_of_python_are_ids_where_they_are_whole() -> None:
    assert rm.evaluate({"1": {"2"}}, [(Decimal(1), Decimal("2.0"))], "RR")["RR"] == 1.0
    for wrong in (Decimal("1.5"), Decimal("nan"), Decimal("inf")):
        with pytest.raises(rm.SchemaError, match="which is not an id"):
            rm.Run([("q", wrong)])
