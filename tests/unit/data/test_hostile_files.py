"""Files, paths and streams that cannot be read or written: told, and nothing is half-written."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm

GOLD = {"q": {"a": 1}}


class Stream:
    """Somebody's own stream: what `read` gives one time after another, or raises."""

    def __init__(self, *pieces: Any, **more: Any) -> None:
        self.pieces = [*pieces]
        vars(self).update(more)

    def read(self, size: int) -> Any:
        assert size > 0
        piece = self.pieces.pop(0)
        if isinstance(piece, BaseException):
            raise piece
        return piece


class PathOf:
    def __init__(self, path: Any) -> None:
        self.path = path

    def __fspath__(self) -> Any:
        return self.path


def type_of(one: object) -> str:
    return type(one).__name__


def closed(path: Path, mode: str) -> Any:
    with path.open(mode) as file:
        return file


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "x" * 5000, "/x" * 3000, "", ".", "no/such"])
def test_a_path_that_cannot_be_is_told(path: str, tmp_path: Path) -> None:
    reads: list[Callable[[], object]] = [
        lambda: rm.Qrels(path),
        lambda: rm.evaluate(GOLD, path),
        lambda: rm.explain(GOLD, path, "q"),
        lambda: rm.compare_rankings(path, path),
        lambda: rm.convert(path, tmp_path / "out.csv", kind="run"),
    ]
    for read in [*reads, lambda: rm.convert(GOLD, path, kind="qrels", to="csv")]:
        with pytest.raises(rm.InputError) as caught:
            read()
        assert str(caught.value).isprintable()
    assert not rm.check(path, path).ok
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("target", [b"out.csv", 5, None, io.BytesIO(), PathOf(b"out.csv")])
def test_a_target_that_is_no_path_is_told(target: Any) -> None:
    with pytest.raises(rm.InputError, match="need the path of a file"):
        rm.convert(GOLD, target, kind="qrels", to="csv")


def test_a_link_that_leads_back_to_itself_is_told(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(rm.InputError, match="links"):
        rm.Qrels(loop)
    with pytest.raises(rm.InputError, match="this link points to itself"):
        rm.convert(GOLD, loop, kind="qrels", to="csv")


def test_a_file_whose_name_is_no_unicode_is_read_and_named(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.qrels")
    rm.convert(GOLD, path, kind="qrels")
    qrels = rm.Qrels(path)
    assert qrels.name == f"{tmp_path}/caf\\xe9.qrels"
    ev = rm.evaluate(path, {"q": {"a": 1.0}}, "RR")
    assert ev.to_json().isprintable()
    assert str(ev).encode()


@pytest.mark.parametrize("path", ["/dev/full", "/dev/zero"])
def test_a_device_has_no_end_and_is_refused(path: str) -> None:
    if not Path(path).exists():
        pytest.skip(f"no {path} here")
    for read in (lambda: rm.Qrels(path), lambda: rm.evaluate(GOLD, path)):
        with pytest.raises(rm.InputError, match="is a device; give a file"):
            read()
    assert not rm.check(path, path).ok


def test_what_a_system_makes_up_as_it_is_read_is_read() -> None:
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("no /proc here")
    with pytest.raises(rm.ParseError, match=rf"^{path}:1: found 2 columns"):
        rm.Qrels(path)


def test_nothing_can_be_read_of_the_null_device() -> None:
    with pytest.raises(rm.InputError, match="holds no judgments"):
        rm.Qrels(os.devnull)


def test_a_file_that_is_not_open_for_reading_is_told(tmp_path: Path) -> None:
    path = tmp_path / "written"
    for mode in ("w", "wb", "ab"):
        with path.open(mode) as file, pytest.raises(rm.InputError, match="not open for reading"):
            rm.Qrels(file)
        with pytest.raises(rm.InputError, match="is closed; open it again"):
            rm.Run(closed(path, mode))
    for mode in ("r", "rb"):
        with pytest.raises(rm.InputError, match="is closed; open it again"):
            rm.Qrels(closed(path, mode))


def test_text_in_another_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "latin"
    path.write_bytes("q 0 café 1\n".encode("latin-1"))
    with (
        path.open(encoding="utf-8") as file,
        pytest.raises(rm.InputError, match="open as utf-8 text"),
    ):
        rm.Qrels(file)
    with path.open(encoding="utf-8", errors="surrogateescape") as file:
        assert rm.Qrels(file).doc_ids == rm.Qrels(path).doc_ids == ("caf\udce9",)
    with path.open(encoding="latin-1") as file:
        assert rm.Qrels(file).doc_ids == ("café",)


NO_PIECES = [3, 3.5, True, ["q 0 a 1\n"], {"q": 1}, object(), "q 0 \ud800 1\n"]


@pytest.mark.parametrize("piece", NO_PIECES, ids=type_of)
def test_a_stream_that_gives_something_else_is_told(piece: Any) -> None:
    for kind in (rm.Qrels, rm.Run):
        with pytest.raises(rm.InputError, match=r"^<file object>: read\(\) returned "):
            kind(Stream(b"q 0 a 1\n", piece))


@pytest.mark.parametrize("name", [3, b"caf\xe9", None, 10**5000, "a\nb", "\ud800"], ids=type_of)
def test_a_stream_may_have_any_name(name: Any) -> None:
    with pytest.raises(rm.InputError) as caught:
        rm.Qrels(Stream(b"", name=name))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("piece", [b"q 0 a 1\n", "q 0 a 1\n", bytearray(b"q 0 a 1\n")], ids=type_of)
@pytest.mark.parametrize("end", [b"", "", None], ids=type_of)
def test_a_stream_may_give_bytes_or_text(piece: Any, end: Any) -> None:
    assert rm.Qrels(Stream(piece, end)).doc_ids == ("a",)


@pytest.mark.parametrize(
    "error", [OSError("gone"), OSError(errno.EIO, "gone"), ConnectionResetError("gone")]
)
def test_a_stream_that_cannot_be_read_is_told(error: OSError) -> None:
    with pytest.raises(rm.InputError, match="cannot be read: gone") as caught:
        rm.Qrels(Stream(b"q 0 a 1\n", error))
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [KeyError("k"), ValueError("v"), RuntimeError("r")])
def test_another_error_of_a_stream_comes_as_it_is(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        rm.Qrels(Stream(b"q 0 a 1\n", error, name="mine"))
    assert caught.value is error
    assert error.__notes__ == ["rankmark was reading mine"]


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(3), GeneratorExit()], ids=type_of
)
def test_what_ends_a_program_passes(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        rm.Qrels(Stream(b"q 0 a 1\n", error))
    assert caught.value is error
    assert not hasattr(error, "__notes__")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a run that takes long enough to be told of."""
    path = tmp_path_factory.mktemp("large") / "run"
    ranking = "".join(f"QUERY 0 d{d} 1 {d}.0 t\n" for d in range(1000))
    path.write_text("".join(ranking.replace("QUERY", f"q{query}") for query in range(3000)))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", [OSError, KeyError, SystemExit, KeyboardInterrupt, MemoryError])
def test_an_error_of_progress_comes_as_it_is(
    kind: type[BaseException], threads: int, large: Path
) -> None:
    error = kind("mine")

    def progress(_: int) -> None:
        raise error

    def evaluate_often() -> None:  # a fast machine may be done before it tells how far it is
        for _ in range(50):
            rm.evaluate({"q1": {"d1": 1}}, large, progress=progress, threads=threads)

    with pytest.raises(kind) as caught:
        evaluate_often()
    assert caught.value is error
    if isinstance(error, Exception):
        assert error.__notes__ == [f"rankmark was reading {large}"]


def test_a_file_in_a_folder_that_is_gone_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(rm.InputError, match="no such file"):
        rm.Qrels("qrels")


def test_a_full_disk_and_a_folder_that_takes_nothing_are_told(tmp_path: Path) -> None:
    if Path("/dev/full").exists():
        for form in ("trec", "csv", "jsonl", "parquet"):
            with pytest.raises(
                rm.InputError,
                match=r"^/dev/full: cannot be written: No space left on device",
            ):
                rm.convert(GOLD, "/dev/full", kind="qrels", to=form)
    with pytest.raises(rm.InputError, match="Is a directory"):
        rm.convert(GOLD, tmp_path, kind="qrels", to="csv")
    with pytest.raises(rm.InputError, match="cannot be written"):
        rm.convert(GOLD, tmp_path / "no" / "out.csv", kind="qrels")
    assert not [*tmp_path.iterdir()]
    longest = tmp_path / ("x" * 250 + ".csv")
    rm.convert(GOLD, longest, kind="qrels")
    assert rm.Qrels(longest).doc_ids == ("a",)
