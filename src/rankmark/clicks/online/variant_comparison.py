"""The result of ``compare_variants``: differences of variants, and whether they can be believed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rankmark.data.given_tables.role_tables import read_as
from rankmark.errors import counted
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import number
from rankmark.results.shown_result import Column, DrawnResult, table_of
from rankmark.results.table_schema import columns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Verdict = Literal["better", "worse", "more", "less", "unknown", "blocked"]


class Variant(NamedTuple):
    """A variant, the number of its units, and the share of units planned for it.

    Parameters
    ----------
    planned
        The share of units that was planned for it.
    """

    variant: str
    n: int
    planned: float


class VariantDifference(NamedTuple):
    """A measure of a variant, compared with the baseline.

    Parameters
    ----------
    measure, variant
        Their names.
    n, n_baseline
        The units of both that have a weight, such as users with an issue.
    baseline_mean, mean
        The measure of both.
    baseline_se, se
        Their standard errors, by the delta method.
    difference, difference_se
        The variant's minus the baseline's, and its standard error; with a log of before, of what
        that did not predict.
    low, high
        Its interval, by Welch's t.
    relative, relative_low, relative_high
        The relative difference, 0.1 for 10% more, and its interval by the delta method on the
        logarithm; NaN if the baseline may be 0.
    p, adjusted_p
        The p-value, and the one corrected for all measures and variants.
    variance_left
        The share of the variance of the difference that is left by the log of before; NaN without.
    undefined
        Why numbers are missing, or "".
    """

    measure: str
    variant: str
    n: int
    n_baseline: int
    baseline_mean: float
    mean: float
    baseline_se: float
    se: float
    difference: float = math.nan
    difference_se: float = math.nan
    low: float = math.nan
    high: float = math.nan
    relative: float = math.nan
    relative_low: float = math.nan
    relative_high: float = math.nan
    p: float = math.nan
    adjusted_p: float = math.nan
    variance_left: float = math.nan
    undefined: str = ""


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class VariantComparison(DrawnResult):
    """How variants differ from a baseline, and whether their assignment is sound.

    Parameters
    ----------
    differences
        A row for each measure and variant.
    variants
        A row for each variant.
    srm_chi2, srm_p
        Chi-square of the numbers of units against those planned, and its p-value: a sample-ratio
        mismatch if that is small.
    crossover
        Units in several variants, which are left out.
    without_unit
        Issues of no unit, which are left out.
    directions
        Whether more is better, by measure; None where that depends.
    settings, read
        All choices, and what was read.
    """

    differences: tuple[VariantDifference, ...]
    variants: tuple[Variant, ...]
    srm_chi2: float
    srm_p: float
    crossover: int
    without_unit: int
    directions: Mapping[str, bool | None]
    settings: dict[str, Any]
    read: dict[str, Any]

    _captions = {"differences": "Each difference in its standard errors, with its interval"}  # noqa: RUF012

    @property
    def is_blocked(self) -> bool:
        """Whether the numbers of units are not as planned, so that there is no verdict."""
        return self.srm_p < float(self.settings["mismatch"])

    def verdict(self, row: VariantDifference) -> Verdict:
        """Return what a difference says."""
        if self.is_blocked:
            return "blocked"
        if not row.adjusted_p <= 1.0 - self.settings["confidence"]:
            return "unknown"
        is_more, wanted = row.difference > 0, self.directions[row.measure]
        if wanted is None:
            return "more" if is_more else "less"
        return "better" if is_more == wanted else "worse"

    @property
    def headline(self) -> str:
        """Say what is better or worse, or why that is not known."""
        if self.is_blocked:
            told = ", ".join(f"{one.variant} {one.n:,}" for one in self.variants)
            return (
                f"no verdict: the numbers of units ({told}) are not as planned (sample-ratio "
                f"mismatch, p = {self.srm_p:.2g}); find out what is broken in the assignment"
            )
        against = self.settings["baseline"]
        said = [
            f"{row.variant} is {verdict} than {against} by {row.measure}"
            if (verdict := self.verdict(row)) in {"better", "worse"}
            else f"{row.variant} has {verdict} {row.measure} than {against}"
            for row in self.differences
            if self.verdict(row) != "unknown"
        ]
        return "; ".join(said) or f"no variant is known to differ from {against}"

    @property
    def notes(self) -> list[str]:
        """How the numbers were found, and what is left out."""
        chosen = self.settings
        share = f"{100.0 * chosen['confidence']:g}%"
        units = ", ".join(f"{one.variant} {one.n:,} ({one.planned:.1%})" for one in self.variants)
        cuped = ", adjusted for the log of before (CUPED)" if chosen["cuped"] else ""
        lines = [
            f"units ({chosen['unit']}), and shares planned: {units}; p of these numbers "
            f"{self.srm_p:.4g}, and no verdict below {chosen['mismatch']:g}",
            f"differences{cuped}: delta method by unit and Welch's t, {share} intervals each by "
            f"itself; p corrected by Holm's method for {len(self.differences):,}",
        ]
        if self.crossover:
            lines.append(f"left out: {counted(self.crossover, 'unit')} in several variants")
        if self.without_unit:
            lines.append(
                f"left out: {counted(self.without_unit, 'issue')} without {chosen['unit']}"
            )
        lines += [
            f"{one.measure}, {one.variant}: {one.undefined}"
            for one in self.differences
            if one.undefined
        ]
        return [*lines, *filter(None, map(read_as, self.read.values()))]

    @property
    def kept_notes(self) -> list[str]:
        """The notes on units, and on what is missing."""
        return [line for at, line in enumerate(self.notes) if at != 1]

    def _grids(self) -> list[MarkedTable]:
        interval = f"{100.0 * self.settings['confidence']:g}% interval"

        def ends(row: VariantDifference) -> str:
            return "" if math.isnan(row.low) else f"[{row.low:+.4f}, {row.high:+.4f}]"

        columns = [
            Column("measure", lambda row: row.measure),
            Column("variant", lambda row: row.variant),
            Column(self.settings["baseline"], lambda row: number(row.baseline_mean)),
            Column("value", lambda row: number(row.mean)),
            Column("difference", lambda row: number(row.difference, "+")),
            Column(interval, ends, attached=True),
            Column(
                "relative", lambda row: "-" if math.isnan(row.relative) else f"{row.relative:+.1%}"
            ),
            Column("adjusted p", _written_p),
            *(
                [Column("variance left", lambda row: number(row.variance_left))]
                if self.settings["cuped"]
                else []
            ),
            Column("verdict", self.verdict),
        ]
        caption = f"{self.headline}."
        return [table_of(columns, self.differences, keys=2, caption=caption, label="tab:variants")]

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        log, before
            What was read: ``name`` and ``columns``.
        verdict
            "better", "worse", or "more" and "less" where it depends which is better; "unknown" if
            the difference may be chance; "blocked" if the assignment is broken.
        """
        return {
            **self.read,
            "headline": self.headline,
            "settings": self.settings,
            "is_blocked": self.is_blocked,
            "srm_chi2": self.srm_chi2,
            "srm_p": self.srm_p,
            "crossover": self.crossover,
            "without_unit": self.without_unit,
            "variants": self.variants,
            "differences": [
                row._asdict() | {"verdict": self.verdict(row)} for row in self.differences
            ],
            "notes": self.notes,
        }

    def _table(self) -> dict[str, Any]:
        found = columns_of(self.differences)
        return found | {"verdict": [self.verdict(row) for row in self.differences]}

    def _draw(self, kind: str, ax: Axes, *, title: bool) -> None:  # noqa: ARG002  (there is one)
        from rankmark.results.drawing.dots import Panel, draw_panels  # noqa: PLC0415

        rows = [row for row in self.differences if row.difference_se > 0]
        panel = Panel(
            label=f"difference from {self.settings['baseline']}, in standard errors",
            means=[row.difference / row.difference_se for row in rows],
            lows=[row.low / row.difference_se for row in rows],
            highs=[row.high / row.difference_se for row in rows],
            hollow=[self.verdict(row) in {"unknown", "blocked"} for row in rows],
            line=0.0,
            beaten=[""] * len(rows),
        )
        names = [f"{row.measure}, {row.variant}" for row in rows]
        draw_panels(ax, [panel], names, [0] * len(names), title=self.headline if title else "")

    def _is_drawn(self) -> bool:
        return any(row.difference_se > 0 for row in self.differences)


def _written_p(row: VariantDifference) -> str:
    return "<0.0001" if row.adjusted_p < 0.0001 else number(row.adjusted_p)
