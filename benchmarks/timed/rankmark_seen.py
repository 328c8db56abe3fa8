"""rankmark evaluates recommendations, `with` or `without` leaving out what was seen before."""

import sys

import interactions
import turns

import rankmark as rm

wanted, recommended = interactions.wanted(), interactions.recommended()
seen = interactions.seen() if sys.argv[1] == "with" else None


def means() -> dict[str, float]:
    """Evaluate and read the result, so that nothing is left undone."""
    return {"nDCG@10": rm.evaluate(wanted, recommended, "nDCG@10", seen=seen)["nDCG@10"]}


turns.answer(means, means())
