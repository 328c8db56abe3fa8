"""No coefficient moves: figures of papers and packages, or worked by hand, each with its source."""

import math
import re
import tomllib
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.coefficients import CHOICES, Case, as_values, reference, stem_of
from conformance.reference.similarity.groups import Groups, items_of, top
from generators.random_rankings import as_given
from rankmark import similarity

ARITHMETIC = {"__builtins__": {}, "sqrt": math.sqrt, "abs": abs}


def figures() -> list[Any]:
    """List the figures of all files, each named by its file and its place there."""
    listed = []
    for path in sorted((Path(__file__).parent / "similarity").glob("*.toml")):
        for place, figure in enumerate(tomllib.loads(path.read_text("utf-8"))["figure"], start=1):
            listed.append(pytest.param(path.stem, figure, id=f"{path.stem}-{place}"))
    return listed


def groups_of(written: str | list[float]) -> Groups:
    """Read a ranking: ids, best first, ties in brackets; or scores, an item being a place."""
    if isinstance(written, str):
        found = re.findall(r"\(([^)]*)\)|(\S+)", written)
        return [tie.split() if tie else [item] for tie, item in found]
    by_score = sorted(range(len(written)), key=lambda at: -written[at])
    return [[str(at) for at in tie] for _, tie in groupby(by_score, key=written.__getitem__)]


def taken(written: str | list[float]) -> Any:
    """Write a ranking as users do."""
    return as_given(groups_of(written)) if isinstance(written, str) else np.array(written)


def labels_of(written: str) -> dict[str, float]:
    """Give judgments, the first tie having the highest label."""
    ties = groups_of(written)
    return {item: len(ties) - at for at, tie in enumerate(ties) for item in tie}


def assert_figure(found: float, figure: dict[str, Any]) -> None:
    if "worked" in figure:
        wanted = eval(figure["worked"], ARITHMETIC)
        assert found == pytest.approx(wanted, rel=1e-12, abs=1e-15)
    else:  # as many digits as were printed
        _, _, decimals = figure["printed"].partition(".")
        wanted = float(figure["printed"])
        assert found == pytest.approx(wanted, rel=1e-14, abs=0.51 * 10.0 ** -len(decimals))
    assert figure["source"]


@pytest.mark.parametrize(("stem", "figure"), figures())
def test_a_coefficient_gives_the_golden_figure(stem: str, figure: dict[str, Any]) -> None:
    name, parameters = figure["coefficient"], figure.get("parameters", {})
    b = labels_of(figure["b"]) if name == "compatibility" else taken(figure["b"])
    found = as_values(getattr(similarity, name)(taken(figure["a"]), b, **parameters))
    assert_figure(found[figure.get("value", "")], figure)
    assert stem_of(name) == stem


@pytest.mark.parametrize(("stem", "figure"), figures())
def test_the_slow_reference_gives_the_golden_figure(stem: str, figure: dict[str, Any]) -> None:
    name, parameters = figure["coefficient"], figure.get("parameters", {})
    if name == "compatibility":
        found = {
            "": reference(name)(
                items_of(groups_of(figure["a"])), labels_of(figure["b"]), **parameters
            )
        }
    else:
        ranked = [groups_of(figure["a"]), groups_of(figure["b"])]
        if "k" in parameters and "k" not in CHOICES[name]:  # what takes no k is cut before
            ranked = [top(one, parameters["k"]) for one in ranked]
            parameters = {key: value for key, value in parameters.items() if key != "k"}
        found = Case(name, parameters).reference(*ranked)
    assert_figure(found[figure.get("value", "")], figure)
    assert stem
