"""Measures of spans, slowly: sets and counts of single characters, {(document, place)}."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

Span = tuple[str, int, int]


def characters(spans: Iterable[Span]) -> Counter[tuple[str, int]]:
    """Count how often each character is covered."""
    return Counter(
        (document, place) for document, start, end in spans for place in range(start, end)
    )


def cut(retrieved: list[Span], k: int | None, budget: int | None, rule: str = "cut") -> list[Span]:
    """Take the first k chunks, and of these the first characters, or the chunks that fit."""
    found: list[Span] = []
    left = budget
    for document, start, end in retrieved[:k]:
        last = end
        if left is not None and end - start > left:
            if rule == "stop":
                break
            if rule == "skip":
                continue
            last = start + left
        found.append((document, start, last))
        left = None if left is None else left - (last - start)
    return found


def in_both(gold: list[Span], retrieved: list[Span]) -> int:
    return len(characters(gold).keys() & characters(retrieved).keys())


def size(spans: list[Span], rule: str) -> int:
    """Count characters, each once, or as often as it is covered ("sum")."""
    counted = characters(spans)
    return counted.total() if rule == "sum" else len(counted)


def recall(gold: list[Span], retrieved: list[Span], rule: str) -> float:
    return in_both(gold, retrieved) / size(gold, rule)


def precision(gold: list[Span], retrieved: list[Span], count: str) -> float:
    total = size(retrieved, count)
    return in_both(gold, retrieved) / total if total else 0.0


def iou(gold: list[Span], retrieved: list[Span], count: str, rule: str) -> float:
    there = characters(retrieved)
    missed = {place: times for place, times in characters(gold).items() if place not in there}
    rest = sum(missed.values()) if rule == "sum" else len(missed)
    return in_both(gold, retrieved) / (size(retrieved, count) + rest)


def f(gold: list[Span], retrieved: list[Span], beta: float, count: str, rule: str) -> float:
    p, r = precision(gold, retrieved, count), recall(gold, retrieved, rule)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0


def omega(
    gold: list[Span], chunks: list[Span], count: str, *, touching: bool, missed: bool
) -> float:
    least = 0 if touching else 1

    def meets(chunk: Span) -> bool:
        return any(
            chunk[0] == span[0] and min(chunk[2], span[2]) - max(chunk[1], span[1]) >= least
            for span in gold
        )

    kept = [chunk for chunk in dict.fromkeys(chunks) if meets(chunk)]
    others = characters(gold).keys() - characters(kept).keys() if missed else ()
    total = size(kept, count) + len(others)
    return in_both(gold, kept) / total if kept and total else 0.0


def segments(gold: list[Span], retrieved: list[Span], least: float) -> float:
    """Share of the different gold spans that one chunk has enough in common with."""

    def fits(one: Span, other: Span) -> bool:
        a, b = characters([one]).keys(), characters([other]).keys()
        return len(a & b) / len(a | b) >= least

    different = [*dict.fromkeys(gold)]
    return sum(any(fits(span, chunk) for chunk in retrieved) for span in different) / len(different)
