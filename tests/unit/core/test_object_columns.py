"""Ids that pandas holds as Python objects are read where they lie, slice by slice."""

import gc
import sys
from typing import Any

import numpy as np
import pytest

from rankmark import SchemaError, _core, evaluate

pd = pytest.importorskip("pandas")

ROWS = 40_000  # more than two slices
MEASURES = ["nDCG@10", "AP", "RR"]
TEXTS = ["a", "docid", "d" * 8, "d" * 17, "d" * 300, "é", "日本語", "\U0001f600 x", "", "\0"]


class Name(str):
    """A subclass of str."""

    __slots__ = ()


def objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def ids_of(array: Any, threads: int = 2) -> list[str]:
    codes, ids = _core.numbered(_core.table_from_columns(["id"], [array], threads=threads), 0)
    return [ids[code] for code in codes]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_text_of_every_width_and_length_is_read_as_it_is(threads: int) -> None:
    values = [f"{TEXTS[row % len(TEXTS)]}{row % 977}" for row in range(ROWS)]
    assert ids_of(objects(values), threads) == values


def test_arrays_may_have_gaps_or_run_backwards() -> None:
    values = objects([str(row) for row in range(ROWS)])
    assert ids_of(values[::-3]) == values[::-3].tolist()
    assert ids_of(np.stack([values, values], axis=1)[:, 1]) == values.tolist()
    assert ids_of(values[:0]) == []


def test_other_kinds_of_ids_among_text_are_what_they_are_elsewhere() -> None:
    values: list[Any] = [str(row) for row in range(ROWS)]
    values[20_000] = 20_000
    values[20_001] = np.int64(20_001)
    values[20_002] = 20_002.0
    values[30_000] = Name("30000")
    values[30_001] = np.str_("30001")
    assert ids_of(objects(values)) == [str(row) for row in range(ROWS)]


@pytest.mark.parametrize("bad", [None, float("nan"), 0.5, True, "\ud800", ("a",), pd.NA, b"a"])
def test_what_is_no_id_is_refused_with_its_row(bad: object) -> None:
    documents: list[Any] = [str(row) for row in range(ROWS)]
    documents[30_000] = documents[39_000] = bad
    column = pd.Series(objects(documents), dtype=object)
    run = pd.DataFrame({"query_id": "q", "doc_id": column, "score": 1.0})
    with pytest.raises(SchemaError, match=r"row 30000 \(from 0\)"):
        evaluate({"q": {"1": 1}}, run, MEASURES)


@pytest.mark.slow
def test_objects_give_the_numbers_of_text_whatever_their_order() -> None:
    rng = np.random.default_rng(5)
    queries = rng.integers(0, 50, ROWS)
    documents = rng.permutation(ROWS)
    frame = pd.DataFrame(
        {
            "query_id": [f"q{query}" for query in queries],
            "doc_id": [f"d{document}" for document in documents],
            "score": rng.integers(0, 200, ROWS) / 4,
        }
    )
    judged = frame.iloc[::37].assign(label=1).drop(columns="score")
    held = frame.astype({"query_id": object, "doc_id": object})
    for order in (slice(None), slice(None, None, -1), np.argsort(queries, kind="stable")):
        text = evaluate(judged, frame.iloc[order], MEASURES)
        as_objects = evaluate(
            judged.astype({"query_id": object, "doc_id": object}), held.iloc[order], MEASURES
        )
        assert (text.scores == as_objects.scores).all()


@pytest.mark.slow
def test_the_objects_are_let_go() -> None:
    name = "".join(["one", " document"])
    array = objects([name] * 10)
    before = sys.getrefcount(name), sys.getrefcount(array)
    table = _core.table_from_columns(["id"], [array])
    del table
    gc.collect()
    assert (sys.getrefcount(name), sys.getrefcount(array)) == before
