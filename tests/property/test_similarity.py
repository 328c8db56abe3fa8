"""What is true of every coefficient, whatever the rankings; its facts say what."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.coefficients import CASES, Case
from conformance.reference.similarity.groups import Groups, items_of
from generators.effort import examples
from generators.random_rankings import as_given, as_scores, full_rankings, rankings
from rankmark import similarity
from rankmark.similarity import ALL, Coefficient

SLACK = 1e-12
FACTS = {one.function.__name__: one for one in ALL}
NOT_A_SHARE = ({"normalized": False}, {"norm": "count"}, {"norm": "k"})
shares = [
    case
    for case in CASES
    if not any(case.parameters.items() >= other.items() for other in NOT_A_SHARE)
]
two_way = [
    case
    for case in CASES
    if (FACTS[case.name].symmetric and case.parameters.get("rank") != "a")
    or case.parameters.get("symmetric")
    or (not FACTS[case.name].symmetric and case.parameters["variant"] == "b")
]
signed = ("kendall_tau", "spearman_rho", "weighted_tau", "tau_ap")
by_name = pytest.mark.parametrize("one", ALL, ids=lambda one: one.function.__name__)


@pytest.mark.parametrize("case", shares, ids=str)
@examples(12)
@given(a=rankings(), b=rankings(items="cdefghij"))
def test_every_value_lies_within_its_bounds(case: Case, a: Groups, b: Groups) -> None:
    low, high = FACTS[case.name].bounds
    for value in case.ours(as_given(a), as_given(b)).values():
        assert math.isnan(value) or low - SLACK <= value <= high + SLACK


@pytest.mark.parametrize("case", two_way, ids=str)
@examples(12)
@given(a=rankings(), b=rankings(items="cdefghij"))
def test_rankings_change_places_where_a_coefficient_is_symmetric(
    case: Case, a: Groups, b: Groups
) -> None:
    one = case.ours(as_given(a), as_given(b))
    assert case.ours(as_given(b), as_given(a)) == pytest.approx(one, abs=SLACK, nan_ok=True)


def test_what_is_said_to_be_lopsided_is_so() -> None:
    lopsided = [one.function for one in ALL if not one.symmetric]
    for function in lopsided:
        assert function([1, 2, 3], [3, 1, 2]) != function([3, 1, 2], [1, 2, 3])


@by_name
@given(a=rankings(least=2, ties=False))
def test_a_ranking_and_itself_have_the_value_of_the_same(one: Coefficient, a: Groups) -> None:
    assert float(one.function(items_of(a), items_of(a))) == pytest.approx(one.same, abs=SLACK)


@given(a=rankings(least=1))
def test_ties_are_the_same_as_themselves_where_ties_are_no_doubt(a: Groups) -> None:
    for ties in ("b", "w"):
        assert similarity.rbo(as_given(a), as_given(a), ties=ties).extrapolated == pytest.approx(1)
        assert similarity.average_overlap(as_given(a), as_given(a), ties=ties) == pytest.approx(1)
    assert similarity.kendall_distance(as_given(a), as_given(a), normalized=False) == 0
    assert similarity.spearman_footrule(as_given(a), as_given(a), normalized=False) == 0


@given(a=full_rankings(ties=False))
def test_a_reversal_is_as_far_as_it_goes(a: Groups) -> None:
    there, back = items_of(a), items_of(a)[::-1]
    for name in signed:
        assert getattr(similarity, name)(there, back) == pytest.approx(-1, abs=SLACK)
    assert similarity.kendall_distance(there, back) == 1
    assert similarity.spearman_footrule(there, back) == 1


@pytest.mark.parametrize("name", ["kendall_tau", "spearman_rho"])
@given(a=full_rankings(), b=full_rankings())
def test_a_reversal_of_one_changes_the_sign(name: str, a: Groups, b: Groups) -> None:
    value = getattr(similarity, name)(as_given(a), as_given(b))
    reverse = getattr(similarity, name)(as_given(a), as_given(b)[::-1])
    assert reverse == pytest.approx(-value, abs=SLACK, nan_ok=True)


@pytest.mark.parametrize("case", CASES, ids=str)
@examples(12)
@given(a=rankings(), b=rankings(items="cdefghij"), data=st.data())
def test_what_items_are_called_and_how_scores_are_spaced_changes_nothing(
    case: Case, a: Groups, b: Groups, data: st.DataObject
) -> None:
    called = dict(zip("abcdefghij", data.draw(st.permutations(range(100, 110))), strict=True))
    wanted = case.ours(as_given(a), as_given(b))
    renamed = [
        {called[item]: math.exp(score) for item, score in as_scores(one).items()} for one in (a, b)
    ]
    assert case.ours(*renamed) == pytest.approx(wanted, abs=SLACK, nan_ok=True)


@given(a=full_rankings(ties=False), b=full_rankings(ties=False))
def test_without_ties_all_treatments_of_ties_are_one(a: Groups, b: Groups) -> None:
    one, other = items_of(a), items_of(b)
    for name in ("rbo", "average_overlap"):
        values = [Case(name, {"ties": ties}).ours(one, other) for ties in "abw"]
        assert values[0] == pytest.approx(values[1], abs=SLACK)
        assert values[0] == pytest.approx(values[2], abs=SLACK)
    tau = similarity.kendall_tau(one, other)
    assert similarity.kendall_tau(one, other, variant="a") == pytest.approx(tau, abs=SLACK)
    assert similarity.kendall_distance(one, other) == pytest.approx((1 - tau) / 2, abs=SLACK)
    both_ways = similarity.tau_ap(one, other, symmetric=True)
    assert similarity.tau_ap(one, other, variant="b") == pytest.approx(both_ways, abs=SLACK)


@given(a=rankings(), b=rankings(), k=st.integers(1, 9))
def test_what_lies_below_k_is_as_if_it_were_not_there(a: Groups, b: Groups, k: int) -> None:
    def cut(ranking: Groups) -> list[object]:
        kept: list[list[str]] = []
        for tie in ranking:
            if len(items_of(kept)) < k:
                kept.append(list(tie))
        return as_given(kept)

    for name in ("kendall_distance", "kendall_tau", "spearman_rho", "weighted_tau", "tau_ap"):
        function = getattr(similarity, name)
        assert function(as_given(a), as_given(b), k=k) == pytest.approx(
            function(cut(a), cut(b)), abs=SLACK, nan_ok=True
        )
    assert similarity.jaccard(as_given(a), as_given(b), k) == pytest.approx(
        similarity.jaccard(cut(a), cut(b)), nan_ok=True
    )
    found = similarity.rbo(as_given(a), as_given(b), k=k)
    assert found.min == pytest.approx(similarity.rbo(cut(a), cut(b)).min, abs=SLACK)


@given(a=rankings(least=1, ties=False), b=rankings(least=1, ties=False), p=st.floats(0.05, 0.99))
def test_rbo_is_between_its_ends_and_they_draw_together(a: Groups, b: Groups, p: float) -> None:
    one, other = items_of(a), items_of(b)
    found = similarity.rbo(one, other, p=p)
    assert -SLACK <= found.truncated <= found.min + SLACK
    assert found.min - SLACK <= found.extrapolated <= found.max + SLACK
    assert found.max <= 1 + SLACK
    # One more item on either list takes nothing back, and leaves less in doubt.
    deeper = similarity.rbo([*one, "one more"], [*other, "another"], p=p)
    assert deeper.min >= found.min - SLACK
    assert deeper.max <= found.max + SLACK


@given(a=rankings(), b=rankings())
def test_dropping_is_leaving_out_before(a: Groups, b: Groups) -> None:
    common = set(items_of(a)) & set(items_of(b))
    kept = [[[x for x in tie if x in common] for tie in one] for one in (a, b)]
    left = [as_given([tie for tie in one if tie]) for one in kept]
    for case in CASES:
        if case.name in (*signed, "kendall_distance", "spearman_footrule"):
            dropped = case.ours(as_given(a), as_given(b), missing="drop")
            assert dropped == pytest.approx(case.ours(*left), abs=SLACK, nan_ok=True)
