"""The lines below a comparison: how its intervals and p-values were found, and what to doubt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rankmark.errors import counted, listed
from rankmark.results.details import Detail
from rankmark.results.number_style import LEAVES_0_OUT
from rankmark.statistics.randomisation import EXACT_UP_TO
from rankmark.verbs.compare.statistics_choices import times_all_smallest
from rankmark.verbs.evaluate.notes import all_of

if TYPE_CHECKING:
    from rankmark.verbs.compare.compared_rows import RunDifference
    from rankmark.verbs.compare.compared_runs import ComparedRuns

_FEW = 20  # differences that are not 0, below which intervals of means are too short or too long
_INTERVALS = {
    "holm": "together, by {by} and Holm's correction",
    "hochberg": "together, by {by} and Bonferroni's correction",
    "bonferroni": "together, by {by} and Bonferroni's correction",
    "bh": "on average over the significant ones, by {by} and the correction bh",
    "by": "on average over the significant ones, by {by} and the correction by",
    "max-t": "together, by max-T and the {test}",
    "tukey": "together, by Tukey's test",
}


def legend(
    compared: ComparedRuns, *, of_means: bool = True, of_differences: bool = True
) -> list[str]:
    """Return lines on how intervals and p-values were found, and what was corrected.

    ``of_means`` and ``of_differences`` if there are intervals of these.
    """
    said = [_of_means] if of_means else []
    said.append(_without_mean)
    if compared.pairs:
        said += [_of_tests, _out_of_reach]
        said += [_of_differences] if of_differences else []
        said += [_of_draws, _smallest_p, _of_sampling, _lower_is_better, _doubts, _left_out]
        said.append(_of_corpus)
    return [line for say in said for line in say(compared)]


def _of_means(compared: ComparedRuns) -> Iterator[str]:
    methods = " and ".join(dict.fromkeys(row.method for row in compared.leaderboard))
    yield Detail(f"intervals of means: {_percent(compared)} confidence each, by {methods}")


def _without_mean(compared: ComparedRuns) -> Iterator[str]:
    without = [
        row for row in compared.leaderboard if row.left_out and row.n and row.mean != row.mean
    ]
    if without:
        measures = ", ".join(dict.fromkeys(row.measure for row in without))
        yield f"{measures}: no mean, as some queries have no score; intervals are over the others"


def _of_tests(compared: ComparedRuns) -> Iterator[str]:
    """Say which tests were made, and what was corrected."""
    chosen, count = compared.chosen, len(compared.pairs)
    against = "all pairs" if compared.baseline is None else f"against {compared.baseline}"
    pairs = f"{count} {'pair' if count == 1 else 'pairs'} ({against})"
    family = {int(row.family) for row in compared.differences} - {0}
    of = "p-values not corrected"
    if chosen.correction != "none" and family:
        every = "over all measures and slices" if compared.slices else "over all measures"
        whole = every if chosen.family == "all" else "each measure by itself"
        of = f"p-values corrected by {chosen.correction} for {_tests(family)}, {whole}"
    yield f"{chosen.test} test of {pairs}; {of}; level {chosen.level:g}"
    family = {int(row.family) for row in compared.slices.differences} - {0}
    if chosen.correction != "none" and chosen.family == "measure" and family:
        yield f"p-values in slices are corrected for {_tests(family)}: all slices together"


def _out_of_reach(compared: ComparedRuns) -> Iterator[str]:
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


def _beyond(rows: Sequence[RunDifference], compared: ComparedRuns) -> str:
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
    remedy = "more queries have to differ"
    many = {
        "runs": len(compared.pairs) > 1,
        "measures": compared.chosen.family == "all" and len(compared.measures) > 1,
        "slices": bool(compared.slices),
    }
    if corrected > smallest and any(many.values()):
        remedy = f"compare fewer {' or '.join(name for name, are in many.items() if are)}"
    if smallest < 2 / chosen.resamples:  # drawn, so that more draws would reach further
        remedy = "take more resamples, or the t test"
    return (
        f"no difference can be significant: the smallest possible p is {smallest:.2g}{times}, and "
        f"the level is {chosen.level:g}; {remedy}"
    )


def _percent(compared: ComparedRuns) -> str:
    return f"{100 * compared.chosen.confidence:.6g}%"


def _of_differences(compared: ComparedRuns) -> Iterator[str]:
    """Say what the intervals of differences are, and where they do not agree with p-values."""
    rows = [*compared.differences, *compared.slices.differences]
    correction = compared.chosen.correction
    by = " and ".join(dict.fromkeys(row.method for row in rows))
    if correction == "none":
        yield Detail(f"intervals of differences: {_percent(compared)} confidence each, by {by}")
    else:
        test = "bootstrap" if compared.chosen.test == "bootstrap" else "random signs"
        how = _INTERVALS[correction].format(by=by, test=test)
        line = f"adjusted intervals of differences: {_percent(compared)} confidence {how}"
        if any(0.0 in (row.adjusted_low, row.adjusted_high) for row in rows):
            yield f"{line}; {LEAVES_0_OUT}"
        else:
            yield Detail(line)
    known = [row for row in rows if row.adjusted_low == row.adjusted_low]
    which = "interval" if correction == "none" else "adjusted interval"
    if found := [row for row in known if row.significant and not row.excludes_zero]:
        yield f"{_named(found)}: significant, but the {which} contains 0, as {_why(compared)}"
    if found := [row for row in known if row.excludes_zero and not row.significant]:
        yield f"{_named(found)}: not significant, but the {which} leaves 0 out, as {_why(compared)}"
    if few := [row for row in rows if row.method != "Newcombe" and _is_on_few(row)]:
        counts = sorted({row.wins + row.losses for row in few})
        number = f"{counts[0]}" + (f" to {counts[-1]}" if counts[1:] else "")
        queries = "query differs" if counts == [1] else "queries differ"
        yield (
            f"{_named(few)}: only {number} {queries}, and with fewer than {_FEW} an interval "
            f"by {' or '.join(dict.fromkeys(row.method for row in few))} is unreliable"
        )


def _why(compared: ComparedRuns) -> str:
    """Return why an interval and a p-value may not agree."""
    chosen = compared.chosen
    if chosen.correction == "hochberg":
        return "no intervals are known for Hochberg's correction, and Bonferroni's are wider"
    if chosen.correction == "max-t":
        return "intervals are for any differences, and p-values step down from none"
    methods = " and ".join(dict.fromkeys(row.method for row in compared.differences))
    why = f"intervals are by {methods}, and p-values by the {chosen.test} test"
    if chosen.correction == "holm":
        why += ", or as intervals take each direction by itself"
    return why


def _is_on_few(row: RunDifference) -> bool:
    """Return whether only few queries have a difference, but some."""
    return 0 < row.wins + row.losses < _FEW and row.low == row.low


def _of_draws(compared: ComparedRuns) -> Iterator[str]:
    chosen = compared.chosen
    drawn = chosen.test in {"randomisation", "bootstrap"} or chosen.interval == "BCa"
    if drawn or chosen.correction in {"max-t", "tukey"}:
        line = f"{chosen.resamples:,} resamples, seed {chosen.seed}"
        if chosen.test == "randomisation":
            line += f"; all signs where at most {EXACT_UP_TO} queries differ"
        yield Detail(line)


def _smallest_p(compared: ComparedRuns) -> Iterator[str]:
    smallest = sorted({f"{row.smallest_p:.2g}" for row in compared.differences}, key=float)
    if smallest and smallest != ["0"]:
        ends = smallest if len(smallest) == 1 else [smallest[0], smallest[-1]]
        yield Detail(f"smallest possible p before correction: {' to '.join(ends)}")


def _of_sampling(compared: ComparedRuns) -> Iterator[str]:
    """Say how queries stand for others."""
    if compared.effective_queries is not None:
        yield (
            f"queries are weighted in means, intervals and tests: {len(compared.queries):,} are "
            f"worth {compared.effective_queries:.1f} of equal weight"
        )
    if draws := compared.settings["draws"]:
        drawn = counted(len(draws), "query", "queries")
        yield f"{len(compared.queries):,} draws of {drawn}, each of which counts once"
    if clusters := compared.settings["clusters"]:
        together = counted(clusters, "cluster")
        yield f"queries belong to {together}, which tests and intervals take into account"


def _lower_is_better(compared: ComparedRuns) -> Iterator[str]:
    lower = [measure.name for measure in compared.compared if not measure.more_is_better]
    lower += dict.fromkeys(row.measure for row in compared.of_run if not row.more_is_better)
    if lower:
        yield f"lower is better, so a negative difference is an improvement: {listed(lower)}"


def _doubts(compared: ComparedRuns) -> Iterator[str]:
    """Say which tests are undefined or in doubt, each reason once."""
    rows: dict[str, list[RunDifference]] = {}
    for row in compared.differences:
        for reason in (row.undefined, row.warning):
            if reason:
                rows.setdefault(reason, []).append(row)
    for reason, of_reason in rows.items():
        yield f"{_named(of_reason)}: {reason}"


def _left_out(compared: ComparedRuns) -> Iterator[str]:
    if partial := [row for row in compared.differences if row.left_out and row.n]:
        counts = sorted({row.left_out for row in partial})
        number = f"{counts[0]:,}" + (f" to {counts[-1]:,}" if counts[1:] else "")
        yield (
            f"{_named(partial)}: queries left out because a run has no score: "
            f"{number} of {len(compared.queries):,}"
        )


def _of_corpus(compared: ComparedRuns) -> Iterator[str]:
    """Say which queries cannot be won, as the audits of the runs do, which commands also write."""
    for one in [*compared.evaluations.values()][:1]:
        for line in one.audit.about_corpus():
            yield f"{all_of(len(compared.runs))}: {line}"
    for name, one in compared.evaluations.items():
        yield from (f"{name}: {line}" for line in one.audit.about_age("the run"))


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
