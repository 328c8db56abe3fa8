"""Run tests on a wheel where it was not built, and record what came of it.

With a Python in whose environment the wheel, pytest and hypothesis are installed, on the system
for which the wheel is, be it a container or an emulated processor::

    python packaging/try_wheel.py HASH tests/unit/core tests/unit/measures
    python packaging/try_wheel.py --quick HASH tests/unit      # without the tests marked slow

The record is a row of tests/reliability/records/architectures.json, in place of an earlier one of
the same system, version of Python and tests. Other rows stay, each with its commit and date.
"""

import argparse
import datetime
import importlib.metadata
import json
import platform
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import numpy as np

import rankmark
from rankmark import _core

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests/reliability/records/architectures.json"
SAME_BYTES = "tests/unit/core/test_same_on_every_machine.py"
HOW = ("passed", "skipped", "failed")
ABOUT = {
    "campaign": "architectures",
    "promise": "Ranks, labels, counts, and scores made of sums, products and quotients are the "
    "same to the last bit on every processor and operating system; scores with logarithms or "
    "powers may differ by two units in the last place.",
    "method": "A wheel is installed on a system other than the one that built it, or on an "
    "emulated processor, and the tests of the project run on it. "
    "`test_same_on_every_machine.py` reads with each scanner that the processor has, and compares "
    "rankings and scores with digests written on x86-64.",
    "command": "python packaging/try_wheel.py HASH TESTS",
    "columns": [
        *("system", "Python", "NumPy", "scanners", "wheel", "tests"),
        *HOW,
        *("bits that differ", "commit", "date"),
    ],
}


def main() -> None:
    """Test, and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", help="what the wheel was built from")
    parser.add_argument("tests", nargs="*", default=[SAME_BYTES])
    parser.add_argument("--quick", action="store_true", help="leave out the tests marked slow")
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
        ended, same = run(copy, asked.tests, quick=asked.quick)
    tests = " ".join(asked.tests) + ", those not marked slow" * asked.quick
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    row: list[object] = [asked.system, platform.python_version(), np.__version__]
    row += [", ".join(_core.scanners()), tag(), tests, *(ended[how] for how in HOW)]
    row += ["none" if same else "some", asked.commit, today]
    print(row)
    record(row)


def tag() -> str:
    """Return what the installed wheel says that it is for."""
    lines = (importlib.metadata.distribution("rankmark").read_text("WHEEL") or "").splitlines()
    return next(line for line in lines if line.startswith("Tag: ")).removeprefix("Tag: ")


def system() -> str:
    """Name this system: its processor and its C library."""
    library = " ".join(platform.libc_ver()) or platform.system()
    return f"{platform.machine()}, {library}"


def run(copy: Path, tests: list[str], *, quick: bool) -> tuple[Counter[str], bool]:
    """Run tests; return how many ended how, and whether all bytes were those of x86-64."""
    report = copy / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-m", "not slow"] * quick + [f"--junitxml={report}"]
    # pytest runs a file once, even if a folder that is named contains it.
    subprocess.run([*command, *tests, SAME_BYTES], cwd=copy, check=False)
    ended: Counter[str] = Counter()
    same = []
    for case in ET.parse(report).iter("testcase"):  # noqa: S314  (which pytest wrote)
        tags = {child.tag for child in case}
        how = (
            "failed"
            if tags & {"failure", "error"}
            else "skipped"
            if "skipped" in tags
            else "passed"
        )
        ended[how] += 1
        if case.get("classname", "").endswith(Path(SAME_BYTES).stem):
            same.append(how == "passed")
    return ended, bool(same) and all(same)


def record(row: list[object]) -> None:
    """Write a row to the record, in place of an earlier one."""
    before = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {"rows": [], "found": []}
    told_apart_by = [ABOUT["columns"].index(name) for name in ("system", "Python", "tests")]
    others = [one for one in before["rows"] if any(one[at] != row[at] for at in told_apart_by)]
    about = ABOUT | {
        "machine": "as the rows say; aarch64 is emulated by QEMU on x86-64",
        "rows": sorted([*others, row]),
        "found": before["found"],  # written by hand
        "not covered": [
            "macOS and Windows, which only the machines of .github/workflows/wheels.yml have",
            "Linux with musl, on which no wheel was run",
            "the tests marked slow, on emulated processors",
        ],
    }
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    RECORD.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
