"""rankmark evaluates one query of ten documents, its qrels prepared."""

import turns

import rankmark as rm

QRELS = rm.Qrels({"q": {f"d{n}": n % 3 for n in range(5, 25)}})
RUN = {"q": {f"d{n}": 10.0 - n for n in range(10)}}
MEASURES = ["nDCG@10", "AP", "RR@10", "R@100", "P@10"]

turns.answer(lambda: rm.evaluate(QRELS, RUN, MEASURES).scores, {}, calls=2_000)
