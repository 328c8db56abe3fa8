"""What a finding can do to the measures asked: the values under another rule beside its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rankmark.checks.examined import collected_warnings
from rankmark.checks.finding import Finding, relative_move
from rankmark.checks.phrases import and_more
from rankmark.errors import RankmarkError
from rankmark.results.provenance import written_value

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.results.evaluation import Evaluation
    from rankmark.sources import Qrels, Run

Moves = Mapping[str, tuple[float, float]]

_MOST_MEASURES = 3  # of a sentence
_OTHER_RULES: dict[str, tuple[dict[str, Any], str]] = {
    "rank-score": ({"ties": "rank"}, "under --ties rank"),
    "reversed": ({"ties": "rank"}, "under --ties rank"),
    "float32-ties": ({"precision": "float32"}, "under --precision float32"),
    "missing": ({"queries": "both"}, "over the answered queries alone"),
    "self": ({"drop_self": True}, "without these documents"),
    "no-relevant": ({"no_relevant": "skip"}, "without such queries"),
}
_FACTS = {"ties", "float32-ties"}  # what is no finding where it moves nothing


class Scored:
    """A run scored by the measures asked, from which every consequence is reckoned.

    Parameters
    ----------
    measures
        Those asked that the judgments serve: without subtopics, none over them.
    evaluate
        Evaluates judgments and a run by measures under rules, as ``rankmark.evaluate`` does.
    """

    def __init__(
        self,
        qrels: Qrels,
        run: Run,
        measures: Sequence[Measure],
        evaluate: Callable[..., Evaluation],
    ) -> None:
        self.measures = measures
        self._evaluate = partial(evaluate, qrels, run)
        self.ev = self._evaluate(measures)

    def by_ties(self) -> Moves | None:
        """Give what ties could make of the measures whose printed digits they could change."""
        try:
            return self.ev.moved_by_ties()
        except RankmarkError:
            return None

    def under(self, measures: Sequence[Measure] | None = None, **rules: Any) -> Moves | None:
        """Give the value now and under other rules, where printed digits differ.

        None where that cannot be evaluated.
        """
        try:
            with collected_warnings():
                other = self._evaluate(measures or self.measures, **rules)
        except RankmarkError:
            return None
        if not all(map(math.isfinite, other.means.values())):
            return None  # the rule leaves no query to average
        pairs = zip(self.measures, self.ev.means.values(), other.means.values(), strict=True)
        return {
            str(measure): (value, changed)
            for measure, value, changed in pairs
            if written_value(measure, value) != written_value(measure, changed)
        }


def with_consequences(findings: Iterable[Finding], scored: Scored) -> list[Finding]:
    """Say of a run's findings what they can do to the measures, and leave out what can do nothing.

    What ties without moving a printed digit stays among the facts.
    """
    weighed: list[Finding] = []
    by_ties = scored.by_ties()
    for finding in findings:
        if finding.code == "row-order":
            weighed.append(replace(finding, effect=_of_row_order(by_ties)))
            continue
        if finding.code == "ties":
            moves = by_ties
        elif finding.code in _OTHER_RULES:
            moves = scored.under(**_OTHER_RULES[finding.code][0])
        else:
            weighed.append(finding)
            continue
        if moves is None or moves or finding.code not in _FACTS:
            weighed.append(with_moves(finding, moves))
    return weighed


def with_moves(finding: Finding, moves: Moves | None, of: str = "") -> Finding:
    """Add what a finding does; where it moves nothing it is good to know, and no warning.

    Parameters
    ----------
    of
        The run whose values they are, where the finding is not of that run.
    """
    if moves is None:
        return finding
    severity = finding.severity
    if finding.code == "ties" and moves:
        severity = "warning"
    elif severity == "warning" and not moves and finding.code != "reversed":
        severity = "note"
    return replace(
        finding, severity=severity, moves=moves, consequence=_consequence(finding.code, moves, of)
    )


def _consequence(code: str, moves: Moves, of: str) -> str:
    if code == "ties":
        return f"another order of ties could give {intervals(moves)}"
    rule = "with the next grade as rel" if code == "graded" else _OTHER_RULES[code][1]
    of = f" of {of}" if of else ""
    if not moves:
        return f"{rule}, no printed digit{of} changes"
    said = [
        f"{measure} {_written(new)}, not {_written(old)}"
        for measure, (old, new) in _greatest(moves)
    ]
    return f"{rule}{of}: {and_more(said, _MOST_MEASURES, '; ')}"


def intervals(moves: Moves) -> str:
    """Write what ties could make of some measures, of most the ends that are furthest apart."""
    said = [
        f"{measure} {_written(low)} to {_written(high)}"
        for measure, (low, high) in _greatest(moves)
    ]
    return and_more(said, _MOST_MEASURES)


def _greatest(moves: Moves) -> list[tuple[str, tuple[float, float]]]:
    return sorted(moves.items(), key=lambda named: -relative_move(named[1]))


def _written(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() and abs(value) > 1 else f"{value:.4f}"


def _of_row_order(by_ties: Moves | None) -> str:
    """Say under which rule the order of rows matters, and to which measures."""
    others = "tools that take the order of the rows for the ranking give other numbers"
    if by_ties is None:
        return f"none unless --ties input; {others}"
    if not by_ties:
        return f"none under any rule, as no tie moves a printed digit; {others}"
    return f"under --ties input it may move {and_more(list(by_ties), 6)}, else nothing; {others}"
