"""Measures of a run on small sets of recommendations: figures of other tools, or by hand."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from generators.recommendations import (
    GROUPS,
    HISTORY,
    LISTS,
    RANKINGS,
    RELEVANT,
    SHORT_LISTS,
    TEST,
)
from rankmark.measures import EVERY
from rankmark.measures.of_runs.run_measure import RunMeasure

FILES = sorted((Path(__file__).parent / "of_runs").glob("*.toml"))
RUNS: dict[str, dict[str, Any]] = {
    "D": {"qrels": TEST, "run": LISTS, "history": HISTORY},
    "short": {"qrels": TEST, "run": SHORT_LISTS},
    "F": {"qrels": RELEVANT, "run": RANKINGS, "groups": GROUPS, "catalogue": None},
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_measure_of_a_run_gives_the_golden_figures(file: Path) -> None:
    for figure in tomllib.loads(file.read_text("utf-8"))["figure"]:
        measure = rm.measure(figure["measure"])
        given = {"catalogue": [*"abcde"]} | RUNS[figure["data"]]
        ev = rm.evaluate(measures=measure, **given)
        _, _, decimals = figure["printed"].partition(".")
        wanted = pytest.approx(float(figure["printed"]), abs=0.51 * 10.0 ** -len(decimals))
        assert ev[measure] == wanted, figure
        assert measure.name.lower() == file.stem.replace("_", "")
        assert figure["source"]


def test_every_measure_of_a_run_has_figures() -> None:
    named = {one.name.lower() for one in EVERY if isinstance(one, RunMeasure)}
    assert named == {file.stem.replace("_", "") for file in FILES}
