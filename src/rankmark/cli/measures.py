"""``rankmark measures``: what there is to measure, and what each measure means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmark.cli import options
from rankmark.cli.faults import told

if TYPE_CHECKING:
    from rankmark.measures import Measure

_SEES = {
    "documents": "which documents are among the first k, not their order",
    "order": "where the relevant documents stand",
    "grades": "how relevant each document is",
    "judged": "which documents were judged",
    "subtopics": "which subtopics of a query each document is relevant to",
    "preferences": "which of two documents is preferred",
    "counts": "how many there are; summed over queries",
}
_OVER_QUERIES = {
    "mean": "the mean",
    "sum": "the sum",
    "gmean": "the geometric mean, a value below {least:.5f} counting as that",
}


@click.command(short_help="List the measures, or explain one.")
@click.argument("name", required=False, shell_complete=options.complete_measure)
def measures(name: str | None) -> None:
    """List the measures, or explain one: formula, what it sees, names elsewhere, source.

    NAME may be any tool's, such as ndcg_cut_10.
    """
    from rankmark.measures import ALL  # noqa: PLC0415
    from rankmark.measures.names import measure  # noqa: PLC0415

    with told():
        if name is not None:
            print(_page(measure(name)))
            return
        width = max(len(one.name) for one in ALL) + 2
        for sees, meaning in _SEES.items():
            print(f"{sees}: {meaning}")
            for one in ALL:
                if one.depends_on == sees:
                    print(f"  {one.name:<{width}}{one.formula}")
            print()
        print("rankmark measures NAME explains one; any tool's name finds it.")


def _page(one: Measure) -> str:
    import inspect  # noqa: PLC0415

    from rankmark.scoring.aggregates import LEAST_IN_GMEAN  # noqa: PLC0415

    facts = [
        f"{one}",
        "",
        (inspect.getdoc(type(one)) or "").replace("``", ""),
        "",
        f"Depends on: {_SEES[one.depends_on]}.",
        f"Values: {one.bounds[0]:g} to {one.bounds[1]:g}{_growth(one)}{_direction(one)}.",
        f"Over queries: {_OVER_QUERIES[one.aggregate].format(least=LEAST_IN_GMEAN)}.",
    ]
    if one.parameters:
        facts.append("Parameters:")
        for name, parameter in one.parameters.items():
            value = getattr(one, name)
            facts.append(f"  {name}={value!r}: {parameter.meaning}; {parameter.allowed}.")
    names = [*one.aliases, *(f"{name}_NUMBER" for name in one.numbered)]
    if names:
        facts.append(f"Other names that find it: {', '.join(names)}.")
    return "\n".join(facts)


def _direction(one: Measure) -> str:
    return "" if one.more_is_better else "; less is better"


def _growth(one: Measure) -> str:
    """Say that a measure grows with k, which is declared of its default parameters only."""
    default = all(
        getattr(one, name) == parameter.default
        for name, parameter in one.parameters.items()
        if name != "k"
    )
    return ", never falling as k grows" if one.grows_with_k and default else ""
