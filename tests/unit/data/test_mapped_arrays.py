"""Scores in memory-mapped .npy files: as the same array in memory, without holding it."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.data.arrays import mapped
from rankmark.errors import ChangedError, SchemaError

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "Judged@10"]
CONVENTIONS: list[dict[str, Any]] = [
    {},
    {"ties": "mean"},
    {"depth": 7, "judged_only": True},
    {"precision": "float32"},
    {"ties": "docid-asc", "no_relevant": "skip"},
]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapped, "_VALUES", 150)


def saved(folder: Path, scores: Any, mode: Any = "r") -> Any:
    np.save(folder / "scores.npy", scores)
    return np.load(folder / "scores.npy", mmap_mode=mode)


def data(dtype: Any = np.float64) -> tuple[Any, Any]:
    chance = np.random.default_rng(0)
    labels = chance.integers(0, 4, (30, 40)) * (chance.random((30, 40)) < 0.3)
    quarters = chance.integers(0, 25, (30, 40))
    return labels, (quarters if np.dtype(dtype).kind == "i" else quarters / 4).astype(dtype)


def shown(evaluation: rm.Evaluation) -> Any:
    return evaluation.queries, evaluation.scores.tobytes(), evaluation.audit


@pytest.mark.parametrize("conventions", CONVENTIONS, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int64])
def test_mapped_scores_give_the_same_as_scores_in_memory(
    tmp_path: Path, dtype: Any, conventions: dict[str, Any]
) -> None:
    labels, scores = data(dtype)
    given = {"contents": "scores", **conventions}
    expected = rm.evaluate(labels, scores, MEASURES, **given)
    assert shown(rm.evaluate(labels, saved(tmp_path, scores), MEASURES, **given)) == shown(expected)


def test_columns_in_another_order_and_masked_places_are_read_by_block(tmp_path: Path) -> None:
    labels, scores = data()
    mask = np.random.default_rng(1).random(scores.shape) < 0.7
    across = saved(tmp_path, np.asfortranarray(scores))
    for options in ({}, {"mask": mask}):
        expected = rm.evaluate(labels, scores, MEASURES, **options)
        assert shown(rm.evaluate(labels, across, MEASURES, **options)) == shown(expected)


def test_mapped_scores_of_a_sparse_truth_and_of_ids(tmp_path: Path) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    labels, scores = data()
    in_file = saved(tmp_path, scores)
    truths = sparse.csr_matrix(labels), {"3": {"5": 1, "39": 2}, "4": {"0": 1}}
    for truth in truths:
        expected = rm.evaluate(truth, scores, MEASURES)
        assert shown(rm.evaluate(truth, in_file, MEASURES)) == shown(expected)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_does_not_grow_with_the_file(
    tmp_path: Path, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapped, "_VALUES", 20_000)
    sparse = pytest.importorskip("scipy.sparse")
    peaks = []
    for queries in (300, 1200):
        scores = np.random.default_rng(0).random((queries, 1000)).astype(dtype)
        in_file = saved(tmp_path, scores)
        row = np.arange(queries)
        truth = sparse.csr_matrix((np.ones(queries), (row, row % 1000)), (queries, 1000))
        del scores
        tracemalloc.start()
        rm.evaluate(truth, in_file, "nDCG@10")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < 1_000_000  # the larger file is 4.8 or 9.6 MB


@pytest.mark.slow
def test_a_prepared_run_in_a_file_is_not_copied(tmp_path: Path) -> None:
    labels, scores = data()
    tracemalloc.start()
    run = rm.Run(saved(tmp_path, np.tile(scores, (50, 1))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert shown(rm.evaluate(np.tile(labels, (50, 1)), run, "AP"))[0][-1] == "1499"
    assert peak < 2_000_000


def test_a_run_in_a_map_that_can_be_written_is_copied(tmp_path: Path) -> None:
    labels, scores = data()
    in_file = saved(tmp_path, scores, "r+")
    run = rm.Run(in_file)
    in_file[:] = 0.0
    assert shown(rm.evaluate(labels, run, "AP")) == shown(rm.evaluate(labels, scores, "AP"))


def test_nan_in_a_file_is_refused_with_its_place(tmp_path: Path) -> None:
    labels, scores = data()
    scores[17, 3] = np.nan
    with pytest.raises(SchemaError, match="row 17, column 3"):
        rm.evaluate(labels, saved(tmp_path, scores), "AP")


def test_whole_numbers_that_no_double_holds_are_refused_with_their_place(tmp_path: Path) -> None:
    labels, scores = data(np.int64)
    scores[21, 4] = 2**53 + 1
    with pytest.raises(SchemaError, match="row 21, column 4"):
        rm.evaluate(labels, saved(tmp_path, scores), "AP", contents="scores")


def test_an_explanation_reads_one_row_again_and_notices_changes(tmp_path: Path) -> None:
    labels, scores = data()
    in_file = saved(tmp_path, scores, "r+")
    evaluation = rm.evaluate(labels, in_file, "AP")
    assert evaluation.explain("12", "AP").value == evaluation.per_query("AP")["12"]
    in_file[12] = 0.0
    with pytest.raises(ChangedError):
        evaluation.explain("12", "AP")
