"""Whoever hands over Arrow data may fill its structures oddly: never a crash, never a guess."""

import ctypes
import gc
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import rankmark as rm

QRELS = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
COLUMNS = {"qid": ["q1", "q1", "q2"], "docid": ["a", "b", "c"], "score": [0.1, 0.2, 0.3]}
SCHEMA = pa.schema({"qid": pa.string(), "docid": pa.string(), "score": pa.float64()})
WANTED = rm.evaluate(QRELS, {"q1": {"a": 0.1, "b": 0.2}, "q2": {"c": 0.3}}, ["AP"]).scores.tolist()


class ArrowArray(ctypes.Structure):
    """What Arrow's C data interface says of an array."""


ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Odd:
    """Hands over a batch, and changes what it says of itself."""

    def __init__(self, batch: Any, change: Callable[[Any], None]) -> None:
        self._batch = batch
        self._change = change

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        schema, array = self._batch.__arrow_c_array__()
        self._change(ArrowArray.from_address(_pointer(array, b"arrow_array")))
        return schema, array


def batch(**columns: Any) -> Any:
    return pa.record_batch(COLUMNS | columns)


def scored(run: Any) -> Any:
    return rm.evaluate(QRELS, run, ["AP"]).scores.tolist()


def child(array: Any, number: int) -> Any:
    return array.children[number].contents


def set_to(number: int, **values: Any) -> Callable[[Any], None]:
    """Change what a column says of itself."""

    def change(array: Any) -> None:
        for name, value in values.items():
            setattr(child(array, number), name, value)

    return change


def test_nulls_that_nobody_counted_are_looked_for() -> None:
    for number in range(3):
        assert scored(Odd(batch(), set_to(number, null_count=-1))) == WANTED
    holey = batch(docid=["a", None, "c"])
    with pytest.raises(rm.SchemaError, match=r"row 1 \(from 0\): 'docid' is null"):
        scored(Odd(holey, set_to(1, null_count=-1)))

    def uncounted_rows(array: Any) -> None:
        array.null_count = -1

    assert scored(Odd(batch(), uncounted_rows)) == WANTED


def test_an_array_without_rows_needs_no_memory() -> None:
    def without_buffers(array: Any) -> None:
        for number in range(3):
            for buffer in range(child(array, number).n_buffers):
                child(array, number).buffers[buffer] = None

    with pytest.warns(rm.RankmarkWarning, match="holds no documents"):
        assert scored(Odd(batch()[:0], without_buffers)) == [[0.0], [0.0]]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (set_to(1, n_buffers=2), "a column has fewer buffers than its type needs"),
        (set_to(2, n_buffers=0), "a column has fewer buffers than its type needs"),
        (set_to(2, length=2), "a column is shorter than the table"),
        (set_to(0, length=0), "a column is shorter than the table"),
        (lambda array: setattr(array, "n_children", 2), "a chunk of the table has another number"),
    ],
)
def test_an_array_that_is_not_as_its_type_has_it_is_refused(change: Any, found: str) -> None:
    with pytest.raises(rm.SchemaError, match=f"^run <frame>: {found}"):
        scored(Odd(batch(), change))


def test_a_dictionary_that_is_missing_is_not_taken_for_whole_numbers() -> None:
    encoded = batch(docid=pa.array(COLUMNS["docid"]).dictionary_encode())
    with pytest.raises(rm.SchemaError, match="a dictionary is missing"):
        scored(Odd(encoded, set_to(1, dictionary=None)))


def test_places_in_a_dictionary_of_dictionaries_are_no_ids() -> None:
    inner = pa.DictionaryArray.from_arrays(pa.array([2, 1, 0]), pa.array(["c", "b", "a"]))
    outer = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), inner)
    with pytest.raises(rm.SchemaError, match="'docid' holds dictionaries of dictionar"):
        scored(batch(docid=outer))
    assert scored(pa.record_batch({**COLUMNS, "other": outer})) == WANTED


def test_numbers_may_stand_at_any_address() -> None:
    def moved(values: Any) -> Any:
        held = pa.py_buffer(b"odd" + values.tobytes()).slice(3)
        kind = pa.from_numpy_dtype(values.dtype)
        return pa.Array.from_buffers(kind, len(values), [None, held])

    documents = pa.DictionaryArray.from_arrays(moved(np.array([2, 1, 0])), ["c", "b", "a"])
    scores = moved(np.array([0.1, 0.2, 0.3]))
    assert scored(batch(docid=documents, score=scores)) == WANTED
    offsets = b"odd" + np.array([0, 1, 2, 3], dtype=np.int32).tobytes()
    buffers = [None, pa.py_buffer(offsets).slice(3), pa.py_buffer(b"abc")]
    assert scored(batch(docid=pa.Array.from_buffers(pa.string(), 3, buffers))) == WANTED


@pytest.mark.slow
def test_what_was_handed_over_lives_as_long_as_it_is_used() -> None:
    large = pa.table({name: values * 1 for name, values in COLUMNS.items()})
    runs = [rm.Run(large), rm.Run(large.to_reader()), rm.Run(Odd(batch(), lambda _: None))]
    del large
    gc.collect()
    filler = [bytearray(b"\xff" * 64) for _ in range(1000)]
    assert [scored(run) for run in runs] == [WANTED] * 3
    assert len(filler) == 1000


class Kept:
    """Hands over the same capsules time and again."""

    def __init__(self, stream: bool) -> None:
        self._stream = pa.table(COLUMNS).__arrow_c_stream__() if stream else None
        self._array = batch().__arrow_c_array__()

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._array


class KeptStream(Kept):
    """The same, of a stream."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._stream


@pytest.mark.parametrize("kept", [Kept(stream=False), KeptStream(stream=True)])
def test_what_was_handed_over_once_is_not_read_again(kept: Any) -> None:
    assert scored(kept) == WANTED
    with pytest.raises(rm.SchemaError, match="was read already"):
        scored(kept)


def failing(error: BaseException) -> Any:
    """Give a stream that fails after two chunks."""

    def batches() -> Iterator[Any]:
        yield batch()
        yield batch(docid=["x", "y", "z"])
        raise error

    return pa.RecordBatchReader.from_batches(SCHEMA, batches())


def test_a_stream_that_fails_in_the_middle_is_quoted() -> None:
    with pytest.raises(rm.SchemaError, match=r"^run <frame>: .*the connection was closed"):
        scored(failing(OSError("the connection was closed")))


def test_ctrl_c_in_a_generator_of_batches_is_no_mistake_of_the_data() -> None:
    with pytest.raises(KeyboardInterrupt):
        scored(failing(KeyboardInterrupt()))


@pytest.mark.slow
def test_a_stream_may_need_other_threads_of_python() -> None:
    code = """
import io, time
import pyarrow as pa
from pyarrow import csv
import rankmark as rm
class File(io.RawIOBase):  # read by a thread of Arrow's own
    parts = [b"qid,docid,score\\n"] + [b"q,d%d,%d\\n" % (i, i) for i in range(100)]
    def readable(self): return True
    def read(self, size=-1): return self.parts.pop(0) if self.parts else b""
stream = csv.open_csv(File(), read_options=csv.ReadOptions(block_size=64))
print(rm.evaluate({"q": {"d98": 1}}, stream, "RR", contents="scores")["RR"])
del stream  # Arrow aborts, without rankmark too, if it lets go of the file while Python ends
time.sleep(0.3)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, done.stderr) == ("0.5\n", "")
