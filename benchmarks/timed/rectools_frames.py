"""RecTools evaluates pandas frames that are already there, ranks among them: IDS QRELS RUN."""

# mypy: disable-error-code="import-not-found, import-untyped"
import sys

import frames
import turns
from rectools import Columns
from rectools.metrics import MAP, MRR, NDCG, Recall, calc_metrics

IDS, QRELS, RUN = sys.argv[1:]
METRICS = {
    "nDCG@10": NDCG(k=10, divide_by_achievable=True),
    "AP": MAP(k=1_000),
    "RR@10": MRR(k=10),
    "R@100": Recall(k=100),
}
NAMES = {"query_id": Columns.User, "doc_id": Columns.Item}

interactions = frames.pandas(QRELS, frames.QRELS, IDS).rename(columns=NAMES)
reco = frames.pandas(RUN, frames.RUN, IDS).rename(columns=NAMES)
interactions = interactions[interactions["label"] > 0][[Columns.User, Columns.Item]]
reco = reco[[Columns.User, Columns.Item, Columns.Rank]]


def means() -> dict[str, float]:
    """Evaluate all four at once, which shares the join."""
    values = calc_metrics(METRICS, reco, interactions)
    return {name: float(value) for name, value in values.items()}


turns.answer(means, means())
