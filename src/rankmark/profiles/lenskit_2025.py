"""LensKit of 2025, which counts users without a list."""

from __future__ import annotations

from rankmark.profiles.lenskit import MEASURES, SHORT_LISTS
from rankmark.profiles.profile import Difference, Profile

PROFILE = Profile(
    name="lenskit-2025",
    tool="LensKit for Python",
    version="2025.8.1",
    source="https://github.com/lenskit/lkpy, src/lenskit/metrics/ranking",
    summary="Its metrics of ranked lists, averaged over the users with test items.",
    compared="random collections",
    conventions={"ties": "input", "no_relevant": "skip"},
    measures=MEASURES,
    differences=(
        Difference(
            "RunAnalysis averages over the users with a list, and those without test items count "
            "0; here over the users with test items, and those without a list count 0"
        ),
        SHORT_LISTS,
        Difference(
            "Precision and AveragePrecision have no value for an empty list, which RunAnalysis "
            "counts as 0; here it is 0",
            None,
            ("Precision", "AveragePrecision"),
        ),
    ),
)
