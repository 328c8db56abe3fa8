"""Rows as Python objects go in by place or by name; what is odd is refused by its row."""

import dataclasses
from collections import namedtuple
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pytest

import rankmark as rm

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1}}
RUN = {"q1": {"b": 0.9, "c": 0.5, "x": 0.2}, "q2": {"x": 2.0, "d": 1.0}}
MEASURES = ["nDCG", "AP", "RR"]
WANTED = rm.evaluate(QRELS, RUN, MEASURES).scores.tolist()
ROWS = [(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
JUDGED = [(query, doc, label) for query, docs in QRELS.items() for doc, label in docs.items()]


class Hit(NamedTuple):
    """A row with its fields in an order of its own."""

    similarity: str
    score: float
    docno: str
    qid: str


@dataclasses.dataclass(slots=True)
class Rating:
    """A row of a recommender."""

    user_id: str
    item_id: str
    rating: float
    note: str = ""


def scored(qrels: Any, run: Any, **options: Any) -> Any:
    return rm.evaluate(qrels, run, MEASURES, **options).scores.tolist()


@pytest.mark.parametrize("many", [list, tuple, iter, lambda rows: (row for row in rows)])
def test_any_iterable_of_tuples_will_do(many: Any) -> None:
    assert scored(many(JUDGED), many(ROWS)) == WANTED


def test_named_tuples_and_dataclasses_are_read_by_name() -> None:
    assert scored(JUDGED, [Hit("-", score, doc, query) for query, doc, score in ROWS]) == WANTED
    assert scored(JUDGED, [Rating(*row) for row in ROWS]) == WANTED
    untyped = namedtuple("untyped", "topic other docid sim")  # noqa: PYI024
    assert scored(JUDGED, [untyped(q, 1, d, s) for q, d, s in ROWS]) == WANTED


def test_what_ir_measures_reads_goes_in() -> None:
    qrels = [ir_measures.Qrel(query, doc, label) for query, doc, label in JUDGED]
    run = (ir_measures.ScoredDoc(*row) for row in ROWS)
    assert scored(qrels, run) == WANTED


def test_dicts_as_rows_may_hold_more_than_is_needed() -> None:
    rows: list[dict[str, Any]] = [
        {"text": "", "qid": q, "docno": d, "score": s} for q, d, s in ROWS
    ]
    rows[1]["more"] = 1
    ev = rm.evaluate(QRELS, rows, MEASURES)
    assert ev.scores.tolist() == WANTED
    columns = {"query_id": "qid", "doc_id": "docno", "score": "score"}
    assert ev.settings["run"] == {"form": "records", "columns": columns}


def test_names_that_are_not_the_fields_are_told() -> None:
    rows = [{"frage": q, "antwort": d, "punkte": s} for q, d, s in ROWS]
    columns = {"query_id": "frage", "doc_id": "antwort", "score": "punkte"}
    assert scored(QRELS, rm.Run(rows, columns=columns)) == WANTED


def test_ids_are_text_or_whole_numbers_of_any_type() -> None:
    qrels = [(1, np.int64(5), 1), ("1", "6", 0)]
    assert rm.evaluate(qrels, [(np.uint8(1), 5.0, 2), (1, "6", 3)], "RR")["RR"] == 0.5


def test_pairs_are_relevant_documents_or_an_order() -> None:
    ev = rm.evaluate([("q", "c")], [("q", "a"), ("q", "c")], "RR")
    assert (ev["RR"], ev.settings["run"]["order"]) == (0.5, "as given")


def test_plain_tuples_of_another_length_are_not_guessed() -> None:
    trec = [("q1", 0, "a", 1)]
    with pytest.raises(rm.SchemaError, match=r"qrels <records>: row 0 is a tuple of 4: .*need \("):
        rm.Qrels(trec)
    with pytest.raises(rm.SchemaError, match="tuple of 6"):
        rm.Run([("q1", "Q0", "a", 1, 0.5, "tag")])
    told = rm.Qrels(trec, columns={"query_id": 0, "doc_id": 2, "label": 3})
    assert rm.evaluate(told, {"q1": ["a"]}, "RR")["RR"] == 1.0


def test_pairs_of_a_document_and_a_float_are_one_query() -> None:
    assert rm.evaluate({"b"}, [("a", 0.5), ("b", 0.9)], "RR")["RR"] == 1.0


def test_numbers_that_may_be_ranks_as_well_as_scores_are_not_guessed() -> None:
    triples = [("q", "a", 1), ("q", "b", 2), ("p", "a", 1)]
    with pytest.raises(rm.SchemaError, match=r"count up from 1 in every query.* say which"):
        rm.Run(triples)
    qrels = {"q": {"b": 1}}
    ranks = rm.Run(triples, columns={"query_id": 0, "doc_id": 1, "rank": 2})
    scores = rm.Run(triples, columns={"query_id": 0, "doc_id": 1, "score": 2})
    assert [rm.evaluate(qrels, run, "RR")["RR"] for run in (ranks, scores)] == [0.5, 1.0]
    for certain in (
        [("q", "a", 1)],
        [("q", "a", 1.0), ("q", "b", 2.0)],
        [("q", "a", 2), ("q", "b", 1)],
    ):
        rm.Run(certain)
    rm.Qrels(triples)


def test_a_one_shot_iterator_is_read_once_and_kept() -> None:
    run, qrels = rm.Run(iter(ROWS)), rm.Qrels(iter(JUDGED))
    for _ in range(2):
        assert scored(qrels, run) == WANTED


def test_an_iterator_that_was_read_through_never_scores_nothing_in_silence() -> None:
    rows = iter(ROWS)
    assert scored(JUDGED, rows) == WANTED
    with pytest.warns(
        rm.RankmarkWarning, match="it holds no documents, .* iterator that was read before"
    ):
        scored(JUDGED, rows)
    with pytest.raises(
        rm.InputError, match="qrels: generator: it holds no judgments; has it been read"
    ):
        rm.Qrels(row for row in [])


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (("q", "b", "high"), r"'score' is 'high'; need a number"),
        (("q", "b", "0,5"), r"'score' is '0,5'; need a number"),
        (("q", "b", None), r"'score' is None; need a number"),
        (("q", "b", 10**400), r"'score' is 1000.*; need a number"),
        (("q", "b", float("nan")), r"'score' is NaN"),
        (("q", None, 0.5), r"'doc_id' holds None, which is not an id"),
        (("q", 1.5, 0.5), r"'doc_id' holds 1.5, which is not an id"),
        ((True, "b", 0.5), r"'query_id' holds True, which is not an id"),
        ((b"q", "b", 0.5), r"'query_id' holds b'q', which is not an id"),
    ],
)
def test_a_row_that_holds_something_else_is_named(row: Any, found: str) -> None:
    with pytest.raises(rm.SchemaError, match=rf"^run <records>: row 1 \(from 0\): {found}"):
        rm.evaluate({"q": {"a": 1}}, [("q", "a", 0.5), row])


@pytest.mark.parametrize(
    "row", [("q", "b"), ["q", "b", 0.5], {"query_id": "q"}, Hit("", 0.5, "b", "q"), None, "q"]
)
def test_a_row_of_another_kind_is_refused(row: Any) -> None:
    with pytest.raises(
        rm.SchemaError,
        match=r"row 1 \(from 0\): the row is .*; need rows like the first, \('q', 'a',",
    ):
        rm.Run([("q", "a", 0.5), row])


def test_a_dict_without_a_field_that_the_first_has_is_named() -> None:
    rows = [{"qid": "q", "docid": "a", "score": 1.0}, {"qid": "q", "docid": "b"}]
    with pytest.raises(rm.SchemaError, match=r"row 1 \(from 0\): the row has no 'score'"):
        rm.Run(rows)


def test_a_document_that_stands_twice_is_refused_with_both_rows() -> None:
    found = r"^qrels <records>: row 2 \(from 0\): document '1' appears twice .* first in row 0"
    with pytest.raises(rm.DuplicateError, match=found):
        rm.Qrels([("q", 1, 1), ("p", 1, 1), ("q", "1", 2)])


def test_infinite_labels_are_refused_in_rows() -> None:
    with pytest.raises(rm.SchemaError, match=r"row 0 \(from 0\): 'label' is infinite"):
        rm.Qrels([("q", "a", float("inf"))])


def test_an_id_whose_own_words_are_no_unicode_text_is_refused_by_row() -> None:
    class Odd:
        def __repr__(self) -> str:
            return "odd\udc80"

    with pytest.raises(
        rm.SchemaError, match=r"row 0 .*: 'doc_id' holds odd\\x80, which is not an id"
    ):
        rm.Qrels([("q", Odd(), 1)])
