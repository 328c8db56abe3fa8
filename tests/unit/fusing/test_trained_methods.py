"""Methods that learn: the figures of ranx 0.3.21, and the same queries refused."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import rankmark as rm
from rankmark.errors import InputError, MeasureError
from rankmark.fusing.method_names import method
from rankmark.fusing.methods import TRAINED

RUNS = [
    {"q1": {"a": 10.0, "b": 8.0, "c": 8.0, "d": 1.0}, "q2": {"x": 3.0, "y": 3.0}},
    {"q1": {"c": 0.9, "e": 0.7, "a": 0.5}, "q2": {"z": 0.4}},
    {"q1": {"b": 2.0, "a": 1.0, "f": -1.0}, "q2": {"y": 1.0, "x": 0.5}},
]
QRELS = {"q1": {"a": 1, "c": 1}, "q2": {"y": 1}}
LEAST = -6.906755


@pytest.mark.parametrize(
    ("name", "options", "q1", "q2"),
    [
        (
            "MAPFuse",
            {},
            {"a": 1.118056, "b": 0.958333, "c": 0.638889, "e": 0.208333, "f": 0.208333,
             "d": 0.166667},
            {"x": 0.979167, "y": 0.958333, "z": 0.416667},
        ),
        (
            "PosFuse",
            {},
            {"a": 2, "c": 1.5, "b": 1, "d": 0, "e": 0, "f": 0},
            {"x": 1, "y": 1, "z": 0.5},
        ),
        (
            "BayesFuse",
            {},
            {"a": -3.619887, "b": -9.140347, "c": -9.140347, "d": -14.660807, "e": -15.199804,
             "f": -15.199804},
            {"x": -9.140347, "y": -9.140347, "z": -15.199804},
        ),
        (
            "SegFuse",
            {"constant": 0},
            {"a": 1.133333, "b": 0.933333, "c": 0.933333, "d": 0.3, "e": 0.3, "f": 0.2},
            {"y": 0.7, "x": 0.5, "z": 0.2},
        ),
    ],
)  # fmt: skip
def test_figures_of_ranx(
    name: str, options: dict[str, Any], q1: dict[str, float], q2: dict[str, float]
) -> None:
    trained = rm.train_fusion(QRELS, RUNS, name, ties="input")
    if options:
        trained = trained.choose(**options).after(trained.learnt or (), trained.trained_on)
    fused = rm.fuse(RUNS, trained, ties="input", training_queries=True).to_dict()
    assert fused["q1"] == pytest.approx(q1, abs=6e-7)
    assert fused["q2"] == pytest.approx(q2, abs=6e-7)


def test_what_posfuse_and_bayesfuse_learn() -> None:
    learnt = rm.train_fusion(QRELS, RUNS, "PosFuse", ties="input").learnt
    assert learnt == ((0.5, 0.5, 1, 0), (0.5, 0, 1), (0.5, 0.5, 0))
    odds = rm.train_fusion(QRELS, RUNS, "BayesFuse", ties="input").learnt
    assert odds is not None
    assert [of_run[0] for of_run in odds] == pytest.approx([-0.847298, -1.386294, -1.386294])


def test_probfuse_divides_the_share_of_a_segment_by_its_number() -> None:
    qrels, run = {"t": {"a": 1, "c": 1}}, {"t": {d: 9.0 - n for n, d in enumerate("abcde")}}
    trained = rm.train_fusion(qrels, [run], "ProbFuse(segments=2)")
    assert trained.learnt == ((2 / 3, 0.0),)  # a, b, c; d, e
    trained = rm.train_fusion({"t": {"a": 1, "e": 1}}, [run], "ProbFuse(segments=2)")
    assert trained.learnt == ((1 / 3, 1 / 2),)
    fused = rm.fuse([{"q": dict(zip("vwxy", (4.0, 3.0, 2.0, 1.0), strict=True))}], trained)
    assert fused.to_dict()["q"] == pytest.approx({"w": 1 / 3, "v": 1 / 3, "y": 1 / 4, "x": 1 / 4})


def test_slidefuse_is_the_mean_over_neighbouring_ranks_of_the_list() -> None:
    qrels, run = {"t": {"a": 1, "d": 1}}, {"t": {d: 9.0 - n for n, d in enumerate("abcd")}}
    trained = rm.train_fusion(qrels, [run], "SlideFuse(w=1)")
    fused = rm.fuse([{"q": {"x": 3.0, "y": 2.0, "z": 1.0}}], trained).to_dict()["q"]
    assert fused == pytest.approx({"x": 1 / 2, "y": 1 / 3, "z": 0})


def test_segfuse_has_the_segments_of_the_paper_or_of_ranx() -> None:
    run = {"t": {f"d{n:02}": 50.0 - n for n in range(30)}}
    qrels = {"t": {"d17": 1}}  # rank 18: the second segment is 6 to 20, or 6 to 15
    paper = rm.train_fusion(qrels, [run], "SegFuse").learnt
    ranx = rm.train_fusion(qrels, [run], 'SegFuse(cuts="ranx")').learnt
    assert paper is not None
    assert ranx is not None
    assert paper[0][:3] == (0, 1 / 15, 0)
    assert ranx[0][:3] == (0, 0, 1 / 20)


def test_training_queries_are_refused_unless_they_are_asked_for() -> None:
    trained = rm.train_fusion({"q1": {"a": 1}}, RUNS, "PosFuse")
    with pytest.raises(InputError, match=r"was trained on .*q1"):
        rm.fuse(RUNS, trained)
    others = [{"q2": run["q2"]} for run in RUNS]
    alone = rm.fuse(others, trained).to_dict()["q2"]
    assert rm.fuse(RUNS, trained, training_queries=True).to_dict()["q2"] == alone


@pytest.mark.parametrize("name", [each.name for each in TRAINED])
def test_what_was_learnt_travels(name: str) -> None:
    for trained in (rm.train_fusion(QRELS, RUNS, name), method(name)):
        assert pickle.loads(pickle.dumps(trained)) == trained


def test_methods_that_learn_are_told_from_others() -> None:
    with pytest.raises(MeasureError, match="does not learn"):
        rm.train_fusion(QRELS, RUNS, "RRF")
    trained = rm.train_fusion(QRELS, RUNS, "PosFuse")
    with pytest.raises(InputError, match="trained on 3 runs"):
        rm.fuse(RUNS[:2], trained)
    with pytest.raises(MeasureError, match="whole number from 1"):
        rm.train_fusion(QRELS, RUNS, "SlideFuse(w=0)")
