"""rankmark evaluates one query of ten documents by pytrec_eval's interface, the evaluator kept."""

import turns

from rankmark.compat import pytrec_eval

QRELS = {"q": {f"d{n}": n % 3 for n in range(5, 25)}}
RUN = {"q": {f"d{n}": 10.0 - n for n in range(10)}}

evaluator = pytrec_eval.RelevanceEvaluator(
    QRELS, {"ndcg_cut.10", "map", "recip_rank", "recall.100", "P.10"}
)

turns.answer(lambda: evaluator.evaluate(RUN), {}, calls=2_000)
