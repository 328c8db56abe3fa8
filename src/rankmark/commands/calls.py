"""``rankmark calls``: evaluate several searches for each query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of, own
from rankmark.commands.parts.writing import width_of

if TYPE_CHECKING:
    from rankmark.answers.calls.call_evaluation import CallEvaluation
    from rankmark.results.plain_table import Table

_COLUMN = {"type": str, "multiple": True, "metavar": "COLUMN", "group": "Data"}


@command_of(
    "answers.calls.evaluate_calls:evaluate_calls",
    ["qrels", "calls"],
    options.measure_option(
        'A measure, such as R@10, RR@10 or "SessionDCG(base=4)@10"; can be repeated. [default: '
        "those of evaluate]"
    ),
    own("how", "queries", "no_relevant", "judged_only", "costs", "document_costs"),
    options.by_query,
    options.plot("Also write a plot of the means after each call; requires matplotlib."),
    options.closing,
    own("columns"),
    queries=options.SOME_QUERIES,
    costs=_COLUMN | {"flag": "--cost"},
    document_costs=_COLUMN | {"flag": "--document-cost"},
    columns={"roles": ("query_id", "call", "doc_id", "score", "rank", "applicable")},
)
def calls(
    call: Call,
    qrels: str,
    calls: str,
    measures: tuple[str, ...],
    per_query: bool,
    is_long: bool,
) -> None:
    """Evaluate several searches for each query, as agents make.

    CALLS is a table, CSV, TSV, JSON, JSON Lines or Parquet, or - for stdin, with the columns
    query_id, call, doc_id and score or rank. The first table has a row for each way to combine
    the calls of a query: interleaved, one after the other, their union, the first, the last,
    and the best by each measure. The second has the means after each call.

    \b
      rankmark calls qrels.txt calls.csv -m R -m RR@10
      rankmark calls qrels.txt calls.csv --how last --per-query --plot curve.svg
    """  # noqa: D301  (click reads the backspace)
    found = call.result(qrels, calls, measures or None)
    caption = f"Several searches for each query, of {found._about()['run']}."
    if per_query or call.form in {"json", "jsonl"}:
        call.write_by_query(
            found, caption, "tab:calls", found._about(), per_query=per_query, is_long=is_long
        )
        return
    ways, curve = found.tables()
    notes = [found.notes[-1]] if call.quiet else found.notes
    told, width = "".join(f"{note}\n" for note in notes), width_of(call.output)

    def text() -> str:
        from rankmark.results.text_width import fitted  # noqa: PLC0415

        if call.form == "latex":
            return str(ways.as_latex(caption=caption, label="tab:calls"))
        if call.form == "markdown":
            return f"{ways.as_markdown()}\n{curve.as_markdown()}"
        return fitted(f"{ways.as_text(width=width)}\n{curve.as_text(width=width)}\n{told}", width)

    call.write(found, rows=_by_way(found, is_long=is_long), text=text, notes=notes)


def _by_way(found: CallEvaluation, *, is_long: bool) -> Table:
    """Return the means of each way, behind the name of the run."""
    from rankmark.results.plain_table import Table  # noqa: PLC0415
    from rankmark.results.table_schema import long_form, texts  # noqa: PLC0415

    ways = found.ways
    columns: dict[str, Any] = {
        **{name: texts(name, [run]) * len(ways) for name, run in found._about().items()},
        "how": texts("how", [*ways]),
    }
    keys = [*columns]
    columns |= {name: [of_way[name] for of_way in ways.values()] for name in found.names}
    return Table(long_form(columns, keys) if is_long else columns)
