"""Each coefficient is what its paper says: slow plain Python, pair by pair and depth by depth."""

import math
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conformance.coefficients import CASES, CHOICES, Case, reference, stem_of
from conformance.reference.similarity.compatibility import compatibility as best_of_all_ideals
from conformance.reference.similarity.groups import Groups, items_of, orders
from generators.effort import examples
from generators.random_rankings import as_given, as_scores, rankings
from rankmark import similarity

NOT_A_COEFFICIENT = {"agreement", "groups"}
QUESTIONS = ["Formula:", "Only in one list:", "Ties:", "Bounds:", "Elsewhere:", "Source:"]
NAMES = [one.function.__name__ for one in similarity.ALL]
quick = [case for case in CASES if case.name != "tau_ap"]


def agree(case: Case, a: Groups, b: Groups) -> None:
    ours, wanted = case.ours(as_given(a), as_given(b)), case.reference(a, b)
    assert ours.keys() == wanted.keys()
    for name, value in wanted.items():
        assert ours[name] == pytest.approx(value, abs=1e-11, nan_ok=True), (case, name)


@pytest.mark.parametrize("case", quick, ids=str)
@examples(25)
@given(a=rankings(), b=rankings())
@example(a=[], b=[])
@example(a=[["a"]], b=[])
@example(a=[["a"]], b=[["a"]])
@example(a=[["a", "b", "c"]], b=[["c"], ["b"], ["a"]])
@example(a=[["a"], ["b"]], b=[["c"], ["d"], ["e"], ["f", "g"]])
def test_a_coefficient_agrees_with_its_slow_reference(case: Case, a: Groups, b: Groups) -> None:
    agree(case, a, b)


@pytest.mark.parametrize("case", [case for case in CASES if case.name == "tau_ap"], ids=str)
@examples(25)
@given(a=rankings(items="abcd"), b=rankings(items="abcd"))
@example(a=[["a"]], b=[["a"]])
@example(a=[["a", "b", "c"]], b=[["c"], ["b"], ["a"]])
def test_ap_correlation_agrees_with_the_mean_over_all_orders(
    case: Case, a: Groups, b: Groups
) -> None:
    agree(case, a, b)


@examples(40)
@given(
    run=rankings(items="abcdefgh", ties=False),
    labels=st.dictionaries(st.sampled_from("abcdefij"), st.sampled_from([-1, 0, 1, 2]), max_size=5),
    p=st.sampled_from([0.5, 0.95]),
    depth=st.sampled_from([1, 3, 30]),
)
def test_compatibility_is_the_best_of_all_ideal_rankings(
    run: Groups, labels: dict[str, float], p: float, depth: int
) -> None:
    ours = similarity.compatibility(items_of(run), labels, p=p, depth=depth)
    wanted = best_of_all_ideals(items_of(run), labels, p=p, depth=depth)
    assert ours == pytest.approx(wanted, abs=1e-12)


@examples(30)
@given(a=rankings(items="abcd"), b=rankings(items="abcde"), p=st.sampled_from([0.5, 0.9]))
def test_rbo_a_is_the_mean_of_rbo_over_all_orders_of_ties(a: Groups, b: Groups, p: float) -> None:
    found = [similarity.rbo(one, other, p=p) for one in orders(a) for other in orders(b)]
    ours = similarity.rbo(as_given(a), as_given(b), p=p, ties="a")
    as_long = len(items_of(a)) == len(items_of(b))
    for name in ("min", "truncated", *(("extrapolated", "residual") if as_long else ())):
        mean = math.fsum(getattr(one, name) for one in found) / len(found)
        assert getattr(ours, name) == pytest.approx(mean, abs=1e-12, nan_ok=True)


@given(a=rankings(), b=rankings())
def test_a_list_with_sets_and_a_mapping_of_scores_are_one_ranking(a: Groups, b: Groups) -> None:
    for case in (Case("rbo", {"ties": "b"}), Case("kendall_tau", {}), Case("spearman_rho", {})):
        assert case.ours(as_given(a), as_given(b)) == pytest.approx(
            case.ours(as_scores(a), as_scores(b)), abs=1e-12, nan_ok=True
        )


@pytest.mark.parametrize("name", [*NAMES, "compatibility"])
def test_a_coefficient_has_all_its_voices(root: Path, name: str) -> None:
    stem = stem_of(name)
    assert (root / "src" / "rankmark" / "similarity" / f"{stem}.py").is_file()
    assert (root / "tests" / "golden" / "similarity" / f"{stem}.toml").is_file()
    assert reference(name).__name__ == name
    said = getattr(similarity, name).__doc__
    assert [said.count(question) for question in QUESTIONS] == [1] * len(QUESTIONS)
    assert sorted(QUESTIONS, key=said.index) == QUESTIONS


def test_every_coefficient_is_public_and_tried_with_every_choice() -> None:
    assert set(NAMES) == set(CHOICES)
    assert {*NAMES, "compatibility"} <= set(similarity.__all__)


def test_every_reference_and_golden_file_speaks_for_a_coefficient(root: Path) -> None:
    stems = {stem_of(name) for name in [*NAMES, "compatibility"]}
    references = (root / "tests" / "conformance" / "reference" / "similarity").glob("*.py")
    assert {path.stem for path in references} == stems | NOT_A_COEFFICIENT
    golden = (root / "tests" / "golden" / "similarity").glob("*.toml")
    assert {path.stem for path in golden} == stems
