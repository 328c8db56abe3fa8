"""No number moves: figures worked by hand or printed by others, each with its source."""

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from conformance.cases import NAMES, reference
from conformance.measure_names import parts

ARITHMETIC = {"__builtins__": {}, "log": math.log, "log2": math.log2}


def figures() -> list[Any]:
    """List the figures of all files, each named by its file, its place there and its measure."""
    listed = []
    for path in sorted(Path(__file__).parent.glob("*.toml")):
        for place, figure in enumerate(tomllib.loads(path.read_text("utf-8"))["figure"], start=1):
            name = f"{path.stem}-{place}-{figure['measure']}"
            listed.append(pytest.param(path.stem, figure, id=name))
    return listed


def labels_of(figure: dict[str, Any]) -> list[float | None]:
    """Give the labels in rank order; TOML has no null, so that an unjudged document is a word."""
    return [None if label == "unjudged" else label for label in figure["labels"]]


@pytest.mark.parametrize(("stem", "figure"), figures())
def test_a_measure_gives_the_golden_figure(stem: str, figure: dict[str, Any]) -> None:
    measure = rm.measure(figure["measure"])
    found = measure(labels_of(figure), missed=figure.get("missed", []))
    assert found == pytest.approx(figure["value"], rel=1e-12, abs=1e-15)
    assert measure.name == NAMES[stem]


@pytest.mark.parametrize(("stem", "figure"), figures())
def test_the_slow_reference_gives_the_golden_figure(stem: str, figure: dict[str, Any]) -> None:
    name, parameters, k = parts(figure["measure"])
    cutoff = {} if k is None else {"k": k}
    found = reference(stem)(labels_of(figure), figure.get("missed", []), **parameters, **cutoff)
    assert found == pytest.approx(figure["value"], rel=1e-12, abs=1e-15)
    assert name.lower().replace("_", "") == stem.replace("_", "")


@pytest.mark.parametrize(("stem", "figure"), figures())
def test_a_golden_figure_is_what_its_working_gives(stem: str, figure: dict[str, Any]) -> None:
    worked = eval(figure["worked"], ARITHMETIC)
    assert worked == pytest.approx(figure["value"], rel=1e-14), stem
    assert figure["source"]
    assert ".md" not in figure["source"]  # a reader of this repository can look the source up
