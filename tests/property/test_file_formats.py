"""The same data in every format, packed or not and however it is cut, gives the same bits."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import Case, all_cases
from generators.file_formats import DOCUMENTS, HEADERS, PACKED, parquet, table, trec
from generators.random_collections import Collection, collections, long_collections
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source_options import SourceOptions
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.input_file import InputFile

some_collections = st.one_of(collections(least=1), long_collections())
some_cases = st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1, max_size=15)
all_ties = st.sampled_from(["docid", "docid-asc", "input"])
cuts = st.sampled_from([(1, 1), (2, 3), (7, 2), (64, 2), (1 << 19, 2)])
packings = st.sampled_from([None, "gzip", "bzip2", "xz"])

# What only quotes can hold, and what other formats take for their own.
WILD = (
    *("a", "a b", " a", "a ", "a,b", "a;b", "a\tb", '"', 'a"b', '""', "#", "{", "[1]", "{}"),
    *("0", "1e5", "nan", "query_id", "docs", "\u2028", "文 書", "'", "\\", "\\n", "null", "\v"),
)


def scores(qrels: bytes, run: bytes, cases: list[Case], cut: tuple[int, int], ties: Any) -> bytes:
    """Evaluate two files that are cut into blocks of a size, on some threads."""
    block, threads = cut
    judged, ranked = rm.Qrels({"q": {"d": 1}}), rm.Run({})
    judged.source = FileSource(
        InputFile(io.BytesIO(qrels)), "qrels", SourceOptions(), block_bytes=block
    )
    ranked.source = FileSource(
        InputFile(io.BytesIO(run)), "run", SourceOptions(), block_bytes=block
    )
    read = judged.source.read_qrels(Reading(threads=threads))
    judged.judgments, judged.query_ids, judged.rows = read.judgments, read.query_ids, read.rows
    for kept in ("labels", "starts"):  # of the judgments that were replaced
        vars(judged).pop(kept, None)
    judged.doc_ids = read.judgments.document_ids() if read.doc_ids is None else read.doc_ids
    measures = [case.ours for case in cases]
    return rm.evaluate(judged, ranked, measures, ties=ties, threads=threads).scores.tobytes()


@given(
    collection=some_collections,
    cases=some_cases,
    ties=all_ties,
    form=st.sampled_from([*HEADERS, *DOCUMENTS, "trec", "trec, tabs", "parquet"]),
    packing=packings,
    cut=cuts,
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    newline=st.sampled_from(["\n", "\r\n"]),
    interleaved=st.booleans(),
)
def test_every_format_gives_the_bits_of_the_dicts(
    collection: Collection,
    cases: list[Case],
    ties: Any,
    form: str,
    packing: str | None,
    cut: tuple[int, int],
    quoting: int,
    newline: str,
    interleaved: bool,
) -> None:
    files = []
    for kind, rows in (("qrels", collection.qrels), ("run", collection.run)):
        if form in HEADERS:
            dress: Any = {"quoting": quoting, "newline": newline, "interleaved": interleaved}
            data = table(rows, form, kind, **dress)
        elif form in DOCUMENTS:
            data = DOCUMENTS[form](rows, kind)
        elif form == "parquet":
            data = parquet(rows, kind)
        else:
            data = trec(rows, kind, "\t" if "tabs" in form else " ")
        files.append(data if packing is None else PACKED[packing](data))
    wanted = rm.evaluate(*collection, [case.ours for case in cases], ties=ties)
    assert scores(*files, cases, cut, ties) == wanted.scores.tobytes()


@st.composite
def wild_collections(draw: st.DrawFn) -> Collection:
    """Give judgments and a run whose ids hold separators, quotes and blanks."""
    numbers = st.sampled_from([0.0, 1.0, 2.0, 0.5])
    rows = st.dictionaries(st.sampled_from(WILD), numbers, min_size=1)
    queries = st.dictionaries(st.sampled_from(WILD), rows, min_size=1, max_size=4)
    qrels = draw(queries)
    run = draw(queries) | {next(iter(qrels)): draw(rows)}
    return Collection(qrels, run)


@given(
    collection=wild_collections(),
    form=st.sampled_from([*HEADERS, *DOCUMENTS, "parquet"]),
    cut=cuts,
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_ids_of_any_text_come_through_every_format_that_can_hold_them(
    collection: Collection, form: str, cut: tuple[int, int], quoting: int
) -> None:
    files = []
    for kind, rows in (("qrels", collection.qrels), ("run", collection.run)):
        if form in HEADERS:
            files.append(table(rows, form, kind, quoting=quoting))
        else:
            files.append(parquet(rows, kind) if form == "parquet" else DOCUMENTS[form](rows, kind))
    cases = [case for case in all_cases() if str(case) in {"ap()", "ndcg()", "num_rel_ret()"}]
    wanted = rm.evaluate(*collection, [case.ours for case in cases])
    assert scores(*files, cases, cut, "docid") == wanted.scores.tobytes()


@given(collection=some_collections, cut=cuts, interleaved=st.booleans(), packing=packings)
def test_ranks_and_mere_order_give_the_bits_of_scores_that_fall(
    collection: Collection, cut: tuple[int, int], interleaved: bool, packing: str | None
) -> None:
    cases = [case for case in all_cases() if str(case) in {"ap()", "ndcg()", "rr()"}]
    run = {
        query_id: {doc_id: -float(place) for place, doc_id in enumerate(documents, 1)}
        for query_id, documents in collection.run.items()
    }
    ranked = {q: {d: -place for d, place in documents.items()} for q, documents in run.items()}
    qrels = table(collection.qrels, "csv", "qrels")
    wanted = rm.evaluate(collection.qrels, run, [case.ours for case in cases]).scores.tobytes()
    by_rank = table(ranked, "csv", "run", interleaved=interleaved).replace(b",sim\n", b",rank\n", 1)
    rows = [line.rsplit(b",", 1)[0] for line in by_rank.splitlines()]
    as_given = b"\n".join(rows)
    msmarco = b"\n".join(
        b"\t".join((row.rsplit(b",", 1)[1], row.rsplit(b",", 1)[0], rank.rsplit(b",", 1)[1][:-2]))
        for row, rank in zip(rows[1:], by_rank.splitlines()[1:], strict=True)
    )
    plain = b'"' not in by_rank
    for data in (by_rank, as_given, *([msmarco] if plain else [])):
        packed = data if packing is None else PACKED[packing](data)
        assert scores(qrels, packed, cases, cut, "docid") == wanted


@pytest.mark.parametrize("form", [*HEADERS, *DOCUMENTS])
def test_what_is_written_is_recognised_as_what_it_is(form: str) -> None:
    rows = {"q": {"d": 1.0, "e": 0.5}, "r": {"d": 2.0}}
    for kind in ("qrels", "run"):
        data = table(rows, form, kind) if form in HEADERS else DOCUMENTS[form](rows, kind)
        source = FileSource(InputFile(io.BytesIO(data)), kind, SourceOptions())  # type: ignore[arg-type]
        assert source.description()["form"] == form.rstrip(";").split(",")[0].split(" ")[0]
