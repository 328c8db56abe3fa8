"""Qrels of every dress are read as meant; what cannot be read is refused by line."""

import gzip
import io
import os
from pathlib import Path

import pytest

import rankmark as rm
from unit.readings import judgments, refused

WANTED = {"q1": {"a": 1.0, "b": 0.0}, "q2": {"c": 2.0}}

DRESSES = {
    "single spaces": b"q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n",
    "tabs": b"q1\t0\ta\t1\nq1\t0\tb\t0\nq2\t0\tc\t2\n",
    "runs of spaces and tabs": b"q1  0 \t a\t\t1\nq1 \t0   b 0\nq2\t \t0 c     2\n",
    "blanks before and behind": b"  q1 0 a 1 \n\tq1 0 b 0\t\nq2 0 c 2 \t \n",
    "CRLF": b"q1 0 a 1\r\nq1 0 b 0\r\nq2 0 c 2\r\n",
    "blanks before CRLF": b"q1 0 a 1 \r\nq1 0 b 0\t\r\nq2 0 c 2  \r\n",
    "CRLF on some lines": b"q1 0 a 1\r\nq1 0 b 0\nq2 0 c 2\r\n",
    "byte-order mark": b"\xef\xbb\xbfq1 0 a 1\nq1 0 b 0\nq2 0 c 2\n",
    "byte-order mark, then a comment": b"\xef\xbb\xbf# c\nq1 0 a 1\nq1 0 b 0\nq2 0 c 2\n",
    "blank lines": b"\n\nq1 0 a 1\n \t \nq1 0 b 0\n\r\nq2 0 c 2\n\n\n",
    "comments": b"# qid iter docid label\nq1 0 a 1\n#\nq1 0 b 0\n#q1 0 z 9\nq2 0 c 2\n# end",
    "no last newline": b"q1 0 a 1\nq1 0 b 0\nq2 0 c 2",
    "no last newline after CRLF": b"q1 0 a 1\r\nq1 0 b 0\r\nq2 0 c 2",
    "a carriage return at the very end": b"q1 0 a 1\nq1 0 b 0\nq2 0 c 2\r",
    "more columns": b"q1 0 a 1 x\nq1 0 b 0 x y z\nq2 0 c 2\n",
    "any second column": b"q1 Q0 a 1\nq1 0.5 b 0\nq2 NF c 2\n",
    "interleaved": b"q1 0 a 1\nq2 0 c 2\nq1 0 b 0\n",
}


@pytest.mark.parametrize("dress", DRESSES)
def test_every_dress_reads_the_same(dress: str) -> None:
    assert judgments(io.BytesIO(DRESSES[dress])) == WANTED


def test_queries_and_documents_keep_the_order_of_the_file() -> None:
    read = judgments(io.BytesIO(b"b 0 z 1\na 0 y 1\nb 0 x 1\n"))
    assert list(read) == ["b", "a"]
    assert list(read["b"]) == ["z", "x"]


def test_extra_columns_are_counted() -> None:
    qrels = rm.Qrels(io.BytesIO(DRESSES["more columns"]))
    assert (qrels.rows, qrels.extra_columns) == (3, 2)


@pytest.mark.parametrize(
    "doc_id",
    [
        "#",
        "a#b",
        "#4",
        "msmarco_v2.1_doc_00_880019750#4_1633802806",
        "IPCC_supplementary_report,_1992",
        "2_Hearts_(Kylie_Minogue_song)",
        '"quoted"',
        "[0]",
        "{}",
        "2019-04-18T18:47:37Z",
        "enwiki:A/B\\C|D",
        "Übergröße",
        "文書",
        "🂡",
        "é",  # noqa: RUF100
        "no\u00a0break",
        "line\u2028separator",
        "x" * 100_000,
        "0",
        "1e5",
        "nan",
        "a\rb",
        "\v\f",
    ],
    ids=lambda doc_id: ascii(doc_id[:20]),
)
def test_ids_are_any_text_without_blanks(doc_id: str) -> None:
    text = f"q{doc_id} 0 {doc_id} 1\n"
    assert judgments(io.BytesIO(text.encode())) == {f"q{doc_id}": {doc_id: 1.0}}


def test_a_comment_starts_with_the_first_byte_of_a_line_and_only_there() -> None:
    assert judgments(io.BytesIO(b" #q 0 a 1\nq 0 #b 1\n")) == {"#q": {"a": 1.0}, "q": {"#b": 1.0}}


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("1", 1.0),
        ("-2", -2.0),
        ("+5", 5.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("0.9", 0.9),
        ("1e2", 100.0),
        ("1E-3", 0.001),
        ("-1.5e+1", -15.0),
        ("007", 7.0),
        ("-0", 0.0),
        ("1e-400", 0.0),
        ("9007199254740992", 9007199254740992.0),
        ("0." + "3" * 40, 1 / 3),
    ],
)
def test_labels_are_numbers_of_every_form(label: str, value: float) -> None:
    assert judgments(io.BytesIO(f"q 0 d {label}\n".encode())) == {"q": {"d": value}}


MISTAKES = {
    "one column": (b"q 0 a 1\nq\n", 2, "found 1 column, need 4"),
    "three columns": (b"q 0 a 1\nq 0 b\n", 2, "found 3 columns, need 4 (qid iter docid label)"),
    "a word for a label": (b"q 0 a 1\nq 0 b yes\n", 2, "label 'yes' is not a number"),
    "half a number": (b"q 0 a 1x\n", 1, "label '1x' is not a number"),
    "two points": (b"q 0 a 1.2.3\n", 1, "'1.2.3'"),
    "an exponent without digits": (b"q 0 a 1e\n", 1, "'1e'"),
    "a sign alone": (b"q 0 a -\n", 1, "'-'"),
    "a point alone": (b"q 0 a .\n", 1, "'.'"),
    "hexadecimal": (b"q 0 a 0x1\n", 1, "'0x1'"),
    "digits in groups": (b"q 0 a 1_000\n", 1, "'1_000'"),
    "NaN": (b"q 0 a nan\n", 1, "NaN"),
    "infinity": (b"q 0 a 1\nq 0 b inf\n", 2, "infinite"),
    "beyond doubles": (b"q 0 a 1e400\n", 1, "infinite"),
    "NUL": (b"q 0 a 1\nq 0 b\0 1\n", 2, "NUL"),
    "a lone carriage return for a newline": (b"q 0 a 1\rq 0 b 1\r", 1, "found a carriage return"),
    "UTF-16": ("q 0 a 1\nq 0 b 1\n".encode("utf-16"), 1, "UTF-16"),
    "after a byte-order mark": (b"\xef\xbb\xbfq 0 a 1\nq 0 b x\n", 2, "'x'"),
    "after blanks, comments and CRLF": (b"\r\n# c\r\n\r\nq 0 a 1\r\nq 0 b x\r\n", 5, "'x'"),
    "on a last line without newline": (b"q 0 a 1\nq 0 b 1\nq 0 c x", 3, "'x'"),
    "a header between blanks": (b"query-id iter corpus-id score\nq 0 d 1\n", 1, "'score' is not a"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_file_line_and_find(tmp_path: Path, mistake: str) -> None:
    refused(tmp_path / "my.qrels", MISTAKES[mistake], rm.Qrels)


def test_a_mistake_deep_in_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    lines = [f"q{i // 7} 0 d{i} 1\n" for i in range(60_000)]
    lines[54_321] = "q 0 d\n"
    path = tmp_path / "big.qrels"
    path.write_text("".join(lines))
    with pytest.raises(rm.ParseError) as caught:
        rm.Qrels(path)
    assert caught.value.line == 54_322


@pytest.mark.parametrize("data", [b"", b"\n", b"# only a comment\n", b"\xef\xbb\xbf", b" \t\r\n"])
def test_a_file_without_judgments_is_refused(data: bytes) -> None:
    with pytest.raises(rm.ParseError, match="holds no judgments; need lines") as caught:
        rm.Qrels(io.BytesIO(data))
    assert caught.value.line is None


@pytest.mark.parametrize("text", ["é" * 200, "a" + "é" * 200, "文" * 99, "🂡" * 77])
def test_a_long_find_is_cut_between_characters(text: str) -> None:
    with pytest.raises(rm.ParseError, match=r"\.\.\.") as caught:
        rm.Qrels(io.BytesIO(f"q 0 d {text}\n".encode()))
    assert len(str(caught.value).encode()) < 200


DUPLICATES = {
    "on neighbouring lines": (b"q 0 a 1\nq 0 a 1\n", "q", "a", 1, 2),
    "with another label": (b"q 0 a 1\nq 0 b 1\nq 0 a 0\n", "q", "a", 1, 3),
    "interleaved": (b"# c\nq 0 a 1\np 0 a 1\n\nq 0 a 1\r\n", "q", "a", 2, 5),
    "three times": (b"q 0 a 1\nq 0 a 1\nq 0 a 1\n", "q", "a", 1, 2),
    "far apart": (
        b"q 0 twin 1\n" + b"".join(b"q 0 d%d 1\n" % i for i in range(40_000)) + b"q 0 twin 1",
        "q",
        "twin",
        1,
        40_002,
    ),
}


@pytest.mark.parametrize("case", DUPLICATES)
def test_a_document_judged_twice_is_told_with_both_lines(tmp_path: Path, case: str) -> None:
    data, query, doc, first, second = DUPLICATES[case]
    path = tmp_path / "qrels"
    path.write_bytes(data)
    with pytest.raises(rm.DuplicateError) as caught:
        rm.Qrels(path)
    assert (caught.value.where, caught.value.line) == (str(path), second)
    said = str(caught.value)
    assert said.startswith(f"{path}:{second}: ")
    assert f"document {doc!r}" in said
    assert f"query {query!r}" in said
    assert f"line {first};" in said


def test_one_document_for_two_queries_is_no_duplicate() -> None:
    assert judgments(io.BytesIO(b"q 0 a 1\np 0 a 2\n")) == {"q": {"a": 1.0}, "p": {"a": 2.0}}


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(rm.InputError, match="there is no such file") as caught:
        rm.Qrels(tmp_path / "absent")
    assert str(tmp_path / "absent") in str(caught.value)


@pytest.mark.parametrize("kind", ["below a file", "a name too long"])
def test_what_cannot_be_opened_is_told(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").write_text("q 0 a 1\n")
    path = {"below a file": "file/child", "a name too long": "x" * 5000}[kind]
    with pytest.raises(rm.InputError, match="cannot be read: "):
        rm.Qrels(tmp_path / path)


def test_a_folder_of_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("q 0 a 1\n")
    with pytest.raises(rm.InputError, match="file: this is neither Parquet nor Arrow; "):
        rm.Qrels(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_file_without_the_right_to_read_is_told(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.touch(mode=0)
    with pytest.raises(rm.InputError, match="cannot be read: "):
        rm.Qrels(path)


@pytest.mark.parametrize("source", [None, 5, b"q 0 d 1", int, object()])
def test_what_is_no_source_is_refused(source: object) -> None:
    with pytest.raises(rm.SchemaError, match="need a path, an open file"):
        rm.Qrels(source)  # type: ignore[arg-type]


def test_compressed_qrels_are_known_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_bytes(gzip.compress(DRESSES["single spaces"]))
    assert judgments(path) == WANTED
