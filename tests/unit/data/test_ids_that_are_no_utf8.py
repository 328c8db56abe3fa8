"""Ids of files whose bytes are not UTF-8: read as they are, escaped where results are written."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import rankmark as rm
from unit.commands import rankmark_here

pytestmark = pytest.mark.slow

QUERY = "q\udce9"  # as Python holds a byte that is not UTF-8


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    qrels, a, b = (tmp_path / name for name in ("qrels", "a.run", "b.run"))
    qrels.write_bytes(b"q\xe9 1 d\xe9 1\nq\xe9 2 b 1\np 1 d\xe9 1\n")
    a.write_bytes(b"q\xe9 0 d\xe9 1 2 t\nq\xe9 0 b 2 1 t\np 0 x 1 1 t\n")
    b.write_bytes(b"q\xe9 0 x 1 2 t\nq\xe9 0 d\xe9 2 1 t\np 0 d\xe9 1 1 t\n")
    return qrels, a, b


def test_results_hold_them_and_frames_and_json_escape_them(files: tuple[Path, ...]) -> None:
    ev = rm.evaluate(*files[:2], "AP")
    assert ev.per_query("AP") == {QUERY: 1.0, "p": 0.0}
    for frame in (ev.to_pandas(), ev.to_polars(), ev.to_arrow().to_pydict()):
        assert list(frame["query_id"]) == ["q\\xe9", "p"]
    assert json.loads(ev.to_json())["per_query"]["q\\xe9"] == {"AP": 1.0}
    assert rm.evaluate(*files[:2], "AP", queries=[QUERY])["AP"] == 1.0


def test_everything_that_is_written_can_be_encoded(files: tuple[Path, ...]) -> None:
    qrels, a, b = files
    results = [
        rm.evaluate(qrels, a),
        rm.explain(qrels, a, QUERY),
        rm.explain(qrels, a, QUERY, against=b),
        rm.explain(qrels, a, against=b),
        rm.compare_rankings(a, b),
        rm.check(qrels, a, b),
    ]
    for one in results:
        for write in ("to_json", "to_html", "_repr_html_", "to_pandas", "to_polars", "to_arrow"):
            if hasattr(one, write):
                assert str(getattr(one, write)()).encode(), write


def test_they_may_be_of_subtopics_and_of_groups(tmp_path: Path, files: tuple[Path, ...]) -> None:
    qrels, a, _ = files
    assert rm.evaluate(qrels, a, "StRecall@2").per_query("StRecall@2") == {QUERY: 1.0, "p": 0.0}
    prefs, groups = tmp_path / "prefs", tmp_path / "groups"
    prefs.write_bytes(b"q\xe9 g\xe9 1 d\xe9 1\nq\xe9 g\xe9 1 b 0\n")
    groups.write_bytes(b"q\xe9 g\xe9 d\xe9 1\nq\xe9 g\xe9 b 0\n")
    assert rm.evaluate(prefs, a, "Prefs", qrels_format="prefs").per_query("Prefs") == {QUERY: 1.0}
    assert rm.evaluate(groups, a, "RR", qrels_format="qrels_jg").per_query("RR") == {QUERY: 1.0}


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv", "markdown", "latex"])
def test_commands_write_them_to_stdout_and_to_files(
    form: str, files: tuple[Path, ...], tmp_path: Path
) -> None:
    output = tmp_path / "results"
    said = ["evaluate", *map(str, files), "--per-query", "--format", form]
    assert rankmark_here(*said).returncode == 0
    assert rankmark_here(*said, "-o", output).returncode == 0
    escaped = "textbackslash{}xe9" if form == "latex" else "\\xe9"
    assert escaped in output.read_text(encoding="utf-8")


def test_judgments_are_made_anew_of_ids_that_are_no_utf8(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"q\xff 0 d\xff#1 1\nq\xff 0 e#1 -1\nq2 0 e#2 2\n")
    qrels = rm.Qrels(tmp_path / "qrels")
    assert pickle.loads(pickle.dumps(qrels)).by_query() == qrels.by_query()
    run = {"q2": ["e"]}
    by_unit = rm.evaluate(tmp_path / "qrels", run, "RR", qrels_unit="#", failed=-1)
    assert by_unit.per_query("RR") == {"q\udcff": 0.0, "q2": 1.0}
    weights = {"e#2": 2, "e#1": 1, "d\udcff#1": 3}
    weighted = rm.Qrels(tmp_path / "qrels", document_weights=weights)
    assert rm.evaluate(weighted, {"q2": ["e#2"]}, "nDCG(weighted=True)").means == {
        "nDCG(weighted=True)": 0.5
    }
