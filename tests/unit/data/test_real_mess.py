"""The messes that people meet: each is accepted and counted, or refused with what to do.

Each is told here in a line; ``ELSEWHERE`` names the tests of those that have a file of their own.
"""

import io
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 2\n"
RUN = b"1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 c 1 1 t\n"
WANTED = {"1": 0.5, "2": 1.0}


def evaluated(qrels: bytes, run: bytes, **options: Any) -> Any:
    return rm.evaluate(io.BytesIO(qrels), io.BytesIO(run), "RR", **options)


ACCEPTED = {
    "tabs and CRLF on every line": (
        QRELS.replace(b" ", b"\t").replace(b"\n", b"\r\n"),
        RUN.replace(b" ", b"\t").replace(b"\n", b"\r\n"),
    ),
    "several blanks, and blanks at the ends": (
        QRELS.replace(b" ", b"  ").replace(b"\n", b"   \n"),
        b"  " + RUN.replace(b" ", b"     "),
    ),
    "tabs and blanks mixed in one line": (
        QRELS.replace(b" a ", b"\ta  "),
        RUN.replace(b"Q0 ", b"Q0\t"),
    ),
    "any word in the second column": (
        b"1 0.5 a 1\n1 NF b 0\n2 Q0 c 2\n",
        RUN.replace(b"1 Q0 b", b"1 E1 b"),
    ),
    "no newline at the end": (QRELS[:-1], RUN[:-1]),
    "a rank column that contradicts the scores": (QRELS, RUN.replace(b"b 1 2", b"b 9 2")),
    "scores that are not sorted": (QRELS, b"1 Q0 a 2 1 t\n2 Q0 c 1 1 t\n1 Q0 b 1 2 t\n"),
    "one score for all documents": (QRELS, RUN.replace(b"1 2 t", b"1 1 t")),
    "negative scores": (QRELS, b"1 Q0 b 1 -1 t\n1 Q0 a 2 -2 t\n2 Q0 c 1 -3e9 t\n"),
    "negative labels": (QRELS.replace(b"b 0", b"b -2"), RUN),
    "labels up to 30": (QRELS.replace(b"a 1", b"a 30"), RUN),
    "labels with a fraction": (QRELS.replace(b"a 1", b"a 1.5"), RUN),
    "comments and hashes in ids": (
        b"# by hand\n" + QRELS + b"2 0 #4 1\n3 0 v2.1_doc#4_16 0\n",
        b"#c\n" + RUN + b"3 Q0 v2.1_doc#4_16 1 1 t\n",
    ),
    "commas, brackets, colons, slashes and other scripts in ids": (
        QRELS
        + "3 0 2_Hearts_(Kylie_Minogue_song) 0\n3 0 a,_1992 0\n3 0 文/T18:47:37Z 0\n".encode(),
        RUN + b"3 Q0 IPCC_report,_1992;x 1 1 t\n",
    ),
    "more queries in the run": (QRELS, RUN + b"9 Q0 a 1 1 t\n"),
    "topics that come back": (QRELS, b"1 Q0 b 1 2 t\n2 Q0 c 1 1 t\n1 Q0 a 2 1 t\n"),
    "junk behind the last column": (QRELS, RUN.replace(b" t\n", b" t more junk at\n")),
    "a byte order mark": (b"\xef\xbb\xbf" + QRELS, b"\xef\xbb\xbf" + RUN),
    "MS MARCO's three columns where TREC was wanted": (QRELS, b"1\tb\t1\n1\ta\t2\n2\tc\t1\n"),
    "BEIR's header": (b"query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n2\tc\t2\n", RUN),
    "a table with text of any kind beside the ids": (
        QRELS,
        b'qid,docid,score,text\n1,b,2,"so, so"\n1,a,1,caf\xe9\n2,c,1,\n',
    ),
    "infinite scores": (QRELS, RUN.replace(b"b 1 2", b"b 1 inf")),
    "labels in a column called score": (b"qid,docid,score\n1,a,1\n1,b,0\n2,c,2\n", RUN),
}


@pytest.mark.parametrize("mess", ACCEPTED)
def test_mess_that_is_clear_reads_as_meant(mess: str) -> None:
    scores = evaluated(*ACCEPTED[mess]).per_query("RR")
    assert {query: scores[query] for query in WANTED} == WANTED


def test_mess_that_is_clear_is_counted_in_the_audit() -> None:
    assert evaluated(*ACCEPTED["junk behind the last column"]).audit.run_extra_columns == 3
    assert evaluated(*ACCEPTED["topics that come back"]).audit.interleaved == 1
    assert evaluated(*ACCEPTED["more queries in the run"]).audit.run_only == 1
    assert evaluated(QRELS + b"3 0 a 1\n", RUN).audit.missing_queries == ("3",)
    tied = evaluated(*ACCEPTED["one score for all documents"])
    assert tied.audit.tied_share == pytest.approx(2 / 3)


def test_query_ids_need_not_be_numbers() -> None:
    for query in ("PLAIN-2", "enwiki:Aftertaste", "5a8b57", "106_1", "3960.png-2"):
        name = query.encode()
        assert evaluated(name + b" 0 a 1\n", name + b" Q0 a 1 1 t\n").per_query("RR") == {query: 1}


PRELS = b"1 clueweb09-en0003-55-31884 0 0 1\n1 clueweb09-en0006-21-20387 0 0 1\n"
PREFS = b"1.EC.AB  F:Ret,C:Not   F:RnkdLst2digits  FR940303-1-00022        1\n"
REFUSED = {
    "a document judged twice": (
        QRELS + b"1 0 a 0\n", RUN, rm.DuplicateError, "document 'a' appears twice for query '1'",
    ),
    "a document retrieved twice": (
        QRELS, RUN + b"1 Q0 a 3 0 t\n", rm.DuplicateError, "first on line 2; keep one of the two",
    ),
    "a run in place of judgments": (
        RUN + b"1 Q0 b 1 2 t\n", RUN, rm.SchemaError, "these are not judgments: the lines look",
    ),
    "judgments in place of a run": (
        QRELS, QRELS, rm.ParseError, "this looks like qrels: are QRELS and RUN swapped?",
    ),
    "prels": (PRELS, RUN, rm.DuplicateError, "prels, which have five columns"),
    "prefs": (PREFS, RUN, rm.ParseError, ":1: label 'FR940303-1-00022' is not a number"),
    "no bytes": (b"", RUN, rm.ParseError, "holds no judgments; need lines `qid iter docid label`"),
    "a header between blanks": (
        b"qid iter docid label\n" + QRELS, RUN, rm.ParseError, "if this line is a header, remove",
    ),
    "a header that names too little": (
        b"user,place,stars\n1,a,1\n", RUN, rm.SchemaError, "it has 'user', 'place', 'stars';",
    ),
    "another collection": (b"7 0 a 1\n", RUN, rm.MismatchError, "none of its 2 queries is judged"),
    "a suffix that one side alone has": (
        QRELS.replace(b"1 0", b"1.1 0").replace(b"2 0", b"2.1 0"), RUN, rm.MismatchError,
        "it has '1', '2', <file object> has '1.1', '2.1'",
    ),
    "an id with a tab": (QRELS, b"1 Q0 a\tb 1 2 t\n", rm.ParseError, "remove blanks from ids"),
    "an id with a blank": (
        QRELS, b"1 Q0 the doc 1 1.5 t\n", rm.ParseError,
        ":1: rank 'doc' is not a number, and there are 7 columns instead of 6 (qid iter docid rank",
    ),
    "a judged id with a blank": (b"1 0 the doc 1\n", RUN, rm.ParseError, "label 'doc' is not"),
    "two processes in one line": (
        QRELS, b"1 Q0 b 1 2 t\n1 Q0 a 2 1 Q0 c 1 1 t\n1 Q0 d\n", rm.ParseError, ":3: found 3",
    ),
    "NaN for a score": (QRELS, RUN.replace(b"2 1 t", b"2 nan t"), rm.ParseError, "score is NaN"),
    "a NUL": (QRELS, RUN.replace(b"a 2", b"\0 2"), rm.ParseError, ":2: found a NUL byte"),
    "UTF-16": (QRELS.decode().encode("utf-16"), RUN, rm.ParseError, "UTF-16"),
    "a table in UTF-16": (
        "query_id,doc_id,label\n1,a,1\n".encode("utf-16"), RUN, rm.ParseError, ":1: found a NUL",
    ),
    "MS MARCO's columns with scores": (QRELS, b"1\tb\t0.5\n", rm.ParseError, "next rank (1, 2, 3"),
    "MS MARCO's columns for judgments": (b"1\ta\t1\n", RUN, rm.ParseError, "found 3 columns, need"),
    "CSV without a header": (b"1,a,1\n", RUN, rm.SchemaError, "whose first line names the columns"),
    "a comma in an id of a CSV": (
        b"qid,docid,label\n1,IPCC,_1992,1\n", RUN, rm.ParseError, "in double quotes",
    ),
    "a tab within a text": (
        QRELS, b"qid\tdocid\tscore\ttext\n1\ta\t1\tone\ttwo\n", rm.ParseError,
        ":2: found 5 columns, need 4 (qid, docid, score, text)",
    ),
    "a newline within a text": (
        QRELS, b"qid\tdocid\tscore\ttext\n1\ta\t1\tone\ntwo\n", rm.ParseError,
        ":3: found 1 column, need 4 (qid, docid, score, text): 'two'",
    ),
    "a newline within quotes": (
        QRELS, b'qid,docid,score,text\n1,a,1,"one\ntwo"\n', rm.ParseError, ":2: ",
    ),
    "decimal commas": (QRELS, RUN.replace(b"1 t", b"1,5 t"), rm.ParseError, "a decimal point"),
    "packed twice over or not at all": (b"\x1f\x8b", RUN, rm.ParseError, "gzip data is damaged"),
    "a spreadsheet": (b"PK\x03\x04....", RUN, rm.ParseError, "a zip archive (a spreadsheet?)"),
    "lz4": (b"\x04\x22\x4d\x18....", RUN, rm.ParseError, "packed with lz4"),
}  # fmt: skip


@pytest.mark.parametrize("mess", REFUSED)
def test_mess_that_could_mean_anything_is_refused_with_what_to_do(mess: str) -> None:
    qrels, run, kind, said = REFUSED[mess]
    with pytest.raises(kind, match=re.escape(said)) as caught:
        evaluated(qrels, run)
    assert str(caught.value).startswith("<file object>")
    assert "\n" not in str(caught.value)


def test_trec_text_where_ms_marco_was_said_is_refused_by_its_columns() -> None:
    with pytest.raises(rm.ParseError, match=r":1: found 6 columns, need 3 \(qid docid rank\)"):
        evaluated(QRELS, RUN, run_format="msmarco")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_an_odd_file_name_keeps_a_message_on_one_line(tmp_path: Path) -> None:
    odd = tmp_path / "Icon\r"
    odd.touch()
    with pytest.warns(rm.RankmarkWarning, match=r"Icon\\r: it holds no documents"):
        rm.evaluate(io.BytesIO(QRELS), odd)
    odd.write_bytes(RUN)
    told = rm.evaluate(io.BytesIO(QRELS), odd).to_dict()["run"]
    assert told["name"].endswith("Icon\\r")


@pytest.mark.parametrize(
    ("query", "document", "score"),
    [
        (1, 7, 2),
        ("1", 7, np.float32(2)),
        (np.int64(1), "7", np.float16(2)),
        (1.0, np.uint8(7), Fraction(2)),
    ],
)
def test_numbers_of_any_type_meet_text_as_ids_and_are_scores(
    query: Any, document: Any, score: Any
) -> None:
    for qrels, run in (
        ({"1": {"7": 1}}, {query: {document: score}}),
        ({query: {document: score}}, {"1": {"7": 1.0}}),
    ):
        assert rm.evaluate(qrels, run, "RR")["RR"] == 1.0


def test_a_label_below_1_is_a_gain_and_relevant_only_where_that_is_said() -> None:
    qrels, run = {"q": {"a": 0.5}}, {"q": {"a": 1.0}}
    assert tuple(rm.evaluate(qrels, run, ["nDCG", "AP(rel=0.5)"]).values()) == (1.0, 1.0)
    with pytest.warns(rm.RankmarkWarning, match=r"no label reaches rel=1, the highest is 0.5"):
        assert rm.evaluate(qrels, run, "AP")["AP"] == 0.0


def test_a_label_whose_gain_would_be_infinite_is_refused() -> None:
    measure = 'nDCG(gain="exp2")@10'
    assert rm.evaluate({"q": {"a": 30, "b": 1}}, {"q": {"b": 2, "a": 1}}, measure)[measure] < 1
    with pytest.raises(rm.MeasureError, match="label 2000 is too high"):
        rm.evaluate({"q": {"a": 2000}}, {"q": {"a": 1}}, measure)


def test_scores_of_half_precision_tie_and_the_audit_counts_them() -> None:
    labels, scores = np.array([[1, 0]]), np.array([[0.10001, 0.10002]])
    assert rm.evaluate(labels, scores, "RR").audit.tied_share == 0.0
    assert rm.evaluate(labels, scores.astype(np.float16), "RR").audit.tied_share == 1.0


def test_nothing_at_all_is_refused_but_for_a_system_that_answers_nothing() -> None:
    empty = pl.DataFrame({"qid": [], "docid": [], "score": []})
    for run in ({}, io.BytesIO(b""), iter(()), empty):
        with pytest.warns(rm.RankmarkWarning, match="holds no documents"):
            ev = rm.evaluate({"q": {"a": 1}}, run, "RR")
        assert (ev["RR"], ev.audit.missing_queries) == (0.0, ("q",))
    with pytest.raises(rm.InputError, match="qrels hold no judgments"):
        rm.evaluate({}, {"q": {"a": 1.0}})


ELSEWHERE = {
    "NaN in a mapping": "test_mappings.py::test_what_is_no_number_is_refused_by_query_and_document",
    "NaN in an array": "test_arrays.py::test_nan_is_refused_by_row_and_column_and_a_mask_advised",
    "NaN and nulls in frames": "test_frames.py::test_a_null_is_refused_by_row_and_column",
    "NaN in results": "test_evaluation_forms.py::test_nan_becomes_null",
    "float ids": "test_column_types.py::test_ids_that_are_whole_floats_meet_text_and_others_are_"
    "refused",
    "a file of three judges": "test_check_public_data.py::test_a_file_of_three_judges_is_told_of",
    "topics that come back": "test_check_public_data.py::test_topics_that_return_and_junk_behind_"
    "the_columns_are_told_of",
    "ranks against scores": "test_check_public_data.py::test_ranks_and_scores_out_of_order_are_"
    "told_of",
    "other files that are called qrels": "test_check_public_data.py::test_files_that_are_no_"
    "judgments_are_told_by_their_kind",
    "distances for scores": "test_check.py::test_distances_are_told_by_ranks_or_rows_that_begin_"
    "with_the_lowest",
    "ids of another form": "test_identity.py::test_a_usual_reason_is_found_on_either_side",
    "swapped columns": "test_identity.py::test_a_run_with_its_columns_swapped_is_refused_with_the_"
    "reason",
    "another collection": "test_identity.py::test_unrelated_ids_are_of_another_collection",
    "queries that retrieve themselves": "test_own_documents.py::test_dropping_them_is_as_if_they_"
    "had_not_been_retrieved",
    "iterators that were read": "test_records.py::test_an_iterator_that_was_read_through_never_"
    "scores_nothing_in_silence",
    "packed files that are cut": "test_packing.py::test_damage_is_told_with_the_file",
    "ids that are not UTF-8": "test_mappings.py::test_an_id_that_is_no_unicode_text_is_refused_or_"
    "meets_itself",
}


@pytest.mark.parametrize("mess", ELSEWHERE)
def test_every_other_mess_has_a_test_where_it_belongs(mess: str) -> None:
    name, _, test = ELSEWHERE[mess].partition("::")
    (path,) = Path(__file__).parents[1].rglob(name)
    assert f"\ndef {test}(" in path.read_text(encoding="utf-8")


REAL = {
    "msmarco-doc: tabs and CRLF": ("qrels/qrels.msmarco-doc.dev.txt", "trec", 5_193),
    "covid: a half in the second column": ("qrels/qrels.covid-round5.txt", "trec", None),
    "web: labels of -2": ("qrels/qrels.web.251-300.txt", "trec", None),
    "climate-fever: commas and brackets": (
        "qrels/qrels.beir-v1.0.0-climate-fever.test.txt",
        "trec",
        None,
    ),
    "leetcode: slashes": ("qrels/qrels.bright-leetcode.txt", "trec", None),
    "nfcorpus: TREC text that is named tsv": ("pyserini-tests/nfcorpus-qrels.tsv", "trec", None),
    "dl-hard: no newline at the end": ("dl-hard-passage/dl_hard-passage.qrels", "trec", None),
    "compat: labels up to 30": ("ir_measures-tests/compat.qrels", "trec", None),
    "trec_eval: comments": ("trec_eval-test/qrels.test.with-comments", "trec", None),
    "ranx: gzip": ("ranx/qrels.trec.gz", "trec", 5),
    "ranx: JSON": ("ranx/qrels.json", "json", 5),
    "ranx: Parquet": ("ranx/qrels.parquet", "parquet", 5),
}


@pytest.mark.parametrize("mess", REAL)
def test_real_judgments_are_recognised_and_read_whole(shared_data: Path, mess: str) -> None:
    name, form, rows = REAL[mess]
    qrels = rm.Qrels(shared_data / name)
    taken = qrels.source.description()
    assert (taken["form"], taken.get("packing")) == (form, "gzip" if ".gz" in name else None)
    if form == "parquet":
        assert taken["columns"] == {"query_id": "q_id", "doc_id": "doc_id", "label": "score"}
    if rows is None or name.endswith(".txt"):
        lines = (shared_data / name).read_bytes().split(b"\n")
        rows = sum(bool(line.split()) and not line.startswith(b"#") for line in lines)
    assert len(qrels) == rows


def test_real_ratings_are_a_table(shared_data: Path) -> None:
    path = shared_data / "movielens-small" / "ratings.csv"
    qrels = rm.Qrels(path)
    assert (len(qrels.query_ids), len(qrels)) == (610, 100_836)
    assert qrels.source.description()["columns"]["label"] == "rating"


def test_real_runs_are_recognised_though_they_are_messy(shared_data: Path) -> None:
    for folder, qrels, run in (
        ("trec_eval-test", "qrels.test", "results.test"),
        ("trec_eval-test", "qrels.test", "results.trunc"),
        ("ir_measures-tests", "compat.qrels", "compat.run"),
        ("dl-hard-passage", "dl_hard-passage.qrels", "bm25.run"),
        ("cwl-tests", "qrel_file", "result_file"),
    ):
        ev = rm.evaluate(shared_data / folder / qrels, shared_data / folder / run, "AP")
        assert ev.to_dict()["run"]["form"] == "trec"
        assert 0 < ev["AP"] < 1
