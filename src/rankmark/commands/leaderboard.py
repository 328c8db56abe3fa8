"""``rankmark leaderboard``: rank models by their scores on tasks."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.pictures import page_option, plot_option, write_page, write_plot
from rankmark.commands.parts.publishing import (
    TABULAR,
    width_of,
    write_notes,
    write_output,
    write_table,
)

_COLUMNS = ("model", "task", "query_id", "score")


@command()
@click.argument("table", type=click.Path(allow_dash=True))
@option(
    "Conventions",
    "--by",
    type=click.Choice(["mean", "borda"]),
    default="mean",
    show_default=True,
    help="Rank by the mean over tasks, or by Borda points: in each task, a point for each model "
    "that is beaten.",
)
@option(
    "Data",
    "--tasks",
    metavar="NAME,NAME,...|@FILE",
    help="The tasks that count, or a file with one per line. [default: all]",
)
@option(
    "Conventions",
    "--missing",
    type=click.Choice(["unranked", "common", "error"]),
    default="unranked",
    show_default=True,
    help="Models without a score of some task are listed without a rank; or only tasks that all "
    "models have count (common); or they are refused (error).",
)
@option(
    "Conventions",
    "--lower-is-better",
    "lower_is_better",
    multiple=True,
    metavar="TASK",
    help="A task in which lower scores are better; can be repeated.",
)
@option(
    "Statistics",
    "--over",
    type=click.Choice(["tasks", "queries", "both"]),
    default="tasks",
    show_default=True,
    help="What could have been drawn instead: other tasks; or, with scores by query, other queries "
    "of these tasks, or both.",
)
@options.confidence(
    "Confidence of the intervals. All pairs together are tested at a level of 1 minus it."
)
@options.resamples(10_000, "Number of draws.")
@options.seed
@options.column_option(
    "column",
    "Name of the column that contains model, task, query_id or score, if it is not recognised; can "
    "be repeated.",
    _COLUMNS,
)
@option(
    "Reading",
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    help="In a folder of MTEB results, only subsets in this language, such as eng; can be "
    "repeated.",
)
@option(
    "Reading",
    "--split",
    "splits",
    multiple=True,
    metavar="NAME",
    help="In a folder of MTEB results, only this split, such as test; can be repeated.",
)
@options.form
@option(
    "Output",
    "--pairs",
    is_flag=True,
    help="Write the pairs of models: in csv and parquet instead of the models, in json with them.",
)
@option(
    "Output",
    "--top",
    type=click.IntRange(min=1),
    help="How many models to show in table, markdown and latex, and to draw. [default: all, and 40 "
    "in the plot]",
)
@plot_option("Also write a plot of the rank intervals; requires matplotlib.")
@page_option
@options.output
@options.quiet
@options.threads
def leaderboard(
    table: str,
    tasks: str | None,
    columns: dict[str, str] | None,
    languages: tuple[str, ...],
    splits: tuple[str, ...],
    form: Any,
    pairs: bool,
    top: int | None,
    picture: Path | None,
    page: Path | None,
    output: Path | None,
    quiet: bool,
    **chosen: Any,
) -> None:
    """Rank models by their scores on tasks, and show how uncertain their ranks are.

    TABLE is a file with a row for each model and a column for each task, or with the columns model,
    task and score (and query_id): CSV, TSV, JSON, JSONL, Parquet or Arrow; or a folder of results
    as MTEB writes them. The first line says which model is first, and how many others may be.
    Models that lack tasks are listed without a rank.

    \b
      rankmark leaderboard scores.csv
      rankmark leaderboard results/ --language eng --tasks @tasks.txt --top 20
      rankmark leaderboard by_query.parquet --over queries --plot ranks.svg
    """  # noqa: D301  (click reads the backspace)
    if pairs and form not in ("csv", "parquet", "json", "jsonl"):
        raise click.UsageError("--pairs is for --format json, jsonl, csv and parquet")
    with reported_errors():
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.results.drawing.figures import require_matplotlib  # noqa: PLC0415
        from rankmark.verbs.leaderboard.board import DRAWN  # noqa: PLC0415
        from rankmark.verbs.leaderboard.leaderboard import leaderboard as ranked  # noqa: PLC0415

        listed = tasks[1:] if tasks is not None and tasks.startswith("@") else None
        refuse_conflicts([table, listed], output, picture, page)
        if picture is not None or page is not None:
            require_matplotlib()  # before large files are read
        with Progress():
            board = ranked(
                table,
                tasks=_tasks(tasks),
                columns=columns,
                languages=languages or None,
                splits=splits or None,
                **chosen,
            )
        shown = DRAWN if top is None else top
        if picture is not None:
            write_plot(partial(board.plot, top=shown), picture, board.picture_size(shown))
        if form in TABULAR:
            write_table(board.pairs() if pairs else board, form, output)
        elif form in ("json", "jsonl"):
            indent = 2 if form == "json" else None
            write_output(board.to_json(pairs=pairs, indent=indent) + "\n", output)
        else:
            text = {
                "markdown": partial(board.to_markdown, top=top),
                "latex": partial(board.to_latex, top=top),
            }.get(form, partial(board.to_text, top=top, width=width_of(output)))()
            write_output(text.rstrip("\n") + "\n", output)
        write_notes(form, board.notes[:1] if quiet else board.notes)
        if page is not None:
            write_page(board, page)


def _tasks(given: str | None) -> list[str] | None:
    """Parse --tasks: a list of names, or a file of them."""
    if given is None:
        return None
    if given.startswith("@"):
        from rankmark.data.files.lines_of_text import query_ids_in  # noqa: PLC0415

        return [*query_ids_in(given.removeprefix("@"))]
    return [task.strip() for task in given.split(",")]
