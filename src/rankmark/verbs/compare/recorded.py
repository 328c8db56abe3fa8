"""What a record says of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankmark.results.records.run_record import Computed
from rankmark.verbs.evaluate.recorded import evaluated_values

if TYPE_CHECKING:
    from rankmark.verbs.compare.comparison import Comparison


def of_comparison(compared: Comparison, runs: Sequence[str]) -> Computed:
    """Return what is recorded of a comparison of these files.

    Means of all runs, the leaderboard, and the differences, also those of all lists and of slices.
    """
    written = compared.to_dict()
    tables = ("leaderboard", "differences", "of_run", "slices")
    values, per_query = evaluated_values(compared.evaluations.items())
    values |= {name: written[name] for name in tables if name in written}
    baseline = compared.baseline
    first = next(iter(compared.evaluations.values()))
    return Computed(
        values,
        first.conventions,
        [*first],
        per_query,
        None if baseline is None else runs[compared.runs.index(baseline)],
        [f"{compared.chosen.test}, corrected by {compared.chosen.correction}"],
    )
