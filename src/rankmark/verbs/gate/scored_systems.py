"""Systems of a gate that are given as scores by query, in tables or as results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Floats, defined_means
from rankmark.data.files.input_file import InputFile, is_file, printable
from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.given_tables.given_columns import Columns
from rankmark.data.given_tables.table_files import scores_in
from rankmark.data.tables.columns import found_by_name
from rankmark.errors import InputError, MismatchError, SchemaError, listed
from rankmark.results.per_query import ByQuery
from rankmark.results.result import json_number
from rankmark.verbs.evaluate.evaluate import refuse_pass_score
from rankmark.verbs.evaluate.given_runs import RUN_COLUMNS, NamedRuns, given_system
from rankmark.verbs.evaluate.given_scores import columns_of_one_run, query_column_of, score_table
from rankmark.verbs.evaluate.known_scores import canonical_name
from rankmark.verbs.evaluate.provenance import Given
from rankmark.verbs.evaluate.reliability import Reliability, TrialScores
from rankmark.verbs.gate.gate_condition import GatedMeasure
from rankmark.verbs.gate.gate_conditions import Asked, Request, asked_of
from rankmark.verbs.gate.gated_system import Doubt, System
from rankmark.verbs.gate.gated_systems import as_reference, candidates_named, system_names

_LISTED = 12  # columns
_ROUNDING = 1e-9  # what a score may lie beyond its bounds


class ScoreSource(NamedTuple):
    """Where scores come from: the name of the file or of the result, and the hash of a file."""

    name: str
    sha256: str | None


class GivenScores(NamedTuple):
    """The scores of a run as they were given: columns of a table, or a result; and the source."""

    table: Any
    source: ScoreSource


@dataclass(frozen=True, eq=False)
class ScoredSystem(System):
    """A system whose scores were given.

    Parameters
    ----------
    query_ids
        The queries.
    columns
        {measure: (n_runs, n_queries) float64}, NaN where there is no score.
    sources
        Of each run.
    measures
        Those that the columns are of.
    pass_score
        The score from which on a trial of a query passes; None without.
    """

    query_ids: tuple[str, ...] = ()
    columns: Mapping[str, Floats] = field(default_factory=dict)
    sources: tuple[ScoreSource, ...] = ()
    measures: Sequence[GatedMeasure] = ()
    pass_score: float | None = None

    @property
    def number_of_runs(self) -> int:
        """How many runs it has."""
        return len(self.sources)

    @property
    def conventions(self) -> None:
        """None: nothing was evaluated."""

    @property
    def settings(self) -> dict[str, Any]:
        """Nothing: the options of the gate say how scores were read."""
        return {}

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries."""
        return self.query_ids

    def scores(self, measure: Any) -> Floats:
        """Return the score of each query, over trials its mean: (n_queries,) float64."""
        found: Floats = self.columns[str(measure)]
        return found[0] if len(found) == 1 else np.mean(found, axis=0)

    def ends(self, measure: Any, doubt: Doubt) -> None:
        """Return None: nobody knows what rankings and judgments the scores rest on."""

    def reliabilities(self) -> list[Reliability]:
        """Return how much its trials vary on each score; nothing if there is one run."""
        if not self.sources[1:]:
            return []
        names = [one.name for one in self.sources]
        return [
            TrialScores(
                names,
                self.columns[str(measure)].T,
                self._means(self.columns[str(measure)]),
                self._means(self.scores(measure)[None])[0],
                None,
                self.pass_score,
            ).reliability(self.name, str(measure), more_is_better=measure.more_is_better)
            for measure in self.measures
        ]

    @staticmethod
    def _means(scores: Floats) -> list[float]:
        return [float(mean) for mean in defined_means(scores.T)]

    def hashes(self) -> tuple[str | None, ...]:
        """Return the hash of the file of each run."""
        return tuple(one.sha256 for one in self.sources)

    def to_dict(self) -> dict[str, Any]:
        """Return the means, and where the scores come from, for JSON."""
        return {
            "name": self.name,
            "queries": len(self.query_ids),
            "scores": {
                name: json_number(defined_means(self.scores(name)[:, None])[0])
                for name in self.columns
            },
            "sources": [one._asdict() for one in self.sources],
            **(
                {"reliability": [row.to_dict() for row in rows]}
                if (rows := self.reliabilities())
                else {}
            ),
        }

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ScoredSystem)
            and (self.name, self.query_ids) == (other.name, other.query_ids)
            and self.columns.keys() == other.columns.keys()
            and all(
                np.array_equal(found, other.columns[name], equal_nan=True)
                for name, found in self.columns.items()
            )
        )

    def __hash__(self) -> int:
        return hash((self.name, self.query_ids, *self.columns))


def asked_of_scores(base: Any, new: Any, request: Request) -> tuple[Asked, list[Given]]:
    """Return what is asked of scores, and the systems with what was read, the baseline first.

    The systems are tables or results, lists of these, and candidates. The reference, if there is
    one, is the last. Without a condition that names a score, there has to be only one.
    """
    named = {} if request.config is None else request.config.runs()
    systems = [_given_system(base, named)]
    if _are_candidates(new):
        each = [_given_system(one, named) for one in new.values()]
        systems += candidates_named(new, each)
    else:
        systems.append(_given_system(new, named))
    systems = [*map(_read_once, systems)]
    asked = asked_of(request, lambda: _only_score(systems[0].tables[0]))
    if asked.options["reference"] is not None:
        fixed = _given_system(asked.options["reference"], asked.runs)
        systems.append(_read_once(fixed if is_file(fixed.runs[0]) else as_reference(fixed)))
    return asked, systems


def _read_once(system: Given) -> Given:
    """Read the scores of each run, which may be in standard input."""
    return system._replace(tables=[*map(_read, system.runs)])


def scored_systems(systems: Sequence[Given], asked: Asked) -> list[System]:
    """Return systems with the scores that were read of their runs."""
    for name in asked.conventions:
        raise InputError(
            f"{name} is for runs, and scores by query were given",
            f"leave {name} out, or give judgments and runs",
        )
    if not any(one.runs[1:] for one in systems):
        refuse_pass_score(asked.options.get("pass_score"))
    tables = [[_by_query(one, asked.gated) for one in each.tables] for each in systems]
    queries = tables[0][0].queries
    names = system_names(systems, [each[0].source.name for each in tables])
    for name, each in zip(names, tables, strict=True):
        for one in each:
            if only := {*queries} ^ {*one.queries}:
                raise MismatchError(
                    f"{names[0]} has scores of {len(queries):,} queries and "
                    f"{one.source.name if each[1:] else name} of {len(one.queries):,}; "
                    f"{len(only):,} are in only one of them: {listed(sorted(only), len(only))}",
                    "give both a row for each query, with an empty cell where there is no score",
                )
    return [
        ScoredSystem(
            name,
            None,
            query_ids=queries,
            columns={
                str(measure): np.array([_within(one, queries, measure) for one in each])
                for measure in asked.gated
            },
            sources=tuple(one.source for one in each),
            measures=asked.gated,
            pass_score=asked.options.get("pass_score"),
        )
        for name, each in zip(names, tables, strict=True)
    ]


def _only_score(base: GivenScores) -> str:
    """Return the name of the score of a run, if there is one only."""
    table, where = base.table, base.source.name
    names = table.names if isinstance(table, ByQuery) else _names_in(table, where)
    if len(names) != 1:
        raise InputError(
            f"no score was chosen, and there are {len(names)}",
            f"name those that have to hold: {listed(names[:_LISTED], len(names))}",
            where=printable(where),
        )
    return str(names[0])


class _Table(NamedTuple):
    """The scores of a run that conditions are about, by measure and query."""

    source: ScoreSource
    queries: tuple[str, ...]
    scores: Mapping[str, Mapping[str, float]]


def _within(table: _Table, queries: Sequence[str], measure: GatedMeasure) -> list[float]:
    """Return the scores of a run, none of which is beyond what is possible."""
    of_queries = table.scores[str(measure)]
    found = [of_queries[query] for query in queries]
    low, high = measure.bounds
    for query, score in zip(queries, found, strict=True):
        if score < low - _ROUNDING or score > high + _ROUNDING:
            raise InputError(
                f"{measure} of query {query!r} is {score:g}, which is not between {low:g} and "
                f"{high:g}",
                "give the lowest and the highest score possible as score_range",
                where=printable(table.source.name),
            )
    return found


def _by_query(given: GivenScores, measures: Sequence[GatedMeasure]) -> _Table:
    names = [str(measure) for measure in measures]
    found, source = given
    if isinstance(found, ByQuery):
        scores = {name: found.per_query(name) for name in names}
        return _Table(source, tuple(found.queries), scores)
    where = source.name
    columns = Columns({"query_id": found[_query_column(found, where)]}, found.places)
    for name in names:
        columns[name] = found[_column(found, name, where)]
    called = where if source.sha256 else "<scores>"
    table = score_table({called: columns}, names, {"query_id": "query_id"})
    by_measure = {
        name: dict(zip(table.queries, table.scores[:, 0, at].tolist(), strict=True))
        for at, name in enumerate(table.measures)
    }
    return _Table(source, tuple(table.queries), by_measure)


def _read(given: Any) -> GivenScores:
    if isinstance(given, ByQuery):
        name = str(getattr(given, "run_name", "<scores>"))
        return GivenScores(given, ScoreSource(name, None))
    if callable(getattr(given, "scores_at", None)):
        raise InputError(
            "what becomes of a query depends on the confidence from which on it is answered",
            "give the scores at a threshold, as in result.scores_at(0.5)",
            where=f"<{type(given).__name__}>",
        )
    if is_file(given):
        file = InputFile(given)
        columns = scores_in(file)
        return GivenScores(columns, ScoreSource(file.name, file.sha256()))
    try:
        return GivenScores(columns_of_one_run(given), ScoreSource("<scores>", None))
    except SchemaError as error:
        raise SchemaError(
            f"without judgments, {error.found}", error.remedy, where=error.where
        ) from None


def _names_in(columns: Columns, where: str) -> list[str]:
    query = _query_column(columns, where)
    return [name for name in columns if name != query and name.lower() not in RUN_COLUMNS]


def _query_column(columns: Columns, where: str) -> str:
    try:
        return query_column_of(columns, where)
    except SchemaError as error:
        remedy = "call the column of queries query_id"
        raise SchemaError(error.found, remedy, where=error.where) from None


def _column(columns: Columns, name: str, where: str) -> str:
    """Return the column of a score: of its name, or of another name of the same measure."""
    runs = [one for one in columns if one.lower() in RUN_COLUMNS]
    several = {*columns[runs[0]]} if runs else set()
    if len(several) > 1:
        raise InputError(
            f"it has the scores of {len(several)} runs: {listed(sorted(map(str, several)))}",
            "give each run a file of its own",
            where=printable(where),
        )
    if name in columns:
        return name
    have = _names_in(columns, where)
    wanted = canonical_name(name)
    same = [one for one in have if canonical_name(one) == wanted]
    if len(same) == 1:
        return same[0]
    found = f"there is no column {name!r} among the scores"
    remedy = f"choose from {listed(have[:_LISTED], len(have))}; if this is a run, give judgments"
    if "support" in have:
        found += "; these are judgments of answers"
        remedy = "give what rankmark nuggets or citations writes with --per-query --format json"
    raise SchemaError(found, remedy, where=printable(where))


def _given_system(given: Any, named: NamedRuns) -> Given:
    if isinstance(given, (Given, str, os.PathLike)):
        return given_system(given, named)
    if isinstance(given, (list, tuple)) and not _are_rows(given):
        if not given:
            raise InputError("a system has no scores", "give a list of one table at least")
        runs = [run for one in given for run in _given_system(one, named).runs]
        return Given(None if len(runs) == 1 else f"{len(runs)} runs", runs)
    return Given(None, [given])


def _are_candidates(given: Any) -> bool:
    """Return whether a mapping is one of systems by name, rather than of scores."""
    if not isinstance(given, Mapping) or isinstance(given, ByQuery) or is_frame(given):
        return False
    if not given or found_by_name([*map(str, given)], "query_id"):
        return False
    return all(map(_is_system, given.values()))


def _is_system(given: Any) -> bool:
    if isinstance(given, (Given, ByQuery)) or is_frame(given) or is_file(given):
        return True
    if isinstance(given, (list, tuple)):
        return bool(given) and (_are_rows(given) or all(map(_is_system, given)))
    if not isinstance(given, Mapping) or not given:
        return False
    if found_by_name([*map(str, given)], "query_id"):
        return True
    return all(isinstance(one, Mapping) for one in given.values())


def _are_rows(given: Iterable[Any]) -> bool:
    """Return whether a list is a table of rows, rather than one of tables."""
    rows = [*given]
    return (
        bool(rows)
        and all(isinstance(row, Mapping) and not isinstance(row, ByQuery) for row in rows)
        and bool(found_by_name([*map(str, rows[0])], "query_id"))
    )
