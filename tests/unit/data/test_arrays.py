"""Arrays go in by shape and type; what could be one thing or another is never guessed."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm

LABELS = np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
SCORES = np.array([[0.3, 0.9, 0.7, 0.1], [1.0, 2.0, 3.0, 0.5]])
MEASURES = ["nDCG", "AP", "RR", "Judged@2", "NumRet"]


def nested(values: Any) -> dict[str, dict[str, float]]:
    return {
        str(row): {str(column): float(value) for column, value in enumerate(held)}
        for row, held in enumerate(values)
    }


WANTED = rm.evaluate(nested(LABELS), nested(SCORES), MEASURES).scores.tolist()


def scored(qrels: Any, run: Any, **options: Any) -> Any:
    return rm.evaluate(qrels, run, MEASURES, **options).scores.tolist()


class Tensor:
    """A tensor of another library, which says no when it cannot."""

    def __init__(self, array: Any, refusal: str | None = None) -> None:
        self._array = array
        self._refusal = refusal
        self.dtype = array.dtype

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self._refusal:
            raise TypeError(self._refusal)
        return self._array


class TensorOnADevice(Tensor):
    """A tensor of torch on a GPU, which refuses as torch does until it is copied to the host."""

    def __init__(self, array: Any) -> None:
        super().__init__(
            array,
            "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor "
            "to host memory first.",
        )
        self.dtype, self.copies = f"torch.{array.dtype}", 0
        self.shape, self.ndim = array.shape, array.ndim

    def detach(self) -> "TensorOnADevice":
        return self

    def cpu(self) -> Any:
        self.copies += 1
        return self._array


class HalfTensor:
    """A tensor of bfloat16, as torch has it: NumPy cannot take it before it is widened."""

    dtype = "torch.bfloat16"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("Got unsupported ScalarType BFloat16")

    def float(self) -> Tensor:
        return Tensor(LABELS.astype(np.float32))


def test_rows_are_queries_and_columns_are_documents() -> None:
    ev = rm.evaluate(LABELS, SCORES, MEASURES)
    assert ev.scores.tolist() == WANTED
    assert ev.queries == ("0", "1")
    assert ev.settings["qrels"] == {"form": "dense array", "holds": "labels", "shape": [2, 4]}
    assert ev.settings["run"] == {"form": "dense array", "holds": "scores", "shape": [2, 4]}


def test_arrays_meet_ids_that_are_numbers_of_rows_and_columns() -> None:
    assert scored(LABELS, nested(SCORES)) == WANTED
    assert scored(nested(LABELS), SCORES) == WANTED
    assert rm.Qrels(LABELS).doc_ids == ("0", "1", "2", "3") * 2


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "i1", "u4", "i8", "longdouble"])
def test_numbers_of_any_type_are_widened(dtype: str) -> None:
    labels, scores = (10 * LABELS).astype(dtype), (10 * SCORES).astype(dtype)
    wanted = scored(nested(labels), nested(scores))
    assert scored(labels, rm.Run(scores, contents="scores")) == wanted


def test_labels_may_be_truth_values() -> None:
    assert scored(LABELS > 0, SCORES) == scored((LABELS > 0).astype(float), SCORES)


@pytest.mark.parametrize("dtype", [">i2", ">i8", "<u4", "f2", ">f8", "longdouble"])
def test_ids_of_any_type_and_byte_order_are_read(dtype: str) -> None:
    run = rm.Run(TOP.astype(dtype), contents="ids")
    assert scored(nested(LABELS), run) == scored(nested(LABELS), TOP)
    frame = pd.DataFrame({"qid": ["0", "0"], "docid": TOP[0].astype(dtype), "score": [2, 1]})
    frame["qid"] = frame["qid"].astype(object)  # so that pandas does not hand it over as Arrow data
    assert scored(nested(LABELS), frame) == scored(nested(LABELS), {"0": ["1", "2"]})


def test_numbers_at_odd_addresses_are_read() -> None:
    def moved(array: Any) -> Any:
        held = np.frombuffer(b"odd" + array.tobytes(), array.dtype, offset=3)
        return held.reshape(array.shape)

    assert not moved(SCORES).flags.aligned
    assert scored(moved(LABELS), moved(SCORES)) == WANTED
    for judged in (nested(LABELS), LABELS):
        assert scored(judged, moved(TOP)) == scored(judged, TOP)


@pytest.mark.parametrize("make", [np.asfortranarray, lambda a: np.repeat(a, 2, axis=1)[:, ::2]])
def test_arrays_of_any_layout_are_read_as_they_look(make: Any) -> None:
    assert scored(make(LABELS), make(SCORES)) == WANTED


@pytest.mark.parametrize("tensor", [Tensor, pd.DataFrame, pa.array])
def test_tensors_and_columns_of_other_libraries_are_arrays(tensor: Any) -> None:
    if tensor is Tensor:
        assert scored(tensor(LABELS), tensor(SCORES)) == WANTED
        return
    flat = pd.Series if tensor is pd.DataFrame else tensor
    assert scored(flat(LABELS.ravel()), flat(SCORES.ravel()), groups=pl.Series([4, 4])) == WANTED


def test_half_precision_without_a_numpy_type_is_widened() -> None:
    assert scored(HalfTensor(), SCORES) == WANTED


def test_tensors_on_a_device_are_copied_to_the_host_once() -> None:
    labels, scores = TensorOnADevice(LABELS), TensorOnADevice(SCORES)
    assert scored(labels, scores) == WANTED
    assert (labels.copies, scores.copies) == (1, 1)
    flat = (TensorOnADevice(one.ravel()) for one in (LABELS, SCORES))
    assert scored(*flat, groups=TensorOnADevice(np.array([4, 4]))) == WANTED
    everything = TensorOnADevice(np.ones_like(LABELS, dtype=bool))
    assert scored(TensorOnADevice(LABELS), TensorOnADevice(SCORES), mask=everything) == WANTED
    ids = TensorOnADevice(np.array([[3, 1], [2, 5]]))
    assert rm.evaluate([{1}, {2}], ids, "RR")["RR"] == 0.75
    assert rm.ann_recall(ids, ids, 2)["recall@2"] == 1.0


def test_a_tensor_that_cannot_be_had_says_what_to_do() -> None:
    on_gpu = Tensor(LABELS, "can't convert cuda:0 device type tensor to numpy")
    with pytest.raises(rm.SchemaError, match=r"cuda:0 .*; move it to the CPU: \.cpu\(\)"):
        rm.Qrels(on_gpu)


def test_a_mask_says_where_there_is_a_document() -> None:
    mask = np.array([[True, True, True, False], [True, True, False, False]])
    wanted = scored(
        {"0": {"0": 1, "1": 0, "2": 2}, "1": {"0": 0, "1": 1}},
        {"0": {"0": 0.3, "1": 0.9, "2": 0.7}, "1": {"0": 1.0, "1": 2.0}},
    )
    filled = np.where(mask, SCORES, np.nan)
    assert scored(LABELS, filled, mask=mask) == wanted
    assert scored(LABELS, filled, lengths=[3, 2]) == wanted
    assert scored(rm.Qrels(LABELS, lengths=[3, 2]), rm.Run(filled, mask=mask)) == wanted
    masked = np.ma.array(LABELS, mask=~mask), np.ma.array(SCORES, mask=~mask)
    assert scored(*masked) == wanted


def test_what_is_masked_need_not_stand_at_the_end() -> None:
    there = np.array([[False, True, True, True], [True, False, True, True]])
    wanted = scored(
        {"0": {"1": 0, "2": 2, "3": 0}, "1": {"0": 0, "2": 0, "3": 0}},
        {"0": {"1": 0.9, "2": 0.7, "3": 0.1}, "1": {"0": 1.0, "2": 3.0, "3": 0.5}},
    )
    assert scored(LABELS, SCORES, mask=there) == wanted


def test_judged_and_retrieved_documents_may_be_masked_differently() -> None:
    judged = np.array([[True, True, False, True], [True, True, True, True]])
    retrieved = np.array([[True, False, True, True], [False, True, True, False]])
    wanted = scored(
        {"0": {"0": 1, "1": 0, "3": 0}, "1": {"0": 0, "1": 1, "2": 0, "3": 0}},
        {"0": {"0": 0.3, "2": 0.7, "3": 0.1}, "1": {"1": 2.0, "2": 3.0}},
    )
    qrels, run = rm.Qrels(LABELS, mask=judged), rm.Run(SCORES, mask=retrieved)
    assert scored(qrels, run) == wanted


def test_a_query_whose_documents_are_all_masked_is_judged_and_has_none() -> None:
    mask = np.array([[False] * 4, [True] * 4])
    qrels = rm.Qrels(LABELS, mask=mask)
    for run in (rm.Run(SCORES, mask=mask), nested(SCORES), SCORES):
        ev = rm.evaluate(qrels, run, ["RR", "NumQ"])
        assert ev.scores.tolist() == [[0.0, 1.0], [0.5, 1.0]]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"mask": LABELS}, r"mask is of float64, 2 x 4; need bool, 2 x 4, True where there is"),
        ({"mask": LABELS[:1] > 0}, r"mask is of bool, 1 x 4; need bool, 2 x 4"),
        ({"lengths": [3]}, r"lengths is of int64, 1; need whole numbers, 2, one for each query"),
        ({"lengths": [3.0, 2.0]}, r"lengths is of float64, 2; need whole numbers"),
        (
            {"lengths": [3, 5]},
            r"lengths: length 5 in row 1 \(from 0\) is out of range; need 0 to 4",
        ),
        (
            {"lengths": [-1, 2]},
            r"lengths: length -1 in row 0 \(from 0\) is out of range; need 0 to 4",
        ),
        ({"lengths": [3, 2], "mask": LABELS > 0}, r"exclude one another; give one of them"),
    ],
)
def test_a_mask_that_does_not_fit_is_refused(options: dict[str, Any], found: str) -> None:
    with pytest.raises(rm.InputError, match=found):
        rm.Qrels(LABELS, **options)


def test_nan_is_refused_by_row_and_column_and_a_mask_advised() -> None:
    holey = SCORES.copy()
    holey[1, 2] = np.nan
    place = r"row 1, column 2 \(from 0\)"
    with pytest.raises(rm.SchemaError, match=rf"run <array>: {place}: the score is NaN; .*mask="):
        rm.evaluate(LABELS, holey)
    with pytest.raises(rm.SchemaError, match=rf"qrels <array>: {place}: the label is NaN; .*mask="):
        rm.Qrels(holey)
    shifted = np.array([[False, True, True, True], [False, True, True, True]])
    with pytest.raises(rm.SchemaError, match=place):
        rm.Run(holey, mask=shifted)


def test_nan_that_came_later_is_none_of_the_run() -> None:
    scores = SCORES.copy()
    run = rm.Run(scores)
    scores[1, 2] = np.nan
    assert rm.evaluate(LABELS, run) == rm.evaluate(LABELS, SCORES)


def test_infinite_scores_rank_and_infinite_labels_are_refused() -> None:
    infinite = np.array([[-np.inf, np.inf, 0.0, 1.0]])
    assert rm.evaluate(np.array([[0, 1, 0, 0]]), infinite, "RR")["RR"] == 1.0
    with pytest.raises(rm.SchemaError, match="the label is infinite; need a finite label"):
        rm.Qrels(infinite)


@pytest.mark.parametrize("other", [SCORES[:1], SCORES[:, :3], SCORES.T])
def test_shapes_that_differ_are_refused_with_both(other: Any) -> None:
    queries, items = other.shape
    found = rf"the run has {queries} queries x {items} items, the qrels have 2 queries x 4 items"
    with pytest.raises(rm.SchemaError, match=found):
        rm.evaluate(LABELS, other)


@pytest.mark.parametrize("shape", [(), (2, 2, 2)])
def test_arrays_of_other_dimensions_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(rm.SchemaError, match=f"it has {len(shape)} dimensions; need 2, queries"):
        rm.Qrels(np.zeros(shape))


@pytest.mark.parametrize("dtype", ["c16", "M8[D]", "V4"])
def test_arrays_of_no_numbers_are_refused(dtype: Any) -> None:
    with pytest.raises(rm.SchemaError, match="need real numbers"):
        rm.Qrels(np.zeros((2, 2), dtype=dtype))


def test_no_queries_are_no_judgments_and_no_items_are_nothing_relevant() -> None:
    with pytest.raises(rm.InputError, match="qrels hold no judgments"):
        rm.Qrels(np.zeros((0, 4)))
    ev = rm.evaluate(np.zeros((2, 0)), {"0": ["a"], "1": ["b"]}, "RR")
    assert (ev["RR"], ev.audit.without_relevant) == (0.0, 2)


TOP = np.array([[1, 2], [3, 1]])


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16, str])
def test_whole_numbers_and_texts_of_a_run_are_ids_best_first(kind: Any) -> None:
    wanted = {"0": ["1", "2"], "1": ["3", "1"]}
    ev = rm.evaluate(nested(LABELS), TOP.astype(kind), MEASURES)
    assert ev.scores.tolist() == scored(nested(LABELS), wanted)
    assert ev.settings["run"] == {
        "form": "array of ids", "shape": [2, 2], "order": "as given",
    }  # fmt: skip


def test_minus_one_and_what_is_masked_are_no_items() -> None:
    wanted = scored(LABELS, {"0": ["2"], "1": ["3", "1"]})
    assert scored(LABELS, np.array([[2, -1], [3, 1]])) == wanted
    assert scored(LABELS, np.array([[-1, 2], [3, 1]])) == wanted
    assert scored(LABELS, np.ma.array([[2, 9], [3, 1]], mask=[[0, 1], [0, 0]])) == wanted
    assert scored(LABELS, rm.Run(np.array([[2, 9], [3, 1]]), lengths=[1, 2])) == wanted
    mask = np.array([[True, False], [True, True]])
    assert scored(LABELS, rm.Run(np.array([["2", ""], ["3", "1"]]), mask=mask)) == wanted


def test_relevant_ids_may_be_an_array_too() -> None:
    qrels = rm.Qrels(np.array([[2, -1], [1, 3]]), contents="ids")
    assert scored(qrels, TOP) == scored({"0": {"2"}, "1": {"1", "3"}}, TOP)


def test_whole_numbers_of_the_shape_of_the_judgments_are_not_guessed() -> None:
    orders = np.argsort(-SCORES, axis=1)
    with pytest.raises(
        rm.SchemaError,
        match=r"2 x 4, as the judgments are; it may hold ids, best first, or scores; choose",
    ):
        rm.evaluate(LABELS, orders)
    wanted = {"0": ["1", "2", "0", "3"], "1": ["2", "1", "0", "3"]}
    assert scored(LABELS, orders, contents="ids") == scored(LABELS, wanted)
    assert scored(LABELS, rm.Run(orders, contents="scores")) == scored(LABELS, orders.astype(float))


@pytest.mark.parametrize("beyond", [4, -2])
def test_an_id_that_is_no_column_of_the_judgments_is_refused(beyond: int) -> None:
    found = rf"ids that are not columns of the qrels, 0 to 3: '{beyond}'; do they count from 0\?"
    with pytest.raises(rm.SchemaError, match=found):
        rm.evaluate(LABELS, np.array([[1, 2], [3, beyond]]))


def test_an_id_twice_in_a_row_is_refused_with_both_places() -> None:
    found = r"row 1, column 2 \(from 0\): document '3' appears twice .* first in row 1, column 0"
    with pytest.raises(rm.DuplicateError, match=found):
        rm.evaluate(LABELS, np.array([[1, 2, 3], [3, 1, 3]]))


def test_as_many_rows_of_ids_as_queries_are_needed() -> None:
    with pytest.raises(rm.SchemaError, match="the run has 3 queries, the qrels have 2 queries x 4"):
        rm.evaluate(LABELS, np.array([[1], [2], [3]]))


@pytest.mark.parametrize("ids", [np.array([[b"a"]]), np.array([[1.5]]), np.array([[1j]])])
def test_an_array_of_what_is_no_id_is_refused(ids: Any) -> None:
    with pytest.raises(rm.SchemaError, match=r"text or (a )?whole number"):
        rm.evaluate(LABELS[:1], rm.Run(ids, contents="ids"))


def test_an_id_that_is_no_unicode_text_is_refused_by_its_place() -> None:
    with pytest.raises(rm.SchemaError, match=r"row 0, column 1 \(from 0\): 'doc_id' holds"):
        rm.Run(np.array([["a", "\udc80"]]))
    with pytest.raises(
        rm.SchemaError,
        match=r"groups: row 1 \(from 0\) is '\\x80'; ids are text or whole numbers",
    ):
        rm.Qrels(np.array([1.0, 0.0]), groups=np.array(["a", "\udc80"]))


def test_whole_floats_are_ids_where_they_are_said_to_be() -> None:
    assert scored(LABELS, TOP.astype(float), contents="ids") == scored(LABELS, TOP)


def test_one_dimension_is_one_query_only_where_it_can_be_nothing_else() -> None:
    with pytest.raises(
        rm.SchemaError,
        match="qrels <array>: it is an array of one dimension; give groups=, sizes or query ids,",
    ):
        rm.Qrels(LABELS[0])
    with pytest.raises(
        rm.SchemaError, match=r"whole numbers in one dimension; .* contents=\"scores\""
    ):
        rm.Run(TOP[0])
    relevant = rm.Qrels(np.array([5, 7]), contents="ids")
    assert rm.evaluate(relevant, np.array(["6", "5"]), "RR")["RR"] == 0.5
    assert scored(LABELS[0][None, :], SCORES[0][None, :]) == WANTED[:1]


def test_a_word_for_what_an_array_holds_must_be_one_that_it_can_hold() -> None:
    with pytest.raises(rm.InputError, match="contents is 'scores'; need one of labels, ids"):
        rm.Qrels(LABELS, contents="scores")  # type: ignore[arg-type]
    with pytest.raises(rm.InputError, match="contents is 'labels'; need one of scores, ids"):
        rm.Run(SCORES, contents="labels")  # type: ignore[arg-type]


def test_ranks_cannot_be_trusted_where_there_are_none() -> None:
    for run in (SCORES, TOP):
        with pytest.raises(rm.InputError, match='ties="rank" needs a rank column'):
            rm.evaluate(LABELS, run, ties="rank")


def test_arrays_are_never_changed() -> None:
    mask = np.array([[True, False, True, True], [True, True, False, True]])
    before = [array.copy() for array in (LABELS, SCORES, mask, TOP)]
    for options in ({"mask": mask}, {"depth": 1, "judged_only": True}, {"ties": "input"}):
        rm.evaluate(LABELS, SCORES, MEASURES, **options)  # type: ignore[arg-type]
    rm.evaluate(LABELS, TOP, MEASURES)
    for array, kept in zip((LABELS, SCORES, mask, TOP), before, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_arrays_that_may_not_be_written_are_read() -> None:
    frozen = LABELS.copy(), SCORES.copy()
    for array in frozen:
        array.flags.writeable = False
    assert scored(*frozen) == WANTED


def test_prepared_qrels_keep_what_they_read() -> None:
    labels = LABELS.copy()
    qrels = rm.Qrels(labels)
    labels[:] = 0
    assert scored(qrels, SCORES) == WANTED
    assert scored(qrels, nested(SCORES)) == WANTED


def test_ties_follow_ids_as_text_and_not_as_numbers() -> None:
    tied = np.zeros((1, 12))
    label = np.zeros((1, 12))
    label[0, 9] = 1
    assert rm.evaluate(label, tied, "RR")["RR"] == 1.0  # "9" is the last of all in byte order
    assert rm.evaluate(label, tied, "RR", ties="docid-asc")["RR"] == 1 / 12
    assert rm.evaluate(label, tied, "RR", ties="input")["RR"] == 1 / 10
