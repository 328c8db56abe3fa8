"""A gate over logged queries, most of them without judgments."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence, Sized
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.alignment import query_of_rows
from rankmark.conventions import ORDERS, Conventions
from rankmark.errors import InputError, quiet
from rankmark.evaluating.evaluate_runs import evaluate_runs
from rankmark.evaluating.evaluation import Evaluation
from rankmark.gating.explain_command import ExplainCommand
from rankmark.gating.gate_decisions import Plan, decided_logged
from rankmark.gating.gate_result import GateResult, best_of
from rankmark.gating.gate_same import are_one_file
from rankmark.gating.gated_system import System
from rankmark.gating.gated_systems import Given, system_names
from rankmark.gating.logged_queries import LoggedQueries
from rankmark.measures.base.requirements import needed_by
from rankmark.sources import Qrels, Run
from rankmark.sources.contract.reading_options import WITHOUT_EFFECT, Reading
from rankmark.sources.contract.source_options import columns_of
from rankmark.sources.prepared.paired_runs import pair_runs
from rankmark.sources.prepared.parents import prepared_once
from rankmark.sources.prepared.units import DOCUMENTS, unit_settings, with_documents

if TYPE_CHECKING:
    from rankmark.array_types import Bools
    from rankmark.gating.gate_conditions import Asked
    from rankmark.measures import Measure

_READING = (
    *("qrels_format", "run_format", "columns", "qrels_columns", "run_columns"),
    *("parents", "qrels_parents"),
)
_OF_UNITS = tuple(unit_settings(DOCUMENTS))
_KNOWN = {*_READING, *WITHOUT_EFFECT, "ties", "no_relevant", "depth", "queries"}
_KNOWN |= {*_OF_UNITS, "qrels_unit"}


def gate_logged(
    qrels: Any,
    base: Given,
    candidates: Sequence[Given],
    asked: Asked,
) -> GateResult:
    """Decide about the logged queries that two runs answer.

    Queries whose first documents are the same in both runs have no difference, whatever the
    judgments. The others are put into a random order, which depends on their ids and the seed
    alone, and the beginning of this order of which all are judged is the sample that decides.

    Raises
    ------
    InputError
        If a measure, a convention or a form of input cannot be used here.
    """
    _refuse(base, candidates, asked)
    k = _last_rank(asked.measures, asked.conventions.get("depth"))
    parents = prepared_once(asked.conventions.get("parents"))
    runs = [with_documents(_run(one.runs[0], asked), parents) for one in (base, *candidates)]
    names = system_names([base, *candidates], [run.name for run in runs])
    plan = Plan(
        conditions=asked.conditions,
        tries=len(candidates) * (asked.options["looks"] or 1),
        worst=asked.options["worst"],
    )
    judged: Qrels | None = None
    results = []
    for number, one in enumerate(candidates, 1):
        changed = changed_queries(runs[0], runs[number], k, asked.conventions)
        if changed.queries and judged is None:
            judged = _qrels(qrels, asked)
        found = sample_of(
            changed.queries,
            set() if judged is None else set(judged.query_ids),
            logged=changed.logged,
            k=k,
            seed=asked.options["seed"],
        )
        evaluations: list[Evaluation] = []
        if judged is not None and found.judged:
            pair = [
                _without_rankings(found.judged) if not_in.issuperset(found.judged) else run
                for run, not_in in (
                    (runs[0], changed.only_new),
                    (runs[number], changed.only_base),
                )
            ]
            evaluations = _evaluated(judged, pair, found.judged, asked, number)
        baseline = System(names[0], tuple(evaluations[:1]))
        candidate = System(names[number], tuple(evaluations[1:]))
        explain = ExplainCommand.of(qrels, base.runs[0], one.runs[0], asked.conventions)
        conventions = _conventions(asked)
        settings = conventions.to_dict() | {"measures": [*map(str, asked.measures)]}
        results.append(
            GateResult(
                conditions=decided_logged(plan, baseline, candidate, found, explain),
                baseline=baseline,
                new=candidate,
                conventions=evaluations[1].conventions if evaluations else conventions,
                settings=evaluations[1].settings if evaluations else settings,
                slices={},
                ignored_slices={},
                options=asked.options,
                choices=asked.choices(asked.conditions, {}, [(name, 1) for name in names]),
                same="file" if are_one_file(base.runs[0], one.runs[0]) else "",
                logged=found,
            )
        )
    return best_of(results)


class Changed(NamedTuple):
    """Logged queries that two runs rank differently.

    Parameters
    ----------
    logged
        Number of queries in either run.
    queries
        Ids of those that changed.
    only_base, only_new
        Ids of those in only one run, which are among them.
    """

    logged: int
    queries: list[str]
    only_base: frozenset[str]
    only_new: frozenset[str]


def changed_queries(base: Run, new: Run, k: int, conventions: Mapping[str, Any]) -> Changed:
    """Find the queries whose first k documents are not the same in the same order in both runs.

    A query that is in only one run changed.
    """
    ties = conventions.get("ties", "docid")
    reading = Reading.of(threads=conventions.get("threads"))
    units = Conventions(**{name: conventions[name] for name in _OF_UNITS if name in conventions})
    paired = pair_runs(
        base, new, queries="either", ties=ties, deepest=k, units=units, reading=reading
    )
    pairs = paired.pairing.top(k)
    query = query_of_rows(pairs.starts_a)
    place = np.arange(len(pairs.at)) - pairs.starts_a[query]
    moved = pairs.at != pairs.starts_b[query] + place
    differ: Bools = np.bincount(query[moved], minlength=len(pairs)) > 0
    differ |= pairs.sizes_a != pairs.sizes_b
    return Changed(
        len(paired.queries),
        [paired.queries[row] for row in np.flatnonzero(differ).tolist()],
        frozenset(paired.only_a),
        frozenset(paired.only_b),
    )


def sample_of(
    changed: Sequence[str], known: set[str], *, logged: int, k: int, seed: int
) -> LoggedQueries:
    """Put the queries that changed into a random order, and find its judged beginning.

    The place of a query depends on its id and the seed only, so that it stays the same for other
    candidates, and as queries come in.

    Parameters
    ----------
    changed
        Their ids.
    known
        Ids of the queries with judgments.
    logged, k, seed
        As ``LoggedQueries`` has them.
    """
    order = sorted(changed, key=lambda one: (_draw(one, seed), one))
    count = next((at for at, one in enumerate(order) if one not in known), len(order))
    rest = order[count:]
    to_judge = tuple(one for one in rest if one not in known)
    return LoggedQueries(
        logged=logged,
        changed=len(order),
        k=k,
        judged=tuple(order[:count]),
        passed_over=len(rest) - len(to_judge),
        to_judge=to_judge,
        seed=seed,
    )


def _draw(query: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed} {query}".encode("utf-8", "surrogateescape")).digest()


def _refuse(base: Given, candidates: Sequence[Given], asked: Asked) -> None:
    for one in (base, *candidates):
        if len(one.runs) > 1:
            raise InputError(
                f"{one.name} has {len(one.runs):,} runs, and logged queries need one ranking each",
                "give one run for each system",
            )
        if isinstance(one.runs[0], Evaluation):
            raise InputError(
                "an evaluation has no rankings of unjudged queries", "give the runs themselves"
            )
    for condition in asked.conditions:
        if condition.relative:
            raise InputError(
                f"{condition.name}: the baseline's mean over logged queries is unknown, so no "
                "share of it is either",
                "give max_drop in units of the measure",
            )
        if condition.slice is not None:
            raise InputError(
                f"{condition.name}: logged queries are decided together", "leave the slice out"
            )
    for name, value in asked.conventions.items():
        if name not in _KNOWN and value:
            usual = {field.name: field.default for field in fields(Conventions)}
            if usual.get(name) != value:
                raise InputError(
                    f"{name} cannot be combined with logged",
                    "rankings are compared as the runs have them",
                )
    if asked.conventions.get("queries", "judged") != "judged":
        raise InputError("queries cannot be chosen with logged", "all queries of the runs count")
    ties = asked.conventions.get("ties", "docid")
    if ties not in ORDERS:
        raise InputError(
            f"ties is {ties!r}, which is no order of the documents",
            f"logged needs one of {', '.join(ORDERS)}",
        )


def _last_rank(measures: Sequence[Measure], depth: int | None) -> int:
    """Return the last rank that any of the measures looks at.

    Raises
    ------
    InputError
        If one looks at all.
    """
    deepest = 0
    for measure in measures:
        last = needed_by(measure).deepest
        if last is None:
            raise InputError(
                f"{measure} depends on the whole ranking, so that nearly every query changes",
                "choose a measure with a cutoff, such as nDCG@10",
            )
        deepest = max(deepest, last)
    return deepest if depth is None else min(deepest, depth)


def _run(given: Any, asked: Asked) -> Run:
    if isinstance(given, Run):
        return given
    chosen = asked.conventions
    columns = columns_of(chosen.get("columns"), chosen.get("run_columns"), "run")
    return Run(given, format=chosen.get("run_format"), columns=columns)


def _qrels(given: Any, asked: Asked) -> Qrels | None:
    """Return the judgments; None as long as there are none."""
    if isinstance(given, Qrels):
        return given
    if given is None or _is_empty(given):
        return None
    chosen = asked.conventions
    columns = columns_of(chosen.get("columns"), chosen.get("qrels_columns"), "qrels")
    parents = chosen.get("qrels_parents")
    return Qrels(given, format=chosen.get("qrels_format"), columns=columns, parents=parents)


def _is_empty(given: Any) -> bool:
    if isinstance(given, (str, os.PathLike)):
        return os.path.isfile(given) and not os.path.getsize(given)  # noqa: PTH113, PTH202
    return isinstance(given, Sized) and not len(given)


def _without_rankings(queries: Sequence[str]) -> Run:
    """Return a run that answers none of the queries, which count as its scores for nothing."""
    return Run({query: {} for query in queries})


def _evaluated(
    judged: Qrels,
    runs: Sequence[Run],
    queries: Sequence[str],
    asked: Asked,
    number: int,
) -> list[Evaluation]:
    """Evaluate the baseline and a candidate, whose file has this number."""
    chosen = {name: value for name, value in asked.conventions.items() if name not in _READING}
    chosen |= {"queries": queries}
    if (told := asked.progress) is not None:
        chosen["progress"] = lambda run, done: told(number if run == 2 else run, done)
    with quiet():  # how many queries are missing is said with the result
        return evaluate_runs(judged, runs, asked.measures, **chosen)


def _conventions(asked: Asked) -> Conventions:
    names = {field.name for field in fields(Conventions) if field.init}
    chosen = {name: value for name, value in asked.conventions.items() if name in names}
    return Conventions(**chosen)
