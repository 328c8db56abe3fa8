"""trec_eval 10."""

from __future__ import annotations

from rankmark.measures import AP, IPrec, P, Rprec, Unjudged
from rankmark.measures.names import measure
from rankmark.profiles.profile import Difference, Meaning, Profile
from rankmark.profiles.trec_eval_names import SHARED_DIFFERENCES, shared_names

_PREFERENCES = (
    "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret",
    "prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel",
    "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret",
    "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp",
)  # fmt: skip
_CHANCE = (
    "it compares labels with variables that it never sets; write RBP if labels are 0 and 1; "
    'RBP(max_rel="query") is what it prints if these variables happen to be 0'
)

PROFILE = Profile(
    name="trec_eval10",
    tool="trec_eval",
    version="10.0",
    source="https://github.com/usnistgov/trec_eval",
    summary="TREC's evaluation tool, run with -c: judged queries that the run lacks count 0.",
    conventions={},
    measures=(
        *shared_names(IPrec),
        Meaning("unj_{k} | unj.{k}", Unjudged),
        Meaning("unj", Unjudged @ (5, 10, 20)),
        Meaning("map_avgjg", AP, "for judgment groups"),
        Meaning("P_avgjg_{k} | P_avgjg.{k}", P, "for judgment groups"),
        Meaning(
            "Rprec_mult_avgjg_{multiple} | Rprec_mult_avgjg.{multiple}",
            Rprec,
            "for judgment groups",
        ),
        *(
            Meaning(name, measure(name), "for preferences", {"ties": "docid-asc"})
            for name in _PREFERENCES
        ),
        Meaning("rbp | rbp_{p} | rbp.{p} | rbp_p={p} | rbp.p={p}", None, _CHANCE),
        Meaning(
            "rbp_resid",
            None,
            "it is 0 if every retrieved document is judged; write RBPResidual, in which the ranks "
            "below the end of the ranking have weight, too",
        ),
    ),
    digits=4,
    differences=(
        *SHARED_DIFFERENCES,
        Difference(
            "with -c and -l 2, num_rel counts labels above 0; here NumRel(rel=2) counts those "
            "from 2 on"
        ),
        Difference(
            "with -J, documents with labels below 0 are removed as unjudged, and iprec_at_recall "
            "and 11pt_avg are -nan if nothing is left; here such a label is a judgment, and they "
            "are 0"
        ),
        Difference("where ndcg is given gains, those that differ by less than 1 count as equal"),
    ),
)
