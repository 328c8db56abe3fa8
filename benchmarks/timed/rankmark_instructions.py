"""rankmark does small works, one after another, for callgrind to count the instructions of each.

With a folder alone it writes their inputs there; with the names of thirty measures too, it works.

Callgrind counts inside `PyRun_StringFlags` alone, which runs a piece of Python, and writes a
file each time that it ends.
"""

import ctypes
import gc
import gzip
import json
import pickle
import platform
import random
import re
import sys
import sysconfig
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import rankmark as rm
from rankmark import statistics
from rankmark._core import scanners  # noqa: TID251  (only to say which one counts)

MEASURES = ["nDCG@10", "AP", "RR@10", "R@100"]
DICE = random.Random(1)


def run_lines(queries: int, documents: int, levels: int) -> list[str]:
    """Write a run as text; with few levels many scores tie."""
    return [
        f"{query + 100} Q0 {doc} {rank} {score:.6f} tag\n"
        for query in range(queries)
        for rank, (doc, score) in enumerate(
            zip(
                DICE.sample(range(10**6, 9 * 10**6), documents),
                sorted(
                    (DICE.randrange(levels) * 30 / levels for _ in range(documents)), reverse=True
                ),
                strict=True,
            ),
            1,
        )
    ]


def judged(lines: list[str], every: int) -> dict[str, dict[str, int]]:
    """Judge every so many of a run's documents."""
    qrels: dict[str, dict[str, int]] = {}
    for place, line in enumerate(lines):
        query, _, doc, *_ = line.split()
        if place % every == 0:
            qrels.setdefault(query, {})[doc] = place // every % 4
    return qrels


def prepare(folder: Path) -> None:
    """Write the inputs, which takes longer than the works where callgrind looks on."""
    lines, ties = run_lines(10, 1000, 10**6), run_lines(10, 1000, 50)
    few, half, some = judged(lines, 100), judged(lines, 2), judged(ties, 20)
    texts = {
        "grouped.run": lines,
        "tied.run": ties,
        "shuffled.run": DICE.sample(lines, len(lines)),
        "padded.run": [line.replace(" ", "  ") for line in lines],
        "judged.qrels": [
            f"{query} 0 {doc} {label}\n"
            for query, row in half.items()
            for doc, label in row.items()
        ],
    }
    for name, content in texts.items():
        (folder / name).write_text("".join(content))
    (folder / "packed.run.gz").write_bytes(gzip.compress("".join(lines).encode(), 6, mtime=0))
    rows = [line.split() for line in lines]
    mapping: dict[str, dict[str, float]] = {}
    for query, _, doc, _, score, _ in rows:
        mapping.setdefault(query, {})[doc] = float(score)
    scores = np.array([float(row[4]) for row in rows])
    rng = np.random.default_rng(1)
    held = {
        "few": few,
        "half": half,
        "some": some,
        "mapping": mapping,
        "lists": {query: [*documents] for query, documents in mapping.items()},
        "whole numbers": {
            "query_id": np.array([int(row[0]) for row in rows]),
            "doc_id": np.array([int(row[2]) for row in rows]),
            "score": scores,
        },
        "texts": {
            "query_id": [row[0] for row in rows],
            "doc_id": [row[2] for row in rows],
            "score": scores,
        },
        "labels": rng.integers(0, 5, (100, 200)),
        "matrix": rng.random((100, 200)),
        "by query": rng.random((200, 6, 2)),
        "completions": [[f"d{(n * step + 1) % 31}" for n in range(10)] for step in range(1000)],
        "long completions": [
            [f"d{(n * step + 1) % 101}" for n in range(100)] for step in range(1, 1001)
        ],
        "systems": {
            f"system {number}": {
                f"q{query}": {f"d{n}": DICE.random() for n in range(20)} for query in range(200)
            }
            for number in range(10)
        },
    }
    (folder / "held").write_bytes(pickle.dumps(held))


def works(folder: Path, thirty: list[str]) -> dict[str, Callable[[], object]]:
    """Say what is to be done with the inputs."""
    held: dict[str, Any] = pickle.loads((folder / "held").read_bytes())
    few, half, some = (rm.Qrels(held[name]) for name in ("few", "half", "some"))
    ten = rm.Qrels({"q": {f"d{n}": n % 3 for n in range(5, 25)}})
    ten_run = {"q": {f"d{n}": 10.0 - n for n in range(10)}}
    reward, completions = rm.reward(ten, "nDCG@10"), held["completions"]
    rewarded = ["q"] * len(completions)
    systems: dict[str, Any] = held["systems"]
    judgments = rm.Qrels({query: {"d0": 1, "d1": 1} for query in systems["system 0"]})
    others = {name: run for name, run in systems.items() if name != "system 0"}
    compared = rm.compare(judgments, systems, MEASURES, resamples=1000, threads=1)
    labels, matrix, by_query = held["labels"], held["matrix"], held["by query"]
    levels = np.round(matrix, 1)

    def evaluate(
        qrels: Any, run: Any, measures: list[str] = MEASURES, **options: Any
    ) -> Callable[[], object]:
        return lambda: rm.evaluate(qrels, run, measures, threads=1, **options)

    return {
        "text, grouped, few judged": evaluate(few, folder / "grouped.run"),
        "text, grouped, half judged": evaluate(half, folder / "grouped.run"),
        "text, grouped, ties": evaluate(some, folder / "tied.run"),
        "text, two blanks between columns": evaluate(few, folder / "padded.run"),
        "text, shuffled": evaluate(few, folder / "shuffled.run"),
        "qrels as text": lambda: rm.Qrels(folder / "judged.qrels", threads=1),
        "gzip": evaluate(few, folder / "packed.run.gz"),
        "dicts": evaluate(few, held["mapping"]),
        "lists": evaluate(few, held["lists"]),
        "columns of text": evaluate(few, held["texts"]),
        "columns of whole numbers": evaluate(few, held["whole numbers"]),
        "arrays": evaluate(labels, matrix, ["nDCG@10", "AP"]),
        "arrays, averaged over ties": evaluate(labels, levels, ["nDCG@10"], ties="mean"),
        "thirty measures": evaluate(half, folder / "grouped.run", thirty),
        "one query of 10 documents": evaluate(ten, ten_run),
        "100 rankings of 10 ids rewarded": lambda: [reward("q", one) for one in completions[:100]],
        "1,000 rankings of 10 ids in a batch": lambda: reward.batch(rewarded, completions),
        "1,000 rankings of 100 ids in a batch": lambda: reward.batch(
            rewarded, held["long completions"]
        ),
        "an update of an accumulator": lambda: rm.Accumulator(MEASURES).update(
            half, held["mapping"]
        ),
        "random signs": lambda: statistics.randomise_pairs(by_query, resamples=20_000),
        "effect sizes": lambda: statistics.effect_sizes(by_query),
        "gate of 9 systems": lambda: str(
            rm.gate(judgments, systems["system 0"], others, "nDCG@10", max_drop=0.01, threads=1)
        ),
        "comparison of 10 systems": lambda: str(
            rm.compare(judgments, systems, MEASURES, resamples=1000, threads=1)
        ),
        "report of 10 systems": lambda: rm.write_report(compared, folder / "page.html"),
    }


def environment() -> dict[str, str]:
    """Say what counts depend on: they are compared with those of the same only."""
    core = find_spec("rankmark._core")
    assert core is not None
    assert core.origin is not None
    named = rb"(?:GCC: \([^)]*\)|clang version) [0-9]+"
    compilers = re.findall(named, Path(core.origin).read_bytes())
    options = str(sysconfig.get_config_var("CONFIG_ARGS"))
    configured = re.findall(r"--(enable-optimizations|with-lto|enable-shared)", options)
    return {
        "compiler": ", ".join(sorted({one.decode() for one in compilers})),
        "python": " ".join((platform.python_version(), *configured)),
        "built by": platform.python_compiler(),
        "numpy": np.__version__,
        "libc": " ".join(platform.libc_ver()),
        "scanner": scanners()[0],  # valgrind knows no AVX-512
        "gzip": "isal" if find_spec("isal") else "zlib",
    }


def main() -> None:
    """Do each work once uncounted and once counted, and say their names and the environment."""
    folder, *thirty = sys.argv[1:]
    if not thirty:
        prepare(Path(folder))
        return
    prepared = works(Path(folder), thirty)
    for work in prepared.values():
        work()
    # When garbage is collected depends on all that was allocated before, not on the work.
    gc.disable()
    sys.modules["counted"] = type(sys)("counted")
    for work in prepared.values():
        vars(sys.modules["counted"])["work"] = work
        if ctypes.pythonapi.PyRun_SimpleString(b"import counted; counted.work()"):
            sys.exit("a work failed")
    print(json.dumps({"works": [*prepared], "environment": environment()}))


main()
