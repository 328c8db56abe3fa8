"""Findings are ranked by their effect on the measures, and shown once for all runs."""

from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.verbs.check.finding import Finding
from unit.commands import rankmark_here

QRELS = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"d": 1}}
MEASURES = ["RR", "AP(rel=1)"]


def found(report: rm.CheckReport, file: int = 1) -> dict[str, Finding]:
    return {finding.code: finding for finding in report.files[file].findings}


def text_run(rows: str) -> str:
    return "".join(f"{row} t\n" for row in rows.split("; "))


def test_ties_that_move_a_digit_are_a_warning_that_says_how_far() -> None:
    run = {"q1": {"a": 1.0, "b": 1.0, "c": 0.5}, "q2": {"d": 1.0}}
    ties = found(rm.check(QRELS, run, measures=MEASURES))["ties"]
    assert ties.severity == "warning"
    ev = rm.evaluate(QRELS, run, MEASURES)
    assert ties.moves == ev.tie_interval
    assert ties.consequence == (
        "another order of ties could give RR 0.7500 to 1.0000, AP 0.7500 to 1.0000"
    )
    assert ties.weight == 0.25


def test_ties_that_move_no_digit_are_a_fact() -> None:
    run = {"q1": {"a": 1.0, "b": 0.5, "c": 0.5}, "q2": {"d": 1.0}}
    report = rm.check(QRELS, run, measures=MEASURES)
    assert "ties" not in found(report)
    ties = report.files[1].facts["ties"]
    assert (ties["float64"]["rows"], ties["moves"]) == (2, {})
    assert "ties            50.0% of rows and 50.0% of judged; no order of them" in str(report)
    # With another measure the same ties matter.
    qrels = QRELS | {"q1": {"a": 2, "b": 1, "c": 0}}
    assert "ties" in found(rm.check(qrels, run, measures="nDCG"))


def test_without_good_judgments_ties_are_told_by_their_share(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 a 1\n")
    ties = found(rm.check(tmp_path / "qrels", {"q1": {"a": 1.0, "b": 1.0}}))["ties"]
    assert (ties.severity, ties.moves, ties.consequence) == ("warning", None, "")
    assert "moves" not in ties.to_dict()


def test_each_rule_says_what_it_would_change(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(
        text_run("q1 Q0 b 2 3.5; q1 Q0 a 1 2.5; q1 Q0 q1 3 9.5; q1 Q0 x 4 2.49999999999")
    )
    report = rm.check(QRELS, tmp_path / "run", measures="RR")
    findings = found(report)
    alternatives: dict[str, dict[str, Any]] = {
        "rank-score": {"ties": "rank"},
        "missing": {"queries": "both"},
        "self": {"drop_self": True},
    }
    base = rm.evaluate(QRELS, tmp_path / "run", "RR")["RR"]
    for code, rules in alternatives.items():
        other = rm.evaluate(QRELS, tmp_path / "run", "RR", **rules)["RR"]
        assert findings[code].moves == {"RR": (base, other)}, code
        assert f"RR {other:.4f}, not {base:.4f}" in findings[code].consequence
    order = [finding.code for finding in report.files[1].findings]
    assert order.index("rank-score") < order.index("self")


def test_a_rank_column_that_contradicts_scores_where_nobody_looks_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(text_run("q1 Q0 a 1 9; q1 Q0 b 3 8; q1 Q0 c 2 7; q2 Q0 d 1 1"))
    finding = found(rm.check(QRELS, tmp_path / "run", measures="RR"))["rank-score"]
    assert (finding.severity, finding.moves) == ("note", {})
    assert finding.consequence == "under --ties rank, no printed digit changes"
    deep = found(rm.check(QRELS, tmp_path / "run", measures="OPA"))["rank-score"]
    assert deep.severity == "note"


def test_single_precision_matters_only_where_it_moves_a_digit() -> None:
    run = {"q1": {"a": 3.0, "b": 2.99999999, "c": 1.0}, "q2": {"d": 1.0}}
    finding = found(rm.check(QRELS, run, measures="RR"))["float32-ties"]
    assert finding.consequence == "under --precision float32: RR 0.7500, not 1.0000"
    below = {"q1": {"a": 5.0, "b": 3.0, "c": 2.99999999}, "q2": {"d": 1.0}}
    assert "float32-ties" not in found(rm.check(QRELS, below, measures="RR"))


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ("1 1 0", "under --ties input it may move RR, AP, else nothing; tools that take"),
        ("2 1 1", "none under any rule, as no tie changes a printed digit; tools that take"),
    ],
)
def test_the_order_of_rows_says_under_which_rule_it_matters(
    scores: str, said: str, tmp_path: Path
) -> None:
    rows = [f"q1 Q0 {doc} 1 {score}" for doc, score in zip("abc", scores.split(), strict=True)]
    (tmp_path / "run").write_text(text_run("; ".join([*reversed(rows), "q2 Q0 d 1 1"])))
    finding = found(rm.check(QRELS, tmp_path / "run", measures=MEASURES))["row-order"]
    assert finding.effect.startswith(said)


def test_what_judgments_leave_open_is_weighed_by_the_first_run() -> None:
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"c": 0}}
    first, second = {"q1": {"a": 2.0, "b": 1.0}}, {"q1": {"x": 2.0}}
    report = rm.check(qrels, first, second, measures="RR")
    judged = found(report, 0)
    assert judged["no-relevant"].moves == {"RR": (0.5, 1.0)}
    assert judged["graded"].moves == {"RR": (0.5, 0.25)}
    assert "with the next grade as rel of <mapping>: RR 0.2500, not 0.5000" in str(report).replace(
        "\n            ", " "
    )


@pytest.mark.parametrize("measures", ["alpha_nDCG@10", ["RR", "P_IA@5"], "Prefs", "NumRet"])
def test_measures_that_judgments_do_not_serve_are_left_out_of_the_weighing(measures: Any) -> None:
    run = {"q1": {"a": 1.0, "b": 1.0, "c": 0.5}}
    assert rm.check(QRELS, run, measures=measures).ok


def test_a_rule_that_leaves_no_query_is_no_consequence() -> None:
    report = rm.check({"q": {"d": 0}}, {"q": {"d": 1.0}})
    finding = found(report, 0)["no-relevant"]
    assert (finding.severity, finding.moves) == ("warning", None)
    assert report.to_json()
    assert str(report)


def test_judging_depth_with_two_modes_is_told() -> None:
    depths = [8] * 12 + [150, 180, 200, 230, 240, 260]
    qrels = {f"q{i}": {f"d{j}": int(j == 0) for j in range(n)} for i, n in enumerate(depths)}
    report = rm.check(qrels)
    finding = found(report, 0)["judging-depth"]
    assert (finding.severity, finding.count) == ("note", 12)
    assert "12 queries with 8 judgments, and 6 with 150 to 260" in finding.what
    assert [mode["queries"] for mode in report.files[0].facts["depth_modes"]] == [12, 6]
    assert "two modes: 12 queries around 8, 6 around 200" in str(report).replace(
        "\n" + 18 * " ", " "
    )
    even = {f"q{i}": {f"d{j}": int(j == 0) for j in range(5 + i)} for i in range(30)}
    assert "judging-depth" not in found(rm.check(even), 0)


def runs_of(count: int) -> dict[str, str]:
    """Write runs of which most are alike, one ties, one is shallow and one answers less."""
    every = [(f"q{i}", f"d{i}-{j}", 10 - j) for i in range(4) for j in range(5)]
    files = {}
    for number in range(count):
        rows = every
        if number == 1:
            rows = [(q, d, 1) for q, d, _ in every]
        if number == 2:
            rows = [row for row in every if row[1].endswith(("-0", "-1"))]
        if number == 3:
            rows = [row for row in every if row[0] != "q3"]
        files[f"run{number:02}"] = "".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in rows)
    return files


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    qrels = "".join(f"q{i} 0 d{i}-{j} {int(j == 0)}\n" for i in range(4) for j in range(5))
    Path("qrels").write_text(qrels)
    for name, text in runs_of(17).items():
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("count", [1, 3, 17])
def test_the_first_screen_says_what_matters(count: int) -> None:
    runs = [f"run{number:02}" for number in range(count)]
    text = rankmark_here("check", "qrels", *runs, "-m", "RR", "-m", "P@5").stdout
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) < 36 + 3 * count
    screen = "\n".join(lines[:24])
    if count == 1:
        assert lines[0] == "nothing found in judgments and 1 run"
        return
    assert "ties" in screen
    assert "run01: another order of ties could give RR 0.2000 to 1.0000" in screen
    assert "run02 at 2, the other" in screen.replace("\n          ", " ")
    assert text.count("WARNING ties:") == 1
    if count == 17:
        said = " ".join(screen.split())
        assert "missing run03: over the answered queries alone: " in said
        assert "RR 1.0000, not 0.7500" in said
        assert "  run16    20        5    0.0%     100.0%        0" in text
        assert "the same in all: form trec, run-only 0" in text


@pytest.mark.usefixtures("folder")
def test_a_finding_of_several_runs_names_the_worst_first() -> None:
    Path("mild").write_text(
        "".join(f"q{i} Q0 d{i}-{j} 0 {1 if i else 9 - j} t\n" for i in range(4) for j in range(5))
    )
    report = rm.check("qrels", "mild", "run01", "run00", measures="RR")
    text = str(report)
    assert "WARNING ties: in 2 of 3 runs\n    run01: 20 rows" in text
    assert text.index("run01: 20 rows") < text.index("mild: 15 rows")
    assert [len(file.findings) for file in report.files] == [0, 1, 1, 0]


@pytest.mark.usefixtures("folder")
def test_runs_of_one_folder_are_named_without_it() -> None:
    folder = Path("a/long/way/down/to/runs")
    folder.mkdir(parents=True)
    for name, text in runs_of(2).items():
        (folder / name).write_text(text)
    text = str(rm.check("qrels", folder / "run00", folder / "run01", measures="RR"))
    assert "\n2 runs in a/long/way/down/to/runs/\n" in text
    assert "  run01: another order of ties could give" in text.replace("ties  run01", "ties  run01")


def test_depths_without_a_usual_one_are_cut_alike() -> None:
    qrels = {"q": {f"d{i}": 1 for i in range(9)}}
    runs = [{"q": [f"d{i}" for i in range(n)]} for n in (3, 5, 9)]
    (depths,) = rm.check(qrels, *runs, measures="AP").together
    assert depths.remedy == "cut all alike with --depth 3, or measure at cutoffs of 3 or less"
    assert "depths: the runs end at different ranks" in str(rm.check(qrels, *runs, measures="AP"))
    (depths,) = rm.check(qrels, *runs, measures="P@3").together
    assert (depths.severity, depths.effect) == (
        "note",
        "none on these measures, which use at most the first 3 ranks",
    )
