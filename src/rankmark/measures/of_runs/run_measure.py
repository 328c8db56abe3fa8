"""The bases of measures of a run: one number, which no query has by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, NamedTuple, NoReturn

import numpy as np

from rankmark.arguments import quoted
from rankmark.errors import InputError, MeasureError
from rankmark.measures.base.measure import DependsOn, Measure
from rankmark.measures.of_lists.list_measure import OfItems

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.data.alignment import Alignment
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class LeftOut(NamedTuple):
    """The value of all lists, and of the others as each list is left out: (n,) float64.

    ``strata``, (n,) int64, are groups of users whose numbers stay as they are in other samples; -1
    for users that do not count; None if there are no groups.
    """

    value: float
    without: Floats
    strata: Ints | None = None


class NumberOfRun(Measure):
    """A measure that is one number of a run, and never a mean over queries.

    Attributes
    ----------
    whole
        What it is a number of.
    """

    depends_on: DependsOn = "run"
    whole: ClassVar[str] = "all lists together"

    def score(self, a: Alignment) -> NoReturn:  # noqa: ARG002
        """Raise MeasureError."""
        raise self.not_by_query()

    def not_by_query(self) -> MeasureError:
        """Return the error for whoever asks for the value of a query."""
        return MeasureError(
            f"{self} is one number of {self.whole}, which no query has by itself",
            f"take the number of the run, ev[{quoted(str(self))}] of what evaluate returns",
        )


class RunMeasure(NumberOfRun, OfItems):
    """A measure of all lists of a run with its parameters.

    A subclass declares its parameters and facts as any measure does, and ``over``.
    """

    def over(self, lists: Lists, facts: ListFacts) -> LeftOut:
        """Return the value of all lists, and of the others as each is left out.

        Parameters
        ----------
        lists
            The first k items of each list; those of users without a list are empty.
        facts
            What is known of the users and of the items; what was not given raises InputError.
        """
        raise NotImplementedError

    def of(self, lists: Lists, facts: ListFacts) -> LeftOut:
        """Do the same; errors name the measure."""
        try:
            return self.over(lists.first(getattr(self, "k", None)), facts)
        except InputError as error:
            raise self.naming(error) from None


class Counts(NamedTuple):
    """How often the items of a catalogue are in lists.

    Parameters
    ----------
    times
        (catalogue,) float64, in how many lists each item is.
    items, of_list
        (m,) int64, the items of the catalogue in the lists, and the list of each.
    lists
        How many lists there are.
    """

    times: Floats
    items: Ints
    of_list: Ints
    lists: int

    @classmethod
    def of(cls, lists: Lists, facts: ListFacts) -> Counts:
        """Count the items of the catalogue; others count nowhere."""
        items, of_list, most = lists.items, lists.of_list, facts.catalogue
        if len(items) and int(items.max()) >= most:
            known = items < most
            items, of_list = items[known], of_list[known]
        times = np.bincount(items, minlength=most).astype(np.float64)
        return cls(times, items, of_list, len(lists))

    def sums(self, of_items: Floats) -> Floats:
        """Sum a value of each item over the items of each list: (catalogue,) to (lists,)."""
        values = np.take(of_items, self.items)
        return counted(self.of_list, self.lists, values)

    @property
    def sizes(self) -> Floats:
        """The number of items of each list: (lists,) float64."""
        return counted(self.of_list, self.lists)


def counted(of_list: Ints, lists: int, values: Floats | None = None) -> Floats:
    """Count the rows of each list, or sum their values: (lists,) float64."""
    return np.bincount(of_list, weights=values, minlength=lists).astype(np.float64, copy=False)


def of_sums(formula: Callable[[Floats], Floats], parts: Floats) -> LeftOut:
    """Return the value of a formula of sums over lists: parts (n, c), formula (r, c) to (r,)."""
    total = parts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 has no value
        found = formula(np.vstack([total, total - parts]))
    return LeftOut(float(found[0]), found[1:])


def by_group(lists: Lists, of_list: Ints, values: Floats) -> Floats:
    """Sum rows of values of groups by list: (m, g) to (n, g) float64."""
    return np.column_stack([counted(of_list, len(lists), column) for column in values.T])


def divided(part: Floats, whole: Floats | float) -> Floats:
    """Divide; NaN where the whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(whole == 0, np.nan, part / whole)
    return found
