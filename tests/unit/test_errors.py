"""Errors have fields, their messages are made of these, and every raise site fills them."""

import ast
import copy
import gc
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

import rankmark as rm
from rankmark import errors

SOURCE = Path(__file__).resolve().parents[2] / "src" / "rankmark"
MADE_OF_FIELDS = {
    name
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, errors.RankmarkError)
} - {"RankmarkError", "MissingDependencyError"}  # abstract; its remedy follows from the library


def without_remedy(path: Path) -> list[str]:
    """List the calls of a file that make an error or a warning of what was found alone."""
    return [
        f"{path.relative_to(SOURCE)}:{call.lineno}"
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in MADE_OF_FIELDS | {"warn"}
        and len(call.args) < 2
        and not any(isinstance(argument, ast.Starred) for argument in call.args)
        and not any(keyword.arg in {"remedy", None} for keyword in call.keywords)
    ]


@pytest.mark.slow
def test_every_error_and_warning_says_what_to_do() -> None:
    files = sorted(SOURCE.rglob("*.py"))
    assert len(files) > 200
    gc.disable()  # it would look through every tree several times, for two thirds of the time
    try:
        assert [place for path in files for place in without_remedy(path)] == []
    finally:
        gc.enable()


def test_a_site_without_a_remedy_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "SOURCE", tmp_path)
    (tmp_path / "a.py").write_text("raise InputError('it is wrong')\n", encoding="utf-8")
    assert without_remedy(tmp_path / "a.py") == ["a.py:1"]


@pytest.mark.parametrize("name", sorted(MADE_OF_FIELDS))
def test_a_message_is_made_of_the_fields(name: str) -> None:
    kind = getattr(errors, name)
    assert str(kind("it is wrong", "mend it", where="a.run", line=3)) == (
        "a.run:3: it is wrong; mend it"
    )
    assert str(kind("it is wrong", "mend it", where="run")) == "run: it is wrong; mend it"
    for other in (pickle.loads, copy.copy):
        error = kind("it is wrong", "mend it", where="a.run", line=3)
        same = other(pickle.dumps(error)) if other is pickle.loads else other(error)
        assert type(same) is kind
        assert (same.found, same.remedy, same.where, same.line) == (
            "it is wrong",
            "mend it",
            "a.run",
            3,
        )


def test_a_line_that_cannot_be_read_has_its_place_in_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 0.5 x\nq1 Q0 d2 2 high x\n", encoding="utf-8")
    with pytest.raises(rm.ParseError) as caught:
        rm.evaluate({"q1": {"d1": 1}}, path)
    assert (caught.value.where, caught.value.line) == (str(path), 2)
    assert "high" in caught.value.found
    assert caught.value.remedy


def test_a_json_line_that_cannot_be_read_has_its_place_in_fields(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"query_id": "q1", "doc_id": "d1", "score": 0.5}\n{"query_id": "q1", "doc_id"\n',
        encoding="utf-8",
    )
    with pytest.raises(rm.ParseError) as caught:
        rm.evaluate({"q1": {"d1": 1}}, path)
    assert (caught.value.where, caught.value.line) == (str(path), 2)


def lines_of(call: Callable[[], object]) -> list[str]:
    """Return the functions in the traceback of an error, the caller first."""
    with pytest.raises(rm.RankmarkError) as caught:
        call()
    return [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


@pytest.mark.parametrize(
    "call",
    [
        lambda: rm.evaluate("no.qrels", "no.run"),
        lambda: rm.compare("no.qrels", {"a": "no.run"}),
        lambda: rm.gate("no.qrels", "no.run", "no.run", {"AP": 0.1}),
        lambda: rm.gate_power("no.qrels", "no.run", "no.run", {"AP": 0.1}),
        lambda: rm.verify("no.json"),
    ],
)
def test_the_traceback_of_an_error_begins_at_the_function_called(
    call: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lines_of(call)[-2:] == ["<lambda>", "verb"]
    monkeypatch.setenv("RANKMARK_TRACEBACK", "full")
    assert len(lines_of(call)) > 4


def test_the_traceback_of_an_error_in_your_own_measure_has_your_line() -> None:
    def mine(labels: object) -> float:  # noqa: ARG001
        return rm.nDCG([float("nan")])

    assert "mine" in lines_of(lambda: rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, mine))
