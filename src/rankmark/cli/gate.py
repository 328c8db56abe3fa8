"""``rankmark gate``: decide whether a new run may replace the baseline."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankmark.cli import options
from rankmark.cli.faults import leave_stdout, refuse_conflicts, reported_errors
from rankmark.cli.publishing import write_output
from rankmark.cli.recording import record, refuse_recording, write_record
from rankmark.cli.statistics_options import by_option, clusters

if TYPE_CHECKING:
    from rankmark.results.gate_condition import Condition
    from rankmark.results.gate_result import GateResult
    from rankmark.statistics.margin_decision import Unchanged

T = TypeVar("T")


def _file(name: str, what: str) -> Callable[[options.Command], options.Command]:
    return click.option(
        f"--{name}",
        f"{name}_file",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help=f"Also write {what} to a file, completely or not at all.",
    )


@click.command(short_help="Decide whether a new run may replace a baseline.")
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("base", type=click.Path(allow_dash=True))
@click.argument("new", type=click.Path(allow_dash=True))
@options.measure_option(
    "A measure, such as nDCG@10, or several; can be repeated. [default: nDCG@10, unless --config "
    "has conditions]"
)
@options.rel
@click.option(
    "--max-drop",
    "max_drops",
    multiple=True,
    metavar="NUMBER|PERCENT",
    help="How much worse the mean may be: in units of the measure, or a share of the baseline's "
    "mean, such as 1%; once for all measures, or once for each -m, in their order. Needed for each "
    "condition, unless --require-better.",
)
@click.option("--require-better", is_flag=True, help="Require a better mean instead.")
@click.option(
    "--max-query-drop",
    "query_drops",
    multiple=True,
    type=float,
    metavar="NUMBER",
    help="The most that one query can lose, an assumption that is printed with the verdict; once "
    "for all measures, or once for each -m. [default: the range of the measure]",
)
@click.option(
    "--unchanged",
    type=click.Choice(["decide", "pass"]),
    help="If no score differs, decide by the bound as always, or pass by policy. "
    " [default: decide]",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence of the one-sided bound that decides.",
)
@click.option(
    "--anytime",
    is_flag=True,
    help="Use bounds that hold however often you look as queries come in: a confidence sequence.",
)
@clusters
@by_option("for which each -m has to hold as well")
@click.option(
    "--config",
    metavar="FILE",
    type=click.Path(),
    help="A TOML file with conditions, slices and conventions.",
)
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="Number of queries to list, of those that lost most.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "junit", "markdown"]),
    default="table",
    show_default=True,
    help="Format of stdout, or of --output.",
)
@options.output
@_file("json", "JSON")
@_file("junit", "JUnit XML")
@_file("markdown", "a Markdown summary")
@record
@options.formats
@options.conventions
@options.threads
@options.memory
def gate(
    qrels: str,
    base: str,
    new: str,
    measures: tuple[str, ...],
    max_drops: tuple[str, ...],
    require_better: bool,
    query_drops: tuple[float, ...],
    unchanged: Unchanged | None,
    confidence: float,
    anytime: bool,
    clusters: str | None,
    by: str | None,
    config: str | None,
    worst: int,
    form: str,
    output: Path | None,
    json_file: Path | None,
    junit_file: Path | None,
    markdown_file: Path | None,
    record: Path | None,
    rel: float | None,
    queries: str,
    **conventions: Any,
) -> None:
    """Decide whether NEW may replace BASE: whether it is worse by less than a margin.

    A condition holds if the one-sided confidence bound of the mean difference, NEW minus BASE, lies
    above -max-drop. It does not hold if a larger drop was shown. Otherwise the gate cannot tell,
    and does not pass either. The exit code is 0 if all conditions hold, 3 if one does not hold or
    the gate cannot tell, 1 if the input is wrong, and 2 for wrong usage.

    \b
      rankmark gate qrels.txt main.run branch.run -m nDCG@10 --max-drop 0.01
      rankmark gate qrels.txt main.run branch.run --config gate.toml --junit gate.xml
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.cli.evaluate import chosen_queries  # noqa: PLC0415
        from rankmark.cli.progress import Progress  # noqa: PLC0415
        from rankmark.verbs.gate import gate as decide  # noqa: PLC0415

        files = {"json": json_file, "junit": junit_file, "markdown": markdown_file}
        read = [qrels, base, new, conventions["seen"], clusters, by, config]
        written_files = (output, *files.values(), record)
        refuse_recording(record, refuse_conflicts(read, *written_files, queries=queries))
        context, usual = click.get_current_context(), click.core.ParameterSource.DEFAULT
        given = {
            name: value
            for name, value in conventions.items()
            if context.get_parameter_source(name) != usual
        }
        if context.get_parameter_source("queries") != usual:
            given["queries"] = chosen_queries(queries)
        conditions = _conditions(
            measures if measures or config else ("nDCG@10",),
            max_drops,
            query_drops,
            require_better=require_better,
            confidence=confidence,
        )
        if by is not None:
            conditions += [one.of(one.measure, "*") for one in conditions]
        given |= {} if rel is None else {"rel": rel}
        with Progress([qrels, base, new]) as progress:
            result = decide(
                qrels,
                base,
                new,
                *conditions,
                clusters=clusters,
                by=by,
                anytime=anytime,
                unchanged=unchanged or "decide",
                config=config,
                worst=worst,
                progress=progress.update,
                **given,
            )
        for kind, file in files.items():
            if file is not None:
                write_output(written(result, kind), file)
        if record is not None:
            _record(record, result, qrels, base, new, clusters)
        try:
            write_output(written(result, form), output)
        except BrokenPipeError:  # the reader has ended, which changes nothing about the verdict
            leave_stdout()
        if not result:
            sys.exit(result.exit_code)


def _conditions(
    measures: Sequence[str],
    max_drops: Sequence[str],
    query_drops: Sequence[float],
    *,
    require_better: bool,
    confidence: float,
) -> list[Condition]:
    """Return the conditions that the options describe; what is impossible is wrong usage."""
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.verbs.gate import as_conditions  # noqa: PLC0415

    drops = _for_each(measures, max_drops, "--max-drop")
    largest = _for_each(measures, query_drops, "--max-query-drop")
    try:
        return [
            condition
            for name, drop, most in zip(measures, drops, largest, strict=True)
            for condition in as_conditions(
                [name],
                max_drop=drop,
                require_better=require_better,
                max_query_drop=most,
                confidence=confidence,
            )
        ]
    except InputError as error:
        raise click.UsageError(str(error)) from None


def _for_each(measures: Sequence[str], given: Sequence[T], option: str) -> Sequence[T | None]:
    """Return a value for each measure, of an option that is given once for all or once for each."""
    if given[1:] and len(given) != len(measures):
        raise click.UsageError(
            f"{len(given)} {option} and {len(measures)} -m; give one for all, or one for each"
        )
    return given if given[1:] else (*given, None)[:1] * len(measures)


def _record(
    path: Path, result: GateResult, qrels: str, base: str, new: str, clusters: str | None
) -> None:
    from rankmark.verbs.run_record import gate_values  # noqa: PLC0415

    method = "confidence sequence" if result.anytime else "reweighting bound of the mean difference"
    write_record(
        path,
        "gate",
        qrels,
        (base, new),
        {**result.choices, "clusters": clusters},
        gate_values(result, (base, new)),
        result.new.conventions,
        measures=list(dict.fromkeys(str(one.condition.measure) for one in result.conditions)),
        baseline=base,
        tests=[method],
    )


def written(result: GateResult, form: str) -> str:
    """Return a result in one of the formats of the command."""
    if form == "json":
        return result.to_json(indent=2) + "\n"
    if form == "junit":
        return result.to_junit()
    return result.to_markdown() if form == "markdown" else result.to_text()
