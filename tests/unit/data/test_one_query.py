"""One query's documents by id: what is read, what is refused, and in which words."""

import gzip
import io
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import rankmark as rm
from rankmark.conventions import Conventions
from rankmark.data.alignment import Needs
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.ranked_queries import judged_documents, ranked_documents, run_for_query
from unit.readings import file_of

RUN = b"q1 Q0 a 1 3 t\nq2 Q0 x 1 1 t\nq1 Q0 b 2 3 t\nq2 Q0 y 2 9 t\nq1 Q0 c 3 5 t\n"


def ranking(source: Any, query: str = "q1", judged: Any = (), **conventions: Any) -> list[str]:
    """Rank one query's documents, best first; nothing where the run holds none."""
    alone = run_for_query(source if isinstance(source, rm.Run) else rm.Run(source), query)
    if alone is None:
        return []
    return list(ranked_documents(alone, query, Conventions(**conventions), judged).doc_ids)


@pytest.mark.parametrize(
    ("conventions", "wanted"),
    [
        ({}, "cba"),
        ({"ties": "docid-asc"}, "cab"),
        ({"ties": "input"}, "cab"),
        ({"ties": "mean"}, "cba"),
        ({"ties": "rank"}, "abc"),
        ({"depth": 2}, "cb"),
        ({"judged_only": True, "judged": {"a", "c", "z"}}, "ca"),
        ({"judged_only": True, "judged": {"a", "c"}, "depth": 2}, "c"),
        ({"judged_only": True, "judged": {"z"}}, ""),
    ],
)
def test_documents_are_ranked_under_each_convention(
    conventions: dict[str, Any], wanted: str
) -> None:
    assert ranking(io.BytesIO(RUN), **conventions) == list(wanted)


def test_ties_say_which_ranks_share_a_score() -> None:
    alone = run_for_query(rm.Run({"q": {"a": 1, "b": 1, "c": 0}}), "q")
    assert alone is not None
    ranked = ranked_documents(alone, "q", Conventions(), ())
    assert ranked.doc_ids == ("b", "a", "c")
    assert (ranked.tie_first.tolist(), ranked.tie_last.tolist()) == ([1, 1, 3], [2, 2, 3])
    assert ranked.tie_first.dtype == ranked.tie_last.dtype == np.int64


@pytest.mark.parametrize(
    "data",
    [
        RUN.removesuffix(b"\n"),
        RUN.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + RUN,
        b"# q1 Q0 z 1 9 t\n\n" + RUN,
        RUN.replace(b" ", b"\t"),
        RUN.replace(b" ", b"  "),
        RUN.replace(b" t\n", b" t more\n"),
        gzip.compress(RUN, mtime=0),
        b"qid,docid,score\nq1,a,3\nq2,x,1\nq1,b,3\nq2,y,9\nq1,c,5",
        b'docid;qid;score\r\n"a";"q1";3\r\nx;q2;1\r\nb;"q1";3\r\nc;q1;"5"\r\n',
    ],
)
@pytest.mark.parametrize("block", [1, 7, 1 << 19])
def test_files_are_read_whatever_they_are_dressed_in(data: bytes, block: int) -> None:
    assert ranking(rm.Run.of(file_of(data, "run", block=block))) == ["c", "b", "a"]


def test_ids_that_hold_quotes_are_found() -> None:
    data = b'qid,docid,score\n"a ""b""",d,1\n"a ""b"" c",e,2\n'
    assert ranking(io.BytesIO(data), 'a "b"') == ["d"]


def test_ids_need_not_be_unicode() -> None:
    run = rm.Run(io.BytesIO(b"q\xff Q0 d\xfe 1 2 t\nq\xff Q0 d\xfd 2 2 t\nq Q0 d 1 1 t\n"))
    assert ranking(run, "q\udcff") == ["d\udcfe", "d\udcfd"]
    assert ranking(run, "q\udcff", ties="docid-asc") == ["d\udcfd", "d\udcfe"]
    self_match = rm.Run(io.BytesIO(b"q\xff Q0 q\xff 1 2 t\nq\xff Q0 d\xfd 2 1 t\n"))
    assert ranking(self_match, "q\udcff", drop_self=True) == ["d\udcfd"]


def test_a_pipe_is_kept_and_read_again(tmp_path: Path) -> None:
    import os

    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(RUN,))
    writer.start()
    run = rm.Run(path)
    assert ranking(run) == ["c", "b", "a"]
    writer.join()
    assert ranking(run, "q2") == ["y", "x"]


@pytest.mark.parametrize(
    "source",
    [
        io.BytesIO(RUN),
        io.BytesIO(b'{"q1": {"a": 1}, "q4": {}}'),
        {"q1": {"a": 1.0}, "q4": {}},
        [("q1", "a", 1.0)],
        pd.DataFrame({"qid": ["q1"], "docid": ["a"], "score": [1.0]}),
        np.array([[1.0]]),
        scipy.sparse.csr_matrix(([1.0], ([0], [0])), shape=(2, 2)),
        [["a"], ["b"]],
    ],
)
def test_a_run_without_the_query_has_nothing(source: Any) -> None:
    run = rm.Run(source)
    assert run_for_query(run, "q3") is None
    assert run_for_query(run, "q4") is None


def test_whole_numbers_and_text_are_one_query() -> None:
    assert ranking({1: {"a": 1.0, 10: 2.0}, 2: {"b": 1.0}}, "1") == ["10", "a"]
    twice = {1: {"a": 1.0}, "1": {"b": 1.0}}
    with pytest.raises(rm.DuplicateError, match="query '1' appears twice"):
        ranking(twice, "1")


def test_queries_that_have_no_id_are_known_by_their_number() -> None:
    alone = run_for_query(rm.Run(["b", "a"]), "0")
    assert alone is not None
    assert ranked_documents(alone, "0", Conventions(), ()).doc_ids == ("b", "a")
    alignment, _ = match(rm.Qrels({"a"}), alone, Conventions(), needs=Needs())
    assert alignment.rank.tolist() == [2]


def test_lines_of_other_queries_are_passed_over() -> None:
    data = RUN + b"q2 broken\nq2 Q0 x 1 high t\nq2 Q0 x 1 1 t\n"
    assert ranking(io.BytesIO(data)) == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"q1 Q0 d 1 high t\n", r"^run: line 6: 'score' .*NaN"),
        (b"q1 Q0 d\n", r"^run:6: found 3 columns"),
        (b"q1 Q0 d 1 nan t\n", r"^run: line 6: 'score' .*NaN"),
        (b"q1 Q0 b 9 1 t\n", r"^run: line 6: document 'b' appears twice .*, first in line 3; keep"),
    ],
)
def test_faults_of_the_query_are_told_with_their_lines(
    line: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run").write_bytes(RUN + line)
    with pytest.raises(rm.InputError, match=message):
        ranking("run")


@pytest.mark.parametrize("score", [b"nan", b"high"])
def test_a_score_that_is_none_is_no_fault_where_ranks_are_trusted(score: bytes) -> None:
    data = RUN + b"q1 Q0 d 0 " + score + b" t\n"
    assert ranking(io.BytesIO(data), ties="rank") == ["d", "a", "b", "c"]


@pytest.mark.parametrize("of", [list, lambda rows: io.BytesIO(json.dumps(rows).encode())])
def test_ranks_that_are_none_are_refused_only_where_they_are_trusted(of: Any) -> None:
    rows = [{"qid": "q1", "docid": d, "score": 1.0, "rank": float("nan")} for d in "ab"]
    assert ranking(of(rows)) == ["b", "a"]
    with pytest.raises(rm.SchemaError, match=r"'rank' .*NaN"):
        ranking(of(rows), ties="rank")


def test_a_column_that_holds_no_numbers_is_refused_only_where_it_is_looked_at() -> None:
    frame = pl.DataFrame({"qid": ["q1", "q1"], "docid": ["a", "b"], "score": [1.0, 2.0]})
    ranks = pl.DataFrame({"rank": [1, None]})
    both = pl.concat([frame, ranks], how="horizontal")
    assert ranking(both) == ["b", "a"]
    with pytest.raises(rm.SchemaError, match=r"'rank' .*NaN"):
        ranking(both, ties="rank")


def test_a_score_that_is_none_is_refused_in_its_line_without_ranks() -> None:
    data = b"qid,docid,score\nq1,a,1\nq2,b,2\nq1,c,high\n"
    with pytest.raises(rm.ParseError, match=r":4: score 'high' is not a number"):
        ranking(io.BytesIO(data))


def test_rows_of_a_table_are_told_by_their_numbers_there() -> None:
    rows = [("q", "x", 1.5), ("q1", "a", 1.5), ("q", "y", 2.5), ("q1", "a", 0.5)]
    with pytest.raises(rm.DuplicateError, match=r"row 3 .*, first in row 1 "):
        ranking(rows)
    assert ranking(rows, duplicates="first") == ["a"]


@pytest.mark.parametrize(
    "source",
    [
        {"q1": {"a": 1.0}},
        [("q1", "a", 1.0)],
        io.BytesIO(b"qid,docid,score\nq1,a,1\n"),
        io.BytesIO(b'[{"qid": "q1", "docid": "a", "score": 1}]'),
    ],
)
def test_without_ranks_none_are_trusted(source: Any) -> None:
    with pytest.raises(rm.InputError, match='ties="rank" needs'):
        ranking(source, ties="rank")


@pytest.mark.parametrize("array", [np.array([[1.0, 2.0]]), scipy.sparse.eye(2, format="csr")])
def test_places_are_no_ids_that_could_be_the_querys(array: Any) -> None:
    with pytest.raises(rm.InputError, match="drop_self"):
        ranking(array, "0", drop_self=True)


def test_groups_with_ids_hold_places_all_the_same() -> None:
    run = rm.Run(np.array([1.0, 2.0, 3.0]), groups=np.array(["u", "v", "u"]))
    assert ranking(run, "u") == ["1", "0"]
    with pytest.raises(rm.InputError, match="drop_self"):
        ranking(run, "u", drop_self=True)


def test_a_flat_array_takes_the_groups_of_its_judgments() -> None:
    run = rm.Run(np.array([0.1, 0.2, 0.3]))
    with pytest.raises(
        rm.InputError,
        match="<array>: the scores of '0' cannot be found in an array of one dimension; give",
    ):
        run_for_query(run, "0")
    qrels = rm.Qrels(np.array([1, 0, 1]), groups=[2, 1])
    source: Any = run.source
    assert ranking(rm.Run.of(source.with_groups_of(qrels)), "0") == ["1", "0"]


def test_scores_and_mere_order_in_one_file() -> None:
    data = json.dumps({"q1": ["b", "a", "c"], "q2": {"x": 1.0}}).encode()
    assert ranking(io.BytesIO(data)) == ["b", "a", "c"]


def test_judged_documents_have_their_labels() -> None:
    judged = judged_documents(rm.Qrels({"q": {"b": 1, "a": 2}, "r": {"a": 0.5}}), "r")
    assert (judged.doc_ids, judged.label.tolist()) == (("a",), [0.5])
    assert judged.number is None
    assert judged.subtopics is None
    judged = judged_documents(rm.Qrels(np.array([[0, 1], [2, 3]])), "1")
    assert dict(zip(judged.doc_ids, judged.label.tolist(), strict=True)) == {"0": 2.0, "1": 3.0}


@pytest.mark.parametrize(
    "source",
    [
        io.BytesIO(b"q 1 z 1\nr car a 2\nr cat a 1\nr cat b 0\n"),
        {"q": {"1": {"z": 1}}, "r": {"car": {"a": 2}, "cat": {"a": 1, "b": 0}}},
    ],
)
def test_judged_documents_have_their_subtopics_by_name(source: Any) -> None:
    qrels = rm.Qrels(source, subtopics=True)
    judged = judged_documents(qrels, "r")
    assert qrels.subtopics is not None
    assert judged.number is not None
    assert judged.subtopics is not None
    labels = dict(zip(judged.doc_ids, judged.label.tolist(), strict=True))
    assert labels == {"a": 2.0, "b": 0.0}
    by_name = dict(zip(judged.doc_ids, judged.subtopics, strict=True))
    assert by_name == {"a": {"car": 2.0, "cat": 1.0}, "b": {"cat": 0.0}}
    assert qrels.subtopics.highest[judged.number].tolist() == judged.label.tolist()


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("prefs", b"q 1 1 a 1\nq 1 1 b 0\nr 1 1 c 2\nr 1 1 d 1\nr 2 1 d 3\n"),
        ("qrels_jg", b"q 1 a 1\nq 1 b 0\nr 1 c 2\nr 1 d 1\nr 2 d 3\n"),
    ],
)
def test_judged_documents_of_several_judges_have_the_highest_label(form: str, data: bytes) -> None:
    judged = judged_documents(rm.Qrels(io.BytesIO(data), format=form), "r")
    assert dict(zip(judged.doc_ids, judged.label.tolist(), strict=True)) == {"c": 2.0, "d": 3.0}
    assert judged.number is not None
    assert sorted(judged.number.tolist()) == [2, 3]
    assert judged.subtopics is None


def test_a_query_that_nobody_judged_is_refused_with_its_neighbours() -> None:
    qrels = rm.Qrels({f"topic-{number}": {"a": 1} for number in range(1200)})
    with pytest.raises(
        rm.InputError, match=r"'topics-12' is not judged.*'topic-12'.*1,200 queries"
    ):
        judged_documents(qrels, "topics-12")
    with pytest.raises(rm.InputError, match=r"'zzz' is not judged; it has 'topic-0'"):
        judged_documents(qrels, "zzz")
