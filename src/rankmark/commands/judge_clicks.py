"""``rankmark judge-clicks``: judgments from the clicks of a log."""

from __future__ import annotations

from pathlib import Path

from rankmark.commands.parts import options
from rankmark.commands.parts.log_options import log_of, reading
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, numbers_in, own, parsed

_WAYS = ("chain", "swap", "pairs", "em")
NUMBERS = {"metavar": "NUMBER,NUMBER,...", "callback": parsed(numbers_in, "{!r}; need numbers")}


def _as_examination(given: str) -> str | list[float]:
    return given if given in _WAYS else numbers_in(given)


@command_of(
    "clicks.labels.judge_clicks:judge_clicks",
    ["logs..."],
    own("method", "min_examined", "prior", "grades", "examination"),
    further_own("clip", "profile"),
    own("run"),
    further_own("k", "confidence"),
    options.also("qrels", "the judgments, in the format that the name of the file says"),
    options.form,
    options.output,
    options.quiet,
    reading,
    method={"flag": ["-m", "--method"]},
    k={"flag": ["-k", "--k"]},
    prior={**NUMBERS, "metavar": "CLICKS,IMPRESSIONS"},
    grades=NUMBERS,
    examination={
        "metavar": "|".join([*_WAYS, "NUMBER,..."]),
        "callback": parsed(_as_examination, "{!r}; need " + ", ".join(_WAYS) + " or numbers"),
    },
)
def judge_clicks(call: Call, logs: tuple[str, ...], qrels: Path | None) -> None:
    """Make judgments of the clicks in a log, with counts and an interval for each label.

    LOG has a row for each document shown, with the columns query_id, query, doc, rank and click.
    Documents that were never or rarely shown for a query are not judged. CSV and Parquet have all
    counts, and every command reads them as judgments; --run says what share of the top of a new
    ranking the log has shown.

    \b
      rankmark judge-clicks log.parquet --qrels qrels.tsv
      rankmark judge-clicks log.csv -m PBM --examination pairs --run new.run
    """  # noqa: D301  (click reads the backspace)
    found = call.result(log_of(call, *logs))
    if qrels is not None:
        from rankmark.verbs.convert.convert import convert  # noqa: PLC0415

        convert(found, qrels, kind="qrels")
    call.write_shown(found)
