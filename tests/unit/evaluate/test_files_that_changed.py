"""What was evaluated from files is told as it was, or refused once they have changed."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.evaluate.graded_collection import QUERIES, collection, nested, rows


def lines(matrix: Any, last: str = "t") -> str:
    return "".join(f"{q} Q0 {d} 0 {number:.17g} {last}\n" for q, d, number in rows(matrix))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    labels, scores = collection(QUERIES)
    qrels, run = tmp_path / "qrels.txt", tmp_path / "epoch.run"
    qrels.write_text("".join(f"{q} 0 {d} {int(label)}\n" for q, d, label in rows(labels)))
    run.write_text(lines(scores))
    return qrels, run


@pytest.mark.slow
def test_a_file_that_was_written_over_is_refused(files: tuple[Path, Path]) -> None:
    qrels, run = files
    ev = rm.evaluate(qrels, run, "RR")
    other = rm.evaluate(qrels, run, "RR")
    assert str(ev.explain("2"))
    told = ev.bounds, str(ev), ev.tie_interval
    run.write_text(lines(1 - collection(QUERIES)[1], "second"))
    assert rm.evaluate(qrels, run, "RR")["RR"] != ev["RR"]
    with pytest.raises(rm.ChangedError, match=r"epoch.run: the file has changed since it was eval"):
        other.explain("2")
    with pytest.raises(rm.ChangedError, match="evaluate it again, or write each run to a file of"):
        _ = other.bounds
    assert (ev.bounds, str(ev), ev.tie_interval) == told
    assert str(other) == str(ev)
    assert other.to_dict()["run"]["sha256"] is None  # nobody hashed it while it was there
    run.unlink()
    with pytest.raises(rm.ChangedError, match="the file no longer exists"):
        other.explain("2")


@pytest.mark.slow
def test_a_file_of_the_same_size_and_time_is_told_by_its_hash(files: tuple[Path, Path]) -> None:
    qrels, run = files
    text = lines(collection(QUERIES)[1])
    swapped = text.replace(" d1 0 ", " x 0 ").replace(" d2 0 ", " d1 0 ").replace(" x 0 ", " d2 0 ")
    assert len(swapped) == len(text)
    assert swapped != text
    for _ in range(5):  # some of these within one step of the clock
        run.write_text(text)
        ev = rm.evaluate(qrels, run, "RR")
        run.write_text(swapped)
        with pytest.raises(rm.ChangedError):
            ev.explain("2")


@pytest.mark.slow
def test_a_file_that_was_only_touched_is_read_where_its_hash_is_known(
    files: tuple[Path, Path],
) -> None:
    qrels, run = files
    os.utime(run, ns=(0, 10**18))
    known, unknown = (rm.evaluate(qrels, run, "RR") for _ in range(2))
    sha256 = known.to_dict()["run"]["sha256"]
    assert sha256
    run.touch()
    assert str(known.explain("2"))
    assert known.to_dict()["run"]["sha256"] == sha256
    with pytest.raises(rm.ChangedError):
        unknown.explain("2")


@pytest.mark.slow
def test_a_prepared_run_reads_its_file_anew_and_its_evaluations_do_not(
    files: tuple[Path, Path],
) -> None:
    qrels, path = files
    run = rm.Run(path)
    first = rm.evaluate(qrels, run, "RR")
    path.write_text(lines(1 - collection(QUERIES)[1]))
    second = rm.evaluate(qrels, run, "RR")
    assert first["RR"] != second["RR"]
    assert str(second.explain("2"))
    with pytest.raises(rm.ChangedError):
        first.explain("2")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "gz", "stream"])
def test_other_files_are_told_apart_as_well(
    form: str, files: tuple[Path, Path], tmp_path: Path
) -> None:
    qrels, path = files
    scores = collection(QUERIES)[1]
    if form == "json":
        path = tmp_path / "run.json"
        path.write_text(json.dumps(nested(scores)))
        ev = rm.evaluate(qrels, path, "RR")
        path.write_text(json.dumps(nested(1 - scores)))
    elif form == "gz":
        path = tmp_path / "run.gz"
        path.write_bytes(gzip.compress(lines(scores).encode()))
        ev = rm.evaluate(qrels, path, "RR")
        path.write_bytes(gzip.compress(lines(1 - scores).encode()))
    else:
        with path.open("rb") as file:
            ev = rm.evaluate(qrels, file, "RR")
        path.write_text(lines(1 - scores))
        assert str(ev.explain("2"))  # of a stream, a copy of ours is kept
        return
    with pytest.raises(rm.ChangedError):
        ev.explain("2")
    with pytest.raises(rm.ChangedError):
        _ = ev.bounds


def test_columns_named_by_a_dict_may_change_later(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("who,what,how\n1,a,0.5\n1,b,0.9\n")
    names = {"query_id": "who", "doc_id": "what", "score": "how"}
    run = rm.Run(path, columns=names)
    names["score"] = "nothing"
    assert rm.evaluate({"1": {"a": 1}}, run, "RR")["RR"] == 0.5
