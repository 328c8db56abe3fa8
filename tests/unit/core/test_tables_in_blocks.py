"""Whatever bytes a table holds, and however they are cut, there is a result or an input error."""

import warnings
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankmark import Qrels, RankmarkWarning
from unit.readings import CUTS, read_qrels, read_run

JUDGED = {"q": {"a": 1, "b": 2}, "q 1": {"a": 1}, 'q"': {"a,b": 3}}
HEADERS = {
    "run": (
        b"query_id,doc_id,score\n",
        b"docid;qid;rank\r\n",
        b"qid\tdocid\n",
        b"qid,x,docid,sim\n",
    ),
    "qrels": (
        b"query_id,doc_id,label\n",
        b"docid;qid;rel\r\n",
        b"qid\tdocid\n",
        b"qid,x,docid,rel\n",
    ),
}

tokens = st.sampled_from(
    [
        *[b"q", b"q 1", b"a", b"b", b"1", b"-2", b"0.5", b"nan", b"inf", b"1,5", b" 3 "],
        *[b",", b";", b"\t", b"\n", b"\r\n", b"\r", b'"', b'""', b'","', b"#", b"\0", b"\xff"],
        *[b'"q ""1""",a,1\n', b"q,b,2\n", b"q;b;2\n", b"q\ta\n", b'"q""","a,b",1\n'],
    ]
)
soups = st.one_of(st.binary(max_size=200), st.lists(tokens, max_size=60).map(b"".join))
marks = st.sampled_from([b"", b"\xef\xbb\xbf", b"\n", b"\r\n\n"])


def outcomes(data: bytes, qrels: Qrels, *, block: int, threads: int) -> tuple[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankmarkWarning)
        return (
            read_qrels(data, block=block, threads=threads),
            read_run(data, qrels, block=block, threads=threads),
        )


def check_all_cuts(data: bytes) -> None:
    qrels = Qrels(JUDGED)
    first = outcomes(data, qrels, block=1, threads=1)
    for block, threads in CUTS[1:]:
        assert outcomes(data, qrels, block=block, threads=threads) == first


@pytest.mark.parametrize("kind", HEADERS)
@given(which=st.integers(0, 3), mark=marks, data=soups)
@example(which=0, mark=b"", data=b'q,"a\nq,"",1\n')
@example(which=0, mark=b"\n", data=b'"q ""1""","a",1\r\n\r\n"q""","a,b",2')
@example(which=3, mark=b"", data=b"q,,a,1\nq,\r\n,,,\n")
def test_any_bytes_under_a_header_give_a_result_or_an_input_error(
    kind: str, which: int, mark: bytes, data: bytes
) -> None:
    check_all_cuts(mark + HEADERS[kind][which] + data)


documents = st.recursive(
    st.sampled_from(["q", "a", "b", "", 1, 2.5, -1, None, True, float("inf"), float("nan")]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["q", "r", "a", "b", "query_id", "doc_id", "score", "rank", "docs"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)
cuts = st.tuples(st.floats(0, 1), st.sampled_from([b"", b"{", b"}", b'"', b",", b"\n", b"\xff"]))


@given(written=st.lists(documents, min_size=1, max_size=3), cut=st.none() | cuts)
def test_any_json_gives_a_result_or_an_input_error(written: list[Any], cut: Any) -> None:
    import json

    data = "\n".join(map(json.dumps, written)).encode()
    if cut is not None:
        at = int(cut[0] * len(data))
        data = data[:at] + cut[1] + data[at + 1 :]
    check_all_cuts(data)


@given(data=soups)
def test_any_three_columns_give_a_result_or_an_input_error(data: bytes) -> None:
    check_all_cuts(b"q\ta\t1\n" + data.replace(b",", b"\t"))
