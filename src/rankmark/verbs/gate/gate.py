"""Decide whether a new run may replace the baseline."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from rankmark.arguments import AboveZero, Finite, Flag, FromOne, FromZero, Names, checked
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.errors import InputError
from rankmark.statistics.margin_decision import Unchanged
from rankmark.verbs.evaluate.evaluate_options import RunsOptions, shows
from rankmark.verbs.evaluate.given_runs import given_system
from rankmark.verbs.evaluate.provenance import Given
from rankmark.verbs.evaluate.query_attributes import Attributes, Clusters, Weights
from rankmark.verbs.evaluate.query_numbers import DrawnQueries
from rankmark.verbs.gate.explain_command import ExplainCommand
from rankmark.verbs.gate.gate_condition import Drop, OfBound
from rankmark.verbs.gate.gate_conditions import Asked, Request, asked_of
from rankmark.verbs.gate.gate_decisions import (
    Decisions,
    Gateable,
    SmallSlices,
    decided_conditions,
    decided_gate,
    plan_of,
)
from rankmark.verbs.gate.gate_options import ScoreRange, Slices
from rankmark.verbs.gate.gate_plan import Plan
from rankmark.verbs.gate.gate_result import GateResult
from rankmark.verbs.gate.gated_system import System
from rankmark.verbs.gate.gated_systems import (
    Same,
    are_scores,
    evaluated_systems,
    given_candidates,
    given_reference,
    same_runs,
)
from rankmark.verbs.gate.scored_systems import asked_of_scores, scored_systems


@checked
@shows(RunsOptions)
def gate(
    qrels: Qrels | QrelsSource | Gateable | None,
    base: Any = None,
    new: Any = None,
    *conditions: Any,
    max_drop: Drop | None = None,
    require_better: Flag | None = None,
    max_query_drop: AboveZero | None = None,
    confidence: OfBound | None = None,
    unchanged: Unchanged | None = None,
    reference: Any = None,
    weights: Weights | None = None,
    draws: DrawnQueries | None = None,
    clusters: Clusters | None = None,
    largest_weight: AboveZero | None = None,
    largest_cluster: AboveZero | None = None,
    slices: Slices | None = None,
    by: Attributes | None = None,
    min_slice: FromOne | None = None,
    small_slices: SmallSlices | None = None,
    anytime: Flag | None = None,
    bounds: Flag | None = None,
    plan: Plan | None = None,
    worst: FromZero | None = None,
    score_range: ScoreRange | None = None,
    lower_is_better: Names = None,
    pass_score: Finite | None = None,
    config: str | os.PathLike[str] | None = None,
    **conventions: Unpack[RunsOptions],
) -> GateResult:
    """Decide whether a new run may replace the baseline: whether it is not worse by a margin.

    A condition holds if a one-sided confidence bound of the mean difference, new minus baseline,
    lies above ``-max_drop``. It does not hold if the bound on the other side lies below; otherwise,
    these queries cannot tell. The gate holds if all conditions do, for one candidate at least. The
    bounds allow for rare large losses, which a sample of queries need not contain.

    Parameters
    ----------
    Data:
    qrels
        Judgments, as for ``evaluate``; None if evaluations or scores are given; or what
        ``estimate`` returned, from a few human labels and many LLM labels.
    base, new
        The baseline, and the run that may replace it, as for ``evaluate``; or evaluations of the
        measures that are asked for; or, without judgments, scores by query: results of
        ``nuggets``, ``citations``, ``evaluate_spans`` or ``evaluate_calls``, and tables and files
        of one run, as ``compare_scores`` takes them. A list of runs, or a pattern of paths such as
        ``"seed*.run"``, is one system: its scores are averaged within queries. ``new`` may be
        several candidates, ``{name: run}``; each is then decided at a share of the error, so
        that the chance to pass one that is worse by ``max_drop`` is that of a single candidate.
        Of an estimate, names of its runs: None means its baseline, or its first run, and all
        others as candidates.

    Decision:
    *conditions
        Measures, by name or as objects, or ``Condition``; also lists of these, or
        ``{measure: max_drop}`` or ``{measure: keywords of Condition}``. None means nDCG@10, unless
        ``config`` has some; of scores, the only one; of an estimate, all of its measures. With
        ``by``, each but a ``Condition`` has to hold in each slice too.
    max_drop
        How much worse the mean may be, for measures without a condition of their own: a number in
        units of the measure, or a share of the baseline's mean, such as ``"1%"``. It has to be
        given for each condition, since what is acceptable is a question about your users.
    require_better
        Require a better mean instead.
    max_query_drop
        The most that one query can lose, if that is known to be less than the range of the
        measure. It is an assumption, which is printed with the verdict.
    confidence
        Confidence of the one-sided bound that decides; None for 0.95.
    unchanged
        If no score differs, ``"decide"`` by the bound as usual, or ``"pass"`` without evidence;
        None for ``"decide"``.

        The result says so.
    reference
        A fixed run, such as that of the last release, against which each condition has to hold too,
        so that small losses against a moving baseline cannot add up; of scores, those of that run.

        It has any form of ``base``.
    weights
        Weights of the queries in means and bounds: lines `qid weight`.

        Or any other form that ``compare`` takes.
    draws
        How often each query was drawn, if they were drawn independently of each other, with
        probabilities proportional to their traffic: a table with a column ``draws``, or lines
        `qid draws`.

        Or what ``choose_queries`` returned, or ``{query id: number}``. Every draw counts once, as
        a query of its own; queries that were not drawn are left out. It takes the place of weights,
        and no heavy query has to be imagined.
    clusters
        Groups of queries that are not independent, such as those of a user or a conversation: lines
        `qid cluster`.

        Or any other form that ``compare`` takes.
    largest_weight
        The weight of the heaviest query that there can be; None for the heaviest that ``weights``
        names, judged or not.

        The bounds allow for a query of this weight that loses everything and that the sample
        lacks.
    largest_cluster
        The same of the largest cluster, in queries, or in their weight if they have weights.
    slices
        ``{name: query ids}``, for conditions that name a slice.
    by
        Slices of the queries, for which each measure has to hold as well: a table with a header and
        a row for each query, lines `qid value`, or a column of the judgments.

        Or any other form that ``compare`` takes, such as ``{query id: value}``.
    min_slice
        Slices of fewer queries are small; None for those that could not hold even if nothing
        changed.
    small_slices
        What a small slice does if it is undecided: it fails the gate, is only shown (``"warn"``),
        or is not evaluated (``"ignore"``); None for ``"fail"``.
    anytime
        Use bounds that hold however often you look as queries come in: a confidence sequence.

        It is wider. Queries come in the order of the judgments.
    bounds
        Also check whether judging the unjudged documents could change the verdict.
    plan
        What ``plan_gate`` returned, or the path of its JSON: decide about a log by the queries
        that were judged so far in its order.

        It has the conditions. Judgments may be None if there are none yet.
    worst
        Number of queries to list, of those that lost most; None for 5.
    score_range
        Of scores, the lowest and the highest possible; None for that of the measure with the name.

        Other scores need it, or ``max_query_drop``.
    lower_is_better
        Of scores, one for which lower is better, such as a time; None for measures of errors.
    pass_score
        Of a system of several runs, the score from which on a trial of a query passes; None for 1,
        if a measure has only 0 and 1.
    config
        A TOML file with conditions, options, slices, runs and conventions.

        See "Gate a change" in the documentation. Keywords take precedence over the options and
        conventions of the file.

    Reading:
    progress
        As for ``compare``.
    **conventions
        The other keywords of ``evaluate``.

    Returns
    -------
    GateResult
        True if the gate holds; ``verdict``, ``conditions`` with their numbers and reasons,
        ``candidates``, and ``to_markdown``, ``to_junit``, ``to_json``.

    Raises
    ------
    InputError
        If a condition or an option is not possible, a slice does not exist or names a query that is
        not averaged, a run holds no documents, or runs are averaged over different queries.
    NotEvaluatedError
        If evaluations do not have a measure.
    ParseError, DuplicateError, MismatchError, MeasureError, SchemaError
        As ``evaluate``.

    References
    ----------
    .. [1] Piaggio et al. 2012, Reporting of noninferiority and equivalence randomized trials,
       Journal of the American Medical Association 308(24), pages 2594-2604.
    .. [2] Berger 1982, Multiparameter hypothesis testing and acceptance sampling, Technometrics
       24(4), pages 295-300: why several conditions need no correction.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {f"q{n}": {"a": 1} for n in range(20)}
    >>> old = {f"q{n}": {"a": 1.0, "b": 2.0} for n in range(20)}
    >>> new = {f"q{n}": {"a": 3.0, "b": 2.0 + n % 2 * 2} for n in range(20)}
    >>> result = rm.gate(qrels, old, new, "RR", max_drop=0.05)
    >>> result.verdict, bool(result)
    ('holds', True)
    """
    request = Request.of(gate, locals())
    if plan is not None:
        from rankmark.verbs.gate.decided_plan import gate_by_plan  # noqa: PLC0415  (few have one)

        return gate_by_plan(qrels, base, new, request, plan)
    if isinstance(qrels, Gateable):
        return qrels._gate(base, new, request)
    if base is None or new is None:
        raise InputError("base or new is None", "give the baseline, and the new run")
    asked, given = asked_systems(qrels, base, new, request)
    systems = read_systems(qrels, given, asked)
    has_reference = asked.options["reference"] is not None
    fixed = systems[-1] if has_reference else None
    compared = systems[:-1] if has_reference else systems
    plan = plan_of(qrels, asked, systems, tries=len(compared) - 1)

    def against(first: int, number: int) -> tuple[Decisions, Same]:
        inputs, both = (given[first], given[number]), (systems[first], systems[number])
        same = same_runs(*inputs, *both, asked.gated)
        runs = [one.runs[0] for one in inputs]
        explain = ExplainCommand.of(qrels, runs[0], runs[1], asked.conventions)
        alike = same in {"file", "object", "content"}
        return decided_conditions(plan, *both, alike=alike, explain=explain), same

    def decide(number: int) -> tuple[Decisions, Same]:
        (rows, ignored), same = against(0, number)
        if fixed is not None:
            (more, _), _ = against(-1, number)
            rows += tuple(replace(row, reference=fixed.name) for row in more)
        return (rows, ignored), same

    return decided_gate(asked, plan, compared, systems[0].queries, decide, reference=fixed)


def asked_systems(qrels: Any, base: Any, new: Any, request: Request) -> tuple[Asked, list[Given]]:
    """Return what is asked, and the systems as given; the reference, if there is one, is last.

    Of scores by query, the tables are read: without a condition that names a score, there has to be
    only one.
    """
    if qrels is None and are_scores(base, new):
        return asked_of_scores(base, new, request)
    asked = asked_of(request)
    systems = [
        given_system(base, asked.runs),
        *given_candidates(new, asked.runs),
        *given_reference(asked.options["reference"], asked.runs),
    ]
    return asked, systems


def read_systems(qrels: Any, systems: Sequence[Given], asked: Asked) -> list[System]:
    """Evaluate runs, or take the scores that were read."""
    if systems[0].tables:
        return scored_systems(systems, asked)
    return evaluated_systems(qrels, systems, asked)
