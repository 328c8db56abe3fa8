"""Documents in place of the units, such as chunks, that were retrieved or judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.conventions import combination
from rankmark.data.contract.source import Rows
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.preparing.united_runs import unite_runs
from rankmark.data.preparing.units import (
    UnitCounts,
    judgments_of_documents,
    refuse_unused_combination,
    with_parents_of,
)
from rankmark.errors import InputError
from rankmark.scoring.mismatch_warnings import warn_of_units

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.contract.source import Source
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.data.preparing.run import Run
    from rankmark.data.preparing.united_runs import ListTies


def ranks_units(source: Source, units: Conventions) -> bool:
    """Return whether a source holds units.

    Raises
    ------
    InputError
        If units are to be combined, and there are none.
    """
    if units.unit is not None or with_parents_of(source) is not None:
        return True
    refuse_unused_combination(units, ())
    return False


def judgments_of_units(qrels: Qrels, units: Conventions) -> NestedMapping:
    """Return judgments of the documents of judged units, each with the highest label of its units.

    Raises
    ------
    InputError
        If units are judged by subtopic or by several assessors, or scores are to be combined.
    """
    if units.combine != "best" or units.unit_depth is not None:
        name = "combine" if units.combine != "best" else "unit_depth"
        raise InputError(f"{name} is about runs, and these are judgments", "leave it out")
    return NestedMapping(judgments_of_documents(qrels, units.unit).by_query(), "qrels")


def rows_of_documents(run: Run, units: Conventions, reading: Reading) -> Rows:
    """Rank the documents of units, and list them query by query, best first.

    Parameters
    ----------
    run
        A run of units, with their documents unless ``units`` says how their ids are made.
    units
        How units become documents.

    Returns
    -------
    Rows
        ``number`` is None where the order does not come from scores.

    Raises
    ------
    ParseError, DuplicateError, SchemaError, InputError
        If the run cannot be read, or a unit has no document.
    """
    # Documents with equal scores stay in the order of the run, unless the ranks of units count.
    how, _ = combination(units.combine)
    by_order = how in {"first", "rrf"} or units.unit_depth is not None
    ties: ListTies = "docid" if by_order else "input"
    united = unite_runs([run], ties=ties, units=units, reading=reading)
    ids: list[str] = []
    sizes, scores = [np.empty(0, np.int64)], [np.empty(0)]
    counts: list[UnitCounts] = []
    for part in united.parts(threads=reading.workers):
        (found,) = part.lists.lists
        counts += part.counts.of_units
        ids += part.doc_ids()
        sizes.append(found.sizes)
        scores.append(found.score)
    warn_of_units(counts, run.name)
    codes = np.repeat(np.arange(len(united.queries), dtype=np.uint32), np.concatenate(sizes))
    (has_scores,) = united.has_scores
    is_by_score = has_scores and how != "first"
    return Rows(
        codes,
        united.queries,
        np.arange(len(ids), dtype=np.uint32),
        ids.__getitem__,
        lambda asked: np.full(len(asked), -1, np.int64),
        np.concatenate(scores) if is_by_score else None,
        None,
        None,
    )
