"""How a peer's work is timed in a Spark session of its own: QRELS RUN CORES PARTITIONS MEMORY.

Prints one line of JSON: the seconds of the work, the means, and Spark's own counters of its stages.
The work runs on a few rows before, so that classes are loaded and Python workers started.
"""

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

Work = Callable[[Any, Any, Any], Mapping[str, float]]


def measure(work: Work, *, reads_files: bool = False) -> None:
    """Time ``work(spark, qrels, run)``, which returns means, and print what it took.

    It is given DataFrames, or if ``reads_files`` the paths; the few rows are then those of a copy.
    """
    qrels, run, cores, partitions, memory = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        log = str(Path(folder, "log"))
        Path(log).mkdir()
        spark = session(cores, partitions, memory, log)
        judged, ranked = spark.read.parquet(qrels), spark.read.parquet(run)
        few = ranked.limit(1_000)
        few_judged = judged.join(few.select("query_id").distinct(), "query_id", "semi")
        if reads_files:
            copies = Path(folder, "qrels"), Path(folder, "run")
            for frame, copy in zip((few_judged, few), copies, strict=True):
                frame.write.parquet(str(copy))
            few_judged, few = (str(copy) for copy in copies)
            judged, ranked = qrels, run
        work(spark, few_judged, few)
        workers = Workers()
        began = time.time()
        means = dict(work(spark, judged, ranked))
        seconds = time.time() - began
        used = workers.stop()
        version = spark.version
        spark.stop()
        found = counters(Path(log), began)
    facts = {"seconds": seconds, "means": means, "spark": version, **used, **found}
    print("\n" + json.dumps(facts), flush=True)


def session(cores: str, partitions: str, memory: str, log: str) -> Any:
    """Start the session, the same for all peers."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.memory": memory,
        "spark.sql.shuffle.partitions": partitions,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{log}",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName("benchmark")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def counters(log: Path, began: float) -> dict[str, float]:
    """Sum Spark's counters over the tasks launched since a time, from its event log."""
    sums: dict[str, float] = dict.fromkeys(
        ("read_bytes", "shuffled_bytes", "shuffled_rows", "spilled_bytes", "task_seconds"), 0
    )
    longest: dict[int, list[float]] = {}
    for event in events(log):
        if event["Event"] != "SparkListenerTaskEnd":
            continue
        task = event["Task Info"]
        if task["Launch Time"] < began * 1e3 - 1 or "Task Metrics" not in event:
            continue
        metrics = event["Task Metrics"]
        seconds = metrics["Executor Run Time"] / 1e3
        sums["read_bytes"] += metrics["Input Metrics"]["Bytes Read"]
        sums["shuffled_bytes"] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
        sums["shuffled_rows"] += metrics["Shuffle Write Metrics"]["Shuffle Records Written"]
        sums["spilled_bytes"] += metrics["Disk Bytes Spilled"]
        sums["task_seconds"] += seconds
        longest.setdefault(event["Stage ID"], []).append(seconds)
    tasks = sum(map(len, longest.values()))
    return {**sums, "tasks": tasks, "longest_task": max(map(max, longest.values()), default=0.0)}


def events(log: Path) -> Iterator[dict[str, Any]]:
    """Read the events of a session that has ended."""
    for path in log.iterdir():
        with path.open() as lines:
            yield from map(json.loads, lines)


class Workers:
    """Watches the processes of this session: Spark's own and its Python workers."""

    def __init__(self) -> None:
        """Begin to watch."""
        self._peak = 0.0
        self._before = sum(one.cpu_seconds for one in descendants())
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> dict[str, float]:
        """Return the CPU seconds of all, and the largest resident size of one worker, in MB."""
        self._ended.set()
        self._thread.join()
        seconds = sum(one.cpu_seconds for one in descendants()) - self._before
        return {"python_mb": self._peak, "cpu_seconds": seconds}

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            sizes = (one.resident_mb for one in descendants() if one.name.startswith("python"))
            self._peak = max(self._peak, *sizes, 0.0)


class Process(NamedTuple):
    """A process as the kernel sees it; its CPU seconds include children that have ended."""

    name: str
    parent: int
    cpu_seconds: float
    resident_mb: float


def descendants() -> Iterator[Process]:
    """Yield the processes that were started by this one, and by those."""
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().partition("(")[2].rpartition(") ")
        except OSError:
            continue  # it ended meanwhile
        fields = rest.split()
        ticks = sum(map(int, fields[11:15]))
        number = int(path.parent.name)
        found[number] = Process(name, int(fields[1]), ticks / tick, int(fields[21]) * page / 1e6)
    for process in found.values():
        ancestor = process.parent
        while ancestor in found and ancestor != os.getpid():
            ancestor = found[ancestor].parent
        if ancestor == os.getpid():
            yield process
