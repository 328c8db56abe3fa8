"""What a reader of a gate's verdict must know, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.data.preparing.units import units_to_documents
from rankmark.errors import listed
from rankmark.results.details import Detail
from rankmark.statistics import error_after_looks
from rankmark.verbs.gate.gate_reasons import plain_percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.verbs.gate.decided_gate import DecidedGate
    from rankmark.verbs.gate.gated_system import System
    from rankmark.verbs.gate.score_ends import Doubt

_SHARE = 0.02  # of the top 10: a larger difference in what is judged is mentioned
_MOST = 3  # lines of one kind
SAME = {
    "object": "both are the same object, so nothing was compared",
    "file": "both are the same file, so nothing was compared",
    "content": "both files have the same content, so nothing was compared",
    "scores": "both have the same score for every query, by every measure that was asked for",
}
"""What is said if the new run is the baseline."""
_DOUBTS: dict[Doubt, tuple[str, str, str]] = {
    "ties": ("tied scores", "another order of them", "see --tie-interval of rankmark evaluate"),
    "unjudged": (
        "unjudged documents",
        "judging them",
        "see --bounds of rankmark evaluate",
    ),
}


def notes(result: DecidedGate) -> list[str]:
    """Return everything that is to be said besides the conditions, what matters most first."""
    return [*about_data(result), *about_bounds(result)]


def about_data(result: DecidedGate) -> list[str]:
    """Return what may have affected the verdict: for all candidates, each line once."""
    every = [*result.candidates.values()]
    said = dict.fromkeys(line for one in every for line in cautions(one))
    return [
        *([result.sample] if result.sample else []),
        *_fixed(result),
        *said,
        *_worth(result),
        *_small(result),
        *_repeated(every),
    ]


def about_bounds(result: DecidedGate) -> list[str]:
    """Return how the verdicts were found, and how often they are wrong."""
    every = [*result.candidates.values()]
    levels = sorted({one.condition.confidence for one in result.conditions})
    lines = _bounds(result)
    if len(result.conditions) > 1:
        together = (
            "all conditions must hold, which needs no correction for their number "
            "(intersection-union test)"
        )
        lines.append(Detail(together))
    if result.others:
        lines.append(
            f"{len(every)} candidates: each is decided at 1/{len(every)} of the error "
            "(Bonferroni), so that one at the limit goes live no more often than if it were the "
            "only candidate"
        )
    return [*lines, *([_looks(result, 1 - min(levels))] if levels else [])]


def cautions(result: DecidedGate) -> list[str]:
    """Return the properties of the data that may have affected the verdict."""
    found = [*_left_out(result), *_too_few(result)]
    if result.same not in {"", "scores"}:  # whatever is missing or tied is so in both
        said = f"{result.new_name} and {result.baseline_name}: {SAME[result.same]}"
        return [said, *found] if result.others else found
    for system in _systems(result):
        by_missing: dict[tuple[str, ...], list[str]] = {}
        for run in system.evaluations:
            by_missing.setdefault(run.audit.missing_queries, []).append(run.run_name)
        for missing, runs in by_missing.items():
            if missing:
                one = len(missing) == 1
                count = "1 query has" if one else f"{len(missing):,} queries have"
                called = system.name if not system.evaluations[1:] else runs[0]
                called = f"{len(runs):,} runs of {system.name}" if runs[1:] else called
                found.append(
                    f"{count} no ranking in {called}, and {'is' if one else 'are'} scored as if "
                    f"nothing had been retrieved: {listed(missing)}"
                )
    return [*found, *_units(result), *_judged(result), *_could_be(result)]


def _systems(result: DecidedGate) -> list[System]:
    fixed = [] if result.reference is None else [result.reference]
    return [result.baseline, result.new, *fixed]


def _fixed(result: DecidedGate) -> list[str]:
    """Say what a reference is for, and how often the gate errs with both."""
    if result.reference is None:
        return []
    return [
        f"{result.reference.name} is a fixed reference: each condition has to hold against it too, "
        "so that small losses against a baseline that moves cannot add up; a run that is too bad "
        "against either passes no more often than with that one alone"
    ]


def _left_out(result: DecidedGate) -> list[str]:
    """Say how many queries have no score of a measure from both, and do not count for it."""
    lines = []
    for one in result.conditions:
        number = one.decision.left_out
        if number and one.condition.slice is None and not (result.sample or one.reference):
            have = "1 query has" if number == 1 else f"{number:,} queries have"
            lines.append(
                f"{have} no {one.condition.measure} in {result.baseline_name} or in "
                f"{result.new_name}, and {'is' if number == 1 else 'are'} left out"
            )
    return lines


def _units(result: DecidedGate) -> list[str]:
    """Say how many units, such as chunks, became how many documents, if there are units."""
    lines = []
    for system in _systems(result):
        audits = [run.audit for run in system.evaluations if run.audit.units is not None]
        if audits:
            units = sum(audit.units or 0 for audit in audits)
            documents = sum(audit.unit_documents or 0 for audit in audits)
            lines.append(f"{system.name}: {units_to_documents(units, documents)}")
    return ["; ".join(lines)] if lines else []


def _judged(result: DecidedGate) -> list[str]:
    systems = (result.baseline, result.new)
    shares = [
        sum(run.audit.judged_at_10 for run in system.evaluations) / max(len(system.evaluations), 1)
        for system in systems
    ]
    if not abs(shares[0] - shares[1]) > _SHARE:
        return []
    told = result.options.get("bounds") or result.sample
    more = "" if told else "; --bounds says whether judging them matters"
    return [
        f"Judged@10 is {shares[0]:.1%} in {result.baseline_name} and "
        f"{shares[1]:.1%} in {result.new_name}; unjudged documents count as not relevant{more}"
    ]


def _could_be(result: DecidedGate) -> list[str]:
    """Say for ties, and for unjudged documents, whether they could turn the verdict."""
    lines = []
    for doubt, (what, how, see) in _DOUBTS.items():
        known = [one for one in result.conditions if doubt in one.could_be]
        turned = [
            (one.name, [v for v in dict.fromkeys(one.could_be[doubt]) if v != one.verdict])
            for one in known
        ]
        turned = [(name, verdicts) for name, verdicts in turned if verdicts]
        of = f" of {result.new_name}" if result.others else ""
        if turned:
            words = [f"{name} into {' or '.join(map(repr, v))}" for name, v in turned[:3]]
            more = f" and {len(turned) - 3:,} more" if turned[3:] else ""
            lines.append(
                f"{what}: {how} could turn the verdict{of}: {', '.join(words)}{more}; {see}"
            )
        elif known:
            lines.append(Detail(f"{what}: {how} cannot change the verdict{of}"))
    return lines


def _worth(result: DecidedGate) -> list[str]:
    """Say how many queries or clusters are left by unequal weights or sizes, once."""
    for one in result.conditions:
        d = one.decision
        units = d.n if d.clusters is None else d.clusters
        if one.condition.slice is None and units and d.effective < 0.995 * units:
            what = "queries" if d.clusters is None else "clusters"
            kind = "weight" if d.clusters is None else "size"
            return [f"{units:,} {what} are worth {d.effective:.1f} of equal {kind}"]
    return []


def _small(result: DecidedGate) -> list[str]:
    """Say which slices are too small, and what was done about them."""
    lines = []
    small = [one for one in result.conditions if one.small]
    names = [*dict.fromkeys(one.condition.slice or "" for one in small)]
    least = result.options.get("min_slice")
    why = (
        f"fewer than {least:,} queries"
        if least is not None
        else "too few queries to hold even if nothing changed"
    )
    if names:
        policy = result.options.get("small_slices")
        what = (
            "they count all the same; give them a wider max_drop, or --small-slices warn"
            if policy == "fail"
            else "they count only if a larger drop was shown (--small-slices warn)"
        )
        lines.append(f"{_slices(names)} {why}: {listed(names)}; {what}")
    if result.ignored_slices:
        names = [*result.ignored_slices]
        lines.append(
            f"{_slices(names)} {why}, and {'is' if len(names) == 1 else 'are'} not evaluated "
            f"(--small-slices ignore): {listed(names)}"
        )
    return lines


def _slices(names: Sequence[str]) -> str:
    return "1 slice has" if len(names) == 1 else f"{len(names):,} slices have"


def _repeated(every: Sequence[DecidedGate]) -> list[str]:
    """Say how the means of repeated runs differ, by each measure."""
    lines: dict[str, None] = {}
    for result in every:
        for one in result.conditions:
            first = result.reference if one.reference and result.reference else result.baseline
            for system, spread in zip((first, result.new), one.spreads, strict=True):
                if spread is not None:
                    lines[
                        f"{system.name}: {spread.runs} runs, averaged within queries; their "
                        f"{one.condition.measure} is {spread.lowest:.4f} to {spread.highest:.4f}, "
                        f"standard deviation {spread.deviation:.4f}"
                    ] = None
    return [*lines]


def _bounds(result: DecidedGate) -> list[str]:
    """Say what the bounds are."""
    levels = sorted({one.decision.confidence for one in result.conditions})
    if not levels:
        return []
    bounds = ", ".join(map(plain_percent, levels))
    line = (
        f"low and high: one-sided {bounds} bounds of the mean difference, new minus baseline; "
        f"{_how(result)}"
    )
    return [line if result.sample else Detail(line)]


def _how(result: DecidedGate) -> str:
    if result.options.get("anytime"):
        return "they hold at any number of looks (confidence sequence)"
    if result.sample:
        method = result.conditions[0].decision.method
        return (
            f"they are those of the estimate ({method}), and do not allow for rare large losses "
            "that the queries judged by people may lack"
        )
    return (
        "they allow for rare large losses and gains that these queries may lack (reweighting bound)"
    )


def _too_few(result: DecidedGate) -> list[str]:
    """Say which conditions have too few queries to show their margin, and what was assumed."""
    small = {id(one) for one in result.conditions if one.small}
    told = [
        one
        for one in result.conditions
        if one.too_few and id(one) not in small and not one.reference
    ]
    lines = [f"{one.name}: {one.too_few}" for one in told[:_MOST]]
    if told[_MOST:]:
        lines.append(f"so do {len(told) - _MOST:,} more conditions")
    assumed = [one for one in result.conditions if one.assumption]
    wrong = [one for one in assumed if one.decision.beyond_drop is not None]
    right = [one for one in assumed if one.decision.beyond_drop is None]
    lines += [f"{one.name}: {one.assumption}" for one in [*wrong, *right[:_MOST]]]
    if right[_MOST:]:
        lines.append(f"the same was assumed, and not contradicted, for {len(right) - _MOST:,} more")
    return lines


def _looks(result: DecidedGate, level: float) -> str:
    """Return a line on how often the gate errs, and how looking at it repeatedly changes that."""
    if result.sample:
        return (
            f"a run exactly at the limit passes in about {100 * level:.3g}% of cases where losses "
            "are many and small; where 2% of queries lose everything, 82% of such runs passed with "
            "10 queries judged by people, and 13% with 100, at 95% confidence"
        )
    often = f"a run exactly at the limit passes in at most {100 * level:.3g}% of cases"
    if result.options.get("anytime"):
        return f"{often}, however often you look as queries come in, in the order of the judgments"
    month = error_after_looks(30, level, alternative="greater")
    return Detail(
        f"{often} if you look once, and in up to {100 * month:.0f}% if you look each day for 30 "
        f"days as queries come in, until it passes (--anytime keeps to {100 * level:.3g}%)"
    )
