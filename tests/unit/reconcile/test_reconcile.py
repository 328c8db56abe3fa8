"""Reconciling a number: forms of numbers, what is known, decimals, and what the result shows."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmark as rm
from rankmark.scoring.ties import orders_of, scored
from rankmark.verbs.reconcile.targets import printed_number

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"x": 1, "y": 2}, "q3": {"z": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "c": 2.0}, "q2": {"y": 2.0, "w": 1.5, "x": 1.0}}


def changed(found: rm.Reconciliation) -> list[list[tuple[str, Any]]]:
    """Give the names and values of the changes of each answer."""
    return [[(change.name, change.value) for change in one.changes] for one in found.answers]


@pytest.mark.parametrize(
    ("given", "digits", "decimals"),
    [("0.4310", None, 4), (0.431, None, 3), (0.431, 4, 4), ("43.1", None, 1), (1, None, 0),
     ("4.31e-1", None, 3), ("43.10%", None, 4), ("43.1%", 2, 4),
     (np.float32(0.4312), None, 4), (1 / 3, None, 12), (".5", None, 1)],
)  # fmt: skip
def test_decimals_are_those_printed(given: Any, digits: int | None, decimals: int) -> None:
    assert printed_number(given, digits).decimals == decimals


def test_an_array_without_dimensions_is_a_number() -> None:
    assert rm.reconcile(QRELS, RUN, "AP", np.array(0.5)).given == {"AP": "0.5"}


def test_a_number_agrees_if_it_would_be_printed_so() -> None:
    number = printed_number("0.4312")
    assert number.agrees(np.array([0.43115, 0.43125, 0.4312])).all()
    assert not number.agrees(np.array([0.4311499, 0.4312501])).any()
    assert number.agrees(np.array([0.4312, 0.43129999]), "truncated").all()
    assert not number.agrees(np.array([0.43119, 0.4313]), "truncated").any()
    negative = printed_number("-0.5")
    assert negative.agrees(-0.59, "truncated")
    assert not negative.agrees(-0.45, "truncated")


def test_nothing_needs_to_change_if_the_number_is_ours() -> None:
    found = rm.reconcile(QRELS, RUN, "AP", f"{rm.evaluate(QRELS, RUN, 'AP')['AP']:.4f}")
    assert found
    assert changed(found) == [[]]
    assert found.answers[0].words == "no change"
    assert found.answers[0].call == "rm.evaluate(qrels, run, 'AP')"


@pytest.mark.parametrize(
    "form",
    [
        lambda scores: scores["AP"],
        lambda scores: scores,
        lambda scores: {q: {"AP": scores["AP"][q], "RR": scores["RR"][q]} for q in scores["AP"]},
        lambda scores: pd.DataFrame(scores).rename_axis("query_id").reset_index(),
    ],
    ids=["by query", "by measure and query", "by query and measure", "frame"],
)
def test_numbers_of_queries_come_in_many_forms(form: Any) -> None:
    ev = rm.evaluate(QRELS, RUN, ["AP(rel=2)", "RR(rel=2)"])
    scores = {name: ev.per_query(f"{name}(rel=2)") for name in ("AP", "RR")}
    given = form(scores)
    for found in (
        rm.reconcile(QRELS, RUN, "AP", per_query=given),
        rm.reconcile(QRELS, RUN, "AP", given),
    ):
        assert found.of_queries
        assert changed(found)[0] == [("rel", 2.0)]
        assert found.given == {"AP": "3"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("numbers.csv", "query_id,AP\nq1,0.3333\nq2,1.0000\nq3,0.0000\n"),
        ("numbers.json", '{"q1": {"AP": 0.3333}, "q2": {"AP": 1.0}, "q3": {"AP": 0.0}}'),
        ("scores.json", '{"q1": 0.3333, "q2": 1.0}'),
        ("trec_eval.out", "map\tq1\t0.3333\nmap\tq2\t1.0000\nmap\tall\t0.5000\n"),
    ],
)
def test_numbers_of_queries_are_read_from_files(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    found = rm.reconcile(QRELS, RUN, "AP", per_query=path)
    assert changed(found)[0] == [("rel", 2.0)]
    assert changed(rm.reconcile(QRELS, RUN, "AP", path)) == changed(found)


def test_rows_that_rankmark_writes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("run,query_id,AP\na,q1,0.3333\na,q2,1.0\na,q3,nan\na,all,0.6667\n")
    found = rm.reconcile(QRELS, RUN, per_query=path)
    assert found.given == {"AP": "3"}
    assert changed(found)[0] == [("rel", 2.0)]
    assert not any("not judged" in note for note in found.notes)


def test_queries_that_differ_are_named_if_nothing_gives_all_numbers() -> None:
    ev = rm.evaluate(QRELS, RUN, "AP(rel=2)").per_query("AP(rel=2)")
    found = rm.reconcile(QRELS, RUN, "AP", ev | {"q2": 0.123, "unknown": 1.0}, changes=1)
    assert not found
    assert found.nearest[0].differing == ("q2",)
    assert found.nearest[0].distance == 1
    assert "1 query with a number is not judged: 'unknown'" in found.notes
    assert "1 query differs: 'q2'" in str(found)


def test_known_conventions_are_kept() -> None:
    mean = rm.evaluate(QRELS, RUN, "AP(rel=2)", queries="both", ties="docid-asc").means["AP(rel=2)"]
    found = rm.reconcile(QRELS, RUN, "AP", mean, queries="both", ties="docid-asc")
    assert [("rel", 2.0)] in changed(found)
    parts = {(change.part, change.name) for one in found.answers for change in one.changes}
    assert not parts & {("ranking", "ties"), ("average", "queries")}
    assert found.answers[0].conventions == {"queries": "both", "ties": "docid-asc"}
    assert not {"queries", "ties"} & found.tried.keys()


def test_a_subset_of_queries_is_tried() -> None:
    mean = rm.evaluate(QRELS, RUN, "AP", queries=["q2", "q3"])["AP"]
    found = rm.reconcile(QRELS, RUN, "AP", mean, subset=["q2", "q3"])
    assert [("queries", "subset")] in changed(found)
    (answer,) = [one for one in found.answers if one.changes[0].value == "subset"]
    assert answer.conventions == {"queries": ["q2", "q3"]}
    with pytest.raises(rm.InputError, match="1 query of the subset has no judgments: 'q9'"):
        rm.reconcile(QRELS, RUN, "AP", 0.5, subset=["q9"])


@pytest.mark.slow
def test_more_changes_are_tried_if_asked() -> None:
    none = rm.reconcile(QRELS, RUN, "nDCG@2", "0.1234567", changes=0)
    assert not none
    assert none.coincidence is not None
    assert none.coincidence.candidates < 30
    mean = rm.evaluate(QRELS, RUN, "nDCG@2")["nDCG@2"]
    assert len(rm.reconcile(QRELS, RUN, "nDCG@2", mean, changes=2).answers) == 1


def test_duplicates_and_self_matches_are_noticed() -> None:
    rows = [("q", "a", 3.0), ("q", "b", 2.0), ("q", "b", 5.0), ("q", "c", 4.0)]
    qrels = {"q": {"b": 1}}
    found = rm.reconcile(qrels, rows, "RR", "1.0000")
    assert "a document appears twice in a ranking: its first row counts" in found.notes[0]
    assert [("duplicates", "best")] in changed(found)
    with pytest.raises(rm.DuplicateError):
        rm.reconcile(qrels, rows, "RR", "0.5000", duplicates="error")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"value": None}, "there is no number to explain"),
        ({"value": "a lot"}, "value is 'a lot'"),
        ({"value": ["0.1", "0.2"]}, "found 2 numbers for 1 measure: AP"),
        ({"value": {"AP": "0.1", "map": "0.2"}}, "value has two numbers for AP: as 'AP' and 'map'"),
        ({"value": float("nan")}, "value is nan"),
        ({"value": {"RR": 1}}, "per_query: the only query with a number is not judged"),
        ({"per_query": {"q1": 1.0}, "value": 1.0}, "both value and per_query are given"),
        ({"per_query": {"q1": {"RR": 1.0, "P@1": 1.0}}}, "there is no column for AP"),
        ({"per_query": [{"query_id": "q1", "AP": 1.0}] * 2}, "query 'q1' appears twice"),
        ({"per_query": {"q1": "high"}}, "per_query: query 'q1': the number is 'high'"),
        ({"value": 0.5, "changes": -1}, "changes is -1"),
        ({"value": 0.5, "digits": -1}, "digits is -1"),
        ({"value": 0.5, "ties": "rank"}, "needs a rank column"),
        ({"value": 0.5, "ties": "random"}, "ties is 'random'"),
    ],
)
def test_what_cannot_be_reconciled_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        rm.reconcile(QRELS, RUN, "AP", **arguments)


def test_the_result_says_how_likely_a_coincidence_is() -> None:
    found = rm.reconcile(QRELS, RUN, "AP", "0.3")
    assert found.answers[0].coincidence.probability > 0.2
    assert found.answers[0].doubtful
    told = found.answers[0].coincidence
    assert told.distinct <= told.candidates
    assert "These fit, but so would most numbers here:\n- " in str(found)
    assert "\n1. " not in str(found)
    assert "Give one more decimal, the number of another measure, or per-query" in str(found)
    assert "fits, as most numbers would: " in found._repr_html_()
    assert json.loads(found.to_json())["answers"][0]["doubtful"] is True
    assert set(found.to_pandas()["kind"]) == {"doubtful"}


def test_the_result_becomes_json_and_tables() -> None:
    found = rm.reconcile(QRELS, RUN, ["AP", "RR"], ["0.9123", "0.1"], changes=1)
    content = json.loads(found.to_json())
    assert content["schema"] == 1
    assert content["reached"] is False
    assert len(content["nearest"]) == len(found.nearest)
    table = found.to_pandas()
    assert table.columns.tolist() == [
        "kind", "changes", "words", "AP", "RR", "probability", "command",
    ]  # fmt: skip
    assert "<table>" in found._repr_html_()
    assert repr(found) == "Reconciliation(0 answers)"


def test_data_in_memory_and_files_are_written_into_the_command(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "my run.txt"
    rm.convert(rm.Qrels(QRELS), qrels)
    rm.convert(rm.Run(RUN), run)
    number = rm.evaluate(QRELS, RUN, "AP(rel=2)")["AP(rel=2)"]
    answer = rm.reconcile(qrels, run, "AP", number).answers[0]
    assert answer.command == f"rankmark evaluate {qrels} '{run}' -m 'AP(rel=2)'"
    assert rm.reconcile(QRELS, RUN, "AP", number).answers[0].command is None


def test_ids_that_the_command_would_split_are_not_written_into_it(tmp_path: Path) -> None:
    for query, written in (("q,1", False), ("@1", False), ("q1", True)):
        (tmp_path / "qrels").write_text(f"{query} 0 a 1\nq2 0 a 1\n")
        (tmp_path / "run").write_text(f"{query} Q0 a 1 1 x\n")
        found = rm.reconcile(tmp_path / "qrels", tmp_path / "run", "AP", "1.0", queries=[query])
        assert (found.answers[0].command is not None) is written


def test_counts_are_no_percentages() -> None:
    found = rm.reconcile({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}, "NumQ", "2")
    assert not found.percent
    assert found.answers[0].changes == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"value": "0.5", "digits": -1}, "digits is -1; need a whole number from 0"),
        ({"value": "0.5", "changes": 9}, "changes is 9; need a whole number from 0 to 5"),
        ({"value": "0.5", "subset": "q1"}, "subset is 'q1'; need a list of ids"),
        ({"per_query": [0.5]}, "per_query: found .0.5.; need {query id: number}"),
        ({"per_query": {}}, "per_query: there are no per-query numbers"),
    ],
)
def test_choices_out_of_range_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        rm.reconcile({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "AP", **arguments)


def test_a_series_has_numbers_of_queries() -> None:
    pandas = pytest.importorskip("pandas")
    numbers = pandas.Series({"q1": 0.5})
    found = rm.reconcile({"q1": {"b": 1}}, {"q1": ["a", "b"]}, "AP", per_query=numbers)
    assert found
    assert "the number of 1 query for AP" in str(found)


def test_a_number_of_thousands_of_digits_is_shortened() -> None:
    value = "0." + "1" * 100_000
    found = rm.reconcile({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, "AP", value, changes=0)
    assert max(map(len, str(found).splitlines())) < 200


def test_a_tool_without_the_measure_gives_no_number() -> None:
    found = rm.reconcile({"q": {"a": 2}}, {"q": {"a": 1.0}}, "AP(rel=2)", "1.0000")
    assert {"trec_eval9", "ir_measures"} <= set(found.answers[0].tools)
    assert not {"beir", "msmarco", "sklearn"} & {*found.answers[0].tools}
    assert "beir" not in " ".join(found.notes)


@pytest.mark.slow
def test_orders_of_many_tied_documents_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """With "hits", orders are tried one by one, which takes minutes on all-tied files."""
    tried = set()

    def noted(measure: Any, cases: Any, rule: str) -> Any:
        if measure.ties == "apart":  # tied documents with the same rank have no order
            tried.add((measure.norm, rule))
        return scored(measure, cases, rule)

    monkeypatch.setattr("rankmark.scoring.ties.scored", noted)
    for many in (10, 200):
        tried.clear()
        qrels = {"q": {f"d{n}": n % 2 for n in range(many)}}
        rm.reconcile(qrels, {"q": dict.fromkeys(qrels["q"], 1.0)}, "AP", "0.9876", changes=2)
        assert ("relevant", "best") in tried
        assert (("hits", "best") in tried) == (many == 10)


@pytest.mark.slow
def test_orders_are_not_tried_for_the_mean_over_many_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bpref has no formula for its expected value if rankings are cut within a tie."""
    calls = []

    def noted(*arguments: Any) -> Any:
        calls.append(arguments)
        return orders_of(*arguments)

    monkeypatch.setattr("rankmark.scoring.ties.orders_of", noted)
    for many, some in ((12, True), (200, False)):
        calls.clear()
        qrels = {"q": {f"d{n}": n % 2 for n in range(many)}}
        run = {"q": dict.fromkeys(qrels["q"], 1.0)}
        found = rm.reconcile(qrels, run, "Bpref", "0.9876", changes=2)
        assert "mean" in found.tried["ties"]
        assert bool(calls) == some


@pytest.mark.parametrize(
    ("printed", "changed"),
    [
        (0.798485, ("unit_depth", 5)),
        (0.686286, ("combine", "mean")),
        (0.899902, ("combine", "count")),
    ],
)
def test_choices_about_units_are_tried(printed: float, changed: tuple[str, object]) -> None:
    qrels = {"q": {"D1": 2, "D2": 1, "D3": 1}}
    scores = (0.92, 0.90, 0.88, 0.60, 0.55, 0.50, 0.40)
    units = ("D1#3", "D4#1", "D1#1", "D2#7", "D1#9", "D5#2", "D3#1")
    run = {"q": dict(zip(units, scores, strict=True))}
    found = rm.reconcile(qrels, run, "nDCG@5", printed, unit="#")
    (change,) = found.answers[0].changes
    assert (change.name, change.value) == changed
    parents = {unit: unit[:2] for unit in units}
    again = rm.reconcile(qrels, run, "nDCG@5", printed, parents=parents)
    assert again.answers[0].changes == found.answers[0].changes
    assert "parents=parents" in again.answers[0].call


def test_choices_about_units_are_not_tried_without_units() -> None:
    qrels = {"q": {"D1": 2, "D2": 1, "D3": 1}}
    found = rm.reconcile(qrels, {"q": {"D1": 1.0, "D2": 0.5}}, "nDCG@5", 0.123456)
    tried = {change.name for one in found.nearest for change in one.changes}
    assert tried
    assert not {"unit_depth", "combine"} & tried


def drawn_users() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    dice = random.Random(1)
    items = [f"i{number}" for number in range(30)]
    qrels = {f"u{user}": dict.fromkeys(dice.sample(items, 4), 1) for user in range(30)}
    return qrels, {user: {item: dice.random() for item in dice.sample(items, 25)} for user in qrels}


@pytest.mark.parametrize("name", ["seen", "weights"])
def test_seen_documents_and_weights_that_the_other_program_used(name: str, tmp_path: Path) -> None:
    qrels, run = drawn_users()
    seen = {user: [item for item in list(run[user])[:6] if item not in qrels[user]] for user in run}
    given = {"seen": seen, "weights": {user: 1 + len(user) + int(user[1:]) % 5 for user in qrels}}
    known = {name: given[name]}
    printed = f"{rm.evaluate(qrels, run, 'AP@10', **known)['AP@10']:.6f}"
    found = rm.reconcile(qrels, run, "AP", printed, **known)
    assert found.answers[0].words.startswith("cutoff 10")
    assert f"{name}={name}" in found.answers[0].call
    assert not any(
        one.words == "cutoff 10" for one in rm.reconcile(qrels, run, "AP", printed).answers
    )
    paths = {key: tmp_path / f"{key}.json" for key in ("qrels", "run", name)}
    for key, value in {"qrels": qrels, "run": run, **known}.items():
        paths[key].write_text(json.dumps(value))
    of_files = rm.reconcile(paths["qrels"], paths["run"], "AP", printed, **{name: paths[name]})
    assert of_files.answers[0].command is not None
    assert f"--{name} {paths[name]}" in of_files.answers[0].command
