"""rankmark measures novelty and coverage of recommendations, with a history, in pandas frames."""

import sys

import interactions
import turns

import rankmark as rm

MEASURES = ["MIUF@10", "ItemCoverage@10"]
CATALOGUE = range(interactions.ITEMS)
USERS = int(sys.argv[1])
history, recommended = interactions.history(USERS), interactions.recommended(USERS)


def means() -> dict[str, float]:
    """Evaluate and read the result, so that nothing is left undone."""
    ev = rm.evaluate(None, recommended, MEASURES, history=history, catalogue=CATALOGUE)
    return {name: ev[name] for name in MEASURES}


turns.answer(means, means())
