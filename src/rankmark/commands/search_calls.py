"""``rankmark search-calls``: evaluate several searches for each query."""

from __future__ import annotations

from typing import Any

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own

_COLUMN = {"multiple": True, "metavar": "COLUMN", "group": "Data"}


@command_of(
    "answers.search_calls.evaluate_calls:evaluate_calls",
    ["qrels", "calls"],
    options.measure_option(
        'A measure, such as R@10, RR@10 or "SessionDCG(base=4)@10"; can be repeated. [default: '
        "those of evaluate]"
    ),
    own("how"),
    further_own("queries", "no_relevant", "judged_only"),
    own("costs", "document_costs"),
    options.by_query,
    options.plot("Also write a plot of the means after each call; requires matplotlib."),
    options.closing,
    further_own("columns", "failed"),
    queries=options.SOME_QUERIES,
    failed=options.FAILED,
    costs=_COLUMN | {"flag": "--cost"},
    document_costs=_COLUMN | {"flag": "--document-cost"},
    columns={"roles": ("query_id", "call", "doc_id", "score", "rank", "applicable")},
)
def search_calls(
    call: Call,
    qrels: str,
    calls: str,
    measures: tuple[str, ...],
    **asked: Any,
) -> None:
    """Evaluate several searches for each query, as agents make.

    CALLS is a table, CSV, TSV, JSON, JSON Lines or Parquet, or - for stdin, with the columns
    query_id, call, doc_id and score or rank. The first table has a row for each way to combine
    the calls of a query: interleaved, one after the other, their union, the first, the last,
    and the best by each measure. The second has the means after each call.

    \b
      rankmark search-calls qrels.txt calls.csv -m R -m RR@10
      rankmark search-calls qrels.txt calls.csv --how last --plot curve.svg
    """  # noqa: D301  (click reads the backspace)
    found = call.result(qrels, calls, measures or None)
    call.write_by_query(found, **asked)
