"""Evidently."""

from __future__ import annotations

from rankmark.measures import ARP, MIUF, Gini, ItemCoverage, Personalization
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="evidently",
    tool="Evidently",
    version="0.7.23",
    source="https://github.com/evidentlyai/evidently, src/evidently/legacy/metrics/recsys",
    summary="Its metrics of novelty, popularity and diversity of recommendations.",
    compared="a small collection",
    conventions={"queries": "both", "ties": "input"},
    measures=(
        Meaning("NoveltyMetric(k={k})", MIUF(cold="skip")),
        Meaning("PopularityBias(k={k}).current_apr", ARP(cold="skip")),
        Meaning(
            "PopularityBias(k={k}, normalize_arp=True).current_apr", ARP(cold="skip", scale="max")
        ),
        Meaning("PopularityBias(k={k}).current_coverage", ItemCoverage, 'with catalogue="history"'),
        Meaning("PopularityBias(k={k}).current_gini", Gini(norm="n-1", items="recommended")),
        Meaning("PersonalizationMetric(k={k})", Personalization),
        Meaning(
            "DiversityMetric(k={k})",
            None,
            "it divides the sum over pairs of items by the number of items; write ILD",
        ),
        Meaning(
            "SerendipityMetric(k={k})",
            None,
            "it does not divide by the number of items, and may be below 0; write "
            "Serendipity(by='history')",
        ),
    ),
    differences=(
        Difference(
            "PersonalizationMetric takes all lists for k items long; here shorter ones are so",
            None,
            ("PersonalizationMetric",),
        ),
        Difference(
            "items with equal scores share the middle of their ranks, so that those across rank k "
            "are all left out, or are all there",
            "ties",
        ),
    ),
)
