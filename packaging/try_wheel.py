"""Run tests on a wheel where it was not built, and record what came of it.

With a Python in whose environment the wheel, pytest and hypothesis are installed, on the system
for which the wheel is, be it a container or an emulated processor::

    python packaging/try_wheel.py HASH tests/unit/core tests/unit/measures

The record is a row of tests/reliability/records/architectures.json, in place of an earlier one of
the same system and version of Python.
"""

import argparse
import datetime
import importlib.metadata
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import rankmark
from rankmark import _core

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
    "command": "python packaging/try_wheel.py HASH TESTS",
    "columns": [
        *("system", "Python", "NumPy", "scanners", "wheel", "tests"),
        *("passed", "skipped", "failed", "bits that differ"),
    ],
}


def main() -> None:
    """Test, and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", help="what the wheel was built from")
    parser.add_argument("tests", nargs="*", default=[SAME_BYTES])
    parser.add_argument("--system", default=system(), help="what to call this system")
    asked = parser.parse_args()
    if Path(rankmark.__file__).is_relative_to(ROOT / "src"):
        parser.error("this is the checkout, not a wheel; install one, and unset PYTHONPATH")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)  # without src/, which tests would import
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "tests", copy / "tests", ignore=ignored)
        shutil.copytree(ROOT / "docs", copy / "docs")
        shutil.copy2(ROOT / "pyproject.toml", copy)
        same = count(copy, [SAME_BYTES])
        found = count(copy, asked.tests)
    row: list[object] = [asked.system, platform.python_version(), np.__version__]
    row += [", ".join(_core.scanners()), tag(), " ".join(asked.tests), *found.values()]
    row.append("some" if same["failed"] or not same["passed"] else "none")
    print(row)
    record(row, asked.commit)


def tag() -> str:
    """Return what the installed wheel says that it is for."""
    lines = (importlib.metadata.distribution("rankmark").read_text("WHEEL") or "").splitlines()
    return next(line for line in lines if line.startswith("Tag: ")).removeprefix("Tag: ")


def system() -> str:
    """Name this system: its processor and its C library."""
    library = " ".join(platform.libc_ver()) or platform.system()
    return f"{platform.machine()}, {library}"


def count(copy: Path, tests: list[str]) -> dict[str, int]:
    """Run tests, and count how they ended; what failed is printed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=copy,
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
        "commit": commit,
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
