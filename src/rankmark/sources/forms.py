"""Which form of judgments or of a run an object is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from rankmark.errors import InputError
from rankmark.sources.file_source import FileSource
from rankmark.sources.files import InputFile, is_file

if TYPE_CHECKING:
    from rankmark.sources.source import Source

Kind = Literal["qrels", "run"]


_OF_ONE_KIND: dict[str, Kind] = {"label": "qrels", "score": "run", "rank": "run"}


class ForBoth(dict[str, Any]):
    """Columns named for judgments and a run at once: a form that has none passes over them."""

    def of(self, kind: Kind) -> ForBoth:
        """Leave out the roles that this kind has no use for."""
        return ForBoth((r, n) for r, n in self.items() if _OF_ONE_KIND.get(r, kind) == kind)


class ArrowStream(Protocol):
    """A frame of any library that hands over its columns as Arrow does."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """A batch of any library that hands over its columns as Arrow does."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


class Tensor(Protocol):
    """An array of any library that exchanges them as DLPack does."""

    def __dlpack__(self, **options: Any) -> Any: ...


Readable = (
    str
    | os.PathLike[str]
    | IO[Any]
    | Mapping[Any, Any]
    | Iterable[Any]
    | ArrowStream
    | ArrowArray
    | Tensor
)
"""Whatever may hold judgments or a run."""


class Options(NamedTuple):
    """What a caller says about a source; None where the source speaks for itself.

    ``unused`` is a list where the options were said of two sources at once: then those that this
    one has no use for are noted there, and are no mistake unless the other has none either.
    """

    format: str | None = None
    columns: Mapping[str, Any] | None = None
    groups: Any = None
    mask: Any = None
    lengths: Any = None
    holds: Literal["ids", "scores", "labels"] | None = None
    unused: list[str] | None = None

    def given(self) -> list[str]:
        """Name the options that were said."""
        named = zip(self._fields[:-1], self[:-1], strict=True)
        return [name for name, value in named if value is not None]

    def used(self) -> set[str]:
        """Name the options that were said, and of use."""
        return {*self.given()} - {*(self.unused or ())}

    def only(self, form: str, *known: str) -> None:
        """Refuse options that this form has no use for."""
        if self is NOTHING_SAID:
            return
        strangers = [
            name
            for name in self.given()
            if name not in known and not isinstance(getattr(self, name), ForBoth)
        ]
        if self.unused is not None:
            self.unused.extend(strangers)
        elif strangers:
            raise InputError(f"{strangers[0]} says nothing about {form}; leave it out")


NOTHING_SAID = Options()


def recognised(source: Any, kind: Kind, options: Options) -> Source:
    """Find the form of an object.

    Raises
    ------
    SchemaError
        If it has none of the forms that are known.
    InputError
        If an option does not belong to its form.
    """
    if isinstance(options.columns, ForBoth):
        options = options._replace(columns=options.columns.of(kind) or None)
    if is_file(source):
        options.only("a file", "format", "columns")
        return FileSource(InputFile(source), kind, options)
    from rankmark.sources.objects import of_object  # noqa: PLC0415  (files need none of it)

    return of_object(source, kind, options)
