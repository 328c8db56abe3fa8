"""Any measure as a metric of torch; import it from ``rankmark.compat.torchmetrics``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from rankmark.arguments import typed
from rankmark.compat.torchmetrics.metric_states import MetricState, flat_numbers
from rankmark.data.ids.tensors import as_array, is_array
from rankmark.errors import MismatchError
from rankmark.measures.names import AnyMeasure
from rankmark.verbs.evaluate.accumulate import Accumulator, OnRepeat
from rankmark.verbs.evaluate.evaluate_options import ProfiledConventions, shows
from rankmark.verbs.evaluate.evaluation import Evaluation


class BatchesOfScores:
    """The measures of a metric, and the scores of its batches, in whatever holds them."""

    def _choose(self, measures: Any, aggregation: str, options: dict[str, Any]) -> None:
        self._make = (measures, options)
        self.aggregation = aggregation
        self._measures = self._new().measures

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values are better, for all measures."""
        return all(measure.more_is_better for measure in self._measures)

    def _new(self) -> Accumulator:
        measures, options = self._make
        return Accumulator(measures, **options)

    def _batch(self, preds: Any, target: Any, indexes: Any = None, **options: Any) -> Any:
        """Score a batch: tensors, or a run and judgments in any form."""
        given = {"preds": preds, "target": target, **options}  # each is copied to the host once
        given = {name: as_array(one, name) if is_array(one) else one for name, one in given.items()}
        preds, target = given.pop("preds"), given.pop("target")
        if indexes is not None:
            given["groups"] = flat_numbers(indexes).astype(str)
            if hasattr(preds, "reshape") and hasattr(target, "reshape"):
                preds, target = preds.reshape(-1), target.reshape(-1)
        scored = self._new()
        scored.update(target, preds, **given)
        return _identity(scored), scored._batches

    def _joined(self, batches: Iterable[Any]) -> Evaluation:
        """Evaluate all batches.

        Raises
        ------
        MismatchError
            If they are of other measures or conventions.
        DuplicateError
            If a query comes twice, and the metric refuses that.
        """
        whole = self._new()
        for identity, batch in batches:
            if identity != _identity(whole):
                raise MismatchError(
                    f"the state of the metric is of {identity}, and the metric of "
                    f"{_identity(whole)}",
                    "create all metrics with the same arguments",
                )
            whole._batches.add(
                batch.rows(),
                batch.totals,
                batch.names,
                have_numbers=batch.have_numbers,
                last=whole._on_repeat == "last",
            )
        return whole.result()

    def _value(self, batches: Iterable[Any]) -> Any:
        """Return the value of each measure; of one measure, only its value."""
        ev = self._joined(batches)
        values = {name: ev.aggregate(name, self.aggregation) for name in ev.names}
        return values if len(values) > 1 else next(iter(values.values()))


def _identity(of: Accumulator) -> str:
    """Return what other metrics differ in, so that their states are never taken for the same."""
    names = ", ".join(map(str, of.measures))
    return f"{names} ({of.conventions}; on_repeat={of._on_repeat})"


@shows(ProfiledConventions)
class Metric(BatchesOfScores, MetricState):
    """Any measure, with the methods of torchmetrics' metrics.

    ``update(preds, target)`` takes tensors with one query a row; flat ones, with ``indexes`` of the
    same shape; or a run and judgments in any form. The options of ``Accumulator.update``, such as
    ``mask`` and ``query_ids``, follow by name. All documents of a query come in one batch, as only
    scores are kept; a query that comes twice is refused when the metric is computed.

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
    >>> float(metric.compute())
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
        self._choose(measures, aggregation, {"on_repeat": on_repeat, **conventions})
        super().__init__(sync_on_compute=sync_on_compute, process_group=process_group)

    def result(self) -> Evaluation:
        """Return the Evaluation of all batches of all processes."""
        return self._joined(self._gathered())
