"""Prepare judgments and a run together, with options for both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.contract.source_options import (
    NO_OPTIONS,
    Kind,
    SourceOptions,
    columns_of,
)
from rankmark.data.preparing.parents import source_of, with_parents
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.errors import InputError

if TYPE_CHECKING:
    from rankmark.data.contract.source import Source

_PREPARED: dict[Kind, tuple[str, str]] = {
    "qrels": ("the qrels are already prepared", "give their {} to Qrels"),
    "run": ("the run is already prepared", "give its {} to Run"),
}

_DEFAULTS: dict[bool, dict[Kind, SourceOptions]] = {
    False: {"qrels": NO_OPTIONS, "run": NO_OPTIONS},
    True: {"qrels": SourceOptions(subtopics=True), "run": NO_OPTIONS},
}


def as_qrels(source: Any, reading: Reading = AS_USUAL, *, subtopics: bool = False) -> Qrels:
    """Prepare judgments, by subtopic if requested, unless they are prepared."""
    if isinstance(source, Qrels):
        return source
    options = _DEFAULTS[subtopics]["qrels"]
    return Qrels.of_given(source, source_of(source, "qrels", options), options, reading)


def as_run(source: Any) -> Run:
    """Prepare a run, unless it is prepared."""
    return source if isinstance(source, Run) else Run.of(source_of(source, "run", NO_OPTIONS))


class PairOptions:
    """The options for judgments and runs that are given together, as ``SourceOptions`` of each.

    An option must apply to at least one of the sources. Of ``columns``, label and subtopic are for
    judgments, score and rank for runs; ``qrels_columns`` and ``run_columns`` take precedence.
    ``contents`` is for runs.

    Parameters
    ----------
    reading
        How both are read.
    subtopics
        Whether a measure needs judgments by subtopic.
    """

    def __init__(self, reading: Reading, *, subtopics: bool = False) -> None:
        self.subtopics = subtopics
        self._used: set[str] = set()
        self._shared = reading.columns
        self._own: dict[Kind, Mapping[str, Any] | None] = {
            "qrels": reading.qrels_columns,
            "run": reading.run_columns,
        }
        self._any = not reading.is_plain
        if not self._any:
            self._options = _DEFAULTS[subtopics]
            return
        of_qrels, of_run = (
            columns_of(reading.columns, self._own[kind], kind) for kind in _PREPARED
        )
        shapes = reading.groups, reading.mask, reading.lengths
        self._options = {
            "qrels": SourceOptions(
                reading.qrels_format,
                of_qrels,
                *shapes,
                split=reading.split,
                unused=[],
                subtopics=subtopics,
                parents=reading.qrels_parents,
                failed=reading.failed,
                document_weights=reading.document_weights,
                document_slices=reading.document_slices,
            ),
            "run": SourceOptions(
                reading.run_format,
                of_run,
                *shapes,
                reading.contents,
                reading.split,
                [],
                parents=reading.parents,
                document_costs=reading.document_costs,
            ),
        }

    @classmethod
    def of(cls, reading: Reading, *, subtopics: bool) -> PairOptions:
        """Return the options, without making new ones if none is given, as in most small calls."""
        return _PLAIN[subtopics] if reading.is_plain else cls(reading, subtopics=subtopics)

    def __bool__(self) -> bool:
        return self._any

    @property
    def of_qrels(self) -> SourceOptions:
        """The options for the judgments."""
        return self._options["qrels"]

    @property
    def of_run(self) -> SourceOptions:
        """The options for a run."""
        return self._options["run"]

    def source_of(self, side: Any, kind: Kind) -> Source:
        """Recognise the form of one source, or return the one that it was prepared from.

        A prepared run may still be given the documents of its units.
        """
        options = self._options[kind]
        if isinstance(side, (Qrels, Run)):
            if isinstance(side, Qrels) or options.parents is None:
                return side.source
            return with_parents(side.source, options.parents)
        if options.unused is not None:
            options = options._replace(unused=[])
        source = source_of(side, kind, options)
        self._used |= {*options.given()} - {*(options.unused or ())}
        return source

    def qrels_of(self, given: Any, reading: Reading) -> Qrels:
        """Prepare judgments, or return those that are prepared."""
        self.refuse_format_of_prepared(given, "qrels")
        if isinstance(given, Qrels):
            return given
        return Qrels.of_given(given, self.source_of(given, "qrels"), self.of_qrels, reading)

    def run_of(self, given: Any) -> Run:
        """Prepare a run, or return it if it is prepared and needs no documents of units."""
        self.refuse_format_of_prepared(given, "run")
        source = self.source_of(given, "run")
        return given if isinstance(given, Run) and given.source is source else Run.of(source)

    def refuse_format_of_prepared(self, side: Any, kind: Kind) -> None:
        """Refuse the format and columns of a side that was read already; parents of judgments."""
        if not isinstance(side, (Qrels, Run)):
            return
        options = self._options[kind]
        given: dict[str, Any] = {"format": options.format, "columns": self._own[kind]}
        if kind == "qrels":
            given |= {"parents": options.parents, "failed": options.failed}
            given |= {"document_weights": options.document_weights}
            given |= {"document_slices": options.document_slices}
        else:
            given |= {"document_costs": options.document_costs}
        for name, value in given.items():
            if value is not None:
                found, remedy = _PREPARED[kind]
                raise InputError(found, remedy.format(name))

    def refuse_unused(self, descriptions: Iterable[Mapping[str, Any]]) -> None:
        """Refuse an option that applies to no source.

        Parameters
        ----------
        descriptions
            Of the judgments, then of each run; those of sources with columns name these.
        """
        given = {name for options in self._options.values() for name in options.given()}
        unused = given - self._used - {"columns"}
        of_qrels, *of_runs = descriptions = tuple(descriptions)
        if self._shared is not None and not any("columns" in one for one in descriptions):
            unused.add("columns")
        refuse_unused_columns(self._own["qrels"], "qrels", (of_qrels,))
        refuse_unused_columns(self._own["run"], "run", of_runs)
        if unused:
            raise InputError(
                f"{min(unused)} does not apply to these inputs",
                "leave it out, or give it to the one that is prepared: rm.Qrels(...), rm.Run(...)",
            )


def refuse_unused_columns(
    own: Mapping[str, Any] | None, kind: Kind, descriptions: Iterable[Mapping[str, Any]]
) -> None:
    """Refuse columns that were named for one kind of source if none of these has columns."""
    if own is not None and not any("columns" in one for one in descriptions):
        raise InputError(
            f"{kind}_columns, or --{kind}-column, names columns, but this {kind} has none",
            "leave it out",
        )


def as_both(qrels: Any, run: Any, reading: Reading, options: PairOptions) -> tuple[Qrels, Run]:
    """Prepare judgments and a run."""
    if not options:
        return as_qrels(qrels, reading, subtopics=options.subtopics), as_run(run)
    options.refuse_format_of_prepared(qrels, "qrels")
    of_qrels = options.source_of(qrels, "qrels")
    prepared = options.run_of(run)
    if not isinstance(qrels, Qrels):
        qrels = Qrels.of_given(qrels, of_qrels, options.of_qrels, reading)
    options.refuse_unused((of_qrels.description(), prepared.source.description()))
    return qrels, prepared


_PLAIN = PairOptions(AS_USUAL), PairOptions(AS_USUAL, subtopics=True)
