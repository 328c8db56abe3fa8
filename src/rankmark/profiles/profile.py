"""A profile: the conventions of another tool, and what its names mean, as a declaration."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from rankmark.conventions import DECLARED, Conventions, query_texts
from rankmark.errors import InputError, shown
from rankmark.measures.base.measure import Measure
from rankmark.profiles.patterns import Pattern
from rankmark.results import html_parts as html

_MOST = 3  # measures of one name in a text
_WIDEST = 40  # letters of a column


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a tool computes under a name.

    Parameters
    ----------
    theirs
        The tool's own notation, such as ``"ndcg@{k}"`` or ``"map[@{k}][-l{rel}]"``. What is in
        square brackets may be absent; several notations are separated by ``" | "``. A name in
        braces is a parameter of the measure, set to a number; ``patterns.py`` has the exceptions.
    measure
        The measure here that gives the tool's number; several for a name that stands for several;
        None if no measure does.
    note
        What else there is to know; if there is no measure, why, and what to write instead.
    conventions
        The tool's conventions for this measure, if they are not those of the profile.
    """

    theirs: str
    measure: Measure | tuple[Measure, ...] | None
    note: str = ""
    conventions: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def patterns(self) -> tuple[Pattern, ...]:
        """The notations."""
        return tuple(Pattern.of(text) for text in self.theirs.split(" | "))

    @property
    def name(self) -> str:
        """The name without numbers, as ``Difference.measures`` has it."""
        found = re.match(r"[\w-]*[^\W_]", self.theirs)
        return found[0] if found else self.theirs

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures; none if no measure gives the tool's number."""
        if self.measure is None or isinstance(self.measure, tuple):
            return self.measure or ()
        return (self.measure,)

    @property
    def here(self) -> str:
        """The measure as text, for people; ``k`` stands for a cutoff."""
        names = [str(measure) for measure in self.measures]
        if not names:
            return "not computed here"
        if isinstance(self.measure, tuple):
            return f"{', '.join(names[:_MOST])}{', ...' if names[_MOST:] else ''}"
        pattern = self.patterns[0]
        if "k" not in pattern.fields:
            return names[0]
        # Some measures always have a cutoff, for which k stands here.
        without = re.sub(r"@\d+$", "", names[0])
        return f"{without}@k" if "k" in pattern.required else f"{without}[@k]"

    @property
    def notes(self) -> list[str]:
        """What else there is to know, and the conventions of its own."""
        return [note for note in (self.note, _written(self.conventions)) if note]

    def gives(self, measure: Measure) -> bool:
        """Return whether a measure is this one, whatever its cutoff and other numbers."""
        return any(one.gives(measure, each) for one in self.patterns for each in self.measures)


@dataclass(frozen=True, slots=True)
class Difference:
    """What a tool does that no convention reproduces, such as a bug or an unstable order.

    Parameters
    ----------
    what
        What the tool does, and what is computed here.
    when
        The condition under which numbers differ, a key of ``conditions.CONDITIONS``; None if it
        cannot be seen in the data.
    measures
        The names of the measures concerned, as ``Meaning.name`` has them, or "judged_only" for
        those that leave out unjudged documents; none for all.
    """

    what: str
    when: str | None = None
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Profile:
    """How another tool evaluates.

    Parameters
    ----------
    name
        The name that ``evaluate(profile=...)`` takes.
    tool, version
        Whose numbers these are, and the versions with which they were compared.
    source
        Where the tool computes or documents them.
    summary
        One sentence.
    compared
        On which data its numbers were compared with those of the tool.
    conventions
        Keywords of ``evaluate`` and their values, without those at their defaults.
    measures
        What the tool's names mean. The first row with a measure stands for the measure.
    digits
        The decimals that the tool prints; None for all. Tables on a terminal have as many, and no
        value is rounded.
    differences
        What no convention reproduces.
    changed
        The conventions that ``with_conventions`` changed.

    Examples
    --------
    >>> import rankmark as rm
    >>> rm.profile("trec_eval9").conventions
    {'queries': 'both', 'precision': 'float32'}
    """

    name: str
    tool: str
    version: str
    source: str
    summary: str
    compared: str
    conventions: Mapping[str, Any] = field(hash=False)
    measures: tuple[Meaning, ...]
    digits: int | None = None
    differences: tuple[Difference, ...] = ()
    changed: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)

    def with_conventions(self, **conventions: Any) -> Profile:
        """Return the profile with other conventions, for all of its measures.

        Parameters
        ----------
        **conventions
            Keywords of ``evaluate`` that are conventions, such as ``queries="judged"``.

        Raises
        ------
        InputError
            If one does not exist, or has an invalid value.
        """
        for name in conventions:
            if name not in DECLARED:
                raise InputError(
                    f"{shown(name)} is not a convention", f"need one of {', '.join(DECLARED)}"
                )
        queries = conventions.get("queries", "")
        if isinstance(queries, (bytes, Mapping)) or not isinstance(queries, Iterable):
            raise InputError(f"queries is {shown(queries)}", "need judged, both, or a list of ids")
        if not isinstance(queries, str):
            conventions["queries"] = query_texts(queries)
        Conventions(**conventions)
        rows = tuple(
            replace(row, conventions={
                name: value for name, value in row.conventions.items() if name not in conventions
            })
            for row in self.measures
        )  # fmt: skip
        changed = {**self.changed, **conventions}
        written = ", ".join(f"{one}={_as_text(value)}" for one, value in changed.items())
        return replace(
            self,
            name=f"{self.name.partition('(')[0]}({written})" if changed else self.name,
            conventions={**self.conventions, **conventions},
            measures=rows,
            changed=changed,
        )

    def conventions_of(self, measure: Measure) -> dict[str, Any]:
        """Return the conventions under which the tool computes a measure."""
        for row in self.measures:
            if row.gives(measure):
                return {**self.conventions, **row.conventions}
        return dict(self.conventions)

    def __str__(self) -> str:
        """Return the profile as text."""
        rows = self.measures
        names = [row.theirs.split(" | ") for row in rows]
        width = max((len(first) for first, *_ in names if len(first) <= _WIDEST), default=_WIDEST)
        lines = [
            f"{self.name}: {self.tool} {self.version}",
            self.summary,
            f"Source: {self.source}",
            f"Compared on: {self.compared}",
            f"Conventions: {_written(self.conventions) or 'those of rankmark'}",
            f"Decimals printed: {'all' if self.digits is None else self.digits}",
            "",
            "Measures:",
        ]
        for row, (first, *others) in zip(rows, names, strict=True):
            lines.append(f"  {first:<{width}}  {row.here}")
            also = [f"also {', '.join(others)}"] if others else []
            lines += [f"  {'':<{width}}    {note}" for note in (*also, *row.notes)]
        if self.differences:
            lines += ["", "What no convention reproduces:"]
        for one in self.differences:
            seen = "" if one.when is None else f" (warning: {one.when})"
            lines.append(f"  {one.what}{seen}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Profile({self.name}: {self.tool} {self.version})"

    def _repr_html_(self) -> str:
        rows = [
            (
                ", ".join(row.theirs.split(" | ")),
                row.here,
                "; ".join(row.notes),
            )
            for row in self.measures
        ]
        parts = [
            html.title(f"{self.name}: {self.tool} {self.version}"),
            html.paragraph(self.summary),
            html.table(("name there", "measure here", "notes"), rows, 3),
        ]
        if self.differences:
            parts += [html.paragraph("What no convention reproduces:")]
            parts.append(html.items(one.what for one in self.differences))
        return html.page(
            *parts,
            html.notes(
                [
                    f"conventions: {_written(self.conventions) or 'those of rankmark'}",
                    f"decimals printed: {'all' if self.digits is None else self.digits}",
                    f"source: {self.source}",
                    f"compared on: {self.compared}",
                ]
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        rows = [
            {
                "theirs": row.theirs,
                "measures": [str(measure) for measure in row.measures],
                "note": row.note,
                "conventions": dict(row.conventions),
            }
            for row in self.measures
        ]
        return {
            "name": self.name,
            "tool": self.tool,
            "version": self.version,
            "source": self.source,
            "summary": self.summary,
            "compared": self.compared,
            "conventions": Conventions(**self.conventions).to_dict(),
            "measures": rows,
            "digits": self.digits,
            "differences": [asdict(difference) for difference in self.differences],
        }


def _written(conventions: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in conventions.items())


def _as_text(value: Any) -> str:
    """Write a convention as it is read in the name of a profile."""
    if isinstance(value, tuple):
        quoted = (f"'{one}'" if '"' in one else f'"{one}"' for one in value)
        return f"[{', '.join(quoted)}]"
    return str(value)
