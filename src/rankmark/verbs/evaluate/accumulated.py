"""The evaluation of queries that came in batches, whose documents are not kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.errors import ChangedError, MeasureError
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.provenance import Sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.measures import Measure
    from rankmark.scoring.kept_data import KeptData
    from rankmark.scoring.list_scores import AllLists
    from rankmark.verbs.evaluate.audit import Audit
    from rankmark.verbs.evaluate.plot_methods import PlotMethods
    from rankmark.verbs.evaluate.query_rows import QueryRows


class AccumulatedEvaluation(Evaluation):
    """What an ``Accumulator`` returns: an evaluation of all its queries.

    It has the scores, the audit and, where ties in sorted order are the extremes, the tie
    intervals. Whatever needs documents (``explain``, ``bounds``, plots by rank) raises
    ChangedError.
    """

    _keeps_documents = False

    def __init__(
        self,
        *,
        measures: tuple[Measure, ...],
        asked: Mapping[str, Measure],
        conventions: Conventions,
        rows: QueryRows,
        audit: Audit,
        sources: Sources,
        unsaid_rel: str | None,
        no_ties: str | None,
        profile: Mapping[str, Any] | None,
        of_lists: AllLists | None,
        of_items: Mapping[str, Any],
    ) -> None:
        self.measures = measures
        self.conventions = conventions
        self.scores: Floats = rows.scores
        self.scores.flags.writeable = False
        self.queries = tuple(rows.queries)
        self.audit = audit
        self.unsaid_rel = unsaid_rel
        self.out_of_reach = ()  # batches keep no judgments
        self._asked = asked
        self._read_as = sources
        self._rows = None
        self._errors: Mapping[Measure, Floats] = {}
        if rows.errors is not None:
            columns = [(m, rows.errors[:, column]) for column, m in enumerate(measures)]
            self._errors = {m: errors for m, errors in columns if errors.any()}
        self._means = None
        if of_lists is not None:
            self.left_out, self.list_notes = of_lists
        self.of_items = of_items
        self._profile = {} if profile is None else {"profile": profile}
        self._no_ties = no_ties
        low, high = (rows.scores, rows.scores) if rows.ends is None else rows.ends
        self._sorted_interval = self._intervals(low, high)

    @property
    def _sources(self) -> Sources:
        return self._read_as

    @property
    def _kept(self) -> KeptData:  # type: ignore[override]
        raise ChangedError(
            "this evaluation came from an Accumulator, which keeps no documents, and they are "
            "needed for this",
            "evaluate the queries in one call of evaluate",
        )

    @property
    def tie_interval(self) -> dict[str, tuple[float, float]]:
        """The minimum and maximum of each mean over all orders of tied documents."""
        if self._no_ties is not None:
            raise MeasureError(self._no_ties, "leave them out")
        others = [str(m) for m in self.measures if not m.tie_handling.best_is_sorted(m)]
        if others and any(low != high for low, high in self._sorted_interval.values()):
            raise ChangedError(
                f"the tie interval of {others[0]} needs more orders of ties than an Accumulator "
                "tries",
                "evaluate the queries in one call of evaluate",
            )
        return dict(self._sorted_interval)

    def shares_judgments(self, other: PlotMethods | Qrels) -> bool:
        """Return whether another evaluation, or judgments, have the same queries."""
        theirs = getattr(other, "query_ids", None)
        return {*self.queries} == {*(other.queries if theirs is None else theirs)}  # type: ignore[union-attr]

    def __getstate__(self) -> dict[str, Any]:
        """Return everything, as nothing has to be read again."""
        return vars(self)
