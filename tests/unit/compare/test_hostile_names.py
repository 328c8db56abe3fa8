"""Names of runs, slices and clusters that are not words: in every format of a comparison."""

import json
import random
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt  # which rich brings

import rankmark as rm
from unit.commands import rankmark_here

NAMES = [
    "a|b",
    "<script>alert(1)</script>",
    "new\nline",
    "\u202ebidi\u202c",
    "`tick` *star* [link](x) a_b",
    "&lt;",
    "\x1b[31mred",
    "",
    "100%_$#{}~^\\",
    "é😀",
    "\ud800",
]
QUERIES = [f"q{number}" for number in range(12)]
KINDS = {query: NAMES[at % len(NAMES)] for at, query in enumerate(QUERIES)}


def compared(names: list[str], *, by: bool = True) -> rm.Comparison:
    draw = random.Random(1)
    qrels = {query: {"a": 1, "b": 2} for query in QUERIES}
    runs = {
        name: {query: {doc: draw.random() for doc in "abc"} for query in QUERIES} for name in names
    }
    return rm.compare(qrels, runs, "nDCG", by=KINDS if by else None)


class Tags(HTMLParser):
    found: set[str]

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.found.add(tag)


@pytest.mark.slow
@pytest.mark.parametrize("names", [NAMES, NAMES[:2], NAMES[2:4], NAMES[6:1:-4]])
def test_names_are_shown_as_they_are_on_one_line(names: list[str]) -> None:
    result = compared(names)
    plain = compared([f"r{at}" for at in range(len(names))])
    html = result._repr_html_()
    for text, other in (
        (result.to_text(), plain.to_text()),
        (result.to_markdown(), plain.to_markdown()),
        (result.to_latex(), plain.to_latex()),
        (html, plain._repr_html_()),
    ):
        assert all(line.isprintable() for line in text.split("\n"))
        assert text.encode("utf-8")
        assert text.count("\n") == other.count("\n")
    tags = Tags()
    tags.found = set()
    tags.feed(html)
    assert not tags.found & {"script", "a", "img"}
    assert [row["run"] for row in json.loads(result.to_json())["leaderboard"]]
    for table in (result, result.leaderboard, result.differences, result.slices):
        assert len(table.to_pandas()) == table.to_arrow().num_rows == len(table.to_polars())


def test_markdown_keeps_the_number_of_cells_and_escapes_what_has_a_meaning() -> None:
    shown = compared(NAMES, by=False).to_markdown()
    rows = [line for line in shown.split("\n") if line.startswith("|")]
    cells = {line.replace("\\|", "").count("|") for line in rows}
    assert len(cells) == 1
    assert r"\`tick\` \*star\* \[link\](x) a_b" in shown
    assert "&amp;lt;" in shown
    assert "<script" not in shown
    assert r"new\\nline" in shown


def test_a_legend_in_markdown_is_no_list() -> None:
    lines = compared(["old", "new"], by=False).to_markdown().split("\n")
    assert any(line.startswith(r"\* significantly better than old") for line in lines)


@pytest.mark.parametrize("name", ["1. first", "- item", "+ item", "> quoted", "    code", "2) x"])
def test_a_slice_in_markdown_is_no_list_quotation_or_code(name: str) -> None:
    qrels, run = {"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}, "r": {"b": 1.0}}
    compared = rm.compare(qrels, {"x": run, "y": qrels}, "RR", by={"q": name, "r": name})
    html = MarkdownIt("commonmark").enable("table").render(compared.to_markdown())
    assert not any(tag in html for tag in ("<ol", "<ul", "<blockquote", "<pre"))
    assert f"<p>{escape(name.strip())}, 2 queries:</p>" in html


def test_means_do_not_depend_on_what_else_is_compared() -> None:
    draw = random.Random(2)
    names = ["a", "b", "c"]
    scores = {
        run: {
            q: {m: draw.random() for m in ("x", "y", "z") if draw.random() > 0.1} for q in QUERIES
        }
        for run in names
    }
    weights = {query: 1 + draw.random() for query in QUERIES}
    for options in ({}, {"weights": weights}):
        whole = rm.compare_scores(scores, **options)  # type: ignore[arg-type]
        for run in names:
            for measure in ("x", "y", "z"):
                alone = rm.compare_scores({run: scores[run]}, measure, **options)  # type: ignore[arg-type]
                assert alone[run][measure] == whole[run][measure]


def test_control_characters_and_marks_of_direction_never_reach_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    marks = "\x1b[31m\u202e\x9b2J\u2066"
    qrels, run = f"q{marks}rels", f"r{marks}un"
    Path(qrels).write_text("q 0 a 1\n")
    Path(run).write_text("q Q0 a 1 1 t\nq Q0 b 2 0.5 t\n")
    Path("bad").write_text(f"q Q0 {marks} 1 x t\n")
    for words in (
        ("evaluate", qrels, run),
        ("evaluate", qrels, run, run, "--name", f"{run}={marks}", "--verbose"),
        ("evaluate", qrels, run, "--name", f"x{marks}"),
        ("evaluate", qrels, f"nope{marks}"),
        ("evaluate", qrels, "bad"),
        ("evaluate", qrels, run, "--queries", f"q{marks}"),
        ("evaluate", qrels, run, f"--{marks}"),
        (f"eval{marks}",),
        ("check", qrels, run),
        ("explain", qrels, run, "--query", marks),
    ):
        done = rankmark_here(*words)
        for text in (done.stdout, done.stderr):
            assert all(c.isprintable() or c == "\n" for c in text), words
