"""Runs are compared as their rankings are; no form, no block and no thread matters."""

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.coefficients import CASES, Case, as_values
from conformance.reference.similarity.groups import Groups
from generators.effort import examples
from generators.random_rankings import as_scores, rankings
from rankmark.data.contract.source_options import NO_OPTIONS
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.input_file import InputFile
from rankmark.data.preparing.paired_inputs import pair_runs
from rankmark.data.preparing.run import Run
from rankmark.errors import MismatchError
from rankmark.similarity import ALL

RUNS = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), rankings(least=1), min_size=1)
OF_NAME = {one.function.__name__: one for one in ALL}


def scored(run: dict[str, Groups]) -> dict[str, dict[str, float]]:
    """Give a run as {query: {document: score}}."""
    return {query: as_scores(ranking) for query, ranking in run.items()}


def text(run: dict[str, dict[str, float]], order: Any) -> bytes:
    """Write a run as TREC text, its lines in some order."""
    rows = [(q, d, s) for q, documents in run.items() for d, s in documents.items()]
    lines = [f"{q} Q0 {d} 1 {s!r} t\n" for q, d, s in order(rows)]
    return "".join(lines).encode()


@pytest.mark.parametrize("case", CASES, ids=str)
@examples(5)
@given(a=RUNS, b=RUNS, k=st.sampled_from([None, 1, 3]))
def test_each_query_has_what_its_two_rankings_have(
    case: Case, a: dict[str, Groups], b: dict[str, Groups], k: int | None
) -> None:
    cut = {} if k is None or "k" in case.parameters else {"k": k}
    values = as_values(case.ours(["x"], ["x"])).keys()
    one, other = scored(a), scored(b)
    for value in values:
        of_value = {"value": value} if value else {}
        asked = OF_NAME[case.name](**dict(case.parameters), **cut, **of_value)
        if not a.keys() & b.keys():
            with pytest.raises(MismatchError):
                rm.compare_rankings(one, other, asked)
            return
        found = rm.compare_rankings(one, other, asked).per_query(asked)
        wanted = {q: case.ours(one[q], other[q], **cut)[value] for q in a if q in b}
        assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@examples(40)
@given(
    a=RUNS,
    b=RUNS,
    block=st.integers(1, 60),
    threads=st.integers(1, 3),
    ties=st.sampled_from(["tied", "docid", "docid-asc"]),
    queries=st.sampled_from(["both", "either"]),
    data=st.data(),
)
def test_a_file_is_compared_as_a_mapping_however_its_lines_stand(
    a: dict[str, Groups],
    b: dict[str, Groups],
    block: int,
    threads: int,
    ties: Any,
    queries: Any,
    data: st.DataObject,
) -> None:
    if not a.keys() & b.keys():
        return
    one, other = scored(a), scored(b)
    content = io.BytesIO(text(one, lambda rows: data.draw(st.permutations(rows))))
    file = FileSource(InputFile(content), "run", NO_OPTIONS, block_bytes=block)
    asked = ["RBO", "tau@2", "rho", "Jaccard@3"]
    options = {"ties": ties, "queries": queries, "threads": threads}
    wanted = rm.compare_rankings(one, other, asked, **options)
    found = rm.compare_rankings(Run.of(file), other, asked, **options)
    for name in asked:
        assert found.per_query(name) == pytest.approx(wanted.per_query(name), nan_ok=True, abs=0)


@examples(30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 80))
def test_queries_are_compared_alike_however_they_are_parted(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)

    def run() -> dict[str, dict[str, float]]:
        held = {str(q): rng.permutation(12)[: 1 + q].tolist() for q in range(9)}
        return {q: {str(d): float(rng.integers(8)) for d in held[q]} for q in held}

    pairing = pair_runs(Run(run()), Run(run())).pairing
    for one in ALL:
        parts = [one.of(part) for part in pairing.parts(rows)]
        assert np.array_equal(np.concatenate(parts), one.of(pairing), equal_nan=True)
