"""A system of several runs, its trials: an evaluation of their average, and how they vary."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from rankmark.errors import InputError, counted, listed
from rankmark.measures.of_runs.run_measure import LeftOut
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.provenance import Sources, described
from rankmark.verbs.evaluate.reliability import reliabilities, reliability_parts, trial_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Floats
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.results.shown_parts import Look, Part
    from rankmark.scoring.kept_data import KeptData
    from rankmark.verbs.evaluate.audit import Audit
    from rankmark.verbs.evaluate.plot_methods import PlotMethods
    from rankmark.verbs.evaluate.provenance import Readable

_SUMMED = (
    *("rows", "interleaved", "run_extra_columns", "duplicates"),
    *("seen", "units", "unit_documents"),
)


class Trials(Evaluation):
    """The evaluation of a system by several runs, its trials.

    The score of a query is the mean of its scores in all trials, so that queries count alike,
    however many trials there are. What is of one ranking, such as ``explain``, is asked of one of
    the ``trials``.
    """

    def __init__(
        self, name: str, trials: Sequence[Evaluation], pass_score: float | None = None
    ) -> None:
        first = trials[0]
        for one in trials:
            if one.queries != first.queries:
                only = {*one.queries} ^ {*first.queries}
                raise InputError(
                    f"trials of {name} are averaged over different queries: {listed(sorted(only))}",
                    'use queries="judged", where a missing query counts 0, or name the queries',
                )
        self.name = name
        self.trials = tuple(trials)
        self.pass_score = pass_score
        self.measures = tuple(m for m in first.measures if all(m in t.measures for t in trials))
        self.conventions = first.conventions
        ends = [one.bounds for one in self.measures]
        if pass_score is not None and not any(low <= pass_score <= high for low, high in ends):
            raise InputError(
                f"pass_score is {pass_score:g}, and no measure has such scores",
                "give a score from which on a trial of a query passes",
            )
        self.queries = first.queries
        self.weights = first.weights
        self.scores = np.mean([one.scores[:, self._columns(one)] for one in trials], axis=0)
        self.scores.flags.writeable = False
        self.unsaid_rel, self.out_of_reach = first.unsaid_rel, first.out_of_reach
        self.of_items = first.of_items
        self.left_out = {
            measure: _mean_left_out([one.left_out[measure] for one in trials])
            for measure in first.left_out
            if all(measure in one.left_out for one in trials)
        }
        self._asked = first._asked
        self._rows = first._rows
        self._means = None
        self._profile = first._profile
        self._errors = {
            m: np.sqrt(sum(one._errors.get(m, np.zeros(1)) ** 2 for one in trials)) / len(trials)
            for m in self.measures
            if any(m in one._errors for one in trials)
        }

    def _columns(self, trial: Evaluation) -> list[int]:
        return [trial.column(measure) for measure in self.measures]

    @property
    def run_name(self) -> str:
        """The name of the system."""
        return self.name

    @property
    def _kept(self) -> KeptData:  # type: ignore[override]
        return self.trials[0]._kept  # for the judgments

    @property
    def _sources(self) -> Sources:
        runs = _Runs(self.name, [one._sources.run for one in self.trials])
        return self.trials[0]._sources._replace(run=runs)

    def shares_judgments(self, other: PlotMethods | Qrels) -> bool:
        """Return whether another evaluation has the same judgments, even if read separately."""
        return self.trials[0].shares_judgments(other)

    def over_ties(self, *, thorough: bool) -> tuple[Floats, Floats]:  # noqa: D102
        return self._averaged([one.over_ties(thorough=thorough) for one in self.trials])

    def over_judgments(self) -> tuple[Floats, Floats]:  # noqa: D102
        return self._averaged([one.over_judgments() for one in self.trials])

    def _averaged(self, ends: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
        columns = [*map(self._columns, self.trials)]
        low, high = (
            np.mean([end[:, at] for end, at in zip(each, columns, strict=True)], axis=0)
            for each in zip(*ends, strict=True)
        )
        return low, high

    @cached_property
    def audit(self) -> Audit:
        """Counts of all trials; a query is missing if it is missing from one of them."""
        each = [one.audit for one in self.trials]
        missing = tuple(dict.fromkeys(query for one in each for query in one.missing_queries))
        sums: dict[str, Any] = {
            name: sum(getattr(one, name) or 0 for one in each)
            for name in _SUMMED
            if getattr(each[0], name) is not None
        }
        if sums.get("unit_documents"):
            sums["units_per_document"] = sums["units"] / sums["unit_documents"]
        return each[0]._replace(
            answered=each[0].judged - len(missing),
            missing=len(missing),
            missing_queries=missing,
            run_only=max(one.run_only for one in each),
            gone_retrieved=max(one.gone_retrieved for one in each),
            tied_share=float(np.mean([one.tied_share for one in each])),
            judged_at_10=float(np.mean([one.judged_at_10 for one in each])),
            self_matches=max(one.self_matches for one in each),
            self_matches_ndcg=None,
            **sums,
        )

    @cached_property
    def list_notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """What the reader must know of the trials, and of their lists."""
        names = trial_names([one.run_name for one in self.trials])
        each = [*zip(names, self.trials, strict=True)]
        said = [(name, note) for name, one in each for note in one.list_notes]
        of_all = [note for _, note in said]
        lines = [f"mean of {len(each)} trials per query"]
        lines += [
            note if of_all.count(note) == len(each) else f"{name}: {note}" for name, note in said
        ]
        missing = [one.audit.missing_queries for one in self.trials]
        for name, queries in zip(names, missing, strict=True):
            if queries and len({*missing}) > 1:  # of queries that all lack, the audit tells
                number = counted(len(queries), "query", "queries")
                lines.append(f"{name} lacks {number}: {listed(queries, len(queries))}")
        return tuple(dict.fromkeys([*lines, *self.copies]))

    @property
    def copies(self) -> list[str]:
        """Lines on the files that have the bytes of another trial."""
        lines, hashes = list[str](), dict[str | None, str]({None: ""})
        for name, one in zip(
            trial_names([one.run_name for one in self.trials]), self.trials, strict=True
        ):
            alike = (np.array_equal(one.scores, t.scores) for t in self.trials if t is not one)
            sha256 = one._sources.run.sha256() if any(alike) else None
            first = hashes.setdefault(sha256, name)
            if sha256 is not None and first != name:
                lines.append(f"{name} has the same bytes as {first}, so it is no new trial")
        return lines

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse what is of one ranking."""
        raise InputError(
            f"{self.name} has {len(self.trials)} trials, each with a ranking of its own",
            "choose one of them, such as result.trials[0]",
        )

    explain = rankings = _refuse

    def _of_trials(self) -> dict[str, Any]:
        each = [{"run": described(t._sources.run), "scores": dict(t)} for t in self.trials]
        return {
            "trials": each,
            "reliability": reliabilities({self.name: self}),
        }

    def _brief(self) -> list[Part]:
        *first, notes = super()._brief()
        return [*first, *self._reliability, notes]

    def _parts(self, look: Look, *args: Any, **choices: Any) -> Sequence[Part]:
        parts = super()._parts(look, *args, **choices)
        if look.form == "text":
            return [*parts[:-1], *self._reliability, parts[-1]]
        return [*parts, *self._reliability] if look.form == "markdown" else parts

    @property
    def _reliability(self) -> list[Part]:
        return reliability_parts({self._about()["run"]: self})


class _Runs:
    """The runs of trials, as the source of a run."""

    def __init__(self, name: str, sources: Sequence[Readable]) -> None:
        self.name = name
        self._sources = sources

    def description(self) -> dict[str, Any]:
        """Describe how they were read, if all were read alike."""
        first, *others = (one.description() for one in self._sources)
        return first if all(one == first for one in others) else {"form": "several"}

    def sha256(self) -> None:
        """Return None: each file has a hash of its own."""


def _mean_left_out(found: Sequence[LeftOut]) -> LeftOut:
    """Return the mean of values of a measure of the run."""
    values, without, strata = zip(*found, strict=True)
    return LeftOut(float(np.mean(values)), np.mean(without, axis=0), strata[0])
