"""Measures of a run on small sets of recommendations: figures of other tools, or by hand."""

import tomllib
from pathlib import Path

import pytest

import rankmark as rm
from generators.recommendations import LISTS, SHORT_LISTS, TEST
from rankmark.measures import EVERY

FILES = sorted((Path(__file__).parent / "of_runs").glob("*.toml"))
RUNS = {"D": LISTS, "short": SHORT_LISTS}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_measure_of_a_run_gives_the_golden_figures(file: Path) -> None:
    for figure in tomllib.loads(file.read_text("utf-8"))["figure"]:
        measure = rm.measure(figure["measure"])
        ev = rm.evaluate(TEST, RUNS[figure["data"]], measure, catalogue=[*"abcde"])
        _, _, decimals = figure["printed"].partition(".")
        wanted = pytest.approx(float(figure["printed"]), abs=0.51 * 10.0 ** -len(decimals))
        assert ev[measure] == wanted, figure
        assert measure.name.lower() == file.stem.replace("_", "")
        assert figure["source"]


def test_every_measure_of_a_run_has_figures() -> None:
    named = {one.name.lower() for one in EVERY if one.depends_on == "run"}
    assert named == {file.stem.replace("_", "") for file in FILES}
