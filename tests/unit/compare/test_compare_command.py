"""``rankmark compare``, and comparisons as text, Markdown, LaTeX and HTML."""

import csv
import io
import json
import re
import warnings
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

import rankmark as rm
from rankmark.commands import compare as command
from rankmark.results.run_names import letters, listed_letters
from rankmark.verbs.compare.statistics_choices import Correction, Test
from unit.commands import rankmark_here

FOLDER = Path(rm.__file__).parent / "example"
RUNS = ("bm25.run", "lsa.run", "overlap.run")
MEASURES = ["nDCG@10", "AP(rel=1)"]


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


def compare(*options: str, runs: Any = RUNS) -> Any:
    return rankmark_here("compare", "qrels.txt", *runs, "-m", "nDCG@10,AP(rel=1)", *options)


@pytest.fixture(scope="module")
def graded() -> rm.Comparison:
    """Four runs, of which two are clearly better than the others."""
    scores = np.random.default_rng(7).uniform(0.1, 0.4, (40, 4))
    scores[:, :2] += [0.3, 0.28]
    frame = {
        "run": [f"r{at}" for at in range(4) for _ in range(40)],
        "query_id": [f"q{q}" for _ in range(4) for q in range(40)],
        "score": scores.T.ravel().tolist(),
    }
    return rm.compare_scores(frame)


def test_the_choices_are_those_of_the_library() -> None:
    options = {one.name: one for one in command.compare.params}
    assert get_args(Test) == tuple(options["test"].type.choices)
    assert get_args(Correction) == tuple(options["correction"].type.choices)


def test_against_a_baseline_each_run_has_a_row() -> None:
    done = compare("--baseline", "bm25.run")
    assert (done.returncode, done.stderr) == (0, "")
    found = rm.compare("qrels.txt", list(RUNS), MEASURES, baseline="bm25")
    lines = done.stdout.splitlines()
    assert lines[:7] == found.to_text().splitlines()[:7]
    assert [line.split()[:2] for line in lines[1:7]] == [
        [measure, run] for measure in found.measures for run in ("lsa", "bm25", "overlap")
    ]
    row = found.differences.where(measure="AP", run="lsa")[0]
    told = lines[4].split()
    assert f"{row.difference:+.4f}" in told
    assert f"{row.adjusted_p:.4f}" in told
    assert f"{row.wins}/{row.ties}/{row.losses}" in told
    assert any(
        line.startswith("randomisation test of 2 pairs (against bm25); p-v") for line in lines
    )
    whole = compare("--baseline", "bm25.run", "--verbose").stdout.splitlines()
    assert "conventions: queries=judged ties=docid no_relevant=zero" in {*whole} - {*lines}


def test_two_runs_have_one_difference_and_no_baseline() -> None:
    done = compare(runs=RUNS[:2]).stdout
    lines = done.splitlines()
    assert "  minus bm25  adjusted 95% interval  relative" in lines[0]
    assert lines[2].split() == ["nDCG@10", "bm25", "0.5122", "[0.3735,", "0.6508]"]
    assert "baseline" not in done
    assert "* significantly better than bm25, † significantly worse" in lines


def test_the_second_of_two_runs_may_be_the_baseline() -> None:
    done = compare("--baseline", "lsa", runs=("bm25.run", "lsa.run"))
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:3]]
    assert [("baseline" in row) for row in rows] == [row[1] == "lsa" for row in rows]


def test_all_pairs_show_a_leaderboard_and_the_pairs() -> None:
    lines = compare().stdout.splitlines()
    assert lines[1].split()[:3] == ["a", "lsa", "0.5388"]
    assert lines[5].split()[:4] == ["measure", "run", "minus", "difference"]
    assert len(lines[6:12]) == 6
    assert "baseline" not in lines[5]
    assert "no run is significantly better than another" in lines


def test_marks_are_letters_of_the_runs_that_are_beaten(graded: rm.Comparison) -> None:
    head, *lines = str(graded).splitlines()[:5]
    assert head.split() == ["run", "score", "better", "than", "95%", "interval"]
    rows = [line.split() for line in lines]
    assert [row[:2] for row in rows[:2]] == [["a", "r0"], ["b", "r1"]]
    assert [row[3:5] for row in rows[:2]] == [["c,", "d"]] * 2
    assert all(re.fullmatch(r"0\.\d{4}", row[2]) for row in rows)
    better = {row.better for row in graded.differences if row.significant}
    assert better == {"r0", "r1"}
    beaten = {row.run: row.better_than for row in graded.leaderboard}
    assert beaten == {"r0": ("r2", "r3"), "r1": ("r2", "r3"), "r2": (), "r3": ()}


def test_marks_against_a_baseline_are_stars_and_daggers() -> None:
    rng = np.random.default_rng(1)
    base = rng.uniform(0.3, 0.5, 50)
    frame = {
        "run": [name for name in ("base", "up", "down", "same") for _ in range(50)],
        "query_id": [f"q{q}" for _ in range(4) for q in range(50)],
        "x": [*base, *(base + 0.1 * rng.random(50)), *(base - 0.1 * rng.random(50)), *base],
    }
    found = rm.compare_scores(frame, baseline="base")
    first = {line.split()[0]: line.split()[1] for line in str(found).splitlines()[1:5]}
    assert first["up"].endswith("*")
    assert first["down"].endswith("†")
    assert first["same"][-1].isdigit()
    assert r"\textsuperscript{*}" in found.to_latex()
    assert "<sup>†</sup>" in found.to_markdown()


def test_letters_go_on_behind_z() -> None:
    found = letters(60)
    assert (found[0], found[25], found[26], found[59]) == ("a", "z", "aa", "bh")
    assert len(set(found)) == 60


@pytest.mark.parametrize(
    ("places", "doubtful", "text"),
    [
        ([], [], ""),
        ([1], [], "b"),
        ([2, 1], [], "b, c"),
        ([1, 2, 3], [], "b–d"),
        ([0, 25, 26, 27, 59], [], "a, z–ab, bh"),
        ([1, 2, 3, 4], [2], "b, (c), d, e"),
        ([1, 2, 3, 4], [1, 2, 3, 4], "(b–e)"),
        ([*range(18, 24), *range(25, 50)], [], "s–x, z–ax"),
        ([*range(0, 50, 2)], [], "25 runs"),
        ([*range(0, 50, 2)], [0], "24 runs, (1 run)"),
        ([*range(0, 50, 2)], [*range(50)], "(25 runs)"),
    ],
)
def test_runs_that_are_beaten_are_listed_briefly(
    places: list[int], doubtful: list[int], text: str
) -> None:
    assert listed_letters(places, doubtful) == text


@pytest.mark.slow
def test_many_runs_have_tables_that_fit() -> None:
    rng = np.random.default_rng(0)
    scores = {f"run{at}": np.clip(rng.normal(0.7 - at / 125, 0.15, 60), 0, 1) for at in range(50)}
    rows = [(run, f"q{q}", x) for run, of in scores.items() for q, x in enumerate(of)]
    found = rm.compare_scores(pd.DataFrame(rows, columns=["run", "query_id", "nDCG"]))
    table = str(found).split("\n\n")[0]
    assert len(table.splitlines()) == 51
    assert max(map(len, table.splitlines())) < 80
    assert max(map(len, found.to_latex().split("midrule")[1].splitlines())) < 100
    assert "two runs differ on 60 of 60 queries" in str(found)


def test_a_difference_that_ties_could_reverse_is_marked_in_every_form() -> None:
    """The first run is ahead of the others by the order of its ties, of the next one only so."""
    queries = [f"q{number}" for number in range(30)]
    qrels = {query: {"a": 1} for query in queries}
    tied = {query: {"a": 1.0, "A": 1.0} for query in queries}
    runs: Any = {"tied": tied, "third": {query: ["x", "y", "a"] for query in queries}}
    runs["last"] = {query: ["x", "y", "z", "u"] for query in queries}
    options: Any = {"ties": "docid", "test": "sign"}
    runs["half"] = {q: ["x", "a"] if n % 3 else ["a"] for n, q in enumerate(queries)}
    found = rm.compare(qrels, runs, "RR", **options)
    of = {(row.baseline, row.run): row for row in found.differences}
    doubtful = of["tied", "half"]
    assert (doubtful.significant, doubtful.reversible_by) == (True, "ties")
    assert "b–d" not in str(found)
    assert "(b), c, d" in str(found)
    assert "(b), c, d" in found.to_markdown()
    assert "(b), c, d" in found._repr_html_()
    assert r"\textsuperscript{(b),c,d}" in found.to_latex()
    for text in (str(found), found.to_markdown(), found._repr_html_(), found.to_latex()):
        assert "in parentheses if another order of ties could reverse the difference" in text
    assert "could reverse it" in str(found)
    against = rm.compare(qrels, runs, "RR", baseline="tied", **options)
    assert "(†)" in str(against)
    assert "could reverse it" in str(against)
    assert r"\textsuperscript{(†)}" in against.to_latex()
    assert "wins/ties/losses" in against.to_latex()


def test_latex_is_a_table_with_a_caption_of_everything(graded: rm.Comparison) -> None:
    latex = graded.to_latex(label="tab:x")
    assert r"\label{tab:x}" in latex
    (caption,) = re.findall(r"\\caption\{(.*)\}", latex)
    for part in ("randomisation", "holm for 6", "level 0.05", "10,000 resamples, seed 0"):
        assert part.lower() in caption.lower()
    assert latex.count("\\textsuperscript{c,d}") == 2
    assert "raised letters: significantly better than the runs with these" in caption.lower()
    assert latex.count("\\bfseries") == 1
    assert "interval" not in graded.to_latex(intervals=False).partition("\\toprule")[2]
    assert "Mine" in graded.to_latex(caption="Mine")
    done = compare("--format", "latex", "--baseline", "bm25")
    assert done.stdout == rm.compare("qrels.txt", list(RUNS), MEASURES, baseline="bm25").to_latex()
    assert "judged 24" in done.stderr
    assert "judged 24" not in done.stdout


def test_markdown_has_the_legend_and_html_too(graded: rm.Comparison) -> None:
    html = graded._repr_html_()
    assert "c, d</td>" in html
    assert "| c, d |" in graded.to_markdown()
    for text in (html, graded.to_markdown(), str(graded)):
        assert "better than: letters of the runs that are significantly worse" in text
    done = compare("--format", "markdown")
    assert "randomisation test of 3 pairs" in done.stdout
    assert "judged 24" in done.stderr


def test_digits_percent_and_order() -> None:
    done = compare("--percent", "--digits", "1", "--sort", "AP", "--name", "lsa=ours")
    assert done.stdout.splitlines()[1].split()[:3] == ["a", "ours", "53.9"]
    assert done.stdout.count("values in percent") == 1
    found = rm.compare("qrels.txt", list(RUNS), MEASURES)
    with pytest.raises(rm.InputError, match="digits is -1; need a whole number from 0 to 15"):
        found.to_text(digits=-1)
    with pytest.raises(rm.MeasureError, match="cannot sort by RR: RR was not evaluated"):
        found.to_text(sort="RR")
    refused = compare("--sort", "RR")
    assert refused.returncode == 2


def test_csv_has_a_row_for_each_pair_and_measure() -> None:
    done = compare("--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    found = rm.compare("qrels.txt", list(RUNS), MEASURES)
    assert [float(row["adjusted_p"]) for row in rows] == [
        row.adjusted_p for row in found.differences
    ]
    assert float(rows[0]["run_mean"]) == found["lsa"]["nDCG@10"]
    assert float(rows[0]["baseline_mean"]) == found["bm25"]["nDCG@10"]
    assert "randomisation test of 3 pairs" in done.stderr
    per_query = compare("--format", "csv", "--per-query")
    assert len(per_query.stdout.splitlines()) == 1 + 3 * 24
    assert compare("--per-query").returncode == 2


def test_json_has_everything_and_the_files() -> None:
    document = json.loads(compare("--format", "json", "--name", "lsa=ours", "--seed", "5").stdout)
    assert document["settings"]["seed"] == 5
    assert document["runs"]["ours"]["run"]["name"] == "lsa.run"
    assert len(document["differences"]) == 6
    assert len(compare("--format", "jsonl").stdout.splitlines()) == 1


def test_statistics_are_chosen() -> None:
    options = ["--test", "t", "--correction", "none", "--family", "all", "--interval", "BCa"]
    done = compare(*options, "--confidence", "0.9", "--resamples", "500", "--baseline", "lsa")
    assert "t test of 2 pairs (against lsa); p-values not corrected; level 0.1" in done.stdout
    assert "90% interval" in done.stdout
    assert " p " in done.stdout.splitlines()[0]
    refused = compare("--correction", "tukey", "--baseline", "lsa")
    assert refused.returncode == 1
    assert "correction tukey is for all pairs" in refused.stderr


def test_a_record_is_verified(tmp_path: Path) -> None:
    path = tmp_path / "record.yaml"
    done = compare("--record", str(path), "--baseline", "lsa", "--rel", "2", "--test", "t")
    assert done.returncode == 0
    verified = rankmark_here("verify", path)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_weights_are_an_input_of_a_record(tmp_path: Path) -> None:
    queries = rm.evaluate("qrels.txt", RUNS[0]).queries
    weights, record = tmp_path / "weights", tmp_path / "record.json"
    weights.write_text("".join(f"{query} {at + 1}\n" for at, query in enumerate(queries)))
    assert compare("--weights", weights, "--record", record).returncode == 0
    assert rm.verify(record)
    weights.write_text("".join(f"{query} 1\n" for query in queries))
    moves = rm.verify(record).moves
    assert {move.kind for move in moves} == {"input", "number"}


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate", "power"])
def test_no_list_of_queries_is_overwritten(command: str, tmp_path: Path) -> None:
    queries = tmp_path / "queries"
    queries.write_text("q01\nq02\n")
    done = rankmark_here(command, "qrels.txt", *RUNS[:2], "--queries", f"@{queries}", "-o", queries)
    assert (done.returncode, "is an input file" in done.stderr) == (2, True)
    assert queries.read_text() == "q01\nq02\n"


def test_clusters_come_from_a_file(tmp_path: Path) -> None:
    queries = rm.Qrels("qrels.txt").query_ids
    path = tmp_path / "clusters"
    path.write_text("".join(f"{query} {at // 2}\n" for at, query in enumerate(queries)))
    document = json.loads(compare("--clusters", str(path), "--format", "json").stdout)
    assert document["settings"]["clusters"] == 12


@pytest.mark.slow
def test_slices_have_tables_of_their_own(tmp_path: Path) -> None:
    queries = rm.Qrels("qrels.txt").query_ids
    path = tmp_path / "kinds"
    path.write_text("".join(f"{q} {'even' if at % 2 else 'odd'}\n" for at, q in enumerate(queries)))
    lines = compare("--by", str(path), "--baseline", "bm25").stdout.splitlines()
    assert "odd, 12 queries:" in lines
    assert "even, 12 queries:" in lines
    assert any(line.startswith("worst slice on nDCG@10: ") and "for lsa" in line for line in lines)
    rows = csv.DictReader(io.StringIO(compare("--by", str(path), "--format", "csv").stdout))
    assert {row["slice"] for row in rows} == {"", "odd", "even"}
    assert "odd, 12 queries:" in compare("--by", str(path), "--format", "markdown").stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--baseline", "nope"), "'nope' names no run, or several; need one of bm25, lsa"),
        (("--name", "lsa=bm25"), "two runs are called 'bm25'"),
        (("--digits", "3", "--format", "json"), "json has every number in full"),
        (("--confidence", "1"), "1.0 is not in the range"),
    ],
)
def test_wrong_usage_is_refused(options: tuple[str, ...], said: str) -> None:
    done = compare(*options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())


def test_one_run_twice_is_refused() -> None:
    done = compare(runs=["lsa.run", "lsa.run"])
    assert done.returncode == 2
    assert "two runs are called 'lsa'; give one of them a --name" in done.stderr


def test_one_run_has_a_leaderboard_only() -> None:
    lines = compare(runs=["lsa.run"]).stdout.splitlines()
    assert lines[1].split()[:2] == ["lsa", "0.5388"]
    assert not any("significantly" in line for line in lines)
    assert len(compare("--format", "csv", runs=["lsa.run"]).stdout.splitlines()) == 3


def test_what_is_undefined_is_said_and_nothing_breaks() -> None:
    qrels: Any = {"q": {"a": 1}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rm.compare(qrels, {"x": {"q": ["a"]}, "y": {"q": ["b", "a"]}}, ["RR", "NumRet"])
        text = str(found)
    assert "RR, NumRet: no interval of the mean (1 query)" in text
    assert "no p-value below 1 is possible" in text
    assert "RR" in found.to_latex()
    assert found.to_markdown()


def test_quiet_leaves_the_audit_out_but_not_the_legend() -> None:
    done = compare("--quiet", "--baseline", "lsa")
    assert "judged 24" not in done.stdout
    assert "more notes" not in done.stdout
    assert "randomisation test of 2 pairs" in done.stdout
    assert "conventions: " not in done.stdout
    other = compare("--quiet", "--baseline", "lsa", "--ties", "mean")
    assert other.stdout.splitlines()[-1].startswith("conventions: queries=judged ties=mean")
