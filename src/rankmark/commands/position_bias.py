"""``rankmark position-bias``: how often people look at each rank."""

from __future__ import annotations

from rankmark.commands.parts import options
from rankmark.commands.parts.log_options import log_of, reading
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own


@command_of(
    "clicks.labels.position_bias:position_bias",
    ["logs..."],
    own("method", "k"),
    further_own("confidence"),
    options.form,
    options.output,
    options.quiet,
    reading,
    method={"flag": ["-m", "--method"]},
    k={"flag": ["-k", "--k"]},
)
def position_bias(call: Call, logs: tuple[str, ...]) -> None:
    """Estimate how often people look at each rank, compared with rank 1.

    LOG has a row for each document shown, with the columns query_id, query, doc, rank and click. A
    document that was seen at two ranks is as good at both, so its clicks there tell how often
    people look. Without such documents, the log does not tell it.

    \b
      rankmark position-bias log.parquet
      rankmark position-bias log.csv -m pairs -k 10
    """  # noqa: D301  (click reads the backspace)
    call.write_shown(call.result(log_of(call, *logs)))
