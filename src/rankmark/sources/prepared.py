"""Judgments and a run made ready together, from what a caller says of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from rankmark.errors import InputError
from rankmark.sources.forms import Options, recognised
from rankmark.sources.qrels import Qrels
from rankmark.sources.run import Run


def as_qrels(source: Any, *, threads: int | None = None) -> Qrels:
    """Prepare judgments, unless they are prepared."""
    if isinstance(source, Qrels):
        return source
    return Qrels.of(recognised(source, "qrels", Options()), threads=threads)


def as_run(source: Any) -> Run:
    """Prepare a run, unless it is prepared."""
    return source if isinstance(source, Run) else Run(source)


def as_both(
    qrels: Any,
    run: Any,
    *,
    threads: int | None = None,
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
        If neither side has a use for an option.
    """
    said = Options(None, columns, groups, mask, lengths, holds, unused=[])
    if not said.given():
        return as_qrels(qrels, threads=threads), as_run(run)
    labelled = _without(columns, "score", "rank")
    of_qrels = Options(None, labelled, groups, mask, lengths, None, unused=[])
    of_run = Options(None, _without(columns, "label"), groups, mask, lengths, holds, unused=[])
    used: set[str] = set()
    if not isinstance(qrels, Qrels):
        source = recognised(qrels, "qrels", of_qrels)
        used |= of_qrels.used()
        qrels = Qrels.of(source, threads=threads)
    if not isinstance(run, Run):
        run = Run.of(recognised(run, "run", of_run))
        used |= of_run.used()
    for name in said.given():
        if name not in used:
            raise InputError(
                f"{name} says nothing about these qrels and this run; leave it out, or say it "
                "where one of them is prepared: rm.Qrels(...), rm.Run(...)"
            )
    return qrels, run


def _without(columns: Mapping[str, Any] | None, *roles: str) -> dict[str, Any] | None:
    kept = {role: name for role, name in (columns or {}).items() if role not in roles}
    return kept or None
