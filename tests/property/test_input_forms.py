"""Any two forms of the same data give the same bits."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import Case, all_cases
from generators.random_collections import Collection, collections, long_collections
from generators.trec_files import Dress, dresses, write_qrels, write_run

some_collections = st.one_of(collections(least=1), long_collections())
some_cases = st.lists(st.sampled_from(all_cases()), unique_by=str, min_size=1, max_size=15)
all_ties = st.sampled_from(["docid", "docid-asc", "input"])


@given(
    collection=some_collections,
    cases=some_cases,
    ties=all_ties,
    queries=st.sampled_from(["judged", "both"]),
    dress=dresses,
)
def test_dicts_and_files_give_the_same_bits(
    collection: Collection, cases: list[Case], ties: Any, queries: Any, dress: Dress
) -> None:
    measures = [case.ours for case in cases]
    conventions = {"ties": ties, "queries": queries}
    from_dicts = rm.evaluate(*collection, measures, **conventions)
    with tempfile.TemporaryDirectory() as folder:
        qrels = write_qrels(Path(folder, "qrels"), collection.qrels, dress)
        run = write_run(Path(folder, "run"), collection.run, dress)
        forms = [
            rm.evaluate(qrels, run, measures, **conventions),
            rm.evaluate(str(qrels), collection.run, measures, **conventions),
            rm.evaluate(collection.qrels, run, measures, **conventions),
        ]
    for ev in forms:
        assert list(ev.queries) == list(from_dicts.queries)
        assert ev.scores.tobytes() == from_dicts.scores.tobytes()
        assert [ev[str(measure)] for measure in measures] == [
            from_dicts[str(measure)] for measure in measures
        ]


@given(
    collection=some_collections,
    cases=some_cases,
    ties=all_ties,
    one=dresses,
    another=dresses,
)
def test_two_dresses_of_a_file_give_the_same_bits(
    collection: Collection, cases: list[Case], ties: Any, one: Dress, another: Dress
) -> None:
    measures = [case.ours for case in cases]
    scores = []
    with tempfile.TemporaryDirectory() as folder:
        for number, dress in enumerate((one, another)):
            qrels = write_qrels(Path(folder, f"qrels{number}"), collection.qrels, dress)
            run = write_run(Path(folder, f"run{number}"), collection.run, dress)
            scores.append(rm.evaluate(qrels, run, measures, ties=ties).scores.tobytes())
    assert scores[0] == scores[1]


@given(collection=some_collections, cases=some_cases)
def test_a_measure_by_name_and_by_object_give_the_same_bits(
    collection: Collection, cases: list[Case]
) -> None:
    by_object = rm.evaluate(*collection, [case.ours for case in cases])
    by_name = rm.evaluate(*collection, [str(case.ours) for case in cases])
    assert by_name.scores.tobytes() == by_object.scores.tobytes()
    assert list(map(str, by_name.measures)) == list(map(str, by_object.measures))
