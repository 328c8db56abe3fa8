"""The JSON Schemas of the documents that results and commands write.

The file beside this one is made of what results declare: `python tests/json_schemas.py` writes it.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@cache
def _schemas() -> dict[str, Any]:
    text = files("rankmark.results").joinpath("json_schemas.json").read_text(encoding="utf-8")
    return json.loads(text)


def has_schema(name: str) -> bool:
    """Say whether there is a document of that name."""
    return name in _schemas()


def json_schema(*names: str) -> dict[str, Any]:
    """Return the schema of documents: one, or any of several, with all that it refers to."""
    used: dict[str, Any] = {}
    left = [*names]
    while left:
        name = left.pop()
        if name not in used:
            used[name] = _schemas()[name]
            left += re.findall(r'"#/\$defs/(\w+)"', json.dumps(used[name]))
    choices = [{"$ref": f"#/$defs/{name}"} for name in names]
    chosen = choices[0] if len(choices) == 1 else {"anyOf": choices}
    title = f"JSON of {' or '.join(names)} of rankmark"
    return {"$schema": _DIALECT, "title": title} | chosen | {"$defs": dict(sorted(used.items()))}
