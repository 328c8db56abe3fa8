"""Coefficients of agreement: figures of papers, slow references, and other libraries."""

import math
import random
from typing import Any

import numpy as np
import pytest

from rankmark.judges.agreement import coefficients as of
from unit.agreement import reference

WEIGHTS: tuple[of.Weights, ...] = ("identity", "linear", "quadratic", "ordinal")
LEVELS: tuple[of.Level, ...] = ("nominal", "ordinal", "interval", "ratio")
HOLE = math.nan
RELIABILITY = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, HOLE, HOLE, HOLE],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, HOLE, 3],
    [HOLE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, HOLE],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, HOLE],
]
"""Krippendorff 2011, section D: four observers, twelve units."""


def table(pairs: reference.Pairs, scale: reference.Labels) -> Any:
    """Count pairs of labels."""
    found = np.zeros((len(scale), len(scale)))
    for a, b in pairs:
        found[scale.index(a), scale.index(b)] += 1
    return found


def drawn(seed: int, scale: reference.Labels, n: int = 60) -> reference.Pairs:
    """Draw labels of two judges who agree about half of the time."""
    generator = random.Random(seed)
    first = [generator.choice(scale) for _ in range(n)]
    return [(a, a if generator.random() < 0.5 else generator.choice(scale)) for a in first]


def matrix(units: list[reference.Labels], scale: reference.Labels) -> Any:
    """Add up coincidences by hand."""
    found = np.zeros((len(scale), len(scale)))
    for unit in units:
        for at, a in enumerate(unit):
            for other, b in enumerate(unit):
                if at != other:
                    found[scale.index(a), scale.index(b)] += 1 / (len(unit) - 1)
    return found


def test_two_labels_as_in_the_literature() -> None:
    found, same = np.array([[45.0, 15.0], [25.0, 15.0]]), np.eye(2)
    assert of.agreement(found) == 0.60
    assert of.kappa(found, same) == pytest.approx(0.13043, abs=5e-6)
    assert of.gwet_ac(found, same) == pytest.approx(0.26606, abs=5e-6)


def test_few_relevant_documents_make_kappa_low_and_ac1_high() -> None:
    found, same = np.array([[0.0, 2.0], [5.0, 118.0]]), np.eye(2)
    assert of.agreement(found) == pytest.approx(0.944)
    assert of.kappa(found, same) == pytest.approx(-0.023392, abs=5e-7)
    assert of.gwet_ac(found, same) == pytest.approx(0.94078, abs=5e-6)


@pytest.mark.parametrize(
    ("level", "value"),
    [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)],
)
def test_alpha_of_four_observers_as_in_krippendorffs_paper(level: of.Level, value: float) -> None:
    units = [[x for x in unit if not math.isnan(x)] for unit in zip(*RELIABILITY, strict=True)]
    scale = [1.0, 2.0, 3.0, 4.0, 5.0]
    kept = [unit for unit in units if len(unit) > 1]
    found = of.alpha(matrix(kept, scale), np.array(scale), level)
    assert found == pytest.approx(value, abs=5e-7)
    assert found == pytest.approx(reference.alpha(units, level), abs=1e-12)


@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("scale", [[0.0, 1.0], [0.0, 1.0, 3.0], [0.0, 1.0, 2.0, 3.0, 4.0]])
def test_coefficients_agree_with_the_slow_reference(kind: of.Weights, scale: list[float]) -> None:
    for seed in range(3):
        pairs = drawn(seed, scale)
        tables, weights = table(pairs, scale), of.weights_of(np.array(scale), kind)
        functions = {
            "kappa": of.kappa,
            "pi": of.scott_pi,
            "ac": of.gwet_ac,
            "bp": of.brennan_prediger,
        }
        for name, function in functions.items():
            wanted = reference.coefficient(name, kind, pairs, scale)
            assert function(tables, weights) == pytest.approx(wanted, abs=1e-12), name


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_two_agrees_with_the_slow_reference(level: of.Level) -> None:
    scale = [0.0, 1.0, 3.0]
    for seed in range(3):
        pairs = drawn(seed, scale)
        found = of.alpha(of.coincidences(table(pairs, scale)), np.array(scale), level)
        wanted = reference.alpha([[a, b] for a, b in pairs], level)
        assert found == pytest.approx(wanted, abs=1e-12)


def test_many_tables_at_once_give_what_each_gives() -> None:
    scale = [0.0, 1.0, 2.0]
    tables = np.array([table(drawn(seed, scale), scale) for seed in range(4)])
    weights = of.weights_of(np.array(scale), "quadratic")
    for function in (of.kappa, of.scott_pi, of.gwet_ac, of.brennan_prediger):
        single = [float(function(one, weights)) for one in tables]
        assert function(tables, weights) == pytest.approx(single, abs=1e-15)
    singles = [float(of.alpha(of.coincidences(one), np.array(scale), "ordinal")) for one in tables]
    together = of.alpha(of.coincidences(tables), np.array(scale), "ordinal")
    assert together == pytest.approx(singles, abs=1e-15)


def test_scikit_learn_agrees() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    for scale in ([0.0, 1.0], [0.0, 1.0, 2.0, 3.0]):  # without gaps, positions are values
        pairs = drawn(5, scale, 200)
        a, b = zip(*pairs, strict=True)
        tables = table(pairs, scale)
        assert (tables == metrics.confusion_matrix(a, b)).all()
        for kind, name in (("identity", None), ("linear", "linear"), ("quadratic", "quadratic")):
            found = of.kappa(tables, of.weights_of(np.array(scale), kind))  # type: ignore[arg-type]
            assert found == pytest.approx(metrics.cohen_kappa_score(a, b, weights=name), abs=1e-12)
    halves = of.halved(table(pairs, scale))
    for at, lowest in enumerate(scale[1:]):
        first, second = ([x >= lowest for x in labels] for labels in (a, b))
        precision, recall = of.precision_and_recall(halves[at])
        assert precision == pytest.approx(metrics.precision_score(first, second))
        assert recall == pytest.approx(metrics.recall_score(first, second))
        assert (halves[at] == metrics.confusion_matrix(first, second)).all()


def test_a_gap_in_the_scale_counts_unlike_in_scikit_learn() -> None:
    pairs = [(0, 0), (0, 1), (1, 3), (3, 3), (3, 1), (1, 1)]
    scale = [0.0, 1.0, 3.0]
    found = of.kappa(table(pairs, scale), of.weights_of(np.array(scale), "quadratic"))  # type: ignore[arg-type]
    assert found == pytest.approx(0.470588, abs=5e-7)  # scikit-learn: 0.571429


def test_statsmodels_agrees_on_kappa_and_pi() -> None:
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    scale = [0.0, 1.0, 2.0]
    tables = table(drawn(9, scale, 100), scale)
    assert of.kappa(tables, np.eye(3)) == pytest.approx(rater.cohens_kappa(tables).kappa)
    counts = np.array([np.bincount([int(a), int(b)], minlength=3) for a, b in drawn(9, scale, 100)])
    assert of.scott_pi(tables, np.eye(3)) == pytest.approx(rater.fleiss_kappa(counts))


def test_krippendorffs_library_agrees() -> None:
    krippendorff = pytest.importorskip("krippendorff")
    scale = [0.0, 1.0, 3.0, 4.0]
    pairs = drawn(11, scale, 100)
    data = np.array(pairs, dtype=float).T
    for level in LEVELS:
        wanted = krippendorff.alpha(data, level_of_measurement=level)
        found = of.alpha(of.coincidences(table(pairs, scale)), np.array(scale), level)
        assert found == pytest.approx(wanted, abs=1e-12)


def test_values_recorded_from_irrcac() -> None:
    """Of irrCAC 0.4.4, whose results have five digits; labels 0, 1 and 3, weighted by value."""
    h = [1, 3, 1, 0, 0, 3, 0, 3, 1, 0, 0, 0, 0, 0, 1, 1, 3, 1, 1, 3, 0, 0, 1, 0, 0, 1, 0, 3, 1, 1]
    h += [0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 3, 1, 3, 1, 1, 0, 1, 1, 3, 0, 1, 0, 0, 0, 0, 3, 0, 3, 1]
    u = [3, 0, 3, 0, 0, 3, 0, 3, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 3, 0, 3, 3, 0, 3, 1, 0, 3, 1, 1]
    u += [0, 1, 0, 0, 1, 1, 0, 0, 3, 0, 3, 3, 1, 3, 3, 1, 3, 3, 1, 3, 3, 3, 0, 0, 0, 1, 0, 0, 3, 3]
    recorded = {
        "identity": (0.50865, 0.5, 0.48175, 0.48871),
        "linear": (0.48516, 0.4625, 0.44617, 0.45616),
        "quadratic": (0.47265, 0.4375, 0.43546, 0.4464),
        "ordinal": (0.4905, 0.46, 0.47706, 0.48436),
    }
    scale = [0.0, 1.0, 3.0]
    tables = table([*zip(h, u, strict=True)], scale)  # type: ignore[list-item]
    functions = (of.gwet_ac, of.brennan_prediger, of.scott_pi, of.kappa)
    for kind in WEIGHTS:
        weights = of.weights_of(np.array(scale), kind)
        found = [float(function(tables, weights)) for function in functions]
        assert found == pytest.approx(recorded[kind], abs=6e-6), kind
    interval = of.alpha(of.coincidences(tables), np.array(scale), "interval")
    assert interval == pytest.approx(0.44016, abs=6e-6)  # its quadratic weights


@pytest.mark.parametrize(
    ("first", "second", "kappa", "alpha", "ac1"),
    [
        ([1, 1, 1], [1, 1, 1], math.nan, math.nan, 1.0),
        ([1, 1, 1], [0, 0, 0], 0.0, -2 / 3, -1.0),
        ([0, 1], [1, 0], -1.0, -0.5, -1.0),
        ([2], [2], math.nan, math.nan, 1.0),
    ],
)
def test_labels_that_leave_little_to_chance(
    first: list[float], second: list[float], kappa: float, alpha: float, ac1: float
) -> None:
    scale = sorted({*first, *second})
    tables, same = table([*zip(first, second, strict=True)], scale), np.eye(len(scale))
    assert of.kappa(tables, same) == pytest.approx(kappa, nan_ok=True)
    found = of.alpha(of.coincidences(tables), np.array(scale, dtype=float), "nominal")
    assert found == pytest.approx(alpha, nan_ok=True)
    assert of.gwet_ac(tables, same) == pytest.approx(ac1)
