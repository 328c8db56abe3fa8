"""Runs of every dress are ranked as meant; what cannot be read is refused by line."""

import io
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from unit.readings import judgments, rankings, refused

WANTED = {"q1": ["b", "a"], "q2": ["c"]}

DRESSES = {
    "single spaces": b"q1 Q0 a 1 2 t\nq1 Q0 b 2 3 t\nq2 Q0 c 1 1 t\n",
    "tabs": b"q1\tQ0\ta\t1\t2\tt\nq1\tQ0\tb\t2\t3\tt\nq2\tQ0\tc\t1\t1\tt\n",
    "runs of spaces and tabs": b"q1  Q0 a \t 1 2 t\nq1\t\tQ0 b 2   3 t\nq2 Q0  c 1 1\t \tt\n",
    "blanks before and behind": b" q1 Q0 a 1 2 t \n\tq1 Q0 b 2 3 t\t\nq2 Q0 c 1 1 t  \n",
    "CRLF": b"q1 Q0 a 1 2 t\r\nq1 Q0 b 2 3 t\r\nq2 Q0 c 1 1 t\r\n",
    "byte-order mark": b"\xef\xbb\xbfq1 Q0 a 1 2 t\nq1 Q0 b 2 3 t\nq2 Q0 c 1 1 t\n",
    "blank lines": b"\nq1 Q0 a 1 2 t\n\n \t\nq1 Q0 b 2 3 t\n\r\nq2 Q0 c 1 1 t\n\n",
    "comments": b"# run\nq1 Q0 a 1 2 t\n#q1 Q0 c 2 9 t\nq1 Q0 b 2 3 t\nq2 Q0 c 1 1 t\n#",
    "no last newline": b"q1 Q0 a 1 2 t\nq1 Q0 b 2 3 t\nq2 Q0 c 1 1 t",
    "more columns": b"q1 Q0 a 1 2 t x\nq1 Q0 b 2 3 t\nq2 Q0 c 1 1 t # note\n",
    "interleaved": b"q1 Q0 a 1 2 t\nq2 Q0 c 1 1 t\nq1 Q0 b 2 3 t\n",
    "ranks that are no numbers": b"q1 Q0 a x 2 t\nq1 Q0 b - 3 t\nq2 Q0 c . 1 t\n",
}


def test_a_first_line_with_an_id_of_megabytes_is_read_like_any_other(tmp_path: Path) -> None:
    long = "d" * 2_000_000
    (tmp_path / "run").write_text(f"q Q0 {long} 1 1 t\nq Q0 b 2 3 t\n")
    assert rm.evaluate({"q": {long: 1, "b": 0}}, tmp_path / "run", "RR").means == {"RR": 0.5}


@pytest.mark.parametrize("dress", DRESSES)
def test_every_dress_ranks_the_same(dress: str) -> None:
    assert rankings(io.BytesIO(DRESSES[dress]), "abc", ["q1", "q2"]) == WANTED


def test_extra_columns_and_interleaved_queries_are_counted() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"c": 1}}
    more = rm.evaluate(qrels, io.BytesIO(DRESSES["more columns"]), ["AP"]).audit
    assert (more.rows, more.run_extra_columns, more.interleaved) == (3, 2, 0)
    back = rm.evaluate(qrels, io.BytesIO(DRESSES["interleaved"]), ["AP"]).audit
    assert (back.rows, back.run_extra_columns, back.interleaved) == (3, 0, 1)


def test_ids_of_any_text_meet_their_judgments() -> None:
    ids = ["#1", "a,b", "[x]", "Übergröße", "文書", "🂡", "a#4_1", "no\u00a0break", "y" * 70_000]
    lines = [f"q Q0 {doc} {i} {-i} t\n" for i, doc in enumerate(ids, 1)]
    assert rankings(io.BytesIO("".join(lines).encode()), ids) == {"q": ids}


def test_infinite_scores_rank() -> None:
    run = b"q 0 a 1 -inf t\nq 0 b 1 0 t\nq 0 c 1 inf t\nq 0 d 1 -1e300 t\nq 0 e 1 1e308 t\n"
    assert rankings(io.BytesIO(run), "abcde") == {"q": ["c", "e", "b", "d", "a"]}


@pytest.mark.parametrize("written", ["inf", "+inf", "Infinity", "INF", "1e400", "9" * 400 + "."])
def test_infinity_is_written_in_many_ways_and_all_tie(written: str) -> None:
    run = f"q 0 a 1 {written} t\nq 0 b 1 inf t\nq 0 c 1 1.7976931348623157e308 t\n"
    assert rankings(io.BytesIO(run.encode()), "abc") == {"q": ["b", "a", "c"]}


def test_scores_too_small_for_doubles_are_zero() -> None:
    run = b"q 0 a 1 1e-400 t\nq 0 b 1 0 t\nq 0 c 1 -1e-999 t\nq 0 d 1 5e-324 t\n"
    assert rankings(io.BytesIO(run), "abcd") == {"q": ["d", "c", "b", "a"]}


def test_scores_that_differ_in_the_last_digit_do_not_tie() -> None:
    run = b"q 0 b 1 0.12345678901234567 t\nq 0 a 1 0.12345678901234568 t\n"
    assert rankings(io.BytesIO(run), "ab") == {"q": ["a", "b"]}


decimals = st.from_regex(
    r"[+-]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})([eE][+-]?[0-9]{1,3})?", fullmatch=True
).filter(lambda written: not written.lstrip("+-").isdigit() or abs(int(written)) <= 2**53)
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.integers(-(2**53), 2**53).map(str),
    st.integers(-(10**25), 10**25).map(lambda number: f"{number}.0"),
    st.tuples(st.integers(0, 2**54), st.integers(0, 30)).map(lambda pair: f"{pair[0]}e-{pair[1]}"),
    decimals,
)


@given(st.lists(numbers, min_size=1, max_size=40))
def test_numbers_are_read_to_the_last_bit_as_python_reads_them(written: list[str]) -> None:
    finite = [number for number in written if math.isfinite(float(number))] or ["0"]
    text = "".join(f"q 0 d{i} {number}\n" for i, number in enumerate(finite))
    read = judgments(io.BytesIO(text.encode()))["q"]
    assert list(read.values()) == [float(number) for number in finite]


@given(st.lists(numbers, min_size=2, max_size=40))
def test_documents_stand_as_python_would_sort_them(written: list[str]) -> None:
    documents = [f"d{i:02}" for i in range(len(written))]
    score = dict(zip(documents, map(float, written), strict=True))
    text = "".join(f"q 0 {d} 1 {x} t\n" for d, x in zip(documents, written, strict=True))
    wanted = sorted(documents, key=lambda doc: (score[doc], doc), reverse=True)
    assert rankings(io.BytesIO(text.encode()), documents) == {"q": wanted}


MISTAKES = {
    "one column": (b"q Q0 a 1 1 t\nq\n", 2, "found 1 column, need 6"),
    "five columns": (b"q Q0 a 1 1\n", 1, "found 5 columns, need 6 (qid iter docid rank score tag)"),
    "a word for a score": (b"q Q0 a 1 1 t\nq Q0 b 2 high t\n", 2, "score 'high' is not a number"),
    "half a number": (b"q Q0 a 1 1.5.2 t\n", 1, "score '1.5.2' is not a number"),
    "a comma for a point": (b"q Q0 a 1 1,5 t\n", 1, "score '1,5' is not a number"),
    "NaN": (b"q Q0 a 1 1 t\nq Q0 b 2 NaN t\n", 2, "score is NaN"),
    "negative NaN": (b"q Q0 a 1 -nan t\n", 1, "score is NaN"),
    "NUL": (b"q Q0 a 1 1 t\nq Q0 b\0 2 1 t\n", 2, "NUL"),
    "NUL in the tag": (b"q Q0 a 1 1 t\0\n", 1, "NUL"),
    "UTF-16": ("q Q0 a 1 1 t\n".encode("utf-16-le"), 1, "UTF-16"),
    "after a byte-order mark": (b"\xef\xbb\xbfq Q0 a 1 1 t\nq Q0 b 1 x t\n", 2, "'x'"),
    "after blanks, comments and CRLF": (b"\r\n# c\r\n\r\nq Q0 a 1 x t\r\n", 4, "'x'"),
    "on a last line without newline": (b"q Q0 a 1 1 t\nq Q0 b 2 x t", 2, "'x'"),
    "for a query that nobody judged": (b"p Q0 a 1 1 t\np Q0 b 2 x t\n", 2, "'x'"),
    "in a query that came back": (b"q Q0 a 1 1 t\np 0 a 1 1 t\nq Q0 b 2 nan t\n", 3, "NaN"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_file_line_and_find(tmp_path: Path, mistake: str) -> None:
    refused(tmp_path / "my.run", MISTAKES[mistake], lambda path: rm.evaluate({"q": {"a": 1}}, path))


def test_qrels_given_as_a_run_are_named_as_such() -> None:
    with pytest.raises(rm.ParseError, match=r"are QRELS and RUN swapped\?"):
        rm.evaluate({"q": {"a": 1}}, io.BytesIO(b"q 0 a 1\n"))


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf"])
def test_a_run_without_documents_answers_nothing_and_says_so(data: bytes) -> None:
    with pytest.warns(rm.RankmarkWarning, match="it holds no documents, so the judged query"):
        ev = rm.evaluate({"q": {"a": 1}}, io.BytesIO(data), "RR")
    assert (ev["RR"], ev.audit.missing) == (0.0, 1)


def test_a_rank_column_that_is_trusted_must_hold_numbers() -> None:
    run = b"q Q0 a 2 9 t\nq Q0 b 1 8 t\nq Q0 c x 7 t\n"
    assert rankings(io.BytesIO(run.replace(b"x", b"3")), "abc", ties="rank") == {
        "q": ["b", "a", "c"]
    }
    with pytest.raises(rm.ParseError, match="rank 'x' is not a number") as caught:
        rankings(io.BytesIO(run), "abc", ties="rank")
    assert caught.value.line == 3


def test_a_run_that_is_not_there_or_an_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(rm.InputError, match="absent: there is no such file"):
        rm.evaluate({"q": {"a": 1}}, tmp_path / "absent")
    with pytest.raises(rm.InputError, match="the folder has no files; check the path"):
        rm.evaluate({"q": {"a": 1}}, tmp_path)


FILLER = b"".join(b"q 0 x%d 1 1 t\n" % i for i in range(40_000))
DUPLICATES = {
    "on neighbouring lines": (b"q 0 a 1 2 t\nq 0 a 2 1 t\n", "q", "a", 1, 2),
    "with blanks and comments between": (b"# c\nq 0 a 1 2 t\r\n\nq 0 a 2 2 t", "q", "a", 2, 4),
    "of a document nobody judged": (b"q 0 z 1 2 t\nq 0 b 2 1 t\nq 0 z 3 0 t\n", "q", "z", 1, 3),
    "of a query nobody judged": (b"p 0 z 1 2 t\np 0 z 3 0 t\nq 0 a 1 1 t\n", "p", "z", 1, 2),
    "in a query that came back": (b"q 0 a 1 2 t\np 0 a 1 1 t\nq 0 a 2 1 t\n", "q", "a", 1, 3),
    "in an unjudged query that came back": (
        b"p 0 a 1 2 t\nq 0 a 1 1 t\np 0 a 2 1 t\n",
        "p",
        "a",
        1,
        3,
    ),
    "across blocks": (b"q 0 twin 1 1 t\n" + FILLER + b"q 0 twin 1 1 t\n", "q", "twin", 1, 40_002),
    "across blocks, after other queries": (
        b"r 0 a 1 1 t\nq 0 twin 1 1 t\n" + FILLER + b"q 0 twin 1 1 t\nr2 0 a 1 1 t\n",
        "q",
        "twin",
        2,
        40_003,
    ),
    "across blocks, in a query that came back": (
        b"q 0 twin 1 1 t\n" + FILLER + b"r 0 a 1 1 t\nq 0 twin 1 1 t\n",
        "q",
        "twin",
        1,
        40_003,
    ),
}


@pytest.mark.parametrize("case", DUPLICATES)
def test_a_document_retrieved_twice_is_told_with_both_lines(tmp_path: Path, case: str) -> None:
    data, query, doc, first, second = DUPLICATES[case]
    path = tmp_path / "my.run"
    path.write_bytes(data)
    with pytest.raises(rm.DuplicateError) as caught:
        rm.evaluate({"q": {"a": 1}}, path)
    assert (caught.value.where, caught.value.line) == (str(path), second)
    said = str(caught.value)
    assert said.startswith(f"{path}:{second}: ")
    assert f"document {doc!r}" in said
    assert f"query {query!r}" in said
    assert f"line {first};" in said


def test_the_first_mistake_of_a_file_is_the_one_told(tmp_path: Path) -> None:
    path = tmp_path / "my.run"
    path.write_bytes(b"q 0 a 1 1 t\nq 0 b 1 x t\nq 0 c 1 y t\nq 0 a 1 1 t\n")
    with pytest.raises(rm.ParseError, match="'x'"):
        rm.evaluate({"q": {"a": 1}}, path)
    path.write_bytes(b"q 0 a 1 1 t\nq 0 a 1 1 t\nq 0 b 1 x t\n")
    with pytest.raises(rm.DuplicateError):
        rm.evaluate({"q": {"a": 1}}, path)


@pytest.mark.parametrize("source", [None, 5, b"q Q0 d 1 1 t", int, object()])
def test_what_is_no_source_is_refused(source: object) -> None:
    with pytest.raises(rm.SchemaError, match="need a path, an open file"):
        rm.Run(source)  # type: ignore[arg-type]


def test_old_mac_line_ends_are_refused_rather_than_taken_for_one_line() -> None:
    run = io.BytesIO(b"q1 Q0 a 1 1 t\rq1 Q0 a 1 2 t\r")
    with pytest.raises(
        rm.ParseError, match=r"1: found a carriage return .* a binary file\?\); give text"
    ):
        rm.evaluate({"q1": {"a": 1}}, run)


def test_a_nul_in_a_comment_is_found() -> None:
    run = io.BytesIO(b"q1 Q0 a 1 1 t\n#c\0omment\n")
    with pytest.raises(rm.ParseError, match="2: found a NUL byte"):
        rm.evaluate({"q1": {"a": 1}}, run)
