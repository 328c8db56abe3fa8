"""`python tests/fuzz/files/damaged_files.py`: read damaged files, and count the outcomes.

Small files of each kind, with ids of each type in turn, are damaged in many ways and given to
evaluate or to another verb. A damaged file is to be refused by an error of rankmark's own, or to
give the numbers of the file that was damaged; where nothing shows that a byte changed, other
numbers are possible, the same ones however the file is read. Anything else is a fault: a process
that ends or hangs, and an error of Python's or of another library's. Prints Markdown, and exits
with 1 if there was a fault. The same seed damages the same way.
"""

import argparse
import faulthandler
import gzip
import math
import random
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from damaged_kinds import (
    DOCUMENTS,
    KINDS,
    QUERIES,
    TYPES,
    Example,
    damages_of,
    example,
    write_collection,
)
from damages import damaged

if TYPE_CHECKING:
    from rankmark import Evaluation
    from rankmark.measures import Measure

SECONDS = 60  # without an outcome, a process hangs
MEMORY = 6 << 30  # bytes of addresses that a process may use
FILES_A_WATCH = 20
GOOD = ("refused", "same numbers")
UNNOTICED = "other numbers"


def main(argv: Sequence[str] | None = None) -> int:
    """Damage files of the kinds asked for, and print what became of them."""
    options = parse(argv)
    kinds = options.kinds.split(",") if options.kinds else [*KINDS]
    if options.work:
        work(kinds, options.seed, options.first, options.files)
        return 0
    deadline = time.monotonic() + 60 * options.minutes
    end = options.files * len(kinds)
    shares = [(at, min(at + options.share, end)) for at in range(0, end, options.share)]

    def found(share: tuple[int, int]) -> list[tuple[int, str, str]]:
        return [*outcomes(kinds, options.seed, *share)] if time.monotonic() < deadline else []

    counts: dict[str, Counter[str]] = {kind: Counter() for kind in kinds}
    examples: dict[tuple[str, str], str] = {}
    with ThreadPoolExecutor(options.processes) as pool:
        for some in pool.map(found, shares):
            for at, outcome, said in some:
                kind = kinds[at % len(kinds)]
                counts[kind][outcome] += 1
                examples.setdefault((kind, outcome), f"file {at // len(kinds)}: {said}")
    print(f"Damaged files of each kind, with seed {options.seed}:\n")
    return 1 if report(counts, examples) else 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000, help="damaged files of each kind (1000)")
    parser.add_argument("--kinds", help=f"some of {','.join(KINDS)}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1, help="at once (1)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin nothing after these")
    parser.add_argument("--share", type=int, default=5000, help="files a process reads (5000)")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)  # in this process
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    unknown = {*(options.kinds or "").split(",")} - {"", *KINDS}
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
    for (kind, outcome), said in examples.items():
        if outcome in others:
            faults += counts[kind][outcome]
            print(f"- {kind}, {outcome}: {said}")
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
            if (place - first) % FILES_A_WATCH == 0:  # a watch is a thread, which takes time
                faulthandler.dump_traceback_later(SECONDS, exit=True)
            kind, number = kinds[place % len(kinds)], place // len(kinds)
            dice = random.Random(f"{seed} {kind} {number}")
            ids, verb = TYPES[number % len(TYPES)], dice.choice(turns_of(kind))
            holds = "qrels" if verb == "judge" else "run"
            whole, other = example(kind, ids, holds), example(kind, dice.choice(TYPES), holds)
            data = damaged(whole.data, other.data, damages_of(kind), dice)
            found = given(whole._replace(data=data), verb, folder)
            if not isinstance(found, Exception) and (kind, ids, verb) not in expected:
                expected[kind, ids, verb] = given(whole, verb, folder)
            told = outcome(found, expected.get((kind, ids, verb)))
            words = (" ".join(said.split()) for said in told)
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


class DifferentNumbersError(Exception):
    """The same bytes gave other numbers when they were read in another way."""


def turns_of(kind: str) -> Sequence[str]:
    """Return the verbs that a file of a kind is given to, the usual ones several times."""
    return (VERB_OF_COMMANDS[kind],) if kind in VERB_OF_COMMANDS else TURNS


def given(file: Example, verb: str, folder: Path) -> object:
    """Give what a verb makes of a file, or its error."""
    path = folder / f"run{file.suffix}"
    path.unlink(missing_ok=True)  # a new file is written faster than over an old one
    path.write_bytes(file.data)
    try:
        return VERBS[verb](path)
    except Exception as error:
        return error


def evaluated(path: Path) -> object:
    """Evaluate it as a run."""
    import rankmark as rm

    return numbers_of(rm.evaluate(JUDGED, path, ["nDCG@3", "AP", "num_ret"]))


def evaluated_by_one_thread(path: Path) -> object:
    """Evaluate it as a run, in one thread."""
    import rankmark as rm

    return numbers_of(rm.evaluate(JUDGED, path, ["nDCG@3", "AP", "num_ret"], threads=1))


def numbers_of(result: "Evaluation") -> tuple[list[str], list[list[float]]]:
    """Return the scores of an evaluation, which are finite."""
    scores = result.scores.tolist()
    if not all(math.isfinite(score) for row in scores for score in row):
        raise DifferentNumbersError(f"scores are not finite: {scores}")
    return list(result.queries), scores


def read_in_other_ways(path: Path) -> object:
    """Evaluate it twice, in one thread, packed, and written as TREC text: always the same."""
    import rankmark as rm

    def told(source: Path, read: Callable[[Path], object] = evaluated) -> object:
        try:
            return read(source)
        except rm.errors.RankmarkError as error:
            return type(error).__name__

    first = told(path)
    others = {"again": told(path), "in one thread": told(path, evaluated_by_one_thread)}
    if not path.name.endswith(tuple(UNPACKABLE)):
        packed = path.with_name(f"{path.name}.gz")
        packed.write_bytes(gzip.compress(path.read_bytes(), 1))
        others["packed"] = told(packed)
    if not isinstance(first, str):
        target = path.with_name("converted.trec")
        try:
            rm.convert(path, target, kind="run")
        except rm.errors.RankmarkError:
            pass  # TREC text cannot hold every id
        else:
            others["written as TREC text"] = told(target)
    for way, found in others.items():
        if found != first:
            raise DifferentNumbersError(f"{way}: {found}, before: {first}")
    if isinstance(first, str):
        raise rm.errors.InputError(f"refused in every way: {first}")
    return first


def checked(path: Path) -> object:
    """Check it; a file that cannot be read is a finding."""
    import rankmark as rm

    report = rm.check(JUDGED, path, measures="nDCG@3")
    found = [(finding.severity, finding.code) for file in report.files for finding in file.findings]
    if ("error", "refused") in found:
        raise rm.errors.ParseError("check says that it cannot be read")
    return found


def converted(path: Path) -> object:
    """Write it as TREC text."""
    import rankmark as rm

    target = path.with_name("converted.trec")
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


def named(path: Path) -> object:
    """Find measures by names, and find them again by their own names."""
    import rankmark as rm
    from rankmark.measures.names import measures

    found: list[Measure] = []
    names = path.read_bytes().decode("utf-8", "surrogateescape")
    for name in names.split("\n"):
        found += measures(name)
        for one in measures(name):
            if measures(str(one)) != (one,):
                raise DifferentNumbersError(f"{one} is called {measures(str(one))}")
    result = rm.evaluate(JUDGED, RETRIEVED, found)
    return [str(one) for one in found], numbers_of(result)


def gated(path: Path) -> object:
    """Decide by the file of a gate."""
    import rankmark as rm

    write_collection(path.parent)
    files = [path.with_name(f"{name}.txt") for name in ("qrels", "base", "new")]
    return str(rm.gate(*files, config=path))


def verified(path: Path) -> object:
    """Compute what is recorded again."""
    import rankmark as rm

    write_collection(path.parent)
    return str(rm.verify(path))


VERBS: dict[str, Callable[[Path], object]] = {
    "evaluate": evaluated,
    "evaluate in one thread": evaluated_by_one_thread,
    "check": checked,
    "convert": converted,
    "judge": judged,
    "compare": compared,
    "explain": explained,
    "in other ways": read_in_other_ways,
    "name": named,
    "gate": gated,
    "verify": verified,
}
VERB_OF_COMMANDS = {"names of measures": "name", "gate file": "gate", "record": "verify"}
TURNS = (
    *(verb for verb in VERBS if verb not in VERB_OF_COMMANDS.values()),
    *("evaluate", "evaluate in one thread", "in other ways"),
)
UNPACKABLE = (".gz", ".bz2", ".xz", ".zst", ".parquet", ".arrow", ".arrows", ".feather")
JUDGED = {f"{q}": {f"{d * 7}": (q + d) % 3 for d in range(1, DOCUMENTS, 2)} for q in range(QUERIES)}
RETRIEVED = {f"{q}": {f"{d * 7}": -float(d) for d in range(DOCUMENTS)} for q in range(QUERIES)}

if __name__ == "__main__":
    sys.exit(main())
