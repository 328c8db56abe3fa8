"""Read what is as large, as deep or as dense as a hostile file can be, in bounded memory and time.

Each input is made while it is read, or packed into a small file; a process of its own reads it, of
which the time and the greatest memory are recorded. Needs 12 GB of memory and 6 GB of disk.

    make large
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import lzma
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from reliability.campaign_records import read_records, write_record

LAUNCHER = """
import os, sys
status = os.open("status", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
child = os.fork() or os.execv(sys.executable, [sys.executable, "-m", "rankmark", *sys.argv[1:]])
_, code, usage = os.wait4(child, 0)
os.write(status, f"{os.waitstatus_to_exitcode(code)} {usage.ru_maxrss}".encode())
"""
"""Starts the command from a small process, as Linux counts its parent's memory as its own."""
MINUTES = 10
MIB = 1 << 20
HUGE = 4 << 30
OF_ROWS = 5_000
"""In MiB, for 80 to 100 million rows, each of which takes 36 to 64 bytes."""


@dataclass(frozen=True)
class Case:
    """What is read: ``arguments`` of the command, and what goes to its standard input."""

    name: str
    arguments: tuple[str | Path, ...]
    stdin: Callable[[], Iterator[bytes]] | None = None
    is_read: bool = False
    """Whether it has to be evaluated; otherwise it has to be refused."""
    most_mib: int = 1200
    """The most memory that may be needed."""


def cases(folder: Path) -> Iterator[Case]:
    """Give the inputs, made in a folder."""
    qrels, run = folder / "qrels", folder / "run"
    qrels.write_text("q 0 d 1\n")
    run.write_text("q Q0 d 1 1 t\n")
    yield from long_lines(qrels, run)
    yield from many_rows(folder, qrels)
    yield from long_ids(folder)
    yield from packed(folder, qrels)
    yield from deep(folder, qrels, run)
    yield from dense(folder, qrels)
    yield from alike(folder)
    yield from names(qrels, run)


def long_lines(qrels: Path, run: Path) -> Iterator[Case]:
    """Lines of 4 GiB: of one word, of fields, in CSV and in JSON, as a run and as judgments."""

    def line(begin: bytes, filling: bytes) -> Callable[[], Iterator[bytes]]:
        def chunks() -> Iterator[bytes]:
            yield begin
            yield from repeat(filling * (MIB // len(filling)), HUGE // MIB)

        return chunks

    lines = {
        "one word": line(b"", b"a"),
        "an id": line(b"q Q0 d", b"a"),
        "fields": line(b"q Q0 d 1 1 t ", b"a "),
        "spaces": line(b"q Q0", b" "),
        "digits": line(b"q Q0 d 1 1", b"0"),
        "NUL": line(b"", b"\0"),
    }
    for name, chunks in lines.items():
        yield Case(f"a line of 4 GiB: {name}, as a run", ("evaluate", qrels, "-"), chunks)
    yield Case("the same: one word, as judgments", ("evaluate", "-", run), lines["one word"])
    yield Case("the same: an id, by check", ("check", qrels, "-"), lines["an id"])
    json = {"JSON": b'{"q": {"', "JSON lines": b'{"query_id": "q", "doc_id": "'}
    for name, begin in json.items():
        form = name.replace("JSON lines", "jsonl").lower()
        yield Case(
            f"a text of 4 GiB in {name}",
            ("evaluate", qrels, "-", "--run-format", form),
            line(begin, b"a"),
        )
    yield Case(
        "a cell of 4 GiB in CSV",
        ("evaluate", qrels, "-", "--run-format", "csv"),
        line(b'query_id,doc_id,score\nq,"', b"a"),
    )


def many_rows(folder: Path, qrels: Path) -> Iterator[Case]:
    """10^7 queries of one document, and 10^8 documents of one query."""
    many = 10_000_000

    def blocks(row: str, count: int) -> Callable[[], Iterator[bytes]]:
        step = 100_000
        return lambda: (
            "".join([row.format(n) for n in range(at, at + step)]).encode()
            for at in range(0, count, step)
        )

    judged = folder / "qrels-of-many"
    with judged.open("wb") as file:
        file.writelines(blocks("q{0} 0 d 1\n", many)())
    arguments = ("evaluate", judged, "-", "-m", "nDCG@10")
    one = blocks("q{0} Q0 d 1 1 t\n", many)
    yield Case("10^7 queries of one document", arguments, one, is_read=True, most_mib=4000)
    judged.unlink()
    of_one = blocks("q Q0 d{0} 1 1 t\n", 10 * many)
    arguments = ("evaluate", qrels, "-", "-m", "nDCG@10")
    yield Case("10^8 documents of one query", arguments, of_one, is_read=True, most_mib=12_000)
    falling = blocks("q Q0 d{0} 1 -{0} t\n", 10 * many)
    name = "the same in order of scores, with --memory 512M"
    limited = (*arguments, "--memory", "512M")
    yield Case(name, limited, falling, is_read=True, most_mib=12_000)


def long_ids(folder: Path) -> Iterator[Case]:
    """Ids of 10 MB, and one that is too long."""
    judged, ran = folder / "qrels-long", folder / "run-long"
    ids = [f"{number:02}" + "a" * 10_000_000 for number in range(20)]
    judged.write_text("".join(f"q 0 {name} {number % 2}\n" for number, name in enumerate(ids)))
    ran.write_text("".join(f"q Q0 {name} 1 {-number} t\n" for number, name in enumerate(ids)))
    for verb in ("evaluate", "check"):
        yield Case(f"20 ids of 10 MB, {verb}", (verb, judged, ran), is_read=True, most_mib=2000)
    yield Case(
        "the same, explain", ("explain", judged, ran, "--query=q"), is_read=True, most_mib=3000
    )
    # Their findings show ids, and fold them into lines.
    ran.write_text("".join(f"q Q0 {name} 1 {number} t\n" for number, name in enumerate(ids)))
    yield Case("the same with rising scores, check", ("check", judged, ran), most_mib=2000)
    judged.write_text(f"q 0 {'a' * (16 * MIB)} 1\n")
    yield Case("an id of 16 MiB", ("evaluate", judged, ran))


def packed(folder: Path, qrels: Path) -> Iterator[Case]:
    """Small files that unpack to gigabytes."""
    block = b"a" * (64 * MIB)
    lines = b"q Q0 d 1 1 t\n" * (64 * MIB // 13)
    for name, filling in (("one line", block), ("one row again and again", lines)):
        made = {
            "gz": gzip.compress(filling, 9) * 16,
            "bz2": bz2.compress(filling) * 16,
            "xz": lzma.compress(filling) * 16,
            "zst": pa.Codec("zstd").compress(filling, asbytes=True) * 16,
        }
        for suffix, content in made.items():
            path = folder / f"bomb.{suffix}"
            path.write_bytes(content)
            size = len(content) // 1024
            name_of_case = f"{name}, 1 GiB packed in {size:,} KiB of {suffix}"
            most = 1200 if filling is block else OF_ROWS
            yield Case(name_of_case, ("evaluate", qrels, path), most_mib=most)
    nested = gzip.compress(gzip.compress(block))
    (folder / "nested.gz").write_bytes(nested)
    yield Case("gzip in gzip", ("evaluate", qrels, folder / "nested.gz"))


def deep(folder: Path, qrels: Path, run: Path) -> Iterator[Case]:
    """Nested brackets, as JSON, TOML, a record, slices and the name of a measure."""
    other = folder / "other-run"
    other.write_bytes(run.read_bytes())
    for name, opening in (("lists", "["), ("objects", '{"q":')):
        path = folder / f"{name}.json"
        path.write_text(opening * 2_000_000)
        yield Case(f"{name} of JSON, 2,000,000 deep", ("evaluate", qrels, path))
        yield Case(f"{name}, the same by check", ("check", qrels, path, "--format=json"))
        yield Case(f"{name}, as a record", ("verify", path))
        arguments = ("compare", qrels, run, other, "--by", path)
        yield Case(f"{name}, as slices", arguments)
    toml = folder / "gate.toml"
    toml.write_text("a = " + "[" * 100_000)
    yield Case("lists of TOML, 100,000 deep", ("gate", qrels, run, run, "--config", toml))
    toml.write_text("[" + "a." * 100_000 + "a]\n")
    yield Case("names of TOML, 100,000 deep", ("gate", qrels, run, run, "--config", toml))


def dense(folder: Path, qrels: Path) -> Iterator[Case]:
    """Parquet whose few bytes stand for many equal rows."""
    path = folder / "dense.parquet"
    rows = 5_000_000
    text = pa.DictionaryArray.from_arrays(pa.nulls(rows, pa.int32()).fill_null(0), ["q"])
    columns = {"query_id": text, "doc_id": text, "score": pa.nulls(rows, pa.float64()).fill_null(1)}
    table = pa.table(columns)
    with parquet.ParquetWriter(path, table.schema) as writer:
        for _ in range(20):
            writer.write_table(table)
    size = path.stat().st_size // 1024
    name = f"10^8 equal rows of Parquet in {size:,} KiB"
    yield Case(name, ("evaluate", qrels, path), most_mib=OF_ROWS)


def alike(folder: Path) -> Iterator[Case]:
    """Ids that simple hashes put in one place: for comparison, one million of them at random."""
    many, dice = 1_000_000, random.Random(0)
    ids: dict[str, Callable[[int], str]] = {
        "at random": lambda _: f"{dice.getrandbits(64):016x}",
        "that differ in their high bits": lambda n: f"{n << 44:016x}",
        "of blocks that cancel out": lambda n: f"{n:08d}" * 2 + f"{99999999 - n:08d}" * 2,
        "that differ in the middle": lambda n: "a" * 24 + f"{n:08d}" + "b" * 24,
        "of numbers times 2^44": lambda n: str(n << 44),
    }
    for name, make in ids.items():
        held = [make(number) for number in range(many)]
        judged, ran = folder / "qrels-alike", folder / "run-alike"
        judged.write_text("".join(f"q 0 {doc} 1\n" for doc in held))
        ran.write_text("".join(f"q Q0 {doc} 1 1 t\n" for doc in held))
        arguments = ("evaluate", judged, ran, "-m", "nDCG@10")
        yield Case(f"10^6 ids {name}", arguments, is_read=True, most_mib=1000)


def names(qrels: Path, run: Path) -> Iterator[Case]:
    """Names of measures that take long to read."""
    hostile = {
        "digits": f"AP@{'9' * 100_000}",
        "brackets": "nDCG" + "(" * 100_000,
        "parameters": f"nDCG({','.join(['gains=exp'] * 10_000)})",
        "letters": "a" * 120_000,
        "relevance grades": f"rel={'1' * 100_000}:AP",
    }
    for name, text in hostile.items():
        yield Case(f"a measure's name of 100 kB: {name}", ("evaluate", qrels, run, "-m", text))


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    seconds: float
    peak_mib: int
    read_mib: int
    said: str


def outcome_of(case: Case, folder: Path) -> Outcome:
    """Run a case to its end, or for some minutes."""
    written = 0
    with (folder / "stdout").open("wb+") as stdout, (folder / "stderr").open("wb+") as stderr:
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", LAUNCHER, *map(str, case.arguments)],
            start_new_session=True,
            stdin=subprocess.PIPE if case.stdin else subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
        )
        timer = threading.Timer(MINUTES * 60, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        if case.stdin and process.stdin:
            with suppress(BrokenPipeError), process.stdin:
                for chunk in case.stdin():
                    process.stdin.write(chunk)
                    written += len(chunk)
        process.wait()
        seconds = time.monotonic() - started
        timer.cancel()
        stdout.seek(0)
        stderr.seek(0)
        said = stderr.read(100_000).decode(errors="replace")
    files = [each for each in case.arguments if isinstance(each, Path)]
    size = written + sum(path.stat().st_size for path in files)
    told = (folder / "status").read_text().split()  # nothing if it was killed
    code, peak = map(int, told or (-signal.SIGKILL, 0))
    return Outcome(code, seconds, peak >> 10, size // MIB, said)


def faults(case: Case, outcome: Outcome) -> list[str]:
    """List what is wrong with how a command ended."""
    found = []
    wanted = {0} if case.is_read else {1, 2}
    if outcome.code not in wanted:
        found.append(f"ended with {outcome.code}")
    if "Traceback" in outcome.said or "bug" in outcome.said:
        found.append("showed a traceback")
    if len(outcome.said) > 10_000:
        found.append(f"said {len(outcome.said):,} characters")
    if outcome.peak_mib > case.most_mib:
        found.append(f"needed more than {case.most_mib:,} MiB")
    return found


def main() -> int:
    """Read everything, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default="", help="only inputs whose name contains this; others keep their row"
    )
    chosen = parser.parse_args()
    rows: dict[str, list[object]] = {}
    if chosen.only:
        kept = next(each for each in read_records() if each["campaign"] == "large_inputs")
        rows = {row[0]: row for row in kept["rows"]}
    wrong = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for case in cases(folder):
            if chosen.only not in case.name:
                continue
            outcome = outcome_of(case, folder)
            found = faults(case, outcome)
            wrong += bool(found)
            ended = "; ".join(found) or ("evaluated" if case.is_read else "refused")
            last = outcome.said.strip().splitlines()[-1:] or [""]
            seconds = round(outcome.seconds, 1)
            print(case.name, ended, seconds, outcome.peak_mib, last[0][:200], sep=" | ", flush=True)
            rows[case.name] = [case.name, outcome.read_mib, ended, seconds, outcome.peak_mib]
    write_record(
        "large_inputs",
        promise="A file with very long lines, deep brackets or dense packing takes no more "
        "memory or time than its rows need: it is evaluated, or refused with a message.",
        method="A command reads each input in a process of its own. An input that has to be "
        "refused may take at most 1,200 MiB of memory, and 64 bytes for each of its rows.",
        command="make large",
        columns=["input", "MiB read", "how it ended", "seconds", "peak MiB"],
        rows=list(rows.values()),
        found=[
            "the format of a run whose first line is longer than 1 MiB was not recognised",
            "a gate file with a name of 100,000 dots took a minute",
            "a measure's name of 100 kB was repeated whole in the message that refuses it",
            "`check` took more than five minutes to fold ids of 10 MB into lines",
        ],
        not_covered=[
            "packed rows need as much memory as the same rows unpacked; where files come from "
            "strangers, limit the memory of the process, such as by `ulimit -v`",
        ],
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
