"""Tasks that die are repeated and give the same numbers; executors must have this rankmark."""

import os
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
import rankmark.spark
from spark.spark_frames import assert_same, qrels_frame, run_frame

QRELS = {f"q{q}": {f"d{d}": (q + d) % 3 for d in range(6)} for q in range(20)}
RUN = {
    f"q{q}": {f"d{d}": random.Random(q * d).random() for d in range(2, 12)} for q in range(1, 20)
}
MEASURES = ["nDCG@5", "AP", "NumRet"]


def test_a_reading_task_that_is_killed_is_repeated(spark: Any, tmp_path: Path) -> None:
    killed = tmp_path / "killed"

    def once(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch
            if batch.num_rows and not killed.exists():
                killed.touch()
                os.kill(os.getpid(), signal.SIGKILL)

    run = run_frame(spark, RUN)
    found = rankmark.spark.evaluate(
        qrels_frame(spark, QRELS), run.mapInArrow(once, run.schema), MEASURES
    )
    whole = rm.evaluate(QRELS, RUN, MEASURES)
    assert found.means == dict(whole)
    assert killed.exists()
    assert found.audit.rows == whole.audit.rows


def test_a_scoring_task_that_is_killed_is_repeated(spark: Any, tmp_path: Path) -> None:
    killed = tmp_path / "killed"

    def killing(labels: Any) -> float:
        if not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return float(len(labels))

    frames = qrels_frame(spark, QRELS), run_frame(spark, RUN)
    found = rankmark.spark.evaluate(*frames, [*MEASURES, rm.Own("length", labels=killing)])
    told = found.means
    assert killed.exists()
    whole = rm.evaluate(QRELS, RUN, [*MEASURES, rm.Own("length", labels=killing)])
    assert told == dict(whole)
    assert_same(found, whole)


@pytest.fixture
def with_package(spark: Any, tmp_path: Path) -> Iterator[Any]:
    """Give a function that puts another `rankmark` before the real one on executors."""
    driver = spark.sparkContext.pythonExec

    def put(init: str, version: str) -> None:
        package = tmp_path / "before" / "rankmark"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(init)
        (package / "version.py").write_text(version)
        program = tmp_path / "python"
        path = f'PYTHONPATH="{package.parent}:$PYTHONPATH"'
        program.write_text(f'#!/bin/sh\n{path} exec "{sys.executable}" "$@"\n')
        program.chmod(0o755)
        spark.sparkContext.pythonExec = str(program)

    yield put
    spark.sparkContext.pythonExec = driver


@pytest.mark.parametrize(
    ("init", "version", "expected"),
    [
        ("raise ModuleNotFoundError('rankmark')", "", "rankmark is not installed on"),
        ("", "__version__ = '0.0.1'", r"another version, 0\.0\.1, than the driver"),
    ],
    ids=["without", "another version"],
)
def test_an_executor_without_this_rankmark_is_named(
    spark: Any, with_package: Any, init: str, version: str, expected: str
) -> None:
    frames = qrels_frame(spark, QRELS, parts=1), run_frame(spark, RUN, parts=1)
    with_package(init, version)
    found = rankmark.spark.evaluate(*frames, MEASURES)
    with pytest.raises(rm.MissingDependencyError, match=expected) as error:
        _ = found.means
    assert "install" in str(error.value)
