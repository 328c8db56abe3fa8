"""Options that commands share, named as in the docstrings of functions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, cast, get_args

import click

from rankmark.commands.parts.grouped_help import PATH, Command, option, together
from rankmark.conventions import DECLARED, Declared, ListTies

if TYPE_CHECKING:
    from pathlib import Path

    from rankmark.results.drawing.figures import Format
    from rankmark.results.table_options import Notes

_CUTOFFS = "rankmark.cutoffs"

FILE_FORMATS = ["trec", "msmarco", "beir", "tsv", "csv", "json", "jsonl", "parquet", "arrow"]
ROW_FORMATS = ["trec", "msmarco", "beir", "csv", "tsv", "json", "jsonl", "parquet"]
QRELS_FORMATS = [*FILE_FORMATS, "prefs", "qrels_jg"]
ROLES = ["query_id", "doc_id", "score", "label", "rank", "subtopic", "parent"]
FORMATS = ["table", "json", "jsonl", "csv", "parquet", "markdown", "latex"]
_FOR_FORMS = {"--csv-safe": ("csv",), "--long": ("csv", "parquet")}


def complete_measure(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """List the measures whose names begin with the letters typed."""
    from rankmark.measures import ALL  # noqa: PLC0415
    from rankmark.measures.sets import SETS  # noqa: PLC0415

    names = [*(measure.name for measure in ALL), *SETS]
    return [name for name in names if name.lower().startswith(begun.lower())]


def _as_columns(given: tuple[str, ...], roles: Sequence[str]) -> dict[str, str] | None:
    """Parse ROLE=NAME, given any number of times."""
    columns: dict[str, str] = {}
    for text in given:
        role, equals, name = text.partition("=")
        if not equals or not name or role not in roles:
            raise click.BadParameter(f"{text!r}; need ROLE=NAME, ROLE one of {', '.join(roles)}")
        if role in columns:
            raise click.BadParameter(f"{role} is given twice")
        columns[role] = name
    return columns or None


def column_option(
    name: str, help_text: str, roles: Sequence[str] = ROLES
) -> Callable[[Command], Command]:
    """Declare an option that names columns by their roles."""
    return option(
        "Reading",
        f"--{name}",
        f"{name.replace('-', '_')}s",
        multiple=True,
        metavar="ROLE=NAME",
        callback=lambda _context, _parameter, given: _as_columns(given, roles),
        help=help_text,
    )


def _as_aggregates(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> tuple[str, ...]:
    """Parse names of aggregates, before files are read."""
    if given is None:
        return ()
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.scoring.aggregates import as_aggregates  # noqa: PLC0415

    try:
        return as_aggregates(map(str.strip, given.split(",")))
    except InputError as error:
        raise click.BadParameter(str(error)) from None


def _as_cutoffs(
    context: click.Context, _parameter: click.Parameter, given: str | None
) -> tuple[int, ...] | None:
    """Parse cutoffs, and keep them for the measures."""
    if given is None:
        return None
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.measures.cutoff_series import cutoffs_in  # noqa: PLC0415

    try:
        context.meta[_CUTOFFS] = cutoffs_in(given)
    except InputError as error:
        raise click.BadParameter(str(error)) from None
    return None


def _at_cutoffs(
    context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[Any, ...]:
    """Return the measures at each cutoff, if there are cutoffs."""
    if _CUTOFFS not in context.meta:
        return given
    from rankmark.errors import MeasureError  # noqa: PLC0415
    from rankmark.measures.cutoff_series import at_cutoffs  # noqa: PLC0415

    try:
        return (*at_cutoffs(given or "nDCG", context.meta[_CUTOFFS]),)
    except MeasureError as error:
        raise click.BadParameter(str(error)) from None


def measure_option(help_text: str) -> Callable[[Command], Command]:
    """Declare ``-m``, which may be given several times, with a help text."""
    return option(
        "Measures",
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        shell_complete=complete_measure,
        callback=_at_cutoffs,
        help=help_text,
    )


measures: Final = measure_option(
    "A measure, such as nDCG@10 or AP(rel=2), several, such as nDCG@1,3,5,AP, or a set: official "
    "(trec_eval's), beir, msmarco or trec-dl; can be repeated. "
    "[default: nDCG@10, AP, RR@10, R@100, P@10, Judged@10]"
)
cutoffs: Final = option(
    "Measures",
    "--cutoffs",
    metavar="1..20|1,5,10|10..100..10",
    is_eager=True,  # before the measures
    expose_value=False,
    callback=_as_cutoffs,
    help="Cutoffs at which each --measure is computed, which then names none, such as nDCG. "
    "[default of --measure: nDCG]",
)
rel: Final = option(
    "Measures",
    "--rel",
    type=float,
    metavar="LABEL",
    help="The lowest relevant label of all measures that take one and do not name theirs: with "
    "--rel 2, AP is AP(rel=2). [default: 1]",
)
per_query: Final = option("Output", "--per-query", is_flag=True, help="Add a row for each query.")


def _for_some_forms(context: click.Context, parameter: click.Parameter, given: Any) -> Any:
    """Refuse options of a format with another one; the last of these options to be read checks."""
    context.meta[f"rankmark{parameter.opts[0]}"] = given
    form = context.meta.get("rankmark--format")
    for name, forms in _FOR_FORMS.items():
        if form is not None and context.meta.get(f"rankmark{name}") and form not in forms:
            raise click.UsageError(
                f"{name} is for --format {' and '.join(forms)}; give both, or none"
            )
    return given


def is_csv_safe() -> bool:
    """Return whether the command that runs was given --csv-safe."""
    return bool(click.get_current_context().meta.get("rankmark--csv-safe"))


def format_option(*forms: str, default: str = "table") -> Callable[[Command], Command]:
    """Declare ``--format`` of a command, and what goes with its formats."""
    return together(
        option(
            "Output",
            "--format",
            "form",
            type=click.Choice(forms),
            default=default,
            show_default=True,
            callback=_for_some_forms,
            help="Output format.",
        ),
        option(
            "Output",
            "--csv-safe",
            is_flag=True,
            expose_value=False,
            callback=_for_some_forms,
            help="In csv, write ' before texts that a spreadsheet would take for formulas: those "
            "that begin with = + - @ or a control character; and escape control characters.",
        ),
    )


form: Final = format_option(*FORMATS)
table_or_json: Final = format_option("table", "json", "csv", "parquet")
long: Final = option(
    "Output",
    "--long",
    "is_long",
    is_flag=True,
    callback=_for_some_forms,
    help="In csv and parquet, have a row for each measure, with the columns measure and value, "
    "instead of a column for each.",
)
output: Final = option(
    "Output",
    "-o",
    "--output",
    type=PATH,
    help="Write to a file instead of stdout, completely or not at all.",
)
_FILE = click.Path(allow_dash=True)
SHARE: Final = click.FloatRange(0, 1, min_open=True, max_open=True)
qrels_format: Final = option(
    "Reading",
    "--qrels-format",
    type=click.Choice(QRELS_FORMATS),
    metavar="FORMAT",
    help=f"Format of QRELS: {', '.join(QRELS_FORMATS[:-1])} or {QRELS_FORMATS[-1]}. [default: "
    "detected, except for prefs and qrels_jg]",
)
run_format: Final = option(
    "Reading",
    "--run-format",
    type=click.Choice(FILE_FORMATS),
    metavar="FORMAT",
    help=f"Format of each RUN: {', '.join(FILE_FORMATS[:-1])} or {FILE_FORMATS[-1]}. [default: "
    "detected]",
)
column: Final = column_option(
    "column",
    "Name of the column that contains query_id, doc_id, score, label, rank or subtopic, if it is "
    "not recognised, or parent, the document of each chunk in a run; can be repeated.",
)
qrels_column: Final = column_option(
    "qrels-column",
    "The same for QRELS only, if the runs have other names.",
)
run_column: Final = column_option("run-column", "The same for the runs only.")
contents: Final = option(
    "Reading",
    "--contents",
    type=click.Choice(["scores"]),
    help="Say that the runs hold scores of which the highest is the best, although they rise in "
    "every list, as distances do.",
)
split: Final = option(
    "Reading",
    "--split",
    metavar="TEXT|list",
    help="What separates the ids of several documents in one cell, such as ';', or list for lists "
    "in brackets.",
)


def _as_failed(_context: click.Context, _parameter: click.Parameter, given: str | None) -> Any:
    """Parse a word, or labels."""
    if given is None or given in {"error", "unjudged"}:
        return given
    try:
        return [float(label) for label in given.split(",")]
    except ValueError:
        raise click.BadParameter(f"{given!r}; need error, unjudged, or labels, as -1") from None


FAILED: Final[dict[str, Any]] = {
    "type": str,
    "metavar": "error|unjudged|LABEL,...",
    "callback": _as_failed,
}
failed: Final = option(
    "Reading",
    "--failed",
    **FAILED,
    help="Documents without a label, as a model failed to give one, are refused (default) or count "
    "as not judged; labels such as -1 stand for a failure, too.",
)
aggregates: Final = option(
    "Statistics",
    "--aggregate",
    "aggregates",
    metavar="NAME,NAME,...",
    callback=_as_aggregates,
    help="Rows to show instead of the mean: mean, median, gmean (geometric, of scores from "
    "0.00001), stdev, min, max, or a quantile such as q25.",
)
weights: Final = option(
    "Statistics",
    "--weights",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Weights of the queries in means: lines `qid weight`.",
)
tie_interval: Final = option(
    "Statistics",
    "--tie-interval",
    is_flag=True,
    help="Show how much ties can change each measure. [default: only if a printed digit would "
    "change]",
)
bounds: Final = option(
    "Statistics",
    "--bounds",
    is_flag=True,
    help="Show how much judging the unjudged documents could change each measure.",
)
seen: Final = option(
    "Data",
    "--seen",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Documents that each query or user has seen already, in a format of QRELS; they are "
    "removed from the rankings.",
)
quiet: Final = option(
    "Output",
    "--quiet",
    is_flag=True,
    help="Leave out the audit, how files were read, and the progress bar; conventions, warnings "
    "and what the numbers mean remain.",
)


verbose: Final = option(
    "Output",
    "-v",
    "--verbose",
    is_flag=True,
    help="Also write the notes that change no decision, such as how intervals were found, and the "
    "audit of each run in full.",
)


def notes_wanted(*, is_quiet: bool, is_verbose: bool) -> Notes:
    """Return the notes that --quiet and --verbose ask for.

    Raises
    ------
    UsageError
        If both are given.
    """
    if is_quiet and is_verbose:
        raise click.UsageError("--quiet and --verbose exclude each other; give one of them")
    return "few" if is_quiet else "all" if is_verbose else "usual"


def is_quiet() -> bool:
    """Return whether the command that runs was given --quiet."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.params.get("quiet"))


def as_queries(queries: str) -> str | Sequence[str]:
    """Parse --queries: a word, a list of ids, or a file of ids."""
    if queries in {"judged", "both"}:
        return queries
    if queries.startswith("@"):
        from rankmark.data.files.lines_of_text import query_ids_in  # noqa: PLC0415

        return query_ids_in(queries.removeprefix("@"))
    return [query.strip() for query in queries.split(",")]


threads: Final = option(
    "Reading",
    "--threads",
    type=click.IntRange(min=1),
    help="Number of threads. [default: one per core]",
)


def confidence(about: str) -> Callable[[Command], Command]:
    """Make the option for the confidence of intervals."""
    return option(
        "Statistics",
        "--confidence",
        type=SHARE,
        default=0.95,
        show_default=True,
        help=about,
    )


def resamples(default: int, about: str) -> Callable[[Command], Command]:
    """Make the option for the number of draws."""
    return option(
        "Statistics",
        "--resamples",
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        help=about,
    )


def clusters(group: str, more: str = "") -> Callable[[Command], Command]:
    """Make the option for groups of queries; ``more`` says what else becomes of them."""
    return option(
        group,
        "--clusters",
        "--cluster",
        "clusters",
        metavar="FILE",
        type=click.Path(allow_dash=True),
        help="Groups of queries that are not independent, such as those of a user or a "
        f"conversation{more}: lines `qid cluster`.",
    )


lower_better: Final = option(
    "Conventions",
    "--lower-better",
    metavar="RUN",
    multiple=True,
    help="A RUN of which lower scores are better, as of distances; can be repeated.",
)
list_depth: Final = option(
    "Conventions",
    "--depth",
    type=click.IntRange(min=1),
    help="Fuse only the first documents of each list.",
)


def list_ties(about: str, **default: Any) -> Callable[[Command], Command]:
    """Make the option for equal scores in lists that are fused."""
    return option(
        "Conventions",
        "--ties",
        type=click.Choice(get_args(ListTies)),
        help=about,
        **default,
    )


seed: Final = option(
    "Statistics",
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=0,
    show_default=True,
    help="Seed of the draws.",
)


def _as_memory(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> int | None:
    """Parse a number of bytes, before files are read."""
    from rankmark.data.contract.resources import as_memory  # noqa: PLC0415
    from rankmark.errors import InputError  # noqa: PLC0415

    try:
        return None if given is None else as_memory(given)
    except InputError as error:
        raise click.BadParameter(str(error)) from None


memory: Final = option(
    "Reading",
    "--memory",
    metavar="SIZE",
    callback=_as_memory,
    help="Memory for rows of interleaved queries, such as 256M or 2G; what does not fit goes to "
    "temporary files. [default: 512M]",
)


def complete_profile(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """List the profiles whose names begin with the letters typed."""
    from rankmark.profiles.known import NAMES  # noqa: PLC0415

    return [name for name in NAMES if name.startswith(begun)]


def known_profile(
    _context: click.Context, _parameter: click.Parameter, name: str | None
) -> str | None:
    """Refuse a profile that does not exist as wrong usage, like an unknown measure."""
    if name is None:
        return None
    from rankmark.commands.parts.faults import WRONG_USAGE, print_error  # noqa: PLC0415
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.profiles.known import profile as known  # noqa: PLC0415

    try:
        known(name)
    except InputError as error:
        print_error(str(error))
        sys.exit(WRONG_USAGE)
    return name


profile: Final = option(
    "Conventions",
    "--profile",
    metavar="TOOL",
    callback=known_profile,
    shell_complete=complete_profile,
    help="Another tool whose measures and conventions to use, such as trec_eval9 or ranx; options "
    "for conventions replace its own. `rankmark profiles` lists them.",
)


def _given_replace_profile(command: Command) -> Command:
    """Let options that are given replace the conventions of the profile, also at their defaults."""

    @wraps(command)
    def changed(*arguments: Any, **values: Any) -> Any:
        source = click.get_current_context().get_parameter_source
        at_default = {
            name: values[name]
            for name, one in DECLARED.items()
            if source(name) is click.core.ParameterSource.COMMANDLINE
            and values[name] == one.default
        }
        if values["profile"] is not None and at_default:
            from rankmark.commands.parts.faults import reported_errors  # noqa: PLC0415
            from rankmark.profiles.known import profile as known  # noqa: PLC0415

            with reported_errors():
                values["profile"] = known(values["profile"]).with_conventions(**at_default).name
        return command(*arguments, **values)

    return cast("Command", changed)


def _convention(one: Declared) -> Callable[[Command], Command]:
    """Declare the option of a convention."""
    if one.is_flag:
        return option("Conventions", one.option, is_flag=True, help=one.help)
    if one.name == "queries":
        shape: dict[str, Any] = {"metavar": "judged|both|ID,ID,...|@FILE"}
    elif one.metavar is not None:
        shape = {"metavar": one.metavar}
    else:
        shape = {"type": click.Choice(one.words) if one.words else click.IntRange(min=1)}
    shown = one.default is not None
    return option(
        "Conventions", one.option, default=one.default, show_default=shown, help=one.help, **shape
    )


def convention(name: str) -> Callable[[Command], Command]:
    """Declare the option of one convention, for a command that does not have them all."""
    return _convention(DECLARED[name])


known_conventions: Final = together(*map(_convention, DECLARED.values()))
"""The options for conventions that reconcile keeps where they are given."""
conventions: Final = together(known_conventions, profile, _given_replace_profile)
"""The options for conventions."""
parents: Final = option(
    "Reading",
    "--parents",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="The document of each retrieved chunk or other unit: lines `unit document`. A column of "
    "documents is named with --column parent=NAME.",
)
qrels_parents: Final = option(
    "Reading",
    "--qrels-parents",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="The same for judged units; each counts for its document, by the highest label.",
)
formats: Final = together(
    qrels_format,
    run_format,
    column,
    qrels_column,
    run_column,
    contents,
    split,
    failed,
    parents,
    qrels_parents,
)
"""The options for formats, columns, contents, and the documents of units."""


def beside(given: Mapping[str, Any]) -> list[str | None]:
    """Return the files that are read beside judgments and runs: of seen documents, and parents."""
    return [given.get(name) for name in ("seen", "parents", "qrels_parents")]


reading: Final = together(formats, threads, memory)
"""The options for reading of all commands that evaluate runs."""


def picture_format(file: Path, option: str | None = None) -> Format:
    """Return the format of a picture by the ending of its file.

    ``option`` is the option that named the file; callbacks of options leave it to click.

    Raises
    ------
    BadParameter
        If it has no known ending.
    """
    from rankmark.results.drawing.figures import FORMATS  # noqa: PLC0415

    for form in FORMATS:
        if file.suffix.lower() == f".{form}":
            return form
    raise click.BadParameter(
        f"{str(file)!r} has no known format; end it in .svg, .png or .pdf",
        param_hint=None if option is None else f"'{option}'",
    )


def plot(about: str, flag: str = "--plot", name: str = "picture") -> Callable[[Command], Command]:
    """Make the option for the file of a plot, which is refused if its ending is no format."""
    return option(
        "Output",
        flag,
        name,
        metavar="FILE.svg|png|pdf",
        type=PATH,
        callback=_with_known_ending,
        help=about,
    )


def _with_known_ending(
    _context: click.Context, _parameter: click.Parameter, file: Path | None
) -> Path | None:
    if file is not None:
        picture_format(file)
    return file


page: Final = option(
    "Output",
    "--html",
    "page",
    metavar="FILE",
    type=PATH,
    help="Also write a page of HTML with the tables and the plots; requires matplotlib.",
)

record: Final = option(
    "Output",
    "--record",
    metavar="FILE",
    type=PATH,
    help="Write hashes of the inputs, the options, versions and values, for `rankmark verify`.",
)

by_query: Final = together(per_query, form, long)
"""The options for results with values by query."""
closing: Final = together(page, output, quiet)
units: Final = together(*map(convention, ("unit", "combine", "unit_depth")))
MEASURES: Final[dict[str, Any]] = {
    "flag": ["-m", "--measure"],
    "multiple": True,
    "metavar": "MEASURE",
    "type": str,
}
"""What ``-m`` is where measures are others than those of evaluate."""
SOME_QUERIES: Final[dict[str, Any]] = {
    "metavar": "judged|both|ID,...|@FILE",
    "type": str,
}
"""What ``--queries`` is where ids may be given."""
TOOL: Final[dict[str, Any]] = {
    "type": str,
    "metavar": "TOOL",
    "callback": known_profile,
    "shell_complete": complete_profile,
}
"""What an option is that names a profile."""


def completed(names: Callable[[], Sequence[str]]) -> Callable[..., list[str]]:
    """Complete the names whose first letters were typed."""

    def complete(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
        return [name for name in names() if name.lower().startswith(begun.lower())]

    return complete


def one_measure(measures: Sequence[str], wrong: str = "give one --measure") -> Sequence[str]:
    """Refuse several measures where there is one."""
    if len(measures) > 1:
        raise click.UsageError(wrong.format(len(measures)))
    return measures


def files(name: str, **described: Any) -> Callable[[Command], Command]:
    """Make an argument of files: ``name``, ``[name]``, ``name...`` or ``[name...]``."""
    plain = name.strip("[.]")
    if "..." in name:
        shown = plain.upper().removesuffix("S")
        described = {"metavar": f"[{shown}]..." if "[" in name else f"{shown}..."} | described
        described["nargs"] = -1
    return click.argument(plain, type=_FILE, **{"required": "[" not in name} | described)
