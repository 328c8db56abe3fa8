"""Groups of systems that do not differ significantly, as letters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from string import ascii_lowercase

import numpy as np
from numpy.typing import ArrayLike

from rankmark.errors import InputError
from rankmark.statistics.score_arrays import column


def letters(
    means: ArrayLike, pairs: Sequence[tuple[int, int]], p: ArrayLike, level: float = 0.05
) -> tuple[str, ...]:
    """Return letters for each system; two share one if and only if their p is above the level.

    Parameters
    ----------
    means
        (systems,) float64; the system with the largest gets the first letter.
    pairs
        All pairs of systems, by number.
    p
        (pairs,) float64, corrected p-values; a pair whose p is NaN counts as not different.
    level
        Pairs with a p of at most this differ significantly.

    Returns
    -------
    tuple of str
        (systems,) letters of each, such as "ab"; after "z" comes "a'".

    Raises
    ------
    InputError
        If a pair is missing.

    References
    ----------
    .. [1] Piepho 2004, An algorithm for a letter-based representation of all-pairwise comparisons,
       Journal of Computational and Graphical Statistics 13(2), pages 456-466: insert and absorb,
       then sweep.

    Examples
    --------
    >>> letters([0.5, 0.4, 0.3], [(0, 1), (0, 2), (1, 2)], [0.2, 0.01, 0.3])
    ('a', 'ab', 'b')
    """
    values, given = column("means", means), column("p", p)
    count = len(values)
    if len(pairs) != len(given):
        noun = "pair" if len(pairs) == 1 else "pairs"
        raise InputError(
            f"there are {len(pairs):,} {noun} and {len(given):,} p-values",
            "need one for each pair",
        )
    told = {frozenset(one): bool(x <= level) for one, x in zip(pairs, given, strict=True)}
    missing = [one for one in combinations(range(count), 2) if frozenset(one) not in told]
    if missing:
        raise InputError(f"pairs is missing {missing[0]}", "letters need the p-values of all pairs")
    apart = [tuple(sorted(one)) for one, differs in told.items() if differs]
    groups: list[frozenset[int]] = [frozenset(range(count))]
    for one, other in sorted(apart):
        split = [group for group in groups if one in group and other in group]
        rest = [group for group in groups if group not in split]
        for group in split:
            rest += [group - {one}, group - {other}]
        groups = [
            group
            for at, group in enumerate(rest)
            if not any(group < larger for larger in rest) and group not in rest[:at]
        ]
    groups = _swept(groups)
    order = np.argsort(-values, kind="stable").tolist()
    place = {system: at for at, system in enumerate(order)}
    groups.sort(key=lambda group: sorted(place[system] for system in group))
    names = [_letter(number) for number in range(len(groups))]
    return tuple(
        "".join(name for name, group in zip(names, groups, strict=True) if system in group)
        for system in range(count)
    )


def _swept(groups: list[frozenset[int]]) -> list[frozenset[int]]:
    """Drop groups whose pairs all occur together in other groups."""
    kept = list(groups)
    for group in sorted(groups, key=len):
        others = [other for other in kept if other != group]
        needed = list(combinations(sorted(group), 2)) or [(one, one) for one in group]
        if all(any({*one} <= other for other in others) for one in needed):
            kept = others
    return kept


def _letter(number: int) -> str:
    return ascii_lowercase[number % 26] + "'" * (number // 26)
