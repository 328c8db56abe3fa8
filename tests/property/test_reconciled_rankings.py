"""Rankings that the search cuts itself give the scores of reading the run under the conventions."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.cases import Case, all_cases
from generators.random_collections import Collection, collections
from rankmark.conventions import Conventions
from rankmark.data.contract.reading_options import Reading
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.verbs.reconcile.rankings import Rankings, Scores

ties = ["docid", "docid-asc", "input", "mean", "best", "worst"]


@given(
    collection=collections(),
    case=st.sampled_from(all_cases()),
    ties=st.sampled_from(ties),
    depth=st.sampled_from([None, 1, 3, 10]),
    judged_only=st.booleans(),
    queries=st.sampled_from(["judged", "both"]),
    no_relevant=st.sampled_from(["zero", "skip", "one"]),
)
def test_scores_and_means_are_those_of_evaluate(
    collection: Collection, case: Case, queries: Any, no_relevant: Any, **documents: Any
) -> None:
    measure = rm.measure(case.ours)
    average = {"queries": queries, "no_relevant": no_relevant}
    ev = rm.evaluate(*collection, measure, **documents, **average)
    rankings = Rankings(Qrels(collection.qrels), Run(collection.run), Reading(), subtopics=False)
    ranking = rankings.under(Conventions(**documents))
    assert ranking is not None
    scores = Scores(ranking, measure, None)
    of_queries = ev.scores[:, 0]
    rows = scores.rows(average)
    assert (
        scores.by_query(no_relevant)[rows].tobytes() == of_queries[~np.isnan(of_queries)].tobytes()
    )
    (mean,) = ev.values()
    assert np.array_equal(scores.value(average), mean, equal_nan=True)
