"""Evaluate the lists of a run as a whole, by measures that no query has by itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Annotated, Any

import numpy as np

from rankmark.arguments import Columns, FromOne, Kind, Share, Text, checked
from rankmark.conventions import OrderedTies
from rankmark.data.contract.reading_options import Progress, Reading
from rankmark.data.contract.source_options import RunContents
from rankmark.data.files.lines_of_text import ids_given
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.united_runs import unite_runs
from rankmark.errors import InputError, MeasureError, listed, shown
from rankmark.formulas import as_formulas, formulas_in
from rankmark.measures.of_runs import ALL
from rankmark.measures.of_runs.run_measure import RunLists, RunMeasure
from rankmark.verbs.evaluate_lists.lists_evaluation import ListsAudit, ListsEvaluation, RunValue

if TYPE_CHECKING:
    from rankmark.data.preparing.run import RunSource


_BY_NAME = {name.lower(): found for found in ALL for name in (found.name, *found.aliases)}


def _items(name: str, given: Any) -> dict[str, int]:
    """Return the number of each item of a catalogue; a text is a list of letters."""
    ids = ids_given(name, [*given] if isinstance(given, str) else given)
    if not ids:
        raise InputError("the catalogue is empty", "give the ids of all items")
    return {one: number for number, one in enumerate(dict.fromkeys(ids))}


Catalogue = Annotated[Iterable[Any] | os.PathLike[str] | IO[Any], Kind(_items)]


@checked
def evaluate_lists(
    run: Run | RunSource,
    measures: Iterable[str | RunMeasure] | str | RunMeasure = "ItemCoverage@10",
    *,
    catalogue: Catalogue,
    ties: OrderedTies = "docid",
    confidence: Share = 0.95,
    run_format: Text | None = None,
    columns: Columns = None,
    contents: RunContents | None = None,
    threads: FromOne | None = None,
    progress: Progress | None = None,
) -> ListsEvaluation:
    """Evaluate all lists of a run together, by measures that no query has by itself.

    There are no judgments: every list of the run counts.

    Parameters
    ----------
    Data:
    run
        The lists of queries or users, in any form that ``evaluate`` takes.
    catalogue
        The ids of all items that could be in a list, or a file with one id a line
        (``pathlib.Path`` or open file). Items that are not in it are counted, and count nowhere.

    Measures:
    measures
        Names or objects, such as ``"ItemCoverage@10"``.
    confidence
        Of the intervals, which leave out one list at a time.

    Conventions:
    ties
        How tied documents are ordered, as for ``evaluate``.

    Reading:
    run_format, columns, contents
        As for ``evaluate``.
    threads
        Number of threads that read a file; None for one per core. It does not affect the result.
    progress
        Called with the number of bytes read so far while a file is read.

    Returns
    -------
    ListsEvaluation
        It maps the names of measures to their values.

    Raises
    ------
    ParseError, DuplicateError, SchemaError
        If the run cannot be read.
    MeasureError
        If a measure or one of its parameters does not exist.
    InputError
        If a file cannot be read, an option has an invalid value, or the catalogue is empty or
        shares no item with the lists.

    Examples
    --------
    >>> import rankmark as rm
    >>> lists = {"u1": ["c", "d", "e"], "u2": ["b", "d", "e"]}
    >>> found = rm.evaluate_lists(lists, "ItemCoverage@2", catalogue="abcde")
    >>> found["ItemCoverage@2"]
    0.6
    """
    requested = as_formulas(measures, _named, "measure", "ItemCoverage@10")
    items: Mapping[str, int] = catalogue  # type: ignore[assignment]  # as its kind makes them
    given = (
        run
        if isinstance(run, Run)
        else Run(run, format=run_format, columns=columns, contents=contents)
    )
    reading = Reading.of(threads=threads, progress=None if progress is None else _of_file(progress))
    lists, outside = _lists(given, items, ties, _deepest(requested), reading)
    values = tuple(RunValue.of(measure, lists, confidence) for measure in requested)
    audit = ListsAudit(
        lists=len(lists.starts) - 1,
        catalogue=lists.catalogue,
        outside=len(outside),
        outside_examples=tuple([*outside][:3]),
    )
    if lists.items.size and len(outside) == len(np.unique(lists.items)):
        raise InputError(
            f"no item of {given.name} is in the catalogue, which has {listed([*items][:3])}",
            "are the ids of one kind?",
        )
    read = {"name": given.name, "sha256": given.source.sha256(), **given.source.description()}
    return ListsEvaluation(rows=values, audit=audit, settings={"ties": ties, "run": read})


def _named(name: str | RunMeasure) -> tuple[RunMeasure, ...]:
    if isinstance(name, RunMeasure):
        return (name,)
    if not isinstance(name, str):
        raise MeasureError(
            f"{shown(name)} is not a measure of a run", "need its name, such as ItemCoverage@10"
        )
    return _parsed(name)


@lru_cache(maxsize=256)
def _parsed(name: str) -> tuple[RunMeasure, ...]:
    return formulas_in(name, _BY_NAME, "measure of a run")


def _deepest(measures: Iterable[RunMeasure]) -> int | None:
    """Return the last rank that a measure reads; None if one reads all."""
    cutoffs: list[Any] = [measure.parameters.get("k") for measure in measures]
    return None if None in cutoffs else max(cutoffs)


def _of_file(progress: Progress) -> Any:
    return lambda _, done: progress(done)


def _lists(
    run: Run, items: Mapping[str, int], ties: OrderedTies, depth: int | None, reading: Reading
) -> tuple[RunLists, Mapping[str, int]]:
    """Read the lists; items outside the catalogue get the next numbers, which are returned."""
    united = unite_runs([run], ties=ties, depth=depth, reading=reading)
    outside: dict[str, int] = {}
    starts, numbers = [np.zeros(1, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for part in united.parts(threads=reading.workers):
        starts.append(part.lists.starts[1:] + starts[-1][-1])
        found = (
            items[one] if one in items else outside.setdefault(one, len(items) + len(outside))
            for one in part.doc_ids()  # in order of rank, as there is only one run
        )
        numbers.append(np.fromiter(found, np.int64, len(part.lists.query)))
    return RunLists(np.concatenate(starts), np.concatenate(numbers), len(items)), outside
