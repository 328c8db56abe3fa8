"""Without torchmetrics, its face has its numbers, from arrays and tensors, in several processes."""

import copy
import multiprocessing
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.compat.torchmetrics import retrieval_metrics as torchmetrics

INDEXES = [0, 0, 0, 0, 0, 3, 3, 3, 3, 1, 1, 1, 7, 7, 7, 7, 7, 7, 4, 4]
PREDS = [
    0.9, 0.1, -0.3, 0.4, 0.7, -1.2, 0.5, 0.3, 2.5, -0.1, -0.4, -0.2, 0.8, 0.6, 0.2, -0.5, 0.3, 0.95,
    0.4, 0.3,
]  # fmt: skip
TARGET = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0]
GRADED = [0, 1, 3, 0, 2, 0, 0, 1, 3, 1, 0, 2, 0, 0, 1, 2, 0, 0, 0, 0]
TIED = [
    0.5,
    0.5,
    0.1,
    0.5,
    0.7,
    0.2,
    0.5,
    0.5,
    0.5,
    *[0.1] * 3,
    0.8,
    0.6,
    0.2,
    0.2,
    0.2,
    0.9,
    0.4,
    0.4,
]
# As printed by torchmetrics 1.9.0.
FIGURES: list[tuple[str, dict[str, Any], float]] = [
    ("RetrievalMAP", {}, 0.3066667),
    ("RetrievalMAP", {"top_k": 2}, 0.3000000),
    ("RetrievalMRR", {}, 0.3400000),
    ("RetrievalMRR", {"top_k": 1, "empty_target_action": "skip"}, 0.2500000),
    ("RetrievalPrecision", {}, 0.2133333),
    ("RetrievalPrecision", {"top_k": 10}, 0.1000000),
    ("RetrievalPrecision", {"top_k": 5, "adaptive_k": True}, 0.2200000),
    ("RetrievalRecall", {"top_k": 3}, 0.2666667),
    ("RetrievalRecall", {"empty_target_action": "pos"}, 0.6333333),
    ("RetrievalHitRate", {"top_k": 2}, 0.6000000),
    ("RetrievalFallOut", {"top_k": 2}, 0.5000000),
    ("RetrievalFallOut", {"empty_target_action": "neg", "top_k": 2}, 0.5000000),
    ("RetrievalRPrecision", {"aggregation": "median"}, 0.3333333),
    ("RetrievalAUROC", {}, 0.3833333),
    ("RetrievalAUROC", {"top_k": 3}, 0.4000000),
    ("RetrievalAUROC", {"max_fpr": 0.5}, 0.4666666),
    ("RetrievalNormalizedDCG", {"top_k": 3}, 0.4177304),
    (
        "RetrievalNormalizedDCG",
        {"aggregation": "min", "empty_target_action": "skip", "ignore_index": 2},
        0.3868527,
    ),
]


def columns(name: str) -> tuple[Any, ...]:
    target = GRADED if "DCG" in name else TARGET
    return np.array(PREDS, dtype=np.float32), np.array(target), np.array(INDEXES)


@pytest.mark.parametrize(("name", "options", "figure"), FIGURES)
def test_the_numbers_are_those_of_torchmetrics(
    name: str, options: dict[str, Any], figure: float
) -> None:
    whole, parts = (getattr(torchmetrics, name)(**options) for _ in range(2))
    whole.update(*columns(name))
    assert whole.compute() == pytest.approx(figure, abs=1e-6)
    for part in (slice(12, None), slice(3), slice(3, 12)):  # a query may come in several batches
        preds, target, indexes = columns(name)
        parts.update(preds=preds[part], target=target[part], indexes=indexes[part])
    assert pickle.loads(pickle.dumps(parts)).compute() == whole.compute()


def test_ties_are_averaged_in_ndcg_alone() -> None:
    ndcg = torchmetrics.RetrievalNormalizedDCG()
    ndcg.update(np.array(TIED), np.array(GRADED), np.array(INDEXES))
    assert ndcg.compute() == pytest.approx(0.5623261, abs=1e-6)


def test_forward_gives_the_value_of_the_batch_and_merging_all() -> None:
    one, other = torchmetrics.RetrievalMRR(), torchmetrics.RetrievalMRR()
    assert one(np.array([0.2, 0.9]), np.array([1, 0]), np.array([0, 0])) == 0.5
    assert one(np.array([0.2, 0.1]), np.array([1, 0]), np.array([1, 1])) == 1.0
    assert one.compute() == 0.75
    other.update(np.array([0.9, 0.2, 0.1]), np.array([0, 0, 1]), np.array([5, 5, 5]))
    one.merge_state(other)
    assert one.compute() == pytest.approx((0.5 + 1 + 1 / 3) / 3)
    assert one.clone().compute() == one.compute()
    one.reset()
    for failing in (one.compute, lambda: one.merge_state(torchmetrics.RetrievalMAP())):  # type: ignore[arg-type]
        with pytest.raises(rm.InputError):
            failing()


@pytest.mark.parametrize(
    ("options", "batch", "said"),
    [
        ({"empty_target_action": "zero"}, None, "empty_target_action is 'zero'"),
        ({"top_k": 0}, None, "top_k is 0"),
        ({"aggregation": "sum"}, None, "aggregation is 'sum'"),
        ({"ignore_index": 1.5}, None, "ignore_index is 1.5"),
        ({"max_fpr": 2}, None, "max_fpr"),
        ({}, ([0.5, 0.1], [1], [0]), "the shapes differ"),
        ({}, ([0.5], [2], [0]), "target holds 2; need 0 and 1"),
        ({}, ([0.5], [1], [0.0]), "need whole numbers"),
        ({"empty_target_action": "error"}, ([0.5], [0], [8]), "no positive target: 8"),
    ],
)
def test_what_cannot_be_is_refused(options: Any, batch: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        torchmetrics.RetrievalAUROC(**options)(*map(np.array, batch))
    with pytest.raises(TypeError, match="keyword"):
        torchmetrics.RetrievalMRR(k=3)
    with pytest.raises(ValueError, match="adaptive_k is 'x'; need True or False"):
        torchmetrics.RetrievalPrecision(adaptive_k="x")  # type: ignore[arg-type]
    ndcg = torchmetrics.RetrievalNormalizedDCG(ignore_index=-100)
    with pytest.raises(ValueError, match="target holds -1; need labels from 0"):
        ndcg(np.array([0.5, 0.1]), np.array([-1, 1]), np.array([0, 0]))
    assert ndcg(np.array([0.5, 0.1]), np.array([-100, 1]), np.array([0, 0])) == 1.0


def test_what_is_not_here_is_torchmetrics_own_or_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torchmetrics", None)
    with pytest.raises(ImportError, match="RecallAtPrecision"):
        from rankmark.compat.torchmetrics import RetrievalRecallAtFixedPrecision  # noqa: F401


def test_any_measure_is_a_metric_with_an_evaluation() -> None:
    dice = np.random.default_rng(0)
    scores, labels = dice.random((8, 6)), dice.integers(0, 3, (8, 6))
    metric = torchmetrics.Metric(["nDCG@5", "RR(rel=2)"], no_relevant="skip")
    metric.update(scores[:3], labels[:3], query_ids=range(3))
    rows = np.repeat(np.arange(3, 8), 6)
    metric.update(scores[3:].ravel(), labels[3:].ravel(), rows)
    whole = rm.evaluate(labels, scores, ["nDCG@5", "RR(rel=2)"], no_relevant="skip")
    assert metric.result() == whole
    assert metric.compute() == dict(whole)
    assert metric.higher_is_better
    assert copy.deepcopy(metric).compute() == metric.compute()
    metric.update(scores[3:4], labels[3:4], query_ids=[3])
    with pytest.raises(rm.DuplicateError, match="'3' comes twice: in batch 2, and in batch 3"):
        metric.compute()
    other = torchmetrics.Metric("RR")
    other.merge_state(torchmetrics.Metric("AP"))
    other.update({"q": ["x"]}, {"q": {"x": 1}})
    other.batches = [("AP", other.batches[0][1])]
    with pytest.raises(rm.MismatchError, match="state of the metric is of AP"):
        other.compute()
    assert torchmetrics.Metric("RR")({"q": ["x", "a"]}, {"q": {"a": 1}}) == 0.5
    median = torchmetrics.Metric("RR", aggregation="median")
    median.update({"a": ["x"], "b": ["y", "x"], "c": ["y"]}, {q: {"x": 1} for q in "abc"})
    assert median.compute() == 0.5


def test_tensors_give_tensors_on_their_device() -> None:
    torch = pytest.importorskip("torch")
    for name, options, figure in FIGURES:
        metric = getattr(torchmetrics, name)(**options)
        value = metric(*map(torch.tensor, columns(name)))
        assert value.dtype == torch.float32
        assert float(value) == pytest.approx(figure, abs=1e-6)
    largest = torchmetrics.RetrievalMRR(aggregation=torch.amax)
    assert largest(*map(torch.tensor, columns("MRR"))) == torch.tensor(1.0)
    logits = torch.tensor([[0.3, 0.1], [0.2, 0.9]], requires_grad=True).bfloat16()
    ndcg = torchmetrics.Metric("RR")(logits, torch.tensor([[0, 1], [0, 1]]))
    assert ndcg == torch.tensor(0.75)
    assert not ndcg.requires_grad
    mean = torchmetrics.RetrievalMRR()
    mean.update(*map(torch.tensor, columns("MRR")))
    merged = torchmetrics.RetrievalMRR()
    merged.merge_state(mean)
    for copied in (mean.clone(), merged):
        assert copied.compute().dtype == torch.float32


def test_tensors_on_a_device_are_copied_to_the_host_once() -> None:
    torch = pytest.importorskip("torch")
    copies = []

    class Device(torch.Tensor):  # type: ignore[misc, name-defined]
        """A tensor that refuses as those on a GPU do, until it is copied to the host."""

        def __array__(self, *_: Any) -> Any:
            raise TypeError(
                "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the "
                "tensor to host memory first."
            )

        numpy = __dlpack__ = __array__

        def cpu(self) -> Any:
            copies.append(self)
            return self.as_subclass(torch.Tensor)

    def on_device(array: Any) -> Any:
        return torch.tensor(array).as_subclass(Device)

    scores, labels = np.array([[0.2, 0.9], [0.7, 0.1]]), np.array([[1, 0], [1, 0]])
    mask, indexes = np.ones((2, 2), dtype=bool), np.array([0, 0, 1, 1])
    metric = torchmetrics.Metric("RR")
    metric.update(on_device(scores), on_device(labels), mask=on_device(mask))
    assert (float(metric.compute()), len(copies)) == (0.75, 3)
    flat = on_device(scores.ravel()), on_device(labels.ravel()), on_device(indexes)
    for each in (torchmetrics.Metric("RR"), torchmetrics.RetrievalMRR()):
        copies.clear()
        each.update(*flat)
        assert (float(each.compute()), len(copies)) == (0.75, 3)
    assert rm.reward({"0": {"3": 1}}, "RR")("0", on_device([1, 3])) == 0.5


def test_a_copy_gathers_from_the_same_processes() -> None:
    assert torchmetrics.RetrievalMRR(process_group="a few").clone().process_group == "a few"


def work(rank: int, folder: str) -> None:
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{folder}/met", rank=rank, world_size=2)
    torch = __import__("torch")
    every = [torch.tensor(column) for column in columns("MAP")]
    mine = slice(None, 7) if rank == 0 else slice(7, None)  # query 3 is in both
    precision = torchmetrics.RetrievalMAP()
    precision.update(*(column[mine] for column in every))
    metric = torchmetrics.Metric("nDCG@3", on_repeat="last")
    metric.update(torch.tensor([[0.1, 0.2]]), torch.tensor([[rank, 1]]), query_ids=[rank])
    metric.update(torch.tensor([[0.1, 0.2]]), torch.tensor([[1, 0]]), query_ids=[9])
    values = float(precision.compute()), float(metric.compute()), len(metric.result().queries)
    alone = torchmetrics.Metric("RR", sync_on_compute=False)
    values += (float(alone(torch.tensor([[0.1, 0.2]]), torch.tensor([[1 - rank, rank]]))),)
    Path(folder, str(rank)).write_text(repr(values))
    dist.destroy_process_group()


def test_two_processes_compute_the_value_of_all_batches(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=work, args=(rank, str(tmp_path))) for rank in (0, 1)]
    for process in both:
        process.start()
    for process in both:
        process.join(60)
    (*first, one), (*second, other) = (eval((tmp_path / name).read_text()) for name in "01")
    assert first == second
    half = 1 / np.log2(3)
    assert first == pytest.approx([0.3066667, (1 + 1 + half) / 3, 3], abs=1e-6)
    assert (one, other) == (0.5, 1.0)
