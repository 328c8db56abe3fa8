"""Judgments of several judges: what is read from files, and what is refused."""

from pathlib import Path

import pytest

import rankmark as rm

RUN = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
TWO_JUDGES = "q ann a 1\nq ann b 0\nq bob a 0\nq bob b 2\n"


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    """Give a place for judgments."""
    return tmp_path / "judged"


def test_judges_who_disagree_are_averaged_as_asked(judgments: Path) -> None:
    judgments.write_text("q ann 1 a 1\nq ann 1 b 0\nq bob 1 b 3\nq bob 1 c 2\nq bob 1 a 1\n")
    names = ["prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_num_prefs_poss"]
    ev = rm.evaluate(judgments, RUN, names, qrels_format="prefs")
    # Ann: a > b holds. Bob: of b > c, b > a, c > a the first holds.
    assert ev["prefs_simp"] == 2 / 4
    assert ev["prefs_pair"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert ev["prefs_avgjg"] == pytest.approx((1 + 1 / 3) / 2)
    assert ev["prefs_num_prefs_poss"] == 4


def test_what_follows_by_way_of_another_document_is_preferred_too(judgments: Path) -> None:
    judgments.write_text("q ann 1 c 2\nq ann 1 b 1\nq ann 2 b 7\nq ann 2 a 5\n")
    ev = rm.evaluate(judgments, RUN, ["NumPrefs", 'NumPrefs(of="fulfilled")'], qrels_format="prefs")
    assert tuple(ev.values()) == (3, 0)


def test_labels_of_two_parts_are_not_compared(judgments: Path) -> None:
    judgments.write_text("q ann 1 a 2\nq ann 1 b 1\nq ann 2 c 9\n")
    ev = rm.evaluate(judgments, RUN, ["NumPrefs", "Prefs"], qrels_format="prefs")
    assert tuple(ev.values()) == (1, 1)


def test_any_measure_is_the_mean_over_judges(judgments: Path) -> None:
    judgments.write_text(TWO_JUDGES)
    ev = rm.evaluate(judgments, RUN, ["RR", "P@1", "RR(rel=2)"], qrels_format="qrels_jg")
    assert tuple(ev.values()) == (0.75, 0.5, 0.25)
    assert ev.settings["qrels"]["form"] == "qrels_jg"


def test_a_query_without_a_preference_is_left_out_where_asked(judgments: Path) -> None:
    judgments.write_text("q ann 1 a 2\nq ann 1 b 1\nother ann 1 a 1\nother bob 1 b 0\n")
    qrels = rm.Qrels(judgments, format="prefs")
    assert rm.evaluate(qrels, RUN, "Prefs")["Prefs"] == 0.5
    assert rm.evaluate(qrels, RUN, "Prefs", no_relevant="skip")["Prefs"] == 1


def test_a_judge_for_whom_nothing_is_relevant_does_not_leave_a_query_out(judgments: Path) -> None:
    judgments.write_text("q ann a 1\nq bob a 0\nother ann a 0\n")
    ev = rm.evaluate(judgments, RUN, "AP", qrels_format="qrels_jg", no_relevant="skip")
    assert ev.per_query("AP") == {"q": 0.5}


REFUSED = {
    "q ann 1 a 1\nq ann 1 b 2\nq ann 2 b 2\nq ann 2 a 3\n": (
        "judged:4: in group 'ann' of query 'q', document 'a' is preferred to 'b'",
        rm.ParseError,
    ),
    "q ann 1 a 1\nq ann 2 b 2\nq ann 2 a 0\n": (
        "judged:3: document 'a' of group 'ann' of query 'q' has label 0 here and 1 on line 1",
        rm.ParseError,
    ),
    "q ann 1 a 1\nq ann 1 b 2\nq ann 1 a 3\n": (
        "judged:3: document 'a' appears twice in part '1' of group 'ann' of query 'q', first on",
        rm.DuplicateError,
    ),
    "q ann 1 a inf\n": ("judged:1: ", rm.ParseError),
    "q ann a 1\n": ("judged:1: found 4 columns, need 5 (qid jg jsg docno rel)", rm.ParseError),
    "q ann 1 a 1 x\n": ("judged:1: found 6 columns, need 5", rm.ParseError),
    "# nothing\n": (
        "judged: it holds no judgments; need lines `qid jg jsg docno",
        rm.ParseError,
    ),
}


@pytest.mark.parametrize("text", REFUSED)
def test_preferences_that_make_no_sense_are_refused_with_their_line(
    judgments: Path, text: str
) -> None:
    judgments.write_text(text)
    message, kind = REFUSED[text]
    with pytest.raises(kind) as caught:
        rm.Qrels(judgments, format="prefs")
    assert message in str(caught.value)


def test_a_document_twice_in_one_group_of_qrels_is_refused(judgments: Path) -> None:
    judgments.write_text(TWO_JUDGES + "q bob a 1\n")
    with pytest.raises(rm.DuplicateError, match=r"judged:5: .* appears twice in group 'bob'"):
        rm.Qrels(judgments, format="qrels_jg")


def test_labels_are_not_looked_for_among_preferences(judgments: Path) -> None:
    judgments.write_text("q ann 1 a 1\n")
    qrels = rm.Qrels(judgments, format="prefs")
    with pytest.raises(rm.MeasureError, match="AP needs labels, and these judgments are preferen"):
        rm.evaluate(qrels, RUN, ["Prefs", "AP"])
    with pytest.raises(rm.InputError, match="subtopics"):
        rm.evaluate(qrels, RUN, "alpha_nDCG")
    with pytest.raises(rm.InputError, match="format prefs has no subtopics"):
        rm.evaluate(judgments, RUN, "alpha_nDCG", qrels_format="prefs")


def test_files_of_several_judges_say_so_where_the_format_was_not_chosen(judgments: Path) -> None:
    judgments.write_text("# by hand\n\nq ann 1 a 1\n")
    with pytest.raises(rm.ParseError, match=r"judged:3: .*--qrels-format prefs"):
        rm.evaluate(judgments, RUN, "Prefs")
    judgments.write_text(TWO_JUDGES)
    with pytest.raises(rm.DuplicateError, match="names assessors, choose --qrels-format qrels_jg"):
        rm.evaluate(judgments, RUN, "AP")


def test_groups_are_of_judgments_in_files(judgments: Path) -> None:
    judgments.write_text(TWO_JUDGES)
    with pytest.raises(rm.InputError, match="a run has no groups"):
        rm.evaluate({"q": {"a": 1}}, judgments, "AP", run_format="qrels_jg")
    with pytest.raises(rm.InputError, match="is for files; give the path of one"):
        rm.Qrels({"q": {"a": 1}}, format="prefs")


@pytest.mark.parametrize("ties", ["mean", "best", "worst"])
def test_groups_are_not_weighed_over_all_orders_of_ties(judgments: Path, ties: str) -> None:
    judgments.write_text(TWO_JUDGES)
    with pytest.raises(rm.InputError, match="does not support judgments in groups"):
        rm.evaluate(judgments, RUN, "AP", qrels_format="qrels_jg", ties=ties)


def test_margins_of_groups_are_refused_where_asked_for_and_else_left_out(judgments: Path) -> None:
    judgments.write_text(TWO_JUDGES)
    tied = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    ev = rm.evaluate(judgments, tied, ["RR", "Prefs"], qrels_format="qrels_jg")
    with pytest.raises(rm.MeasureError, match="tie intervals are unavailable"):
        _ = ev.tie_interval
    with pytest.raises(rm.MeasureError, match="bounds are unavailable"):
        _ = ev.bounds
    assert "tie_interval" not in ev.to_dict()
    assert str(ev)
