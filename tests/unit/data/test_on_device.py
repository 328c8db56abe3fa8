"""Matrices of torch on a GPU give the numbers of the host, to which few of their values come.

The CPU is a device of torch, too, and stands in for one where there is no GPU.
"""

import pickle
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.compat.torchmetrics import Metric
from rankmark.data.arrays import on_device
from rankmark.data.ids import tensors

torch: Any = pytest.importorskip("torch")
NO_GPU = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
QUERIES, ITEMS = 30, 90  # more than results keep copies of
WHOLE = QUERIES * ITEMS
MEASURES = ["nDCG@10", "AP@5", "RR@10", "R@20", "P@5"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=NO_GPU)])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    monkeypatch.setattr(on_device, "_DEVICES", {name})
    monkeypatch.setattr(on_device, "_FEWEST", 0)
    return name


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many values came to the host, each time that some did."""
    sizes: list[int] = []
    convert = tensors.as_array

    def as_array(values: Any, what: str) -> Any:
        sizes.append(values.numel())
        return convert(values, what)

    monkeypatch.setattr(on_device, "as_array", as_array)
    monkeypatch.setattr("rankmark.data.preparing.qrels.LOOKED_AT", ITEMS)
    return sizes


def labels_and_scores(*, levels: int = 0) -> tuple[Any, Any]:
    """Return labels, most of them 0, and scores, of which many tie if they have few levels."""
    rng = np.random.default_rng(1)
    labels = rng.integers(1, 4, (QUERIES, ITEMS)) * (rng.random((QUERIES, ITEMS)) < 0.2)
    scores = rng.standard_normal((QUERIES, ITEMS))
    return torch.tensor(labels), torch.tensor(np.round(scores * levels) if levels else scores)


def on_host(tensor: Any) -> Any:
    return tensor.cpu().double().numpy()


def everything(ev: rm.Evaluation) -> tuple[Any, ...]:
    return ev.to_json(), str(ev), ev.scores.tobytes(), str(ev.audit)


@pytest.mark.parametrize("ties", ["docid", "docid-asc", "input", "mean", "best", "worst"])
@pytest.mark.parametrize("levels", [0, 2])
@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers_and_audit_are_those_of_the_host(
    device: str, copied: list[int], dtype: str, levels: int, ties: Any
) -> None:
    labels, scores = labels_and_scores(levels=levels)
    scores = scores.to(getattr(torch, dtype))
    ev = rm.evaluate(labels.to(device), scores.to(device), MEASURES, ties=ties)
    assert 0 < max(copied) < WHOLE
    wanted = rm.evaluate(on_host(labels), on_host(scores), MEASURES, ties=ties)
    assert everything(ev) == everything(wanted)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int32", "int64", *FLOATS])
@pytest.mark.parametrize("from_the_left", [False, True])
def test_masked_places_are_no_documents_whatever_they_hold(
    device: str, copied: list[int], dtype: str, from_the_left: bool
) -> None:
    rng = np.random.default_rng(2)
    lengths = rng.integers(0, ITEMS, (QUERIES, 1))
    mask = torch.tensor(
        np.arange(ITEMS) < lengths if from_the_left else rng.random((QUERIES, ITEMS)) < 0.6
    )
    labels, scores = labels_and_scores(levels=3)
    labels = labels.to(getattr(torch, dtype))
    here = on_host(labels), on_host(scores)
    wanted, highest = (
        rm.evaluate(*here, measures, mask=mask.numpy()) for measures in (MEASURES, "nDCG@10")
    )
    labels[~mask] = True if dtype == "bool" else 100
    scores[~mask] = float("nan")
    there = [tensor.to(device) for tensor in (labels, scores, mask)]
    ev = rm.evaluate(there[0], there[1], MEASURES, mask=there[2])
    assert everything(ev) == everything(wanted)
    alone = rm.evaluate(there[0], there[1], "nDCG@10", mask=there[2])  # needs fewer labels
    assert everything(alone) == everything(highest)
    metric = Metric(MEASURES)
    metric.update(there[1], there[0], mask=there[2])
    assert metric.result().scores.tobytes() == wanted.scores.tobytes()
    assert max(copied) < WHOLE


def test_infinite_scores_are_scores(device: str, copied: list[int]) -> None:
    labels, scores = labels_and_scores()
    scores[:, ::3] = -np.inf
    scores[0, 4:8] = np.inf
    mask = torch.rand(scores.shape, generator=torch.Generator().manual_seed(3)) < 0.3
    ev = rm.evaluate(labels.to(device), scores.to(device), MEASURES, mask=mask.to(device))
    assert max(copied) < WHOLE
    wanted = rm.evaluate(on_host(labels), on_host(scores), MEASURES, mask=mask.numpy())
    assert everything(ev) == everything(wanted)


def test_large_matrices_are_ranked_in_blocks(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    labels, scores = (tensor.to(device) for tensor in labels_and_scores(levels=2))
    whole = rm.evaluate(labels, scores, MEASURES)
    monkeypatch.setattr(on_device, "_AT_ONCE", 2 * ITEMS)
    assert everything(rm.evaluate(labels, scores, MEASURES)) == everything(whole)


@pytest.mark.parametrize(
    ("measure", "options"), [("AP", {}), ("AP@5", {"depth": 7}), ("AP@5", {"precision": "float32"})]
)
def test_what_needs_more_copies_the_matrix(
    device: str, copied: list[int], measure: str, options: dict[str, Any]
) -> None:
    labels, scores = labels_and_scores(levels=3)
    ev = rm.evaluate(labels.to(device), scores.to(device), measure, **options)
    assert max(copied) == WHOLE
    assert everything(ev) == everything(
        rm.evaluate(on_host(labels), on_host(scores), measure, **options)
    )


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("labels", np.nan, "qrels <array>: row 2, column 5 (from 0): the label is NaN"),
        ("labels", -np.inf, "qrels <array>: row 2, column 5 (from 0): the label is infinite"),
        ("scores", np.nan, "run <array>: row 2, column 5 (from 0): the score is NaN"),
    ],
)
def test_values_that_no_matrix_may_hold_are_refused(
    device: str, name: str, value: float, found: str
) -> None:
    labels, scores = labels_and_scores()
    given = {"labels": labels.double(), "scores": scores}
    given[name][2, 5] = value
    with pytest.raises(rm.SchemaError) as refused:
        rm.evaluate(given["labels"].to(device), given["scores"].to(device), MEASURES)
    assert str(refused.value).startswith(found)


def test_a_label_that_no_double_holds_is_refused(device: str) -> None:
    labels, scores = labels_and_scores()
    labels[2, 5] = -(2**53) - 1
    with pytest.raises(rm.SchemaError, match=r"row 2, column 5 .* no double holds exactly"):
        rm.evaluate(labels.to(device), scores.to(device), MEASURES)


def test_sides_in_different_places_or_forms_are_matched_on_the_host(device: str) -> None:
    labels, scores = labels_and_scores()
    wanted = rm.evaluate(on_host(labels), on_host(scores), MEASURES).scores.tobytes()
    there = labels.to(device), scores.to(device)
    qrels = {
        str(query): {str(item): label for item, label in enumerate(row)}
        for query, row in enumerate(labels.tolist())
    }
    pairs: list[tuple[Any, Any]] = [(there[0], on_host(scores)), (on_host(labels), there[1])]
    for judged, run in [*pairs, (qrels, there[1])]:
        assert rm.evaluate(judged, run, MEASURES).scores.tobytes() == wanted
    with pytest.raises(rm.RankmarkError, match="90"):
        rm.evaluate(there[0], there[1][:, :80], MEASURES)


def test_prepared_sides_are_copied_and_can_be_pickled(device: str) -> None:
    labels, scores = (tensor.to(device) for tensor in labels_and_scores())
    wanted = rm.evaluate(labels, scores, MEASURES)
    qrels, run = rm.Qrels(labels), rm.Run(scores)
    labels.zero_()
    scores.zero_()
    for judged, ranked in ((qrels, run), pickle.loads(pickle.dumps((qrels, run)))):
        assert everything(rm.evaluate(judged, ranked, MEASURES)) == everything(wanted)


def test_results_read_the_matrices_again_and_notice_changes(device: str) -> None:
    labels, scores = (tensor.to(device) for tensor in labels_and_scores())
    ev = rm.evaluate(labels, scores, MEASURES)
    ours = rm.evaluate(on_host(labels), on_host(scores), MEASURES)
    assert str(ev.explain("3")) == str(ours.explain("3"))
    scores.neg_()
    with pytest.raises(rm.ChangedError, match="has changed"):
        ev.explain("3")


def test_batches_are_accumulated(device: str) -> None:
    labels, scores = labels_and_scores(levels=2)
    wanted = rm.evaluate(on_host(labels), on_host(scores), MEASURES, ties="mean")
    acc = rm.Accumulator(MEASURES, ties="mean")
    for rows in (slice(0, 11), slice(11, None)):
        acc.update(labels[rows].to(device), scores[rows].to(device))
    assert acc.result().scores.tobytes() == wanted.scores.tobytes()


def test_comparisons_are_those_of_the_host(device: str) -> None:
    labels, scores = labels_and_scores(levels=2)
    runs = {"a": scores, "b": -scores}
    there = {name: run.to(device) for name, run in runs.items()}
    here = {name: on_host(run) for name, run in runs.items()}
    compared = rm.compare(labels.to(device), there, MEASURES, baseline="a")
    assert str(compared) == str(rm.compare(on_host(labels), here, MEASURES, baseline="a"))


def test_ids_and_narrow_matrices_are_read_as_before(device: str, copied: list[int]) -> None:
    labels, scores = (tensor.to(device) for tensor in labels_and_scores())
    top = scores.topk(ITEMS).indices
    wanted = rm.evaluate(on_host(labels), on_host(scores), MEASURES).scores.tobytes()
    assert rm.evaluate(on_host(labels), top, MEASURES, contents="ids").scores.tobytes() == wanted
    narrow = rm.evaluate(labels[:, :20], scores[:, :20], "nDCG@5")
    assert narrow == rm.evaluate(on_host(labels[:, :20]), on_host(scores[:, :20]), "nDCG@5")
    assert not copied
