"""Follow a measure over the records that ``--record`` wrote."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from rankmark.arguments import Share, Text, checked
from rankmark.data.files.input_file import printable
from rankmark.data.files.whole_files import path_given
from rankmark.errors import InputError, MeasureError, listed, shown
from rankmark.measures import Measure
from rankmark.measures.names import measure as measure_of
from rankmark.measures.names import measures as measures_of
from rankmark.results.records.run_record import no_record, read_record
from rankmark.results.run_names import short_names
from rankmark.statistics.confidence_intervals import mean_interval
from rankmark.statistics.mean_tests import t_test
from rankmark.verbs.evaluate.given_runs import paths_of_runs
from rankmark.verbs.trend.trend_result import CHANGES, Trend, TrendRow

Different = Literal["refuse", "mark"]
_ROUNDING = 1e-12  # smaller differences are none
_WITHOUT = "record a measure of queries, such as nDCG@10"
_NOT_OF_JUDGMENTS = {"by", "clusters", "corpus"}
"""The roles of inputs that do not decide the scores of queries."""


@checked
def trend(
    records: Sequence[str | os.PathLike[str]] | Iterator[Any] | str | os.PathLike[str],
    measure: str | Measure | None = None,
    *,
    run: Text | None = None,
    different: Different = "refuse",
    confidence: Share = 0.95,
) -> Trend:
    """Follow a measure over the records of a system, and find when it changed.

    Records are in the order of their commits, or of their dates if one has no commit. Each is
    compared with the first, or with the last that had changed significantly, query by query.

    Parameters
    ----------
    Data:
    records
        Files that ``--record`` wrote, folders of them, or patterns.
    run
        The run to follow, if records have several. None for the only one.
    different
        Whether records of other judgments, conventions or averaged queries than those before are
        refused, or marked and compared with none before them.

    Measures:
    measure
        A name or an object. None for the first that is recorded.

    Statistics:
    confidence
        That no change is found if there is none, however many records follow.

    Returns
    -------
    Trend
        ``rows`` by record, ``changes``, the significant ones, and ``change``, the first of them.

    Raises
    ------
    ParseError
        If a file is not a record.
    InputError
        If there is one record only, one lacks the run or the measure, queries are weighted, or
        judgments, conventions or averaged queries differ.

    Notes
    -----
    The i-th record whose scores have changed is tested at the level (1 - confidence) / (i (i + 1)),
    by Student's t over queries. The levels add up to 1 - confidence, so you can look after each
    commit, and later records never take back what was found.

    Examples
    --------
    >>> import rankmark as rm
    >>> rm.trend(["monday.json", "tuesday.json"], "nDCG@10").change  # doctest: +SKIP
    """
    paths = [*dict.fromkeys(path for one in _given(records) for path in _paths(one))]
    read = [_Record(path, name) for path, name in zip(paths, short_names(paths), strict=True)]
    if len(read) < 2:
        raise InputError(f"records: found {listed(paths) or 'none'}", "give two records at least")
    by_commit = all(one.commit for one in read)
    read.sort(key=lambda one: (one.place(by_commit=by_commit), one.date))
    asked = _measure(read[0], measure)
    for one in read:
        one.read_scores(str(asked), run)
    marks = [""] + [_differs(*pair) for pair in pairwise(read)]
    if different == "refuse" and any(marks):
        at = next(at for at, mark in enumerate(marks) if mark)
        raise InputError(
            f"it has {marks[at]} than {read[at - 1].name}",
            'leave one of them out, or mark where they differ: different="mark", or '
            "--different mark",
            where=read[at].name,
        )
    better = 1 if asked.more_is_better else -1
    notes = [f"in the order of {'commits' if by_commit else 'dates'}"]
    if any("clusters" in one.roles for one in read):
        notes.append("clusters of queries are not taken into account")
    return Trend(
        measure=str(asked),
        more_is_better=asked.more_is_better,
        rows=tuple(_rows(read, marks, 1 - confidence, better, by_commit=by_commit)),
        confidence=confidence,
        order_notes=tuple(notes),
    )


def _given(records: Any) -> list[str]:
    if isinstance(records, (str, os.PathLike)):
        records = [records]
    if not isinstance(records, (list, tuple, Iterator)):
        raise InputError(f"records is {shown(records)}", "need files, folders or patterns")
    return [os.fspath(path_given("records", one)) for one in records]


def _paths(given: str) -> list[str]:
    if os.path.isdir(given):  # noqa: PTH112
        given = os.path.join(glob.escape(given), "*.json")  # noqa: PTH118
    return paths_of_runs([given])


class _Record:
    """A record: its place in time, and the scores of a run."""

    def __init__(self, path: str, name: str) -> None:
        self.name, self._where = name, printable(path)
        self._read = read_record(path_given("records", path), self._where)
        self.roles = {
            one["role"]: one["sha256"] for one in self._read["inputs"] if one["role"] != "run"
        }
        self.judgments = {r: h for r, h in self.roles.items() if r not in _NOT_OF_JUDGMENTS}
        self.queries: dict[str, float] = {}
        self.mean = math.nan
        try:
            self.date = _time(self._read["date"])
            commit = self._read["commit"]
            self.commit = None if commit is None else _name_of(commit)
            self._of_commit = self.date if commit is None else _time(commit["date"])
            self._by_query = self._read["per_query"]
            self.measures, self._runs = [*self._by_query["measures"]], {**self._by_query["runs"]}
            self.conventions = {**self._read["conventions"]}
        except (KeyError, TypeError, ValueError):
            raise no_record(self._where, "it has no date, commit, conventions or scores") from None
        if "weights" in self._read["choices"] or "weights" in self.roles:
            raise InputError(
                "its queries are weighted", "record without weights", where=self._where
            )

    def place(self, *, by_commit: bool) -> datetime:
        """Return the time by which records are ordered."""
        return self._of_commit if by_commit else self.date

    def read_scores(self, measure: str, run: str | None) -> None:
        """Read the scores of a measure and a run."""
        if measure not in self.measures:
            remedy = f"choose from {listed(self.measures)}" if self.measures else _WITHOUT
            raise InputError(f"it has no {measure}", remedy, where=self._where)
        names = [*self._runs]
        short = short_names(names)
        found = [one for one, also in zip(names, short, strict=True) if run in {None, one, also}]
        if len(found) != 1:
            has = listed(short, len(short))
            what = f"it has several runs: {has}" if run is None else f"it has no run {run!r}: {has}"
            raise InputError(what, "name one as run, or --run", where=self._where)
        at = self.measures.index(measure)
        try:
            mean = self._read["values"]["means"][found[0]][measure]
            self.mean = math.nan if mean is None else float(mean)
            for line in self._runs[found[0]]:
                query, *scores = line.rsplit("\t", len(self.measures))
                if not math.isnan(score := float(scores[at])):
                    self.queries[query] = score
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            raise no_record(self._where, "its scores cannot be read") from None


def _name_of(commit: Mapping[str, Any]) -> str:
    return str(commit["id"]) + CHANGES * bool(commit.get("changed"))


def _time(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _measure(record: _Record, given: str | Measure | None) -> Measure:
    """Return the measure asked for, or the first that is recorded."""
    if given is None and not record.measures:
        raise InputError("it has no scores by query", _WITHOUT, where=record.name)
    found = [measure_of(str(record.measures[0]))] if given is None else measures_of(given)
    if len(found) > 1:
        raise MeasureError(
            "one measure is followed at a time", f"found {listed([*map(str, found)])}"
        )
    return found[0]


def _differs(before: _Record, one: _Record) -> str:
    """Say what a record has others of than the one before, or nothing."""
    what = ["judgments"] * (before.judgments != one.judgments)
    what += ["conventions"] * (before.conventions != one.conventions)
    then, now = before.queries.keys(), one.queries.keys()
    if then != now:
        # A corpus decides only which queries are averaged.
        is_of_corpus = "skip" in {each.conventions.get("unwinnable") for each in (before, one)}
        has_other = before.roles.get("corpus") != one.roles.get("corpus")
        what += ["corpus"] * (is_of_corpus and has_other)
        counts = {"missing": len(then - now), "new": len(now - then)}
        steps = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
        what.append(f"averaged queries ({len(then):,} before, {len(now):,} now: {steps})")
    return f"other {' and '.join(what)}" if what else ""


def _rows(
    records: Sequence[_Record],
    marks: Sequence[str],
    level: float,
    better: int,
    *,
    by_commit: bool,
) -> Iterator[TrendRow]:
    """Compare each record with the last that had changed, or the first."""
    reference, before, looks = records[0], records[0], 0
    last: dict[str, Any] = {}
    for at, (one, mark) in enumerate(zip(records, marks, strict=True)):
        row: dict[str, Any] = {}
        if mark:
            reference = one
        elif at and one.queries == before.queries:
            same = last or {"compared_with": reference.name, "difference": 0.0}
            row = same | {"significant": False, "since": {}}
        elif at:
            looks += 1
            row = _compared(reference, one, level / (looks * (looks + 1)))
            row["adjusted_p"] = min(1.0, row["p"] * looks * (looks + 1))
        moved = {} if mark or not at else _moved(before, one)
        yield TrendRow(
            record=one.name,
            date=one.place(by_commit=by_commit).isoformat(),
            commit=one.commit,
            mean=one.mean,
            n=len(one.queries),
            improved=sum(better * step > 0 for step in moved.values()),
            worsened=sum(better * step < 0 for step in moved.values()),
            moved=moved,
            note=mark,
            **row,
        )
        if row.get("significant"):
            reference, row = one, {}
        last, before = row, one


def _moved(before: _Record, one: _Record) -> dict[str, float]:
    """Return the differences of the queries that moved, the largest first."""
    both = before.queries.keys() & one.queries.keys()
    steps = {
        query: one.queries[query] - before.queries[query] for query in one.queries if query in both
    }
    moved = {query: step for query, step in steps.items() if abs(step) > _ROUNDING}
    return dict(sorted(moved.items(), key=lambda item: -abs(item[1])))


def _compared(reference: _Record, one: _Record, level: float) -> dict[str, Any]:
    """Test a difference at a level, with the interval that leaves 0 out if it is significant."""
    both = [query for query in one.queries if query in reference.queries]
    then, now = (np.array([each.queries[query] for query in both]) for each in (reference, one))
    test = t_test(then, now)
    ends = mean_interval(now - then, method="t", confidence=1 - level)
    p = test.p
    if math.isnan(p):
        # Without a spread, signs decide: all differences are the same.
        p = 2.0 ** (1 - test.nonzero) if test.nonzero else 1.0
    significant = bool(p <= level)
    return {
        "compared_with": reference.name,
        "difference": test.difference,
        "low": ends.low,
        "high": ends.high,
        "p": p,
        "significant": significant,
        "since": _moved(reference, one) if significant else {},
    }
