"""Measures of lists in plain Python, one list at a time, as their formulas read."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

NOTHING = math.nan


class Known(NamedTuple):
    """What is known of users and items; ``base`` is any distance of two ids."""

    history: Mapping[str, Sequence[str]]
    catalogue: Sequence[str]
    relevant: Mapping[str, Sequence[str]]
    categories: Mapping[str, Sequence[str]]
    vectors: Mapping[str, Sequence[float]]
    groups: Mapping[str, Mapping[str, float]]

    @property
    def users(self) -> Counter[str]:
        """Count the users who had each item."""
        return Counter(item for items in self.history.values() for item in set(items))

    @property
    def interactions(self) -> Counter[str]:
        """Count the interactions with each item."""
        return Counter(item for items in self.history.values() for item in items)

    def by_popularity(self, items: Sequence[str]) -> list[str]:
        """Sort items, the most popular first, equally popular ones by id."""
        users = self.users
        return sorted({*items, *self.catalogue, *users}, key=lambda item: (-users[item], item))


Weights = str | float


def weight(rule: Weights, rank: int) -> float:
    """Weigh a rank."""
    if isinstance(rule, str):
        return {"equal": 1.0, "log2": 1 / math.log2(rank + 1), "rank": 1 / rank}[rule]
    return rule ** (rank - 1) if rule < 1 else 1 / max(1.0, math.log(rank, rule))


def mean(values: Sequence[tuple[int, float]], rule: Weights, k: int | None = None) -> float:
    """Average values at ranks."""
    if not values:
        return NOTHING
    weights = [weight(rule, rank) for rank, _ in values]
    total = sum(weights) if k is None else sum(weight(rule, rank) for rank in range(1, k + 1))
    return sum(w * value for w, (_, value) in zip(weights, values, strict=True)) / total


def first(items: Sequence[str], k: int | None) -> list[tuple[int, str]]:
    """Number the first k items from 1."""
    return [*enumerate(items[:k], 1)]


def miuf(
    user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    of: Literal["users", "interactions"] = "users",
    cold: Literal["one", "zero", "skip", "laplace"] = "one",
    scaled: bool = False,
    norm: Literal["present", "k"] = "present",
    weights: Weights = "equal",
    relevant: bool = False,
) -> float:
    """Follow the formula."""
    times = getattr(known, of)
    total = len(known.history) if of == "users" else sum(times.values())
    values = []
    for rank, item in first(items, k):
        count = times[item]
        if not count and cold == "skip":
            continue
        if cold == "laplace":
            value = math.log2((total + len(known.catalogue)) / (count + 1))
        elif not count and cold == "zero":
            value = 0.0
        else:
            value = math.log2(total / max(count, 1))
        highest = total + len(known.catalogue) if cold == "laplace" else total
        value /= math.log2(highest) if scaled else 1
        counts = not relevant or item in known.relevant[user]
        values.append((rank, value if counts else 0.0))
    return mean(values, weights, k if norm == "k" else None)


def epc(
    user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    of: Literal["users", "interactions"] = "users",
    norm: Literal["present", "k"] = "present",
    weights: Weights = "equal",
    relevant: bool = False,
) -> float:
    """Follow the formula."""
    times = getattr(known, of)
    total = len(known.history) if of == "users" else sum(times.values())
    values = [
        (rank, 1 - times[item] / total if not relevant or item in known.relevant[user] else 0.0)
        for rank, item in first(items, k)
    ]
    return mean(values, weights, k if norm == "k" else None)


def arp(
    _user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    scale: Literal["count", "share", "max", "rank"] = "count",
    cold: Literal["zero", "skip"] = "zero",
) -> float:
    """Follow the formula."""
    times = known.users
    n = len(times)

    def scaled(item: str) -> float:
        count = times[item]
        if scale == "rank":
            lower = sum(1 for other in times.values() if other < count)
            same = sum(1 for other in times.values() if other == count)
            return (lower + (same + 1) / 2) / n if count else 0.0
        by = {"count": 1, "share": sum(times.values()), "max": max(times.values())}
        return count / by[scale]

    kept = [(r, item) for r, item in first(items, k) if cold == "zero" or times[item]]
    return mean([(rank, scaled(item)) for rank, item in kept], "equal")


def tail_share(
    _user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    tail: Literal["interactions", "items", "count"] = "interactions",
    cut: float = 0.8,
    cold: Literal["tail", "head"] = "tail",
    norm: Literal["present", "k", "none"] = "present",
) -> float:
    """Follow the formula."""
    times = known.users
    warm = [item for item in known.by_popularity(items) if times[item]]
    if tail == "count":
        found = {item for item in warm if times[item] <= cut}
    elif tail == "items":
        found = set(warm[len(warm) - max(math.floor(cut * len(warm) + 1e-9), 1) :])
    else:
        found, total = set(), 0
        for item in warm:
            if total >= cut * sum(times.values()) * (1 - 1e-12):
                found.add(item)
            total += times[item]
    listed = first(items, k)
    number = sum(1 for _, item in listed if item in found or (not times[item] and cold == "tail"))
    if not listed:
        return NOTHING
    return number / {"present": len(listed), "k": k or len(listed), "none": 1}[norm]


def distance(known: Known, kind: str, of: str) -> Callable[[str, str], float]:
    """Give the distance of two items, by their "categories", "vectors" or "users"."""
    if of == "vectors":
        features = known.vectors
    else:
        if of == "users":
            sets = {item: {u for u, had in known.history.items() if item in had} for item in (
                {*known.catalogue, *known.users, "cold"})}  # fmt: skip
        else:
            sets = {item: set(names) for item, names in known.categories.items()}
        names = sorted(set().union(*sets.values()))
        features = {item: [float(name in one) for name in names] for item, one in sets.items()}
    nothing = [0.0] * len(next(iter(features.values())))

    def between(a: str, b: str) -> float:
        x, y = features.get(a, nothing), features.get(b, nothing)
        pairs = [*zip(x, y, strict=True)]
        if kind == "cosine":
            length = math.sqrt(sum(p * p for p in x) * sum(q * q for q in y))
            return 1 - sum(p * q for p, q in pairs) / length if length else 1.0
        if kind == "jaccard":
            either = sum(1 for p, q in pairs if p or q)
            return 1 - sum(1 for p, q in pairs if p and q) / either if either else 0.0
        if kind == "hamming":
            return sum(1 for p, q in pairs if p != q)
        return math.sqrt(sum((p - q) ** 2 for p, q in pairs))

    return between


def ild(
    user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    distance: Literal["cosine", "jaccard", "hamming", "euclidean", "cooccurrence"] = "cosine",
    one_item: Literal["nan", "zero", "one"] = "nan",
    weights: Weights = "equal",
    relevant: bool = False,
    of: str = "categories",
) -> float:
    """Follow the formula; an item without features is left out."""
    of = "users" if distance == "cooccurrence" else of
    kind = "cosine" if distance == "cooccurrence" else distance
    between = globals()["distance"](known, kind, of)
    has = {"categories": known.categories, "vectors": known.vectors, "users": [*items]}[of]
    listed = [(rank, item) for rank, item in first(items, k) if item in has]
    if len(listed) < 2:
        alone = {"nan": NOTHING, "zero": 0.0, "one": 1.0}[one_item]
        return alone if listed else NOTHING
    above = below = 0.0
    for at, (rank, item) in enumerate(listed):
        for other_rank, other in listed[at + 1 :]:
            w = weight(weights, rank) * weight(weights, other_rank)
            below += w
            if not relevant or {item, other} <= {*known.relevant[user]}:
                above += w * between(item, other)
    return above / below


def category_coverage(
    user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    norm: Literal["categories", "k", "present"] = "categories",
    relevant: bool = False,
) -> float:
    """Follow the formula."""
    if not items:
        return NOTHING
    kept = [
        item
        for _, item in first(items, k)
        if item in known.categories and (not relevant or item in known.relevant[user])
    ]
    found = {name for item in kept for name in known.categories[item]}
    every = {name for names in known.categories.values() for name in names}
    by = {"categories": len(every), "k": k or len(kept), "present": len(kept)}[norm]
    return len(found) / by if found else 0.0


def masses(known: Known, items: Sequence[tuple[int, str]], rule: Weights) -> dict[str, float]:
    """Add up the weights of items by category."""
    found: dict[str, float] = {}
    for rank, item in items:
        names = known.categories.get(item, ())
        for name in names:
            found[name] = found.get(name, 0.0) + weight(rule, rank) / len(names)
    return found


def category_entropy(
    _user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    base: Literal["2", "e"] = "2",
    weights: Weights = "equal",
    smoothing: float = 0.0,
) -> float:
    """Follow the formula."""
    found = masses(known, first(items, k), weights)
    if not found:
        return NOTHING
    names = {name for one in known.categories.values() for name in one}
    each = [found.get(name, 0.0) + smoothing for name in names]
    shares = [one / sum(each) for one in each if one]
    return -sum(p * math.log(p) for p in shares) / (math.log(2) if base == "2" else 1)


def unexpectedness(
    user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    base: Literal["popular", "history"] = "popular",
    norm: Literal["present", "k"] = "present",
) -> float:
    """Follow the formula."""
    listed = [item for _, item in first(items, k)]
    if not listed:
        return NOTHING
    popular = known.by_popularity(items)[: k or len(listed)]
    expected = popular if base == "popular" else known.history.get(user, ())
    shared = len({*listed} & {*expected})
    return 1 - shared / (k if norm == "k" and k else len(listed))


def serendipity(
    user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    by: Literal["popularity", "history"] = "popularity",
    distance: Literal["cooccurrence", "cosine", "jaccard"] = "cooccurrence",
    relevance: Literal["judged", "all"] = "judged",
) -> float:
    """Follow the formula."""
    times, n = known.users, len(known.catalogue)
    of = "users" if distance == "cooccurrence" else "categories"
    kind = "cosine" if distance == "cooccurrence" else distance
    between = globals()["distance"](known, kind, of)
    had = [one for one in known.history.get(user, ()) if of == "users" or one in known.categories]
    values = []
    for rank, item in first(items, k):
        if by == "popularity":
            higher = {count for count in times.values() if count > times[item]}
            expected = (n - len(higher)) / n if times[item] else 0.0
            surprise = max((n + 1 - rank) / n - expected, 0.0)
        elif not had or (of == "categories" and item not in known.categories):
            continue
        else:
            surprise = sum(between(item, one) for one in had) / len(had)
        counts = relevance == "all" or item in known.relevant[user]
        values.append((rank, surprise if counts else 0.0))
    return mean(values, "equal")


def miscalibration(
    user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    divergence: Literal["kl", "js", "hellinger", "tv"] = "kl",
    alpha: float = 0.01,
    base: Literal["e", "2"] = "e",
    weights: Weights = "equal",
) -> float:
    """Follow the formula."""
    profile = masses(known, [(1, item) for item in known.history.get(user, ())], "equal")
    found = masses(known, first(items, k), weights)
    if not profile or not found:
        return NOTHING
    names = {*profile, *found}
    p = {name: profile.get(name, 0.0) / sum(profile.values()) for name in names}
    q = {name: found.get(name, 0.0) / sum(found.values()) for name in names}
    unit = math.log(2) if base == "2" else 1.0
    if divergence == "kl":
        smooth = {name: (1 - alpha) * q[name] + alpha * p[name] for name in names}
        return relative(p, smooth) / unit
    if divergence == "js":
        middle = {name: (p[name] + q[name]) / 2 for name in names}
        return (relative(p, middle) + relative(q, middle)) / 2 / unit
    if divergence == "hellinger":
        return math.sqrt(sum((math.sqrt(p[one]) - math.sqrt(q[one])) ** 2 for one in names) / 2)
    return sum(abs(p[one] - q[one]) for one in names) / 2


def relative(p: Mapping[str, float], q: Mapping[str, float]) -> float:
    """Give the divergence of p from q in nats."""
    return sum(
        share * (math.log(share / q[name]) if q[name] else math.inf)
        for name, share in p.items()
        if share
    )
