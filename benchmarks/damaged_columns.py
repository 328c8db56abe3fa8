"""`python benchmarks/damaged_columns.py`: read damaged files of columns, and count the outcomes.

Small files of each kind, with ids of each type in turn, are damaged in many ways and given to
evaluate and to one other verb. A damaged file is to be refused by an error of rankmark's own, or to
give the numbers of the file that was damaged; where a format has no checksums, other numbers are
possible. Anything else is a fault: a process that ends or hangs, an error of Python's or of
pyarrow's, and other numbers from a file with checksums. Prints Markdown, and exits with 1 if there
was a fault. The same seed damages the same way.
"""

import argparse
import faulthandler
import io
import random
import resource
import struct
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

SECONDS = 60  # without an outcome, a process hangs
MEMORY = 6 << 30  # bytes of addresses that a process may use
QUERIES, DOCUMENTS, ROWS_AT_ONCE = 5, 9, 20
GOOD = ("refused", "same numbers")
UNNOTICED = "other numbers"
FORMATS = {
    **{name: (name, None) for name in ("arrow file", "arrow stream")},
    **{f"feather {codec}": ("feather", codec) for codec in ("uncompressed", "lz4", "zstd")},
    **{
        f"parquet {codec}": ("parquet", codec)
        for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4")
    },
    "parquet checksums": ("parquet", "checksums"),
}
TYPES = (
    *("int32", "int64", "string", "large_string", "string_view", "binary", "dictionary"),
    *("large_dictionary", "decimal128", "decimal256", "nulls", "float64", "uint16"),
)
INTERESTING = (
    *(0, 1, -1, 2, 7, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 5000, 2**31 - 1, -(2**31), 2**32 - 1),
    *(2**32, 2**53, 2**61, 2**62, 2**62 + 1, 2**63 - 1, -(2**63), -(2**61), 10**6),
)


class Example(NamedTuple):
    """A file and its name's ending."""

    data: bytes
    suffix: str


def main(argv: Sequence[str] | None = None) -> int:
    """Damage files of the kinds asked for, and print what became of them."""
    options = parse(argv)
    kinds = options.kinds.split(",") if options.kinds else [*FORMATS]
    if options.work:
        work(kinds, options.seed, options.first, options.files)
        return 0
    print(f"{options.files:,} damaged files of each kind, seed {options.seed}.\n")
    end = options.files * len(kinds)
    shares = [(at, min(at + options.share, end)) for at in range(0, end, options.share)]
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    examples: dict[tuple[str, str], str] = {}
    with ThreadPoolExecutor(options.processes) as pool:
        for some in pool.map(lambda share: [*outcomes(kinds, options.seed, *share)], shares):
            for at, outcome, said in some:
                kind = kinds[at % len(kinds)]
                counts[kind][outcome] += 1
                examples.setdefault((kind, outcome), f"file {at // len(kinds)}: {said}")
    return 1 if report(counts, examples) else 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000, help="damaged files of each kind (1000)")
    parser.add_argument("--kinds", help=f"some of {','.join(FORMATS)}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1, help="at once (1)")
    parser.add_argument("--share", type=int, default=5000, help="files a process reads (5000)")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)  # in this process
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    unknown = {*(options.kinds or "").split(",")} - {"", *FORMATS}
    if unknown:
        parser.error(f"no kinds: {', '.join(sorted(unknown))}")
    return options


def report(counts: dict[str, Counter[str]], examples: dict[tuple[str, str], str]) -> int:
    """Print a table, and an example of each fault; return how many faults there were."""
    total = sum(counts.values(), Counter[str]())
    others = sorted({*total} - {*GOOD, UNNOTICED})
    columns = [*GOOD, UNNOTICED, *others]
    print("| kind | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name, row in [*counts.items(), ("all", total)]:
        print(f"| {name} | " + " | ".join(f"{row[column]:,}" for column in columns) + " |")
    print()
    faults = 0
    for (kind, outcome), example in examples.items():
        if outcome in others:
            faults += counts[kind][outcome]
            print(f"- {kind}, {outcome}: {example}")
    print(f"{faults:,} faults in {total.total():,} files")
    return faults


def outcomes(
    kinds: Sequence[str], seed: int, first: int, end: int
) -> Iterator[tuple[int, str, str]]:
    """Yield the number of each file, its outcome and what was said, from processes of their own.

    Files are numbered through the kinds in turn.
    """
    while first < end:
        command = [sys.executable, __file__, "--work", "--kinds", ",".join(kinds)]
        command += ["--seed", f"{seed}", "--first", f"{first}", "--files", f"{end}"]
        process = subprocess.run(command, capture_output=True, check=False)
        complaint = process.stderr.decode(errors="replace")
        for line in process.stdout.decode(errors="replace").split("\n")[:-1]:
            number, outcome, said = line.split("\t", 2)
            yield int(number), outcome, said
            first = int(number) + 1
        if first < end:  # the next file ended it
            code = process.returncode
            said = " ".join(complaint.split("\n\n")[0].splitlines()[:6])
            yield first, "hangs" if "Timeout" in said else f"ends with {code}", said
            first += 1


def work(kinds: Sequence[str], seed: int, first: int, end: int) -> None:
    """Damage files, and print the outcome of each before the next is read."""
    faulthandler.enable()
    if sys.platform == "linux" and "libasan" not in Path("/proc/self/maps").read_text():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))  # sanitizers need addresses
    warnings.simplefilter("ignore")
    expected: dict[tuple[str, str, str], object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for place in range(first, end):
            kind, number = kinds[place % len(kinds)], place // len(kinds)
            ids = TYPES[number % len(TYPES)]
            verbs = ("evaluate", [*VERBS][number // len(TYPES) % len(VERBS)])
            dice = random.Random(f"{seed} {kind} {number}")
            whole, other = example(kind, ids), example(kind, dice.choice(TYPES))
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            for verb in verbs:
                if (kind, ids, verb) not in expected:
                    expected[kind, ids, verb] = sound = given(whole, verb, folder)
                    if isinstance(sound, Exception) and ids != "nulls":
                        raise sound  # the file was not damaged yet
            broken = whole._replace(data=damaged(whole.data, other.data, dice))
            found = [
                outcome(given(broken, verb, folder), expected[kind, ids, verb]) for verb in verbs
            ]
            worst = next((one for one in found if one[0] not in GOOD), found[1])
            words = (" ".join(said.split()) for said in worst)
            said = "\t".join((f"{place}", *words))
            print(said.encode("ascii", "backslashreplace").decode(), flush=True)
    faulthandler.cancel_dump_traceback_later()


def outcome(found: object, expected: object) -> tuple[str, str]:
    """Name what became of a file, and say what was found."""
    from rankmark.errors import RankmarkError

    if isinstance(found, RankmarkError):
        return "refused", str(found)[:300]
    if isinstance(found, BaseException):
        return type(found).__name__, str(found)[:300]
    if found == expected:
        return "same numbers", ""
    return UNNOTICED, f"{found!r:.300}"


def given(file: Example, verb: str, folder: Path) -> object:
    """Give what a verb makes of a file, or its error."""
    path = folder / f"run{file.suffix}"
    path.write_bytes(file.data)
    try:
        return VERBS[verb](path)
    except Exception as error:
        return error


def evaluated(path: Path) -> object:
    """Evaluate it as a run."""
    import rankmark as rm

    result = rm.evaluate(JUDGED, path, ["nDCG@3", "AP", "num_ret"])
    return result.queries, result.scores.tolist()


def checked(path: Path) -> object:
    """Check it; a file that cannot be read is a finding."""
    import rankmark as rm

    report = rm.check(JUDGED, path)
    found = [(finding.severity, finding.code) for file in report.files for finding in file.findings]
    if ("error", "refused") in found:
        raise rm.errors.ParseError("check says that it cannot be read")
    return found


def converted(path: Path) -> object:
    """Write it as TREC text."""
    import rankmark as rm

    target = path.with_suffix(".trec")
    rm.convert(path, target, kind="run")
    return target.read_bytes()


def judged(path: Path) -> object:
    """Read it as judgments."""
    import rankmark as rm

    qrels = rm.Qrels(path)
    return rm.evaluate(qrels, RETRIEVED, ["nDCG@3", "num_rel"]).scores.tolist()


def compared(path: Path) -> object:
    """Compare its rankings with others."""
    import rankmark as rm

    return rm.compare_rankings(path, RETRIEVED, ["RBO(p=0.9)", "overlap@3"]).scores.tolist()


def explained(path: Path) -> object:
    """Explain a query."""
    import rankmark as rm

    return str(rm.explain(JUDGED, path, "2", "nDCG@3"))


VERBS: dict[str, Callable[[Path], object]] = {
    "evaluate": evaluated,
    "check": checked,
    "convert": converted,
    "judge": judged,
    "compare": compared,
    "explain": explained,
}
JUDGED = {f"{q}": {f"{d * 7}": (q + d) % 3 for d in range(1, DOCUMENTS, 2)} for q in range(QUERIES)}
RETRIEVED = {f"{q}": {f"{d * 7}": -float(d) for d in range(DOCUMENTS)} for q in range(QUERIES)}


@cache
def example(kind: str, ids: str) -> Example:
    """Write a run and judgments with ids of a type."""
    import pyarrow as pa
    from pyarrow import feather, ipc, parquet

    form, codec = FORMATS[kind]
    pairs = [(q, d * 7) for q in range(QUERIES) for d in range(DOCUMENTS)]
    columns = {
        "other": pa.array([None if d % 2 else f"note {d}" for _, d in pairs]),
        "query_id": column([q for q, _ in pairs], ids),
        "doc_id": column([d for _, d in pairs], ids),
        "score": pa.array([(q * 31 + d * 17) % 23 / 4 for q, d in pairs]),
        "label": pa.array([(q + d) % 3 for q, d in pairs], pa.int8()),
    }
    table = pa.table(columns)
    out = io.BytesIO()
    if form == "parquet":
        options: dict[str, Any] = {"compression": "snappy" if codec == "checksums" else codec}
        options["write_page_checksum"] = codec == "checksums"
        if ids == "string_view":
            table = table.cast(
                pa.schema(
                    [
                        field.with_type(pa.string()) if field.type == pa.string_view() else field
                        for field in table.schema
                    ]
                )
            )
        parquet.write_table(table, out, row_group_size=ROWS_AT_ONCE, **options)
        return Example(out.getvalue(), ".parquet")
    if form == "feather":
        feather.write_feather(table, out, chunksize=ROWS_AT_ONCE, compression=codec)
        return Example(out.getvalue(), ".feather")
    new = ipc.new_file if form == "arrow file" else ipc.new_stream
    with new(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=ROWS_AT_ONCE)
    return Example(out.getvalue(), ".arrow" if form == "arrow file" else ".arrows")


def column(values: Sequence[int], ids: str) -> Any:
    """Give ids of a type; those with nulls miss one."""
    import pyarrow as pa

    texts = [f"{value}" for value in values]
    if ids == "dictionary":
        return pa.array(texts).dictionary_encode()
    if ids == "large_dictionary":
        return pa.array(texts, pa.large_string()).dictionary_encode()
    if ids == "nulls":
        return pa.array([None if place == 30 else text for place, text in enumerate(texts)])
    if ids.startswith("decimal"):
        return pa.array([Decimal(value) for value in values], getattr(pa, ids)(12, 0))
    if ids in ("string", "large_string", "string_view", "binary"):
        return pa.array(texts).cast(getattr(pa, ids)())
    return pa.array(values, getattr(pa, ids)())


def damaged(data: bytes, other: bytes, dice: random.Random) -> bytes:
    """Damage a file in one to three places, many of them where it describes itself."""
    bytes_ = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        dice.choice(DAMAGES)(bytes_, other, dice)
        if not bytes_:
            return b""
    return bytes(bytes_)


def place(data: bytearray, dice: random.Random, size: int = 1) -> int:
    """Choose where to damage: anywhere, or near an end, where metadata is."""
    last = max(len(data) - size, 0)
    where = dice.randrange(4)
    if where == 0:
        return dice.randint(0, min(last, 700))
    if where == 1:
        return dice.randint(max(last - 1500, 0), last)
    return dice.randint(0, last)


def flip(data: bytearray, _: bytes, dice: random.Random) -> None:
    data[place(data, dice)] ^= 1 << dice.randrange(8)


def overwrite(data: bytearray, _: bytes, dice: random.Random) -> None:
    data[place(data, dice)] = dice.randrange(256)


def number(data: bytearray, _: bytes, dice: random.Random) -> None:
    """Write a number that programs trip over, mostly where numbers stand."""
    size = dice.choice((1, 2, 4, 4, 8, 8))
    at = place(data, dice, size)
    if dice.random() < 0.8:
        at -= at % min(size, 4)
    value = dice.choice(INTERESTING) % 2 ** (8 * size)
    data[at : at + size] = value.to_bytes(size, "little")


def nudge(data: bytearray, _: bytes, dice: random.Random) -> None:
    """Make a number a little larger or smaller."""
    size = dice.choice((4, 8))
    at = place(data, dice, size)
    at -= at % 4
    if at + size <= len(data):
        letter = "<i" if size == 4 else "<q"
        (value,) = struct.unpack_from(letter, data, at)
        value += dice.choice((-8, -1, 1, 8, 64, 2**20))
        value = (value + 2 ** (8 * size - 1)) % 2 ** (8 * size) - 2 ** (8 * size - 1)
        struct.pack_into(letter, data, at, value)


def truncate(data: bytearray, _: bytes, dice: random.Random) -> None:
    del data[place(data, dice) :]


def remove(data: bytearray, _: bytes, dice: random.Random) -> None:
    at = place(data, dice)
    del data[at : at + dice.choice((1, 4, 8, 64, 500))]


def insert(data: bytearray, _: bytes, dice: random.Random) -> None:
    at = place(data, dice)
    data[at:at] = dice.randbytes(dice.choice((1, 4, 8, 64)))


def blank(data: bytearray, _: bytes, dice: random.Random) -> None:
    at = place(data, dice)
    some = data[at : at + dice.choice((4, 8, 64, 500))]
    data[at : at + len(some)] = dice.choice((b"\0", b"\xff")) * len(some)


def move(data: bytearray, _: bytes, dice: random.Random) -> None:
    """Copy one place over another."""
    size = dice.choice((4, 8, 8, 64))
    source, target = place(data, dice, size), place(data, dice, size)
    if dice.random() < 0.8:
        source, target = source - source % 8, target - target % 8
    data[target : target + size] = data[source : source + size]


def splice(data: bytearray, other: bytes, dice: random.Random) -> None:
    """Go on with another file of the kind, whose ids have another type."""
    at = place(data, dice)
    size = dice.choice((8, 64, 500, len(other)))
    data[at : at + size] = other[at : at + size]


DAMAGES = (
    *(flip, flip, overwrite, number, number, number, nudge),
    *(truncate, remove, insert, blank, move, splice),
)


if __name__ == "__main__":
    sys.exit(main())
