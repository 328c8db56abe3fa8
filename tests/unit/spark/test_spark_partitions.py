"""Packing and scoring as Spark's tasks do, without Spark."""

from collections import Counter

import numpy as np
import pytest

import rankmark as rm
from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.preparing.item_data import ItemData
from rankmark.data.preparing.parents import prepared_once
from rankmark.data.tables.columns import Chosen
from rankmark.spark.bucket_keys import bucket_keys
from rankmark.spark.frame_columns import FrameColumns
from rankmark.spark.gathered_values import GatheredValues, part_of
from rankmark.spark.packed_rows import packed, unpacked, with_positions
from rankmark.spark.scored_partition import Plan, scored
from rankmark.spark.tasks import dumped, loaded

pa = pytest.importorskip("pyarrow")

RUN = FrameColumns(
    "run",
    ("query_id", "doc_id", "score", "rank"),
    ("string", "string", "double", "int"),
    Chosen(0, 1, 2, 3),
)
QRELS = FrameColumns(
    "qrels",
    ("query_id", "doc_id", "relevance"),
    ("string", "string", "bigint"),
    Chosen(0, 1, 2, None),
)
MEASURES = ["nDCG@10", "AP(rel=2)", "RR", "Bpref", "Judged@10", "NumRet"]


def collection(seed, *, repeated=False):
    """Draw judgments and a run with many ties, as rows in any order, and the run by its ranks."""
    rng = np.random.default_rng(seed)
    judged, run = [], []
    for query in ("q1", "q2", "d7", "only judged"):
        judged += [
            (query, f"d{document}", int(rng.integers(0, 4)))
            for document in rng.permutation(90)[:20].tolist()
        ]
        if query == "only judged":
            continue
        documents = rng.permutation(90)[: 80 if query != "q2" else 5].tolist()
        scores = rng.integers(0, 12, len(documents)).astype(float).tolist()
        rows = [
            (query, f"d{document}", score)
            for document, score in zip(documents, scores, strict=True)
        ]
        if repeated:
            rows += [(query, document, score + 1) for _, document, score in rows[:9]]
        run += [(*row, place) for place, row in enumerate(rows)]
    for query in ("u10", "u9", "u1", "u2"):
        run += [(query, f"d{document}", 1.0, document) for document in range(40)]
    return judged, run, [run[row] for row in rng.permutation(len(run)).tolist()]


def batches(rows, names, size=37):
    columns = [pa.array(column) for column in zip(*rows, strict=True)]
    return pa.table(columns, names=names).to_batches(max_chunksize=size)


def values(rows, columns, *, positions=False):
    given = batches(rows, columns.names)
    if positions:
        given, columns = with_positions(given, 3), columns.with_positions()
    given = (batch.cast(schema(columns)) for batch in given)
    return [pa.py_buffer(one.value) for one in packed(given, columns, 4, held=2_000)]


def schema(columns):
    types = {"string": pa.string(), "double": pa.float64(), "int": pa.int32(), "bigint": pa.int64()}
    named = zip(columns.names, columns.types, strict=True)
    return pa.schema([(name, types[of]) for name, of in named])


def evaluated(
    judged, rows, memory, *, columns=RUN, parents=None, items=None, measures=MEASURES, **conventions
):
    """Score one partition, and return the result and how queries were grouped."""
    accumulator = rm.Accumulator(measures, **conventions).knowing(items)
    in_order = "input" in conventions.values() or "first" in conventions.values()
    plan = Plan(accumulator, QRELS.with_positions(), columns, None, 4, memory, in_order, parents)
    gathered = GatheredValues(columns, memory)
    for value in values(rows, columns):
        gathered.add(value)
    groups = list(gathered.groups())
    total = accumulator.__copy__()
    for one in scored(values(judged, QRELS, positions=True), gathered, [], plan):
        total.merge(loaded(dumped(one, plan), plan).of_runs[None])
    return total.result(order=["q1", "q2", "d7", "only judged"]), groups


@pytest.mark.slow
@pytest.mark.parametrize(
    "conventions",
    [
        {},
        {"ties": "docid-asc"},
        {"ties": "input"},
        {"ties": "mean"},
        {"ties": "worst"},
        {"depth": 15},
        {"judged_only": True},
        {"judged_only": True, "depth": 30, "ties": "docid-asc"},
        {"drop_self": True},
        {"precision": "float32"},
        {"duplicates": "best", "repeated": True},
        {"duplicates": "first", "repeated": True},
        {"queries": "both"},
        {"no_relevant": "skip"},
    ],
    ids=str,
)
def test_a_partition_scores_as_one_evaluation_does_whatever_the_memory(conventions):
    repeated = conventions.pop("repeated", False)
    judged, run, shuffled = collection(5, repeated=repeated)
    expected = rm.evaluate(judged, [row[:3] for row in run], MEASURES, **conventions)
    grouped = []
    for memory in (1 << 30, 9_000, 800):
        found, groups = evaluated(judged, shuffled, memory, **conventions)
        grouped.append(sum(group.is_large for group in groups))
        assert found.queries == expected.queries
        assert found.scores.tobytes() == expected.scores.tobytes()
        audit = found.audit.to_dict()
        assert audit.pop("run_only_examples") == ["u1", "u2", "u9"]
        assert audit.items() <= (expected.audit.to_dict() | {"self_matches_ndcg": None}).items()
    assert grouped[0] == 0
    assert 0 < grouped[1] < grouped[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("known", "conventions"),
    [
        ("unit", {}),
        ("column", {}),
        ("mapping", {"ties": "docid-asc", "combine": "sum"}),
        ("function", {"ties": "input", "combine": "mean"}),
        ("column", {"combine": "sum@2", "drop_self": True}),
        ("unit", {"combine": "mean@2", "judged_only": True}),
        ("mapping", {"combine": "count", "ties": "input"}),
        ("column", {"combine": "best", "ties": "input", "depth": 15}),
    ],
    ids=str,
)
def test_units_are_combined_as_in_one_evaluation_whatever_the_memory(known, conventions):
    judged, run, shuffled = collection(5)
    rng = np.random.default_rng(1)
    of = {f"d{number}": f"d{rng.integers(0, 30)}" for number in range(90)}
    units = {document: f"{parent}#{document}" for document, parent in of.items()}
    run, shuffled = (
        [(q, units[d], s, r, of[d]) for q, d, s, r in rows] for rows in (run, shuffled)
    )
    judged = [*{(q, d): (q, d, label) for q, d, label in judged}.values()]
    how = {"unit": "#"} if known == "unit" else {}
    parents = {units[document]: parent for document, parent in of.items()}
    given = {"mapping": prepared_once(parents), "function": parents.get}.get(known)
    columns = RUN
    if known == "column":
        names, types = (*RUN.names, "parent"), (*RUN.types, "string")
        columns = RUN._replace(names=names, types=types, parent=4)
    expected = rm.evaluate(judged, [row[:3] for row in run], MEASURES, unit="#", **conventions)
    rows = [row[: len(columns.names)] for row in shuffled]
    for memory in (1 << 30, 800):
        found, groups = evaluated(
            judged, rows, memory, columns=columns, parents=given, **how, **conventions
        )
        assert (sum(group.is_large for group in groups) > 5) == (memory == 800)
        assert found.scores.tobytes() == expected.scores.tobytes()
        audit = found.audit.to_dict()
        audit.pop("run_only_examples")
        assert audit.items() <= (expected.audit.to_dict() | {"self_matches_ndcg": None}).items()


def test_units_of_a_query_beyond_memory_that_need_their_ranks_are_refused():
    judged, _, shuffled = collection(5)
    shuffled = [(query, f"{d[:2]}#{d}", *rest) for query, d, *rest in shuffled]
    for chosen in ({"combine": "first"}, {"combine": "rrf"}, {"unit_depth": 3}):
        expected = rm.evaluate(judged, [row[:3] for row in shuffled], MEASURES, unit="#", **chosen)
        in_memory, _ = evaluated(judged, shuffled, 1 << 30, unit="#", **chosen)
        assert in_memory.scores.tobytes() == expected.scores.tobytes()
        with pytest.raises(rm.InputError, match=r"needs the rank of each unit .* more memory="):
            evaluated(judged, shuffled, 800, unit="#", **chosen)


@pytest.mark.slow
@pytest.mark.parametrize("memory", [1 << 30, 800])
def test_a_document_twice_is_refused_whatever_the_memory(memory):
    judged, _, shuffled = collection(7)
    shuffled += [("d7", shuffled[0][1], 0.5, 900), ("d7", shuffled[0][1], 0.5, 901)]
    with pytest.raises(rm.DuplicateError, match=f"'{shuffled[0][1]}' appears twice for query 'd7'"):
        evaluated(judged, shuffled, memory)


@pytest.mark.parametrize("memory", [1 << 30, 800])
@pytest.mark.parametrize(
    ("row", "found"),
    [
        (("q1", None, 1.0, 99), "query 'q1', document None: 'doc_id' is null"),
        (("q1", "x", float("nan"), 99), "query 'q1', document 'x': 'score' is NaN"),
        (("q1", "x", None, 99), "query 'q1', document 'x': 'score' is null"),
        ((None, "x", 1.0, 99), "'query_id' is null in the row of document 'x'"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(memory, row, found):
    judged, _, shuffled = collection(8)
    with pytest.raises(rm.SchemaError, match=found):
        evaluated(judged, [*shuffled, row], memory)


def test_rows_survive_packing_in_any_order():
    _, run, shuffled = collection(9)
    table = unpacked(values(shuffled, RUN), RUN)
    rows = list(zip(*(table.column(name).to_pylist() for name in RUN.names), strict=True))
    assert sorted(rows) == sorted(run)


def test_a_packed_value_has_one_bucket_and_a_bucket_its_queries():
    _, _, shuffled = collection(10)
    buckets = {}
    for one in packed(batches(shuffled, RUN.names), RUN, 3, held=900):
        table = unpacked([pa.py_buffer(one.value)], FrameColumns(*RUN), None)
        for query in set(table.column(0).to_pylist()):
            assert buckets.setdefault(query, one.bucket) == one.bucket
    assert len(buckets) == 7


def test_the_parts_of_a_query_divide_its_documents_evenly():
    ids = pa.chunked_array([[f"D{number:09}" for number in range(4_000)]])
    counts = Counter(part_of(ids, 8).tolist())
    assert len(counts) == 8
    assert max(counts.values()) < 2 * min(counts.values())
    assert (part_of(ids, 8) == part_of(pa.chunked_array([ids.to_pylist()]), 8)).all()


@pytest.mark.parametrize("partitions", [1, 2, 8, 200])
def test_each_partition_has_a_key_of_its_own(partitions):
    assert len(set(bucket_keys(partitions))) == partitions


@pytest.mark.parametrize(
    "conventions",
    [
        {},
        {"ties": "docid-asc"},
        {"ties": "input"},
        {"queries": "both"},
        {"depth": 3},
        {"drop_self": True},
    ],
    ids=str,
)
def test_lists_that_are_scored_in_parts_are_as_those_of_one_evaluation(conventions):
    judged, run, shuffled = collection(5)
    history = {user: [f"d{number * user}" for number in range(9)] for user in range(6)}
    measures = [
        *("nDCG@10", "MIUF@7", "EPC(relevant=True)@5", "ARP(ties='docid-asc')@3", "Gini@4"),
        *("Entropy@4", "Personalization@5", "Gini(ties='docid-asc')@4", "ItemCoverage", "HHI"),
        "UserCoverage(least=5)@6",
    ]
    expected = rm.evaluate(
        judged, [row[:3] for row in run], measures, history=history, **conventions
    )
    items = ItemData(history, reading=AS_USUAL)
    for memory, parts in ((1 << 30, 1), (20_000, 2)):
        given = {"items": items, "measures": measures, **conventions}
        found, groups = evaluated(judged, shuffled, memory, **given)
        assert len(groups) >= parts
        assert found.scores.tobytes() == expected.scores.tobytes()
        assert repr(found.of_run) == repr(expected.of_run)
        notes, said = (
            [one.partition(": 'd")[0] for one in ev.list_notes] for ev in (found, expected)
        )
        assert notes == said  # examples of items are in another order
        assert found.of_items == expected.of_items
    with pytest.raises(rm.InputError, match=r"the list of query .* does not fit into memory"):
        evaluated(judged, shuffled, 800, **given)
