"""``rankmark measures``: list and describe the measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.writing import write_table
from rankmark.results.text_tables import text
from rankmark.results.text_width import fitted, line_width

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.measures.measure_list import Measures

_OVER_QUERIES = {
    "mean": "the mean",
    "sum": "the sum",
    "gmean": "the geometric mean, where values below {least:.5f} count as that",
}


@command()
@click.argument("name", required=False, shell_complete=options.complete_measure)
@option(
    "Measures",
    "--search",
    metavar="TEXT",
    help="List the measures whose names or description contain all words of TEXT.",
)
@options.table_or_json
def measures(name: str | None, search: str | None, form: str) -> None:
    """List the measures, or describe one: formula, symbols, parameters, other names, source.

    NAME may be a name in another tool, such as ndcg_cut_10, or the name of a set of measures.
    """
    from rankmark.measures import EVERY  # noqa: PLC0415
    from rankmark.measures.measure_list import Measures  # noqa: PLC0415
    from rankmark.measures.names import measures as measures_of  # noqa: PLC0415

    with reported_errors():
        found = Measures(EVERY if name is None else measures_of(name))
        if search is not None:
            found = found.search(search)
        if form == "json":
            print(found.to_json(indent=2))
        elif form != "table":
            write_table(found, form, None)
        elif not found:
            print(f"No names or descriptions contain {search}.")
        elif name is not None or search is not None:
            page = _page(found[0]) if len(found) == 1 else _page_of_several(name, found)
            print(fitted(page, line_width()))
        else:
            print(found, _sets(), sep="\n\n")
            last = "rankmark measures NAME describes one, also by its name in another tool."
            print(fitted(last, line_width()))


def _sets() -> str:
    from rankmark.measures.sets import SETS  # noqa: PLC0415

    rows = [(f"  {each}", known.meaning) for each, known in SETS.items()]
    head = "sets: measures that others report together"
    return text([], [head, *rows], 2, width=line_width())


def _page_of_several(name: str | None, found: Measures) -> str:
    from rankmark.measures.sets import SETS  # noqa: PLC0415

    if name is None:
        return f"{found}"
    sets = {each.lower(): (each, known.meaning) for each, known in SETS.items()}
    title, meaning = sets.get(name.lower(), (name, f"{len(found)} measures"))
    return f"{title}: {meaning}.\n\n{found}"


def _page(measure: Measure) -> str:
    from rankmark.measures.measure_list import DEPENDS_ON  # noqa: PLC0415
    from rankmark.scoring.aggregates import LEAST_IN_GMEAN  # noqa: PLC0415

    facts = [
        f"{measure}: {measure.full_name}" if measure.full_name else f"{measure}",
        "",
        f"{measure.name} = {measure.formula}",
        "",
        *_symbols(measure),
        measure.account.replace("``", ""),
        "",
        f"Depends on: {DEPENDS_ON[measure.depends_on]}.",
        f"Values: {measure.bounds[0]:g} to {measure.bounds[1]:g}{_growth(measure)}"
        f"{'' if measure.more_is_better else '; lower is better'}.",
        f"Over queries: {_over_queries(measure).format(least=LEAST_IN_GMEAN)}.",
    ]
    facts.append("Parameters:")
    for name, parameter in (*measure.parameters.items(), *measure.common.items()):
        value = getattr(measure, name)
        facts.append(f"  {name}={value!r}: {parameter.meaning}; {parameter.allowed}.")
    names = [*measure.aliases, *(f"{name}_NUMBER" for name in measure.numbered)]
    if names:
        facts.append(f"Other names: {', '.join(names)}.")
    return "\n".join(facts)


def _over_queries(measure: Measure) -> str:
    if measure.depends_on == "run":
        return "none, as it is one number of all lists together"
    mean = _OVER_QUERIES[measure.aggregate]
    return f"{mean} of those that have a value" if measure.may_lack_value else mean


def _symbols(measure: Measure) -> list[str]:
    rows = [(f"  {symbol}", meaning) for symbol, meaning in measure.symbols.items()]
    return ["Symbols:", text([], rows, 2, width=line_width())] if rows else []


def _growth(measure: Measure) -> str:
    """Write that a measure grows with k, which is declared for its default parameters only."""
    is_default = all(
        getattr(measure, name) == parameter.default
        for name, parameter in measure.parameters.items()
        if name != "k"
    )
    return ", never decreasing with k" if measure.grows_with_k and is_default else ""
