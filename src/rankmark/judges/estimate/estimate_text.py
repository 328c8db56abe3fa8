"""Estimates in words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rankmark.errors import InputError, few, one_line
from rankmark.results.details import IN_PYTHON, Detail, shown
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import LEAVES_0_OUT, adjusted_ends, adjusted_range, number
from rankmark.results.text_tables import Cell
from rankmark.results.text_width import fitted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.judges.estimate.estimated import Estimated
    from rankmark.verbs.evaluate.result_tables import Format
    from rankmark.verbs.power.both_judged import BothJudged


class Told(Protocol):
    """What is said of an ``Estimate``, which explains it."""

    @property
    def means(self) -> Sequence[Estimated]:
        """Means of runs."""
        ...

    @property
    def differences(self) -> Sequence[Estimated]:
        """Differences of runs."""
        ...

    @property
    def both(self) -> BothJudged:
        """The scores."""
        ...

    @property
    def sample(self) -> str:
        """How the sample was drawn."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """All choices."""
        ...

    @property
    def half_width(self) -> float | None:
        """What was asked about."""
        ...


def decision(found: Told) -> str:
    """Return the answer on the first measure in a sentence, and what the labels are worth."""
    measure = str(found.both.measures[0])
    rows = [row for row in found.differences if row.measure == measure]
    if not rows:
        means = [row for row in found.means if row.measure == measure]
        said = [f"{row.run} has {measure} {number(row.estimate)}{_between(row)}" for row in means]
        return f"{'; '.join(said)}. {_worth(means[0])}"
    if _is_complete(found):
        largest = max(rows, key=lambda row: abs(row.estimate))
        which = f", the largest of {len(rows)} differences" if rows[1:] else ""
        return f"{_better(largest)}{which}. {_worth(largest)}"
    if len(rows) == 1:
        return f"{_decided(rows[0])}. {_worth(rows[0])}"
    clear = [row for row in rows if row.significant]
    if not clear:
        return f"None of the {len(rows)} differences in {measure} is significant. {_worth(*rows)}"
    largest = max(clear, key=lambda row: abs(row.estimate))
    share = f"{len(clear)} of the {len(rows)} differences in {measure}"
    verb = "is" if len(clear) == 1 else "are"
    return f"{share} {verb} significant; {_decided(largest)}. {_worth(largest)}"


def _is_complete(found: Told) -> bool:
    """Return whether people judged all queries that are asked about, so nothing is estimated."""
    return bool(found.settings["finite"]) and bool(found.both.judged.all())


def _decided(row: Estimated) -> str:
    if row.undefined:
        return f"The difference of {row.name} in {row.measure} is unknown: {row.undefined}"
    if not row.significant:
        return (
            f"Cannot tell whether {row.run} or {row.baseline} is better: the difference in "
            f"{row.measure} is {row.estimate:+.4f}{_between(row)}"
        )
    return f"{_better(row)}{_between(row)}"


def _better(row: Estimated) -> str:
    if row.estimate == 0:
        return f"{row.run} and {row.baseline} have the same {row.measure}"
    better = (row.estimate > 0) == row.more_is_better
    word = "better" if better else "worse"
    return f"{row.run} is {word} than {row.baseline} by {abs(row.estimate):.4f} {row.measure}"


def _between(row: Estimated) -> str:
    if row.undefined:
        return ""
    level = f"{100 * row.found.interval.confidence:.6g}%"
    if row.baseline is None:
        return f" ({level}: {row.low:.4f} to {row.high:.4f})"
    return f" ({level}: {adjusted_range(*row.shown, '{:+.4f}'.format)})"


def _worth(row: Estimated, *others: Estimated) -> str:
    """Say what the labels are worth: to a row, or from the least to the most of several."""
    found = row.found
    judged = f"{found.n:,} queries judged by people"
    if not found.others:
        return f"People judged all {found.n:,} queries."
    by_model = f"the model's labels of {found.others:,} others"
    worth = sorted(one.effective_n for one in (row, *others) if not math.isnan(one.effective_n))
    if not worth:
        return f"{judged}, and {by_model}."
    ends = dict.fromkeys(f"{end:,.1f}" for end in (worth[0], worth[-1]))
    return f"{judged}, with {by_model}, are worth {' to '.join(ends)} judged by people alone."


def tables(found: Told) -> list[MarkedTable]:
    """Return the table of means, and that of differences if there are any."""
    several = len(found.both.measures) > 1
    made = [_table(found.means, found, several=several)]
    if found.differences:
        made.append(_table(found.differences, found, several=several))
    return made


def _table(rows: Sequence[Estimated], found: Told, *, several: bool) -> MarkedTable:
    are_means = rows[0].baseline is None
    corrected = any(row.family > 1 for row in rows)
    level = f"{100 * found.settings['confidence']:.6g}% interval"
    if corrected:
        level = f"adjusted {level}"
    sign = "" if are_means else "+"
    words = ["measure"] if several else []
    words.append("run" if are_means else "difference")
    head = [*words, f"{'' if several else rows[0].measure + ', '}both", level]
    head += [] if are_means else ["adjusted p" if corrected else "p"]
    head += ["people alone", level, "model alone", "worth"]
    lines = []
    for row in rows:
        cells = [row.measure] if several else []
        cells += [row.name, number(row.estimate, sign), _ends(*row.shown, sign)]
        cells += [] if are_means else [_p(row.adjusted_p)]
        people = row.found.people
        cells += [number(people.estimate, sign), _ends(*row.people_shown, sign)]
        cells += [number(row.found.model.estimate, sign)]
        cells += ["-" if math.isnan(row.effective_n) else f"{row.effective_n:,.1f}"]
        lines.append([Cell(one_line(cell)) for cell in cells])
    return MarkedTable(head, lines, len(words), attached=[level])


def _ends(low: float, high: float, sign: str) -> str:
    if math.isnan(low):
        return "-"
    if not sign:  # the mean of a run
        return f"[{low:.4f}, {high:.4f}]"
    return adjusted_ends(low, high, "{:+.4f}".format)


def _p(value: float) -> str:
    if math.isnan(value):
        return "-"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


class Needed(NamedTuple):
    """Queries that people have to judge for an interval of this half-width."""

    measure: str
    name: str
    half_width: float
    with_model: int | None
    alone: int | None

    def keys(self) -> Sequence[str]:
        """Return the names, as a mapping has them."""
        return self._fields

    def __getitem__(self, key: Any) -> Any:
        return getattr(self, key) if isinstance(key, str) else tuple.__getitem__(self, key)


def labels_needed(found: Told) -> Iterator[Needed]:
    """Yield what the half-width asked about needs, for each difference, or each mean."""
    if found.half_width is None:
        return
    for row in found.differences or found.means:
        try:
            needed = row.labels_for(found.half_width)
        except InputError:  # no spread
            continue
        yield Needed(row.measure, row.name, found.half_width, needed.with_model, needed.alone)


def notes(found: Told) -> list[str]:
    """Return the lines below the tables."""
    settings = found.settings
    judged = int(found.both.judged.sum())
    lines = [
        f"sample: {judged:,} of {len(found.both.queries):,} queries are judged by people, "
        f"{found.sample}" + ("; about these queries only (finite)" if settings["finite"] else ""),
        "model alone: the mean by the model's labels; no interval can show its bias",
        "worth: how many queries judged by people alone would give as narrow an interval",
    ]
    # Only the intervals of the table are corrected.
    which = "a single" if any(row.family > 1 for row in found.differences) else "an"
    lines += [_needed(one, which) for one in labels_needed(found)]
    lines += _doubted(found)
    lines += _corrections(found)
    lines += [Detail(line) for line in _details(found)]
    return lines


def _doubted(found: Told) -> Iterator[str]:
    """Say which intervals are missing, or to be read with care, and why."""
    if _is_complete(found):
        yield "no intervals: people judged all of these queries, so the numbers are no estimates"
        return
    doubted: dict[str, list[str]] = {}
    for row in (*found.means, *found.differences):
        if why := row.undefined or row.found.interval.warning:
            doubted.setdefault(why, []).append(f"{row.name} in {row.measure}")
    for why, names in doubted.items():
        yield f"{few(names)}: {why}"


def _corrections(found: Told) -> Iterator[str]:
    """Say what was corrected, and where intervals do not agree with p-values."""
    corrected = [row for row in found.differences if row.family > 1 and not row.undefined]
    if not corrected:
        return
    line = (
        "p-values and intervals of differences are corrected for "
        f"{max(row.family for row in corrected)} differences ({found.settings['correction']})"
    )
    shown_ends = {end for row in corrected for end in (*row.shown, *row.people_shown)}
    yield f"{line}; {LEAVES_0_OUT}" if 0.0 in shown_ends else line
    apart = [row for row in corrected if row.significant and not row.excludes_zero]
    for measure in dict.fromkeys(row.measure for row in apart):
        names = [row.name for row in apart if row.measure == measure]
        yield (
            f"{few(names)} in {measure}: significant, but the interval contains 0, as intervals "
            "take each direction by itself"
        )


def _needed(one: Needed, which: str) -> str:
    interval = f"for {which} interval of ±{one.half_width:g} for {one.name}, {one.measure}"
    alone = "more than there can be" if one.alone is None else f"{one.alone:,}"
    if one.with_model is None:
        return f"{interval}: judging all queries is not enough; without the model it takes {alone}"
    return (
        f"{interval}: people have to judge {one.with_model:,} queries; without the model it takes "
        f"{alone}"
    )


def _details(found: Told) -> Iterator[str]:
    settings = found.settings
    rows = found.differences or found.means
    lams = ", ".join(
        f"{row.name} {row.found.lam:.2f} (correlation {_correlation(row)})" for row in rows[:6]
    )
    yield f"{settings['method']}: weight of the model's scores (lambda): {lams}"
    if settings["interval"] == "normal":
        yield "intervals by the normal distribution, as PPI++ was published"
    else:
        degrees = rows[0].found.degrees
        yield (
            f"intervals by Student's t, {degrees:.4g} degrees of freedom; the error of each query "
            "is computed with the lambda of the other queries"
        )
    left = max(row.found.left_out for row in (*found.means, *found.differences))
    if left:
        yield f"{left:,} queries without a score by the model are left out"
    yield (
        "each set of labels has documents of its own: what one of them did not judge counts as not "
        "relevant in its score"
    )
    yield from (str(line) for line in found.both.evaluations[0][0].provenance)


def _correlation(row: Estimated) -> str:
    value = row.found.correlation
    return "unknown" if math.isnan(value) else f"{value:.2f}"


def text_of(found: Any, width: int | None, *, verbose: bool = False, how: str = IN_PYTHON) -> str:
    """Return the answer, the tables and the notes."""
    made = [table.as_text(width=width).rstrip() for table in tables(found)]
    below = [one_line(line) for line in shown(found.notes, verbose=verbose, how=how)]
    parts = [one_line(decision(found)), *made, "\n".join(below)]
    return fitted("\n\n".join(parts) + "\n", width)


def rendered(
    found: Any,
    form: Format,
    *,
    width: int | None = None,
    verbose: bool = False,
    how: str = IN_PYTHON,
) -> str:
    """Write an estimate in one of the formats of tables, or as JSON."""
    if form == "json":
        return str(found.to_json(indent=2)) + "\n"
    if form == "jsonl":
        return str(found.to_json()) + "\n"
    if form == "markdown":
        return "\n".join(table.as_markdown() for table in tables(found))
    if form == "latex":
        return "\n".join(
            table.as_latex(caption=one_line(decision(found)), label=f"tab:estimate{number}")
            for number, table in zip(("", "-differences"), tables(found), strict=False)
        )
    return text_of(found, width, verbose=verbose, how=how)
