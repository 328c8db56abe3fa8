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


@pytest.mark.parametrize("missing", [None, float("nan"), "", "N/A", "null"])
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
