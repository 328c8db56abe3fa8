"""The bases of measures of lists, and of all lists of a run together: formulas over items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankmark.data.alignment import Needs
from rankmark.errors import InputError, MeasureError
from rankmark.measures.base.measure import DependsOn, Measure
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment
    from rankmark.data.preparing.list_facts import ListFacts, Lists
    from rankmark.measures.base.parameters import Parameter
    from rankmark.measures.families.item_terms import Terms


class OfItems(Measure):
    """A measure that looks at the items of lists, not at judgments."""

    nothing_relevant: float | None = None
    promoting_helps = False
    reaches_bound = False
    common: ClassVar[Mapping[str, Parameter]] = {
        name: Measure.common[name] for name in ("budget", "ties")
    }

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:  # noqa: ARG002
        """Return what the reader must know of these lists, such as how many items are cold."""
        return []

    def needs(self) -> Needs:
        """Use all items down to rank k."""
        return Needs(lowest=0.0, deepest=getattr(self, "k", None), ideal=1)

    def listed(self, a: Alignment) -> tuple[Lists, ListFacts]:
        """Return the first k items of each list, and what is known of them."""
        view = a.views.get("lists")
        if view is None:
            raise MeasureError(
                f"{self} is a value of the items of lists, which are not known here",
                "ask for it in evaluate, compare or gate",
            )
        facts: ListFacts = view.judged
        k: int | None = getattr(self, "k", None)
        whole: Lists = a.once("lists", lambda: facts.lists_in(a))
        return a.once(("lists", k), lambda: whole.first(k)), facts

    def naming(self, error: InputError) -> InputError:
        """Return the error, with the measure as the place where it is not said."""
        error.where = str(self) if error.where is None else error.where
        return error


class ListMeasure(OfItems):
    """A measure of lists with its parameters.

    A subclass declares its parameters and facts as any measure does, and ``terms`` or ``over``.

    Attributes
    ----------
    no_terms
        Why values are no sums over items; "" if they are.
    """

    depends_on: DependsOn = "lists"
    may_lack_value = True
    no_terms: ClassVar[str] = ""

    def terms(self, lists: Lists, facts: ListFacts) -> Terms:
        """Return what each item adds to the value of its list; parameters are those of ``over``."""
        raise NotImplementedError

    def over(self, lists: Lists, facts: ListFacts) -> Floats:
        """Score each list: (n,) float64; NaN if it has no value, and is in no mean.

        Parameters
        ----------
        lists
            The first k items of each list.
        facts
            What is known of the users and of the items; what was not given raises InputError.
        """
        return self.terms(lists, facts).value()

    def contributions(self, a: Alignment) -> Contributions | None:
        if self.no_terms:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):  # as in ``score``
            terms = self.terms(*self.listed(a))
        rows = a.views["lists"].document
        order = np.argsort(rows)
        at = order[np.searchsorted(rows[order], terms.lists.row)]

        def placed(values: Floats, none: float) -> Floats:
            found = np.full(len(rows), none)
            found[at] = values
            return found

        return Contributions(
            placed(terms.added, 0.0),
            divisor=terms.divisor,
            rest=np.full(len(terms.divisor), terms.rest) if terms.rest else None,
            rest_is=terms.rest_is,
            columns={name: placed(values, np.nan) for name, values in terms.columns.items()},
            written=terms.written,
            frame=terms.frame,
        )

    def score(self, a: Alignment) -> Floats:
        try:
            with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 has no value
                return self.over(*self.listed(a))
        except InputError as error:
            raise self.naming(error) from None
