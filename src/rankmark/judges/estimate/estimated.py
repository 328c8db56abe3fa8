"""One estimate: of a run's mean, or of a difference of two runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmark.results.result import plain
from rankmark.statistics.label_planning import LabelsNeeded, labels_for_half_width

if TYPE_CHECKING:
    from rankmark.statistics import Interval
    from rankmark.statistics.prediction_powered import PredictionPowered


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """The estimated mean of a run, or difference of two runs, on a measure.

    Parameters
    ----------
    measure, run
        What was estimated.
    baseline
        The run that is subtracted; None for a mean.
    more_is_better
        Whether a higher score is better.
    found
        The numbers, as the statistics have them.
    adjusted_low, adjusted_high, adjusted_p
        Of a difference, corrected for all of its family; NaN for a mean. With Holm's correction,
        an end that is 0 is not part of the interval.
    people_adjusted_low, people_adjusted_high
        The interval from human labels alone, corrected in the same way; NaN for a mean.
    significant
        Whether a difference is, after the correction.
    family
        How many differences were corrected together; 0 for a mean.
    """

    measure: str
    run: str
    baseline: str | None
    more_is_better: bool
    found: PredictionPowered
    adjusted_low: float = math.nan
    adjusted_high: float = math.nan
    adjusted_p: float = math.nan
    people_adjusted_low: float = math.nan
    people_adjusted_high: float = math.nan
    significant: bool = False
    family: int = 0

    @property
    def name(self) -> str:
        """The run, or both runs of a difference."""
        return self.run if self.baseline is None else f"{self.run} - {self.baseline}"

    @property
    def estimate(self) -> float:
        """The estimate from both sets of labels."""
        return self.found.interval.estimate

    @property
    def low(self) -> float:
        """The lower end of its interval; NaN where ``undefined`` says why."""
        return self.found.interval.low

    @property
    def high(self) -> float:
        """The upper end of its interval."""
        return self.found.interval.high

    @property
    def shown(self) -> tuple[float, float]:
        """The ends of the interval that tables and plots show: corrected, if several were."""
        if self.family > 1:
            return self.adjusted_low, self.adjusted_high
        return self.low, self.high

    @property
    def people_shown(self) -> tuple[float, float]:
        """The same from human labels alone."""
        if self.family > 1:
            return self.people_adjusted_low, self.people_adjusted_high
        return self.found.people.low, self.found.people.high

    @property
    def excludes_zero(self) -> bool:
        """Whether the corrected interval of a difference leaves 0 out."""
        return self.adjusted_low >= 0 or self.adjusted_high <= 0

    @property
    def p(self) -> float:
        """The p-value of a difference being 0; NaN for a mean."""
        return math.nan if self.baseline is None else self.found.p

    @property
    def undefined(self) -> str:
        """Why there is no interval, or ""."""
        return self.found.interval.undefined

    @property
    def effective_n(self) -> float:
        """How many queries judged by people would be worth as much without the model."""
        return self.found.effective_n

    def ends(self, confidence: float) -> tuple[float, float]:
        """Return the interval of another confidence."""
        return self.found.ends.ends(confidence)

    def labels_for(self, half_width: float) -> LabelsNeeded:
        """Return how many queries people have to judge for an interval so narrow.

        Parameters
        ----------
        half_width
            How far it may reach on each side, in units of the measure.

        Returns
        -------
        LabelsNeeded
            With these labels of the model, and without any; for queries drawn at random, of the
            spread and the correlation that were observed.

        Raises
        ------
        InputError
            If it is not above 0, or people's scores have no spread.
        """
        correlation = 0.0 if math.isnan(self.found.correlation) else self.found.correlation
        return labels_for_half_width(
            half_width,
            self.found.spread,
            min(max(correlation, -1.0), 1.0),
            queries=self.found.n + self.found.others,
            confidence=self.found.interval.confidence,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN.

        Returns
        -------
        people_estimate, people_low, people_high
            By human labels alone, with the interval.
        model_estimate, model_low, model_high
            By the model's labels alone; the interval does not allow for its bias.
        lambda
            How much of the model is used: 0 none of it, 1 all.
        """
        found = self.found
        own = ("p", "adjusted_p", "adjusted_low", "adjusted_high")
        of_people = ("people_adjusted_low", "people_adjusted_high")
        row = {
            "measure": self.measure,
            "run": self.run,
            "baseline": self.baseline,
            **_ends("", found.interval),
            **{name: getattr(self, name) for name in own},
            **_ends("people_", found.people),
            **{name: getattr(self, name) for name in of_people},
            **_ends("model_", found.model),
            "lambda": found.lam,
            "correlation": found.correlation,
            "effective_n": found.effective_n,
            "degrees": found.degrees,
            "significant": self.significant,
            "family": self.family or None,
            "n": found.n,
            "others": found.others,
            "left_out": found.left_out,
            "more_is_better": self.more_is_better,
            "undefined": self.undefined or None,
            "warning": found.interval.warning or None,
        }
        return plain(row)


def _ends(of: str, one: Interval) -> dict[str, float]:
    return {f"{of}{end}": getattr(one, end) for end in ("estimate", "low", "high")}
