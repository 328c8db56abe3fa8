"""Spark DataFrames, in sessions with the same settings, each work in a process of its own."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bench import MEASURES, Bench
from inputs import Tables
from machine import cores
from peers import REPLAY, TIMED
from process import Command
from sample import Sample, Unit, interleave
from table import Goal, Row

# The slowest work takes minutes at 50 million rows.
PATIENCE = 600.0

MLLIB, ML, WINDOW = "MLlib RankingMetrics", "ML RankingEvaluator", "window query"
TOP = "nDCG@10 alone"
FILES = "rankmark from files"
OURS = ("rankmark", f"rankmark, {TOP}", FILES)
MANY_PARTITIONS, SKEW = 8, 0.2


@dataclass(slots=True)
class Work:
    """One work on one input, with the facts of its runs."""

    argv: tuple[str, ...]
    facts: list[dict[str, Any]] = field(default_factory=list)

    def seconds(self) -> float:
        """Do it once in a new process, and return the seconds within its session."""
        output = Command(self.argv).run().output
        found = next(line for line in output.splitlines()[::-1] if line.startswith('{"seconds"'))
        self.facts.append(json.loads(found))
        return float(self.facts[-1]["seconds"])

    def sample(self, fact: str, *, per: float = 1e6, unit: Unit = "MB") -> Sample:
        """Return a number that was counted, of bytes in MB."""
        return Sample(tuple(facts[fact] / per for facts in self.facts), unit)


def spark(bench: Bench) -> Iterator[Row]:
    """Measure rankmark against MLlib, RePlay and SQL, then with more partitions and with skew."""
    if not bench.can_import("pyspark"):
        return
    if shutil.which("java") is None:
        bench.note("Spark is not measured: it needs Java 17")
        return
    sizes = bench.spark
    bench.note(
        f"Spark: local[{cores()}], {sizes.partitions} partitions, {sizes.memory} of heap; seconds "
        "from reading Parquet to the means, without starting the session"
    )
    name = f"Spark, {sizes.rows / 1e6:g}M rows"
    tables = bench.inputs.tables(sizes.rows, sizes.partitions)
    works = _works(bench, tables)
    taken = _taken(bench, works)
    bench.versions["pyspark"] = works["rankmark"].facts[-1]["spark"]
    for peer in works:
        if peer not in {*OURS, f"{WINDOW}, {TOP}"}:
            _compare(bench, name, works, peer)
            yield Row(name, taken["rankmark"], peer, taken[peer], size=sizes.rows)
    if FILES in works:
        _compare(bench, name, works, FILES)
        yield from _from_files(name, works, taken, sizes.rows)
    if f"{WINDOW}, {TOP}" in works:
        first, other = taken[f"rankmark, {TOP}"], taken[f"{WINDOW}, {TOP}"]
        yield Row(f"{name}, {TOP}", first, WINDOW, other)
    for peer in works:
        if peer not in OURS:
            ours = "rankmark" if TOP not in peer else f"rankmark, {TOP}"
            label = "shuffled" if TOP not in peer else f"shuffled, {TOP}"
            shuffled = (works[one].sample("shuffled_bytes") for one in (ours, peer))
            mine, theirs = shuffled
            yield Row(f"{name}, {label}", mine, peer, theirs)
    for peer, work in works.items():
        _note_counters(bench, f"{name}, {peer}", work.facts[-1], sizes.rows)
    yield from _growth(bench, name, tables)


def _from_files(
    name: str, works: Mapping[str, Work], taken: Mapping[str, Sample], rows: int
) -> Iterator[Row]:
    """Compare files that tasks read with each peer, in seconds and in CPU seconds."""
    goals = {MLLIB: 6.0, REPLAY.name: 6.0, WINDOW: 5.0}
    used = {one: work.sample("cpu_seconds", per=1.0, unit="s") for one, work in works.items()}
    for peer in works:
        if peer == FILES or TOP in peer:
            continue
        goal = Goal("at least", goals[peer]) if peer in goals else None
        yield Row(f"{name}, from files", taken[FILES], peer, taken[peer], goal, size=rows)
        label = f"{name}, from files, CPU"
        yield Row(label, used[FILES], peer, used[peer], goal, size=rows)


def _growth(bench: Bench, name: str, tables: Tables) -> Iterator[Row]:
    """Compare rankmark with itself: more partitions, one large query, and a tenth of the rows."""
    sizes = bench.spark
    many = sizes.partitions * MANY_PARTITIONS
    tenth = bench.inputs.tables(sizes.rows // 10, sizes.partitions)
    skewed = bench.inputs.tables(sizes.rows, sizes.partitions, SKEW)
    works = {
        "same": _rankmark(bench, tables),
        "partitions": _rankmark(bench, tables, partitions=many),
        "skew": _rankmark(bench, skewed),
        "tenth": _rankmark(bench, tenth),
    }
    taken = _taken(bench, works)
    base = "rankmark, {}"
    yield Row(
        f"{name}, {many} partitions",
        taken["partitions"],
        base.format(f"{sizes.partitions} partitions"),
        taken["same"],
    )
    query = f"{SKEW:.0%} of the rows in one query"
    yield Row(f"{name}, {query}", taken["skew"], base.format("1,000 a query"), taken["same"])
    tenth_rows = base.format(f"{sizes.rows / 1e7:g}M rows")
    yield Row(name, taken["same"], tenth_rows, taken["tenth"], Goal("at most", 11))
    for label in ("partitions", "skew"):
        facts = works[label].facts[-1]
        _note_counters(bench, f"{name}, rankmark, {label}", facts, sizes.rows)


def _works(bench: Bench, tables: Tables) -> dict[str, Work]:
    here = sys.executable
    works = {
        "rankmark": _rankmark(bench, tables),
        FILES: _work(bench, here, "files", tables, " ".join(MEASURES)),
        f"rankmark, {TOP}": _rankmark(bench, tables, measures="nDCG@10"),
        WINDOW: _work(bench, here, "window", tables, " ".join(MEASURES)),
        f"{WINDOW}, {TOP}": _work(bench, here, "window", tables, "nDCG@10"),
        MLLIB: _work(bench, here, "mllib", tables),
        ML: _work(bench, here, "ml", tables),
    }
    if bench.has(REPLAY):
        works[REPLAY.name] = _work(bench, str(REPLAY.python), "replay", tables)
    chosen = bench.spark.works
    return {name: work for name, work in works.items() if not chosen or _script(work) in chosen}


def _script(work: Work) -> str:
    return work.argv[1].rpartition("spark_")[2].removesuffix(".py")


def _rankmark(
    bench: Bench,
    tables: Tables,
    *,
    measures: str = " ".join(MEASURES),
    partitions: int | None = None,
) -> Work:
    return _work(bench, sys.executable, "rankmark", tables, measures, partitions=partitions)


def _work(
    bench: Bench,
    python: str,
    script: str,
    tables: Tables,
    *arguments: str,
    partitions: int | None = None,
) -> Work:
    paths = (str(tables.qrels), str(tables.run))
    session = (str(cores()), str(partitions or bench.spark.partitions), bench.spark.memory)
    return Work((python, str(TIMED / f"spark_{script}.py"), *arguments, *paths, *session))


def _taken(bench: Bench, works: Mapping[str, Work]) -> dict[str, Sample]:
    turns: dict[str, Callable[[], float]] = {name: work.seconds for name, work in works.items()}
    return interleave(turns, bench.runs, patience=PATIENCE)


def _compare(bench: Bench, name: str, works: Mapping[str, Work], peer: str) -> None:
    ours, theirs = (works[one].facts[-1]["means"] for one in ("rankmark", peer))
    bench.compare(name, ours, peer, theirs)


def _note_counters(bench: Bench, name: str, facts: Mapping[str, Any], rows: int) -> None:
    parts = [
        f"{facts['shuffled_bytes'] / rows:.1f} bytes shuffled a row",
        f"{facts['shuffled_rows']:,.0f} records",
        f"{facts['tasks']:.0f} tasks of {facts['task_seconds']:.0f} s in all",
        f"the longest {facts['longest_task']:.1f} s",
        f"{facts['cpu_seconds']:.0f} s of CPU",
        f"largest Python worker {facts['python_mb']:.0f} MB",
    ]
    if facts["spilled_bytes"]:
        parts.append(f"{facts['spilled_bytes'] / 1e6:,.0f} MB spilled")
    bench.note(f"{name}: {', '.join(parts)}")
