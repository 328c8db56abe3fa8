"""Every value lies within the bounds that its measure declares, and reaches them."""

import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import OVER_LABELS, Case, all_cases, cases_of, stem_of
from generators.effort import examples
from generators.random_collections import Collection, collections

BOUNDS = {stem_of(measure): measure.bounds for measure in OVER_LABELS}
SLACK = 1e-12
REACHING = [
    stem_of(one)
    for one in OVER_LABELS
    if one.reaches_bound and one.more_is_better and math.isfinite(one.bounds[1])
]
FROM_BELOW = [
    one
    for one in OVER_LABELS
    if one.aggregate == "mean" and one.more_is_better and one.bounds[0] == 0
]


@given(
    collection=collections(),
    cases=st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1, max_size=40),
)
def test_every_value_lies_within_its_bounds(collection: Collection, cases: list[Case]) -> None:
    ev = rm.evaluate(*collection, [case.ours for case in cases])
    for column, case in enumerate(cases):
        low, high = case.ours.bounds
        for value in ev.scores[:, column].tolist():
            assert low - SLACK <= value <= high + SLACK, case


@pytest.mark.parametrize("measure", FROM_BELOW, ids=lambda measure: measure.name)
def test_the_lower_bound_is_reached_where_nothing_was_retrieved(measure: Any) -> None:
    low, _ = measure.bounds
    assert measure([], missed=[1]) == low


@given(
    stem=st.sampled_from(REACHING),
    size=st.integers(1, 8),
    label=st.sampled_from([2.0, 3.0, 4.0]),
    data=st.data(),
)
def test_a_perfect_ranking_attains_the_upper_bound_of_every_variant(
    stem: str, size: int, label: float, data: st.DataObject
) -> None:
    # Exactly the relevant documents, all of one label, and looked at until the last: whichever of
    # R, n, k and the hits divides, it is the same number.
    case = data.draw(st.sampled_from(cases_of(stem)))
    parameters = {**case.parameters, "k": size} if "k" in case.parameters else case.parameters
    if parameters.get("multiple", 1) > 1 or "percent" in parameters:  # looked at to another rank
        return
    # A mapping may give a label of 0 a gain, which would then be missed.
    worthless = [] if isinstance(parameters.get("gain"), Mapping) else [0.0, -1.0]
    found = Case(stem, parameters).ours([label] * size, missed=worthless)
    assert found == pytest.approx(BOUNDS[stem][1], abs=SLACK), case


@pytest.mark.parametrize("name", ["RankingLoss", "FallOut"])
def test_a_perfect_ranking_has_no_loss(name: str) -> None:
    measure = rm.measure(name)
    assert measure([2, 1, 1], missed=[0]) == measure.bounds[0]
    assert rm.RankingLoss([2, 1, 0, None]) == 0
    assert (rm.FallOut @ 2)([2, 1, 0, None]) == 0


@pytest.mark.parametrize("name", ["RBPResidual", "RankingLoss"])
def test_the_worst_is_reached_where_nothing_was_retrieved(name: str) -> None:
    assert rm.measure(name)([], missed=[1]) == 1


@pytest.mark.parametrize(
    "measure", [m for m in OVER_LABELS if not m.reaches_bound], ids=lambda measure: measure.name
)
def test_a_bound_that_is_said_not_to_be_reached_is_not(measure: Any) -> None:
    # In some variant at least: user models look on past the end.
    cases = [case.ours for case in cases_of(stem_of(measure))]
    assert any(one([2.0, 2.0]) < 1 - SLACK for one in cases)
    assert all(one([2.0, 2.0]) <= 1 + SLACK for one in cases)


labels = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0, -1.0]), max_size=12)
SEE_A_SORTED_LIST_AS_PERFECT = (
    "nDCG",
    'nDCG(gain="exp2")',
    "nDCG(discount=2)",
    'AP(norm="min")',
    'R(norm="min")',
    "RR",
    "Success",
)


@examples(200)
@given(
    labels=labels,
    name=st.sampled_from(SEE_A_SORTED_LIST_AS_PERFECT),
    k=st.sampled_from([None, 1, 2, 5, 20]),
)
def test_a_sorted_ranking_is_perfect_at_every_cutoff(
    labels: list[float], name: str, k: int | None
) -> None:
    labels = sorted(labels, reverse=True)
    measure = rm.measure(name) if k is None else rm.measure(name) @ k
    relevant = any(label >= 1 for label in labels)
    if relevant:
        assert measure(labels) == pytest.approx(1, abs=SLACK)
    elif not name.startswith("nDCG"):
        assert measure(labels) == 0


@given(case=st.sampled_from(cases_of("prefs")), labels=labels)
def test_a_sorted_ranking_fulfils_all_preferences(case: Case, labels: list[float]) -> None:
    found = case.ours(sorted([2.0, *labels, 0.0], reverse=True))
    assert found == pytest.approx(1, abs=SLACK)
