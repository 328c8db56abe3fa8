"""Scores of queries by human labels and LLM labels, drawn from populations."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

Values = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Population:
    """Scores of queries by people and by a model, whose ranks are correlated.

    Parameters
    ----------
    name
        For tables.
    people, model
        Scores from uniform numbers, by people and by the model, which is biased.
    least
        The lowest value possible; the highest is 1.
    """

    name: str
    people: Values
    model: Values
    least: float = 0.0

    @property
    def between(self) -> tuple[float, float]:
        """The lowest and the highest value possible."""
        return self.least, 1.0

    def draw(
        self, rng: np.random.Generator, n: int, correlation: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw n queries; (n,) scores by people and by the model."""
        common = rng.standard_normal(n)
        other = correlation * common + np.sqrt(1 - correlation**2) * rng.standard_normal(n)
        return self.people(ndtr(common)), self.model(ndtr(other))

    def mean(self) -> float:
        """Return the mean score by people, from a fine grid."""
        places = (np.arange(1_000_000) + 0.5) / 1_000_000
        return float(self.people(places).mean())


def _zeros(share: float, power: float) -> Values:
    return lambda u: np.clip((u - share) / (1 - share), 0, 1) ** power


def _rr(shift: float) -> Values:
    def of(u: np.ndarray) -> np.ndarray:
        at = u + shift
        return np.select([at < 0.5, at < 0.65, at < 0.75, at < 0.85], [0, 0.2, 1 / 3, 0.5], 1.0)

    return of


def _changes(down: float, up: float, loss: float, gain: float) -> Values:
    """Return differences: some queries lose, some gain, most do not change."""

    def of(u: np.ndarray) -> np.ndarray:
        return np.where(
            u < down,
            -loss * (down - u) / down,
            np.where(u > 1 - up, gain * (u - 1 + up) / up, 0.0),
        )

    return of


MEANS = (
    Population("spread over 0 to 1", lambda u: u**0.7, lambda u: np.clip(u**0.7 + 0.08, 0, 1)),
    Population("60% zeros, skewed", _zeros(0.6, 1.5), lambda u: np.clip((u - 0.4) / 0.6, 0, 1)),
    Population("five values, half zeros", _rr(0.0), _rr(0.15)),
    Population("85% zeros", _zeros(0.85, 1.0), lambda u: np.clip((u - 0.7) / 0.3, 0, 1)),
    Population("95% zeros", _zeros(0.95, 1.0), lambda u: np.clip((u - 0.9) / 0.1, 0, 1)),
    Population("0 or 1, 95% zeros", lambda u: (u >= 0.95) * 1.0, lambda u: (u >= 0.9) * 1.0),
    Population("95% ones", lambda u: np.clip(u / 0.05, 0, 1), lambda u: np.clip(u / 0.1, 0, 1)),
)
"""Scores of a system."""

DIFFERENCES = (
    Population("60% unchanged", _changes(0.2, 0.2, 1.0, 1.0), _changes(0.25, 0.2, 1.0, 0.9), -1.0),
    Population("all change", lambda u: u - 0.45, lambda u: 0.8 * u - 0.3, -1.0),
    Population(
        "5% lose much", _changes(0.05, 0.4, 1.0, 0.15), _changes(0.08, 0.4, 0.9, 0.15), -1.0
    ),
)
"""Differences of two systems."""

LOSSES = (
    Population(
        "2% lose all",
        lambda u: np.where(u < 0.02, -1.0, 0.2 * np.clip(u - 0.8, 0, 1)),
        lambda u: np.where(u < 0.03, -1.0, 0.2 * np.clip(u - 0.8, 0, 1)),
        -1.0,
    ),
    Population(
        "5% lose much, the model sees none",
        _changes(0.05, 0.4, 1.0, 0.15),
        lambda u: 0.15 * np.clip((u - 0.6) / 0.4, 0, 1),
        -1.0,
    ),
)
"""Differences with rare losses, for gates."""
