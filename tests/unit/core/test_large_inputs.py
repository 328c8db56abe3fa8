"""Packed files, streams and JSON lines are read in pieces; no temporary file is left."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import DuplicateError, ParseError

pytestmark = pytest.mark.slow

MEASURES = ["nDCG@10", "AP", "R@100"]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and limits")


def rows_of(queries: int, depth: int) -> list[tuple[str, str, float]]:
    rng = random.Random(1)
    return [
        (f"q{query}", f"d{document}", rng.randrange(300) / 4)
        for query in range(queries)
        for document in range(depth)
    ]


def as_text(rows: list[tuple[str, str, float]]) -> bytes:
    return "".join(f"{query} Q0 {doc} 1 {score} t\n" for query, doc, score in rows).encode()


ROWS = rows_of(200, 60)
QRELS = {f"q{query}": {f"d{query % 50}": 2, f"d{query % 40}": 1} for query in range(0, 200, 2)}
EXPECTED = rm.evaluate(QRELS, ROWS, MEASURES).scores


@pytest.mark.parametrize("threads", [1, 3])
def test_a_packed_file_is_unpacked_again_for_interleaved_queries(
    tmp_path: Path, threads: int
) -> None:
    path = tmp_path / "run.gz"
    half = len(ROWS) // 2
    path.write_bytes(gzip.compress(as_text(ROWS[::2] + ROWS[1::2])))
    found = rm.evaluate(QRELS, path, MEASURES, threads=threads, memory="64K")
    assert np.array_equal(found.scores, EXPECTED)
    assert found.audit.interleaved == 200
    path.write_bytes(gzip.compress(as_text(ROWS[half - 50 :] + ROWS[: half - 50])))
    assert np.array_equal(rm.evaluate(QRELS, path, MEASURES, threads=threads).scores, EXPECTED)


def test_faults_in_packed_files_name_their_lines(tmp_path: Path) -> None:
    path, data = tmp_path / "run.gz", as_text(ROWS)
    path.write_bytes(gzip.compress(data + b"q1 Q0 d1 1 high t\n"))
    with pytest.raises(ParseError, match="score") as wrong:
        rm.evaluate(QRELS, path)
    assert wrong.value.line == len(ROWS) + 1
    path.write_bytes(gzip.compress(data + as_text(ROWS[:2])))
    with pytest.raises(DuplicateError, match="first on line 1") as twice:
        rm.evaluate(QRELS, path)
    assert twice.value.line == len(ROWS) + 1
    path.write_bytes(gzip.compress(data)[:-2000])
    with pytest.raises(ParseError, match="the gzip data is damaged"):
        rm.evaluate(QRELS, path)


def test_an_iterator_of_bytes_is_read_as_a_file() -> None:
    data = as_text(ROWS)
    whole = rm.evaluate(QRELS, (data[at : at + 777] for at in range(0, len(data), 777)), MEASURES)
    packed = gzip.compress(data)
    pieces: Iterator[bytes] = iter([b"", packed[:5], b"", packed[5:]])
    assert np.array_equal(whole.scores, EXPECTED)
    assert np.array_equal(rm.evaluate(QRELS, pieces, MEASURES).scores, EXPECTED)
    assert np.array_equal(rm.evaluate(QRELS, iter(ROWS), MEASURES).scores, EXPECTED)


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("number", ["score", "rank", None])
def test_json_lines_are_read_in_batches(
    tmp_path: Path, number: str | None, nested: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankmark.data.files.json_lines._BATCH", 500)
    rows = ROWS[:3000]
    held: dict[str, list[dict[str, object]]] = {}
    for query, doc, score in rows:
        documents = held.setdefault(query, [])
        numbers = {"score": score, "rank": len(documents) + 1}
        documents.append({"doc_id": doc} | ({number: numbers[number]} if number else {}))
    if nested:
        lines = [{"query_id": query, "docs": documents} for query, documents in held.items()]
    else:
        lines = [
            {"query_id": query} | one for query, documents in held.items() for one in documents
        ]
        lines = lines[::2] + lines[1::2] if number else lines
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = rows if number == "score" else {q: [d["doc_id"] for d in ds] for q, ds in held.items()}
    expected = rm.evaluate(QRELS, run, MEASURES).scores
    source = rm.Run(path)
    assert np.array_equal(rm.evaluate(QRELS, source, MEASURES, memory="64K").scores, expected)
    assert source.source._whole is None  # type: ignore[attr-defined]
    again = rm.Run(path).source
    assert again.description() == source.source.description()
    assert again._whole is None  # type: ignore[attr-defined]
    path.write_text(path.read_text() + json.dumps(lines[0]) + "\n")
    with pytest.raises(DuplicateError, match=f"run.jsonl:{len(lines) + 1}"):
        rm.evaluate(QRELS, path)


INTERRUPTED = """
import sys, rankmark as rm
qrels, run = rm.Qrels({"q1": {"d1": 1}}), sys.argv[1]
rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, ["RR"])
print("reading", flush=True)
try:
    while True:
        rm.evaluate(qrels, run, ["RR"], memory="64K")
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@POSIX
@pytest.mark.parametrize("name", ["run", "run.gz"])
def test_ctrl_c_ends_unpacking_and_gathering_at_once_and_leaves_nothing(
    tmp_path: Path, name: str
) -> None:
    data = as_text(ROWS[::2] + ROWS[1::2])
    path, folder = tmp_path / name, tmp_path / "temporary"
    path.write_bytes(gzip.compress(data, 1) if name.endswith("gz") else data)
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(path)],
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(folder)},
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"reading\n"
        time.sleep(0.3)
        sent = time.monotonic()
        reader.send_signal(signal.SIGINT)
        assert reader.stdout.readline() == b"stopped\n"
        assert time.monotonic() - sent < 1
    assert reader.returncode == 0
    assert list(folder.iterdir()) == []
