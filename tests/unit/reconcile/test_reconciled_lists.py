"""Numbers of lists and of runs: which of a tool's conventions gave them."""

from typing import Any

import pytest

import rankmark as rm
from generators.recommendations import CATEGORIES, HISTORY, LISTS, SHORT_LISTS, TEST
from unit.commands import rankmark_here


@pytest.mark.parametrize(
    ("measure", "printed", "words", "who"),
    [
        ("MIUF", "1.504936", 'cold="skip"', "Evidently"),
        ("MIUF@2", "2.504936", 'of="interactions"', "Recommenders, Elliot"),
        ("ARP@3", "0.1333", 'scale="share"', "RecTools"),
        ("ILD", "0.939450", 'distance="cooccurrence"', "Recommenders"),
        ("TailShare@3", "1.8000", 'norm="none"', "Elliot"),
        ("ItemCoverage@3", "5", 'norm="count"', "RecTools, Elliot"),
        ("Gini@3", "0.333333", 'norm="n-1"', "Evidently, Elliot"),
        ("Entropy@2", "1.279854", 'base="e"', "RecBole"),
    ],
)
def test_the_parameter_behind_a_number_is_found(
    measure: str, printed: str, words: str, who: str
) -> None:
    given: dict[str, Any] = {"history": HISTORY, "catalogue": "union"}
    if measure == "ILD":
        given["items"] = CATEGORIES
    found = rm.reconcile(None, LISTS, measure, printed, **given)
    (change,) = found.answers[0].changes
    assert (change.words.endswith(words), change.who) == (True, who), str(found)


def test_numbers_of_users_find_the_tool() -> None:
    measure = 'MIUF(norm="k", scaled=True)@3'
    values = rm.evaluate(TEST, SHORT_LISTS, measure, history=HISTORY).per_query(measure)
    found = rm.reconcile(TEST, SHORT_LISTS, "MIUF@3", per_query=dict(values), history=HISTORY)
    assert found.answers[0].tools == ("replay",)
    assert (
        found.answers[0].call
        == "rm.evaluate(qrels, run, 'MIUF@3', history=history, profile='replay')"
    )


def test_a_run_has_no_query_to_leave_out() -> None:
    found = rm.reconcile(TEST, LISTS, "ItemCoverage@2", "0.75", history=HISTORY, changes=2)
    parts = {change.name for answer in found.answers for change in answer.changes}
    assert not parts & {"queries", "divisor", "aggregate", "no_relevant"}


@pytest.mark.parametrize(
    ("queries", "value"), [("judged", 0.8), ("both", 1.0), (["u1", "u5"], 0.5)]
)
def test_a_number_of_the_run_is_that_of_the_queries_averaged(queries: Any, value: float) -> None:
    measure, known = "UserCoverage@3", {"history": HISTORY, "queries": queries}
    assert rm.evaluate(TEST, SHORT_LISTS, measure, **known) == {measure: value}
    found = rm.reconcile(TEST, SHORT_LISTS, measure, value, **known)
    assert found.start == {measure: value}


def test_no_other_divisor_explains_a_number_of_the_run() -> None:
    found = rm.reconcile(TEST, LISTS, "ItemCoverage@2", "0.83333", history=HISTORY)
    assert found.start == {"ItemCoverage@2": 1.0}  # over 6 queries rather than 5
    assert not found.arithmetic


@pytest.mark.parametrize(
    ("run", "given", "said"),
    [
        (LISTS, {"per_query": {"u1": 0.5}}, "no query has by itself"),
        ({"u1": 1}, {"value": "0.5", "contents": "ranks"}, "only the ranks of targets"),
        ({"u1": {"c": 1.0, "d": 1.0}}, {"value": "0.5", "ties": "mean"}, "tied items"),
    ],
)
def test_what_has_no_number_of_the_run_is_refused(run: Any, given: Any, said: str) -> None:
    with pytest.raises(rm.RankmarkError, match=said):
        rm.reconcile(TEST, run, "ItemCoverage@1", history=HISTORY, **given)


@pytest.mark.parametrize(
    ("measures", "given", "said"),
    [
        (["MIUF@3", "nDCG@3"], {"history": HISTORY}, "by themselves"),
        (["nDCG@3", "AP"], {"history": HISTORY}, "no measure needs it"),
        (["MIUF@3", "ARP@3"], {}, "MIUF@3: it needs the history"),
    ],
)
def test_what_is_missing_or_too_much_is_named(
    measures: list[str], given: dict[str, Any], said: str
) -> None:
    with pytest.raises(rm.InputError, match=said):
        rm.reconcile(TEST, LISTS, measures, ["0.5", "0.5"], **given)


def test_the_command_has_the_same_options(tmp_path: Any) -> None:
    files = {"run.json": LISTS, "history.json": HISTORY}
    for name, lists in files.items():
        rows = [f"{user}\t{item}" for user, items in lists.items() for item in items]
        (tmp_path / name.replace("json", "tsv")).write_text(
            "user_id\titem_id\n" + "\n".join(rows) + "\n"
        )
    run, history = str(tmp_path / "run.tsv"), str(tmp_path / "history.tsv")
    asked = ("-m", "MIUF@2", "--value", "2.504936", "--history", history)
    done = rankmark_here("reconcile", "none", run, *asked)
    assert done.returncode == 0, done.stderr
    assert f"""rankmark evaluate none {run} -m 'MIUF(of="interactions")@2'""" in done.stdout
    assert f"--history {history}" in done.stdout
