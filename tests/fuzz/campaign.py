"""`python tests/fuzz/campaign.py`: fuzz what reads bytes from outside.

    campaign.py run --seconds 1800           each target, the one that ran least first
    campaign.py run --seconds 300 --until 12:00   in turns, as long as the clock allows
    campaign.py keep      minimise the corpora, and keep them in tests/fuzz/corpora
    campaign.py record    write tests/reliability/records/fuzzing.json

With clang and its libFuzzer the core is built for it, and atheris fuzzes what Python reads if it is
installed. Without them, our own drivers damage files: `core/driver.cpp` and `damaged_files.py`.
Every sitting is noted in BUILD/sittings.jsonl; what is found is in BUILD/finds.
"""

import argparse
import datetime
import functools
import importlib.util
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FILES = HERE / "files"
sys.path[:0] = [str(HERE), str(FILES)]

from bundles import FOLDER, inputs_in, unpack, write_bundle, write_inputs  # noqa: E402
from damaged_kinds import GROUPS  # noqa: E402

RECORD = ROOT / "tests" / "reliability" / "records" / "fuzzing.json"
FOUND = HERE / "found.txt"
SANITIZERS = "address,undefined"
OPTIONS = (
    "detect_leaks=0:detect_stack_use_after_return=0:quarantine_size_mb=4:malloc_context_size=6"
)
MOST_KEPT, LONGEST_KEPT = 20_000, 1000
"""Bytes of a corpus that is kept, and of an input of it."""


class Target(NamedTuple):
    """What is fuzzed: a program of the core, or a group of files that Python reads."""

    name: str
    reads: str
    longest: int
    group: str | None = None  # for Python


TARGETS = (
    Target("text_rows", "text: rows, strictly and leniently", 2048),
    Target("text_runs", "text: judgments, runs and rankings", 2048),
    Target("numbers", "numbers, decimals and halves", 400),
    Target("ranking", "documents to rank, and rankings to compare", 2048),
    Target("gathered_rows", "rows in temporary files", 4096),
    Target("arrow", "tables of the Arrow interfaces", 2048),
    Target("py_text", "TREC files", 4096, "text"),
    Target("py_tables", "CSV and TSV files", 4096, "tables"),
    Target("py_json", "JSON and JSON lines", 4096, "json"),
    Target("py_arrow", "Arrow IPC and Feather files", 16384, "arrow"),
    Target("py_parquet", "Parquet files", 16384, "parquet"),
    Target("py_packed", "files packed with gzip, bz2, xz and zstd", 4096, "packed"),
    Target("py_names", "names of measures", 400, "names of measures"),
    Target("py_gate", "TOML files of gates", 2000, "gate file"),
    Target("py_record", "records that `verify` reads", 8192, "record"),
)


def main() -> int:
    """Run the command asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("command", choices=("run", "keep", "record"))
    parser.add_argument(
        "--build", type=Path, default=ROOT / "build" / "fuzz", help="working folder"
    )
    parser.add_argument("--seconds", type=float, default=60, help="of each target, or sitting (60)")
    parser.add_argument("--until", help="a time of the clock: targets take turns until then")
    parser.add_argument("--targets", default=",".join(one.name for one in TARGETS))
    parser.add_argument("--core", type=Path, help="a build with sanitizers whose targets are used")
    options = parser.parse_args()
    build = options.build.resolve()
    build.mkdir(parents=True, exist_ok=True)
    chosen = [one for one in TARGETS if one.name in options.targets.split(",")]
    if options.command == "keep":
        keep(build, chosen)
        return 0
    if options.command == "record":
        record(build)
        return 0
    core = None
    if any(one.group is None for one in chosen):
        core = build_core(build, options.core)
    turns = chosen if options.until is None else in_turns(build, chosen, options.until)
    failed = [one.name for one in turns if not sitting(build, core, one, options.seconds)]
    if failed:
        print(f"finds of {', '.join(sorted({*failed}))}: see {build / 'finds'}", file=sys.stderr)
    return 1 if failed else 0


@functools.cache
def clang() -> str | None:
    """Return a clang that has libFuzzer, the newest."""
    for name in ("clang++-21", "clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++"):
        found = shutil.which(name)
        if found is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "try.cpp"
            source.write_text('extern "C" int LLVMFuzzerTestOneInput(char*, long) { return 0; }')
            flags = ["-fsanitize=fuzzer,address,undefined", "-o", f"{folder}/try", str(source)]
            if subprocess.run([found, *flags], capture_output=True, check=False).returncode == 0:
                return found
    return None


def configure(folder: Path, *options: str) -> None:
    """Configure and build the targets of the core."""
    python = f"-DPython_EXECUTABLE={sys.executable}"
    cmake = shutil.which("cmake", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if cmake is None:
        raise SystemExit("cmake is not installed")
    for command in (
        [cmake, "-S", str(ROOT), "-B", str(folder), python, *options],
        [cmake, "--build", str(folder), "--target", "fuzz", "--parallel", "2"],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


class Core(NamedTuple):
    """Where the programs of the core are, and whether libFuzzer drives them."""

    folder: Path
    by_libfuzzer: bool


def build_core(build: Path, given: Path | None) -> Core:
    """Build the targets of the core, perhaps in a folder that has a build with sanitizers."""
    if given is not None or clang() is None:
        folder = (given or build / "core").resolve()
        configure(folder, f"-DRANKMARK_SANITIZE={SANITIZERS}")
        return Core(folder / "tests" / "fuzz", by_libfuzzer=False)
    folder = build / "core"
    configure(
        folder,
        f"-DRANKMARK_SANITIZE={SANITIZERS},fuzzer-no-link",
        "-DRANKMARK_LIBFUZZER=ON",
        f"-DCMAKE_CXX_COMPILER={clang()}",
    )
    return Core(folder / "tests" / "fuzz", by_libfuzzer=True)


def sittings(build: Path) -> list[dict[str, Any]]:
    """Read what ran before."""
    file = build / "sittings.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def in_turns(build: Path, chosen: Sequence[Target], until: str) -> Any:
    """Yield the target that ran least, until a time of the clock."""
    while datetime.datetime.now().strftime("%H:%M") < until:
        spent = Counter({one.name: 0.0 for one in chosen})
        for ran in sittings(build):
            spent[ran["target"]] += ran["seconds"]
        yield min(chosen, key=lambda one: spent[one.name])


def command_of(build: Path, core: Core | None, target: Target, seconds: float) -> list[str]:
    """Return what fuzzes a target."""
    corpus, finds = build / "corpus" / target.name, build / "finds"
    kept, flags = (
        FOLDER / target.name,
        [
            *(f"-max_total_time={seconds:.0f}", f"-max_len={target.longest}", "-timeout=60"),
            *("-rss_limit_mb=4096", "-print_final_stats=1", f"-dict={HERE / 'words.dict'}"),
            *(f"-artifact_prefix={finds}/{target.name}-", str(corpus)),
        ],
    )
    if target.group is None:
        if core is None:
            raise SystemExit(f"{target.name} was not built")
        program = str(core.folder / f"fuzz_{target.name}")
        if not core.by_libfuzzer:
            return [program, str(kept), f"{seconds}", str(finds / f"{target.name}-crash")]
        unpack(kept, corpus)
        return [program, *flags]
    if importlib.util.find_spec("atheris") is None:
        kinds = ["--kinds", ",".join(GROUPS[target.group]), "--share", "300"]
        time_given = ["--files", "1000000", "--minutes", f"{seconds / 60}"]
        return [sys.executable, str(FILES / "damaged_files.py"), *kinds, *time_given]
    unpack(kept, corpus)
    return [sys.executable, str(FILES / "with_atheris.py"), target.group, *flags]


def sitting(build: Path, core: Core | None, target: Target, seconds: float) -> bool:
    """Fuzz a target once, note it, and return whether nothing was found."""
    logs = build / "logs"
    for folder in (logs, build / "finds"):
        folder.mkdir(parents=True, exist_ok=True)
    begun = datetime.datetime.now()
    log = logs / f"{target.name}.{begun:%d%H%M%S}"
    command = command_of(build, core, target, seconds)
    with log.open("wb") as out:
        code = subprocess.run(
            command,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "ASAN_OPTIONS": OPTIONS},
            check=False,
        ).returncode
    took = (datetime.datetime.now() - begun).total_seconds()
    said = log.read_text(errors="replace")
    counted = re.search(r"stat::number_of_executed_units: (\d+)|faults in ([\d,]+) files", said)
    executions = int((counted[1] or counted[2]).replace(",", "")) if counted else 0
    row = {"target": target.name, "seconds": round(took, 1), "executions": executions}
    with (build / "sittings.jsonl").open("a") as file:
        file.write(json.dumps({**row, "code": code, "log": log.name}) + "\n")
    print(f"{target.name}: {executions:,} executions in {took:.0f} s", flush=True)
    if code:
        print(
            f"found something: {shlex.join(command)}\n{said[-4000:]}", file=sys.stderr, flush=True
        )
    return code == 0


def keep(build: Path, chosen: Sequence[Target]) -> None:
    """Keep inputs that reach what no shorter ones reach: of the core by libFuzzer's merge.

    Atheris cannot merge; of what Python reads the short files are kept, as whole ones are written
    anew each time.
    """
    for target in chosen:
        corpus, merged = build / "corpus" / target.name, build / "merged" / target.name
        if not corpus.exists():
            continue
        inputs = {file.read_bytes() for file in corpus.iterdir()}
        if target.group is None:
            shutil.rmtree(merged, ignore_errors=True)
            merged.mkdir(parents=True)
            whole = merged.with_name(f"{target.name}.whole")  # a fuzzer may be at work meanwhile
            write_inputs(inputs, whole)
            program = build_core(build, None).folder / f"fuzz_{target.name}"
            subprocess.run(
                [program, "-merge=1", merged, whole],
                env={**os.environ, "ASAN_OPTIONS": OPTIONS},
                capture_output=True,
                check=True,
            )
            inputs = {file.read_bytes() for file in merged.iterdir()}
        some = fitting(sorted((one for one in inputs if len(one) <= LONGEST_KEPT), key=len))
        if some:
            write_bundle(FOLDER / target.name, some)
        print(f"{target.name}: kept {len(some)} of {len(inputs)}", flush=True)


def fitting(inputs: Sequence[bytes]) -> list[bytes]:
    """Return some inputs of all lengths, which together are not too long."""
    for step in range(1, len(inputs) + 1):
        some = [*inputs[::step]]
        if sum(len(one) + 4 for one in some) <= MOST_KEPT:
            return some
    return []


def coverage(build: Path) -> dict[str, dict[str, float]]:
    """Return the share of the core's lines and regions that the corpora reach, in percent."""
    compiler = clang()
    if compiler is None:
        return {}
    version = Path(compiler).name.removeprefix("clang++")
    folder, profiles = build / "coverage", []
    flags = "-fprofile-instr-generate -fcoverage-mapping"
    configure(
        folder,
        f"-DRANKMARK_SANITIZE={SANITIZERS},fuzzer-no-link",
        "-DRANKMARK_LIBFUZZER=ON",
        f"-DCMAKE_CXX_COMPILER={compiler}",
        f"-DCMAKE_CXX_FLAGS={flags}",
    )
    programs = []
    for target in TARGETS:
        if target.group is not None:
            continue
        profile, corpus = folder / f"{target.name}.profraw", build / "corpus" / target.name
        unpack(FOLDER / target.name, corpus)
        programs.append(str(folder / "tests" / "fuzz" / f"fuzz_{target.name}"))
        subprocess.run(
            [programs[-1], "-runs=0", str(corpus)],
            env={**os.environ, "LLVM_PROFILE_FILE": str(profile), "ASAN_OPTIONS": OPTIONS},
            stderr=subprocess.DEVNULL,
            check=False,
        )
        profiles.append(str(profile))
    data = str(folder / "all.profdata")
    subprocess.run([f"llvm-profdata{version}", "merge", "-o", data, *profiles], check=True)
    objects = [word for program in programs[1:] for word in ("-object", program)]
    exported = subprocess.check_output(
        [
            *(f"llvm-cov{version}", "export", "-summary-only", f"-instr-profile={data}"),
            *(programs[0], *objects, str(ROOT / "core")),
        ]
    )
    document = json.loads(exported)["data"][0]
    files = {Path(file["filename"]).name: file["summary"] for file in document["files"]}
    return {
        name: {what: summary[what]["percent"] for what in ("lines", "regions")}
        for name, summary in {**files, "": document["totals"]}.items()
    }


def record(build: Path) -> None:
    """Write the record of all sittings."""
    reached = coverage(build)
    spent: Counter[str] = Counter()
    done: Counter[str] = Counter()
    for ran in sittings(build):
        spent[ran["target"]] += ran["seconds"]
        done[ran["target"]] += ran["executions"]
    rows = [
        [one.reads, one.name, done[one.name], round(spent[one.name] / 60, 1), count(build, one)]
        for one in TARGETS
    ]
    document = {
        "campaign": "fuzzing",
        "promise": "Whatever bytes a file or a table contains, rankmark either reports an error "
        "of its own or returns numbers, and these do not depend on how the data is read.",
        "method": "Coverage-guided fuzzers run the core with AddressSanitizer and "
        "UndefinedBehaviorSanitizer. They compare its results with those of simple reference "
        "implementations, and between block sizes, numbers of threads and ways of scanning text. "
        "Files that Python reads are damaged and passed to rankmark's functions; the numbers must "
        "be the same with one thread, from a compressed file, and from TREC text of the same "
        "data. The time given was spent in several sittings.",
        "command": "make fuzz SECONDS=...",
        "commit": said_by("git", "rev-parse", "--short", "HEAD"),
        "date": f"{datetime.date.today()}",
        "machine": ", ".join(
            [
                platform.machine(),
                platform.freedesktop_os_release().get("PRETTY_NAME", "Linux"),
                said_by(clang() or "c++", "--version").splitlines()[0],
                f"Python {platform.python_version()}",
            ]
        ),
        "columns": ["input", "target", "executions", "minutes", "inputs in the corpus"],
        "rows": rows,
        "figures": figures(reached),
        "found": FOUND.read_text().splitlines(),
        "not covered": NOT_COVERED,
    }
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    RECORD.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    print(RECORD)


NOT_COVERED = [
    "Lines of 16 MiB and files larger than memory; unit tests cover these.",
    "Arrow producers that provide smaller buffers than their columns need; the C interface does "
    "not transmit the sizes of buffers.",
    "Code of other libraries, such as the reader of Parquet files, is not instrumented, so that "
    "coverage does not guide the fuzzers there.",
]


def figures(reached: dict[str, dict[str, float]]) -> list[str]:
    """Say how much of the core the corpora reach, in all and in the files that they reach least."""
    if not reached:
        return []
    total = reached[""]
    low = sorted((found["lines"], name) for name, found in reached.items() if name)[:8]
    files = ", ".join(f"`{name}` ({share:.1f}%)" for share, name in low)
    return [
        f"Together, the inputs reach {total['lines']:.1f}% of the lines and "
        f"{total['regions']:.1f}% of the regions of the core.",
        f"The files with the smallest share of lines reached are {files}.",
    ]


def count(build: Path, target: Target) -> int:
    """Return the number of inputs of a corpus."""
    corpus = build / "corpus" / target.name
    return len([*corpus.iterdir()]) if corpus.exists() else len(inputs_in(FOLDER / target.name))


def said_by(*command: str) -> str:
    """Return what a program prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done.stdout.strip().strip('"')


if __name__ == "__main__":
    sys.exit(main())
