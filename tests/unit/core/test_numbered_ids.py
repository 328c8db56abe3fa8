"""Ids get numbers in the order in which they come, the same however a column stores them."""

from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

import numpy as np
import pytest

from rankmark._core import joined, numbered, qrels_from_rows, table_from_columns

SIGNED = [5, -1, 5, 5, 0, 2**63 - 1, -(2**63), 0, -1, 7]
LARGE = [2**64 - 1, 3, 2**63, 3, 2**64 - 1, 0, 2**63]


def codes_and_ids(table: Any) -> tuple[list[int], list[str]]:
    codes, ids = numbered(table, 0)
    return codes.tolist(), [ids[code] for code in range(len(ids))]


def by_hand(ids: list[str]) -> tuple[list[int], list[str]]:
    distinct = list(dict.fromkeys(ids))
    return [distinct.index(one) for one in ids], distinct


def table_of(values: Any) -> Any:
    return table_from_columns(["id"], [values])


def places(ids: list[str]) -> dict[str, Any]:
    """Name some words that no row has, too."""
    words = ["unused", *sorted(set(ids))]
    return {"ids": words, "places": np.array([words.index(one) for one in ids], dtype=np.int32)}


FORMS: dict[str, Callable[[], tuple[Any, list[str]]]] = {
    "signed": lambda: (np.array(SIGNED), [str(one) for one in SIGNED]),
    "bytes": lambda: (np.array([3, -3, 3, 0], dtype=np.int8), ["3", "-3", "3", "0"]),
    "large": lambda: (np.array(LARGE, dtype=np.uint64), [str(one) for one in LARGE]),
    "floats": lambda: (np.array([2.0, -1.0, 2.0]), ["2", "-1", "2"]),
    "text": lambda: (["b", "a", "b", ""], ["b", "a", "b", ""]),
    "places": lambda: (places(["y", "x", "y", "z", "x"]), ["y", "x", "y", "z", "x"]),
    "more words than rows": lambda: (places(["y"]), ["y"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_id_is_numbered_as_it_comes(form: str) -> None:
    values, ids = FORMS[form]()
    assert codes_and_ids(table_of(values)) == by_hand(ids)


def test_an_id_is_one_id_as_text_and_as_a_number() -> None:
    parts = [
        np.array([1, 2, 1]),
        ["2", "1", "3"],
        np.array([3, 4], dtype=np.uint8),
        places(["4", "5"]),
    ]
    whole = joined([table_of(part) for part in parts])
    ids = ["1", "2", "1", "2", "1", "3", "3", "4", "4", "5"]
    assert codes_and_ids(whole) == by_hand(ids)


@pytest.mark.parametrize("distinct", [1, 7, 1_000, 150_000])
def test_many_numbers_keep_theirs(distinct: int) -> None:
    rng = np.random.default_rng(distinct)
    ids = rng.permutation(distinct).astype(np.int64) * 1_000_003 - 5
    rows = ids[rng.integers(0, distinct, 200_000)]
    codes, texts = codes_and_ids(table_of(rows))
    seen, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    assert texts == [str(one) for one in rows[np.sort(first)].tolist()]
    assert (np.argsort(np.argsort(first))[inverse] == codes).all()
    assert len(seen) == len(texts)


def test_codes_go_on_where_dictionaries_change_with_each_part() -> None:
    ids = list(islice(cycle(["d", "c", "d", "b", "a"]), 23))
    parts = [ids[:6], ids[6:7], ids[7:]]
    assert codes_and_ids(joined([table_of(places(part)) for part in parts])) == by_hand(ids)


def judgments_of(
    queries: list[int], documents: list[int], labels: list[float] | None = None
) -> dict[str, dict[str, float]]:
    """Read rows of numbers of the queries b and a, and of the documents x, y and z."""
    judgments = qrels_from_rows(
        np.array(queries, dtype=np.uint32),
        ["b", "a"],
        np.array(documents, dtype=np.uint32),
        ["x", "y", "z\udcff"],
        None if labels is None else np.array(labels),
    )
    starts, ids = judgments.starts().tolist(), judgments.document_ids()
    values = dict(zip(range(len(ids)), judgments.labels().tolist(), strict=True))
    return {
        query: {ids[row]: values[row] for row in range(first, end)}
        for query, first, end in zip(judgments.query_ids(), starts[:-1], starts[1:], strict=True)
    }


def test_rows_become_judgments_query_by_query_in_their_order() -> None:
    rows = judgments_of([1, 0, 1, 0], [2, 1, 0, 2], [3.0, 1.0, -1.0, 0.5])
    assert rows == {"b": {"y": 1.0, "z\udcff": 0.5}, "a": {"z\udcff": 3.0, "x": -1.0}}
    assert [[*held] for held in rows.values()] == [["y", "z\udcff"], ["z\udcff", "x"]]


def test_of_a_document_that_repeats_the_first_row_counts() -> None:
    assert judgments_of([0, 1, 0, 0], [1, 1, 1, 0], [2.0, 1.0, 5.0, 4.0]) == {
        "b": {"y": 2.0, "x": 4.0},
        "a": {"y": 1.0},
    }


def test_queries_without_rows_are_there_and_labels_are_1_by_default() -> None:
    assert judgments_of([1, 1], [0, 0]) == {"b": {}, "a": {"x": 1.0}}
    assert judgments_of([], []) == {"b": {}, "a": {}}


@pytest.mark.parametrize(
    ("queries", "documents", "labels"),
    [([0], [], None), ([0], [3], None), ([2], [0], None), ([0], [0], [])],
)
def test_rows_that_do_not_fit_are_refused(
    queries: list[int], documents: list[int], labels: list[float] | None
) -> None:
    with pytest.raises((ValueError, IndexError)):
        judgments_of(queries, documents, labels)


def test_an_id_has_one_number() -> None:
    none = np.array([], dtype=np.uint32)
    with pytest.raises(ValueError, match="two numbers"):
        qrels_from_rows(none, ["a", "a"], none, [], None)
