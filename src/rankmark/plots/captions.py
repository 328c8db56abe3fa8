"""Titles and names: what was measured, of how many queries, under which conventions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from rankmark.errors import InputError
from rankmark.formatting.text_width import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.conventions import Conventions
    from rankmark.measures import Measure

_TIES = {
    "docid": "ties by docid",
    "docid-asc": "ties by docid, ascending",
    "docid-up": "ties by docid, ascending",
    "input": "ties as given",
    "rank": "by the rank column",
    "mean": "mean over orders of ties",
    "best": "best order of ties",
    "worst": "worst order of ties",
    "error": "no ties",
}
_FORMATS = {".run", ".res", ".trec", ".txt", ".tsv", ".csv", ".json", ".jsonl", ".parquet"}
_PACKED = {".gz", ".bz2", ".xz", ".zst"}
_LONGEST_NAME = 40
_AGGREGATES = {"mean": "mean of ", "sum": "sum over ", "gmean": "geometric mean of "}


def at_each_k(measure: Measure) -> str:
    """Write a measure's name with k in place of its cutoff."""
    return str(measure.with_parameters(k=1)).removesuffix("@1") + "@k"


def conventions_in_words(conventions: Conventions) -> str:
    """Say how ties are ordered, and what else differs from the defaults."""
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
    return ", ".join(words)


def over_queries(
    counts: Sequence[int], query: str | None, aggregates: Sequence[str] = ("mean",)
) -> str:
    """Say which query is shown, or what of how many, which may be another number for each run."""
    if query is not None:
        return f"query {query}"
    several = len(set(aggregates)) > 1
    return ("" if several else _AGGREGATES[aggregates[0]]) + number_of_queries(counts)


def number_of_queries(counts: Sequence[int]) -> str:
    """Say how many queries there are in each run, or from how few to how many."""
    least, most = min(counts), max(counts)
    if least != most:
        return f"{least:,} to {most:,} queries"
    return "1 query" if most == 1 else f"{most:,} queries"


def texts(what: str, given: object) -> list[str]:
    """Take one text, or several, such as names.

    Raises
    ------
    InputError
        If it is something else.
    """
    if isinstance(given, str):
        return [given]
    if isinstance(given, Iterable) and not isinstance(given, (bytes, Mapping)):
        listed = list(given)
        if all(isinstance(text, str) for text in listed):
            return listed
    raise InputError(f"{what} is {given!r}; need names of runs: a str, or a list of them")


def names_of_runs(found: Sequence[str], given: Sequence[str] | None = None) -> list[str]:
    """Name runs: as given; else by their files without folders and endings, if that will do.

    Of more than 40 columns, the middle is left out.

    Raises
    ------
    InputError
        If there is not a name for each run, or one is no text.
    """
    return [cut(name, _LONGEST_NAME) for name in _names(found, given)]


def _names(found: Sequence[str], given: Sequence[str] | None) -> list[str]:
    if given is not None:
        given = texts("names", given)
        if len(given) != len(found):
            raise InputError(f"names: {len(given)} for {len(found)} runs; give each run one")
        return given
    if not any(name.startswith("<") for name in found):  # <mapping>, <stdin>, ...
        files = [PurePath(name).name for name in found]
        for names in ([_without_endings(name) for name in files], files, list(found)):
            if len(set(names)) == len(found):
                return names
    if len(found) == 1:
        return ["run"]
    return [f"run {number}" for number in range(1, len(found) + 1)]


def _without_endings(file: str) -> str:
    """Take off what says a format; bm25-b0.4 stays whole."""
    path = PurePath(file)
    while path.suffix.lower() in _FORMATS | _PACKED:
        path = path.with_suffix("")
    return path.name
