"""The effect of a finding on the measures: their values under the other convention."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankmark.data.contract.reading_options import Reading
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.errors import RankmarkError, collected_warnings
from rankmark.measures import Measure
from rankmark.verbs.check.finding import Finding, and_more, relative_move
from rankmark.verbs.evaluate.evaluate import asked_of, evaluated
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.provenance import written_value

Moves = Mapping[str, tuple[float, float]]

_MOST_MEASURES = 3  # in a sentence
_OTHER_CONVENTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "rank-score": ({"ties": "rank"}, "under --ties rank"),
    "reversed": ({"ties": "rank"}, "under --ties rank"),
    "float32-ties": ({"precision": "float32"}, "under --precision float32"),
    "missing": ({"queries": "both"}, "over the answered queries alone"),
    "self": ({"drop_self": True}, "without these documents"),
    "no-relevant": ({"no_relevant": "skip"}, "without such queries"),
}
_OTHER_JUDGMENTS = {
    "graded": "with the next grade as rel",
    "near-queries": "if these queries matched",
    "near-documents": "if these documents matched",
}
_ONLY_FACTS = {"ties", "float32-ties"}  # not findings unless a printed digit changes


class Scored:
    """A run evaluated with the requested measures, to be compared under other conventions.

    Parameters
    ----------
    measures
        The requested measures that do not depend on subtopics.
    reading
        How they are read.
    """

    def __init__(
        self,
        qrels: Qrels,
        run: Run,
        measures: Sequence[Measure],
        reading: Reading,
    ) -> None:
        self.measures = measures
        self._given = qrels, run, reading
        self.ev: Evaluation = self._evaluate(measures)

    def _evaluate(
        self, measures: Sequence[Measure], other: Qrels | None = None, **conventions: Any
    ) -> Evaluation:
        qrels, run, reading = self._given
        return evaluated(other or qrels, run, asked_of(measures, conventions), reading)

    def by_ties(self) -> Moves | None:
        """Return the extremes of the measures whose printed digits ties could change."""
        try:
            moved = self.ev.moved_by_ties()
            on_ties = any(own.on_ties for own in self.ev._kept.own.values())
        except RankmarkError:
            return None
        return None if on_ties and not moved else moved

    def under(
        self,
        measures: Sequence[Measure] | None = None,
        qrels: Qrels | None = None,
        **conventions: Any,
    ) -> Moves | None:
        """Return the values now and under other conventions or judgments, if digits differ.

        None if the run cannot be evaluated that way.
        """
        try:
            with collected_warnings():
                other = self._evaluate(measures or self.measures, qrels, **conventions)
        except RankmarkError:
            return None
        if not all(map(math.isfinite, other.means.values())):
            return None  # no query is left to average
        pairs = zip(self.measures, self.ev.means.values(), other.means.values(), strict=True)
        return {
            str(measure): (value, changed)
            for measure, value, changed in pairs
            if written_value(measure, value) != written_value(measure, changed)
        }


def with_consequences(
    findings: Iterable[Finding],
    scored: Scored,
    alike: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> list[Finding]:
    """Add effects to the findings of a run, and remove ties that change no printed digit.

    ``alike`` are judgments in which the ids of a finding are written as in the run, by its code.
    """
    found: list[Finding] = []
    by_ties = scored.by_ties()
    for finding in findings:
        if finding.code == "row-order":
            found.append(replace(finding, effect=_effect_of_row_order(by_ties)))
            continue
        if finding.code == "ties":
            moves = by_ties
        elif finding.code in alike:
            moves = scored.under(qrels=Qrels({**alike[finding.code]}, contents="labels"))
        elif finding.code in _OTHER_CONVENTIONS:
            moves = scored.under(**_OTHER_CONVENTIONS[finding.code][0])
        else:
            found.append(finding)
            continue
        if moves is None or moves or finding.code not in _ONLY_FACTS:
            found.append(with_moves(finding, moves))
    return found


def with_moves(finding: Finding, moves: Moves | None, of: str = "") -> Finding:
    """Add the effect of a finding; a warning without an effect becomes a note.

    Parameters
    ----------
    of
        The run whose values they are, if the finding is not about that run.
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
    rule = _OTHER_JUDGMENTS.get(code) or _OTHER_CONVENTIONS[code][1]
    of = f" of {of}" if of else ""
    if not moves:
        return f"{rule}, no printed digit{of} changes"
    changes = [
        f"{measure} {_written(new)}, not {_written(old)}"
        for measure, (old, new) in _largest_first(moves)
    ]
    return f"{rule}{of}: {and_more(changes, _MOST_MEASURES, '; ')}"


def intervals(moves: Moves) -> str:
    """Write the intervals that ties could give, widest first."""
    ranges = [
        f"{measure} {_written(low)} to {_written(high)}"
        for measure, (low, high) in _largest_first(moves)
    ]
    return and_more(ranges, _MOST_MEASURES)


def _largest_first(moves: Moves) -> list[tuple[str, tuple[float, float]]]:
    return sorted(moves.items(), key=lambda item: -relative_move(item[1]))


def _written(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() and abs(value) > 1 else f"{value:.4f}"


def _effect_of_row_order(by_ties: Moves | None) -> str:
    others = "tools that take the order of the rows for the ranking give other numbers"
    if by_ties is None:
        return f"none unless --ties input; {others}"
    if not by_ties:
        return f"none under any rule, as no tie changes a printed digit; {others}"
    return f"under --ties input it may move {and_more(list(by_ties), 6)}, else nothing; {others}"
