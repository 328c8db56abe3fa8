"""scikit-learn evaluates dense arrays that are already there: "ignored" or "averaged" ties."""

# mypy: disable-error-code="import-not-found, import-untyped"
import sys

import matrices
import turns
from sklearn.metrics import ndcg_score

IGNORED = sys.argv[1] == "ignored"
labels, scores = matrices.labels(), matrices.scores()


def means() -> dict[str, float]:
    """Evaluate."""
    return {"nDCG@10": float(ndcg_score(labels, scores, k=10, ignore_ties=IGNORED))}


turns.answer(means, means())
