"""Interleaved lists: every sequence of coins, against lists made in another way."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pytest

import rankmark as rm
from rankmark.clicks.interleaving.interleave import drafted

Listed = tuple[tuple[str, ...], tuple[str | None, ...]]


def by_counting(a: str, b: str, k: int, *, pairs: bool) -> dict[Listed, Fraction]:
    """Draft as in the paper: the team with fewer documents is next, and a coin decides ties."""
    found: Counter[Listed] = Counter()

    def grow(docs: tuple[str, ...], teams: tuple[str | None, ...], chance: Fraction) -> None:
        left = [[doc for doc in one if doc not in docs] for one in (a, b)]
        if len(docs) == k or not any(left):
            found[docs, teams] += chance
            return
        behind = teams.count("a") - teams.count("b")
        if pairs and behind == 0 and all(left) and left[0][0] == left[1][0]:
            grow((*docs, left[0][0]), (*teams, None), chance)
            return
        turns = {-1: "a", 1: "b"}.get(behind, "ab")
        for turn in turns:
            doc = left["ab".index(turn)][0]
            grow((*docs, doc), (*teams, turn), chance / len(turns))

    grow((), (), Fraction(1))
    return dict(found)


def by_reading_in_turns(a: str, b: str, k: int) -> dict[Listed, Fraction]:
    """Both lists read in turns, documents that are in the list already left out."""
    found: Counter[Listed] = Counter()
    for first, second in ((a, b), (b, a)):
        turns = [doc for pair in zip(first, second, strict=True) for doc in pair]
        docs = tuple(dict.fromkeys(turns))[:k]
        found[docs, (None,) * len(docs)] += Fraction(1, 2)
    return dict(found)


def expected(method: str, a: str, b: str) -> dict[Listed, Fraction]:
    """Give every list that coins can make, with its probability."""
    if method == "balanced":
        return by_reading_in_turns(a, b, len(a))
    return by_counting(a, b, len(a), pairs=method == "competitive-pairs")


def pairs_of_rankings(n: int) -> list[tuple[str, str]]:
    """Give all pairs of rankings of n documents, up to the names of the documents."""
    a = "1234"[:n]
    return [(a, "".join(b)) for b in permutations(a + "5678"[: min(n, 2)], n)]


METHODS = ("team-draft", "balanced", "competitive-pairs")
methods = pytest.mark.parametrize("method", METHODS)


@methods
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_sequences_of_coins_make_the_lists_of_the_papers(method: Any, n: int) -> None:
    for a, b in pairs_of_rankings(n):
        found: Counter[Listed] = Counter()
        for coins in product((True, False), repeat=n):
            docs, teams = drafted(a, b, method, n, iter(coins).__next__)
            found[tuple(docs), tuple(teams)] += Fraction(1, 2**n)
        assert dict(found) == expected(method, a, b), (a, b)


@methods
def test_its_own_draws_are_those_lists_as_often_as_they_should(method: Any) -> None:
    n = 400
    for a, b in [("1234", "2143"), ("123", "234"), ("1234", "5213")]:
        lists = [rm.interleave([*a], [*b], method, seed=seed) for seed in range(n)]
        found = Counter((one.docs, one.teams) for one in lists)
        chances = expected(method, a, b)
        assert found.keys() <= chances.keys()
        for one, chance in chances.items():
            spread = (n * float(chance) * (1 - float(chance))) ** 0.5
            assert abs(found[one] - n * chance) <= 4.5 * spread, (a, b, one)


@pytest.mark.parametrize("method", ["team-draft", "balanced"])
def test_the_lists_of_the_reference(method: Any) -> None:
    # mpkato/interleaving at 7907f7d, 20,000 draws: each half of the time.
    found = {
        rm.interleave(["1", "2", "3"], ["2", "3", "4"], method, seed=s).docs for s in range(20)
    }
    assert found == {("1", "2", "3"), ("2", "1", "3")}


def test_a_list_says_where_its_documents_come_from() -> None:
    found = rm.interleave([1, 2, 3], [2, 3, 4], "competitive-pairs", k=5, seed=0)
    assert sorted(found.docs) == ["1", "2", "3", "4"]
    ranks = dict(zip(found.docs, zip(found.rank_a, found.rank_b, strict=True), strict=True))
    assert ranks == {"1": (1, None), "2": (2, 1), "3": (3, 2), "4": (None, 3)}
    assert dict(zip(found.docs, found.teams, strict=True))["3"] is None


def test_a_ranking_that_runs_out_is_skipped() -> None:
    for method in METHODS:
        found = rm.interleave(["x"], ["x", "y", "z"], method, k=9, seed=3)  # type: ignore[arg-type]
        assert (found.docs[0], sorted(found.docs)) == ("x", ["x", "y", "z"])


@pytest.mark.parametrize(
    ("a", "message"),
    [([], "a has no document"), (["x", "y", "x"], "a has 'x' twice"), (None, "a has no document")],
)
def test_no_ranking_is_refused(a: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        rm.interleave(a, ["x"])
