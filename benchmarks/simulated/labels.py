"""Labels of two judges by query, as tables: uneven queries, rare labels, misread queries."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Sizes = Callable[[np.random.Generator, int], np.ndarray]
LABELS = np.array([0.0, 1.0, 2.0])
_ERRORS = np.array([0.2, 0.5, 0.3])  # the labels that the model gives if it does not read
_MISREAD = np.array([0.1, 0.2, 0.7])  # and of a query that it misreads, whatever people say


@dataclass(frozen=True)
class Judging:
    """How a model judges what people judged.

    Parameters
    ----------
    name
        For tables.
    sizes
        Draws the numbers of documents of queries.
    accuracy, spread
        Mean and standard deviation over queries of the logit of how often the model sees what
        people see; otherwise it draws a label.
    prevalence
        Of the labels: parameters of a Dirichlet distribution over queries.
    misread
        The share of queries whose labels by the model have nothing to do with those by people.
    """

    name: str
    sizes: Sizes
    accuracy: float
    spread: float
    prevalence: tuple[float, float, float]
    misread: float = 0.0

    def draw(self, rng: np.random.Generator, queries: int) -> np.ndarray:
        """Draw the tables of queries: (queries, 3, 3) float64."""
        base = rng.dirichlet(self.prevalence, queries)
        accuracy = 1 / (1 + np.exp(-rng.normal(self.accuracy, self.spread, queries)))
        sees = accuracy[:, None, None]
        model = sees * np.eye(3) + (1 - sees) * _ERRORS
        model[rng.random(queries) < self.misread] = _MISREAD
        chances = (base[:, :, None] * model).reshape(queries, 9)
        chances /= chances.sum(1, keepdims=True)
        return rng.multinomial(self.sizes(rng, queries), chances).reshape(queries, 3, 3) * 1.0


def _each(documents: int) -> Sizes:
    return lambda _, queries: np.full(queries, documents)


def _up_to(documents: int) -> Sizes:
    return lambda rng, queries: np.exp(rng.uniform(0, np.log(documents), queries)).astype(int)


def _some_large(rng: np.random.Generator, queries: int) -> np.ndarray:
    return np.where(rng.random(queries) < 0.1, 400, 20)


_USUAL, _RARE = (4.0, 1.5, 0.8), (12.0, 0.5, 0.2)
JUDGINGS = (
    Judging("300 documents, queries alike", _each(300), 1.2, 0.2, _USUAL),
    Judging("30 documents, queries alike", _each(30), 1.2, 0.2, _USUAL),
    Judging("30 documents, accuracy varies", _each(30), 1.2, 1.0, _USUAL),
    Judging("1 to 100 documents, accuracy varies much", _up_to(100), 1.2, 1.8, _USUAL),
    Judging("1 to 400 documents, accuracy varies much", _up_to(400), 1.2, 1.8, _USUAL),
    Judging("400 documents of 1 query in 10, else 20", _some_large, 1.2, 1.8, _USUAL),
    Judging("10 documents, 95% zeros", _each(10), 2.5, 0.5, _RARE),
    Judging("100 documents, 95% zeros", _each(100), 2.5, 0.5, _RARE),
    Judging("20 documents, 1 query in 20 misread", _each(20), 2.5, 0.0, _USUAL, 0.05),
    Judging("20 documents, 1 query in 10 misread", _each(20), 2.5, 0.0, _USUAL, 0.1),
    Judging("1 to 100 documents, 1 query in 20 misread", _up_to(100), 2.5, 0.5, _USUAL, 0.05),
)
