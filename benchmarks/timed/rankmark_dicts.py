"""rankmark evaluates dicts that are already there."""

import sys

import mappings
import turns

import rankmark as rm

MEASURES = ["nDCG@10", "AP", "RR@10", "R@100"]

qrels = mappings.qrels(sys.argv[1])
run = mappings.run(sys.argv[2])


def means() -> dict[str, float]:
    """Evaluate and read the result, so that nothing is left undone."""
    evaluation = rm.evaluate(qrels, run, MEASURES)
    return {name: evaluation[name] for name in MEASURES}


turns.answer(means, means())
