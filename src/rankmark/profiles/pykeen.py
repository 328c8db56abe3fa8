"""PyKEEN."""

from __future__ import annotations

from rankmark.measures import AMR, AMRI, RR, MeanRank, Success
from rankmark.profiles.profile import Difference, Meaning, Profile

PROFILE = Profile(
    name="pykeen",
    tool="PyKEEN",
    version="1.11.1",
    source="https://github.com/pykeen/pykeen, src/pykeen/metrics/ranking.py, evaluation/ranks.py",
    summary="RankBasedEvaluator: realistic ranks of one target a query among all candidates.",
    compared="scores with ties, under its three types of rank",
    conventions={"ties": "midrank"},
    measures=(
        Meaning("inverse_harmonic_mean_rank | mean_reciprocal_rank | mrr", RR),
        Meaning("hits_at_{k} | hits@{k} | h@{k} | h_at_{k}", Success),
        Meaning("arithmetic_mean_rank | mean_rank | mr", MeanRank),
        Meaning(
            "adjusted_arithmetic_mean_rank | adjusted_mean_rank | amr | aamr",
            AMR,
            "with different numbers of candidates n, it is the mean with weights n + 1",
        ),
        Meaning(
            "adjusted_arithmetic_mean_rank_index | adjusted_mean_rank_index | amri | aamri",
            AMRI,
            "with different numbers of candidates n, it is the mean with weights n - 1",
        ),
        Meaning(
            "median_rank | geometric_mean_rank | harmonic_mean_rank | gmr | hmr",
            None,
            "it is no mean over queries; ask for MeanRank, whose aggregates have the median, or "
            "for RR",
        ),
        Meaning(
            "z_arithmetic_mean_rank | z_inverse_harmonic_mean_rank | adjusted_hits_at_{k}",
            None,
            "it is set against a random order over all queries together; write AMRI",
        ),
    ),
    differences=(
        Difference(
            "optimistic and pessimistic ranks are other types beside the realistic one; here "
            "choose them by ties=best and ties=worst"
        ),
        Difference(
            "each side of a triple is a query of its own, from whose candidates other true triples "
            "are left out; here leave them out by seen or mask, or give the ranks"
        ),
    ),
)
