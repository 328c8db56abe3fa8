"""The changes of a Python module that ``mutants.py`` tries, and how one of them is imported."""

from __future__ import annotations

import ast
import hashlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any, TypeGuard

ROOT = Path(__file__).resolve().parents[2]

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
    """A change of one node of a module, with the first line of its statement before and after.

    ``number`` counts the nodes inside the functions of the module; ``lines`` are the line of the
    node and the one on which its statement begins.
    """

    path: str
    number: int
    lines: tuple[int, int]
    before: str
    after: str

    @property
    def change(self) -> str:
        """Say what is changed, as the keys of ``without_effect.toml`` do."""
        return f"{self.before}  ->  {self.after}"

    def __str__(self) -> str:
        return f"{self.path}:{self.lines[0]}: {self.change}"

    def code(self) -> CodeType:
        """Compile the module as changed."""
        tree = ast.parse((ROOT / self.path).read_text("utf-8"))
        node, _ = list(places_in_functions(tree))[self.number]
        apply_change(node)
        return compile(ast.fix_missing_locations(tree), str(ROOT / self.path), "exec")


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Give every mutant of a file."""
    tree = ast.parse(path.read_text("utf-8"))
    for number, (node, statement) in enumerate(list(places_in_functions(tree))):
        if change_of(node):
            before = first_line(statement)
            name, original = apply_change(node)
            after = first_line(statement)
            setattr(node, name, original)
            lines = getattr(node, "lineno", statement.lineno), statement.lineno
            yield Mutant(str(path.relative_to(ROOT)), number, lines, before, after)


def digest_of_functions(path: Path) -> str:
    """Give a digest of the functions of a module, without comments and docstrings."""
    functions = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if is_function(n)]
    for function in functions:
        if ast.get_docstring(function) is not None:
            function.body[0] = ast.Pass()
    texts = [ast.dump(function) for function in functions]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def is_function(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    """Say whether changes are tried in a node."""
    return isinstance(node, ast.FunctionDef)


def apply_change(node: ast.AST) -> tuple[str, Any]:
    """Change a node, and give the field that was changed and what it was."""
    change = change_of(node)
    assert change, "every mutant has a change"
    name, value = change
    original = getattr(node, name)
    setattr(node, name, value)
    return name, original


def first_line(statement: ast.stmt) -> str:
    """Write the first line of a statement."""
    return ast.unparse(statement).splitlines()[0]


def places_in_functions(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.stmt]]:
    """Give the nodes of functions' bodies, each with the statement that it belongs to."""
    for function in ast.walk(tree):
        if is_function(function):
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
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) if (
            not is_opposite_of_change(test)
        ):
            return "test", ast.copy_location(ast.UnaryOp(ast.Not(), test), test)
    return None


def is_opposite_of_change(test: ast.expr) -> bool:
    """Say whether the change of a condition's operator already is its negation."""
    exact = ast.Eq | ast.NotEq | ast.Is | ast.IsNot | ast.In | ast.NotIn
    return isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], exact)


def import_changed(mutant: Mutant) -> None:
    """Have Python import the module as changed."""
    path = Path(mutant.path).relative_to("src").with_suffix("")
    is_package = path.name == "__init__"
    module = ".".join((path.parent if is_package else path).parts)
    file = str(ROOT / mutant.path)
    code = mutant.code()

    class Loader(importlib.machinery.SourceFileLoader):
        def get_code(self, _: str) -> CodeType:
            return code

    class Finder(importlib.machinery.PathFinder):
        @classmethod
        def find_spec(cls, name: str, *_: object) -> Any:
            if name != module:
                return None
            folders = [str(Path(file).parent)] if is_package else None
            return importlib.util.spec_from_file_location(
                name, file, loader=Loader(name, file), submodule_search_locations=folders
            )

    sys.meta_path.insert(0, Finder)
