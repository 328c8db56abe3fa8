"""The names that versions 9 and 10 of trec_eval share, and what they mean."""

from __future__ import annotations

from rankmark.measures import (
    AP,
    RR,
    Bpref,
    F,
    G,
    Measure,
    NumNonrelJudgedRet,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rndcg,
    Rprec,
    Success,
    Utility,
    binG,
    infAP,
    nDCG,
    nDCGrel,
)
from rankmark.profiles.profile import Difference, Meaning

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(tenth / 10 for tenth in range(11))
_FIFTHS = tuple(fifth / 5 for fifth in range(1, 11))
_LOGARITHM = "trec_eval prints the logarithm of the value of a query; here it is the value"
_TEXT = "it is text, not a number"
_GAINS = "a label without a gain is its own gain"


def shared_names(interpolated: Measure) -> tuple[Meaning, ...]:
    """Return what the names mean.

    Parameters
    ----------
    interpolated
        IPrec, with the version's rounding of recalls.
    """
    return (
        Meaning("num_q", NumQ),
        Meaning("num_ret", NumRet),
        Meaning("num_rel", NumRel),
        Meaning("num_rel_ret", NumRelRet),
        Meaning("map", AP),
        Meaning("gm_map", AP(aggregate="gmean"), _LOGARITHM),
        Meaning("Rprec", Rprec),
        Meaning("bpref", Bpref),
        Meaning("gm_bpref", Bpref(aggregate="gmean"), _LOGARITHM),
        Meaning("recip_rank", RR),
        Meaning("iprec_at_recall_{recall} | iprec_at_recall.{recall}", interpolated),
        Meaning("iprec_at_recall", tuple(interpolated(recall=at) for at in _TENTHS)),
        Meaning("11pt_avg | 11pt_avg_{recalls} | 11pt_avg.{recalls}", interpolated),
        Meaning("P_{k} | P.{k}", P),
        Meaning("P", P @ _CUTOFFS),
        Meaning("recall_{k} | recall.{k}", R),
        Meaning("recall", R @ _CUTOFFS),
        Meaning("relative_P_{k} | relative_P.{k}", R(norm="min")),
        Meaning("relative_P", R(norm="min") @ _CUTOFFS),
        Meaning("success_{k} | success.{k}", Success),
        Meaning("success", Success @ (1, 5, 10)),
        Meaning("ndcg_cut_{k} | ndcg_cut.{k}", nDCG),
        Meaning("ndcg_cut", nDCG @ _CUTOFFS),
        Meaning("map_cut_{k} | map_cut.{k}", AP),
        Meaning("map_cut", AP @ _CUTOFFS),
        Meaning("Rprec_mult_{multiple} | Rprec_mult.{multiple}", Rprec),
        Meaning("Rprec_mult", tuple(Rprec(multiple=at) for at in _FIFTHS)),
        Meaning("ndcg | ndcg_{gains} | ndcg.{gains}", nDCG, _GAINS),
        Meaning("ndcg_rel", nDCGrel),
        Meaning("Rndcg", Rndcg),
        Meaning("G", G),
        Meaning("binG", binG),
        Meaning("infAP", infAP),
        Meaning("utility[_{hit},{noise},{miss},{rest}] | utility.{hit},{noise},{miss},{rest}",
                Utility),
        Meaning("set_P", P),
        Meaning("set_recall", R),
        Meaning("set_relative_P", R(norm="min")),
        Meaning("set_map", AP(precision="set")),
        Meaning("set_F | set_F_{beta_squared} | set_F.{beta_squared}", F),
        Meaning("num_nonrel_judged_ret", NumNonrelJudgedRet),
        Meaning("relstring | relstring_{k} | relstring.{k}", None, _TEXT),
        Meaning("runid", None, _TEXT),
    )  # fmt: skip


SHARED_DIFFERENCES = (
    Difference(
        "Rndcg leaves out the last rank if the ranking has just one document more than "
        "there are documents with a gain; here every rank counts",
        "one document beyond the gains",
        ("Rndcg",),
    ),
    Difference(
        "with -l, Rndcg is 0 for a query without a label of that level, although the "
        "level has no other effect on it; here it has none at all"
    ),
)
"""What neither version does as described here."""
