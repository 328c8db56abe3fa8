"""What spans, citations and nuggets answer does not depend on the order, names or form of rows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm

Rows = list[dict[str, Any]]
Values = dict[str, dict[str, float]]
SUPPORT = ["full", "partial", "no"]


@st.composite
def span_rows(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Gold and retrieved spans, whose scores are all different."""
    one = st.tuples(
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["a", "b"]),
        st.integers(0, 60),
        st.integers(1, 30),
    )

    def rows(spans: list[tuple[str, str, int, int]]) -> Rows:
        return [
            {"query_id": q, "doc_id": d, "start": begin, "end": begin + length}
            for q, d, begin, length in spans
        ]

    gold = rows([("q1", "a", 3, 9), *draw(st.lists(one, max_size=8, unique=True))])
    retrieved = rows([("q1", "a", 1, 7), *draw(st.lists(one, max_size=12, unique=True))])
    scores = draw(st.permutations(range(len(retrieved))))
    return gold, [row | {"score": s + 0.5} for row, s in zip(retrieved, scores, strict=True)]


@st.composite
def citation_rows(draw: st.DrawFn) -> tuple[Rows]:
    """Citations judged for TREC RAG's scores."""
    found = {("q1", "1", "p1"): "full"}
    for query in ("q1", "q2", "q3"):
        for sentence in range(draw(st.integers(0, 3))):
            cited = draw(st.lists(st.sampled_from(["p1", "p2", "p3"]), max_size=3, unique=True))
            for passage in cited or [None]:
                label = None if passage is None else draw(st.sampled_from(SUPPORT))
                found.setdefault((query, str(sentence), passage), label)
    names = ["query_id", "sentence", "passage", "support"]
    return ([dict(zip(names, (*key, label), strict=True)) for key, label in found.items()],)


@st.composite
def nugget_rows(draw: st.DrawFn) -> tuple[Rows]:
    """Nuggets and how far answers support them."""
    found = {("q1", "n1"): ("vital", "full")}
    for query in ("q1", "q2", "q3"):
        for nugget in range(draw(st.integers(0, 4))):
            importance = draw(st.sampled_from(["vital", "okay"]))
            found[query, f"n{nugget}"] = importance, draw(st.sampled_from(SUPPORT))
    names = ["query_id", "nugget", "importance", "support"]
    return ([dict(zip(names, (*key, *of), strict=True)) for key, of in found.items()],)


def spans(gold: Any, retrieved: Any) -> Any:
    return rm.evaluate_spans(gold, retrieved, ["SpanRecall@2", "SpanPrecision", "SpanIoU@3"])


VERBS: dict[str, tuple[Callable[..., Any], Any]] = {
    "spans": (spans, span_rows()),
    "citations": (rm.citations, citation_rows()),
    "nuggets": (rm.nuggets, nugget_rows()),
}


def values(found: Any) -> Values:
    return {name: found.per_query(name) for name in found}


def in_file(write: Callable[[pd.DataFrame, Path], Any], name: str) -> Callable[[Rows, Path], Any]:
    def written(rows: Rows, folder: Path) -> Path:
        write(pd.DataFrame(rows), folder / name)
        return folder / name

    return written


FORMS: dict[str, Callable[[Rows, Path], Any]] = {
    "pandas": lambda rows, _: pd.DataFrame(rows),
    "Polars": lambda rows, _: pl.DataFrame(rows),
    "columns": lambda rows, _: {name: [row[name] for row in rows] for name in rows[0]},
    "columns in another order": lambda rows, _: pd.DataFrame(rows)[[*rows[0]][::-1]],
    "CSV": in_file(lambda table, path: table.to_csv(path, index=False), "t.csv"),
    "TSV": in_file(lambda table, path: table.to_csv(path, index=False, sep="\t"), "t.tsv"),
    "JSON": in_file(
        lambda table, path: path.write_text(json.dumps(table.to_dict("list"))), "t.json"
    ),
    "JSON Lines": in_file(
        lambda table, path: table.to_json(path, orient="records", lines=True), "t.jsonl"
    ),
    "Parquet": in_file(lambda table, path: table.to_parquet(path, index=False), "t.parquet"),
}


@pytest.mark.parametrize("verb", VERBS)
@settings(max_examples=20)
@given(data=st.data())
def test_the_order_of_rows_and_the_names_of_ids_change_nothing(
    verb: str, data: st.DataObject
) -> None:
    score, rows = VERBS[verb]
    tables = data.draw(rows)
    known = values(score(*tables))
    mixed = [data.draw(st.permutations(table)) for table in tables]
    assert values(score(*mixed)) == known
    ids = {"query_id", "doc_id", "sentence", "passage", "nugget"}
    renamed = [
        [
            {name: f"\u00e9 {one}" if name in ids and one else one for name, one in row.items()}
            for row in table
        ]
        for table in tables
    ]
    with_names = {
        name: {f"\u00e9 {query}": value for query, value in of.items()}
        for name, of in known.items()
    }
    assert values(score(*renamed)) == with_names


@pytest.mark.parametrize("verb", VERBS)
def test_the_form_of_a_table_changes_nothing(
    verb: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    score, rows = VERBS[verb]

    @settings(max_examples=5)
    @given(rows)
    def compared(tables: tuple[Rows, ...]) -> None:
        known = values(score(*tables))
        for name, form in FORMS.items():
            given_as = [form(table, tmp_path_factory.mktemp("t")) for table in tables]
            assert values(score(*given_as)) == known, name

    compared()


@pytest.mark.parametrize("verb", VERBS)
@settings(max_examples=20)
@given(data=st.data())
def test_queries_one_by_one_have_the_values_that_they_have_together(
    verb: str, data: st.DataObject
) -> None:
    score, rows = VERBS[verb]
    tables = data.draw(rows)
    known = values(score(*tables))
    answered = [{row["query_id"] for row in table} for table in tables]
    for query in set.intersection(*answered):
        own = [[row for row in table if row["query_id"] == query] for table in tables]
        with rm.quiet():  # one query may have nothing in common
            alone = values(score(*own))
        assert {name: of[query] for name, of in alone.items()} == {
            name: of[query] for name, of in known.items()
        }
