"""FairRankTune."""

from __future__ import annotations

from rankmark.measures import NDKL, GroupExposure
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="fairranktune",
    tool="FairRankTune",
    version="0.0.7",
    source="https://github.com/KCachel/fairranktune, src/FairRankTune/Metrics",
    summary="Its metrics of groups of items; the items that have groups are given as catalogue.",
    compared="a small collection",
    conventions={"ties": "input"},
    measures=(
        Meaning("EXP(combo=MinMaxRatio)", GroupExposure(per="catalogue")),
        Meaning("EXP(combo=MaxMinDiff)", GroupExposure(per="catalogue", compare="difference")),
        Meaning("EXPU(combo=MinMaxRatio)", GroupExposure(parity="treatment")),
        Meaning("EXPU(combo=MaxMinDiff)", GroupExposure(parity="treatment", compare="difference")),
        Meaning("NDKL", NDKL(target="list", smoothing=1e-7)),
        Meaning(
            "AWRF",
            None,
            "it is the attention of each group, compared with nothing; write AWRF(target='equal'), "
            "or for its ratio GroupExposure(per='catalogue', weights=1 - p)",
        ),
        Meaning("IAA", None, "it returns after the first list, and does not normalise"),
        Meaning(
            "ERBE | ERBP | ERBR",
            None,
            "it compares sums of exposure; write GroupExposure(weights=decay)",
        ),
        Meaning("ARP", None, "it counts pairs of items of two groups, and is no popularity"),
    ),
    differences=(
        Difference(
            "the exposure of several lists is added up before groups are compared; here groups "
            "are compared in each list",
            None,
            ("EXP", "EXPU"),
        ),
    ),
)
