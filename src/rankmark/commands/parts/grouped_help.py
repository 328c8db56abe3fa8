"""Options in groups, as help shows them, and commands that list them so."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    from pathlib import Path

Command = TypeVar("Command", bound=Callable[..., Any])

OTHER = "Other"
"""The group of ``--help``, which click adds."""


Words = str | Callable[[], str]
"""Words, or what makes them when they are asked for."""


class GroupedOption(click.Option):
    """An option, and the group in which help shows it.

    Both are made when help is asked for, as reading the docstrings of verbs takes long.
    """

    def __init__(self, *names: Any, group: Words, help: Words = "", **described: Any) -> None:  # noqa: A002
        super().__init__(*names, **described)
        self._group, self._help = group, help

    @property
    def group(self) -> str:
        """The group."""
        return self._group if isinstance(self._group, str) else self._group()

    @property
    def help(self) -> str:
        """The help."""
        return self._help if isinstance(self._help, str) else self._help()

    @help.setter  # noqa: A003
    def help(self, _without: str | None) -> None:
        """Leave out what click sets while the option is made."""


class GroupedCommand(click.Command):
    """A command that lists its options by group."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups, in the order of their first options."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            written = parameter.get_help_record(ctx)
            if written is not None and isinstance(parameter, click.Option):
                groups.setdefault(group_of(parameter), []).append(written)
        for name, rows in groups.items():
            with formatter.section(name):
                formatter.write_dl(rows)


command: Final = partial(click.command, cls=GroupedCommand)
"""Declare a command, as ``click.command`` does."""


def option(group: Words, *names: str, **described: Any) -> Callable[[Command], Command]:
    """Declare an option of a group, as ``click.option`` does."""
    return click.option(*names, cls=GroupedOption, group=group, **described)


class _Path(click.Path):
    """A path as ``pathlib.Path``, which is imported when one is given, as that takes long."""

    def coerce_path_result(self, value: str | os.PathLike[str]) -> Path:
        """Return the path as an object."""
        from pathlib import Path  # noqa: PLC0415

        return Path(value)


PATH: Final = _Path()
"""The type of an option that is the path of a file, for example to write."""


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Make one decorator of several options, in the order of the help."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def group_of(parameter: click.Option) -> str:
    """Return the group in which help shows an option."""
    return parameter.group if isinstance(parameter, GroupedOption) else OTHER
