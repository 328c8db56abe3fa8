"""Warnings go through one function, which points them at the caller's line."""

import re
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmark as rm

SOURCE = Path(__file__).resolve().parents[2] / "src" / "rankmark"


@pytest.mark.slow
def test_nobody_warns_past_the_function_that_finds_the_callers_line() -> None:
    warning = [
        path.name
        for path in SOURCE.rglob("*.py")
        if re.search(r"\bwarnings\.warn\(", path.read_text("utf-8")) and path.name != "errors.py"
    ]
    assert not warning


def test_a_warning_points_at_the_line_of_the_caller() -> None:
    odd = pl.DataFrame({"qid": ["q"], "docid": ["d"], "title": ["a"]})
    calls: list[Any] = [
        lambda: rm.Run(odd),
        lambda: rm.Qrels(odd),
        lambda: rm.evaluate({"q": ["d"]}, odd),
        lambda: rm.explain({"q": ["d"]}, odd, "q", "RR"),
        lambda: rm.compare_rankings(odd, odd),
        lambda: rm.evaluate({"q": ["d"]}, {"q": ["e"]}),
        lambda: rm.evaluate({"q": {"d": 0.5}}, {"q": ["d"]}, "RR"),
    ]
    for call in calls:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        assert {one.filename for one in caught} == {__file__}, [str(one.message) for one in caught]
