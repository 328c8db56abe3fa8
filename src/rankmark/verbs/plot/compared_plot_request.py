"""The request for a plot of a comparison: its kind and measures, checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError
from rankmark.results.run_letters import listed_letters
from rankmark.verbs.plot.captions import conventions_in_words
from rankmark.verbs.plot.kinds import refuse_compared
from rankmark.verbs.plot.plot_request import switch
from rankmark.verbs.plot.run_colours import numbers_of_compared

if TYPE_CHECKING:
    from rankmark.measures.names import AnyMeasure
    from rankmark.verbs.plot.compared_runs import ComparedRuns
    from rankmark.verbs.plot.kinds import ComparedKind

_TESTS = {
    "randomisation": "randomisation test",
    "t": "t test",
    "wilcoxon": "Wilcoxon test",
    "sign": "sign test",
    "bootstrap": "bootstrap test",
}
_CORRECTIONS = {
    "holm": "Holm",
    "hochberg": "Hochberg",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
    "max-t": "max-T",
    "tukey": "Tukey",
}


class ComparedPlotRequest:
    """A kind of plot of a comparison, with its measures and options.

    Raises
    ------
    InputError
        If the kind does not exist, or cannot show this comparison.
    MeasureError
        If a measure was not compared.
    """

    def __init__(
        self,
        kind: ComparedKind,
        compared: ComparedRuns,
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        *,
        highlight: Iterable[str] | str | None = None,
        title: bool = True,
    ) -> None:
        self.kind = kind
        self.compared = compared
        self.columns: list[int] = _columns(kind, compared, measures)
        refuse_compared(kind, len(self.columns), len(compared.runs), compared.baseline)
        self.has_title: bool = switch("title", title)
        self._rows = {(row.run, row.measure): row for row in compared.leaderboard}
        first = sorted(compared.runs, key=lambda run: self.row(run, compared.measures[0]).rank)
        best = [compared.runs.index(run) for run in first]
        numbers = numbers_of_compared(compared.runs, best, highlight, compared.baseline)
        self.numbers: dict[str, int | None] = dict(zip(compared.runs, numbers, strict=True))

    def row(self, run: str, measure: str) -> Any:
        """Return the mean of a run on a measure."""
        return self._rows[run, measure]

    @property
    def measures(self) -> list[str]:
        """Names of the measures drawn."""
        return [self.compared.measures[column] for column in self.columns]

    def best_first(self) -> list[str]:
        """Return the runs by their means on the first measure drawn."""
        return sorted(self.compared.runs, key=lambda run: self.row(run, self.measures[0]).rank)

    def more_is_better(self, column: int) -> bool:
        """Return whether more is better of a measure."""
        return bool(self.compared.compared[column].more_is_better)

    @property
    def by_letter(self) -> bool:
        """Whether letters say which runs are significantly better than others."""
        return self.compared.baseline is None and len(self.compared.runs) > 1

    def beaten(self, measure: str, runs: Sequence[str], longest: int) -> list[str]:
        """Return the letters of the runs that each run is significantly better than.

        ``runs`` are in the order of their letters; a longer list is a number of runs.
        """
        place = {run: at for at, run in enumerate(runs)}
        found: list[dict[int, bool]] = [{} for _ in runs]
        for row in self.compared.differences:
            if row.measure == measure and row.significant and row.better is not None:
                worse = row.baseline if row.better == row.run else row.run
                doubtful = row.reversible_by not in {"", "nothing"}
                found[place[row.better]][place[worse]] = doubtful
        return [
            listed_letters(one, {at for at, doubtful in one.items() if doubtful}, longest)
            for one in found
        ]

    def title(self, *words: str) -> str:
        """Return a title of words and conventions; empty if there is to be no title."""
        if not self.has_title:
            return ""
        said = [*words]
        for evaluation in self.compared.evaluations.values():
            said.append(conventions_in_words(evaluation.conventions))
            break
        return ", ".join(said)

    def test(self) -> str:
        """Return the test that was applied, and how its p-values were corrected, in words."""
        chosen = self.compared.chosen
        name = _TESTS[chosen.test]
        if chosen.correction == "none":
            return f"{name} without correction"
        drawn = set(self.measures)
        sizes = {row.family for row in self.compared.differences if row.measure in drawn} - {0}
        least, most = min(sizes, default=0), max(sizes, default=0)
        over = f"{most}" if least == most else f"{least} to {most}"
        tests = "test" if most == 1 else "tests"
        each = " at each k" if self.kind == "cutoffs" and chosen.family == "measure" else ""
        correction = _CORRECTIONS[chosen.correction]
        return f"{name} with the {correction} correction for {over} {tests}{each}"


def _columns(
    kind: ComparedKind,
    compared: ComparedRuns,
    measures: Iterable[AnyMeasure] | AnyMeasure | None,
) -> list[int]:
    """Return the numbers of the measures to draw: by default all, or the first."""
    if kind == "cutoffs":
        return _series(compared, measures)
    if measures is None:
        count = len(compared.measures) if kind == "leaderboard" else 1
        return [*range(count)]
    one = isinstance(measures, str) or not isinstance(measures, Iterable)
    given: list[object] = [measures] if one else [*measures]  # type: ignore[misc]
    if not given:
        raise InputError("measure names none", "name one that was compared")
    return [*dict.fromkeys(compared.column(name) for name in given)]


def _series(
    compared: ComparedRuns, measures: Iterable[AnyMeasure] | AnyMeasure | None
) -> list[int]:
    """Return the numbers of one measure's cutoffs, in ascending order of these.

    Raises
    ------
    InputError
        If there are several measures, or fewer than two cutoffs of one.
    """
    named = measures if measures is not None else compared.measures[0]
    one = isinstance(named, str) or not isinstance(named, Iterable)
    wanted = {split_cutoff(str(name))[0] for name in ([named] if one else named)}  # type: ignore[union-attr]
    if len(wanted) > 1:
        raise InputError(f"cutoffs draws 1 measure, and there are {len(wanted)}", "name one")
    (base,) = wanted
    at = {
        k: i
        for i, (name, k) in enumerate(map(split_cutoff, compared.measures))
        if name == base and k
    }
    if len(at) < 2:
        raise InputError(
            f"cutoffs needs a measure at two cutoffs or more, and {base} has {len(at)}",
            "compare several, such as nDCG @ [1, 5, 10], or with --cutoffs 1..20",
        )
    return [at[k] for k in sorted(at)]


def split_cutoff(name: str) -> tuple[str, int]:
    """Split a measure's name into that of the measure and its cutoff, or 0."""
    base, _, k = name.rpartition("@")
    return (base, int(k)) if base and k.isdecimal() else (name, 0)
