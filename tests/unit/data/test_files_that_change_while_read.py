"""A file that somebody writes while it is read is refused, or read as it was at one moment."""

import gzip
import itertools
import json
import os
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

import rankmark as rm
from rankmark.data.files.input_file import InputFile

QRELS = {f"q{n}": {"d1": 1, "d5": 2, "d6": 0} for n in range(8)}
Rows = list[tuple[str, str, float]]
BEFORE: Rows = [(f"q{n}", f"d{d}", (n * 5 + d * 7) % 11 / 4) for n in range(8) for d in range(9)]
AFTER: Rows = [(q, d, 3 - score) for q, d, score in BEFORE] + [("q9", "d1", 0.5)]


def trec(rows: Rows) -> bytes:
    return "".join(f"{q} Q0 {d} 0 {score} {q}{d}\n" for q, d, score in rows).encode()


def csv(rows: Rows) -> bytes:
    lines = "".join(f"{q},{d},{score},{q}{d}\n" for q, d, score in rows)
    return f"query_id,doc_id,score,tag\n{lines}".encode()


def json_lines(rows: Rows) -> bytes:
    names = ("query_id", "doc_id", "score", "tag")
    fields = [dict(zip(names, (*row, row[0] + row[1]), strict=True)) for row in rows]
    return "".join(f"{json.dumps(row)}\n" for row in fields).encode()


def nested(rows: Rows) -> bytes:
    held: dict[str, dict[str, float]] = {}
    for query, document, score in rows:
        held.setdefault(query, {})[document] = score
    return json.dumps(held).encode()


def table(rows: Rows) -> pa.Table:
    query, document, score = zip(*rows, strict=True)
    tags = [q + d for q, d, _ in rows]
    return pa.table({"query_id": query, "doc_id": document, "score": score, "tag": tags})


def in_groups(rows: Rows) -> bytes:
    out = pa.BufferOutputStream()
    parquet.write_table(table(rows), out, row_group_size=20)
    return bytes(out.getvalue())


def arrow(rows: Rows) -> bytes:
    out = pa.BufferOutputStream()
    with ipc.new_file(out, table(rows).schema) as writer:
        writer.write_table(table(rows), max_chunksize=20)
    return bytes(out.getvalue())


FORMS: dict[str, Callable[[Rows], bytes]] = {
    "run.trec": trec,
    "run.csv": csv,
    "run.jsonl": json_lines,
    "run.json": nested,
    "run.parquet": in_groups,
    "run.arrow": arrow,
    "run.trec.gz": lambda rows: gzip.compress(trec(rows)),
}


def converted(path: Path) -> bytes:
    target = path.parent / "out.csv"
    target.unlink(missing_ok=True)
    try:
        rm.convert(path, target, kind="run")
    finally:
        assert len([*path.parent.glob("*out.csv*")]) == target.exists()  # whole, or nothing
    return target.read_bytes()


VERBS: dict[str, Callable[[Path], object]] = {
    "evaluate": lambda path: rm.evaluate(QRELS, path, ["AP", "num_ret"], threads=1).scores.tolist(),
    "convert": converted,
    "similarity": lambda path: str(rm.compare_rankings(path, dict(QRELS), "overlap@3")),
    "explain": lambda path: str(rm.explain(QRELS, path, "q3", "AP")),
}


def replaced(path: Path, data: bytes) -> None:
    new = path.with_name("new")
    new.write_bytes(data)
    new.replace(path)


WRITES: dict[str, Callable[[Path, bytes], object]] = {
    "written over": lambda path, data: path.write_bytes(data),
    "shorter": lambda path, _: os.truncate(path, path.stat().st_size // 2),
    "gone": lambda path, _: path.unlink(),
    "another": replaced,
}


def outcome(verb: str, path: Path) -> object:
    """Give what a verb makes of a file; None if it refuses it, or says that there is none."""
    try:
        return VERBS[verb](path)
    except rm.RankmarkError:
        return None


@pytest.fixture
def at_opening(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Callable[[], object]], list[int]]:
    """Do something once a file was opened so many times."""
    once = InputFile._open_any

    def arranged(number: int, act: Callable[[], object]) -> list[int]:
        openings: Iterator[int] = itertools.count(1)
        done: list[int] = []

        def opened(self: InputFile) -> FileIO:
            file = once(self)
            if next(openings) == number:
                done.append(number)
                act()
            return file

        monkeypatch.setattr(InputFile, "_open_any", opened)
        return done

    return arranged


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_changes_is_read_as_at_one_moment_or_refused(
    form: str,
    verb: str,
    tmp_path: Path,
    at_opening: Callable[[int, Callable[[], object]], list[int]],
) -> None:
    path, before, after = tmp_path / form, FORMS[form](BEFORE), FORMS[form](AFTER)
    path.write_bytes(after)
    sound = [None, outcome(verb, path)]
    path.write_bytes(before)
    sound.append(outcome(verb, path))
    assert None not in sound[1:]
    for what, write in WRITES.items():
        at_opening(0, lambda: None)
        if what == "shorter":
            os.truncate(path, len(before) // 2)
            half = outcome(verb, path)
        number = 0
        while True:
            number += 1 + number // 3
            replaced(path, before)
            done = at_opening(number, lambda write=write: write(path, after))  # type: ignore[misc]
            found = outcome(verb, path)
            assert found in sound or (what == "shorter" and found == half), (what, number)
            if not done:
                break
            path.write_bytes(before)


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_grows_while_it_is_open_is_refused(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, data = tmp_path / form, FORMS[form](BEFORE)

    def grow(_: InputFile, __: FileIO) -> None:  # behind the first look at its size and time
        with path.open("ab") as file:
            file.write(data)

    monkeypatch.setattr(InputFile, "_refuse_changed", grow)
    for verb, call in VERBS.items():
        path.write_bytes(data)
        with pytest.raises(rm.InputError) as refused:
            call(path)
        assert refused.value.remedy, verb


def test_a_mapped_array_whose_file_was_cut_is_refused(tmp_path: Path) -> None:
    path, labels = tmp_path / "scores.npy", np.tile([0, 1, 0, 0], (400, 64))
    np.save(path, np.random.default_rng(1).random((400, 256)))
    mapped = np.load(path, mmap_mode="r")
    run, whole = rm.Run(mapped), rm.evaluate(labels, mapped, "AP")
    os.truncate(path, 40_960)
    assert rm.evaluate(labels[:16], mapped[:16], "AP")["AP"] > 0
    columns = {"query_id": ["q"] * 256, "doc_id": [*range(256)], "score": mapped[300]}
    for call in (
        lambda: rm.evaluate(labels, run, "AP"),
        lambda: rm.evaluate(labels, mapped, "AP"),
        lambda: rm.evaluate(mapped, labels * 1.0, "AP"),
        lambda: rm.evaluate(labels[:, 0], mapped.ravel()[::256], "AP", groups=[200, 200]),
        lambda: rm.evaluate({"q": {"1": 1}}, columns, "AP"),
        lambda: rm.evaluate({"q": {"1": 1}}, {"q": (mapped[300], np.arange(256))}, "AP"),
        lambda: whole.explain("399"),
    ):
        with pytest.raises(rm.ChangedError, match=r"has 40,960 bytes now, and the array needs"):
            call()
