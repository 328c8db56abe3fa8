"""ranx's Qrels and Run: judgments and scores by query, which can be built step by step."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from rankmark.compat.ranx.by_query import ByQuery, rows_of_file


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
