"""What a caller says of a source that it does not say of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from rankmark.errors import InputError

Kind = Literal["qrels", "run"]

OR_CHOOSE: dict[str, str] = {"qrels": "", "run": ", or choose duplicates first or best"}
"""What else to do about a document that stands twice."""
_OF_ONE_KIND: dict[str, Kind] = {"label": "qrels", "score": "run", "rank": "run"}


class ForBoth(dict[str, Any]):
    """Columns named for judgments and a run at once: a form that has none passes over them."""

    def of(self, kind: Kind) -> ForBoth:
        """Leave out the roles that this kind has no use for."""
        return ForBoth((r, n) for r, n in self.items() if _OF_ONE_KIND.get(r, kind) == kind)


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
