"""``rankmark similarity``: compare the rankings of two runs, query by query."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import option
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import own


def _coefficients() -> list[str]:
    from rankmark.similarity import ALL  # noqa: PLC0415

    return [each.name for each in ALL]


@command_of(
    "verbs.compare_rankings.compare_rankings:compare_rankings",
    ["run_a", "run_b"],
    own("coefficients"),
    option(
        "Measures",
        "--k",
        type=click.IntRange(min=1),
        help="Cutoff for coefficients without one.",
    ),
    own("queries", "ties"),
    options.units,
    options.by_query,
    options.output,
    options.quiet,
    options.lists,
    options.threads,
    coefficients=options.MEASURES
    | {"metavar": "COEFFICIENT", "shell_complete": options.completed(_coefficients)},
)
def similarity(
    call: Call,
    run_a: str,
    run_b: str,
    coefficients: tuple[str, ...],
    k: int | None,
    **asked: Any,
) -> None:
    """Measure how similar the rankings of two runs are, query by query and on average.

    Both are files as for `rankmark evaluate`, or - for stdin. The coefficients are tau, distance
    (Kendall), rho, footrule (Spearman), weighted_tau (Vigna), tauAP (with RUN_A as the truth), RBO,
    AO (average overlap), overlap and Jaccard. The lines below the table show which
    queries were compared, how many documents are in both runs, and how many are tied.

    \b
      rankmark similarity bm25.run dense.run
      rankmark similarity bm25.run dense.run --k 10 -m "RBO(p=0.98)" --per-query
    """  # noqa: D301  (click reads the backspace)
    call.prepare()
    from rankmark.similarity.coefficient_names import as_coefficients  # noqa: PLC0415
    from rankmark.verbs.compare_rankings.compare_rankings import DEFAULT  # noqa: PLC0415

    requested = as_coefficients(coefficients or DEFAULT)
    if k is not None:
        requested = tuple(each if each.parameters["k"] else each @ k for each in requested)
    found = call.result(run_a, run_b, requested, told=[run_a, run_b])
    call.write_by_query(found, **asked)
