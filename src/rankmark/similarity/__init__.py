"""How similar two rankings are: coefficients, one per file.

Each takes two rankings, best first: lists of ids, ``{id: score}``, or arrays; see ``ranking``. Each
docstring states how ties and items in only one ranking are treated. Invalid rankings and parameters
raise InputError. ``compare_rankings`` takes the names in capitals, such as ``RBO(p=0.98) @ 10``.
"""

from rankmark.similarity.average_overlap import AVERAGE_OVERLAP, average_overlap
from rankmark.similarity.coefficient import Coefficient
from rankmark.similarity.compatibility import compatibility
from rankmark.similarity.given_rankings import Ranking, ranking
from rankmark.similarity.kendall import DISTANCE, TAU, kendall_distance, kendall_tau
from rankmark.similarity.overlap import JACCARD, OVERLAP, jaccard, overlap
from rankmark.similarity.rbo import RBO, RankBiasedOverlap, rbo, rbo_weight
from rankmark.similarity.significance import Interval, interval, p_value
from rankmark.similarity.spearman import FOOTRULE, RHO, spearman_footrule, spearman_rho
from rankmark.similarity.tau_ap import TAU_AP, tau_ap
from rankmark.similarity.weighted_tau import WEIGHTED_TAU, weighted_tau

ALL: tuple[Coefficient, ...] = (
    DISTANCE,
    TAU,
    RHO,
    FOOTRULE,
    WEIGHTED_TAU,
    TAU_AP,
    RBO,
    AVERAGE_OVERLAP,
    OVERLAP,
    JACCARD,
)
"""All coefficients of two rankings; compatibility compares a ranking with judgments."""

__all__ = [
    "ALL",
    "AVERAGE_OVERLAP",
    "DISTANCE",
    "FOOTRULE",
    "JACCARD",
    "OVERLAP",
    "RBO",
    "RHO",
    "TAU",
    "TAU_AP",
    "WEIGHTED_TAU",
    "Coefficient",
    "Interval",
    "RankBiasedOverlap",
    "Ranking",
    "average_overlap",
    "compatibility",
    "interval",
    "jaccard",
    "kendall_distance",
    "kendall_tau",
    "overlap",
    "p_value",
    "ranking",
    "rbo",
    "rbo_weight",
    "spearman_footrule",
    "spearman_rho",
    "tau_ap",
    "weighted_tau",
]
