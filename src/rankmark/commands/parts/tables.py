"""Options of tables: names and order of runs, decimals, and the lines below."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from rankmark.commands.parts.grouped_help import further, option, together
from rankmark.commands.parts.writing import width_of
from rankmark.file_names import file_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.commands.parts.of_verb import Call
    from rankmark.results.latex_float import LatexFloat
    from rankmark.results.table_options import TableOptions

_NOT_ROUNDED = {"json", "jsonl", "csv", "parquet"}

names_option: Final = option(
    "Tables",
    "--name",
    "names",
    multiple=True,
    metavar="RUN=NAME",
    help="Name of a run in the output; RUN is its path, or the name of its file; can be repeated. "
    "[default: the file without folder and ending]",
)
_sort = option(
    "Tables",
    "--sort",
    metavar="MEASURE|given",
    help="Sort runs by a measure, best first, or leave them in the order given. [default: the "
    "first measure]",
)
_digits = option(
    "Tables",
    "--digits",
    type=click.IntRange(0, 15),
    help="Decimals in table, markdown and latex. [default: 4, or 2 with --percent; in a table "
    "under a --profile, those that the tool prints]",
)
_percent = option(
    "Tables",
    "--percent",
    is_flag=True,
    help="Write values between 0 and 1 in percent, in table, markdown and latex.",
)

_latex = further(
    option(
        "Tables",
        "--caption",
        metavar="TEXT",
        help="Caption of a LaTeX table. [default: what it shows]",
    ),
    option(
        "Tables",
        "--label",
        metavar="NAME",
        help="Label of a LaTeX table. [default: tab:results, or tab:comparison]",
    ),
    option(
        "Tables",
        "--environment",
        type=click.Choice(["table", "table*", "sidewaystable"]),
        help="LaTeX: as wide as a column (table), as a page of two columns (table*), or turned by "
        "90 degrees (sidewaystable). [default: table]",
    ),
    option(
        "Tables",
        "--resize",
        is_flag=True,
        help="LaTeX: make a table that is too wide smaller until it fits.",
    ),
)
tables: Final = together(names_option, _sort, further(_digits), _percent, _latex)
"""The options of tables."""


def table_options(runs: Sequence[str], call: Call) -> TableOptions:
    """Take the options of tables from those of a command, and check them before files are read.

    Raises
    ------
    UsageError
        If one does not go with another, or names no run.
    """
    from rankmark.results.number_style import NumberStyle  # noqa: PLC0415
    from rankmark.results.table_options import TableOptions  # noqa: PLC0415

    options, form = call.given, call.form
    chosen = {name: options.pop(name) for name in ("names", "sort", "digits", "percent")}
    page = _page(form, options)
    if form in _NOT_ROUNDED and (chosen["percent"] or chosen["digits"] is not None):
        option = "--percent" if chosen["percent"] else "--digits"
        raise click.UsageError(
            f"{form} has every number in full; leave {option} out, or choose another --format"
        )
    digits = chosen["digits"]
    if digits is None and form == "table" and options.get("profile") is not None:
        digits = _digits_of(options["profile"], in_percent=chosen["percent"])
    return TableOptions(
        names_of_runs(runs, chosen["names"]),
        chosen["sort"],
        NumberStyle(digits, chosen["percent"]),
        call.wanted_notes,
        width=width_of(call.output),
        styled=form == "table" and call.output is None and _shows_styles(),
        page=page,
        tables=options.pop("tables", None),
    )


def _page(form: str, options: dict[str, Any]) -> LatexFloat | None:
    """Take the options of LaTeX from those of a command; None for other formats."""
    chosen = {name: options.pop(name) for name in ("caption", "label", "environment", "resize")}
    for name, given in chosen.items():
        if form != "latex" and given:
            raise click.UsageError(f"--{name} is for --format latex; give both, or none")
    if (given := options.get("tables")) and form != "latex":
        if form not in {"csv", "parquet"}:
            raise click.UsageError("--tables is for --format latex, csv and parquet")
        if given not in (("means",), ("differences",)):
            raise click.UsageError(
                f"{form} has one table, whose column slice names the slices; give --tables means "
                "or --tables differences"
            )
    if form != "latex":
        return None
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.results.latex_float import LatexFloat  # noqa: PLC0415

    try:
        return LatexFloat(**chosen | {"environment": chosen["environment"] or "table"})
    except InputError as error:
        raise click.UsageError(str(error)) from None


def _digits_of(profile: str, *, in_percent: bool) -> int | None:
    """Return the decimals that a tool prints; None if it prints all."""
    from rankmark.profiles.known import profile as known  # noqa: PLC0415

    digits = known(profile).digits
    return digits if digits is None or not in_percent else max(0, digits - 2)


def names_of_runs(
    runs: Sequence[str], given: Sequence[str], *, what: tuple[str, str] = ("run", "RUN")
) -> list[str]:
    """Name runs, or other files, as RUN=NAME says, and the others after their files.

    ``what`` is what they are called in messages, and in the form of the option.

    Raises
    ------
    UsageError
        If RUN is no run, or several, or two runs would have one name.
    """
    from rankmark.results.run_names import short_names  # noqa: PLC0415

    paths = ["<stdin>" if run == "-" else run for run in runs]
    short = short_names(paths)
    names = [*short]
    named = set[int]()
    for text in given:
        at, name = _split(text, runs, short, what)
        names[at] = name
        named.add(at)
    for at in named:
        if names.count(names[at]) > 1:
            raise click.UsageError(
                f"--name: two {what[0]}s are called {names[at]!r}; choose another"
            )
    return names


def by_names(runs: Sequence[str]) -> dict[str, str]:
    """Return the runs by short names."""
    from rankmark.results.run_names import short_names  # noqa: PLC0415

    return dict(zip(short_names(runs), runs, strict=True))


def called(given: Sequence[str], runs: Sequence[str]) -> list[str]:
    """Return the short names of the runs that an option names by their paths."""
    short = {path: name for name, path in by_names(runs).items()}
    return [short.get(name, name) for name in given]


def named_baseline(given: str, runs: Sequence[str], names: Sequence[str]) -> str:
    """Find the baseline by its name, its path or its file."""
    for called in (names, runs, [file_name(run) for run in runs]):
        if called.count(given) == 1:
            return names[called.index(given)]
    raise click.UsageError(
        f"--baseline: {given!r} names no run, or several; need one of {', '.join(names)}"
    )


def _split(
    text: str, runs: Sequence[str], short: Sequence[str], what: tuple[str, str]
) -> tuple[int, str]:
    """Split RUN=NAME where RUN is a run; a path may contain =."""
    ways = [(text[:at], text[at + 1 :]) for at, sign in enumerate(text) if sign == "="]
    for called in (list(runs), [file_name(run) for run in runs], list(short)):
        for run, name in ways:
            if called.count(run) > 1:
                raise click.UsageError(
                    f"--name: several {what[0]}s are {run!r}; give the path of one"
                )
            if run in called and name:
                return called.index(run), name
    raise click.UsageError(
        f"--name: {text!r} names no {what[0]}; need {what[1]}=NAME, {what[1]} one of "
        f"{', '.join(runs[:5])}"
        f"{', ...' if runs[5:] else ''}"
    )


def _shows_styles() -> bool:
    """Return whether standard output is a terminal that can show bold text."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    from rich.console import Console  # noqa: PLC0415

    return Console().is_terminal and not Console().is_dumb_terminal
