"""Searches whose clicks are drawn, with known examination, attraction and satisfaction."""

from typing import Any, NamedTuple

import numpy as np

DEPTH = 10
EXAMINATION = 1.0 / np.arange(1, DEPTH + 1)
_DOCUMENTS = 20  # that a query can show


class Searches(NamedTuple):
    """Searches of one kind.

    Parameters
    ----------
    name
        What is peculiar about them.
    queries, issues
        How many different queries there are, and how often one was issued.
    skew
        Exponent of the traffic of queries, which is as 1 / place^skew.
    jitter
        How much the ranking changes from issue to issue, in standard deviations of relevance.
    attraction
        The two parameters of the Beta distribution that attraction and satisfaction are drawn from.
    """

    name: str
    queries: int = 200
    issues: int = 10_000
    skew: float = 0.0
    jitter: float = 0.5
    attraction: tuple[float, float] = (1.0, 3.0)

    def draw(self, rng: np.random.Generator) -> "Drawn":
        """Draw documents, rankings and clicks of people who look at each rank independently."""
        size = self.queries, _DOCUMENTS
        attraction = rng.beta(*self.attraction, size)
        satisfaction = rng.beta(*self.attraction, size)
        believed = np.log(attraction / (1 - attraction)) + rng.normal(0, 1, size)
        traffic = 1.0 / np.arange(1, self.queries + 1) ** self.skew
        query = np.sort(rng.choice(self.queries, self.issues, p=traffic / traffic.sum()))
        scores = believed[query] + rng.normal(0, 1, (self.issues, _DOCUMENTS)) * self.jitter
        shown = np.argsort(-scores, axis=1)[:, :DEPTH]
        attracts = rng.random(shown.shape) < attraction[query[:, None], shown]
        looks = rng.random(shown.shape) < EXAMINATION
        satisfies = attracts & (rng.random(shown.shape) < satisfaction[query[:, None], shown])
        down_to = np.where(satisfies.any(axis=1), satisfies.argmax(axis=1), DEPTH)
        scanned = np.arange(DEPTH) <= down_to[:, None]
        return Drawn(query, shown, attracts & looks, attracts & scanned, attraction, satisfaction)


class Drawn(NamedTuple):
    """What was drawn.

    Parameters
    ----------
    query, shown
        (issues,) and (issues, DEPTH): the query and its documents.
    clicks, scanned_clicks
        (issues, DEPTH) of people who look at each rank with its examination, and of people who look
        down to the first document that satisfies.
    attraction, satisfaction
        (queries, documents).
    """

    query: Any
    shown: Any
    clicks: Any
    scanned_clicks: Any
    attraction: Any
    satisfaction: Any

    def cells(self, clicks: Any) -> tuple[Any, Any, Any]:
        """Return pairs of a query and a document, and impressions and clicks of them by rank."""
        pair = self.query[:, None] * self.attraction.shape[1] + self.shown
        place = pair * DEPTH + np.arange(DEPTH)
        size = self.attraction.size * DEPTH
        n = np.bincount(place.ravel(), minlength=size).reshape(-1, DEPTH)
        c = np.bincount(place.ravel(), clicks.ravel(), size).reshape(-1, DEPTH).astype(np.int64)
        return pair, n, c
