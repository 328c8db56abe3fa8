"""A made-up log of searches in the example collection, whose truth is known: ``example_log``."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import log, sqrt
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from rankmark.arguments import FromOne, FromZero, Part, checked
from rankmark.errors import InputError, shown

FOLDER = Path(__file__).parents[2] / "example"
_VARIANTS = {"A": "bm25.run", "B": "lsa.run"}
_SHOWN = 10
_ATTRACTION = (0.1, 0.3, 0.6, 0.9)
"""The probability that a document is clicked once it is looked at, by label; 0 if unjudged."""
_DWELL = (6.0, 12.0, 45.0, 90.0)
"""Mean seconds after a click, by label."""
_BEGIN = datetime(2026, 3, 2, 8)
_DAYS = 14
_MOST = 100_000
"""Searches, which are made one by one in memory."""


class ExampleLog(NamedTuple):
    """A made-up log, and the truth from which it was drawn.

    Parameters
    ----------
    columns
        The log, for ``read_log``: a row for each document shown, and one without a document for an
        issue that found nothing.
    labels
        {query: {document: label}}, 0 for documents that are shown and not judged.
    attraction
        {query: {document: the probability of a click on it, once it is looked at}}.
    examination
        The probability that a document is looked at, by rank from 1.
    """

    columns: dict[str, list[Any]]
    labels: dict[str, dict[str, int]]
    attraction: dict[str, dict[str, float]]
    examination: list[float]


@checked
def example_log(searches: FromOne = 2_000, *, swaps: Part = 0.0, seed: FromZero = 0) -> ExampleLog:
    """Make up a log of searches in the example collection.

    Half of the users see the ranking of BM25 (variant A), the others that of latent semantic
    analysis (B), ten documents each. Users look at the document of rank r with probability
    1/sqrt(r), and click on it with a probability that depends on its label; both are drawn
    independently.

    Parameters
    ----------
    searches
        How many issues of queries there are.
    swaps
        The share of issues in which a document, whichever it is, changes places with the next one,
        so that ``position_bias`` sees documents at neighbouring ranks.
    seed
        Seed of the draws.

    Returns
    -------
    ExampleLog
        ``columns``, which ``read_log`` takes, and the truth.

    Examples
    --------
    >>> import rankmark as rm
    >>> made = rm.example_log()
    >>> rm.read_log(made.columns)
    ClickLog(2,000 issues of 24 queries by 329 users: 17,806 documents shown, 2,241 clicked)
    >>> made.labels["q01"]["bread-01"], made.attraction["q01"]["bread-01"], made.examination[:2]
    (3, 0.9, [1.0, 0.7071067811865475])
    """
    if searches > _MOST:
        raise InputError(f"searches is {shown(searches)}", f"need at most {_MOST:,}")
    lists = {variant: _lists(FOLDER / name) for variant, name in _VARIANTS.items()}
    judged = _labels(FOLDER / "qrels.txt")
    labels = {
        query: {
            doc: judged[query].get(doc, 0) for of in lists.values() for doc in of.get(query, ())
        }
        for query in judged
    }
    columns: dict[str, list[Any]] = {name: [] for name in _NAMES}
    draw = Random(seed)  # noqa: S311  (nothing secret)
    queries = sorted(judged)
    users = max(searches // 6, 2)
    examination = [1 / sqrt(rank) for rank in range(1, _SHOWN + 1)]
    for at in range(searches):
        user = int(users * draw.random() ** 1.5)  # some search more than others
        variant = "AB"[user % 2]
        query = queries[int(len(queries) * draw.random())]
        time = _BEGIN + timedelta(days=at * _DAYS // searches, seconds=int(36_000 * draw.random()))
        issue = (f"i{at:05}", query, f"u{user:04}", f"u{user:04}-{time:%m%d}", variant)
        of_query = lists[variant].get(query, [])
        if not of_query:
            _add(columns, *issue, time, None, None, 0, None)
        if swaps and len(of_query) > 1 and draw.random() < swaps:
            first = int((len(of_query) - 1) * draw.random())
            of_query = [*of_query]
            of_query[first : first + 2] = of_query[first + 1], of_query[first]
        for rank, doc in enumerate(of_query, 1):
            label = labels[query][doc]
            click = int(draw.random() < examination[rank - 1]) & int(
                draw.random() < _ATTRACTION[label]
            )
            seconds = round(-_DWELL[label] * log(1 - draw.random()), 1)
            _add(columns, *issue, time, doc, rank, click, seconds if click else None)
    attraction = {
        query: {doc: _ATTRACTION[label] for doc, label in of.items()}
        for query, of in labels.items()
    }
    return ExampleLog(columns, labels, attraction, examination)


_NAMES = (
    *("query_id", "query", "user", "session", "variant", "time", "doc", "rank", "click", "dwell"),
)


def _add(columns: dict[str, list[Any]], *row: Any) -> None:
    for values, value in zip(columns.values(), row, strict=True):
        values.append(value)


def _lists(path: Path) -> dict[str, list[str]]:
    """Return the first documents of each query of a run in the format of TREC."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, doc, rank, *_ = line.split()
        if int(rank) <= _SHOWN:
            found.setdefault(query, []).append(doc)
    return found


def _labels(path: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, doc, label = line.split()
        found.setdefault(query, {})[doc] = int(label)
    return found
