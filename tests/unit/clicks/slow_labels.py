"""Labels from clicks and position bias, written from the papers, slowly, session by session."""

import itertools
from collections import defaultdict
from fractions import Fraction


def counted(rows):
    """Return issues as lists of (rank, pair, clicked), and impressions and clicks by rank."""
    issues, at_rank = defaultdict(list), defaultdict(lambda: [0, 0])
    for row in rows:
        if row["rank"] is not None:
            clicked = int((row["click"] or 0) > 0)
            issues[row["query_id"]].append((row["rank"], (row["query"], row["doc"]), clicked))
            at_rank[row["rank"]][0] += 1
            at_rank[row["rank"]][1] += clicked
    return issues, at_rank


def labels(rows, examination=None, prior=(0, 0)):
    """Return {method: {(query, document): label}}, exactly; None without a label."""
    issues, at_rank = counted(rows)
    examination = examination or {}
    sums = defaultdict(lambda: defaultdict(Fraction))
    for shown in issues.values():
        last = max((rank for rank, _, clicked in shown if clicked), default=0)
        for rank, pair, clicked in shown:
            of = sums[pair]
            of["shown"] += 1
            of["clicks"] += clicked
            of["expected"] += Fraction(at_rank[rank][1], at_rank[rank][0])
            of["examined"] += rank <= last
            of["last"] += rank == last
            of["highest"] = min(of["highest"] or rank, rank)
            if rank in examination:
                looks = Fraction(examination[rank])
                of["seen"] += 1
                of["looks"] += looks
                of["clicks seen"] += clicked
                of["weighted"] += clicked / looks
    a, b = map(Fraction, prior)

    def ratio(one, other):
        return (one + a) / (other + b) if other + b else None

    found = defaultdict(dict)
    for pair, of in sums.items():
        at = of["highest"]
        found["CTR"][pair] = ratio(of["clicks"], of["shown"])
        found["COEC"][pair] = ratio(of["clicks"], of["expected"])
        of_highest = of["shown"] * Fraction(at_rank[at][1], at_rank[at][0])
        found["opensearch"][pair] = ratio(of["clicks"], of_highest)
        attraction, satisfaction = (
            ratio(of["clicks"], of["examined"]),
            ratio(of["last"], of["clicks"]),
        )
        if attraction is not None:
            found["SDBN"][pair] = attraction * (satisfaction or 0)
        if of["seen"]:
            found["PBM"][pair] = ratio(of["clicks seen"], of["looks"])
            found["IPS"][pair] = ratio(of["weighted"], of["seen"])
    return found


def patterns(attraction, satisfaction, continuation=1.0):
    """Return {clicks: probability} of a list by the DBN model, by all its hidden states."""
    found = defaultdict(float)
    states = itertools.product((0, 1), repeat=3)
    for hidden in itertools.product([*states], repeat=len(attraction)):
        chance, examined, clicks = 1.0, True, ""
        for (attracts, satisfies, goes_on), a, s in zip(
            hidden, attraction, satisfaction, strict=True
        ):
            chance *= a if attracts else 1 - a
            chance *= s if satisfies else 1 - s
            chance *= continuation if goes_on else 1 - continuation
            clicked = examined and attracts
            clicks += "1" if clicked else "0"
            examined = examined and bool(goes_on) and not (clicked and satisfies)
        found[clicks] += chance
    return dict(found)


def shared_clicks(rows, method):
    """Return clicks at rank i on documents seen at rank j too, as if shown equally often."""
    issues, _ = counted(rows)
    counts = defaultdict(lambda: [0, 0])
    for shown in issues.values():
        for rank, pair, clicked in shown:
            counts[pair, rank][0] += 1
            counts[pair, rank][1] += clicked
    found = defaultdict(Fraction)
    for (pair, i), (n, clicks) in counts.items():
        for (other, j), (m, _) in counts.items():
            compared = {"chain": abs(i - j) == 1, "swap": i != j and 1 in {i, j}}
            if pair == other and compared.get(method, i != j):
                found[i, j] += Fraction(clicks * m, n + m)
    return found


def examination(rows, method, passes=3000):
    """Return examination by rank, that of rank 1 being 1, by Hunter's iteration (2004)."""
    wins = {key: float(value) for key, value in shared_clicks(rows, method).items()}
    ranks = sorted({rank for key in wins for rank in key})
    found = dict.fromkeys(ranks, 1.0)
    for _ in range(passes):
        for i in ranks:
            others = [j for j in ranks if (i, j) in wins]
            games = sum((wins[i, j] + wins[j, i]) / (found[i] + found[j]) for j in others)
            found[i] = sum(wins[i, j] for j in others) / games
    return [found[rank] / found[1] for rank in ranks]


def pbm_by_em(rows, passes):
    """Return examination by PyClick's updates of PBM, session by session, without its prior."""
    issues, _ = counted(rows)
    shown = [one for each in issues.values() for one in each]
    attraction = {pair: 0.5 for _, pair, _ in shown}
    looks = {rank: 0.5 for rank, _, _ in shown}
    for _ in range(passes):
        sums = defaultdict(lambda: [0.0, 0])
        for rank, pair, clicked in shown:
            a, e = attraction[pair], looks[rank]
            for key, own, other in ((pair, a, e), (rank, e, a)):
                sums[key][0] += 1 if clicked else (1 - other) * own / (1 - e * a)
                sums[key][1] += 1
        attraction = {pair: sums[pair][0] / sums[pair][1] for pair in attraction}
        looks = {rank: sums[rank][0] / sums[rank][1] for rank in looks}
    return [looks[rank] / looks[1] for rank in sorted(looks)]
