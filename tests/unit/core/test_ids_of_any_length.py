"""Ids of any length are told apart by any of their bytes, however they are stored."""

from collections.abc import Callable
from typing import Any

import pytest

import rankmark as rm

COLUMNS = ("query_id", "doc_id", "score")
MEASURES = ["nDCG", "RR", "P@2"]


def alike(length: int) -> list[str]:
    """Give ids of a length that differ from the first in one byte each."""
    first = ("abcdefghij" * 4)[:length]
    return [first, *(f"{first[:at]}-{first[at + 1 :]}" for at in range(length))]


def a_polars_frame(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(columns)


def arrow_of(kind: str) -> Callable[[dict[str, list[Any]]], Any]:
    """Store texts as offsets of 32 or 64 bits, or as views; with gaps between the tables joined."""

    def made(columns: dict[str, list[Any]]) -> Any:
        pa = pytest.importorskip("pyarrow")
        texts = getattr(pa, kind)()
        types = pa.schema({"query_id": texts, "doc_id": texts, "score": pa.float64()})
        whole = pa.table(columns, schema=types)
        return pa.concat_tables([whole.slice(0, 3), whole.slice(3)])

    return made


FORMS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "polars": a_polars_frame,
    **{kind: arrow_of(kind) for kind in ("string", "large_string", "string_view")},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 16, 17, 24, 33])
def test_one_byte_makes_another_id(form: str, length: int) -> None:
    ids = alike(length)
    # Each query has all documents, and the one that is called as it is relevant, at another rank.
    qrels = {query: {query: 1} for query in ids}
    run = {
        query: {document: float((place + 3 * row) % 7) for row, document in enumerate(ids)}
        for place, query in enumerate(ids)
    }
    rows = [(query, doc, score) for query, held in run.items() for doc, score in held.items()]
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    expected = rm.evaluate(qrels, run, MEASURES)
    found = rm.evaluate(qrels, FORMS[form](columns), MEASURES)
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert found.queries == expected.queries


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("length", [1, 3, 4, 8, 12, 13, 17])
def test_an_id_that_stands_twice_is_found(form: str, length: int) -> None:
    ids = [*alike(length), alike(length)[-1]]
    columns: dict[str, list[Any]] = dict(
        zip(COLUMNS, (["q"] * len(ids), ids, [1.0] * len(ids)), strict=True)
    )
    with pytest.raises(rm.DuplicateError, match=ids[-1]):
        rm.evaluate({"q": {ids[0]: 1}}, FORMS[form](columns), MEASURES)
