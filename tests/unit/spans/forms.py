"""The same spans in every form."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import parquet

GOLD = {"q1": [("d1", 50, 80), ("d1", 210, 230)], "q2": [("d2", 0, 10)]}
RETRIEVED = {
    "q1": [("d1", 300, 400), ("d1", 0, 100)],
    "q2": [("d2", 0, 15), ("d2", 15, 40)],
}
CHUNKS = {"d1": [(0, 100), (100, 200), (200, 300), (300, 400)], "d2": [(0, 40)]}
Rows = list[dict[str, Any]]


def _rows(given: dict[str, list[tuple[str, int, int]]]) -> Rows:
    names = ("doc_id", "start", "end")
    return [
        {"query_id": query, **dict(zip(names, span, strict=True))}
        for query, spans in given.items()
        for span in spans
    ]


GOLD_ROWS, RETRIEVED_ROWS = _rows(GOLD), _rows(RETRIEVED)


def _columns(rows: Rows) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def _place(folder: Path, suffix: str) -> Path:
    return folder / f"spans{len([*folder.iterdir()])}.{suffix}"


def _separated(separator: str, suffix: str) -> Callable[[Rows, Path], Path]:
    def write(rows: Rows, folder: Path) -> Path:
        path = _place(folder, suffix)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0]], delimiter=separator)
            writer.writeheader()
            writer.writerows(rows)
        return path

    return write


def _text(suffix: str, write: Callable[[Rows], str]) -> Callable[[Rows, Path], Path]:
    def written(rows: Rows, folder: Path) -> Path:
        path = _place(folder, suffix)
        path.write_text(write(rows), encoding="utf-8")
        return path

    return written


def _parquet(rows: Rows, folder: Path) -> Path:
    path = _place(folder, "parquet")
    parquet.write_table(pa.Table.from_pylist(rows), path)
    return path


FORMS: dict[str, Callable[[Rows, Path], Any]] = {
    "records": lambda rows, _: rows,
    "tuples": lambda rows, _: [tuple(row.values()) for row in rows],
    "columns": lambda rows, _: _columns(rows),
    "pandas": lambda rows, _: pd.DataFrame(rows),
    "Polars": lambda rows, _: pl.DataFrame(rows),
    "Arrow": lambda rows, _: pa.Table.from_pylist(rows),
    "CSV": _separated(",", "csv"),
    "TSV": _separated("\t", "tsv"),
    "JSON": _text("json", json.dumps),
    "JSON Lines": _text("jsonl", lambda rows: "".join(json.dumps(row) + "\n" for row in rows)),
    "Parquet": _parquet,
}
