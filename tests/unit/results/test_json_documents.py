"""The page of JSON documents has every field of every document, with its type."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from unit.results.made_results import RESULTS, made

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "json.md"
TYPES = {
    dict: "object",
    list: "list",
    str: "text",
    int: "whole number",
    float: "number",
    bool: "truth value",
    type(None): "null",
}


def documented() -> dict[str, dict[str, set[str]]]:
    """Read the types of the fields of each document from the page."""
    _, *parts = re.split(r"^## (\w+)$", PAGE.read_text(encoding="utf-8"), flags=re.M)
    return {
        name: {
            field: set(types.split(" or "))
            for field, types in re.findall(
                r"^\| `(\w+)` \| ([a-z ]+) \|", text.split("\n### ")[0], re.M
            )
        }
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.mark.parametrize("name", RESULTS)
def test_every_field_of_a_document_has_the_type_that_the_page_says(name: str) -> None:
    document: dict[str, Any] = json.loads(made(name).to_json())
    if [*document] == ["rows"]:
        return  # a table, whose columns the page of results describes
    fields = documented()[type(made(name)).__name__]
    assert [field for field in document if field not in fields] == []
    for field, value in document.items():
        assert TYPES[type(value)] in fields[field], field


def test_every_field_on_the_page_is_in_a_document() -> None:
    written: dict[str, set[str]] = {}
    for name in RESULTS:
        written.setdefault(type(made(name)).__name__, set()).update(
            json.loads(made(name).to_json())
        )
    for document, fields in documented().items():
        assert {*fields} <= written[document], document
