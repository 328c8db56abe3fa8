"""Options for the statistics of comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

TESTS = ["randomisation", "t", "wilcoxon", "sign", "bootstrap"]
CORRECTIONS = ["holm", "hochberg", "bonferroni", "bh", "by", "max-t", "tukey", "none"]

baseline = click.option(
    "--baseline",
    metavar="RUN",
    help="Compare the other runs with this one, by name or file. [default: all pairs of runs]",
)
test = click.option(
    "--test",
    type=click.Choice(TESTS),
    default="randomisation",
    show_default=True,
    help="The test of differences.",
)
correction = click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default="holm",
    show_default=True,
    help="How p-values are corrected for the number of tests; tukey is for all pairs.",
)
family = click.option(
    "--family",
    type=click.Choice(["measure", "all"]),
    default="measure",
    show_default=True,
    help="Correct for the pairs of each measure, or for all pairs and measures together.",
)
interval = click.option(
    "--interval",
    type=click.Choice(["auto", "t", "BCa"], case_sensitive=False),
    default="auto",
    show_default=True,
    help="Intervals: Wilson's for measures of 0 and 1, and t for others (auto); or t or the "
    "bootstrap (BCa) for all.",
)
confidence = click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence of intervals; the level of tests is one minus this.",
)
resamples = click.option(
    "--resamples",
    type=click.IntRange(min=1),
    help="Number of random signs or draws. [default: 10,000, or more for many tests]",
)
seed = click.option(
    "--seed", type=click.IntRange(0, 2**64 - 1), default=0, show_default=True, help="Its seed."
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


def statistics(command: Command) -> Command:
    """Add the options for tests and intervals."""
    for option in reversed(_EVERY.values()):  # as decorators, which are applied from the bottom
        command = option(command)
    return command
