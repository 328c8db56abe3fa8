"""rankmark evaluates mappings of lists that are already there, best first, and of sets."""

import sys

import mappings
import turns

import rankmark as rm

MEASURES = ["nDCG@10", "AP", "RR@10", "R@100"]

qrels = {
    query_id: {doc_id for doc_id, label in labels.items() if label > 0}
    for query_id, labels in mappings.qrels(sys.argv[1]).items()
}
run = {
    query_id: sorted(scores, key=scores.__getitem__, reverse=True)
    for query_id, scores in mappings.run(sys.argv[2]).items()
}


def means() -> dict[str, float]:
    """Evaluate and read the result, so that nothing is left undone."""
    evaluation = rm.evaluate(qrels, run, MEASURES)
    return {name: evaluation[name] for name in MEASURES}


turns.answer(means, means())
