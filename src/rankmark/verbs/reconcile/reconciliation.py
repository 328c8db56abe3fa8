"""The conventions that give a number or come nearest to it, and where a tool differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby
from typing import Any, NamedTuple

from rankmark.errors import counted
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.result import plain
from rankmark.results.shown_parts import InText, Look, Notes, Part, Title
from rankmark.results.shown_result import ShownResult
from rankmark.results.table_schema import columns_of
from rankmark.verbs.reconcile.certainty import Coincidence, Separation

_MOST_QUERIES = 10
_FIELDS = (
    *("profile", "tool", "version", "measure", "our_measure", "their_measure", "ours", "theirs"),
    *("difference", "averaged", "averaged_there", "steps", "queries", "beyond"),
)
_COLUMNS = ("measure", "query_id", "ours", "theirs", "reasons")


class Step(NamedTuple):
    """One convention of the tool, taken over after those of the earlier steps.

    Parameters
    ----------
    name
        The keyword of ``evaluate``, or the parameter of the measure.
    ours, theirs
        Its values before and after.
    words
        What the tool does.
    before, after
        The mean before and after.
    queries
        How many queries have another value, or are averaged no more.
    difference
        What the step adds to the mean.
    """

    name: str
    ours: Any
    theirs: Any
    words: str
    before: float
    after: float
    queries: int
    difference: float


class QueryDifference(NamedTuple):
    """A query for which the tool has another value.

    Parameters
    ----------
    query_id
        The query.
    ours, theirs
        The values; None if the query is not averaged.
    reasons
        {name of a step: what it adds to the value}, without steps that add nothing; None if the
        step leaves the query out.
    """

    query_id: str
    ours: float | None
    theirs: float | None
    reasons: dict[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDifference(ShownResult):
    """The difference of one number, by convention and by query.

    Parameters
    ----------
    profile, tool, version
        Whose conventions these are.
    measure
        The measure that was asked for.
    our_measure, their_measure
        What it means here, and there.
    ours, theirs
        The means.
    averaged, averaged_there
        How many queries are averaged.
    steps
        The tool's conventions that differ, one taken over after the other; their differences add up
        to the whole.
    queries
        The queries that differ, the greatest difference first.
    beyond
        What no convention reproduces, in words, if it may matter for these data.
    """

    _schema = None
    profile: str
    tool: str
    version: str
    measure: str
    our_measure: str
    their_measure: str
    ours: float
    theirs: float
    averaged: int
    averaged_there: int
    steps: tuple[Step, ...]
    queries: tuple[QueryDifference, ...]
    beyond: tuple[str, ...]

    @property
    def difference(self) -> float:
        """The tool's mean minus ours."""
        return self.theirs - self.ours

    def _contents(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _FIELDS}

    def _table(self) -> dict[str, Any]:
        return columns_of(self.rows(), *_COLUMNS)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each query that differs."""
        return [
            {"measure": self.measure} | query._asdict() | {"reasons": _reasons(query)}
            for query in self.queries
        ]

    def _lines(self) -> list[str]:
        """Return the means, the steps between them, and the queries that differ."""
        lines = [self._title()]
        if not self.steps:
            lines.append("  its conventions are the same")
        elif not any(step.queries for step in self.steps):
            lines.append("  no query differs")
        for step in self.steps:
            if not step.queries:
                continue
            many = counted(step.queries, "query", "queries")
            lines.append(f"  {_signed(step.difference, 6)}  {step.words}: {many}")
        idle = [step.words for step in self.steps if not step.queries]
        if idle:
            lines.append(f"  no effect here: {'; '.join(idle)}")
        if self.averaged != self.averaged_there:
            lines.append(f"  averaged: {self.averaged:,} here, {self.averaged_there:,} there")
        for query in self.queries[:_MOST_QUERIES]:
            ours, theirs = _values(query)
            lines.append(f"  {query.query_id}: {ours} here, {theirs} there: {_reasons(query)}")
        if len(self.queries) > _MOST_QUERIES:
            lines.append(f"  and {len(self.queries) - _MOST_QUERIES:,} more queries")
        return [*lines, *(f"  not reproduced: {beyond}" for beyond in self.beyond)]

    def _title(self) -> str:
        return (
            f"{self.measure}: {self.ours:.6f} here, {self.theirs:.6f} in {self.tool} "
            f"{self.version} ({_signed(self.difference, 6)})"
        )

    def __repr__(self) -> str:
        return f"ToolDifference({self.measure}: {_signed(self.difference, 6)} in {self.tool})"

    def _parts(self, look: Look) -> list[Part]:  # noqa: ARG002  (all forms have all)
        steps = [
            (step.words, f"{step.queries:,}", _signed(step.difference, 6)) for step in self.steps
        ]
        queries = [
            (query.query_id, _reasons(query), *_values(query))
            for query in self.queries[:_MOST_QUERIES]
        ]
        more = len(self.queries) - _MOST_QUERIES
        notes = [f"and {more:,} more queries"] if more > 0 else []
        if self.averaged != self.averaged_there:
            notes.append(f"averaged: {self.averaged:,} here, {self.averaged_there:,} there")
        parts: list[Part] = [Title(self._title()), "its conventions are the same"]
        if steps:
            parts[1] = MarkedTable(("convention there", "queries that differ", "difference"), steps)
        if queries:
            parts.append(MarkedTable(("query", "reasons", "here", "there"), queries, 2))
        notes += [f"not reproduced: {beyond}" for beyond in self.beyond]
        return [InText(self._lines(), [*parts, Notes(notes)])]


def _values(query: QueryDifference) -> list[str]:
    """Return both values, with as many decimals as show that they differ."""
    for decimals in (4, 6, 9, 12):
        texts = [
            "not averaged" if value is None else f"{value:.{decimals}f}"
            for value in (query.ours, query.theirs)
        ]
        if texts[0] != texts[1]:
            break
    return texts


def _signed(difference: float, decimals: int) -> str:
    """Write a difference, also one that as many decimals would show as 0."""
    if 0 < abs(difference) < 0.5 * 10.0**-decimals:
        return f"{difference:+.0e}"
    return f"{difference:+.{decimals}f}"


def _reasons(query: QueryDifference) -> str:
    return ", ".join(
        f"left out by {name}" if added is None else f"{name} {_signed(added, 4)}"
        for name, added in query.reasons.items()
    )


_MOST_SHOWN = 5
_DOUBTFUL = 0.2  # of unrelated numbers that would be explained, too
_CHECK_THE_RUN = 0.05
_DOUBT = "These fit, but so would most numbers here:"
_ASK = "Give one more decimal, the number of another measure, or per-query numbers."
_KINDS = {
    "answer": "",
    "doubtful": "fits, as most numbers would: ",
    "nearest": "nearest: ",
    "arithmetic": "arithmetic that fits: ",
}


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
    first, then
        What must be done with the run before, and with the result of ``evaluate`` after, which
        knows no convention for it.
    call, command
        The call and the command that compute the values, before ``then``; the command is None for
        data in memory.
    tools
        The profiles that give the numbers, too.
    also
        Other changes that give the same value for each query.
    differing
        The queries whose numbers are not given, if per-query numbers are to be explained.
    distance
        The greatest distance from a number, in units of its last decimal; or the number of queries
        that differ.
    coincidence
        How likely the numbers are met by chance.
    right
        How likely this is the reason, or one of several answers with as many changes is, if half of
        all numbers are unrelated, and of the others 60% need one change, 30% two and 10% three;
        None without any change.
    """

    changes: tuple[ChangedConvention, ...]
    values: dict[str, float]
    measures: dict[str, str]
    conventions: dict[str, Any]
    first: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    call: str
    command: str | None
    tools: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    distance: float = 0.0
    coincidence: Coincidence
    right: float | None = None

    @property
    def doubtful(self) -> bool:
        """Whether more than one in five unrelated numbers would be explained like this."""
        return bool(self.changes) and self.coincidence.probability > _DOUBTFUL

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
        written = plain(self)
        last = {"doubtful": self.doubtful, "right": written.pop("right")}
        return {"changes": written.pop("changes"), "words": self.words, **written, **last}

    def lines(self, decimals: int) -> list[str]:
        """Return what a reader needs: the changes, and how to compute the number."""
        names = self.measures.values()
        values = [f"{value:.{decimals + 2}f}" for value in self.values.values()]
        shown = [f"{name} {value}" for name, value in zip(names, values, strict=True)]
        lines = [self.words, f"  {', '.join(shown)}"]
        lines += [f"  first: {first}" for first in self.first]
        lines.append(f"  {self.command or self.call}")
        lines += [f"  then: {then}" for then in self.then]
        if self.tools:
            lines.append(f"  on this input the number of {', '.join(self.tools)}")
        if self.also:
            more = f" and {len(self.also) - 3} more" if len(self.also) > 3 else ""
            lines.append(f"  the same for every query: {'; '.join(self.also[:3])}{more}")
        return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation(ShownResult):
    """The conventions that give numbers from elsewhere; true if there are any.

    Parameters
    ----------
    qrels, run
        The names of the inputs.
    given
        {measure: number as given}; with per-query numbers {measure: how many}.
    of_queries
        Whether per-query numbers are explained rather than means.
    percent
        Whether the numbers were taken as percent.
    decimals
        The decimals that were compared.
    start
        {measure: value without any change}.
    answers
        The conventions that give the numbers, fewest changes first, and of as many changes those
        that a known tool has.
    nearest
        The conventions that come nearest, if none give them.
    arithmetic
        Subsets of the queries and other divisors that give the numbers, if no conventions do.
    separations
        The numbers that would tell answers with as many changes apart.
    tried
        {convention: values that were tried}.
    without_effect
        Changes that move no judged document here.
    coincidence
        How many candidates were tried in all; None if no number was given.
    notes
        What else there is to know about the search.
    against
        Where the tool differs that was named, for each measure.
    """

    qrels: str
    run: str
    given: dict[str, str] = field(default_factory=dict)
    of_queries: bool = False
    percent: bool = False
    decimals: int = 4
    start: dict[str, float]
    answers: tuple[Answer, ...] = ()
    nearest: tuple[Answer, ...] = ()
    arithmetic: tuple[Answer, ...] = ()
    separations: tuple[Separation, ...] = ()
    tried: dict[str, list[Any]] = field(default_factory=dict)
    without_effect: tuple[str, ...] = ()
    coincidence: Coincidence | None = None
    notes: tuple[str, ...]
    against: tuple[ToolDifference, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.answers)

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        reached
            Whether some conventions give the numbers.
        kind
            An answer, one that is near, arithmetic, or a query that differs.
        """
        written: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in {"answers", "nearest", "arithmetic", "against"}:
                value = [each.to_dict() for each in value]
            written[one.name] = value
            if one.name == "start":
                written["reached"] = bool(self)
        return written

    def _table(self) -> dict[str, Any]:
        if self.coincidence is None:
            rows = [row for difference in self.against for row in difference.rows()]
            return columns_of(rows, *_COLUMNS)
        rows = [
            {
                "kind": kind,
                "changes": len(answer.changes),
                "words": answer.words,
                **answer.values,
                "probability": answer.coincidence.probability,
                "command": answer.command or answer.call,
            }
            for kind, answer in self._every()
        ]
        names = ("kind", "changes", "words", *self.given, "probability", "command")
        return columns_of(rows, *names)

    def _parts(self, look: Look) -> Sequence[Part]:
        found = [] if self.coincidence is None else self._found()
        parts = [] if self.coincidence is None else self._tables()
        told = [InText(_stripped([*found, "", *self.notes]), parts)]
        return [*told, *(part for one in self.against for part in one._parts(look))]

    def _every(self) -> list[tuple[str, Answer]]:
        """Return everything that is shown, each with what it is."""
        found = [("doubtful" if one.doubtful else "answer", one) for one in self.answers]
        found += [("nearest", answer) for answer in self.nearest]
        return found + [("arithmetic", answer) for answer in self.arithmetic]

    def _found(self) -> list[str]:
        lines = [self._title()]
        if not self.answers:
            lines += [self._none(), "", "nearest:", *self._listed(self.nearest, numbered=True)]
        shown = self.answers[:_MOST_SHOWN]
        first = 1
        for _, several in groupby(shown, key=_simplicity):
            answers = tuple(several)
            doubtful = answers[0].doubtful
            lines += ["", *([_DOUBT] if doubtful else [])]
            lines += self._listed(answers, numbered=not doubtful, first=first)
            lines += ["", *self._certainty(answers, first)]
            first += len(answers)
        if len(self.answers) > _MOST_SHOWN:
            lines.append(f"and {len(self.answers) - _MOST_SHOWN:,} more")
        if self.arithmetic:
            arithmetic = self.arithmetic[:_MOST_SHOWN]
            lines += ["", "arithmetic that fits:", *self._listed(arithmetic, numbered=False)]
            if len(self.arithmetic) > _MOST_SHOWN:
                lines.append(f"and {len(self.arithmetic) - _MOST_SHOWN:,} more")
            lines += ["", *self._certainty(arithmetic, 1)]
        return lines

    def _listed(self, answers: Sequence[Answer], *, numbered: bool, first: int = 1) -> list[str]:
        lines = []
        for number, answer in enumerate(answers[:_MOST_SHOWN], first):
            begin = f"{number}. " if numbered else "- "
            words, *others = answer.lines(self.decimals)
            lines += [begin + words, *(f"{'':{len(begin) - 2}}{line}" for line in others)]
            if not self.answers and self.of_queries:
                lines.append(f"   {_differ(answer.differing)}")
        return lines

    def _certainty(self, answers: Sequence[Answer], first: int) -> list[str]:
        """Say how likely these answers are by chance, which of them it is, and how to find out."""
        answer = answers[0]
        lines = [str(answer.coincidence)]
        if _CHECK_THE_RUN <= answer.coincidence.probability <= _DOUBTFUL and answer.changes:
            lines[0] += " Values of another run would often be met, too: check the run first."
        # All answers with as many changes, of which some may not be shown.
        number = sum(_simplicity(one) == _simplicity(answer) for one in self.answers)
        if answer.right is not None and number:
            which = "this is the reason" if number == 1 else f"one of these {number} is the reason"
            lines.append(
                f"If half of all such numbers are unrelated, {which} with a probability of "
                f"{_percent(answer.right)}{'' if number == 1 else f', each at most 1 in {number}'}."
            )
        if answer.doubtful:
            return [*lines, _ASK]
        lines += [
            one._replace(expected=one.expected[: len(answers)]).words(first, self.decimals)
            for one in self.separations
            if number > 1 and one.changes == len(answer.changes)
        ]
        return lines

    def _title(self) -> str:
        start = ", ".join(f"{name} {x:.{self.decimals + 2}f}" for name, x in self.start.items())
        if self.of_queries:
            number = max(map(int, self.given.values()), default=0)
            of = "the number of" if number == 1 else "per-query numbers of"
            queries = counted(number, "query", "queries")
            given = f"{of} {queries} for {', '.join(self.given)}"
        else:
            given = ", ".join(f"{name} {number}" for name, number in self.given.items())
        unit = " (in percent)" if self.percent else ""
        return f"{self.run}: given {given}{unit}; without any change {start}"

    def _none(self) -> str:
        tried = self.coincidence
        number = 0 if tried is None else tried.candidates
        most = 0 if tried is None else tried.changes
        return (
            f"no conventions give this: {number:,} candidates with at most "
            f"{counted(most, 'change')} were tried "
            f"({', '.join(dict.fromkeys(self.tried))})"
        )

    def __repr__(self) -> str:
        if self.coincidence is None:
            return f"Reconciliation({', '.join(map(repr, self.against))})"
        return f"Reconciliation({len(self.answers)} answer{'s' * (len(self.answers) != 1)})"

    def _tables(self) -> list[Part]:
        """Return a table of what was found, and how certain that is."""
        head = ("what gives it", "how to compute it", *self.given)
        rows = [
            [(_KINDS[kind] or f"{number}. ") + one.words, "; then: ".join([one.call, *one.then])]
            + [f"{value:.{self.decimals + 2}f}" for value in one.values.values()]
            for number, (kind, one) in enumerate(self._every()[: 2 * _MOST_SHOWN], 1)
        ]
        told = self.answers[:_MOST_SHOWN] or self.arithmetic[:_MOST_SHOWN]
        simplest = [one for one in told if _simplicity(one) == _simplicity(told[0])]
        lines = self._certainty(simplest, 1) if simplest else [self._none()]
        return [
            Title(self._title()),
            MarkedTable(head, rows, 2),
            Notes([*lines, *self.notes]),
        ]


def _stripped(lines: Sequence[str]) -> list[str]:
    return "\n".join(lines).strip("\n").split("\n")


def _simplicity(answer: Answer) -> int:
    return len(answer.changes)


def _differ(queries: tuple[str, ...]) -> str:
    start = "1 query differs" if len(queries) == 1 else f"{len(queries):,} queries differ"
    return f"{start}: {', '.join(map(repr, queries[:3]))}{', ...' if len(queries) > 3 else ''}"


def _percent(probability: float) -> str:
    """Write a probability that is itself uncertain."""
    if probability < 0.01:
        return "under 1%"
    return "over 99%" if probability > 0.99 else f"about {100 * probability:.0f}%"
