"""Queries named in a file."""

import gzip
import io
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.commands import rankmark_here, told

QRELS = {"q1": {"a": 1}, "q 2": {"b": 1}, "#3": {"c": 1}, "é": {"d": 1}}
RUN = {"q1": {"a": 1.0}, "#3": {"c": 1.0}}


def chosen(source: Any) -> tuple[str, ...]:
    ev = rm.evaluate(QRELS, RUN, "RR", queries=source)
    assert ev.settings["queries"] == list(ev.conventions.queries)
    return ev.queries


@pytest.mark.parametrize(
    "data",
    [
        b"q1\nq 2\n\xc3\xa9\n",
        b"\xef\xbb\xbf q1 \r\nq 2\r\n\r\n\t\xc3\xa9",
        gzip.compress(b"\n\nq1\nq1\nq 2\n\xc3\xa9\n\n"),
    ],
    ids=["plain", "with blanks and a byte order mark", "packed"],
)
def test_a_file_names_a_query_a_line(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "ids"
    path.write_bytes(data)
    assert chosen(path) == ("q1", "q 2", "é")
    with path.open("rb") as file:
        assert chosen(file) == ("q1", "q 2", "é")


def test_a_query_id_may_begin_with_any_sign() -> None:
    assert chosen(io.StringIO("#3\n")) == ("#3",)


def test_ids_that_are_no_utf_8_are_met_by_files_that_have_them(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"\xff 0 a 1\nq 0 a 1\n")
    (tmp_path / "ids").write_bytes(b"\xff\n")
    run = io.BytesIO(b"\xff 0 a 1 1 t\n")
    ev = rm.evaluate(tmp_path / "qrels", run, "RR", queries=tmp_path / "ids")
    assert (len(ev.queries), ev["RR"]) == (1, 1.0)


def test_a_file_of_no_ids_or_of_unknown_ones_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ids"
    path.write_text("\n \n")
    with pytest.raises(rm.ParseError, match="holds no query ids; need one per line"):
        chosen(path)
    path.write_text("q1\nq1 0 a 1\n")
    with pytest.raises(rm.InputError, match="1 requested query has no judgments: 'q1 0 a 1'"):
        chosen(path)
    with pytest.raises(rm.InputError, match="there is no such file"):
        chosen(tmp_path / "other")


def test_text_is_no_path_of_a_file_of_queries() -> None:
    with pytest.raises(rm.InputError, match=r"queries is 'ids.txt'; need .*pathlib\.Path"):
        chosen("ids.txt")


def test_the_command_line_takes_a_file_behind_an_at_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    Path("a.run").write_text("q1 0 a 1 1 t\n")
    Path("ids").write_text("q1\n")
    command = ("evaluate", "qrels", "a.run", "a.run", "-m", "RR", "--queries")
    for name, stdin in (("@ids", ""), ("@-", "q1\n")):
        done = rankmark_here(*command, name, input=stdin)
        assert [line.split() for line in done.stdout.splitlines()[1:3]] == [["a", "1.0000"]] * 2
        assert "queries=1 listed" in done.stdout
    assert told(rankmark_here(*command, "@none")) == "none: there is no such file; check the path"
    twice = rankmark_here("evaluate", "-", "a.run", "--queries", "@-", input="q1\n")
    assert told(twice) == "stdin is given for several files; give the paths of all but one"
