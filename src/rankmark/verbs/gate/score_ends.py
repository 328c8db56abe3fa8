"""How low and how high the score of each query could be, by other ties or more judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rankmark.errors import RankmarkError
from rankmark.scoring.intervals import of_judging, of_ties
from rankmark.scoring.query_scores import in_groups

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.verbs.evaluate.evaluation import Evaluation

Doubt = Literal["ties", "unjudged"]
"""What scores may rest on besides rankings and judgments: the order of ties, unjudged documents."""


def score_ends(evaluation: Evaluation, doubt: Doubt) -> tuple[Floats, Floats] | None:
    """Return the lowest and the highest scores.

    Parameters
    ----------
    evaluation
        Of a run whose data has not changed since.
    doubt
        Over orders of ties, or over judgments of the unjudged documents.

    Returns
    -------
    tuple of arrays
        (n_queries, n_measures) float64 each; None if they are unknown, as for judgments in groups,
        or for data that is gone.
    """
    kept, measures = evaluation._kept, evaluation.measures
    if in_groups(kept.alignment):
        return None
    try:
        if doubt == "ties":
            if kept.alignment.tie_first is None and evaluation.conventions.depth is None:
                return evaluation.scores, evaluation.scores
            thorough = not all(one.tie_handling.best_is_sorted(one) for one in measures)
            low, high = of_ties(kept, measures, thorough=thorough)
        else:
            if any(one.depends_on == "subtopics" for one in measures):
                return None  # nobody knows the subtopics of unjudged documents
            if evaluation.conventions.judged_only:
                return evaluation.scores, evaluation.scores
            low, high = of_judging(kept, measures)
    except RankmarkError:  # data has changed or is gone, or a measure has no such interval
        return None
    return evaluation._as_chosen(low), evaluation._as_chosen(high)
