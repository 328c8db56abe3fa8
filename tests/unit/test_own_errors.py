"""Errors of the caller's own objects come as they are, with a note of where they struck."""

from __future__ import annotations

import re
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

import rankmark as rm
from rankmark import _core

GOLD = {"q": {"a": 1}}


class Mine(Exception):
    pass


class Number:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __float__(self) -> float:
        raise self.error


class Id:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __index__(self) -> int:
        raise self.error


class Hidden(Number):
    """Not even its repr works."""

    def __repr__(self) -> str:
        raise self.error


class Map(Mapping[Any, Any]):
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __getitem__(self, key: Any) -> Any:
        raise self.error

    def __iter__(self) -> Iterator[Any]:
        raise self.error

    def __len__(self) -> int:
        return 1


def struck(read: Callable[[], object], error: BaseException) -> list[str]:
    """Read, get this very error, and give its notes."""
    with pytest.raises(type(error)) as caught:
        read()
    assert caught.value is error
    assert error.__suppress_context__ or error.__context__ is None
    return list(getattr(error, "__notes__", []))


@pytest.mark.parametrize("kind", [Mine, RuntimeError, KeyError, MemoryError])
def test_an_error_of_a_number_is_noted_with_its_place(kind: type[Exception]) -> None:
    def notes(wrap: Callable[[Any], Any]) -> list[str]:
        error = kind("mine")
        return struck(lambda: rm.Qrels(wrap(Number(error))), error)

    assert notes(lambda one: {"q": {"a": one}}) == [
        "rankmark was reading qrels: query 'q', document 'a'"
    ]
    assert notes(lambda one: UserDict({"q": {"b": 1, "a": one}})) == [
        "rankmark was reading qrels: query 'q', document 'a'"
    ]
    assert notes(lambda one: [("q", "b", 1), ("q", "a", one)]) == [
        "rankmark was reading qrels <records>: row 1 (from 0): 'label'"
    ]


def test_an_error_of_a_runs_number_is_noted_too() -> None:
    error = Mine()
    notes = struck(lambda: rm.evaluate(GOLD, {"q": {"a": 1.0, "b": Number(error)}}), error)
    assert notes == ["rankmark was reading run: query 'q', document 'b'"]
    error = Mine()
    run = [("q", "a", 1.0), ("q", "b", Number(error))]
    assert struck(lambda: rm.evaluate(GOLD, run), error) == [
        "rankmark was reading run <records>: row 1 (from 0): 'score'"
    ]


@pytest.mark.parametrize("kind", [Mine, RuntimeError])
def test_an_error_of_an_id_is_noted_with_its_place(kind: type[Exception]) -> None:
    error = kind("mine")
    assert struck(lambda: rm.Qrels({"q": [Id(error)]}), error) == [
        "rankmark was reading qrels: query 'q'"
    ]
    error = kind("mine")
    assert struck(lambda: rm.Qrels([("q", Id(error), 1)]), error) == [
        "rankmark was reading qrels <records>: row 0 (from 0): 'doc_id'"
    ]


@pytest.mark.parametrize("kind", [TypeError, ValueError, OverflowError])
def test_an_object_that_says_that_it_is_no_number_is_refused(kind: type[Exception]) -> None:
    for source in ({"q": {"a": Hidden(kind())}}, [("q", "a", Hidden(kind()))]):
        with pytest.raises(rm.SchemaError, match="an object of type Hidden that cannot be shown"):
            rm.Qrels(source)
    for source in ({"q": [Id(kind())]}, [("q", Id(kind()), 1)]):
        with pytest.raises(rm.SchemaError, match=r"not an id|need an id"):
            rm.Qrels(source)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), GeneratorExit()], ids=repr)
def test_what_ends_a_program_passes(error: BaseException) -> None:
    for source in (
        {"q": {"a": Number(error)}},
        {"q": [Id(error)]},
        [("q", "a", Number(error))],
        [("q", Id(error), 1)],
        Map(error),
        {"q": Map(error)},
        {"q": {"a": Hidden(error)}},
    ):
        assert struck(lambda source=source: rm.Qrels(source), error) == []  # type: ignore[misc]


def test_an_error_of_rows_is_noted_with_how_many_were_read() -> None:
    error = Mine()

    def rows() -> Iterator[Any]:
        yield "q", "a", 1
        yield "q", "b", 1
        raise error

    assert struck(lambda: rm.Qrels(rows()), error) == [
        "rankmark was reading qrels: entry 2 (from 0)"
    ]


def test_an_error_of_a_field_is_noted() -> None:
    error = Mine()

    @dataclass
    class Row:
        query_id: str
        doc_id: str

        def __getattribute__(self, name: str) -> Any:
            if name == "doc_id":
                raise error
            return super().__getattribute__(name)

    (note,) = struck(lambda: rm.Qrels([Row("q", "a")]), error)
    assert note == "rankmark was reading qrels <records>: fields of its rows"


@pytest.mark.parametrize("read", [rm.Qrels, lambda one: rm.evaluate(GOLD, one)])
def test_an_error_of_a_mapping_is_noted(read: Callable[[Any], Any]) -> None:
    for wrap in (lambda one: one, lambda one: {"q": one}, lambda one: UserDict({"q": one})):
        error = Mine()
        (note,) = struck(lambda wrap=wrap, error=error: read(wrap(Map(error))), error)  # type: ignore[misc]
        assert note.startswith("rankmark was reading ")


def test_a_mapping_that_changes_while_it_is_read_is_told() -> None:
    class Growing(UserDict[Any, Any]):
        def __getitem__(self, key: Any) -> Any:
            self.data[f"{key}+"] = {}
            return super().__getitem__(key)

    with pytest.raises(rm.InputError, match="changed while it was read; give a copy"):
        rm.Qrels(Growing({"q": {"a": 1}}))


def test_a_dict_that_a_number_of_it_changes_is_read_as_it_was() -> None:
    class Greedy(float):
        def __float__(self) -> float:
            held["q"].clear()
            held.clear()
            return 1.0

    class Number:
        __float__ = Greedy.__float__

    held: dict[str, Any] = {"q": {"a": Number(), "b": 1}, "p": {"a": 1}}
    qrels = rm.Qrels(held)
    assert (qrels.query_ids, qrels.doc_ids) == (("q", "p"), ("a", "b", "a"))


def test_an_error_of_a_query_id_comes_as_it_is() -> None:
    error = Mine()

    class Query:
        def __str__(self) -> str:
            raise error

    struck(lambda: rm.evaluate(GOLD, GOLD, queries=[Query()]), error)
    struck(lambda: rm.explain(GOLD, GOLD, Query()), error)  # type: ignore[arg-type]


def test_a_number_only_at_times_is_refused() -> None:
    class Now:
        times = 0

        def __float__(self) -> float:
            self.times += 1
            if self.times == 1:
                raise ValueError
            return 1.0

    with pytest.raises(rm.SchemaError, match="numbers only sometimes"):
        rm.Qrels([("q", "a", Now())])


def test_the_seam_has_no_fault_that_nobody_words() -> None:
    """Each class that the core raises is named where sources word its faults."""
    from pathlib import Path

    import rankmark.data

    faults = {
        name
        for name, one in vars(_core).items()
        if isinstance(one, type) and issubclass(one, Exception)
    }
    assert len(faults) == 10
    folder = Path(rankmark.data.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    for name in faults:
        assert any(re.search(rf"except .*\b{name}\b", text) for text in texts), name
