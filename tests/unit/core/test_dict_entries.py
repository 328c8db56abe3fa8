"""Dicts that CPython keeps in memory in different ways give the numbers of new ones."""

from collections.abc import Callable
from typing import Any

import pytest

import rankmark as rm

MEASURES = ["nDCG@10", "AP", "RR", "P@5", "Judged@10"]


class Text(str):
    """A text type of somebody's own."""

    __slots__ = ()


class Attributes:
    """An object with attributes."""


def with_removed(entries: dict[str, float]) -> dict[str, float]:
    """Leave gaps in a dict, among its entries and behind them."""
    made: dict[str, float] = {}
    for place, (key, value) in enumerate(entries.items()):
        made[f"before {place}"] = 9.0
        made[key] = value
        made[f"after {place}"] = 9.0
    for place in range(len(entries)):
        del made[f"before {place}"], made[f"after {place}"]
    return made


def with_popped(entries: dict[str, float]) -> dict[str, float]:
    """Take the last entries away again."""
    made = entries | {"more": 9.0, "and more": 8.0}
    made.popitem()
    made.popitem()
    return made


def with_another_key_once(key: Any) -> Callable[[dict[str, float]], dict[Any, float]]:
    """Take away a key that is no str; what such a dict holds is not told by its kind."""

    def made(entries: dict[str, float]) -> dict[Any, float]:
        mixed: dict[Any, float] = {key: 9.0, **entries}
        del mixed[key]
        return mixed

    return made


def of_attributes(entries: dict[str, float]) -> dict[str, float]:
    """Give the attributes of an object, whose keys may be those of all objects of its class."""
    one = Attributes()
    for key, value in entries.items():
        setattr(one, key, value)
    return vars(one)


PASTS: dict[str, Callable[[dict[str, float]], dict[Any, float]]] = {
    "removed": with_removed,
    "popped": with_popped,
    "once a whole number": with_another_key_once(7),
    "once another text type": with_another_key_once(Text("other")),
    "attributes": of_attributes,
    "a copy": lambda entries: with_removed(entries).copy(),
    "keys of another type": lambda entries: {Text(key): value for key, value in entries.items()},
    "one key of another type": lambda entries: {
        Text(key) if place == len(entries) // 2 else key: value
        for place, (key, value) in enumerate(entries.items())
    },
}


def a_ranking(documents: int) -> dict[str, float]:
    """Score documents, some of them equally."""
    return {f"d{number}": float(number * 7919 % 1009) for number in range(documents)}


@pytest.mark.parametrize("judged", [3, 1000], ids=["few judged", "many judged"])
@pytest.mark.parametrize("documents", [0, 1, 5, 30, 200])
@pytest.mark.parametrize("past", PASTS)
def test_a_dict_gives_the_numbers_of_a_new_one(past: str, documents: int, judged: int) -> None:
    entries = a_ranking(documents)
    qrels = {"q": {f"d{number}": number % 3 for number in range(0, judged, 2)}}
    expected = rm.evaluate(qrels, {"q": entries, "r": {"d1": 1.0}}, MEASURES)
    found = rm.evaluate(qrels, {"q": PASTS[past](entries), "r": {"d1": 1.0}}, MEASURES)
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert found.audit.to_dict() == expected.audit.to_dict()


@pytest.mark.parametrize("past", PASTS)
def test_a_fused_dict_gives_the_ranking_of_a_new_one(past: str) -> None:
    entries, others = a_ranking(200), {"q": {"d3": 2.0, "d9": 1.0}}
    expected = rm.fuse([{"q": entries}, others], "rrf")
    found = rm.fuse([{"q": PASTS[past](entries)}, others], "rrf")
    assert found.to_dict() == expected.to_dict()


def test_a_dict_of_many_documents_is_read_whole() -> None:
    entries = a_ranking(70_000)  # their places in the dict take four bytes
    rank = 1 + sum(score > entries["d7"] for score in entries.values())
    tied = sum(score == entries["d7"] for score in entries.values())
    found = rm.evaluate({"q": {"d7": 1}}, {"q": with_removed(entries)}, ["RR"], ties="worst")
    assert found["RR"] == 1 / (rank + tied - 1)


@pytest.mark.parametrize("score", [float("nan"), None, "1"])
@pytest.mark.parametrize("past", PASTS)
def test_a_bad_score_is_told_of(past: str, score: Any) -> None:
    entries: dict[str, Any] = a_ranking(30) | {"bad": score}
    with pytest.raises(rm.SchemaError, match="bad"):
        rm.evaluate({"q": {"d1": 1}}, {"q": PASTS[past](entries)}, ["RR"])
