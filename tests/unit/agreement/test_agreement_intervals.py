"""Intervals of agreement over queries: a slow reference, and how often they hold what is true."""

import numpy as np
import pytest

import rankmark as rm
from rankmark.judges.agreement.agreement_figures import figures_of
from rankmark.judges.agreement.agreement_intervals import Sampling, figure_intervals
from rankmark.judges.agreement.given_labels import Scale
from rankmark.statistics.resampling import exponential_weights, sample_blocks
from unit.agreement import reference

LABELS = [0.0, 1.0, 2.0]
FIGURES = figures_of(Scale.of(np.array(LABELS)))
Tables = list[list[list[float]]]


def draw(
    generator: np.random.Generator,
    queries: int,
    *,
    uneven: bool = False,
    spread: float = 0.0,
    misread: float = 0.0,
) -> np.ndarray:
    """Draw the tables of queries whose labels agree more in some than in others."""
    sizes = np.full(queries, 20)
    if uneven:
        sizes = np.exp(generator.uniform(0, np.log(100), queries)).astype(int)
    base = generator.dirichlet([4.0, 1.5, 0.8], queries)
    sees = 1 / (1 + np.exp(-generator.normal(1.2 if spread else 2.5, spread, queries)))
    model = sees[:, None, None] * np.eye(3) + (1 - sees[:, None, None]) * np.array([0.2, 0.5, 0.3])
    model[generator.random(queries) < misread] = [0.1, 0.2, 0.7]
    chances = (base[:, :, None] * model).reshape(queries, 9)
    chances /= chances.sum(1, keepdims=True)
    return generator.multinomial(sizes, chances).reshape(queries, 3, 3).astype(float)


def slow_kappa(table: list[list[float]], kind: str) -> float:
    """Cohen's kappa of a table that need not hold whole numbers, cell by cell."""
    places = range(len(LABELS))
    total = sum(map(sum, table))
    weights = [[reference.weight(kind, LABELS, a, b) for b in LABELS] for a in LABELS]
    observed = sum(weights[a][b] * table[a][b] for a in places for b in places) / total
    rows = [sum(row) / total for row in table]
    columns = [sum(row[b] for row in table) / total for b in places]
    chance = sum(weights[a][b] * rows[a] * columns[b] for a in places for b in places)
    return (observed - chance) / (1 - chance)


def added(tables: Tables, weights: list[float]) -> list[list[float]]:
    """Add up tables with weights, cell by cell."""
    return [
        [sum(w * table[a][b] for w, table in zip(weights, tables, strict=True)) for b in range(3)]
        for a in range(3)
    ]


def quantile(values: list[float], share: float) -> float:
    """Interpolate between the values next to a share."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


@pytest.mark.parametrize(
    ("name", "kind"), [("kappa", "identity"), ("kappa_quadratic", "quadratic")]
)
@pytest.mark.parametrize("seed", range(3))
def test_lower_ends_are_those_of_a_slow_reference(seed: int, name: str, kind: str) -> None:
    tables = draw(np.random.default_rng(seed), 6, uneven=True, spread=1.0)
    found = figure_intervals(FIGURES, tables, Sampling(resamples=1_500, seed=seed))[name]
    numbered = sorted(
        tables.tolist(),
        key=lambda t: (
            [t[a][b] + t[b][a] for a in range(3) for b in range(3)][::-1],
            [cell for row in t for cell in row][::-1],
        ),
    )
    total = added(numbered, [1.0] * 6)
    pairs = sum(map(sum, total))
    rows = [sum(row) for row in total]
    columns = [sum(row[b] for row in total) for b in range(3)]
    largest = max(sum(map(sum, table)) for table in numbered)
    missing = [[largest * one * other / pairs**2 for other in columns] for one in rows]
    values = [
        slow_kappa(added([*numbered, missing], weights.tolist()), kind)
        for block, samples in enumerate(sample_blocks(7, 1_500))
        for weights in exponential_weights(7, samples, block, seed)
    ]
    assert found.low == pytest.approx(quantile(values, 0.025), abs=1e-12)


def test_upper_ends_have_the_degrees_of_freedom_of_the_queries_that_decide() -> None:
    stats = pytest.importorskip("scipy.stats")
    tables = draw(np.random.default_rng(7), 8, uneven=True, spread=1.0)
    found = figure_intervals(FIGURES, tables, Sampling(resamples=100))["kappa"]
    listed = tables.tolist()
    values = [
        slow_kappa(added(listed, [float(at != left_out) for at in range(8)]), "identity")
        for left_out in range(8)
    ]
    mean = sum(values) / 8
    squares = [(value - mean) ** 2 for value in values]
    own = sum(squares) ** 2 / sum(square**2 for square in squares)
    sizes = [sum(map(sum, table)) for table in listed]
    even = sum(sizes) ** 2 / sum(size**2 for size in sizes) - 1
    half = stats.t.ppf(0.975, min(own, even)) * reference.jackknife(values)
    assert found.high == pytest.approx(min(found.estimate + half, 1.0), abs=1e-12)


def test_weights_are_exponential_whole_numbers_that_do_not_depend_on_other_blocks() -> None:
    weights = exponential_weights(40, 1_000, 3, 5)
    assert (weights == np.rint(weights)).all()
    assert weights.mean() / 2**16 == pytest.approx(1.0, abs=0.02)
    assert weights.var() / 2**32 == pytest.approx(1.0, abs=0.05)
    assert np.array_equal(weights, exponential_weights(40, 1_000, 3, 5))
    assert not np.array_equal(weights, exponential_weights(40, 1_000, 4, 5))


@pytest.mark.parametrize("queries", [5, 10])
@pytest.mark.parametrize(
    "kind", [{"uneven": True, "spread": 1.8}, {"misread": 0.05}], ids=["uneven", "misread"]
)
def test_intervals_of_few_queries_hold_kappa_and_alpha(
    queries: int, kind: dict[str, float]
) -> None:
    """200 samples; by the jackknife with n - 1 degrees of freedom, 63 to 88% hold them."""
    generator = np.random.default_rng(queries)
    truth = FIGURES.of(draw(generator, 100_000, **kind).sum(0))  # type: ignore[arg-type]
    held = dict.fromkeys(("kappa", "kappa_quadratic", "ac1", "alpha_ordinal"), 0)
    samples = 0
    while samples < 200:
        tables = draw(generator, queries, **kind)  # type: ignore[arg-type]
        found = figure_intervals(FIGURES, tables, Sampling(resamples=300))
        samples += 1
        for name in held:
            one = found[name]
            held[name] += (
                one.undefined != "" or one.low <= truth[FIGURES.names.index(name)] <= one.high
            )
    assert min(held.values()) >= 0.935 * samples, held


def test_intervals_do_not_depend_on_the_order_of_queries_or_judges() -> None:
    tables = draw(np.random.default_rng(3), 9, uneven=True, spread=1.0)
    wanted = figure_intervals(FIGURES, tables, Sampling(resamples=500))
    for other in (tables[::-1], np.swapaxes(tables, 1, 2)):
        found = figure_intervals(FIGURES, np.ascontiguousarray(other), Sampling(resamples=500))
        for name in ("kappa", "alpha_ordinal", "ac1", "agreement"):
            ends = found[name].low, found[name].high
            assert ends == pytest.approx((wanted[name].low, wanted[name].high), abs=1e-12)


def test_judges_who_always_agree_may_differ_on_other_queries() -> None:
    people = {f"q{n}": {"a": 1, "b": 0, "c": n % 2} for n in range(10)}
    found = rm.compare_judgments(people, people)
    assert (found.kappa.estimate, found.kappa.high) == (1.0, 1.0)
    assert 0.6 < found.kappa.low < 0.8
    assert found.bias.undefined == "it is the same whatever queries are drawn"


def test_few_queries_are_said_to_lack_what_is_rare() -> None:
    def notes(queries: int, **options: str) -> str:
        people = {f"q{n}": {"a": n % 2, "b": 1} for n in range(queries)}
        model = {f"q{n}": {"a": n % 2, "b": n % 3 % 2} for n in range(queries)}
        return "\n".join(rm.compare_judgments(people, model, **options).kept_notes)  # type: ignore[arg-type]

    assert (
        "in 60% of samples, 10 queries have none of a kind that makes up 1 in 20, such as those "
        "that a judge misreads; intervals of differences and shares over queries do not allow for "
        "it" in notes(10)
    )
    assert "misreads; intervals over queries do not" in notes(10, interval="bootstrap")
    assert "58 queries have none" in notes(58)
    assert "misreads" not in notes(59)
