"""Recall of nearest neighbours: what counts, what is counted, and what is refused."""

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm

TRUE_DISTANCES = [[0.1, 0.2, 0.3, 0.3, 0.3]]


def test_a_neighbour_as_near_as_the_last_counts_by_ties_and_by_distance() -> None:
    found = rm.ann_recall(
        [[1, 2, 3, 4, 5]],
        [[1, 2, 5]],
        3,
        true_distances=TRUE_DISTANCES,
        distances=[[0.1, 0.2, 0.3]],
    )
    assert found["recall@3"] == pytest.approx(2 / 3)
    assert found["tie_recall@3"] == found["distance_recall@3"] == 1.0
    assert found["distance_error@3"] == 0.0
    assert found.audit.tied == 1


# The cases that people reported, by their threads.


def test_ten_copies_of_the_nearest_are_one_hit() -> None:
    """ann-benchmarks#519: by distances alone, the index gets 100 %."""
    true_ids, distances = np.arange(10)[None], np.linspace(0.1, 1.0, 10)[None]
    copies = np.zeros((1, 10), np.int64)
    found = rm.ann_recall(
        true_ids, copies, 10, true_distances=distances, distances=np.full((1, 10), 0.1)
    )
    assert found["recall"] == found["tie_recall"] == found["distance_recall"] == 0.1
    assert found.audit.repeated == 9
    assert "repeated ids among those found, counted once: 9" in str(found.audit)


def test_too_few_found_with_repetitions_are_counted_as_they_are() -> None:
    """vsag#2471: fewer than k found, and some of them twice."""
    found = rm.ann_recall([[1, 2, 3, 4]], [[1, 1, 2, -1]], 4)
    assert found["recall"] == 0.5
    assert (found.audit.fewer_found, found.audit.repeated) == (1, 1)


def test_fewer_true_neighbours_than_k_divide_by_their_number() -> None:
    """DiskANN#1069: filters leave few neighbours, or none, which are left out of the mean."""
    true_ids = [[1, 2, -1, -1], [3, 4, 5, 6], [-1, -1, -1, -1]]
    found = rm.ann_recall(true_ids, [[1, 2, 9, 8], [3, 4, 8, 9], [1, 2, 3, 4]], 4)
    assert list(found.per_query("recall").values())[:2] == [1.0, 0.5]
    assert found["recall"] == 0.75
    assert (found.audit.without, found.audit.fewer_true) == (1, 1)
    assert str(found.audit).startswith(
        "averaged 2 of 3 queries: 1 without true neighbours left out; 1 with fewer than 4 true "
        "neighbours, divided by their number"
    )


def test_padding_of_the_truth_is_no_neighbour() -> None:
    """opensearch-benchmark#654: -1 in the ground truth made recall 0.01."""
    true_ids = np.full((1, 100), -1)
    true_ids[0, 0] = 42
    ids = np.full((1, 100), -1)
    ids[0, 0] = 42
    found = rm.ann_recall(true_ids, ids, 100)
    assert found["recall"] == 1.0
    assert rm.ann_recall(true_ids, ids, 100, padding=None)["recall"] == 1.0
    ids[0, 0] = 7
    assert rm.ann_recall(true_ids, ids, 100)["recall"] == 0.0


def test_duplicate_vectors_in_the_data_are_equally_right() -> None:
    """VectorDBBench#357: vectors that stand several times in the data, under other ids."""
    found = rm.ann_recall(
        [[10, 11, 12, 13]], [[12, 13]], 2, true_distances=np.zeros((1, 4), np.float32)
    )
    assert (found["recall"], found["tie_recall"]) == (0.0, 1.0)


def test_neighbours_nearly_as_near_count_within_the_tolerance() -> None:
    """mlcommons/storage#789: similarities apart by less than rounding noise."""
    arrays: dict[str, Any] = {"true_distances": [[0.95, 0.9, 0.8999]], "nearest": "largest"}
    assert rm.ann_recall([[1, 2, 3]], [[1, 3]], 2, **arrays)["tie_recall"] == 0.5
    found = rm.ann_recall([[1, 2, 3]], [[1, 3]], 2, eps=0.001, **arrays)
    assert (found["recall"], found["tie_recall"]) == (0.5, 1.0)


def test_a_smaller_ground_truth_is_refused_and_not_divided_by() -> None:
    """mlcommons/storage#375: a truth that does not cover what is asked."""
    with pytest.raises(rm.SchemaError, match=r"true_ids has 5 columns, and k is 10"):
        rm.ann_recall(np.ones((3, 5), int), np.ones((3, 10), int), 10)


def test_the_true_neighbours_are_found_whatever_their_order() -> None:
    """ann-benchmarks#455, #176: the order among the first k does not matter."""
    found = rm.ann_recall([[1, 2, 3]], [[3, 1, 2]], 3)
    assert found["recall"] == 1.0


def test_what_is_found_after_k_is_ignored() -> None:
    assert rm.ann_recall([[1, 2]], [[9, 1, 2]], 2)["recall"] == 0.5


def test_similarities_have_no_error_of_distances() -> None:
    found = rm.ann_recall(
        [[1, 2]],
        [[1, 3]],
        2,
        true_distances=[[0.9, 0.5]],
        distances=[[0.9, 0.4]],
        nearest="largest",
    )
    assert found.names == ["recall@2", "tie_recall@2", "distance_recall@2"]
    assert found["distance_recall"] == 0.5
    assert found.audit.relative_distance is None


def test_a_share_of_negative_distances_also_tolerates_more() -> None:
    arrays: dict[str, Any] = {"true_distances": [[-5.0, -4.0]], "distances": [[-5.0, -3.8]]}
    assert rm.ann_recall([[1, 2]], [[1, 3]], 2, **arrays)["distance_recall"] == 0.5
    found = rm.ann_recall([[1, 2]], [[1, 3]], 2, relative_eps=0.1, **arrays)
    assert found["distance_recall"] == 1.0
    assert math.isnan(found["distance_error"])


def test_the_error_of_distances_compares_as_many_as_were_found() -> None:
    found = rm.ann_recall(
        [[1, 2, 3]],
        [[1, 1, 5]],
        3,
        true_distances=[[1.0, 2.0, 9.0]],
        distances=[[1.0, 1.0, 2.75]],
    )
    assert found["distance_error"] == pytest.approx(0.25)
    assert found.audit.relative_distance == pytest.approx(1.25)


def test_distances_of_empty_places_may_be_anything() -> None:
    found = rm.ann_recall(
        [[1, 2, -1]],
        [[1, -1, -1]],
        3,
        true_distances=[[0.1, 0.2, np.nan]],
        distances=np.array([[0.1, np.inf, 3.4e38]], np.float32),
    )
    assert (found["recall"], found["distance_recall"]) == (0.5, 0.5)


def test_the_interval_is_that_of_the_mean_over_queries() -> None:
    draws = np.random.default_rng(0)
    found = rm.ann_recall(draws.integers(0, 20, (200, 10)), draws.integers(0, 20, (200, 10)), 10)
    values = found.scores[:, 0]
    half = 1.9719565 * values.std(ddof=1) / math.sqrt(200)
    one = found.interval()
    assert (one.low, one.high) == pytest.approx((values.mean() - half, values.mean() + half))
    drawn = found.interval(method="BCa", confidence=0.9)
    assert one.low < drawn.low < values.mean() < drawn.high < one.high
    assert found.interval("recall@10") == one


def test_arrays_in_files_give_the_same(tmp_path: Path) -> None:
    draws = np.random.default_rng(1)
    true_ids, ids = (draws.integers(0, 50, (1000, 12), dtype=np.int32) for _ in range(2))
    np.save(tmp_path / "truth.npy", true_ids)
    kept = np.load(tmp_path / "truth.npy", mmap_mode="r")
    assert rm.ann_recall(kept, ids, 10) == rm.ann_recall(true_ids, ids, 10)


def test_arrays_in_files_are_read_a_block_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tracemalloc

    monkeypatch.setattr("rankmark.answers.ann_recall.neighbour_arrays._BLOCK", 1 << 14)
    np.save(tmp_path / "ids.npy", np.zeros((50_000, 40), np.int16) + np.arange(40, dtype=np.int16))
    np.save(tmp_path / "far.npy", np.zeros((50_000, 40), np.float32))
    ids, far = (np.load(tmp_path / name, mmap_mode="r") for name in ("ids.npy", "far.npy"))
    tracemalloc.start()
    try:
        found = rm.ann_recall(ids, ids, 40, true_distances=far, distances=far)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found["distance_recall"] == 1.0
    # One of the tables of ids, converted as a whole, takes 16 MB; four columns of results 3.2 MB.
    assert most < 8e6


def test_arrays_are_not_changed() -> None:
    true_ids, distances = np.array([[1, 2, -1]]), np.array([[0.1, 0.2, 9.0]])
    kept = true_ids.copy(), distances.copy()
    rm.ann_recall(true_ids, true_ids, 3, true_distances=distances, distances=distances)
    np.testing.assert_array_equal(true_ids, kept[0])
    np.testing.assert_array_equal(distances, kept[1])


def test_the_result_is_a_mapping_that_travels() -> None:
    found = rm.ann_recall([[1, 2], [3, 4]], [[1, 9], [3, 4]], 2)
    assert dict(found) == {"recall@2": 0.75}
    assert "recall" in found
    assert "nDCG" not in found
    assert pickle.loads(pickle.dumps(found)) == found
    told = json.loads(found.to_json())
    assert told["schema"] == 1
    assert told["scores"] == {"recall@2": 0.75}
    assert told["per_query"] == {"0": {"recall@2": 0.5}, "1": {"recall@2": 1.0}}
    assert told["settings"] == {"k": 2, "nearest": "smallest", "padding": -1}
    assert told["audit"]["queries"] == 2
    assert found.to_csv() == "query_id,recall@2\n0,0.5\n1,1.0\n"
    assert str(found).splitlines()[0] == "recall@2  0.7500"
    assert repr(found) == "NeighbourRecall(2 queries: recall@2=0.7500)"
    assert "recall@2" in found._repr_html_()


def test_a_name_that_was_not_computed_is_refused() -> None:
    found = rm.ann_recall([[1]], [[1]], 1)
    with pytest.raises(rm.NotEvaluatedError, match=r"this result has recall@1"):
        found["tie_recall@1"]


def test_the_plot_has_a_row_for_each_recall() -> None:
    pytest.importorskip("matplotlib")
    found = rm.ann_recall(
        [[1, 2, 3], [4, 5, 6]], [[1, 9], [4, 5]], 2, true_distances=[[1, 2, 2]] * 2
    )
    ax = found.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["recall@2", "tie_recall@2"]
    assert ax.get_xlabel() == "recall of each query"
    from matplotlib import pyplot as plt

    plt.close("all")


def test_nothing_to_plot_is_said() -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(rm.InputError, match="no query has true neighbours"):
        rm.ann_recall([[-1]], [[1]], 1).plot()


IDS, DISTANCES = np.array([[1, 2]]), np.array([[0.1, 0.2]])


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"true_ids": [1, 2]}, rm.SchemaError, "true_ids has the shape 2; need two dimensions"),
        ({"ids": np.ones((1, 2))}, rm.SchemaError, "ids has the type float64; need whole numbers"),
        ({"ids": [["a", "b"]]}, rm.SchemaError, "ids has the type <U1; need whole numbers"),
        ({"ids": np.ones((1, 2), bool)}, rm.SchemaError, "ids has the type bool"),
        ({"ids": [[1, 2], [3]]}, rm.SchemaError, "ids is not an array"),
        ({"ids": None}, rm.SchemaError, "ids has the shape of a single value"),
        ({"ids": [[1], [2]]}, rm.SchemaError, "true_ids has 1 rows and ids 2"),
        ({"true_ids": np.ones((0, 2), int), "ids": np.ones((0, 2), int)}, rm.InputError, "no rows"),
        ({"k": 0}, rm.InputError, "k is 0; need a whole number from 1"),
        ({"k": True}, rm.InputError, "k is True"),
        ({"k": 2.5}, rm.InputError, "k is 2.5"),
        ({"k": 3}, rm.SchemaError, "true_ids has 2 columns, and k is 3"),
        ({"true_distances": [[0.1]]}, rm.SchemaError, "true_distances has the shape 1x1"),
        ({"distances": DISTANCES}, rm.InputError, "distances are given without true_distances"),
        ({"eps": 0.1}, rm.InputError, "eps is given without true_distances"),
        ({"relative_eps": 0.1}, rm.InputError, "relative_eps is given without true_distances"),
        ({"true_distances": DISTANCES, "eps": -1}, rm.InputError, "eps is -1"),
        ({"true_distances": DISTANCES, "eps": math.nan}, rm.InputError, "eps is nan"),
        ({"true_distances": DISTANCES, "eps": "a"}, rm.InputError, "eps is 'a'"),
        (
            {"true_distances": [[0.1, math.nan]]},
            rm.InputError,
            "true_distances is nan in row 0, column 1",
        ),
        (
            {"true_distances": DISTANCES, "distances": [[math.inf, 1]]},
            rm.InputError,
            "distances is inf in row 0, column 0",
        ),
        (
            {"true_distances": [[0.9, 0.5]]},
            rm.InputError,
            'from 0.9 to 0.5 in row 0, column 1.*nearest="largest"',
        ),
        (
            {"true_distances": DISTANCES, "nearest": "largest"},
            rm.InputError,
            'from 0.1 to 0.2 in row 0, column 1.*nearest="smallest"',
        ),
        ({"true_distances": [["a", "b"]]}, rm.SchemaError, "true_distances has the type <U1"),
        ({"nearest": "first"}, rm.InputError, "nearest is 'first'"),
        ({"padding": 0.5}, rm.InputError, "padding is 0.5"),
        ({"threads": 0}, rm.InputError, "threads"),
        (
            {"ids": np.array([[1, 2**64 - 1]], "u8")},
            rm.InputError,
            "ids holds 1844674407370",
        ),
    ],
)
def test_what_cannot_be_used_is_refused(
    given: dict[str, Any], error: type[Exception], words: str
) -> None:
    arguments = {"true_ids": IDS, "ids": IDS, "k": 2} | given
    with pytest.raises(error, match=words):
        rm.ann_recall(**arguments)


def test_a_padding_that_no_id_of_the_type_can_be_pads_nothing() -> None:
    true_ids = np.array([[1, 2]], np.int32)
    assert rm.ann_recall(true_ids, true_ids, 2, padding=2**40)["recall"] == 1.0


def test_unsigned_ids_are_padded_by_their_largest_if_it_is_named() -> None:
    last = 2**32 - 1
    true_ids, ids = np.array([[1, last]], "u4"), np.array([[1, last]], "u4")
    assert rm.ann_recall(true_ids, ids, 2, padding=last).audit.fewer_true == 1
    assert rm.ann_recall(true_ids, ids, 2).audit.fewer_true == 0
