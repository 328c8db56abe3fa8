"""The parts of pages that follow from declarations: commands, measures, profiles, results, names.

A page says in a comment where such a part goes, ``<!-- declared: measures -->``; ``filled`` puts it
there when the site is built. Nobody writes these parts by hand, and none is kept in the repository.
"""

import contextlib
import doctest
import importlib
import inspect
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import click

import rankmark
from rankmark.commands.app import COMMANDS, GROUPS, app
from rankmark.commands.parts.grouped_help import group_of
from rankmark.conventions import DECLARED
from rankmark.data.shapes.known_shapes import OBJECTS, SHAPES
from rankmark.formulas import Formula
from rankmark.measures import EVERY, Measure
from rankmark.measures.base.symbols import SYMBOLS
from rankmark.measures.measure_list import DEPENDS_ON
from rankmark.measures.sets import SETS
from rankmark.profiles.profile import Profile
from rankmark.results.result import Frames, Result
from rankmark.results.table_schema import KINDS

HERE = Path(__file__).parent
PLACE = re.compile(r"^<!-- declared: (\w+) ?(.*?) -->$", re.MULTILINE)
OPTION = re.compile(r"(?<![\w`-])(--[a-zA-Z][\w-]*|-[a-zA-Z]\b(?!-))")
TYPES: Mapping[type, str] = {
    **{dict: "object", list: "list", tuple: "list", str: "text", bool: "truth value"},
    **{int: "whole number", float: "number"},
}
ANNOTATED = {kind.__name__: name for kind, name in TYPES.items()} | {"Sequence": "list"}


def filled(text: str) -> str:
    """Put what is declared where a page says so."""
    return PLACE.sub(lambda place: PARTS[place[1]](*place[2].split()), text)


def table(*head: str, rows: Sequence[Sequence[str]]) -> str:
    """Write a table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell or ' ' for cell in line)} |" for line in lines)


def prose(text: str) -> str:
    """Write a paragraph of plain text as Markdown that shows it as it is."""
    return escaped(" ".join(text.split()))


def escaped(text: str) -> str:
    """Escape what Markdown takes for marks; ids with an underscore within have none."""
    return re.sub(r"([|*<$\[\]]|\b_|_\b)", r"\\\1", text)


def docstring(text: str) -> str:
    """Write a paragraph of a docstring as Markdown."""
    parts = re.split(r"(``.+?``)", " ".join(text.split()))
    parts[::2] = map(escaped, parts[::2])
    return "".join(part.replace("``", "`").replace("|", r"\|") for part in parts)


# Commands


def commands() -> str:
    """Write the groups, and a section for each command: what it does, examples, and options."""
    rows = [
        (group, ", ".join(f"[`{name}`](#rankmark-{name})" for name in names))
        for group, names in GROUPS.items()
    ]
    usual = {one.opts[0]: record_of(one) for one in command("evaluate").params}
    sections = [section_of(name, {} if name == "evaluate" else usual) for name in COMMANDS]
    return "\n\n".join([table("group", "commands", rows=rows), *sections])


def command(name: str) -> click.Command:
    """Import a command."""
    return cast("click.Command", app.get_command(click.Context(app), name))


def section_of(name: str, usual: Mapping[str, tuple[str, str]]) -> str:
    """Write the section of a command; ``usual`` are the options that evaluate has, too."""
    one = command(name)
    with click.Context(one, info_name=f"rankmark {name}") as context:
        usage = one.get_usage(context).partition(": ")[2]
        parts = [f"## `rankmark {name}`", f"```text\n{' '.join(usage.split())}\n```"]
        parts += map(paragraph, inspect.cleandoc(one.help or "").replace("\f\n", "").split("\n\n"))
        rows: dict[str, list[tuple[str, str]]] = {}
        same = []
        for parameter in one.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                if usual.get(parameter.opts[0]) == record_of(parameter):
                    same.append(f"`{parameter.opts[0]}`")
                else:
                    rows.setdefault(group_of(parameter), []).append(row_of(parameter))
    if pages := shown_in(name):
        parts.append(f"See {' and '.join(pages)}.")
    listed = [row for group, found in rows.items() for row in ((f"**{group}**", ""), *found)]
    parts += [table("option", "meaning", rows=listed)] if listed else []
    if same:
        parts.append(f"As [`evaluate`](#rankmark-evaluate) has them: {', '.join(same)}.")
    return "\n\n".join(parts)


def shown_in(name: str) -> list[str]:
    """Return links to the two pages of how-to that are most about a command."""
    found = []
    for page in (HERE / "how-to").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        called = re.findall(r"^(?:\$ )?rankmark ([\w-]+)", text, re.MULTILINE)
        if count := called.count(name):
            title = text.partition("\n")[0].strip("# ")
            found.append((-count * count / len(called), f"[{title}](../how-to/{page.name})"))
    return [link for _, link in sorted(found)[:2]]


def paragraph(text: str) -> str:
    """Write a paragraph of the help of a command; what keeps its lines is an example."""
    if text.startswith("\b"):
        return f"```text\n{inspect.cleandoc(text[1:])}\n```"
    return marked(text)


def marked(text: str) -> str:
    """Write the words of a help as Markdown, with options as code."""
    parts = re.split(r"(`[^`]+`)", " ".join(text.split()))
    parts[::2] = [OPTION.sub(r"`\1`", escaped(part)) for part in parts[::2]]
    return "".join(part.replace("|", r"\|") if part[:1] == "`" else part for part in parts)


def record_of(option: click.Parameter) -> tuple[str, str]:
    """Return what help shows of an option: its names, and what it means."""
    shown = option.get_help_record(click.Context(click.Command("rankmark")))
    return shown or ("", "")


def row_of(option: click.Option) -> tuple[str, str]:
    """Return the row of an option."""
    names, about = record_of(option)
    cell = f"`{names}`".replace("|", r"\|")
    return cell, marked(about)


# Measures


def measures() -> str:
    """Write a section for each measure, in the order of ``rankmark measures``."""
    parts = []
    for group, about in DEPENDS_ON.items():
        found = [one for one in EVERY if one.depends_on == group]
        rows = [(f"[{one.name}](#{one.name.lower()})", one.full_name, *edges(one)) for one in found]
        parts += [
            f"## {group.capitalize()}",
            f"What values depend on: {about}.",
            table("measure", "name in words", "values", "better", rows=rows),
            *map(section_of_measure, found),
        ]
    return "\n\n".join(parts)


def edges(one: Any) -> tuple[str, str]:
    """Return the lowest and the highest value, and which is better."""
    bounds = [f"{bound:g}".replace("-", "−").replace("inf", "∞") for bound in one.bounds]
    return " to ".join(bounds), "higher" if one.more_is_better else "lower"


def section_of_measure(one: Any) -> str:
    """Write the formula, the facts, the parameters, the names and an example of a measure."""
    about, _, facts = one.account.partition("\n\n")
    others = [f"`{name}`{meant(given)}" for name, given in one.aliases.items()]
    others += [f"`{name}_NUMBER`" for name in one.numbered]
    parts = [
        f"### {one.name}",
        f"{one.full_name.capitalize()}. {docstring(about)}",
        f"$$\n{one.latex}\n$$" if one.latex else "",
        f"As text: `{one.formula}`.",
        *map(topic, re.split(r"\n(?=[A-Z][\w ]+:)|\n\n", facts)),
        f"Other names: {', '.join(others)}." if others else "",
        f"Over queries: {one.aggregate}." if one.aggregate != "mean" else "",
        parameters_of(one),
        example_of(one),
    ]
    return "\n\n".join(filter(None, parts))


def meant(given: Mapping[str, Any]) -> str:
    """Say which parameters a name stands for."""
    return f" ({', '.join(f'`{name}={value!r}`' for name, value in given.items())})" * bool(given)


def topic(text: str) -> str:
    """Write a fact of a measure: its topic, and what is said of it."""
    head, _, rest = text.partition(": ")
    return f"**{head}:** {docstring(rest)}" if rest else docstring(text)


def parameters_of(one: Any) -> str:
    """Write the parameters that not all measures have."""
    rows = [
        (f"`{name}`", prose(each.meaning), prose(each.allowed), f"`{each.default!r}`")
        for name, each in one.parameters.items()
    ]
    return table("parameter", "meaning", "values", "default", rows=rows) if rows else ""


def example_of(one: Measure) -> str:
    """Score one ranking, with its numbers in the formula where the measure can explain itself."""
    given: list[Any] = [0, 2, None, 1]
    missed: list[Any] = [1]
    if one.depends_on == "subtopics":
        given, missed = [["1", "2"], None, ["2"], ["1"]], [["3"]]
    asked = one(k=3) if "k" in one.parameters and one.parameters["k"].default is None else one
    called = one.name if asked is one else f"({one.name} @ 3)"
    try:
        shown = f">>> {called}({given}, missed={missed})\n{asked(given, missed=missed)!r}"
        worked = asked.explain(given, missed=missed).formula
    except rankmark.RankmarkError:
        return ""
    return f"```python\n{shown}\n```" + (f"\n\n`{worked}`" if worked else "")


def symbols() -> str:
    """Write the symbols of formulas."""
    rows = [(symbol, prose(meaning.replace("{i}", "i"))) for symbol, meaning in SYMBOLS.items()]
    return table("symbol", "meaning", rows=[(f"`{symbol}`", meaning) for symbol, meaning in rows])


def sets() -> str:
    """Write the sets of measures."""
    rows = [
        (f"`{name}`", prose(one.meaning), prose(one.measures or "those of trec_eval"))
        for name, one in SETS.items()
    ]
    return table("set", "what it is", "measures", rows=rows)


# Profiles


def profiles() -> str:
    """Write the conventions of each profile, then a section for each: names, and differences."""
    known = rankmark.profiles()
    words = [word for word in DECLARED if any(word in one.conventions for one in known)]
    rows = [
        (
            f"[`{one.name}`](#{one.name})",
            f"{one.tool} {one.version}",
            *(str(one.conventions.get(word, DECLARED[word].default)) for word in words),
        )
        for one in known
    ]
    overview = table("profile", "tool", *words, rows=rows)
    return "\n\n".join([overview, *map(section_of_profile, known)])


def section_of_profile(one: Profile) -> str:
    """Write what a tool does, and what its names are here."""
    digits = "all decimals" if one.digits is None else f"{one.digits} decimals"
    chosen = ", ".join(f"`{name}={value!r}`" for name, value in one.conventions.items())
    rows = [
        (
            " or ".join(f"`{text}`" for text in row.theirs.split(" | ")),
            f"`{row.here}`" if row.measures else row.here,
            "; ".join(row.notes),
        )
        for row in one.measures
    ]
    lost = [
        f"- {each.what}" + (f" (warning: {each.when})" if each.when else "")
        for each in one.differences
    ]
    return "\n\n".join(
        [
            f"## {one.name}",
            f"{one.summary} {one.tool} {one.version}, {one.source}; it prints {digits}.",
            f"Compared on: {one.compared}. Conventions: {chosen or 'the defaults'}.",
            table(one.tool, "here", "note", rows=rows),
            *(["No convention reproduces:", "\n".join(lost)] if lost else []),
        ]
    )


# Documents and tables


def documents() -> str:
    """Write the fields of JSON, and the columns of tables, of each kind of result."""
    return "\n\n".join(section_of_result(made()[name]) for name in sorted(made()))


@cache
def made() -> dict[str, Any]:
    """Make a result of each kind, by the examples in the docstrings of public names."""
    example = Path(rankmark.__file__).parent / "example"
    found: dict[str, Any] = {}
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        shutil.copytree(example, folder, dirs_exist_ok=True)
        warnings.simplefilter("ignore")
        with contextlib.chdir(folder):
            for name in ["testing.which_convention", *rankmark.__all__]:
                for value in made_by(attrgetter(name)(rankmark)):
                    found.setdefault(type(value).__name__, value)
    return {name: value for name, value in found.items() if name in rankmark.__all__}


def made_by(public: object) -> Iterator[Any]:
    """Yield the results that the examples of a function or a class make."""
    if not inspect.isroutine(public) and not inspect.isclass(public):
        return
    names = dict(vars(importlib.import_module(public.__module__)))
    shown: list[Any] = []
    hook, sys.displayhook = sys.displayhook, shown.append
    try:
        for one in doctest.DocTestParser().get_examples(inspect.getdoc(public) or ""):
            with contextlib.redirect_stdout(None), contextlib.suppress(rankmark.RankmarkError):
                exec(compile(one.source, "example", "single"), names)  # noqa: S102
    finally:
        sys.displayhook = hook
    yield from (value for value in (*shown, *names.values()) if isinstance(value, Result))


SHAPE = re.compile(r"^(\([\w, ]+\) )?(float64|bool)?[,:.]? ?|, (\([\w, ]+\) )?float64\b")
ENTRY = re.compile(r"^(\w[\w, *]*)\n((?:(?:    .*)?\n)+)", re.MULTILINE)


def bases_of(kind: type[Any]) -> list[type[Any]]:
    """Return a class and its bases, without those that Python has."""
    return [base for base in kind.__mro__ if base.__module__.startswith("rankmark")]


WRITERS = "to_dict", "_contents", "_table"


@cache
def written_by(kind: type[Any]) -> dict[str, str]:
    """Return what a class says of the fields that it writes."""
    writers = [vars(base).get(name) for base in bases_of(kind) for name in WRITERS]
    common = None if kind is Result else vars(Result)["to_dict"]
    return entries(one.__doc__ for one in writers if one not in {None, common})


@cache
def meanings(kind: type[Any]) -> dict[str, str]:
    """Return what a class says of the fields that it writes, and of its attributes."""
    found = written_by(kind) | {}
    attributes = entries(vars(base).get("__doc__") for base in bases_of(kind))
    for name, value in (pair for base in bases_of(kind) for pair in vars(base).items()):
        if isinstance(value, (property, cached_property)) and value.__doc__:
            attributes.setdefault(name, value.__doc__.partition("\n\n")[0])
    return attributes | found


def entries(docstrings: Iterable[str | None]) -> dict[str, str]:
    """Return the entries of docstrings: names, and what is said of them in a paragraph."""
    found: dict[str, str] = {}
    for text in filter(None, docstrings):
        _, *parts = re.split(r"^(\w+)\n-+\n", inspect.cleandoc(text), flags=re.MULTILINE)
        for head, part in zip(parts[::2], parts[1::2], strict=True):
            if head in {"Parameters", "Attributes", "Returns"}:
                for names, about in ENTRY.findall(f"{part}\n"):
                    for one in names.split(", "):
                        found.setdefault(one.removeprefix("is_"), about.partition("\n\n")[0])
    return found


OF_ARRAYS = ("rankmark.data.alignment.", "rankmark.data.preparing.paired_inputs")
"""What results are computed from, whose arrays have the names of fields in documents."""


def kinds_of(found: Any) -> list[type]:
    """Return the classes in the modules of a result and of what it holds."""
    modules = dict.fromkeys(kind.__module__ for kind in kinds_in(found))
    named = (kind for module in modules for kind in vars(sys.modules[module]).values())
    kinds = dict.fromkeys(filter(inspect.isclass, named))
    return [kind for kind in kinds if not kind.__module__.startswith(OF_ARRAYS)]


def kinds_in(value: Any, depth: int = 3) -> Iterator[type]:
    """Yield the classes of an object and of what it holds."""
    if isinstance(value, Mapping) and not isinstance(value, Result):
        value = [*value.values()]
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        value = value[0] if value else None
    if not type(value).__module__.startswith("rankmark") or not depth:
        return
    yield type(value)
    names = {name for base in type(value).__mro__ for name in vars(base).get("__slots__", ())}
    # All that is computed once, whether or not it was: what is found must not depend on that.
    held = {*getattr(value, "__dict__", ())} | {
        name
        for base in type(value).__mro__
        for name, one in vars(base).items()
        if isinstance(one, cached_property)
    }
    names |= {"audit", *held, *getattr(value, "_fields", ())}
    for name in sorted(names):
        with contextlib.suppress(Exception):
            yield from kinds_in(getattr(value, name), depth - 1)


def said(kinds: Sequence[type], names: Iterable[str]) -> dict[str, str]:
    """Return what classes say of these names; first the class that says most."""
    told = [*map(meanings, kinds), meanings(Result)]
    told.sort(key=lambda known: len({*names} & {*known}))
    return {name: about for known in told for name, about in known.items()}


def section_of_result(found: Any) -> str:
    """Write the fields of a result in JSON, and the columns of its table."""
    name, kinds, data = type(found).__name__, kinds_of(found), names_in(found)
    document, columns = found.to_dict(), found._table()
    nested = {
        f"{field}[]": value[0]
        for field, value in document.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    }
    if "audit" in document and (name == "Evaluation" or "judged_at_10" not in document["audit"]):
        nested["audit"] = document["audit"]  # others have that of Evaluation
    fields = [*described(document, said(kinds, document) | meanings(type(found)), data, kinds)]
    for within, items in nested.items():
        known = said(kinds, items) | ({} if within == "audit" else written_by(type(found)))
        fields += described(items, known, data, kinds, f"{within}.")
    alike, first = max(
        nested.items(), key=lambda one: len({*columns} & {*one[1]}), default=("", {})
    )
    first = first if 2 * len({*columns} & {*first}) > len(columns) else {}
    same = [f"`{column}`" for column in columns if column in first]
    types = {name: KINDS.get(name, "number") for name in columns if name not in first}
    rows = merged(described(types, said(kinds, columns), data))
    parts = [
        f"## {name}",
        f"{{py:obj}}`{name} <rankmark.{name}>`: {docstring(first_paragraph(type(found)))}",
        table("field", "type", "meaning", rows=[*merged(fields)]),
        f"Columns of its table, as in `{alike}`: {', '.join(same)}." if same else "",
        table("column", "type", "meaning", rows=[*rows]) if types else "",
    ]
    return "\n\n".join(filter(None, parts))


def names_in(found: Any) -> set[str]:
    """Return the names in a result that come from data: of measures, runs and what was given."""
    lists = (getattr(found, name, ()) for name in ("names", "runs", "measures", "given"))
    names = {str(name) for one in lists if not callable(one) for name in one}
    return names | {f"weight_{name}" for name in names}


def described(
    items: Mapping[str, Any],
    known: Mapping[str, str],
    data: Collection[str],
    kinds: Sequence[type] | None = None,
    within: str = "",
) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each field, or column if there are no ``kinds``: name, type, meaning.

    Those whose names come from data have one row.
    """
    if kinds is not None:
        kinds = sorted(kinds, key=lambda kind: -len({*items} & {*meanings(kind)}))
    for name, value in items.items():
        if name not in data:
            kind = value if kinds is None else type_of(name, value, kinds)
            about = SHAPE.sub("", " ".join(known[name].split()))
            yield f"`{within}{name}`", kind, docstring(about[0].upper() + about[1:])
    if named := [f"`{within}{name}`" for name in items if name in data]:
        yield ", ".join(named), "number", "One for each name in the data, of a measure or a run."


def type_of(name: str, value: object, kinds: Sequence[type]) -> str:
    """Return the type of a field: that of its value, or if it is None, as a class says."""
    if value is not None:
        return TYPES[type(value)]
    for base in (base for kind in kinds for base in kind.__mro__):
        one = vars(base).get(name)
        returned = one.fget.__annotations__.get("return") if isinstance(one, property) else None
        if written := vars(base).get("__annotations__", {}).get(name, returned):
            return f"{ANNOTATED.get(re.split(r'[ [.]', str(written))[0], 'object')} or null"
    return f"{KINDS.get(name, 'number')} or null"


def merged(rows: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """Join rows that follow one another and say the same."""
    for about, group in groupby(rows, itemgetter(2)):
        together = [*group]
        first, _, _ = together[0]
        within = first.rpartition(".")[0].strip("`")
        names = [first, *(name.replace(f"{within}.", "", 1) for name, _, _ in together[1:])]
        yield ", ".join(names), " or ".join(dict.fromkeys(kind for _, kind, _ in together)), about


def first_paragraph(documented: object) -> str:
    """Return what a docstring begins with."""
    return (inspect.getdoc(documented) or "").partition("\n\n")[0]


# Shapes of tools


def shapes() -> str:
    """Write the table of shapes: what each is, and where its parts stand."""
    rows = [
        (
            code(shape.name),
            prose_with_code(shape.what),
            {"qrels": "judgments", "run": "run"}[shape.kind],
            code(shape.queries) or "any",
            code(shape.query.strip("_")),
            "a document a row" if shape.rows else code(shape.list) or "the answer itself",
            code(shape.id) or "the document itself",
            code(shape.number) or ("in order" if shape.kind == "run" else "relevant"),
        )
        for shape in (*SHAPES, OBJECTS)
    ]
    head = ("name", "what", "holds", "queries", "query", "documents", "id", "label or score")
    return table(*head, rows=rows)


def code(path: str | None) -> str:
    """Write the first two of several paths as code."""
    ways = [way for way in (path or "").split("|") if way]
    itself = " or what holds it" if ways and path and path.endswith("|") else ""
    return ", ".join(f"`{way}`" for way in ways[:2]) + (", ..." if len(ways) > 2 else "") + itself


def prose_with_code(text: str) -> str:
    """Write words as Markdown, with what stands between backticks as code."""
    parts = re.split(r"(`[^`]+`)", text)
    parts[::2] = map(escaped, parts[::2])
    return "".join(parts)


# Names


def names(module: str, *kinds: str) -> str:
    """Write what each name of a module is, and below its documentation.

    ``kinds`` are those that are listed: "functions", "results", "measures", "errors", "classes".
    """
    found = importlib.import_module(module)
    listed_names = [
        name
        for name in getattr(found, "__all__", None) or own_names(found)
        if kind_of(getattr(found, name)) in (kinds or ("functions", "results", "errors", "classes"))
        and public(found, name).__module__.startswith("rankmark")
    ]
    rows = [
        (f"{{py:obj}}`{name} <{module}.{name}>`", docstring(first_paragraph(public(found, name))))
        for name in listed_names
    ]
    entries = "\n".join(directive(found, name) for name in listed_names)
    listing = table("name", "what it is", rows=rows)
    return f"## {module}\n\n{listing}\n\n```{{eval-rst}}\n{entries}\n```"


def own_names(module: Any) -> list[str]:
    """Return the public names that a module defines."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


def public(module: Any, name: str) -> Any:
    """Return what a name stands for; ``rankmark.profiles`` is a module that can be called."""
    found = getattr(module, name)
    return getattr(found.known, name) if inspect.ismodule(found) else found


def kind_of(value: object) -> str:
    """Return which list of names a value is in."""
    if inspect.isroutine(value) or (inspect.ismodule(value) and hasattr(value, "known")):
        return "functions"
    if isinstance(value, (Measure, Formula)):
        return "measures"
    if not inspect.isclass(value):
        return "other"
    if issubclass(value, Exception):
        return "errors"
    return "results" if issubclass(value, Frames) else "classes"


def directive(module: Any, name: str) -> str:
    """Write the directive that documents a name."""
    documented = getattr(module, name)
    if inspect.ismodule(documented):
        return f".. autofunction:: {documented.__name__}.known.{name}\n"
    if inspect.isclass(documented):
        return f".. autoclass:: {module.__name__}.{name}\n"
    if inspect.isroutine(documented):
        return f".. autofunction:: {module.__name__}.{name}\n"
    return f".. autodata:: {module.__name__}.{name}\n   :no-value:\n"


PARTS: Mapping[str, Callable[..., str]] = {
    part.__name__: part
    for part in (commands, measures, symbols, sets, profiles, documents, shapes, names)
}
