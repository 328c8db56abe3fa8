"""Interleave two rankings, for simulations and tests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from rankmark.arguments import FromOne, Names, Seed, checked, filled, names_in
from rankmark.errors import InputError

Interleaving = Literal["team-draft", "balanced", "competitive-pairs"]


class InterleavedList(NamedTuple):
    """A list made of two rankings.

    Attributes
    ----------
    docs
        The documents, in order.
    teams
        "a" or "b", which a click on the document counts for; None where it counts for neither, and
        for all documents of a balanced list, whose credit depends on all clicks.
    rank_a, rank_b
        The ranks of the documents in both rankings, from 1; None if they are not in it.
    """

    docs: tuple[str, ...]
    teams: tuple[str | None, ...]
    rank_a: tuple[int | None, ...]
    rank_b: tuple[int | None, ...]


@checked
def interleave(
    a: Names,
    b: Names,
    method: Interleaving = "team-draft",
    *,
    k: FromOne | None = None,
    seed: Seed = 0,
) -> InterleavedList:
    """Interleave two rankings of the documents for one query.

    It makes lists for simulations and for the tests of a search engine, which itself interleaves
    while it answers.

    Parameters
    ----------
    a, b
        Ids of documents, best first, each once.
    method
        ``"team-draft"``: in each round a coin decides which ranking gives its best document that is
        not in the list yet first, and then the other gives its own [2]_. ``"competitive-pairs"``
        is the same, but a document that both would give in a round is in the list once, and counts
        for neither. ``"balanced"``: one coin decides which ranking begins, and then both are read
        in turns [1]_; it is biased where one ranking is the other shifted by a place, as random
        clicks then favour one of them.
    k
        Length of the list; None for that of the shorter ranking.
    seed
        Seed of the coin; None draws one.

    Returns
    -------
    InterleavedList
        The documents, and what each click counts for.

    Raises
    ------
    InputError
        If a ranking has no document or one twice, or an option is invalid.

    References
    ----------
    .. [1] Joachims 2003, Evaluating retrieval performance using clickthrough data, Text Mining,
       pages 79-96.
    .. [2] Radlinski, Kurup and Joachims 2008, How does clickthrough data reflect retrieval quality?
       CIKM, pages 43-52.

    Examples
    --------
    >>> import rankmark as rm
    >>> found = rm.interleave(["x", "y", "z"], ["y", "z", "w"], seed=1)
    >>> found.docs, found.teams
    (('y', 'x', 'z'), ('b', 'a', 'b'))
    """
    given = {"a": _once("a", a), "b": _once("b", b)}
    length = min(map(len, given.values())) if k is None else k
    generator = np.random.Generator(np.random.PCG64(filled(seed)))
    docs, teams = drafted(given["a"], given["b"], method, length, lambda: generator.random() < 0.5)
    ranks = [{doc: rank for rank, doc in enumerate(one, 1)} for one in given.values()]
    return InterleavedList(
        tuple(docs), tuple(teams), *(tuple(map(rank.get, docs)) for rank in ranks)
    )


def _once(name: str, given: Iterable[str] | str | None) -> list[str]:
    docs = names_in(given) or []
    if not docs or len({*docs}) < len(docs):
        twice = next((doc for doc in docs if docs.count(doc) > 1), None)
        found = f"{name} has no document" if twice is None else f"{name} has {twice!r} twice"
        raise InputError(found, "need a ranking, with each document once")
    return docs


def drafted(
    a: Sequence[str], b: Sequence[str], method: Interleaving, length: int, coin: Callable[[], bool]
) -> tuple[list[str], list[str | None]]:
    """Return a list and the teams of its documents; the coin says whether a goes first."""
    if method == "balanced":
        docs = _balanced(a, b, length, is_a_first=coin())
        return docs, [None] * len(docs)
    docs, teams = [], list[str | None]()
    while len(docs) < length:
        added = next_documents(a, b, docs, method, is_a_first=coin())
        if not added:
            break
        for doc, team in added[: length - len(docs)]:
            docs.append(doc)
            teams.append(team)
    return docs, teams


def next_documents(
    a: Sequence[str],
    b: Sequence[str],
    shown: Collection[str],
    method: Interleaving,
    *,
    is_a_first: bool,
) -> list[tuple[str, str | None]]:
    """Return the documents of the next round, at most two, with their teams; none at the end."""
    best = [next((doc for doc in one if doc not in shown), None) for one in (a, b)]
    if method == "competitive-pairs" and best[0] == best[1] and best[0] is not None:
        return [(best[0], None)]
    (first, _), (second, other) = (("a", a), ("b", b)) if is_a_first else (("b", b), ("a", a))
    doc = best[0 if is_a_first else 1]
    added: list[tuple[str, str | None]] = [] if doc is None else [(doc, first)]
    then = next((each for each in other if each not in shown and each != doc), None)
    return added if then is None else [*added, (then, second)]


def _balanced(a: Sequence[str], b: Sequence[str], length: int, *, is_a_first: bool) -> list[str]:
    docs: list[str] = []
    read_a = read_b = 0
    while len(docs) < length and (read_a < len(a) or read_b < len(b)):
        is_turn_of_a = read_a < read_b or (read_a == read_b and is_a_first)
        if read_a < len(a) and (is_turn_of_a or read_b == len(b)):
            doc, read_a = a[read_a], read_a + 1
        else:
            doc, read_b = b[read_b], read_b + 1
        if doc not in docs:
            docs.append(doc)
    return docs
