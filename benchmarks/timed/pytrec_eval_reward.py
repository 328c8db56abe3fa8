"""pytrec_eval-terrier evaluates rankings of ten ids: one again and again, others, or a million."""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call"
import sys
from statistics import fmean

import completions
import pytrec_eval
import turns


def runs(queries: list[str], rankings: list[list[str]]) -> list[dict[str, dict[str, float]]]:
    """Return a run for each ranking, as queries are repeated; a repeated id keeps its place."""
    return [
        {query: {doc: -float(place) for place, doc in enumerate(dict.fromkeys(ranking))}}
        for query, ranking in zip(queries, rankings, strict=True)
    ]


way = sys.argv[1]
qrels = completions.QRELS if way == "batch" else {"q": completions.ONE}
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
if way == "batch":
    held = runs(*completions.rankings(1_000_000))
else:
    number = 70_000 if way == "new" else 1
    held = runs(["q"] * number, completions.different(number))


def once() -> list[float]:
    return [row["ndcg_cut_10"] for run in held for row in evaluator.evaluate(run).values()]


means = {"nDCG@10": fmean(once())} if way == "batch" else {}
turns.answer(once, means, calls=1 if len(held) > 1 else 70_000)
