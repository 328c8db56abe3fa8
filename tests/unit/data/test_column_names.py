"""Which column is which: by names, by preference among names, and by what a caller says."""

import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmark as rm
from unit.commands import rankmark_here, told


def frame(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame(columns)


def taken(source: Any, **options: Any) -> dict[str, Any]:
    return rm.Run(source, **options).source.description()


def test_pyterrier_has_its_own_numbers_and_texts_beside_the_ids() -> None:
    pyterrier = frame(qid=["1"], docid=[7], docno=["d7"], rank=[0], score=[1.0], query=["a text"])
    wanted = {"query_id": "qid", "doc_id": "docno", "score": "score", "rank": "rank"}
    assert taken(pyterrier)["columns"] == wanted
    assert taken(pyterrier, columns={"doc_id": "docid"})["columns"]["doc_id"] == "docid"


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (["question", "question_id", "chunk_id", "chunk"], ("question_id", "chunk_id")),
        (["userId", "movieId", "title"], ("userId", "movieId")),
        (["customer_id", "product_id", "price"], ("customer_id", "product_id")),
        (["question", "passage"], ("question", "passage")),
        (["user", "item", "item_id"], ("user", "item_id")),
    ],
)
def test_ids_go_before_texts_of_the_same_thing(names: list[str], wanted: tuple[str, str]) -> None:
    held = pl.DataFrame({name: ["a"] for name in names})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmarkWarning)
        columns = taken(held)["columns"]
    assert (columns["query_id"], columns["doc_id"]) == wanted


@pytest.mark.parametrize("names", [["user_id", "session_id"], ["user_id", "query_id"]])
def test_two_ids_of_different_things_are_not_chosen_between(names: list[str]) -> None:
    held = pl.DataFrame({name: ["1"] for name in [*names, "item_id"]})
    with pytest.raises(rm.SchemaError, match="could both be query_id; choose with columns="):
        rm.Run(held)


@pytest.mark.parametrize("columns", [5, "user", ["user", "item"]])
def test_columns_are_named_by_role(columns: Any) -> None:
    held = frame(user=["1"], item=["2"])
    for call in (
        lambda: rm.Run(held, columns=columns),
        lambda: rm.Qrels(held, columns=columns),
        lambda: rm.evaluate(held, held, columns=columns),
        lambda: rm.check(held, held, columns=columns),
        lambda: rm.explain(held, held, "1", columns=columns),
        lambda: rm.compare_rankings(held, held, columns=columns),
        lambda: rm.convert(held, "-", kind="run", to="trec", columns=columns),
        lambda: rm.evaluate(held, {"1": ["2"]}, columns=columns),
        lambda: rm.Run([("1", "2")], columns=columns),
    ):
        with pytest.raises(rm.InputError, match=r"^columns is .*; need {role: name}, such as"):
            call()


def test_where_the_sides_differ_each_has_its_own_names() -> None:
    gold, found = frame(who=["u"], seen=["a"]), frame(who=["u", "u"], film=["b", "a"], s=[2.0, 1.0])
    ids = {"query_id": "who"}
    of_qrels, of_run = {"doc_id": "seen"}, {"doc_id": "film", "score": "s"}
    named: dict[str, Any] = {"columns": ids, "qrels_columns": of_qrels, "run_columns": of_run}
    assert rm.evaluate(gold, found, "RR", **named)["RR"] == 0.5
    assert rm.explain(gold, found, "u", "RR", **named).value == 0.5
    report = rm.check(gold, found, found, **named)
    assert report.ok, str(report)
    shared = {"columns": ids | of_run, "qrels_columns": of_qrels}  # the one side's go before
    assert rm.evaluate(gold, found, "RR", **shared)["RR"] == 0.5


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"qrels_columns": {"score": "x"}}, "names 'score', but qrels has no such column; use"),
        ({"run_columns": {"label": "x"}}, "names 'label', but run has no such column; use"),
        (
            {"qrels_columns": {"doc_id": "x"}},
            "names columns, but this qrels has none; leave it out",
        ),
        ({"run_columns": 5}, "run_columns is 5; need {role: name}, such as {'query_id': "),
    ],
)
def test_names_of_one_side_that_are_of_no_use_are_refused(said: Any, found: str) -> None:
    with pytest.raises(rm.InputError, match=found):
        rm.evaluate({"q": ["a"]}, {"q": ["a"]}, **said)


def test_names_of_one_side_are_not_for_what_is_prepared() -> None:
    held = frame(qid=["q"], docid=["a"])
    with pytest.raises(rm.InputError, match="the run is already prepared; give its columns to Run"):
        rm.evaluate(held, rm.Run(held), run_columns={"doc_id": "docid"})


def test_the_command_line_names_columns_of_each_side(tmp_path: Path) -> None:
    gold, run = tmp_path / "gold.csv", tmp_path / "run.csv"
    gold.write_text("frage,quelle,urteil\nq,a,1\n", encoding="utf-8")
    run.write_text("frage,treffer,punkte\nq,b,2\nq,a,1\n", encoding="utf-8")
    named = [
        *("--column", "query_id=frage", "--qrels-column", "doc_id=quelle"),
        *("--qrels-column", "label=urteil"),
        *("--run-column", "doc_id=treffer", "--run-column", "score=punkte"),
    ]
    done = rankmark_here("evaluate", gold, run, "-m", "RR", *named)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0.5000" in done.stdout
    assert rankmark_here("check", gold, run, *named).returncode == 0
    done = rankmark_here("explain", gold, run, "--query", "q", "-m", "RR", *named)
    assert done.returncode == 0, done.stderr
    gold.write_text("q 0 a 1\n", encoding="utf-8")
    done = rankmark_here("evaluate", gold, run, *named)
    assert "--qrels-column, names columns, but this qrels has none; leave it out" in told(done)
    done = rankmark_here("evaluate", gold, run, "--qrels-column", "score=x")
    assert "names 'score', but qrels has no such column; use query_id, doc_id, label" in told(done)


PLACES = {"query_id": 0, "doc_id": 1, "score": 2}


@pytest.mark.parametrize("columns", [PLACES, {role: str(at) for role, at in PLACES.items()}])
@pytest.mark.parametrize("mark", ["", "\ufeff", "sep=;\n"])
@pytest.mark.parametrize("head", ["", "a,b,c\n"])
def test_columns_of_a_file_are_named_by_place(
    columns: dict[str, Any], mark: str, head: str, tmp_path: Path
) -> None:
    rows = mark + head + "1,1,0.25\n1,2,0.5\n"
    path = tmp_path / "run.csv"
    path.write_text(rows.replace(",", ";") if "sep" in mark else rows, encoding="utf-8")
    assert rm.evaluate({"1": {"1": 1}}, path, "RR", run_columns=columns)["RR"] == 0.5
    named = ["a", "b", "c"] if head else ["0", "1", "2"]
    assert taken(path, columns=columns)["columns"] == dict(zip(PLACES, named, strict=True))


def test_ids_alone_by_place_lose_no_row(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    columns = {"query_id": 0, "doc_id": 1}
    path.write_text("q,a\nq,b\n")
    assert rm.evaluate({"q": {"b": 1}}, path, "RR", run_columns=columns)["RR"] == 0.5
    path.write_text("query_id,doc_id\nq,a\nq,b\n")
    assert rm.evaluate({"q": {"b": 1}}, path, "RR", run_columns=columns)["RR"] == 0.5
    with pytest.raises(rm.SchemaError, match="there is no column"):
        rm.Run(path, columns={"query_id": 0, "doc_id": 7}).source.description()
