"""A system of several runs is one: its scores are averaged within queries."""

import io
import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark.commands.app import app
from rankmark.errors import DuplicateError, InputError, MismatchError, SchemaError
from rankmark.verbs.evaluate.trials import Trials
from unit.evaluate.repeated_trials import QRELS, A, B, trials_of


def cli(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def compared() -> rm.Comparison:
    runs = {"A": trials_of(A), "B": trials_of(B)}
    return rm.compare(QRELS, runs, "P@100", test="t", pass_score=0.5)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.json").write_text(json.dumps(QRELS))
    for name, scores in (("a", A), ("b", B)):
        for number, run in enumerate(trials_of(scores), 9):  # natural order: 9, 10, 11
            Path(f"{name}.{number}.json").write_text(json.dumps(run))


def test_query_means_decide_and_not_the_rows_of_all_trials(compared: rm.Comparison) -> None:
    (row,) = compared.differences
    assert row.n == 8
    assert row.difference == pytest.approx(0.032083333333333366)
    assert row.p == pytest.approx(0.4996267513341118)
    assert compared["A"]["P@100"] == pytest.approx(np.mean(A))


def test_variances_and_pass_rates_are_those_of_the_trials(compared: rm.Comparison) -> None:
    found = compared.to_dict()["runs"]["A"]["reliability"]
    (row,) = found
    assert row["variance_of_queries"] == pytest.approx(0.05885654761904761)
    assert row["variance_of_trials"] == pytest.approx(0.016754166666666667)
    assert row["icc"] == pytest.approx(0.778415442507833)
    assert row["pass_any"] == pytest.approx([0.4166666666666667, 0.5, 0.5])
    assert row["pass_all"] == pytest.approx([0.4166666666666667, 1 / 3, 0.25])
    assert row["flips"] == 0.25
    assert (row["worst"], row["worst_mean"]) == ("trial 1", pytest.approx(0.405))
    text = compared.to_text()
    assert "0.7784  0.4167  0.2500  0.5000  0.2500" in text
    assert "a trial of a query passes with 0.5 or better" in text
    assert "0.7784" in compared.to_markdown()


def test_evaluate_takes_one_system_by_name(compared: rm.Comparison) -> None:
    found = rm.evaluate(QRELS, {"A": trials_of(A)}, "P@100", pass_score=0.5)
    assert isinstance(found, Trials)
    assert len(found.trials) == 3
    assert found["P@100"] == compared["A"]["P@100"]
    assert found.per_query("P@100") == compared.evaluations["A"].per_query("P@100")
    assert found.trials[1].per_query("P@100")["q0"] == 1.0
    for text in (str(found), found._repr_html_(), found.to_text(), found.to_markdown()):
        assert text.count("0.7784") == 1
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_single_query_with_a_list_is_no_system(tmp_path: Path) -> None:
    for run in ({"q1": ["a", "b"]}, {"q1": [{"id": "a", "score": 1}, {"id": "b", "score": 0}]}):
        found = rm.evaluate({"q1": {"b": 1}}, run, "RR")
        assert found["RR"] == 0.5
        assert not found.trials
    assert not rm.evaluate({"q1": {"b": 1}}, {"q1": [str(tmp_path), "b"]}, "RR").trials


def test_what_trials_share_is_read_once() -> None:
    rows = ((query, doc, label) for query, of in QRELS.items() for doc, label in of.items())
    costs = "".join(f"{sign}{number} 1\n" for number in range(100) for sign in "rn")
    found = rm.evaluate(
        rows,
        {"A": trials_of(A)},
        ["P@100", "P@tokens(9)"],
        corpus=iter(QRELS["q0"]),
        document_costs=io.StringIO(costs),
    )
    assert found["P@100"] == rm.evaluate(QRELS, {"A": trials_of(A)}, "P@100")["P@100"]
    assert found.trials[0]["P@tokens(9)"] == 1.0


def test_evaluations_may_be_trials_and_a_system_may_be_compared_again(
    compared: rm.Comparison,
) -> None:
    each = [rm.evaluate(QRELS, run, "P@100") for run in trials_of(A)]
    other = compared.evaluations["B"]
    again = rm.compare(None, {"A": each, "B": other}, test="t")
    assert again.differences[0].p == compared.differences[0].p
    assert again.evaluations["B"].trials == other.trials
    with pytest.raises(SchemaError, match=r"some are not: 'A \(trial 1\)'"):
        rm.compare(QRELS, {"A": trials_of(A), "B": other}, "P@100")
    with pytest.raises(MismatchError, match="different queries"):
        rm.compare(None, {"A": [each[0], rm.evaluate({"q0": {"x": 1}}, {"q0": ["x"]}, "P@100")]})


def test_an_evaluated_system_keeps_its_pass_score_unless_another_is_given(
    compared: rm.Comparison,
) -> None:
    of_a, of_b = compared.evaluations["A"], compared.evaluations["B"]
    for pass_score, expected in ((None, 0.5), (0.3, 0.3)):
        again = rm.compare(None, {"A": of_a, "B": of_b}, pass_score=pass_score).evaluations
        assert [one.pass_score for one in again.values()] == [expected, expected]
        found = rm.gate(None, of_a, of_b, "P@100", max_drop=0.5, pass_score=pass_score)
        assert [row.pass_score for row in found.reliabilities] == [expected, expected]


def test_a_frame_with_a_column_of_trials_is_one_run() -> None:
    run = pd.DataFrame({"query_id": ["q0"], "doc_id": ["r0"], "score": [1.0], "trials": [3]})
    assert rm.gate(QRELS, run, run, "P@100", max_drop=0.5).same == "object"


def test_numbers_of_trials_may_differ_and_one_trial_is_a_run() -> None:
    found = rm.compare(QRELS, {"A": trials_of(A)[:2], "B": trials_of(B)[:1]}, "P@100")
    assert found["A"]["P@100"] == pytest.approx(np.array(A)[:, :2].mean())
    assert not found.evaluations["B"].trials
    passed = rm.compare(QRELS, {"A": trials_of(A), "B": trials_of(B)[:2]}, "P@100", pass_score=0.5)
    assert "pass^2" in passed.to_text()  # as many as both have


def test_trials_that_lack_queries_count_0_there_and_are_named() -> None:
    runs = trials_of(A)
    del runs[1]["q0"]
    found = rm.evaluate(QRELS, {"A": runs}, "P@100")
    assert found.per_query("P@100")["q0"] == pytest.approx((0.88 + 0.80) / 3)
    assert (found.audit.answered, found.audit.missing_queries) == (7, ("q0",))
    assert "lacks 1 query: 'q0'" in str(found)
    with pytest.raises(InputError, match="averaged over different queries"):
        rm.evaluate(QRELS, {"A": runs}, "P@100", queries="both")
    with rm.quiet():
        both = rm.compare(QRELS, {"A": runs, "B": trials_of(B)}, "P@100", queries="both")
    assert len(both.queries) == 7


@pytest.mark.usefixtures("files")
def test_a_trial_given_twice_is_refused_and_a_copy_is_named() -> None:
    run = trials_of(A)[0]
    with pytest.raises(DuplicateError, match="given twice"):
        rm.compare(QRELS, {"A": [run, run]}, "P@100")
    assert "a.9.json is given twice" in cli(
        *("evaluate", "qrels.json", "--system", "a=a.*.json", "--system", "a=./a.9.json"), code=1
    )
    shutil.copy("a.9.json", "a.12.json")
    assert "a.12 has the same bytes as a.9" in cli("evaluate", "qrels.json", "a.*.json")


def test_ties_and_unjudged_documents_are_those_of_all_trials() -> None:
    tied = [{"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 2.0, "b": 1.0}}]
    found = rm.evaluate({"q": {"a": 1, "b": 0}}, {"s": tied}, ["RR", "P@1"])
    assert found["RR"] == 0.75
    assert found.tie_interval == {"RR": (0.75, 1.0), "P@1": (0.5, 1.0)}
    each = rm.evaluate({"q": {"a": 1}}, {"s": tied}, "P@1")
    assert each.bounds == {"P@1": (0.5, 1.0)}


def test_what_is_of_one_ranking_is_refused(compared: rm.Comparison) -> None:
    found = compared.evaluations["A"]
    for call in (lambda: found.explain("q0"), lambda: found.plot("curve")):
        with pytest.raises(InputError, match=r"A has 3 trials.*result\.trials\[0\]"):
            call()
    assert found.trials[0].explain("q0").value == 0.88


def test_other_functions_take_systems_or_refuse_them(compared: rm.Comparison) -> None:
    of_a, of_b = compared.evaluations["A"], compared.evaluations["B"]
    board = rm.leaderboard({"A": {"t": of_a, "u": of_b}, "B": {"t": of_b, "u": of_b}}, resamples=9)
    assert {one.model for one in board.standings} == {"A", "B"}
    with pytest.raises(InputError, match="3 trials, each with its own scores"):
        rm.abstention(QRELS, {"A": trials_of(A)}, "P@100")
    systems = {"A": trials_of(A), "B": trials_of(B)[0]}
    with pytest.raises(SchemaError):
        rm.fuse(systems)
    with pytest.raises(InputError, match="a system of 3 trials; name one"):
        rm.failure_causes(QRELS, systems, "P@100")


def test_weights_count_in_pass_rates() -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    runs = [{"q": ["a"], "r": ["b"]}, {"q": ["b"], "r": ["b"]}]
    found = rm.evaluate(qrels, {"s": runs}, "Success@1", weights={"q": 3, "r": 1})
    (row,) = found.to_dict()["reliability"]
    assert found["Success@1"] == row["pass_any"][0] == 0.375
    assert (row["flips"], row["pass_all"][1], row["pass_any"][1]) == (0.75, 0.0, 0.75)


@pytest.mark.usefixtures("files")
def test_commands_take_quoted_patterns_and_named_systems() -> None:
    call = ("evaluate", "qrels.json", "a.*.json", "--system", "new=b.*.json", "-m", "P@100")
    assert "a.*  0.4533" in cli(*call)
    runs = json.loads(cli(*call, "--format", "json", "--pass-score", "0.5"))["runs"]
    assert [run["name"] for run in runs] == ["new", "a.*"]
    assert [one["run"]["name"] for one in runs[1]["trials"]] == [
        "a.9.json",
        "a.10.json",
        "a.11.json",
    ]
    assert runs[1]["reliability"][0]["flips"] == 0.25
    of_two = ("compare", "qrels.json", "new", "a.*.json", *call[3:], "--test", "t")
    assert "0.4996" in cli(*of_two, "--name", "a.*.json=old", "--baseline", "old")
    at = ("--system", "old=a.*.json", "--system", "new=b.*.json", "-m", "P@100")
    power, gate = ("power", "qrels.json", "--resamples", "9"), ("gate", "qrels.json")
    assert "+0.0321" in cli(*power, *at)
    assert "+0.0321" in cli(*power, "a.*.json", "b.*.json", "-m", "P@100")
    assert "+0.0321" in cli(*gate, "old", "new", *at, "--max-drop", "0.5")
    assert "there are 3" in cli(*power, "x", *at, code=2)
    assert "Missing argument" in cli("compare", "qrels.json", code=2)
    assert "need NAME=PATTERN" in cli("compare", "qrels.json", "--system", "new", code=2)
    assert "no file matches" in cli("compare", "qrels.json", "--system", "new=x*", code=1)


@pytest.mark.usefixtures("files")
def test_records_of_systems_are_verified() -> None:
    for command in ("evaluate", "compare"):
        call = (command, "qrels.json", "a.9.json", "--system", "new=b.*.json", "-m", "P@100")
        cli(*call, "--record", "record.json")
        assert "the same" in cli("verify", "record.json")
    run = json.loads(Path("b.10.json").read_text())
    Path("b.10.json").write_text(json.dumps(run | {"q0": ["r0"]}))
    assert "new" in cli("verify", "record.json", code=3)


@pytest.mark.usefixtures("files")
def test_a_report_shows_the_trials(compared: rm.Comparison, tmp_path: Path) -> None:
    cli("report", str(tmp_path / "qrels.json"), str(tmp_path / "a.*.json"), "-o", "of-files.html")
    page = Path("of-files.html").read_text()
    assert "a.10.json" in page
    assert str(tmp_path) not in page
    rm.write_report(compared, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert 'id="trials"' in page
    assert "0.7784" in page
    assert "Ranked lists of A: each of its trials has its own." in page


def test_a_note_on_the_lists_of_one_trial_names_it() -> None:
    runs = {"new": [{"q1": ["a", "b"]}, {"q1": ["a", "c"]}]}
    found = rm.evaluate({"q1": {"a": 1}}, runs, "Cost@2", document_costs={"a": 1, "b": 2, "c": 4})
    assert found.list_notes[1:] == ("trial 1: Cost@2: 3 in total", "trial 2: Cost@2: 5 in total")
    alike = rm.evaluate({"q1": {"a": 1}}, runs, "Cost@1", document_costs={"a": 1})
    assert "Cost@1: 1 in total" in alike.list_notes


@pytest.mark.parametrize("form", ["latex", "csv"])
@pytest.mark.parametrize("command", ["evaluate", "compare"])
@pytest.mark.usefixtures("files")
def test_what_is_pasted_says_that_a_system_is_a_mean_of_trials(command: str, form: str) -> None:
    words = [command, "qrels.json", "a.*.json", "b.9.json", "-m", "P@100", "--format", form]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "a.*: mean of 3 trials per query" in done.stderr
    assert ("a.*: mean of 3 trials per query." in done.stdout) == (form == "latex")


def test_a_pass_score_without_trials_or_beyond_all_scores_is_refused() -> None:
    first, *_ = trials = trials_of(A)
    with pytest.raises(InputError, match="pass_score is for a system of several trials"):
        rm.evaluate(QRELS, first, "P@100", pass_score=0.5)
    with pytest.raises(InputError, match="pass_score is for a system of several trials"):
        rm.compare(QRELS, {"a": first, "b": trials[1]}, "P@100", pass_score=0.5)
    with pytest.raises(InputError, match="pass_score is for a system of several trials"):
        rm.gate(QRELS, first, trials[1], "P@100", max_drop=0.5, pass_score=0.5)
    with pytest.raises(InputError, match=r"pass_score is 1.5, and no measure has such scores"):
        rm.evaluate(QRELS, {"a": trials}, "P@100", pass_score=1.5)


def test_two_runs_are_not_told_to_be_fewer() -> None:
    runs = {"A": {"q0": ["r1"]}, "B": {"q0": ["n1"]}}
    said = str(rm.compare(QRELS, runs, "P@100", queries="judged"))
    assert "no difference can be significant" in said
    assert "more queries have to differ" in said
    assert "fewer runs" not in said


@pytest.mark.usefixtures("files")
def test_a_report_names_the_systems_without_causes() -> None:
    cli("report", "qrels.json", "a.*.json", "b.9.json", "-m", "P@100", "-o", "page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "a.* is left out: each of its trials has its own" in page
