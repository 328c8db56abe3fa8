"""The page of a report: one file of HTML with its style, script and compressed data."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import MissingDependencyError, readable_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Template
    from markupsafe import Markup

    from rankmark.array_types import Floats

_INVISIBLE = re.compile(
    # Controls, marks that change the direction of text, separators of lines, lone surrogates.
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def packed_json(content: object) -> str:
    """Return JSON as base64 of zlib's format; ids that are not UTF-8 become escapes of JSON."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return _packed(text.encode("ascii"))


def packed_floats(values: Floats) -> str:
    """Return (n,) float64 as base64 of zlib's format.

    The first bytes of all numbers come first, then the second bytes, and so on, since bytes of the
    same significance are alike.
    """
    planes = np.ascontiguousarray(values, dtype="<f8").reshape(-1, 1).view(np.uint8).T
    return _packed(np.ascontiguousarray(planes).tobytes())


def visible(text: str) -> str:
    """Return text with characters that are invisible or change its direction as ⟨U+202E⟩.

    Bytes that are not UTF-8 are written as everywhere.
    """
    return _INVISIBLE.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", readable_bytes(text))


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 6)).decode("ascii")


_SCRIPTS = ("data.js", "table.js", "chart.js", "query.js", "main.js")


def html_page(data: Mapping[str, Any]) -> str:
    """Return the HTML of a page; ``page_data`` describes the data.

    Everything is escaped by the template, and the page's policy allows no script and no style but
    its own.
    """
    script = "'use strict';\n(() => {\n" + "\n".join(map(_file, _SCRIPTS)) + "})();\n"
    style = _file("page.css")
    template, own = _template()
    return template.render(
        **data,
        script=own(script),
        style=own(style),
        script_hash=_hash(script),
        style_hash=_hash(style),
    )


@cache
def _template() -> tuple[Template, type[Markup]]:
    """Compile the page, once in a process, and give the type of text that is not escaped."""
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415
        from markupsafe import Markup  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("Jinja2", "report", "a report") from None

    environment = Environment(
        loader=FunctionLoader(_file),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "visible": lambda text: visible(str(text)),
        "number": lambda value: f"{value:,}",
        "clipped": lambda text, most: text if len(text) <= most else text[: most - 1] + "…",
    }
    return environment.get_template("page.html"), Markup


def _file(name: str) -> str:
    return resources.files("rankmark.verbs.report").joinpath("page", name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return the hash of a script or style for a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
