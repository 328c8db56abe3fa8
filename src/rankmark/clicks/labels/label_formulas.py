"""Labels of documents from sums of their clicks, and intervals of them.

Each label but that of SDBN is a ratio: what the clicks of a document are worth, divided by what its
impressions are.

| method | clicks count | impressions count |
|---|---|---|
| CTR | 1 | 1 |
| COEC | 1 | the click rate of all documents at their rank |
| PBM | 1 | the examination of their rank |
| IPS | 1 / the examination of their rank | 1 |
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.statistics.scipy_functions import special

_JEFFREYS = 0.5


class Prior(NamedTuple):
    """What is added to the clicks and the impressions of every document."""

    clicks: float
    views: float


class Labels(NamedTuple):
    """Labels, and the ends of their intervals: (n,) each, NaN where there is no label."""

    label: Floats
    low: Floats
    high: Floats


class Ratio(NamedTuple):
    """What clicks and impressions are worth, document by document.

    Parameters
    ----------
    gained, expected
        (n,) float64: their ratio is the label.
    impressions
        (n,) whole numbers.
    per_click
        (n,) what one click is worth in ``gained``.
    """

    gained: Floats
    expected: Floats
    impressions: Ints
    per_click: Floats

    def labels(self, prior: Prior | None, tail: float) -> Labels:
        """Return labels and intervals.

        The interval is that of the click rate, whose posterior is a Beta distribution, times what
        the label is of it. That what is expected by rank was estimated is left out: it rests on all
        clicks of the log, and the label on those of a document.
        """
        more = prior or Prior(0.0, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):  # 0/0: nothing was expected
            label = (self.gained + more.clicks) / (self.expected + more.views)
            n = (self.expected + more.views) * (self.impressions / self.expected)
            clicks = (self.gained + more.clicks) / self.per_click
            scale = self.per_click * self.impressions / self.expected
            low, high = _beta_ends(clicks, n - clicks, more=0.0 if prior else _JEFFREYS, tail=tail)
            return Labels(label, scale * low, scale * high)


def sdbn_labels(
    sums: dict[str, np.ndarray], prior: Prior | None, tail: float
) -> tuple[Labels, Floats, Floats]:
    """Return relevance by the simplified dynamic Bayesian network, attraction and satisfaction.

    Without a prior, relevance is the share of the impressions examined that were the last click,
    and its interval that of this share. With one, the product of two Beta distributions is taken as
    the Beta distribution with its mean and variance.
    """
    clicks, examined, last = (sums[name].astype(float) for name in ("clicks", "examined", "last"))
    more = prior or Prior(0.0, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        attracted = (clicks + more.clicks) / (examined + more.views)
        satisfied = (last + more.clicks) / (clicks + more.views)
        satisfied[(clicks == 0) & (more.views == 0)] = 0.0
        label = attracted * satisfied
        if prior is None:
            ends = _beta_ends(last, examined - last, more=_JEFFREYS, tail=tail)
        else:
            n, m = examined + more.views + 1, clicks + more.views + 1
            second = label * (attracted * (n - 1) + 1) / n * (satisfied * (m - 1) + 1) / m
            strength = label * (1 - label) / np.maximum(second - label**2, 1e-300) - 1
            ends = _beta_ends(label * strength, (1 - label) * strength, more=0.0, tail=tail)
    return Labels(label, *ends), attracted, satisfied


def _beta_ends(a: Floats, b: Floats, *, more: float, tail: float) -> tuple[Floats, Floats]:
    """Return the ends of Beta distributions, 0 and 1 themselves where nothing speaks against."""
    least = 0.0 if more else 1e-9
    x, y = np.maximum(a, least) + more, np.maximum(b, least) + more
    low, high = special.betaincinv(x, y, tail), special.betaincinv(x, y, 1 - tail)
    return np.where(a <= 0, 0.0, low), np.where(b <= 0, 1.0, high)
