"""Where torchmetrics is installed, the metrics are its own, and work wherever these do."""

import copy
import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm

torch = pytest.importorskip("torch")
theirs = pytest.importorskip("torchmetrics")

from rankmark.compat import torchmetrics as face  # noqa: E402

NAMES = [name for name in face.__all__ if name != "Metric"]


def batch(seed: int = 0, queries: int = 12, graded: bool = False) -> tuple[Any, Any, Any]:
    dice = np.random.default_rng(seed)
    scores = torch.tensor(dice.normal(size=queries * 7), dtype=torch.float32)
    target = torch.tensor(dice.integers(0, 4 if graded else 2, queries * 7))
    return scores, target, torch.arange(queries).repeat_interleave(7)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("options", [{}, {"top_k": 3}, {"empty_target_action": "skip"}])
def test_the_metrics_are_those_of_torchmetrics_with_its_numbers(
    name: str, options: dict[str, Any]
) -> None:
    if name == "RetrievalRPrecision":
        options = {key: value for key, value in options.items() if key != "top_k"}
    ours, other = getattr(face, name)(**options), getattr(theirs.retrieval, name)(**options)
    assert isinstance(ours, type(other))
    for seed in range(3):
        given = batch(seed, graded="DCG" in name)
        assert float(ours(*given)) == pytest.approx(float(other(*given)), abs=1e-6)
    assert float(ours.compute()) == pytest.approx(float(other.compute()), abs=1e-6)
    assert ours.higher_is_better is other.higher_is_better
    assert ours.is_differentiable is False
    assert ours.device == other.device
    assert ours.state_dict() == {}
    ours.persistent(True)
    assert {*ours.state_dict()} == {"indexes", "preds", "target"}
    assert pickle.loads(pickle.dumps(ours)).compute() == ours.compute()
    assert ours.clone().compute() == ours.compute()
    ours.reset()
    assert ours.indexes == []


@pytest.mark.parametrize("make", [face.RetrievalMAP, lambda: face.Metric("RR@3")])
def test_they_work_in_what_holds_metrics(make: Any) -> None:
    given = batch()
    value = float(make()(*given))
    collection = theirs.MetricCollection({"a": make(), "b": face.Metric(["AP", "RR"])})
    collection.update(*given)
    found = collection.compute()
    assert {*found} == {"a", "AP", "RR"}
    assert float(found["a"]) == pytest.approx(value)
    tracker = theirs.MetricTracker(make())
    for seed in (1, 0):
        tracker.increment()
        tracker.update(*batch(seed))
    best, step = tracker.best_metric(return_step=True)
    assert best == max(float(one) for one in tracker.compute_all())
    assert step in {0, 1}
    modules = torch.nn.ModuleDict({"metric": make()})
    assert float(modules["metric"](*given)) == value
    both = make() + make()
    both.update(*given)
    assert float(both.compute()) == pytest.approx(2 * value)
    moved = make().to("cpu").set_dtype(torch.float64)
    moved.update(*given)
    assert float(moved.compute()) == pytest.approx(value)


def test_metrics_of_different_measures_are_no_compute_group() -> None:
    collection = theirs.MetricCollection({"all": face.Metric("RR"), "two": face.Metric("RR@2")})
    first = torch.tensor([[0.9, 0.1, 0.2]]), torch.tensor([[1, 0, 0]])  # 1 for both
    second = torch.tensor([[0.9, 0.8, 0.2]]), torch.tensor([[0, 0, 1]])
    for given in (first, second):
        collection.update(*given)
    assert collection.compute() == {"all": pytest.approx(2 / 3), "two": 0.5}


def test_any_measure_has_a_state_that_can_be_saved_and_merged() -> None:
    dice = np.random.default_rng(0)
    scores, labels = dice.random((8, 6)), dice.integers(0, 3, (8, 6))
    metric = face.Metric(["nDCG@5", "RR(rel=2)"], no_relevant="skip")
    metric.update(scores[:3], labels[:3], query_ids=range(3))
    rows = np.repeat(np.arange(3, 8), 6)
    metric.update(scores[3:].ravel(), labels[3:].ravel(), rows)
    whole = rm.evaluate(labels, scores, ["nDCG@5", "RR(rel=2)"], no_relevant="skip")
    assert metric.result() == whole
    assert {name: float(one) for name, one in metric.compute().items()} == pytest.approx(
        dict(whole), rel=1e-6
    )
    assert metric.higher_is_better
    metric.persistent(True)
    other = face.Metric(["nDCG@5", "RR(rel=2)"], no_relevant="skip")
    other.persistent(True)
    other.load_state_dict(metric.state_dict())
    assert other.result() == whole
    assert copy.deepcopy(metric).result() == whole
    parts = [face.Metric("RR", on_repeat="last") for _ in range(2)]
    for part, labelled in zip(parts, ([[1, 0]], [[0, 1]]), strict=True):
        part.update(np.array([[0.9, 0.1]]), np.array(labelled), query_ids=["q"])
    parts[0].merge_state(parts[1])
    assert len(parts[0].result()) == 1
    metric.update(scores[3:4], labels[3:4], query_ids=[3])
    with pytest.raises(rm.DuplicateError, match="'3' comes twice: in batch 2, and in batch 3"):
        metric.compute()
    wrong = face.Metric("AP")
    wrong.persistent(True)
    wrong.load_state_dict(other.state_dict())
    with pytest.raises(rm.MismatchError, match="state of the metric is of"):
        wrong.result()


def test_a_saved_state_runs_no_code() -> None:
    metric = face.Metric("RR")
    metric.batches.append(torch.frombuffer(bytearray(pickle.dumps(print)), dtype=torch.uint8))
    with pytest.raises(pickle.UnpicklingError, match=r"builtins\.print is in no state"):
        metric.result()


def test_formulas_of_users_and_negative_gains_are_torchmetrics_own() -> None:
    class Mine(face.RetrievalPrecision):  # type: ignore[misc]
        def _metric(self, preds: Any, target: Any) -> Any:  # noqa: ARG002
            return torch.tensor(0.25)

    assert float(Mine()(*batch())) == 0.25
    given = torch.tensor([0.5, 0.1, 0.3]), torch.tensor([-1, 1, 2]), torch.tensor([0, 0, 0])
    expected = theirs.retrieval.RetrievalNormalizedDCG()(*given)
    assert face.RetrievalNormalizedDCG()(*given) == expected


def test_arrays_are_taken_and_what_is_not_here_is_torchmetrics_own() -> None:
    arrays = [column.numpy() for column in batch()]
    assert face.RetrievalMRR()(*arrays) == face.RetrievalMRR()(*batch())
    assert face.RetrievalPrecisionRecallCurve is theirs.retrieval.RetrievalPrecisionRecallCurve


def test_values_can_be_plotted() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    for metric in (face.RetrievalMAP(), face.Metric("RR")):
        metric.update(*batch())
        figure, _ = metric.plot()
        assert figure is not None


def work(rank: int, folder: str) -> None:
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{folder}/met", rank=rank, world_size=2)
    scores, target, index = batch()
    mean, metric = face.RetrievalMAP(), face.Metric("RR", on_repeat="last")
    lone = face.RetrievalMAP()
    if rank == 0:  # the processes have other numbers of batches, and one of them none
        for part in (slice(0, 7), slice(7, 28)):
            mean.update(scores[part], target[part], index[part])
        lone.update(scores, target, index)
        metric.update(scores.reshape(12, 7), target.reshape(12, 7), query_ids=range(12))
    else:
        mean.update(scores[28:], target[28:], index[28:])
    values = float(mean.compute()), float(lone.compute()), float(metric.compute())
    values += (len(metric.result().queries), len(mean.indexes))
    Path(folder, str(rank)).write_text(repr(values))
    dist.destroy_process_group()


def test_two_processes_compute_the_value_of_all_batches(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=work, args=(rank, str(tmp_path))) for rank in (0, 1)]
    for process in both:
        process.start()
    for process in both:
        process.join(90)
    first, second = (eval((tmp_path / name).read_text()) for name in "01")
    mean = float(theirs.retrieval.RetrievalMAP()(*batch()))
    scores, target, _ = batch()
    rr = rm.evaluate(target.reshape(12, 7).numpy(), scores.reshape(12, 7).numpy(), "RR")["RR"]
    assert first[:4] == second[:4] == pytest.approx((mean, mean, rr, 12), abs=1e-6)
    assert (first[4], second[4]) == (2, 1)  # the batches of each process alone again
