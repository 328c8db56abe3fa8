"""R reads every table and JSON document that rankmark writes, as docs/reference/results.md says."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rankmark.results.table_schema import KINDS
from unit.results.made_results import RESULTS, made

SCRIPT = Path(__file__).with_name("read_tables.R")
CLASSES = {
    "text": "character",
    "number": "numeric",
    "whole number": "integer",
    "truth value": "character",
    "texts": "character",
    "whole numbers": "character",
}


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Give what R reads of all results, in one process."""
    if shutil.which("Rscript") is None:
        pytest.skip("there is no Rscript to read tables with; apt-get install r-base-core")
    folder = tmp_path_factory.mktemp("tables")
    for name in RESULTS:
        (folder / f"{name}.csv").write_text(made(name).to_csv(), encoding="utf-8")
        (folder / f"{name}.json").write_text(made(name).to_json(), encoding="utf-8")
    command = ["Rscript", "--vanilla", str(SCRIPT), str(folder)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=60)
    if done.returncode and "jsonlite" in done.stderr:
        pytest.skip("R has no jsonlite to write what it read; apt-get install r-cran-jsonlite")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_r_reads_the_rows_with_their_types(name: str, read: dict[str, Any]) -> None:
    table, columns = made(name).to_arrow(), read["csv"][f"{name}.csv"]
    assert [*columns] == table.column_names
    for column, in_r in columns.items():
        values = table[column].to_pylist()
        kind = KINDS.get(column, "number")
        if all(value is None for value in values):
            assert set(in_r["values"]) <= {None}
            continue
        if column == "max_drop":  # a share such as 2%, or a number, which R reads as one
            assert [float(text) for text in in_r["values"]] == [*map(float, values)]
            continue
        if column == "query_id" and all(value.isdecimal() for value in values):
            assert in_r["class"] == "integer"  # rows of arrays are counted
            continue
        assert in_r["class"] == CLASSES[kind], column
        assert [in_python(kind, text) for text in in_r["values"]] == values


def in_python(kind: str, text: str | None) -> Any:
    if text is None or kind == "text":
        return text
    if kind in {"texts", "whole numbers"}:
        return json.loads(text)
    return text == "true" if kind == "truth value" else float(text)


def test_r_reads_every_json_document(read: dict[str, Any]) -> None:
    for name in RESULTS:
        document = json.loads(made(name).to_json())
        in_r = read["json"][f"{name}.json"]
        assert in_r["names"] == [*document]
        assert in_r["rows"] == len(document.get("rows", []))
