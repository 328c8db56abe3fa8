"""Profiles and their measures by name: mistyped, with changes, in sets, and as text."""

import re
from pathlib import Path

import pytest

import rankmark as rm
from rankmark.profiles.requests import meanings
from unit.commands import rankmark_here

QRELS = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"b": 1}}
RUN = {"q1": {"a": 1.0, "c": 1.0, "b": 0.5}}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("rnax", "did you mean ranx"),
        ("scikit-learn", "did you mean sklearn"),
        ("trec_eval9.0.8", "did you mean trec_eval9"),
        ("nothing", "need one of trec_eval10, "),
        ("", "need one of trec_eval10, "),
        ("ranx(ties=input, ties=docid)", "has ties twice"),
        ("ranx(queries=3)", "queries is 3; need judged"),
    ],
)
def test_a_wrong_name_is_refused_with_what_to_write(name: str, said: str) -> None:
    with pytest.raises(rm.InputError, match="^[^\n]*" + said.replace("(", "[(]")):
        rm.profile(name)


def test_an_unknown_profile_is_wrong_usage() -> None:
    for arguments in (
        ("profiles", "rnax"),
        ("evaluate", "no-qrels", "no-run", "--profile", "rnax"),
        ("reconcile", "no-qrels", "no-run", "--against", "rnax"),
    ):
        done = rankmark_here(*arguments)
        assert done.returncode == 2
        assert done.stderr.startswith("rankmark: there is no profile 'rnax'; did you mean ranx")
        assert len(done.stderr.splitlines()) == 1


def test_the_name_of_a_changed_profile_can_be_read() -> None:
    for changes in ({"queries": ["q1", 'a, "b"']}, {"depth": 5, "judged_only": True}):
        changed = rm.profile("ranx").with_conventions(**changes)
        assert rm.profile(changed.name) == changed
    twice = rm.profile("ranx").with_conventions(ties="docid").with_conventions(ties="best")
    assert twice.name == "ranx(ties=best)"
    with pytest.raises(rm.InputError, match="queries is 3"):
        rm.profile("ranx").with_conventions(queries=3)


def test_a_set_is_those_of_its_measures_that_the_tool_has() -> None:
    def of(profile: str, name: str) -> list[str]:
        found = meanings(rm.profile(profile), name)
        return [str(measure) for measures in found.values() for measure in measures]

    assert "Rprec(multiple=0.2)" in of("trec_eval9", "all_trec")
    assert "Unjudged@5" not in of("trec_eval9", "all_trec")
    assert "Unjudged@5" in of("trec_eval10", "all_trec")
    assert 'IPrec(recall=0.1, rounding="tenth")' in of("trec_eval9", "official")
    assert of("ranx", "trec-dl") == [
        "nDCG@10",
        "AP(rel=2)",
        "RR(rel=2)",
        "R(rel=2)@100",
        "R(rel=2)@1000",
    ]
    with pytest.raises(rm.MeasureError, match="ragas has no measure of the set 'msmarco'"):
        of("ragas", "msmarco")


@pytest.mark.parametrize(
    ("profile", "name", "said"),
    [
        ("trec_eval9", "ndgc_cut_10", "did you mean ndcg_cut_{k} of trec_eval"),
        ("ranx", "ndgc_burges@10", r"did you mean ndcg_burges\[@{k}\]"),
        ("torchmetrics", "RetreivalMAP", "did you mean RetrievalMAP"),
    ],
)
def test_a_mistyped_name_of_a_tool_is_met_with_its_own(profile: str, name: str, said: str) -> None:
    with pytest.raises(rm.MeasureError, match=said):
        rm.evaluate(QRELS, RUN, name, profile=profile)


def test_a_cutoff_is_written_once() -> None:
    assert "@1000@" not in "".join(map(str, rm.profiles()))
    assert re.search(r"SDCG\[{parameters}\]@{k} +SDCG@k\n", str(rm.profile("ir_measures")))


def test_what_does_not_concern_a_measure_is_not_warned_of(
    recwarn: pytest.WarningsRecorder,
) -> None:
    qrels = {"q": {"a": 1, "b": 0, "not-retrieved": 1}}
    run = {"q": {"a": 1.0, "b": 2.0}}
    rm.evaluate(qrels, run, ["ndcg@5", "pre@5"], profile="xgboost")
    rm.evaluate(qrels, run, "ndcg@5", profile="lightgbm")
    assert not recwarn
    with pytest.warns(rm.RankmarkWarning, match="here it divides by them, too"):
        rm.evaluate(qrels, run, "map@5", profile="lightgbm")
    with pytest.warns(rm.RankmarkWarning, match="counts 1 if none"):
        rm.evaluate({"q": {"x": 1}}, run, "ndcg@5", profile="lightgbm")
    with pytest.warns(rm.RankmarkWarning, match="without a score are unknown"):
        rm.evaluate(qrels, run, "LRAP", profile="sklearn")


def test_conventions_of_measures_are_readable_in_a_caption(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 1.0 r\n")
    names = ("-m", "average_precision_score", "-m", "LRAP", "--format", "latex")
    files = (str(tmp_path / "qrels"), str(tmp_path / "run"))
    latex = rankmark_here("evaluate", *files, "--profile", "sklearn", *names).stdout
    assert 'no\\_relevant=zero; AP(ties="together"): no\\_relevant=one; rankmark' in latex


def test_labels_without_a_gain_keep_theirs_in_trec_eval() -> None:
    name = "ndcg.1=3,2=9"
    qrels = {"q": {"a": 1, "b": 2, "c": 3}}
    run = {"q": ["b", "a", "c"]}
    ev = rm.evaluate(qrels, run, name, profile="trec_eval9")
    assert ev.names == rm.evaluate(qrels, run, name).names
    assert "other" in ev.names[0]
