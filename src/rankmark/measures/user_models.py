"""User models that stop at each rank with some probability: SDCG, INSQ and NERR8 to NERR11."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import between, probability
from rankmark.measures.families.cwl import UserModel, per_rank


class ScaledDiscountedCumulativeGain(UserModel):
    """DCG at k divided by the DCG of k documents with a gain of 1.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = 1 / log2(i + 1), which is
    a probability of log(i + 1) / log(i + 2) to continue from rank i.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``NDCG-k@k``, ir_measures ``SDCG@k``, which requires a cutoff.
    nDCG(ideal="k") differs: there the query's highest label takes the place of max_rel.
    Source: Moffat and Zobel, ACM TOIS 27(1), 2008, section 4.2; cwl_eval cwl_dcg.py.
    """

    name = "SDCG"
    full_name = "scaled discounted cumulative gain"
    aliases: Aliases = {"scaled_discounted_cumulative_gain": {}, "SDCG-k": {}}
    formula, latex = per_rank(
        "1 / log2(i + 1)",
        r"\frac{1}{\log_2(i + 1)}",
    )

    def reach(self, rank: Floats) -> Floats:
        return 1.0 / np.log2(rank + 1.0)


SDCG = ScaledDiscountedCumulativeGain()


class InverseSquares(UserModel):
    """The expected gain per rank of a user who is more likely to continue the deeper the rank.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = (2T / (i + 2T - 1))^2, a
    probability of ((i + 2T - 1) / (i + 2T))^2 to continue from rank i; ``T`` is the gain that the
    user wants.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``INSQ-T=1``, ir_measures ``INSQ``, both with k = 1000 as here, but they
    lower labels above max_rel to it; here such labels are refused.
    Source: Moffat, Scholer and Thomas, ADCS 2012; cwl_eval cwl_insq.py.
    """

    T: float = between("the gain that the user wants", 1.0, 0.5, 10**6)

    name = "INSQ"
    full_name = "INSQ, a user model with inverse-square weights"
    aliases: Aliases = {"inverse_squares": {}}
    formula, latex = per_rank(
        "(2T / (i + 2T - 1))^2",
        r"\left(\frac{2T}{i + 2T - 1}\right)^2",
    )

    def reach(self, rank: Floats) -> Floats:
        return (2.0 * self.T / (rank + 2.0 * self.T - 1.0)) ** 2


INSQ = InverseSquares()


class NearlyErrContent(UserModel):
    """The expected gain per rank of a user who stops, satisfied, with probability g_i.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = (1 - g_1) ... (1 -
    g_(i-1)), which is a probability of 1 - g_i to continue from rank i < k.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``NERR-EQ8@k``, ir_measures ``NERR8@k``, which refuses to be without a
    cutoff. Only nERR is ERR normalised.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 8.
    """

    name = "NERR8"
    full_name = "nearly expected reciprocal rank, without discount"
    aliases: Aliases = {"NERReq8": {}}
    formula, latex = per_rank(
        "(1 - g_1) ... (1 - g_(i-1))",
        r"(1 - g_1) \cdots (1 - g_{i - 1})",
    )
    gain_stops = True

    def reach(self, rank: Floats) -> Floats:
        return np.ones_like(rank)


NERR8 = NearlyErrContent()


class NearlyErrTired(UserModel):
    """The expected gain per rank of a user who stops, satisfied with probability g_i or tired.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = (1 / i) (1 - g_1) ... (1
    - g_(i-1)), which is a probability of (1 - g_i) i / (i + 1) to continue from rank i < k.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``NERR-EQ9@k``, ir_measures ``NERR9@k``, which refuses to be without a
    cutoff.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 9.
    """

    name = "NERR9"
    full_name = "nearly expected reciprocal rank, discounted by 1 / rank"
    aliases: Aliases = {"NERReq9": {}}
    formula, latex = per_rank(
        "(1 / i) (1 - g_1) ... (1 - g_(i-1))",
        r"\frac{1}{i}\, (1 - g_1) \cdots (1 - g_{i - 1})",
    )
    gain_stops = True

    def reach(self, rank: Floats) -> Floats:
        return 1.0 / rank


NERR9 = NearlyErrTired()


class NearlyErrPersistent(UserModel):
    """The expected gain per rank of a user who stops, satisfied with probability g_i or as in RBP.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = p^(i-1) (1 - g_1) ... (1
    - g_(i-1)), which is a probability of p (1 - g_i) to continue from rank i.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``NERR-EQ10``, ir_measures ``NERR10``, both with k = 1000 as here.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 10.
    """

    p: float = probability("the probability to continue after a document without gain", 0.9)

    name = "NERR10"
    full_name = "nearly expected reciprocal rank, discounted as in RBP"
    aliases: Aliases = {"NERReq10": {}}
    formula, latex = per_rank(
        "p^(i-1) (1 - g_1) ... (1 - g_(i-1))",
        r"p^{i - 1}\, (1 - g_1) \cdots (1 - g_{i - 1})",
    )
    gain_stops = True

    def reach(self, rank: Floats) -> Floats:
        return self.p ** (rank - 1.0)


NERR10 = NearlyErrPersistent()


class NearlyErrWanting(UserModel):
    """The expected gain per rank of a user who stops, satisfied with probability g_i or as in INSQ.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = (2T / (i + 2T - 1))^2 (1
    - g_1) ... (1 - g_(i-1)); ``T`` is the gain that the user wants.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``NERR-EQ11``, ir_measures ``NERR11``, both with k = 1000 as here.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 11.
    """

    T: float = between("the gain that the user wants", 1.0, 0.5, 10**6)

    name = "NERR11"
    full_name = "nearly expected reciprocal rank, discounted as in INSQ"
    aliases: Aliases = {"NERReq11": {}}
    formula, latex = per_rank(
        "(2T / (i + 2T - 1))^2 (1 - g_1) ... (1 - g_(i-1))",
        r"\left(\frac{2T}{i + 2T - 1}\right)^2\, (1 - g_1) \cdots (1 - g_{i - 1})",
    )
    gain_stops = True

    def reach(self, rank: Floats) -> Floats:
        return (2.0 * self.T / (rank + 2.0 * self.T - 1.0)) ** 2


NERR11 = NearlyErrWanting()
