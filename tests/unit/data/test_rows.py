"""Every row of a file as it stands, for whoever must see them all: nothing lost, faults listed."""

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import Rows
from unit.readings import CUTS, file_of


def rows_of(
    data: bytes, kind: Any, *, block: int = 1 << 19, threads: int = 1, lenient: bool = True
) -> Rows:
    return file_of(data, kind, block=block).rows(Reading(threads=threads), lenient=lenient)


def plain(rows: Rows) -> list[tuple[Any, ...]]:
    """List query, document, number, rank and line of each row, NaN as None."""
    size = len(rows.query_codes)
    ranks = [math.nan] * size if rows.rank is None else rows.rank.tolist()
    lines = [0] * size if rows.line is None else rows.line.tolist()
    return [
        (
            rows.query_ids[query],
            rows.doc_ids(doc),
            None if math.isnan(number) else number,
            None if math.isnan(rank) else rank,
            line,
        )
        for query, doc, number, rank, line in zip(
            rows.query_codes.tolist(),
            rows.doc_codes.tolist(),
            rows.number.tolist(),
            ranks,
            lines,
            strict=True,
        )
    ]


def test_rows_come_in_the_order_of_the_file_with_their_lines() -> None:
    data = b"# c\nq1 Q0 a 1 2 t\r\n\nq2 Q0 b x nan t\nq1 Q0 b 2 -inf t more\nq1 Q0 a 3 1 t"
    rows = rows_of(data, "run")
    assert plain(rows) == [
        ("q1", "a", 2.0, 1.0, 2),
        ("q2", "b", None, None, 4),
        ("q1", "b", -math.inf, 2.0, 5),
        ("q1", "a", 1.0, 3.0, 6),
    ]
    assert (rows.query_ids, rows.query_codes.tolist()) == (("q1", "q2"), [0, 1, 0, 0])
    assert rows.doc_codes.tolist() == [0, 1, 1, 0]
    assert (list(rows.extra_lines), rows.extra_columns) == ([5], 1)
    assert (list(rows.faults), rows.faulty) == ([], 0)


def test_judgments_have_no_ranks_and_those_without_labels_no_numbers() -> None:
    rows = rows_of(b"q1 0 a 1\nq1 0 b inf\n", "qrels")
    assert rows.rank is None
    assert plain(rows) == [("q1", "a", 1.0, None, 1), ("q1", "b", math.inf, None, 2)]
    assert plain(rows_of(b"qid,docid\nq,d\n", "qrels")) == [("q", "d", None, None, 2)]


def test_lines_that_cannot_be_read_are_left_out_and_listed() -> None:
    data = b'query_id,doc_id,score\n\nq,a,1\nq,b\nq,c,high\nq,,2\nq,"d,2\nq,e,5\n'
    rows = rows_of(data, "run")
    assert plain(rows) == [("q", "a", 1.0, None, 3), ("q", "e", 5.0, None, 8)]
    assert [line for line, *_ in rows.faults] == [4, 5, 6, 7]
    assert rows.faulty == 4
    said = [f"{found}; {remedy}" for _, found, remedy in rows.faults]
    for message, words in zip(
        said, ("found 2 columns", "'high'", "document id is empty", "does not end"), strict=True
    ):
        assert words in message


def test_only_the_first_hundred_faults_are_kept_and_all_are_counted() -> None:
    data = b"".join(b"q 0 d%d %s\n" % (i, b"x" if i % 3 else b"1 more") for i in range(900))
    for block, threads in CUTS[1:]:
        rows = rows_of(data, "qrels", block=block, threads=threads)
        assert (len(rows.faults), rows.faulty) == (100, 600)
        assert [line for line, *_ in rows.faults[:3]] == [2, 3, 5]
        assert (len(rows.extra_lines), rows.extra_columns) == (100, 300)
        assert list(rows.extra_lines[:3]) == [1, 4, 7]


def test_strictly_the_first_fault_is_an_error_and_so_is_nan() -> None:
    for data, line in ((b"q 0 a 1\nq 0 b\n", 2), (b"q 0 a nan\n", 1), (b"q 0 a inf\n", 1)):
        with pytest.raises(rm.ParseError) as caught:
            rows_of(data, "qrels", lenient=False)
        assert caught.value.line == line
    assert len(plain(rows_of(b"q 0 a 1\nq 0 a 1\n", "qrels", lenient=False))) == 2


@pytest.mark.slow
def test_a_line_of_many_mebibytes_is_a_fault_and_the_next_has_its_number() -> None:
    data = b"q 0 a 1\nq 0 " + b"x" * (1 << 25) + b" 1\nq 0 b 1\n"
    for block in (1 << 12, 1 << 19, 1 << 26):
        rows = rows_of(data, "qrels", block=block)
        assert plain(rows) == [("q", "a", 1.0, None, 1), ("q", "b", 1.0, None, 3)]
        assert [line for line, *_ in rows.faults] == [2]


def test_documents_of_json_and_parquet_are_rows_too() -> None:
    assert plain(rows_of(b'{"q": {"d": 2, "e": 1}, "r": {"d": 0}}', "run")) == [
        ("q", "d", 2.0, None, 0),
        ("q", "e", 1.0, None, 0),
        ("r", "d", 0.0, None, 0),
    ]


def test_a_number_that_no_id_has_is_refused() -> None:
    rows = rows_of(b"q 0 a 1\n", "qrels")
    with pytest.raises(IndexError):
        rows.doc_ids(1)


def test_ids_are_found_by_their_bytes_and_others_are_not() -> None:
    rows = rows_of(b"q 0 a 1\nq 0 \xe6\x96\x87 1\nr 0 a 1\nr 0 caf\xe9 2\n", "qrels")
    documents = [rows.doc_ids(code) for code in range(3)]
    assert documents == ["a", "\u6587", "caf\udce9"]
    assert rows.doc_numbers([*reversed(documents), "", "aa", "a"]).tolist() == [2, 1, 0, -1, -1, 0]
    assert rows.doc_numbers([]).tolist() == []
    assert rows_of(b'{"q": {"7": 1}}', "run").doc_numbers(["7", "07"]).tolist() == [0, -1]


lines = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "文"]),
        st.integers(0, 6),
        st.sampled_from(["1", "-0.5", "nan", "x", "2 more"]),
        st.sampled_from(["\n", "\r\n", "\n\n", "\n# c\n"]),
    ),
    max_size=40,
)


@given(lines=lines, header=st.booleans(), seed=st.integers(0, 100))
def test_rows_are_what_a_naive_reader_finds_for_any_blocks_and_threads(
    lines: list[tuple[str, int, str, str]], header: bool, seed: int
) -> None:
    end = {"\n# c\n": "\n\n"} if header else {}
    separator, begin = (",", "query_id,iter,doc_id,label\n") if header else (" ", "")
    text = begin + "".join(
        separator.join([query, "0", f"d{doc}", *number.split(" ")]) + end.get(newline, newline)
        for query, doc, number, newline in lines
    )
    if random.Random(seed).random() < 0.5:
        text = text.rstrip("\r\n")
    wanted = []
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.removesuffix("\r").split(separator)
        bad = len(fields) < 4 or (header and len(fields) > 4) or fields[3] in {"x", "label"}
        if not bad:
            value = float(fields[3])
            shown = None if math.isnan(value) else value
            wanted.append((fields[0], fields[2], shown, None, number))
    if not header and lines and lines[0][2] == "x":
        text = "q1 0 first 1\n" + text  # so that it is seen to be TREC text
        wanted = [("q1", "first", 1.0, None, 1), *((*w[:4], w[4] + 1) for w in wanted)]
    for block, threads in CUTS:
        rows = rows_of(text.encode(), "qrels", block=block, threads=threads)
        assert plain(rows) == wanted
