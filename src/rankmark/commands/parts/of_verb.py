"""The command of a verb: its options, and one way to read, call and write."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts import writing
from rankmark.commands.parts.faults import leave_stdout, refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import PATH, GroupedCommand
from rankmark.commands.parts.options import files as given_files
from rankmark.commands.parts.options import notes_wanted
from rankmark.commands.parts.verb_options import Verb, made_options
from rankmark.errors import RankmarkError

if TYPE_CHECKING:
    from pathlib import Path

    from rankmark.results.result import Result


_OF_CALL = ("form", "output", "picture", "page", "quiet", "verbose")


class Call:
    """A call of a command: what was given, what is read, and where results go.

    Attributes
    ----------
    given
        The arguments and options that the command does not take itself, as the verb has them.
    inputs
        The files that are read.
    chosen
        What was given, with the ids that are in files, after the verb was called.
    """

    form: Any
    output: Path | None
    picture: Path | None
    page: Path | None
    quiet: bool
    verbose: bool

    def __init__(self, verb: Verb, given: dict[str, Any]) -> None:
        context = click.get_current_context()
        self._verb = verb
        self._read: dict[str, Sequence[str]] = {}
        self._written: list[Path] = []
        self._ids: dict[str, list[str]] = {}
        for name in _OF_CALL:
            setattr(self, name, given.get(name))
        for one in context.command.params:
            name, words = str(one.name), str(one.metavar).split("|")
            value = given.get(name)
            if "@FILE" in words:
                self._ids[name] = words
            if one.type is PATH and value is not None:
                self._written.append(value)
            elif isinstance(one.type, click.Path) and value is not None:
                self._read[name] = [value] if isinstance(value, str) else value
            elif name in self._ids and str(value).startswith("@"):
                self._read[name] = [str(value)[1:]]
        self.wanted_notes = notes_wanted(is_quiet=bool(self.quiet), is_verbose=bool(self.verbose))
        self.given = {name: value for name, value in given.items() if name not in _OF_CALL}
        self.inputs: list[str] = []
        self.chosen: dict[str, Any] = {}

    def is_given(self, name: str) -> bool:
        """Say whether an option was given, and has not its default."""
        source = click.get_current_context().get_parameter_source(name)
        return source is not click.core.ParameterSource.DEFAULT

    def leave_defaults(self) -> None:
        """Leave to the verb what was not given."""
        self.given = {name: value for name, value in self.given.items() if self.is_given(name)}

    def prepare(self, *others: str | None, but: Sequence[str] = ()) -> None:
        """Refuse files that cannot be read or written, before anything is done.

        ``others`` are files that are read besides those that are arguments and options of files,
        ``but`` the names of such that are not.
        """
        read = [file for name, files in self._read.items() if name not in but for file in files]
        self.inputs = refuse_conflicts([*read, *others], *self._written)
        if self.picture is not None or self.page is not None:
            from rankmark.results.drawing.figures import require_matplotlib  # noqa: PLC0415

            require_matplotlib()  # before large files are read

    def result(
        self,
        *arguments: Any,
        told: Sequence[str] | int | None = None,
        then: Callable[[Any], Any] = lambda found: found,
        verb: Callable[..., Any] | None = None,
        **keywords: Any,
    ) -> Any:
        """Call the verb with progress.

        Parameters
        ----------
        *arguments
            Those by place.
        told
            The files of whose reading the verb tells, or the number of the one among the inputs.
        then
            What is done with the result while progress is shown.
        verb
            Another verb than that of the command.
        **keywords
            Those that differ from what was given.
        """
        if not self.inputs:
            self.prepare()
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415

        function = verb or self._verb.function
        self.chosen = {name: self._meant(name, value) for name, value in self.given.items()}
        chosen = {k: v for k, v in self.chosen.items() if v != ()} | keywords
        files = self.inputs if isinstance(told, int) else told or ()
        with Progress(files) as progress:
            if told is not None:
                each = progress.of(told) if isinstance(told, int) else progress.update
                chosen["progress"] = each
            return then(function(*arguments, **chosen))

    def _meant(self, name: str, value: Any) -> Any:
        """Read ids, which are in a file or separated by commas."""
        if name not in self._ids or not isinstance(value, str) or value in self._ids[name]:
            return value
        if value.startswith("@"):
            from rankmark.data.files.lines_of_text import query_ids_in  # noqa: PLC0415

            return [*query_ids_in(value[1:])]
        return [one.strip() for one in value.split(",")]

    def write(
        self,
        found: Any,
        *,
        rows: Any = None,
        json: Mapping[str, Any] | None = None,
        text: Callable[[], str] | None = None,
        as_text: Callable[[], str] | None = None,
        notes: Sequence[str] | None = None,
        plot: Callable[..., Any] | None = None,
        size: tuple[float, float] | None = None,
        **look: Any,
    ) -> None:
        """Write a result in all forms that were asked for.

        Parameters
        ----------
        found
            The result.
        rows
            What is written as CSV and Parquet, if not the result.
        json
            Options of JSON.
        text
            Makes the other forms, if they are not methods of the result.
        as_text
            Makes the text alone.
        notes
            What goes to stderr if stdout holds only what is pasted. By default, those of the
            result, and with --quiet the first.
        plot, size
            What draws the picture, and its size.
        **look
            Options of text, Markdown and LaTeX.
        """
        if self.picture is not None:
            writing.write_plot(plot or found.plot, self.picture, size)
        if self.form in writing.TABULAR:
            writing.write_table(found if rows is None else rows, self.form, self.output)
        else:
            written = text() if text else self._text(found, json or {}, look, as_text)
            writing.write_output(written.rstrip("\n") + "\n", self.output)
        told = getattr(found, "notes", []) if notes is None else notes
        writing.write_notes(self.form, told[:1] if self.quiet and notes is None else told)
        if self.page is not None:
            writing.write_page(found, self.page)

    def _text(
        self,
        found: Any,
        json: Mapping[str, Any],
        look: Mapping[str, Any],
        as_text: Callable[[], str] | None,
    ) -> str:
        if self.form in {"json", "jsonl"}:
            lines = {"indent": 2} if self.form == "json" else {}
            return str(found.to_json(**lines, **json))
        if self.form in {"markdown", "latex", "html", "junit"}:
            return str(getattr(found, f"to_{self.form}")(**look))
        if as_text is not None:
            return as_text()
        return str(found.to_text(**{"width": writing.width_of(self.output), **look}))

    def write_shown(
        self, found: Any, rows: Any = None, json: Mapping[str, Any] | None = None, **look: Any
    ) -> None:
        """Write a ``ShownResult``, with the notes that --quiet leaves."""
        if self.form == "table":
            look["quiet"] = self.quiet
        notes = found.kept_notes if self.quiet else found.notes
        self.write(found, rows=rows, json=json, notes=notes, **look)

    def write_by_query(self, found: Any, *, per_query: bool, is_long: bool, **json: bool) -> None:
        """Write values by query, as --per-query and --long ask for; ``json`` are other choices."""
        is_rows = self.form in writing.TABULAR
        rows = found.as_table(per_query=per_query, is_long=is_long) if is_rows else None
        self.write_shown(found, rows, {"per_query": per_query, **json}, per_query=per_query)

    def put(self, found: str | Result, notes: Sequence[str], *, styled: bool = False) -> None:
        """Write text, or the rows of a result, and the notes of what is pasted."""
        writing.write_result(found, self.form, self.output, styled=styled)
        writing.write_notes(self.form, notes)

    def decide(self, found: Any, **written: Any) -> None:
        """Write a result that decides on the exit code, whether or not somebody reads it."""
        try:
            self.write(found, **written)
        except BrokenPipeError:
            leave_stdout()
        if not found:
            sys.exit(found.exit_code)


def command_of(
    verb: str,
    files: Sequence[Any],
    *options: Any,
    about: str | None = None,
    **changed: Mapping[str, Any] | None,
) -> Callable[[Callable[..., None]], click.Command]:
    """Make the command of a verb.

    The function that this decorates gets the call, and then the options that it names, with
    ``**asked`` --per-query and --long; its docstring is the help.

    Parameters
    ----------
    verb
        ``folder.module:function``.
    files
        The arguments, in order: names of files, or what click makes of other arguments.
    *options
        The options in the order of the help, those of the verb at ``own()``.
    about
        The help, if it is made.
    **changed
        Of parameters of the verb, what does not follow from it: any argument of
        ``click.option``, ``flag``, ``group``, ``roles`` of columns, or ``for_each``, if its help
        says when it is repeated. None for a keyword that is no option.
    """
    read = Verb(verb)

    def make(body: Callable[..., None]) -> click.Command:
        code = body.__code__
        taken = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        if code.co_flags & inspect.CO_VARKEYWORDS:
            taken += ("per_query", "is_long")

        def run(**given: Any) -> None:
            with reported_errors():
                call = Call(read, given)
                try:
                    body(call, **{name: call.given.pop(name, given.get(name)) for name in taken})
                except (RankmarkError, click.UsageError):
                    from rankmark.commands.parts.mistyped import stray_word  # noqa: PLC0415

                    if wrong := stray_word(click.get_current_context()):
                        raise wrong from None
                    raise

        made: Any = update_wrapper(run, body)
        for add in reversed([*_arguments(files), *made_options(read, options, changed)]):
            made = add(made)
        return click.command(cls=GroupedCommand, help=about)(made)

    return make


def _arguments(files: Sequence[Any]) -> list[Any]:
    return [given_files(one) if isinstance(one, str) else one for one in files]
