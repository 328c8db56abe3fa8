"""Documents whose label a model failed to give, in every form of judgments and every function."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.commands import rankmark_here

MODEL: dict[str, dict[str, float | None]] = {
    "q1": {"a": 1, "b": None},
    "q2": {"c": 1, "d": 0},
    "q3": {"e": None},
}
KNOWN = {"q1": {"a": 1}, "q2": {"c": 1, "d": 0}}
RUN = {"q1": ["b", "a"], "q2": ["c", "d"]}
ROWS = [
    {"query_id": q, "doc_id": d, "label": label}
    for q, of in MODEL.items()
    for d, label in of.items()
]
TREC = "".join(f"{row['query_id']} 0 {row['doc_id']} {row['label']}\n" for row in ROWS)


def in_file(name: str, text: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_text(text)
        return folder / name

    return write


def in_parquet(folder: Path) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(columns), folder / "m.parquet")
    return folder / "m.parquet"


def csv_of(rows: list[dict[str, Any]]) -> str:
    lines = [[*rows[0]], *([str(x) if x is not None else "" for x in row.values()] for row in rows)]
    return "".join(",".join(line) + "\n" for line in lines)


FORMS: dict[str, Callable[[Path], Any]] = {
    "mapping": lambda _: MODEL,
    "rows": lambda _: ROWS,
    "tuples": lambda _: [tuple(row.values()) for row in ROWS],
    "columns": lambda _: {name: [row[name] for row in ROWS] for name in ROWS[0]},
    "frame": lambda _: pytest.importorskip("pandas").DataFrame(ROWS),
    "TREC": in_file("m.txt", TREC),
    "CSV": in_file("m.csv", csv_of(ROWS)),
    "JSON": in_file("m.json", json.dumps(MODEL)),
    "JSON Lines": in_file("m.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS)),
    "Parquet": in_parquet,
}


@pytest.mark.parametrize("form", FORMS)
def test_failed_labels_are_refused_or_count_as_not_judged(form: str, tmp_path: Path) -> None:
    model = FORMS[form](tmp_path)
    for failed in (None, "error"):
        with pytest.raises(rm.RankmarkError) as caught:
            rm.evaluate(model, RUN, "RR", failed=failed)
        told = 'failed="unjudged"' in str(caught.value)
        assert told == (failed is None)
    found = rm.evaluate(model, RUN, ["RR", "Judged@2"], failed="unjudged")
    assert dict(found) == dict(rm.evaluate(KNOWN, RUN, ["RR", "Judged@2"]))
    assert found.audit.failed == 2
    assert "2 documents have no label, as it failed, and count as not judged" in str(found.audit)
    prepared = rm.Qrels(model, failed="unjudged")
    assert (prepared.failed, prepared.by_query()) == (2, KNOWN)


@pytest.mark.parametrize("missing", [None, float("nan"), "", "N/A", "null", "ERROR", "-"])
def test_a_label_that_is_missing_names_the_option_in_every_form_in_memory(missing: Any) -> None:
    rows = [("q1", "a", 1), ("q1", "b", missing)]
    names = ("query_id", "doc_id", "label")
    by_name = [dict(zip(names, row, strict=True)) for row in rows]
    frame = pytest.importorskip("pandas").DataFrame(by_name)
    for judgments in ({"q1": {"a": 1, "b": missing}}, rows, by_name, frame):
        for read in (rm.Qrels, lambda given: rm.evaluate(given, RUN, "RR")):
            with pytest.raises(rm.SchemaError, match='a label, choose failed="unjudged"'):
                read(judgments)


def test_labels_that_stand_for_a_failure_are_named() -> None:
    model = {"q1": {"a": 1, "b": -1}, "q2": {"c": 1, "d": 0}, "q3": {"e": -2}}
    for failed in ([-1, -2], (-2, -1)):
        assert rm.Qrels(model, failed=failed).by_query() == KNOWN
    assert rm.Qrels(model, failed=-1).failed == 1
    with pytest.raises(rm.InputError, match="failed is 'skip'; need"):
        rm.Qrels(model, failed="skip")  # type: ignore[arg-type]
    with pytest.raises(rm.InputError, match="no document has a label"):
        rm.Qrels({"q": {"a": -1}}, failed=-1)
    with pytest.raises(rm.InputError, match="give their failed to Qrels"):
        rm.evaluate(rm.Qrels(KNOWN), RUN, "RR", failed="unjudged")


def test_every_function_takes_the_labels_of_a_model() -> None:
    people = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
    model = {"q1": {"a": 1, "b": None}, "q2": {"c": 1, "d": None}}
    known: Any = {"q1": {"a": 1}, "q2": {"c": 1}}
    runs = {"x": RUN, "y": {"q1": ["a"], "q2": ["d", "c"]}}
    with rm.quiet():
        for given, wanted in (
            (rm.compare(model, runs, "RR", failed="unjudged"), rm.compare(known, runs, "RR")),
            (
                rm.choose_queries(model, runs, "RR", n=1, failed="unjudged"),
                rm.choose_queries(known, runs, "RR", n=1),
            ),
        ):
            assert given.to_csv() == wanted.to_csv()
        failed = rm.Qrels(model, failed="unjudged")
        estimated = rm.estimate(people, failed, runs, "RR").to_csv()
        assert estimated == rm.estimate(people, known, runs, "RR").to_csv()
        assert rm.reward(failed, "RR")("q2", ["d", "c"]) == 0.5
    assert rm.compare_judgments(people, model).judges[1].failed == 2
    assert rm.compare_judgments(people, failed).judges[1].failed == 2
    with pytest.raises(rm.SchemaError):
        rm.compare_judgments(people, model, failed="error")


def test_the_command_takes_the_option(tmp_path: Path) -> None:
    qrels = str(FORMS["CSV"](tmp_path))
    run = tmp_path / "r.txt"
    run.write_text("q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 c 1 2 t\n")
    asked = ("evaluate", qrels, str(run), "-m", "RR")
    assert "--failed unjudged" in rankmark_here(*asked).stderr
    done = rankmark_here(*asked, "--failed", "unjudged")
    assert (done.returncode, "2 documents have no label" in done.stdout) == (0, True)
    assert rankmark_here(*asked, "--failed", "skip").returncode == 2


WORDS = ["ERROR", "N/A", "-", "null", "failed"]
NUGGETS = [
    ("q1", "n1", "vital", "support"),
    ("q1", "n2", "vital", "no"),
    ("q1", "n3", "okay", "?"),
    ("q2", "n1", "vital", "?"),
    ("q3", "n1", "vital", None),
    ("q4", "n1", "vital", "partial"),
]
CITATIONS = [
    ("q1", "1", "p1", "full"),
    ("q1", "1", "p2", "?"),
    ("q1", "2", "p3", "?"),
    ("q1", "3", None, None),
    ("q2", "1", "p1", "?"),
    ("q3", "1", "p1", "no"),
]


def in_words(rows: list[tuple[Any, ...]], word: str) -> list[tuple[Any, ...]]:
    return [tuple(word if cell == "?" else cell for cell in row) for row in rows]


def without(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [row for row in rows if "?" not in row]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("form", ["rows", "frame", "CSV"])
def test_answers_without_some_labels_are_those_of_the_others(
    word: str, form: str, tmp_path: Path
) -> None:
    cases: list[tuple[Any, list[tuple[Any, ...]], list[str], int]] = [
        (rm.nuggets, NUGGETS, ["query_id", "nugget", "importance", "support"], 2),
        (rm.citations, CITATIONS, ["query_id", "sentence", "passage", "support"], 3),
    ]
    for score, rows, names, failed in cases:
        given: Any = in_words(rows, word)
        if form != "rows":
            given = pytest.importorskip("pandas").DataFrame(given, columns=names)
        if form == "CSV":
            given.to_csv(tmp_path / "answers.csv", index=False)
            given = tmp_path / "answers.csv"
        with pytest.raises(rm.SchemaError, match=r'choose failed="unjudged", or --failed unjudged'):
            score(given)
        found, known = score(given, failed="unjudged"), score(without(rows))
        assert found.to_csv() == known.to_csv()
        assert (found.audit.failed, known.audit.failed) == (failed, 0)
        assert f"left out, as their label failed, {failed}" in str(found)


def test_answers_take_numbers_for_failures_and_gold() -> None:
    rows = in_words(NUGGETS, "-1")
    gold = [row[:3] for row in NUGGETS] + [("q1", "n4", "vital")]
    known = [row for row in gold if row not in {("q1", "n3", "okay"), ("q2", "n1", "vital")}]
    found = rm.nuggets([(*row[:2], row[3]) for row in rows], gold=gold, failed=-1)
    wanted = rm.nuggets([(*row[:2], row[3]) for row in without(NUGGETS)], gold=known)
    assert found.to_csv() == wanted.to_csv()
    assert "failed=-1" in str(found)
    with pytest.raises(rm.SchemaError, match="support of row 3 is '-1'"):  # which is not 1
        rm.nuggets(rows)
    with pytest.raises(rm.InputError, match="no query has a label"):
        rm.nuggets([("q", "n", "vital", "ERROR")], failed="unjudged")
    with pytest.raises(rm.InputError, match="failed is 'skip'; need"):
        rm.citations(CITATIONS, failed="skip")  # type: ignore[arg-type]


def test_alce_leaves_out_sentences_whose_score_depends_on_a_failed_label() -> None:
    names = ["query_id", "sentence", "passage", "support", "together", "without"]
    rows = [
        ("q", 1, "p1", "yes", "yes", None),
        ("q", 1, "p2", "no", None, "ERROR"),
        ("q", 2, "p3", "yes", "yes", "ERROR"),  # supported alone, whatever the others do
        ("q", 2, "p4", "yes", None, None),
        ("q", 3, "p5", "no", None, None),
    ]
    records = [dict(zip(names, row, strict=True)) for row in rows]
    found = rm.citations(records, failed="unjudged")
    known = rm.citations([one | {"without": None} for one in records[2:]])
    assert found.to_csv() == known.to_csv()
    assert found.audit.failed == 2


def test_commands_of_answers_take_the_option(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text("query_id,sentence,passage,support\nq,1,a,full\nq,1,b,ERROR\n")
    assert "--failed unjudged" in rankmark_here("citations", str(table)).stderr
    done = rankmark_here("citations", str(table), "--failed", "unjudged")
    assert (done.returncode, "as their label failed, 1" in done.stdout) == (0, True)
