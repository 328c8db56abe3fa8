"""Options in groups, as help shows them, and commands that list them so.

``--help`` shows the options of a command that its task needs, on one screen; ``--help-all`` shows
those that were declared as ``further``, too, and the text behind a form feed.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeGuard, TypeVar

import click

if TYPE_CHECKING:
    from pathlib import Path

Command = TypeVar("Command", bound=Callable[..., Any])

OTHER = "Other"
"""The group of ``--help``, which click adds."""
_NAMES = 26
"""Columns for the names of options; longer ones have a line of their own."""
_DECLARED = "__click_params__"
"""Where click keeps the options of a function until it is a command."""
_ALL = "rankmark.help-all"
"""Whether all is shown."""


Words = str | Callable[[], str]
"""Words, or what makes them when they are asked for."""


class GroupedOption(click.Option):
    """An option, and the group in which help shows it.

    Both are made when help is asked for, as reading the docstrings of verbs takes long.
    ``is_further`` says that only ``--help-all`` shows it.
    """

    is_further = False

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

    def make_metavar(self, ctx: click.Context) -> str:
        """Name what is given; click's names of numbers are those of its types."""
        return re.sub(r"\b(INTEGER|FLOAT)( RANGE)?\b", "NUMBER", super().make_metavar(ctx))


def _show_all(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        context.meta[_ALL] = True
        click.echo(context.get_help(), color=context.color)
        context.exit()


class _HelpAll(GroupedOption):
    """``--help-all``, which says what else there is."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Name the groups of the options that --help does not show."""
        if _ALL in ctx.meta:
            return "--help-all", "Show this message and exit."
        groups: dict[str, list[str]] = {}
        for one in ctx.command.params:
            if is_further(one):
                groups.setdefault(one.group, []).append(one.opts[-1])
        if not groups and "\f" not in (ctx.command.help or ""):
            return None
        named = [f"{group.lower()} ({_some(names)})" for group, names in groups.items()]
        what = f"all options, including {', '.join(named)}" if named else "more about the command"
        return "--help-all", f"Show {what}."


def _some(names: list[str]) -> str:
    """Name the first two options of a group."""
    return ", ".join([*names[:2], *["..."] * (len(names) > 2)])


def is_further(parameter: click.Parameter) -> TypeGuard[GroupedOption]:
    """Say whether only ``--help-all`` shows an option."""
    return isinstance(parameter, GroupedOption) and parameter.is_further


_HELP_ALL = _HelpAll(
    ["--help-all"],
    group=OTHER,
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
)


class GroupedCommand(click.Command):
    """A command that shows the options of its task, or all of them by group."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, --help and --help-all."""
        return [*super().get_params(ctx), _HELP_ALL]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; where they are mistyped, the error says what was meant."""
        given = [*args]
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            from rankmark.commands.parts.mistyped import explained  # noqa: PLC0415

            raise explained(error, ctx, given) from None

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does; click ends at a form feed."""
        super().format_help_text(ctx, formatter)
        rest = inspect.cleandoc(self.help or "").partition("\f")[2].strip()
        if rest and _ALL in ctx.meta:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(rest)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the task, or all groups in the order of their first options."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            written = parameter.get_help_record(ctx)
            if written is None or not isinstance(parameter, click.Option):
                continue
            if _ALL in ctx.meta:
                groups.setdefault(group_of(parameter), []).append(written)
            elif not is_further(parameter):
                groups.setdefault("Options", []).append(written)
        for name, rows in groups.items():
            with formatter.section(name):
                formatter.write_dl(rows, col_max=_NAMES)


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


def further(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Make one decorator of options that only ``--help-all`` shows."""
    declare = together(*options)

    def add(command: Command) -> Command:
        before = len(getattr(command, _DECLARED, ()))
        command = declare(command)
        for one in getattr(command, _DECLARED)[before:]:
            if isinstance(one, GroupedOption):
                one.is_further = True
        return command

    return add


def group_of(parameter: click.Option) -> str:
    """Return the group in which help shows an option."""
    return parameter.group if isinstance(parameter, GroupedOption) else OTHER
