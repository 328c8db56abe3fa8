"""What documents add is what makes the value: for every measure, on whatever ranking."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.cases import NAMES, Case, cases_of
from conformance.random_collections import LABELS
from rankmark.explanations import Explanation
from rankmark.measures import ALL

SUBTOPICS = ("1", "2", "ü")
SEES_SUBTOPICS = {measure.name for measure in ALL if measure.sees == "subtopics"}


def adds_up(told: Explanation) -> None:
    """Check that contributions add up to the value, and so does the running total."""
    shares = [row["contribution"] for row in told.rows]
    scale = max(1.0, abs(told.value), math.fsum(map(abs, shares)))
    assert math.fsum(shares) == pytest.approx(told.value, abs=1e-12 * scale, rel=0)
    if told.rows:
        assert told.rows[-1]["total"] == pytest.approx(told.value, abs=1e-12 * scale, rel=0)
    else:
        assert told.value == 0


def works_out(told: Explanation) -> None:
    """Check that the formula, worked as it is written, gives the value."""
    named = f"{told.measure} = "
    assert told.formula.startswith(named)
    *steps, value = told.formula.removeprefix(named).split(" = ")
    assert float(value) == pytest.approx(told.value, rel=1e-5, abs=1e-300)
    for step in steps:
        if "more)" not in step:
            assert worked(step) == pytest.approx(told.value, rel=1e-4, abs=1e-4), told.formula


def worked(step: str) -> float:
    """Work out what stands between two signs of equality; nothing of nothing is 0."""
    names = {"log2": math.log2, "ln": math.log, "min": min, "max": max}
    try:
        return eval(step.replace("^", "**"), {"__builtins__": {}}, names)
    except ZeroDivisionError:
        return 0.0


def documents(labels: Any) -> Any:
    """Give labels in rank order, and those that were not retrieved."""
    return st.tuples(st.lists(st.none() | labels, max_size=12), st.lists(labels, max_size=5))


plain = documents(st.sampled_from(LABELS))
diverse = documents(
    st.dictionaries(st.sampled_from(SUBTOPICS), st.sampled_from(LABELS), max_size=3)
)


@pytest.mark.parametrize("stem", sorted(NAMES))
@settings(max_examples=60)
@given(data=st.data())
def test_contributions_of_one_ranking_add_up(stem: str, data: st.DataObject) -> None:
    ranked, missed = data.draw(diverse if NAMES[stem] in SEES_SUBTOPICS else plain)
    some = st.lists(st.sampled_from(cases_of(stem)), min_size=1, max_size=8, unique_by=str)
    cases: list[Case] = data.draw(some)
    for case in cases:
        told = case.ours.explain(ranked, missed=missed)
        assert told.value == case.ours(ranked, missed=missed)
        adds_up(told)
        works_out(told)
        relevant = told.counts["tp"] + told.counts["fn"]
        assert 0 <= relevant <= len(ranked) + len(missed)
