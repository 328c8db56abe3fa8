"""Runs and judgments of units are written as those of their documents, with the same scores."""

from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.commands import rankmark_here

QRELS = {"q": {"D1": 2, "D2": 1, "D3": 1}, "p": {"D4": 1, "D1": 0}}
CHUNKS = {
    "q": {
        "D1#3": 0.92,
        "D4#1": 0.90,
        "D1#1": 0.88,
        "D2#7": 0.60,
        "D1#9": 0.55,
        "D5#2": 0.50,
        "D3#1": 0.40,
    },
    "p": {"D2#1": 0.5, "D4#1": 0.5, "D1#1": 0.5, "D1#2": 0.1},
}
PARENTS = {chunk: chunk[:2] for chunks in CHUNKS.values() for chunk in chunks}
MEASURES = ["nDCG@5", "AP", "RR", "R@2", "NumRet"]


@pytest.mark.parametrize("ties", ["docid", "docid-asc", "input", "mean"])
@pytest.mark.parametrize("combine", ["best", "sum", "sum@2", "mean", "count"])
def test_what_is_written_has_the_scores_of_the_units(
    combine: str, ties: Any, tmp_path: Path
) -> None:
    rm.convert(CHUNKS, tmp_path / "run.trec", kind="run", unit="#", combine=combine)
    wanted = rm.evaluate(QRELS, CHUNKS, MEASURES, unit="#", combine=combine, ties=ties)
    found = rm.evaluate(QRELS, tmp_path / "run.trec", MEASURES, ties=ties)
    assert found.scores.tobytes() == wanted.scores.tobytes()


@pytest.mark.parametrize("more", [{"combine": "first"}, {"combine": "rrf"}, {"unit_depth": 2}])
def test_units_that_come_first_are_those_of_evaluate(more: Any, tmp_path: Path) -> None:
    rm.convert(CHUNKS, tmp_path / "run.csv", kind="run", unit="#", **more)
    wanted = rm.evaluate(QRELS, CHUNKS, MEASURES, unit="#", **more)
    found = rm.evaluate(QRELS, tmp_path / "run.csv", MEASURES)
    assert found.scores.tobytes() == wanted.scores.tobytes()


def test_prepared_runs_and_judgments_with_parents_are_written_as_documents(tmp_path: Path) -> None:
    run = rm.Run(CHUNKS, parents=PARENTS)
    rm.convert(run, tmp_path / "run.trec")
    wanted = rm.evaluate(QRELS, run, MEASURES)
    assert wanted["nDCG@5"] > 0
    found = rm.evaluate(QRELS, tmp_path / "run.trec", MEASURES)
    assert found.scores.tobytes() == wanted.scores.tobytes()
    judged = {"q": {"D1#1": 2, "D1#2": 0, "D2#1": 1}}
    rm.convert(rm.Qrels(judged, parents=lambda unit: unit[:2]), tmp_path / "qrels.trec")
    assert (tmp_path / "qrels.trec").read_text() == "q 0 D1 2\nq 0 D2 1\n"
    rm.convert(judged, tmp_path / "others.trec", kind="qrels", unit="#")
    assert (tmp_path / "others.trec").read_text() == "q 0 D1 2\nq 0 D2 1\n"


def test_lists_without_scores_keep_their_order(tmp_path: Path) -> None:
    chunks = {"q": ["D4#1", "D1#1", "D4#2", "D2#7"]}
    rm.convert(chunks, tmp_path / "run.trec", kind="run", unit="#")
    lines = [line.split() for line in (tmp_path / "run.trec").read_text().splitlines()]
    assert [(line[2], line[4]) for line in lines] == [("D4", "3"), ("D1", "2"), ("D2", "1")]


def test_the_command_takes_files_of_parents_and_columns_and_keeps_the_tag(tmp_path: Path) -> None:
    run, parents, written = tmp_path / "a.run", tmp_path / "parents.txt", tmp_path / "b.run"
    run.write_text("q Q0 c1 1 .9 mine\nq Q0 c2 2 .8 mine\nq Q0 c3 3 .7 mine\n")
    parents.write_text("c1 D1\nc2 D1\nc3 D2\n")
    said = rankmark_here("convert", run, written, "--parents", parents)
    assert (said.returncode, said.stdout, said.stderr) == (0, "", "")
    assert written.read_text() == "q Q0 D1 1 0.9 mine\nq Q0 D2 2 0.7 mine\n"
    table = tmp_path / "c.csv"
    table.write_text("query_id,chunk_id,doc_id,score\nq,c1,D1,0.9\nq,c2,D1,0.8\n")
    columns = ["--column", "doc_id=chunk_id", "--column", "parent=doc_id"]
    said = rankmark_here("convert", table, "-", "--as", "run", "--to", "msmarco", *columns)
    assert said.stdout == "q\tD1\t1\n"


@pytest.mark.parametrize(
    ("source", "kind", "more", "found"),
    [
        (CHUNKS, "run", {"combine": "sum"}, "combine is about units of documents"),
        (CHUNKS, "run", {"unit": "#", "parents": PARENTS}, "the run has parents, and unit"),
        (CHUNKS, "run", {"parents": {"D1#3": "D1"}}, "has no document in parents"),
        (QRELS, "qrels", {"unit": "#", "combine": "sum"}, "combine is about runs"),
        (QRELS, "qrels", {"unit": "#", "unit_depth": 3}, "unit_depth is about runs"),
    ],
)
def test_what_makes_no_sense_is_refused(
    source: Any, kind: Any, more: Any, found: str, tmp_path: Path
) -> None:
    with pytest.raises(rm.InputError, match=found):
        rm.convert(source, tmp_path / "out.csv", kind=kind, **more)
    assert not (tmp_path / "out.csv").exists()


def test_negative_scores_that_are_added_up_are_warned_of(tmp_path: Path) -> None:
    chunks = {"q": {"D1#1": -1.0, "D1#2": -2.0, "D2#1": -2.5}}
    with pytest.warns(rm.RankmarkWarning, match="3 of 3 units have scores below 0"):
        rm.convert(chunks, tmp_path / "out.csv", kind="run", unit="#", combine="sum")
