"""Rows as lists, as dicts and as arrays are rows, and lists of ids stay lists of ids."""

from __future__ import annotations

import csv
import io
import random
import sqlite3
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmark as rm

QRELS = [("q1", "a", 2), ("q1", "b", 1), ("q2", "d", 1)]
RUN = [("q1", "b", 3.0), ("q1", "a", 2.0), ("q2", "d", 1.0)]
Rows = Sequence[tuple[Any, ...]]


def reader(rows: Rows) -> Any:
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    return csv.reader(io.StringIO(text))


def from_sqlite(rows: Rows) -> Any:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.execute("create table t(query_id text, doc_id text, number real)")
    connection.executemany("insert into t values(?,?,?)", rows)
    number = "label" if isinstance(rows[0][2], int) else "score"
    found = connection.execute(f"select number {number}, doc_id, query_id from t")
    weakref.finalize(found, connection.close)  # since Python 3.13 sqlite3 warns otherwise
    return found


def frame(rows: Rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "number"])


def with_header(rows: Rows) -> list[list[Any]]:
    number = "label" if isinstance(rows[0][2], int) else "score"
    return [[number, "query_id", "title", "doc_id"], *([n, q, "", d] for q, d, n in rows)]


FORMS: dict[str, Callable[[Rows], Any]] = {
    "csv.reader": reader,
    "lists of a csv.reader": lambda rows: list(reader(rows)),
    "lists": lambda rows: [list(row) for row in rows],
    "an iterator of lists": lambda rows: (list(row) for row in rows),
    "lists of arrays": lambda rows: [np.array(row, dtype=object) for row in rows],
    "a spreadsheet's lists": with_header,
    "a spreadsheet's tuples": lambda rows: [*map(tuple, with_header(rows))],
    "a spreadsheet's texts": lambda rows: [[*map(str, row)] for row in with_header(rows)],
    "sqlite3.Row": from_sqlite,
    "DataFrame.values": lambda rows: frame(rows).values,
    "to_numpy": lambda rows: frame(rows).to_numpy(),
    "values.tolist": lambda rows: frame(rows).values.tolist(),
    "an array of texts": lambda rows: np.array(list(reader(rows))),
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_read_as_tuples_are(form: str) -> None:
    wanted = rm.evaluate(QRELS, RUN, ["nDCG@10", "RR"])
    assert wanted["nDCG@10"] == pytest.approx(0.9298593499)
    make = FORMS[form]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for qrels, run in [(make(QRELS), make(RUN)), (QRELS, make(RUN)), (make(QRELS), RUN)]:
            assert dict(rm.evaluate(qrels, run, [*wanted])) == dict(wanted)


@pytest.mark.parametrize("ids", [1, 2, 3, 4, 5, 10, 100])
@pytest.mark.parametrize("kind", [str, int, lambda number: f"d{number}"])
def test_lists_of_ids_of_any_length_are_lists_of_ids(ids: int, kind: Callable[[int], Any]) -> None:
    rng = random.Random(ids)
    run = [[kind(number) for number in rng.sample(range(1000), ids)] for _ in range(40)]
    relevant = [[ranking[-1]] for ranking in run]
    for make in (list, lambda lists: [*map(np.array, lists)], np.array):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ev = rm.evaluate(relevant, make(run), "RR")
        assert ev["RR"] == pytest.approx(1 / ids)
        assert "list" in str(ev.settings["run"]) or "array of ids" in str(ev.settings["run"])


def test_random_lists_of_ids_are_hardly_ever_doubted() -> None:
    rng, doubted = random.Random(3), 0
    for trial in range(400):
        lists = [rng.sample(range(50), 2 + trial % 2) for _ in range(10 + trial % 30)]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rm.Run(lists)
        doubted += len(caught)
    assert doubted == 0


def test_rows_of_other_lengths_are_refused_with_how_to_name_their_places() -> None:
    lines = ["q1 Q0 a 1 9.5 tag", "q1 Q0 b 2 8.5 tag", "q2 Q0 c 1 3.0 tag"]
    rows = [line.split() for line in lines]
    for held in (rows, np.array(rows)):
        with pytest.raises(rm.SchemaError, match=r"of 6: .*columns={'query_id': 0, .*contents='id"):
            rm.Run(held)
        said = {"query_id": 0, "doc_id": 2, "score": 4}
        assert rm.evaluate({"q1": {"b": 1}}, held, "RR", run_columns=said)["RR"] == 0.5
        assert rm.Run(held, contents="ids").source.description()["form"] != "records"


WHOLE = [[7, 3, 1], [7, 4, 0], [8, 5, 1]]
BY_PLACE = {"query_id": 0, "doc_id": 1}


@pytest.mark.parametrize("rows", [WHOLE, [[*map(str, row)] for row in WHOLE]])
def test_rows_of_whole_numbers_are_refused_as_judgments_and_told_of_as_a_run(rows: Any) -> None:
    both = r"may be rows \(query_id, doc_id, .*columns={'query_id': 0, .*contents='ids'"
    with pytest.raises(rm.SchemaError, match=both):
        rm.Qrels(rows)
    assert rm.Qrels(rows, columns=BY_PLACE | {"label": 2}).query_ids == ("7", "8")
    assert rm.Qrels([[1, 2, 3], [1, 3, 2]], contents="ids").query_ids == ("0", "1")
    with pytest.warns(rm.RankmarkWarning, match=both):
        rm.Run(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.Run(rows, columns=BY_PLACE | {"score": 2})
        rm.Run(rows, contents="ids")


def test_rows_in_arrays_of_numbers_are_refused_or_told_of() -> None:
    labels, scores = np.array(WHOLE), np.array([[7, 3, 0.9], [7, 4, 0.5], [8, 5, 0.2]])
    with pytest.warns(rm.RankmarkWarning, match=r"may be rows .*read as lists of labels of three"):
        rm.Qrels(labels)
    with pytest.raises(rm.SchemaError, match=r"seem to be rows .*columns=.*contents='scores'"):
        rm.Run(scores)
    named = {"qrels_columns": BY_PLACE | {"label": 2}, "run_columns": BY_PLACE | {"score": 2}}
    assert rm.evaluate(labels, scores, "RR", **named)["RR"] == 1  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.Run(scores, contents="scores")
        rm.Qrels(np.array([[1, 0, 2], [0, 1, 0], [1, 2, 0]]))
        rm.Run(np.array([[0.3, 0.9, 0.7], [0.1, 0.2, 0.3]]))


ROWS = [
    {"user_id": 7, "recipe_id": 3, "rating": 1},
    {"user_id": 7, "recipe_id": 4, "rating": 0},
    {"user_id": 8, "recipe_id": 5, "rating": 1},
]


@pytest.mark.parametrize(
    "rows",
    [
        ROWS,
        ROWS[:1],
        [{"member": u, "recipe": i, "given": r} for u, i, r in map(dict.values, ROWS)],
    ],
)
def test_dicts_that_share_their_keys_are_rows(rows: Any) -> None:
    query, document, label = rows[0]
    with pytest.raises(rm.SchemaError, match=f"no column has a usual name .* '{document}'"):
        rm.Qrels(rows)
    named = {"query_id": query, "doc_id": document, "label": label}
    assert rm.Qrels(rows, columns=named).by_query()["7"]["3"] == 1


@pytest.mark.parametrize(
    "lists",
    [
        [{"a": 1, "b": 0}, {"a": 0, "b": 1}],
        [{"d1": 1, "d2": 0}, {"d1": 0, "d2": 1}],
        [{"dune": 0.5, "alien": 0.25}, {"dune": 0.25, "alien": 0.5}],
        [{"dune": 1, "alien": 0}, {"solaris": 1}],
        [{"dune": 1, "alien": 0}],
        [{3: 1, 4: 0}, {3: 0, 4: 1}],
        [{"dune": 1, "alien": 0}] * 2,
    ],
)
def test_documents_with_numbers_by_query_stay_so(lists: Any) -> None:
    assert rm.Qrels(lists, contents="labels").query_ids == tuple(map(str, range(len(lists))))


RATINGS = [(user, 60 + item, item - 1, 881_250_949 + item) for user in (7, 9) for item in (1, 2)]


@pytest.mark.parametrize("unit", [1, 1000, 10**6, 10**9])
@pytest.mark.parametrize("shape", [list, np.array])
def test_rows_with_time_stamps_are_no_lists(shape: Any, unit: int) -> None:
    rows = shape([[user, item, rating, time * unit] for user, item, rating, time in RATINGS])
    with pytest.raises(rm.SchemaError, match=r"time stamps, so these|tuple of 4"):
        rm.Qrels(rows)
    read = rm.Qrels(rows, columns={"query_id": 0, "doc_id": 1, "label": 2})
    assert rm.evaluate(read, {"7": ["61", "62"], "9": ["62"]}, "RR")["RR"] == 0.75


def test_an_array_with_label_and_prediction_is_neither_for_its_items() -> None:
    table = np.array([[7, 61, 0, 0.9], [7, 62, 1, 0.4], [9, 61, 1, 0.3], [9, 62, 0, 0.8]])
    with pytest.raises(rm.SchemaError, match="columns hold whole numbers and others fractions"):
        rm.evaluate(table, table, "nDCG")
    columns = {"query_id": 0, "doc_id": 1, "label": 2, "score": 3}
    assert rm.evaluate(table, table, "RR", columns=columns)["RR"] == 0.5


@pytest.mark.parametrize("kind", [rm.Qrels, rm.Run])
def test_arrays_of_labels_and_scores_are_read_as_such(kind: Any) -> None:
    values = np.array([[2, 1, 0.5, 0], [2, 0, 0, 0.5], [1, 1, 0.5, 0]])
    wide = np.array([[20, 10, 50, 0], [20, 0, 10, 50], [70, 10, 50, 0]])
    for array in (values, wide, wide.astype(float)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            kind(array)
