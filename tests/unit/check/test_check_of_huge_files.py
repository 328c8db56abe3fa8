"""Files of millions of lines that hold nothing, or nothing that can be read."""

import io
import tracemalloc
from pathlib import Path

import pytest

import rankmark as rm
from rankmark.data.files.input_file import InputFile
from rankmark.verbs.check import content
from rankmark.verbs.check.content import content_of

MIB = 1 << 20


def findings(path: Path, kind: str = "qrels") -> dict[str, int]:
    files = (path,) if kind == "qrels" else ({"q": ["a"]}, path)
    return {one.code: one.count for one in rm.check(*files).files[-1].findings}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["qrels", "run"])
@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"\n" * MIB, {"empty": 1}),
        (b"\r\n" * MIB, {"empty": 1}),
        (b"   \n" * MIB, {"empty": 1}),
        (b"# no row\n" * (MIB // 4), {"empty": 1}),
        (b"\x0b\n" * MIB, {"unreadable": MIB}),
        (b"x\n" * MIB, {"unreadable": MIB}),
        (b"\0\n" * MIB, {"unreadable": MIB}),
        (b"\0" * (3 * MIB), {"unreadable": 1}),
        (b"x" * (9 * MIB), {"unreadable": 1}),
        (b"\r" * (9 * MIB), {"unreadable": 1}),
        (b" " * (3 * MIB), {"empty": 1}),
    ],
)
def test_what_holds_nothing_is_said_in_one_finding(
    content: bytes, found: dict[str, int], kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "huge"
    path.write_bytes(content)
    assert findings(path, kind) == found


def test_every_unreadable_line_counts_whatever_is_wrong_with_it(tmp_path: Path) -> None:
    kinds = [b"q 0", b"q 0 d x", b"q 0 d\0 1", b"q 0 d 1,5", b"q", b"\x0c", b"q 0 d 1 more"]
    lines = b"\n".join(kinds[i % len(kinds)] + b"" for i in range(7 * 20_000)) + b"\n"
    (tmp_path / "qrels").write_bytes(b"q 0 a 1\n" + lines)
    report = rm.check(tmp_path / "qrels")
    counted = {one.code: one.count for one in report.files[0].findings}
    assert counted["unreadable"] == 6 * 20_000
    assert counted["extra-columns"] == 20_000


def test_a_table_s_unreadable_lines_count_as_well(tmp_path: Path) -> None:
    kinds = [b"q", b"q,d,1,2", b'q,"d', b"q,,1", b"q,d,x", b"q,d, 1 "]
    lines = b"".join(kinds[i % 6] + b"\n" for i in range(6 * 1_000))
    (tmp_path / "qrels.csv").write_bytes(b"query_id,doc_id,label\n" + lines)
    assert findings(tmp_path / "qrels.csv")["unreadable"] == 5 * 1_000


@pytest.mark.slow
def test_memory_does_not_grow_with_a_line_that_has_no_end(tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"\xc3\xa4" * (24 * MIB))
    tracemalloc.start()
    found = content_of(InputFile(tmp_path / "huge"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.bytes == 48 * MIB
    assert peak < 20 * MIB


@pytest.mark.parametrize("before", range(4))
def test_no_character_is_cut_where_an_endless_line_is(
    before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "_BLOCK_BYTES", 1 << 10)
    monkeypatch.setattr(content, "_LONGEST_LINE", 1 << 12)
    (tmp_path / "huge").write_bytes(b"x" * before + "😀".encode() * (3 << 10))
    assert content_of(InputFile(tmp_path / "huge")).encoding == "UTF-8"
    (tmp_path / "huge").write_bytes(b"x" * before + b"\x9f" * (6 << 10))
    assert content_of(InputFile(tmp_path / "huge")).encoding == "unknown"


@pytest.mark.slow
def test_lines_that_are_no_text_are_counted_each_once(tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"\n\xff\xff\n\xe4\n" * 200_000)
    found = content_of(InputFile(tmp_path / "huge"))
    assert (found.odd_count, found.odd_lines) == (400_000, [2, 3, 5])


def test_a_sample_is_taken_behind_comments(tmp_path: Path) -> None:
    run = b"q Q0 d 1 0.5 t\n"
    (tmp_path / "given").write_bytes(b"\n# words\n" * 100_000 + run * 20)
    assert content_of(InputFile(tmp_path / "given")).looks == "run"


def test_blank_lines_of_jsonl_are_skipped_and_counted(tmp_path: Path) -> None:
    row = b'{"query_id": "q", "doc_id": "%s", "label": 1}\n'
    (tmp_path / "qrels.jsonl").write_bytes(row % b"a" + b"\n" * MIB + b"  \n" + row % b"b")
    assert rm.Qrels(tmp_path / "qrels.jsonl").rows == 2
    (tmp_path / "qrels.jsonl").write_bytes(row % b"a" + b"\n" * MIB + b'{"query_id": \n')
    with pytest.raises(rm.ParseError, match=f":{MIB + 2}: this is not valid JSON"):
        rm.Qrels(tmp_path / "qrels.jsonl")
    stream = io.BytesIO(row % b"a" + b"\n" + b'{"query_id": "\xff"}\n')
    with pytest.raises(rm.ParseError, match=":3: this is not UTF-8"):
        rm.Qrels(stream)
