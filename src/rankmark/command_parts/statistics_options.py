"""Options for the statistics of comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath

import click

from rankmark.command_parts.grouped_help import Command, option, together

TESTS = ("randomisation", "t", "wilcoxon", "sign", "bootstrap")
CORRECTIONS = ("holm", "hochberg", "bonferroni", "bh", "by", "max-t", "tukey", "none")

baseline = option(
    "Statistics",
    "--baseline",
    metavar="RUN",
    help="The run that every other one is compared with, by path or name. [default: all pairs of "
    "runs are compared]",
)
test = option(
    "Statistics",
    "--test",
    type=click.Choice(TESTS),
    default="randomisation",
    show_default=True,
    help="The paired test of differences.",
)
correction = option(
    "Statistics",
    "--correction",
    type=click.Choice(CORRECTIONS),
    default="holm",
    show_default=True,
    help="Correction of p-values for the number of comparisons; tukey is for all pairs of runs.",
)
family = option(
    "Statistics",
    "--family",
    type=click.Choice(["measure", "all"]),
    default="measure",
    show_default=True,
    help="Correct over the pairs of runs on each measure by itself, or on all measures together.",
)
interval = option(
    "Statistics",
    "--interval",
    type=click.Choice(["auto", "t", "BCa"]),
    default="auto",
    show_default=True,
    help="Confidence intervals: Student's t, or the BCa bootstrap; auto is t, "
    "and Wilson's and Newcombe's for "
    "measures that are 0 or 1 for each query.",
)
confidence = option(
    "Statistics",
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence of intervals; a difference is significant if its adjusted p is at most 1 "
    "minus this.",
)
resamples = option(
    "Statistics",
    "--resamples",
    type=click.IntRange(min=1),
    help="Number of draws of the randomisation test and the bootstrap. [default: at least 10,000]",
)
seed = option(
    "Statistics",
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=0,
    show_default=True,
    help="Seed of the draws.",
)
_EVERY = {
    "baseline": baseline,
    "test": test,
    "correction": correction,
    "family": family,
    "interval": interval,
    "confidence": confidence,
    "resamples": resamples,
    "seed": seed,
}
STATISTICS = tuple(_EVERY)
"""Names of these options, as ``rm.compare`` has them."""


statistics = together(*_EVERY.values())
"""The options for tests and intervals."""


def named_baseline(given: str, runs: Sequence[str], names: Sequence[str]) -> str:
    """Find the baseline by its name, its path or its file."""
    for called in (names, runs, [PurePath(run).name for run in runs]):
        if called.count(given) == 1:
            return names[called.index(given)]
    raise click.UsageError(
        f"--baseline: {given!r} names no run, or several; need one of {', '.join(names)}"
    )


clusters = option(
    "Statistics",
    "--clusters",
    "--cluster",
    "clusters",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Groups of queries that are not independent, such as those of a user or a conversation: "
    "lines `qid cluster`.",
)
_weights = option(
    "Statistics",
    "--weights",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Weights of the queries in means, intervals and tests: lines `qid weight`.",
)


def by_option(use: str) -> Callable[[Command], Command]:
    """Declare ``--by``, with what is done with the slices."""
    return option(
        "Statistics",
        "--by",
        metavar="FILE|COLUMN",
        type=click.Path(allow_dash=True),
        help=f"Slices of the queries, {use}: a table with a header and a row for each query, lines "
        "`qid value`, or a column of QRELS.",
    )


_bounds = option(
    "Statistics",
    "--bounds",
    is_flag=True,
    help="Also check whether judging the unjudged documents could reverse a difference.",
)


query_groups = together(
    clusters, _weights, by_option("in each of which the comparison is repeated"), _bounds
)
"""The options for clusters, weights and slices of queries, and for bounds."""
