"""One query alone is ranked as the whole run is, whatever form it has, and its documents known."""

import io
import json
from typing import Any, NamedTuple

from hypothesis import assume, given
from hypothesis import strategies as st

import rankmark as rm
from generators.file_formats import DOCUMENTS, HEADERS, PACKED, parquet, table
from generators.forms import IN_ORDER, OF_FULL_GRIDS, OF_GRIDS, WITH_IDS, WITH_NUMBERS
from generators.random_collections import LABELS, SCORES, Collection, collections
from generators.trec_files import dresses, write_run
from property.test_duplicates_and_precision import FORMS, QRELS, Rows, all_rows
from property.test_every_form import grids, shapes
from rankmark.conventions import Conventions
from rankmark.data.alignment import Alignment, Needs
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.pair_options import as_qrels, as_run
from rankmark.data.preparing.ranked_queries import judged_documents, ranked_documents, run_for_query

ORDERS = ("docid", "docid-asc", "input", "mean", "best", "worst", "error")


def conventions(*ties: str, drop_self: bool = True) -> st.SearchStrategy[Conventions]:
    """Give conventions of ranking; the rules for ties are all but rank, or some."""
    return st.builds(
        Conventions,
        ties=st.sampled_from(ties or ORDERS),
        depth=st.sampled_from([None, 1, 3]),
        judged_only=st.booleans(),
        duplicates=st.sampled_from(["first", "best"]),
        drop_self=st.booleans() if drop_self else st.just(False),
        precision=st.sampled_from(["double", "float32"]),
    )


class Hit(NamedTuple):
    rank: int
    label: float
    first: int
    last: int


def hits(a: Alignment, at: int) -> list[Hit]:
    """List one query's rows of an alignment."""
    rows = slice(a.starts[at], a.starts[at + 1])
    ranks = a.rank[rows].tolist()
    first = ranks if a.tie_first is None else a.tie_first[rows].tolist()
    last = ranks if a.tie_last is None else a.tie_last[rows].tolist()
    return [Hit(*hit) for hit in zip(ranks, a.label[rows].tolist(), first, last, strict=True)]


def check(given_qrels: Any, given_run: Any, chosen: Conventions) -> None:
    """Compare each query's documents, and its ranking alone, with the whole run's alignment."""
    qrels, run = as_qrels(given_qrels), as_run(given_run)
    whole, _ = match(qrels, run, chosen, needs=Needs())
    for at, query in enumerate(qrels.query_ids):
        alone = run_for_query(run, query)
        if alone is None:
            assert whole.retrieved[at] == 0
            continue
        assert alone.name == run.name
        judged = judged_documents(qrels, query)
        label = dict(zip(judged.doc_ids, judged.label.tolist(), strict=True))
        ranked = ranked_documents(alone, query, chosen, judged.doc_ids)
        assert len(ranked.doc_ids) == whole.retrieved[at]
        ties = zip(ranked.tie_first.tolist(), ranked.tie_last.tolist(), strict=True)
        assert hits(whole, at) == [
            Hit(rank, label[doc_id], *tie)
            for rank, (doc_id, tie) in enumerate(zip(ranked.doc_ids, ties, strict=True), start=1)
            if doc_id in label
        ]
        one, _ = match(qrels, alone, chosen, needs=Needs())
        assert hits(one, at) == hits(whole, at)
        assert one.retrieved.tolist() == [
            retrieved if place == at else 0 for place, retrieved in enumerate(whole.retrieved)
        ]


@given(collection=collections(), form=st.sampled_from(sorted(WITH_IDS)), chosen=conventions())
def test_one_query_of_an_object_is_ranked_as_in_the_whole(
    collection: Collection, form: str, chosen: Conventions
) -> None:
    if form != "dict":
        collection = collection.without_empty_queries
    check(collection.qrels, WITH_IDS[form](collection.run), chosen)


@given(
    collection=collections(least=1),
    dress=dresses,
    block=st.sampled_from([7, 64, 1 << 19]),
    chosen=conventions(*ORDERS, "rank"),
)
def test_one_query_of_trec_text_is_ranked_as_in_the_whole(
    collection: Collection, dress: Any, block: int, chosen: Conventions, tmp_path_factory: Any
) -> None:
    path = write_run(tmp_path_factory.mktemp("one") / "run", collection.run, dress)
    run = rm.Run(path)
    run.source._block_bytes = block  # type: ignore[attr-defined]
    check(collection.qrels, run, chosen)


@given(
    collection=collections(least=1),
    form=st.sampled_from([*HEADERS, *DOCUMENTS, "parquet"]),
    packing=st.sampled_from([None, "gzip", "xz"]),
    interleaved=st.booleans(),
    chosen=conventions(),
)
def test_one_query_of_any_file_is_ranked_as_in_the_whole(
    collection: Collection,
    form: str,
    packing: str | None,
    interleaved: bool,
    chosen: Conventions,
) -> None:
    if form in HEADERS:
        data = table(collection.run, form, "run", interleaved=interleaved)
    elif form == "parquet":
        data = parquet(collection.run, "run")
    else:
        data = DOCUMENTS[form](collection.run, "run")
    stream = io.BytesIO(data if packing is None else PACKED[packing](data))
    check(collection.qrels, stream, chosen)


@given(rows=all_rows, form=st.sampled_from(sorted(FORMS)), chosen=conventions())
def test_documents_that_stand_twice_do_so_in_one_query(
    rows: Rows, form: str, chosen: Conventions
) -> None:
    check(QRELS, FORMS[form](rows), chosen)


RANKED = st.lists(
    st.tuples(
        *(st.sampled_from(["1", "2", "7"]), st.sampled_from(["1", "2", "3", "4", "9"])),
        *(st.sampled_from([1.0, 0.5, 0.5 + 1e-12]), st.sampled_from([1, 2, 3, 2**24, 2**24 + 1])),
    ),
    min_size=1,
    max_size=20,
)


@given(
    rows=RANKED,
    form=st.sampled_from(["records", "JSON", "JSONL", "CSV", "TREC"]),
    scored=st.booleans(),
    chosen=conventions(*ORDERS, "rank"),
)
def test_ranks_of_one_query_are_trusted_as_in_the_whole(
    rows: list[Any], form: str, scored: bool, chosen: Conventions
) -> None:
    scored = scored or form == "TREC"
    fields = [
        {"qid": q, "docid": d, "rank": rank} | ({"score": score} if scored else {})
        for q, d, score, rank in rows
    ]
    if form == "TREC":
        text = "".join(f"{q} Q0 {d} {rank} {score!r} t\n" for q, d, score, rank in rows)
    elif form == "CSV":
        lines = [",".join(fields[0]), *(",".join(map(str, one.values())) for one in fields)]
        text = "\n".join(lines)
    else:
        text = json.dumps(fields) if form == "JSON" else "\n".join(map(json.dumps, fields))
    check(QRELS, fields if form == "records" else io.BytesIO(text.encode()), chosen)


@given(data=st.data(), shape=shapes, chosen=conventions(drop_self=False))
def test_one_query_of_an_array_is_ranked_as_in_the_whole(
    data: st.DataObject, shape: tuple[int, int], chosen: Conventions
) -> None:
    labels, scores = data.draw(grids(shape, LABELS, least=1)), data.draw(grids(shape, SCORES, 0))
    assume(scores.present.any())
    array, options = OF_GRIDS[data.draw(st.sampled_from(sorted(OF_GRIDS)))](labels)
    qrels = rm.Qrels(array, **options)
    array, options = OF_GRIDS[data.draw(st.sampled_from(sorted(OF_GRIDS)))](scores)
    check(qrels, rm.Run(array, **options), chosen)
    check(labels.nested, rm.Run(array, **options), chosen)
    numbers = WITH_NUMBERS[data.draw(st.sampled_from(sorted(WITH_NUMBERS)))]
    check(qrels, numbers(scores.nested), chosen)


@given(
    data=st.data(),
    shape=st.tuples(st.integers(1, 4), st.integers(2, 12)),  # a group of one may be a size or an id
    chosen=conventions(drop_self=False),
)
def test_one_query_of_a_flat_array_is_ranked_as_in_the_whole(
    data: st.DataObject, shape: tuple[int, int], chosen: Conventions
) -> None:
    def grid(values: Any) -> Any:
        return data.draw(grids(shape, values, least=1)).values

    make = OF_FULL_GRIDS[data.draw(st.sampled_from(sorted(OF_FULL_GRIDS)))]
    (labels, of_labels), (scores, of_scores) = make(grid(LABELS)), make(grid(SCORES))
    check(rm.Qrels(labels, **of_labels), rm.Run(scores, **of_scores), chosen)


@given(
    data=st.data(),
    shape=shapes,
    form=st.sampled_from(sorted(IN_ORDER)),
    chosen=conventions(drop_self=False),
)
def test_one_query_in_mere_order_is_ranked_as_in_the_whole(
    data: st.DataObject, shape: tuple[int, int], form: str, chosen: Conventions
) -> None:
    labels, scores = data.draw(grids(shape, LABELS, 1)), data.draw(grids(shape, [0.0], 1))
    for row in scores.values:
        row[:] = data.draw(st.permutations(range(len(row))))
    check(labels.nested, IN_ORDER[form](scores.nested), chosen)
