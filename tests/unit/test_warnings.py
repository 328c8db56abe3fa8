"""Warnings go through one function, which points them at the caller's line."""

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "rankmark"


def test_nobody_warns_past_the_function_that_finds_the_callers_line() -> None:
    warning = [
        path.name
        for path in SOURCE.rglob("*.py")
        if re.search(r"\bwarnings\.warn\(", path.read_text("utf-8")) and path.name != "errors.py"
    ]
    assert not warning
