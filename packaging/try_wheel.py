"""Run tests on a wheel where it was not built, and record what came of it.

With the Python for which the wheel is, on the system for which it is, be it a container or an
emulated processor::

    python packaging/try_wheel.py dist/rankmark-*-musllinux_1_2_x86_64.whl tests/unit/core

Needs the package index, for NumPy, pytest and hypothesis. The record is a row of
tests/reliability/records/architectures.json, in place of one of the same system and version of
Python.
"""

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests/reliability/records/architectures.json"
SAME_BYTES = "tests/unit/core/test_same_on_every_machine.py"
ABOUT = {
    "campaign": "architectures",
    "promise": "A file, a dict or a table gives the same ranks, labels and counts on every "
    "processor and operating system, to the last bit, and scores that are the same but for the "
    "last digits of logarithms and powers.",
    "method": "Wheels are installed where they were not built, in emulated processors too, and run "
    "the tests of the project. One of these compares, by each way of scanning text that the "
    "processor has, digests of rankings and scores with those of x86-64, and numbers with those "
    "that Python reads.",
    "command": "python packaging/try_wheel.py WHEEL TESTS",
    "columns": [
        *("system", "Python", "NumPy", "scanners", "wheel", "tests", "passed", "skipped"),
        *("failed", "bits that differ"),
    ],
}


def main() -> None:
    """Install, test, record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    parser.add_argument("tests", nargs="*", default=[SAME_BYTES])
    parser.add_argument("--system", default=system(), help="what to call this system")
    parser.add_argument("--commit", default="", help="what the wheel was built from")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder, "venv", "bin", "python")
        venv.create(python.parents[1], with_pip=True)
        install = (python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:")
        run(*install, asked.wheel.resolve(), "pytest", "hypothesis")
        copy = Path(folder, "checkout")
        ignored = shutil.ignore_patterns("__pycache__", "_core.*.so", "src")
        shutil.copytree(ROOT / "tests", copy / "tests", ignore=ignored)
        shutil.copy2(ROOT / "pyproject.toml", copy)
        shutil.copytree(ROOT / "docs", copy / "docs")
        code = "import numpy, rankmark._core as c; print(numpy.__version__, *c.scanners())"
        numpy, *scanners = run(python, "-c", code, cwd=copy).split()
        same = count(python, copy, [SAME_BYTES])
        found = count(python, copy, asked.tests)
    row = [asked.system, platform.python_version(), numpy, ", ".join(scanners), asked.wheel.name]
    row += [" ".join(asked.tests), found["passed"], found["skipped"], found["failed"]]
    row.append("some" if same["failed"] or not same["passed"] else "none")
    print(row)
    record(row, asked.commit)


def system() -> str:
    """Name this system: its processor and its C library."""
    library = " ".join(platform.libc_ver()) or platform.system()
    return f"{platform.machine()}, {library}"


def run(*command: object, cwd: Path = ROOT) -> str:
    """Run a command without what this one imports, and return what it printed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def count(python: Path, copy: Path, tests: list[str]) -> dict[str, int]:
    """Run tests, and count how they ended; what failed is printed."""
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", *tests],
        cwd=copy,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    print(done.stdout[-6000:])
    ended = {"passed": 0, "skipped": 0, "failed": 0}
    for number, how in re.findall(r"(\d+) (passed|skipped|failed|error)", done.stdout[-300:]):
        ended["failed" if how == "error" else how] += int(number)
    return ended


def record(row: list[object], commit: str) -> None:
    """Write a row to the record, in place of an earlier one."""
    rows = json.loads(RECORD.read_text("utf-8"))["rows"] if RECORD.exists() else []
    rows = sorted([*(one for one in rows if one[:2] != row[:2]), row])
    about = ABOUT | {
        "commit": commit or run("git", "rev-parse", "--short", "HEAD").strip(),
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "machine": "as the rows say; aarch64 is emulated by QEMU on x86-64",
        "rows": rows,
        "found": [],
        "not covered": [
            "macOS and Windows, which only the machines of .github/workflows/wheels.yml have",
        ],
    }
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    RECORD.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
