"""``rankmark ann-recall``: files of neighbours measured from the command line."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from unit.commands import rankmark_here, told

TRUE_IDS = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [-1, -1, -1, -1]], np.int32)
IDS = np.array([[1, 2, 4], [5, 5, 9], [1, 2, 3]], np.int32)
TRUE_DISTANCES = np.array([[1, 2, 3, 3], [1, 2, 3, 4], [0, 0, 0, 0]], np.float32)
DISTANCES = np.array([[1, 2, 3], [1, 1, 5], [1, 2, 3]], np.float32)


def vectors(path: Path, rows: Any) -> Path:
    """Write rows that each begin with their length."""
    kind = {".ivecs": "<i4", ".fvecs": "<f4", ".bvecs": "u1"}[path.suffix]
    length = np.array([len(rows[0])], "<i4").tobytes()
    path.write_bytes(b"".join(length + row.astype(kind).tobytes() for row in rows))
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "truth.npy", tmp_path / "found.npy"]
    for path, ids in zip(paths, (TRUE_IDS, IDS), strict=True):
        np.save(path, ids)
    return paths


def test_the_table_has_means_with_intervals_and_the_audit(files: list[Path]) -> None:
    done = rankmark_here("ann-recall", *files, "-k", 3)
    assert (done.returncode, done.stderr) == (0, "")
    head, means, blank, *notes = done.stdout.splitlines()
    assert head.split() == ["measure", "mean", "95%", "interval", "queries"]
    found = rm.ann_recall(TRUE_IDS, IDS, 3)
    one = found.interval()
    assert means.split() == ["recall@3", "0.5000", f"[{one.low:.4f},", f"{one.high:.4f}]", "2"]
    assert blank == ""
    assert notes == found.notes
    assert rankmark_here("ann-recall", *files, "-k", 3, "--quiet").stdout.splitlines()[2:] == [
        "",
        found.notes[0],
    ]


def test_files_of_distances_give_what_arrays_give(files: list[Path], tmp_path: Path) -> None:
    far = [vectors(tmp_path / "t.fvecs", TRUE_DISTANCES), vectors(tmp_path / "f.fvecs", DISTANCES)]
    options = ["--true-distances", far[0], "--distances", far[1], "--eps", 0.5]
    done = rankmark_here("ann-recall", *files, "-k", 3, *options, "--format", "json")
    expected = rm.ann_recall(
        TRUE_IDS, IDS, 3, true_distances=TRUE_DISTANCES, distances=DISTANCES, eps=0.5
    )
    assert json.loads(done.stdout) == json.loads(expected.to_json(per_query=False, intervals=True))
    assert json.loads(done.stdout)["intervals"]["tie_recall@3"]["n"] == 2


@pytest.mark.parametrize("ending", [".ivecs", ".bvecs", ".npy"])
def test_every_form_of_ids_is_read(ending: str, files: list[Path], tmp_path: Path) -> None:
    truth = tmp_path / f"other{ending}"
    np.save(truth, TRUE_IDS[:2]) if ending == ".npy" else vectors(truth, TRUE_IDS[:2])
    np.save(files[1], IDS[:2])
    done = rankmark_here("ann-recall", truth, files[1], "-k", 3, "--per-query", "--format", "csv")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    expected = rm.ann_recall(TRUE_IDS[:2], IDS[:2], 3).per_query("recall")
    assert rows[0] == ["query_id", "recall@3"]
    assert {query: float(value) for query, value in rows[1:]} == expected


def test_distances_of_hdf5_files_are_used(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    for name, ids, distances in (("t", TRUE_IDS, TRUE_DISTANCES), ("f", IDS, DISTANCES)):
        with h5py.File(tmp_path / f"{name}.hdf5", "w") as file:
            file["neighbors"], file["distances"] = ids, distances
    done = rankmark_here(
        "ann-recall", tmp_path / "t.hdf5", tmp_path / "f.hdf5", "-k", 3, "--format", "json"
    )
    both = {"true_distances": TRUE_DISTANCES, "distances": DISTANCES}
    assert json.loads(done.stdout)["scores"] == dict(rm.ann_recall(TRUE_IDS, IDS, 3, **both))
    with h5py.File(tmp_path / "o.hdf5", "w") as file:
        file["train"] = IDS
    done = rankmark_here("ann-recall", tmp_path / "o.hdf5", tmp_path / "f.hdf5", "-k", 3)
    assert done.returncode == 1
    assert told(done).endswith(
        "has no array neighbors, but train; need a file as of ann-benchmarks"
    )


def test_an_hdf5_file_needs_h5py(monkeypatch: pytest.MonkeyPatch, files: list[Path]) -> None:
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    done = rankmark_here("ann-recall", "truth.hdf5", files[1], "-k", 3)
    assert done.returncode == 1
    assert told(done) == (
        "truth.hdf5: an HDF5 file needs h5py; install it: pip install 'rankmark[hdf5]'"
    )


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv", "markdown", "latex"])
@pytest.mark.parametrize("detail", [[], ["--per-query"]])
def test_every_format_is_written_to_a_file_as_to_stdout(
    form: str, detail: list[str], files: list[Path], tmp_path: Path
) -> None:
    options = ["-k", 3, "--format", form, *detail]
    shown = rankmark_here("ann-recall", *files, *options)
    written = rankmark_here("ann-recall", *files, *options, "-o", tmp_path / "out")
    assert written.stdout == ""
    assert (tmp_path / "out").read_text(encoding="utf-8") == shown.stdout
    assert "0." in shown.stdout


def test_long_rows_have_a_measure_and_a_value(files: list[Path]) -> None:
    done = rankmark_here("ann-recall", *files, "-k", 3, "--format", "csv", "--long")
    assert done.stdout == "query_id,measure,value\nall,recall@3,0.5\n"


def test_the_interval_of_equal_values_is_left_empty(files: list[Path]) -> None:
    np.save(files[1], TRUE_IDS)
    done = rankmark_here("ann-recall", *files, "-k", 3)
    assert done.stdout.splitlines()[1].split() == ["recall@3", "1.0000", "2"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.npy", b"nothing", "is not an array of numbers"),
        ("a.npy", b"", "is not an array of numbers"),
        ("a.ivecs", b"", "is empty; need rows of a length and values"),
        ("a.ivecs", b"\1\0", "has 2 bytes, which are no rows of 0 values"),
        ("a.ivecs", b"\2\0\0\0" + bytes(5), "has 9 bytes, which are no rows of 2 values"),
        ("a.ivecs", b"\xff\xff\xff\xff" + bytes(4), "has 8 bytes, which are no rows of -1 values"),
        (
            "a.ivecs",
            b"\1\0\0\0" + bytes(4) + b"\2\0\0\0" + bytes(4),
            "row 1 has 2 values, and row 0 1; pad the rows to one length",
        ),
        ("a", b"1,2", "its name has no ending that says what the file holds; need one of .npy"),
        ("a.csv", b"1,2", "the ending .csv does not say what the file holds; need one of .npy"),
    ],
)
def test_damaged_files_are_refused(
    name: str, content: bytes, words: str, files: list[Path], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    done = rankmark_here("ann-recall", path, files[1], "-k", 1)
    assert done.returncode == 1
    assert told(done).startswith(f"{path}: ")
    assert words in told(done)


def test_a_file_of_objects_is_not_unpickled(files: list[Path]) -> None:
    np.save(files[0], np.array([[{}, {}]], object), allow_pickle=True)
    done = rankmark_here("ann-recall", *files, "-k", 1)
    assert done.returncode == 1
    assert "is not an array of numbers" in told(done)


def test_files_that_do_not_exist_are_named(files: list[Path]) -> None:
    for name in ("none.npy", "none.ivecs"):
        done = rankmark_here("ann-recall", name, files[1], "-k", 1)
        assert done.returncode == 1
        assert told(done) == f"{name}: there is no such file; check the path"


def test_wrong_usage_ends_with_two(files: list[Path]) -> None:
    assert rankmark_here("ann-recall", *files).returncode == 2
    assert rankmark_here("ann-recall", *files, "-k", 0).returncode == 2
    assert rankmark_here("ann-recall", *files, "-k", 1, "-o", files[0]).returncode == 2
