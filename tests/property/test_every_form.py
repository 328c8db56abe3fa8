"""One collection in whatever form gives the same scores, to the bit."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import Case, all_cases
from generators.forms import (
    IN_ORDER,
    OF_FULL_GRIDS,
    OF_GRIDS,
    RELEVANT,
    WITH_IDS,
    WITH_NUMBERS,
    Grid,
)
from generators.random_collections import LABELS, SCORES, Collection, collections
from generators.random_grids import grids
from generators.trec_files import Dress, write_qrels, write_run

some_cases = st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1, max_size=8)
all_ties = st.sampled_from(["docid", "docid-asc", "input"])
shapes = st.tuples(st.integers(1, 4), st.integers(1, 12))


def scores_of(qrels: Any, run: Any, cases: list[Case], **conventions: Any) -> bytes:
    measures = [case.ours for case in cases]
    return rm.evaluate(qrels, run, measures, **conventions).scores.tobytes()


@given(
    collection=collections(least=1),
    cases=some_cases,
    ties=all_ties,
    qrels_form=st.sampled_from(sorted(WITH_IDS)),
    run_form=st.sampled_from(sorted(WITH_IDS)),
)
def test_ids_of_any_text_meet_through_every_form(
    collection: Collection, cases: list[Case], ties: Any, qrels_form: str, run_form: str
) -> None:
    wanted = scores_of(*collection, cases, ties=ties)
    qrels = WITH_IDS[qrels_form](collection.qrels)
    run = WITH_IDS[run_form](collection.run)
    assert scores_of(qrels, run, cases, ties=ties) == wanted


@given(data=st.data(), shape=shapes, cases=some_cases, ties=all_ties)
def test_whole_numbers_meet_text_through_every_form(
    data: st.DataObject, shape: tuple[int, int], cases: list[Case], ties: Any
) -> None:
    labels = data.draw(grids(shape, LABELS, least=1))
    scores = data.draw(grids(shape, SCORES, least=1))
    wanted = scores_of(labels.nested, scores.nested, cases, ties=ties)
    forms = WITH_IDS | WITH_NUMBERS
    qrels = forms[data.draw(st.sampled_from(sorted(forms)))](labels.nested)
    run = forms[data.draw(st.sampled_from(sorted(forms)))](scores.nested)
    assert scores_of(qrels, run, cases, ties=ties) == wanted


@given(data=st.data(), shape=shapes, cases=some_cases, ties=all_ties)
def test_arrays_and_ids_give_the_same_bits(
    data: st.DataObject, shape: tuple[int, int], cases: list[Case], ties: Any
) -> None:
    labels = data.draw(grids(shape, LABELS, least=1))
    scores = data.draw(grids(shape, SCORES, least=0))
    assume(scores.present.any())
    wanted = scores_of(labels.nested, scores.nested, cases, ties=ties)
    array, options = OF_GRIDS[data.draw(st.sampled_from(sorted(OF_GRIDS)))](labels)
    qrels = rm.Qrels(array, **options)
    array, options = OF_GRIDS[data.draw(st.sampled_from(sorted(OF_GRIDS)))](scores)
    run = rm.Run(array, **options)
    assert scores_of(qrels, run, cases, ties=ties) == wanted
    numbers = data.draw(st.sampled_from(sorted(WITH_NUMBERS)))
    assert scores_of(WITH_NUMBERS[numbers](labels.nested), run, cases, ties=ties) == wanted
    assert scores_of(qrels, WITH_NUMBERS[numbers](scores.nested), cases, ties=ties) == wanted


@given(
    data=st.data(),
    shape=st.tuples(st.integers(1, 4), st.integers(2, 12)),  # a group of one may be a size or an id
    cases=some_cases,
    ties=all_ties,
    depth=st.sampled_from([None, 1, 3]),
    judged_only=st.booleans(),
)
def test_places_and_ids_give_the_same_bits(
    data: st.DataObject,
    shape: tuple[int, int],
    cases: list[Case],
    ties: Any,
    depth: int | None,
    judged_only: bool,
) -> None:
    labels, scores = data.draw(grids(shape, LABELS, 1)), data.draw(grids(shape, SCORES, 1))
    labels.present[:] = scores.present[:] = True
    conventions = {"ties": ties, "depth": depth, "judged_only": judged_only}
    wanted = scores_of(labels.nested, scores.nested, cases, **conventions)
    make = OF_FULL_GRIDS[data.draw(st.sampled_from(sorted(OF_FULL_GRIDS)))]
    array, options = make(labels.values)
    qrels = rm.Qrels(array, **options)
    array, options = make(scores.values)
    run = rm.Run(array, **options)
    assert scores_of(qrels, run, cases, **conventions) == wanted
    assert scores_of(qrels, scores.nested, cases, **conventions) == wanted
    assert scores_of(labels.nested, run, cases, **conventions) == wanted


@given(
    dice=st.integers(0, 2**32).map(np.random.default_rng),
    items=st.sampled_from([1, 2, 11, 12, 40, 150]),
    distinct=st.sampled_from([1, 3, 30, 10_000]),
    present=st.sampled_from([0.2, 0.9, 1.0]),
    cases=some_cases,
    ties=all_ties,
    depth=st.sampled_from([None, 1, 2, 10, 40]),
    judged_only=st.booleans(),
    threads=st.sampled_from([1, 3]),
)
def test_long_rows_and_dicts_give_the_same_bits_and_counts(
    dice: np.random.Generator,
    items: int,
    distinct: int,
    present: float,
    cases: list[Case],
    threads: int,
    **conventions: Any,
) -> None:
    queries = 40  # more than a thread takes at a time
    labels = Grid(dice.choice(LABELS, (queries, items)), dice.random((queries, items)) < present)
    scores = dice.integers(distinct, size=(queries, items)) / 8 - 1
    if dice.random() < 0.3:
        scores = -np.sort(-scores, axis=1)
    measures = [case.ours for case in cases]
    assume(labels.present.any())
    wanted = rm.evaluate(
        labels.nested, Grid(scores, labels.present).nested, measures, **conventions
    )
    mask = None if labels.present.all() else labels.present
    qrels, run = rm.Qrels(labels.values, mask=mask), rm.Run(scores, mask=mask)
    found = rm.evaluate(qrels, run, measures, threads=threads, **conventions)
    assert found.scores.tobytes() == wanted.scores.tobytes()
    places_are_no_ids = {"self_matches": 0, "self_matches_ndcg": None}
    audits = [one.audit.to_dict() | places_are_no_ids for one in (found, wanted)]
    assert audits[0] == audits[1]


@given(data=st.data(), shape=shapes, cases=some_cases)
def test_orders_without_scores_give_the_same_bits(
    data: st.DataObject, shape: tuple[int, int], cases: list[Case]
) -> None:
    labels = data.draw(grids(shape, [1.0], least=1))
    scores = data.draw(grids(shape, [0.0], least=1))
    for row in scores.values:
        row[:] = data.draw(st.permutations(range(len(row))))
    wanted = scores_of(labels.nested, scores.nested, cases)
    run = IN_ORDER[data.draw(st.sampled_from(sorted(IN_ORDER)))](scores.nested)
    qrels = RELEVANT[data.draw(st.sampled_from(sorted(RELEVANT)))](labels.nested)
    assert scores_of(qrels, run, cases) == wanted


@given(data=st.data(), shape=shapes, cases=some_cases)
def test_files_and_arrays_give_the_same_bits(
    data: st.DataObject, shape: tuple[int, int], cases: list[Case]
) -> None:
    labels = data.draw(grids(shape, LABELS, least=1))
    scores = data.draw(grids(shape, SCORES, least=1))
    qrels = rm.Qrels(labels.values, mask=labels.present)
    run = rm.Run(scores.values, mask=scores.present)
    wanted = scores_of(qrels, run, cases)
    with tempfile.TemporaryDirectory() as folder:
        judged = write_qrels(Path(folder, "qrels"), labels.nested, Dress())
        ranking = write_run(Path(folder, "run"), scores.nested, Dress())
        assert scores_of(judged, ranking, cases) == wanted
        assert scores_of(judged, run, cases) == wanted
        assert scores_of(qrels, ranking, cases) == wanted
