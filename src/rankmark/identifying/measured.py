"""Values of the measures here, and of other tools by their profiles, on what a function is told."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import MeasureError, RankmarkError, quiet
from rankmark.evaluating.evaluate import evaluate
from rankmark.identifying.argument_words import mixed
from rankmark.identifying.cases import empty, golden, short, without_relevant
from rankmark.identifying.edges import negative, tied, unjudged
from rankmark.identifying.variants import same
from rankmark.measures import ALL
from rankmark.profiles.known import profiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankmark.identifying.argument_words import Shape
    from rankmark.identifying.cases import Case
    from rankmark.identifying.function_calls import Outcome
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Meaning, Profile

FORMULA = "formula"
"""The aspect of the cases without ties and other doubts."""
_FEW = 6  # cases that most measures do not pass
OF_OTHER_DATA = {"subtopics", "preferences", "anywhere"}
"""What measures depend on that are not computed from the labels of one ranking."""
_VALUES: dict[str, tuple[Any, ...]] = {
    "p": (0.5, 0.8, 0.85, 0.9, 0.95),
    "max_rel": (3, 4, 5),
    "gain": ("linear", "exp2", "binary"),
    "beta": (0.5, 1, 2),
}
"""Values that are tried of parameters that have no list of their own."""


class Disagreement(NamedTuple):
    """A case in which a function does not give the number of a measure."""

    aspect: str
    case: Case
    expected: float
    outcome: Outcome


def aspects(shape: Shape, *, is_long: bool) -> list[tuple[str, Case]]:
    """Return the cases that a function can be told of, each with its aspect."""
    cases = golden() if is_long else short()
    found = [(FORMULA if shape.is_told_of_relevant(one) else "no_relevant", one) for one in cases]
    if shape.has_scores:
        found += [("ties", one) for one in tied()]
    if shape.has_grades:
        found += [("negative", one) for one in negative()]
    if shape.has_unjudged:
        found += [("unjudged", one) for one in unjudged()]
    return [*found, ("no_relevant", without_relevant()), ("empty", empty())]


def values(
    shape: Shape, cases: Sequence[Case], measure: Measure, conventions: Mapping[str, Any]
) -> list[float | None]:
    """Return the value of a measure in each case; None where the query is in no mean.

    With a cutoff, functions are given that of each case, and so is the measure.
    """
    found: list[float | None] = [None] * len(cases)
    by_k: dict[int | None, list[int]] = defaultdict(list)
    for at, one in enumerate(cases):
        by_k[one.k if shape.has_k else None].append(at)
    for k, places in by_k.items():
        asked = measure if k is None or not hasattr(measure, "k") else measure @ k
        qrels = {str(at): judged_as_told(shape, cases[at]) for at in places}
        run = {str(at): dict(mixed(cases[at])) for at in places}
        with quiet():
            evaluation = evaluate(qrels, run, [asked], **conventions)
        for query, value in evaluation.per_query(asked).items():
            found[int(query)] = value
    return found


def judged_as_told(shape: Shape, one: Case) -> dict[str, float]:
    """Return the judgments that a function is told of; never none, which would be refused."""
    retrieved = set(one.ranking)
    labels = dict(one.labels)
    if not shape.has_grades:
        labels = {doc_id: float(label >= 1) for doc_id, label in labels.items()}
    if not shape.knows_missed:
        labels = {doc_id: label for doc_id, label in labels.items() if doc_id in retrieved}
    if not shape.has_unjudged:
        labels = {**dict.fromkeys(one.ranking, 0.0), **labels}
    return labels or {"none": 0.0}


def disagreements(
    shape: Shape,
    outcomes: Sequence[tuple[str, Case, Outcome]],
    measure: Measure,
    conventions: Mapping[str, Any],
) -> list[Disagreement]:
    """Return where a function does not give the number of a measure under some conventions.

    A refusal is not a wrong number, and a query that is in no mean has none.
    """
    expected = values(shape, [one for _, one, _ in outcomes], measure, conventions)
    found = []
    for (aspect, one, outcome), value in zip(outcomes, expected, strict=True):
        refused = outcome.raised is not None and not outcome.is_accident
        if value is None or refused:
            continue
        if outcome.value is None or not same(outcome.value, value):
            found.append(Disagreement(aspect, one, value, outcome))
    return found


class Agreement(NamedTuple):
    """A tool that computes what a function computes, but for some aspects.

    Parameters
    ----------
    profile
        Its name.
    theirs
        The name of the measure there.
    differs
        The aspects in which it gives another number, of ``ASPECTS``.
    """

    profile: str
    theirs: str
    differs: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.profile} {self.theirs}"


def tools(
    shape: Shape, outcomes: Sequence[tuple[str, Case, Outcome]], k: int | None
) -> list[Agreement]:
    """Return the tools that give the numbers of a function, those that agree in most first.

    Parameters
    ----------
    k
        The function's own cutoff; None if it has none, or is given one.
    """
    found: dict[str, Agreement] = {}  # of each tool, the first
    known: dict[Any, tuple[str, ...] | None] = {}
    for profile, row, measure, conventions in _meant():
        theirs = _name(row, has_k=shape.has_k, k=k)
        if theirs is None:
            continue
        own = getattr(measure, "k", None)
        if k is not None and own is None:
            measure = measure @ k  # noqa: PLW2901
        if getattr(measure, "k", None) != k and not shape.has_k:
            continue
        key = (measure, tuple(sorted(conventions.items(), key=str)))
        if key not in known:
            known[key] = _differs(shape, outcomes, measure, conventions)
        differs = known[key]
        if differs is not None:
            found.setdefault(profile.name, Agreement(profile.name, theirs, differs))
    return sorted(found.values(), key=lambda one: len(one.differs))


def _name(row: Meaning, *, has_k: bool, k: int | None) -> str | None:
    """Return the name of a tool's measure, of ``ndcg[@{k}][-l{rel}]`` ndcg@k; None without one.

    The measure has a cutoff if the function has one, and only then.
    """
    cut = has_k or k is not None
    for theirs, pattern in zip(row.theirs.split(" | "), row.patterns, strict=True):
        if ("k" in pattern.fields) if cut else ("k" not in pattern.required):
            kept = re.sub(r"\[([^\[\]]*\{k\}[^\[\]]*)\]", r"\1" if cut else "", theirs)
            name = re.sub(r"\[[^\[\]]*\]", "", kept)
            return name.replace("{k}", "k" if k is None else str(k))
    return None


def _meant() -> Iterator[tuple[Profile, Meaning, Measure, dict[str, Any]]]:
    for profile in profiles():
        for row in profile.measures:
            measure = row.measure
            if measure is None or isinstance(measure, tuple) or not _is_of_labels(measure):
                continue
            conventions = {**profile.conventions, **row.conventions}
            conventions.pop("queries", None)  # single queries are compared
            yield profile, row, measure, conventions


def _is_of_labels(measure: Measure) -> bool:
    return measure.depends_on not in OF_OTHER_DATA and hasattr(measure, "k")


def _differs(
    shape: Shape,
    outcomes: Sequence[tuple[str, Case, Outcome]],
    measure: Measure,
    conventions: Mapping[str, Any],
) -> tuple[str, ...] | None:
    """Return the aspects in which numbers differ; None if the formula is another."""
    try:
        if not _has_formula(shape, outcomes, measure, conventions):
            return None
        rest = [each for each in outcomes if each[0] != FORMULA]
        differing = disagreements(shape, rest, measure, conventions)
    except RankmarkError:  # such as a measure without a cutoff
        return None
    return tuple(dict.fromkeys(one.aspect for one in differing))


def _has_formula(
    shape: Shape,
    outcomes: Sequence[tuple[str, Case, Outcome]],
    measure: Measure,
    conventions: Mapping[str, Any],
) -> bool:
    """Return whether a function gives the numbers of a measure where only its formula matters."""
    formula = [each for each in outcomes if each[0] == FORMULA and each[2].is_finite]
    # Most measures differ in the first cases.
    return not any(
        disagreements(shape, some, measure, conventions) for some in (formula[:_FEW], formula)
    )


def in_catalogue(
    shape: Shape, outcomes: Sequence[tuple[str, Case, Outcome]], k: Sequence[int | None]
) -> list[Measure]:
    """Return the measures of the catalogue that give the numbers of a function.

    Parameters
    ----------
    k
        The cutoffs to try of a function that is given none.
    """
    found = []
    for measure in catalogue():
        cutoffs = k if hasattr(measure, "k") and not shape.has_k else (None,)
        for cutoff in cutoffs:
            each = measure if cutoff is None else measure @ cutoff
            try:
                if _has_formula(shape, outcomes, each, {}):
                    found.append(each)
            except (RankmarkError, TypeError):
                continue
    return found


def catalogue() -> list[Measure]:
    """Return all measures of labels, with each value of each parameter, one at a time."""
    found: list[Measure] = []
    for measure in ALL:
        if measure.depends_on in OF_OTHER_DATA or measure.name.startswith("Num"):
            continue
        found.append(measure)
        for name, parameter in measure.parameters.items():
            for value in choices(measure, name):
                if value != parameter.default:
                    try:
                        found.append(measure(**{name: value}))
                    except MeasureError:
                        continue
    return found


def choices(measure: Measure, name: str) -> tuple[Any, ...]:
    """Return the values of a parameter that are tried: its words, or those of tools."""
    allowed = measure.parameters[name].allowed
    if name in {"ties", "aggregate"}:
        return ()  # of the evaluation
    if allowed.startswith("one of "):
        return tuple(re.findall(r'"([^"]+)"', allowed))
    return _VALUES.get(name, ())
