"""Measures for Hugging Face trainers: ``Trainer(compute_metrics=compute_metrics("RR@10"))``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Unpack

import numpy as np

from rankmark.arguments import checked
from rankmark.conventions import query_texts
from rankmark.data.ids.tensors import as_array
from rankmark.errors import SchemaError
from rankmark.measures.names import AnyMeasure
from rankmark.verbs.evaluate.accumulate import Accumulator
from rankmark.verbs.evaluate.evaluate_options import ProfiledConventions, shows


@shows(ProfiledConventions)
class compute_metrics:  # noqa: N801  (named as the parameter of Trainer)
    """A function for the parameter ``compute_metrics`` of ``transformers.Trainer``.

    Call it with an EvalPrediction: it returns {measure: mean}. With ``batch_eval_metrics=True``, it
    is called for each batch, and ``compute_result`` says which is the last one.

    Parameters
    ----------
    Measures:
    measures
        One or several, as for ``evaluate``.

    Batches:
    groups
        The query of each row of the evaluation data set, for models that score one document a row,
        such as cross-encoders. None if a row holds all documents of a query.
    ignore_index
        Labels with this value are padding.
    scores
        A function that gives the scores of ``predictions``. None for the first array of them; of
        two classes, the second is the relevant one.

    Conventions:
    **conventions
        The conventions of ``evaluate``.

    Examples
    --------
    >>> from types import SimpleNamespace as EvalPrediction
    >>> import numpy as np
    >>> from rankmark.compat.transformers import compute_metrics
    >>> metrics = compute_metrics(["RR", "nDCG@10"], groups=["q1", "q1", "q2"])
    >>> logits, labels = np.array([[0.9], [0.1], [0.5]]), np.array([0, 1, 1])
    >>> values = metrics(EvalPrediction(predictions=logits, label_ids=labels))
    >>> values["RR"]
    0.75
    """

    @checked
    @shows(ProfiledConventions)
    def __init__(
        self,
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        *,
        groups: Any = None,
        ignore_index: int = -100,
        scores: Callable[[Any], Any] | None = None,
        **conventions: Unpack[ProfiledConventions],
    ) -> None:
        self._acc = Accumulator(measures, **conventions)
        self._groups = None if groups is None else np.array(query_texts(groups, "groups"))
        self._ignore_index = ignore_index
        self._scores = _scores if scores is None else scores
        self._rows: list[tuple[Any, Any]] = []  # documents, if each row is one

    def __call__(self, prediction: Any, compute_result: bool = True) -> dict[str, float]:  # noqa: FBT001, FBT002
        """Evaluate a batch, and return the means if it is the last one.

        After the last one, and after an error, all batches are forgotten.
        """
        try:
            self._add(prediction)
            if not compute_result:
                return {}
            self._add_rows()
            means = dict(self._acc.result())
        except BaseException:
            self._forget()
            raise
        self._forget()
        return means

    def _add(self, prediction: Any) -> None:
        labels = as_array(prediction.label_ids, "label_ids")
        scores = as_array(self._scores(prediction.predictions), "scores")
        if scores.shape == (*labels.shape, 2):  # of two classes
            scores = scores[..., 1] - scores[..., 0]
        if labels.shape != scores.shape:
            raise SchemaError(
                f"labels have the shape {labels.shape}, and scores {scores.shape}",
                "give scores=, a function that returns a score for each label",
            )
        if labels.ndim == 2:
            self._acc.update(labels, scores, mask=labels != self._ignore_index)
        else:
            self._rows.append((labels, scores))

    def _forget(self) -> None:
        self._acc.reset()
        self._rows = []

    def _add_rows(self) -> None:
        """Evaluate rows of one document each, once all have come."""
        if not self._rows:
            return
        if self._groups is None:
            raise SchemaError(
                "each row is one document, and its query is unknown",
                "give groups=, the query of each row of the evaluation data set",
            )
        labels, scores = (np.concatenate(column) for column in zip(*self._rows, strict=True))
        if len(labels) != len(self._groups):
            raise SchemaError(
                f"there are {len(labels):,} rows, and groups holds {len(self._groups):,}",
                "give the query of each row of the evaluation data set, in its order",
            )
        kept = labels != self._ignore_index
        self._acc.update(labels[kept], scores[kept], groups=self._groups[kept])


def _scores(predictions: Any) -> Any:
    """Return the scores in the output of a model."""
    first = predictions[0] if isinstance(predictions, (tuple, list)) else predictions
    found = as_array(first, "predictions")
    if found.ndim > 1 and found.shape[-1] == 1:
        return found[..., 0]
    return found
