"""``rankmark leaderboard``: rank models by their scores on tasks."""

from __future__ import annotations

from functools import partial

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import further, option
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own


@command_of(
    "verbs.leaderboard.leaderboard:leaderboard",
    ["table"],
    own("by", "tasks", "missing", "lower_is_better", "over"),
    further_own("confidence", "resamples", "seed", "columns", "languages", "splits"),
    options.form,
    further(
        options.flag(
            "--pairs",
            "Write the pairs of models: in csv and parquet instead of the models, in json with "
            "them.",
        )
    ),
    option(
        "Output",
        "--top",
        type=click.IntRange(min=1),
        help="How many models to show in table, markdown and latex, and to draw. [default: all, "
        "and 40 in the plot]",
    ),
    options.plot("Also write a plot of the rank intervals; requires matplotlib."),
    options.closing,
    options.threads,
    tasks={"multiple": False, "metavar": "NAME,NAME,...|@FILE"},
    lower_is_better={"metavar": "TASK"},
    columns={"roles": ("model", "task", "query_id", "score")},
    languages={"flag": "--language", "metavar": "CODE"},
    splits={"flag": "--split"},
)
def leaderboard(call: Call, table: str, pairs: bool, top: int | None) -> None:
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
    if pairs and call.form not in {"csv", "parquet", "json", "jsonl"}:
        raise click.UsageError("--pairs is for --format json, jsonl, csv and parquet")
    board = call.result(table)
    from rankmark.verbs.leaderboard.board import DRAWN  # noqa: PLC0415

    shown = top or DRAWN
    call.write(
        board,
        rows=board.pairs() if pairs else None,
        json={"pairs": pairs},
        plot=partial(board.plot, top=shown),
        size=board.picture_size(shown),
        top=top,
    )
