"""Cutoffs and swaps move a value in the direction that its measure declares."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import OVER_LABELS, Case, cases_of, has_cutoff, stem_of
from generators.effort import examples

SLACK = 1e-12
labels = st.sampled_from([None, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
rankings = st.lists(labels, max_size=12)
missing = st.lists(st.sampled_from([-1.0, 0.0, 1.0, 2.0, 3.0]), max_size=5)

CUT = [measure for measure in OVER_LABELS if has_cutoff(stem_of(measure))]
GROWING = [measure for measure in CUT if measure.grows_with_k]
NOT_GROWING = [measure for measure in CUT if not measure.grows_with_k]
PROMOTING = [measure for measure in OVER_LABELS if measure.promoting_helps]
# Each of these falls, for some measure, as k grows.
FALLING = ([1, 0], [0, None], [None, 0], [1, 0, 1], [0, 1, 0], [1, 0, 0, 0, 0, 0, 0, 2])


@examples(200)
@given(measure=st.sampled_from(GROWING), ranking=rankings, missed=missing, k=st.integers(1, 14))
def test_a_measure_that_grows_with_k_never_falls(
    measure: Any, ranking: list[float | None], missed: list[float], k: int
) -> None:
    before = (measure @ k)(ranking, missed=missed)
    assert (measure @ (k + 1))(ranking, missed=missed) >= before - SLACK


@pytest.mark.parametrize("measure", NOT_GROWING, ids=lambda measure: measure.name)
def test_a_measure_that_does_not_grow_with_k_falls_somewhere(measure: Any) -> None:
    # In one of its variants at least: AP grows with k unless k is in its denominator.
    stem = stem_of(measure)
    variants = [case.parameters for case in cases_of(stem) if "k" not in case.parameters]
    falls = [
        at_k.ours(list(ranking)) > at_next.ours(list(ranking))
        for parameters in variants
        for ranking in FALLING
        for k in range(1, len(ranking))
        for at_k in [Case(stem, {**parameters, "k": k})]
        for at_next in [Case(stem, {**parameters, "k": k + 1})]
    ]
    assert any(falls)


def test_every_measure_with_a_cutoff_declares_whether_it_grows() -> None:
    assert {type(measure.grows_with_k) for measure in CUT} == {bool}
    assert {measure.name for measure in NOT_GROWING} >= {"P", "F", "nDCG", "Judged"}


@examples(300)
@given(
    measure=st.sampled_from(PROMOTING),
    ranking=st.lists(labels, min_size=2, max_size=12),
    missed=missing,
    k=st.sampled_from([None, 1, 2, 3, 5, 20]),
    data=st.data(),
)
def test_promoting_a_relevant_document_never_hurts(
    measure: Any,
    ranking: list[float | None],
    missed: list[float],
    k: int | None,
    data: st.DataObject,
) -> None:
    relevant = [place for place, label in enumerate(ranking) if place and (label or 0) >= 1]
    if not relevant:
        return
    place = data.draw(st.sampled_from(relevant))
    above = [p for p in range(place) if (ranking[p] or 0) < 1]
    if not above:
        return
    to = data.draw(st.sampled_from(above))
    promoted = list(ranking)
    promoted[to], promoted[place] = ranking[place], ranking[to]
    measure = measure @ k if k is not None and has_cutoff(stem_of(measure)) else measure
    before = measure(ranking, missed=missed)
    change = measure(promoted, missed=missed) - before
    assert (change if measure.more_is_better else -change) >= -SLACK


def rankings_of_all_lengths(most: int) -> list[tuple[float | None, ...]]:
    known = (None, -1.0, 0.0, 0.5, 1.0, 2.0)
    return [one for size in range(most + 1) for one in itertools.product(known, repeat=size)]


def test_facts_hold_of_every_short_ranking() -> None:
    # Each ranking of up to four documents, with each of five lists of missed ones, is a query.
    queries = [
        (ranking, missed)
        for ranking in rankings_of_all_lengths(4)
        for missed in ((), (1.0,), (0.0,), (2.0, 1.0), (-1.0, 0.0))
    ]
    qrels = [
        {f"d{place}": label for place, label in enumerate(ranking) if label is not None}
        | {f"m{place}": label for place, label in enumerate(missed)}
        or {"elsewhere": -1.0}
        for ranking, missed in queries
    ]
    runs = [{f"d{place}": -float(place) for place in range(len(one))} for one, _ in queries]
    number = {query: at for at, query in enumerate(queries)}
    before, after = [], []
    for (ranking, missed), at in number.items():
        for lower, upper in itertools.permutations(range(len(ranking)), 2):
            if upper < lower and (ranking[lower] or 0) >= 1 > (ranking[upper] or 0):
                promoted = list(ranking)
                promoted[upper], promoted[lower] = ranking[lower], ranking[upper]
                before.append(at)
                after.append(number[tuple(promoted), missed])
    held_qrels = rm.Qrels({str(at): one for at, one in enumerate(qrels)})
    held_run = rm.Run({str(at): one for at, one in enumerate(runs)})
    for measure in OVER_LABELS:
        cutoffs = [measure @ k for k in range(1, 6)] if measure in CUT else []
        ev = rm.evaluate(held_qrels, held_run, [measure, *cutoffs])
        assert [int(query) for query in ev.queries] == list(range(len(queries)))
        low, high = measure.bounds
        assert ((ev.scores >= low - SLACK) & (ev.scores <= high + SLACK)).all(), measure
        change = ev.scores[after] - ev.scores[before]
        if measure.promoting_helps:
            assert ((change if measure.more_is_better else -change) >= -SLACK).all(), measure
        if measure.grows_with_k:
            assert (np.diff(ev.scores[:, 1:]) >= -SLACK).all(), measure


def test_ranking_loss_is_never_hurt_without_a_cutoff_but_may_be_at_one() -> None:
    ranking, promoted = [None, 1, None, 1], [None, 1, 1, None]
    assert rm.RankingLoss(promoted) < rm.RankingLoss(ranking)
    # The relevant document that comes inside puts one out that it would have lost to.
    assert (rm.RankingLoss @ 3)(promoted) - (rm.RankingLoss @ 3)(ranking) == 0.25


def test_promoting_may_hurt_q_past_a_document_of_a_higher_gain() -> None:
    ranking, promoted = [None, None, None, 2, 1], [None, None, 1, 2, None]
    assert rm.Q(promoted) < rm.Q(ranking)
    assert not rm.Q.promoting_helps


def test_a_measure_of_order_rises_where_a_relevant_document_is_promoted() -> None:
    for name in ("RR", "AP", "nDCG", "DCG"):
        measure = rm.measure(name)
        assert measure([0, 1, 0]) < measure([1, 0, 0]), name
