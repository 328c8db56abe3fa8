"""The seam takes exactly the arrays that it names: nothing is converted silently."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rankmark import _core

VALUES = np.array([1.0, 2.0, 3.0])
MASK = np.array([True, False, True])
STARTS = np.array([0, 1, 3])


def good(name: str) -> dict[str, Any]:
    """Give arguments that the function takes."""
    per_row = name in {"cumsum", "cumprod", "earlier_lower"}
    arguments: dict[str, Any] = {"values": VALUES.copy(), "starts": STARTS.copy()}
    arguments["out"] = np.empty(3 if per_row else 2)
    if name == "earlier_lower":
        arguments |= {"values": np.array([1, 2, 3]), "out": np.zeros(3, dtype=np.int64)}
    if name == "count":
        arguments["values"] = MASK.copy()
    if name == "first":
        arguments = {"mask": MASK.copy(), "absent": 0.0} | arguments
    return arguments


FUNCTIONS = ("sum", "count", "cumsum", "cumprod", "earlier_lower", "first")
ARRAYS = [(name, array) for name in FUNCTIONS for array in good(name) if array != "absent"]

WRONG_KINDS: dict[str, Callable[[Any], Any]] = {
    **{
        kind: (lambda array, kind=kind: array.astype(kind))  # type: ignore[misc]
        for kind in ("f2", "f4", "f8", ">f8", "i1", "i4", "i8", ">i8", "u8", "c16", "?", "O")
    },
    "strided": lambda array: np.repeat(array, 2)[::2],
    "reversed": lambda array: array[::-1],
    "of two dimensions": lambda array: array.reshape(-1, 1),
    "of no dimension": lambda array: np.array(array[0]),
    "a list": lambda array: array.tolist(),
    "a tuple": lambda array: tuple(array.tolist()),
    "bytes": lambda array: array.tobytes(),
    "None": lambda _: None,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_right_arrays_are_taken(name: str) -> None:
    getattr(_core, name)(**good(name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_array_of_another_kind_is_refused(name: str) -> None:
    taken = []
    for array, right in good(name).items():
        for kind, changed in WRONG_KINDS.items():
            if array != "absent" and kind not in {right.dtype.str[1:], right.dtype.char}:
                try:
                    getattr(_core, name)(**(good(name) | {array: changed(right)}))
                except (TypeError, ValueError):
                    continue
                taken.append((array, kind))
    assert taken == []


@pytest.mark.parametrize(("name", "array"), ARRAYS)
def test_an_array_of_another_length_is_refused(name: str, array: str) -> None:
    arguments = good(name)
    for wrong in (arguments[array][:-1], np.append(arguments[array], arguments[array][-1:] + 1)):
        same_kind = np.ascontiguousarray(wrong, dtype=arguments[array].dtype)
        with pytest.raises(ValueError, match="must"):
            getattr(_core, name)(**(arguments | {array: same_kind}))


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "starts", [[0, 2, 1], [1, 2, 3], [0, 1, 2], [0, 1, 4], [0, -1, 3], [0, 4, 3], [-1, 0, 3]]
)
def test_starts_that_do_not_rise_from_nothing_to_all_are_refused(
    name: str, starts: list[int]
) -> None:
    with pytest.raises(ValueError, match="starts must rise"):
        getattr(_core, name)(**(good(name) | {"starts": np.array(starts, dtype=np.int64)}))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_starts_at_all_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="starts must rise"):
        getattr(_core, name)(**(good(name) | {"starts": np.array([], dtype=np.int64)}))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_output_that_cannot_be_written_is_refused(name: str) -> None:
    arguments = good(name)
    arguments["out"].flags.writeable = False
    with pytest.raises(TypeError):
        getattr(_core, name)(**arguments)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_inputs_that_cannot_be_written_are_taken_and_none_is_changed(name: str) -> None:
    arguments = good(name)
    for argument, array in arguments.items():
        if argument not in {"out", "absent"}:
            array.flags.writeable = False
    getattr(_core, name)(**arguments)


def test_judgments_are_made_by_reading_only() -> None:
    with pytest.raises(TypeError):
        _core.Judgments()


def test_an_unknown_rule_for_ties_is_refused() -> None:
    with pytest.raises(ValueError, match="ties must be"):
        _core.RankingOptions("best", 1, False, False, "error", False, 0.0, 1)


@pytest.mark.parametrize(("depth", "deepest"), [(0, 1), (1, 0), (-1, 1), (1, -1)])
def test_ranks_below_1_are_refused(depth: int, deepest: int) -> None:
    with pytest.raises(ValueError, match="must be at least 1"):
        _core.RankingOptions("docid", depth, False, False, "error", False, 0.0, deepest)


LAYOUT: dict[str, Any] = {
    "separator": "",
    "columns": 4,
    "query": 0,
    "document": 2,
    "number": 3,
    "rank": None,
    "begin": 0,
    "labels": True,
    "by_rank": False,
    "more_columns": True,
    "wanted": "qid iter docid label",
}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"query": 4}, "within its lines"),
        ({"document": 9}, "within its lines"),
        ({"number": 4}, "within its lines"),
        ({"rank": 7}, "within its lines"),
        ({"columns": 1, "document": 0, "number": None}, "within its lines"),
        ({"by_rank": True}, "without a rank column"),
        ({"separator": "\n"}, "cannot be separated"),
        ({"separator": '"'}, "cannot be separated"),
        ({"separator": "::"}, "one byte"),
    ],
)
def test_a_layout_that_no_line_could_have_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        _core.TextLayout(**(LAYOUT | wrong))


def test_a_column_that_is_not_there_is_none() -> None:
    with pytest.raises(TypeError):
        _core.TextLayout(**(LAYOUT | {"rank": -1}))


def test_a_descriptor_that_is_not_open_is_told() -> None:
    layout = _core.TextLayout(**LAYOUT)
    with pytest.raises(_core.FileFault, match="descriptor"):
        _core.qrels_from_file(999_999, layout, 1, 1 << 19, None)


def unaligned(values: list[float], kind: str) -> np.ndarray[Any, Any]:
    data = b"." + np.array(values, kind).tobytes()
    return np.frombuffer(data, kind, offset=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.fingerprint(unaligned([1, 2], "float64"), finite=True, threads=1),
        lambda: _core.convert_whole(unaligned([1, 2], "int64"), np.empty(2), threads=1),
        lambda: _core.sum(unaligned([1, 2], "float64"), np.array([0, 2]), np.empty(1)),
        lambda: _core.sum(np.ones(2), unaligned([0, 2], "int64"), np.empty(1)),
        lambda: _core.sorted_rows(unaligned([1, 2], "float64"), np.array([0, 2]), 0, 1, 1),
    ],
)
def test_an_array_that_is_not_aligned_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises((TypeError, ValueError), match=r"must be aligned|incompatible function"):
        call()


def test_no_table_is_refused() -> None:
    table = _core.table_from_columns(["q"], [["a"]])
    for tables in ([None], [table, None]):
        with pytest.raises(TypeError):
            _core.joined(tables)


def test_places_of_another_type_are_refused_and_others_live_as_long_as_their_table() -> None:
    ids = [f"id{place}" for place in range(7)]
    with pytest.raises(TypeError, match="places are an array of int32"):
        _core.table_from_columns(["q"], [{"ids": ids, "places": np.zeros(9, np.int64)}])
    table = _core.table_from_columns(["q"], [{"ids": ids, "places": np.full(5000, 3, np.int32)}])
    others = [np.full(5000, 2**30, np.int32) for _ in range(50)]
    codes, names = _core.numbered(table, 0)
    assert (len(names), names[0], codes.sum()) == (1, "id3", 0)
    assert len(others) == 50


class OnlyTheCopyLives:
    """What hands over another copy whenever it is asked."""

    def __dlpack__(self, **_: Any) -> Any:
        return np.arange(5000, dtype=np.int64).__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def test_memory_that_was_made_for_the_core_alone_lives_as_long_as_its_table() -> None:
    table = _core.table_from_columns(["score"], [OnlyTheCopyLives()])
    others = [np.full(5000, -1, np.int64) for _ in range(50)]
    assert _core.numbers(table, 0).tolist() == [*range(5000)]
    assert len(others) == 50


def test_whole_numbers_of_either_sign_are_other_ids() -> None:
    rows = 400  # queries change from row to row, so that each is numbered
    first = _core.table_from_columns(
        ["q", "d"], [np.tile(np.array([-1, 1]), rows), np.arange(2 * rows)]
    )
    large = np.tile(np.array([2**64 - 1, 1], np.uint64), rows)
    later = _core.table_from_columns(["q", "d"], [large, np.arange(2 * rows) + 2 * rows])
    for tables in ([first, later], [later, first]):
        both = _core.joined(tables)
        for query, expected in (("-1", rows), (f"{2**64 - 1}", rows), ("1", 2 * rows)):
            found, _ = _core.rows_of_query(both, 0, 1, query.encode(), 1)
            assert len(found) == expected
