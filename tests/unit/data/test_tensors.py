"""Tensors of torch go in as they are: with gradients, in half precision, sparse, from topk."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse

import rankmark as rm

torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:Sparse:UserWarning")  # torch calls them new

LABELS = np.array([[1, 0, 2, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
SCORES = np.array([[0.25, 1.0, 0.5, -1.0], [0.75, 0.5, 0.25, 0.125], [1.0, 0.5, 2.0, 3.0]])
MEASURES = ["nDCG@10", "AP", "RR"]
WANTED = rm.evaluate(LABELS, SCORES, MEASURES).scores.tolist()
STORED = rm.evaluate(scipy.sparse.csr_matrix(LABELS), SCORES, MEASURES).scores.tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("gradients", [False, True])
def test_scores_of_a_model_are_taken_as_they_are(dtype: str, gradients: bool) -> None:
    scores = torch.tensor(SCORES).to(getattr(torch, dtype)).requires_grad_(gradients)
    assert rm.evaluate(torch.tensor(LABELS), scores, MEASURES).scores.tolist() == WANTED
    assert scores.requires_grad == gradients


@pytest.mark.parametrize("make", ["to_sparse", "to_sparse_csr", "to_sparse_csc"])
def test_sparse_tensors_are_sparse_matrices(make: str) -> None:
    labels = getattr(torch.tensor(LABELS), make)()
    ev = rm.evaluate(labels, torch.tensor(SCORES), MEASURES)
    assert ev.scores.tolist() == STORED
    assert ev.settings["qrels"] == {"form": "sparse matrix", "shape": [3, 4], "stored": 3}
    run = getattr(torch.tensor(SCORES), make)()
    assert rm.evaluate(labels, run, MEASURES).scores.tolist() == STORED


def test_an_entry_of_a_sparse_tensor_that_stands_twice_is_refused_and_not_added_up() -> None:
    twice = torch.sparse_coo_tensor([[0, 0], [1, 1]], [1.0, 2.0], (2, 3))
    with pytest.raises(rm.DuplicateError, match=r"row 0, column 1 .* appears twice"):
        rm.Qrels(twice)


@pytest.mark.parametrize("largest", [3, 2])
def test_topk_is_a_run(largest: int) -> None:
    scores = torch.tensor(SCORES, requires_grad=True)
    top = scores.topk(largest)
    wanted = rm.evaluate(LABELS, top.indices.numpy(), MEASURES, contents="ids").scores.tolist()
    assert rm.evaluate(torch.tensor(LABELS), top, MEASURES).scores.tolist() == wanted
    pair = top.values.detach().numpy(), top.indices.numpy()
    assert rm.evaluate(LABELS, pair, MEASURES).scores.tolist() == wanted


def test_a_tensor_without_values_is_refused() -> None:
    with pytest.raises(rm.SchemaError, match="cannot be converted to a NumPy array"):
        rm.evaluate(LABELS, torch.zeros(3, 4, device="meta"))


def test_lists_of_tensors_are_rankings() -> None:
    ids = [torch.tensor([2, 0]), torch.tensor([1]), torch.tensor([], dtype=torch.int64)]
    assert rm.evaluate([{0, 2}, {1}, {3}], ids, "RR")["RR"] == pytest.approx(2 / 3)
    scores = {"q": {"a": torch.tensor(0.5), "b": torch.tensor(0.75)}}
    assert rm.evaluate({"q": {"a"}}, scores, "RR")["RR"] == 0.5


def test_labels_in_half_precision_are_no_time_stamps() -> None:
    labels = torch.tensor(LABELS).half()  # which holds nothing above 65,504
    assert rm.evaluate(labels, torch.tensor(SCORES).half(), MEASURES).scores.tolist() == WANTED
