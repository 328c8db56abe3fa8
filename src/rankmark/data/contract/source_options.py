"""How to read a source, as far as the caller specified it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from rankmark.arguments import COSTS
from rankmark.arguments import Kind as KindOfArgument
from rankmark.errors import InputError, shown
from rankmark.named_tuples import NamedTuple

Kind = Literal["qrels", "run"]
RunContents = Literal["scores", "ids", "ranks"]
QrelsContents = Literal["labels", "ids", "targets"]


def _split(name: str, given: Any) -> str:
    if not isinstance(given, str) or not given:
        raise InputError(f"{name} is {shown(given)}", 'need a text, such as ";", or "list"')
    return given


Split = Annotated[str, KindOfArgument(_split)]
"""What separates the ids of several documents in one cell."""
OR_CHOOSE: dict[str, str] = {"qrels": "", "run": ", or choose duplicates first or best"}
"""What else to do about a document that appears twice."""
ROLES = ("query_id", "doc_id", "score", "label", "rank", "subtopic", "weight", "parent", *COSTS)
LIST = "list"
"""The role of the documents of a query, where they stand in a field of what a tool wrote."""
_OF_ONE_KIND: dict[str, Kind] = {
    "label": "qrels",
    "score": "run",
    "rank": "run",
    "subtopic": "qrels",
    "weight": "qrels",
    **dict.fromkeys(COSTS, "run"),
}
_SHARED: dict[str, Kind] = {**_OF_ONE_KIND, "parent": "run"}
"""Which kind columns that are given for both concern."""


class SourceOptions(NamedTuple):
    """How to read a source, as far as the caller specified it.

    ``unused`` is a list if the options were given for judgments and runs together: an option that
    does not apply to this source is then added to the list, and is an error only if it applies to
    none of them. ``subtopics`` asks for judgments by subtopic, as a column with this role does.
    ``parents`` are the documents of units, and ``split`` separates ids in one cell, as for Run.
    ``failed`` says what becomes of documents whose label failed, ``document_weights`` what they
    weigh, and ``document_slices`` where they belong, as for Qrels. ``document_costs`` says what
    documents cost, as for Run.
    """

    format: str | None = None
    columns: Mapping[str, Any] | None = None
    groups: Any = None
    mask: Any = None
    lengths: Any = None
    contents: RunContents | QrelsContents | None = None
    split: str | None = None
    unused: list[str] | None = None
    subtopics: bool = False
    parents: Any = None
    failed: Any = None
    document_weights: Any = None
    document_slices: Any = None
    document_costs: Any = None

    @property
    def by_subtopic(self) -> bool:
        """Whether to read judgments by subtopic."""
        return self.subtopics or (self.columns is not None and "subtopic" in self.columns)

    def given(self) -> list[str]:
        """Return the names of the options that were given."""
        before = self._fields.index("unused")
        named = zip(self._fields[:before], self[:before], strict=True)
        return [name for name, value in named if value is not None]

    def only(self, form: str, *known: str) -> None:
        """Refuse options that do not apply to this form."""
        if self is NO_OPTIONS:
            return
        unused = [name for name in self.given() if name not in known and not self._vouches(name)]
        if self.unused is not None:
            self.unused.extend(unused)
        elif unused:
            raise InputError(f"{unused[0]} does not apply to {form}", "leave it out")

    def vouch_for(self, kind: Kind) -> bool:
        """Return whether the caller said that the numbers are scores, or that they are labels.

        Naming a column of scores says nothing of their direction.
        """
        if self.contents is not None or kind == "run":
            return self.contents is not None
        return self.format is not None or (self.columns is not None and "label" in self.columns)

    def _vouches(self, name: str) -> bool:
        """Return whether an option says that numbers are what they seem: true of any form."""
        return name == "contents" and self.contents in {"scores", "labels"}


def copied(columns: Any) -> Any:
    """Copy column names, which the caller may change."""
    return dict(columns) if type(columns) is dict else columns


NO_OPTIONS = SourceOptions()


def columns_of(
    shared: Mapping[str, Any] | None, own: Mapping[str, Any] | None, kind: Kind
) -> dict[str, Any] | None:
    """Return the columns of one kind of source; its own take precedence over shared ones.

    Shared columns with a parent name the run's units, as judgments have units more rarely.
    """
    roles = [role for role in ROLES if _OF_ONE_KIND.get(role, kind) == kind]
    for role in own or ():
        if _OF_ONE_KIND.get(role, kind) != kind:
            raise InputError(
                f"{kind}_columns, or --{kind}-column, names {role!r}, but {kind} has no such "
                "column",
                f"use {', '.join(roles)}",
            )
    shared = {**(shared or {})}
    if kind == "qrels" and "parent" in shared:  # then doc_id names the units of the run
        shared.pop("doc_id", None)
    shared = {r: name for r, name in shared.items() if _SHARED.get(r, kind) == kind}
    return {**shared, **(own or {})} or None


def may_fail(failed: Any) -> bool:
    """Return whether documents may stand without a label, by the option ``failed``."""
    return failed is not None and not (isinstance(failed, str) and failed == "error")
