"""The page of inputs by form: each is tried as judgments and as a run, and what comes is written.

    python tests/conformance/inputs_by_form.py    # writes docs/inputs-by-form.md

To add a form, add a case: what people call it, and how they write it.
"""

import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse

import rankmark as rm

PAGE = Path(__file__).resolve().parents[2] / "docs" / "inputs-by-form.md"
HEAD = """# Inputs by form

What is held, what it is read as, and what is refused with which words.
Each line was made by trying it, with `rm.Qrels(...)` and with `rm.evaluate(..., rm.Run(...))`.
[Inputs](inputs.md) explains the forms.

Every line begins with these:

```python
>>> import numpy as np, pandas as pd, polars as pl, pyarrow as pa, scipy.sparse
>>> log = pd.DataFrame(
...     {"user_id": ["u1", "u1", "u2"], "item_id": ["a", "b", "c"], "score": [2, 1, 1]}
... )
>>> labels = np.array([[2, 1, 0], [0, 0, 1]])
```
"""
LOG = {"user_id": ["u1", "u1", "u2"], "item_id": ["a", "b", "c"], "score": [2, 1, 1]}
NAMES = {
    "np": np, "pd": pd, "pl": pl, "pa": pa, "scipy": scipy, "rm": rm,
    "log": pd.DataFrame(LOG), "labels": np.array([[2, 1, 0], [0, 0, 1]]),
}  # fmt: skip


class Case(NamedTuple):
    """What people hold: what they call it, how it is written, and what is said of it besides."""

    held: str
    written: str
    said: str = ""


CASES: dict[str, list[Case]] = {
    "Mappings": [
        Case("numbers by query and document", '{"q": {"a": 2, "b": 1}}'),
        Case("ids by query", '{"q": ["a", "b"]}'),
        Case("sets by query", '{"q": {"a"}}'),
        Case("pairs by query", '{"q": [("a", 2.0), ("b", 1.0)]}'),
        Case("one document by query", '{"q": "a", "p": "b"}'),
        Case("one query's numbers", '{"a": 2, "b": 1}'),
        Case("a query without documents", '{"q": {"a": 1}, "p": {}}'),
        Case("text for a number", '{"q": {"a": "high"}}'),
        Case("a fraction for an id", '{"q": {1.5: 1}}'),
    ],
    "Lists and rows": [
        Case("ids of one query", '["a", "b"]'),
        Case("lists by place", '[["a"], ["b", "c"]]'),
        Case("rows as tuples", '[("q", "a", 2.0), ("q", "b", 1.0)]'),
        Case("rows as dicts", 'log.to_dict("records")'),
        Case("rows as dicts with lists", '[{"user_id": "u1", "items": ["a", "b"]}]'),
        Case("rows of four", '[("q", 0, "a", 1)]'),
    ],
    "Frames of pandas": [
        Case("a row a document", "log"),
        Case("queries in the index", 'log.set_index("user_id")'),
        Case("both ids in the index", 'log.set_index(["user_id", "item_id"])'),
        Case("a row a query, lists", 'log.groupby("user_id").agg(list)'),
        Case(
            "wide",
            'log.pivot(index="user_id", columns="item_id", values="score").fillna(0)',
        ),
        Case("wide, not full", 'log.pivot(index="user_id", columns="item_id", values="score")'),
        Case("wide, ids as numbers", "pd.DataFrame([[2, 1]], index=[7], columns=[50, 60])"),
        Case("wide, without names", 'pd.DataFrame({"x": [2], "y": [1]}, index=["u1"])'),
        Case("of numbers alone", "pd.DataFrame(labels)"),
        Case("names that nobody knows", 'log.rename(columns={"item_id": "film"})'),
        Case(
            "the same, and told",
            'log.rename(columns={"item_id": "film"})',
            'columns={"doc_id": "film"}',
        ),
        Case("two ids that could be meant", 'log.assign(chunk_id="a-1")'),
        Case("PyTerrier's", 'log.set_axis(["qid", "docno", "score"], axis=1).assign(docid=7)'),
        Case("a missing value", 'log.assign(score=pd.array([2, None, 1], dtype="Int64"))'),
        Case("scores as text", 'log.assign(score=["2", "1", "1"])'),
        Case("timestamps as scores", 'log.assign(score=pd.to_datetime("2026-01-01"))'),
        Case("a document twice", "pd.concat([log, log])"),
    ],
    "Series of pandas": [
        Case("lists by query", 'log.groupby("user_id")["item_id"].agg(list)'),
        Case("dicts by query", 'pd.Series({"u1": {"a": 2, "b": 1}})'),
        Case("lists, rows only counted", 'pd.Series([["a"], ["b", "c"]])'),
        Case("numbers by query and document", 'log.set_index(["user_id", "item_id"])["score"]'),
        Case("numbers by query and row", 'log.groupby("user_id")["score"].nlargest(1)'),
        Case("numbers by document", 'log[:2].set_index("item_id")["score"]'),
        Case("numbers by query", 'log.set_index("user_id")["score"]'),
        Case("a document of each query", 'log.set_index("user_id")["item_id"]'),
        Case("ids of one query", 'log[log.user_id == "u1"]["item_id"]'),
        Case("numbers cut out of a frame", 'log[log.user_id == "u2"]["score"]'),
        Case("a list is missing", 'pd.Series([["a"], None], index=["u1", "u2"])'),
    ],
    "Polars and Arrow": [
        Case("a row a document", "pl.from_pandas(log)"),
        Case(
            "a row a query, lists",
            'pl.from_pandas(log).group_by("user_id", maintain_order=True).all()',
        ),
        Case(
            "a row a query, structs",
            'pl.DataFrame({"user": ["u1"], "items": [[{"item_id": "a", "score": 2.0}]]})',
        ),
        Case("an Arrow table", "pa.Table.from_pandas(log)"),
        Case("decimals", 'pl.from_pandas(log).cast({"score": pl.Decimal(10, 2)})'),
        Case("a lazy frame", "pl.from_pandas(log).lazy()"),
        Case("a column of lists", 'pl.Series([["a"], ["b", "c"]])'),
        Case("a struct for an id", 'pl.DataFrame({"qid": ["q"], "docid": [{"x": 1}]})'),
    ],
    "Dicts of columns": [
        Case("lists by name", 'log.to_dict("list")'),
        Case("{row: value} by name", "log.to_dict()"),
        Case("rows by number", 'log.to_dict("index")'),
        Case("a frame in parts", 'log.to_dict("split")'),
        Case("lists of lists", '{"user_id": ["u1"], "items": [["a", "b"]]}'),
        Case("one row", '{"user_id": "u1", "item_id": "a"}'),
        Case("a name that nobody knows", '{"user_id": ["u1"], "film": ["a"]}'),
        Case("unequal lengths", '{"user_id": ["u1"], "item_id": ["a", "b"]}'),
    ],
    "Arrays and matrices": [
        Case("numbers, queries x items", "labels * 0.5"),
        Case("whole numbers", "labels"),
        Case("whole numbers, and told", "np.array([[2, 1], [0, 2]])", 'holds="ids"'),
        Case("with groups", "np.array([2.0, 1.0, 1.0])", "groups=[2, 1]"),
        Case("one dimension", "np.array([2.0, 1.0, 1.0])"),
        Case("text", 'np.array([["a", "b"]])'),
        Case("NaN for nothing", "np.array([[2.0, np.nan]])"),
        Case("sparse", "scipy.sparse.csr_array(labels)"),
    ],
}


def outcome(case: Case, kind: str) -> str:
    """Say what a case is read as, or what it is refused with."""
    made = eval(case.written, dict(NAMES))
    said = eval(f"dict({case.said})", dict(NAMES))
    try:
        prepared: Any = rm.Qrels(made, **said) if kind == "qrels" else rm.Run(made, **said)
        if kind == "run":
            rm.evaluate(_judgments_for(made, said), prepared)
    except rm.RankmarkError as error:
        return f"**refused**: {error}".replace("<", "&lt;")
    taken = dict(prepared.source.description())
    read = taken.pop("form")
    columns = taken.pop("columns", {})
    shown = [f"{role}={name}" for role, name in columns.items()]
    shown += [f"{name} {_by(value)}" for name, value in taken.items()]
    return f"{read}: {', '.join(shown)}" if shown else str(read)


def _judgments_for(made: Any, said: dict[str, Any]) -> Any:
    """Give judgments that meet a run: the same thing as judgments, if it can be that."""
    try:
        return rm.Qrels(made, **said)
    except rm.RankmarkError:
        return {query: ["a"] for query in ("q", "p", "u1", "u2", "0", "1")}


def _by(value: Any) -> str:
    return " x ".join(map(str, value)) if isinstance(value, list) else str(value)


def page() -> str:
    """Write the page."""
    parts = [HEAD]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.RankmarkWarning)
        for title, cases in CASES.items():
            parts.append(f"\n## {title}\n\n| held | as judgments | as a run |\n|---|---|---|\n")
            for case in cases:
                written = f"`{case.written}`" + (f", `{case.said}`" if case.said else "")
                told = [outcome(case, kind).replace("|", "\\|") for kind in ("qrels", "run")]
                if told[0].replace("qrels", "run").replace("label", "score") == told[1]:
                    told[1] = "the same"
                parts.append(f"| {case.held}<br>{written} | {' | '.join(told)} |\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE}", file=sys.stderr)
