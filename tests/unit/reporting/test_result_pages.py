"""Pages of results with plots: judges, leaderboards and estimates."""

import base64
import re
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.reporting.test_report_page import Tags

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
    table = {"model": ["m<1>", "m2", "m3"], **{f"t{t}": [3 + t, 2, t / 9] for t in range(5)}}
    return {
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


@pytest.mark.parametrize("name", ["judges", "systems", "leaderboard", "estimate"])
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
