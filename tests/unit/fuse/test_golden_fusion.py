"""Fused scores of three small lists, as ranx 0.3.21 computes them with norm=None, to six digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rankmark as rm

if TYPE_CHECKING:
    from rankmark.verbs.fuse.norms import Norm

RUNS = [
    {"q1": {"a": 10, "b": 8, "c": 8, "d": 1}, "q2": {"x": 3, "y": 3}},
    {"q1": {"c": 0.9, "e": 0.7, "a": 0.5}, "q2": {"z": 0.4}},
    {"q1": {"b": 2, "a": 1, "f": -1}, "q2": {"y": 1, "x": 0.5}},
]
WEIGHTS = [0.5, 0.3, 0.2]

GOLDEN = [
    ("RRF(k=60)", "a .048395 b .032522 c .032266 e .016129 f .015873 d .015625",
     "x .032522 y .032522 z .016393"),
    ("RRF(k=2)", "a .783333 b .583333 c .533333 e .25 f .2 d .166667",
     "x .583333 y .583333 z .333333"),
    ("CombSUM", "a 11.5 b 10 c 8.9 d 1 e .7 f -1", "y 4 x 3.5 z .4"),
    ("CombMNZ", "a 34.5 b 20 c 17.8 d 1 e .7 f -1", "y 8 x 7 z .4"),
    ("CombANZ", "b 5 c 4.45 a 3.833333 d 1 e .7 f -1", "y 2 x 1.75 z .4"),
    ("CombMAX", "a 10 b 8 c 8 d 1 e .7 f -1", "x 3 y 3 z .4"),
    ("CombMIN", "b 2 d 1 c .9 e .7 a .5 f -1", "y 1 x .5 z .4"),
    ("CombMED", "b 5 c 4.45 a 1 d 1 e .7 f -1", "y 2 x 1.75 z .4"),
    ("CombGMNZ(gamma=2)", "a 103.5 b 40 c 35.6 d 1 e .7 f -1", "y 16 x 14 z .4"),
    ("ISR", "a 4.083333 b 2.5 c 2.222222 e .25 f .111111 d .0625", "x 2.5 y 2.5 z 1"),
    ("logISR", "a 1.495333 b .866434 c .770164 d 0 e 0 f 0", "x .866434 y .866434 z 0"),
    ("logN_ISR(sigma=0.01)", "a 1.499863 b .872668 c .775705 e .002488 f .001106 d .000622",
     "x .872668 y .872668 z .00995"),
    ("Borda", "a 15 b 13 c 12 e 8.5 f 7.5 d 7", "x 6.5 y 6.5 z 5"),
    ("RBC(p=0.8)", "a .488 b .36 c .328 e .16 f .128 d .1024", "x .36 y .36 z .2"),
    ("wsum", "a 5.35 b 4.4 c 4.27 d .5 e .21 f -.2", "y 1.7 x 1.6 z .12"),
    ("WMNZ", "a 11.5 c 7.12 b 7 d .5 e .21 f -.2", "y 2.8 x 2.45 z .12"),
    ("Mixed", "a 9.266472 b 6.22254 c 6.038692 d .5 e .21 f -.2",
     "y 2.404163 x 2.262742 z .12"),
    ("w_bordafuse", "a 5.2 b 4.3 c 4.2 e 2.65 d 2.5 f 2.15", "x 2.35 y 2.05 z 1.6"),
]  # fmt: skip
WEIGHTED = {"wsum", "WMNZ", "Mixed", "w_bordafuse"}


def _scores(text: str) -> dict[str, float]:
    words = text.split()
    return {doc: float(score) for doc, score in zip(words[::2], words[1::2], strict=True)}


@pytest.mark.parametrize(("name", "q1", "q2"), GOLDEN, ids=[name for name, *_ in GOLDEN])
def test_scores_and_order_are_those_of_ranx(name: str, q1: str, q2: str) -> None:
    """The order of equal scores is not compared, as ranx promises none."""
    uses_scores = name.startswith("Comb") or name in {"wsum", "WMNZ", "Mixed"}
    fused = rm.fuse(
        RUNS,
        name,
        norm="none" if uses_scores else None,
        weights=WEIGHTS if name in WEIGHTED else None,
        ties="input",
    )
    found = fused.to_dict()
    for query, expected in (("q1", _scores(q1)), ("q2", _scores(q2))):
        assert found[query] == pytest.approx(expected, abs=5.1e-7)
        assert list(found[query].values()) == sorted(found[query].values(), reverse=True)


NORMS: list[tuple[Norm, list[float], list[float]]] = [
    ("min-max", [1, 0.777778, 0.777778, 0], [1, 0.666667, 0]),
    ("max", [1, 0.8, 0.8, 0.1], [1, 0.5, -0.5]),
    ("sum", [0.391304, 0.304348, 0.304348, 0], [0.6, 0.4, 0]),
    ("z", [0.950654, 0.365636, 0.365636, -1.681927], [1.069045, 0.267261, -1.336306]),
]


@pytest.mark.parametrize(("norm", "of_a", "of_c"), NORMS, ids=[name for name, *_ in NORMS])
def test_norms_are_those_of_ranx(norm: Norm, of_a: list[float], of_c: list[float]) -> None:
    for run, docs, expected in ((RUNS[0], "abcd", of_a), (RUNS[2], "baf", of_c)):
        fused = rm.fuse([run], "CombSUM", norm=norm).to_dict()["q1"]
        assert [fused[doc] for doc in docs] == pytest.approx(expected, abs=5.1e-7)


def test_the_norm_rank_counts_from_1_down_to_1_over_n() -> None:
    fused = rm.fuse([RUNS[0]], "CombSUM", norm="rank", ties="input").to_dict()["q1"]
    assert fused == {"a": 1, "b": 0.75, "c": 0.5, "d": 0.25}


def test_the_norm_borda_gives_absent_documents_points() -> None:
    fused = rm.fuse(RUNS, "wsum", norm="borda", weights=[1, 0, 0], ties="input").to_dict()["q1"]
    expected = {"a": 1, "b": 0.833333, "c": 0.666667, "d": 0.5, "e": 0.25, "f": 0.25}
    assert fused == pytest.approx(expected, abs=5.1e-7)
