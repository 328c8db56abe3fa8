"""Systems of several runs: quoted patterns in place of a run, and ``--system NAME=PATTERN``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from rankmark.commands.parts.grouped_help import further, option
from rankmark.commands.parts.options import EVALUATE
from rankmark.commands.parts.verb_options import options_of, parsed
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Systems(NamedTuple):
    """The systems of a command.

    Parameters
    ----------
    given
        What the verb takes for each: a path, or a system of several.
    names
        The path of each, or its name or pattern.
    files
        The paths of all runs, one after the other.
    """

    given: list[Any]
    names: list[str]
    files: list[str]

    @property
    def recorded(self) -> dict[str, Any]:
        """What a record says of systems: the name of each, and the number of its runs."""
        counts = [len(getattr(one, "runs", [one])) for one in self.given]
        if len(self.files) == len(self.names):
            return {}
        return {"systems": [list(each) for each in zip(self.names, counts, strict=True)]}


def systems_of(
    runs: Sequence[str | None], named: Mapping[str, Sequence[str]], least: int = 1
) -> Systems:
    """Return the runs, of which some may be patterns or names of systems, and the other systems."""
    names = names_of_systems(runs, named, least)
    if not named and not any(sign in name for name in names for sign in "*?["):
        return Systems([*names], names, names)
    from rankmark.verbs.evaluate.given_runs import given_system  # noqa: PLC0415

    found = [given_system(name, named) for name in names]
    given = [one if one.runs[1:] else one.runs[0] for one in found]
    return Systems(given, names, [run for one in found for run in one.runs])


def names_of_systems(
    runs: Sequence[str | None], named: Iterable[str], least: int, needed: str = "RUN..."
) -> list[str]:
    """Return the runs that were given, and the systems that are not among them.

    Parameters
    ----------
    runs
        Paths, patterns and names; None where none was given.
    named
        Names of systems.
    least, needed
        How many there must be, and the argument that is missing otherwise.
    """
    names = [run for run in runs if run is not None]
    names += [name for name in named if name not in names]
    if len(names) < least:
        raise click.UsageError(f"Missing argument '{needed}', or option '--system'.")
    return names


def _named(given: Sequence[str]) -> dict[str, list[str]]:
    """Parse NAME=PATTERN, given any number of times."""
    named: dict[str, list[str]] = {}
    for text in given:
        name, equals, pattern = text.partition("=")
        if not (name and equals and pattern):
            raise click.BadParameter(f"{text!r}; need NAME=PATTERN, such as new='new.*.run'")
        named.setdefault(name, []).append(pattern)
    return named


named_systems: Final = further(
    option(
        "Data",
        "--system",
        "systems",
        multiple=True,
        metavar="NAME=PATTERN",
        callback=parsed(_named),
        help="A system of several runs, its trials, whose scores are averaged within queries: a "
        "pattern of their paths, or one of these; can be repeated. A quoted pattern in place of "
        "RUN is a system of that name.",
    )
)
pass_score: Final = further(
    options_of(EVALUATE, "pass_score", pass_score={"metavar": "SCORE", "group": "Statistics"})
)
