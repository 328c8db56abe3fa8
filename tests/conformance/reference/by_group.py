"""Preferences of several groups of judgments, pair by pair."""

from collections.abc import Mapping, Sequence
from typing import Literal

from conformance.reference.preferences import NEVER, Average, Counted

Parts = Mapping[str, Mapping[str, float]]
Pairs = set[tuple[str, str]]
Verdict = tuple[frozenset[str], bool]


def preferred(parts: Parts) -> Pairs:
    """Return all preferences: higher labels in a part, and those that follow by transitivity."""
    pairs = {
        (better, worse)
        for part in parts.values()
        for better in part
        for worse in part
        if part[better] > part[worse]
    }
    while True:
        further = {(one, last) for one, mid in pairs for other, last in pairs if mid == other}
        if further <= pairs:
            return pairs
        pairs |= further


def verdicts(
    parts: Parts, places: Mapping[str, float], counted: Counted, nonrelevant: str
) -> tuple[list[Verdict], float, float]:
    """Return whether each preference of a group is fulfilled, and the numbers of missing ones."""
    labels = {doc_id: label for part in parts.values() for doc_id, label in part.items()}
    pairs, fulfilled, possible = preferred(parts), 0.0, 0.0
    if nonrelevant == "balanced":
        relevant = [doc_id for doc_id in labels if labels[doc_id] > 0]
        others = [doc_id for doc_id in labels if labels[doc_id] <= 0]
        others.sort(key=lambda doc_id: (places.get(doc_id, NEVER), doc_id.encode()))
        found = [doc_id for doc_id in relevant if doc_id in places]
        wanted = len(relevant)
        if counted == "retrieved":
            wanted, others = len(found), [doc_id for doc_id in others if doc_id in places]
        kept = {*relevant, *others[:wanted]}
        pairs = {(better, worse) for better, worse in pairs if better in relevant and worse in kept}
        missing = max(wanted - len(others), 0)
        fulfilled = missing * len(found)
        possible = missing * len(found if counted == "implied" else relevant)
    least = {"all": 0, "implied": 1, "retrieved": 2}[counted]
    outcomes = [
        (frozenset(pair), places.get(pair[0], NEVER) < places.get(pair[1], NEVER))
        for pair in pairs
        if sum(doc_id in places for doc_id in pair) >= least
    ]
    return outcomes, fulfilled, possible


def prefs_by_group(
    groups: Mapping[str, Parts],
    ranking: Sequence[str],
    *,
    average: Average = "preferences",
    counted: Counted = "all",
    nonrelevant: Literal["all", "balanced"] = "all",
) -> float:
    """Fulfilled over possible: of all preferences, or as a mean over pairs or over groups."""
    places = {doc_id: float(place) for place, doc_id in enumerate(ranking)}
    each = [verdicts(parts, places, counted, nonrelevant) for parts in groups.values()]
    if average == "groups":
        shares = [
            (sum(kept for _, kept in outcomes) + more) / (len(outcomes) + most)
            if outcomes or most
            else 0.0
            for outcomes, more, most in each
        ]
        return sum(shares) / len(shares)
    fulfilled = sum(more for _, more, _ in each)
    possible = sum(most for _, _, most in each)
    if average == "preferences":
        fulfilled += sum(kept for outcomes, _, _ in each for _, kept in outcomes)
        possible += sum(len(outcomes) for outcomes, _, _ in each)
    else:
        by_pair: dict[frozenset[str], list[bool]] = {}
        for outcomes, _, _ in each:
            for pair, kept in outcomes:
                by_pair.setdefault(pair, []).append(kept)
        fulfilled += sum(sum(kept) / len(kept) for kept in by_pair.values())
        possible += len(by_pair)
    return fulfilled / possible if possible else 0.0


def num_prefs_by_group(
    groups: Mapping[str, Parts],
    ranking: Sequence[str],
    *,
    of: Literal["possible", "fulfilled"] = "possible",
    counted: Counted = "all",
) -> float:
    """Count the preferences of all groups, or the fulfilled ones."""
    places = {doc_id: float(place) for place, doc_id in enumerate(ranking)}
    outcomes = [
        one for parts in groups.values() for one in verdicts(parts, places, counted, "all")[0]
    ]
    return len(outcomes) if of == "possible" else sum(kept for _, kept in outcomes)
