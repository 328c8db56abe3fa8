"""Evaluate several runs side by side, reading the judgments once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from rankmark.arguments import Finite
from rankmark.data.contract.reading_options import OF_JUDGMENTS, ProgressOfFiles, Reading
from rankmark.data.files.input_file import is_file
from rankmark.data.preparing.pair_options import PairOptions, refuse_unused_columns
from rankmark.data.preparing.parents import prepared_once
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.errors import InputError
from rankmark.scoring.kept_data import remembered
from rankmark.scoring.mismatch_warnings import called
from rankmark.scoring.rejudged import refuse_unused
from rankmark.verbs.evaluate.evaluate import (
    asked_of,
    evaluated,
    is_nothing,
    refuse_pass_score,
    unjudged,
)
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.provenance import Given

if TYPE_CHECKING:
    from rankmark.data.preparing.qrels import QrelsSource
    from rankmark.data.preparing.run import RunSource
    from rankmark.measures.names import AnyMeasure
    from rankmark.scoring.request import Asked
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
    if reading.user_groups is not None:
        from rankmark.verbs.evaluate.query_attributes import column_or_file  # noqa: PLC0415

        reading = reading._replace(
            user_groups=column_or_file(reading.user_groups, qrels, "user_groups")
        )
    asked = asked_of(measures, {**chosen, "sampled": sampled})
    refuse_unused(reading, asked.measures)
    reading = reading._replace(parents=prepared_once(reading.parents))
    reader = _Reader(reading.progress)
    reading = reading._replace(progress=reader.update)
    prepared: Any = qrels
    pair = None
    if is_nothing(qrels):
        prepared, runs, reading = unjudged(runs, asked, reading)
    elif not isinstance(qrels, Qrels):
        own = reading._replace(run_format=None, run_columns=None, contents=None, parents=None)
        pair = PairOptions(own, subtopics=asked.needs.subtopics)
        source = pair.source_of(qrels, "qrels")
        prepared = Qrels.of_given(qrels, source, pair.of_qrels, own.of_file(0))
        refuse_unused_columns(own.qrels_columns, "qrels", (source.description(),))
        reading = reading._replace(**dict.fromkeys(OF_JUDGMENTS))
    reading, seen = _for_all(runs, prepared, asked, reading, seen)
    # Objects in memory are read by Python, one at a time.
    threads = reading.workers
    parallel = min(len(runs), threads) if all(map(is_file, runs)) else 1
    reading = reading._replace(threads=max(1, threads // parallel))

    def evaluate_one(number: int) -> Evaluation:
        with called(None if names is None else names[number]):
            return evaluated(prepared, runs[number], asked, reading.of_file(number + 1), seen)

    if parallel <= 1:
        evaluations = [evaluate_one(number) for number in range(len(runs))]
    else:
        evaluations = _side_by_side(evaluate_one, len(runs), parallel, reader)
    if pair is not None and evaluations:
        # They refer to the caller's object, as the prepared one is not kept: to the same reference,
        # so that judgments that are needed again can be read once.
        shared = remembered(prepared, qrels, pair)
        for evaluation in evaluations:
            evaluation.refer_to(shared)
    if weights is not None:
        from rankmark.verbs.evaluate.query_attributes import weights_by_query  # noqa: PLC0415

        by_query = weights_by_query(weights)
        for evaluation in evaluations:
            evaluation._weigh(by_query)
    return evaluations


def _for_all(
    runs: Sequence[Any], qrels: Any, asked: Asked, reading: Reading, seen: Any
) -> tuple[Reading, Any]:
    """Read once what is given for all runs: items, a corpus, and seen documents."""
    if reading.corpus is not None or reading.unwinnable is not None:
        from rankmark.scoring.unwinnable import judged_in_corpus  # noqa: PLC0415

        reading = reading._replace(corpus=judged_in_corpus(qrels, asked, reading))
    if seen is not None:
        from rankmark.data.preparing.seen import Seen  # noqa: PLC0415

        seen = seen if isinstance(seen, Seen) else Seen(seen, reading)
    if asked.items:
        from rankmark.data.preparing.item_data import ItemData  # noqa: PLC0415

        reading = reading.of_items(ItemData.of(reading))
        if len(runs) > 1 and reading.history.is_union:
            raise InputError(
                'catalogue is "union", which differs between runs',
                'give the ids of all items, or "history"',
            )
    return reading, seen


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
