"""pyndeval, ndeval's own code, evaluates rows of judgments by subtopic that are already there."""

import math

import pyndeval
import subtopics
import turns

judged, ranked = subtopics.judged(), subtopics.ranked()


def means() -> dict[str, float]:
    """Read the judgments and evaluate."""
    found = pyndeval.ndeval(judged, ranked, ["alpha-nDCG@10"])
    values = [values["alpha-nDCG@10"] for values in found.values()]
    return {"alpha_nDCG@10": math.fsum(values) / len(values)}


turns.answer(means, means())
