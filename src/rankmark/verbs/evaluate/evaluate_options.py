"""The keywords of ``evaluate`` in other functions, whose help shows them in full."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, TypeVar, cast

from rankmark.arguments import Columns, Finite, FromOne, Text
from rankmark.conventions import (
    Combining,
    Duplicates,
    RankingConventions,
    Separator,
    Ties,
    Unwinnable,
)
from rankmark.data.contract.reading_options import Progress, ProgressOfFiles, ReadingOptions
from rankmark.data.contract.resources import Memory
from rankmark.data.contract.source_options import RunContents, Split
from rankmark.data.files.lines_of_text import AveragedQueries
from rankmark.verbs.evaluate.evaluate import evaluate

if TYPE_CHECKING:
    from rankmark.profiles.profile import Profile

T = TypeVar("T")

_SECTION = re.compile(r"(?<=Parameters\n----------\n).*?(?=\n\n\w[\w ]*\n---|\Z)", re.DOTALL)


class ConventionOptions(RankingConventions, total=False):
    """The conventions of an evaluation, as keywords: also those of runs as wholes."""

    queries: AveragedQueries
    """Which queries are averaged."""
    duplicates: Duplicates
    """What happens to a document that appears twice in a ranking."""


class ProfiledConventions(ConventionOptions, total=False):
    """The conventions of an evaluation, its own or another tool's."""

    profile: str | Profile | None
    """The name of another tool, whose conventions and names of measures are used."""


class ItemOptions(TypedDict, total=False):
    """What is known of items, as keywords."""

    history: Any
    """What each user had before."""
    catalogue: Any
    """The items that could be in a list."""
    popularity: Any
    """The popularity of items."""
    items: Any
    """The categories or vectors of items."""


class RunOptions(ProfiledConventions, ReadingOptions, ItemOptions, total=False):
    """The keywords of ``evaluate`` but for ``progress``."""

    seen: Any
    """Documents that each query or user has seen already."""
    user_groups: Any
    """The groups of users."""


class EvaluateOptions(RunOptions, total=False):
    """The keywords of ``evaluate`` but for ``weights``, which concern means."""

    progress: Progress | None
    """Called with the number of bytes read so far."""


class RunsOptions(RunOptions, total=False):
    """The keywords of ``evaluate`` where several runs are evaluated."""

    corpus: Any
    """The documents that can be retrieved now."""
    unwinnable: Unwinnable | None
    """What becomes of queries whose relevant documents it lacks."""
    progress: ProgressOfFiles | None
    """Called with the number of the file, 0 for the judgments, and of bytes read so far."""


class RankedRunsOptions(TypedDict, total=False):
    """The keywords of ``evaluate`` where runs are ranked, and nothing is judged."""

    ties: Ties
    depth: FromOne | None
    rel: Finite | None
    unit: Separator | None
    combine: Combining
    unit_depth: FromOne | None
    run_format: Text | None
    columns: Columns
    run_columns: Columns
    groups: Any
    mask: Any
    lengths: Any
    contents: RunContents | None
    split: Split | None
    parents: Any
    threads: FromOne | None
    memory: Memory | None
    progress: ProgressOfFiles | None


def shows(options: type, defaults: Mapping[str, Any] | None = None) -> Callable[[T], T]:
    """Show in the signature and the help of a function or a class what its ``**options`` takes.

    Defaults and texts are those of ``evaluate``, in the same groups. A parameter that the docstring
    explains by itself keeps its text.

    Parameters
    ----------
    options
        The TypedDict of the keywords.
    defaults
        Those that differ from the defaults of ``evaluate``, which may be None.
    """
    names = inspect.get_annotations(options)

    def show(shown: T) -> T:
        if not isinstance(shown, type):
            signature = _signature_with(
                names, inspect.signature(cast(Callable[..., Any], shown)), defaults or {}
            )
            shown.__signature__ = signature  # type: ignore[attr-defined]
        if shown.__doc__ is not None:  # as under python -OO
            shown.__doc__ = _help_with(names, inspect.cleandoc(shown.__doc__))
        return shown

    return show


def _signature_with(
    names: Mapping[str, Any], own: inspect.Signature, defaults: Mapping[str, Any]
) -> inspect.Signature:
    """Replace ``**options`` by the keywords."""
    kept = [one for one in own.parameters.values() if one.kind is not one.VAR_KEYWORD]
    added = [
        one.replace(
            default=defaults.get(one.name, one.default),
            annotation=names[one.name].__forward_arg__ + " | None" * (one.name in defaults),
        )
        for one in _SIGNATURE.parameters.values()
        if one.name in names and one.name not in own.parameters
    ]
    return own.replace(parameters=[*kept, *added])


class _Entry(NamedTuple):
    """Parameters that a docstring explains together."""

    names: list[str]
    text: list[str]

    @property
    def place(self) -> int:
        """Its place among the parameters of ``evaluate``; -1 if it is none of them."""
        return next((_PLACES[name] for name in self.names if name in _PLACES), -1)

    def of(self, names: list[str]) -> _Entry:
        """Return the entry for some of its parameters."""
        return _Entry(names, self.text)

    def written(self) -> str:
        """Return it as a docstring has it."""
        return "\n".join([", ".join(self.names), *self.text]).rstrip()


def _help_with(names: Mapping[str, Any], own: str) -> str:
    """Replace ``**options`` by the texts of the keywords, each group under its heading."""
    groups = _groups_in(own)
    explained = {name for entries in groups.values() for one in entries for name in one.names}
    missing = names.keys() - explained
    for heading, entries in _GROUPS.items():
        found = groups.setdefault(heading, [])
        for entry in entries:
            added = entry.of([name for name in entry.names if name in missing])
            later = (at for at, one in enumerate(found) if one.place > entry.place)
            if added.names:
                found.insert(next(later, len(found)), added)
    *first, conventions, reading = _GROUPS
    others = [heading for heading in groups if heading not in _GROUPS]
    text = "\n\n".join(
        "\n".join([heading, *(one.written() for one in groups[heading])])
        for heading in (*first, *others, conventions, reading)
        if groups[heading]
    )
    return _SECTION.sub(lambda _: text, own, count=1)


def _groups_in(text: str) -> dict[str, list[_Entry]]:
    """Return the parameters that a docstring explains, by the headings of their groups."""
    groups: dict[str, list[_Entry]] = {}
    section = _SECTION.search(text)
    entries: list[_Entry] = []
    for line in section[0].splitlines() if section else ():
        if line.startswith(" ") or (entries and not line):
            entries[-1].text.append(line)
        elif line.endswith(":"):
            entries = groups[line] = []
        elif line:
            entries.append(_Entry(line.split(", "), []))
    return {
        heading: [one for one in entries if not one.names[0].startswith("**")]
        for heading, entries in groups.items()
    }


_SIGNATURE = inspect.signature(evaluate)
_PLACES = {name: place for place, name in enumerate(_SIGNATURE.parameters)}
_GROUPS = _groups_in(inspect.getdoc(evaluate) or "")
"""The groups of the parameters of ``evaluate``: data, measures, conventions, reading."""
