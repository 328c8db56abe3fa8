"""Ids get numbers in the order in which they come, the same however a column stores them."""

from collections.abc import Callable
from itertools import cycle, islice
from typing import Any

import numpy as np
import pytest

from rankmark._core import distinct_pairs, joined, numbered, table_from_columns

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


def test_pairs_that_repeat_are_kept_once_in_the_order_of_the_queries() -> None:
    pairs = [("b", 3), ("a", 1), ("b", 1), ("b", 3), ("a", 1), ("b", 2), ("a", 3)]
    queries, documents = (
        [query for query, _ in pairs],
        np.array([document for _, document in pairs]),
    )
    judgments = distinct_pairs(table_from_columns(["q", "d"], [queries, documents]), 0, 1)
    assert judgments.query_ids() == ("b", "a")
    assert judgments.document_ids() == ("3", "1", "2", "1", "3")
    assert judgments.starts().tolist() == [0, 3, 5]
    assert judgments.labels().tolist() == [1.0] * 5


def test_no_pairs_are_no_judgments() -> None:
    empty = np.array([], dtype=np.int64)
    judgments = distinct_pairs(table_from_columns(["q", "d"], [empty, empty]), 0, 1)
    assert judgments.query_ids() == judgments.document_ids() == ()
    assert judgments.starts().tolist() == [0]


def test_columns_that_the_table_lacks_are_refused() -> None:
    with pytest.raises(IndexError):
        distinct_pairs(table_of(["a"]), 0, 1)
