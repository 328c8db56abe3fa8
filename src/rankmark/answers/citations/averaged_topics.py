"""Which topics are averaged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from rankmark.conventions import query_texts
from rankmark.errors import DuplicateError, InputError, MismatchError, listed, shown

Queries = Literal["judged", "both"] | Iterable[str]


def averaged_topics(
    queries: Queries, judged: Iterable[str], answered: Iterable[str], where: str
) -> tuple[str, ...]:
    """Return the topics that are averaged, in their order.

    Parameters
    ----------
    queries
        "judged" for all that were judged, "both" for those with an answer, or ids.
    judged, answered
        The topics that were judged, and those of them that have an answer.

    Raises
    ------
    InputError
        If it is neither, or no topic is left.
    MismatchError
        If none of the ids was judged.
    """
    known = tuple(dict.fromkeys(judged))
    if isinstance(queries, str):
        if queries not in {"judged", "both"}:
            raise InputError(
                f"queries is {shown(queries)}", 'need "judged", "both", or a list of query ids'
            )
        have = {*answered}
        kept = known if queries == "judged" else tuple(one for one in known if one in have)
        if not kept:
            raise InputError("no query has an answer", 'choose queries="judged"', where=where)
        return kept
    kept = query_texts(queries)
    if len({*kept}) < len(kept):
        twice = next(one for one in kept if kept.count(one) > 1)
        raise DuplicateError(f"queries has {twice!r} twice", "keep one")
    if not {*kept} & {*known}:
        raise MismatchError(
            f"none of the queries was judged: {listed(kept[:3], len(kept))}",
            f"give ids such as {listed(known[:3], len(known))}",
            where=where,
        )
    return kept
