"""All figures on how two judges agree, computed together from tables of their labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.judges.agreement import coefficients as of
from rankmark.judges.agreement.coefficients import Level
from rankmark.judges.agreement.given_labels import Scale, written_label

Statistic = Callable[["Floats"], "Floats"]
"""From tables, (..., K, K), to statistics, (..., F)."""

WORDS = {
    "agreement": "agreement",
    "kappa": "kappa",
    "kappa_linear": "kappa, linear weights",
    "kappa_quadratic": "kappa, quadratic weights",
    "alpha_nominal": "alpha, nominal",
    "alpha_ordinal": "alpha, ordinal",
    "alpha_interval": "alpha, interval",
    "alpha_ratio": "alpha, ratio",
    "ac1": "AC1",
    "ac2_linear": "AC2, linear weights",
    "ac2_quadratic": "AC2, quadratic weights",
    "ac2_ordinal": "AC2, ordinal weights",
    "pi": "Scott's pi",
    "brennan_prediger": "Brennan-Prediger",
    "bias": "mean difference",
    "over_rated": "share rated higher",
    "under_rated": "share rated lower",
    "absolute_difference": "mean |difference|",
}
"""{name: what tables call it}, of all figures on two judges."""

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
AT_THRESHOLD = (
    "agreement",
    "kappa",
    "ac1",
    "precision",
    "recall",
    "prevalence_first",
    "prevalence_second",
)
OF_LABEL = ("mean", "same", "higher", "lower")
_SHARES = frozenset(["agreement", "over_rated", "under_rated"])
_NOT_OF_AGREEMENT = frozenset(
    [
        *("bias", "over_rated", "under_rated", "prevalence_first", "prevalence_second"),
        *("absolute_difference", "mean", "higher", "lower"),
    ]
)


class Figures(NamedTuple):
    """Statistics that are computed from the same tables.

    Parameters
    ----------
    names
        (F,) keys.
    bounds
        (F, 2) float64, the lowest and the highest value that each can have.
    of
        From tables, (..., K, K), to statistics, (..., F).
    are_of_agreement
        (F,) bool, which of them are the lower, the less the judges agree.
    """

    names: tuple[str, ...]
    bounds: Floats
    of: Statistic
    are_of_agreement: Bools


def figures_of(scale: Scale) -> Figures:
    """Return the figures on two judges whose labels are on a scale."""
    weights = {
        kind: of.weights_of(scale.values, kind) for kind in ("linear", "quadratic", "ordinal")
    }
    same = np.eye(len(scale.labels))

    def statistics(tables: Floats) -> Floats:
        merged = of.folded(tables, scale.groups) if scale.merges else tables
        pairs = of.coincidences(merged)
        found = [
            of.agreement(tables),
            of.kappa(tables, same),
            of.kappa(merged, weights["linear"]),
            of.kappa(merged, weights["quadratic"]),
            of.alpha(of.coincidences(tables), scale.labels, "nominal"),
            *(of.alpha(pairs, scale.values, level) for level in LEVELS[1:]),
            of.gwet_ac(tables, same),
            *(of.gwet_ac(merged, one) for one in weights.values()),
            of.scott_pi(tables, same),
            of.brennan_prediger(tables, same),
            *of.differences(merged, scale.values),
        ]
        return np.stack(found, axis=-1)

    names = tuple(WORDS)
    span = scale.values[-1] - scale.values[0]
    ends = {"bias": (-span, span), "absolute_difference": (0.0, span)}
    bounds = [ends.get(name, (0.0 if name in _SHARES else -np.inf, 1.0)) for name in names]
    return Figures(names, np.array(bounds), statistics, _of_agreement(names))


def label_figures(scale: Scale) -> Figures:
    """Return what the second judge says of each label of the first; see ``OF_LABEL``."""

    def statistics(tables: Floats) -> Floats:
        found = of.by_label(tables, scale.clamped)
        return np.stack(found, axis=-1).reshape(*tables.shape[:-2], -1)

    names = tuple(
        f"{what} {written_label(label)}" for label in scale.labels.tolist() for what in OF_LABEL
    )
    ends = {"mean": (scale.values[0], scale.values[-1])}
    bounds = [ends.get(what, (0.0, 1.0)) for _ in scale.labels for what in OF_LABEL]
    return Figures(names, np.array(bounds), statistics, _of_agreement(OF_LABEL * len(scale.labels)))


def threshold_figures(scale: Scale) -> Figures:
    """Return the figures on two kinds of labels, for each lowest relevant one."""
    same = np.eye(2)

    def statistics(tables: Floats) -> Floats:
        halves = of.halved(tables)
        total = halves.sum((-2, -1))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = [
                of.agreement(halves),
                of.kappa(halves, same),
                of.gwet_ac(halves, same),
                *of.precision_and_recall(halves),
                halves[..., 1, :].sum(-1) / total,
                halves[..., :, 1].sum(-1) / total,
            ]
        return np.stack(found, axis=-1).reshape(*tables.shape[:-2], -1)

    lowest = scale.labels[1:].tolist()
    names = tuple(f"{what} {written_label(label)}" for label in lowest for what in AT_THRESHOLD)
    low = [-np.inf if what in {"kappa", "ac1"} else 0.0 for what in AT_THRESHOLD]
    bounds = np.column_stack([np.tile(low, len(lowest)), np.ones(len(names))])
    return Figures(names, bounds, statistics, _of_agreement(AT_THRESHOLD * len(lowest)))


def share_figures(scale: Scale) -> Figures:
    """Return how much more often the second judge gives each label, as a share of all."""

    def statistics(tables: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            change: Floats = (tables.sum(-2) - tables.sum(-1)) / tables.sum((-2, -1))[..., None]
        return change

    names = tuple(map(written_label, scale.labels.tolist()))
    bounds = np.tile([-1.0, 1.0], (len(names), 1))
    return Figures(names, bounds, statistics, np.zeros(len(names), dtype=bool))


def alphas(scale: Scale) -> Figures:
    """Return alpha of several judges, at each level, from coincidence matrices."""

    def statistics(matrices: Floats) -> Floats:
        merged = of.folded(matrices, scale.groups) if scale.merges else matrices
        found = [
            of.alpha(matrices, scale.labels, "nominal"),
            *(of.alpha(merged, scale.values, level) for level in LEVELS[1:]),
        ]
        return np.stack(found, axis=-1)

    names = tuple(f"alpha_{level}" for level in LEVELS)
    return Figures(names, np.tile([-np.inf, 1.0], (4, 1)), statistics, _of_agreement(names))


def _of_agreement(names: Sequence[str]) -> Bools:
    return np.array([name not in _NOT_OF_AGREEMENT for name in names], dtype=bool)
