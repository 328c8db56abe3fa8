"""The conventions that give a number from elsewhere, or come nearest to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.formatting.result import Result, as_html, columns_of, encodable, json_number
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.results.tool_difference import ToolDifference

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""
_MOST_SHOWN = 5


class ChangedConvention(NamedTuple):
    """A convention that differs from the start.

    Parameters
    ----------
    part
        What it changes: the "ranking", the "measure", the "average" or how the "number" is written.
    name
        The keyword of ``evaluate``, the parameter of the measure, or what else was changed, such as
        "divisor".
    value
        Its value.
    words
        What it means.
    who
        Who is known to compute so; empty if nobody is.
    """

    part: str
    name: str
    value: Any
    words: str
    who: str

    def __str__(self) -> str:
        return self.words + (f" ({self.who})" if self.who else "")


class Coincidence(NamedTuple):
    """How likely it is that conventions give numbers by chance.

    Parameters
    ----------
    changes
        The most changes of a candidate among those counted.
    candidates
        How many candidates were tried.
    distinct
        How many different numbers they give, as printed.
    possible
        How many numbers with as many decimals lie between the lowest and the highest of them.
    probability
        ``distinct / possible``, at most 1: that of a number drawn at random from the possible ones
        to be given by a candidate.
    tools
        Whether the candidates are tools rather than changes.
    """

    changes: int
    candidates: int
    distinct: int
    possible: float
    probability: float
    tools: bool = False

    def __str__(self) -> str:
        """Explain the probability in one sentence."""
        tried = "1 candidate" if self.candidates == 1 else f"{self.candidates:,} candidates"
        most = {0: "without any change", 1: "with at most 1 change"}.get(
            self.changes, f"with at most {self.changes} changes"
        )
        gives = "gives" if self.candidates == 1 else "give"
        who = f"{tried} {most}"
        if self.tools:
            who = "1 tool" if self.candidates == 1 else f"{self.candidates:,} tools"
        numbers = "1 number" if self.distinct == 1 else f"{self.distinct:,} different numbers"
        among = f"{self.possible:,.0f}" if self.possible < 1e12 else "far more"
        return (
            f"{who} {gives} {numbers}, of {among} possible with these "
            f"decimals: a random one would be met with probability {_percent(self.probability)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Conventions, and what they give.

    Parameters
    ----------
    changes
        What differs from the start; none if the start gives the numbers.
    values
        {requested measure: value}, as a fraction, unrounded.
    measures
        {requested measure: measure under these conventions}.
    conventions
        The keywords of ``evaluate``, without those at their defaults.
    then
        What must be done with the result of ``evaluate``, which knows no convention for it.
    call, command
        The call and the command that compute the values, before ``then``; the command is None for
        data in memory.
    tools
        The profiles that give the numbers, too.
    also
        Other changes that give the same value for each query.
    differing
        The queries whose numbers are not given, if numbers of queries are to be explained.
    distance
        The greatest distance from a number, in units of its last decimal; or the number of queries
        that differ.
    coincidence
        How likely the numbers are met by chance.
    """

    changes: tuple[ChangedConvention, ...]
    values: dict[str, float]
    measures: dict[str, str]
    conventions: dict[str, Any]
    then: tuple[str, ...]
    call: str
    command: str | None
    tools: tuple[str, ...]
    also: tuple[str, ...]
    differing: tuple[str, ...]
    distance: float
    coincidence: Coincidence

    @property
    def value(self) -> float:
        """The value of the first measure."""
        return next(iter(self.values.values()))

    @property
    def words(self) -> str:
        """The changes in words."""
        return "; ".join(map(str, self.changes)) or "no change"

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "changes": [change._asdict() for change in self.changes],
            "words": self.words,
            "values": {name: json_number(value) for name, value in self.values.items()},
            "measures": self.measures,
            "conventions": self.conventions,
            "then": list(self.then),
            "call": self.call,
            "command": self.command,
            "tools": list(self.tools),
            "also": list(self.also),
            "differing": list(self.differing),
            "distance": json_number(self.distance),
            "coincidence": self.coincidence._asdict()
            | {"possible": json_number(self.coincidence.possible)},
        }

    def lines(self, decimals: int) -> list[str]:
        """Return what a reader needs: the changes, how to compute the number, and the chance."""
        names = self.measures.values()
        values = [f"{value:.{decimals + 2}f}" for value in self.values.values()]
        shown = [f"{name} {value}" for name, value in zip(names, values, strict=True)]
        lines = [self.words, f"  {', '.join(shown)}"]
        lines.append(f"  {self.command or self.call}")
        lines += [f"  then: {then}" for then in self.then]
        if self.tools:
            lines.append(f"  on this input the number of {', '.join(self.tools)}")
        if self.also:
            more = f" and {len(self.also) - 3} more" if len(self.also) > 3 else ""
            lines.append(f"  the same for every query: {'; '.join(self.also[:3])}{more}")
        return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation(Result):
    """The conventions that give numbers from elsewhere; true if there are any.

    Parameters
    ----------
    qrels, run
        The names of the inputs.
    given
        {measure: number as given}; with numbers of queries {measure: how many}.
    of_queries
        Whether numbers of queries are explained rather than means.
    percent
        Whether the numbers were taken as percent.
    decimals
        The decimals that were compared.
    start
        {measure: value without any change}.
    answers
        What gives the numbers, fewest changes first.
    nearest
        What comes nearest, if nothing gives them.
    tried
        {convention: values that were tried}.
    without_effect
        Changes that move no judged document here.
    notes
        What else there is to know about the search.
    coincidence
        How many candidates were tried in all; None if no number was given.
    against
        Where the tool differs that was named, for each measure.
    """

    qrels: str
    run: str
    given: dict[str, str]
    of_queries: bool
    percent: bool
    decimals: int
    start: dict[str, float]
    answers: tuple[Answer, ...]
    nearest: tuple[Answer, ...]
    tried: dict[str, list[Any]]
    without_effect: tuple[str, ...]
    notes: tuple[str, ...]
    coincidence: Coincidence | None
    against: tuple[ToolDifference, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.answers)

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "qrels": self.qrels,
            "run": self.run,
            "given": self.given,
            "of_queries": self.of_queries,
            "percent": self.percent,
            "decimals": self.decimals,
            "start": {name: json_number(value) for name, value in self.start.items()},
            "reached": bool(self),
            "answers": [answer.to_dict() for answer in self.answers],
            "nearest": [answer.to_dict() for answer in self.nearest],
            "tried": self.tried,
            "without_effect": list(self.without_effect),
            "coincidence": None
            if self.coincidence is None
            else self.coincidence._asdict() | {"possible": json_number(self.coincidence.possible)},
            "notes": list(self.notes),
            "against": [difference.to_dict() for difference in self.against],
        }

    def _table(self) -> dict[str, Any]:
        if self.coincidence is None:
            rows = [row for difference in self.against for row in difference.rows()]
            return columns_of(rows, "measure", "query_id", "ours", "theirs", "reasons")
        rows = [
            {
                "reached": reached,
                "changes": len(answer.changes),
                "words": answer.words,
                **answer.values,
                "probability": answer.coincidence.probability,
                "command": answer.command or answer.call,
            }
            for reached, answers in ((True, self.answers), (False, self.nearest))
            for answer in answers
        ]
        names = ("reached", "changes", "words", *self.given, "probability", "command")
        return columns_of(rows, *names)

    def __str__(self) -> str:
        """Return the answers, or what comes nearest, with how they are computed."""
        lines = [] if self.coincidence is None else [*self._found(), ""]
        lines += self.notes
        for difference in self.against:
            lines += [*([""] if lines else []), str(difference)]
        return encodable("\n".join(lines).rstrip())

    def _found(self) -> list[str]:
        lines = [self._title(), ""]
        answers = self.answers or self.nearest
        if not self.answers:
            lines = [*lines[:1], self._none(), "", "nearest:"]
        for number, answer in enumerate(answers[:_MOST_SHOWN], 1):
            first, *others = answer.lines(self.decimals)
            lines += [f"{number}. {first}", *(f" {line}" for line in others)]
            same = number < len(answers[:_MOST_SHOWN]) and answers[number].coincidence
            if self.answers and same != answer.coincidence:
                lines += ["", str(answer.coincidence)]
            elif not self.answers and self.of_queries:
                lines.append(f"   {_differ(answer.differing)}")
        if len(answers) > _MOST_SHOWN:
            lines.append(f"and {len(answers) - _MOST_SHOWN:,} more")
        return lines

    def _title(self) -> str:
        start = ", ".join(f"{name} {x:.{self.decimals + 2}f}" for name, x in self.start.items())
        if self.of_queries:
            number = max(map(int, self.given.values()), default=0)
            queries = (
                "the number of 1 query" if number == 1 else f"the numbers of {number:,} queries"
            )
            given = f"{queries} for {', '.join(self.given)}"
        else:
            given = ", ".join(f"{name} {number}" for name, number in self.given.items())
        unit = " (in percent)" if self.percent else ""
        return f"{self.run}: given {given}{unit}; without any change {start}"

    def _none(self) -> str:
        tried = self.coincidence
        number = 0 if tried is None else tried.candidates
        most = 0 if tried is None else tried.changes
        at_most = "1 change" if most == 1 else f"{most} changes"
        return (
            f"no conventions give this: {number:,} candidates with at most {at_most} were tried "
            f"({', '.join(dict.fromkeys(self.tried))})"
        )

    def __repr__(self) -> str:
        if self.coincidence is None:
            return f"Reconciliation({', '.join(map(repr, self.against))})"
        return f"Reconciliation({len(self.answers)} answer{'s' * (len(self.answers) != 1)})"

    def _repr_html_(self) -> str:
        answers = self.answers or self.nearest
        if self.coincidence is None:
            return "".join(difference._repr_html_() for difference in self.against)
        rows = [(answer.words, f"{answer.value:.{self.decimals + 2}f}") for answer in answers]
        return as_html(rows, str(self).splitlines())


def _differ(queries: tuple[str, ...]) -> str:
    start = "1 query differs" if len(queries) == 1 else f"{len(queries):,} queries differ"
    return f"{start}: {', '.join(map(repr, queries[:3]))}{', ...' if len(queries) > 3 else ''}"


def _percent(probability: float) -> str:
    if probability < 1e-6:
        return "below one in a million"
    return "1" if probability >= 1 else f"{100 * probability:.2g}%"
