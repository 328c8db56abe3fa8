"""The base of measures of groups of items: who is in which, and the shares they should have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.data.alignment import segment_cumsum
from rankmark.errors import InputError, counted, shown
from rankmark.measures.base.parameters import Parameter, written
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists

Target = str | tuple[tuple[str, float], ...]


def group_name(meaning: str) -> Any:
    """Declare ``group``, the name of a group or None."""

    def check(value: Any) -> str | None:
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
    if isinstance(value, str) and value in {"catalogue", "equal", "list"}:
        return value
    shares = {str(group): float(share) for group, share in dict(value).items()}
    if not all(0 <= share < np.inf for share in shares.values()) or not sum(shares.values()):
        raise ValueError
    return tuple(sorted(shares.items()))


class GroupMeasure(ListMeasure):
    """A measure of the items of lists that have a group; a subclass has ``of_groups``."""

    no_terms = "it compares groups of items with each other, or with a target"

    def of_groups(self, grouped: GroupedLists) -> Floats:
        """Score each list, at will if it has no items: (n,) float64."""
        raise NotImplementedError

    def over(self, lists: Lists, facts: ListFacts) -> Floats:
        grouped = GroupedLists.of(lists, facts)
        return np.where(grouped.lists.sizes > 0, self.of_groups(grouped), np.nan)

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        told = without_group(lists, facts)
        with np.errstate(divide="ignore", invalid="ignore"):
            infinite = int(np.count_nonzero(np.isinf(self.over(lists, facts))))
        if infinite:
            told.append(f"{self} is infinite for {counted(infinite, 'list')}: choose smoothing")
        return told


def without_group(lists: Lists, facts: ListFacts) -> list[str]:
    """Say how many items of the lists have no group, if there are some."""
    none = int(np.count_nonzero(facts.groups[lists.items].sum(axis=1) == 0))
    return [f"{counted(none, 'item')} of the lists without a group: left out"] if none else []


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

    def sums(self, values: Floats | float = 1.0) -> Floats:
        """Sum values of items over the members of each group: (m,) to (n, g) float64."""
        return np.column_stack([self.lists.sum(values * column) for column in self.members.T])

    def prefixes(self) -> tuple[Floats, Floats]:
        """Return the place of each item among those with a group, and how many are in each."""
        starts = self.lists.starts
        columns = [segment_cumsum(column, starts) for column in self.members.T]
        return segment_cumsum(np.ones(len(self.members)), starts), np.column_stack(columns)

    def targets(self, target: Target) -> Floats:
        """Return the shares that groups should have in each list: (n, g) float64."""
        shares = np.ones((len(self.lists), len(self.facts.group_names)))
        if target == "list":
            shares = self.sums()
        elif target == "catalogue":
            if not self.in_catalogue.any():
                raise InputError(
                    "no item of the catalogue has a group",
                    "are the ids of one kind? If they are, choose another target",
                )
            shares *= self.in_catalogue
        elif isinstance(target, tuple):
            shares *= 0.0
            for name, share in target:
                shares[:, self.number(name)] = share
        return shares / shares.sum(axis=1, keepdims=True)

    @property
    def in_catalogue(self) -> Floats:
        """How many items of the catalogue, or of all if there is none, each group has: (g,)."""
        facts = self.facts
        return facts.groups[: facts.catalogue if facts.has_catalogue else None].sum(axis=0)

    def number(self, name: str | None) -> int:
        """Return the number of a group."""
        names = self.facts.group_names
        if name not in names:
            found = "it needs the name of a group" if name is None else f"{shown(name)} is no group"
            raise InputError(found, f'choose one, as group="{names[0]}"')
        return names.index(name)
