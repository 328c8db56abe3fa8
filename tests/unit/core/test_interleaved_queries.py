"""Rows of interleaved queries are gathered within a bound that changes no result."""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rankmark as rm
from rankmark.data.contract.resources import as_memory
from rankmark.errors import DuplicateError, InputError

MEASURES = ["nDCG@10", "AP", "R@100", "RR"]


def lines_of(queries: int, depth: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)
    return [
        f"q{query} Q0 d{query}-{document}{'x' * rng.randrange(20)} 1 {rng.randrange(500)} t\n"
        for query in range(queries)
        for document in range(depth)
    ]


def judged(folder: Path, rows: list[str]) -> Path:
    path = folder / "qrels"
    path.write_text(
        "".join(
            f"{row.split()[0]} 0 {row.split()[2]} {number % 3}\n"
            for number, row in enumerate(rows[::7])
        )
    )
    return path


def written(folder: Path, name: str, rows: list[str]) -> Path:
    path = folder / name
    path.write_text("".join(rows))
    return path


@pytest.mark.parametrize("memory", ["64K", "1M", None])
def test_shuffled_rows_are_gathered_from_temporary_files(
    tmp_path: Path, memory: str | None
) -> None:
    rows = lines_of(300, 60)
    qrels = judged(tmp_path, rows)
    expected = rm.evaluate(qrels, written(tmp_path, "run", rows), MEASURES)
    random.Random(2).shuffle(rows)
    shuffled = rm.evaluate(qrels, written(tmp_path, "shuffled", rows), MEASURES, memory=memory)
    assert np.array_equal(shuffled.scores, expected.scores)
    assert shuffled.audit.interleaved > 250
    assert shuffled.settings == expected.settings


@pytest.mark.slow
def test_queries_that_are_not_judged_are_counted_in_the_order_of_the_file(tmp_path: Path) -> None:
    rows = lines_of(300, 60)
    judged_rows = [row for row in rows if int(row.split()[0][1:]) % 2]
    qrels = judged(tmp_path, judged_rows)
    expected = rm.evaluate(qrels, written(tmp_path, "run", rows), MEASURES)
    random.Random(6).shuffle(rows)
    shuffled = rm.evaluate(qrels, written(tmp_path, "shuffled", rows), MEASURES, memory="64K")
    assert np.array_equal(shuffled.scores, expected.scores)
    assert shuffled.audit.run_only == 150
    first = list(dict.fromkeys(q for q in (row.split()[0] for row in rows) if int(q[1:]) % 2 == 0))
    assert shuffled.audit.run_only_examples == tuple(first[:3])


def test_whole_rankings_are_gathered_too(tmp_path: Path) -> None:
    rows = lines_of(300, 60)
    whole = written(tmp_path, "run", rows)
    random.Random(7).shuffle(rows)
    shuffled = rm.compare_rankings(whole, written(tmp_path, "shuffled", rows), "RBO")
    assert np.array_equal(shuffled.scores, rm.compare_rankings(whole, whole, "RBO").scores)


def test_one_query_may_be_larger_than_the_memory(tmp_path: Path) -> None:
    rows = lines_of(1, 9000) + [line.replace("q0", "q1", 1) for line in lines_of(1, 4000)]
    qrels = judged(tmp_path, rows)
    expected = rm.evaluate(qrels, written(tmp_path, "run", rows), MEASURES)
    mixed = rows[::2] + rows[1::2]
    kept = rm.evaluate(qrels, written(tmp_path, "mixed", mixed), MEASURES, memory="64K")
    assert kept.audit.interleaved == 2
    assert np.array_equal(kept.scores, expected.scores)


@pytest.mark.slow
def test_queries_of_very_different_sizes_and_long_ids_share_a_partition(tmp_path: Path) -> None:
    rng = random.Random(3)
    sizes = [3000 if query % 64 == 0 else 2 for query in range(400)]
    rows = [
        f"{query}\td{row}{'y' * (3000 if row == 1 else 0)}\t{rng.random()}\n"
        for query, size in enumerate(sizes)
        for row in range(size)
    ]
    head = "query_id\tdoc_id\tscore\n"
    truth = {
        str(query): {f"d{row}": 1 for row in range(0, size, 5)} for query, size in enumerate(sizes)
    }
    expected = rm.evaluate(truth, written(tmp_path, "a.tsv", [head, *rows]), MEASURES)
    rng.shuffle(rows)
    mixed = rm.evaluate(truth, written(tmp_path, "b.tsv", [head, *rows]), MEASURES, memory="64K")
    assert np.array_equal(mixed.scores, expected.scores)


def test_rows_without_scores_keep_their_order(tmp_path: Path) -> None:
    rows = [f"{query}\td{row}\n" for query in range(50) for row in range(200)]
    head = "query_id\tdoc_id\n"
    truth = {str(query): {f"d{query * 3}": 1} for query in range(50)}
    expected = rm.evaluate(truth, written(tmp_path, "a.tsv", [head, *rows]), "RR")
    rows.sort(key=lambda row: int(row.split("d")[1]))
    mixed = rm.evaluate(truth, written(tmp_path, "b.tsv", [head, *rows]), "RR", memory="64K")
    assert mixed.audit.interleaved == 50
    assert np.array_equal(mixed.scores, expected.scores)


def test_the_same_repeated_document_is_named_whatever_the_memory(tmp_path: Path) -> None:
    rows = lines_of(200, 40)
    random.Random(4).shuffle(rows)
    rows += [rows[100], rows[2000], rows[5]]
    qrels, run = judged(tmp_path, rows[:100]), written(tmp_path, "run", rows)
    messages = set()
    for memory in ("64K", "1M", None):
        with pytest.raises(DuplicateError) as refused:
            rm.evaluate(qrels, run, memory=memory)
        messages.add(str(refused.value))
    assert len(messages) == 1


FULL = """
import resource, sys
import rankmark as rm
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    rm.evaluate(sys.argv[1], sys.argv[2], memory="64K")
except rm.errors.InputError as error:
    print(ascii(str(error)))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes")
@pytest.mark.parametrize("name", ["temporary", "временно 文", "\udcff"], ids=ascii)
def test_a_full_disk_is_told_with_the_folder_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    if name == "\udcff" and sys.platform != "linux":
        pytest.skip("file names are text here")
    rows = lines_of(300, 60)
    qrels = judged(tmp_path, rows)
    random.Random(5).shuffle(rows)
    run, folder = written(tmp_path, "run", rows), tmp_path / name
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(qrels), str(run)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"TMPDIR": str(folder)},
    )
    shown = str(folder).replace("\udcff", "\\xff")
    told = ascii(f"{run}: a temporary file in {shown} cannot be written: File too large")
    assert told[1:-1] in done.stdout
    assert "point TMPDIR at another disk" in done.stdout
    assert list(folder.iterdir()) == []


def test_memory_is_a_number_of_bytes_or_text_with_a_unit() -> None:
    assert as_memory(None) == as_memory("512M") == as_memory("512MiB") == 1 << 29
    assert as_memory("1.5g") == 3 << 29
    assert as_memory(np.int64(70_000)) == as_memory("70000") == 70_000
    for wrong in ("much", "-1M", 10, "1K", 1.5e6 + 0.5, True, [1], float("inf"), "1e9"):
        with pytest.raises(InputError, match="memory is"):
            rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1}}, "RR", memory=wrong)  # type: ignore[arg-type]
