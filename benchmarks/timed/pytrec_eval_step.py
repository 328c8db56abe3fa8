"""pytrec_eval-terrier evaluates a training loop's batch, with its evaluator made anew or kept."""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call"
import sys

import pytrec_eval
import steps
import turns

labels, run = steps.step()
MEASURES = {"ndcg_cut.10", "map", "recip_rank"}
kept = pytrec_eval.RelevanceEvaluator(labels, MEASURES)
WAYS = {
    "dicts": lambda: pytrec_eval.RelevanceEvaluator(labels, MEASURES).evaluate(run),
    "prepared": lambda: kept.evaluate(run),
}

turns.answer(WAYS[sys.argv[1]], {}, calls=20)
