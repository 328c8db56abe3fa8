"""rankmark evaluates a collection's files in a process that is already warm."""

import sys

import turns

import rankmark as rm

QRELS, RUN, *given = sys.argv[1:]
THREADS = int(given[0]) if given else None
UNIT = given[1] if given[1:] else None
MEASURES = ["nDCG@10", "AP", "RR@10", "R@100"]


def means() -> dict[str, float]:
    """Evaluate and read the result, so that nothing is left undone."""
    evaluation = rm.evaluate(QRELS, RUN, MEASURES, threads=THREADS, unit=UNIT)
    return {name: evaluation[name] for name in MEASURES}


turns.answer(means, means())
