"""Judgments and runs as a result remembers them: not kept, but read again where they still are."""

from __future__ import annotations

import gc
import warnings
import weakref
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from rankmark.errors import ChangedError, InputError, RankmarkWarning
from rankmark.sources.contract.source import side
from rankmark.sources.contract.source_options import NO_OPTIONS
from rankmark.sources.prepared.qrels import Qrels
from rankmark.sources.prepared.run import Run
from rankmark.sources.recognise.forms import recognised

if TYPE_CHECKING:
    from rankmark.sources.contract.source import Source
    from rankmark.sources.contract.source_options import Kind, SourceOptions
    from rankmark.sources.prepared.matching import RunFacts
    from rankmark.sources.prepared.prepared import PairOptions
    from rankmark.sources.prepared.seen import Seen

MOST_DOCUMENTS, MOST_QUERIES = 1000, 20
"""What is larger is not kept with a result, nor copied for it."""

_MAKERS: dict[Kind, str] = {"qrels": "rm.Qrels", "run": "rm.Run"}
_HOLD_DATA = ("groups", "mask", "lengths")


class Remembered:
    """Judgments or a run that were evaluated, and may be many: where to find them again.

    A file is known again by its size and times, and by its hash where that was taken. Of what is
    in memory nothing is kept, so that no result holds on to somebody's matrices.

    Parameters
    ----------
    side
        What was evaluated.
    given
        The caller's object, or ``side`` itself where the caller prepared it.
    options
        What the caller said of it.
    file
        The same file, to be read later; None where there is none.
    """

    def __init__(
        self, side: Qrels | Run, given: Any, options: SourceOptions, file: Source | None
    ) -> None:
        source = side.source
        self.kind: Kind = "qrels" if isinstance(side, Qrels) else "run"
        self.name = source.name
        self.source = Described(source, file)
        if isinstance(side, Qrels):
            self.query_ids = side.query_ids
            self.extra_columns = side.extra_columns
        self._fingerprint = getattr(source, "fingerprint", None)
        self._given: _Found | None = _Found(given)
        held: dict[str, Any] = {name: getattr(options, name) for name in _HOLD_DATA}
        said = any(value is not None for value in held.values())
        held = {name: _Found(value) for name, value in held.items()}
        self._options = options._replace(**held)
        self.is_certain = (
            given is side or file is not None or (self._fingerprint is not None and not said)
        )

    def again(self) -> Qrels | Run:
        """Read it again; unless ``is_certain``, it is still to be seen whether it is the same.

        Raises
        ------
        ChangedError
            If it is not there any more, or holds something else.
        """
        given = _GONE if self._given is None else self._given()
        if isinstance(given, Qrels):
            return given
        if isinstance(given, Run) and self.source.file is None:
            return given
        if self.source.file is not None:
            return self._prepared(self.source.file)
        if self._given is None:
            raise self._refused("did not travel with the evaluation")
        options = self._options
        held = {name: getattr(options, name)() for name in _HOLD_DATA}
        if any(found is _GONE for found in (given, *held.values())):
            raise self._refused("is not there any more: nothing held it but the evaluation")
        try:
            with warnings.catch_warnings():  # it was warned of what is there
                warnings.simplefilter("ignore", RankmarkWarning)
                source = recognised(given, self.kind, options._replace(**held))
            is_same = source.description() == self.source.description()
            if not is_same or self._fingerprint != getattr(source, "fingerprint", None):
                raise self.changed()
            return self._prepared(source)
        except ChangedError:
            raise
        except InputError:  # it was read through, or something else stands in its place
            raise self._refused("cannot be read again as it was evaluated") from None

    def changed(self) -> ChangedError:
        """Say that it holds something else by now."""
        return self._refused("holds something else than when it was evaluated")

    def _prepared(self, source: Source) -> Qrels | Run:
        return Qrels.of(source) if self.kind == "qrels" else Run.of(source)

    def _refused(self, what: str) -> ChangedError:
        return ChangedError(
            f"{side(self.name, self.kind)} {what}, and is needed again for this; evaluate it as "
            f"{_MAKERS[self.kind]}(...), which holds a copy, and keep that"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Travel without what only this process has."""
        return vars(self) | {"_given": None, "_options": NO_OPTIONS}


class RememberedSeen:
    """What was left out of a run as seen before: itself where it is small, else where it was.

    Parameters
    ----------
    seen
        What was left out.
    given
        What the caller gave for it, which may be the same.
    """

    def __init__(self, seen: Seen, given: Any) -> None:
        self.name = seen.name
        self._taken = seen.description()
        self._small = seen if len(seen.doc_codes) <= MOST_DOCUMENTS else None
        self._given: _Found | None = None if self._small is not None else _Found(given)

    def again(self) -> Seen:
        """Give it again; it is still to be seen whether it is the same.

        Raises
        ------
        ChangedError
            If it is not there any more.
        """
        if self._small is not None:
            return self._small
        from rankmark.sources.prepared.seen import Seen  # noqa: PLC0415  (few give it)

        given = _GONE if self._given is None else self._given()
        if given is _GONE:
            raise ChangedError(
                f"seen {self.name} is not there any more, and is needed again for this; keep it, "
                "and evaluate again"
            )
        return given if isinstance(given, Seen) else Seen(given)

    def description(self) -> dict[str, Any]:
        """Say what it was taken for, and how many documents it names."""
        return deepcopy(self._taken)

    def __getstate__(self) -> dict[str, Any]:
        """Travel without what only this process has."""
        return vars(self) | {"_given": None}


class Described:
    """What a source was taken for, without its data; ``file`` reads the same file later."""

    nameless = False

    def __init__(self, source: Source, file: Source | None) -> None:
        self.name = source.name
        self.positions = source.positions
        self.file = file
        self._taken = source.description()

    def description(self) -> dict[str, Any]:
        """Say what it was taken for."""
        return deepcopy(self._taken)

    def sha256(self) -> str | None:
        """Hash the file's bytes; None where there is no file, or another one by now."""
        return None if self.file is None else self.file.sha256()


_GONE: Any = object()


class _Found:
    """An object of the caller's, to be found again for as long as somebody else holds it.

    There are no weak references to dicts, lists and sets, but Python's garbage collector knows
    them. Where another one has taken the place of the first, what it holds will tell.
    """

    def __init__(self, held: Any) -> None:
        self._held: Any = None
        self._weak: weakref.ref[Any] | None = None
        self._place: tuple[type, int] | None = None
        try:
            self._weak = weakref.ref(held)
        except TypeError:
            if gc.is_tracked(held):
                self._place = type(held), id(held)
            else:  # a word, a number, a dict of numbers: one query's
                self._held = held

    def __call__(self) -> Any:
        if self._weak is not None:
            found = self._weak()
            return _GONE if found is None else found
        return self._held if self._place is None else _standing_at(*self._place)


def _standing_at(kind: type, place: int) -> Any:
    found = (held for held in gc.get_objects() if id(held) == place and type(held) is kind)
    return next(found, _GONE)


def remembered(qrels: Qrels, given: Any, options: PairOptions) -> Qrels | Remembered:
    """Keep judgments that are few, as a copy where they are not prepared; remember others.

    Parameters
    ----------
    given
        What the caller gave for them, which may be the same.
    """
    if qrels.rows <= MOST_DOCUMENTS:
        prepared: bool = given is qrels
        if prepared:
            return qrels
        if len(qrels.query_ids) <= MOST_QUERIES and not qrels.source.is_file:
            qrels.keep()
            return qrels
    return Remembered(qrels, given, options.of_qrels, qrels.source.as_read())


def remembered_run(run: Run, given: Any, options: PairOptions, facts: RunFacts) -> Run | Remembered:
    """Keep a run that is small, as a copy where it is not prepared; remember others."""
    source, queries = run.source, len(facts.answered) + facts.run_only
    if facts.rows > MOST_DOCUMENTS or queries > MOST_QUERIES or source.is_file:
        return Remembered(run, given, options.of_run, source.as_read())
    if run is not given:
        source.keep()
    return run
