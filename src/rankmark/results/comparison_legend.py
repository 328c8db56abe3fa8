"""The lines below a comparison: how its intervals and p-values were found, and what to doubt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rankmark.errors import listed
from rankmark.results.statistics_choices import times_all_smallest
from rankmark.statistics.randomisation import EXACT_UP_TO

if TYPE_CHECKING:
    from rankmark.results.comparison import Comparison
    from rankmark.results.run_differences import RunDifference


def legend(compared: Comparison) -> list[str]:
    """Return lines on how intervals and p-values were found, and what was corrected."""
    chosen, count = compared.chosen, len(compared.pairs)
    methods = dict.fromkeys(row.method for row in compared.leaderboard)
    methods |= dict.fromkeys(row.method for row in compared.differences)
    lines = [f"intervals: {100 * chosen.confidence:.6g}% confidence, by {' and '.join(methods)}"]
    without = [
        row for row in compared.leaderboard if row.left_out and row.n and row.mean != row.mean
    ]
    if without:
        measures = ", ".join(dict.fromkeys(row.measure for row in without))
        lines.append(
            f"{measures}: no mean, as some queries have no score; intervals are over the others"
        )
    if not count:
        return lines
    against = "all pairs" if compared.baseline is None else f"against {compared.baseline}"
    pairs = f"{count} {'pair' if count == 1 else 'pairs'} ({against})"
    family = {int(row.family) for row in compared.differences} - {0}
    of = "p-values not corrected"
    if chosen.correction != "none" and family:
        every = "over all measures and slices" if compared.slices else "over all measures"
        whole = every if chosen.family == "all" else "each measure by itself"
        of = f"p-values corrected by {chosen.correction} for {_tests(family)}, {whole}"
    lines.append(f"{chosen.test} test of {pairs}; {of}; level {chosen.level:g}")
    lines += _out_of_reach(compared)
    family = {int(row.family) for row in compared.slices.differences} - {0}
    if chosen.correction != "none" and chosen.family == "measure" and family:
        lines.append(f"p-values in slices are corrected for {_tests(family)}: all slices together")
    drawn = chosen.test in {"randomisation", "bootstrap"} or chosen.interval == "BCa"
    if drawn or chosen.correction in {"max-t", "tukey"}:
        line = f"{chosen.resamples:,} resamples, seed {chosen.seed}"
        if chosen.test == "randomisation":
            line += f"; all signs where at most {EXACT_UP_TO} queries differ"
        lines.append(line)
    smallest = sorted({f"{row.smallest_p:.2g}" for row in compared.differences}, key=float)
    if smallest and smallest != ["0"]:
        ends = smallest if len(smallest) == 1 else [smallest[0], smallest[-1]]
        lines.append(f"smallest possible p before correction: {' to '.join(ends)}")
    lower = [measure.name for measure in compared.compared if measure.lower_is_better]
    lines += _of_sampling(compared.settings)
    if lower:
        lines.append(
            f"lower is better, so a negative difference is an improvement: {listed(lower)}"
        )
    said: dict[str, list[RunDifference]] = {}
    for row in compared.differences:
        for reason in (row.undefined, row.warning):
            if reason:
                said.setdefault(reason, []).append(row)
    lines += [f"{_named(rows)}: {reason}" for reason, rows in said.items()]
    if partial := [row for row in compared.differences if row.left_out and row.n]:
        counts = sorted({row.left_out for row in partial})
        number = f"{counts[0]:,}" + (f" to {counts[-1]:,}" if counts[1:] else "")
        lines.append(
            f"{_named(partial)}: queries left out because a run has no score: "
            f"{number} of {len(compared.queries):,}"
        )
    return lines


def _out_of_reach(compared: Comparison) -> Iterator[str]:
    """Say where no p-value can be small enough, whatever the scores."""
    every, slices = list(compared.differences), list(compared.slices.differences)
    if compared.chosen.family == "all":
        named = [("", every + slices)]
    else:
        named = [
            (f"{where}{measure}: ", list(rows))
            for where, part in (("", every), ("in slices, ", slices))
            for measure, rows in groupby(
                sorted(part, key=lambda row: compared.measures.index(row.measure)),
                key=lambda row: row.measure,
            )
        ]
    for name, rows in named:
        if line := _beyond(rows, compared):
            yield f"{name}{line}"


def _beyond(rows: Sequence[RunDifference], compared: Comparison) -> str:
    """Say that none of a family of tests can be significant, or ""."""
    tested = [row for row in rows if not row.undefined]
    if not tested:
        return ""
    chosen = compared.chosen
    smallest = min(row.smallest_p for row in tested)
    corrected = smallest * times_all_smallest(chosen.correction, int(tested[0].family))
    if corrected <= chosen.level:
        return ""
    times = "" if corrected == smallest else f", corrected {min(corrected, 1.0):.2g}"
    remedy = "compare fewer runs" + (" or slices" if compared.slices else "")
    if smallest < 2 / chosen.resamples:  # drawn, so that more draws would reach further
        remedy = "take more resamples, or the t test"
    return (
        f"no difference can be significant: the smallest possible p is {smallest:.2g}{times}, and "
        f"the level is {chosen.level:g}; {remedy}"
    )


def _of_sampling(settings: Mapping[str, Any]) -> list[str]:
    """Say how queries stand for others."""
    lines = []
    if settings["weights"] is not None:
        lines.append("queries are weighted in means, intervals and tests")
    if clusters := settings["clusters"]:
        together = "1 cluster" if clusters == 1 else f"{clusters:,} clusters"
        lines.append(f"queries belong to {together}, which tests and intervals take into account")
    return lines


def _tests(families: set[int]) -> str:
    """Return how many tests were corrected together, as text."""
    least, most = min(families), max(families)
    sizes = f"{least}" if least == most else f"{least} to {most}"
    return f"{sizes} test" if families == {1} else f"{sizes} tests"


def _named(rows: Sequence[RunDifference]) -> str:
    """Return the measures and pairs that a line is about, as text."""
    measures = list(dict.fromkeys(row.measure for row in rows))
    names = ", ".join(measures[:3]) + (f" and {len(measures) - 3} more" if measures[3:] else "")
    if len(rows) == 1:
        return f"{names} of {rows[0].run} against {rows[0].baseline}"
    pairs = len({(row.baseline, row.run) for row in rows})
    return f"{names} ({pairs} {'pair' if pairs == 1 else 'pairs'})"
