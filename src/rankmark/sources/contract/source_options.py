"""What a caller says of a source that it does not say of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from rankmark.errors import InputError

Kind = Literal["qrels", "run"]

OR_CHOOSE: dict[str, str] = {"qrels": "", "run": ", or choose duplicates first or best"}
"""What else to do about a document that appears twice."""
ROLES = ("query_id", "doc_id", "score", "label", "rank", "subtopic")
_OF_ONE_KIND: dict[str, Kind] = {
    "label": "qrels",
    "score": "run",
    "rank": "run",
    "subtopic": "qrels",
}


def refuse_no_columns(columns: object, what: str = "columns") -> None:
    """Refuse what names no columns.

    Raises
    ------
    InputError
        If it is no mapping of roles to names.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError(
            f"{what} is {columns!r}; need {{role: name}}, such as "
            f"{what}={{'query_id': 'user', 'doc_id': 'film'}}"
        )


class ForBoth(dict[str, Any]):
    """Columns named for judgments and a run at once: a form that has none passes over them."""

    def of(self, kind: Kind) -> ForBoth:
        """Leave out the roles that this kind has no use for."""
        return ForBoth((r, n) for r, n in self.items() if _OF_ONE_KIND.get(r, kind) == kind)


class SourceOptions(NamedTuple):
    """What a caller says about a source; None where the source speaks for itself.

    ``unused`` is a list where the options were said of two sources at once: then those that this
    one has no use for are noted there, and are no mistake unless the other has none either.
    ``subtopics`` says that judgments are to be read with the subtopics that they are for, as
    ``columns`` does where it names a column for these.
    """

    format: str | None = None
    columns: Mapping[str, Any] | None = None
    groups: Any = None
    mask: Any = None
    lengths: Any = None
    contents: Literal["ids", "scores", "labels"] | None = None
    unused: list[str] | None = None
    subtopics: bool = False

    @property
    def by_subtopic(self) -> bool:
        """Whether judgments are to be read with their subtopics."""
        return self.subtopics or (self.columns is not None and "subtopic" in self.columns)

    def given(self) -> list[str]:
        """Name the options that were said."""
        named = zip(self._fields[:-2], self[:-2], strict=True)
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


def contents_of(contents: Any, holds: Any) -> Any:
    """Take what an array contains, also by the older word for it."""
    if contents is not None and holds is not None:
        raise InputError("holds is another word for contents; leave it out")
    return holds if contents is None else contents


def copied(columns: Any) -> Any:
    """Copy the names of columns, which the caller may change; what is none is refused later."""
    return dict(columns) if type(columns) is dict else columns


NOTHING_SAID = SourceOptions()


def of_one_side(columns: Mapping[str, Any], kind: Kind) -> None:
    """Refuse columns named for one side in roles that it has not.

    Raises
    ------
    InputError
        If a role is of the other side alone.
    """
    for role in columns:
        if _OF_ONE_KIND.get(role, kind) != kind:
            known = [named for named in ROLES if _OF_ONE_KIND.get(named, kind) == kind]
            raise InputError(
                f"{kind}_columns, or --{kind}-column, names {role!r}, which a {kind} has not; "
                f"name one of {', '.join(known)}"
            )
