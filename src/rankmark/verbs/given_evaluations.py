"""Evaluations that are compared: what they must have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError, MismatchError, listed, shown
from rankmark.verbs.evaluate import as_measures

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.results.evaluation import Evaluation


def given_evaluations(
    given: Mapping[str, Evaluation],
    qrels: Any,
    columns: Any,
    conventions: Mapping[str, Any],
) -> dict[str, Evaluation]:
    """Check that evaluations can be compared.

    Raises
    ------
    MismatchError
        If their judgments, queries or conventions differ.
    InputError
        If judgments or conventions are given besides.
    """
    if qrels is not None:
        raise InputError("the runs are evaluations already", "give None for qrels")
    if conventions or columns:
        name = next(iter({**conventions, **({"columns": columns} if columns else {})}))
        raise InputError(
            f"the runs are evaluations already, so {name} cannot be chosen",
            f"leave {name} out, or give the runs themselves",
        )
    (first, baseline), *others = given.items()
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
        if not one.shares_judgments(baseline):
            raise MismatchError(
                f"{first} and {name} were evaluated with different judgments",
                "evaluate them with the same qrels",
            )
    return dict(given)


def _differing(first: Conventions, second: Conventions) -> str:
    pairs = zip(first.to_dict().items(), second.to_dict().values(), strict=True)
    return ", ".join(
        f"{name} {shown(value)} and {shown(other)}"
        for (name, value), other in pairs
        if value != other
    )


def common_measures(
    evaluations: Mapping[str, Evaluation], measures: Any, rel: float | None = None
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
        requested = [str(measure) for measure in as_measures(measures, rel)[0]]
        for one in evaluations.values():
            for name in requested:
                one.column(name)
        return requested
    common = [name for name in first.names if all(name in other.names for other in others)]
    if not common:
        raise MismatchError(
            "the evaluations have no measure in common", "evaluate them with the same measures"
        )
    return common
