"""A build for a system of 32 bits is refused in words."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CMAKE = shutil.which("cmake", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux" or platform.machine() != "x86_64" or shutil.which("g++") is None,
        reason="needs a compiler for 32 bits, which GCC on x86-64 is",
    ),
    pytest.mark.skipif(CMAKE is None, reason="needs CMake"),
    pytest.mark.skipif(not (ROOT / "core").exists(), reason="needs the source of the core"),
]


def test_32_bits_are_refused_in_words(tmp_path: Path) -> None:
    # Nothing is linked, as there may be no libraries of 32 bits.
    options = ["-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY"]
    done = subprocess.run(
        [CMAKE, "-S", ROOT, "-B", tmp_path, *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "CXXFLAGS": "-m32"},
    )
    assert done.returncode != 0
    assert "rankmark needs a 64-bit system" in done.stderr
