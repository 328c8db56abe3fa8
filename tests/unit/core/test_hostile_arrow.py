"""Arrow data that breaks its promises: told, and not read where reading would leave its memory."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import Any

import pyarrow as pa
import pytest

import rankmark as rm


class Schema(Structure):
    pass


class Array(Structure):
    pass


class Stream(Structure):
    pass


Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]
GetSchema = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
GetNext = CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
GetError = CFUNCTYPE(c_void_p, POINTER(Stream))
Stream._fields_ = [
    ("get_schema", c_void_p),
    ("get_next", c_void_p),
    ("get_last_error", c_void_p),
    ("release", c_void_p),
    ("private_data", c_void_p),
]

pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
pointer_in.restype, pointer_in.argtypes = c_void_p, [ctypes.py_object, c_char_p]
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]


class Given:
    """What hands over the same capsules whenever it is asked."""

    column_names = ("query_id", "doc_id", "score")

    def __init__(self, capsule: Any, owner: Any = None) -> None:
        self.capsule, self.owner = capsule, owner

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.capsule


class Pair:
    column_names = ("query_id", "doc_id", "score")

    def __init__(self, *capsules: Any) -> None:
        self.capsules = capsules

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.capsules


def batch(text: pa.DataType | None = None) -> pa.RecordBatch:
    text = text or pa.string()
    ids = pa.array(["q", "q", "p"]), pa.array(["a", "b", "a longer id than fits"])
    ids = tuple(one.cast(text) for one in ids)
    return pa.record_batch([*ids, pa.array([0.9, 0.8, 0.7])], ["query_id", "doc_id", "score"])


@CFUNCTYPE(None, c_void_p)
def keeps(_: Any) -> None:
    """Release nothing: what is broken could not be released by those who made it."""


def parts(text: pa.DataType | None = None) -> tuple[Pair, Schema, Array]:
    """Hand over a table, and give its structures to break."""
    capsules = batch(text).__arrow_c_array__()
    schema = Schema.from_address(pointer_in(capsules[0], b"arrow_schema"))
    array = Array.from_address(pointer_in(capsules[1], b"arrow_array"))
    schema.release = array.release = ctypes.cast(keeps, c_void_p).value
    return Pair(*capsules), schema, array


def refused(source: Any, said: str = ".") -> str:
    """Read it as judgments, as a run and in a check, none of which may take it."""
    with pytest.raises(rm.InputError, match=said) as caught:
        rm.evaluate({"q": {"a": 1}}, source, "RR")
    assert "Fault" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("capsule", [None, 5, "stream", b"", object(), [], (), 1.5])
def test_what_is_no_capsule_is_told(capsule: Any) -> None:
    for source in (Given(capsule), Pair(capsule, capsule)):
        with pytest.raises(rm.InputError, match="in place of a capsule"):
            rm.Qrels(source)
        refused(source, "in place of a capsule")
        assert not rm.check(source, source).ok


@pytest.mark.parametrize("pair", [None, 5, (), (1,), (1, 2, 3), "no"])
def test_what_is_no_pair_of_capsules_is_told(pair: Any) -> None:
    class Odd(Pair):
        def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
            return pair

    refused(Odd())


def test_a_capsule_of_something_else_is_told() -> None:
    table = pa.table(batch())
    schema, array = batch().__arrow_c_array__()
    refused(Given(schema), "a capsule 'arrow_schema' in place of 'arrow_array_stream'")
    refused(Pair(array, schema), "a capsule 'arrow_array' in place of 'arrow_schema'")
    refused(Pair(schema, table.__arrow_c_stream__()), "in place of 'arrow_array'")
    held = ctypes.create_string_buffer(200)
    refused(Given(new_capsule(ctypes.addressof(held), None, None)), "a capsule without a name")


def test_a_stream_that_was_read_already_is_told() -> None:
    used = Given(pa.table(batch()).__arrow_c_stream__())
    assert rm.evaluate({"q": {"a": 1}}, used, "RR")["RR"] == 1
    refused(used, "was read already")
    schema, array = batch().__arrow_c_array__()
    assert rm.evaluate({"q": {"a": 1}}, Pair(schema, array), "RR")["RR"] == 1
    refused(Pair(schema, array), "was read already")


class Made:
    """A stream of our own making; 0 is no function."""

    def __init__(self, get_schema: Any = 0, get_next: Any = 0, get_last_error: Any = 0) -> None:
        def release(stream: Any) -> None:
            stream[0].release = None

        kinds = (GetSchema, GetNext, GetError, CFUNCTYPE(None, POINTER(Stream)))
        given = (get_schema, get_next, get_last_error, release)
        self.functions = [
            kind(one) if one else kind() for kind, one in zip(kinds, given, strict=True)
        ]
        self.stream = Stream(*(ctypes.cast(one, c_void_p).value for one in self.functions), None)

    def given(self) -> Given:
        name = b"arrow_array_stream"
        return Given(new_capsule(ctypes.addressof(self.stream), name, None), self)


def gives_schema(_: Any, out: Any) -> int:
    batch().schema._export_to_c(ctypes.addressof(out.contents))
    return 0


def test_a_stream_without_functions_is_told() -> None:
    refused(Made().given(), "without its functions")
    refused(Made(gives_schema).given(), "without its functions")


def test_a_stream_that_fails_is_told_in_its_words() -> None:
    words = ctypes.create_string_buffer(b"the cable is cut")
    fails, says = (lambda *_: 5), (lambda _: ctypes.addressof(words))
    for made in (Made(fails, fails, says), Made(gives_schema, fails, says)):
        refused(made.given(), "the cable is cut")
    refused(Made(fails, fails).given(), "the producer of the table failed")
    refused(Made(fails, fails, lambda _: 0).given(), "the producer of the table failed")


def test_a_stream_whose_schema_is_nothing_is_told() -> None:
    nothing = Made(lambda *_: 0, lambda *_: 0)
    refused(nothing.given(), "a schema that was released")


@pytest.mark.parametrize("size", [-1, -(2**62), 2**31, 2**61, 2**62, 2**63 - 1])
@pytest.mark.parametrize("place", ["table", "column"])
@pytest.mark.parametrize("field", ["length", "offset"])
def test_lengths_that_cannot_be_are_told(size: int, place: str, field: str) -> None:
    source, _, array = parts()
    broken = array if place == "table" else array.children[1].contents
    if place == "column" and (size == 2**31 or (field == "length" and size > 0)):
        return  # a column may be longer than its table; how long its buffers are, nobody says
    setattr(broken, field, size)
    refused(source)


@pytest.mark.parametrize("count", [-1, 0, 2, 4])
def test_another_number_of_columns_is_told(count: int) -> None:
    source, _, array = parts()
    array.n_children = count
    message = refused(source)
    assert "columns" in message


def test_missing_columns_and_buffers_are_told() -> None:
    source, _, array = parts()
    array.children = POINTER(POINTER(Array))()
    refused(source, "columns are missing")
    source, _, array = parts()
    array.children[1] = POINTER(Array)()
    refused(source, "columns are missing")
    for count in (0, 1, 2, -5):
        source, _, array = parts()
        array.children[0].contents.n_buffers = count
        refused(source, "buffers|rows")
    source, _, array = parts()
    child = array.children[2].contents
    child.buffers[1] = None
    refused(source, "has rows, and no values")
    source, _, array = parts()
    array.children[0].contents.buffers = POINTER(c_void_p)()
    refused(source, "without buffers")


def test_a_schema_without_types_is_told() -> None:
    source, schema, _ = parts()
    schema.format = None
    refused(source, "no type")
    source, schema, _ = parts()
    schema.children[0].contents.format = None
    refused(source, "no type")


@pytest.mark.parametrize("kind", ["string", "large_string"])
@pytest.mark.parametrize("offsets", [(-1, 0, 1, 2), (0, 5, 1, 2), (0, 1, 2, -(2**31))])
def test_texts_outside_of_their_buffer_are_told(kind: str, offsets: tuple[int, ...]) -> None:
    source, _, array = parts(getattr(pa, kind)())
    size = ctypes.c_int32 if kind == "string" else ctypes.c_int64
    broken = (size * 4)(*offsets)
    array.children[1].contents.buffers[1] = ctypes.addressof(broken)
    refused(source, "outside of its buffers; make the table anew")


@pytest.mark.parametrize("kind", ["string", "large_string", "binary"])
def test_text_without_a_buffer_is_told(kind: str) -> None:
    source, _, array = parts(getattr(pa, kind)())
    array.children[1].contents.buffers[2] = None
    refused(source, "outside of its buffers; make the table anew")


@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_text_without_a_buffer_may_be_empty(kind: str) -> None:
    source, _, array = parts(getattr(pa, kind)())
    size = ctypes.c_int32 if kind == "string" else ctypes.c_int64
    offsets = (size * 4)(7, 7, 7, 7)
    array.children[0].contents.buffers[1] = ctypes.addressof(offsets)
    array.children[0].contents.buffers[2] = None
    found = rm.evaluate({"": {"a": 1}}, source, "RR")
    assert found.per_query("RR") == {"": 1.0}


@pytest.mark.parametrize("given", ["text", "sizes", -1, -(2**63), 2**63 - 1])
def test_views_whose_buffers_are_not_there_are_told(given: int | str) -> None:
    source, _, array = parts(pa.string_view())
    child = array.children[1].contents
    if isinstance(given, str):
        child.buffers[2 if given == "text" else 3] = None
    else:
        sizes = ctypes.c_int64(given)
        child.buffers[3] = ctypes.addressof(sizes)
        if given > 0:  # a text may be as long: only its end is too far away
            (ctypes.c_int32 * 12).from_address(child.buffers[1])[11] = 2**31 - 1
            child.buffers[2] = None
    refused(source, "outside of its buffers; make the table anew")


VIEWS = [(-1, 0, 0), (50, 9, 0), (50, -1, 0), (50, 0, 2**30), (50, 0, -9)]


@pytest.mark.parametrize("words", VIEWS)
def test_views_outside_of_their_buffers_are_told(words: tuple[int, int, int]) -> None:
    source, _, array = parts(pa.string_view())
    size, text, at = words
    broken = (ctypes.c_int32 * 12)(1, 97, 0, 0, 1, 98, 0, 0, size, 0, text, at)
    array.children[1].contents.buffers[1] = ctypes.addressof(broken)
    refused(source, "outside of its buffers; make the table anew")


@pytest.mark.parametrize("place", [-1, 3, 127])
def test_places_outside_of_a_dictionary_are_told(place: int) -> None:
    source, _, array = parts(pa.dictionary(pa.int8(), pa.string()))
    broken = (ctypes.c_int8 * 3)(0, 1, place)
    array.children[1].contents.buffers[1] = ctypes.addressof(broken)
    refused(source, "outside of its dictionary; make the table anew")


@pytest.mark.parametrize("words", [1, 3, 8, 50])
def test_words_outside_of_their_buffer_are_told_by_each_who_uses_them(words: int) -> None:
    source, _, array = parts(pa.dictionary(pa.int8(), pa.string()))
    child = array.children[1].contents
    places = (ctypes.c_int8 * 3)(0, words - 1, 0)
    child.buffers[1] = ctypes.addressof(places)
    dictionary = child.dictionary.contents
    offsets = (ctypes.c_int32 * (words + 1))(*[0] * words, -1)
    dictionary.length = words
    dictionary.buffers[1] = ctypes.addressof(offsets)
    refused(source, "outside of its buffers; make the table anew")


def test_a_dictionary_whose_places_are_text_is_told() -> None:
    source, schema, _ = parts()
    words = Schema(format=b"u", release=schema.release)
    schema.children[1].contents.dictionary = ctypes.pointer(words)
    _, _, other = parts()
    array = Array.from_address(pointer_in(source.capsules[1], b"arrow_array"))
    array.children[1].contents.dictionary = ctypes.pointer(other.children[1].contents)
    refused(source, "no whole numbers for places")


def test_an_error_that_the_producer_raises_is_told_with_its_cause() -> None:
    class Broken(Given):
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            raise RuntimeError("no connection")

    with pytest.raises(rm.SchemaError, match="no connection") as caught:
        rm.Qrels(Broken(None))
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_release_that_runs_python_does_not_meet_an_error_on_its_way() -> None:
    released = []

    @CFUNCTYPE(None, POINTER(Array))
    def release(array: Any) -> None:
        released.append(sum(range(3)))
        array[0].release = None

    source, _, array = parts()
    array.release = ctypes.cast(release, c_void_p).value
    with pytest.raises(rm.InputError, match="1 requested query has no judgments: 'nobody'"):
        rm.evaluate({"q": {"a": 1}}, source, "RR", queries=["nobody"])
    assert released == [3]
