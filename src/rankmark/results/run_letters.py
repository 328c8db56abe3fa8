"""The letters of runs, and which runs a run is significantly better than, as text."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterator

_LONGEST = 24  # columns; a longer list is a number of runs


def letters(number: int) -> list[str]:
    """Return a, b, ..., z, aa, ab, ...; as many as runs."""
    found = []
    for at in range(number):
        text, left = "", at + 1
        while left:
            left, digit = divmod(left - 1, 26)
            text = string.ascii_lowercase[digit] + text
        found.append(text)
    return found


def listed_letters(
    places: Collection[int], doubtful: Collection[int] = (), longest: int = _LONGEST
) -> str:
    """Return the letters of runs, by their places from 0; more than two in a row as a range.

    Those of doubtful runs are in parentheses. A list that is longer is a number of runs.

    Examples
    --------
    >>> listed_letters([1, 2, 3, 5, 7, 8])
    'b–d, f, h, i'
    >>> listed_letters([1, 2, 3, 5], doubtful=[2, 3])
    'b, (c, d), f'
    >>> listed_letters([*range(0, 40, 2)])
    '20 runs'
    """
    named = letters(max(places, default=-1) + 1)
    parts = [
        f"({_range(part, named)})" if part[0] in doubtful else _range(part, named)
        for part in _in_a_row(sorted(places), doubtful)
    ]
    text = ", ".join(parts)
    if len(text) <= longest:
        return text
    sure = len(set(places) - set(doubtful))
    counts = [_runs(sure)] * bool(sure)
    counts += [f"({_runs(len(places) - sure)})"] * (sure < len(places))
    return ", ".join(counts)


def _in_a_row(places: list[int], doubtful: Collection[int]) -> Iterator[list[int]]:
    """Yield parts of places in a row that are all doubtful, or all not."""
    part: list[int] = []
    for place in places:
        follows = part and place == part[-1] + 1
        if part and not (follows and (place in doubtful) == (part[-1] in doubtful)):
            yield part
            part = []
        part.append(place)
    if part:
        yield part


def _range(part: list[int], named: list[str]) -> str:
    if len(part) > 2:
        return f"{named[part[0]]}–{named[part[-1]]}"
    return ", ".join(named[place] for place in part)


def _runs(number: int) -> str:
    return "1 run" if number == 1 else f"{number:,} runs"
