"""The label and the score of a table never come from one column, whatever its form."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections import namedtuple
from collections.abc import Callable
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import rankmark as rm
from unit.commands import rankmark_here

USERS, ITEMS = ["u1"] * 3 + ["u2"] * 3, list("abc") * 2
CLICKED, PRED = [0, 1, 0, 1, 0, 0], [0.9, 0.4, 0.7, 0.3, 0.8, 0.5]
RIGHT = {"nDCG@10": 0.5, "RR": 1 / 3}  # both are third: 1 / log2(4), and 1 / 3

LABELS = [
    *("label", "relevance", "rel", "grade", "gain", "judgment", "is_relevant", "relevant"),
    *("target", "y", "y_true", "clicked", "click", "purchased", "truth", "ground_truth", "gt"),
    *("qrel", "rating", "stars", "bought", "liked", "converted", "helpful", "watched"),
]
SCORES = ["pred", "prediction", "y_pred", "proba", "score"]
Columns = dict[str, list[Any]]


def table(label: str, score: str) -> Columns:
    return {"user_id": USERS, "item_id": ITEMS, label: CLICKED, score: PRED}


def structured(columns: Columns) -> Any:
    kinds = ["U2", "U1", *["f8"] * (len(columns) - 2)]
    rows = [*zip(*columns.values(), strict=True)]
    return np.array(rows, dtype=[*zip(columns, kinds, strict=True)])


def texts(columns: Columns) -> Any:
    return [*csv.DictReader(io.StringIO(pd.DataFrame(columns).to_csv(index=False)))]


def named_tuples(columns: Columns) -> Any:
    row = namedtuple("row", [*columns])  # type: ignore[misc]  # noqa: PYI024
    return [row(*values) for values in zip(*columns.values(), strict=True)]


def csv_file(columns: Columns, path: Path, separator: str) -> Path:
    pd.DataFrame(columns).to_csv(path, index=False, sep=separator)
    return path


def json_file(columns: Columns, path: Path, orient: Any) -> Path:
    pd.DataFrame(columns).to_json(path, orient=orient, lines=path.suffix == ".jsonl")
    return path


def arrow_file(columns: Columns, path: Path) -> Path:
    if path.suffix == ".parquet":
        parquet.write_table(pa.table(columns), path)
    else:
        feather.write_feather(pa.table(columns), path)
    return path


FORMS: dict[str, Callable[[Columns, Path], Any]] = {
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "pandas of objects": lambda columns, _: pd.DataFrame(columns, dtype=object),
    "pandas with an index": lambda columns, _: pd.DataFrame(columns).set_index("user_id"),
    "Polars": lambda columns, _: pl.DataFrame(columns),
    "lazy": lambda columns, _: pl.LazyFrame(columns),
    "Arrow": lambda columns, _: pa.table(columns),
    "reader": lambda columns, _: pa.table(columns).to_reader(),
    "dict of columns": lambda columns, _: columns,
    "dict of dicts": lambda columns, _: pd.DataFrame(columns).to_dict(),
    "records": lambda columns, _: pd.DataFrame(columns).to_dict("records"),
    "csv.DictReader": lambda columns, _: texts(columns),
    "dict of columns of text": lambda columns, _: {
        name: [*map(str, values)] for name, values in columns.items()
    },
    "named tuples": lambda columns, _: named_tuples(columns),
    "structured array": lambda columns, _: structured(columns),
    "CSV": lambda columns, folder: csv_file(columns, folder / "a.csv", ","),
    "TSV": lambda columns, folder: csv_file(columns, folder / "a.tsv", "\t"),
    "CSV with semicolons": lambda columns, folder: csv_file(columns, folder / "b.csv", ";"),
    "JSON": lambda columns, folder: json_file(columns, folder / "a.json", "records"),
    "JSON of columns": lambda columns, folder: json_file(columns, folder / "b.json", "columns"),
    "JSON Lines": lambda columns, folder: json_file(columns, folder / "a.jsonl", "records"),
    "Parquet": lambda columns, folder: arrow_file(columns, folder / "a.parquet"),
    "Arrow file": lambda columns, folder: arrow_file(columns, folder / "a.arrow"),
}


def outcome(qrels: Any, run: Any, **options: Any) -> str:
    """Return the right number as "read", what is refused as "refused", all else as it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            means = dict(rm.evaluate(qrels, run, [*RIGHT], **options))
        except rm.SchemaError as error:
            return "refused" if error.remedy and "choose with columns=" in error.remedy else "!"
    return "read" if means == pytest.approx(RIGHT) else str(means)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.slow
def test_each_pair_of_everyday_names_is_read_or_refused(form: str, tmp_path: Path) -> None:
    make = FORMS[form]
    # Names go by one list in all forms: every pair is tried in some, and every name in each.
    pairs = [*product(LABELS, SCORES)]
    if form not in {"pandas", "dict of columns", "records", "CSV", "JSON", "Parquet"}:
        many = max(len(LABELS), len(SCORES))
        pairs = [*islice(zip(cycle(LABELS), cycle(SCORES), strict=False), many)]
    for label, score in pairs:
        wanted = "refused" if label in {"helpful", "watched"} else "read"
        one = make(table(label, score), tmp_path)
        if form == "reader":
            one = one.read_all()
        assert outcome(one, one) == wanted, (label, score)


@pytest.mark.parametrize("form", FORMS)
def test_judgments_and_predictions_in_two_tables(form: str, tmp_path: Path) -> None:
    make = FORMS[form]
    (tmp_path / "run").mkdir()
    for label, score in [("clicked", "pred"), ("y_true", "y_score"), ("stars", "est")]:
        both = table(label, score)
        alone = {name: values for name, values in both.items() if name != label}
        assert outcome(make(both, tmp_path), make(alone, tmp_path / "run")) == "read"


@pytest.mark.parametrize("form", FORMS)
def test_numbers_without_a_usual_name_are_refused_by_name(form: str, tmp_path: Path) -> None:
    make = FORMS[form]
    with pytest.raises(rm.SchemaError, match=r"'helpful'.*columns={'label': 'helpful'}"):
        rm.Qrels(make(table("helpful", "pred"), tmp_path))
    with pytest.raises(rm.SchemaError, match=r"'zorp'.*columns={'score': 'zorp'}"):
        rm.evaluate({"u1": {"b"}}, make(table("clicked", "zorp"), tmp_path))
    both = make(table("helpful", "zorp"), tmp_path)
    if form == "reader":
        both = both.read_all()
    said = {"label": "helpful", "score": "zorp"}
    assert rm.evaluate(both, both, [*RIGHT], columns=said).means == pytest.approx(RIGHT)


@pytest.mark.parametrize("form", FORMS)
def test_predictions_alone_are_no_judgments_and_labels_alone_no_run(
    form: str, tmp_path: Path
) -> None:
    make = FORMS[form]
    ids = {"user_id": USERS, "item_id": ITEMS}
    for name in ("pred", "proba", "y_pred", "similarity"):
        with pytest.raises(rm.SchemaError, match=f"no column .* label.*'{name}' holds numbers"):
            rm.Qrels(make({**ids, name: PRED}, tmp_path))
    for name in ("clicked", "relevance", "y_true", "gt"):
        with pytest.raises(rm.SchemaError, match=f"no column .* score.*'{name}' holds numbers"):
            rm.evaluate({"u1": {"b"}}, make({**ids, name: CLICKED}, tmp_path))


@pytest.mark.parametrize("name", ["score", "rating"])
@pytest.mark.parametrize("form", FORMS)
def test_one_column_that_may_be_either_is_not_both(form: str, name: str, tmp_path: Path) -> None:
    make = FORMS[form]
    columns = {"user_id": USERS, "item_id": ITEMS, name: PRED}
    one, other = make(columns, tmp_path), make(columns, tmp_path)
    with pytest.raises(rm.SchemaError, match=f"labels and scores in one column '{name}'"):
        rm.evaluate(one, other, [*RIGHT])


@pytest.mark.parametrize("form", FORMS)
def test_no_score_gives_way_to_another(form: str, tmp_path: Path) -> None:
    one = FORMS[form]({**table("clicked", "pred"), "score": CLICKED}, tmp_path)
    with pytest.raises(rm.SchemaError, match="'pred' and 'score' could both be score"):
        rm.evaluate({"u1": {"b"}}, one, [*RIGHT])
    assert outcome({"u1": {"b"}, "u2": {"a"}}, one, run_columns={"score": "pred"}) == "read"


FRAMES_OF_TEXT: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "pandas of objects": lambda frame: frame.astype(object),
    "pandas of categories": lambda frame: frame.astype("category"),
    "Polars": pl.from_pandas,
    "Polars of categories": lambda frame: pl.from_pandas(frame).cast(pl.Categorical),
    "Arrow": pa.Table.from_pandas,
    "records": lambda frame: frame.to_dict("records"),
}


@pytest.mark.parametrize("form", FRAMES_OF_TEXT)
@pytest.mark.parametrize("values", [["0", "1", "0"], ["0.5", "", "1e-3"], ["90%", "5 %", "1.5%"]])
def test_numbers_in_text_are_not_left_unread(form: str, values: list[str]) -> None:
    ids = {"user_id": ["u1"] * 3, "item_id": list("abc")}
    given = FRAMES_OF_TEXT[form](pd.DataFrame({**ids, "outcome": values}, dtype="str"))
    with pytest.raises(rm.SchemaError, match="'outcome' holds numbers, which would be left unread"):
        rm.Qrels(given)
    with pytest.raises(rm.SchemaError, match="'outcome' holds numbers, which would be left unread"):
        rm.evaluate({"u1": {"b"}}, given, "RR")


def test_a_column_of_words_beside_scores_is_no_score() -> None:
    run = {"user_id": USERS, "item_id": ITEMS, "confidence": ["high"] * 6, "score": PRED}
    for form in (pd.DataFrame(run), pl.DataFrame(run), run, pd.DataFrame(run).to_dict("records")):
        assert outcome({"u1": {"b"}, "u2": {"a"}}, form) == "read"


def test_time_stamps_and_numbers_of_rows_are_neither() -> None:
    frame = pd.DataFrame(
        {"user_id": USERS, "item_id": ITEMS, "rating": PRED, "timestamp": range(6), "recipeId": 1}
    )
    assert rm.Run(frame).source.description()["columns"]["score"] == "rating"
    with pytest.warns(rm.RankmarkWarning, match="so every row is relevant"):
        assert rm.Qrels(frame.drop(columns="rating")).rows == 6


def test_a_score_is_the_label_of_judgments_as_in_beir_unless_others_may_be() -> None:
    judged = pl.DataFrame({"query-id": USERS, "corpus-id": ITEMS, "score": CLICKED})
    assert rm.Qrels(judged).rows == 6
    with pytest.raises(rm.SchemaError, match="'score', 'helpful' hold numbers"):
        rm.Qrels(judged.with_columns(helpful=1))


def test_one_dict_in_both_places_is_told() -> None:
    both = {"1": {"a": 0.9, "b": 0.4}}
    with pytest.warns(rm.RankmarkWarning, match="the same numbers for the same documents"):
        rm.evaluate(both, both, "nDCG@10")
    with pytest.warns(rm.RankmarkWarning, match="the same numbers"):
        rm.evaluate(both, json.loads(json.dumps(both)), "nDCG@10")
    values = np.array([[0.3, 0.9], [0.2, 0.1]])
    with pytest.warns(rm.RankmarkWarning, match="the same numbers"):
        rm.evaluate(values, values, "nDCG@10")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.evaluate({"1": {"a": 1, "b": 0}}, {"1": {"a": 1, "b": 0}}, "nDCG@10")
        rm.evaluate(both, {"1": {"a": 7.5, "b": 0.1}}, "nDCG@10")


def test_one_file_with_a_label_and_a_score_is_no_cause_for_doubt(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("query,doc,relevance,score\n1,a,0,.9\n1,b,1,.4\n1,c,0,.3\n")
    done = rankmark_here("evaluate", path, path, "-m", "nDCG@10")
    assert (done.returncode, done.stderr) == (0, "")
    assert "0.6309" in done.stdout
    path.write_text("user_id,item_id,helpful,pred\nu1,a,0,.9\nu1,b,1,.4\n")
    done = rankmark_here("evaluate", path, path, "-m", "nDCG@10")
    assert done.returncode == 1
    assert "--column label=helpful" in done.stderr
