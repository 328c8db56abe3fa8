"""RecTools measures novelty and coverage of recommendations, with ranks, in pandas frames."""

# mypy: disable-error-code="import-not-found, import-untyped"
import sys

import interactions
import turns
from rectools import Columns
from rectools.metrics import CatalogCoverage, MeanInvUserFreq, calc_metrics

METRICS = {
    "MIUF@10": MeanInvUserFreq(k=10),
    "ItemCoverage@10": CatalogCoverage(k=10, normalize=True),
}
USERS = int(sys.argv[1])
history, reco = interactions.history(USERS), interactions.recommended(USERS)
by_score = reco.sort_values(["user_id", "score"], ascending=[True, False])
reco[Columns.Rank] = by_score.groupby("user_id").cumcount() + 1
reco = reco[[Columns.User, Columns.Item, Columns.Rank]]


def means() -> dict[str, float]:
    """Evaluate both at once."""
    catalogue = range(interactions.ITEMS)
    values = calc_metrics(METRICS, reco, prev_interactions=history, catalog=catalogue)
    return {name: float(value) for name, value in values.items()}


turns.answer(means, means())
