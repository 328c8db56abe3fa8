"""Documents that stand twice, and scores in single precision: every form of a run agrees."""

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import rankmark as rm
from generators.forms import OF_FULL_GRIDS, OF_GRIDS, WITH_IDS, WITH_NUMBERS, Grid
from unit.readings import file_of

Rows = list[tuple[str, str, float]]

# Some differ in double precision alone; single precision makes the last two infinite.
SCORES = (0.1, 0.1 + 1e-12, 0.3, 16777216.0, 16777217.0, 0.0, -0.0, -2.5, 1e300, 2e300)
MEASURES = ["nDCG", "AP", "RR", "P@2", "NumRet", "Judged@3"]
QRELS = {"1": {"1": 1, "2": 0, "3": 2, "9": 1}, "2": {"4": 1, "2": 1}, "7": {"7": 3, "1": 1}}

all_rows = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "7", "8"]),
        st.sampled_from(["1", "2", "3", "4", "5", "7", "40"]),
        st.sampled_from(SCORES),
    ),
    min_size=1,
    max_size=40,
).filter(lambda rows: any(query in QRELS for query, _, _ in rows))


def objects(rows: Rows) -> list[dict[str, Any]]:
    return [{"query_id": q, "doc_id": d, "score": s} for q, d, s in rows]


def trec(rows: Rows) -> bytes:
    return "".join(f"{q} Q0 {d} 1 {s!r} t\n" for q, d, s in rows).encode()


def columns(rows: Rows) -> dict[str, list[Any]]:
    return {name: [one[name] for one in objects(rows)] for name in objects(rows)[0]}


def as_parquet(rows: Rows) -> io.BytesIO:
    out = io.BytesIO()
    parquet.write_table(pa.table(columns(rows)), out)
    out.seek(0)
    return out


def by_query(rows: Rows) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for query, document, score in rows:
        found.setdefault(query, []).append({"doc_id": document, "score": score})
    return found


FORMS: dict[str, Callable[[Rows], Any]] = {
    "TREC text": lambda rows: io.BytesIO(trec(rows)),
    "TREC text in small blocks": lambda rows: rm.Run.of(file_of(trec(rows), "run", block=7)),
    "TREC text in blocks": lambda rows: rm.Run.of(file_of(trec(rows), "run", block=64)),
    "CSV": lambda rows: io.BytesIO(pl.DataFrame(columns(rows)).write_csv().encode()),
    "Parquet": as_parquet,
    "JSON": lambda rows: io.BytesIO(json.dumps(objects(rows)).encode()),
    "JSON by query": lambda rows: io.BytesIO(json.dumps(by_query(rows)).encode()),
    "JSONL": lambda rows: io.BytesIO("\n".join(map(json.dumps, objects(rows))).encode()),
    "tuples": lambda rows: rows,
    "tuples of ints": lambda rows: [(int(q), int(d), s) for q, d, s in rows],
    "dicts": objects,
    "Polars": lambda rows: pl.DataFrame(columns(rows)),
    "pandas with ints": lambda rows: pd.DataFrame(columns(rows)).astype(
        {"query_id": int, "doc_id": int}
    ),
    "Arrow in chunks": lambda rows: pa.concat_tables(
        [pa.table(columns(rows)).slice(row, 1) for row in range(len(rows))]
    ),
}


def single(score: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(score))


def kept(rows: Rows, duplicates: str) -> dict[str, dict[str, float]]:
    """Keep one row of each document, as its definition says: a pass for each document."""
    chosen = []
    for place, (query, document, score) in enumerate(rows):
        same = [(s, i) for i, (q, d, s) in enumerate(rows) if (q, d) == (query, document)]
        best = max(s for s, _ in same)
        wanted = same[0][1] if duplicates == "first" else min(i for s, i in same if s == best)
        if place == wanted:
            chosen.append((query, document, score))
    run: dict[str, dict[str, float]] = {}
    for query, document, score in chosen:
        run.setdefault(query, {})[document] = score
    return run


@given(
    rows=all_rows,
    form=st.sampled_from(sorted(FORMS)),
    duplicates=st.sampled_from(["first", "best"]),
    precision=st.sampled_from(["double", "float32"]),
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
    drop_self=st.booleans(),
)
def test_one_row_of_each_document_counts_in_every_form(
    rows: Rows, form: str, duplicates: Any, precision: Any, ties: Any, drop_self: bool
) -> None:
    exact = precision == "double"
    run = kept([(q, d, s if exact else single(s)) for q, d, s in rows], duplicates)
    wanted = rm.evaluate(QRELS, run, MEASURES, ties=ties, drop_self=drop_self)
    ev = rm.evaluate(
        QRELS,
        FORMS[form](rows),
        MEASURES,
        ties=ties,
        drop_self=drop_self,
        duplicates=duplicates,
        precision=precision,
    )
    assert ev.scores.tobytes() == wanted.scores.tobytes()
    judged_rows = sum(query in QRELS for query, _, _ in rows)
    assert ev.audit.duplicates == judged_rows - sum(len(run.get(query, {})) for query in QRELS)
    assert ev.audit.tied_share == wanted.audit.tied_share
    assert ev.audit.self_matches == wanted.audit.self_matches


@given(rows=all_rows, form=st.sampled_from(sorted(FORMS)))
def test_a_document_that_stands_twice_is_refused_unless_a_row_is_chosen(
    rows: Rows, form: str
) -> None:
    pairs = {(query, document) for query, document, _ in rows}
    if len(pairs) == len(rows):
        assert rm.evaluate(QRELS, FORMS[form](rows), "AP").audit.duplicates == 0
    else:
        with pytest.raises(rm.DuplicateError, match=r"twice.*choose duplicates first or best"):
            rm.evaluate(QRELS, FORMS[form](rows), "AP")


@given(
    ids=st.lists(st.sampled_from(["1", "2", "3", "4", "9"]), min_size=1, max_size=12),
    duplicates=st.sampled_from(["first", "best"]),
)
def test_ids_in_order_count_where_they_stand_first(ids: list[str], duplicates: Any) -> None:
    run = {"1": list(dict.fromkeys(ids))}
    wanted = rm.evaluate(QRELS, run, MEASURES).scores.tobytes()
    pairs = [("1", document) for document in ids]
    as_csv = "query_id,doc_id\n" + "".join(f"{query},{document}\n" for query, document in pairs)
    for form in (
        {"1": ids},
        {"1": tuple(map(int, ids))},
        {"1": np.array(ids)},
        pairs,
        pl.DataFrame(pairs, schema=["query", "docid"], orient="row"),
        io.BytesIO(as_csv.encode()),
        io.BytesIO(json.dumps({"1": ids}).encode()),
    ):
        ev = rm.evaluate(QRELS, form, MEASURES, duplicates=duplicates, precision="float32")
        assert ev.scores.tobytes() == wanted
        assert ev.audit.duplicates == len(ids) - len(run["1"])


@given(
    data=st.data(),
    shape=st.tuples(st.integers(1, 3), st.integers(2, 9)),
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
    depth=st.sampled_from([None, 2]),
)
def test_scores_in_single_precision_tie_alike_in_every_form(
    data: st.DataObject, shape: tuple[int, int], ties: Any, depth: int | None
) -> None:
    def grid(values: tuple[float, ...]) -> Grid:
        one_of = st.sampled_from(values)
        numbers = [[data.draw(one_of) for _ in range(shape[1])] for _ in range(shape[0])]
        return Grid(np.array(numbers), np.ones(shape, dtype=bool))

    labels, scores = grid((0.0, 1.0, 2.0)), grid(SCORES)
    with np.errstate(over="ignore"):
        rounded = Grid(scores.values.astype(np.float32), scores.present)
    chosen = {"ties": ties, "depth": depth}
    wanted = rm.evaluate(labels.nested, rounded.nested, MEASURES, **chosen)
    by_ids = WITH_IDS | WITH_NUMBERS
    run = by_ids[data.draw(st.sampled_from(sorted(by_ids)))](scores.nested)
    one = rm.evaluate(labels.nested, run, MEASURES, precision="float32", **chosen)
    qrels = rm.Qrels(labels.values)
    values, options = OF_GRIDS[data.draw(st.sampled_from(sorted(OF_GRIDS)))](scores)
    two = rm.evaluate(qrels, rm.Run(values, **options), MEASURES, precision="float32", **chosen)
    make = OF_FULL_GRIDS[data.draw(st.sampled_from(sorted(OF_FULL_GRIDS)))]
    (values, options), (flat, of_flat) = make(labels.values), make(scores.values)
    three = rm.evaluate(
        rm.Qrels(values, **options),
        rm.Run(flat, **of_flat),
        MEASURES,
        precision="float32",
        **chosen,
    )
    for ev in (one, two, three):
        assert ev.scores.tobytes() == wanted.scores.tobytes()
        assert ev.audit.tied_share == wanted.audit.tied_share


def test_of_rows_that_are_equal_the_first_keeps_its_place() -> None:
    rows = [("q", "a", 0.5), ("q", "b", 0.5), ("q", "a", 0.5)]
    for form in (FORMS["TREC text"], FORMS["tuples"], FORMS["JSON"]):
        ev = rm.evaluate({"q": {"a": 1}}, form(rows), "RR", duplicates="best", ties="input")
        assert ev["RR"] == 1.0


def test_a_better_row_stands_where_it_stands_among_its_equals() -> None:
    rows = [("q", "a", 0.1), ("q", "b", 0.5), ("q", "a", 0.5)]
    for form in (FORMS["TREC text"], FORMS["tuples"], FORMS["JSON"]):
        ev = rm.evaluate({"q": {"a": 1}}, form(rows), "RR", duplicates="best", ties="input")
        assert ev["RR"] == 0.5


def test_ranks_are_never_rounded_whatever_becomes_of_scores() -> None:
    ranks = {"b": 2**24 + 1, "a": 2**24}  # one number in single precision
    rows = [("q", document, rank) for document, rank in ranks.items()]
    text = "".join(f"q\t{d}\t{rank}\n" for _, d, rank in rows)
    fields = [{"qid": q, "docid": d, "rank": rank} for q, d, rank in rows]
    frame = pl.DataFrame(fields)
    scored = "".join(f"q Q0 {d} {rank} 0.5 t\n" for _, d, rank in rows)
    qrels = {"q": {"a": 1, "b": 0}}
    for run, ties in (
        (rm.Run(io.BytesIO(text.encode()), format="msmarco"), "docid"),
        (io.BytesIO(json.dumps(fields).encode()), "docid"),
        (frame, "docid"),
        (io.BytesIO(scored.encode()), "rank"),
        (frame.with_columns(score=0.5), "rank"),
    ):
        ev = rm.evaluate(qrels, run, "RR", ties=ties, precision="float32")
        assert ev["RR"] == 1.0
        assert ev.audit.tied_share == 0.0


def test_judgments_that_stand_twice_are_refused_whatever_is_chosen_for_runs() -> None:
    qrels = [("q", "a", 1), ("q", "a", 1)]
    for duplicates in ("error", "first", "best"):
        with pytest.raises(rm.DuplicateError, match=r"keep one of the two$"):
            rm.evaluate(qrels, {"q": {"a": 1.0}}, "AP", duplicates=duplicates)


def test_one_id_as_number_and_as_text_is_one_document() -> None:
    run = {"q": {1: 0.1, "2": 0.5, "1": 0.9}}
    qrels = {"q": {"1": 1}}
    assert rm.evaluate(qrels, run, "RR", duplicates="first")["RR"] == 0.5
    assert rm.evaluate(qrels, run, "RR", duplicates="best")["RR"] == 1.0
    assert rm.evaluate(qrels, run, "RR", duplicates="best").audit.duplicates == 1


def test_a_file_is_read_anew_where_another_row_is_chosen(tmp_path: Any) -> None:
    path = tmp_path / "run.json"
    path.write_text(
        json.dumps({"q": [{"id": d, "score": s} for d, s in [("a", 1), ("b", 2), ("a", 3)]]})
    )
    run = rm.Run(path, columns={"doc_id": "id"})
    qrels = {"q": {"a": 1}}
    assert rm.evaluate(qrels, run, "RR", duplicates="first")["RR"] == 0.5
    assert rm.evaluate(qrels, run, "RR", duplicates="best")["RR"] == 1.0
    with pytest.raises(rm.DuplicateError):
        rm.evaluate(qrels, run, "RR")
