"""The numbers of the command, from the same readers and measures as ``rankmark.evaluate``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.compat.trec_eval.given_gains import (
    are_sorted,
    balanced_share,
    with_gains,
    with_scaled_gains,
    with_unsorted_gains,
    without_unjudged,
)
from rankmark.compat.trec_eval.given_options import (
    NO_QUERIES,
    WRONG_FILE,
    Options,
    StoppedError,
)
from rankmark.compat.trec_eval.printed_columns import Column, needed_by, scored
from rankmark.compat.trec_eval.reading import in_bytes, judgments_in, refused, run_in, tag_in
from rankmark.compat.trec_eval.requested import columns_for
from rankmark.conventions import Conventions
from rankmark.data.alignment import Alignment, Needs
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.errors import MismatchError, RankmarkError, listed
from rankmark.measures import Measure, NumRel
from rankmark.measures.base.requirements import ABOVE_ZERO, needs_of
from rankmark.measures.iprec import InterpolatedPrecision
from rankmark.measures.prefs import FulfilledPreferences
from rankmark.measures.utility import SetUtility
from rankmark.profiles.known import profile
from rankmark.profiles.trec_eval10 import OF_PREFERENCES
from rankmark.scoring.aggregates import LEAST_IN_GMEAN


class Evaluated(NamedTuple):
    """What is printed.

    Parameters
    ----------
    columns
        In trec_eval's order.
    queries
        (n,) ids, in the order of their bytes.
    values
        (n, number of columns) float64, 0 for text.
    texts
        The text of each query, for columns that are text by query.
    tag
        The tag of the run.
    averaged
        The number of queries averaged; with -c of version 9, more than n.
    num_rel
        The relevant documents of all judged queries, if that is what is printed.
    notes
        What is different from trec_eval, or surprising, for standard error.
    missing
        The first judged query without a ranking, if trec_eval stops there.
    """

    columns: list[Column]
    queries: list[str]
    values: Floats
    texts: dict[int, list[str]]
    tag: str
    averaged: int
    num_rel: float | None
    notes: list[str]
    missing: str | None = None


def conventions_of(options: Options) -> Conventions:
    """Return how the options order and cut rankings."""
    by_preference = options.judgments in {"prefs", "qrels_prefs"}
    of_version = dict(profile(f"trec_eval{options.version}").conventions)
    of_version.pop("queries", None)  # the option -c says
    return Conventions(
        **of_version,
        **(OF_PREFERENCES if by_preference else {}),
        depth=options.depth,
        judged_only=options.judged_only and not by_preference,
    )


def evaluated(options: Options) -> Evaluated:
    """Read the files and compute all columns.

    Raises
    ------
    StoppedError
        If the files cannot be read, or no query is in both.
    """
    columns, notes = columns_for(options)
    qrels, run = judgments_in(options), run_in(options)
    a, answered = _aligned(columns, qrels, run, options, notes)
    rows, missing = _rows(a.queries, answered, options, notes)
    if not len(rows) and missing is None:
        if options.only is not None:
            lack = "the run lacks" if options.only in a.queries else "the judgments lack"
            notes.append(f"-D names the query '{options.only}', which {lack}")
        raise StoppedError(
            NO_QUERIES,
            "trec_eval: No queries with both results and relevance info",
            *(f"rankmark: {note}" for note in notes),
        )
    computed = _Values(a, answered, options, notes)
    values = np.stack([computed.of(column)[rows] for column in columns], axis=1)
    texts = {}
    for number, column in enumerate(columns):
        if column.family == "relstring":
            labels = computed.labels(column)
            texts[number] = [labels[row] for row in rows.tolist()]
    families = {column.family for column in columns}
    counts_all = options.complete and "num_rel" in families
    return Evaluated(
        columns,
        [a.queries[row] for row in rows.tolist()],
        values,
        texts,
        tag_in(run) if "runid" in families else "",
        len(a.queries) if options.complete else len(rows),
        _num_rel(a, options, notes) if counts_all else None,
        notes,
        missing,
    )


def summary(found: Evaluated) -> list[float]:
    """Return each column's value over all queries."""
    if len(found.values):
        totals = np.add.accumulate(found.values, axis=0)[-1].tolist()
    else:
        totals = [0.0] * len(found.columns)
    values = []
    for column, total in zip(found.columns, totals, strict=True):
        if column.family == "num_q":
            value = float(found.averaged)
        elif column.family == "num_rel" and found.num_rel is not None:
            value = found.num_rel
        elif column.printed == "log":
            # Version 9 leaves out missing queries, whose logarithm is not 0.
            absent = found.averaged - len(found.queries)
            value = float(np.exp((total + absent * log(LEAST_IN_GMEAN)) / found.averaged))
        elif column.measure is not None and column.measure.aggregate == "sum":
            value = total
        else:
            value = total / found.averaged
        values.append(value)
    return values


def _aligned(
    columns: Sequence[Column], qrels: Qrels, run: Run, options: Options, notes: list[str]
) -> tuple[Alignment, Bools]:
    """Align the run with the judgments, and return which queries it answers."""
    conventions = conventions_of(options)
    needs = _needs(columns, options)
    try:
        a, facts = match(qrels, run, conventions, needs=needs, doubted=False)
    except MismatchError as error:
        notes.append(str(error))
        empty = Run.of(NestedMapping({}, "run"))
        a, facts = match(qrels, empty, conventions, needs=needs)
    except RankmarkError as error:
        raise refused(error, "get_results", options.files[1]) from None
    else:
        if facts.rows == 0:
            raise StoppedError(
                WRONG_FILE,
                f"trec_eval.get_results: Cannot read results file '{run.name}': it is empty",
                f"trec_eval: Quit in file '{run.name}'",
            )
    if conventions.judged_only and not a.views:
        a = without_unjudged(a, condensed=True)
    return a, facts.answered.astype(bool)


def _needs(columns: Sequence[Column], options: Options) -> Needs:
    needed = needed_by(columns, options.level)
    needs = needs_of(needed or (NumRel,))
    needs = needs._replace(lowest=min(needs.lowest, ABOVE_ZERO))
    if options.judged_only or any(
        column.family == "relstring" or column.gains or column.printed == "residual"
        for column in columns
    ):
        return needs._replace(lowest=float("-inf"), deepest=None, ideal=None)
    return needs


def _rows(
    queries: Sequence[str], answered: Bools, options: Options, notes: list[str]
) -> tuple[Ints, str | None]:
    """Return the rows to print, by id, and the query at which trec_eval 10 stops, if it does."""
    order = sorted(range(len(queries)), key=lambda row: in_bytes(queries[row]))
    rows = np.array(order, dtype=np.int64)
    if options.only is not None:
        rows = rows[[queries[row] == options.only for row in order]]
    if options.complete and options.version == 10:
        return rows, None
    present = answered[rows]
    if options.version == 9 or present.all():
        return rows[present], None
    absent = [queries[row] for row in rows[~present].tolist()]
    if options.bug_compatible:
        return rows[: int(np.argmin(present))], absent[0]
    if present.any():
        are = "query is" if len(absent) == 1 else "queries are"
        notes.append(
            f"{len(absent):,} judged {are} missing in the run, and left out: {listed(absent)}; "
            "trec_eval 10 stops here with exit code 4; with -c, they count 0"
        )
    return rows[present], None


def _num_rel(a: Alignment, options: Options, notes: list[str]) -> float:
    """Count relevant documents, of any level if trec_eval does."""
    at_level = float(a.num_relevant(options.level).sum())
    if options.level == 1 or options.judgments != "qrels":
        return at_level
    of_any = float(a.num_relevant(ABOVE_ZERO).sum())
    if of_any == at_level:
        return at_level
    if options.version == 9 or options.bug_compatible:
        notes.append(
            f"num_rel of all queries is {of_any:.0f}, as trec_eval -c counts labels from 1; from "
            f"-l {options.level} it is {at_level:.0f}"
        )
        return of_any
    notes.append(
        f"num_rel of all queries is {at_level:.0f}, of labels from -l {options.level}; trec_eval "
        f"-c counts labels from 1, {of_any:.0f}"
    )
    return at_level


class _Values:
    """The values of columns over one alignment."""

    def __init__(self, a: Alignment, answered: Bools, options: Options, notes: list[str]) -> None:
        self._a = a
        self._answered = answered
        self._options = options
        self._notes = notes
        self._changed: dict[object, Alignment] = {}

    def of(self, column: Column) -> Floats:
        """Return the value of each query: (Q,) float64."""
        measure = column.measure
        if measure is None or column.family == "num_q":
            return np.full(len(self._a.retrieved), 0.0 if measure is None else 1.0)
        if isinstance(measure, FulfilledPreferences) and measure.nonrelevant == "balanced":
            return balanced_share(self._a, measure.counted)
        if column.printed == "residual":
            return self._residual(column, measure)
        if column.family == "rbp":
            self._note_scaled(column)
        a = self._with_gains(column) if column.gains else self._a
        if column.printed == "ideal":
            return measure.score(a.perfect())
        if column.printed == "relevant":
            return self._relevant(measure, a)
        return self._printed(column, scored(measure, a))

    def _note_scaled(self, column: Column) -> None:
        """Note that trec_eval may scale gains otherwise: by a label that no document has, too."""
        highest = int(self._a.ideal_label.max(initial=0.0))
        given = {label: gain for label, gain in column.gains if label <= highest}
        has_others = highest - 1 > sum(label > 1 for label in given)
        if has_others or any(gain > 1 for gain in given.values()):
            self._notes.append(
                f"{column.name}: gains are divided by the query's highest if that is above 1; "
                "trec_eval 10 compares them with variables that it never sets, and counts labels "
                "that do not occur, so that its values may be others"
            )

    def _relevant(self, measure: Measure, a: Alignment) -> Floats:
        """Return values, 0 where no label reaches the level, as trec_eval does."""
        has_relevant = self._a.num_relevant(self._options.level) > 0
        values = np.where(has_relevant, scored(measure, a), 0.0)
        undefined = has_relevant & ~measure.has_relevant(a)
        if self._options.bug_compatible:
            return np.where(undefined, np.nan, values)
        if undefined.any():
            queries = [self._a.queries[row] for row in np.flatnonzero(undefined).tolist()]
            self._notes.append(
                f"no document of {listed(queries)} has a gain: Rndcg is 0; trec_eval prints -nan"
            )
        return values

    def _printed(self, column: Column, values: Floats) -> Floats:
        if column.printed == "log":
            return np.log(np.maximum(values, LEAST_IN_GMEAN))
        if isinstance(column.measure, SetUtility) and self._has_bogus(column):
            return values + np.where(
                self._answered, 0.0, column.measure.noise - column.measure.rest
            )
        if self._options.judged_only and isinstance(column.measure, InterpolatedPrecision):
            return self._without_ranking(column.measure, values)
        return values

    def labels(self, column: Column) -> list[str]:
        """Write the labels of each query's first documents, a character each."""
        a = self._a
        length = np.where(self._answered, np.minimum(a.retrieved, column.length), 0)
        if self._has_bogus(column):
            length = np.where(self._answered, length, min(column.length, 1))
        ends = np.append(0, np.cumsum(length))
        written = np.full(int(ends[-1]), b"-", dtype="S1")
        query = np.repeat(np.arange(len(length)), np.diff(a.starts))
        within = a.rank <= length[query]
        label = a.label[within]
        characters = np.frombuffer(b"0123456789>.", dtype="S1")
        number = np.where(label < 0, 11, np.minimum(label, 10)).astype(np.int64)
        written[ends[query[within]] + a.rank[within] - 1] = characters[number]
        text = written.tobytes().decode("ascii")
        bounds = ends.tolist()
        return [text[begin:end] for begin, end in pairwise(bounds)]

    def _residual(self, column: Column, measure: Measure) -> Floats:
        """Return the residual of RBP, 0 where no document is unjudged, as trec_eval does."""
        judged = without_unjudged(self._a, condensed=False)
        values = measure.score(judged)
        values = np.where(np.diff(judged.starts) < judged.retrieved, values, 0.0)
        return np.where(self._answered, values, 1.0) if self._has_bogus(column) else values

    def _with_gains(self, column: Column) -> Alignment:
        key = column.gains, column.family == "rbp"
        if key not in self._changed:
            self._changed[key] = self._gained(column)
        return self._changed[key]

    def _gained(self, column: Column) -> Alignment:
        given = dict(column.gains)
        if column.family == "rbp":
            return with_scaled_gains(self._a, given)
        highest = int(max(self._a.ideal_label.max(initial=0.0), 0.0))
        if are_sorted(highest, given):
            return with_gains(self._a, given)
        if self._options.bug_compatible:
            return with_unsorted_gains(self._a, given)
        self._notes.append(
            f"{column.name}: trec_eval compares gains as whole numbers, so that its ideal ranking "
            "is not in order, and its value wrong; this one is right, and --bug-compatible gives "
            "its own"
        )
        return with_gains(self._a, given)

    def _has_bogus(self, column: Column) -> bool:
        """Return whether missing queries have a ranking of one unjudged document.

        trec_eval 10 gives them one, and corrects what that does only to measures that have no
        parameters.
        """
        options = self._options
        return (
            options.bug_compatible
            and options.version == 10
            and not options.judged_only
            and column.name != column.family
        )

    def _without_ranking(self, measure: InterpolatedPrecision, values: Floats) -> Floats:
        """Return trec_eval's values of rankings of which -J leaves nothing."""
        recalls = np.atleast_1d(measure.recall)
        reached = self._a.num_relevant(self._options.level)[:, None] * recalls
        over = 0.9 if self._options.version == 9 else 0.5
        undefined = (self._a.retrieved == 0) & (np.floor(reached + over) == 0).any(axis=1)
        if not undefined.any():
            return values
        if self._options.bug_compatible:
            return np.where(undefined, np.nan, values)
        if not any("-nan" in note for note in self._notes):
            queries = [self._a.queries[row] for row in np.flatnonzero(undefined).tolist()]
            self._notes.append(
                f"-J leaves nothing of the ranking of {listed(queries)}: interpolated precision is "
                "0; trec_eval prints -nan"
            )
        return values
