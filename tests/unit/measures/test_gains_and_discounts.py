"""Gains and discounts given as functions and as lists: numbers, names, words for mistakes."""

import functools
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmark as rm
from rankmark import CG, DCG, G, Measure, Q, Rndcg, nDCG, nDCGrel

QRELS = {"q1": {"a": 2, "b": 1, "c": 0, "d": 3}, "q2": {"x": 1}, "q3": {"y": 2}, "q4": {"v": 0}}
RUN = {
    "q1": {"b": 4.0, "z": 3.0, "a": 2.0, "c": 1.0},
    "q2": {"w": 2.0, "x": 1.0},
    "q4": {"v": 1.0, "u": 1.0},
}
GAINED = [CG, CG @ 2, DCG, DCG @ 2, nDCG, nDCG @ 2, nDCG(ideal="k") @ 3,
          nDCG(ideal="uncut") @ 2, nDCG(ideal="retrieved"), Rndcg, nDCGrel, G, Q,
          Q @ 2]  # fmt: skip
DISCOUNTED = [one for one in GAINED if "discount" in one.parameters]


def burges(label: np.ndarray) -> np.ndarray:
    """Give 2^label - 1."""
    return np.exp2(label) - 1.0


def logarithm(rank: np.ndarray) -> np.ndarray:
    """Give log2(rank + 1)."""
    return np.log2(rank + 1.0)


def scores(one: Measure, **conventions: Any) -> list[list[float]]:
    return rm.evaluate(QRELS, RUN, one, **conventions).scores.tolist()


@pytest.mark.parametrize("one", GAINED, ids=str)
@pytest.mark.parametrize("ties", ["docid", "mean", "best", "worst"])
def test_a_function_that_gives_the_rule_gives_its_numbers(one: Measure, ties: str) -> None:
    wanted = scores(one(gain="exp2"), ties=ties)
    assert scores(one(gain=burges), ties=ties) == wanted
    assert scores(one(gain=[0, 1, 3, 7]), ties=ties) == wanted
    assert scores(one(gain=np.array([0, 1, 3, 7])), ties=ties) == wanted
    assert scores(one(gain=pd.Series({3: 7, 2: 3, 1: 1})), ties=ties) == wanted


@pytest.mark.parametrize("one", DISCOUNTED, ids=str)
@pytest.mark.parametrize("ties", ["docid", "mean", "best", "worst"])
def test_a_discount_that_gives_the_rule_gives_its_numbers(one: Measure, ties: str) -> None:
    wanted = scores(one, ties=ties)
    assert scores(one(discount=logarithm), ties=ties) == wanted
    assert scores(one(discount=logarithm(np.arange(1, 5))), ties=ties) == wanted
    assert scores(one(discount=logarithm(np.arange(1, 50)).tolist()), ties=ties) == wanted


@pytest.mark.parametrize("one", GAINED, ids=str)
def test_what_follows_from_a_value_follows_from_that_of_a_function(one: Measure) -> None:
    rule, given = (rm.evaluate(QRELS, RUN, one(gain=gain)) for gain in ("exp2", burges))
    assert [*given.bounds.values()] == [*rule.bounds.values()]
    assert [*given.tie_interval.values()] == [*rule.tie_interval.values()]
    assert given.audit == rule.audit
    by_rule = rm.explain(QRELS, RUN, "q1", one(gain="exp2"))
    by_function = rm.explain(QRELS, RUN, "q1", one(gain=burges))
    assert by_function.rows == by_rule.rows
    assert by_function.ideal == by_rule.ideal
    assert by_function.counts == by_rule.counts
    assert by_function.formula.replace("gain=burges", 'gain="exp2"') == by_rule.formula


def test_the_formula_shows_what_a_rank_costs() -> None:
    found = rm.explain(QRELS, RUN, "q1", nDCG(discount=[1, 2, 2, 4]))
    worked = "(1/1 + 2/2) / (3/1 + 2/2 + 1/2) = 2 / 4.5 = 0.444444"
    assert found.formula == f"nDCG(discount=[1, 2, 2, 4]) = {worked}"
    assert [row["discount"] for row in found.rows if row["label"] is not None] == [1, 2, 4]


def test_a_function_may_value_what_is_judged_not_relevant() -> None:
    assert DCG(gain=lambda label: label + 1)([0, None, 0]) == 1.5
    assert rm.evaluate(QRELS, RUN, CG(gain=lambda label: label + 1)).scores[0, 0] == 6


def test_a_function_is_called_with_the_labels_and_the_ranks_there_are() -> None:
    seen: dict[str, list[np.ndarray]] = {"label": [], "rank": []}

    def gain(label: np.ndarray) -> np.ndarray:
        seen["label"].append(label.copy())
        label[:] = 1.0  # which is nobody else's
        return label

    def discount(rank: np.ndarray) -> np.ndarray:
        seen["rank"].append(rank.copy())
        return np.sqrt(rank)

    rm.evaluate(QRELS, RUN, DCG(gain=gain))
    rm.evaluate(QRELS, RUN, DCG(discount=discount) @ 2)
    assert [one.tolist() for one in seen["label"]] == [[0, 1, 2]]
    assert [one.tolist() for one in seen["rank"]] == [[1, 2]]
    assert {one.dtype.name for one in seen["label"]} == {"float64"}
    assert {one.dtype.name for one in seen["rank"]} == {"int64"}
    assert rm.evaluate(QRELS, RUN, "CG").scores[0, 0] == 3


LONG = 1 + np.arange(100.0)
NAMED = {
    "nDCG(gain=burges)": nDCG(gain=burges),
    "nDCG(gain=burges, discount=logarithm)@5": nDCG(gain=burges, discount=logarithm) @ 5,
    "nDCG(gain=lambda)": nDCG(gain=lambda label: label),
    "nDCG(gain=burges)@3": nDCG(gain=functools.partial(burges)) @ 3,
    "nDCG(gain=function exp2)": nDCG(gain=np.exp2),
    "DCG(discount=sqrt)": DCG(discount=np.sqrt),
    "DCG(gain={0: 0, 1: 1, 2: 3})": DCG(gain=[0, 1, 3]),
    "DCG(discount=[1, 1.5, 2])": DCG(discount=[1, 1.5, 2]),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_measure_is_named_after_its_functions(name: str) -> None:
    one = NAMED[name]
    assert str(one) == one.__name__ == name
    assert rm.evaluate(QRELS, RUN, one).names == [name]
    assert rm.evaluate(QRELS, RUN, one)[name] == rm.evaluate(QRELS, RUN, one)[one]


def test_names_of_lists_find_them_again() -> None:
    one = DCG(gain=[0, 1.5], discount=[1, 1.1, 2.25]) @ 3
    assert rm.measure(str(one)) == one


def test_a_long_list_is_written_in_short_and_never_like_another() -> None:
    one, same, other = DCG(discount=LONG), DCG(discount=[*LONG]), DCG(discount=[*LONG[:-1], 200])
    assert one == same
    assert hash(one) == hash(same)
    assert str(one).startswith("DCG(discount=[1, 2, 3, ... 100 ranks ")
    assert len(str(one)) < 60
    assert str(one) == str(same) != str(other)
    found = rm.evaluate(QRELS, RUN, [one, other])
    assert found[str(one)] == found[str(other)] == found[one]


def test_measures_with_functions_are_told_apart_and_travel() -> None:
    assert nDCG(gain=burges) == nDCG(gain=burges) != nDCG(gain=logarithm)
    assert nDCG(gain=lambda label: label) != nDCG(gain=lambda label: label)
    one = nDCG(gain=burges, discount=logarithm) @ 5
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(nDCG(gain=lambda label: label))


def test_two_measures_of_one_name_are_refused() -> None:
    def own(labels: np.ndarray) -> float:
        return float(len(labels))

    for asked in (
        [nDCG(gain=lambda label: label), nDCG(gain=lambda label: label**2)],
        [own, functools.partial(own)],
        [lambda labels: len(labels) + 1.0, lambda labels: len(labels) + 2.0],
        [rm.Own("x", labels=own), rm.Own("x", formula=lambda a: a.retrieved * 1.0)],
    ):
        with pytest.raises(rm.MeasureError, match=r"two measures are named .* different names"):
            rm.evaluate(QRELS, RUN, asked)
        with pytest.raises(rm.MeasureError, match="two measures are named"):
            rm.check(QRELS, RUN, measures=asked)
    assert rm.evaluate(QRELS, RUN, [own, own, "AP"]).names == ["own", "AP"]


def text(label: np.ndarray) -> str:
    """Give no number at all."""
    return str(label)


WRONG: dict[str, Callable[[], Any]] = {
    "the gain lambda returned -1 for label 0; need a finite number from 0": lambda: CG(
        gain=lambda label: label - 1
    ),
    "the gain lambda returned nan for label 0": lambda: CG(gain=lambda label: label * math.nan),
    "the gain lambda returned inf for label 0": lambda: CG(gain=lambda label: label + math.inf),
    "CG(gain=lambda): the gain lambda returned an array of shape () for 3 labels; need a": lambda: (
        CG(gain=lambda label: label.sum())
    ),
    "CG(gain=lambda): the gain lambda returned an array of shape (1,) for 3 labels": lambda: CG(
        gain=lambda label: label[:1]
    ),
    "the gain text gave '[0. 1. 2.]'; need a number for each label": lambda: CG(gain=text),
    "the discount lambda falls from 1 at rank 1 to 0.5 at rank 2": lambda: DCG(
        discount=lambda rank: 1 / rank
    ),
    "the discount log2 is 0 at rank 1": lambda: DCG(discount=np.log2),
    "the discount negative is -1 at rank 1": lambda: DCG(discount=np.negative),
    "the discount lambda is nan at rank 1": lambda: DCG(discount=lambda rank: rank * math.nan),
    "the discount lambda returned an array of shape () for 3 ranks": lambda: DCG(
        discount=lambda rank: rank.sum()
    ),
    "documents to rank 3; give more, or a cutoff, as in @ 2": lambda: DCG(discount=[1, 2]),
    "the discount has 2 ranks; give more, or a lower cutoff": lambda: DCG(discount=[1, 2]) @ 3,
    "falls from 2 at rank 2 to 1 at rank 3": lambda: DCG(discount=[1, 2, 1]),
    "1 / w": lambda: DCG(discount=[1, 0.63, 0.5]),
    "the discount is -1 at rank 1": lambda: DCG(discount=[-1, 2]),
    "discount is [1, nan]; need": lambda: DCG(discount=[1, math.nan]),
    "discount is []; need": lambda: DCG(discount=[]),
    "discount is [[1, 2], [3, 4]]; need": lambda: DCG(discount=[[1, 2], [3, 4]]),
    "discount is 'log10'; need": lambda: DCG(discount="log10"),
    "discount is ['1', '2']; need": lambda: DCG(discount=["1", "2"]),
    "discount is array([[1., 1.]]); need": lambda: DCG(discount=np.ones((1, 2))),
    "gain is [0, -1]; need": lambda: DCG(gain=[0, -1]),
    "gain is []; need": lambda: DCG(gain=[]),
    "gain is [[0, 1, 2]]; need": lambda: DCG(gain=[[0, 1, 2]]),
    "gain is 5; need": lambda: DCG(gain=5),
    "label 2 has no gain; add it to the map": lambda: DCG(gain=[0, 1]),
}


@pytest.mark.parametrize("said", WRONG)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_is_no_gain_and_no_discount_is_refused_in_words(said: str) -> None:
    with pytest.raises(rm.MeasureError) as caught:
        rm.evaluate(QRELS, RUN, WRONG[said]())
    assert said in str(caught.value)


@pytest.mark.parametrize("ties", ["docid", "mean"])
def test_an_error_in_a_function_comes_through_with_a_note(ties: Any) -> None:
    def step(label: float) -> float:
        return 3.0 if label > 1 else 0.0

    with pytest.raises(ValueError, match="ambiguous") as caught:
        rm.evaluate(QRELS, RUN, CG(gain=step), ties=ties)
    assert "CG(gain=step) called the gain step with an array of" in caught.value.__notes__[0]
    assert "numpy.vectorize" in caught.value.__notes__[0]
    # Beyond this, what is asked for is the same.
    whole = rm.evaluate(QRELS, RUN, CG(gain=np.vectorize(step)), ties=ties)
    assert whole.scores.tolist() == scores(CG(gain={1: 0, 2: 3, 3: 3}), ties=ties)


def test_ranks_beyond_the_cutoff_cost_nothing() -> None:
    assert rm.evaluate(QRELS, RUN, DCG(discount=[1, 2]) @ 2).scores[0, 0] == 1
    both = rm.evaluate(QRELS, RUN, [DCG(discount=[1, 2]) @ 2, "AP"])  # looks at all ranks
    assert both.scores[0, 0] == 1


def test_a_function_that_cannot_be_hashed_is_refused() -> None:
    class Gain:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, label: np.ndarray) -> np.ndarray:
            return label

    with pytest.raises(rm.MeasureError, match="gain is"):
        DCG(gain=Gain())


@pytest.mark.parametrize("one", GAINED, ids=str)
def test_binary_gains_are_those_of_labels_0_and_1(one: Measure) -> None:
    labels, missed = [2, None, 0, 0.5, -1, 3], [4, 0]
    flat = [None if label is None else float(label > 0) for label in labels]
    assert one(gain="binary")(labels, missed=missed) == one(flat, missed=[1, 0])
    assert rm.measure(str(one(gain="binary"))) == one(gain="binary")


def test_a_document_is_relevant_if_its_label_has_a_gain() -> None:
    labels = [3, 2, 0, 1, 4, -1, None]
    assert CG(gain={2: 0, 3: 0, 4: 3, "other": "linear"}).explain(labels).counts["tp"] == 2  # 1, 4
    assert CG(gain={0: 1, 1: 0, 2: 0, 3: 2, 4: 0}).explain(labels).counts["tp"] == 2  # 0, 3
    assert CG.explain(labels).counts["tp"] == 4


@pytest.mark.parametrize("rank", [1, 2, 7, 1000, 1001, 1_000_000])
def test_the_discount_of_a_rank_is_a_logarithm_however_deep_it_is(rank: int) -> None:
    found = DCG(ranking=range(1, rank + 1), relevant={rank})
    assert found == pytest.approx(1 / math.log2(rank + 1), rel=1e-14)


@pytest.mark.parametrize("one", GAINED, ids=str)
def test_other_labels_of_a_mapping_may_keep_their_value(one: Measure) -> None:
    labels, missed = [2, None, 1, 0.5, -1, 3], [4, 0]
    mapped = one(gain={1: 3, 0: 0.25, "other": "linear"})
    whole = one(gain={-1: 0, 0: 0.25, 0.5: 0.5, 1: 3, 2: 2, 3: 3, 4: 4})
    assert mapped(labels, missed=missed) == whole(labels, missed=missed)
    assert rm.measure(str(mapped)) == mapped
    with pytest.raises(rm.MeasureError, match="gain is"):
        one(gain={1: 3, "other": 2})
