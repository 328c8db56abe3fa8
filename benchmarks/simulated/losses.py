"""Populations of differences whose mean is a loss: broken, sparse, skewed, all or nothing, real."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
MEASURES = ("nDCG@10", "AP", "RR@10", "R@100", "P@10", "Success@10")


@dataclass(frozen=True)
class Losses:
    """A population of differences between -1 and 1, and by how much its mean is below 0."""

    name: str
    loss: float
    draw: Draw


def _graded(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Scores like those of nDCG@10: a tenth are 0, the mean is 0.43."""
    return np.where(rng.random(shape) < 0.1, 0.0, rng.beta(0.9, 1.0, shape))


_GRADED_MEAN = 0.9 * 0.9 / 1.9


def _total(share: float, *, graded: bool) -> Losses:
    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        scores = _graded(rng, shape) if graded else 1.0
        return np.where(rng.random(shape) < share, -scores, 0.0)

    of = "graded scores" if graded else "scores of 1"
    mean = _GRADED_MEAN if graded else 1.0
    return Losses(f"{100 * share:g}% of {of} lost", share * mean, draw)


def _mixture(name: str, *parts: tuple[float, float], noise: float = 0.0) -> Losses:
    """Mix fixed changes, each with its share of the queries, and normal noise on all of them."""
    shares = np.array([share for share, _ in parts])
    changes = np.array([change for _, change in parts])

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        which = np.searchsorted(np.cumsum(shares), rng.random(shape), side="right")
        drawn = np.append(changes, 0.0)[which]
        changed: np.ndarray = drawn + rng.normal(0, noise, shape).clip(-0.5, 0.5) * (drawn > -0.5)
        return changed

    return Losses(name, -float(shares @ changes), draw)


def _beta(a: float, b: float) -> Losses:
    return Losses(
        f"all lose beta({a:g}, {b:g})", a / (a + b), lambda rng, shape: -rng.beta(a, b, shape)
    )


def _skewed(skewness: float, loss: float, spread: float) -> Losses:
    """Few lose much: a gamma distribution of that skewness, turned round, moved, cut at -1."""
    shape_of = 4 / skewness**2
    rng = np.random.default_rng(0)

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        standard = (rng.gamma(shape_of, 1.0, shape) - shape_of) / np.sqrt(shape_of)
        moved: np.ndarray = np.maximum(-loss - spread * standard, -1.0)
        return moved

    mean = float(np.mean([draw(rng, (1_000_000,)).mean() for _ in range(10)]))
    return Losses(f"all change, skewness -{skewness:g}, spread {spread:g}", -mean, draw)


def _tenths() -> Losses:
    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        lost = np.where(rng.random(shape) < 0.1, rng.integers(1, 8, shape), 0)
        won = np.where(rng.random(shape) < 0.05, rng.integers(1, 3, shape), 0)
        return (won - lost) / 10

    return Losses("P@10: 10% lose 1 to 7 tenths", 0.1 * 0.4 - 0.05 * 0.15, draw)


SPARSE = [
    _total(share, graded=graded) for graded in (False, True) for share in (0.005, 0.02, 0.05, 0.2)
]
ALL_OR_NOTHING = [
    _mixture(f"0/1: {100 * won:g}% win, {100 * lost:g}% lose", (won, 1.0), (lost, -1.0))
    for won, lost in ((0.01, 0.03), (0.02, 0.07), (0.05, 0.1), (0.1, 0.15))
]
MIXED = [
    _mixture("5% lose a half", (0.05, -0.5)),
    _mixture("20% lose a half", (0.2, -0.5)),
    _mixture("10% gain 0.2, 4% lose 1", (0.1, 0.2), (0.04, -1.0)),
    _mixture("30% gain 0.1, 5% lose 1", (0.3, 0.1), (0.05, -1.0)),
    _mixture("noise 0.03, 2% lose 1", (0.02, -1.0), noise=0.03),
    _mixture("noise 0.1, 2% lose 1", (0.02, -1.0), noise=0.1),
    _mixture("noise 0.1, 10% lose a half", (0.1, -0.5), noise=0.1),
    _tenths(),
    _beta(0.02, 0.98),
    _beta(0.1, 1.9),
]
SKEWED = [_skewed(skewness, 0.02, spread) for skewness in (1, 3, 6) for spread in (0.05, 0.15)]


def real(qrels: Path, runs: Sequence[Path], losses: Sequence[float]) -> Iterator[Losses]:
    """Yield the differences of all ordered pairs of runs, made to lose that much on average.

    In two ways: all queries that changed are moved alike; or queries drawn by chance lose their
    whole score, until the mean is low enough.
    """
    import rankmark as rm

    evaluated = {run.stem: rm.evaluate(str(qrels), str(run), MEASURES).scores for run in runs}
    for (one, a), (other, b) in itertools.permutations(evaluated.items(), 2):
        for column, measure in enumerate(MEASURES):
            d = b[:, column] - a[:, column]
            for loss in losses:
                name = f"{other} after {one}, {measure}"
                if (moved := _moved(d, loss)) is not None:
                    yield _of(f"{name}, moved", moved)
                share = (d.mean() + loss) / (d.mean() + a[:, column].mean())
                if 0 < share < 1:
                    yield _broken(f"{name}, {share:.0%} broken", d, a[:, column], share)


def _moved(d: np.ndarray, loss: float) -> np.ndarray | None:
    changed = d != 0
    if not changed.any():
        return None
    moved = np.where(changed, d - (d.mean() + loss) / changed.mean(), 0.0).clip(-1, 1)
    return moved if moved.mean() < -0.004 else None


def _of(name: str, values: np.ndarray) -> Losses:
    return Losses(name, -float(values.mean()), lambda rng, shape: rng.choice(values, shape))


def _broken(name: str, d: np.ndarray, scores: np.ndarray, share: float) -> Losses:
    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        rows = rng.integers(0, len(d), shape)
        return np.where(rng.random(shape) < share, -scores[rows], d[rows])

    return Losses(name, -float((1 - share) * d.mean() - share * scores.mean()), draw)


HARMLESS: dict[str, Draw] = {
    "nothing changes": lambda _, shape: np.zeros(shape),
}
"""Changes of mean 0."""


def harmless(share: float, spread: float) -> tuple[str, Draw]:
    """A share of the queries change, as often for better as for worse, most of them a little."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        size = (spread * rng.gamma(1.0, 1.0, shape)).clip(0, 1)
        sign = np.where(rng.random(shape) < 0.5, -1.0, 1.0)
        return np.where(rng.random(shape) < share, sign * size, 0.0)

    return f"{100 * share:g}% change, by {spread:g} on average", draw


for _share, _spread in ((0.01, 0.2), (0.05, 0.2), (0.3, 0.05), (0.3, 0.2), (1.0, 0.05), (1.0, 0.2)):
    HARMLESS.update([harmless(_share, _spread)])
HARMLESS["0/1: 2% change"] = lambda rng, shape: rng.choice(
    [0.0, 1.0, -1.0], shape, p=[0.98, 0.01, 0.01]
)
HARMLESS["0/1: 10% change"] = lambda rng, shape: rng.choice(
    [0.0, 1.0, -1.0], shape, p=[0.9, 0.05, 0.05]
)


@dataclass(frozen=True)
class Weighted:
    """Queries, or clusters of queries, with sizes of their own; some of them lose everything.

    ``lost`` is the share of the units that do, among all of them, among the heaviest third, or
    among those of more than the size ``above``. ``largest`` is the largest size; None if sizes have
    no limit.
    """

    name: str
    sizes: Draw
    lost: float
    heaviest: bool = False
    above: float | None = None
    largest: float | None = None

    def draw(
        self, rng: np.random.Generator, shape: tuple[int, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return sizes and mean differences of units: (rows, n) each."""
        sizes = self.sizes(rng, shape)
        lost = rng.random(shape) < self.lost
        lost &= sizes > self.limit()
        return sizes, np.where(lost, -1.0, 0.0)

    def limit(self) -> float:
        """Return the size that units exceed that can lose."""
        if self.above is not None or not self.heaviest:
            return self.above or 0.0
        return float(np.quantile(self.sizes(np.random.default_rng(1), (1_000_000,)), 2 / 3))

    @property
    def loss(self) -> float:
        """By how much the weighted mean is below 0."""
        sizes = self.sizes(np.random.default_rng(1), (1_000_000,))
        return self.lost * float(sizes[sizes > self.limit()].sum() / sizes.sum())


def _lognormal(sigma: float) -> Draw:
    return lambda rng, shape: rng.lognormal(0.0, sigma, shape)


def _pareto(exponent: float) -> Draw:
    return lambda rng, shape: np.minimum(1.0 + rng.pareto(exponent, shape), 1000.0)


def _few(share: float, size: float, other: float = 1.0) -> Draw:
    """Return sizes of which a share is large."""
    return lambda rng, shape: np.where(rng.random(shape) < share, size, other)


_ZIPF = 1 / np.arange(1, 10_001) ** 0.8


def _zipf(top: float) -> Weighted:
    """Distinct queries of a log of 10,000, the most frequent of which are lost."""
    return Weighted(
        f"Zipf weights: the heaviest {top:.1%} lost",
        lambda rng, shape: rng.choice(_ZIPF, shape),
        1.0,
        above=float(_ZIPF[round(top * len(_ZIPF))]),
        largest=float(_ZIPF[0]),
    )


def _rare(kind: str, share: float, size: float, lost: float, other: float = 1.0) -> Weighted:
    return Weighted(
        f"{kind} of {other:g}, {share:.0%} of {size:g}: {lost:.0%} of these lost",
        _few(share, size, other),
        lost,
        above=other,
        largest=size,
    )


HEAVY = [
    _rare("weights", 0.01, 50.0, 1.0),
    _rare("weights", 0.02, 20.0, 1.0),
    _rare("weights", 0.05, 10.0, 0.5),
    _rare("weights", 0.1, 10.0, 0.2),
    _rare("weights", 0.1, 5.0, 1.0),
    *map(_zipf, (0.001, 0.005, 0.02, 0.1)),
    _rare("clusters", 0.02, 50.0, 1.0),
    _rare("clusters", 0.05, 20.0, 1.0),
    _rare("clusters", 0.1, 10.0, 0.3, 2.0),
]
"""Populations whose heavy units are lost, and are missing from many samples."""

_SIZES: dict[str, tuple[Draw, float | None]] = {
    "weights, lognormal of sigma 0.5": (_lognormal(0.5), None),
    "weights, lognormal of sigma 1": (_lognormal(1.0), None),
    "weights, Pareto of exponent 2": (_pareto(2.0), 1000.0),
    "weights, Pareto of exponent 1.2": (_pareto(1.2), 1000.0),
    "clusters of 4": (lambda _, shape: np.full(shape, 4.0), 4.0),
    "clusters of geometric size": (
        lambda rng, shape: rng.geometric(0.3, shape).astype(np.float64),
        None,
    ),
    "clusters of 1, a tenth of 30": (_few(0.1, 30.0), 30.0),
}
WEIGHTED = [
    Weighted(f"{name}: {100 * lost:g}%{of} lost", sizes, lost, heaviest, largest=largest)
    for name, (sizes, largest) in _SIZES.items()
    for lost, of, heaviest in (
        (0.02, "", False),
        (0.2, "", False),
        (0.15, " of the heaviest third", True),
        (0.5, " of the heaviest third", True),
    )
    if not heaviest or name.startswith("weights")
]
