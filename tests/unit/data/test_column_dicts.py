"""A dict of columns is a table, and never a mapping of queries called as its columns are."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm

MEASURES = ["nDCG", "RR"]
GOLD = {"7": {"1": 1, "2": 0}, "8": {"3": 2}}
RUN = {"7": {"2": 0.9, "1": 0.5}, "8": {"9": 0.8, "3": 0.7}}
WANTED = rm.evaluate(GOLD, RUN, MEASURES).scores.tolist()


def frame(nested: Any, number: str) -> pd.DataFrame:
    rows = [(int(q), int(d), value) for q, held in nested.items() for d, value in held.items()]
    return pd.DataFrame(rows, columns=["user_id", "item_id", number])


JUDGED, FOUND = frame(GOLD, "label"), frame(RUN, "score")


def scored(qrels: Any, run: Any, **options: Any) -> Any:
    return rm.evaluate(qrels, run, MEASURES, **options).scores.tolist()


@pytest.mark.parametrize("form", ["list", "dict", "series", "records", "index"])
def test_what_to_dict_gives_is_read_as_the_frame(form: Any) -> None:
    ev = rm.evaluate(JUDGED.to_dict(form), FOUND.to_dict(form), MEASURES)
    assert ev.scores.tolist() == WANTED
    columns = {"query_id": "user_id", "doc_id": "item_id", "score": "score"}
    assert ev.settings["run"]["columns"] == columns


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_columns_may_be_any_sequences(kind: Any) -> None:
    gold, run = (
        {name: kind(column) for name, column in rows.to_dict("list").items()}
        for rows in (JUDGED, FOUND)
    )
    assert scored(gold, run) == WANTED
    assert rm.check(gold, run).ok
    assert rm.explain(gold, run, "8", "RR").value == 0.5
    assert rm.Run(run).source.description()["form"] == "dict of columns"


def test_columns_named_otherwise_are_told() -> None:
    odd = {"leser": [7, 7, 8, 8], "buch": [2, 1, 9, 3], "score": [0.9, 0.5, 0.8, 0.7]}
    named = {"query_id": "leser", "doc_id": "buch"}
    assert scored(GOLD, rm.Run(odd, columns=named)) == WANTED
    assert scored(GOLD, odd, run_columns=named) == WANTED


@pytest.mark.parametrize(
    ("held", "found"),
    [
        (
            {"user_id": [7], "film": [1]},
            r"'user_id', 'film', of which none is doc_id; choose with columns=\{'doc_id': NAME\},",
        ),
        (
            {"item_id": [7], "who": [1]},
            "of which none is query_id; choose with columns=",
        ),
        (
            {"user_id": [7], "item_id": [1, 2]},
            "and its values are not lists of equal length; make them so",
        ),
        (
            {"user_id": 7, "item_id": 1},
            "is a dict with the fields of one row, 'user_id', 'ite",
        ),
        ({"user_id": "7", "item_id": "1", "label": 1}, "put rows into a list, or a list into each"),
        (
            pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "label": [1]}).to_dict("tight"),
            "is a frame split into parts; give the frame itself, or its records",
        ),
        (
            {"index": [0], "columns": ["a"], "data": [[1]]},
            "is a frame split into parts; give the frame itself, or its records",
        ),
    ],
)
def test_what_looks_like_columns_and_is_no_table_is_refused(held: Any, found: str) -> None:
    with pytest.raises(rm.SchemaError, match=found):
        rm.Qrels(held)


@pytest.mark.parametrize(
    "unfinished",
    [
        lambda frame: frame.groupby("query_id"),
        lambda frame: frame.groupby("query_id")["label"],
        lambda frame: frame["label"].rolling(2),
        lambda frame: frame["label"].expanding(),
        lambda frame: frame.iloc,
        lambda frame: pl.from_pandas(frame).group_by("query_id"),
    ],
)
def test_what_is_not_yet_a_table_is_refused(unfinished: Any) -> None:
    frame = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "label": [1, 0]})
    with pytest.raises(rm.SchemaError, match="which is no table; give the frame itself"):
        rm.Qrels(unfinished(frame))


def test_queries_that_happen_to_be_called_as_columns_with_their_documents_are_queries() -> None:
    nested = {"user": {"a": 1, "b": 0}, "item": {"c": 1, "d": 1}}
    ev = rm.evaluate(nested, {"user": {"a": 1.0}, "item": {"x": 2.0, "c": 1.0}}, "RR")
    assert ev.per_query("RR") == {"user": 1.0, "item": 0.5}
    assert rm.evaluate({"query": ["a"]}, {"query": ["a"]}, "RR")["RR"] == 1.0
    odd = {"q": {"query_id": 1, "docid": 0}}  # documents called as fields are
    assert rm.Qrels(odd).doc_ids == ("query_id", "docid")


def test_mistakes_are_named_by_row_and_column() -> None:
    with pytest.raises(rm.SchemaError, match=r"run <columns>: row 1 .*: 'item_id' holds None"):
        rm.Run({"user_id": [7, 7], "item_id": [1, None]})
    with pytest.raises(rm.SchemaError, match=r"row 0 \(from 0\): 'score' is 'high'; need a number"):
        rm.Run({"user_id": [7], "item_id": [1], "score": ["high"]})


@pytest.mark.parametrize("orient", ["columns", "records", "index", "list"])
def test_what_to_json_writes_is_read_as_the_frame(orient: Any, tmp_path: Path) -> None:
    paths = []
    for name, rows in (("gold", JUDGED), ("run", FOUND)):
        path = tmp_path / f"{name}.json"
        if orient == "list":
            path.write_text(json.dumps(rows.to_dict("list")), encoding="utf-8")
        else:
            rows.to_json(path, orient=orient)
        paths.append(path)
    ev = rm.evaluate(*paths, MEASURES)
    assert ev.scores.tolist() == WANTED
    columns = {"query_id": "user_id", "doc_id": "item_id", "score": "score"}
    assert ev.settings["run"]["columns"] == columns
    named = {"query_id": "leser", "doc_id": "buch"}
    odd = FOUND.rename(columns={"user_id": "leser", "item_id": "buch"})
    if orient == "columns":
        odd.to_json(tmp_path / "odd.json")
        assert scored(GOLD, rm.Run(tmp_path / "odd.json", columns=named)) == WANTED


def test_json_that_looks_like_columns_and_is_no_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gold.json"
    path.write_text('{"user_id": ["a", "b"], "item_id": ["c"]}', encoding="utf-8")
    with pytest.raises(
        rm.SchemaError,
        match=r"gold\.json: its keys look like .* and its values are not lists of equal length",
    ):
        rm.Qrels(path)
