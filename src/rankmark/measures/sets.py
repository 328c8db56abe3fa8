"""Sets of measures that others report together, each with a name."""

from __future__ import annotations

from typing import NamedTuple


class MeasureSet(NamedTuple):
    """A set of measures.

    Parameters
    ----------
    meaning
        Who reports them.
    measures
        Their names, separated by commas, as the grammar reads them; None for trec_eval's set of
        the same name.
    """

    meaning: str
    measures: str | None = None


_BEIR = "1,3,5,10,100,1000"

SETS: dict[str, MeasureSet] = {
    "official": MeasureSet("what trec_eval prints by default"),
    "all_trec": MeasureSet("what trec_eval prints with -m all_trec, but rbp and rbp_resid"),
    "all_prefs": MeasureSet("what trec_eval prints with -m all_prefs, but num_q"),
    "qrels_jg": MeasureSet("what trec_eval prints with -m qrels_jg, but num_q"),
    "beir": MeasureSet(
        "what BEIR's EvaluateRetrieval prints: NDCG, MAP, Recall and P",
        f"nDCG@{_BEIR}, AP@{_BEIR}, R@{_BEIR}, P@{_BEIR}",
    ),
    "msmarco": MeasureSet("the measure of the MS MARCO leaderboards, MRR@10", "RR@10"),
    "trec-dl": MeasureSet(
        "passage ranking in the TREC Deep Learning track, where labels from 2 on are relevant",
        "nDCG@10, AP(rel=2), RR(rel=2), R(rel=2)@100,1000",
    ),
}
"""The sets by name; case and hyphens do not matter."""


def is_set(name: str) -> bool:
    """Return whether a name is that of a set."""
    spelled = {one.lower().replace("-", "_") for one in SETS}
    return name.strip().lower().replace("-", "_") in spelled
