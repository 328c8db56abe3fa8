"""Markdown in which text from inputs stays text: no links, no mentions, no HTML."""

from __future__ import annotations

import re

from rankmark.errors import one_line

_SPECIAL = frozenset("<>&`*_[]\\|#~$@")
_WITH_MEANING = re.compile(r"[\\`*\[\]~$#]|(?<!\w)_")
_BEGINS_A_BLOCK = re.compile(r"^(\d*)([.)+>=-])")
_SIMPLE = re.compile(r"[\w@(),=+/. -]*", re.ASCII)


def code(text: str) -> str:
    """Write text as code, for a line or the cell of a table, where nobody is mentioned."""
    if _SIMPLE.fullmatch(text) and text.strip() == text != "":
        return f"`{text}`"
    return html_code(text)


def html_code(text: str) -> str:
    """Write text as code in HTML, its characters with any meaning as entities."""
    return f"<code>{''.join(map(_entity, one_line(text)))}</code>"


def plain(text: str) -> str:
    """Write a sentence whose characters have no meaning in Markdown and HTML."""
    return "".join(f"&#{ord(c)};" if c in _SPECIAL else c for c in one_line(text))


def sparing(text: str) -> str:
    """Write text whose source stays readable: only characters with a meaning are escaped."""
    text = one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return _WITH_MEANING.sub(r"\\\g<0>", text)


def sparing_line(text: str) -> str:
    """Write such text where a line begins, which would make it a list, a quotation or code."""
    return _BEGINS_A_BLOCK.sub(r"\1\\\2", sparing(text.lstrip()))


def code_block(text: str, language: str = "") -> str:
    """Write lines as a block of code, whose fence is longer than any in the text."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 3)
    return f"{fence}{language}\n{text}\n{fence}\n"


def _entity(character: str) -> str:
    if character.isalnum() or character in " -,()/+=%":
        return character
    return f"&#{ord(character)};"
