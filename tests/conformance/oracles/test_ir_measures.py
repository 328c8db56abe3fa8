"""We agree with ir_measures, up to the ledger of known differences."""

from typing import Any

from hypothesis import given

import rankmark as rm
from conformance.agreement import agrees
from conformance.oracles.voices import (
    bearable_collections,
    bearable_long_collections,
    ir_measure,
    ir_measures_says,
)
from generators.random_collections import Collection

SAME_NAMES = (
    "P@1", "P@3", "P@10", "P(rel=2)@3", "R@2", "R@5", "R(rel=2)@1000", "Success@1", "Success@3",
    "Success(rel=2)@10", "Rprec", "Rprec(rel=2)", "RR", "RR(rel=2)", "AP", "AP@3", "AP(rel=2)",
    "AP(rel=2)@5", "nDCG", "nDCG@1", "nDCG@3", "nDCG@10", "NumRet",
    "Bpref", "Bpref(rel=2)", "infAP", "infAP(rel=2)", "IPrec(recall=0.0)", "IPrec(recall=1.0)",
)  # fmt: skip
OTHER_NAMES = {
    "SetP": "P",
    "SetP(rel=2)": "P(rel=2)",
    "SetP(relative=True)": 'R(norm="min")',
    "SetR": "R",
    "SetF": "F",
    "SetF(beta=4.)": "F(beta=2)",
    "SetAP": 'AP(precision="set")',
    "SetAP(rel=2)": 'AP(precision="set", rel=2)',
    "IPrec(recall=0.1)": 'IPrec(recall=0.1, rounding="tenth")',
    "IPrec(recall=0.5, rel=2)": 'IPrec(recall=0.5, rel=2, rounding="tenth")',
    "NumRet(rel=1)": "NumRelRet",
    "NumRet(rel=2)": "NumRelRet(rel=2)",
    "nDCG(gains={1: 1, 2: 3, 3: 7, 4: 15})@5": 'nDCG(gain="exp2")@5',
}
# ir_measures' own Python breaks ties by document id upwards in these (its pytrec_eval downwards).
TIES_UP = ("RR@1", "RR@3", "RR@10", "RR(rel=2)@5", "Judged@1", "Judged@5", "Judged@1000")


def assert_agreement(collection: Collection, names: dict[str, str], **conventions: Any) -> None:
    """Compare every measure of every judged query, one without a ranking included."""
    theirs = {name: ir_measure(name) for name in names}
    said = ir_measures_says(*collection, theirs.values())
    ev = rm.evaluate(*collection, list(names.values()), **conventions)
    for name, ours in names.items():
        found = ev.per_query(ours)
        agrees("ir_measures", ours, found, said[str(theirs[name])], rel=1e-9, abs=1e-9)
        assert list(found) == list(collection.qrels)


@given(collection=bearable_collections())
def test_measures_of_the_same_name_agree(collection: Collection) -> None:
    assert_agreement(collection, {name: name for name in SAME_NAMES})


@given(collection=bearable_collections())
def test_measures_of_another_name_agree(collection: Collection) -> None:
    assert_agreement(collection, OTHER_NAMES)


@given(collection=bearable_collections())
def test_measures_of_their_own_python_agree_with_ties_up(collection: Collection) -> None:
    assert_agreement(collection, {name: name for name in TIES_UP}, ties="docid-asc")


@given(collection=bearable_long_collections())
def test_long_rankings_agree(collection: Collection) -> None:
    assert_agreement(collection, {name: name for name in SAME_NAMES} | OTHER_NAMES)


@given(collection=bearable_collections())
def test_counts_agree_over_the_queries_answered(collection: Collection) -> None:
    # Theirs count 0 for a query without a ranking: see the ledger.
    said = ir_measures_says(*collection, [ir_measure("NumQ"), ir_measure("NumRel")])
    ev = rm.evaluate(*collection, ["NumQ", "NumRel"], queries="both")
    assert ev["NumQ"] == sum(said["NumQ"].values())
    assert ev["NumRel"] == sum(said["NumRel"].values())
