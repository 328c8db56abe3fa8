"""Names of files are those that pathlib gives."""

from pathlib import PurePath

import pytest

from rankmark.file_names import file_extensions, file_name

PATHS = ["bm25.run", "runs/bm25.run.gz", "/runs/", "a.b/c", ".hidden", "..run.gz", "", "x y.tar.xz"]


@pytest.mark.parametrize("path", PATHS)
def test_names_and_extensions_are_those_of_pathlib(path: str) -> None:
    assert file_name(path) == PurePath(path).name
    assert file_extensions(path) == PurePath(path).suffixes
