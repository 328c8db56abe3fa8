"""Packed files are known by content and read as what they hold; damage is told."""

import gzip
import io
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import rankmark as rm
from generators.file_formats import PACKED
from rankmark.data.files.opened import packing_of

QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"
RUN = b"q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 c 1 1 t\n"
WANTED = {"q1": 0.5, "q2": 1.0}


def evaluated(qrels: object, run: object) -> dict[str, float]:
    return rm.evaluate(qrels, run, ["RR"]).per_query("RR")  # type: ignore[arg-type]


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("name", ["run", "run.gz", "run.csv"])
def test_packed_files_are_known_by_content_whatever_the_name(
    tmp_path: Path, packing: str, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(PACKED[packing](RUN))
    assert evaluated(io.BytesIO(PACKED[packing](QRELS)), path) == WANTED
    ev = rm.evaluate(io.BytesIO(QRELS), path, "nDCG@10")
    assert ev.provenance == [f"{path} read as trec in {packing}"]
    assert ev.to_dict()["run"]["packing"] == packing


@pytest.mark.parametrize("packing", PACKED)
def test_packed_tables_and_documents_are_read_as_such(packing: str) -> None:
    for data, form in ((b"qid,docid,label\nq,d,1\n", "csv"), (b'{"q": {"d": 1}}', "json")):
        source = rm.Qrels(io.BytesIO(PACKED[packing](data))).source
        assert source.description()["form"] == form
        assert source.description()["packing"] == packing


@pytest.mark.parametrize("packing", PACKED)
def test_several_streams_one_after_another_are_read_whole(packing: str) -> None:
    pack = PACKED[packing]
    parts = [QRELS[:11], QRELS[11:], b"", b"q3 0 a 1\n"]
    qrels = rm.Qrels(io.BytesIO(b"".join(map(pack, parts))))
    assert (qrels.query_ids, qrels.rows) == (("q1", "q2", "q3"), 4)


@pytest.mark.parametrize("packing", ["gzip", "xz"])
def test_zeros_between_and_behind_streams_are_padding(packing: str) -> None:
    pack = PACKED[packing]
    data = pack(QRELS) + b"\0" * 512 + pack(b"q3 0 a 1\n") + b"\0" * 4
    assert rm.Qrels(io.BytesIO(data)).rows == 4


@pytest.mark.slow
@pytest.mark.parametrize("packing", PACKED)
def test_much_more_than_one_piece_is_unpacked_whole(packing: str) -> None:
    lines = b"".join(b"q%d 0 d%d 1\n" % (i, 7919 * i % 99_991) for i in range(60_000))
    assert rm.Qrels(io.BytesIO(PACKED[packing](lines))).rows == 60_000


@pytest.mark.parametrize("packing", PACKED)
def test_packed_nothing_is_an_empty_file(packing: str) -> None:
    with pytest.raises(rm.ParseError, match="holds no judgments"):
        rm.Qrels(io.BytesIO(PACKED[packing](b"")))


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut at the end": lambda packed: packed[:-6],
    "cut in half": lambda packed: packed[: len(packed) // 2],
    "checksum changed": lambda packed: packed[:-8] + bytes(255 - byte for byte in packed[-8:]),
    "the beginning alone": lambda packed: packed[:10],
    "something else behind": lambda packed: packed + b"and something else, " * 3,
    "cut in the second stream": lambda packed: packed + packed[:-5],
}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_told_with_the_file(tmp_path: Path, packing: str, damage: str) -> None:
    path = tmp_path / "damaged"
    path.write_bytes(DAMAGES[damage](PACKED[packing](QRELS)))
    with pytest.raises(
        rm.ParseError, match=f"the {packing} data is damaged .*; compress it again"
    ) as e:
        rm.Qrels(path)
    assert (e.value.where, e.value.line) == (str(path), None)
    assert "\n" not in str(e.value)


@pytest.mark.parametrize("text", [b"BZh9 0 d 1\n", b"BZh91AY&S 0 d 1\n", b"\xfd7zXZ 0 d 1\n"])
def test_a_text_that_begins_nearly_as_packed_data_does_is_a_text(text: bytes) -> None:
    assert packing_of(text) is None
    assert rm.Qrels(io.BytesIO(text)).rows == 1


@pytest.mark.slow
def test_a_library_that_is_missing_is_named_with_what_installs_it() -> None:
    code = (
        "import sys, io\n"
        "sys.modules['zstandard'] = None\n"
        "import rankmark as rm\n"
        "file = io.BytesIO(b'\\x28\\xb5\\x2f\\xfd....')\n"
        "file.name = 'my.zst'\n"
        "try: rm.Qrels(file)\n"
        "except rm.MissingDependencyError as error: print(error)\n"
    )
    if sys.version_info >= (3, 14):
        pytest.skip("Python itself reads zstd")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    wanted = "my.zst: reading zstd needs zstandard; install it: pip install 'rankmark[compress]'\n"
    assert done.stdout == wanted


@pytest.mark.parametrize(("module", "head"), [("bz2", b"BZh91AY&SY"), ("lzma", b"\xfd7zXZ\0")])
def test_a_module_that_this_python_was_built_without_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str, head: bytes
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(rm.InputError, match=f"needs Python's module {module}, which this Python"):
        rm.Qrels(io.BytesIO(head))
    run, suffix = tmp_path / "run", {"bz2": ".bz2", "lzma": ".xz"}[module]
    run.write_bytes(RUN)
    with pytest.raises(rm.InputError, match=f"writing .* needs Python's module {module}"):
        rm.convert(run, tmp_path / f"out.csv{suffix}", kind="run")


@pytest.mark.skipif(sys.version_info < (3, 14), reason="Python has no zstd of its own")
def test_a_python_without_zstd_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(rm.InputError, match=r"needs Python's module compression\.zstd"):
        rm.Qrels(io.BytesIO(b"\x28\xb5\x2f\xfd...."))


@pytest.mark.slow
def test_gzip_is_the_same_with_isal_and_without(tmp_path: Path) -> None:
    pytest.importorskip("isal", reason="isal is not installed")
    whole = gzip.compress(RUN)
    paths = [tmp_path / f"run{number}.gz" for number in range(4)]
    damaged = whole[:-3], whole + whole, whole[:-8] + b"\0" * 8
    for path, data in zip(paths, (whole, *damaged), strict=True):
        path.write_bytes(data)
    code = (
        "import sys\n"
        "if sys.argv[1] == 'without': sys.modules['isal'] = None\n"
        "import rankmark as rm\n"
        "for path in sys.argv[2:]:\n"
        "    try: print(rm.evaluate({'q1': {'a': 1}}, path, 'RR')['RR'])\n"
        "    except rm.InputError as error: print(type(error), str(error).partition('(')[0])\n"
    )
    with_isal, without = (
        subprocess.run(
            [sys.executable, "-c", code, isal, *map(str, paths)],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for isal in ("with", "without")
    )
    assert with_isal == without
    assert len(with_isal.splitlines()) == 4


def test_raw_deflate_without_a_header_is_no_gzip() -> None:
    with pytest.raises(rm.ParseError):
        rm.Qrels(io.BytesIO(zlib.compress(QRELS)))


@pytest.mark.slow
@pytest.mark.parametrize("packing", PACKED)
def test_what_unpacks_to_far_more_than_any_data_is_refused(
    packing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankmark.data.files.opened.FEW_BYTES", 1 << 16)
    blanks = b" " * (1 << 22)
    bomb = PACKED[packing](b'{"q": {"a": 1}' + blanks + b"}")
    for kind in ("run", "qrels"):
        with pytest.raises(rm.ParseError, match=r"unpack to more than 200 times as many"):
            rm.convert(io.BytesIO(bomb), "/nowhere/out.csv", kind=kind, format="json")  # type: ignore[arg-type]
    # Lines are read while they are unpacked, and need no room.
    assert evaluated(io.BytesIO(QRELS), io.BytesIO(PACKED[packing](RUN + b"\n" * 10**6))) == WANTED
