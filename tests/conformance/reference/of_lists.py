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
    tokens: Mapping[str, float] = {}

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
    had = [item for item in known.by_popularity(items) if known.users[item]]
    popular = had[: k or len(listed)]
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


Target = str | Mapping[str, float]


def memberships(known: Known, items: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Keep the items that have a group."""
    return [(rank, item) for rank, item in items if item in known.groups]


def names_of_groups(known: Known) -> list[str]:
    """Name the groups."""
    return sorted({name for shares in known.groups.values() for name in shares})


def shares_of(known: Known, target: Target, items: Sequence[str]) -> dict[str, float]:
    """Give the shares that groups should have."""
    names = names_of_groups(known)
    if isinstance(target, str):
        among = items if target == "list" else known.catalogue
        shares = {
            name: 1.0
            if target == "equal"
            else sum(known.groups.get(item, {}).get(name, 0.0) for item in among)
            for name in names
        }
    else:
        shares = {name: target.get(name, 0.0) for name in names}
    return {name: share / sum(shares.values()) for name, share in shares.items()}


def group_exposure(
    user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    compare: Literal["ratio", "difference", "log"] = "ratio",
    group: str | None = None,
    parity: Literal["demographic", "treatment", "impact"] = "demographic",
    per: Literal["list", "catalogue"] = "list",
    weights: Weights = "log2",
    smoothing: float = 0.0,
) -> float:
    """Follow the formula, by group."""
    listed = memberships(known, first(items, k))
    if not listed:
        return NOTHING
    names = names_of_groups(known)
    sides = [[one] for one in names]
    if group is not None:
        sides = [[group], [one for one in names if one != group]]

    def share(item: str, side: list[str]) -> float:
        return sum(known.groups[item].get(name, 0.0) for name in side)

    exposures = []
    for side in sides:
        counts = sum(share(item, side) for _, item in listed)
        every = [item for item in known.catalogue if item in known.groups]
        by = counts if per == "list" else sum(share(item, side) for item in every)
        relevant = {item: float(item in known.relevant[user]) for _, item in listed}
        gained = sum(
            weight(weights, rank) * share(item, side)
            * (relevant[item] if parity == "impact" else 1.0)
            for rank, item in listed
        )  # fmt: skip
        exposure = gained / by if by else 0.0
        if parity != "demographic":
            merits = sum(relevant[item] * share(item, side) for _, item in listed)
            if not merits:
                return NOTHING
            exposure /= merits / counts
        exposures.append(exposure)
    a, b = exposures if group is not None else (min(exposures), max(exposures))
    if compare == "difference":
        return a - b if group is not None else b - a
    if compare == "log":
        logs = [math.log(one + smoothing) if one + smoothing else -math.inf for one in (a, b)]
        return logs[0] - logs[1]
    return a / b if b else NOTHING


def awrf(
    _user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    target: Target = "catalogue",
    distance: Literal["tv", "js"] = "tv",
    weights: Weights = "log2",
) -> float:
    """Follow the formula, by group."""
    listed = memberships(known, first(items, k))
    if not listed:
        return NOTHING
    wanted = shares_of(known, target, [item for _, item in listed])
    found = dict.fromkeys(wanted, 0.0)
    for rank, item in listed:
        for name, share in known.groups[item].items():
            found[name] += weight(weights, rank) * share
    got = {name: one / sum(found.values()) for name, one in found.items()}
    if distance == "tv":
        return 1 - sum(abs(got[name] - wanted[name]) for name in got) / 2
    middle = {name: (got[name] + wanted[name]) / 2 for name in got}
    return 1 - (relative(got, middle) + relative(wanted, middle)) / 2


def skew(
    _user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    group: str | None = None,
    extreme: Literal["min", "max"] = "min",
    target: Target = "catalogue",
    smoothing: float = 0.0,
) -> float:
    """Follow the formula, by group."""
    listed = [item for _, item in memberships(known, first(items, k))]
    if not listed:
        return NOTHING
    wanted, got = shares_of(known, target, listed), shares_of(known, "list", listed)
    each = {
        name: math.log((got[name] + smoothing) / (wanted[name] + smoothing))
        if got[name] + smoothing
        else -math.inf
        for name in wanted
        if wanted[name]
    }
    if group is not None:
        return each.get(group, NOTHING)
    return {"min": min, "max": max}[extreme](each.values())


def ndkl(
    _user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    target: Target = "catalogue",
    base: Literal["e", "2"] = "e",
    smoothing: float = 0.0,
) -> float:
    """Follow the formula, prefix by prefix."""
    listed = [item for _, item in memberships(known, first(items, k))]
    if not listed:
        return NOTHING
    wanted = {name: p + smoothing for name, p in shares_of(known, target, listed).items()}
    above = below = 0.0
    for i in range(1, len(listed) + 1):
        got = shares_of(known, "list", listed[:i])
        smooth = {name: p + smoothing for name, p in got.items()}
        above += relative(smooth, wanted) / math.log2(i + 1)
        below += 1 / math.log2(i + 1)
    return above / below / (math.log(2) if base == "2" else 1)


def rnd(
    _user: str,
    items: Sequence[str],
    known: Known,
    *,
    k: int | None = None,
    group: str = "A",
    d: Literal["difference", "kl", "ratio"] = "difference",
    step: int = 2,
) -> float:
    """Follow the formula, prefix by prefix; the two worst lists are laid out."""
    listed = [item for _, item in memberships(known, first(items, k))]
    shares = [known.groups[item].get(group, 0.0) for item in listed]
    n, whole = len(listed), sum(shares)

    def apart(top: float, i: int) -> float:
        if d == "ratio":
            of_top = top / (i - top) if i - top > 0 else 0.0
            return abs(of_top - (whole / (n - whole) if n - whole > 0 else 0.0))
        p, q = top / i, whole / n
        if d == "difference":
            return abs(p - q)
        return relative({"in": p, "out": 1 - p}, {"in": q, "out": 1 - q}) / math.log(2)

    def total(counts: Sequence[float]) -> float:
        ends = range(step, n + 1, step)
        return sum(apart(counts[i - 1], i) / math.log2(i) for i in ends)

    first_come = [min(i, whole) for i in range(1, n + 1)]
    last_come = [max(0.0, i - (n - whole)) for i in range(1, n + 1)]
    most = max(total(first_come), total(last_come))
    return total([sum(shares[:i]) for i in range(1, n + 1)]) / most if most > 0 else NOTHING


Run = Mapping[str, Sequence[str]]


def popularity_lift(run: Run, known: Known) -> float:
    """Average the popularity of lists and of histories, user by user."""
    users = [user for user, items in run.items() if items and known.history.get(user)]
    times = known.users

    def average(lists: Mapping[str, Sequence[str]]) -> float:
        each = [sum(times[item] for item in lists[user]) / len(lists[user]) for user in users]
        return sum(each) / len(each)

    return average(run) / average(known.history) - 1 if users else NOTHING


def group_rates(
    run: Run,
    known: Known,
    *,
    rate: Literal["opportunity", "parity"] = "opportunity",
    groups: Literal["popularity", "given"] = "popularity",
) -> float:
    """Count what could be recommended and what is, group by group."""
    times, head, total = known.users, set[str](), 0
    for item in known.by_popularity([]):
        if times[item] and total < 0.8 * sum(times.values()):
            head.add(item)
        total += times[item]

    def share(item: str, group: str) -> float:
        if groups == "given":
            return known.groups.get(item, {}).get(group, 0.0)
        return float((item in head) == (group == "head"))

    rates = []
    for group in ("head", "tail") if groups == "popularity" else names_of_groups(known):
        above = below = 0.0
        for user, items in run.items():
            if not items:
                continue
            relevant, had = known.relevant[user], known.history.get(user, ())
            if rate == "opportunity":
                above += sum(share(item, group) for item in items if item in relevant)
                below += sum(share(item, group) for item in relevant)
            else:
                above += sum(share(item, group) for item in items if item in known.catalogue)
                below += sum(share(item, group) for item in known.catalogue)
                below -= sum(share(item, group) for item in had)
        if not below:
            return NOTHING
        rates.append(above / below)
    average = sum(rates) / len(rates)
    spread = math.sqrt(sum((one - average) ** 2 for one in rates) / len(rates))
    return spread / average if average else NOTHING


def expected_exposure(
    run: Run,
    known: Known,
    *,
    part: Literal["loss", "disparity", "relevance"] = "loss",
    target: Literal["all", "relevant"] = "all",
    weights: Weights = "log2",
) -> float:
    """Lay out what the items of each query get and merit."""
    names = names_of_groups(known)
    e, t = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    for user, items in run.items():
        relevant = known.relevant[user]
        others = [item for item in items if item not in relevant]
        m, rest = len(relevant), len(others)
        top = sum(weight(weights, rank) for rank in range(1, m + 1)) / m
        below = sum(weight(weights, rank) for rank in range(m + 1, m + rest + 1)) / max(rest, 1)
        merits = dict.fromkeys(relevant, top)
        merits |= dict.fromkeys(others, below if target == "all" else 0.0)
        for name in names:
            for rank, item in enumerate(items, 1):
                e[name] += weight(weights, rank) * known.groups.get(item, {}).get(name, 0.0)
            for item, merit in merits.items():
                t[name] += merit * known.groups.get(item, {}).get(name, 0.0)
    n = len(run)
    if not any((*e.values(), *t.values())):
        return NOTHING
    if part == "disparity":
        return sum((e[name] / n) ** 2 for name in names)
    if part == "relevance":
        return 2 * sum(e[name] * t[name] for name in names) / n**2
    return sum(((e[name] - t[name]) / n) ** 2 for name in names)


def cost(_user: str, items: Sequence[str], known: Known, *, k: int | None = None) -> float:
    """Add up what the first items cost."""
    return sum((known.tokens[item] for item in items[:k]), 0.0)


def cost_until(user: str, items: Sequence[str], known: Known, *, recall: float = 0.8) -> float:
    """Add up what the items cost until a share of the relevant ones is found."""
    spent, found, relevant = 0.0, 0, known.relevant[user]
    for item in items:
        spent += known.tokens[item]
        found += item in relevant
        if found / len(relevant) >= recall:
            return spent
    return math.nan
