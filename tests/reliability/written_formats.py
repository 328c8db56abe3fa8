"""What a real reader of each format makes of a text: its structure, and the words in it.

A name is harmless where it changes no structure: a result has the same with it as with a word.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from markdown_it.token import Token

Structure = Counter[Any]
_NEVER = {"script", "img", "iframe", "object", "a", "svg", "link", "meta", "form", "input"}


class WrongError(Exception):
    """What a format may not hold."""


def of_terminal(text: str) -> Structure:
    """Count the lines; no character may move the cursor, or turn the direction of text."""
    for line in text.split("\n"):
        if not line.isprintable():
            raise WrongError(f"not printable: {line!r}")
    text.encode()
    return Counter(lines=text.count("\n"))


def of_folded(text: str) -> Structure:
    """Count nothing, where the number of lines depends on the width of names."""
    of_terminal(text)
    return Counter()


class _Tags(HTMLParser):
    def __init__(self, allowed: frozenset[str]) -> None:
        super().__init__()
        self.found: Structure = Counter()
        self.open: list[str] = []
        self.allowed = allowed

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = tuple(sorted(name for name, _ in attrs))
        if tag in _NEVER - self.allowed or any(name.startswith("on") for name in names):
            raise WrongError(f"<{tag} {names}>")
        self.found[tag, names] += 1
        if tag not in {"br", "hr", "col", "meta", "wbr", "input", "link"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise WrongError(f"</{tag}> without its beginning")

    def handle_comment(self, data: str) -> None:
        raise WrongError(f"a comment: {data!r}")

    def handle_decl(self, decl: str) -> None:
        self.found["declaration", decl.lower()] += 1

    def handle_pi(self, data: str) -> None:
        raise WrongError(f"an instruction: {data!r}")


def of_html(text: str, allowed: frozenset[str] = frozenset()) -> Structure:
    """Count tags with the names of their attributes."""
    parser = _Tags(allowed)
    parser.feed(text)
    parser.close()
    if parser.open:
        raise WrongError(f"not closed: {parser.open}")
    _without_controls(text)
    return parser.found


def of_page(text: str) -> Structure:
    """Count those of a whole page, which has scripts and controls of its own."""
    found = of_html(text, frozenset({"script", "input", "meta", "link", "svg", "a", "form"}))
    return Counter({key: count for key, count in found.items() if key[0] in _NEVER | {"title"}})


def of_xml(text: str) -> Structure:
    """Count elements with the names of their attributes."""
    if re.search("<!(?:DOCTYPE|ENTITY)", text):
        raise WrongError("a document type")
    root = ElementTree.fromstring(text.encode())
    return Counter((one.tag, tuple(sorted(one.attrib))) for one in root.iter())


def of_svg(text: str) -> Structure:
    """Count elements, but for the shapes of letters, which are those of the names."""
    tree = ElementTree.fromstring(text.encode())
    tags = Counter(one.tag.rpartition("}")[2] for one in tree.iter())
    if bad := {"script", "foreignObject", "a", "animate", "set"} & {*tags}:
        raise WrongError(f"elements {bad}")
    for one in tree.iter():
        if any(name.startswith("on") for name in one.attrib):
            raise WrongError(f"attributes {one.attrib}")
    return Counter({tag: count for tag, count in tags.items() if tag in {"svg", "style", "title"}})


def of_markdown(text: str) -> Structure:
    """Count blocks, and what is more than text in them."""
    _without_controls(text)
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    found: Structure = Counter()
    for one in _flat(reader.parse(text)):
        if one.type in {"html_block", "html_inline"}:
            found["html", tuple(re.findall(r"</?\w+", one.content))] += 1
        elif one.type in {"link_open", "image", "s_open"}:
            raise WrongError(f"{one.type} {one.attrs}")
        elif one.type in {"fence", "code_block"}:
            found[one.type, one.content.count("\n")] += 1
        elif one.type not in {"text", "text_special", "softbreak"}:
            # Names that are words are code in Markdown's own way, the others in that of HTML.
            found["code" if one.type == "code_inline" else one.type] += 1
    for key in [*found]:
        if key[0] == "html" and {*key[1]} <= {"<code", "</code"}:
            found["code"] += found.pop(key) * sum(tag == "<code" for tag in key[1])
    return found


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for one in tokens:
        if one.type != "inline":
            yield one
        yield from _flat(one.children or [])


_COMMAND = re.compile(r"\\([a-zA-Z]+\*?|.)", re.DOTALL)
_LETTERS = {"textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater"}
_ESCAPED = set("&%$#_{}")


def of_latex(text: str) -> Structure:
    """Count commands, cells and rows; braces must match."""
    found: Structure = Counter()
    depth = 0
    for line in text.split("\n"):
        if not line.isprintable():
            raise WrongError(f"not printable: {line!r}")
    bare = _COMMAND.sub(lambda one: _seen(one[1], found), text)
    if "^^" in bare:
        raise WrongError("^^ writes any character")
    for letter in bare:
        depth += (letter == "{") - (letter == "}")
        if depth < 0:
            raise WrongError("a brace ends what did not begin")
        if letter in "&%$#_^~":
            found[letter] += 1
    if depth:
        raise WrongError("a brace is left open")
    return found


def _seen(command: str, found: Structure) -> str:
    if command not in _LETTERS | _ESCAPED:
        found["\\" + command] += 1
    return " "


def of_csv(text: str) -> Structure:
    """Count rows by their number of cells."""
    rows = [*csv.reader(io.StringIO(text, newline=""))]
    if len({len(row) for row in rows}) != 1:
        raise WrongError("rows of several lengths")
    return Counter(len(row) for row in rows)


_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def of_safe_csv(text: str) -> Structure:
    """Count rows by their number of cells, of which none may be a formula."""
    for row in csv.reader(io.StringIO(text, newline="")):
        for cell in row:
            if _FORMULA.match(cell) and not _is_number(cell):
                raise WrongError(f"the formula {cell!r}")
    return of_csv(text)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def of_json(text: str) -> Structure:
    """Count values by their type and depth."""
    found: Structure = Counter()

    def walk(value: Any, depth: int) -> None:
        found[type(value).__name__, depth] += 1
        for one in (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        ):
            walk(one, depth + 1)

    walk(json.loads(text), 0)
    text.encode()
    return found


def of_shell(text: str) -> Structure:
    """Count the words that bash passes to the program."""
    if not text.isprintable():
        raise WrongError(f"not printable: {text!r}")
    script = "rankmark() { printf '%s\\0' \"$@\"; }\n" + text
    done = subprocess.run(
        [shutil.which("bash") or "bash", "-c", script],
        env={"PATH": ""},
        capture_output=True,
        check=False,
        timeout=60,
    )
    if done.returncode or done.stderr:
        raise WrongError(f"bash says {done.stderr!r}")
    return Counter(words=done.stdout.count(b"\0"))


def of_workflow(text: str) -> Structure:
    """Count commands of GitHub's, which are lines that begin with two colons."""
    lines = re.split("\r\n|\r|\n", text)
    if any(line.startswith("##[") for line in lines):
        raise WrongError("a command in the old form")
    return Counter(line.partition(" ")[0] for line in lines if line.lstrip().startswith("::"))


def _without_controls(text: str) -> None:
    for line in text.split("\n"):
        if bad := [one for one in line if not one.isprintable()]:
            raise WrongError(f"controls {bad!r} in {line[:200]!r}")
    text.encode()


READERS: dict[str, Callable[[str], Structure]] = {
    "text": of_terminal,
    "text, folded": of_folded,
    "HTML": of_html,
    "Markdown": of_markdown,
    "LaTeX": of_latex,
    "JUnit XML": of_xml,
    "CSV": of_csv,
    "CSV, safe": of_safe_csv,
    "JSON": of_json,
    "SVG": of_svg,
    "report page": of_page,
    "shell": of_shell,
    "GitHub workflow": of_workflow,
}
