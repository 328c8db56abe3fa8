"""Sparse matrices: what is stored is judged or retrieved, and nothing else is."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rankmark as rm

QRELS = {"0": {"1": 2.0, "2": 0.0}, "1": {}, "2": {"0": 1.0, "3": 1.0}, "3": {}}
RUN = {"0": {"2": 0.9, "1": 0.5}, "1": {"0": 1.0}, "2": {"1": 0.0, "3": -1.0}, "3": {}}
MEASURES = ["nDCG", "AP", "RR", "Judged@2", "NumRet"]
WANTED = rm.evaluate(QRELS, RUN, MEASURES).scores.tolist()


def matrix(nested: dict[str, dict[str, float]], make: Any = sp.csr_matrix) -> Any:
    rows = [(int(q), int(d), value) for q, held in nested.items() for d, value in held.items()]
    queries, items, values = map(list, zip(*rows, strict=True))
    return make(sp.coo_matrix((values, (queries, items)), shape=(4, 5)))


@pytest.mark.parametrize("qrels", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array])
@pytest.mark.parametrize("run", [sp.csr_matrix, sp.csc_array, sp.coo_matrix])
def test_what_is_stored_is_judged_or_retrieved(qrels: Any, run: Any) -> None:
    ev = rm.evaluate(matrix(QRELS, qrels), matrix(RUN, run), MEASURES)
    assert ev.scores.tolist() == WANTED
    assert ev.queries == ("0", "1", "2", "3")
    assert ev.settings["run"] == {"form": "sparse matrix", "shape": [4, 5], "stored": 5}


def test_a_zero_that_is_stored_is_judged_not_relevant() -> None:
    stored = sp.csr_matrix((np.array([1.0, 0.0]), ([0, 0], [1, 2])), shape=(1, 4))
    ev = rm.evaluate(stored, {"0": ["2", "3", "1"]}, "Judged@3")
    assert ev["Judged@3"] == 2 / 3
    stored.eliminate_zeros()
    assert rm.evaluate(stored, {"0": ["2", "3", "1"]}, "Judged@3")["Judged@3"] == 1 / 3


def test_rows_that_store_nothing_are_queries_all_the_same() -> None:
    assert rm.Qrels(matrix(QRELS)).query_ids == ("0", "1", "2", "3")
    audit = rm.evaluate(matrix(QRELS), matrix(RUN), MEASURES).audit
    assert (audit.judged, audit.answered, audit.without_relevant) == (4, 4, 2)
    fewer = {query: RUN[query] for query in "02"}
    audit = rm.evaluate(QRELS | {"9": {"1": 1}}, matrix(fewer), MEASURES).audit
    assert (audit.judged, audit.answered, audit.missing_queries) == (5, 4, ("9",))
    audit = rm.evaluate({"0": {"1"}}, matrix(RUN), MEASURES).audit
    assert (audit.run_only, audit.run_only_examples) == (3, ("1", "2", "3"))
    assert rm.Qrels(sp.csr_matrix((3, 4))).query_ids == ("0", "1", "2")
    with pytest.raises(rm.InputError, match="qrels <sparse matrix>: it holds no judgments"):
        rm.Qrels(sp.csr_matrix((0, 4)))


def test_sparse_meets_dense_and_ids() -> None:
    scores = np.full((4, 5), -9.0)
    for query, held in RUN.items():
        for doc, score in held.items():
            scores[int(query), int(doc)] = score
    mask = scores > -9.0
    assert rm.evaluate(matrix(QRELS), rm.Run(scores, mask=mask), MEASURES).scores.tolist() == WANTED
    assert rm.evaluate(matrix(QRELS), RUN, MEASURES).scores.tolist() == WANTED
    assert rm.evaluate(QRELS, matrix(RUN), MEASURES).scores.tolist() == WANTED
    top = np.array([[2, 1], [0, -1], [1, 3], [-1, -1]])
    ranked = {"0": ["2", "1"], "1": ["0"], "2": ["1", "3"], "3": []}
    wanted = rm.evaluate(QRELS, ranked, MEASURES).scores.tolist()
    assert rm.evaluate(matrix(QRELS), top, MEASURES).scores.tolist() == wanted


def test_values_of_any_type_are_widened() -> None:
    for dtype in (np.bool_, np.int8, np.float32):
        values = matrix(QRELS).astype(dtype)
        assert rm.Qrels(values).judgments.labels().dtype == np.float64
    with pytest.raises(rm.SchemaError, match="need real numbers"):
        rm.Qrels(matrix(QRELS).astype(complex))


def test_entries_that_stand_twice_are_refused_and_never_added_up() -> None:
    twice = np.array([1.0, 2.0]), (np.array([1, 1]), np.array([3, 3]))
    csr = sp.csr_matrix((np.array([1.0, 2.0]), np.array([3, 3]), np.array([0, 0, 2])), shape=(2, 4))
    for stored in (sp.coo_matrix(twice, shape=(2, 4)), csr):
        with pytest.raises(
            rm.DuplicateError, match=r"row 1, column 3 \(from 0\): document '3' appears twice"
        ):
            rm.Qrels(stored)
        assert stored.nnz == 2


def test_nan_is_refused_by_row_and_column() -> None:
    holey = matrix(RUN)
    holey.data[3] = np.nan
    with pytest.raises(rm.SchemaError, match=r"run <sparse matrix>: row 2, column 1 \(from 0\): "):
        rm.evaluate(matrix(QRELS), holey)


@pytest.mark.parametrize("make", [sp.bsr_matrix, sp.dia_matrix, sp.lil_matrix, sp.dok_matrix])
def test_formats_that_may_come_to_store_zeros_are_refused(make: Any) -> None:
    with pytest.raises(rm.SchemaError, match=r"convert it with tocsr\(\)"):
        rm.Qrels(make(matrix(QRELS)))


def test_one_dimension_is_no_matrix() -> None:
    with pytest.raises(rm.SchemaError, match="sparse array of 1 dimension; need 2"):
        rm.Qrels(sp.coo_array([1.0, 0.0]))


def test_shapes_that_differ_are_refused_with_both() -> None:
    with pytest.raises(
        rm.SchemaError, match=r"the run has 4 queries x 4 items, the qrels have 4 .*5"
    ):
        rm.evaluate(matrix(QRELS), matrix(RUN)[:, :4])
    with pytest.raises(rm.SchemaError, match="the run has 3 queries, the qrels have 4 queries x 5"):
        rm.evaluate(matrix(QRELS), [["1"], ["2"], ["3"]])


def test_a_matrix_is_never_changed() -> None:
    unsorted = sp.csr_matrix(
        (np.array([1.0, 2.0]), np.array([3, 0]), np.array([0, 2])), shape=(1, 4)
    )
    unsorted.has_sorted_indices = False
    rm.evaluate(unsorted, unsorted)
    assert unsorted.indices.tolist() == [3, 0]
    assert "_has_canonical_format" not in vars(unsorted)


BROKEN = [
    *(("indptr", at, value) for at, value in [(1, 99), (1, -5), (-1, 99), (-1, 0), (0, 3)]),
    *(("indices", 0, value) for value in (5, 99, -1, 2**31 - 1)),
]


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize(("part", "at", "value"), BROKEN)
def test_a_matrix_that_leads_out_of_its_arrays_is_refused(
    make: Any, part: str, at: int, value: int
) -> None:
    broken = matrix(RUN, make)
    getattr(broken, part)[at] = value
    for qrels, run in ((QRELS, broken), (broken, RUN)):
        with pytest.raises(rm.SchemaError, match=r"index pointer|an entry is in (row|column)"):
            rm.evaluate(qrels, run, MEASURES)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize("part", ["data", "indices", "indptr"])
def test_a_matrix_with_an_array_too_short_is_refused(make: Any, part: str) -> None:
    broken = matrix(RUN, make)
    setattr(broken, part, getattr(broken, part)[:-1])
    with pytest.raises(rm.SchemaError, match="index pointer"):
        rm.evaluate(QRELS, broken, MEASURES)


def test_entries_outside_of_the_shape_are_refused() -> None:
    broken = matrix(RUN, sp.coo_matrix)
    broken.row[0] = 4
    with pytest.raises(rm.SchemaError, match=r"an entry is in row 4 \(from 0\) of 4"):
        rm.evaluate(QRELS, broken, MEASURES)


def test_room_for_more_entries_is_no_entry() -> None:
    roomy = matrix(RUN)
    roomy.data, roomy.indices = np.append(roomy.data, 7.0), np.append(roomy.indices, 99)
    assert rm.evaluate(QRELS, roomy, MEASURES).scores.tolist() == WANTED


def test_judgments_that_changed_while_they_were_copied_are_refused() -> None:
    qrels = rm.Qrels(sp.csr_array(np.array([[1.0, 0, 2], [0, 1, 1]])))
    assert qrels.positional is not None
    assert qrels.positional.places.documents is not None
    qrels.positional.places.documents[:] = 1  # as another thread may leave them
    with pytest.raises(rm.InputError, match="changed while they were read"):
        qrels.judgments  # noqa: B018
