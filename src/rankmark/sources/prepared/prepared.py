"""Judgments and a run made ready together, from what a caller says of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from rankmark.errors import InputError
from rankmark.sources.contract.source_options import (
    NOTHING_SAID,
    ForBoth,
    Kind,
    SourceOptions,
    contents_of,
    of_one_side,
    refuse_no_columns,
)
from rankmark.sources.prepared.qrels import Qrels
from rankmark.sources.prepared.run import Run
from rankmark.sources.recognise.forms import recognised

if TYPE_CHECKING:
    from rankmark.sources.contract.source import Source

_PREPARED: dict[Kind, str] = {
    "qrels": "the qrels are prepared already; give their {} to Qrels",
    "run": "the run is prepared already; give its {} to Run",
}

_NOTHING: dict[bool, dict[Kind, SourceOptions]] = {
    False: {"qrels": NOTHING_SAID, "run": NOTHING_SAID},
    True: {"qrels": SourceOptions(subtopics=True), "run": NOTHING_SAID},
}


def as_qrels(source: Any, *, threads: int | None = None, subtopics: bool = False) -> Qrels:
    """Prepare judgments, unless they are prepared; by subtopic where asked."""
    if isinstance(source, Qrels):
        return source
    options = SourceOptions(subtopics=True) if subtopics else NOTHING_SAID
    return Qrels.of_given(source, recognised(source, "qrels", options), options, threads)


def as_run(source: Any) -> Run:
    """Prepare a run, unless it is prepared."""
    return source if isinstance(source, Run) else Run.of(recognised(source, "run", NOTHING_SAID))


class PairOptions:
    """What a caller says of judgments and runs at once; an option serves the sides that can use it.

    Of ``columns``, label and subtopic are for the judgments alone, score and rank for runs;
    ``qrels_columns`` and ``run_columns`` go before them on their sides. ``contents``, also called
    ``holds``, is for runs. ``subtopics`` says that measures see these. Each side is read by its
    ``SourceOptions``.
    """

    def __init__(
        self,
        *,
        qrels_format: str | None = None,
        run_format: str | None = None,
        columns: Mapping[str, Any] | None = None,
        qrels_columns: Mapping[str, Any] | None = None,
        run_columns: Mapping[str, Any] | None = None,
        groups: Any = None,
        mask: Any = None,
        lengths: Any = None,
        contents: Literal["scores", "ids"] | None = None,
        holds: Literal["scores", "ids"] | None = None,
        subtopics: bool = False,
    ) -> None:
        self._used: set[str] = set()
        self._shared = columns
        self._own: dict[Kind, Mapping[str, Any] | None] = {
            "qrels": qrels_columns,
            "run": run_columns,
        }
        formats = qrels_format is not None or run_format is not None
        shapes = groups is not None or mask is not None or lengths is not None
        named = columns is not None or qrels_columns is not None or run_columns is not None
        self._says = formats or shapes or named or contents is not None or holds is not None
        if not self._says:  # as in nearly all small calls, which nothing shall slow down
            self._options = _NOTHING[subtopics]
            return
        of_qrels, of_run = (columns_of(columns, self._own[kind], kind) for kind in _PREPARED)
        self._options = {
            "qrels": SourceOptions(
                qrels_format, of_qrels, groups, mask, lengths, None, subtopics=subtopics
            ),
            "run": SourceOptions(
                run_format, of_run, groups, mask, lengths, contents_of(contents, holds)
            ),
        }

    def __bool__(self) -> bool:
        return self._says

    @property
    def of_qrels(self) -> SourceOptions:
        """What was said of judgments."""
        return self._options["qrels"]

    @property
    def of_run(self) -> SourceOptions:
        """What was said of a run."""
        return self._options["run"]

    def source_of(self, given: Any, kind: Kind) -> Source:
        """Find the form of one side, or take the one that it was prepared from."""
        if isinstance(given, (Qrels, Run)):
            return given.source
        options = self._options[kind]._replace(unused=[])
        source = recognised(given, kind, options if self else NOTHING_SAID)
        self._used |= options.used()
        return source

    def refuse_format_of_prepared(self, given: Any, kind: Kind) -> None:
        """Refuse the format and the columns of a side that was read already."""
        if not isinstance(given, (Qrels, Run)):
            return
        if self._options[kind].format is not None:
            raise InputError(_PREPARED[kind].format("format"))
        if self._own[kind] is not None:
            raise InputError(_PREPARED[kind].format("columns"))

    def refuse_unused(self, taken: Iterable[Mapping[str, Any]]) -> None:
        """Refuse an option for which no source had a use.

        Parameters
        ----------
        taken
            What each was taken for, which tells whether it has named columns.
        """
        unused = {
            name for options in self._options.values() for name in options.given()
        } - self._used
        of_qrels, *of_runs = taken = tuple(taken)
        if self._shared is None:
            unused.discard("columns")
        elif not any("columns" in names for names in taken):
            unused.add("columns")
        refuse_unused_columns(self._own["qrels"], "qrels", (of_qrels,))
        refuse_unused_columns(self._own["run"], "run", of_runs)
        if unused:
            raise InputError(
                f"{min(unused)} says nothing about these qrels and this run; leave it out, or say "
                "it where one of them is prepared: rm.Qrels(...), rm.Run(...)"
            )


def columns_of(
    shared: Mapping[str, Any] | None, own: Mapping[str, Any] | None, kind: Kind
) -> ForBoth | None:
    """Put together what is said of the columns of both sides, and of one; the latter goes before.

    Raises
    ------
    InputError
        If either is no mapping, or the side has not one of its own roles.
    """
    refuse_no_columns(shared)
    refuse_no_columns(own, f"{kind}_columns")
    if own is not None:
        of_one_side(own, kind)
    if shared is None and own is None:
        return None
    return ForBoth({**(shared or {}), **(own or {})})


def refuse_unused_columns(
    own: Mapping[str, Any] | None, kind: Kind, taken: Iterable[Mapping[str, Any]]
) -> None:
    """Refuse the columns of one side where nothing on it has columns."""
    if own is not None and not any("columns" in names for names in taken):
        raise InputError(
            f"{kind}_columns, or --{kind}-column, names columns, which this {kind} has not; leave "
            "it out"
        )


def as_both(qrels: Any, run: Any, *, threads: int | None, said: PairOptions) -> tuple[Qrels, Run]:
    """Prepare judgments and a run.

    Raises
    ------
    InputError
        If neither side has a use for an option, or a side whose format is said is prepared.
    """
    if not said:
        return as_qrels(qrels, threads=threads, subtopics=said.of_qrels.subtopics), as_run(run)
    said.refuse_format_of_prepared(qrels, "qrels")
    said.refuse_format_of_prepared(run, "run")
    of_qrels, of_run = said.source_of(qrels, "qrels"), said.source_of(run, "run")
    if not isinstance(qrels, Qrels):
        qrels = Qrels.of_given(qrels, of_qrels, said.of_qrels, threads)
    if not isinstance(run, Run):
        run = Run.of(of_run)
    said.refuse_unused((of_qrels.description(), of_run.description()))
    return qrels, run
