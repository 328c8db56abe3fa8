"""No thread is alive between calls, so that processes can be forked at any time."""

import gzip
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.statistics.resampling import over_blocks

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, RUN, OTHER = (EXAMPLE / name for name in ("qrels.txt", "bm25.run", "lsa.run"))


def packed(folder: Path) -> Path:
    path = folder / "run.gz"
    path.write_bytes(gzip.compress(RUN.read_bytes()))
    return path


def cut_off(folder: Path) -> None:
    path = folder / "cut.gz"
    path.write_bytes(gzip.compress(RUN.read_bytes())[:-100])
    with pytest.raises(rm.InputError):
        rm.evaluate(QRELS, path, threads=2)


def wrong(folder: Path) -> None:
    path = folder / "wrong.run"
    path.write_bytes(RUN.read_bytes() * 20)
    with pytest.raises(rm.InputError):
        rm.evaluate(QRELS, path, threads=2)


def resampled(_: Path) -> None:
    assert over_blocks(lambda block: block, range(9), int.__add__, threads=2) == 36


CALLS: dict[str, Callable[[Path], Any]] = {
    "evaluate": lambda _: rm.evaluate(QRELS, RUN, threads=2),
    "evaluate a packed file": lambda folder: rm.evaluate(QRELS, packed(folder), threads=2),
    "evaluate a damaged file": cut_off,
    "evaluate a file with an error": wrong,
    "compare": lambda _: rm.compare(QRELS, [RUN, OTHER], "AP", resamples=3000, threads=2),
    "compare rankings": lambda _: rm.compare_rankings(RUN, OTHER, "RBO(p=0.9)", threads=2),
    "resample": resampled,
    "gate": lambda _: rm.gate(QRELS, RUN, OTHER, "AP", max_drop=0.1),
    "check": lambda folder: rm.check(QRELS, RUN, packed(folder)),
    "explain a query of a packed file": lambda folder: rm.explain(QRELS, packed(folder), "q05"),
}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_no_thread_stays_behind_after(call: str, tmp_path: Path) -> None:
    if call in {"compare", "gate"}:
        pytest.importorskip("scipy")
    before = set(threading.enumerate())
    for _ in range(5):
        CALLS[call](tmp_path)
        assert set(threading.enumerate()) <= before
