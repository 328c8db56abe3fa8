"""Judgments and a run made ready together, from what a caller says of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from rankmark.errors import InputError
from rankmark.sources.forms import NOTHING_SAID, ForBoth, Options, recognised
from rankmark.sources.qrels import Qrels
from rankmark.sources.run import Run


def as_qrels(source: Any, *, threads: int | None = None) -> Qrels:
    """Prepare judgments, unless they are prepared."""
    if isinstance(source, Qrels):
        return source
    return Qrels.of(recognised(source, "qrels", NOTHING_SAID), threads=threads)


def as_run(source: Any) -> Run:
    """Prepare a run, unless it is prepared."""
    return source if isinstance(source, Run) else Run.of(recognised(source, "run", NOTHING_SAID))


def as_both(
    qrels: Any,
    run: Any,
    *,
    threads: int | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    groups: Any = None,
    mask: Any = None,
    lengths: Any = None,
    holds: Literal["scores", "ids"] | None = None,
) -> tuple[Qrels, Run]:
    """Prepare judgments and a run; an option serves the sides that have a use for it.

    Of ``columns``, label is for the judgments alone, score and rank for the run; ``holds`` is
    for the run.

    Raises
    ------
    InputError
        If neither side has a use for an option, or a side whose format is said is prepared.
    """
    if qrels_format is not None and isinstance(qrels, Qrels):
        raise InputError("the qrels are prepared already; give their format to Qrels")
    if run_format is not None and isinstance(run, Run):
        raise InputError("the run is prepared already; give its format to Run")
    shared = None if columns is None else ForBoth(columns)
    of_qrels = Options(qrels_format, shared, groups, mask, lengths, None, unused=[])
    of_run = Options(run_format, shared, groups, mask, lengths, holds, unused=[])
    if not of_qrels.given() and not of_run.given():
        return as_qrels(qrels, threads=threads), as_run(run)
    used: set[str] = set()
    if not isinstance(qrels, Qrels):
        source = recognised(qrels, "qrels", of_qrels)
        used |= of_qrels.used()
        qrels = Qrels.of(source, threads=threads)
    if not isinstance(run, Run):
        run = Run.of(recognised(run, "run", of_run))
        used |= of_run.used()
    unused = {*of_qrels.given(), *of_run.given()} - used
    if shared is not None and not any("columns" in one.source.taken() for one in (qrels, run)):
        unused.add("columns")
    if unused:
        raise InputError(
            f"{min(unused)} says nothing about these qrels and this run; leave it out, or say it "
            "where one of them is prepared: rm.Qrels(...), rm.Run(...)"
        )
    return qrels, run
