"""Decide whether a new run may replace the baseline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from rankmark.errors import InputError, MeasureError, shown
from rankmark.measures import Measure
from rankmark.measures.names import flat, measures
from rankmark.measures.thresholds import with_rel
from rankmark.results.gate_condition import Condition, ConditionResult, LostQuery
from rankmark.results.gate_result import GateResult
from rankmark.results.slices import slices_of
from rankmark.statistics.margin_decision import Unchanged, decide_margin
from rankmark.verbs.choices import refuse_unknown
from rankmark.verbs.evaluate import chosen_queries
from rankmark.verbs.evaluated_pair import evaluated_pair
from rankmark.verbs.explain_command import ExplainCommand
from rankmark.verbs.query_attributes import (
    Attributes,
    Clusters,
    attributes_of,
    clusters_of,
    column_or_file,
)

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.results.evaluation import Evaluation
    from rankmark.sources import Qrels, Run
    from rankmark.sources.prepared.qrels import QrelsSource
    from rankmark.sources.prepared.run import RunSource

WORST = 5
Slices = Mapping[str, Iterable[Any]]


def gate(
    qrels: Qrels | QrelsSource | None,
    base: Run | RunSource | Evaluation,
    new: Run | RunSource | Evaluation,
    *conditions: Any,
    max_drop: float | str | None = None,
    require_better: bool = False,
    max_query_drop: float | None = None,
    unchanged: Unchanged = "decide",
    confidence: float = 0.95,
    slices: Slices | None = None,
    by: Attributes | None = None,
    clusters: Clusters | None = None,
    anytime: bool = False,
    config: str | os.PathLike[str] | None = None,
    worst: int = WORST,
    progress: Callable[[int, int], None] | None = None,
    **conventions: Any,
) -> GateResult:
    """Decide whether a new run may replace the baseline: whether it is not worse by a margin.

    A condition holds if a one-sided confidence bound of the mean difference, new minus baseline,
    lies above ``-max_drop``. It does not hold if the bound on the other side lies below; otherwise,
    these queries cannot tell. The gate holds if all conditions do. The bounds allow for rare large
    losses, which a sample of queries need not contain.

    Parameters
    ----------
    qrels, base, new
        As for ``evaluate``: judgments, the baseline, and the run that may replace it. Or None and
        two evaluations of the measures that are asked for.
    *conditions
        Measures, by name or as objects, or ``Condition``; also lists of these, or
        ``{measure: max_drop}``. None means nDCG@10, unless ``config`` has some.
    max_drop
        How much worse the mean may be, for measures without a condition of their own: a number in
        units of the measure, or a share of the baseline's mean, such as ``"1%"``. It has to be
        given for each condition, since what is acceptable is a question about your users.
    require_better
        Whether the mean has to be better instead.
    max_query_drop
        The most that one query can lose, if that is known to be less than the range of the
        measure. It is an assumption, which is printed with the verdict.
    unchanged
        What to decide if no score differs: ``"decide"`` by the bound, as always; or ``"pass"`` by
        policy, which the result says.
    confidence
        The confidence of the bound that decides.
    slices
        ``{name: query ids}``, for conditions that name a slice.
    by
        Attributes of queries, as for ``compare``: ``{query id: value}``, a frame, or a file. Their
        values are slices too.
    clusters
        What each query belongs to, as for ``compare``.
    anytime
        Whether to use bounds that hold however often the gate is looked at as queries come in, in
        the order of the judgments: a confidence sequence, which is wider. For measures with a
        lowest and a highest value, without clusters and relative margins.
    config
        A TOML file with conditions, slices and conventions; see docs/gating.md. Conventions given
        as keywords take precedence over those of the file.
    worst
        How many of the queries that lost most to list.
    progress
        As for ``compare``.
    **conventions
        The other keywords of ``evaluate``: ``ties``, ``queries``, ``depth``, ``columns``, ...

    Returns
    -------
    GateResult
        True if the gate holds; ``verdict``, ``conditions`` with their numbers and reasons, and
        ``to_markdown``, ``to_junit``, ``to_json``.

    Raises
    ------
    InputError
        If a condition is not possible, a slice does not exist or names a query that is not
        averaged, or the two runs are averaged over different queries.
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
    refuse_unknown("gate", conventions)  # type: ignore[arg-type]
    chosen_for_all: _Shared = {
        "max_drop": max_drop,
        "require_better": require_better,
        "max_query_drop": max_query_drop,
        "confidence": confidence,
    }
    asked = as_conditions(conditions, **chosen_for_all)
    slices = dict(slices or {})
    if config is not None:
        from rankmark.verbs.gate_config import read_config  # noqa: PLC0415

        found = read_config(config)
        asked = [*found.conditions, *asked]
        slices = {**found.slices, **slices}
        conventions = {**found.conventions, **conventions}
        anytime = anytime or found.anytime
        unchanged = found.unchanged if unchanged == "decide" else unchanged
        by = found.by if by is None else by
    asked = asked or as_conditions(("nDCG@10",), **chosen_for_all)
    rel = conventions.pop("rel", None)
    if "queries" in conventions:
        conventions["queries"] = chosen_queries(conventions["queries"])
    named = [one.measure for one in asked]
    if (profile := conventions.get("profile")) is not None:
        from rankmark.profiles.requests import tools_version  # noqa: PLC0415

        named = [tools_version(profile, measure) for measure in named]
    named = with_rel(named, rel)
    asked = [one.of(measure) for one, measure in zip(asked, named, strict=True)]
    chosen = list(dict.fromkeys(named))
    baseline, other = evaluated_pair(qrels, base, new, chosen, conventions, progress)
    return gate_of(
        baseline,
        other,
        asked,
        slices=slices,
        by=column_or_file(by, qrels),
        clusters=clusters,
        anytime=anytime,
        unchanged=unchanged,
        worst=worst,
        explain=ExplainCommand.of(qrels, base, new, conventions),
        choices=conventions,
    )


def gate_of(
    baseline: Evaluation,
    new: Evaluation,
    conditions: Sequence[Condition],
    *,
    slices: Slices,
    by: Attributes | None = None,
    clusters: Clusters | None = None,
    anytime: bool = False,
    unchanged: Unchanged = "decide",
    worst: int = WORST,
    explain: ExplainCommand | None = None,
    choices: Mapping[str, Any] | None = None,
) -> GateResult:
    """Decide from two evaluations of the same queries and measures."""
    if baseline.queries != new.queries:
        raise InputError(
            f"{baseline.run_name} is averaged over {len(baseline.queries):,} queries and "
            f"{new.run_name} over {len(new.queries):,}, so their means cannot be compared",
            'use queries="judged", where a missing query counts 0, or name the queries',
        )
    rows = {query: row for row, query in enumerate(new.queries)}
    numbers = {name: _rows(name, queries, rows) for name, queries in slices.items()}
    if by is not None:
        found = slices_of(attributes_of(by, new.queries))
        numbers = {**found, **numbers}
    conditions = [one for asked in conditions for one in _for_each(asked, list(numbers))]
    belongs = None if clusters is None else clusters_of(clusters, new.queries)
    results = []
    for condition in conditions:
        if condition.slice is not None and condition.slice not in numbers:
            have = ", ".join(numbers) or "none"
            raise InputError(f"there is no slice {condition.slice!r}", f"there are: {have}")
        kept = None if condition.slice is None else numbers[condition.slice]
        scores = [one.scores[:, one.column(condition.measure)] for one in (baseline, new)]
        a, b = scores if kept is None else (column[kept] for column in scores)
        decision = decide_margin(
            a,
            b,
            condition.margin,
            relative=condition.relative,
            better=condition.require_better,
            more_is_better=condition.measure.more_is_better,
            confidence=condition.confidence,
            clusters=belongs if kept is None or belongs is None else [belongs[row] for row in kept],
            scores_between=condition.measure.bounds,
            max_query_drop=condition.max_query_drop,
            unchanged=unchanged,
            anytime=anytime,
        )
        ids = new.queries if kept is None else [new.queries[row] for row in kept]
        lost = _lost(condition.measure, ids, a, b, max(worst, 1), explain)
        results.append(
            ConditionResult(condition, decision, lost[:worst], lost[0] if lost else None)
        )
    names = (baseline.run_name, new.run_name)
    if names[0] == names[1] and names[0].startswith("<"):  # two mappings, two frames, ...
        names = ("baseline", "new")
    return GateResult(
        conditions=tuple(results),
        baseline_name=names[0],
        new_name=names[1],
        baseline=baseline,
        new=new,
        settings=new.settings,
        slices={name: len(found) for name, found in numbers.items()},
        choices={
            **(choices or {}),
            "conditions": [condition.to_dict() for condition in conditions],
            "slices": {
                name: [new.queries[row] for row in found] for name, found in numbers.items()
            },
            "anytime": anytime,
            "unchanged": unchanged,
            "worst": 0,
        },
        anytime=anytime,
    )


class _Shared(TypedDict):
    """What conditions without values of their own have in common."""

    max_drop: float | str | None
    require_better: bool
    max_query_drop: float | None
    confidence: float


def as_conditions(given: Iterable[Any], **shared: Unpack[_Shared]) -> list[Condition]:
    """Return conditions from measures, conditions, lists of them, and {measure: margin}."""
    found: list[Condition] = []
    for item in given:
        if isinstance(item, Condition):
            found.append(item)
        elif isinstance(item, Mapping):
            found += [
                Condition(one, **{**shared, "max_drop": drop})
                for name, drop in item.items()
                for one in measures(name)
            ]
        elif isinstance(item, (list, tuple)):
            found += as_conditions(item, **shared)
        else:
            if not isinstance(item, (str, Measure)) and not callable(item):
                raise MeasureError(
                    f"{shown(item)} is not a condition", "need a measure, or rankmark.Condition"
                )
            found += [Condition(one, **shared) for name in flat(item) for one in measures(name)]
    return found


def _for_each(condition: Condition, slices: Sequence[str]) -> list[Condition]:
    if condition.slice != "*":
        return [condition]
    if not slices:
        raise InputError("slice is '*', and there are no slices", "give slices, or by")
    return [condition.of(condition.measure, name) for name in slices]


def _rows(name: str, queries: Iterable[Any], rows: Mapping[str, int]) -> list[int]:
    if isinstance(queries, (str, bytes, Mapping)) or not isinstance(queries, Iterable):
        raise InputError(f"slice {name!r} is {shown(queries)}", "need a list of query ids")
    ids = list(dict.fromkeys(map(str, queries)))
    missing = [query for query in ids if query not in rows]
    if missing:
        many = f"{len(missing):,} of its queries are" if missing[1:] else "one of its queries is"
        raise InputError(
            f"slice {name!r}: {many} not averaged, such as {missing[0]!r}",
            "name judged queries only",
        )
    return sorted(rows[query] for query in ids)


def _lost(
    measure: Measure,
    queries: Sequence[str],
    a: Floats,
    b: Floats,
    worst: int,
    explain: ExplainCommand | None,
) -> tuple[LostQuery, ...]:
    """Return the queries that lost most, largest loss first, then in the order of the judgments."""
    change = (b - a) * (1.0 if measure.more_is_better else -1.0)
    order = np.argsort(np.where(np.isnan(change), np.inf, change), kind="stable")[:worst]
    return tuple(
        LostQuery(
            queries[row],
            float(a[row]),
            float(b[row]),
            float(b[row] - a[row]),
            None if explain is None else explain.line(queries[row], measure),
        )
        for row in order.tolist()
        if change[row] < 0
    )
