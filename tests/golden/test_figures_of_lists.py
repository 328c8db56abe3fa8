"""Measures of lists on small sets of recommendations: figures of other tools, or by hand."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from generators.recommendations import (
    CATEGORIES,
    GROUPS,
    HISTORY,
    LISTS,
    RANKINGS,
    RELEVANT,
    SHORT_LISTS,
    TEST,
)
from rankmark.measures import EVERY

FILES = sorted((Path(__file__).parent / "of_lists").glob("*.toml"))
SETS: dict[str, dict[str, Any]] = {
    "D": {"run": LISTS, "items": CATEGORIES},
    "short": {"run": SHORT_LISTS, "items": CATEGORIES},
    "first": {"run": LISTS, "items": {item: names[:1] for item, names in CATEGORIES.items()}},
    "features": {
        "qrels": {"u1": ["1"], "u2": ["1"]},
        "run": {"u1": ["1", "2", "3"], "u2": ["1", "4"]},
        "items": {"1": [0, 0], "2": [0, 1], "3": [1, 1], "4": [0, 0]},
        "history": None,
        "catalogue": ["1", "2", "3", "4"],
    },
    "F": {
        "qrels": RELEVANT,
        "run": RANKINGS,
        "groups": GROUPS,
        "history": None,
        "catalogue": [*"abcdef"],
    },
    "X": {
        "qrels": {"q": ["a", "c"]},
        "run": {"q": [*"abcde"]},
        "groups": dict(zip("abcde", "XXYYY", strict=True)),
        "history": None,
    },
    "T": {
        "qrels": {"q": ["d2", "d3", "d4", "d9"]},
        "run": {"q": ["d1", "d2", "d3", "d4", "d5"]},
        "document_costs": {"d1": 400, "d2": 300, "d3": 900, "d4": 200, "d5": 100},
        "history": None,
        "catalogue": None,
    },
}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_measure_of_lists_gives_the_golden_figures(file: Path) -> None:
    figures = tomllib.loads(file.read_text("utf-8"))["figure"]
    for name, data in SETS.items():
        of_set = [one for one in figures if one["data"] == name]
        if not of_set:
            continue
        given = {"qrels": TEST, "history": HISTORY, "catalogue": [*"abcde"], **data}
        asked = [rm.measure(one["measure"]) for one in of_set]
        takes_items = {"ILD", "CategoryCoverage", "CategoryEntropy", "Miscalibration"}
        if asked[0].name not in takes_items:
            given.pop("items", None)
        ev = rm.evaluate(measures=asked, **given)
        for measure, figure in zip(asked, of_set, strict=True):
            _, _, decimals = figure["printed"].partition(".")
            wanted = pytest.approx(
                float(figure["printed"]), abs=0.51 * 10.0 ** -len(decimals), nan_ok=True
            )
            of_queries = ev.per_query(str(measure))
            assert of_queries.get(figure.get("query"), ev[str(measure)]) == wanted, figure
            assert measure.name.lower() == file.stem.replace("_", "")
            assert figure["source"]


def test_every_measure_of_lists_has_figures() -> None:
    named = {one.name.lower() for one in EVERY if one.depends_on == "lists"}
    assert named == {file.stem.replace("_", "") for file in FILES}
