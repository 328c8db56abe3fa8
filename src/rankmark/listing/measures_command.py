"""``rankmark measures``: list and describe the measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmark.command_parts import options
from rankmark.command_parts.faults import reported_errors
from rankmark.command_parts.grouped_help import command
from rankmark.command_parts.publishing import write_table
from rankmark.formatting.text_tables import text
from rankmark.formatting.text_width import fitted, line_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.formatting.plain_table import Table
    from rankmark.measures import Measure

_DEPENDS_ON = {
    "documents": "which documents are among the first k, not their order",
    "order": "the ranks of the relevant documents",
    "grades": "how relevant each document is",
    "judged": "which documents are judged",
    "anywhere": "which documents are judged for any query",
    "subtopics": "which subtopics of a query each document is relevant to",
    "preferences": "which of two documents is preferred",
    "counts": "numbers of documents or queries; summed over queries",
}
_OVER_QUERIES = {
    "mean": "the mean",
    "sum": "the sum",
    "gmean": "the geometric mean, where values below {least:.5f} count as that",
}


@command()
@click.argument("name", required=False, shell_complete=options.complete_measure)
@options.table_or_json
def measures(name: str | None, form: str) -> None:
    """List the measures, or describe one: formula, parameters, other names, source.

    NAME may be a name in another tool, such as ndcg_cut_10, or the name of a set of measures.
    """
    from rankmark.measures import ALL  # noqa: PLC0415
    from rankmark.measures.names import measures as measures_of  # noqa: PLC0415
    from rankmark.measures.sets import SETS  # noqa: PLC0415

    with reported_errors():
        if form != "table":
            found = _rows(ALL if name is None else measures_of(name))
            if form == "json":
                print(found.to_json(indent=2))
            else:
                write_table(found, form, None)
            return
        if name is not None:
            meant = measures_of(name)
            page = _page(meant[0]) if len(meant) == 1 else _page_of_several(name, meant)
            print(fitted(page, line_width()))
            return
        rows: list[str | tuple[str, str]] = []
        for group, meaning in _DEPENDS_ON.items():
            rows.append(f"{group}: {meaning}")
            rows += [
                (f"  {each.name}", f"{each.full_name}: {each.formula}")
                for each in ALL
                if each.depends_on == group
            ]
            rows.append("")
        rows.append("sets: measures that others report together")
        rows += [(f"  {each}", known.meaning) for each, known in SETS.items()]
        print(text([], rows, 2, width=line_width()))
        last = "rankmark measures NAME describes one, also by its name in another tool."
        print(fitted(last, line_width()))


def _rows(found: Sequence[Measure]) -> Table:
    """Return a row for each measure."""
    from rankmark.formatting.plain_table import Table  # noqa: PLC0415
    from rankmark.formatting.table_schema import columns_of  # noqa: PLC0415

    rows = [
        {
            "measure": str(one),
            "full_name": one.full_name,
            "formula": one.formula,
            "depends_on": one.depends_on,
            "lowest": one.bounds[0],
            "highest": one.bounds[1],
            "more_is_better": one.more_is_better,
            "over_queries": one.aggregate,
            "aliases": [*one.aliases],
        }
        for one in found
    ]
    return Table(columns_of(rows))


def _page_of_several(name: str, meant: Sequence[Measure]) -> str:
    from rankmark.measures.sets import SETS  # noqa: PLC0415

    sets = {each.lower(): (each, known.meaning) for each, known in SETS.items()}
    title, meaning = sets.get(name.lower(), (name, f"{len(meant)} measures"))
    rows = [(f"  {each}", each.formula) for each in meant]
    return f"{title}: {meaning}.\n\n{text([], rows, 2, width=line_width()).rstrip()}"


def _page(measure: Measure) -> str:
    from rankmark.scoring.aggregates import LEAST_IN_GMEAN  # noqa: PLC0415

    facts = [
        f"{measure}: {measure.full_name}" if measure.full_name else f"{measure}",
        "",
        measure.account.replace("``", ""),
        "",
        f"Depends on: {_DEPENDS_ON[measure.depends_on]}.",
        f"Values: {measure.bounds[0]:g} to {measure.bounds[1]:g}{_growth(measure)}"
        f"{'' if measure.more_is_better else '; lower is better'}.",
        f"Over queries: {_OVER_QUERIES[measure.aggregate].format(least=LEAST_IN_GMEAN)}.",
    ]
    facts.append("Parameters:")
    for name, parameter in (*measure.parameters.items(), *measure.common.items()):
        value = getattr(measure, name)
        facts.append(f"  {name}={value!r}: {parameter.meaning}; {parameter.allowed}.")
    names = [*measure.aliases, *(f"{name}_NUMBER" for name in measure.numbered)]
    if names:
        facts.append(f"Other names: {', '.join(names)}.")
    return "\n".join(facts)


def _growth(measure: Measure) -> str:
    """Write that a measure grows with k, which is declared for its default parameters only."""
    is_default = all(
        getattr(measure, name) == parameter.default
        for name, parameter in measure.parameters.items()
        if name != "k"
    )
    return ", never decreasing with k" if measure.grows_with_k and is_default else ""
