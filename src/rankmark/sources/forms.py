"""Which form of judgments or of a run an object is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from rankmark.errors import InputError, SchemaError
from rankmark.sources.file_source import FileSource
from rankmark.sources.files import InputFile, is_file
from rankmark.sources.mappings import NestedMapping

if TYPE_CHECKING:
    from rankmark.sources.source import Source

Kind = Literal["qrels", "run"]


_OF_ONE_KIND: dict[str, Kind] = {"label": "qrels", "score": "run", "rank": "run"}


class ForBoth(dict[str, str]):
    """Columns named for judgments and a run at once: a form that has none passes over them."""

    def of(self, kind: Kind) -> ForBoth:
        """Leave out the roles that this kind has no use for."""
        return ForBoth((r, n) for r, n in self.items() if _OF_ONE_KIND.get(r, kind) == kind)


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller says about a source; None where the source speaks for itself."""

    format: str | None = None
    columns: Mapping[str, str] | None = None
    groups: Any = None
    mask: Any = None
    lengths: Any = None
    holds: Literal["ids", "scores", "labels"] | None = None

    def only(self, form: str, *known: str) -> None:
        """Refuse options that this form has no use for."""
        for field in fields(self):
            said = getattr(self, field.name)
            if said is not None and field.name not in known and not isinstance(said, ForBoth):
                raise InputError(f"{field.name} says nothing about {form}; leave it out")


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
        options = replace(options, columns=options.columns.of(kind))
    if isinstance(source, Mapping):
        options.only("a mapping")
        return NestedMapping(source, kind)
    if is_file(source):
        options.only("a file", "format", "columns")
        return FileSource(InputFile(source), kind, options)
    number = "label" if kind == "qrels" else "score"
    raise SchemaError(
        f"{kind} is {type(source).__name__}; need a path, an open file, "
        f"or {{query id: {{document id: {number}}}}}"
    )
