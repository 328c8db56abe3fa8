"""rankmark evaluates frames of judgments by subtopic that are already there."""

import pandas as pd
import subtopics
import turns

import rankmark as rm

judged = pd.DataFrame(subtopics.judged(), columns=["query_id", "subtopic", "doc_id", "label"])
ranked = pd.DataFrame(subtopics.ranked(), columns=["query_id", "doc_id", "score"])


def means() -> dict[str, float]:
    """Evaluate and read the result, so that nothing is left undone."""
    return {"alpha_nDCG@10": rm.evaluate(judged, ranked, "alpha_nDCG@10")["alpha_nDCG@10"]}


turns.answer(means, means())
