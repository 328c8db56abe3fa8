"""Judgments and runs as a result holds them: small ones copied, others read again if needed."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from rankmark.data.contract.source import side
from rankmark.data.contract.source_options import NO_OPTIONS
from rankmark.data.preparing.parents import source_of, with_parents
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.errors import ChangedError, InputError, quiet

if TYPE_CHECKING:
    from rankmark.data.contract.source import Source
    from rankmark.data.contract.source_options import Kind, SourceOptions
    from rankmark.data.preparing.matching import RunFacts
    from rankmark.data.preparing.pair_options import PairOptions
    from rankmark.data.preparing.seen import Seen

MOST_DOCUMENTS, MOST_QUERIES = 1000, 20
"""Larger judgments and runs are not copied for a result, which holds the caller's objects."""

_MAKERS: dict[Kind, str] = {"qrels": "rm.Qrels", "run": "rm.Run"}
_DATA_OPTIONS = ("groups", "mask", "lengths")


class Remembered:
    """Large judgments or a large run that were evaluated, to be read again.

    A changed file is detected by its size and times, and by its hash if that was computed; a
    changed object in memory by the fingerprint of its data, or by what it leads to.

    Parameters
    ----------
    side
        What was evaluated.
    original
        The caller's object, or ``side`` itself if the caller prepared it.
    options
        The caller's options for it.
    file
        The same file, for later reading; None if it is not a file.
    """

    def __init__(
        self, side: Qrels | Run, original: Any, options: SourceOptions, file: Source | None
    ) -> None:
        source = side.source
        self.kind: Kind = "qrels" if isinstance(side, Qrels) else "run"
        self.name: str = source.name
        self.source: Described = Described(source, file)
        if isinstance(side, Qrels):
            self.query_ids: tuple[str, ...] = side.query_ids
            self.extra_columns: int = side.extra_columns
            self.failed: int = side.failed
        self._fingerprint = getattr(source, "fingerprint", None)
        self._original: Any = original
        self._options = options
        has_data = any(getattr(options, name) is not None for name in _DATA_OPTIONS)
        self.is_certain: bool = (
            original is side or file is not None or (self._fingerprint is not None and not has_data)
        )

    def again(self) -> Qrels | Run:
        """Read it again; unless ``is_certain``, the caller must check that it is the same.

        Raises
        ------
        ChangedError
            If its contents have changed, or it was not pickled.
        """
        original = self._original
        if isinstance(original, Qrels):
            return original
        if isinstance(original, Run) and self.source.file is None:
            parents = self._options.parents
            return original if parents is None else Run.of(with_parents(original.source, parents))
        if self.source.file is not None:
            return self._prepared(self.source.file)
        if self._original is None:
            raise self._refused("was not pickled with the evaluation")
        try:
            with quiet():  # these were given when it was evaluated
                source = source_of(original, self.kind, self._options)
            is_same = source.description() == self.source.description()
            if not is_same or self._fingerprint != getattr(source, "fingerprint", None):
                raise self.changed()
            return self._prepared(source)
        except ChangedError:
            raise
        except InputError:  # an exhausted iterator, say
            raise self._refused("cannot be read again as it was evaluated") from None

    def changed(self) -> ChangedError:
        """Return the error for changed contents."""
        return self._refused("has changed since it was evaluated")

    def _prepared(self, source: Source) -> Qrels | Run:
        return Qrels.of(source) if self.kind == "qrels" else Run.of(source)

    def _refused(self, what: str) -> ChangedError:
        return ChangedError(
            f"{side(self.name, self.kind)} {what}, and is needed again for this",
            f"evaluate it as {_MAKERS[self.kind]}(...), which makes a copy, and keep that",
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without references into this process."""
        return vars(self) | {"_original": None, "_options": NO_OPTIONS}


class RememberedSeen:
    """The documents left out of a run as seen: kept if they are few, else to be read again.

    Parameters
    ----------
    seen
        The documents left out.
    original
        The caller's object, which may be ``seen`` itself.
    """

    def __init__(self, seen: Seen, original: Any) -> None:
        self.name: str = seen.name
        self._description = seen.description()
        self._small = seen if len(seen.doc_codes) <= MOST_DOCUMENTS else None
        self._original: Any = None if self._small is not None else original

    def again(self) -> Seen:
        """Read it again; the caller must check that it is the same.

        Raises
        ------
        ChangedError
            If it was not pickled.
        """
        if self._small is not None:
            return self._small
        from rankmark.data.preparing.seen import Seen  # noqa: PLC0415  (few give it)

        if self._original is None:
            raise ChangedError(
                f"seen {self.name} was not pickled with the evaluation, and is needed again for "
                "this",
                "evaluate again",
            )
        return self._original if isinstance(self._original, Seen) else Seen(self._original)

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted, and how many documents it names."""
        return deepcopy(self._description)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without references into this process."""
        return vars(self) | {"_original": None}


class Described:
    """The description of a source without its data; ``file`` reads the same file later."""

    nameless = False

    def __init__(self, source: Source, file: Source | None) -> None:
        self.name: str = source.name
        self.positions: bool = source.positions
        self.by_column: bool = source.by_column
        self.file = file
        self._description = source.description()

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return deepcopy(self._description)

    def sha256(self) -> str | None:
        """Hash the file's bytes; None if it is not a file, or has changed."""
        return None if self.file is None else self.file.sha256()


def remembered(qrels: Qrels, original: Any, options: PairOptions) -> Qrels | Remembered:
    """Keep few judgments, as a copy unless they are prepared; many are read again.

    Parameters
    ----------
    original
        The caller's object, which may be ``qrels`` itself.
    """
    if qrels.rows <= MOST_DOCUMENTS:
        prepared: bool = original is qrels
        if prepared:
            return qrels
        if len(qrels.query_ids) <= MOST_QUERIES and not qrels.source.is_file:
            qrels.keep()
            return qrels
    return Remembered(qrels, original, options.of_qrels, qrels.source.as_read())


def remembered_run(
    run: Run, original: Any, options: PairOptions, facts: RunFacts
) -> Run | Remembered:
    """Keep a small run, as a copy unless it is prepared; a large one is read again."""
    source, queries = run.source, facts.counts.shape[1] + facts.run_only
    if facts.rows > MOST_DOCUMENTS or queries > MOST_QUERIES or source.is_file:
        return Remembered(run, original, options.of_run, source.as_read())
    if run is not original:
        source.keep()
    return run
