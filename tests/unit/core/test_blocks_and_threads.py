"""However a file is cut into blocks, and on however many threads, the outcome is the same."""

import contextlib
import random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankmark import DuplicateError, InputError, ParseError, Qrels
from rankmark.data.contract.reading_options import ONE_THREAD
from unit.readings import CUTS, file_of, read_qrels, read_run

BLOCKS = (1, 2, 3, 7, 16, 64, 4096)
THREADS = (1, 2, 3, 8)


def lines_of_a_run(*, interleaved: bool) -> list[str]:
    """Write a run of a few queries, tied scores and unjudged queries among them."""
    chance = random.Random(7)
    lines = [
        f"{query} Q0 {query}-{doc} {doc} {chance.randint(0, 6) / 4} tag"
        for query in ["q1", "q2", "unjudged", "q3", "文", "also-unjudged"]
        for doc in chance.sample(range(30), 17)
    ]
    if interleaved:
        chance.shuffle(lines)
    return lines


def dressed(lines: list[str], dress: str) -> bytes:
    """Write lines in a dress of the name."""
    if dress == "CRLF":
        return "".join(f"{line}\r\n" for line in lines).encode()
    if dress == "no last newline":
        return "\n".join(lines).encode()
    if dress == "comments":
        return "".join(f"# {i}\n{line}\n\n" for i, line in enumerate(lines)).encode()
    if dress == "byte-order mark":
        return b"\xef\xbb\xbf" + dressed(lines, "plain")
    return "".join(f"{line}\n" for line in lines).encode()


DRESSES = ("plain", "CRLF", "no last newline", "comments", "byte-order mark")
JUDGED = {
    query: {f"{query}-{doc}": doc % 4 - 1 for doc in range(0, 30, 2)}
    for query in ["q1", "q2", "q3", "文", "missing"]
}


@pytest.mark.slow
@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("interleaved", [False, True])
def test_a_run_reads_the_same_for_any_blocks_and_threads(dress: str, interleaved: bool) -> None:
    data, qrels = dressed(lines_of_a_run(interleaved=interleaved), dress), Qrels(JUDGED)
    rules = "docid", "input"
    whole = [read_run(data, qrels, block=1 << 20, threads=1, ties=ties) for ties in rules]
    for row, block in enumerate(BLOCKS):
        for column, threads in enumerate(THREADS):
            rule = (row + column // 2) % 2  # so that each meets every size and number of threads
            found = read_run(data, qrels, block=block, threads=threads, ties=rules[rule])
            assert found == whole[rule]


def test_an_interleaved_run_gives_what_the_grouped_one_gives() -> None:
    lines, qrels = lines_of_a_run(interleaved=True), Qrels(JUDGED)
    grouped = sorted(lines, key=lambda line: line.split()[0])
    for block, threads in CUTS:
        back = read_run(dressed(lines, "plain"), qrels, block=block, threads=threads)
        good = read_run(dressed(grouped, "plain"), qrels, block=block, threads=threads)
        assert back[0] == good[0]
        assert (back[1], back[3], back[4]) == (good[1], good[3], good[4])
        assert (back[5], good[5]) == (6, 0)


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("interleaved", [False, True])
def test_qrels_read_the_same_for_any_blocks_and_threads(dress: str, interleaved: bool) -> None:
    lines = [f"{query} 0 {doc} {label}" for query in JUDGED for doc, label in JUDGED[query].items()]
    if interleaved:
        random.Random(8).shuffle(lines)
    data = dressed(lines, dress)
    whole = read_qrels(data, block=1 << 20, threads=1)
    for block in BLOCKS:
        for threads in THREADS:
            assert read_qrels(data, block=block, threads=threads) == whole


MISTAKES = ("q1 Q0 d", "q1 Q0 d 1 nan t", "q1 Q0 d 1 x t", "q1 Q0 \0 1 1 t", "TWICE", "TWO WRONG")


@pytest.mark.slow
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_same_mistake_is_told_for_any_blocks_and_threads(
    mistake: str, interleaved: bool
) -> None:
    lines, qrels = lines_of_a_run(interleaved=interleaved), Qrels(JUDGED)
    if mistake == "TWICE":
        lines.insert(75, lines[20])
    elif mistake == "TWO WRONG":
        lines[40], lines[80] = "q1 Q0 d", "q2 Q0 d 1 nan t"
    else:
        lines.insert(60, mistake)
    for turn, dress in enumerate(("CRLF", "no last newline")):
        data = dressed(lines, dress)
        whole = read_run(data, qrels, block=1 << 20, threads=1)
        assert whole[0] in (ParseError, DuplicateError)
        assert f"<file object>:{whole[1]}: " in whole[2]
        for row, block in enumerate(BLOCKS):
            for threads in THREADS[(row + turn) % 2 :: 2]:  # one dress or the other meets each
                assert read_run(data, qrels, block=block, threads=threads) == whole


def test_a_fault_behind_another_query_in_the_same_block_comes_second() -> None:
    data = b"q1 0 a 1 1 t\nq1 0 a 1 1 t\nq2 0 a 1 1 t\nq2 0 b 1 nan t\n"
    for block, threads in CUTS:
        outcome = read_run(data, Qrels(JUDGED), block=block, threads=threads)
        assert outcome[:2] == (DuplicateError, 2)


@pytest.mark.slow
def test_a_line_of_many_mebibytes_reads_the_same_or_is_refused_alike() -> None:
    for size in (1 << 20, (1 << 24) - 100, (1 << 24) + 100, (1 << 24) + 300_000, 1 << 25):
        data = b"q1 0 a 1\nq1 0 " + b"x" * size + b" 1\nq2 0 b 1\n"
        outcomes = {
            str(read_qrels(data, block=block, threads=threads))[:200]
            for block, threads in ((1 << 12, 1), (1 << 19, 1), (1 << 19, 2), (1 << 26, 1))
        }
        assert len(outcomes) == 1, size


@pytest.mark.slow
def test_an_id_comes_back_whole_or_not_at_all() -> None:
    for size in ((1 << 24) - 1000, (1 << 24) + 300_000):
        data = b"q1 0 " + b"x" * size + b" 1\n"
        with contextlib.suppress(ParseError):
            read, *_ = file_of(data, "qrels").read_qrels(ONE_THREAD)
            assert [len(doc_id) for doc_id in read.document_ids()] == [size]


tokens = st.sampled_from(
    [
        *[b"q", b"p", b"a", b"b", b"1", b"-2", b"0.5", b"nan", b"inf", b"1e400"],
        *[b" ", b"  ", b"\t", b"\n", b"\r\n", b"\r", b"#", b"\0", b"\xff", b"\xef\xbb\xbf"],
        *[b"q 0 a 1 1 t\n", b"q 0 b 1\n"],
    ]
)
soups = st.one_of(st.binary(max_size=300), st.lists(tokens, max_size=80).map(b"".join))


@given(data=soups)
@example(data=b"\xef\xbb\xbf")
@example(data=b"\xef\xbb")
@example(data=b"\r")
@example(data=b"\x1f\x8b")
@example(data=b"\x28\xb5\x2f\xfd")
@example(data=b"#\r\n" * 30)
def test_any_bytes_give_a_result_or_an_input_error(data: bytes) -> None:
    qrels = Qrels({"q": {"a": 1, "b": 2}})
    first = [read_qrels(data, block=1, threads=1), read_run(data, qrels, block=1, threads=1)]
    for block, threads in CUTS[1:]:
        assert read_qrels(data, block=block, threads=threads) == first[0]
        assert read_run(data, qrels, block=block, threads=threads) == first[1]


mutations = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from(["delete", "insert", "replace", "repeat"]),
        st.sampled_from([b" ", b"\t", b"\n", b"\r", b"\0", b"#", b"-", b".", b"e", b"9", b"\xc3"]),
    ),
    max_size=6,
)


@given(mutations=mutations, interleaved=st.booleans())
@example(mutations=[(0.0, "insert", b"\r"), (1.0, "insert", b"\0")], interleaved=False)
def test_a_file_a_little_damaged_gives_a_result_or_an_input_error(
    mutations: list[tuple[float, str, bytes]], interleaved: bool
) -> None:
    data, qrels = dressed(lines_of_a_run(interleaved=interleaved), "plain"), Qrels(JUDGED)
    for place, what, byte in mutations:
        at = int(place * (len(data) - 1))
        if what == "repeat":
            data = data[:at] + data[max(0, at - 40) :]
        else:
            data = data[:at] + (b"" if what == "delete" else byte) + data[at + (what != "insert") :]
    first = read_run(data, qrels, block=1 << 19, threads=1)
    for block, threads in CUTS[:-1]:
        assert read_run(data, qrels, block=block, threads=threads) == first


def test_a_block_of_no_bytes_is_refused() -> None:
    with pytest.raises(ValueError, match="block_size"):
        read_qrels(b"q 0 a 1\n", block=0, threads=1)


@pytest.mark.slow
def test_a_file_that_shrinks_while_it_is_read_is_told(tmp_path: Any) -> None:
    path = tmp_path / "shrinks"
    path.write_bytes(b"".join(b"q 0 %d 1\n" % i for i in range(2_000_000)))

    def shrink(_: int) -> None:
        path.write_bytes(b"q 0 a 1\n")

    with pytest.raises(InputError, match="cannot be read: it ended early"):
        Qrels(path, threads=1, progress=shrink)
