"""MTEB before version 2.18.19."""

from __future__ import annotations

from dataclasses import replace

from rankmark.profiles.mteb import PROFILE as NOW
from rankmark.profiles.profile import Difference

# What it computed itself; the others are pytrec_eval's (pull request 5136).
_OWN = frozenset(("mrr_at", "Hole_at", "R_cap_at"))

PROFILE = replace(
    NOW,
    name="mteb-older",
    version="2.18.18",
    summary="Its retrieval tasks before version 2.18.19 (2026-08-13): MRR, Hole and R_cap left "
    "tied documents in the order of the input.",
    compared="MRR, Hole and R_cap on random collections, with ties",
    measures=tuple(
        replace(row, conventions={**row.conventions, "ties": "input"}) if row.name in _OWN else row
        for row in NOW.measures
    ),
    differences=(
        *NOW.differences,
        Difference(
            "R_cap fails if nothing is relevant; here such queries are left out",
            "nothing relevant",
            ("R_cap_at",),
        ),
    ),
)
