"""What measures of groups of items share: who is in which, and the shares they should have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.data.alignment import segment_cumsum
from rankmark.errors import InputError, counted, shown
from rankmark.measures.base.parameters import Parameter, written

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists

_TARGETS = ("catalogue", "equal", "list")
Target = Literal["catalogue", "equal", "list"] | tuple[tuple[str, float], ...]


def group_name(meaning: str) -> Any:
    """Declare ``group``, the name of a group or None."""

    def check(value: Any) -> str | None:
        if value is not None and not isinstance(value, (str, int)):
            raise ValueError
        return None if value is None else str(value)

    return Parameter(meaning, None, "the name of a group", check)


def target_shares() -> Any:
    """Declare ``target``, the shares that groups should have."""
    return Parameter(
        "the shares that groups should have: those in the catalogue, or among all items with a "
        "group if there is none; equal ones; those in the list",
        "catalogue",
        '"catalogue", "equal", "list", or {group: share}',
        _checked,
        written,
    )


def _checked(value: Any) -> Target:
    if isinstance(value, str):
        if value not in _TARGETS:
            raise ValueError
        return value  # type: ignore[return-value]
    shares = {str(group): float(share) for group, share in dict(value).items()}
    if not all(0 <= share < np.inf for share in shares.values()) or not sum(shares.values()):
        raise ValueError
    return tuple(sorted(shares.items()))


class GroupedLists(NamedTuple):
    """The items of lists that have a group, and the share of each in every group: (m, g)."""

    lists: Lists
    members: Floats
    facts: ListFacts

    @classmethod
    def of(cls, lists: Lists, facts: ListFacts) -> GroupedLists:
        """Leave out the items whose group is unknown."""
        found = facts.groups[lists.items]
        known = found.sum(axis=1) > 0
        return cls(lists.only(known), found[known], facts)

    def sums(self, values: Floats) -> Floats:
        """Sum values of items over the members of each group: (m,) to (n, g) float64."""
        columns = [self.lists.sum(values * column) for column in self.members.T]
        return np.column_stack(columns)

    def prefixes(self) -> tuple[Floats, Floats]:
        """Return the place of each item among those with a group, and how many are in each."""
        starts = self.lists.starts
        place = segment_cumsum(np.ones(len(self.members)), starts)
        columns = [segment_cumsum(column, starts) for column in self.members.T]
        return place, np.column_stack(columns)

    def targets(self, target: Target) -> Floats:
        """Return the shares that groups should have in each list: (n, g) float64."""
        names, facts = self.facts.group_names, self.facts
        n, many = len(self.lists), len(names)
        if target == "list":
            counts = self.sums(np.ones(len(self.members)))
            own: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
            return own
        if target == "equal":
            shares = np.ones(many)
        elif target == "catalogue":
            shares = facts.groups[: facts.catalogue if facts.has_catalogue else None].sum(axis=0)
        else:
            shares = np.zeros(many)
            for name, share in target:
                shares[group_number(facts, name)] = share
        found: Floats = np.broadcast_to(shares / max(shares.sum(), 1e-300), (n, many))
        return found


def group_number(facts: ListFacts, name: str | None) -> int:
    """Return the number of a group."""
    if name not in facts.group_names:
        found = "it needs the name of a group" if name is None else f"{shown(name)} is no group"
        raise InputError(found, f'choose one, as group="{facts.group_names[0]}"')
    return facts.group_names.index(name)


def ungrouped(lists: Lists, facts: ListFacts) -> list[str]:
    """Return the note on items without a group."""
    none = int(np.count_nonzero(facts.groups[lists.items].sum(axis=1) == 0))
    return [f"{counted(none, 'item')} of the lists without a group: left out"] if none else []
