"""What the queries of two runs can detect: ``rankmark.power`` and ``rankmark power``."""

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankmark as rm
from rankmark import statistics
from rankmark.commands.app import app
from unit.commands import rankmark_here, told
from unit.evaluate.repeated_trials import QRELS as QRELS_OF_TRIALS
from unit.evaluate.repeated_trials import A, B, trials_of

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, BM25, LSA = (str(EXAMPLE / name) for name in ("qrels.txt", "bm25.run", "lsa.run"))
FEW = {"resamples": 500}


def here(*arguments: object) -> Result:
    """Run a command in this process, which has imported scipy already."""
    return CliRunner().invoke(app, [*map(str, arguments)])


def differences(measure: str, **conventions: Any) -> np.ndarray:
    one, other = (rm.evaluate(QRELS, run, measure, **conventions) for run in (BM25, LSA))
    return np.array([*other.per_query(measure).values()]) - [*one.per_query(measure).values()]


@pytest.mark.parametrize("asked", [None, 0.05, -0.1])
def test_the_figures_are_those_of_the_statistics(asked: float | None) -> None:
    found = rm.power(QRELS, BM25, LSA, ["AP", "P@5"], difference=asked, **FEW)
    for name in ("AP", "P@5"):
        values, row = differences(name), found[name]
        spread = float(values.std(ddof=1))
        difference = float(values.mean()) if asked is None else asked
        assert (row.n, row.left_out, row.undefined) == (24, 0, "")
        assert row.observed == pytest.approx(values.mean())
        assert row.spread == pytest.approx(spread)
        assert row.difference == pytest.approx(difference)
        detectable = statistics.detectable_difference(spread, 24)
        assert row.detectable == pytest.approx(detectable.difference)
        assert row.power == pytest.approx(statistics.power_of_t(difference, spread, 24).power)
        assert row.required_queries == statistics.required_queries(difference, spread).n
        simulated = statistics.simulated_power(values, difference, **FEW)
        assert row.simulated_power == pytest.approx(simulated.power, abs=0.005)
        by_draws = statistics.simulated_queries(values, difference, **FEW).n
        assert row.simulated_queries == pytest.approx(by_draws, abs=2)
        interval = statistics.mean_interval(values, method="t")
        assert (row.low, row.high) == pytest.approx((interval.low, interval.high))


def test_power_and_level_are_those_asked_for() -> None:
    found = rm.power(QRELS, BM25, LSA, "AP", difference=0.1, power=0.95, level=0.01, **FEW)["AP"]
    expected = statistics.required_queries(0.1, found.spread, power=0.95, level=0.01)
    assert found.required_queries == expected.n
    assert found.low == pytest.approx(
        statistics.mean_interval(differences("AP"), method="t", confidence=0.99).low
    )


def test_a_seed_of_chance_is_told_and_repeats() -> None:
    found = rm.power(QRELS, BM25, LSA, "AP", seed=None, **FEW)
    again = rm.power(QRELS, BM25, LSA, "AP", seed=found.seed, **FEW)
    assert found.rows == again.rows


def test_conventions_are_those_of_evaluate() -> None:
    found = rm.power(QRELS, BM25, LSA, "AP", queries="both", no_relevant="skip", **FEW)
    row = found["AP"]
    assert (row.n, row.left_out) == (22, 1)  # q17 is missing from lsa.run
    assert "AP: 1 query has no score in one of the runs" in found.notes
    assert found.settings["queries"] == "both"
    assert rm.power(rm.Qrels(QRELS), rm.Run(BM25), rm.Run(LSA), "AP", **FEW)["AP"].n == 24


def test_evaluations_give_the_same() -> None:
    pair = [rm.evaluate(QRELS, run, ["RR", "AP"]) for run in (BM25, LSA)]
    wanted = rm.power(QRELS, BM25, LSA, "AP", **FEW)
    assert rm.power(None, *pair, "AP", **FEW).rows == wanted.rows
    assert rm.power(None, *pair, **FEW)["AP"] == wanted["AP"]
    with pytest.raises(rm.SchemaError, match="some runs are evaluations, and some are not"):
        rm.power(QRELS, pair[0], LSA, "AP")


def test_runs_that_are_the_same_tell_nothing() -> None:
    found = rm.power(QRELS, BM25, BM25, "AP")
    row = found["AP"]
    assert row.undefined == "all differences are 0, so their spread is unknown"
    assert math.isnan(row.detectable)
    assert math.isnan(row.power)
    assert row.required_queries is None
    assert f"AP: {row.undefined}" in found.notes
    assert "uncertain" not in str(found)
    written = found.to_dict()["power"][0]
    assert written["detectable"] is written["required_queries"] is None


def test_one_query_tells_nothing() -> None:
    row = rm.power(QRELS, BM25, LSA, "AP", queries=["q03"])["AP"]
    assert row.undefined == "1 query, so the spread of differences is unknown"
    assert row.n == 1
    assert math.isnan(row.low)


def test_a_difference_of_zero_is_found_by_no_test() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    first = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0, "b": 2.0}}
    second = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 2.0, "b": 1.0}}
    row = rm.power(qrels, first, second, "RR")["RR"]
    assert row.observed == 0
    assert row.detectable > 1
    lines = rm.power(qrels, first, second, "RR").notes
    assert "RR: no difference can exceed 1, so these queries are too few to detect any" in lines
    assert row.required_queries is None
    assert row.undefined.startswith("the observed difference is 0")
    given = rm.power(qrels, first, second, "RR", difference=0.4, **FEW)
    assert given["RR"].required_queries > 2
    assert (given.baseline, given.other) == ("baseline", "other")


def test_many_queries_are_not_simulated() -> None:
    row = rm.power(QRELS, BM25, LSA, "AP", difference=0.005)["AP"]
    assert row.required_queries > 5000
    assert row.simulated_queries is None
    assert row.undefined == "more than 5,000 queries would be needed, which is not simulated"
    row = rm.power(QRELS, BM25, LSA, "AP", difference=1e-9)["AP"]
    assert row.undefined == "more than 1,000,000,000 queries would be needed"


def test_the_direction_of_differences_is_told_where_less_is_better() -> None:
    found = rm.power(QRELS, BM25, LSA, ["MeanRank", "AP", "NumRelRet"], **FEW)
    assert not found["MeanRank"].more_is_better
    assert "lower is better in MeanRank: a negative difference is a gain" in found.notes
    assert "NumRelRet: differences are means over the queries" in found.notes


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"difference": 0}, "difference is 0"),
        ({"difference": math.nan}, "difference is nan"),
        ({"power": 1}, "power is 1"),
        ({"power": 0.05}, "power is 0.05, no more than the level"),
        ({"level": 0}, "level is 0"),
        ({"resamples": 0}, "resamples is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_impossible_numbers_are_refused(choices: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        rm.power(QRELS, BM25, LSA, "AP", **choices)
    with pytest.raises(TypeError, match="unexpected keyword"):
        rm.power(QRELS, BM25, LSA, "AP", tie="mean")  # type: ignore[call-arg]
    with pytest.raises(rm.NotEvaluatedError, match="this analysis has AP"):
        rm.power(QRELS, BM25, BM25, "AP")["P@5"]


def test_the_command_shows_what_the_library_finds() -> None:
    done = rankmark_here(
        "power", QRELS, BM25, LSA, "-m", "map", "--difference", "-0.05", "--resamples", 500
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = rm.power(QRELS, BM25, LSA, "AP", difference=-0.05, **FEW)
    table, notes = str(found).split("\n\n")
    assert done.stdout.startswith(f"{table}\n\n{notes.splitlines()[0]}\n")
    assert "power for a difference of -0.05" in done.stdout


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "markdown", "latex"])
def test_every_format_is_written_to_a_file_as_to_stdout(form: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    command = ["power", QRELS, BM25, LSA, "-m", "AP", "--resamples", 200, "--format", form]
    shown, written = here(*command), here(*command, "-o", path)
    assert written.stdout == ""
    assert path.read_text(encoding="utf-8") == shown.stdout
    assert ("paired t test at" in shown.stderr) == ("json" not in form)
    found = rm.power(QRELS, BM25, LSA, "AP", resamples=200)
    if form == "csv":
        (row,) = csv.DictReader(io.StringIO(shown.stdout))
        assert float(row["detectable"]) == found["AP"].detectable
        assert int(row["required_queries"]) == found["AP"].required_queries
    elif "json" in form:
        assert json.loads(shown.stdout) == found.to_dict()
        assert found.to_dict()["baseline"]["sha256"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--difference", "0"], "need a finite number other than 0"),
        (["--difference", "inf"], "need a finite number other than 0"),
        (["--power", "1"], "is not in the range 0<x<1"),
        (["--power", "0.01"], "no more than --level"),
        (["--seed", "-1"], "is not in the range"),
    ],
)
def test_wrong_usage_is_told(options: list[str], message: str) -> None:
    done = here("power", QRELS, BM25, LSA, *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_missing_file_is_told_in_one_line(tmp_path: Path) -> None:
    done = rankmark_here("power", QRELS, BM25, tmp_path / "none.run")
    assert done.returncode == 1
    assert "there is no such file" in told(done)
    assert here("power", QRELS, "-", "-").exit_code == 1


def test_evaluations_of_several_measures_give_the_power_of_one() -> None:
    runs = (rm.evaluate(QRELS, run, ["AP", "RR"]) for run in (BM25, LSA))
    assert "AP" in str(rm.power(None, *runs, "AP", **FEW))


def test_power_weighs_more_trials_against_more_queries() -> None:
    found = rm.power(QRELS_OF_TRIALS, trials_of(A), trials_of(B), "P@100", **FEW)
    row = found["P@100"]
    assert row.variance_of_trials == pytest.approx((0.016754166666666667 + 0.0196875) / 3)
    assert row.variance_of_queries == pytest.approx(row.spread**2 - row.variance_of_trials)
    now, later = row.variance_of_trials, row.variance_of_trials * 3 / 4
    variance = row.variance_of_queries + later
    assert row.queries_for_trial == pytest.approx(8 * (now - later) / variance)
    assert row.cost_for_trial == pytest.approx(2 * row.variance_of_queries * 4 / now)
    assert "cheaper if judging costs over (answers)" in str(found)
    each = [rm.evaluate(QRELS_OF_TRIALS, run, "P@100") for run in trials_of(A)]
    alone = rm.power(None, each, rm.evaluate(QRELS_OF_TRIALS, trials_of(B)[0], "P@100"), **FEW)
    assert alone["P@100"].variance_of_trials == pytest.approx(0.016754166666666667 / 3)
    assert rm.power(None, each[0], each[1], **FEW)["P@100"].cost_for_trial is None
