"""What is true of every measure over subtopics, and of every form of judgments by subtopic."""

import io
import json
import math
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyarrow import parquet

import rankmark as rm
from conformance.cases import Case, has_cutoff, stem_of
from conformance.diverse_cases import (
    STEMS,
    Diverse,
    Judgments,
    all_diverse_cases,
    diverse_cases,
    diverse_collections,
)
from rankmark.measures import ALL

SLACK = 1e-12
OVER_SUBTOPICS = [measure for measure in ALL if measure.depends_on == "subtopics"]
some_cases = st.lists(st.sampled_from(all_diverse_cases()), unique_by=str, min_size=1, max_size=12)
subtopic = st.sampled_from("1234")
documents = st.lists(subtopic, unique=True)
rankings = st.lists(documents, max_size=8)

Rows = list[tuple[str, str, str, float]]


def rows_of(qrels: Judgments) -> Rows:
    return [
        (query_id, subtopic, doc_id, label)
        for query_id, of in qrels.items()
        for subtopic, labels in of.items()
        for doc_id, label in labels.items()
    ]


def objects(rows: Rows) -> list[dict[str, Any]]:
    return [{"qid": q, "subtopic": s, "docid": d, "label": v} for q, s, d, v in rows]


def columns(rows: Rows) -> dict[str, list[Any]]:
    return {name: [one[name] for one in objects(rows)] for name in objects(rows)[0]}


def nested(rows: Rows) -> Judgments:
    found: Judgments = {}
    for query_id, subtopic, doc_id, label in rows:
        found.setdefault(query_id, {}).setdefault(subtopic, {})[doc_id] = label
    return found


def as_parquet(rows: Rows) -> io.BytesIO:
    out = io.BytesIO()
    parquet.write_table(pa.table(columns(rows)), out)
    out.seek(0)
    return out


def as_csv(rows: Rows) -> io.BytesIO:
    return io.BytesIO(pl.DataFrame(columns(rows)).write_csv().encode())


BY_PLACE = {"query_id": 0, "subtopic": 1, "doc_id": 2, "label": 3}
FORMS: dict[str, Callable[[Rows], Any]] = {
    "TREC text": lambda rows: io.BytesIO(
        "".join(f"{q}\t{s} {d}  {label!r}\n" for q, s, d, label in rows).encode()
    ),
    "CSV": as_csv,
    "JSON by query": lambda rows: io.BytesIO(json.dumps(nested(rows)).encode()),
    "JSON rows": lambda rows: io.BytesIO(json.dumps(objects(rows)).encode()),
    "JSONL": lambda rows: io.BytesIO("\n".join(map(json.dumps, objects(rows))).encode()),
    "Parquet": as_parquet,
    "mapping": nested,
    "dicts": objects,
    "tuples": lambda rows: rm.Qrels(rows, columns=BY_PLACE),
    "Polars": lambda rows: pl.DataFrame(columns(rows)),
    "pandas": lambda rows: pd.DataFrame(columns(rows)),
    "pandas with categories": lambda rows: pd.DataFrame(columns(rows)).astype(
        {"subtopic": "category"}
    ),
    "Arrow": lambda rows: pa.table(columns(rows)),
    "prepared": lambda rows: rm.Qrels(nested(rows), subtopics=True),
}


@given(
    collection=diverse_collections(), cases=some_cases, form=st.sampled_from(sorted(FORMS)),
    ties=st.sampled_from(["docid", "docid-asc"]),
)  # fmt: skip
def test_any_two_forms_of_judgments_by_subtopic_give_the_same_bits(
    collection: Diverse, cases: list[Case], form: str, ties: Any
) -> None:
    measures = [*(case.ours for case in cases), "nDCG", "AP@3"]
    wanted = rm.evaluate(*collection, measures, ties=ties)
    ev = rm.evaluate(FORMS[form](rows_of(collection.qrels)), collection.run, measures, ties=ties)
    assert ev.queries == wanted.queries
    assert ev.scores.tobytes() == wanted.scores.tobytes()
    assert len(ev.to_dict()["per_query"]) == len(collection.qrels)


@given(collection=diverse_collections(), cases=some_cases, seed=st.integers(0, 10**6))
def test_the_order_of_rows_and_the_names_of_subtopics_do_not_matter(
    collection: Diverse, cases: list[Case], seed: int
) -> None:
    dice = random.Random(seed)
    measures = [case.ours for case in cases]
    wanted = rm.evaluate(*collection, measures)
    rows = rows_of(collection.qrels)
    dice.shuffle(rows)
    # In every query other names: subtopics of two queries have nothing to do with each other.
    named = [
        (query_id, f"{subtopic}/{query_id}{seed % 7}", *rest) for query_id, subtopic, *rest in rows
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "qrels")
        path.write_text("".join(f"{q} {s} {d} {v}\n" for q, s, d, v in named), "utf-8")
        ev = rm.evaluate(path, collection.run, measures)
    for one in measures:
        found = {query_id: value.hex() for query_id, value in ev.per_query(one).items()}
        assert found == {q: value.hex() for q, value in wanted.per_query(one).items()}, one


@given(collection=diverse_collections(), cases=some_cases)
def test_a_query_never_sees_the_subtopics_of_its_neighbours(
    collection: Diverse, cases: list[Case]
) -> None:
    measures = [case.ours for case in cases]
    together = rm.evaluate(*collection, measures)
    for query_id in collection.run:
        held = collection.qrels[query_id]
        if len(held) < 2:  # warned of where it is alone
            continue
        alone = rm.evaluate({query_id: held}, {query_id: collection.run[query_id]}, measures)
        row = together.queries.index(query_id)
        assert alone.scores[0].tobytes() == together.scores[row].tobytes()


@given(collection=diverse_collections(), cases=some_cases)
def test_every_value_over_subtopics_lies_within_its_bounds(
    collection: Diverse, cases: list[Case]
) -> None:
    ev = rm.evaluate(*collection, [case.ours for case in cases])
    for case in cases:
        low, high = case.ours.bounds
        for value in ev.per_query(case.ours).values():
            assert low <= value <= high + SLACK, case


@pytest.mark.parametrize("measure", OVER_SUBTOPICS, ids=str)
@given(subtopics=st.integers(1, 4), size=st.integers(1, 6))
def test_documents_about_everything_are_the_best_there_could_be(
    measure: Any, subtopics: int, size: int
) -> None:
    every = [str(number) for number in range(subtopics)]
    measure = measure @ size if has_cutoff(stem_of(measure)) else measure
    found = measure([every] * size)
    if measure.name == "NRBP":  # which looks on past the end
        assert found == pytest.approx(1 - 0.25**size)
    else:
        assert found == pytest.approx(1, abs=SLACK)
    assert measure([[]] * size, missed=[every]) == 0
    assert measure([], missed=[every]) == 0


@given(
    ranking=rankings.filter(bool),
    missed=st.lists(documents, max_size=3),
    case=st.sampled_from(all_diverse_cases()),
    data=st.data(),
)
def test_promoting_what_is_relevant_to_some_subtopic_never_hurts(
    ranking: list[list[str]], missed: list[list[str]], case: Case, data: st.DataObject
) -> None:
    pairs = [
        (place, to)
        for place, document in enumerate(ranking)
        for to in range(place)
        if document and not ranking[to]
    ]
    assume(pairs)
    place, to = data.draw(st.sampled_from(pairs))
    promoted = list(ranking)
    promoted[to], promoted[place] = ranking[place], ranking[to]
    before = case.ours(ranking, missed=missed)
    assert case.ours(promoted, missed=missed) >= before - SLACK


@given(
    stem=st.sampled_from([stem for stem in STEMS if has_cutoff(stem)]),
    ranking=rankings,
    missed=st.lists(documents, max_size=3),
    k=st.integers(1, 9),
)
def test_a_measure_over_subtopics_that_grows_with_k_never_falls(
    stem: str, ranking: list[list[str]], missed: list[list[str]], k: int
) -> None:
    measure = diverse_cases(stem)[0].ours
    if measure.grows_with_k:
        before = (measure @ k)(ranking, missed=missed)
        assert (measure @ (k + 1))(ranking, missed=missed) >= before - SLACK


FALLING = [["1"], ["2"], [], ["1", "2", "3"]]


@pytest.mark.parametrize(
    "measure",
    [m for m in OVER_SUBTOPICS if "k" in m.parameters and not m.grows_with_k],
    ids=str,
)
def test_a_measure_over_subtopics_that_does_not_grow_falls_somewhere(measure: Any) -> None:
    values = [(measure @ k)(FALLING) for k in (1, 2, 3)]
    assert sorted(values) != values


@given(ranking=rankings, missed=st.lists(documents, max_size=3))
def test_the_greedy_ranking_falls_short_of_the_best_by_no_more_than_its_bound(
    ranking: list[list[str]], missed: list[list[str]]
) -> None:
    assert rm.alpha_nDCG(alpha=1)(ranking, missed=missed) <= math.e / (math.e - 1)
