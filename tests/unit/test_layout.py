"""The rules of the house that a machine can keep: layers of the core, names, docstrings."""

import ast
import inspect
import re
import runpy
from collections import Counter
from collections.abc import Iterable
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

import rankmark as rm
from rankmark import measures
from rankmark.commands.app import COMMANDS
from rankmark.measures import ALL

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("src", "core", "seam", "tests", "benchmarks", "examples")
CODE = {".py", ".pyi", ".cpp", ".hpp", ".toml", ".html", ".css", ".js"}


def written(*folders: str, suffixes: set[str] | None = None) -> list[Path]:
    """List the files that people wrote: not caches, environments or generated data."""
    return [
        path
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file()
        and path.suffix in (suffixes or CODE)
        and not any(
            part.startswith(".") or part in {"__pycache__", "data"}
            for part in path.relative_to(ROOT).parts
        )
    ]


def places(paths: list[Path], pattern: str) -> list[str]:
    """List the lines that hold a pattern, as ``file:line``."""
    found = re.compile(pattern)
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if found.search(line)
    ]


def test_the_folders_are_there_to_be_looked_at() -> None:
    assert len(written("src")) > 20
    assert len(written("core")) > 10
    assert len(written("tests")) > 20


def test_only_the_seam_knows_python() -> None:
    python = r"#\s*include\s*[<\"](nanobind|Python|pybind)|\bPy[A-Z]\w+\(|\bnb::"
    assert places(written("core"), python) == []
    assert places(written("seam"), python)


def modules() -> dict[str, Path]:
    """Give the path of each module of the package, by its name."""
    source = ROOT / "src"
    names = {path.relative_to(source).with_suffix(""): path for path in source.rglob("*.py")}
    return {".".join(n.parts).removesuffix(".__init__"): path for n, path in names.items()}


IMPORT = re.compile(
    r"^[ \t]*(?:from ([\w.]+) import (\([^)]*\)|[^\n(#]+)|import ([\w.]+))", re.MULTILINE
)
FIRST_DOCSTRING = re.compile(r'(?:#.*\n|\s)*r?"""\s*[^\s"]')


def imports(path: Path, known: Iterable[str]) -> set[str]:
    """List the modules that a file imports: at its top, in functions, for types.

    Lines are matched, as parsing all files takes seconds.
    """
    named = set()
    for module, names, whole in IMPORT.findall(path.read_text(encoding="utf-8")):
        words = re.sub(r"#.*|[()]", "", names).split(",")
        named |= {f"{module}.{word.split()[0]}" for word in words if word.strip()} | {whole}
    return {name if name in known else name.rpartition(".")[0] for name in named} & {*known}


def test_imports_are_found_wherever_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import a.b\nfrom a import c, d as e\nfrom a import (\n    f,  # why\n    g as h,\n)\n"
        'def z():\n    from a.b import x  # why\n    import i\n"""\n>>> from a import j\n"""\n'
    )
    known = {"a", "a.b", "a.c", "a.d", "a.f", "a.g", "a.j", "i"}
    assert imports(path, known) == known - {"a", "a.j"}


@pytest.mark.slow
def test_no_files_import_one_another() -> None:
    known = modules()
    # Of rankmark itself, files import the compiled core.
    arrows = {name: imports(path, known) - {"rankmark"} for name, path in known.items()}
    assert sum(map(len, arrows.values())) > 1000
    TopologicalSorter(arrows).prepare()  # raises CycleError, which names the files


def test_no_two_files_have_one_name_but_commands_records_profiles_and_faces() -> None:
    files = [path for path in modules().values() if not path.stem.startswith("__")]
    counted = Counter(path.stem for path in files)
    names = {path.stem for path in files if counted[path.stem] > 1}
    of_rooms = {path.parent.name: set() for path in files}
    for path in files:
        of_rooms[path.parent.name].add(path.stem)
    assert names <= {"recorded"} | of_rooms["compat"] | of_rooms["commands"]


def test_packages_name_files_and_functions_that_are_there() -> None:
    words = {*rm.__all__, *COMMANDS, "rankmark", "command", "recorded"}
    for room in (ROOT / "src" / "rankmark").rglob("__init__.py"):
        if room.parent.name in {"similarity", "spark", "statistics"}:
            continue  # written for users, in the words of their functions
        index = ast.get_docstring(ast.parse(room.read_text(encoding="utf-8"))) or ""
        for name in re.findall(r"``([a-z_.]+)``", index):
            there = {*room.parent.glob(f"{name}.py"), *room.parent.glob(f"{name}/*.*")}
            dotted = name.startswith("rankmark.") and find_spec(name) is not None
            assert name in words or there or dotted, (room, name)


@pytest.mark.slow
def test_the_picture_of_the_packages_is_that_of_their_imports() -> None:
    picture = runpy.run_path(str(ROOT / "docs" / "development" / "draw_packages.py"))
    assert picture["drawn"]() == picture["PICTURE"].read_text(encoding="utf-8")


def test_no_file_is_named_for_nothing_in_particular() -> None:
    vague = {"util", "utils", "common", "helper", "helpers", "manager", "managers", "misc"}
    assert [path for path in written(*FOLDERS) if vague & set(path.stem.lower().split("_"))] == []


def test_every_measure_that_is_declared_is_listed_and_public() -> None:
    declared = {type(getattr(measures, name)) for name in measures.NAMED}
    for one in ALL:
        assert getattr(rm, one.name) is one

    def leaves(kind: type) -> set[type]:
        below = kind.__subclasses__()
        return set().union(*map(leaves, below)) if below else {kind}

    shipped = {kind for kind in leaves(rm.Measure) if kind.__module__.startswith("rankmark.")}
    assert shipped <= declared | {rm.Own}  # of which users make their own


def test_public_names_are_sorted_unique_and_there() -> None:
    assert sorted(set(rm.__all__)) == rm.__all__ == dir(rm)
    assert all(hasattr(rm, name) for name in rm.__all__)


def test_a_type_checker_is_told_of_the_names_that_are_there() -> None:
    tree = ast.parse(Path(rm.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    told = {(name.asname, node.module) for node in imports for name in node.names if name.asname}
    homes = {(name, rm._MODULES.get(name, "rankmark.version")) for name in rm.__all__}
    assert {name for name, _ in told} | set(measures.__all__) >= set(rm.__all__)
    modules = {(name, "rankmark") for name in ("measures", "similarity", "testing")}
    modules |= {("spans", "rankmark.measures")}
    modules |= {("profiles", "rankmark.profiles.known")}  # a module that can be called
    assert told - modules <= homes


def test_a_type_checker_is_told_of_every_measure() -> None:
    tree = ast.parse(Path(measures.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    told = {name.asname: node.module for node in imports for name in node.names if name.asname}
    for name, module in measures.MODULES.items():
        home = f"rankmark.measures.{module}"
        assert told.get(name) == home, f"measures/__init__.py: from {home} import {name} as {name}"


def test_completion_offers_what_is_used_and_nothing_internal() -> None:
    offered = {name for name in dir(rm) if isinstance(getattr(rm, name), rm.Measure)}
    assert {"nDCG", "AP", "RR", "P", "R"} <= offered < {one.name for one in ALL}
    assert {name for name in dir(rm) if inspect.ismodule(getattr(rm, name))} == {
        "measures",
        "profiles",
        "similarity",
        "spans",
        "testing",
    }
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_this_name'"):
        rm.nothing_of_this_name  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("name", [name for name in rm.__all__ if name != "__version__"])
def test_every_public_name_says_what_it_is(name: str) -> None:
    one = getattr(rm, name)
    said = inspect.getdoc(type(one) if isinstance(one, rm.Measure) else one) or ""
    first, _, rest = said.partition("\n")
    assert first.endswith((".", "?"))
    assert rest == "" or rest.startswith("\n")
    if inspect.isclass(one):
        public = {
            n: m for n, m in vars(one).items() if not n.startswith("_") and inspect.isfunction(m)
        }
        assert [n for n, method in public.items() if not inspect.getdoc(method)] == []


@pytest.mark.slow
def test_every_file_begins_by_saying_what_it_is() -> None:
    for path in written("src", "benchmarks", "examples", "tests", suffixes={".py"}):
        text = path.read_text(encoding="utf-8")
        assert not text or FIRST_DOCSTRING.match(text), path
    for path in written("core", "seam"):
        assert path.read_text(encoding="utf-8").startswith("// "), path


@pytest.mark.slow
def test_imports_are_absolute() -> None:
    assert places(written("src", "tests"), r"^\s*from\s+\.") == []


@pytest.mark.slow
def test_input_is_not_checked_by_assert() -> None:
    marked = places(written("src"), r"^\s*assert\b.*# noqa: S101")
    assert places(written("src"), r"^\s*assert\b") == marked


@pytest.mark.slow
def test_only_data_speaks_to_the_core() -> None:
    speaking = {
        place.partition(":")[0] for place in places(written("src"), r"import _core\b|_core import")
    }
    allowed = re.compile(r"src/rankmark/data/")
    assert {path for path in speaking if not allowed.match(Path(path).as_posix())} == set()


def test_every_array_of_the_seam_is_taken_as_it_is() -> None:
    text = (ROOT / "seam" / "bindings.cpp").read_text(encoding="utf-8")
    arrays = re.findall(r'"(values|starts|out|mask|part|whole)"_a(\.noconvert\(\))?', text)
    assert len(arrays) >= 10
    assert [name for name, kept in arrays if not kept] == []


@pytest.mark.slow
def test_tests_are_sentences() -> None:
    names = [
        name
        for path in written("tests", suffixes={".py"})
        for name in re.findall(
            r"^ *(?:async )?def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    ]
    assert len(names) > 3000
    assert [name for name in names if name.count("_") < 3] == []
