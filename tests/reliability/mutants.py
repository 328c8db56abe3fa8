"""Change the formulas one operator at a time, and count the changes that the tests notice.

A mutant is a module of measures/ or alignment/ with one change inside a function: ``<`` becomes
``<=``, ``+`` becomes ``-``, 1 becomes 2, a condition is negated. A first run of the tests records
which of them execute each line; a mutant is then tried on those tests, the fastest first, until one
fails. What no test notices is listed: it is a missing test, or a change without effect, which
``without_effect.toml`` explains.

    make mutants TRIED=500
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import importlib.machinery
import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType
from typing import Any, cast

import pytest

from reliability.campaign_records import write_record

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("measures", "alignment")
TESTS = (
    "tests/golden",
    "tests/property",
    *(
        f"tests/conformance/test_{name}.py"
        for name in (
            *("reference", "diversity_reference", "tie_orders", "three_rules_of_ties", "policies"),
            *("holes", "judgment_groups", "one_class_only", "p_mrr", "query_weights"),
        )
    ),
    *(f"tests/unit/{name}" for name in ("measures", "alignment", "scoring", "explaining")),
)
WITHOUT_EFFECT = Path(__file__).with_name("without_effect.toml")
LIBRARIES = ("numpy", "scipy.special", "scipy.stats")
"""What most tests import, imported once for all processes; they start no threads."""
SECONDS = 90
"""After which a mutant that does not end counts as noticed."""

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS = {
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.USub: ast.UAdd,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """A change of one module: the module as changed, and the line before and after."""

    path: str
    line: int
    before: str
    after: str
    tree: ast.Module

    @property
    def module(self) -> str:
        return self.path.removeprefix("src/").removesuffix(".py").replace("/", ".")

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before}  ->  {self.after}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Give every mutant of a file."""
    tree = ast.parse(path.read_text("utf-8"))
    places = list(places_in_functions(tree))
    for number, (original, statement) in enumerate(places):
        if change_of(original):
            changed = copy.deepcopy(tree)
            node, altered = list(places_in_functions(changed))[number]
            name, value = cast("tuple[str, Any]", change_of(node))
            setattr(node, name, value)
            line = getattr(original, "lineno", statement.lineno)
            before, after = (ast.unparse(s).splitlines()[0] for s in (statement, altered))
            yield Mutant(str(path.relative_to(ROOT)), line, before, after, changed)


def places_in_functions(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """Give the nodes of functions' bodies, each with the statement that it belongs to."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                yield from nodes_of(statement)


def nodes_of(statement: ast.stmt) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """Give the nodes of a statement, but not those of messages and inner functions."""
    if isinstance(statement, ast.FunctionDef | ast.Raise | ast.Import | ast.ImportFrom):
        return
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.stmt) and node is not statement:
            yield from nodes_of(node)
        elif not isinstance(node, ast.JoinedStr | ast.Dict):
            yield node, statement
            annotation = getattr(node, "annotation", None)
            waiting += [child for child in ast.iter_child_nodes(node) if child is not annotation]


def change_of(node: ast.AST) -> tuple[str, Any] | None:
    """Give the field of a node that can be changed, and what it becomes."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            return "ops", [COMPARISONS[type(operator)]()]
        case ast.BinOp() | ast.AugAssign() | ast.BoolOp() | ast.UnaryOp() if (
            type(node.op) in OPERATORS
        ):
            return "op", OPERATORS[type(node.op)]()
        case ast.Constant(value=bool() as constant):
            return "value", not constant
        case ast.Constant(value=int() | float() as constant):
            return "value", constant + 1
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return "test", ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
    return None


def import_changed(mutant: Mutant) -> None:
    """Have Python import the module as changed."""

    class Loader(importlib.machinery.SourceFileLoader):
        def get_code(self, _: str) -> CodeType:
            return compile(ast.fix_missing_locations(mutant.tree), self.path, "exec")

    class Finder(importlib.machinery.PathFinder):
        @classmethod
        def find_spec(cls, name: str, *_: object) -> Any:
            if name != mutant.module:
                return None
            file = str(ROOT / mutant.path)
            return importlib.util.spec_from_file_location(name, file, loader=Loader(name, file))

    sys.meta_path.insert(0, Finder)


@dataclass
class Known:
    """Which tests execute each line, and how long each of them takes."""

    tests_of_line: dict[tuple[str, int], list[str]]
    seconds: dict[str, float]


def learn(out: Path) -> Known:
    """Run the tests once, and record what each of them executes."""
    if not out.exists():
        subprocess.run([sys.executable, __file__, "--learn", out], check=True, cwd=ROOT)
    told = json.loads(out.read_text())
    lines = {(path, int(line)): tests for path, line, tests in told["lines"]}
    return Known(lines, told["seconds"])


def run_and_record(out: Path) -> None:
    """Run the tests under coverage, with each test as a context, and write what was recorded."""
    import coverage

    measured = coverage.Coverage(
        source=[str(ROOT / "src/rankmark" / name) for name in PACKAGES],
        data_file=None,
        config_file=False,
    )
    seconds: dict[str, float] = defaultdict(float)
    failing: set[str] = set()

    class Recorder:
        def pytest_runtest_logstart(self, nodeid: str) -> None:
            measured.switch_context(nodeid)

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            seconds[report.nodeid] += report.duration
            if report.failed:
                failing.add(report.nodeid)

    measured.start()
    code = pytest.main(["-q", "-p", "no:cacheprovider", *TESTS], [Recorder()])
    measured.stop()
    if failing or code:
        sys.exit(f"tests fail without any change: {failing or code}")
    data = measured.get_data()
    lines = []
    for file in data.measured_files():
        for line, tests in data.contexts_by_lineno(file).items():
            lines.append([os.path.relpath(file, ROOT), line, sorted(set(tests) & set(seconds))])
    out.write_text(json.dumps({"lines": lines, "seconds": seconds}))


def is_noticed(mutant: Mutant, known: Known) -> bool:
    """Try a mutant in a process of its own: does a test fail?"""
    tests = known.tests_of_line.get((mutant.path, mutant.line), [])
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        sys.stdout.flush()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        code = 1
        with contextlib.suppress(BaseException):
            import_changed(mutant)
            code = pytest.main(arguments_of(tests), [Chosen(tests, known.seconds)])
        os._exit(int(code))
    _, status = os.waitpid(child, 0)
    return status != 0


def arguments_of(tests: Sequence[str]) -> list[str]:
    """Give pytest the files that hold the tests."""
    return ["-x", "-q", "-p", "no:cacheprovider", *sorted({test.split("::")[0] for test in tests})]


class Chosen:
    """Runs the tests that execute a line, the fastest first."""

    def __init__(self, tests: Sequence[str], seconds: dict[str, float]) -> None:
        self.tests, self.seconds = set(tests), seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.nodeid in self.tests]
        items[:] = sorted(chosen, key=lambda item: self.seconds[item.nodeid])


def try_mutants(tried: int, seed: int, only: str, known: Known) -> None:
    """Try a sample of the mutants, print those that no test notices, and write the record."""
    files = [p for name in PACKAGES for p in (ROOT / "src/rankmark" / name).rglob("*.py")]
    every = [m for path in sorted(files) if only in str(path) for m in mutants_of(path)]
    sample = random.Random(seed).sample(every, min(tried, len(every)))
    explained = tomllib.loads(WITHOUT_EFFECT.read_text("utf-8"))
    possible = Counter(package_of(mutant) for mutant in every)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name in LIBRARIES:
        importlib.import_module(name)
    if is_noticed(unchanged(sample[0]), known):
        sys.exit("tests fail without any change")
    for number, mutant in enumerate(sample, 1):
        noticed = is_noticed(mutant, known)
        why = explained.get(mutant.path, {}).get(f"{mutant.before}  ->  {mutant.after}")
        outcome = "noticed" if noticed else "without effect" if why else "survives"
        counts[package_of(mutant)][outcome] += 1
        if outcome == "survives":
            print(f"{number}/{len(sample)} survives: {mutant}", flush=True)
    outcomes = ("noticed", "without effect", "survives")
    rows = [
        [name, possible[name], sum(counts[name].values()), *(counts[name][o] for o in outcomes)]
        for name in sorted(counts)
    ]
    for row in rows:
        print(*row)
    if not only:
        write_record(
            "mutants_of_formulas",
            promise="A wrong operator, number or condition in a formula makes a test fail.",
            method="One change at a time in a function of measures/ or alignment/: comparisons, "
            "arithmetic, numbers, conditions. The tests that execute the line are run; a random "
            "sample of all possible changes is tried. A change without effect is one that no "
            "input can show; each is explained in tests/reliability/without_effect.toml.",
            command=f"make mutants TRIED={tried}",
            columns=["package", "possible", "tried", *outcomes],
            rows=rows,
        )


def unchanged(mutant: Mutant) -> Mutant:
    """Give the module without the change."""
    return replace(mutant, tree=ast.parse((ROOT / mutant.path).read_text("utf-8")))


def package_of(mutant: Mutant) -> str:
    """Give the package that a mutant belongs to, as measures/ or measures/base/."""
    return f"{Path(mutant.path).relative_to('src/rankmark').parent}/"


def main() -> None:
    """Try mutants, print those that no test notices, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tried", type=int, default=500, help="how many mutants to try")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--only", default="", help="only files whose path contains this")
    parser.add_argument("--learn", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--known", type=Path, help="keep what the first run recorded here")
    asked = parser.parse_args()
    if asked.learn:
        run_and_record(asked.learn)
        return
    with tempfile.TemporaryDirectory() as folder:
        known = learn(asked.known or Path(folder) / "known.json")
    try_mutants(asked.tried, asked.seed, asked.only, known)


if __name__ == "__main__":
    main()
