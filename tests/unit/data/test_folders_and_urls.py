"""Folders, patterns and URLs are one source, with the bits of the same rows as text."""

import builtins
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import rankmark as rm
from unit.data.test_columnar_files import (
    MEASURES,
    QRELS,
    rows_of,
    table_of,
    text_of,
    told,
    write_file,
    write_parquet,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of three files of different forms, with what other tools leave there."""
    table = table_of(rows_of("returning"), "text")
    folder = tmp_path / "runs"
    (folder / "more").mkdir(parents=True)
    write_parquet(table[:50], folder / "1.parquet", 7)
    write_file(table[50:51], folder / "2.arrow", 7)
    write_parquet(table[51:], folder / "more" / "3.parquet", 1000)
    (folder / "_SUCCESS").touch()
    return folder


@pytest.fixture
def expected(tmp_path: Path) -> Any:
    text = text_of(rows_of("returning"), tmp_path / "run.txt")
    return told(rm.evaluate(QRELS, text, MEASURES))


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["", "/", "/**/[0-9].*"])
def test_files_together_are_one_run(folder: Path, expected: Any, pattern: str) -> None:
    for threads in (1, 3):
        found = rm.evaluate(QRELS, f"{folder}{pattern}", MEASURES, threads=threads)
        assert told(found) == expected
    run = rm.Run(folder)
    assert told(rm.evaluate(QRELS, pickle.loads(pickle.dumps(run)), MEASURES)) == expected
    assert rm.explain(QRELS, folder, "12", "AP").value == found.per_query("AP")["12"]
    assert rm.check(QRELS, folder).files[1].facts["rows"] == found.audit.to_dict()["rows"]


def test_folders_name_columns_as_hive_does(tmp_path: Path) -> None:
    rows = rows_of("grouped")
    for query in dict.fromkeys(q for q, _, _ in rows):
        part = tmp_path / "runs" / f"user_id={query}"
        part.mkdir(parents=True)
        own = [row for row in rows if row[0] == query]
        table = table_of(own, "whole").drop_columns(["qid"])
        parquet.write_table(table, part / "part-0.parquet")
    wanted = rm.evaluate(QRELS, text_of(rows, tmp_path / "run.txt"), MEASURES)
    found = rm.evaluate(QRELS, tmp_path / "runs", MEASURES)
    assert found.scores.tobytes() == wanted.scores.tobytes()
    assert found.settings["run"]["columns"]["query_id"] == "user_id"


def test_faults_name_the_file_among_several(folder: Path) -> None:
    write_parquet(table_of([("1", "x", 1.0), ("1", "y", 1.0)], "text"), folder / "4.parquet", 9)
    write_parquet(table_of([("1", "z", 1.0), ("1", "x", 1.0)], "text"), folder / "5.parquet", 9)
    with pytest.raises(
        rm.DuplicateError, match=r"5\.parquet: row 1 .*first in \S*4\.parquet: row 0"
    ):
        rm.evaluate(QRELS, folder)
    (folder / "5.parquet").unlink()
    write_parquet(pa.table({"qid": ["1"], "docid": ["x"]}), folder / "5.parquet", 9)
    with pytest.raises(rm.SchemaError, match=r"5\.parquet: there is no column"):
        rm.evaluate(QRELS, folder)
    text_of(rows_of("grouped"), folder / "0.run")
    with pytest.raises(rm.ParseError, match=r"0\.run: this is neither Parquet nor Arrow"):
        rm.evaluate(QRELS, folder)


def test_folders_are_converted_and_compared(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(rm.InputError, match="runs: this may be judgments or a run"):
        rm.convert(folder, tmp_path / "back.run")
    rm.convert(folder, tmp_path / "back.run", kind="run")
    back = rm.evaluate(QRELS, tmp_path / "back.run", MEASURES)
    assert back.scores.tobytes() == rm.evaluate(QRELS, folder, MEASURES).scores.tobytes()
    comparison = rm.compare(QRELS, [str(folder), tmp_path / "back.run"], ["AP"])
    assert list(comparison.runs) == ["runs", "back"]


def test_no_files_are_no_run(tmp_path: Path) -> None:
    with pytest.raises(rm.InputError, match="the folder has no files"):
        rm.evaluate(QRELS, tmp_path)
    with pytest.raises(rm.InputError, match="no file matches"):
        rm.evaluate(QRELS, tmp_path / "*.parquet")


def test_a_folder_in_a_format_of_single_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rm.InputError, match="format is 'trec', and this is a folder; name one"):
        rm.evaluate(QRELS, tmp_path, run_format="trec")
    with pytest.raises(rm.InputError, match="format is 'trec', and this is a pattern; name one"):
        rm.evaluate(QRELS, tmp_path / "*.run", run_format="trec")


@pytest.mark.slow
def test_the_command_takes_folders_and_patterns(folder: Path, tmp_path: Path) -> None:
    rows = [(q, d, float(label)) for q, judged in QRELS.items() for d, label in judged.items()]
    table = table_of(rows, "text").rename_columns(["other", "docid", "rel", "qid"])
    write_parquet(table, tmp_path / "qrels.parquet", 100)
    command = [sys.executable, "-m", "rankmark", "evaluate", "qrels.parquet", "runs/"]
    done = subprocess.run(
        [*command, "runs/**/[0-9].*", "-m", "AP"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    mean = f"{rm.evaluate(QRELS, folder, 'AP')['AP']:.4f}"
    assert done.stdout.count(mean) == 2


@pytest.fixture
def memory(folder: Path) -> Any:
    """Return a file system of fsspec in memory, with the same files."""
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.put(str(folder), "/runs", recursive=True)
    yield system
    system.rm("/runs", recursive=True)


@pytest.mark.slow
def test_urls_are_read_by_fsspec(memory: Any, expected: Any, tmp_path: Path) -> None:
    for url in ("memory://runs", "memory://runs/**/[0-9].*"):
        assert told(rm.evaluate(QRELS, url, MEASURES)) == expected
    memory.put(str(tmp_path / "run.txt"), "/runs/run.txt")
    assert told(rm.evaluate(QRELS, "memory://runs/run.txt", MEASURES)) == expected
    one = rm.evaluate(QRELS, "memory://runs/1.parquet", MEASURES)
    assert one.settings["run"]["form"] == "parquet"
    with pytest.raises(rm.InputError, match=r"memory://runs/none\.run: there is no such file"):
        rm.evaluate(QRELS, "memory://runs/none.run")


def test_a_url_without_fsspec_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def absent(name: str, *rest: Any, **options: Any) -> Any:
        if name.partition(".")[0] == "fsspec":
            raise ModuleNotFoundError(name)
        return found(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(rm.MissingDependencyError, match=r"needs fsspec; .*rankmark\[remote\]"):
        rm.evaluate(QRELS, "s3://bucket/run.parquet")
