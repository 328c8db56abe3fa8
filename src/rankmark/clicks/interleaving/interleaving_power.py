"""How many issues of queries interleaving needs to tell two runs apart, by labels and clicks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankmark.arguments import FromOne, Share, checked
from rankmark.array_types import Floats
from rankmark.clicks.examination import examination_by_rank, numbers_in
from rankmark.clicks.interleaving.interleave import next_documents
from rankmark.clicks.lists_of_runs import lists_of
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.data.preparing.run import Run, RunSource
from rankmark.errors import InputError, MismatchError, counted, shown
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import number, percent, whole
from rankmark.results.shown_result import TabledResult
from rankmark.statistics.scipy_functions import special, stats

Drafting = Literal["team-draft", "competitive-pairs"]
_MOST_ISSUES = 10**9
_EXACT_UP_TO = 10_000
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class InterleavingPower(TabledResult):
    """How many issues of queries interleaving needs to tell two runs apart.

    Parameters
    ----------
    won, lost
        How likely an issue of a query is won by the first run, and by the second.
    required_issues
        The number of issues, each by another user, with which the sign test finds that as often as
        asked; None if no number does, or more than a billion.
    queries, identical
        Judged queries, and those for which both runs have the same list.
    settings
        All choices.
    """

    won: float
    lost: float
    required_issues: int | None
    queries: int
    identical: int
    settings: Mapping[str, Any]

    @property
    def preference(self) -> float:
        """The preference for the first run, (won - lost) / 2."""
        return (self.won - self.lost) / 2

    @property
    def headline(self) -> str:
        """How many issues are needed."""
        if self.required_issues is None:
            return "Interleaving would not tell the runs apart by these labels and clicks."
        return (
            f"Interleaving needs {counted(self.required_issues, 'issue')} to find that run "
            f"{'a' if self.preference > 0 else 'b'} is preferred, with a power of "
            f"{percent(self.settings['power'])}."
        )

    @property
    def notes(self) -> list[str]:
        """The lines below the table."""
        chosen = " ".join(f"{name}={value}" for name, value in self.settings.items())
        return [
            f"judged queries: {self.queries:,}, all equally frequent; both runs have the same list "
            f"for {self.identical:,}",
            "each issue is by another user; issues of the same user are worth less",
            f"conventions: {chosen}",
        ]

    def _grids(self) -> list[MarkedTable]:
        rows = [
            ["issues won by a", percent(self.won)],
            ["issues won by b", percent(self.lost)],
            ["ties", percent(1 - self.won - self.lost)],
            ["preference for a", number(self.preference, "+")],
            ["issues needed", whole(self.required_issues)],
        ]
        return [MarkedTable(["", "value"], rows, caption=self.headline, label="tab:issues")]

    def _table(self) -> dict[str, Any]:
        return {
            "won": [self.won],
            "lost": [self.lost],
            "preference": [self.preference],
            "required_issues": [self.required_issues],
            "n": [self.queries],
            "identical": [self.identical],
        }

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        n
            Judged queries.
        """
        found = {name: one for name, (one,) in self._table().items()}
        return {**found, "settings": self.settings, "notes": self.notes}


@checked
def interleaving_power(
    qrels: Qrels | QrelsSource,
    a: Run | RunSource,
    b: Run | RunSource,
    *,
    method: Drafting = "team-draft",
    click: Sequence[float] | None = None,
    examination: Any = None,
    k: FromOne = 10,
    power: Share = 0.8,
    level: Share = 0.05,
) -> InterleavingPower:
    """Find how many issues of queries interleaving needs to tell two runs apart.

    Nothing is drawn: all lists that coins can make of both runs are weighed, and all clicks on
    them.

    Parameters
    ----------
    Data:
    qrels
        The labels, on which clicks depend; documents without one are taken for label 0.
    a, b
        The runs.

    Conventions:
    method
        How lists are made, as for ``interleave``.
    click
        How likely users are to click a document of label 0, 1, 2 and so on that they look at; None
        for (2^label - 1) / 2^(highest label), as in ERR.
    examination
        How likely they are to look at each rank: numbers from rank 1, or of ``position_bias``. None
        for users who look at one document after the other until they click, as in ERR.
    k
        Length of the lists.

    Statistics:
    power
        How often the preference must be found.
    level
        Level of the sign test, two-sided.

    Returns
    -------
    InterleavingPower
        ``required_issues``, and how often each run wins.

    Raises
    ------
    InputError
        If a probability is not from 0 to 1, or a label has none.
    MismatchError
        If a run answers no judged query.

    Notes
    -----
    The power of the sign test is exact, the sum over how many issues are no ties, up to 10,000 of
    these; beyond, it is that of McNemar's test by the normal distribution [1]_.

    References
    ----------
    .. [1] Connor 1987, Sample size for testing differences in proportions for the paired-sample
       design, Biometrics 43(1), pages 207-211.

    Examples
    --------
    >>> import rankmark as rm
    >>> found = rm.interleaving_power("qrels.txt", "bm25.run", "lsa.run")
    >>> found.required_issues, round(found.preference, 4)
    (36390, 0.0063)
    """
    if power <= level:
        raise InputError(f"power is {power:g}, no more than the level", "choose a greater one")
    judged = (qrels if isinstance(qrels, Qrels) else Qrels(qrels)).by_query()
    runs = [lists_of(one, k) for one in (a, b)]
    rankings = {query: [run.get(query, ()) for run in runs] for query in judged}
    for name, of_run in zip("ab", zip(*rankings.values(), strict=True), strict=True):
        if not any(of_run):
            raise MismatchError(f"run {name} answers no judged query", "are the ids of one kind?")
    longest = min(k, max(sum(map(len, both)) for both in rankings.values()))
    chances = _chances(judged, click)
    looks = None if examination is None else _looks(examination, longest)
    outcomes = [
        _outcome(rankings[query], labels, chances, looks, method, longest)
        for query, labels in judged.items()
    ]
    won, lost = (float(value) for value in np.mean(outcomes, axis=0))
    return InterleavingPower(
        won=won,
        lost=lost,
        required_issues=_required(won, lost, power, level),
        queries=len(judged),
        identical=sum(one == other for one, other in rankings.values()),
        settings={
            "method": method,
            "click": [chances[label] for label in sorted(chances)],
            "examination": "until the first click" if looks is None else looks.tolist(),
            "k": k,
            "power": power,
            "level": level,
        },
    )


def _chances(
    judged: Mapping[str, Mapping[str, float]], click: Sequence[float] | None
) -> dict[float, float]:
    """Return how likely a click is by label, of those judged and 0; what is below 0 is as 0."""
    labels = {0.0, *(max(label, 0.0) for one in judged.values() for label in one.values())}
    if click is None:
        most = max(labels)  # 2^1024 is no number
        return {label: 2.0 ** (label - most) - 2.0**-most for label in labels}
    chances = numbers_in(click)
    if not all(0 <= one <= 1 for one in chances):
        raise InputError(f"click is {shown(click)}", "need numbers from 0 to 1 for labels from 0")
    without = sorted(label for label in labels if label not in range(len(chances)))
    if without:
        raise InputError(f"click has no number for label {without[0]:g}", "add it")
    return {label: chances[int(label)] for label in labels}


def _looks(examination: Any, k: int) -> Floats:
    found = examination_by_rank(examination)
    if len(found) < k or (found > 1).any():
        raise InputError(
            f"examination is {shown(found.tolist())}", f"need numbers up to 1 for {k} ranks"
        )
    return found[:k]


def _outcome(
    rankings: Sequence[Sequence[str]],
    labels: Mapping[str, float],
    chances: Mapping[float, float],
    looks: Floats | None,
    method: Drafting,
    k: int,
) -> tuple[float, float]:
    """Return how likely the first ranking has more clicks than the second, and the reverse.

    What comes next depends on which documents are in a list, not on their order or their clicks.
    So lists of the same documents are taken together, with how likely each difference of credits
    from -k to k is there, of users who look on, and of those who have stopped.
    """
    a, b = rankings
    start = np.zeros((2, 2 * k + 1))
    start[0, k] = 1.0
    reached = {frozenset[str](): start}
    outcomes = np.zeros(2 * k + 1)
    while reached:
        following: dict[frozenset[str], Floats] = {}
        for listed, chance in reached.items():
            added = [
                next_documents(a, b, listed, method, is_a_first=first)[: k - len(listed)]
                for first in (True, False)
            ]
            if not added[0]:
                outcomes += chance.sum(axis=0)
                continue
            for docs in added:
                after = chance / 2
                for rank, (doc, team) in enumerate(docs, len(listed)):
                    click = chances[max(labels.get(doc, 0.0), 0.0)]
                    after = _clicked(after, click, team, None if looks is None else looks[rank])
                key = listed.union(doc for doc, _ in docs)
                following[key] = following[key] + after if key in following else after
        reached = following
    return float(outcomes[k + 1 :].sum()), float(outcomes[:k].sum())


def _clicked(chance: Floats, click: float, team: str | None, look: float | None) -> Floats:
    """Return how likely each difference of credits is after a document more."""
    hit = chance[0] * (click if look is None else click * look)
    after = np.array([chance[0] - hit, chance[1]])
    gain = after[1 if look is None else 0]
    if team is None:
        gain += hit
    elif team == "a":
        gain[1:] += hit[:-1]
    else:
        gain[:-1] += hit[1:]
    return after


def _required(wins: float, losses: float, power: float, level: float) -> int | None:
    """Return the fewest issues with which the sign test is significant as often as asked."""
    if abs(wins - losses) <= _ROUNDING:
        return None
    low, high = 0, 1
    while power_of_signs(wins, losses, high, level) < power:
        low, high = high, 2 * high
        if high > _MOST_ISSUES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        reached = power_of_signs(wins, losses, middle, level) >= power
        low, high = (low, middle) if reached else (middle, high)
    return high


def power_of_signs(wins: float, losses: float, n: int, level: float) -> float:
    """Return how often the sign test of n issues is significant and for the better ranking."""
    decided, best = wins + losses, max(wins, losses) / (wins + losses)
    if n * decided > _EXACT_UP_TO:  # McNemar's test; the corrections are less than 1%
        gap = 2 * best * decided - decided
        needed = float(special.ndtri(1 - level / 2)) * math.sqrt(decided)
        return float(special.ndtr((math.sqrt(n) * gap - needed) / math.sqrt(decided - gap**2)))
    spread = math.sqrt(n * decided * (1 - decided))
    low, high = n * decided - 8 * spread - 8, n * decided + 8 * spread + 8
    counts = np.arange(max(0, math.floor(low)), min(n, math.ceil(high)) + 1)
    # The most losses of the better ranking with which the test is significant.
    most = np.nan_to_num(np.ceil(special.bdtrik(level / 2, counts, 0.5)))
    for _ in range(2):
        most -= stats.binom.cdf(most, counts, 0.5) > level / 2
    found = stats.binom.pmf(counts, n, decided) * stats.binom.cdf(most, counts, 1 - best)
    return float(found.sum())
