"""Text reads the same by every way of finding separators that the processor has."""

import functools
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankmark import Qrels, _core
from rankmark.data.contract.reading_options import ONE_THREAD
from rankmark.data.files import open_text
from unit.core.test_blocks_and_threads import DRESSES, JUDGED, dressed, lines_of_a_run, soups
from unit.readings import file_of, read_qrels, read_run

QRELS = Qrels({"q": {"a": 1, "b": 2}})


def by_each_scanner(read: Callable[[], Any]) -> list[Any]:
    """Give what reading comes to by each scanner, the fastest first."""
    outcomes = []
    for number in range(len(_core.scanners())):
        with pytest.MonkeyPatch.context() as patch:
            made = functools.partial(_core.TextLayout, scanner=number)
            patch.setattr(open_text, "TextLayout", made)
            outcomes.append(read())
    return outcomes


def test_bytes_one_by_one_are_the_last_resort() -> None:
    assert _core.scanners()[-1] == "bytes"


def test_a_scanner_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = functools.partial(_core.TextLayout, scanner=len(_core.scanners()))
    monkeypatch.setattr(open_text, "TextLayout", made)
    with pytest.raises(ValueError, match="no scanner has this number"):
        read_qrels(b"q 0 a 1\n", block=64, threads=1)


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("block", [1, 63, 64, 65, 4096, 1 << 20])
def test_a_run_reads_the_same_by_each_scanner(dress: str, interleaved: bool, block: int) -> None:
    data, qrels = dressed(lines_of_a_run(interleaved=interleaved), dress), Qrels(JUDGED)
    first, *others = by_each_scanner(lambda: read_run(data, qrels, block=block, threads=2))
    assert first[1] is not None
    assert others == [first] * len(others)


@pytest.mark.slow
@pytest.mark.parametrize("separator", [",", "\t"])
def test_fields_between_separators_read_the_same_by_each_scanner(separator: str) -> None:
    dice = random.Random(3)
    ids = ["q", "q2", "a", "b", "文", " ", '"x"', '"x""y"', '"a,b\t"', "#"]
    numbers = ["1", "0.5", "-2", "1e3", '"7"', "nan", ""]
    header = separator.join(["query_id", "doc_id", "score"])
    for _ in range(200):
        rows = [
            separator.join([*dice.choices(ids, k=2), *dice.choices(numbers, [9, 9, 9, 9, 9, 1, 1])])
            for _ in range(dice.randint(1, 6))
        ]
        data = "\n".join([header, *rows, ""]).encode()
        first, *others = by_each_scanner(
            lambda data=data: read_run(data, QRELS, block=64, threads=1)
        )
        assert others == [first] * len(others)


@given(data=soups)
@example(data=b"q 0 a 1 1 t\n" * 6)
@example(data=b" " * 63 + b"\n" + b"\0" * 65)
def test_any_bytes_read_the_same_by_each_scanner(data: bytes) -> None:
    first, *others = by_each_scanner(lambda: read_qrels(data, block=64, threads=1))
    assert others == [first] * len(others)
    first, *others = by_each_scanner(lambda: read_run(data, QRELS, block=1 << 19, threads=1))
    assert others == [first] * len(others)


@given(lines=st.integers(1, 40), seed=st.integers(0, 10**6))
def test_every_row_reads_the_same_by_each_scanner(lines: int, seed: int) -> None:
    dice = random.Random(seed)
    rows = [
        f"q{dice.randint(1, 3)} Q0 {'x' * dice.randint(1, 70)}{i} 0 {i}.5 t" for i in range(lines)
    ]
    data = dressed(rows, dice.choice(DRESSES))

    def read() -> Any:
        read = file_of(data, "run", block=dice.choice([64, 4096])).rows(ONE_THREAD, lenient=False)
        return read.query_codes.tolist(), read.doc_codes.tolist(), read.number.tolist()

    first, *others = by_each_scanner(read)
    assert others == [first] * len(others)
