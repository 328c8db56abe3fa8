"""One real Spark session for all tests, with two cores and retries."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # Short jobs: compile quickly rather than well, and collect garbage with one thread.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xms512m -Xmn256m",
    "spark.python.daemon.module": "preloaded_daemon",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.catalogImplementation": "in-memory",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run these tests first, so that one worker has them all and starts the only session.

    Workers get equal shares of the tests in order, and one that is done takes over the last tests
    of another.
    """
    items.sort(key=lambda item: not item.nodeid.startswith("tests/spark/"))
    for item in items:
        if item.nodeid.startswith("tests/spark/"):
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support"))


def why_not() -> str | None:
    """Say why there is no session, or return None."""
    java = os.environ.get("JAVA_HOME")
    program = Path(java, "bin", "java") if java else shutil.which("java")
    if program is None:
        return "Spark needs Java 17, and there is no Java"
    said = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    version = said.partition('version "')[2].partition(".")[0].partition('"')[0]
    if not version.isdecimal() or int(version) < 17:
        return f"Spark needs Java 17; this is {said.strip().splitlines()[:1]}"
    return None


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Give a session, or skip."""
    pytest.importorskip("pyspark", minversion="4", reason="PySpark 4 is not installed")
    if reason := why_not():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("spark")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(HERE), os.environ.get("PYTHONPATH")))
    )
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2, 4]").appName("rankmark")
    builder = builder.config("spark.local.dir", str(folder / "blocks"))
    builder = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse"))
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")  # some tasks are meant to fail
    yield session
    session.stop()
