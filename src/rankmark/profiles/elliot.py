"""Elliot."""

from __future__ import annotations

from rankmark.measures import (
    ARP,
    EPC,
    MIUF,
    Entropy,
    Gini,
    GroupRates,
    ItemCoverage,
    TailShare,
    UserCoverage,
)
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="elliot",
    tool="Elliot",
    version="of December 2025",
    source="https://github.com/sisinflab/elliot, elliot/evaluation/metrics",
    summary="Its metrics of coverage, novelty, popularity and their biases, of the first k items.",
    compared="a small collection",
    conventions={"ties": "input", "no_relevant": "skip"},
    measures=(
        Meaning("ItemCoverage[@{k}]", ItemCoverage(norm="count")),
        Meaning("UserCoverage[@{k}]", UserCoverage(norm="count")),
        Meaning("Gini[@{k}]", Gini(norm="n-1", equality=True), "1 minus the coefficient"),
        Meaning("SEntropy[@{k}]", Entropy),
        Meaning("EFD[@{k}]", MIUF(of="interactions", weights="log2", relevant=True)),
        Meaning("EPC[@{k}]", EPC(weights="log2", relevant=True)),
        Meaning("ARP[@{k}]", ARP),
        Meaning("APLT[@{k}]", TailShare),
        Meaning("ACLT[@{k}]", TailShare(norm="none")),
        Meaning("PopREO[@{k}]", GroupRates, "WarpRec's counts recommendations in place of hits"),
        Meaning("PopRSP[@{k}]", GroupRates(rate="parity")),
    ),
    differences=(
        Difference(
            "Gini and ItemCoverage take the items of the training data for the catalogue, and Gini "
            "leaves its bounds if others are recommended; here these count nowhere",
            None,
            ("Gini", "ItemCoverage"),
        ),
        Difference("ARP fails if nobody had a recommended item; here it counts 0", None, ("ARP",)),
        Difference(
            "EFD gives items that nobody had the novelty of the rarest item; here that of an item "
            "of one interaction",
            None,
            ("EFD",),
        ),
        Difference(
            "SEntropy is that of users' mean shares of items; here of all recommendations "
            "together, which is the same if all lists are equally long",
            None,
            ("SEntropy",),
        ),
    ),
)
