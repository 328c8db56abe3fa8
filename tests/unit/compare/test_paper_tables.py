"""Tables for papers: names, order, decimals and marks of runs, and how much is said below."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.commands.parts.tables import names_of_runs
from rankmark.results.marked_tables import Cell, MarkedTable, places
from rankmark.results.number_style import NumberStyle
from rankmark.results.table_options import TableOptions
from rankmark.verbs.evaluate.notes import notes
from rankmark.verbs.evaluate.result_tables import in_order, rendered
from unit.commands import rankmark as in_a_process
from unit.commands import rankmark_here, told

FOLDER = Path(rm.__file__).parent / "example"
RUNS = ("bm25.run", "lsa.run", "overlap.run")
WORST_TO_BEST = ["overlap", "bm25", "lsa"]  # by nDCG@10 and by AP


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


def evaluate(*options: str, runs: Any = RUNS) -> Any:
    return rankmark_here("evaluate", "qrels.txt", *runs, "-m", "nDCG@10,AP(rel=1)", *options)


def first_words(text: str) -> list[str]:
    return [line.split()[0] for line in text.partition("\n\n")[0].splitlines()[1:]]


def test_runs_are_named_after_their_files() -> None:
    assert first_words(evaluate("--sort", "given").stdout) == ["bm25", "lsa", "overlap"]
    assert first_words(evaluate(runs=[FOLDER / "lsa.run"]).stdout) == ["lsa"]
    csv = evaluate("--format", "csv", "--sort", "given").stdout.splitlines()
    assert [line.split(",")[0] for line in csv] == ["run", "bm25", "lsa", "overlap"]


def test_runs_with_one_stem_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "bm25.run").write_bytes((FOLDER / "lsa.run").read_bytes())
    here, there = evaluate(runs=["bm25.run", tmp_path / "bm25.run"]).stdout.splitlines()[1:3]
    assert here.split()[0] != there.split()[0]
    assert here.split()[1:] != there.split()[1:]


def test_names_are_chosen_and_json_has_the_path_too(tmp_path: Path) -> None:
    named = ("--name", "lsa.run=LSA (ours)", "--name", "bm25=BM=25")
    done = evaluate(*named, "--sort", "given")
    assert done.stdout.splitlines()[2].startswith("LSA (ours)   0.5388")
    assert "both" not in done.stdout
    assert "LSA (ours) answered 23, missing 1" in done.stdout
    path = tmp_path / "x=y.run"
    path.write_bytes((FOLDER / "lsa.run").read_bytes())
    sort = ("--sort", "given")
    done = evaluate("--name", f"{path}=z", "--format", "jsonl", *sort, runs=["bm25.run", path])
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["name"], first["run"]["name"]) == ("bm25", "bm25.run")
    assert (second["name"], second["run"]["name"]) == ("z", str(path))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["nope=x"], "'nope=x' names no run"),
        (["a.run"], "'a.run' names no run"),
        (["a.run="], "'a.run=' names no run"),
        (["a.run=b"], "two runs are called 'b'"),
        (["a.run=x", "b.run=x"], "two runs are called 'x'"),
        (["c.run=x"], "several runs are 'c.run'"),
    ],
)
def test_names_that_fit_no_run_are_refused(given: list[str], said: str) -> None:
    import click

    with pytest.raises(click.UsageError, match=re.escape(said)):
        names_of_runs(["a.run", "b.run", "1/c.run", "2/c.run"], given)


def test_runs_are_sorted_best_first() -> None:
    assert first_words(evaluate("--sort", "AP").stdout) == WORST_TO_BEST[::-1]
    assert first_words(evaluate("--sort", "ndcg_cut_10").stdout) == WORST_TO_BEST[::-1]
    done = evaluate("--sort", "AP", "--format", "json")
    assert [run["name"] for run in json.loads(done.stdout)["runs"]] == WORST_TO_BEST[::-1]
    refused = evaluate("--sort", "RR")
    assert refused.returncode == 2
    assert told(refused).startswith("cannot sort by RR: RR was not evaluated")


@pytest.mark.parametrize(
    ("command", "form"),
    [  # in CSV of compare, rows are differences
        *(("evaluate", form) for form in ("table", "markdown", "latex", "csv", "json", "jsonl")),
        *(("compare", form) for form in ("table", "markdown", "latex", "json", "jsonl")),
    ],
)
def test_every_form_has_the_best_run_first(command: str, form: str) -> None:
    """By the first measure, unless another order is asked for."""
    fewest = ("-m", "nDCG@10", "--format", form, *([] if command == "evaluate" else BASELINE))
    for options, order in (
        ((), WORST_TO_BEST[::-1]),
        (("--sort", "given"), ["bm25", "lsa", "overlap"]),
    ):
        done = rankmark_here(command, "qrels.txt", *RUNS, *fewest, *options)
        assert _names_in(done.stdout, command, form) == order


BASELINE = ("--baseline", "overlap", "--resamples", "100")


def _names_in(text: str, command: str, form: str) -> list[str]:
    if form == "json" and command == "evaluate":
        return [run["name"] for run in json.loads(text)["runs"]]
    if form == "jsonl" and command == "evaluate":
        return [json.loads(line)["name"] for line in text.splitlines()]
    if form in {"json", "jsonl"}:
        return [row["run"] for row in json.loads(text)["leaderboard"]]
    return re.findall(r"(?m)^[ |]*(bm25|lsa|overlap)\b(?=[ |,&])", text)[:3]


def test_runs_without_a_best_value_are_in_the_order_given() -> None:
    done = rankmark_here(
        "evaluate", "qrels.txt", *RUNS, "-m", "NumRet", "--format", "csv", "--quiet"
    )
    assert [line.split(",")[0] for line in done.stdout.splitlines()[1:]] == [
        "bm25",
        "lsa",
        "overlap",
    ]
    done = rankmark_here(
        "evaluate", "qrels.txt", *RUNS, "-m", "NumRet,AP(rel=1)", "--format", "csv"
    )
    best = [line.split(",")[0] for line in done.stdout.splitlines()[1:]]
    assert best == WORST_TO_BEST[::-1]


def test_less_is_better_where_it_is() -> None:
    qrels: Any = {"q": {"a": 1, "b": 1}}
    runs: list[Any] = [{"q": ["a", "b"]}, {"q": ["x", "a", "b"]}, {"q": ["x", "y", "a", "b"]}]
    evs = [rm.evaluate(qrels, run, "MeanRank") for run in reversed(runs)]
    found, names = in_order(evs, "MeanRank", ["c", "b", "a"])
    assert names == ["a", "b", "c"]
    text = rendered(found, "markdown", per_query=False, options=TableOptions(names))
    assert "**1.5000**" in text


def test_digits_and_percent() -> None:
    assert evaluate("--digits", "2").stdout.splitlines()[2].split() == ["bm25", "0.51", "0.43"]
    done = evaluate("--percent")
    assert done.stdout.splitlines()[2].split() == ["bm25", "51.22", "42.93"]
    assert "nDCG@10 38.74 to 61.34" in done.stdout
    assert "\nvalues in percent\n" in done.stdout
    assert evaluate("--percent", "--digits", "0").stdout.splitlines()[2].split()[1:] == ["51", "43"]
    done = rankmark_here("evaluate", "qrels.txt", "bm25.run", "-m", "AP,DCG@10,NumRet", "--percent")
    assert done.stdout.splitlines()[1].split() == ["bm25", "42.93", "2.3944", "447"]
    assert "\nvalues in percent: AP\n" in done.stdout


def test_intervals_that_change_no_digit_shown_are_not_told() -> None:
    assert "AP(rel=1) 0.4289" not in evaluate("--digits", "2", runs=["bm25.run"]).stdout
    assert "AP 0.4289 to 0.4294" in evaluate(runs=["bm25.run"]).stdout


@pytest.mark.parametrize("option", [("--digits", "3"), ("--percent",)])
@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_numbers_in_full_have_no_digits_to_choose(form: str, option: tuple[str, ...]) -> None:
    done = evaluate("--format", form, *option)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{form} has every number in full; leave {option[0]} out" in done.stderr


def test_quiet_leaves_the_audit_out_and_verbose_writes_all_of_it() -> None:
    quiet = evaluate("--quiet").stdout.splitlines()
    assert quiet[4:] == []
    mean = evaluate("--quiet", "--ties", "mean").stdout.splitlines()
    assert mean[4:] == ["", "conventions: queries=judged ties=mean no_relevant=zero"]
    assert "could give" in evaluate("--quiet", "--tie-interval").stdout
    verbose = evaluate("--verbose").stdout
    assert verbose.count("run-only 0, without relevant 1") == 3
    both = evaluate("--quiet", "--verbose")
    assert both.returncode == 2
    assert verbose.endswith("conventions: queries=judged ties=docid no_relevant=zero\n")
    assert evaluate("--quiet", "--format", "latex").stderr == ""


def test_seventeen_runs_say_once_what_is_alike() -> None:
    found = [rm.evaluate("qrels.txt", RUNS[at % 3], "AP") for at in range(17)]
    names = [f"run{at:02}" for at in range(17)]
    lines = notes(found, TableOptions(names))
    assert sum("without relevant" in line for line in lines) == 1
    assert sum("labels go up to 3" in line for line in lines) == 1
    assert len(lines) == 13
    shown = [line for line in lines if " AP 0." in line]
    assert len(shown) == 6
    assert all("0.3080 to 0.5182" in line for line in shown[1:])
    assert "  and 5 runs, by less" in lines
    assert len(notes(found, TableOptions(names, notes="all"))) > 17


def test_the_best_are_marked_by_what_is_written() -> None:
    assert places([0.30001, 0.30002, 0.2, 0.1], ["0.3", "0.3", "0.2", "0.1"]) == [1, 1, 2, 0]
    assert places([3.0, 1.0, 2.0], ["3", "1", "2"], more_is_better=False) == [0, 1, 2]
    assert places([0.5, 0.5], ["0.5", "0.5"]) == [0, 0]
    assert places([float("nan"), 0.5, 0.4], ["nan", "0.5", "0.4"]) == [0, 1, 2]
    assert places([], []) == []


def test_the_best_are_bold_and_the_second_underlined() -> None:
    latex = evaluate("--format", "latex").stdout
    assert r"lsa & \bfseries 0.5388 & \bfseries 0.4707 \\" in latex
    assert r"bm25 & {\underline{0.5122}} & {\underline{0.4293}} \\" in latex
    assert "| lsa | **0.5388** | **0.4707** |" in evaluate("--format", "markdown").stdout
    one = evaluate("--format", "latex", runs=["bm25.run"]).stdout
    assert "bfseries" not in one
    assert "in bold" not in one
    counts = rankmark_here(
        *("evaluate", "qrels.txt", *RUNS, "-m", "NumRet,Judged@5", "--format", "markdown")
    )
    assert "**" not in counts.stdout


def test_a_caption_says_what_the_numbers_are() -> None:
    latex = evaluate("--format", "latex", "--percent", "--ties", "mean").stdout
    (caption,) = re.findall(r"\\caption\{(.*)\}", latex)
    assert caption == (
        "Means over 24 queries, in percent. Best values in bold, second best underlined. "
        rf"Conventions: queries=judged, ties=mean, no\_relevant=zero; rankmark {rm.__version__}."
    )


def test_many_measures_become_rows() -> None:
    done = rankmark_here("evaluate", "qrels.txt", "bm25.run", "lsa.run", "-m", "beir")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["measure", "bm25", "lsa"]
    assert lines[4].split() == ["nDCG@10", "0.5122", "0.5388"]
    assert lines[25] == ""
    per_query = rankmark_here("evaluate", "qrels.txt", "bm25.run", "-m", "beir", "--per-query")
    assert len(per_query.stdout.splitlines()[0].split()) == 26


def test_numbers_line_up_whatever_is_behind_them() -> None:
    table = MarkedTable(
        ["run", "AP"], [[Cell("a"), Cell("10.00", 1, "bc")], [Cell("b"), Cell("9.50", 2)]]
    )
    assert table.as_text() == "run     AP\na    10.00bc\nb     9.50\n"
    assert table.as_text(styled=True).splitlines()[1] == "a    \x1b[1m10.00\x1b[0mbc"
    latex = table.as_latex()
    assert r"S[table-format=2.2]@{\,}l" in latex
    assert r"b & {\phantom{0}\underline{9.50}} & " in latex
    assert "<b>10.00</b><sup>bc</sup>" in table.as_html()


@pytest.mark.parametrize("hostile", ["<b>", "a&b", "50%", r"\input{x}", "[x]", "a_b^c~d#$"])
def test_names_are_escaped(hostile: str) -> None:
    table = MarkedTable(["run", "AP"], [[Cell(hostile), Cell("1")]])
    assert "<b>" not in table.as_html()
    assert "<b>" not in table.as_markdown()
    (row,) = [line for line in table.as_latex().splitlines() if "& 1" in line]
    name = row.partition(" & 1")[0].strip()
    assert not re.search(r"(?<!\\)[&%$#_^~]", name)
    assert not name.startswith(("[", r"\input"))


def test_a_difference_of_nothing_has_no_sign() -> None:
    style = NumberStyle()
    assert style.written(-0.00001, sign="+") == style.written(0.0) == "0.0000"
    assert (style.written(0.5, sign="+"), style.written(-0.5)) == ("+0.5000", "-0.5000")
    assert NumberStyle(1, percent=True).written(-0.5) == "-50.0"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("term", "is_bold"), [("xterm", True), ("dumb", False)])
def test_only_a_terminal_shows_styles(term: str, is_bold: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    done = in_a_process(
        *("evaluate", "qrels.txt", *RUNS, "-m", "AP(rel=1)", "--quiet"),
        env={"TERM": term},
        capture_output=False,
        stdout=theirs,
    )
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert done.returncode == 0
    assert ("\x1b[1m0.4707\x1b[0m" in shown) == is_bold
    assert ("\x1b[4m0.4293\x1b[0m" in shown) == is_bold
    assert shown.splitlines()[-1].startswith("overlap")
