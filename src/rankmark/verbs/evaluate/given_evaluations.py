"""Evaluations that are compared: what they must have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankmark.data.contract.reading_options import (
    OF_ARRAYS,
    OF_JUDGMENTS,
    WITHOUT_EFFECT,
    Reading,
)
from rankmark.data.preparing.pair_options import PairOptions
from rankmark.data.preparing.qrels import Qrels
from rankmark.errors import InputError, MismatchError, SchemaError, listed, shown
from rankmark.scoring.request import as_measures
from rankmark.verbs.evaluate.evaluation import Evaluation

if TYPE_CHECKING:
    from rankmark.conventions import Conventions

_OF_QRELS = ("columns", *OF_JUDGMENTS, *OF_ARRAYS)
"""Options that judgments are read with."""


def are_evaluations(given: Mapping[str, Any]) -> bool:
    """Return whether runs by name are evaluations; all or none of them have to be."""
    found = [name for name, run in given.items() if isinstance(run, Evaluation)]
    if not found or len(found) == len(given):
        return bool(found)
    others = listed([name for name in given if name not in found])
    raise SchemaError(
        f"some runs are evaluations, and some are not: {others}",
        "evaluate the rest too, or give the runs themselves",
    )


def given_evaluations(
    given: Mapping[str, Evaluation],
    qrels: Any,
    options: Mapping[str, Any],
) -> dict[str, Evaluation]:
    """Check that evaluations can be compared.

    Parameters
    ----------
    given
        By name.
    qrels
        The judgments that they were evaluated with; None if they are not given.
    options
        Keywords of ``evaluate``.

    Raises
    ------
    MismatchError
        If their judgments, queries, weights or conventions differ.
    InputError
        If other conventions are asked for.
    """
    (first, baseline), *others = given.items()
    chosen = {name: shown(value) for name, value in baseline.conventions.to_dict().items()}
    asked = {name: value for name, value in options.items() if name not in WITHOUT_EFFECT}
    if not asked.get("columns"):
        asked.pop("columns", None)
    reading = {name: asked[name] for name in _OF_QRELS if qrels is not None and name in asked}
    other = [
        name
        for name, value in asked.items()
        if name not in reading and chosen.get(name) != shown(_listed(value))
    ]
    if other:
        name = other[0]
        was = f"; {first} has {name} {chosen[name]}" if name in chosen else ""
        raise InputError(
            f"the runs are evaluations already, so {name} cannot be chosen{was}",
            f"leave {name} out, or give the runs themselves",
        )
    for name, one in others:
        if one.conventions != baseline.conventions:
            raise MismatchError(
                f"{first} and {name} were evaluated with different conventions: "
                f"{_differing(baseline.conventions, one.conventions)}",
                "evaluate them with the same conventions",
            )
        if one.queries != baseline.queries:
            only = set(one.queries) ^ set(baseline.queries)
            what = (
                f"{len(only):,} queries are in only one of them: {listed(sorted(only), len(only))}"
                if only
                else "their order differs"
            )
            raise MismatchError(
                f"{first} and {name} were evaluated on different queries; {what}",
                "evaluate them on the same queries",
            )
        if common_weights([one]) != common_weights([baseline]):
            raise MismatchError(
                f"{first} and {name} were evaluated with different weights",
                "evaluate them with the same weights",
            )
        if not one.shares_judgments(baseline):
            raise MismatchError(
                f"{first} and {name} were evaluated with different judgments",
                "evaluate them with the same qrels",
            )
    if qrels is not None and not baseline.shares_judgments(_read(qrels, baseline, reading)):
        raise MismatchError(
            f"{first} was evaluated with other judgments than these",
            "evaluate it with the same qrels, or give None for qrels",
        )
    return dict(given)


def of_queries(evaluations: Iterable[Evaluation]) -> list[Evaluation]:
    """Return evaluations, or refuse such as have numbers of all lists, which no query has."""
    found = [*evaluations]
    for one in found:
        for measure in one.left_out:
            raise measure.not_by_query()
    return found


def _read(qrels: Any, like: Evaluation, options: Mapping[str, Any]) -> Qrels:
    """Read judgments as those of an evaluation were read."""
    if isinstance(qrels, Qrels):
        return qrels
    needs = as_measures(like.measures)[1]
    reading = Reading.of(**options)
    pair = PairOptions(reading, subtopics=needs.subtopics)
    return Qrels.of_given(qrels, pair.source_of(qrels, "qrels"), pair.of_qrels, reading)


def _listed(value: Any) -> Any:
    """Return a value as ``Conventions.to_dict`` has it."""
    return list(value) if isinstance(value, tuple) else getattr(value, "name", value)


def _differing(first: Conventions, second: Conventions) -> str:
    of_first, of_second = first.to_dict(), second.to_dict()
    return ", ".join(
        f"{name} {shown(of_first.get(name))} and {shown(of_second.get(name))}"
        for name in {**of_first, **of_second}
        if of_first.get(name) != of_second.get(name)
    )


def common_weights(evaluations: Iterable[Evaluation]) -> dict[str, float] | None:
    """Return the weights that evaluations of the same queries have in common; None for none."""
    first = next(iter(evaluations))
    if first.weights is None:
        return None
    return dict(zip(first.queries, first.weights.tolist(), strict=True))


def common_measures(
    evaluations: Mapping[str, Evaluation],
    measures: Any,
    rel: float | None = None,
    profile: Any = None,
) -> list[str]:
    """Return the names of the measures to compare, where ``rel`` is the threshold of some.

    Raises
    ------
    MismatchError
        If evaluations have no measure in common.
    NotEvaluatedError
        If one that was requested was not evaluated for a run.
    """
    first, *others = evaluations.values()
    if measures is not None:
        found = as_measures(measures, rel, profile)[0]
        requested = [str(measure) for measure in found if measure.depends_on != "run"]
        for one in evaluations.values():
            for name in requested:
                one.column(name)
        return requested
    common = [name for name in first.names if all(name in other.names for other in others)]
    if not common and not all(one.left_out for one in evaluations.values()):
        raise MismatchError(
            "the evaluations have no measure in common", "evaluate them with the same measures"
        )
    return common
