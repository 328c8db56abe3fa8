"""``rankmark plot`` of comparisons draws what the library draws."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rankmark as rm
from rankmark.commands.app import app
from rankmark.verbs.plot.comparison_plots import ComparedPlot
from rankmark.verbs.plot.kinds import COMPARED
from unit.plot.plotted import EXAMPLE, RUNS

RANKED = [kind for kind in COMPARED if kind not in {"cutoffs", "trade-off"}]


def plotted(*arguments: object) -> Result:
    """Run ``rankmark plot`` in this process, which has imported matplotlib already."""
    return CliRunner().invoke(app, ["plot", *map(str, arguments)])


@pytest.mark.slow
@pytest.mark.parametrize("kind", RANKED)
def test_the_command_draws_the_picture_of_the_library(kind: Any, tmp_path: Path) -> None:
    options = ["--test", "t", "--correction", "bh", "--confidence", "0.9", "-m", "AP", "--no-title"]
    path = tmp_path / "a.svg"
    done = plotted(kind, EXAMPLE / "qrels.txt", *RUNS, *options, "-o", path)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "t test of 3 pairs (all pairs); p-values corrected by bh for 3 tests" in done.stderr
    assert "conventions: " not in done.stderr
    qrels = EXAMPLE / "qrels.txt"
    found = rm.compare(qrels, [*RUNS], "AP", test="t", correction="bh", confidence=0.9)
    assert path.read_bytes() == ComparedPlot(kind, found, title=False).as_file("svg")


@pytest.mark.slow
def test_the_command_names_the_baseline_by_name_or_file() -> None:
    base = [EXAMPLE / "qrels.txt", *RUNS, "-m", "AP"]
    by_file = plotted("leaderboard", *base, "--baseline", RUNS[1])
    names = [option for name in ("one", "two", "three") for option in ("--name", name)]
    by_name = plotted("leaderboard", *base, *names, "--baseline", "two")
    assert "mean of lsa" in by_file.stdout
    assert "mean of two" in by_name.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["matrix", "--baseline", "bm25"], "only those with 'bm25' were compared"),
        (["matrix", "-m", "AP", "-m", "P@5"], "matrix draws 1 measure, and there are 2; name one"),
        (["leaderboard", "-k", "5"], "leaderboard does not use --k; leave it out"),
        (["curve", "--test", "t"], "curve does not use --test; leave it out"),
    ],
)
def test_options_that_do_not_suit_a_kind_are_wrong_usage(
    arguments: list[str], message: str
) -> None:
    kind, *options = arguments
    done = plotted(kind, EXAMPLE / "qrels.txt", *RUNS, *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.slow
def test_a_run_is_named_as_in_tables_or_all_in_their_order() -> None:
    base = [EXAMPLE / "qrels.txt", *RUNS[:2], "-m", "AP"]
    in_order = plotted("scatter", *base, "--name", "k1=0.9", "--name", "lsa")
    by_file = plotted("scatter", *base, "--name", "bm25.run=k1=0.9")
    assert in_order.exit_code == by_file.exit_code == 0
    assert in_order.stdout_bytes == by_file.stdout_bytes
    unknown = plotted("scatter", *base, "--name", "none.run=x")
    assert (unknown.exit_code, "names no run; need RUN=NAME" in unknown.stderr) == (2, True)


@pytest.mark.slow
def test_cutoffs_are_drawn_with_defaults_against_the_best_run(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    done = plotted("cutoffs", EXAMPLE / "qrels.txt", *RUNS, "-o", path)
    assert (done.exit_code, done.stdout) == (0, "")
    svg = path.read_text(encoding="utf-8")
    assert "nDCG@k minus that of lsa" in svg
    assert ">20<" in svg


@pytest.mark.slow
def test_cutoffs_count_the_runs_without_a_colour() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(6)}
    runs = {
        f"run {n}": {query: [*"xyz"[: (n + i) % 3], "a"] for i, query in enumerate(qrels)}
        for n in range(17)
    }
    found = rm.compare(qrels, runs, rm.nDCG @ [1, 2, 3], baseline="run 0", resamples=100)
    plot = ComparedPlot("cutoffs", found)
    assert b">grey lines: the other runs; bands: " in plot.as_file("svg")
    assert b">11 more runs<" in plot.as_file("svg", (3.3, 2.5))  # no room for panels
