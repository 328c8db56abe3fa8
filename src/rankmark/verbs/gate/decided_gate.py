"""What a gate has decided: a verdict for each condition, one for all, and what to know of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from rankmark.data.preparing.units import units_to_documents
from rankmark.errors import counted, listed
from rankmark.results.details import Detail
from rankmark.statistics import error_after_looks
from rankmark.verbs.gate.condition_result import plain_percent

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.statistics.margin_decision import Verdict
    from rankmark.verbs.evaluate.reliability import Reliability
    from rankmark.verbs.gate.condition_result import ConditionResult
    from rankmark.verbs.gate.gated_system import Doubt, System
    from rankmark.verbs.gate.gated_systems import Same
    from rankmark.verbs.gate.plan_progress import Progress

DOES_NOT_HOLD = 3
"""Exit code of a gate that does not hold, or cannot tell."""
VERDICTS: tuple[Verdict, ...] = ("holds", "cannot tell", "does not hold")
"""The verdicts, best first."""
SAME = {
    "object": "both are the same object, so nothing was compared",
    "file": "both are the same file, so nothing was compared",
    "content": "both files have the same content, so nothing was compared",
    "scores": "both have the same score for every query, by every measure that was asked for",
}
"""What is said if the new run is the baseline."""
OBSERVED = ("Student's t", "normal quantiles")
"""Methods of estimates that know only the spread that was observed."""
_SHARE = 0.02  # of the top 10: a larger difference in what is judged is mentioned
_MOST = 3  # lines of one kind
_DOUBTS: dict[Doubt, tuple[str, str, str]] = {
    "ties": ("tied scores", "another order of them", "see --tie-interval of rankmark evaluate"),
    "unjudged": ("unjudged documents", "judging them", "see --bounds of rankmark evaluate"),
}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of all together; ``"holds"`` if there are none."""
    return max(verdicts, key=VERDICTS.index, default="holds")


class Decided:
    """What follows from a verdict; true if it is that the gate holds."""

    __slots__ = ()

    @property
    @abstractmethod
    def verdict(self) -> Verdict:
        """``"holds"``, ``"cannot tell"`` or ``"does not hold"``."""

    @property
    def holds(self) -> bool:
        """Whether all conditions hold, for one candidate at least."""
        return self.verdict == "holds"

    @property
    def exit_code(self) -> int:
        """0 if the gate holds, else 3."""
        return 0 if self.holds else DOES_NOT_HOLD

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecidedGate(Decided):
    """The result of a gate for the best candidate; ``GateResult`` explains it."""

    conditions: tuple[ConditionResult, ...]
    baseline: System = field(repr=False)
    new: System = field(repr=False)
    conventions: Conventions | None = field(repr=False)
    settings: Mapping[str, Any] = field(repr=False)
    slices: Mapping[str, int] = field(repr=False)
    ignored_slices: Mapping[str, int] = field(repr=False)
    options: Mapping[str, Any] = field(repr=False)
    choices: Mapping[str, Any] = field(repr=False)
    same: Same = ""
    sample: str = ""
    population: str = ""
    reference: System | None = field(default=None, repr=False)
    progress: Progress | None = field(default=None, repr=False)
    others: tuple[Self, ...] = field(default=(), repr=False)

    @property
    def baseline_name(self) -> str:
        """The name of the baseline."""
        return self.baseline.name

    @property
    def new_name(self) -> str:
        """The name of the best candidate."""
        return self.new.name

    @property
    def verdict(self) -> Verdict:
        """``"holds"`` if all conditions do; else ``"does not hold"`` if one does not."""
        return worst(one.verdict for one in self.conditions if one.counts)

    @property
    def candidates(self) -> dict[str, Self]:
        """{name: its result}, the best candidate first.

        Candidates for which the gate holds come first, then those for which it cannot tell; among
        these, the one with the best mean by the first condition.
        """
        if not self.others:
            return {self.new_name: self}
        return {one.new_name: one for one in (replace(self, others=()), *self.others)}

    @property
    def reliabilities(self) -> list[Reliability]:
        """How much the trials of each system vary on each measure; none with a plan."""
        if self.progress is not None:  # few queries have scores
            return []
        new = [one.new for one in self.candidates.values()]
        systems = [self.baseline, *new, *([self.reference] if self.reference else [])]
        rows = [row for system in systems for row in system.reliabilities()]
        measures = dict.fromkeys(str(one.condition.measure) for one in self.conditions)
        return [row for measure in measures for row in rows if row.measure == measure]

    @property
    def passing(self) -> tuple[str, ...]:
        """The names of the candidates for which the gate holds, the best first."""
        return tuple(name for name, one in self.candidates.items() if one.holds)

    @property
    def method(self) -> str:
        """How the bounds were found."""
        return self.conditions[0].decision.method if self.conditions else ""

    @property
    def notes(self) -> list[str]:
        """What a reader of the verdict must know: the kind of bound, and looking repeatedly."""
        return [*self._about_data(), *self._about_bounds()]

    @property
    def cautions(self) -> list[str]:
        """Properties of the data that may have affected the verdict, apart from the rankings."""
        found = [*_left_out(self), *_too_few(self.conditions)]
        found += [
            line for one in self.baseline.evaluations[:1] for line in one.audit.about_corpus()
        ]
        if self.same not in {"", "scores"}:  # whatever is missing or tied is so in both
            said = f"{self.new_name} and {self.baseline_name}: {SAME[self.same]}"
            return [said, *found] if self.others else found
        systems = [self.baseline, self.new, *([self.reference] if self.reference else [])]
        for system in systems:
            found += [
                line for one in system.evaluations[:1] for line in one.audit.about_age(system.name)
            ]
            by_missing: dict[tuple[str, ...], list[str]] = {}
            for run in system.evaluations:
                by_missing.setdefault(run.audit.missing_queries, []).append(run.run_name)
            for missing, runs in by_missing.items():
                if missing:
                    called = runs[0] if system.evaluations[1:] else system.name
                    called = f"{len(runs):,} trials of {system.name}" if runs[1:] else called
                    found.append(
                        f"{_have(missing, 'query', 'queries')} no ranking in {called}, and "
                        f"{_are(missing)} scored as if nothing had been retrieved: "
                        f"{listed(missing)}"
                    )
        found += [line for one in systems for line in getattr(one.evaluation, "copies", ())]
        return [*found, *_units(systems), *_judged(self), *_could_be(self)]

    def _about_data(self) -> list[str]:
        """Return what may have affected the verdict: for all candidates, each line once."""
        every = [*self.candidates.values()]
        fixed = []
        if self.reference is not None:
            fixed.append(
                f"{self.reference.name} is a fixed reference: each condition has to hold against "
                "it too, so that small losses against a baseline that moves cannot add up; a run "
                "that is too bad against either passes no more often than with that one alone"
            )
        return [
            *([self.sample] if self.sample else []),
            *(self.progress.lines(is_open=self.verdict == "cannot tell") if self.progress else []),
            *fixed,
            *dict.fromkeys(line for one in every for line in one.cautions),
            *_worth(self.conditions),
            *([self.population] if self.population else []),
            *_small(self),
        ]

    def _about_bounds(self) -> list[str]:
        """Return how the verdicts were found, and how often they are wrong."""
        if not self.conditions:
            return [] if not self.others else [_tries(len(self.candidates))]
        levels = sorted({one.decision.confidence for one in self.conditions})
        bounds = (
            f"low and high: one-sided {', '.join(map(plain_percent, levels))} bounds of the mean "
            f"difference, new minus baseline; {_how(self)}"
        )
        lines = [bounds if self.sample else Detail(bounds)]
        if len(self.conditions) > 1:
            together = (
                "all conditions must hold, which needs no correction for their number "
                "(intersection-union test)"
            )
            lines.append(Detail(together))
        if self.others:
            lines.append(_tries(len(self.candidates)))
        return [*lines, _looks(self, 1 - min(one.condition.confidence for one in self.conditions))]


def _have(names: Sequence[str] | int, noun: str, plural: str) -> str:
    count = names if isinstance(names, int) else len(names)
    return f"{counted(count, noun, plural)} {'has' if count == 1 else 'have'}"


def _are(names: Sequence[str] | int) -> str:
    return "is" if (names if isinstance(names, int) else len(names)) == 1 else "are"


def _left_out(result: DecidedGate) -> list[str]:
    """Say how many queries have no score of a measure from both, and do not count for it."""
    return [
        f"{_have(number, 'query', 'queries')} no {one.condition.measure} in "
        f"{result.baseline_name} or in {result.new_name}, and {_are(number)} left out"
        for one in result.conditions
        if (number := one.decision.left_out)
        and one.condition.slice is None
        and not (result.sample or one.reference)
    ]


def _units(systems: Sequence[System]) -> list[str]:
    """Say how many units, such as chunks, became how many documents, if there are units."""
    lines = []
    for system in systems:
        audits = [run.audit for run in system.evaluations if run.audit.units is not None]
        if audits:
            units = sum(audit.units or 0 for audit in audits)
            documents = sum(audit.unit_documents or 0 for audit in audits)
            lines.append(f"{system.name}: {units_to_documents(units, documents)}")
    return ["; ".join(lines)] if lines else []


def _judged(result: DecidedGate) -> list[str]:
    shares = [
        sum(run.audit.judged_at_10 for run in system.evaluations) / max(len(system.evaluations), 1)
        for system in (result.baseline, result.new)
    ]
    looked_at = {one.depends_on for run in result.new.evaluations for one in run.measures}
    if not looked_at - {"lists"} or not abs(shares[0] - shares[1]) > _SHARE:
        return []
    told = result.options.get("bounds") or result.sample
    more = "" if told else "; --bounds says whether judging them matters"
    return [
        f"Judged@10 is {shares[0]:.1%} in {result.baseline_name} and "
        f"{shares[1]:.1%} in {result.new_name}; unjudged documents count as not relevant{more}"
    ]


def _could_be(result: DecidedGate) -> list[str]:
    """Say for ties, and for unjudged documents, whether they could turn the verdict."""
    lines: list[str] = []
    of = f" of {result.new_name}" if result.others else ""
    for doubt, (what, how, see) in _DOUBTS.items():
        known = [one for one in result.conditions if doubt in one.could_be]
        turned = [
            f"{one.name} into {' or '.join(map(repr, verdicts))}"
            for one in known
            if (verdicts := [v for v in dict.fromkeys(one.could_be[doubt]) if v != one.verdict])
        ]
        if turned:
            more = f" and {len(turned) - 3:,} more" if turned[3:] else ""
            said = f"could turn the verdict{of}: {', '.join(turned[:3])}{more}; {see}"
            lines.append(f"{what}: {how} {said}")
        elif known:
            lines.append(Detail(f"{what}: {how} cannot change the verdict{of}"))
    return lines


def _worth(conditions: Sequence[ConditionResult]) -> list[str]:
    """Say how many queries or clusters are left by unequal weights or sizes, once."""
    for one in conditions:
        d = one.decision
        units, what, kind = d.clusters, "clusters", "size"
        if units is None:
            units, what, kind = d.n, "queries", "weight"
        if one.condition.slice is None and units and d.effective < 0.995 * units:
            return [f"{units:,} {what} are worth {d.effective:.1f} of equal {kind}"]
    return []


def _small(result: DecidedGate) -> list[str]:
    """Say which slices are too small, and what was done about them."""
    least = result.options.get("min_slice")
    why = "too few queries to hold even if nothing changed"
    if least is not None:
        why = f"fewer than {least:,} queries"
    lines = []
    small = (one.condition.slice or "" for one in result.conditions if one.small)
    if names := [*dict.fromkeys(small)]:
        what = "they count only if a larger drop was shown (--small-slices warn)"
        if result.options.get("small_slices") == "fail":
            what = "they count all the same; give them a wider max_drop, or --small-slices warn"
        lines.append(f"{_have(names, 'slice', 'slices')} {why}: {listed(names)}; {what}")
    if names := [*result.ignored_slices]:
        lines.append(
            f"{_have(names, 'slice', 'slices')} {why}, and {_are(names)} not evaluated "
            f"(--small-slices ignore): {listed(names)}"
        )
    return lines


def _how(result: DecidedGate) -> str:
    if result.progress is not None:
        return (
            f"they are about the {result.progress.claim}, and hold for all scores and at any "
            f"number of looks ({result.method}, each query drawn in proportion to what it can lose)"
        )
    if result.options.get("anytime"):
        return "they hold at any number of looks (confidence sequence)"
    if result.sample:
        told = f"they are those of the estimate ({result.method})"
        if result.method not in OBSERVED:
            return told
        return (
            f"{told}, and do not allow for rare large losses that the queries judged by people may "
            "lack"
        )
    return (
        "they allow for rare large losses and gains that these queries may lack (reweighting bound)"
    )


def _tries(count: int) -> str:
    return (
        f"{count} candidates: each is decided at 1/{count} of the error (Bonferroni), so that one "
        "at the limit goes live no more often than if it were the only candidate"
    )


def _too_few(conditions: Sequence[ConditionResult]) -> list[str]:
    """Say which conditions have too few queries to show their margin, and what was assumed."""
    told = [one for one in conditions if not (one.small or one.reference) and one.too_few]
    lines = [f"{one.name}: {one.too_few}" for one in told[:_MOST]]
    if told[_MOST:]:
        lines.append(f"so do {len(told) - _MOST:,} more conditions")
    assumed = [one for one in conditions if one.assumption]
    wrong = [one for one in assumed if one.decision.beyond_drop is not None]
    right = [one for one in assumed if one.decision.beyond_drop is None]
    lines += [f"{one.name}: {one.assumption}" for one in [*wrong, *right[:_MOST]]]
    if right[_MOST:]:
        lines.append(f"the same was assumed, and not contradicted, for {len(right) - _MOST:,} more")
    return lines


def _looks(result: DecidedGate, level: float) -> str:
    """Return a line on how often the gate errs, and how looking at it repeatedly changes that."""
    percent = f"{100 * level:.3g}%"
    if result.sample and result.method not in OBSERVED:
        return f"a run exactly at the limit passes in about {percent} of cases"
    if result.sample:
        return (
            f"a run exactly at the limit passes in about {percent} of cases where losses "
            "are many and small; where 2% of queries lose everything, 82% of such runs passed with "
            "10 queries judged by people, and 13% with 100, at 95% confidence"
        )
    often = f"a run exactly at the limit passes in at most {percent} of cases"
    if result.progress is not None:
        return f"{often}, however often you look along the order of the plan"
    if result.options.get("anytime"):
        return f"{often}, however often you look as queries come in, in the order of the judgments"
    month = error_after_looks(30, level, alternative="greater")
    return Detail(
        f"{often} if you look once, and in up to {100 * month:.0f}% if you look each day for 30 "
        f"days as queries come in, until it passes (--anytime keeps to {percent})"
    )
