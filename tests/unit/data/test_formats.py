"""A format is seen in a file's first bytes; where two fit, its name decides, or nobody does."""

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.arguments import COSTS
from rankmark.commands.parts import options
from rankmark.commands.parts.verb_options import ROLES
from rankmark.data.files.first_bytes import Head
from rankmark.data.files.formats import FORMATS, GROUPED, Format, recognise
from rankmark.data.tables import columns

TREC_QRELS = b"q1 0 a 1\nq1 0 b 0\n"
TREC_RUN = b"q1 Q0 a 1 0.5 t\nq1 Q0 b 2 0.4 t\n"


def found(
    data: bytes,
    kind: Any = "qrels",
    name: str = "file",
    *,
    chosen: str | None = None,
    named: dict[str, str] | None = None,
    whole: bool = True,
) -> Format:
    return recognise(Head(data, whole, name, kind, named), chosen)


def used(form: Format, kind: Any) -> dict[str, str]:
    assert form.layout is not None
    return form.layout.named(kind)


RECOGNISED = {
    "TREC qrels": (TREC_QRELS, "qrels", "trec"),
    "TREC qrels between tabs": (TREC_QRELS.replace(b" ", b"\t"), "qrels", "trec"),
    "TREC qrels behind comments": (b"# c\n\n" + TREC_QRELS, "qrels", "trec"),
    "TREC qrels behind a comment like a header": (
        b"#query_id,doc_id\n" + TREC_QRELS,
        "qrels",
        "trec",
    ),
    "TREC qrels behind a byte order mark": (b"\xef\xbb\xbf" + TREC_QRELS, "qrels", "trec"),
    "TREC qrels with ids like lists": (b"q1 0 a,b,c;d 1\n", "qrels", "trec"),
    "TREC run": (TREC_RUN, "run", "trec"),
    "a TREC run for qrels": (TREC_RUN, "qrels", "trec"),
    "MS MARCO": (b"q1\ta\t1\nq1\tb\t2\nq2\ta\t1\n", "run", "msmarco"),
    "MS MARCO between blanks, CRLF": (b"q1 a 1\r\nq1 b 2\r\n", "run", "msmarco"),
    "MS MARCO, topics interleaved": (b"q1 a 1\nq2 a 1\nq1 b 2\nq2 b 2\n", "run", "msmarco"),
    "BEIR": (b"query-id\tcorpus-id\tscore\nq\td\t1\n", "qrels", "beir"),
    "BEIR, CRLF": (b"query-id\tcorpus-id\tscore\r\nq\td\t1\r\n", "qrels", "beir"),
    "TSV": (b"query_id\tdoc_id\tlabel\nq\td\t1\n", "qrels", "tsv"),
    "CSV": (b"userId,itemId,rating,timestamp\n1,2,4.0,9\n", "qrels", "csv"),
    "CSV between semicolons": (b"qid;docid;score\nq;d;1\n", "run", "csv"),
    "CSV in quotes": (b'"query_id","doc_id","score"\n"q","d",1\n', "run", "csv"),
    "a JSON object": (b'{"q": {"d": 1}}', "qrels", "json"),
    "a JSON object, indented": (b'\n {\n  "q": {"d": 1}\n}\n', "qrels", "json"),
    "a JSON list": (b'[{"query_id": "q", "doc_id": "d"}]', "qrels", "json"),
    "a JSON object of nothing": (b"{}", "qrels", "json"),
    "JSON lines": (b'{"qid": "q", "docid": "d"}\n{"qid": "q", "docid": "e"}\n', "run", "jsonl"),
    "one JSON line": (b'{"qid": "q", "docid": "d", "score": 1}\n', "run", "jsonl"),
    "JSON lines of queries": (b'{"q": {"d": 1}}\n{"r": {"d": 1}}\n', "run", "jsonl"),
    "Parquet": (b"PAR1...", "run", "parquet"),
}


@pytest.mark.parametrize("case", RECOGNISED)
def test_a_format_is_known_by_its_content_whatever_the_name(case: str) -> None:
    data, kind, name = RECOGNISED[case]
    for named in ("file", "file.json", "file.csv", "file.parquet", "file.tsv.gz", "trec.jsonl"):
        if case in {"a JSON object", "a JSON object of nothing"} and named == "trec.jsonl":
            continue  # one line that could be either, and means the same
        assert found(data, kind, named).name == name


def test_the_names_of_columns_are_found_and_shown() -> None:
    form = found(b"userId,itemId,rating,timestamp\n1,2,4.0,9\n")
    assert used(form, "qrels") == {"query_id": "userId", "doc_id": "itemId", "label": "rating"}
    form = found(b"rank;docno;topic;sim\n1;d;q;2\n", "run")
    wanted = {"query_id": "topic", "doc_id": "docno", "score": "sim", "rank": "rank"}
    assert used(form, "run") == wanted


def test_columns_that_the_caller_named_are_taken() -> None:
    data = b"who,what,how\nq,d,1\n"
    named = {"query_id": "who", "doc_id": "what", "score": "how"}
    form = found(data, "run", named=named)
    assert (form.name, used(form, "run")) == ("csv", named)


def test_movielens_with_columns_of_its_own_is_a_csv() -> None:
    named = {"query_id": "userid", "doc_id": "movieid", "label": "rating"}
    form = found(b"userid,movieid,rating,timestamp\n1,1,4.0,964982703\n", named=named)
    assert used(form, "qrels") == named


FITTING_TWO = {
    "trec and json": (b"{} 0 d 1\n", "qrels", {"x.trec": "trec", "x.json": "json"}),
    "trec and tsv": (b"query\tlabel\tdoc_id\t1\n", "qrels", {"x.trec": "trec", "x.tsv.gz": "tsv"}),
}


@pytest.mark.parametrize("case", FITTING_TWO)
def test_where_two_formats_fit_the_name_decides_or_else_it_is_told(case: str) -> None:
    data, kind, by_name = FITTING_TWO[case]
    for name, wanted in by_name.items():
        assert found(data, kind, name).name == wanted
    one, other = case.split(" and ")
    said = f"file: this may be {one} or {other}; choose with --{kind}-format {one}, or in Python "
    with pytest.raises(rm.InputError, match=re.escape(said)):
        found(data, kind)
    assert found(data, kind, chosen="trec").name == "trec"


@pytest.mark.parametrize(
    ("data", "kind", "said"),
    [
        (b"q,d,1\n", "qrels", "file, read as csv whose first line names the columns: no column"),
        (b"q;d;1\n", "run", "it has 'q', 'd', '1'; put a first line of names, such as"),
        (b"query_id,qid,doc_id\n", "run", "'query_id' and 'qid' could both be query_id"),
        (b"query_id,doc_id,sim,score\n", "run", "'sim' and 'score' could both be score"),
        (b"query_id, doc_id\nq, d\n", "run", "ids begin or end with blanks, such as ' d'"),
    ],
)
def test_a_header_that_will_not_do_is_told(data: bytes, kind: str, said: str) -> None:
    with pytest.raises(rm.SchemaError, match=re.escape(said)):
        found(data, kind)


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"q d 0.5\nq e 0.4\n", 1, "not the query's next rank"),
        (b"q d 1\nq e 0.4\n", 2, "not the query's next rank"),
        (b"q d 2\nq e 1\n", 1, "--run-format msmarco"),
        (b"# c\n\nq d 1\nq e 1\n", 4, "add a first line that names the columns"),
        (b"query_id,doc_id\rq,d\r", 1, "old Mac line ends"),
        (b"PK\x03\x04...", None, "a zip archive"),
        (b"\x04\x22\x4d\x18...", None, "packed with lz4"),
        (b"FEA1\0\0", None, "a Feather file of version 1"),
    ],
)
def test_what_fits_no_format_is_told_with_what_to_do(
    data: bytes, line: int | None, said: str
) -> None:
    with pytest.raises(rm.ParseError, match=said) as caught:
        found(data, "run")
    assert caught.value.line == line


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"# c\n", b"q\n", b"q 0\n", b"\xff\xfeq\0,\0", b"q 0 d x\n", b"\0,\0"]
)
def test_what_may_be_trec_text_with_a_mistake_is_left_to_its_reader(data: bytes) -> None:
    assert found(data, "qrels").name == found(data, "run").name == "trec"


@pytest.mark.parametrize(
    "data", [b"q0 0 a 1\nq0 0 b 1\nq,0", b'{"q": 1}\n{"q": 2}\n{"q', b"q,d\nx"]
)
def test_a_line_that_was_cut_off_is_not_looked_at(data: bytes) -> None:
    whole = data[: data.rindex(b"\n") + 1]
    named = {"query_id": "q", "doc_id": "d"} if data.startswith(b"q,d") else None
    assert found(data, whole=False, named=named).name == found(whole, named=named).name


def test_a_format_can_be_chosen() -> None:
    assert found(b"q d 7\n", "run", chosen="msmarco").name == "msmarco"
    assert found(TREC_QRELS, chosen="msmarco").layout == found(TREC_QRELS).layout
    assert found(b"query_id;doc_id\n", chosen="csv").layout.separator == ";"  # type: ignore[union-attr]
    assert found(b"query_id\tdoc_id\n", chosen="beir").name == "beir"
    assert [found(b"...", chosen=name).name for name in ("json", "jsonl", "parquet")] == [
        "json", "jsonl", "parquet",
    ]  # fmt: skip


def test_a_format_that_there_is_not_is_refused() -> None:
    with pytest.raises(rm.InputError, match="format is 'xls'; need one of trec, msmarco"):
        found(TREC_QRELS, chosen="xls")
    for chosen in ("csv", "tsv", "beir"):
        with pytest.raises(rm.ParseError, match="it is empty; need a line of names"):
            found(b"", chosen=chosen)
        with pytest.raises(rm.SchemaError, match="no column has a usual name for query_id"):
            found(TREC_QRELS, chosen=chosen)


def test_the_command_line_knows_the_same_words() -> None:
    assert tuple(options.FILE_FORMATS) == FORMATS
    assert tuple(options.QRELS_FORMATS) == (*FORMATS, *GROUPED)
    assert {*ROLES} == {*columns.NAMES, "parent", "list", "weight", *COSTS}


def test_a_long_line_of_json_behind_a_blank_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "qrels.json"
    path.write_text("\n" + json.dumps({"q": {"a" * 300_000: 1, "b": 0}}))
    assert rm.Qrels(path).rows == 2


@pytest.mark.slow
def test_a_field_of_a_million_digits_is_looked_at_once(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("q d " + "1" * 1_000_000 + "x\n")  # squares of this take hours
    with pytest.raises(rm.InputError):
        rm.Qrels(path)
    path.write_text("q d " + "1" * 1_000_000 + "x\n" + "q e 1\n" * 9)
    with pytest.raises(rm.InputError):
        rm.evaluate({"q": {"d": 1}}, path, "AP")


def test_a_first_line_that_is_no_text_is_refused_as_other_lines_are() -> None:
    with pytest.raises(rm.InputError):
        rm.evaluate(io.BytesIO(b"\xffq of, d of, label of, more\n"), {"q": {"d": 1}}, "RR")
