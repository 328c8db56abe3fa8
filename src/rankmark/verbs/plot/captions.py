"""Titles and names: measures, numbers of queries, conventions and runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rankmark.errors import InputError
from rankmark.results.run_names import short_names
from rankmark.results.text_width import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.conventions import Conventions
    from rankmark.measures import Measure

_TIES = {
    "docid": "ties by docid",
    "docid-asc": "ties by docid, ascending",
    "input": "ties as given",
    "rank": "by the rank column",
    "mean": "mean over orders of ties",
    "best": "best order of ties",
    "worst": "worst order of ties",
    "error": "no ties",
}
_LONGEST_NAME = 40
_AGGREGATES = {"mean": "mean of ", "sum": "sum over ", "gmean": "geometric mean of "}


def at_each_k(measure: Measure) -> str:
    """Format a measure's name with k as its cutoff."""
    return str(measure.with_parameters(k=1)).removesuffix("@1") + "@k"


def conventions_in_words(conventions: Conventions) -> str:
    """Return the rule for ties, and the conventions that differ from their defaults."""
    words = [_TIES[conventions.ties]]
    if conventions.no_relevant != "zero":
        words.append(f"no relevant: {conventions.no_relevant}")
    if conventions.depth is not None:
        words.append(f"depth {conventions.depth:,}")
    if conventions.judged_only:
        words.append("judged documents only")
    if conventions.drop_self:
        words.append("own documents dropped")
    if conventions.duplicates != "error":
        words.append(f"duplicates: {conventions.duplicates}")
    if conventions.precision != "double":
        words.append(conventions.precision)
    if conventions.unit is not None:
        words.append(f"units: {conventions.unit}")
    if conventions.qrels_unit is not None:
        words.append(f"judged units: {conventions.qrels_unit}")
    if conventions.combine != "best":
        words.append(f"units combined by {conventions.combine}")
    if conventions.unit_depth is not None:
        words.append(f"first {conventions.unit_depth:,} units")
    return ", ".join(words)


def over_queries(
    counts: Sequence[int], query: str | None, aggregates: Sequence[str] = ("mean",)
) -> str:
    """Describe the query shown, or the aggregate and the numbers of queries of each run."""
    if query is not None:
        return f"query {query}"
    several = len(set(aggregates)) > 1
    return ("" if several else _AGGREGATES[aggregates[0]]) + number_of_queries(counts)


def number_of_queries(counts: Sequence[int]) -> str:
    """Format the number of queries, or its range if it differs between runs."""
    least, most = min(counts), max(counts)
    if least != most:
        return f"{least:,} to {most:,} queries"
    return "1 query" if most == 1 else f"{most:,} queries"


def texts(parameter: str, value: object) -> list[str]:
    """Return one or several texts as a list.

    Raises
    ------
    InputError
        If the value is something else.
    """
    if isinstance(value, str):
        return [value]
    if isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping)):
        listed = list(value)
        if all(isinstance(text, str) for text in listed):
            return listed
    raise InputError(f"{parameter} is {value!r}", "need names of runs: a str, or a list of them")


def names_of_runs(sources: Sequence[str], names: Sequence[str] | None = None) -> list[str]:
    """Name runs, by default by their files without folders and extensions, if these differ.

    Names are shortened to 40 columns.

    Raises
    ------
    InputError
        If there is not a name for each run, or one is not text.
    """
    return [cut(name, _LONGEST_NAME) for name in _names(sources, names)]


def _names(sources: Sequence[str], names: Sequence[str] | None) -> list[str]:
    if names is not None:
        names = texts("names", names)
        if len(names) != len(sources):
            raise InputError(f"names: {len(names)} for {len(sources)} runs", "give each run one")
        return names
    if not any(name.startswith("<") for name in sources):  # <mapping>, <stdin>, ...
        short = short_names(sources)
        if len(set(short)) == len(sources):
            return short
    if len(sources) == 1:
        return ["run"]
    return [f"run {number}" for number in range(1, len(sources) + 1)]
