"""``rankmark gate``: decide whether a new run may replace the baseline."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import PATH, Command, option
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.writing import (
    TABULAR,
    refuse_recording,
    width_of,
    write_output,
    write_record,
)
from rankmark.results.details import ON_COMMAND_LINE
from rankmark.verbs.gate.gate_options import BY_NAME, OF_CONDITIONS, OPTIONS, GateOption

if TYPE_CHECKING:
    from rankmark.verbs.gate.gate_config import ConfigFile
    from rankmark.verbs.gate.gate_result import GateResult
    from rankmark.verbs.gate.gated_systems import Given
    from rankmark.verbs.gate.gates import Gates

T = TypeVar("T")
_SEVERAL = tuple(one.name for one in OPTIONS if one.kind == "names")
FOR_EACH = ("max_drop", "max_query_drop")
"""Options that are given once for all measures, or once for each."""


def gate_option(one: GateOption) -> Callable[[Command], Command]:
    """Make an option of the command line, which is None unless it is given."""
    usual = "" if one.default in {None, False} else f" [default: {one.default}]"
    if one.kind == "range":
        return option(
            "Decision", *names_of(one), nargs=2, type=float, metavar=one.metavar, help=one.help
        )
    kinds: dict[str, Any] = {
        "whole": click.IntRange(min=one.lowest),
        "word": click.Choice(one.words),
        "file": click.Path(allow_dash=True),
        "confidence": click.FloatRange(0.5, 1, min_open=True, max_open=True),
        "max_query_drop": float,
    }
    names = names_of(one)
    if one.kind == "flag" or one.name == "require_better":
        return option("Decision", *names, is_flag=True, default=None, help=one.help)
    return option(
        "Decision",
        *names,
        type=kinds.get(one.name, kinds.get(one.kind, str)),
        multiple=one.name in FOR_EACH or one.kind == "names",
        metavar=one.metavar,
        help=f"{one.help}{usual}",
    )


def names_of(one: GateOption) -> list[str]:
    """Return the names of an option on the command line, and of its parameter."""
    return [one.flag, *([one.also] if one.also else []), one.name]


def _file(name: str, what: str) -> Callable[[Command], Command]:
    return option(
        "Output",
        f"--{name}",
        f"{name.replace('-', '_')}_file",
        metavar="FILE",
        type=PATH,
        help=f"Also write {what} to a file, completely or not at all.",
    )


@command_of(
    "verbs.gate.gate:gate",
    ["qrels", "[base]", options.files("[new...]", metavar="NEW...")],
    option(
        "Data",
        "--scores",
        "are_scores",
        is_flag=True,
        help="There are no QRELS: BASE and NEW are scores by query, a table with query_id and a "
        "column for each score, or what other commands write with --per-query and --format json or "
        "csv.",
    ),
    options.seen,
    options.measure_option(
        "A measure, such as nDCG@10, or several; can be repeated. [default: nDCG@10, unless "
        "--config has conditions]",
    ),
    options.rel,
    options.conventions,
    *map(gate_option, OPTIONS),
    option(
        "Decision",
        "--config",
        metavar="FILE",
        type=click.Path(),
        help="A TOML file with conditions, options, slices, runs and conventions.",
    ),
    options.format_option("table", "json", "csv", "parquet", "junit", "markdown"),
    options.output,
    _file("json", "JSON"),
    _file("junit", "JUnit XML"),
    _file("markdown", "a Markdown summary"),
    options.record,
    options.quiet,
    options.verbose,
    options.reading,
)
def gate(
    call: Call,
    qrels: str,
    base: str | None,
    new: tuple[str, ...],
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
    above -max-drop. It does not hold if a larger drop was shown. Otherwise the gate cannot tell,
    and does not pass either. The exit code is 0 if all conditions hold, 3 if one does not hold or
    the gate cannot tell, 1 if the input is wrong, and 2 for wrong usage.

    Several runs in place of NEW are candidates: the allowed error is divided among them, and the
    exit code is 0 if at least one may go live. A quoted pattern, such as 'seed*.run', is one system
    of several runs, whose scores are averaged; so is a name that --config gives to several runs.
    With --scores, BASE and NEW are tables of scores, such as those of answers. Alone, QRELS is a
    TOML file of several gates, all of which have to hold.

    \b
      rankmark gate qrels.txt main.run branch.run -m nDCG@10 --max-drop 0.02
      rankmark gate qrels.txt main.run a.run b.run --max-drop 0.02
      rankmark gate qrels.txt main.run a.run --config gate.toml --junit gate.xml
      rankmark gate --scores main.json branch.json -m strict_vital --max-drop 0.05
      rankmark gate gates.toml --junit gates.xml
    """  # noqa: D301  (click reads the backspace)
    also = {"json": json_file, "junit": junit_file, "markdown": markdown_file}
    if base is None:
        _decide_all(call, qrels, also)
        return
    from rankmark.verbs.gate.gate_config import ConfigFile  # noqa: PLC0415
    from rankmark.verbs.gate.recorded import of_gate  # noqa: PLC0415

    chosen = {name: call.given.pop(name) or None for name in _SEVERAL}
    chosen |= {name: call.given.pop(name) for name in BY_NAME if name not in _SEVERAL}
    judgments: str | None = qrels
    if are_scores:
        judgments, base, new = None, qrels, (base, *new)
    elif not new:
        raise click.UsageError("Missing argument 'NEW...'.")
    given_config = None if config is None else ConfigFile.read(config)
    first, *candidates = systems = _systems(base, new, given_config)
    runs = [str(run) for system in systems for run in system.runs]
    fixed = _fixed_runs(chosen["reference"], given_config)
    others = [] if given_config is None else given_config.files()
    call.prepare(*runs, *others, but=["base", "new", *["qrels"] * are_scores])
    refuse_recording(record, call.inputs)
    call.given = {name: value for name, value in call.given.items() if call.is_given(name)}
    if are_scores and record is not None:
        raise click.UsageError("--record is for runs, and not for --scores")
    conditions, shared = asked_conditions(measures, chosen, config, are_scores=are_scores)
    several = {name: chosen[name] for name in _SEVERAL if chosen[name]}
    result = call.result(
        judgments,
        first,
        {str(one.name): one for one in candidates} if candidates[1:] else candidates[0],
        *conditions,
        told=None if are_scores else [qrels, *runs, *fixed],
        config=given_config,
        **{
            **chosen,
            **dict.fromkeys(FOR_EACH),
            **dict.fromkeys(_SEVERAL, ()),
            **shared,
            **several,
        },
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
            write_output(written(result, kind, verbose=verbose), file)


def _decide(call: Call, result: GateResult | Gates) -> None:
    verbose, width = call.verbose, width_of(call.output)
    call.decide(result, text=lambda: written(result, call.form, width, verbose=verbose), notes=[])


_OF_ALL = {"qrels", "new", "form", "output", "json_file", "junit_file", "markdown_file"}
_OF_ALL |= {"quiet", "verbose"}


def _decide_all(call: Call, path: str, files: Mapping[str, Path | None]) -> None:
    """Decide all gates of a file."""
    from rankmark.verbs.gate.gates import gates  # noqa: PLC0415

    for one in click.get_current_context().command.params:
        if one.name not in {*_OF_ALL, "base"} and call.is_given(str(one.name)):
            raise click.UsageError(
                f"Missing argument 'BASE'; {one.opts[0]} of several gates is a key of their file"
            )
    if call.form in TABULAR:
        raise click.UsageError(
            f"{call.form} is for a single gate; choose table, json, junit or markdown"
        )
    call.prepare()
    result = gates(path)
    _write_also(result, files, verbose=call.verbose)
    _decide(call, result)


def _systems(base: str, new: Sequence[str], config: ConfigFile | None) -> list[Given]:
    """Return the systems, candidates with a name each if there are several."""
    from rankmark.results.run_names import short_names  # noqa: PLC0415
    from rankmark.verbs.gate.gated_systems import given_system  # noqa: PLC0415

    named = {} if config is None else config.runs()
    for path in new:
        if new.count(path) > 1:
            raise click.UsageError(f"{path} is given twice as NEW")
    paths = (base, *new)
    systems = [given_system(path, named) for path in paths]
    if not new[1:]:
        return systems
    files = [Path(path).name for path in paths]
    names = files if len(set(files)) == len(files) else short_names(paths)
    return [one._replace(name=one.name or name) for one, name in zip(systems, names, strict=True)]


def _fixed_runs(given: str | None, config: ConfigFile | None) -> list[str]:
    """Return the paths of the runs of the fixed reference; none without one."""
    from rankmark.verbs.gate.gated_systems import given_reference  # noqa: PLC0415

    if given is None and config is not None:
        given = config.options().get("reference")
    return [str(run) for one in given_reference(given, {}) for run in one.runs]


def written(
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
    measures: Sequence[str],
    chosen: Mapping[str, Any],
    config: str | None,
    *,
    are_scores: bool = False,
) -> tuple[list[dict[str, dict[str, Any]]], dict[str, Any]]:
    """Return the conditions that the options describe, and what all of them have in common.

    What is impossible is wrong usage.
    """
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.verbs.gate.gate_conditions import as_conditions, refuse_combinations  # noqa: PLC0415

    names = [*measures] or ([] if config or are_scores else ["nDCG@10"])
    each = {name: _for_each(names, chosen[name], BY_NAME[name].flag) for name in FOR_EACH}
    conditions = [
        {name: {key: values[at] for key, values in each.items() if values[at] is not None}}
        for at, name in enumerate(names)
    ]
    # Without -m, they are for the conditions of the file, or for the only score.
    shared = {} if names else {name: chosen[name][0] for name in FOR_EACH if chosen[name]}
    of_conditions = {
        name: chosen[name]
        for name in OF_CONDITIONS
        if name not in FOR_EACH and chosen[name] is not None
    }
    try:
        if config is None:  # which may have what is missing here
            given = {k: v for k, v in chosen.items() if v is not None}
            refuse_combinations(given, are_scores=are_scores)
        if config is None or any(chosen[name] for name in FOR_EACH):
            as_conditions(conditions, of_conditions, scored=chosen if are_scores else None)
    except InputError as error:
        raise click.UsageError(_in_flags(str(error))) from None
    return conditions, shared


def _in_flags(message: str) -> str:
    """Write options as they are typed; one-word names stay, as they may be meant as words."""
    names = "|".join(name for name in BY_NAME if "_" in name)
    return re.sub(rf"\b({names})\b", lambda found: BY_NAME[found[0]].flag, message)


def _for_each(measures: Sequence[str], given: Sequence[T], option: str) -> Sequence[T | None]:
    """Return a value for each measure, of an option that is given once for all or once for each."""
    if given[1:] and len(given) != len(measures):
        raise click.UsageError(
            f"{len(given)} {option} and {len(measures)} -m; give one for all, or one for each"
        )
    return given if given[1:] else (*given, None)[:1] * len(measures)
