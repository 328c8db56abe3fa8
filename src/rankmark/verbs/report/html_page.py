"""The page of a report: one file of HTML with its style, script and data."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from rankmark.errors import MissingDependencyError
from rankmark.verbs.report.page_encoding import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2 import Template
    from markupsafe import Markup

_SCRIPTS = ("data.js", "table.js", "chart.js", "query.js", "main.js")


def html_page(data: Mapping[str, Any]) -> str:
    """Return the HTML of a page; ``page_data`` describes the data.

    Everything is escaped by the template, and the page's policy allows no script and no style but
    its own.
    """
    script = "'use strict';\n(() => {\n" + "\n".join(map(_file, _SCRIPTS)) + "})();\n"
    style = _file("page.css")
    template, own = _template()
    written: str = template.render(
        **data,
        script=own(script),
        style=own(style),
        script_hash=_hash(script),
        style_hash=_hash(style),
    )
    return written


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
