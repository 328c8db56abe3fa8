"""``rankmark gate``: decide whether a new run may replace the baseline."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import Command, further, option
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.systems import named_systems, names_of_systems
from rankmark.commands.parts.verb_options import Verb, further_own, own
from rankmark.commands.parts.writing import (
    TABULAR,
    refuse_recording,
    width_of,
    write_output,
    write_record,
)
from rankmark.results.details import ON_COMMAND_LINE

if TYPE_CHECKING:
    from rankmark.verbs.evaluate.given_runs import NamedRuns
    from rankmark.verbs.evaluate.provenance import Given
    from rankmark.verbs.gate.gate_config import ConfigFile
    from rankmark.verbs.gate.gate_result import GateResult
    from rankmark.verbs.gate.gates import Gates

T = TypeVar("T")
VERB = "verbs.gate.gate:gate"
FOR_EACH = ("max_drop", "max_query_drop")
"""Options that are given once for all measures, or once for each."""
CHANGED: dict[str, Any] = {
    "max_drop": {
        "multiple": True,
        "for_each": True,
        "metavar": "NUMBER|PERCENT",
        "help": "How much worse the mean may be: in units of the measure, or a share of the "
        "baseline's mean, such as 1%; once for all measures, or once for each -m, in their order. "
        "Needed for each condition, unless --require-better.",
    },
    "max_query_drop": {
        "multiple": True,
        "for_each": True,
        "metavar": "NUMBER",
        "help": "The most that one query can lose, an assumption that is printed with the verdict; "
        "once for all measures, or once for each -m. [default: the range of the measure]",
    },
    "confidence": {
        "type": click.FloatRange(0.5, 1, min_open=True, max_open=True),
        "metavar": "SHARE",
    },
    "clusters": options.CLUSTERS,
    "largest_weight": {"metavar": "NUMBER"},
    "largest_cluster": {"metavar": "NUMBER"},
    "slices": None,
    "by": {"metavar": "FILE|COLUMN"},
    "min_slice": {"metavar": "N"},
    "worst": {"metavar": "N"},
    "plan": {"type": click.Path(), "metavar": "FILE"},
    "score_range": {"type": float, "nargs": 2, "metavar": "LOW HIGH"},
    "lower_is_better": {"metavar": "SCORE"},
    "config": {"type": click.Path(), "metavar": "FILE"},
}
"""What does not follow from the signature of ``gate``."""
_FILES = {"json": "JSON", "junit": "JUnit XML", "markdown": "a Markdown summary"}


def _also(name: str) -> Callable[[Command], Command]:
    """Declare the option of a file that is written, too."""
    what = f"{_FILES[name]} to a file, completely or not at all"
    return options.also(name, what, f"{name}_file")


@command_of(
    VERB,
    ["qrels", "[base]", options.files("[new...]", metavar="NEW...")],
    named_systems,
    option(
        "Data",
        "--scores",
        "are_scores",
        is_flag=True,
        help="There are no QRELS: BASE and NEW are scores by query, a table with query_id and a "
        "column for each score, or what other commands write with --per-query and --format json or "
        "csv.",
    ),
    options.asked(
        "A measure, such as nDCG@10, or several; can be repeated. [default: nDCG@10, unless "
        "--config has conditions]"
    ),
    options.items,
    options.corpus,
    own("max_drop", "require_better", "by", "config"),
    further_own(),
    options.format_option("table", "json", "csv", "parquet", "junit", "markdown"),
    options.output,
    _also("junit"),
    further(_also("json"), _also("markdown")),
    options.record,
    options.quiet,
    options.verbose,
    options.reading,
    **CHANGED,
)
def gate(
    call: Call,
    qrels: str,
    base: str | None,
    new: tuple[str, ...],
    systems: dict[str, list[str]],
    are_scores: bool,
    measures: tuple[str, ...],
    config: str | None,
    json_file: Path | None,
    junit_file: Path | None,
    markdown_file: Path | None,
    record: Path | None,
) -> None:
    """Decide whether NEW may replace BASE: whether it is worse by less than a margin.

    A condition holds if the one-sided confidence bound of the mean difference, NEW minus BASE, lies
    above minus --max-drop. It does not hold if a larger drop was shown. Otherwise the gate cannot
    tell, and does not pass either. The exit code is 0 if all conditions hold, 3 if one does not
    hold or the gate cannot tell, 1 if the input is wrong, and 2 for wrong usage.

    \b
      rankmark gate qrels.txt main.run branch.run -m nDCG@10 --max-drop 0.02
      rankmark gate qrels.txt main.run a.run b.run --max-drop 0.02
      rankmark gate qrels.txt main.run a.run --config gate.toml --junit gate.xml
      rankmark gate --scores main.json branch.json -m strict_vital --max-drop 0.05

    \f
    Several runs in place of NEW are candidates: the allowed error is divided among them, and the
    exit code is 0 if at least one may go live. A quoted pattern, such as 'seed*.run', is one system
    of several runs, whose scores are averaged; so is a name that --config gives to several runs.
    With --scores, BASE and NEW are tables of scores, such as those of answers. Alone, QRELS is a
    TOML file of several gates, all of which have to hold.

    \b
      rankmark gate gates.toml --junit gates.xml
    """  # noqa: D301  (click reads the backspace)
    also = {"json": json_file, "junit": junit_file, "markdown": markdown_file}
    if base is None and not systems:
        gates = _decided(call, qrels)
        _write_also(gates, also, verbose=call.verbose)
        _decide(call, gates)
        return
    from rankmark.verbs.gate.gate import gate  # noqa: PLC0415
    from rankmark.verbs.gate.gate_config import ConfigFile  # noqa: PLC0415
    from rankmark.verbs.gate.gated_systems import given_reference  # noqa: PLC0415
    from rankmark.verbs.gate.recorded import of_gate  # noqa: PLC0415

    judgments: str | None = qrels
    if are_scores:
        judgments, base, new = None, qrels, (base, *new)
    file = None if config is None else ConfigFile.read(config, gate)
    first, *candidates = given = _systems((base, *new), systems, file)
    runs = [str(run) for system in given for run in system.runs]
    reference = call.given["reference"]
    if reference is None and file is not None:
        reference = file.options().get("reference")
    fixed = [str(run) for one in given_reference(reference, {}) for run in one.runs]
    others = [] if file is None else file.files()
    call.prepare(*runs, *others, but=["base", "new", *["qrels"] * are_scores])
    refuse_recording(record, call.inputs)
    if are_scores and record is not None:
        raise click.UsageError("--record is for runs, and not for --scores")
    call.leave_defaults()
    result = call.result(
        judgments,
        first,
        {str(one.name): one for one in candidates} if candidates[1:] else candidates[0],
        *asked_conditions(call, measures, config, are_scores=are_scores),
        told=None if are_scores else [qrels, *runs, *fixed],
        config=file,
    )
    _write_also(result, also, verbose=call.verbose)
    if record is not None:
        write_record(record, "gate", qrels, runs, result.choices, of_gate(result, runs))
    _decide(call, result)


def _write_also(
    result: GateResult | Gates, files: Mapping[str, Path | None], *, verbose: bool
) -> None:
    for kind, file in files.items():
        if file is not None:
            write_output(_written(result, kind, verbose=verbose), file)


def _decide(call: Call, result: GateResult | Gates) -> None:
    verbose, width = call.verbose, width_of(call.output)
    call.decide(result, text=lambda: _written(result, call.form, width, verbose=verbose), notes=[])


_OF_ALL = {"qrels", "base", "new", "form", "output", "json_file", "junit_file", "markdown_file"}
_OF_ALL |= {"quiet", "verbose"}


def _decided(call: Call, path: str) -> Gates:
    """Decide all gates of a file."""
    from rankmark.verbs.gate.gates import gates  # noqa: PLC0415

    for one in click.get_current_context().command.params:
        if one.name not in _OF_ALL and call.is_given(str(one.name)):
            raise click.UsageError(
                f"Missing argument 'BASE'; {one.opts[0]} of several gates is a key of their file"
            )
    if call.form in TABULAR:
        raise click.UsageError(
            f"{call.form} is for a single gate; choose table, json, junit or markdown"
        )
    call.prepare()
    return gates(path)


def _systems(
    paths: Sequence[str | None], more: NamedRuns, config: ConfigFile | None
) -> list[Given]:
    """Return the systems, candidates with a name each if there are several."""
    from rankmark.results.run_names import short_names  # noqa: PLC0415
    from rankmark.verbs.evaluate.given_runs import given_system  # noqa: PLC0415

    named = {**({} if config is None else config.runs()), **more}
    paths = names_of_systems(paths, more, 2, "NEW...")
    for path in (new := paths[1:]):
        if new.count(path) > 1:
            raise click.UsageError(f"{path} is given twice as NEW")
    systems = [given_system(path, named) for path in paths]
    if not new[1:]:
        return systems
    files = [Path(path).name for path in paths]
    names = files if len(set(files)) == len(files) else short_names(paths)
    return [one._replace(name=one.name or name) for one, name in zip(systems, names, strict=True)]


def _written(
    result: GateResult | Gates, form: str, width: int | None = None, *, verbose: bool = False
) -> str:
    """Return a result in one of the formats of the command, text in lines of ``width``."""
    if form == "json":
        return result.to_json(indent=2) + "\n"
    if form == "junit":
        return result.to_junit()
    if form == "markdown":
        return result.to_markdown(verbose=verbose, how=ON_COMMAND_LINE)
    return result.to_text(verbose=verbose, width=width, how=ON_COMMAND_LINE)


def asked_conditions(
    call: Call, measures: Sequence[str], config: str | None, *, are_scores: bool = False
) -> list[dict[str, dict[str, Any]]]:
    """Return the conditions that the options describe, and leave those for all of them.

    What is impossible is wrong usage.
    """
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.verbs.gate.gate_conditions import as_conditions, refuse_combinations  # noqa: PLC0415
    from rankmark.verbs.gate.gate_options import OF_CONDITIONS  # noqa: PLC0415

    given = call.given
    if given.get("plan") and (measures or [name for name in FOR_EACH if given.get(name)]):
        raise click.UsageError("-m and --max-drop are those of the plan; leave them out")
    has_own = config or are_scores or given.get("plan")
    names = [*measures] or ([] if has_own else ["nDCG@10"])
    each = {name: given.pop(name) for name in FOR_EACH if name in given}
    values = {name: _for_each(names, given, name) for name, given in each.items()}
    conditions = [
        {name: {key: of[at] for key, of in values.items()}} for at, name in enumerate(names)
    ]
    if not names:  # they are for the conditions of the file, or for the only score
        given |= {name: of[0] for name, of in each.items()}
    try:
        if config is None:  # which may have what is missing here
            refuse_combinations(given, are_scores=are_scores)
        if config is None or each:
            shared = {name: given[name] for name in OF_CONDITIONS if name in given}
            as_conditions(conditions, shared, scored=given if are_scores else None)
    except InputError as error:
        raise click.UsageError(_in_flags(str(error))) from None
    return conditions


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _in_flags(message: str) -> str:
    """Write options as they are typed; one-word names stay, as they may be meant as words."""
    names = "|".join(name for name in Verb(VERB).parameters() if "_" in name)
    return re.sub(rf"\b({names})\b", lambda found: _flag(found[0]), message)


def _for_each(measures: Sequence[str], given: Sequence[T], name: str) -> Sequence[T]:
    """Return a value for each measure, of an option that is given once for all or once for each."""
    if given[1:] and len(given) != len(measures):
        raise click.UsageError(
            f"{len(given)} {_flag(name)} and {len(measures)} -m; give one for all, or one for each"
        )
    return given if given[1:] else [*given] * len(measures)
