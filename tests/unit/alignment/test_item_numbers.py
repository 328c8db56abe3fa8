"""Item numbers in arrays and sparse matrices: matched by number, as text would be."""

import pickle
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import DuplicateError

sparse = pytest.importorskip("scipy.sparse")

MEASURES = ["nDCG@5", "AP", "RR", "R@3", "P@3", "Judged@5", "Bpref", "NumRet"]
USERS, ITEMS, K = 12, 40, 15
CONVENTIONS: list[dict[str, Any]] = [
    {},
    {"queries": "both"},
    {"depth": 4},
    {"judged_only": True},
    {"depth": 6, "judged_only": True},
    {"no_relevant": "skip"},
    {"ties": "docid-asc"},
    {"ties": "input"},
    {"ties": "mean"},
    {"ties": "best", "depth": 5},
    {"precision": "float32"},
]


def truth(seed: int = 0, share: float = 0.2) -> Any:
    chance = np.random.default_rng(seed)
    labels = chance.integers(0, 4, (USERS, ITEMS)) * (chance.random((USERS, ITEMS)) < share)
    labels[3] = 0
    return sparse.csr_matrix(labels.astype(np.float64))


def judged(matrix: Any) -> dict[str, dict[str, float]]:
    rows = {str(user): {} for user in range(matrix.shape[0])}
    coordinates = matrix.tocoo()
    for row, column, label in zip(coordinates.row, coordinates.col, coordinates.data, strict=True):
        rows[str(row)][str(column)] = float(label)
    return rows


def top_ids(seed: int = 1) -> Any:
    chance = np.random.default_rng(seed)
    ids = np.array([chance.permutation(ITEMS)[:K] for _ in range(USERS)])
    ids[2, 9:] = -1
    ids[7] = -1
    return ids


def coarse(shape: tuple[int, int], seed: int = 2) -> Any:
    return np.random.default_rng(seed).integers(0, 6, shape) / 4


def shown(evaluation: rm.Evaluation) -> Any:
    audit = evaluation.audit._replace(self_matches=0, self_matches_ndcg=None)  # numbers are no ids
    return evaluation.queries, evaluation.scores.tobytes(), audit


@pytest.mark.parametrize("conventions", CONVENTIONS, ids=str)
def test_ids_in_order_score_as_the_same_ids_as_text(conventions: dict[str, Any]) -> None:
    ids = top_ids()
    as_text = {str(row): [str(i) for i in found if i >= 0] for row, found in enumerate(ids)}
    by_number = rm.evaluate(truth(), ids, MEASURES, contents="ids", **conventions)
    assert shown(by_number) == shown(rm.evaluate(judged(truth()), as_text, MEASURES, **conventions))


@pytest.mark.parametrize("conventions", CONVENTIONS, ids=str)
def test_scores_beside_ids_tie_as_the_same_ids_as_text(conventions: dict[str, Any]) -> None:
    ids, scores = top_ids(), -np.sort(-coarse((USERS, K)), axis=1)
    as_text = {
        str(row): {str(i): float(s) for i, s in zip(ids[row], scores[row], strict=True) if i >= 0}
        for row in range(USERS)
    }
    by_number = rm.evaluate(truth(), (scores, ids), MEASURES, **conventions)
    assert shown(by_number) == shown(rm.evaluate(judged(truth()), as_text, MEASURES, **conventions))


@pytest.mark.parametrize("conventions", CONVENTIONS, ids=str)
@pytest.mark.parametrize("share", [0.05, 0.9])
def test_dense_scores_of_a_sparse_truth_score_as_text(
    share: float, conventions: dict[str, Any]
) -> None:
    matrix, scores = truth(share=share), coarse((USERS, ITEMS))
    as_text = {
        str(row): {str(item): float(score) for item, score in enumerate(of_row)}
        for row, of_row in enumerate(scores)
    }
    by_number = rm.evaluate(matrix, scores, MEASURES, contents="scores", **conventions)
    assert shown(by_number) == shown(rm.evaluate(judged(matrix), as_text, MEASURES, **conventions))


def test_few_ids_are_looked_for_among_many_judged_items() -> None:
    matrix, ids = truth(share=1.0), top_ids()[:, :3]
    as_text = {str(row): [str(i) for i in found if i >= 0] for row, found in enumerate(ids)}
    by_number = rm.evaluate(matrix, ids, MEASURES, contents="ids")
    assert shown(by_number) == shown(rm.evaluate(judged(matrix), as_text, MEASURES))


def test_an_id_that_appears_twice_is_refused_or_left_out_as_in_other_forms() -> None:
    ids = top_ids()
    ids[0, 5] = ids[0, 2]
    with pytest.raises(DuplicateError, match="appears twice for query '0'"):
        rm.evaluate(truth(), ids, "AP")
    as_text = {str(row): [str(i) for i in found if i >= 0] for row, found in enumerate(ids)}
    kept = rm.evaluate(truth(), ids, MEASURES, duplicates="first")
    assert shown(kept) == shown(rm.evaluate(judged(truth()), as_text, MEASURES, duplicates="first"))


def test_a_truth_that_repeats_an_item_is_refused() -> None:
    matrix = sparse.coo_matrix(([1.0, 2.0], ([0, 0], [3, 3])), shape=(2, 5))
    with pytest.raises(DuplicateError, match="twice"):
        rm.evaluate(matrix, np.array([[3, 1], [0, 2]]), "AP", contents="ids")


def test_an_unsorted_truth_gives_the_same_scores() -> None:
    matrix = truth()
    back = matrix.copy()
    for begin, end in zip(back.indptr, back.indptr[1:], strict=False):
        back.indices[begin:end] = back.indices[begin:end][::-1].copy()
        back.data[begin:end] = back.data[begin:end][::-1].copy()
    ids = top_ids()
    assert shown(rm.evaluate(back, ids, MEASURES)) == shown(rm.evaluate(matrix, ids, MEASURES))


def test_a_prepared_truth_holds_still_and_travels() -> None:
    matrix = truth()
    qrels = rm.Qrels(matrix)
    before = shown(rm.evaluate(qrels, top_ids(), MEASURES))
    copy = pickle.loads(pickle.dumps(qrels))
    matrix.data[:] = 0.0
    matrix.indices[:] = 0
    assert shown(rm.evaluate(qrels, top_ids(), MEASURES)) == before
    assert shown(rm.evaluate(copy, top_ids(), MEASURES)) == before


def test_runs_of_a_sparse_truth_in_other_forms_are_compared() -> None:
    ids = top_ids()
    as_text = {str(row): [str(i) for i in found if i >= 0] for row, found in enumerate(ids)}
    first = rm.evaluate(truth(), ids, MEASURES)
    second = rm.evaluate(judged(truth()), as_text, MEASURES)
    compared = rm.compare(None, {"numbers": first, "text": second}, ["AP"])
    assert first["AP"] == second["AP"]
    assert "numbers" in str(compared)
