"""The lines below a table: audits, intervals, provenance and conventions, without repetition."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from rankmark.errors import one_line
from rankmark.named_tuples import NamedTuple
from rankmark.results.details import ON_COMMAND_LINE, Brief, Detail, chosen, on_one_line, shown
from rankmark.results.run_names import short_names
from rankmark.results.table_options import TableOptions
from rankmark.results.text_width import left, width
from rankmark.verbs.evaluate.provenance import is_share, note_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rankmark.measures import Measure
    from rankmark.results.number_style import NumberStyle
    from rankmark.verbs.evaluate.audit import Audit
    from rankmark.verbs.evaluate.evaluation import Evaluation

_MOST_NAMED = 6  # runs; of more, only the extremes or the first are named
_COUNTS = ("judged", "answered", "missing", "run_only", "without_relevant")
_ALIKE = 0.02  # of the first 10 documents: a smaller difference in what is judged is a detail
_SHARES = {"tied_share": "judged documents tied", "judged_at_10": "Judged@10"}


class _Run(NamedTuple):
    name: str
    ev: Evaluation

    @property
    def audit(self) -> Audit:
        return self.ev.audit


def notes(
    evaluations: Sequence[Evaluation],
    options: TableOptions | None = None,
    *,
    tie_interval: bool = False,
    bounds: bool = False,
    tested: bool = False,
) -> list[str]:
    """Return the lines below a table of runs with the same judgments, measures and conventions.

    What all runs have in common is written once; runs that differ are named.

    Parameters
    ----------
    evaluations, options
        Of the table.
    tie_interval, bounds
        Whether to add these intervals for every measure.
    tested
        Whether other lines say which differences ties could reverse, so that intervals are details.
    """
    options = options or TableOptions()
    names = options.names or short_names([ev.run_name for ev in evaluations])
    runs = [_Run(name, ev) for name, ev in zip(names, evaluations, strict=True)]
    conventions = note_of(evaluations[0].conventions, "conventions: ")
    percent = [f"values {line}" for line in in_percent(evaluations[0].measures, options.style)]
    if options.notes == "few" and not (tie_interval or bounds):
        return [*percent, conventions]
    intervals = [
        ev.intervals(tie_interval=tie_interval, bounds=bounds, style=options.style)
        for ev in evaluations
    ]
    if options.notes == "few":
        lines = [*_intervals(runs, intervals, runs)]
    elif options.notes == "all" or len(runs) == 1:
        most = max(width(run.name) for run in runs)
        lines = []
        for run, of_run in zip(runs, intervals, strict=True):
            name = f"{left(run.name, most)}  "
            lines.append(Brief(f"{name}{run.audit.brief}", f"{name}{run.audit}"))
            lines += (f"{name}{line}" for line in of_run)
    else:
        named = runs if tie_interval or bounds else _most_moved(runs, options.style)
        lines = [_counts(runs), *_shares(runs), *_extras(runs)]
        kind = Detail if tested else str
        lines += map(kind, _intervals(runs, intervals, named))
    of_lists = [run.ev.list_notes for run in runs]
    if len(runs) == 1:
        lines += of_lists[0]
    else:
        lines += _grouped(runs, of_lists, lambda where, what: f"{where}: {what}")
    provenance = [] if options.notes == "few" else _provenance(runs, whole=options.notes == "all")
    every = (*lines, *provenance, *percent, conventions)
    return [*map(on_one_line, every)]


def trials_in_caption(evaluations: Mapping[str, Evaluation]) -> str:
    """Return sentences for a caption on the runs that are systems of trials, if any."""
    return "".join(
        f" {one_line(name)}: mean of {len(one.trials)} trials per query."
        for name, one in evaluations.items()
        if one.trials
    )


def to_show(lines: Sequence[str], options: TableOptions) -> list[str]:
    """Return the lines that a command shows, and how to see the others."""
    if options.notes == "few":
        return chosen(lines, verbose=False)
    return shown(lines, verbose=options.notes == "all", how=ON_COMMAND_LINE)


def in_percent(measures: Sequence[Measure], style: NumberStyle) -> list[str]:
    """Return lines on the measures that are in percent, if any."""
    shares = [measure for measure in measures if is_share(measure) and measure.aggregate != "sum"]
    if not style.percent or not shares:
        return []
    if len(shares) == len(measures):
        return ["in percent"]
    return [f"in percent: {', '.join(map(str, shares))}"]


def all_of(runs: int) -> str:
    """Write "both runs", or "all 3 runs"."""
    return "both runs" if runs == 2 else f"all {runs} runs"


def _counts(runs: Sequence[_Run]) -> str:
    """Write the counts that most runs have, then the runs with others."""
    whole = _counted(runs, zeros=True)
    is_usual = all(_is_complete(run.audit) for run in runs)
    return Brief("" if is_usual else _counted(runs, zeros=False), whole)


def _counted(runs: Sequence[_Run], *, zeros: bool) -> str:
    usual = {name: _majority([getattr(run.audit, name) for run in runs]) for name in _COUNTS}
    found = [(name, value) for name, value in usual.items() if value is not None]
    common = _written(found, zeros=zeros)
    others = []
    for run in runs:
        differing = [name for name in _COUNTS if getattr(run.audit, name) != usual[name]]
        if differing:
            found = [(name, getattr(run.audit, name)) for name in differing]
            others.append(f"{run.name} {_written(found, zeros=zeros)}")
    alike = len(runs) - len(others)  # where each has a count of its own, the others are of all
    line = (
        f"{alike} of {len(runs)} runs: {common}"
        if others and alike
        else f"{all_of(len(runs))}: {common}"
    )
    if others:
        more = f"; and {len(others) - _MOST_NAMED} more differ" if others[_MOST_NAMED:] else ""
        but = "but " if alike else ""
        line += f"; {but}{'; '.join(others[:_MOST_NAMED])}{more}"
    return line


def _written(counts: Sequence[tuple[str, int]], *, zeros: bool) -> str:
    """Write counts; those of 0 if they are asked for, or if there are no others."""
    some = [(name, count) for name, count in counts if count or zeros] or counts
    return ", ".join(_count(name, count) for name, count in some)


def _is_complete(audit: Audit) -> bool:
    """Return whether every judged query is averaged, was answered, and has relevant documents."""
    left = audit.missing + audit.run_only + audit.without_relevant
    return not left and audit.averaged == audit.judged


def _majority(values: Sequence[int]) -> int | None:
    """Return the value of more than half; None if there is none."""
    (value, times), *_ = Counter(values).most_common(1)
    return value if 2 * times > len(values) else None


def _count(name: str, value: int) -> str:
    return f"{name.replace('_', '-') if name == 'run_only' else name.replace('_', ' ')} {value:,}"


def _shares(runs: Sequence[_Run]) -> Iterator[str]:
    in_table = {str(measure) for measure in runs[0].ev.measures}
    for name, words in _SHARES.items():
        shares = [(getattr(run.audit, name), run.name) for run in runs]
        if any(math.isnan(share) for share, _ in shares):  # nothing is known of unjudged documents
            continue
        if len({f"{share:.1%}" for share, _ in shares}) == 1:
            line = f"{words}: {shares[0][0]:.1%} in {all_of(len(runs))}"
        elif len(runs) <= _MOST_NAMED:
            line = f"{words}: " + ", ".join(f"{run} {share:.1%}" for share, run in shares)
        else:
            line = f"{words}: {_range(shares)}"
        differ = max(shares)[0] - min(shares)[0]
        # Ties matter where another order of them changes a number, which lines of their own say.
        is_told = name == "judged_at_10" and words not in in_table and differ > _ALIKE
        yield Brief(line if is_told else "", line)


def _range(shares: Sequence[tuple[float, str]]) -> str:
    """Write the minimum and the maximum with their runs, and the median."""
    ordered = sorted(shares, key=lambda share: share[0])
    ends = []
    for share, name in (ordered[0], ordered[-1]):
        equal = sum(f"{other:.1%}" == f"{share:.1%}" for other, _ in shares)
        ends.append(f"{share:.1%} in " + (name if equal == 1 else f"{equal} runs"))
    median = ordered[(len(ordered) - 1) // 2][0]
    return f"{ends[0]} to {ends[1]}, median {median:.1%}"


def _extras(runs: Sequence[_Run]) -> Iterator[str]:
    extras = [run.audit.extras() for run in runs]
    yield from _grouped(runs, extras, lambda where, what: f"{where}: {what}")


def _grouped(
    runs: Sequence[_Run], of_runs: Sequence[Sequence[str]], write: Callable[[str, str], str]
) -> Iterator[str]:
    """Write each line once, with the runs that it applies to."""
    runs_of: dict[str, list[str]] = {}
    for run, lines in zip(runs, of_runs, strict=True):
        for line in lines:
            runs_of.setdefault(line, []).append(run.name)
    for line, names in runs_of.items():
        shown = ", ".join(names[:_MOST_NAMED])
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        where = all_of(len(runs)) if len(names) == len(runs) else shown + more
        yield type(line)(write(where, line))


def _most_moved(runs: Sequence[_Run], style: NumberStyle) -> Sequence[_Run]:
    """Return the runs whose means ties can change the most, in order."""
    moved = [
        max((high - low for low, high in run.ev.moved_by_ties(style).values()), default=0.0)
        for run in runs
    ]
    most = sorted(range(len(runs)), key=lambda at: -moved[at])[:_MOST_NAMED]
    return [runs[at] for at in sorted(most)]


def _intervals(
    runs: Sequence[_Run], intervals: Sequence[Sequence[str]], named: Sequence[_Run]
) -> Iterator[str]:
    """Write the intervals of the means, each reason once, those of some runs."""
    by_reason: dict[str, list[tuple[str, str]]] = {}
    for run, lines in zip(runs, intervals, strict=True):
        for line in lines:
            reason, text = _split(line)
            by_reason.setdefault(reason, []).append((run.name, text))
    names = {run.name for run in named}
    for reason, lines_of in by_reason.items():
        shown = [(name, text) for name, text in lines_of if name in names]
        if len(shown) == len(lines_of) == 1:
            yield f"{shown[0][0]}: {reason} {shown[0][1]}"
            continue
        most = max((width(name) for name, _ in shown), default=0)
        yield reason
        yield from (f"  {left(name, most)}  {text}" for name, text in shown)
        if more := len(lines_of) - len(shown):
            yield f"  {'and' if shown else 'in'} {more} {'run' if more == 1 else 'runs'}, by less"


def _split(line: str) -> tuple[str, str]:
    """Split a line of ``Evaluation.intervals`` into the reason and the intervals."""
    for reason in ("could give ", "standard error: "):
        before, found, after = line.partition(reason)
        if found:
            return (before + found).rstrip(": "), after
    return line, ""


def _provenance(runs: Sequence[_Run], *, whole: bool) -> Iterator[str]:
    """Write how inputs were read, each line once."""
    files = {run.ev.run_name for run in runs}
    of_runs: list[list[str]] = []
    others: dict[str, None] = {}
    for run in runs:
        own = []
        for line in run.ev.provenance:
            if line.startswith(f"{run.ev.run_name} read as") and len(files) > 1 and not whole:
                own.append(line.removeprefix(run.ev.run_name).lstrip())
            else:
                others[line] = None
        of_runs.append(own)
    yield from others
    yield from _grouped(runs, of_runs, lambda where, what: f"{where} {what}")
