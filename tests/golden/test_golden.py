"""No number moves: figures worked by hand or printed by others, each with its source."""

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from conformance.cases import NAMES, reference
from conformance.measure_names import parts

ARITHMETIC = {"__builtins__": {}, "exp": math.exp, "log": math.log, "log2": math.log2}


FILES = sorted(Path(__file__).parent.glob("*.toml"))
each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def figures(file: Path) -> list[tuple[str, dict[str, Any]]]:
    """List the figures of a file, each named by its place there and its measure."""
    listed = tomllib.loads(file.read_text("utf-8"))["figure"]
    return [(f"figure {place}, {one['measure']}", one) for place, one in enumerate(listed, 1)]


def labels_of(figure: dict[str, Any]) -> list[float | None]:
    """Give the labels in rank order; TOML has no null, so that an unjudged document is a word."""
    return [None if label == "unjudged" else label for label in figure["labels"]]


@each_file
def test_a_measure_gives_the_golden_figures(file: Path) -> None:
    for place, figure in figures(file):
        measure = rm.measure(figure["measure"])
        found = measure(labels_of(figure), missed=figure.get("missed", []))
        assert found == pytest.approx(figure["value"], rel=1e-12, abs=1e-15), place
        assert measure.name == NAMES[file.stem], place


@each_file
def test_the_slow_reference_gives_the_golden_figures(file: Path) -> None:
    for place, figure in figures(file):
        name, parameters, k = parts(figure["measure"])
        cutoff = {} if k is None else {"k": k}
        slow = reference(file.stem)
        found = slow(labels_of(figure), figure.get("missed", []), **parameters, **cutoff)
        assert found == pytest.approx(figure["value"], rel=1e-12, abs=1e-15), place
        assert name.lower().replace("_", "") == file.stem.replace("_", ""), place


@each_file
def test_golden_figures_are_what_their_working_gives(file: Path) -> None:
    for place, figure in figures(file):
        worked = eval(figure["worked"], ARITHMETIC)
        assert worked == pytest.approx(figure["value"], rel=1e-14), place
        assert figure["source"], place
        # A reader of this repository can look the source up.
        assert ".md" not in figure["source"], place
