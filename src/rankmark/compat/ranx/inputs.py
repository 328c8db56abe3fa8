"""ranx's Qrels and Run: numbers by query and document, sorted as by ranx, built step by step."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, KeysView, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from rankmark.compat.ranx.metrics import RefusedError
from rankmark.compat.ranx.tie_order import ranked
from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.files.whole_files import whole_file
from rankmark.data.recognise.forms import recognised
from rankmark.errors import InputError, MissingDependencyError, SchemaError, shown, warn

if TYPE_CHECKING:
    import pandas as pd

Number = TypeVar("Number", int, float)

_FILES = ("json", "trec", "gz", "parquet")
_KINDS = {"txt": "trec", "parq": "parquet"}


class ByQuery(Generic[Number]):
    """``{query: {document: number}}``, sorted by query and number, as ranx sorts.

    Attributes
    ----------
    name
        The name of the run or the collection, or None.
    sorted
        Whether it has been sorted since something was added.
    """

    _number: ClassVar[type]
    _side: ClassVar[str]

    def __init__(
        self, given: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None
    ) -> None:
        self.name = name
        self.sorted: bool = given is not None
        self._held: dict[str, dict[str, Number]] = {}
        # Sorting is put off until the order is needed; each time it moves ties again.
        self._sorts_due = int(self.sorted)
        if given is not None:
            if not isinstance(given, Mapping):
                raise SchemaError(
                    f"{self._side} is {shown(given)}", "need {query: {document: number}}"
                )
            for query, documents in given.items():
                if not isinstance(documents, Mapping):
                    raise SchemaError(
                        f"{self._side}: query {shown(query)} has {shown(documents)}",
                        "need {document: number}",
                    )
                self._put(query, list(documents), list(documents.values()))

    def keys(self) -> KeysView[str]:
        """Return the query ids."""
        return self._in_order().keys()

    def get_query_ids(self) -> list[str]:
        """Return the query ids."""
        return list(self._in_order())

    def get_doc_ids_and_scores(self) -> list[dict[str, Number]]:
        """Return the documents and numbers of each query."""
        return list(self._in_order().values())

    def add_score(self, q_id: str, doc_id: str, score: Number) -> None:
        """Add a document to a query, or change its number."""
        held = self._in_order().setdefault(q_id, {})
        held.update(self._read([doc_id], [score], q_id))
        self.sorted = False

    def add(self, q_id: str, doc_ids: list[str], scores: list[Number]) -> None:
        """Set the documents of a query."""
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(
        self, q_ids: list[str], doc_ids: list[list[str]], scores: list[list[Number]]
    ) -> None:
        """Set the documents of several queries."""
        self._in_order()
        for query, documents, numbers in zip(q_ids, doc_ids, scores, strict=True):
            self._put(query, list(documents), list(numbers))
        self.sort()

    def sort(self) -> None:
        """Sort queries by id, and documents by number, high to low."""
        self._sorts_due += 1
        self.sorted = True

    def to_evaluate(self) -> tuple[dict[str, dict[str, Number]], int]:
        """Return what it holds, and how often the documents are still to be sorted."""
        if not self.sorted:
            self.sort()
        return self._held, self._sorts_due

    def to_dict(self) -> dict[str, dict[str, Number]]:
        """Copy everything to a dict: ``{query: {document: number}}``."""
        copied: dict[str, dict[str, Number]] = defaultdict(dict)
        copied.update({query: dict(held) for query, held in self._in_order().items()})
        return copied

    def to_dataframe(self) -> pd.DataFrame:
        """Return a pandas data frame with the columns q_id, doc_id and score."""
        pandas = _pandas()
        rows = [
            (query, document, number)
            for query, held in self._in_order().items()
            for document, number in held.items()
        ]
        return pandas.DataFrame(rows, columns=["q_id", "doc_id", "score"])

    def save(self, path: str, kind: str | None = None) -> None:
        """Write a file, completely or not at all; its kind is that of its name, if none is given.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        if not self.sorted:
            self.sort()
        kind = self._kind(path, kind)
        with whole_file(Path(path)) as file:
            if kind == "parquet":
                file.write(self.to_dataframe().to_parquet(index=False))
            elif kind == "json":
                text = json.dumps(self._in_order(), indent=2, ensure_ascii=False)
                file.write(text.encode())
            else:
                content = "\n".join(self._lines()).encode()
                file.write(gzip.compress(content) if kind == "gz" else content)

    @classmethod
    def from_dict(cls, d: Mapping[str, Mapping[str, Any]], name: str | None = None) -> Self:
        """Read ``{query: {document: number}}``."""
        return cls(d, name)

    @classmethod
    def from_df(
        cls,
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Self:
        """Read a data frame, of pandas or another library, with a row for each document.

        Raises
        ------
        AssertionError
            If ids are not strings, or numbers not of the right type.
        """
        queries, documents = df[q_id_col].to_numpy().tolist(), df[doc_id_col].to_numpy().tolist()
        for column, ids in ((q_id_col, queries), (doc_id_col, documents)):
            if not all(isinstance(value, str) for value in ids):
                raise RefusedError(f"the column {column} has ids that are no strings", "need str")
        numbers = df[score_col].to_numpy()
        needed = "iu" if cls._number is int else "f"
        if numbers.dtype.kind not in needed:
            raise RefusedError(
                f"the column {score_col} is of type {numbers.dtype}", f"need {cls._number.__name__}"
            )
        return cls(_by_query(queries, documents, numbers.tolist()), name)

    @classmethod
    def from_parquet(
        cls,
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: dict[str, Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """Read a Parquet file by pandas, with a row for each document."""
        frame = _pandas().read_parquet(path, **(pd_kwargs or {}))
        return cls.from_df(frame, q_id_col, doc_id_col, score_col, name)

    @property
    def size(self) -> int:
        """The number of queries."""
        return len(self._held)

    def __getitem__(self, q_id: str) -> dict[str, Number]:
        return dict(self._in_order()[q_id])

    def __len__(self) -> int:
        return len(self._held)

    def __repr__(self) -> str:
        return repr(self._in_order())

    def _put(self, query: str, documents: list[Any], numbers: list[Any]) -> None:
        self._held[query] = self._read(documents, numbers, query)

    def _read(self, documents: list[Any], numbers: list[Any], query: str) -> dict[str, Number]:
        """Convert the numbers of a query."""
        wrong = next((kind for kind in {*map(type, documents)} if not issubclass(kind, str)), None)
        if wrong is not None:
            raise TypeError(
                f"{self._side}: query {shown(query)} has a document id of type {wrong.__name__}; "
                "need strings"
            )
        if not {*map(type, numbers)} <= {self._number}:
            numbers = self._converted(numbers, query)
        return dict(zip(documents, numbers, strict=True))

    def _converted(self, numbers: list[Any], query: str) -> list[Any]:
        array: Any = np.array(numbers, dtype=self._number)
        if array.ndim != 1:
            raise SchemaError(
                f"{self._side}: query {shown(query)} has lists as numbers", "need one each"
            )
        converted: list[Any] = array.tolist()
        if self._number is int and any(
            isinstance(given, (float, np.floating)) and given != whole
            for given, whole in zip(numbers, converted, strict=True)
        ):
            warn(
                f"labels of query {shown(query)} are not whole, and are truncated as in ranx",
                "multiply them, or use rankmark.evaluate, in which labels can be fractional",
                where=self._side,
            )
        return converted

    def _in_order(self) -> dict[str, dict[str, Number]]:
        """Return the documents by query, sorted as often as is due."""
        if self._sorts_due:
            self._held = {
                query: ranked(self._held[query], self._sorts_due) for query in sorted(self._held)
            }
            self._sorts_due = 0
        return self._held

    def _lines(self) -> Iterable[str]:
        raise NotImplementedError

    @classmethod
    def _kind(cls, path: str, kind: str | None) -> str:
        if kind is None:
            suffix = Path(path).suffix[1:]
            kind = _KINDS.get(suffix, suffix)
        if kind == "lz4":
            raise InputError("lz4 files are not supported", "save as json or parquet", where=path)
        if kind not in _FILES:
            raise RefusedError(
                f"the kind of file is {shown(kind)}", f"choose from {', '.join(_FILES)}"
            )
        return kind

    @classmethod
    def _file(cls, path: str, kind: str | None) -> dict[str, dict[str, Any]] | None:
        """Read a JSON file; None for other kinds."""
        if cls._kind(path, kind) != "json":
            return None
        with Path(path).open(encoding="utf-8") as file:
            found: dict[str, dict[str, Any]] = json.load(file)
        return found


def rows_of_file(path: str, kind: Kind) -> dict[str, dict[str, Any]]:
    """Read a file in TREC format; of a document that is given twice, the last number counts."""
    source = recognised(path, kind, SourceOptions(format="trec"))
    rows = source.rows(AS_USUAL, lenient=False)
    assert rows.number is not None  # noqa: S101
    queries = map(rows.query_ids.__getitem__, rows.query_codes.tolist())
    return _by_query(queries, map(rows.doc_ids, rows.doc_codes.tolist()), rows.number.tolist())


def _by_query(
    queries: Iterable[str], documents: Iterable[str], numbers: Iterable[Any]
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for query, document, number in zip(queries, documents, numbers, strict=True):
        found.setdefault(query, {})[document] = number
    return found


def _pandas() -> Any:
    try:
        import pandas as pd  # noqa: PLC0415
    except ImportError as error:
        raise MissingDependencyError("pandas", "pandas", "data frames") from error
    return pd


class Qrels(ByQuery[int]):
    """Relevance judgments: ``{query: {document: label}}``.

    Parameters
    ----------
    qrels
        None to add judgments later. Labels are truncated to whole numbers.
    name
        A name for the judgments.

    Examples
    --------
    >>> from rankmark.compat.ranx import Qrels
    >>> qrels = Qrels({"q_2": {"d_3": 2, "d_5": 3}, "q_1": {"d_1": 1}}, name="MSMARCO")
    >>> qrels
    {'q_1': {'d_1': 1}, 'q_2': {'d_5': 3, 'd_3': 2}}
    """

    _number = int
    _side = "qrels"

    def __init__(
        self, qrels: Mapping[str, Mapping[str, int]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(qrels, name)

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """``{query: {document: label}}``, which may be changed."""
        return self._in_order()

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Subtract ``rel_lvl - 1`` from all labels."""
        self._held = {
            query: {document: label - (rel_lvl - 1) for document, label in labels.items()}
            for query, labels in self._held.items()
        }

    @classmethod
    def from_file(cls, path: str, kind: str | None = None) -> Self:
        """Read a file in JSON or TREC format, which may be packed by gzip."""
        found = cls._file(path, kind)
        return cls(rows_of_file(path, "qrels") if found is None else found)

    @classmethod
    def from_ir_datasets(cls, dataset_id: str) -> Self:
        """Load judgments by the library ir_datasets."""
        import ir_datasets  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: PLC0415

        return cls(ir_datasets.load(dataset_id).qrels_dict(), dataset_id)

    def _lines(self) -> Iterable[str]:
        return (
            f"{query} 0 {document} {label}"
            for query, labels in self._in_order().items()
            for document, label in labels.items()
        )


class Run(ByQuery[float]):
    """Retrieved documents: ``{query: {document: score}}``, and the results of their evaluation.

    Parameters
    ----------
    run
        None to add documents later.
    name
        A name for the run, which reports show.

    Attributes
    ----------
    scores, mean_scores, std_scores
        ``{metric: {query: score}}``, ``{metric: mean}`` and ``{metric: standard deviation}``.
    metadata
        Anything that you want to keep with the run.

    Examples
    --------
    >>> from rankmark.compat.ranx import Run
    >>> run = Run({"q_1": {"d_1": 1.5, "d_2": 2.6}}, name="bm25")
    >>> run
    {'q_1': {'d_2': 2.6, 'd_1': 1.5}}
    """

    _number = float
    _side = "run"

    def __init__(
        self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None
    ) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, float]] = defaultdict(dict)
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """``{query: {document: score}}``, which may be changed."""
        return self._in_order()

    def make_comparable(self, qrels: Qrels | Mapping[str, Any]) -> Self:
        """Add judged queries that are missing, without documents, and remove unjudged ones."""
        judged = {*qrels.keys()}
        for query in judged:
            self._held.setdefault(query, {})
        for query in [query for query in self._held if query not in judged]:
            del self._held[query]
        self.sort()
        return self

    @classmethod
    def from_file(cls, path: str, kind: str | None = None, name: str | None = None) -> Self:
        """Read a file in JSON or TREC format, which may be packed by gzip."""
        found = cls._file(path, kind)
        if found is None:
            first = _first_line(path).split()
            name = first[5] if name is None and len(first) > 5 else name
            found = rows_of_file(path, "run")
        return cls(found, name)

    def _lines(self) -> Iterable[str]:
        return (
            f"{query} Q0 {document} {rank} {score} {self.name}"
            for query, scores in self._in_order().items()
            for rank, (document, score) in enumerate(scores.items(), 1)
        )


def _first_line(path: str) -> str:
    """Read the first line of a file, which may be packed by gzip."""
    with Path(path).open("rb") as file:
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        line = gzip.GzipFile(fileobj=file).readline() if packed else file.readline()
    return line.decode("utf-8", "replace")
