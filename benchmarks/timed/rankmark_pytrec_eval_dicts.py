"""rankmark evaluates dicts that are already there, by pytrec_eval's interface."""

import sys
from statistics import fmean

import mappings
import turns

from rankmark.compat import pytrec_eval

NAMES = {"nDCG@10": "ndcg_cut_10", "AP": "map", "R@100": "recall_100"}

evaluator = pytrec_eval.RelevanceEvaluator(
    mappings.qrels(sys.argv[1]), {"ndcg_cut.10", "map", "recip_rank", "recall.100"}
)
run = mappings.run(sys.argv[2])
scores = evaluator.evaluate(run).values()
means = {ours: fmean(score[theirs] for score in scores) for ours, theirs in NAMES.items()}
del scores

turns.answer(lambda: evaluator.evaluate(run), means)
