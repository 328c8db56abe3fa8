"""pytrec_eval-terrier reads a collection's files and evaluates them."""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call"
import sys
from pathlib import Path
from statistics import fmean

import pytrec_eval

with Path(sys.argv[1]).open() as lines:
    qrels = pytrec_eval.parse_qrel(lines)
with Path(sys.argv[2]).open() as lines:
    run = pytrec_eval.parse_run(lines)
measures = {"ndcg_cut.10", "map", "recip_rank", "recall.100"}
scores = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run).values()
for name in ("ndcg_cut_10", "map", "recip_rank", "recall_100"):
    print(name, fmean(score[name] for score in scores))
