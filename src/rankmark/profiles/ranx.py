"""ranx."""

from __future__ import annotations

from rankmark.measures import AP, DCG, RR, Bpref, F, NumRelRet, P, R, Rprec, Success, nDCG
from rankmark.profiles.profile import Difference, Meaning, Profile

_LEVELS = (
    "labels below the level get no gain, also in the ideal ranking: write the gain of every label, "
    "as in nDCG(gain={0: 0, 1: 0, 2: 3, 3: 7})"
)

PROFILE = Profile(
    name="ranx",
    tool="ranx",
    version="0.3.21",
    source="https://github.com/AmenRa/ranx, ranx/metrics",
    summary="A library for ranking evaluation, comparison and fusion; with make_comparable=True.",
    compared="random collections of few documents, with ties, and public data",
    conventions={"ties": "input"},
    measures=(
        Meaning("hits[@{k}][-l{rel}]", NumRelRet(aggregate="mean"), "the mean over queries"),
        Meaning("hit_rate[@{k}][-l{rel}]", Success),
        Meaning("precision[@{k}][-l{rel}]", P),
        Meaning("recall[@{k}][-l{rel}]", R),
        Meaning("f1[@{k}][-l{rel}]", F),
        Meaning("r-precision[-l{rel}]", Rprec),
        Meaning("mrr[@{k}][-l{rel}]", RR),
        Meaning("map[@{k}][-l{rel}]", AP),
        Meaning("dcg[@{k}][-l1]", DCG),
        Meaning("dcg_burges[@{k}][-l1]", DCG(gain="exp2")),
        Meaning("ndcg[@{k}][-l1]", nDCG),
        Meaning("ndcg_burges[@{k}][-l1]", nDCG(gain="exp2")),
        Meaning("dcg[@{k}]-l{level}", DCG, "labels below the level have no gain"),
        Meaning(
            "ndcg[@{k}]-l{level}",
            nDCG,
            "labels below the level have no gain, also in the ideal ranking",
        ),
        Meaning("dcg_burges[@{k}]-l{rel} | ndcg_burges[@{k}]-l{rel}", None, _LEVELS),
        Meaning(
            "bpref[-l{rel}]",
            Bpref(judged=-1e9),
            "documents with labels below 0 count as judged, too",
        ),
        Meaning(
            "rbp.{decimals}[-l{rel}] | rbp@{decimals}[-l{rel}]",
            None,
            "its gains are the labels themselves; write RBP(p=0.95) if labels are 0 and 1; if they "
            "go up to m, ranx's number is m times that of RBP(p=0.95, max_rel=m)",
        ),
    ),
    differences=(
        Difference(
            "documents with equal scores are in the order of an unstable sort, which is that of "
            "the input in rankings of up to 15 documents",
            "ties in long rankings",
        ),
        Difference("labels are cut to whole numbers, so that 0.9 is 0", "fractional labels"),
        Difference(
            "bpref is NaN if something relevant is retrieved and nothing is judged non-relevant",
            "nothing judged non-relevant",
            ("bpref",),
        ),
        Difference(
            "bpref fails if nothing is relevant to a query, or leaves other queries at 0",
            "nothing relevant",
            ("bpref",),
        ),
        Difference(
            "queries of dicts are matched by their order, whatever their ids; of Qrels and Run "
            "by their ids, as here"
        ),
    ),
)
