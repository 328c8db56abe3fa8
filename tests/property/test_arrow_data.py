"""Arrow data of any type, cut, sliced and dressed in any way, is what it says and nothing else."""

import datetime
import decimal
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankmark as rm
from generators.random_collections import DOC_IDS, LABELS, QUERY_IDS, SCORES

Rows = list[tuple[Any, Any, float]]
Make = Callable[[Sequence[Any], pa.DataType, random.Random], pa.Array]
MEASURES = ["nDCG@3", "AP", "RR", "P@2", "NumRet", "Judged@5"]
TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary_view()]
SIGNED = [pa.int8(), pa.int16(), pa.int32(), pa.int64()]
UNSIGNED = [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
PLACES = [*SIGNED, *UNSIGNED]
LONG = ("longer than what a view holds in place", "as long, of another buffer: 文書 😀")
SMALL_IDS = (0, 1, -1, 7, 10, 100, 127, -128)
LARGE_IDS = (2**63 - 1, -(2**63), 2**53 + 1, -(2**53) - 1, 2**32)
dice = st.integers(0, 2**32).map(random.Random)


class OneArray:
    """Hands over a struct array as a batch."""

    def __init__(self, array: pa.StructArray) -> None:
        self._array = array

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._array.__arrow_c_array__()


class Chunks:
    """Hands over struct arrays as a stream."""

    def __init__(self, arrays: Sequence[pa.StructArray]) -> None:
        self._arrays = pa.chunked_array(arrays)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._arrays.__arrow_c_stream__()


def held_as(kind: pa.DataType) -> Callable[[Any], Any]:
    """Say how Python holds a value of a type."""
    if pa.types.is_boolean(kind):
        return bool
    if pa.types.is_integer(kind):
        return int
    if pa.types.is_floating(kind):
        return np.float16 if kind.bit_width == 16 else float
    return str.encode if kind in {pa.binary(), pa.binary_view()} else str


def sliced(values: Sequence[Any], kind: pa.DataType, dice: random.Random) -> pa.Array:
    """Give values between others and nulls that are cut off, so that they begin at any offset."""
    few = [*values[:2], None]
    before, after = (dice.choices(few, k=dice.choice([0, 1, 3, 8, 13])) for _ in range(2))
    held = held_as(kind)
    whole = [None if value is None else held(value) for value in [*before, *values, *after]]
    return pa.array(whole, kind).slice(len(before), len(values))


def in_pieces(values: Sequence[Any], kind: pa.DataType, dice: random.Random) -> pa.Array:
    """Give an array put together from several, so that views point into several buffers."""
    half = len(values) // 2
    return pa.concat_arrays([sliced(values[:half], kind, dice), sliced(values[half:], kind, dice)])


def in_dictionary(places: pa.DataType) -> Make:
    """Give places in a dictionary that holds words twice, words that nobody uses, and null."""

    def make(values: Sequence[Any], kind: pa.DataType, dice: random.Random) -> pa.Array:
        words = [*values, *values[:3], None]
        dice.shuffle(words)
        at = [dice.choice([i for i, word in enumerate(words) if word == one]) for one in values]
        held = sliced(words, kind, dice)
        return pa.DictionaryArray.from_arrays(sliced(at, places, dice), held)

    return make


def some_column(values: Sequence[Any], dice: random.Random) -> Callable[[Sequence[Any]], pa.Array]:
    """Choose a type that holds the values, and how arrays of it are made."""
    kind = dice.choice(types_of({*values}))
    make = dice.choice([sliced, in_pieces, in_dictionary(dice.choice(PLACES))])
    return lambda some: make(some, kind, dice)


def types_of(values: set[Any]) -> list[pa.DataType]:
    """Say which types hold all of the values exactly."""
    if any(isinstance(value, str) for value in values):
        return TEXTS
    if any(isinstance(value, int) for value in values):
        if not values <= {*SMALL_IDS}:
            return [pa.int64()]
        return [*SIGNED, pa.float16(), pa.float64(), *([] if min(values) < 0 else UNSIGNED)]
    kinds = [pa.float64()]
    if values <= {0.0, 1.0}:
        kinds += [pa.bool_(), *UNSIGNED]
    if values <= {-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 7.0}:
        kinds += SIGNED
    if values <= {*LABELS, 2.5, -3.5, float("inf"), -float("inf")}:
        kinds += [pa.float16(), pa.float32()]
    return kinds


def of_no_use(rows: int, dice: random.Random) -> pa.Array:
    """Give a column that nobody reads, of a type that could not be read."""
    makes: list[Callable[[], pa.Array]] = [
        lambda: pa.nulls(rows),
        lambda: pa.array([[1, None], None, []] * rows)[:rows],
        lambda: pa.array([{"a": 1}, None] * rows)[:rows],
        lambda: pa.array([decimal.Decimal("1.5"), None] * rows)[:rows],
        lambda: pa.array([datetime.datetime(2020, 1, 1), None] * rows)[:rows],
        lambda: pa.array([b"abc"] * rows, pa.binary(3)),
        lambda: pa.array([None, "text"] * rows, pa.string_view())[:rows],
        lambda: pa.RunEndEncodedArray.from_arrays(pa.array([rows], pa.int32()), pa.array(["a"])),
    ]
    return dice.choice(makes)()


def struct(rows: Rows, names: Sequence[str], dice: random.Random) -> pa.StructArray:
    """Give rows as one struct array, which may be a slice of a longer one."""
    before, after = dice.choice([0, 1, 9]), dice.choice([0, 3])
    longer = [*rows[:1] * before, *rows, *rows[:1] * after]
    columns = [some_column(column, dice)(column) for column in zip(*longer, strict=True)]
    fields = [*zip(names, columns, strict=True), ("of no use", of_no_use(len(longer), dice))]
    dice.shuffle(fields)
    return pa.StructArray.from_arrays(
        [array for _, array in fields], [name for name, _ in fields]
    ).slice(before, len(rows))


def cut(values: Sequence[Any], dice: random.Random) -> list[Sequence[Any]]:
    """Cut values into stretches, some of which may hold nothing."""
    ends = sorted(dice.choices(range(len(values) + 1), k=dice.choice([0, 1, 4])))
    return [values[a:b] for a, b in zip([0, *ends], [*ends, len(values)], strict=True)]


def table(rows: Rows, names: Sequence[str], dice: random.Random) -> pa.Table:
    """Give rows as a table whose columns are cut each on its own."""
    columns = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        make = some_column(values, dice)
        columns[name] = pa.chunked_array([make(part) for part in cut(values, dice)])
    return pa.table(columns)


def shown(rows: Rows, names: Sequence[str], dice: random.Random) -> Any:
    """Give rows as Arrow data of any shape."""
    how = dice.choice(["array", "batch", "stream", "table"])
    if how == "table":
        return table(rows, names, dice)
    whole = struct(rows, names, dice)
    if how == "stream":
        return Chunks([whole.slice(part.start, len(part)) for part in cut(range(len(rows)), dice)])
    return OneArray(whole) if how == "array" else pa.RecordBatch.from_struct_array(whole)


@st.composite
def collections(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Give rows of judgments and of a run, in which queries may be torn apart."""
    few_ids = st.sampled_from([(*DOC_IDS[:8], *LONG), SMALL_IDS, LARGE_IDS])
    doc_ids = draw(few_ids)
    query_ids = draw(st.sampled_from([(*QUERY_IDS[:4], *LONG), SMALL_IDS, LARGE_IDS]))
    shuffle = draw(dice).shuffle

    def rows(values: Sequence[float]) -> Rows:
        pairs = st.tuples(st.sampled_from(query_ids), st.sampled_from(doc_ids))
        few = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
        found = draw(st.lists(pairs, unique=True, min_size=1, max_size=30))
        found.append((query_ids[0], doc_ids[0]))
        shuffle(found)
        return [(*pair, draw(st.sampled_from(few))) for pair in dict.fromkeys(found)]

    return rows(LABELS), rows(SCORES)


def nested(rows: Rows) -> dict[Any, dict[Any, float]]:
    held: dict[Any, dict[Any, float]] = {}
    for query, document, number in rows:
        held.setdefault(query, {})[document] = number
    return held


QRELS_NAMES, RUN_NAMES = ("qid", "docid", "label"), ("query", "item", "score")


@given(
    collection=collections(),
    dice=dice,
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
    depth=st.sampled_from([None, 1, 3]),
    judged_only=st.booleans(),
    drop_self=st.booleans(),
    threads=st.sampled_from([1, 3]),
)
def test_arrow_data_gives_what_the_same_dicts_give(
    collection: tuple[Rows, Rows],
    dice: random.Random,
    threads: int,
    **conventions: Any,
) -> None:
    judged, retrieved = collection
    wanted = rm.evaluate(nested(judged), nested(retrieved), MEASURES, **conventions)
    qrels, run = shown(judged, QRELS_NAMES, dice), shown(retrieved, RUN_NAMES, dice)
    found = rm.evaluate(qrels, run, MEASURES, threads=threads, **conventions)
    assert found.queries == wanted.queries
    assert found.scores.tobytes() == wanted.scores.tobytes()
    # What the audit counts is the same as well, but for torn queries, which a dict cannot have.
    audits = [one.audit.to_dict() | {"interleaved": 0} for one in (found, wanted)]
    assert audits[0] == audits[1]


@given(collection=collections(), dice=dice, column=st.sampled_from(RUN_NAMES))
def test_a_null_is_refused_by_its_row_wherever_it_stands(
    collection: tuple[Rows, Rows], dice: random.Random, column: str
) -> None:
    judged, rows = collection
    row = dice.randrange(len(rows))
    table = pa.table(dict(zip(RUN_NAMES, map(list, zip(*rows, strict=True)), strict=True)))
    values = table[column].to_pylist()
    values[row] = None
    chunks = [pa.array(part, table[column].type) for part in cut(values, dice)]
    table = table.set_column(table.column_names.index(column), column, pa.chunked_array(chunks))
    if dice.random() < 0.5 and column != "score":
        table = table.set_column(
            table.column_names.index(column), column, table[column].dictionary_encode()
        )
    with pytest.raises(rm.SchemaError, match=rf"row {row} \(from 0\): '{column}' is null"):
        rm.evaluate(nested(judged), table)


@given(collection=collections(), dice=dice)
@example(collection=([("q", "d", 1.0)], [("q", "d", 1.0)] * 1), dice=random.Random(1))
def test_a_row_that_is_null_as_a_whole_is_refused(
    collection: tuple[Rows, Rows], dice: random.Random
) -> None:
    judged, rows = collection
    row, before = dice.randrange(len(rows)), dice.choice([0, 1, 8, 11])
    columns = [pa.array([*column[:1] * before, *column]) for column in zip(*rows, strict=True)]
    # Rows in front, all of them null, are cut off.
    mask = pa.array([*[True] * before, *[number == row for number in range(len(rows))]])
    array = pa.StructArray.from_arrays(columns, RUN_NAMES, mask=mask).slice(before)
    for source in (OneArray(array), Chunks([array[:0], array[:row], array[row:]])):
        with pytest.raises(rm.SchemaError, match=rf"row {row} \(from 0\) is null as a whole"):
            rm.evaluate(nested(judged), source)
