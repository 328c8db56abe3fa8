"""pytrec_eval-terrier evaluates dicts that are already there."""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call"
import sys
from statistics import fmean

import mappings
import pytrec_eval
import turns

NAMES = {"nDCG@10": "ndcg_cut_10", "AP": "map", "R@100": "recall_100"}

evaluator = pytrec_eval.RelevanceEvaluator(
    mappings.qrels(sys.argv[1]), {"ndcg_cut.10", "map", "recip_rank", "recall.100"}
)
run = mappings.run(sys.argv[2])
scores = evaluator.evaluate(run).values()
means = {ours: fmean(score[theirs] for score in scores) for ours, theirs in NAMES.items()}
del scores

turns.answer(lambda: evaluator.evaluate(run), means)
