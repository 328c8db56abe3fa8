"""Compatibility against ir_measures, to the depth that its sum has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees
from rankmark import similarity

ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")

DOCS = "abcdefgh"


@given(
    labels=st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), min_size=1),
    ranking=st.permutations(DOCS),
    retrieved=st.integers(1, len(DOCS)),
    p=st.sampled_from([0.5, 0.95]),
)
def test_compatibility_is_that_of_ir_measures_at_the_end_of_the_longer_list(
    labels: dict[str, int], ranking: list[str], retrieved: int, p: float
) -> None:
    # Distinct scores above 0: among equal ones, and below 0, its ideal is not the nearest.
    scores = {doc: 9.0 - rank for rank, doc in enumerate(ranking[:retrieved])}
    relevant = sum(label > 0 for label in labels.values())
    if not relevant:
        return
    longer = max(relevant, len(scores))
    asked = ir_measures.parse_measure(f"Compat(p={p})")
    theirs = ir_measures.calc_aggregate([asked], {"q": labels}, {"q": scores})[asked]
    ours = rm.evaluate({"q": labels}, {"q": scores}, rm.Compat(p=p, k=longer), ties="docid-asc")
    agrees("ir_measures", "Compat", next(iter(ours.values())), theirs, abs=1e-12)


@given(
    labels=st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1),
    scores=st.dictionaries(st.sampled_from(DOCS), st.integers(0, 4).map(float), min_size=1),
    p=st.sampled_from([0.5, 0.95]),
    depth=st.sampled_from([1, 4, 1000]),
)
def test_the_measure_and_the_coefficient_are_one(
    labels: dict[str, int], scores: dict[str, float], p: float, depth: int
) -> None:
    asked = rm.Compat(p=p, k=depth)
    ours = next(iter(rm.evaluate({"q": labels}, {"q": scores}, asked, ties="docid-asc").values()))
    wanted = similarity.compatibility(scores, labels, p=p, depth=depth)
    assert ours == pytest.approx(wanted, abs=1e-12)
