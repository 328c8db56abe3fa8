"""Pages of results with plots: judges, leaderboards, estimates, and what RAG needs."""

import base64
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from unit.commands import rankmark_here
from unit.report.test_report_page import Tags

pytestmark = pytest.mark.slow
pytest.importorskip("matplotlib")

QUERIES = [f"q{at:02d}" for at in range(24)]
PEOPLE = {q: {f"d{d}": (at + d) % 3 for d in range(6)} for at, q in enumerate(QUERIES)}
MODEL = {q: {d: min(x + (d == "d1"), 2) for d, x in of.items()} for q, of in PEOPLE.items()}
RUNS = {
    "a<b>": {q: {d: x + 0.1 * int(d[1]) for d, x in of.items()} for q, of in PEOPLE.items()},
    "c": {q: {d: -float(d[1]) for d in of} for q, of in PEOPLE.items()},
}


def results() -> dict[str, tuple[Any, int, str]]:
    """Return results, how many plots each has, and a word of a table."""
    few = {q: PEOPLE[q] for q in QUERIES if q != "q05"}
    table = {"model": ["m<1>", "m2", "m3"], **{f"t{t}": [3 + t, 2, t**2 / 20] for t in range(5)}}
    no_answer = {q: dict.fromkeys(of, 0) if q < "q08" else of for q, of in PEOPLE.items()}
    calls = [
        {"query_id": q, "call": n, "doc_id": f"d{n}", "tokens": 10 * n}
        for q in QUERIES
        for n in (1, 2)
    ]
    nuggets = {"<q>": [("n1", "vital", "support")], "q2": [("n1", "vital", "no")]}
    spans = {"q1": [("d1", 0, 10)], "q2": [("d1", 5, 9)]}
    return {
        "abstention": (
            rm.abstention(no_answer, rm.Run(RUNS["a<b>"]), "RR", resamples=20),
            2,
            "false positives",
        ),
        "calls": (rm.evaluate_calls(PEOPLE, calls, "RR"), 1, "tokens per relevant document"),
        "nuggets": (rm.nuggets(nuggets), 1, "strict_vital"),
        "citations": (rm.citations([("q", "s", "p", "full")]), 1, "precision"),
        "spans": (rm.evaluate_spans(spans, {"q1": [("d1", 0, 20)]}), 1, "SpanRecall"),
        "neighbours": (rm.ann_recall([[1, 2], [3, 4]], [[1, 2], [3, 5]], 2), 1, "recall@2"),
        "nothing": (rm.ann_recall([[-1, -1]], [[3, 5]], 2), 0, "1 without true neighbours"),
        "judges": (rm.compare_judgments(PEOPLE, MODEL), 2, "kappa, linear weights"),
        "systems": (rm.compare_judgments(PEOPLE, MODEL, runs=RUNS), 3, "adjusted p"),
        "leaderboard": (rm.leaderboard(table), 1, "m&lt;1&gt;"),
        "estimate": (rm.estimate(few, MODEL, RUNS, ["nDCG@5", "RR"], random=True), 2, "worth"),
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, int, str]]:
    folder = tmp_path_factory.mktemp("pages")
    written = {}
    for name, (result, plots, word) in results().items():
        report = rm.write_report(result, folder / name)
        text = Path(report).read_text(encoding="utf-8")
        assert report.size == len(text.encode())
        assert repr(report).endswith(" kB)")
        written[name] = text, plots, word
    return written


NAMES = ["judges", "systems", "leaderboard", "estimate", "abstention", "calls", "nuggets"]


@pytest.mark.parametrize("name", [*NAMES, "citations", "spans", "neighbours", "nothing"])
def test_a_page_has_the_plots_and_tables_of_its_result(pages: Any, name: str) -> None:
    page, plots, word = pages[name]
    drawn = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert len(drawn) == plots
    assert all(b"</svg>" in base64.b64decode(each) for each in drawn)
    assert word in page
    assert "<table" in page
    assert page.count("<img alt=") == page.count("<figcaption>") == plots
    assert "a<b>" not in page
    assert Tags(page).tags.count("h1") == 1
    assert "script" not in Tags(page).tags


def test_a_page_is_the_same_each_time_and_has_the_title_asked_for(tmp_path: Path) -> None:
    found = rm.compare_judgments(PEOPLE, MODEL)
    one, two = (
        Path(rm.write_report(found, tmp_path / name, title="A & B")).read_bytes() for name in "ab"
    )
    assert one == two
    assert b"<h1>A &amp; B</h1>" in one


def test_texts_of_documents_are_for_reports_of_runs(tmp_path: Path) -> None:
    found = rm.compare_judgments(PEOPLE, MODEL)
    with pytest.raises(rm.errors.InputError, match="leave out queries_text and docs_text"):
        rm.write_report(found, tmp_path / "a.html", docs_text={"d1": "text"})
    assert [*tmp_path.iterdir()] == []


def test_commands_write_the_pages_of_their_results(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 0\n")
    (tmp_path / "a.run").write_text("q1 Q0 a 1 2 x\nq2 Q0 b 1 1 x\n")
    (tmp_path / "calls.csv").write_text("query_id,call,doc_id,tokens\nq1,1,a,9\nq2,1,b,5\n")
    answers = (
        '{"qid": "q", "nuggets": [{"text": "t", "importance": "vital", "assignment": "support"}]}'
    )
    (tmp_path / "nuggets.jsonl").write_text(answers)
    (tmp_path / "cited.csv").write_text("query_id,sentence,passage,support\nq,s,p,full\n")
    (tmp_path / "spans.csv").write_text("query_id,doc_id,start,end\nq,d,0,9\n")
    np.save(tmp_path / "ids.npy", np.array([[1, 2]]))
    commands = {
        "abstention": ["qrels.txt", "a.run", "-m", "RR", "--resamples", "5"],
        "search-calls": ["qrels.txt", "calls.csv", "-m", "RR"],
        "nuggets": ["nuggets.jsonl"],
        "citations": ["cited.csv"],
        "spans": ["spans.csv", "spans.csv"],
        "ann-recall": ["ids.npy", "ids.npy", "-k", "2"],
    }
    for name, given in commands.items():
        files = [f"{tmp_path / one}" if (tmp_path / one).is_file() else one for one in given]
        done = rankmark_here(name, *files, "--html", f"{tmp_path / name}.html")
        assert (done.returncode, done.stderr) == (0, ""), name
        page = (tmp_path / f"{name}.html").read_text(encoding="utf-8")
        assert "<table" in page
        assert "<img alt=" in page
