"""Kinds of arguments: what verbs refuse at the door, and what they get."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Literal, TypedDict, Unpack

import numpy as np
import pytest

import rankmark as rm
from rankmark.arguments import (
    AboveZero,
    Columns,
    Draws,
    Finite,
    Flag,
    FromOne,
    FromZero,
    Kind,
    Name,
    Names,
    Part,
    Seed,
    Share,
    Text,
    checked,
)

By = Literal["mean", "borda"]
Doubled = Annotated[int, Kind(lambda _, given: 2 * given)]


class Options(TypedDict, total=False):
    """Keywords that several verbs take."""

    flag: Flag
    twofold: Doubled | None


@checked
def verb(
    by: By = "mean",
    twice: Doubled = 1,
    *,
    share: Share = 0.95,
    above: AboveZero = 1.0,
    resamples: Draws = 100,
    seed: Seed = 0,
    part: Part = 0.5,
    rel: Finite | None = None,
    count: FromOne = 1,
    digits: FromZero | None = None,
    top: FromOne | None = None,
    text: Text = "",
    name: Name | None = None,
    names: Names = (),
    columns: Columns = None,
    other: Any = "not checked",
    **options: Unpack[Options],
) -> dict[str, Any]:
    """Return what was received."""
    return dict(locals())


SHARE, WORD = "need a number above 0 and below 1", "need one of mean, borda"
FROM_ONE = "need a whole number from 1"
SEED = "need a whole number from 0 to 2**64 - 1, or None"
REFUSED = {
    "by": (["median", 5, None, ["mean"], np.array(["mean"])], WORD),
    "share": ([0, 1, 1.5, float("nan"), True, "0.5", None], SHARE),
    "above": ([0, -1.0, float("inf"), float("nan"), "1", None, True], "need a number above 0"),
    "part": ([-0.1, 1.5, True, "0.5", None, np.ones(2)], "need a number from 0 to 1"),
    "rel": ([float("nan"), float("inf"), 10**400, True, "1", 1j], "need a finite number"),
    "count": ([0, 1.5, True, "3", None, np.arange(2)], FROM_ONE),
    "seed": ([-1, 2**64, 1.5, True, "0"], SEED),
    "digits": ([-1, 1.5, "0", True], "need a whole number from 0"),
    "top": ([0, 1.5, "3", True, float("nan")], FROM_ONE),
    "text": ([5, None, b"a", ["a"]], "need text"),
    "name": ([5.0, True, ["a"]], "need text"),
    "flag": ([1, 0, None, "yes", np.ones(1)], "need True or False"),
    "columns": (
        [5, "a", ["a"]],
        "need {role: name}, such as {'query_id': 'user', 'doc_id': 'film'}",
    ),
    "names": ([5, b"a", {"a": 1}, np.array([["a"]])], "need a name, or a list of names"),
}


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [(name, value, remedy) for name, (values, remedy) in REFUSED.items() for value in values],
    ids=str,
)
def test_what_is_not_of_its_kind_is_refused(name: str, value: Any, remedy: str) -> None:
    with pytest.raises(rm.InputError) as caught:
        verb(**{name: value})
    assert caught.value.found == f"{name} is {rm.errors.shown(value)}"
    assert caught.value.remedy == remedy


def test_draws_are_limited() -> None:
    with pytest.raises(rm.InputError, match="resamples is 536870912; need at most 536,870,911"):
        verb(resamples=2**29)


def test_a_verb_gets_what_its_arguments_stand_for() -> None:
    got = verb(names="a", top=np.int64(3), digits=0, share=0.5, seed=np.uint8(7))
    assert (got["names"], got["top"], got["digits"], got["share"]) == (["a"], 3, 0, 0.5)
    assert (type(got["top"]), type(got["seed"]), got["seed"]) == (int, int, 7)
    assert verb(names=np.array(["a", "b"]))["names"] == ["a", "b"]
    assert verb()["names"] == []
    assert verb(names=None)["names"] is None
    assert 0 <= verb(seed=None)["seed"] < 2**32


def test_options_that_are_declared_elsewhere_are_checked_too() -> None:
    assert verb(flag=np.True_, twofold=4)["options"] == {"flag": True, "twofold": 8}
    assert verb(twofold=None)["options"] == {"twofold": None}
    assert verb(name=3)["name"] == "3"


def test_arguments_by_place_are_checked_too() -> None:
    assert (verb("borda", 4)["by"], verb("borda", 4)["twice"]) == ("borda", 8)
    with pytest.raises(rm.InputError, match="by is 'median'"):
        verb("median")  # type: ignore[arg-type]


def test_other_arguments_are_passed_on() -> None:
    assert verb()["other"] == "not checked"
    with pytest.raises(TypeError, match="Did you mean 'seed'"):
        verb(sed=1)  # type: ignore[call-arg]


def test_signatures_show_plain_types() -> None:
    shown = inspect.signature(verb).parameters
    assert [str(shown[name]) for name in ("by", "share", "seed", "top", "names")] == [
        "by: 'By' = 'mean'",
        "share: 'float' = 0.95",
        "seed: 'int | None' = 0",
        "top: 'int | None' = None",
        "names: 'Iterable[str] | str | None' = ()",
    ]
    assert str(inspect.signature(rm.leaderboard).parameters["confidence"]) == (
        "confidence: 'float' = 0.95"
    )
