"""Evaluate several runs side by side, reading the judgments once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from rankmark.arguments import Finite
from rankmark.data.contract.reading_options import ProgressOfFiles, Reading
from rankmark.data.files.input_file import is_file
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.scoring.mismatch_warnings import called
from rankmark.verbs.evaluate.evaluate import asked_of, evaluated, refuse_pass_score
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.provenance import Given
from rankmark.verbs.evaluate.shared_inputs import SharedInputs

if TYPE_CHECKING:
    from rankmark.data.preparing.qrels import QrelsSource
    from rankmark.data.preparing.run import RunSource
    from rankmark.measures.names import AnyMeasure
    from rankmark.verbs.evaluate.evaluate_options import RunsOptions
    from rankmark.verbs.evaluate.query_attributes import Weights


def each_run(names: Iterable[str], systems: Iterable[Any]) -> dict[str, Any]:
    """Return the runs of systems one after the other, each by a name of its own."""
    found: dict[str, Any] = {}
    for name, system in zip(names, systems, strict=True):
        runs = _runs_of(system)
        for number, run in enumerate(runs, 1):
            label = f"{name} (trial {number})" if runs[1:] else name
            found[f"{label} ({len(found) + 1})" if label in found else label] = run
    return found


def grouped(
    systems: Iterable[Any], evaluations: Iterable[Evaluation], pass_score: float | None = None
) -> list[Evaluation]:
    """Return an evaluation of each system, given those of all runs one after the other."""
    rest = iter(evaluations)
    found = []
    for system in systems:
        first, *others = each = [next(rest) for _ in _runs_of(system)]
        name, trials = (system.name, each) if others else (first.run_name, first.trials)
        if others or (trials and pass_score is not None):
            from rankmark.verbs.evaluate.trials import Trials  # noqa: PLC0415  (few have them)

            first = Trials(name, trials, pass_score)
        found.append(first)
    if not any(one.trials for one in found):
        refuse_pass_score(pass_score)
    return found


def _runs_of(system: Any) -> list[Any]:
    return system.runs if isinstance(system, Given) else [system]


def evaluate_runs(
    qrels: Qrels | QrelsSource | None,
    runs: Sequence[Run | RunSource | Given],
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    *,
    names: Sequence[str] | None = None,
    weights: Weights | None = None,
    sampled: tuple[int, int] | None = None,
    pass_score: Finite | None = None,
    **options: Unpack[RunsOptions],
) -> list[Evaluation]:
    """Evaluate runs against the same judgments, files side by side.

    Parameters
    ----------
    Data:
    qrels, runs
        As for ``evaluate``; a run may be a system of several.
    names
        The names of the runs, for messages.

    Measures:
    measures, weights, sampled, pass_score
        As for ``evaluate``.

    Reading:
    threads
        The number of runs that are read at the same time, or of threads for a single one.
    progress
        Called while a file is read, with the number of the run (0 for the judgments, then from 1)
        and the number of bytes read so far.
    **options
        The other keywords of ``evaluate``.

    Returns
    -------
    list of Evaluation
        One for each run or system, in their order.
    """
    if any(isinstance(one, Given) for one in runs):
        each = each_run(names or map(str, range(len(runs))), runs)
        more: dict[str, Any] = {"weights": weights, "sampled": sampled, **options}
        named = [*each] if names else None
        found = evaluate_runs(qrels, [*each.values()], measures, names=named, **more)
        return grouped(runs, found, pass_score)
    refuse_pass_score(pass_score)
    chosen: dict[str, Any] = {**options}
    reading, seen = Reading.taken_from(chosen), chosen.pop("seen", None)
    asked = asked_of(measures, {**chosen, "sampled": sampled})
    reader = _Reader(reading.progress)
    reading = reading._replace(progress=reader.update)
    shared = SharedInputs.read(qrels, runs, asked, reading, seen)
    runs = shared.runs
    # Objects in memory are read by Python, one at a time.
    threads = reading.workers
    parallel = min(len(runs), threads) if all(map(is_file, runs)) else 1
    reading = shared.reading._replace(threads=max(1, threads // parallel))

    def evaluate_one(number: int) -> Evaluation:
        with called(None if names is None else names[number]):
            return evaluated(
                shared.qrels, runs[number], asked, reading.of_file(number + 1), shared.seen
            )

    if parallel <= 1:
        evaluations = [evaluate_one(number) for number in range(len(runs))]
    else:
        evaluations = _side_by_side(evaluate_one, len(runs), parallel, reader)
    shared.finish(evaluations, weights)
    return evaluations


def _side_by_side(
    evaluate_one: Callable[[int], Evaluation], runs: int, parallel: int, reader: _Reader
) -> list[Evaluation]:
    """Evaluate so many runs, some at a time."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415
    from contextvars import copy_context  # noqa: PLC0415

    contexts = [copy_context() for _ in range(runs)]  # which threads do not inherit
    with ThreadPoolExecutor(parallel) as pool:
        try:
            return list(pool.map(lambda at: contexts[at].run(evaluate_one, at), range(runs)))
        except BaseException:
            reader.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Reader:
    """Passes on the progress of all files, and interrupts their readers when one fails."""

    def __init__(self, progress: ProgressOfFiles | None) -> None:
        self._progress = progress
        self._stopped = False

    def update(self, number: int, done: int) -> None:
        """Pass on how far the file of this number has been read."""
        if self._stopped:
            raise KeyboardInterrupt
        if self._progress is not None:
            self._progress(number, done)

    def stop(self) -> None:
        """Interrupt the readers at their next update."""
        self._stopped = True
