"""What leaves rankmark as rows: the same columns and types in CSV, Parquet and data frames."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

import rankmark as rm
from rankmark.commands.app import app
from rankmark.results.escaped_bytes import encodable
from rankmark.results.table_schema import KINDS
from unit.results.made_results import NEW, OLD, QRELS, RESULTS, made

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "src" / "rankmark" / "example"
Q, BM25, LSA = (str(EXAMPLE / name) for name in ("qrels.txt", "bm25.run", "lsa.run"))
TYPES = {
    "text": pa.string(),
    "number": pa.float64(),
    "whole number": pa.int64(),
    "truth value": pa.bool_(),
    "texts": pa.list_(pa.string()),
    "whole numbers": pa.list_(pa.int64()),
}
COMMANDS = {
    "evaluate": ["evaluate", Q, BM25, LSA, "-m", "AP,RR"],
    "evaluate --per-query": ["evaluate", Q, BM25, LSA, "-m", "AP,RR", "--per-query"],
    "evaluate --long": ["evaluate", Q, BM25, LSA, "-m", "AP,RR", "--long"],
    "evaluate --aggregate": ["evaluate", Q, BM25, "-m", "AP", "--aggregate", "min,q25"],
    "compare": ["compare", Q, BM25, LSA, "-m", "AP,RR"],
    "compare --tables means": ["compare", Q, BM25, LSA, "-m", "AP", "--tables", "means"],
    "compare --long": ["compare", Q, BM25, LSA, "-m", "AP,RR", "--per-query", "--long"],
    "explain": ["explain", Q, BM25, "--query", "q01"],
    "explain --against": ["explain", Q, BM25, "--against", LSA, "-m", "AP"],
    "check": ["check", Q, BM25],
    "gate": ["gate", Q, BM25, LSA, "--max-drop", "0.5"],
    "power": ["power", Q, BM25, LSA, "-m", "AP", "--resamples", "20"],
    "similarity": ["similarity", BM25, LSA, "--per-query", "--long"],
    "reconcile": ["reconcile", Q, BM25, "-m", "AP", "--value", "0.4293", "--changes", "0"],
    "profiles": ["profiles"],
    "profiles NAME": ["profiles", "beir"],
    "measures": ["measures"],
}
HEADS = {
    "evaluate": "run,AP,RR",
    "evaluate --per-query": "run,query_id,AP,RR",
    "evaluate --long": "run,measure,value",
    "evaluate --aggregate": "run,aggregate,AP",
    "compare --long": "run,query_id,measure,value",
    "similarity": "run_a,run_b,query_id,measure,value",
}


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [*map(str, arguments)])


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_write_the_same_rows_as_csv_and_as_parquet(command: str, tmp_path: Path) -> None:
    done = run(*COMMANDS[command], "--format", "csv")
    assert done.exit_code in {0, 3}, done.stderr
    rows = rows_of(done.stdout)
    columns = tuple(done.stdout.split("\n")[0].split(","))
    assert ",".join(columns) == HEADS.get(command, ",".join(columns))
    if command in {"profiles", "profiles NAME", "measures"}:
        stored = CliRunner().invoke(app, [*COMMANDS[command], "--format", "parquet"]).stdout_bytes
        table = parquet.read_table(pa.BufferReader(stored))
    else:
        path = tmp_path / "rows.parquet"
        assert run(*COMMANDS[command], "--format", "parquet", "-o", path).exit_code in {0, 3}
        table = parquet.read_table(path)
    assert table.column_names == [*rows[0]]
    assert [{name: as_cell(x) for name, x in row.items()} for row in table.to_pylist()] == rows
    assert "all" not in {row.get("query_id") for row in rows}


def as_cell(value: Any) -> str:
    """Write a value as CSV has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else str(value)


@pytest.mark.parametrize("name", RESULTS)
def test_a_column_has_one_type_wherever_it_is(name: str) -> None:
    found = made(name)
    table = found.to_arrow()
    for field in table.schema:
        assert field.type == TYPES[KINDS.get(field.name, "number")], field.name
    assert pa.table(found.to_polars()).schema.names == table.schema.names
    plain = found.to_polars().schema
    for field in table.schema:
        assert plain[field.name] == pl.from_arrow(table.slice(0, 0)).schema[field.name]
    frame = found.to_pandas()
    by_type = {"number": {"float64"}, "whole number": {"int64", "Int64"}, "truth value": {"bool"}}
    for column in frame:
        assert str(frame[column].dtype) in by_type.get(
            KINDS.get(column, "number"), {"str", "object"}
        )
    assert not table.num_rows or not pd.isna(frame).all(axis=None)


def test_scores_have_a_long_form() -> None:
    compared = rm.compare(QRELS, {"old": OLD, "new": NEW}, ["AP", "RR"])
    long = compared.long.to_pandas()
    assert [*long] == ["run", "query_id", "measure", "value"]
    assert len(long) == 2 * 2 * 2
    for (name, measure), part in long.groupby(["run", "measure"]):
        by_query = dict(zip(part["query_id"], part["value"], strict=True))
        assert by_query == compared.per_query(name, measure)
    ev = compared.evaluations["new"]
    assert ev.long.to_pandas()["value"].to_list() == ev.scores.ravel().tolist()
    assert json.loads(ev.long.to_json())["rows"][0] == ev.long.to_pandas().iloc[0].to_dict()
    assert "8 rows" in repr(compared.long)


def test_differences_have_the_means_of_their_slice() -> None:
    kinds = {"q1": "long", "q2": "short"}
    compared = rm.compare(QRELS, {"old": OLD, "new": NEW}, "AP", by=kinds)
    for part in (compared, *compared.slices.values()):
        (row,) = part.differences
        assert (row.baseline_mean, row.run_mean) == (part["old"]["AP"], part["new"]["AP"])
        assert row.run_mean - row.baseline_mean == pytest.approx(row.difference)


def test_what_is_missing_is_empty_in_csv_and_null_in_tables() -> None:
    found = rm.evaluate(
        {"q": {"a": 0}, "p": {"a": 1}}, {"q": ["a"], "p": ["a"]}, "AP", no_relevant="nan"
    )
    assert found.to_csv() == "query_id,AP\nq,\np,1.0\n"
    assert found.to_arrow()["AP"].to_pylist() == found.to_polars()["AP"].to_list() == [None, 1.0]
    slices = rm.compare(QRELS, {"old": OLD, "new": NEW}, "AP").leaderboard
    assert set(slices.to_arrow()["slice"].to_pylist()) == {None}


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx"]


def test_formulas_are_written_as_they_are_unless_they_are_to_be_safe(tmp_path: Path) -> None:
    found = rm.evaluate({id_: ["a"] for id_ in FORMULAS}, {id_: ["a"] for id_ in FORMULAS}, "AP")
    assert [row["query_id"] for row in rows_of(found.to_csv())] == FORMULAS
    safe = rows_of(found.to_csv(safe=True))
    assert [row["query_id"] for row in safe] == [f"'{query}" for query in FORMULAS]
    assert {row["AP"] for row in safe} == {"1.0"}
    low = rm.compare_scores({"a": {"=q": -1.0}, "b": {"=q": 2.0}}).to_csv(safe=True)
    assert low == "run,query_id,score\na,'=q,-1.0\nb,'=q,2.0\n"
    (tmp_path / "q").write_text("=q 0 a 1\n")
    (tmp_path / "r").write_text("=q Q0 a 1 2 t\n")
    said = ["evaluate", tmp_path / "q", tmp_path / "r", "-m", "AP", "--per-query"]
    assert "\nr,'=q,1.0\n" in run(*said, "--format", "csv", "--csv-safe").stdout
    done = run(*said, "--csv-safe")
    assert (done.exit_code, "--csv-safe is for --format csv" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--long"], "--long is for --format csv and parquet"),
        (["--format", "csv", "--per-query", "--aggregate", "min"], "leave --per-query or"),
    ],
)
def test_options_of_rows_are_refused_without_them(arguments: list[str], said: str) -> None:
    done = run("evaluate", Q, BM25, *arguments)
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "csv", "--long"], "--long is for --per-query"),
        (["--format", "csv", "--tables", "slices"], "whose column slice names the slices"),
        (["--tables", "means"], "--tables is for --format latex, csv and parquet"),
        (["--format", "csv", "--per-query", "--tables", "means"], "exclude each other"),
    ],
)
def test_compare_refuses_them_too(arguments: list[str], said: str) -> None:
    done = run("compare", Q, BM25, LSA, *arguments)
    assert done.exit_code == 2
    assert said in done.stderr


IDS = [b"caf\xe9", rb"caf\xe9", b"caf\xc3\xa9", rb"caf\x5cxe9", b"\\", rb"\udce9", b'a\\"\xff\\']


def decoded(text: str) -> bytes:
    """Turn escapes into bytes, as docs/reference/results.md says."""
    escape = rb"\\x([0-9a-f]{2})"
    return re.sub(escape, lambda found: bytes.fromhex(found[1].decode()), text.encode())


def test_bytes_that_are_no_utf8_can_be_found_again_in_csv_and_json(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"".join(b"%b 0 d 1\n" % query for query in IDS))
    (tmp_path / "r").write_bytes(b"".join(b"%b Q0 d 1 2 t\n" % query for query in IDS))
    found = rm.evaluate(tmp_path / "q", tmp_path / "r", "AP")
    in_csv = [row["query_id"] for row in rows_of(found.to_csv())]
    assert [*map(decoded, in_csv)] == IDS
    assert in_csv[0] == r"caf\xe9"
    assert in_csv[2] == "café"
    in_json = json.loads(found.to_json(indent=1))["per_query"]
    assert [*in_json] == in_csv == found.to_polars()["query_id"].to_list()
    assert encodable("\ud800") == r"\ud800"


def test_messages_show_bytes_that_are_no_utf8_as_bytes(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"caf\xe9 0 d 1\n")
    (tmp_path / "r").write_bytes(b"q Q0 d 1 2 t\nth\xe9 Q0 d\xe8 1 x t\n")
    with pytest.raises(rm.ParseError, match=r"r:2: score 'x' is not a number"):
        rm.evaluate(tmp_path / "q", tmp_path / "r")
    (tmp_path / "r").write_bytes(b"th\xe9 Q0 d 1 2 t\n")
    with pytest.raises(rm.MismatchError, match=r"it has 'th\\xe9', .*q has 'caf\\xe9'"):
        rm.evaluate(tmp_path / "q", tmp_path / "r")
    (tmp_path / "r").write_bytes(b"th\xe9 t\n")
    with pytest.raises(rm.ParseError, match=r"'th\\xe9 t'"):
        rm.evaluate(tmp_path / "q", tmp_path / "r")
    with pytest.raises(rm.InputError, match=r"no query 'th\\xe9'|th\\xe9.* not judged"):
        rm.explain(tmp_path / "q", {"q": ["a"]}, "th\udce9", "AP")
