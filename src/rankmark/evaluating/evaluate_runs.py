"""Evaluate several runs side by side, reading the judgments once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from rankmark.evaluating.evaluate import chosen_queries, evaluate
from rankmark.scoring.mismatch_warnings import called
from rankmark.scoring.requested_measures import as_measures
from rankmark.sources import PairOptions, Qrels, Run, cores
from rankmark.sources.files.input_file import is_file
from rankmark.sources.prepared.pair_options import refuse_unused_columns
from rankmark.sources.prepared.remembered import remembered

if TYPE_CHECKING:
    from rankmark.evaluating.evaluation import Evaluation
    from rankmark.measures.names import AnyMeasure
    from rankmark.sources.prepared.qrels import QrelsSource
    from rankmark.sources.prepared.run import RunSource


def evaluate_runs(
    qrels: Qrels | QrelsSource,
    runs: Sequence[Run | RunSource],
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    *,
    threads: int | None = None,
    qrels_format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    qrels_columns: Mapping[str, Any] | None = None,
    groups: Any = None,
    mask: Any = None,
    lengths: Any = None,
    seen: Any = None,
    names: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> list[Evaluation]:
    """Evaluate runs against the same judgments, files side by side.

    Parameters
    ----------
    qrels, runs, measures
        As for ``evaluate``.
    threads
        The number of runs that are read at the same time, or of threads for a single one.
    names
        The names of the runs, for messages.
    progress
        Called while a file is read, with the number of the run (0 for the judgments, then from 1)
        and the number of bytes read so far.
    qrels_format, columns, qrels_columns, groups, mask, lengths, seen, **options
        As for ``evaluate``.

    Returns
    -------
    list of Evaluation
        One for each run, in their order.
    """
    _, needs = as_measures(measures, profile=options.get("profile"))
    threads = threads or cores()
    if "queries" in options:  # a file of ids is read once
        options["queries"] = chosen_queries(options["queries"])
    reader = _Reader(progress)
    pair = None
    if isinstance(qrels, Qrels):
        prepared: Any = qrels
        options |= {"qrels_format": qrels_format, "qrels_columns": qrels_columns}
    else:
        pair = PairOptions(
            qrels_format=qrels_format,
            columns=columns,
            qrels_columns=qrels_columns,
            groups=groups,
            mask=mask,
            lengths=lengths,
            subtopics=needs.subtopics,
        )
        source = pair.source_of(qrels, "qrels")
        prepared = Qrels.of_given(qrels, source, pair.of_qrels, threads, reader.of(0))
        refuse_unused_columns(qrels_columns, "qrels", (source.description(),))
    if seen is not None:
        from rankmark.sources.prepared.seen import Seen  # noqa: PLC0415

        seen = seen if isinstance(seen, Seen) else Seen(seen, threads=threads)
    # Objects in memory are read by Python, one at a time.
    parallel = min(len(runs), threads) if all(map(is_file, runs)) else 1

    def evaluate_one(number: int) -> Evaluation:
        with called(None if names is None else names[number]):
            evaluation = evaluate(
                prepared,
                runs[number],
                measures,
                threads=max(1, threads // parallel),
                progress=reader.of(number + 1),
                columns=columns,
                groups=groups,
                mask=mask,
                lengths=lengths,
                seen=seen,
                **options,
            )
        if pair is not None:  # it refers to the caller's object, as the prepared one is not kept
            evaluation.refer_to(remembered(prepared, qrels, pair))
        return evaluation

    if parallel <= 1:
        return [evaluate_one(number) for number in range(len(runs))]
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415
    from contextvars import copy_context  # noqa: PLC0415

    contexts = [copy_context() for _ in runs]  # which threads do not inherit
    with ThreadPoolExecutor(parallel) as pool:
        try:
            return list(pool.map(lambda at: contexts[at].run(evaluate_one, at), range(len(runs))))
        except BaseException:
            reader.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Reader:
    """Passes on the progress of all files, and interrupts their readers when one fails."""

    def __init__(self, progress: Callable[[int, int], None] | None) -> None:
        self._progress = progress
        self._stopped = False

    def of(self, number: int) -> Callable[[int], None]:
        """Return the progress function of one file."""
        return partial(self._update, number)

    def _update(self, number: int, done: int) -> None:
        if self._stopped:
            raise KeyboardInterrupt
        if self._progress is not None:
            self._progress(number, done)

    def stop(self) -> None:
        """Interrupt the readers at their next update."""
        self._stopped = True
