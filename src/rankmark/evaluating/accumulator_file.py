"""Accumulators as Parquet files: a row for each query, and what belongs to all as metadata."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError, MissingDependencyError, ParseError, SchemaError
from rankmark.evaluating.batch_totals import BatchedSource, BatchTotals, Grades
from rankmark.evaluating.batches import Batches
from rankmark.evaluating.query_rows import QueryRows
from rankmark.sources.contract.source import COUNTS
from rankmark.sources.files.writing import whole_file

if TYPE_CHECKING:
    from rankmark.array_types import Floats

_KEY = b"rankmark.accumulator"
_VERSION = 1
_COUNTS = (
    *("answered", "judged", "tied", "judged_top", "self_matches", "duplicates", "seen"),
    *("retrieved", "not_positive", "rises", "units", "whole_units", "negative_units"),
    "unit_documents",
)
"""The names of ``RunFacts.counts``, in their order."""


def write_batches(path: Path, batches: Batches, asked: dict[str, Any]) -> None:
    """Write batches to a file, completely or not at all.

    Parameters
    ----------
    asked
        The names of the measures, and the conventions, as JSON has them.

    Raises
    ------
    InputError
        If no batch came, or the file cannot be written.
    """
    pa, parquet = _libraries()
    if batches.totals is None:
        raise InputError("no batch was given", "give some to update first")
    rows = batches.rows()
    columns: dict[str, Any] = {"query_id": _texts(rows.queries, pa), "batch": rows.batch}
    parts: list[tuple[str, Floats | None]] = [("", rows.scores), ("error ", rows.errors)]
    if rows.ends is not None:
        parts += [("lowest ", rows.ends[0]), ("highest ", rows.ends[1])]
    for prefix, numbers in parts:
        if numbers is not None:
            of_measures = zip(asked["measures"], numbers.T, strict=True)
            columns |= {f"{prefix}{name}": column.copy() for name, column in of_measures}
    columns |= {
        f"number {name}": column for name, column in zip(_COUNTS, rows.counts.T, strict=True)
    }
    columns["has_relevant"] = rows.relevant
    columns |= {f"condition {place}": met for place, met in enumerate(rows.met.T)}
    about = {
        "version": _VERSION,
        **asked,
        "names": batches.names,
        "have_numbers": batches.have_numbers,
        "totals": _totals_as_json(batches.totals),
    }
    arrays = [
        one if isinstance(one, pa.Array) else pa.array(one.copy()) for one in columns.values()
    ]
    table = pa.table(arrays, names=[*columns]).replace_schema_metadata({_KEY: json.dumps(about)})
    with whole_file(path) as file:
        parquet.write_table(table, file)


def read_batches(path: Path, asked: dict[str, Any]) -> Batches:
    """Read batches that ``write_batches`` wrote.

    Raises
    ------
    InputError
        If the file cannot be read.
    ParseError
        If it is no such file, or is damaged.
    SchemaError
        If it has other measures or conventions.
    """
    pa, parquet = _libraries()
    name = str(path)
    try:
        with path.open("rb") as file:
            table = parquet.read_table(file, use_threads=False)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        found = "there is no such file" if missing else f"it cannot be read: {error}"
        raise InputError(found, "check the path", where=name) from None
    except pa.ArrowException as error:
        raise ParseError(
            f"the Parquet data is damaged ({error})", "write the accumulator again", where=name
        ) from None
    written = (table.schema.metadata or {}).get(_KEY)
    if written is None:
        raise ParseError(
            "no accumulator is in this file", "give one that Accumulator.write wrote", where=name
        )
    about = json.loads(written)
    if about["version"] != _VERSION:
        raise ParseError(
            f"the file has version {about['version']}, and this rankmark reads {_VERSION}",
            "read it with the version that wrote it",
            where=name,
        )
    for what, mine in json.loads(json.dumps(asked)).items():
        if about[what] != mine:
            raise SchemaError(
                f"the {what} are {about[what]}, and here {mine}",
                "create the accumulator with the arguments of the one that was written",
                where=name,
            )
    try:
        rows = _rows_of(table, about["measures"])
    except (KeyError, ValueError, pa.ArrowException) as error:
        raise ParseError(
            f"a column is missing or damaged: {error}", "write the accumulator again", where=name
        ) from None
    batches = Batches()
    batches.add(
        rows,
        _totals_of(about["totals"]),
        about["names"],
        have_numbers=None if about["have_numbers"] else about["have_numbers"],
        last=False,
    )
    batches.have_numbers = about["have_numbers"]
    return batches


def _rows_of(table: Any, measures: Sequence[str]) -> QueryRows:
    """Return the rows of a table."""

    def numbers(prefix: str, names: Sequence[str]) -> Any:
        found = [table.column(f"{prefix}{name}").to_numpy() for name in names]
        return np.column_stack(found) if found else np.zeros((len(table), 0))

    held = {*table.column_names}
    ends = errors = None
    if any(name.startswith("lowest ") for name in held):
        ends = np.stack([numbers("lowest ", measures), numbers("highest ", measures)])
    if any(name.startswith("error ") for name in held):
        errors = numbers("error ", measures)
    conditions = [str(one) for one in range(sum(name.startswith("condition ") for name in held))]
    return QueryRows(
        [
            one.decode("utf-8", "surrogatepass") if isinstance(one, bytes) else one
            for one in table.column("query_id").to_pylist()
        ],
        table.column("batch").to_numpy().copy(),
        numbers("", measures),
        ends,
        errors,
        numbers("number ", _COUNTS).astype(np.int64).reshape(-1, COUNTS),
        table.column("has_relevant").to_numpy().astype(np.bool_),
        numbers("condition ", conditions).astype(np.bool_),
    )


def _texts(queries: Sequence[str], pa: Any) -> Any:
    """Return ids as text, or as bytes if one is not UTF-8."""
    try:
        return pa.array(queries, pa.string())
    except UnicodeEncodeError:
        return pa.array([query.encode("utf-8", "surrogatepass") for query in queries], pa.binary())


def _totals_as_json(totals: BatchTotals) -> dict[str, Any]:
    found = totals._asdict()
    grades = totals.grades
    found["grades"] = {
        "lowest": grades.lowest,
        "highest": grades.highest,
        "distinct": None if grades.distinct is None else sorted(grades.distinct),
    }
    for side in ("qrels", "run", "seen"):
        found[side] = found[side] and found[side]._asdict()
    return found


def _totals_of(written: dict[str, Any]) -> BatchTotals:
    grades = written["grades"]
    distinct = grades["distinct"]
    sides = {
        side: written[side] and BatchedSource(**written[side]) for side in ("qrels", "run", "seen")
    }
    return BatchTotals(
        **{
            **written,
            **sides,
            "run_only_examples": tuple(written["run_only_examples"]),
            "grades": Grades(
                grades["lowest"],
                grades["highest"],
                None if distinct is None else frozenset(distinct),
            ),
        }
    )


def _libraries() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("pyarrow", "arrow", "writing accumulators") from None
    return pa, parquet
