"""One collection in every form in which people hold it: judgments or a run, ready to evaluate."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse

from generators.random_collections import Qrels, Run

Nested = Mapping[str, Mapping[str, float]]
Form = Callable[[Nested], Any]


def rows(nested: Nested) -> list[tuple[str, str, float]]:
    return [(q, d, number) for q, documents in nested.items() for d, number in documents.items()]


def columns(nested: Nested) -> tuple[list[str], list[str], list[float]]:
    return tuple(map(list, zip(*rows(nested), strict=True)))  # type: ignore[return-value]


def arrow(nested: Nested, ids: pa.DataType) -> pa.Table:
    queries, documents, numbers = columns(nested)

    def typed(values: list[str]) -> pa.Array:
        if not (
            pa.types.is_string(ids) or pa.types.is_large_string(ids) or ids == pa.string_view()
        ):
            return pa.array([int(value) for value in values], ids)
        return pa.array(values, ids)

    return pa.table({"user_id": typed(queries), "item": typed(documents), "rating": numbers})


def dictionary(nested: Nested) -> pa.Table:
    table = arrow(nested, pa.string())
    return pa.table(
        {"q_id": table[0].dictionary_encode(), "doc-id": table[1].dictionary_encode()}
        | {"score": table[2]}
    )


def chunked(nested: Nested) -> pa.Table:
    table = arrow(nested, pa.string())
    return pa.concat_tables(table.slice(row, 1) for row in range(table.num_rows))


def sliced(nested: Nested) -> pa.Table:
    table = arrow(nested, pa.large_string())
    return pa.concat_tables([table, table, table]).combine_chunks().slice(len(table), len(table))


class OnlyArray:
    """A batch that hands over one Arrow array, and no stream."""

    def __init__(self, nested: Nested) -> None:
        self._batch = arrow(nested, pa.string()).combine_chunks().to_batches()[0]

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._batch.__arrow_c_array__(requested_schema)


def pandas(nested: Nested, ids: Any) -> pd.DataFrame:
    frame = pd.DataFrame(rows(nested), columns=["qid", "docno", "score"])
    frame["text"] = [object() for _ in range(len(frame))]  # of no use, and of no type that is known
    return frame.astype({"qid": ids, "docno": ids})


def polars(nested: Nested, ids: Any) -> pl.DataFrame:
    queries, documents, numbers = columns(nested)
    return pl.DataFrame(
        {"query": queries, "document_id": documents, "score": numbers}
    ).with_columns(pl.col("query").cast(ids), pl.col("document_id").cast(ids))


def indexed(nested: Nested, *levels: str) -> pd.DataFrame:
    """Give a frame that carries ids in its index."""
    return pandas(nested, object).drop(columns="text").set_index(list(levels))


def by_query(nested: Nested) -> pd.Series:
    """Give a Series of what each query holds."""
    return pd.Series(list(map(dict, nested.values())), index=list(nested))


def listed(nested: Nested) -> pl.DataFrame:
    """Give a row a query, with its documents and their numbers in lists."""
    return pl.DataFrame(
        {"user": list(nested)}
        | {"items": [list(documents) for documents in nested.values()]}
        | {"score": [list(documents.values()) for documents in nested.values()]}
    )


def structs(nested: Nested) -> pl.DataFrame:
    """The same with a struct a document."""
    held = [
        [{"item": item, "score": score} for item, score in documents.items()]
        for documents in nested.values()
    ]
    return pl.DataFrame({"user": list(nested), "items": held})


def dict_of_columns(nested: Nested) -> dict[str, list[Any]]:
    return dict(zip(["user_id", "item_id", "score"], columns(nested), strict=True))  # type: ignore[arg-type]


class Row(NamedTuple):
    score: float
    doc_id: str
    other: None
    query_id: str


@dataclasses.dataclass
class Item:
    query_id: str
    doc_id: str
    score: float


# Whatever the ids; they are text.
WITH_IDS: dict[str, Form] = {
    "dict": lambda nested: nested,
    "Arrow utf8": lambda nested: arrow(nested, pa.string()),
    "Arrow large_utf8": lambda nested: arrow(nested, pa.large_string()),
    "Arrow string_view": lambda nested: arrow(nested, pa.string_view()),
    "Arrow dictionary": dictionary,
    "Arrow in chunks": chunked,
    "Arrow sliced": sliced,
    "Arrow stream": lambda nested: chunked(nested).to_reader(),
    "Arrow array": OnlyArray,
    "pandas object": lambda nested: pandas(nested, object),
    "pandas str": lambda nested: pandas(nested, "str"),
    "pandas string": lambda nested: pandas(nested, "string"),
    "pandas category": lambda nested: pandas(nested, "category"),
    "Polars String": lambda nested: polars(nested, pl.String),
    "Polars Categorical": lambda nested: polars(nested, pl.Categorical),
    "pandas with queries in the index": lambda nested: indexed(nested, "qid"),
    "pandas with ids in the index": lambda nested: indexed(nested, "docno", "qid"),
    "Series of two levels": lambda nested: indexed(nested, "qid", "docno")["score"],
    "Series of dicts": by_query,
    "Polars lists": listed,
    "Polars structs": structs,
    "Arrow lists": lambda nested: listed(nested).to_arrow(),
    "pandas lists": lambda nested: listed(nested).to_pandas(),
    "pandas structs": lambda nested: structs(nested).to_pandas(),
    "pandas lists with an index": lambda nested: listed(nested).to_pandas().set_index("user"),
    "dict of columns": dict_of_columns,
    "dict of columns of lists": lambda nested: listed(nested).to_dict(as_series=False),
    "dict of rows": lambda nested: pandas(nested, object).drop(columns="text").to_dict("index"),
    "tuples": rows,
    "an iterator of tuples": lambda nested: iter(rows(nested)),
    "lists": lambda nested: [list(row) for row in rows(nested)],
    "lists of texts with a header": lambda nested: [
        ["score", "user id", "item id"],
        # Rows in memory, unlike files, have no words for infinities.
        *([repr(s).replace("inf", "1e999"), q, d] for q, d, s in rows(nested)),
    ],
    "named tuples": lambda nested: [Row(s, d, None, q) for q, d, s in rows(nested)],
    "dataclasses": lambda nested: (Item(*row) for row in rows(nested)),
    "dicts": lambda nested: [
        {"qid": q, "pid": d, "relevance_score": s} for q, d, s in rows(nested)
    ],
    "ir_measures": lambda nested: (ir_measures.ScoredDoc(*row) for row in rows(nested)),
    "dict of pairs": lambda nested: {q: list(held.items()) for q, held in nested.items()},
    "dict of pairs as lists": lambda nested: {
        q: [[d, s] for d, s in held.items()] for q, held in nested.items()
    },
    "dict of hits": lambda nested: {
        q: [{"doc_id": d, "text": "", "score": s} for d, s in held.items()]
        for q, held in nested.items()
    },
    "items of a dict": lambda nested: nested.items(),
    "array of objects": lambda nested: objects(rows(nested)),
}


def objects(some: list[tuple[str, str, float]]) -> np.ndarray[Any, Any]:
    array = np.empty(len(some), dtype=object)
    array[:] = some
    return array


def structured(nested: Nested) -> np.ndarray[Any, Any]:
    fields = [("user_id", "i8"), ("item_id", "i4"), ("score", "f8")]
    return np.array([(int(q), int(d), number) for q, d, number in rows(nested)], dtype=fields)


def whole(nested: Nested, kind: Callable[[str], Any] = int) -> dict[Any, dict[Any, float]]:
    return {kind(q): {kind(d): s for d, s in documents.items()} for q, documents in nested.items()}


# Ids are whole numbers from 0.
WITH_NUMBERS: dict[str, Form] = {
    "dict of ints": whole,
    "dict of NumPy ints": lambda nested: whole(nested, np.uint16),
    "Arrow int32": lambda nested: arrow(nested, pa.int32()),
    "Arrow int64": lambda nested: arrow(nested, pa.int64()),
    "Arrow uint64": lambda nested: arrow(nested, pa.uint64()),
    "Arrow double": lambda nested: arrow(nested, pa.float64()),
    "pandas int64": lambda nested: pandas(nested, "int64"),
    "pandas Int64": lambda nested: pandas(nested, "Int64"),
    "pandas float": lambda nested: pandas(nested, "float32"),
    "pandas ints as objects": lambda nested: pandas(whole(nested), object),  # type: ignore[arg-type]
    "Polars Int64": lambda nested: polars(nested, pl.Int64),
    "Arrow decimal": lambda nested: arrow(nested, pa.decimal128(20, 0)),
    "Series by ints": lambda nested: by_query(whole(nested)),  # type: ignore[arg-type]
    "pandas index of ints": lambda nested: pandas(nested, "int64").set_index(["docno", "qid"]),
    "tuples of ints": lambda nested: rows(whole(nested)),  # type: ignore[arg-type]
    "pairs of ints": lambda nested: {
        q: [(np.int64(d), s) for d, s in held.items()] for q, held in whole(nested).items()
    },
    "hits of a corpus": lambda nested: {
        int(q): [{"corpus_id": int(d), "score": s} for d, s in held.items()]
        for q, held in nested.items()
    },
    "structured array": structured,
}


# Those in which a query has all it holds in one place, so that there are no rows to count.
BY_QUERY = {
    name
    for name in (*WITH_IDS, *WITH_NUMBERS)
    if any(word in name for word in ("dict", "list", "struct", "pairs", "hits", "Series by"))
} - {"Arrow dictionary", "dicts", "dict of columns", "dict of rows", "structured array"}


@dataclasses.dataclass
class Grid:
    """Queries x items, of which some are there; ids are the numbers of rows and columns."""

    values: np.ndarray[Any, Any]
    present: np.ndarray[Any, Any]

    @property
    def nested(self) -> dict[str, dict[str, float]]:
        return {
            str(row): {str(column): float(values[column]) for column in np.flatnonzero(present)}
            for row, (values, present) in enumerate(zip(self.values, self.present, strict=True))
        }

    @property
    def sparse(self) -> Any:
        items = np.nonzero(self.present)[1]
        starts = np.concatenate(([0], np.cumsum(self.present.sum(axis=1))))
        return scipy.sparse.csr_matrix(
            (self.values[self.present], items, starts), shape=self.values.shape
        )

    @property
    def scattered(self) -> Any:
        queries, items = np.nonzero(self.present)
        return (self.values[self.present], (queries, items)), self.values.shape


class Tensor:
    """What a tensor of another library shows of itself: DLPack alone."""

    def __init__(self, array: Any) -> None:
        self._array = np.ascontiguousarray(array)

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


OF_GRIDS: dict[str, Callable[[Grid], tuple[Any, dict[str, Any]]]] = {
    "dense with a mask": lambda grid: (
        np.where(grid.present, grid.values, np.nan), {"mask": grid.present},
    ),
    "a masked array": lambda grid: (np.ma.array(grid.values, mask=~grid.present), {}),
    "a tensor with a mask": lambda grid: (Tensor(grid.values), {"mask": Tensor(grid.present)}),
    "Fortran order": lambda grid: (np.asfortranarray(grid.values), {"mask": grid.present}),
    "csr_matrix": lambda grid: (grid.sparse, {}),
    "csr_array": lambda grid: (scipy.sparse.csr_array(grid.sparse), {}),
    "coo_matrix": lambda grid: (scipy.sparse.coo_matrix(*grid.scattered), {}),
    "csc_array": lambda grid: (scipy.sparse.csc_array(grid.sparse), {}),
}  # fmt: skip


# Everything is there.
OF_FULL_GRIDS: dict[str, Callable[[Any], tuple[Any, dict[str, Any]]]] = {
    "dense": lambda values: (values, {}),
    "a view, reversed twice": lambda values: (values[:, ::-1].copy()[:, ::-1], {}),
    "a tensor": lambda values: (Tensor(values), {}),
    "lengths": lambda values: (
        np.pad(values, ((0, 0), (0, 2)), constant_values=np.nan),
        {"lengths": np.full(len(values), values.shape[1])},
    ),
    "wide frame": lambda values: (
        pd.DataFrame(values).rename_axis(index="query_id", columns="doc_id"), {},
    ),
    "flat with sizes": lambda values: (values.ravel(), {"groups": [values.shape[1]] * len(values)}),
    "flat with ids": lambda values: (
        values.ravel(), {"groups": np.repeat(np.arange(len(values)), values.shape[1]).astype(str)},
    ),
    "flat with scattered ids": lambda values: (
        values.T.ravel(), {"groups": np.tile(np.arange(len(values)), values.shape[1]).astype("U4")},
    ),
}  # fmt: skip


def ranked(run: Run) -> dict[str, list[str]]:
    """Give ids best first, of a run without ties."""
    return {q: sorted(scores, key=scores.__getitem__, reverse=True) for q, scores in run.items()}


def ranks(run: Run) -> Iterator[tuple[str, str, int]]:
    for query, documents in ranked(run).items():
        for rank, document in enumerate(documents, 1):
            yield query, document, rank


def top_ids(run: Run, fill: Any, kind: Any) -> Any:
    """Give an array of ids (n_queries, k), best first, filled up."""
    rankings = list(ranked(run).values())
    longest = max(map(len, rankings)) + 1
    return np.array([[*map(kind, ids), *[fill] * (longest - len(ids))] for ids in rankings])


def descending(run: Run) -> np.ndarray[Any, Any]:
    """Give scores of ranks, for ids in order."""
    ids = top_ids(run, -1, int)
    return np.tile(np.arange(ids.shape[1], 0, -1, dtype=np.float32), (len(ids), 1))


# Runs of which only the order is kept; queries may be told by their places alone.
IN_ORDER: dict[str, Callable[[Run], Any]] = {
    "dict of lists": ranked,
    "dict of tuples": lambda run: {q: tuple(ids) for q, ids in ranked(run).items()},
    "dict of arrays": lambda run: {q: np.array(ids) for q, ids in ranked(run).items()},
    "pairs": lambda run: [(q, d) for q, d, _ in ranks(run)],
    "frame in order": lambda run: pl.DataFrame(
        [(q, d) for q, d, _ in ranks(run)], schema=["qid", "docid"], orient="row"
    ),
    "frame with ranks": lambda run: pd.DataFrame(
        sorted(ranks(run)), columns=["qid", "docid", "rank"]
    ),
    "Series of lists": lambda run: pd.Series(ranked(run)),
    "Polars of lists": lambda run: pl.DataFrame(
        {"user": list(run), "items": list(ranked(run).values())}
    ),
    "list of lists": lambda run: list(ranked(run).values()),
    "list of arrays": lambda run: [np.array(ids) for ids in ranked(run).values()],
    "ids beside scores": lambda run: (top_ids(run, -1, int), descending(run)),
    "scores beside ids": lambda run: (descending(run), top_ids(run, -1, int)),
    "top ids": lambda run: top_ids(run, -1, int),
    "top ids as text, masked": lambda run: np.ma.masked_equal(top_ids(run, "", str), ""),
}

RELEVANT: dict[str, Callable[[Qrels], Any]] = {
    "dict of sets": lambda qrels: {q: set(ids) for q, ids in qrels.items()},
    "dict of lists": lambda qrels: {q: list(ids) for q, ids in qrels.items()},
    "Series of sets": lambda qrels: pd.Series({q: set(ids) for q, ids in qrels.items()}),
    "list of sets": lambda qrels: [set(ids) for ids in qrels.values()],
    "list of lists": lambda qrels: [list(map(int, ids)) for ids in qrels.values()],
    "list of dicts": lambda qrels: [dict.fromkeys(ids, 1) for ids in qrels.values()],
    "pairs": lambda qrels: [(q, d) for q, d, _ in rows(qrels)],
    "frame": lambda qrels: pl.DataFrame(
        [(int(q), int(d)) for q, d, _ in rows(qrels)], schema=["user", "item"], orient="row"
    ),
}
