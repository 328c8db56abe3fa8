"""What tables of a comparison say of themselves: the lines below them, and captions for papers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankmark.conventions import in_a_sentence
from rankmark.errors import one_line
from rankmark.results.details import Detail
from rankmark.verbs.compare.comparison_legend import legend
from rankmark.verbs.compare.reversals import NOTHING
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.results.marked_tables import MarkedTable
    from rankmark.verbs.compare.displayed import Laid
    from rankmark.verbs.compare.run_difference import RunDifference

BETTER, WORSE = "*", "†"
BETTER_THAN = "better than"
COUNTS = "wins/ties/losses"
CAUSES = {"ties": "order of ties", "unjudged": "unjudged documents"}
"""What may reverse a difference, and the name of its column."""
_CAUSES_IN_WORDS = {
    "ties": "another order of ties",
    "unjudged": "judging the unjudged documents",
}
MOST_PAIRS = 30
"""Rows of differences below a leaderboard of all pairs."""


def is_reversible(row: RunDifference) -> bool:
    """Return whether something that was tried could reverse a difference."""
    return row.reversible_by not in {"", NOTHING}


def reversal(reversible_by: str, cause: str) -> str:
    """Return a cell on whether something could reverse a difference."""
    if not reversible_by:
        return ""
    return "could reverse it" if cause in reversible_by else "cannot reverse it"


def legend_of(layout: Laid) -> list[str]:
    """Return lines below the tables: what the numbers and the marks mean."""
    number = len(layout.compared.differences)
    lines = [marks_in_words(layout), *layout.compared.legend, *_without_interval(layout)]
    lines += [*reversals_in_words(layout), layout.in_percent, *_of_slices(layout)]
    if layout.reference is None and number > MOST_PAIRS:
        lines.append(changed_in_words(layout))
        lines.append(f"{number:,} differences are not shown; csv and json have all of them")
    return [line for line in lines if line]


def caption_of(layout: Laid, table: MarkedTable) -> str:
    """Return the caption of a table for a paper: what it shows, and what a reader has to know."""
    has_means = layout.confidence in table.head
    told = legend(layout.compared, of_means=has_means, of_differences=COUNTS in table.head)
    lines = [
        marks_in_words(layout, raised=True),
        *(line for line in told if not line.startswith("smallest")),
    ]
    if COUNTS not in table.head:
        lines.append(changed_in_words(layout))
    lines += [*reversals_in_words(layout), layout.in_percent]
    queries = f"{len(layout.compared.queries):,}"
    best = " Best values in bold, second best underlined." if len(layout.runs) > 1 else ""
    sentences = "".join(f" {_sentence(line)}" for line in lines if line)
    chosen = in_a_sentence(layout.conventions or "")
    conventions = f" Conventions: {chosen}; " if chosen else " "
    return f"Means over {queries} queries.{best}{sentences}{conventions}rankmark {__version__}."


def marks_in_words(layout: Laid, *, raised: bool = False) -> str | None:
    """Return what the marks mean; None without any tests.

    ``raised`` if letters are raised behind the means, and not in a column of their own.
    """
    compared = layout.compared
    rows = [*compared.differences, *compared.slices.differences]
    if not rows:
        return None
    significant = [row for row in rows if row.significant and row.better is not None]
    if not layout.marks_by_letter:
        said = f"{BETTER} significantly better than {layout.reference}, {WORSE} significantly worse"
    elif not significant:
        return "no run is significantly better than another"
    elif raised:
        said = "raised letters: significantly better than the runs with these letters"
    else:
        said = f"{BETTER_THAN}: letters of the runs that are significantly worse on the measure"
    doubtful = [row for row in significant if is_reversible(row)]
    causes = [
        words
        for cause, words in _CAUSES_IN_WORDS.items()
        if any(cause in row.reversible_by for row in doubtful)
    ]
    if causes:
        said += f"; in parentheses if {' or '.join(causes)} could reverse the difference"
    return said


def reversals_in_words(layout: Laid) -> list[str]:
    """Return whether anything could reverse a difference; nothing if that is not known."""
    known = [row for row in layout.compared.differences if row.reversible_by]
    tried = [*CAUSES] if layout.compared.with_bounds else ["ties"]
    return [
        _reversals(known, cause, f"{_CAUSES_IN_WORDS[cause]} could") for cause in tried if known
    ]


def _reversals(known: Sequence[RunDifference], cause: str, could: str) -> str:
    """Say how many differences something could reverse."""
    number = sum(cause in row.reversible_by for row in known)
    if not number:
        which = "the difference" if len(known) == 1 else "any difference"
        return Detail(f"{could} not reverse {which}")
    if len(known) == 1:
        return f"{could} reverse the difference"
    return f"{could} reverse {number:,} of {len(known):,} differences"


def changed_in_words(layout: Laid) -> str | None:
    """Return on how many queries two runs differ; None without pairs."""
    changed = {row.wins + row.losses for row in layout.compared.differences}
    if not changed:
        return None
    least, most = min(changed), max(changed)
    number = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"two runs differ on {number} of {len(layout.compared.queries):,} queries"


def _of_slices(layout: Laid) -> list[str]:
    """Return lines on slices that disagree with the whole, and the worst slice of each run."""
    slices = layout.compared.slices
    if not slices:
        return []
    first = layout.measures[0].name
    others = [run for run in layout.runs if run != layout.reference]
    worst = ", ".join(f"{slices.worst(first, run)} for {run}" for run in others)
    return [f"worst slice on {first}: {worst}", *slices.warnings]


def _without_interval(layout: Laid) -> list[str]:
    """Return lines on why means have no interval."""
    measures_of: dict[str, list[str]] = {}
    for row in layout.compared.leaderboard:
        if row.undefined and row.measure not in measures_of.setdefault(row.undefined, []):
            measures_of[row.undefined].append(row.measure)
    return [
        f"{', '.join(measures)}: no interval of the mean ({why})"
        for why, measures in measures_of.items()
    ]


def _sentence(line: str) -> str:
    """Return a line with a capital first letter, unless the first word is a name, such as nDCG."""
    line = one_line(line)
    first = line.split(" ", 1)[0].rstrip(":;,")
    is_word = first.isalpha() and first.islower()
    return (line[:1].upper() + line[1:] if is_word else line) + "."
