"""Which form of judgments or of a run an object is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from rankmark.errors import InputError, SchemaError
from rankmark.sources.file_source import FileSource
from rankmark.sources.files import InputFile, is_file
from rankmark.sources.mappings import NestedMapping

if TYPE_CHECKING:
    from rankmark.sources.source import Source

Kind = Literal["qrels", "run"]


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller says about a source; None where the source speaks for itself.

    Where ``shared``, columns were given for judgments and run at once, and a form that has none
    passes over them.
    """

    format: str | None = None
    columns: Mapping[str, str] | None = None
    groups: Any = None
    mask: Any = None
    lengths: Any = None
    holds: Literal["ids", "scores", "labels"] | None = None
    shared: bool = False

    def only(self, form: str, *known: str) -> None:
        """Refuse options that this form has no use for."""
        passed_over = {"shared", "columns"} if self.shared else {"shared"}
        for field in fields(self):
            said = field.name not in passed_over and getattr(self, field.name) is not None
            if said and field.name not in known:
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
