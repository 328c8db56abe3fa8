"""Options that follow from the signature and the docstring of a verb.

The file of a verb is read as text, so that ``--help`` and completion do not wait for NumPy. The
help of an option is the first paragraph of the parameter in the docstring, its group the heading
there; type, range, words and default follow from the signature.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from textwrap import dedent
from typing import Any

import click

from rankmark.arguments import COSTS, KINDS
from rankmark.commands.parts.grouped_help import Command, Words, further, option, together
from rankmark.errors import RankmarkError
from rankmark.named_tuples import NamedTuple

ROLES = [
    *("query_id", "doc_id", "score", "label", "rank", "subtopic", "weight", "parent", "list"),
    *COSTS,
]
_SHORT = {"query": "query_id", "id": "doc_id"}  # of roles, for paths
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120
FILE = click.Path(allow_dash=True)
_ENTRY = r"(?m)^    (\S.*)\n((?:(?:        .*)?\n)*)"
_PLAIN = {"int": int, "float": float}
_NO_WORDS = {*KINDS, *_PLAIN, "str", "bool", "Any"}


class Parameter(NamedTuple):
    """A parameter of a verb, as its file says."""

    name: str
    is_keyword: bool
    kind: str
    default: Any
    docstring: str

    def group(self) -> str:
        """Return the heading above it in the docstring."""
        return self._told()[0]

    def about(self) -> str:
        """Return the help of the option."""
        return _as_help(self._told()[1])

    def about_each(self) -> str:
        """Return the help of an option that can be repeated."""
        sentence, default, rest = self.about().partition(" [default")
        return f"{sentence.rstrip('.')}; can be repeated.{default}{rest}"

    def _told(self) -> tuple[str, str]:
        return _explained(self.docstring).get(self.name, ("", ""))


class Verb:
    """A verb, or a method, that is not imported yet: ``folder.module:function``."""

    def __init__(self, path: str) -> None:
        self.module, _, self.name = f"rankmark.{path}".partition(":")
        self._text = _text_of(self.module)

    @property
    def function(self) -> Callable[..., Any]:
        """Import the verb."""
        return getattr(import_module(self.module), self.name)

    def parameters(self) -> dict[str, Parameter]:
        """Return the parameters."""
        return _parameters(self._text, self.name)

    def words(self, kind: str) -> list[str]:
        """Return the words of a Literal; none if an annotation is no such."""
        may_be = kind.startswith("Literal[") or (kind.isidentifier() and kind not in _NO_WORDS)
        return _words(self._text, kind) if may_be else []


@cache
def _text_of(module: str) -> str:
    with open(os.path.join(_ROOT, *module.split(".")[1:]) + ".py", encoding="utf-8") as file:  # noqa: PTH118, PTH123
        return file.read()


@cache
def _parameters(text: str, name: str) -> dict[str, Parameter]:
    """Read the parameters of a function or method in the text of its file."""
    at = text.rindex(f"def {name}(")
    end = text.index('"""', text.index('"""', at) + 3) + 3
    source = text[text.rindex("\n", 0, at) + 1 : end]
    source = dedent(source) if source[0] == " " else source
    (verb,), lines = ast.parse(source).body, source.split("\n")
    assert isinstance(verb, ast.FunctionDef)  # noqa: S101
    told, given = ast.get_docstring(verb, clean=False) or "", verb.args
    defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults
    pairs = zip([*given.args, *given.kwonlyargs], [*defaults, *given.kw_defaults], strict=True)
    return {
        one.arg: Parameter(
            one.arg,
            one in given.kwonlyargs,
            _annotation(one.annotation, lines),
            _value(default),
            told,
        )
        for one, default in pairs
    }


def _annotation(node: ast.expr | None, lines: Sequence[str]) -> str:
    return lines[node.lineno - 1][node.col_offset : node.end_col_offset] if node else ""


def _value(node: ast.expr | None) -> Any:
    try:
        return None if node is None else ast.literal_eval(node)
    except ValueError:  # a name
        return None


@cache
def _words(text: str, kind: str) -> list[str]:
    literal = kind if kind.startswith("Literal[") else _literal(text, kind)
    if literal is None:
        module = _imported(text).get(kind)
        return _words(_text_of(module), kind) if module else []
    words: list[str] = []
    for one in ast.parse(literal.removeprefix("Literal"), mode="eval").body.elts:  # type: ignore[attr-defined]
        words += (
            [str(one.value)] if isinstance(one, ast.Constant) else _words(text, ast.unparse(one))
        )
    return words


def _literal(text: str, name: str) -> str | None:
    """Return the Literal that a name of a file is."""
    _, is_found, rest = text.partition(f"\n{name} = Literal[")
    return f"Literal[{rest[: rest.index(']')]}]" if is_found else None


@cache
def _imported(text: str) -> dict[str, str]:
    """Return the modules of the names that a file imports."""
    head = text.partition("\n\n\n")[0]
    imports = re.findall(r"^ *from (rankmark[\w.]*) import (\([^)]*|.*)", head, re.MULTILINE)
    return {name: module for module, names in imports for name in re.findall(r"\w+", names)}


@cache
def _explained(docstring: str) -> dict[str, tuple[str, str]]:
    """Return the group and the first paragraph of each parameter."""
    _, _, section = docstring.partition("Parameters\n    ----------\n")
    section = re.split(r"\n    \w[\w ]*\n    ---", section)[0]
    found: dict[str, tuple[str, str]] = {}
    group = ""
    for head, text in re.findall(_ENTRY, f"{section}\n"):
        if head.endswith(":"):
            group = head[:-1]
        about = text.strip().split("\n\n")[0]
        found |= {name.strip("* "): (group, about) for name in head.split(",")}
    return found


def _as_help(text: str) -> str:
    """Write a paragraph of a docstring as help: without marks, and with what None stands for."""
    text = re.sub(r"``(\w+)=(\d+)``", r"--\1 \2", text)
    text = re.sub(r'``"?(.*?)"?``', r"\1", " ".join(text.split()))
    none = re.search(
        r"(?:[;,.]? None (?:for|means)|\. By default) (.+?)(?:\.(?= |$)|(?=;)|$)", text
    )
    if none is None:
        return text
    rest = f"{text[: none.start()]}.{text[none.end() :]}".replace(".;", ";").replace("..", ".")
    return f"{rest} [default: {none[1]}]"


class _Own(NamedTuple):
    """A place among options for those that follow from the verb."""

    names: tuple[str, ...]
    are_further: bool


def own(*names: str) -> Any:
    """Return the place of these options of the verb among others; of all other keywords if none."""
    return _Own(names, are_further=False)


def further_own(*names: str) -> Any:
    """Return the place of such options that only ``--help-all`` shows."""
    return _Own(names, are_further=True)


def _option(
    verb: Verb, parameter: Parameter, changed: Mapping[str, Any]
) -> Callable[[Command], Command]:
    """Make the option of a parameter; ``changed`` is what does not follow from the verb."""
    kind, _, _ = parameter.kind.partition(" | None")
    if "roles" in changed:
        return column_option("column", parameter.about_each, changed["roles"])
    shape: dict[str, Any] = {}
    is_typed = changed.keys() & {"type", "callback"}
    if not is_typed and (words := verb.words(kind.partition(" | ")[0])):
        shape["type"] = click.Choice(words)
    elif kind in {"bool", "Flag"}:
        shape |= {"is_flag": True} | ({} if parameter.default is False else {"default": None})
    elif kind in KINDS:
        shape |= _shape(KINDS[kind].option)
    elif kind in _PLAIN:
        shape["type"] = _PLAIN[kind]
    elif kind != "str" and not is_typed and "multiple" not in changed:
        shape |= {"type": FILE, "metavar": "FILE"}
    if parameter.default not in (None, ()) and "is_flag" not in shape:
        shape |= {"default": parameter.default, "show_default": True}
    if "type" in changed:
        shape.pop("metavar", None)
    shape |= changed
    if shape.get("multiple") and not shape.pop("for_each", False):
        shape.setdefault("help", parameter.about_each)
    shape.setdefault("help", parameter.about)
    flags = shape.pop("flag", f"--{parameter.name.replace('_', '-')}")
    group = shape.pop("group", parameter.group)
    return option(group, *([flags] if isinstance(flags, str) else flags), parameter.name, **shape)


def _shape(kind: Mapping[str, Any]) -> dict[str, Any]:
    if "above" in kind:
        most = kind.get("below")
        return {"type": click.FloatRange(kind["above"], most, min_open=True, max_open=True)}
    if "least" in kind:
        return {"type": click.IntRange(kind["least"], kind.get("most"))}
    return dict(kind)


def _as_columns(given: tuple[str, ...], roles: Sequence[str]) -> dict[str, str] | None:
    """Parse ROLE=NAME, given any number of times."""
    columns: dict[str, str] = {}
    for text in given:
        role, equals, name = text.partition("=")
        role = _SHORT.get(role, role)
        if not equals or not name or role not in roles:
            raise click.BadParameter(f"{text!r}; need ROLE=NAME, ROLE one of {', '.join(roles)}")
        if role in columns:
            raise click.BadParameter(f"{role} is given twice")
        columns[role] = name
    return columns or None


def column_option(
    name: str, about: Words, roles: Sequence[str] = ROLES, further_names: Sequence[str] = ()
) -> Callable[[Command], Command]:
    """Declare an option that names columns by their roles."""
    return option(
        "Reading",
        f"--{name}",
        *further_names,
        f"{name.replace('-', '_')}s",
        multiple=True,
        metavar="ROLE=NAME",
        callback=lambda _context, _parameter, given: _as_columns(given, roles),
        help=about,
    )


def options_of(
    verb: str, *names: str, **changed: Mapping[str, Any] | None
) -> Callable[[Command], Command]:
    """Make options of another verb; the arguments are as for ``command_of``."""
    return together(*made_options(Verb(verb), [own(*names)], changed))


def made_options(
    verb: Verb, options: Sequence[Any], changed: Mapping[str, Mapping[str, Any] | None]
) -> list[Any]:
    """Return the options of a command, those of its verb in their places."""
    parameters = verb.parameters() if any(isinstance(one, _Own) for one in options) else {}
    named = {name for one in options if isinstance(one, _Own) for name in one.names}
    others = [name for name, one in parameters.items() if one.is_keyword and name not in named]
    found = []
    for one in options:
        if not isinstance(one, _Own):
            found.append(one)
            continue
        places = {name: changed.get(name, {}) for name in one.names or others}
        made = [
            _option(verb, parameters[name], own) for name, own in places.items() if own is not None
        ]
        found += [further(each) for each in made] if one.are_further else made
    return found


def later(path: str) -> Callable[..., Any]:
    """Return a function that is imported when it is called: ``folder.module:function``."""
    module, _, name = f"rankmark.{path}".partition(":")

    def call(*given: Any, **options: Any) -> Any:
        return getattr(import_module(module), name)(*given, **options)

    return call


def parsed(
    read: Callable[..., Any], wrong: str = "", *, none: Any = None, **options: Any
) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Make the callback that parses an option before files are read.

    Parameters
    ----------
    read
        Parses what was given, with ``options``.
    wrong
        What is said of what it cannot parse, if that is a ValueError.
    none
        What stands for an option that was not given.
    """

    def parse(_context: click.Context, _parameter: click.Parameter, given: Any) -> Any:
        if given is None:
            return none
        try:
            return read(given, **options)
        except RankmarkError as error:
            raise click.BadParameter(str(error)) from None
        except (ValueError, OverflowError):
            raise click.BadParameter(wrong.format(given)) from None

    return parse


def numbers_in(given: str) -> list[float]:
    """Parse numbers with commas between them."""
    return [*map(float, given.split(","))]
