"""Where the C++ library cannot read floating point numbers, the C library reads the same ones.

macOS takes this way; here both are compiled, and compared.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[3] / "core"
COMPILER = os.environ.get("CXX") or shutil.which("c++")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler"),
    pytest.mark.skipif(not CORE.exists(), reason="needs the source of the core"),
]


@pytest.fixture(scope="module")
def compare_numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the program that reads numbers in both ways."""
    folder = tmp_path_factory.mktemp("numbers")
    # GCC's library reads floating point numbers since version 11, and says so.
    by_strtod = ["-DRANKMARK_STRTOD", "-Drankmark=by_strtod"]
    parts = {
        "from_chars.o": [CORE / "numbers.cpp"],
        "strtod.o": [*by_strtod, CORE / "numbers.cpp"],
        "compare.o": [Path(__file__).with_name("compare_numbers.cpp")],
    }
    for name, options in parts.items():
        compile_one = [COMPILER, "-std=c++20", "-O1", "-c", f"-I{CORE}", *options, "-o", name]
        subprocess.run(compile_one, check=True, cwd=folder)
    subprocess.run([COMPILER, *parts, "-o", "compare"], check=True, cwd=folder)
    return folder / "compare"


def test_both_ways_read_the_same_numbers(compare_numbers: Path) -> None:
    done = subprocess.run(
        [compare_numbers, "100000", "C"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    numbers = int(done.stdout.split()[0])
    assert 60_000 < numbers < 100_000
    assert done.stdout.endswith("0 differences, half is 0.5\n")


def test_a_locale_with_decimal_commas_changes_no_number(
    compare_numbers: Path, tmp_path: Path
) -> None:
    if shutil.which("localedef") is None:
        pytest.skip("needs localedef")
    subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"],
        check=False,
        capture_output=True,
    )
    done = subprocess.run(
        [compare_numbers, "20000", "de_DE.UTF-8"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LOCPATH": str(tmp_path)},
    )
    if done.returncode == 2:
        pytest.skip("needs the definition of a locale with decimal commas")
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("0 differences, half is 0,5\n")
