"""Any measure as a metric of torch; import it from ``rankmark.compat.torchmetrics``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from rankmark.argument_types import typed
from rankmark.compat.torchmetrics.metric_states import MetricState, flat_numbers
from rankmark.evaluating.accumulate import Accumulator, OnRepeat
from rankmark.evaluating.evaluate_options import ProfiledConventions, shows
from rankmark.evaluating.evaluation import Evaluation
from rankmark.measures.names import AnyMeasure


@shows(ProfiledConventions)
class Metric(MetricState[Accumulator]):
    """Any measure, with the methods of torchmetrics' metrics.

    ``update(preds, target)`` takes tensors with one query a row; flat ones, with ``indexes`` of the
    same shape; or a run and judgments in any form. The options of ``Accumulator.update``, such as
    ``mask`` and ``query_ids``, follow by name. All documents of a query come in one batch, as only
    scores are kept.

    Parameters
    ----------
    Measures:
    measures
        One or several, as for ``evaluate``.

    Batches:
    aggregation
        ``"mean"``, also of counts and geometric means as usual, or any that
        ``Evaluation.aggregate`` takes.
    on_repeat
        What to do with a query that comes twice: ``"error"`` or ``"last"``, as for ``Accumulator``.
        Choose ``"last"`` if a sampler repeats queries to give each process as many.
    sync_on_compute, process_group
        Whether ``compute`` gathers the batches of all processes, and of which.

    Conventions:
    **conventions
        The conventions of ``evaluate``.

    Examples
    --------
    >>> import numpy as np
    >>> from rankmark.compat.torchmetrics import Metric
    >>> metric = Metric("RR", ties="mean")
    >>> metric.update(np.array([[0.2, 0.9], [0.5, 0.5]]), np.array([[1, 0], [1, 0]]))
    >>> metric.compute()
    0.625
    """

    @typed
    @shows(ProfiledConventions)
    def __init__(
        self,
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        *,
        aggregation: str = "mean",
        on_repeat: OnRepeat = "error",
        sync_on_compute: bool = True,
        process_group: Any = None,
        **conventions: Unpack[ProfiledConventions],
    ) -> None:
        self._make: Any = (measures, {"on_repeat": on_repeat, **conventions})
        self.aggregation = aggregation
        super().__init__(sync_on_compute=sync_on_compute, process_group=process_group)

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values are better, for all measures."""
        return all(measure.more_is_better for measure in self._state.measures)

    def result(self) -> Evaluation:
        """Return the Evaluation of all batches of all processes."""
        return self._gathered().result()

    def _new(self) -> Accumulator:
        measures, conventions = self._make
        return Accumulator(measures, **conventions)

    def _add(
        self, state: Accumulator, preds: Any, target: Any, indexes: Any = None, **options: Any
    ) -> None:
        add_batch(state, preds, target, indexes, **options)

    def _joined(self, states: list[Accumulator]) -> Accumulator:
        whole = self._new()
        for state in states:
            whole.merge(state)
        return whole

    def _value(self, state: Accumulator) -> Any:
        return values_of(state.result(), self.aggregation)


def add_batch(
    to: Accumulator, preds: Any, target: Any, indexes: Any = None, **options: Any
) -> None:
    """Add a batch to an accumulator: tensors, or a run and judgments in any form."""
    if indexes is not None:
        options["groups"] = flat_numbers(indexes).astype(str)
        if hasattr(preds, "reshape") and hasattr(target, "reshape"):
            preds, target = preds.reshape(-1), target.reshape(-1)
    to.update(target, preds, **options)


def values_of(ev: Evaluation, aggregation: str) -> Any:
    """Return the value of each measure; of one measure, only its value."""
    values = {name: ev.aggregate(name, aggregation) for name in ev.names}
    return values if len(values) > 1 else next(iter(values.values()))
