"""rankmark evaluates frames that are already there: LIBRARY IDS ORDER QRELS RUN."""

import sys
from typing import Any

import frames
import turns

import rankmark as rm

LIBRARY, IDS, ORDER, QRELS, RUN = sys.argv[1:]
MEASURES = ["nDCG@10", "AP", "RR@10", "R@100"]

read = frames.polars if LIBRARY == "Polars" else frames.pandas
qrels = read(QRELS, frames.QRELS, IDS)
run: Any = read(RUN, frames.RUN, IDS)
if ORDER == "shuffled":
    run = run.sample(fraction=1.0, shuffle=True, seed=0)
if LIBRARY == "pandas objects":
    qrels, run = (frame.astype({"query_id": object, "doc_id": object}) for frame in (qrels, run))
# Scores decide, and not the ranks that stand beside them.
run = run[["query_id", "doc_id", "score"]]


def means() -> dict[str, float]:
    """Evaluate and read the result, so that nothing is left undone."""
    evaluation = rm.evaluate(qrels, run, MEASURES)
    return {name: evaluation[name] for name in MEASURES}


turns.answer(means, means())
