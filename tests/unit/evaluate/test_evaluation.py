"""An evaluation: who was averaged under which conventions, worked by hand on one small case."""

import hashlib
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from conformance.cases import OVER_LABELS
from rankmark import AP, RR, NumQ, NumRel, P, nDCG

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1}, "q3": {"e": 1}, "q4": {"f": 0}}
RUN = {
    "q1": {"b": 3.0, "a": 2.0, "x": 2.0, "c": 1.0},
    "q2": {"x": 1.0, "d": 0.5},
    "q4": {"f": 1.0},
    "q8": {"z": 1.0},
    "q9": {"z": 1.0, "y": 0.5},
}
# Ties by id descending: q1 is b, x, a, c. q3 is missing, q4 has nothing relevant.
RECIPROCAL_RANKS = {"q1": 1 / 3, "q2": 1 / 2, "q3": 0.0, "q4": 0.0}


def qrels_text() -> io.BytesIO:
    lines = [f"{q} 0 {doc} {label}\n" for q, docs in QRELS.items() for doc, label in docs.items()]
    return io.BytesIO("".join(lines).encode())


def run_text() -> io.BytesIO:
    lines = [
        f"{q} Q0 {doc} 0 {score} t\n" for q, docs in RUN.items() for doc, score in docs.items()
    ]
    return io.BytesIO("".join(lines).encode())


def evaluated(measures: Any = ("RR", "P@1"), **conventions: Any) -> rm.Evaluation:
    return rm.evaluate(QRELS, RUN, measures, **conventions)


def test_scores_stand_by_query_and_measure() -> None:
    ev = evaluated()
    assert ev.queries == ("q1", "q2", "q3", "q4")
    assert ev.measures == (RR, P @ 1)
    assert ev.scores.shape == (4, 2)
    assert ev.scores.dtype == np.float64
    assert ev.per_query("RR") == RECIPROCAL_RANKS
    assert ev["RR"] == ev[RR] == ev["recip_rank"] == sum(RECIPROCAL_RANKS.values()) / 4
    assert type(ev["RR"]) is float
    assert tuple(ev.values()) == (ev["RR"], ev["P@1"])


def test_scores_cannot_be_written() -> None:
    ev = evaluated()
    with pytest.raises(ValueError, match="read-only"):
        ev.scores[0, 0] = 1.0


def test_the_audit_counts_who_was_averaged() -> None:
    audit = evaluated().audit
    assert (audit.averaged, audit.judged, audit.answered, audit.missing) == (4, 4, 3, 1)
    assert audit.missing_queries == ("q3",)
    assert (audit.run_only, set(audit.run_only_examples)) == (2, {"q8", "q9"})
    assert audit.without_relevant == 1
    assert audit.tied_share == 1 / 5
    assert audit.judged_at_10 == evaluated("Judged@10")["Judged@10"] == 0.5625
    assert (audit.interleaved, audit.qrels_extra_columns, audit.run_extra_columns) == (0, 0, 0)


def test_the_audit_is_the_same_for_files_and_mappings() -> None:
    from_files = rm.evaluate(qrels_text(), run_text(), ["RR", "P@1"])
    assert from_files.audit == evaluated().audit
    assert from_files.audit.rows == 10
    assert from_files.scores.tobytes() == evaluated().scores.tobytes()


def test_without_relevant_counts_by_the_lowest_threshold_asked_for() -> None:
    assert evaluated(["AP(rel=2)"]).audit.without_relevant == 3
    assert evaluated(["AP(rel=2)", "RR"]).audit.without_relevant == 1
    assert evaluated(["nDCG"]).audit.without_relevant == 1


def test_the_audit_reads_as_one_line() -> None:
    line = str(evaluated().audit)
    assert "\n" not in line
    for part in (
        "judged 4",
        "answered 3",
        "missing 1",
        "run-only 2",
        "without relevant 1",
        "20.0%",
    ):
        assert part in line


def test_averaging_both_leaves_the_missing_out() -> None:
    ev = evaluated(queries="both")
    assert ev.queries == ("q1", "q2", "q4")
    assert ev["RR"] == (1 / 3 + 1 / 2) / 3
    assert (ev.audit.averaged, ev.audit.missing) == (3, 1)


def test_averaging_a_list_keeps_judgment_order_and_each_query_once() -> None:
    for listed in (["q3", "q1"], ("q1", "q3"), iter(["q3", "q1", "q3"]), np.array(["q1", "q3"])):
        ev = evaluated(queries=listed)
        assert ev.queries == ("q1", "q3")
        assert ev["RR"] == 1 / 6


def test_listed_queries_may_be_whole_numbers() -> None:
    ev = rm.evaluate({1: {"a": 1}, 2: {"b": 1}}, {1: {"a": 1.0}}, ["RR"], queries=[1])  # type: ignore[list-item]
    assert (ev.queries, ev["RR"]) == (("1",), 1.0)


def test_listed_queries_that_nobody_judged_are_refused() -> None:
    with pytest.raises(rm.InputError, match="2 requested queries have no judgments: 'q8', 'q'"):
        evaluated(queries=["q1", "q8", "q"])


@pytest.mark.parametrize(
    ("rule", "last", "mean"),
    [("zero", 0.0, 5 / 24), ("one", 1.0, 11 / 24), ("nan", None, None), ("skip", None, 5 / 18)],
)
def test_a_query_with_nothing_relevant_counts_as_chosen(
    rule: str, last: float | None, mean: float | None
) -> None:
    ev = evaluated(["RR"], no_relevant=rule)
    assert ev.scores[-1, 0] == last or math.isnan(ev.scores[-1, 0])
    assert ev["RR"] == (
        pytest.approx(mean) if mean is not None else pytest.approx(math.nan, nan_ok=True)
    )
    if rule == "skip":
        assert ev.per_query("RR") == {q: RECIPROCAL_RANKS[q] for q in ("q1", "q2", "q3")}


def test_nothing_relevant_is_a_question_to_each_measure() -> None:
    ev = evaluated(["AP(rel=2)", "RR", "NumRel", "Judged@5", "NumQ"], no_relevant="one")
    assert ev.scores[:, 0].tolist() == [0.25, 1.0, 1.0, 1.0]
    assert ev.scores[:, 1].tolist() == [1 / 3, 0.5, 0.0, 1.0]
    assert ev["NumRel"] == 4.0
    assert ev["NumQ"] == 4.0
    assert ev.scores[-1, 3] == 1.0


def test_nothing_relevant_counted_as_one_is_never_the_worst_of_a_measure() -> None:
    # No document is relevant in the last of four queries; where less is better, 1 is a loss.
    asked = [one for one in OVER_LABELS if one.nothing_relevant is not None]
    for one in asked:
        last = evaluated([one], no_relevant="one").scores[-1, 0]
        if one.more_is_better:
            assert last == (1.0 if one.bounds[1] == 1.0 else one.nothing_relevant), one
        else:
            assert last == one.bounds[0] == 0.0, one
    assert {one.more_is_better for one in asked} == {True, False}


def test_counts_are_summed_and_the_rest_averaged() -> None:
    ev = evaluated([NumQ, NumRel, "NumRet", "NumRelRet", P @ 1])
    assert tuple(ev.values()) == (4.0, 4.0, 7.0, 3.0, 0.0)


@pytest.mark.parametrize(
    ("ties", "first"),
    [("docid", 1 / 3), ("docid-asc", 1 / 2), ("input", 1 / 2)],
)
def test_ties_fall_as_chosen(ties: str, first: float) -> None:
    assert evaluated(["RR"], ties=ties).per_query("RR")["q1"] == first
    files = rm.evaluate(QRELS, run_text(), ["RR"], ties=ties)  # type: ignore[arg-type]
    assert files.per_query("RR")["q1"] == first


def test_ties_may_be_refused() -> None:
    with pytest.raises(rm.InputError, match=r"1 judged document is tied \(query 'q1'\); choose"):
        evaluated(ties="error")
    calm = {q: dict(zip(docs, range(len(docs)), strict=True)) for q, docs in RUN.items()}
    assert rm.evaluate(QRELS, calm, ["RR"], ties="error")["RR"] > 0


def test_a_rank_column_may_be_trusted_where_there_is_one() -> None:
    run = io.BytesIO(b"q2 Q0 x 2 1.0 t\nq2 Q0 d 1 0.5 t\n")
    assert rm.evaluate(QRELS, run, ["RR"], ties="rank").per_query("RR")["q2"] == 1.0
    with pytest.raises(rm.InputError, match="rank column, and a mapping has none"):
        evaluated(ties="rank")


def test_depth_cuts_after_sorting() -> None:
    ev = evaluated(["RR", "NumRet"], depth=2)
    assert ev.per_query("RR") == {"q1": 0.0, "q2": 0.5, "q3": 0.0, "q4": 0.0}
    assert ev["NumRet"] == 5.0
    assert evaluated(depth=100).scores.tolist() == evaluated().scores.tolist()


def test_judged_only_ranks_the_judged_alone() -> None:
    ev = evaluated(["RR", "Judged@10", "NumRet"], judged_only=True)
    assert ev.per_query("RR") == {"q1": 0.5, "q2": 1.0, "q3": 0.0, "q4": 0.0}
    assert ev["NumRet"] == 5.0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("queries", "all"),
        ("ties", "random"),
        ("ties", None),
        ("no_relevant", "two"),
        ("duplicates", "last"),
        ("duplicates", None),
        ("precision", "half"),
        ("depth", 0),
        ("depth", -1),
        ("depth", 1.5),
        ("depth", True),
        ("depth", "5"),
        ("depth", "deep"),
        ("depth", [5]),
        ("depth", math.nan),
        ("depth", math.inf),
        ("queries", None),
        ("queries", 5),
    ],
)
def test_a_convention_that_does_not_exist_is_refused(name: str, value: Any) -> None:
    with pytest.raises(rm.InputError, match=f"^{name} is .*; need "):
        evaluated(**{name: value})


def test_whole_numbers_of_any_type_are_depths() -> None:
    for depth in (2, 2.0, np.int64(2), 2**40, 2**70):
        ev = evaluated(depth=depth)
        assert ev.to_json()
        assert ev.settings["depth"] == depth


def test_a_run_and_qrels_that_never_meet_are_refused() -> None:
    many = {f"topic-{i}": {"a": 1.0} for i in range(9)}
    for run in (many, io.BytesIO(b"".join(b"topic-%d 0 a 1 1 t\n" % i for i in range(9)))):
        with pytest.raises(rm.MismatchError) as caught:
            rm.evaluate(QRELS, run)
        for part in (
            "none of its 9 queries",
            "'topic-0', 'topic-1', 'topic-2'",
            "'q1', 'q2', 'q3'",
        ):
            assert part in str(caught.value)


def test_measures_are_asked_for_in_many_ways() -> None:
    assert [str(one) for one in evaluated(None).measures] == [
        "nDCG@10",
        "AP",
        "RR@10",
        "R@100",
        "P@10",
        "Judged@10",
    ]
    assert (
        evaluated("AP").measures == evaluated(AP).measures == evaluated({"map"}).measures == (AP,)
    )
    assert evaluated(one for one in ["MAP", nDCG @ 5, "AP", "P@5"]).measures == (
        AP,
        nDCG @ 5,
        P @ 5,
    )
    with pytest.raises(rm.MeasureError, match="no measure is requested"):
        evaluated([])


def test_a_measure_that_was_not_evaluated_is_refused() -> None:
    for ask in (lambda ev: ev["AP"], lambda ev: ev.per_query("AP")):
        with pytest.raises(rm.MeasureError, match=r"AP was not evaluated; .* RR, P@1"):
            ask(evaluated())


@pytest.mark.parametrize("name", ["Bpref", "infAP"])
def test_a_measure_that_looks_at_labels_below_rel_warns_of_it_too(name: str) -> None:
    with pytest.warns(rm.RankmarkWarning, match=f"{name}: no label reaches rel=1"):
        rm.evaluate({"q": {"a": 0.5, "b": -1}}, {"q": {"a": 1.0}}, name)


def test_a_measure_that_takes_grades_for_gains_does_not_ask_for_rel() -> None:
    ev = rm.evaluate({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, ["RBP(max_rel=1)", "nDCG"])
    assert ev["nDCG"] == 1


def test_a_threshold_that_no_label_reaches_is_warned_of() -> None:
    with pytest.warns(rm.RankmarkWarning, match=r"no label reaches rel=1, the highest is 0\.5"):
        rm.evaluate({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, ["AP"])


def test_settings_say_what_was_chosen() -> None:
    ev = evaluated(["AP(rel=2)@5"], queries=["q1"], ties="input", no_relevant="skip", depth=7)
    assert ev.settings == {
        "queries": ["q1"],
        "ties": "input",
        "no_relevant": "skip",
        "depth": 7,
        "judged_only": False,
        "duplicates": "error",
        "drop_self": False,
        "precision": "double",
        "unit": None,
        "qrels_unit": None,
        "combine": "best",
        "unit_depth": None,
        "measures": ["AP(rel=2)@5"],
        "qrels": {"form": "mapping"},
        "run": {"form": "mapping"},
    }


def test_numbers_beyond_what_the_core_counts_mean_all_there_are() -> None:
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"a": 1.0, "b": 0.5, "c": 0.2}}
    wanted = rm.evaluate(qrels, run, ["nDCG", "AP", "R"]).scores.tolist()
    for huge in (2**31, 2**32, 2**63, 10**30):
        measures = [rm.nDCG @ huge, rm.AP @ huge, rm.R @ huge]
        assert rm.evaluate(qrels, run, measures).scores.tolist() == wanted
        ev = rm.evaluate(qrels, run, ["nDCG", "AP", "R"], depth=huge, threads=huge)
        assert ev.scores.tolist() == wanted
        assert len(rm.Qrels(qrels, threads=huge)) == 2
    with pytest.raises(rm.MeasureError, match="need a whole number from 1"):
        rm.P @ 10**400


def test_threads_change_nothing() -> None:
    wanted = evaluated().scores.tobytes()
    for threads in (1, 2, 7, None):
        ev = rm.evaluate(qrels_text(), run_text(), ["RR", "P@1"], threads=threads)
        assert ev.scores.tobytes() == wanted


def test_files_are_named_and_hashed(tmp_path: Path) -> None:
    path = tmp_path / "my.run"
    path.write_bytes(run_text().read())
    written = rm.evaluate(QRELS, path, ["RR"]).to_dict()
    digest = hashlib.sha256(run_text().read()).hexdigest()
    assert written["run"] == {"name": str(path), "sha256": digest, "form": "trec"}
    assert written["qrels"] == {"name": "<mapping>", "sha256": None, "form": "mapping"}
    assert rm.evaluate(QRELS, path, ["RR"]).run_name == str(path)


def test_a_run_of_strangers_is_warned_of() -> None:
    with pytest.warns(rm.RankmarkWarning, match=r"no document that it holds is judged.*'D1'"):
        ev = rm.evaluate({"q": {"D1": 1}}, {"q": {"d1": 1.0}}, "AP")
    assert ev["AP"] == 0.0


def test_labels_below_the_threshold_that_nobody_chose_are_warned_of() -> None:
    with pytest.warns(rm.RankmarkWarning, match=r"AP: no label reaches rel=1, .* AP\(rel=0.5\)"):
        ev = rm.evaluate({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, ["nDCG", "AP"])
    assert (ev["nDCG"], ev["AP"]) == (1.0, 0.0)


@pytest.mark.parametrize("wrong", [{"judged_only": 1}, {"judged_only": "yes"}, {"threads": 0}])
def test_options_of_a_wrong_type_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(rm.InputError, match=next(iter(wrong))):
        evaluated(**wrong)


def test_a_file_that_changed_since_is_not_hashed_in_the_name_of_the_old(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(run_text().read())
    ev = rm.evaluate(QRELS, tmp_path / "run", ["RR"])
    assert len(ev.to_dict()["run"]["sha256"]) == 64
    (tmp_path / "run").write_text("q1 Q0 x 1 1 t\n")
    assert ev.to_dict()["run"]["sha256"] is None
    (tmp_path / "run").unlink()
    assert ev.to_dict()["run"]["sha256"] is None


def test_a_run_that_is_read_again_after_a_change_is_hashed_anew(tmp_path: Path) -> None:
    run = rm.Run(tmp_path / "run")
    for data in (run_text().read(), b"q1 Q0 b 1 1 t\n"):
        (tmp_path / "run").write_bytes(data)
        written = rm.evaluate(QRELS, run, ["RR"]).to_dict()
        assert written["run"]["sha256"] == hashlib.sha256(data).hexdigest()


def test_ties_are_counted_alike_by_who_refuses_audits_and_checks() -> None:
    qrels = {"q1": {"a": 1, "b": 0, "c": 2, "d": 0}, "q2": {"e": 0, "f": 1}}
    run = {
        "q1": {"x": 5.0, "b": 5.0, "a": 4.0, "c": 3.0, "d": 3.0},
        "q2": {"f": 2.0, "e": 1.0, "y": 1.0},
    }
    tied = 4  # b with x, c with d, e with y
    for measures in (["AP"], ["Bpref"], ["P@1"], ["RR@2", "Judged@10"], ["nDCG@1"]):
        refused = r"4 judged documents are tied \(queries 'q1', 'q2'\)"
        with pytest.raises(rm.InputError, match=refused):
            rm.evaluate(qrels, run, measures, ties="error")
        audit = rm.evaluate(qrels, run, measures).audit
        assert audit.tied_share * 6 == pytest.approx(tied)
    assert rm.check(qrels, run).files[1].facts["ties"]["float64"]["judged"] == tied
    with pytest.raises(rm.InputError, match=r"1 judged document is tied \(query 'q2'\)"):
        rm.evaluate(qrels, run, ["AP"], ties="error", queries=["q2"])


def test_ties_of_queries_that_are_not_averaged_are_no_matter() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    run = {"q1": {"a": 2.0, "x": 1.0}, "q2": {"b": 1.0, "x": 1.0}}
    assert rm.evaluate(qrels, run, "AP", ties="error", queries=["q1"])["AP"] == 1.0
