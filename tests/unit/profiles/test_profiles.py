"""Profiles: what names mean under them, which conventions hold, and what is said about it."""

import pickle

import numpy as np
import pytest

import rankmark as rm
from rankmark import AP, RR, P, nDCG
from rankmark.conventions import DECLARED
from rankmark.measures import IPrec, NumRelRet, Utility
from rankmark.profiles.conditions import CONDITIONS, JUDGED_ONLY
from rankmark.profiles.requests import meanings
from rankmark.profiles.trec_eval10 import rows_of

QRELS = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"b": 1}}
RUN = {"q1": {"a": 1.0, "c": 1.0, "b": 0.5}}


def meant(profile: str, name: str) -> list[str]:
    found = meanings(rm.profile(profile), name)
    return [str(measure) for measures in found.values() for measure in measures]


def test_the_own_notation_of_a_tool_comes_first() -> None:
    assert meant("trec_eval9", "ndcg_cut.5,10") == ["nDCG@5", "nDCG@10"]
    assert meant("trec_eval9", "P")[:2] == ["P@5", "P@10"]
    assert meant("trec_eval9", "set_P") == ["P"]
    assert meant("trec_eval9", "utility_1,-1,0,0") == [str(Utility)]
    assert meant("trec_eval9", "11pt_avg.0.25,.5") == [
        str(IPrec(recall=(0.25, 0.5), rounding="tenth"))
    ]
    assert meant("ranx", "map@10-l2") == ["AP(rel=2)@10"]
    assert meant("ranx", "ndcg@5-l2") == ['nDCG(gain={1: 0, "other": "linear"})@5']
    assert meant("ranx", "ndcg@5-l1") == ["nDCG@5"]
    assert meant("ranx", "hits@3") == [str(NumRelRet(aggregate="mean") @ 3)]


def test_a_name_without_parameters_is_the_tools_version_of_the_measure() -> None:
    assert meant("sklearn", "nDCG@10") == ['nDCG(ideal="retrieved")@10']
    assert meant("trec_eval9", "IPrec@0.1") == [str(IPrec(recall=0.1, rounding="tenth"))]
    assert meant("trec_eval9", "R@100, MAP, nDCG@1,3") == ["R@100", "AP", "nDCG@1", "nDCG@3"]


def test_a_name_of_several_measures_is_no_version_of_one() -> None:
    assert meant("trec_eval9", "IPrec") == [str(IPrec(rounding="tenth"))]
    assert meant("rectools", "R@100") == ["R@100"]
    assert meant("lightgbm", "map")[0] == 'AP(norm="min")@1'
    with pytest.raises(rm.MeasureError, match="write map@"):
        meant("lightgbm", "AP")


def test_a_measure_and_a_name_with_parameters_mean_themselves() -> None:
    assert meanings(rm.profile("trec_eval9"), [RR @ 10])[RR @ 10] == (RR @ 10,)
    assert meant("sklearn", "nDCG(gain=exp2)@5,AP(rel=2)") == ['nDCG(gain="exp2")@5', "AP(rel=2)"]


@pytest.mark.parametrize(
    ("profile", "name", "said"),
    [
        ("trec_eval9", "RR@10", "recip_rank"),
        ("trec_eval9", "ndcg_burges", "ndcg"),
        ("ranx", "Judged@10", "write hits, hit_rate, precision"),
        ("ranx", "ndcg_burges-l2", "write the gain of every label"),
        ("ranx", "rbp.95", "max_rel=m"),
    ],
)
def test_what_the_tool_does_not_have_is_refused(profile: str, name: str, said: str) -> None:
    with pytest.raises(rm.MeasureError, match=said):
        rm.evaluate(QRELS, RUN, name, profile=profile)


def test_no_measures_are_those_of_the_defaults_that_the_tool_has() -> None:
    assert rm.evaluate(QRELS, RUN, profile="trec_eval9").names == ["nDCG@10", "AP", "R@100", "P@10"]


def test_a_profile_has_conventions_and_those_given_replace_them() -> None:
    ev = rm.evaluate(QRELS, RUN, "map", profile="trec_eval9")
    assert ev.queries == ("q1",)
    assert ev["map"] == ev["AP"]
    assert ev.settings["precision"] == "float32"
    assert ev.settings["profile"]["name"] == "trec_eval9"
    assert ev.settings["profile"]["version"] == "9.0.8"
    assert "profile=trec_eval9 queries=both" in str(ev)
    assert rm.evaluate(QRELS, RUN, "map", profile="trec_eval9", ties="docid-asc")["map"] == (
        pytest.approx((1 + 2 / 3) / 2)
    )
    assert "profile" not in rm.evaluate(QRELS, RUN, "map").settings


def test_a_changed_profile_is_named_with_its_changes() -> None:
    changed = rm.profile("trec_eval9").with_conventions(queries="judged")
    assert changed.name == "trec_eval9(queries=judged)"
    assert rm.profile(changed.name) == changed
    ev = rm.evaluate(QRELS, RUN, "map", profile=changed)
    assert len(ev.queries) == 2
    assert ev.settings["profile"]["name"] == changed.name
    assert changed.with_conventions(queries="both").name == "trec_eval9(queries=both)"
    for ids in (["2", "1"], ("2", "1"), np.array([2, 1]), dict.fromkeys("21").keys()):
        listed = changed.with_conventions(queries=ids).conventions["queries"]
        assert sorted(listed) == ["1", "2"]
    with pytest.raises(rm.InputError, match="need judged, both, or a list"):
        changed.with_conventions(queries=5)
    with pytest.raises(rm.InputError, match="ties is"):
        rm.profile("ranx(ties=[a, b])")
    with pytest.raises(rm.InputError, match="need one of queries"):
        changed.with_conventions(gain="exp2")
    with pytest.raises(rm.InputError, match="need one of docid"):
        rm.profile("ranx(ties=none)")


def test_measures_may_have_conventions_of_their_own() -> None:
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"b": 0}}
    run = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"b": 2.0}}
    names = ["average_precision_score", "label_ranking_average_precision_score"]
    ev = rm.evaluate(qrels, run, names, profile="sklearn")
    assert ev.per_query(names[0]) == {"q1": 0.5, "q2": 0.0}
    assert ev.per_query(names[1]) == {"q1": 0.5, "q2": 1.0}
    assert ev.settings["of_measures"] == {'AP(ties="together")': {"no_relevant": "one"}}
    alone = rm.evaluate(qrels, run, names[1], profile="sklearn")
    assert alone["LRAP"] == ev[names[1]] == 0.75
    assert "of_measures" not in alone.settings
    assert ev.explain("q2", 'AP(ties="together")').value == 1.0
    assert pickle.loads(pickle.dumps(ev)) == ev


def test_rel_applies_to_the_measures_of_a_profile() -> None:
    ev = rm.evaluate(QRELS, RUN, ["map", "P_5"], profile="trec_eval9", rel=2)
    assert ev.names == ["AP(rel=2)", "P(rel=2)@5"]
    assert ev["map"] == pytest.approx(1 / 3)


def test_data_that_the_tool_treats_otherwise_is_warned_of() -> None:
    run = {"q1": {f"d{n}": 1.0 for n in range(20)}}
    with pytest.warns(rm.RankmarkWarning, match="unstable sort"):
        ev = rm.evaluate({"q1": {"d3": 1}}, run, "map", profile="ranx")
    assert "unstable sort" in ev.settings["profile"]["differences"][0]
    fine = rm.evaluate({"q1": {"d3": 1}}, {"q1": {"d3": 1.0, "d4": 1.0}}, "map", profile="ranx")
    assert fine.settings["profile"]["differences"] == []


def test_a_difference_of_other_measures_is_not_warned_of() -> None:
    rm.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "map", profile="ranx")
    with pytest.warns(rm.RankmarkWarning, match="bpref"):
        rm.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, ["map", "bpref"], profile="ranx")


def test_profiles_are_listed_and_found_by_name() -> None:
    names = [profile.name for profile in rm.profiles()]
    assert {"trec_eval9", "ranx", "sklearn"} <= set(names)
    assert rm.profile("Trec-Eval-9").name == "trec_eval9"
    with pytest.raises(
        rm.InputError, match="there is no profile 'trec'; did you mean trec_eval10 or trec_eval9"
    ):
        rm.profile("trec")


@pytest.mark.parametrize("profile", rm.profiles(), ids=lambda profile: profile.name)
def test_every_declaration_is_complete(profile: rm.Profile) -> None:
    own = [profile.conventions, *(row.conventions for row in profile.measures)]
    assert {name for named in own for name in named} - {*DECLARED} == set(), "no conventions"
    assert profile.name in str(profile)
    assert profile.to_dict()["tool"] == profile.tool
    assert profile.summary.endswith(".")
    names = {row.name for row in profile.measures}
    for row in profile.measures:
        assert row.measure is not None or row.note, row.theirs
        needs_cutoff = all("k" in pattern.required for pattern in row.patterns)
        for declared in row.measures:
            conventions = profile.conventions_of(declared @ 7 if needs_cutoff else declared)
            assert conventions == {**profile.conventions, **row.conventions}, row.theirs
    found = {difference.when for difference in profile.differences if difference.when}
    assert found - {*CONDITIONS} == set(), "not in CONDITIONS of profiles/conditions.py"
    for difference in profile.differences:
        assert set(difference.measures) <= names | {JUDGED_ONLY}


def test_versions_of_trec_eval_differ_in_a_rounding_alone() -> None:
    newer, older = rows_of(10), rows_of(9)
    added = {"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"}
    assert {row.name for row in newer} - {row.name for row in older} == added
    assert {row.name for row in older if row not in newer} == {"iprec_at_recall", "11pt_avg"}


@pytest.mark.slow
def test_other_functions_take_a_profile() -> None:
    other = {"q1": {"b": 2.0, "a": 1.0}}
    explained = rm.explain(QRELS, RUN, "q1", "map", profile="trec_eval9")
    assert explained.value == rm.evaluate(QRELS, RUN, AP, profile="trec_eval9")["AP"]
    compared = rm.compare(QRELS, {"a": RUN, "b": other}, ["P_5"], profile="trec_eval9")
    assert compared.queries == ("q1",)
    assert compared.measures == ("P@5",)
    gated = rm.gate(QRELS, RUN, other, "nDCG@10", profile="sklearn", max_drop=0.9)
    assert gated.new.evaluation.names == [str(nDCG(ideal="retrieved") @ 10)]
    assert rm.evaluate(QRELS, RUN, P @ 5, profile="trec_eval9")[P @ 5] == 0.4


def test_mteb_orders_ties_by_id_since_version_2_18_19() -> None:
    qrels, run = {"q": {"a": 1, "c": 0}, "none": {"a": 0}}, {"q": {"a": 0.5, "c": 0.5}}
    names = ["mrr_at_10", "R_cap_at_1", "ndcg_at_10"]
    now = rm.evaluate(qrels, run, names, profile="mteb")
    older = rm.evaluate(qrels, run, names, profile="mteb-older")
    assert [*now.values()] == [0.5, 0.0, pytest.approx(0.6309, abs=1e-4)]
    assert [*older.values()] == [1.0, 1.0, pytest.approx(0.6309, abs=1e-4)]
    run["none"] = {"a": 1.0}
    assert rm.evaluate(qrels, run, "R_cap@1", profile="mteb")["R_cap@1"] == 0.0  # "none" is skipped
    with pytest.warns(rm.ProfileWarning, match="R_cap fails if nothing is relevant"):
        rm.evaluate(qrels, run, "R_cap@1", profile="mteb-older")


def test_a_number_of_either_version_of_mteb_is_recognised() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 0.5, "c": 0.5}}
    for value, tool in (("1.0", "mteb-older"), ("0.5", "mteb")):
        found = rm.reconcile(qrels, run, "RR@10", value)
        assert tool in str(found).replace(
            "mteb-older", "mteb-older" if tool == "mteb-older" else ""
        )
