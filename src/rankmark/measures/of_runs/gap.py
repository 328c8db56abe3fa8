"""The gap between groups of users in the mean of a measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import Needs
from rankmark.errors import MeasureError
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import Parameter, text
from rankmark.measures.families.of_measure import OfMeasure
from rankmark.measures.of_runs.run_measure import LeftOut, NumberOfRun


class GapOfGroups(NumberOfRun, OfMeasure):
    """The difference of the means of a measure in the best and in the worst served group of users.

    Formula: the highest minus the lowest mean of ``of`` over the users of a group, of those with a
    value. ``by`` names the column of groups if there are several. Of more than two groups, chance
    alone makes it large: what it is on average if users change groups is shown beside it.
    Nothing relevant: no special case; the measure decides.
    Ties: by the evaluation's rule.
    Unjudged documents: as in the measure.
    Elsewhere: Elliot's ``UserMADranking`` is the mean difference of all pairs of groups.
    Source: Ekstrand et al., All the cool kids, how do they fit in?, FAT* 2018.
    """

    of: str = text("the measure")
    by: str = text("the column of groups, if there are several")

    name = "Gap"
    full_name = "gap between groups of users"
    formula = "highest mean of a group - lowest mean of a group"
    latex = r"\max_g \bar{x}_g - \min_g \bar{x}_g"
    whole = "all users together"
    of_scores = True
    more_is_better = False
    nothing_relevant: float | None = None
    promoting_helps = False
    reaches_bound = False
    common: ClassVar[Mapping[str, Parameter]] = {}

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest value."""
        low, high = self.named.bounds if self.of else (0.0, np.inf)
        return 0.0, high - low

    @property
    def inner(self) -> Measure:
        """The measure whose means are compared."""
        found = self.named
        if found.depends_on == "run" or found.aggregate != "mean":
            raise MeasureError(
                f"{found} is no mean over users", "choose another measure", where=str(self)
            )
        return found

    def needs(self) -> Needs:
        """Use nothing but the scores of the other measure."""
        return Needs(lowest=np.inf, deepest=1, ideal=1)


def with_inner(measures: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """Return the measures, each of which a gap is taken before it."""
    found: dict[Measure, None] = {}
    for one in measures:
        if isinstance(one, GapOfGroups):
            found[one.inner] = None
        found[one] = None
    return tuple(found)


def gap_of(scores: Floats, group: Ints) -> LeftOut:
    """Return the highest minus the lowest mean of a group, also without each user.

    Parameters
    ----------
    scores, group
        (n,) float64, of the users; (n,) int64, their groups from 0, and -1 for those without one.
    """
    rows = np.flatnonzero(group >= 0)
    of, values = group[rows], scores[rows]
    sizes = np.bincount(of).astype(np.float64)
    sums = np.bincount(of, weights=values)
    means = sums / sizes
    value = float(means.max() - means.min())
    without = np.full(len(scores), value)
    order = np.argsort(means, kind="stable")
    for at, one in enumerate(order.tolist()):
        inside = of == one
        if sizes[one] == 1:
            without[rows[inside]] = np.nan
            continue
        others = means[np.delete(order, at)]
        left = (sums[one] - values[inside]) / (sizes[one] - 1)
        high, low = np.maximum(left, others.max()), np.minimum(left, others.min())
        without[rows[inside]] = high - low
    return LeftOut(value, without, group)


def gap_by_chance(scores: Floats, group: Ints, draws: int = 1000) -> Floats:
    """Return the gap of groups of the same sizes, drawn at random: (draws,) float64."""
    inside = group >= 0
    of, values = group[inside], scores[inside]
    sizes = np.bincount(of)
    generator = np.random.Generator(np.random.Philox(0))
    found = np.empty(draws)
    ends = np.cumsum(sizes)[:-1]
    for draw in range(draws):
        sums = np.add.reduceat(generator.permutation(values), np.append(0, ends))
        means = sums / sizes
        found[draw] = means.max() - means.min()
    return found


Gap: Final = GapOfGroups()
