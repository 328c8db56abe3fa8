"""Labels of a log of clicks."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from bench import Bench
from peers import TIMED
from process import Command
from sample import Sample
from table import Goal, Row

sys.path.append(str(TIMED))

import click_log

SQL = "DuckDB, one SQL text"
GOALS = {10_000_000: (None, None), 100_000_000: (139.0, 2_000.0)}  # CPU seconds, MB


def logs(bench: Bench) -> Iterator[Row]:
    """Measure CTR, COEC and SDBN of a Parquet file, by CPU seconds and peak memory."""
    if not (bench.can_import("duckdb") and bench.can_import("narwhals")):
        return
    for rows, (seconds, megabytes) in GOALS.items():
        if rows > min(GOALS) and not bench.tenfold:
            continue
        path = bench.inputs.folder / f"log-{rows}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            click_log.write(path, rows // 10)
        ours, theirs = _measured("rankmark", path), _measured("duckdb", path)
        bench.compare(f"a log of {rows:,} impressions", ours[0], SQL, theirs[0])
        work = f"CTR, COEC and SDBN of {rows // 10**6}M impressions"
        yield Row(f"{work}, CPU", ours[1], SQL, theirs[1], _at_most(seconds))
        yield Row(f"{work}, peak memory", ours[2], SQL, theirs[2], _at_most(megabytes))


def _at_most(limit: float | None) -> Goal | None:
    return None if limit is None else Goal("at most", limit, of="ours")


def _measured(program: str, path: Path) -> tuple[dict[str, float], Sample, Sample]:
    """Return the sums of labels, the CPU seconds and the peak memory of a process."""
    done = Command((sys.executable, str(TIMED / f"{program}_logs.py"), str(path))).run()
    sums = json.loads(done.output.splitlines()[-1])
    return sums, Sample((sums.pop("cpu"),)), Sample((done.peak_mb,), "MB")
