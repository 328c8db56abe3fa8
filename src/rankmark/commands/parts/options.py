"""Options that commands share, named as in the docstrings of functions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, cast

import click

from rankmark.commands.parts.grouped_help import PATH, Command, further, option, together
from rankmark.commands.parts.verb_options import (
    FILE,
    column_option,
    later,
    numbers_in,
    options_of,
    parsed,
)
from rankmark.conventions import DECLARED

if TYPE_CHECKING:
    from pathlib import Path

    from rankmark.results.drawing.figures import Format
    from rankmark.results.table_options import Notes

_CUTOFFS = "rankmark.cutoffs"

FILE_FORMATS = [
    *("trec", "msmarco", "beir", "tsv", "csv", "json", "jsonl", "parquet", "arrow"),
    *("letor", "elliot"),
]
ROW_FORMATS = ["trec", "msmarco", "beir", "csv", "tsv", "json", "jsonl", "parquet"]
QRELS_FORMATS = [*FILE_FORMATS, "prefs", "qrels_jg"]
FORMATS = ["table", "json", "jsonl", "csv", "parquet", "markdown", "latex"]
EVALUATE = "verbs.evaluate.evaluate:evaluate"
_TABLE = {"type": FILE, "metavar": "FILE"}  # as is known, other files need not be read
_FOR_FORMS = {"--csv-safe": ("csv",), "--long": ("csv", "parquet")}


def completed(names: Callable[[], Sequence[str]]) -> Callable[..., list[str]]:
    """Complete the names whose first letters were typed."""

    def complete(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
        return [name for name in names() if name.lower().startswith(begun.lower())]

    return complete


def _measures() -> list[str]:
    from rankmark.measures import EVERY  # noqa: PLC0415
    from rankmark.measures.sets import SETS  # noqa: PLC0415

    return [*(measure.name for measure in EVERY), *SETS]


def _profiles() -> Sequence[str]:
    from rankmark.profiles.known import NAMES  # noqa: PLC0415

    return NAMES


complete_measure: Final = completed(_measures)
complete_profile: Final = completed(_profiles)
MEASURES: Final[dict[str, Any]] = {
    "flag": ["-m", "--measure"],
    "multiple": True,
    "metavar": "MEASURE",
}
"""What ``-m`` is where measures are others than those of evaluate."""


def _as_cutoffs(context: click.Context, parameter: click.Parameter, given: str | None) -> None:
    """Parse cutoffs, and keep them for the measures."""
    if given is not None:
        read = parsed(later("measures.cutoff_series:cutoffs_in"))
        context.meta[_CUTOFFS] = read(context, parameter, given)


def _at_cutoffs(
    context: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[Any, ...]:
    """Return the measures at each cutoff, if there are cutoffs."""
    if _CUTOFFS not in context.meta:
        return given
    read = parsed(later("measures.cutoff_series:at_cutoffs"), cutoffs=context.meta[_CUTOFFS])
    return (*read(context, parameter, given or "nDCG"),)


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
rel: Final = options_of(EVALUATE, "rel", rel={"metavar": "LABEL"})


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
        further(
            option(
                "Output",
                "--csv-safe",
                is_flag=True,
                expose_value=False,
                callback=_for_some_forms,
                help="In csv, write ' before texts that a spreadsheet would take for formulas: "
                "those that begin with = + - @ or a control character; and escape control "
                "characters.",
            )
        ),
    )


form: Final = format_option(*FORMATS)
table_or_json: Final = format_option("table", "json", "csv", "parquet")


def output_option(about: str, metavar: str | None = None) -> Callable[[Command], Command]:
    """Declare ``--output`` of a command that writes one kind of file."""
    return option("Output", "-o", "--output", type=PATH, metavar=metavar, help=about)


output: Final = output_option("Write to a file instead of stdout, completely or not at all.")


def also(name: str, what: str, parameter: str | None = None) -> Callable[[Command], Command]:
    """Declare an option with the name of a file that is written too."""
    given = [f"--{name}"] if parameter is None else [f"--{name}", parameter]
    return option("Output", *given, metavar="FILE", type=PATH, help=f"Also write {what}.")


def flag(name: str, about: str, group: str = "Output") -> Callable[[Command], Command]:
    """Declare an option that is given or not."""
    return option(group, name, is_flag=True, help=about)


SHARE: Final = click.FloatRange(0, 1, min_open=True, max_open=True)


per_query: Final = flag("--per-query", "Add a row for each query.")
long: Final = further(
    option(
        "Output",
        "--long",
        "is_long",
        is_flag=True,
        callback=_for_some_forms,
        help="In csv and parquet, have a row for each measure, with the columns measure and value, "
        "instead of a column for each.",
    )
)


class _Format(click.Choice[str]):
    """A format, or the name of a shape; these are looked up if it is no format."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, if there is such a format."""
        if value in self.choices:
            return value
        from rankmark.data.shapes.known_shapes import names  # noqa: PLC0415

        return click.Choice([*self.choices, *names()]).convert(value, param, ctx)


_SHAPE = "or of a tool, such as elasticsearch or quepid"
qrels_format: Final = option(
    "Reading",
    "--qrels-format",
    type=_Format(QRELS_FORMATS),
    metavar="FORMAT",
    help=f"Format of QRELS: {', '.join(QRELS_FORMATS)}; {_SHAPE}. [default: detected, except for "
    "elliot, prefs and qrels_jg]",
)
run_format: Final = option(
    "Reading",
    "--run-format",
    type=_Format(FILE_FORMATS),
    metavar="FORMAT",
    help=f"Format of each RUN: {', '.join(FILE_FORMATS)}; {_SHAPE}. [default: detected, except for "
    "elliot]",
)
column: Final = column_option(
    "column",
    "Name of the column that contains query_id, doc_id, score, label, rank or subtopic, if it is "
    "not recognised, or weight, for weighted measures, or parent, the document of each chunk in a "
    "run; in JSON, its path, as in "
    "--path list=hits.hits --path id=_id, where list is what holds the documents of a query; can "
    "be repeated.",
    further_names=("--path",),
)
qrels_column: Final = column_option(
    "qrels-column",
    "The same for QRELS only, if the runs have other names.",
)
run_column: Final = column_option("run-column", "The same for the runs only.")
contents: Final = options_of(
    EVALUATE,
    "contents",
    contents={
        "type": click.Choice(["scores", "ranks"]),
        "help": "Say that the runs hold scores of which the highest is the best, although they "
        "rise in every list, as distances do; or ranks of the documents listed, among others that "
        "are not.",
    },
)


def _as_failed(given: str) -> str | list[float]:
    """Parse a word, or labels."""
    return given if given in {"error", "unjudged"} else numbers_in(given)


_SEPARATOR = {"metavar": "TEXT|list"}
FAILED: Final[dict[str, Any]] = {
    "metavar": "error|unjudged|LABEL,...",
    "callback": parsed(_as_failed, "{!r}; need error, unjudged, or labels, as -1"),
}
split: Final = options_of(EVALUATE, "split", split=_SEPARATOR)


def _as_aggregates(given: str) -> tuple[str, ...]:
    from rankmark.scoring.aggregates import as_aggregates  # noqa: PLC0415

    return as_aggregates(map(str.strip, given.split(",")))


aggregates: Final = option(
    "Statistics",
    "--aggregate",
    "aggregates",
    metavar="NAME,NAME,...",
    callback=parsed(_as_aggregates, none=()),
    help="Rows to show instead of the mean: mean, median, gmean (geometric, of scores from "
    "0.00001), stdev, min, max, or a quantile such as q25.",
)
weights: Final = further(options_of(EVALUATE, "weights", weights=_TABLE | {"group": "Statistics"}))
sampled: Final = further(
    options_of(
        EVALUATE,
        "sampled",
        sampled={
            "metavar": "ITEMS,NEGATIVES",
            "callback": parsed(
                lambda given: tuple(map(int, given.split(","))), "{!r}; need two whole numbers"
            ),
        },
    )
)
tie_interval: Final = further(
    flag(
        "--tie-interval",
        "Show how much ties can change each measure. [default: only if a printed digit would "
        "change]",
        "Statistics",
    )
)
bounds: Final = further(
    flag(
        "--bounds",
        "Show how much judging the unjudged documents could change each measure.",
        "Statistics",
    )
)
seen: Final = further(options_of(EVALUATE, "seen"))
_WORD_OR_FILE = {"type": str, "metavar": "FILE"}
of_items: Final = further(
    options_of(
        EVALUATE,
        *("history", "catalogue", "popularity", "items", "groups"),
        history=_TABLE,
        catalogue=_WORD_OR_FILE | {"metavar": "history|union|FILE"},
        popularity=_WORD_OR_FILE | {"metavar": "users|interactions|FILE"},
        items=_TABLE,
        groups=_TABLE
        | {
            "group": "Data",
            "help": "Groups of items, for measures of how fair lists are: a table "
            "with columns item_id and group, and share if an item is in several.",
        },
    )
)
"""What is known of items, for measures of lists."""
items: Final = together(
    of_items,
    further(
        options_of(EVALUATE, "user_groups", user_groups=_WORD_OR_FILE | {"metavar": "FILE|COLUMN"})
    ),
)
"""What is known of users and items."""
corpus: Final = further(options_of(EVALUATE, "corpus", "unwinnable"))
quiet: Final = further(
    flag(
        "--quiet",
        "Leave out the audit, how files were read, and the progress bar; conventions other than "
        "the usual ones, warnings and what the numbers mean remain.",
    )
)
verbose: Final = further(
    option(
        "Output",
        "-v",
        "--verbose",
        is_flag=True,
        help="Also write what is as usual, notes that change no decision, such as how intervals "
        "were found, and the audit of each run in full.",
    )
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


threads: Final = further(options_of(EVALUATE, "threads", threads={"type": click.IntRange(min=1)}))


lower_better: Final = option(
    "Conventions",
    "--lower-better",
    metavar="RUN",
    multiple=True,
    help="A RUN of which lower scores are better, as of distances; can be repeated.",
)
seed: Final = further(
    option(
        "Statistics",
        "--seed",
        type=click.IntRange(0, 2**64 - 1),
        default=0,
        show_default=True,
        help="Seed of the draws.",
    )
)


memory: Final = further(
    options_of(
        EVALUATE,
        "memory",
        memory={"metavar": "SIZE", "callback": parsed(later("data.contract.resources:as_memory"))},
    )
)


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


TOOL: Final[dict[str, Any]] = {
    "metavar": "TOOL",
    "callback": known_profile,
    "shell_complete": complete_profile,
}
"""What an option is that names a profile."""
profile: Final = option(
    "Conventions",
    "--profile",
    **TOOL,
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


_CONVENTIONS: dict[str, dict[str, Any]] = {
    name: {"metavar": one.metavar}
    if one.metavar is not None
    else {"type": click.Choice(one.words) if one.words else click.IntRange(min=1)}
    for name, one in DECLARED.items()
    if not one.is_flag
} | {"queries": {"type": str, "metavar": "judged|both|ID,ID,...|@FILE"}}


def convention(*names: str) -> Callable[[Command], Command]:
    """Declare the options of some conventions, for a command that does not have them all."""
    return further(options_of(EVALUATE, *names, **_CONVENTIONS))


known_conventions: Final = convention(*DECLARED)
"""The options for conventions that reconcile keeps where they are given."""
conventions: Final = together(known_conventions, further(profile), _given_replace_profile)
"""The options for conventions."""
parents: Final = options_of(EVALUATE, "parents", parents=_TABLE)
qrels_parents: Final = options_of(EVALUATE, "qrels_parents", qrels_parents=_TABLE)
_OF_DOCUMENTS = "document_weights", "document_slices", "document_costs"
document_weights: Final = options_of(
    EVALUATE, *_OF_DOCUMENTS, **dict.fromkeys(_OF_DOCUMENTS, _TABLE)
)
formats: Final = further(
    qrels_format,
    run_format,
    column,
    qrels_column,
    run_column,
    contents,
    options_of(EVALUATE, "split", "failed", split=_SEPARATOR, failed=FAILED),
    parents,
    qrels_parents,
    document_weights,
)
"""The options for formats, columns, contents, and the documents of units."""

reading: Final = together(formats, threads, memory)
"""The options for reading of all commands that evaluate runs."""


def asked(about: str | None = None, *, with_cutoffs: bool = False) -> Callable[[Command], Command]:
    """Make the options for what is evaluated, with a help text for the measures."""
    named = measures if about is None else measure_option(about)
    return together(seen, named, *[cutoffs] * with_cutoffs, rel, conventions)


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


page: Final = also(
    "html", "a page of HTML with the tables and the plots; requires matplotlib", "page"
)
record: Final = further(
    option(
        "Output",
        "--record",
        metavar="FILE",
        type=PATH,
        help="Write hashes of the inputs, the options, versions and values, for `rankmark verify`.",
    )
)

by_query: Final = together(per_query, form, long)
"""The options for results with values by query."""
written: Final = together(output, quiet)
closing: Final = together(page, written)
scores: Final = together(by_query, closing)
"""The options for what commands on answers write."""
lists: Final = further(run_format, column, contents, parents)
"""The options for runs alone."""
units: Final = convention("unit", "combine", "unit_depth")
CLUSTERS: Final[dict[str, Any]] = {"flag": ["--clusters", "--cluster"]}
SOME_QUERIES: Final[dict[str, Any]] = {"metavar": "judged|both|ID,...|@FILE", "type": str}
"""What ``--queries`` is where ids may be given."""


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
    return click.argument(plain, type=FILE, **{"required": "[" not in name} | described)
