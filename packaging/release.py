"""Try a release, without publishing anything: `make release`.

Says what was checked, line by line, and stops at the first thing that is wrong. What the package
index takes is left in dist/: the source distribution, wheels for Linux on x86-64 and ARM64, their
hashes, and the notes of the version. RANKMARK_REPOSITORY is the address of the repository, to which
links in the README then lead. `--tests` runs the whole test suite on the installed wheel, too, and
`--tests tests/unit` a part of it.
"""

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "dist"
MOST_BYTES = 2_500_000
MOST_BYTES_OF_SOURCE = 2_000_000
LINUX = ("manylinux-x86_64", "manylinux-aarch64")
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cl")
IN_WHEEL = ("rankmark/py.typed", "rankmark/_core.pyi", "rankmark/example/qrels.txt")
LICENCES = ("LICENSE", "LICENSES/nanobind.txt", "LICENSES/robin-map.txt")
IN_SOURCE = {
    *("pyproject.toml", "CMakeLists.txt", "README.md", "core/ranking.hpp", "seam/bindings.cpp"),
    *("packaging/project_page.py", *LICENCES),
}


class WrongError(Exception):
    """Something that has to be mended before a release."""


def main() -> None:
    """Check everything up to publishing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tests", nargs="*", metavar="PATH", help="run tests on the wheel, by default all"
    )
    asked = parser.parse_args()
    version = read_version()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    try:
        say(check_version(version))
        say(check_tag(version))
        sdist = Path(shutil.copy2(build_twice("--sdist", ROOT), OUT))
        say(check_sdist(sdist))
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(sdist) as archive:
                archive.extractall(folder, filter="data")
            wheel = build_twice("--wheel", next(Path(folder).iterdir()))
            say(check_wheel(wheel))
        if sys.platform == "linux":
            run(sys.executable, ROOT / "packaging/cross_wheels.py", *LINUX)
            for wheel in sorted(OUT.glob("*.whl")):
                say(check_wheel(wheel))
            wheel = next(OUT.glob(f"*_{platform.machine()}.whl"))
        run(sys.executable, "-m", "twine", "check", "--strict", *OUT.iterdir())
        say("metadata: as the package index wants it (twine)")
        with tempfile.TemporaryDirectory() as folder:
            say(try_without_compiler(wheel, Path(folder)))
            if asked.tests is not None:
                say(run_tests(wheel, Path(folder), asked.tests))
        say(write_hashes_and_notes(version))
    except WrongError as error:
        sys.exit(f"not ready: {error}")
    for line in left_to_do():
        print(f"to do before the tag: {line}")
    print(f"\nready: tag v{version}; .github/workflows/wheels.yml does the rest")


def say(line: str) -> None:
    """Print what was checked."""
    print(f"ok  {line}", flush=True)


def run(*command: object, cwd: Path | None = None, **variables: str) -> str:
    """Run a command, and return what it printed."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd or ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise WrongError(f"{' '.join(map(str, command[:5]))} ...\n{last}")
    return done.stdout


def read_version() -> str:
    """Return the version that the package states."""
    (version,) = re.findall('"(.*)"', (ROOT / "src/rankmark/version.py").read_text("utf-8"))[-1:]
    return version


def check_version(version: str) -> str:
    """Compare the version with those in files that repeat it."""
    places = {
        "CHANGELOG.md": rf"^## \[{re.escape(version)}\]|^This will be {re.escape(version)},",
        "CITATION.cff": rf"^version: {re.escape(version)}$",
        "packaging/conda/recipe.yaml": rf'^  version: "{re.escape(version)}"$',
    }
    for name, pattern in places.items():
        if not re.search(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE):
            raise WrongError(f"{name} does not name version {version}")
    return f"version {version}, also in {', '.join(places)}"


def left_to_do() -> list[str]:
    """Return what a person still has to write before this is published."""
    todo = []
    if "RANKMARK_REPOSITORY" not in os.environ:
        todo.append("set RANKMARK_REPOSITORY, or links in the README lead nowhere on the index")
    if "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text("utf-8"):
        todo.append("CHANGELOG.md says Unreleased; write the version and the date")
    todo += [
        f"{name} says that there is no release"
        for name in ("README.md", "docs/start/quickstart.md")
        if re.search("no release yet", (ROOT / name).read_text("utf-8"))
    ]
    return todo


def write_hashes_and_notes(version: str) -> str:
    """Write the hash of each distribution, and the changes of the version, beside them."""
    made = sorted(OUT.iterdir())
    lines = [f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n" for one in made]
    (OUT / "SHA256SUMS").write_text("".join(lines), "utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    section = re.search(
        rf"^## \[(?:{re.escape(version)}|Unreleased)\].*?\n(.*?)(?=^## |\Z)",
        changes,
        re.MULTILINE | re.DOTALL,
    )
    if section is None:
        raise WrongError(f"CHANGELOG.md has no section for {version}")
    (OUT / "NOTES.md").write_text(section[1].strip() + "\n", "utf-8")
    return f"SHA256SUMS of {len(made)} distributions, and NOTES.md, from CHANGELOG.md"


def check_tag(version: str) -> str:
    """Refuse a tag of another commit, and files that are not committed."""
    tag = f"v{version}"
    # wheels.yml runs where the tag was pushed, and so has it.
    is_here = tag in run("git", "tag", "--points-at", "HEAD").split()
    if not is_here and tag in run("git", "tag").split():
        raise WrongError(f"tag {tag} exists, at another commit; choose another version")
    changed = run("git", "status", "--porcelain")
    if changed:
        raise WrongError(f"not committed:\n{changed}")
    return f"tag {tag} is {'of this commit' if is_here else 'free'}, and everything is committed"


def build_twice(kind: str, source: Path) -> Path:
    """Build a distribution twice, and refuse any difference; return the first, in build/."""
    kept = ROOT / "build" / "release"
    kept.mkdir(parents=True, exist_ok=True)
    seconds = run("git", "log", "-1", "--format=%ct").strip()
    built = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("first", "second"):
            # Another folder each time, so that no path gets into the result unnoticed.
            copy = Path(folder, name)
            shutil.copytree(
                source, copy, symlinks=True, ignore=shutil.ignore_patterns(".venv", "build", "dist")
            )
            target = Path(folder, f"{name}-out")
            command = [sys.executable, "-m", "build", kind, "--outdir", target, copy]
            run(*command, SOURCE_DATE_EPOCH=seconds)
            built += [*target.iterdir()]
        hashes = [hashlib.sha256(one.read_bytes()).hexdigest() for one in built]
        if hashes[0] != hashes[1]:
            raise WrongError(f"two builds of {built[0].name} differ")
        say(f"{built[0].name}: two builds in two folders are the same, sha256 {hashes[0]}")
        return Path(shutil.copy2(built[0], kept))


def check_sdist(sdist: Path) -> str:
    """Refuse a source distribution that lacks what the build needs."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    if missing := IN_SOURCE - names:
        raise WrongError(f"{sdist.name} lacks {', '.join(sorted(missing))}")
    size = sdist.stat().st_size
    if size > MOST_BYTES_OF_SOURCE:
        raise WrongError(f"{sdist.name} has {size:,} bytes, more than {MOST_BYTES_OF_SOURCE:,}")
    return f"{sdist.name}: {len(names):,} files, {size:,} bytes"


def check_wheel(wheel: Path) -> str:
    """Refuse a wheel that is too large, or holds too little or too much."""
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        raise WrongError(f"{wheel.name} has {size:,} bytes, more than {MOST_BYTES:,}")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    licences = [f"licenses/{name}" for name in LICENCES]
    wanted = (*IN_WHEEL, *licences)
    if missing := [name for name in wanted if not any(one.endswith(name) for one in names)]:
        raise WrongError(f"{wheel.name} lacks {', '.join(missing)}")
    ours = ("rankmark/", "rankmark-")
    strange = [name for name in names if not name.startswith(ours) or name.endswith((".pyc", "pp"))]
    if strange:
        raise WrongError(f"{wheel.name} holds {', '.join(strange[:5])}")
    if not any("_core" in name and name.endswith((".so", ".pyd")) for name in names):
        raise WrongError(f"{wheel.name} has no compiled core")
    return f"{wheel.name}: {len(names):,} files, {size:,} bytes"


def try_without_compiler(wheel: Path, folder: Path) -> str:
    """Install the wheel where no compiler is found, and use it."""
    venv.create(folder / "venv", with_pip=True)
    bin_folder = programs(folder)
    found = [name for name in COMPILERS if shutil.which(name, path=str(bin_folder))]
    if found:
        raise WrongError(f"{found[0]} is in a fresh environment")
    path = {"PATH": str(bin_folder)}
    python = bin_folder / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, cwd=folder, **path)
    code = (
        "import rankmark as rm; print(rm.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, 'AP')['AP'])"
    )
    alone = run(python, "-c", code, cwd=folder, **path).strip()
    if alone != "1.0":
        raise WrongError(f"AP of a perfect run is {alone}")
    run(python, "-m", "pip", "install", "--quiet", f"{wheel}[cli]", cwd=folder, **path)
    rankmark = bin_folder / "rankmark"
    shown = run(rankmark, "demo", cwd=folder, **path)
    example = run(
        python, "-c", "import rankmark; print(*rankmark.__path__)", cwd=folder, **path
    ).strip()
    files = [f"{example}/example/{name}" for name in ("qrels.txt", "bm25.run", "bm25.run")]
    run(rankmark, "gate", *files, "--max-drop", "0.2", cwd=folder, **path)
    first = next(line for line in shown.splitlines() if "nDCG@10" in line)
    return f"without a compiler: evaluate with NumPy alone; demo ({first.split()[1]}, ...) and gate"


def programs(folder: Path) -> Path:
    """Return where the virtual environment in a folder has its programs."""
    return folder / "venv" / ("Scripts" if os.name == "nt" else "bin")


def run_tests(wheel: Path, folder: Path, tests: list[str]) -> str:
    """Run tests on the installed wheel; refuse to run them on what lies in src/."""
    python = programs(folder) / "python"
    run(python, "-m", "pip", "install", "--quiet", "pip>=25.1")  # the first with --group
    run(python, "-m", "pip", "install", "--quiet", "--group", "test")
    copy = folder / "checkout"
    ignored = shutil.ignore_patterns(".venv", "build", "dist", ".git", "_core.*.so")
    shutil.copytree(ROOT, copy, symlinks=True, ignore=ignored)
    alone = {"PYTHONPATH": ""}
    where = run(python, "-c", "import rankmark; print(*rankmark.__path__)", cwd=copy, **alone)
    if not Path(where.strip()).is_relative_to(folder / "venv"):
        raise WrongError(f"tests would run on {where.strip()}, and not on the wheel")
    out = run(
        *(python, "-m", "pytest", "--quiet", "--numprocesses", "auto", *tests), cwd=copy, **alone
    )
    return f"tests on {wheel.name}: {out.splitlines()[-1]}"


if __name__ == "__main__":
    main()
