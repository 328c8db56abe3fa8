"""What to write instead of names of other tools that are not names of measures here."""

from __future__ import annotations

import re
from collections.abc import Mapping

REFUSED: Mapping[str, tuple[str, str]] = {
    "ndcg_score": (
        "scikit-learn's ndcg_score averages over the orders of tied documents",
        'write nDCG, and choose the rule for ties, ties="mean" (--ties mean)',
    ),
    "dcg_score": (
        "scikit-learn's dcg_score averages over the orders of tied documents",
        'write DCG, and choose the rule for ties, ties="mean" (--ties mean)',
    ),
    **dict.fromkeys(
        ("retrievalnormalizeddcg", "retrieval_normalized_dcg"),
        (
            "torchmetrics' RetrievalNormalizedDCG averages over the orders of tied documents",
            'write nDCG, and choose the rule for ties, ties="mean" (--ties mean)',
        ),
    ),
    "averageprecision": (
        "tools disagree on what AveragePrecision divides by",
        (
            'write AP for all relevant documents, as trec_eval; AP(norm="min") for '
            "LensKit's; AP(ties=\"together\") for torchmetrics' and Ignite's, which are "
            "scikit-learn's average_precision_score"
        ),
    ),
    "meanaverageprecision": (
        "tools disagree on what MeanAveragePrecision divides by",
        (
            'write AP for all relevant documents, as trec_eval and keras-rs; AP(norm="min") '
            "for at most k of them, as Spark and RePlay"
        ),
    ),
    "idcg": (
        "IDCG is what nDCG divides by, and no measure of a run",
        "see it for a query in rankmark.explain, and the ranking behind it in its `ideal`",
    ),
    **dict.fromkeys(
        ("retrievalfallout", "retrieval_fall_out"),
        (
            "torchmetrics' RetrievalFallOut is 1 for a query in which everything is relevant",
            "write FallOut, which is 0 there",
        ),
    ),
    **dict.fromkeys(
        ("retrievalauroc", "retrieval_auroc"),
        (
            "torchmetrics' RetrievalAUROC is 0 where the first k hold only relevant documents",
            'write AUC(norm="hits"), which is 1 there',
        ),
    ),
    **dict.fromkeys(
        ("retrievalrecallatfixedprecision", "retrieval_recall_at_fixed_precision"),
        (
            "torchmetrics' RetrievalRecallAtFixedPrecision averages precision and recall over "
            "queries before it takes the maximum",
            "write RecallAtPrecision for the mean of queries; for the maximum, evaluate P and R at "
            "each rank",
        ),
    ),
    "hitk": (
        "recpack's HitK counts the hits of a user, and leaves out users without relevant items",
        'write NumRelRet@k, whose mean is HitK, with no_relevant="skip", or Success@k for whether '
        "there is a hit",
    ),
    "ndcgk": (
        "recpack's NDCGK leaves out users without relevant items, and is meant for labels 0 and 1",
        'write nDCG@k, with no_relevant="skip" (--no-relevant skip)',
    ),
    "relstring": (
        "trec_eval's relstring is a text, the labels of the first documents, and no number",
        "see the labels of a query by rankmark.explain (rankmark explain)",
    ),
    "runid": (
        "trec_eval's runid is the tag of the run, and no number",
        "results show the name of each run",
    ),
    "rbp_resid": (
        (
            "trec_eval's rbp_resid is 0 where every document retrieved is judged or none is "
            "retrieved, and takes labels below 0 for unjudged"
        ),
        "write RBPResidual, in which the ranks beyond the end still weigh",
    ),
    "gauc": (
        "GAUC weights the AUC of users by their items, or in RecBole by their relevant items",
        'evaluate AUC and NumRet, and take ev.aggregate("AUC", weights="NumRet")',
    ),
    "mapk": (
        "tools disagree on what mapk divides by",
        (
            'write AP(norm="min")@k for Kaggle\'s and ml_metrics\', AP(norm="hits")@k for '
            "recmetrics'"
        ),
    ),
    "apk": ("Kaggle's and ml_metrics' apk is written otherwise here", 'write AP(norm="min")@k'),
    "context_precision": (
        "ragas' context precision is written otherwise here",
        'write AP(norm="hits")',
    ),
    "context_recall": (
        "ragas' context recall asks a language model what is relevant",
        "write R for recall by judgments",
    ),
}
"""Names of other tools, in lower case, that mean something different from any measure here."""

REFUSED_AS_WRITTEN: Mapping[str, tuple[str, str]] = {
    "rbp": (
        (
            "trec_eval's rbp compares labels with variables that it never sets, so that its "
            "figure is chance where labels are not 0 and 1"
        ),
        (
            "write RBP where labels are 0 and 1, or to count from rel on, and "
            'RBP(max_rel="query") for what trec_eval prints where these variables happen to '
            "be 0"
        ),
    ),
    "recall": (
        "trec_eval's recall is at nine cutoffs, and ranx's is that of the whole ranking",
        "write R@5,10,15,20,30,100,200,500,1000 for trec_eval's, R for ranx's",
    ),
    "hits": (
        "ranx's hits counts the relevant documents found, those of others whether there is any",
        "write NumRelRet@k, whose mean is ranx's hits@k, or Success@k",
    ),
}
"""Names of other tools that differ from the name of a measure here only by case."""

MULTIPLIED = (
    "ranx's {name} multiplies labels as they are, with p=0.{p}",
    "write RBP(p=0.{p}) where labels are 0 and 1, and RBP(p=0.{p}, max_rel=m) where they go to "
    "m, of which ranx's is m times as much",
)
MULTIPLIED_FROM = (
    "ranx's {name} multiplies labels from {level} on as they are, with p=0.{p}",
    "write RBP(p=0.{p}, rel={level}), which counts 1 for each of them; where no label is above "
    "{level}, ranx's is {level} times as much",
)

IN_RANX_NO_CUTOFF = (
    "ranx's rbp@{p} is its rbp.{p}, with p=0.{p} and labels for gains",
    "write RBP@{p} for the first {p} documents, or RBP(p=0.{p}) where labels are 0 and 1",
)

PAIRWISE = (
    "ir_measures' Accuracy is the share of pairs in order, that of BEIR whether anything relevant "
    "is among the first k",
    "write AUC(norm=\"hits\") for ir_measures', Success@k for BEIR's Accuracy@k",
)
"""What to write instead of Accuracy without a cutoff, which only ir_measures has."""

_BY_MEANING = (
    (
        r"(^|_)ctr(_|$)|click",
        "clicks are no judgments; where clicked documents have label 1, Success@k is the share of "
        "queries with a click among the first k, and P@k that of documents",
    ),
    (
        r"^[tf][pn]s?$|^(true|false)_?(pos|neg)[a-z]*s$",
        "true positives are NumRelRet@k, judged false positives NumNonrelJudgedRet@k; rankmark "
        "explain shows TP, FP, FN and TN of a query",
    ),
    (
        r"fixed_?precision|precision_?at_?recall",
        "RecallAtPrecision is the recall at a fixed precision, and IPrec@0.5 the precision at a "
        "recall of 0.5; rankmark plot precision-recall draws both",
    ),
    (
        r"precision_?recall|pr_?curve",
        "rankmark plot precision-recall draws the curve, IPrec is the mean of its interpolated "
        "precisions, and F joins precision and recall at one cutoff",
    ),
    (
        r"kendall|spearman|pearson|(^|_)(tau|rho|rbo)|footrule|rank_?corr|jaccard|overlap",
        "two rankings are compared by rankmark.compare_rankings (rankmark similarity), which needs "
        "no judgments",
    ),
    (r"^p_?mrr", "p-MRR compares two runs: rankmark.p_mrr in Python"),
    (
        r"coverage",
        "the share of a catalogue that is in some list is ItemCoverage, of users UserCoverage; "
        "StRecall is the share of subtopics that are covered, CoverageError how deep one must go "
        "for all that is relevant",
    ),
    (
        r"gini|novel|divers|serendip|popular|surpris|unexpected|entropy|(^|_)(ild|ils)|"
        r"intra_?list|personali|fair|exposure",
        "of the items of lists, MIUF and ARP are about novelty, ILD and CategoryEntropy about "
        "diversity, Serendipity and Unexpectedness about surprise, Gini about how often each is "
        "shown; where judgments name subtopics, alpha_nDCG, ERR_IA and StRecall reward diversity",
    ),
    (r"(ideal|max)_?dcg", ": ".join(REFUSED["idcg"])),
    (r"ndcg", "nDCG is normalized discounted cumulative gain, with a cutoff as in nDCG@10"),
    (r"dcg", "DCG is discounted cumulative gain, with a cutoff as in DCG@10"),
    (r"hit|top_?k_?acc", "whether anything relevant is among the first k is Success@k"),
    (r"mrr|mean_?recip", "the reciprocal rank of the first relevant document is RR, as in RR@10"),
    (
        r"accuracy",
        "whether anything relevant is among the first k is Success@k, and the share of pairs in "
        "order OPA",
    ),
    (r"pr_?auc|au_?prc|aucpr", "the area under the precision-recall curve is AP"),
    (r"auc|(^|_)roc", "the area under the ROC curve of each query is AUC"),
    (
        r"(^|_)m?ap(_|k|$)|average_?precision",
        'average precision is AP; AP(norm="min") divides by at most k, AP(norm="hits") by what '
        "was found",
    ),
    (
        r"f_?beta|^f_?[0-9.]+(_|$)|f_?score|f_?measure",
        "precision and recall in one number is F, as in F(beta=2)@10",
    ),
    (r"sensitiv|(^|_)tpr|true_pos", "the share of the relevant documents that was found is R"),
    (
        r"specific|(^|_)fpr|false_pos",
        "the share of what is not relevant that was retrieved is FallOut",
    ),
    (
        r"(^|_)(r?mse|mae|r2)(_|$)|squared_?err|absolute_?err|log_?loss|cross_?ent",
        "how far predicted numbers are off is not measured here: rankings are",
    ),
    (
        r"faithful|answer|hallucin|grounded",
        "what a model wrote is not measured here; what it was given to read is, by R, nDCG and RR",
    ),
)


def by_meaning(name: str) -> str | None:
    """Return a hint for an unknown name by the words in it; None if no word is known."""
    spelling = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "_", name).lower().replace("-", "_")
    return next((hint for words, hint in _BY_MEANING if re.search(words, spelling)), None)
