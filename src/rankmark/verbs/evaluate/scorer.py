"""Measures as scorers for scikit-learn's cross-validation, where rows belong to queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Unpack

import numpy as np

from rankmark.arguments import checked
from rankmark.data.contract.reading_options import Reading
from rankmark.errors import InputError, SchemaError, shown
from rankmark.measures.names import AnyMeasure
from rankmark.scoring.request import Asked
from rankmark.verbs.evaluate.evaluate import asked_of, evaluated
from rankmark.verbs.evaluate.evaluate_options import ProfiledConventions, shows

_RESPONSES = ("decision_function", "predict_proba", "predict")


@checked
@shows(ProfiledConventions)
def scorer(
    measures: Iterable[AnyMeasure] | AnyMeasure,
    *,
    groups: Any = None,
    response: str | Callable[[Any, Any], Any] | None = None,
    **conventions: Unpack[ProfiledConventions],
) -> Scorer:
    """Make a scorer for scikit-learn: ``scorer(estimator, X, y, groups=...)``.

    Parameters
    ----------
    Measures:
    measures
        A name or an object; several give a dict of scores.

    Scoring:
    groups
        The query of each row: the name of a column of ``X``, or a Series with the index of ``X``
        or ``y``. None means that they are given in each call; scikit-learn does so if metadata
        routing is enabled, from ``params={"groups": ...}``.
    response
        The estimator's method that gives the scores, or a function of the estimator and ``X``.
        None means the first of decision_function, predict_proba and predict that it has.
    **conventions
        The conventions of ``evaluate``.

    Returns
    -------
    Scorer
        If lower values of a measure are better, its score is negative, as in scikit-learn.

    Raises
    ------
    MeasureError
        If a measure or one of its parameters does not exist.
    InputError
        If a convention has an invalid value, or ``groups`` is neither a name nor several ids.

    Examples
    --------
    >>> import rankmark as rm
    >>> class Same:
    ...     def predict(self, X):
    ...         return X
    >>> rm.scorer("RR")(Same(), [0.9, 0.2, 0.5], [0, 0, 1], groups=["q1", "q1", "q1"])
    0.5
    """
    asked = asked_of(measures, {**conventions})
    is_name = isinstance(groups, str)
    if groups is not None and not is_name and not _are_ids(groups):
        raise InputError(
            f"groups is {shown(groups)}", "need the name of a column, or a Series of query ids"
        )
    several = not isinstance(measures, str) and isinstance(measures, Iterable)
    return Scorer(asked, groups, response, several=several or len(asked.measures) > 1)


class Scorer:
    """Scores an estimator's rankings; made by ``scorer``."""

    def __init__(
        self,
        asked: Asked,
        groups: Any,
        response: str | Callable[[Any, Any], Any] | None,
        *,
        several: bool,
    ) -> None:
        self._asked = asked
        self._groups = groups
        self._response = response
        self._several = several
        self._requested: bool | str | None = groups is None

    def __call__(self, estimator: Any, X: Any, y: Any, groups: Any = None) -> Any:  # noqa: N803
        """Score the rankings of rows by an estimator.

        Parameters
        ----------
        estimator
            A fitted estimator.
        X
            (n, n_features), what it predicts from.
        y
            (n,) labels; or (n_queries, n_documents), where each row is a query.
        groups
            (n,) query ids, if they were not chosen in ``scorer``.

        Returns
        -------
        float
            The mean over queries, or ``{measure: mean}`` for several measures.

        Raises
        ------
        InputError
            If labels have one dimension and there are no groups.
        """
        labels, scores = np.asarray(y), _scores(estimator, X, self._response, np.ndim(y))
        if labels.shape != scores.shape:
            raise SchemaError(
                f"{type(estimator).__name__} gives scores of shape {scores.shape} for labels of "
                f"shape {labels.shape}",
                'choose response="predict", or a function that gives one score for each label',
            )
        ids = None
        if labels.ndim == 1:
            ids = _query_ids(self._groups if self._groups is not None else groups, X, y)
        reading = Reading(groups=ids, contents="scores")
        evaluation = evaluated(labels, scores, self._asked, reading)
        means = {
            name: mean if measure.more_is_better else -mean
            for measure, (name, mean) in zip(self._asked.measures, evaluation.items(), strict=True)
        }
        return means if self._several else next(iter(means.values()))

    def set_score_request(self, *, groups: bool | str | None = True) -> Scorer:
        """Choose whether metadata routing passes groups, or under which name."""
        self._requested = groups
        return self

    def get_metadata_routing(self) -> Any:
        """Return what scikit-learn's metadata routing should pass: a MetadataRequest."""
        from sklearn.utils.metadata_routing import MetadataRequest  # noqa: PLC0415

        request = MetadataRequest(owner=self)
        request.score.add_request(param="groups", alias=self._requested)
        return request

    def _accept_sample_weight(self) -> bool:
        """Answer scikit-learn: queries have no weights here."""
        return False

    def __repr__(self) -> str:
        return f"<scorer of {', '.join(map(str, self._asked.measures))}>"


def _scores(estimator: Any, X: Any, response: Any, dimensions: int) -> Any:  # noqa: N803
    """Return the scores that an estimator gives: of two classes, those of the second."""
    if response is None:
        response = next((name for name in _RESPONSES if hasattr(estimator, name)), "predict")
    found = response(estimator, X) if callable(response) else getattr(estimator, response)(X)
    if isinstance(found, list) and found and np.ndim(found[0]) == 2:  # one for each output
        return np.stack([np.asarray(each)[:, -1] for each in found], axis=1)
    scores = np.asarray(found)
    is_of_two_classes = response == "predict_proba" and scores.ndim == 2 and scores.shape[1] == 2
    return scores[:, 1] if dimensions == 1 and is_of_two_classes else scores


def _query_ids(groups: Any, X: Any, y: Any) -> Any:  # noqa: N803
    """Return the query of each row as text, since numbers might be taken for sizes."""
    if groups is None:
        raise InputError(
            "the scorer has no groups, so it cannot know which rows belong to one query",
            "give rankmark.scorer(..., groups=...) the name of a column or a Series of query ids, "
            'or enable metadata routing and give params={"groups": ...}',
        )
    if isinstance(groups, str):
        try:
            ids = X[groups]
        except (KeyError, IndexError, TypeError) as error:
            raise InputError(
                f"X has no column {shown(groups)}, which groups names", "give the name of a column"
            ) from error
    elif hasattr(groups, "loc"):
        index = getattr(y, "index", getattr(X, "index", None))
        if index is None:
            raise InputError(
                "groups is a Series, but neither X nor y has an index",
                "cross-validate a DataFrame or a Series with the same index",
            )
        try:
            ids = groups.loc[index]
        except KeyError as error:
            raise InputError(
                "groups is a Series that lacks rows of the index of y or X",
                "give it the index of the data that is cross-validated",
            ) from error
    else:
        ids = groups
    array = np.asarray(ids)
    return array.astype(str) if array.dtype.kind in "iub" else array


def _are_ids(groups: Any) -> bool:
    """Return whether an object may be a list of ids: of one dimension, not of lists."""
    if hasattr(groups, "ndim"):
        return bool(groups.ndim == 1)
    if not isinstance(groups, Iterable):
        return False
    return not any(isinstance(one, (list, tuple, set, dict)) for one in groups)
