"""rankmark rewards rankings of ten ids: one again and again, others, or a million at once."""

import sys

import completions
import turns

import rankmark as rm

way = sys.argv[1]
if way == "batch":
    reward = rm.reward(completions.QRELS, "nDCG@10")
    given = completions.rankings(1_000_000)
    turns.answer(lambda: reward.batch(*given), {"nDCG@10": float(reward.batch(*given).mean())})
else:
    reward = rm.reward({"q": completions.ONE}, "nDCG@10")
    # More than are remembered.
    rankings = completions.different(70_000 if way == "new" else 1)

    def once() -> None:
        for ranking in rankings:
            reward("q", ranking)

    turns.answer(once, {}, calls=1 if way == "new" else 70_000)
