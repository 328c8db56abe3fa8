"""Frames of every layout: long, with ids in the index, wide, and with lists in their columns."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm
from unit.data.labelled_frames import FOUND, GOLD, JUDGED, MEASURES, RUN, WANTED, frame, scored


@pytest.mark.parametrize(
    "index", [["user_id"], ["item_id"], ["user_id", "item_id"], ["item_id", "user_id"]]
)
def test_ids_are_taken_from_the_index_by_its_names(index: list[str]) -> None:
    assert scored(JUDGED.set_index(index), FOUND.set_index(index)) == WANTED
    coded = FOUND.astype({"user_id": "category", "item_id": "category"}).set_index(index)
    assert scored(JUDGED.set_index(index).astype({"label": "Int8"}), coded) == WANTED


def test_an_index_named_otherwise_can_be_chosen_and_else_is_told_of() -> None:
    odd = FOUND.rename(columns={"user_id": "leser"}).set_index("leser")
    assert scored(GOLD, odd, columns={"query_id": "leser"}) == WANTED
    with pytest.raises(rm.SchemaError, match="it has 'item_id', 'score', 'leser'; choose with"):
        scored(GOLD, odd)
    with pytest.raises(
        rm.SchemaError, match=r"if its index holds ids, name it: frame\.rename_axis"
    ):
        scored(GOLD, odd.rename_axis(None))


def test_columns_go_before_an_index_of_the_same_name() -> None:
    both = FOUND.set_index(pd.Index(["w", "x", "y", "z"], name="user_id"))
    assert scored(GOLD, both) == WANTED


def test_nulls_in_an_index_are_refused() -> None:
    holey = FOUND.assign(user_id=["u1", None, "u2", "u2"]).set_index("user_id")
    with pytest.raises(rm.SchemaError, match=r"row 1 \(from 0\): 'user_id' is null"):
        scored(GOLD, holey)


def wide(nested: Any, number: str, fill: float) -> pd.DataFrame:
    return (
        frame(nested, number).pivot(index="user_id", columns="item_id", values=number).fillna(fill)
    )


FULL_GOLD = {user: {item: held.get(item, 0) for item in "abcd"} for user, held in GOLD.items()}
FULL_RUN = {user: {item: held.get(item, -1) for item in "abcx"} for user, held in RUN.items()}


def test_a_wide_frame_meets_by_ids_and_not_by_places() -> None:
    wanted = scored(FULL_GOLD, FULL_RUN)
    gold, run = wide(GOLD, "label", 0), wide(RUN, "score", -1)
    assert gold.shape == run.shape  # of other documents
    assert scored(gold, run) == wanted
    assert scored(gold, run.iloc[::-1, ::-1]) == wanted
    assert scored(gold.reset_index(), run) == wanted
    assert scored(gold.convert_dtypes(), run.astype(object)) == wanted
    assert scored(FULL_GOLD, run) == scored(gold, FULL_RUN) == wanted
    ev = rm.evaluate(gold, run)
    assert ev.settings["run"] == {"form": "wide frame", "shape": [2, 4]}
    found = rm.explain(gold, run.iloc[:, ::-1], "u2", "RR").rows
    assert [row["doc_id"] for row in found][:2] == ["x", "c"]


def test_a_wide_frame_of_numbers_as_ids_needs_no_names() -> None:
    labels = pd.DataFrame([[1, 0], [0, 1]], index=[7, 8], columns=[50, 60])
    scores = pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], index=[8, 7], columns=[60, 50])
    assert rm.evaluate(labels, scores, "RR").per_query("RR") == {"7": 1.0, "8": 0.5}


def test_what_is_not_there_in_a_wide_frame_is_left_out_by_stack() -> None:
    gold = JUDGED.pivot(index="user_id", columns="item_id", values="label")
    with pytest.raises(
        rm.SchemaError,
        match=r"query 'u1', document 'c': the value is missing; .*: frame.stack\(\).dropna\(\)",
    ):
        scored(gold, RUN)
    assert scored(gold.stack().dropna(), RUN) == WANTED


@pytest.mark.parametrize(
    "unclear",
    [
        pd.DataFrame([[1, 0], [0, 1]]),
        pd.DataFrame([[1, 5, 4]], index=[3]),
        pd.DataFrame({"film": [5], "stars": [4]}, index=["u1"]),
        pd.DataFrame({"film": [5], "stars": [4]}, index=pd.Index([1], name="user_id")),
    ],
)
def test_columns_that_may_be_fields_are_not_taken_for_documents(unclear: pd.DataFrame) -> None:
    with pytest.raises(rm.SchemaError, match=r"columns documents, say so: frame\.rename_axis"):
        scored(unclear, unclear)
    if unclear.index.name is None:
        named = unclear.rename_axis(index="query_id", columns="doc_id")
        assert rm.Qrels(named).source.description()["form"] == "wide frame"


def test_a_wide_frame_with_a_query_twice_is_refused() -> None:
    twice = wide(RUN, "score", 0).rename(index={"u2": "u1"})
    with pytest.raises(rm.DuplicateError, match="query 'u1', document 'a': document 'a' appears"):
        scored(GOLD, twice)


def listed(nested: Any, number: str) -> pl.DataFrame:
    """Give a row a query, documents and numbers in lists."""
    return pl.DataFrame(
        {
            "user_id": list(nested),
            "items": [list(held) for held in nested.values()],
            number: [list(held.values()) for held in nested.values()],
        }
    )


def of_structs(nested: Any, number: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "user_id": list(nested),
            "found": [
                [{"item_id": item, number: value} for item, value in held.items()]
                for held in nested.values()
            ],
        }
    )


LISTS: dict[str, Callable[[Any, str], Any]] = {
    "Polars": listed,
    "Arrow": lambda nested, number: listed(nested, number).to_arrow(),
    "Arrow stream": lambda nested, number: listed(nested, number).to_arrow().to_reader(),
    "Arrow batch": lambda nested, number: listed(nested, number).to_arrow().to_batches()[0],
    "pandas": lambda nested, number: listed(nested, number).to_pandas(),
    "pandas of Arrow": lambda nested, number: (
        listed(nested, number).to_arrow().to_pandas(types_mapper=pd.ArrowDtype)
    ),
    "pandas with an index": lambda nested, number: (
        listed(nested, number).to_pandas().set_index("user_id")
    ),
    "pandas with an index without a name": lambda nested, number: (
        listed(nested, number).to_pandas().set_index("user_id").rename_axis(None)
    ),
    "dict of columns": lambda nested, number: listed(nested, number).to_dict(as_series=False),
    "rows": lambda nested, number: listed(nested, number).to_dicts(),
}


@pytest.mark.parametrize("run_form", LISTS)
@pytest.mark.parametrize("qrels_form", LISTS)
def test_lists_in_columns_are_read_by_query(qrels_form: str, run_form: str) -> None:
    ev = rm.evaluate(LISTS[qrels_form](GOLD, "label"), LISTS[run_form](RUN, "score"), MEASURES)
    assert ev.scores.tolist() == WANTED
    assert ev.settings["run"]["form"] == "frame of lists"


@pytest.mark.parametrize("kind", ["Polars", "Arrow", "pandas", "rows"])
def test_lists_of_structs_are_read_by_the_names_of_their_fields(kind: str) -> None:
    def given(nested: Any, number: str) -> Any:
        made = of_structs(nested, number)
        if kind == "Polars":
            return made
        return {"Arrow": made.to_arrow, "pandas": made.to_pandas, "rows": made.to_dicts}[kind]()

    columns = {"doc_id": "found"}
    ev = rm.evaluate(given(GOLD, "label"), given(RUN, "score"), MEASURES, columns=columns)
    assert ev.scores.tolist() == WANTED
    wanted = {"query_id": "user_id", "doc_id": "found.item_id", "score": "found.score"}
    assert ev.settings["run"]["columns"] == wanted


def test_lists_alone_are_relevant_or_in_order() -> None:
    gold = listed({"u1": {"a": 1}, "u2": {"c": 1, "d": 1}}, "label").drop("label")
    wanted = scored({"u1": {"a"}, "u2": {"c", "d"}}, {"u1": ["b", "a"], "u2": ["x", "c"]})
    assert scored(gold, listed(RUN, "score").drop("score")) == wanted
    assert scored(gold.to_arrow(), listed(RUN, "score").drop("score").to_pandas()) == wanted


@pytest.mark.parametrize("kind", ["Polars", "pandas", "Arrow"])
def test_a_query_without_documents_counts_as_in_a_mapping(kind: str) -> None:
    nested: Any = {**RUN, "u3": {}}
    run = listed(nested, "score")
    given = {"Polars": run, "pandas": run.to_pandas(), "Arrow": run.to_arrow()}[kind]
    judged = {**GOLD, "u3": {"a": 1}}
    ours, theirs = (rm.evaluate(judged, one, MEASURES) for one in (given, nested))
    assert ours.scores.tolist() == theirs.scores.tolist()
    assert ours.audit.to_dict() == theirs.audit.to_dict()


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (
            {"items": [["a"], None]},
            r"row 1 \(from 0\): 'items' is None; need a list as in",
        ),
        ({"items": [["a"], ["b"]], "score": [1.0, 2.0]}, "holds a list, and 'score' is 1.0; need"),
        (
            {"items": [["a"], ["b"]], "score": [[1.0], []]},
            r"row 1 \(from 0\): 'items' and 'score' hold lists of 1 and 0",
        ),
        (
            {"items": [["a"], ["b"]], "rank": [[1], [1]]},
            "'items' holds lists, whose order is the ranking, so ranks .*; drop the column 'rank'",
        ),
    ],
)
def test_lists_that_do_not_fit_are_refused_by_row(columns: Any, found: str) -> None:
    rows = {"user_id": ["u1", "u2"], **columns}
    for given in (pl.DataFrame(rows), pd.DataFrame(rows), pa.table(rows), rows):
        with pytest.raises(rm.SchemaError, match=found):
            scored(GOLD, given)


def test_a_query_in_two_rows_of_lists_is_refused() -> None:
    twice = pl.DataFrame({"user_id": ["u1", "u1"], "items": [["a"], ["b"]]})
    with pytest.raises(rm.DuplicateError, match=r"row 1 .*: query 'u1' appears twice, first in"):
        scored(GOLD, twice)


def test_lists_in_parquet_are_read(tmp_path: Any) -> None:
    listed(RUN, "score").write_parquet(tmp_path / "run.parquet")
    listed(GOLD, "label").write_parquet(tmp_path / "gold.parquet")
    assert scored(tmp_path / "gold.parquet", tmp_path / "run.parquet") == WANTED


def test_every_verb_reads_every_layout() -> None:
    gold, run = listed(GOLD, "label"), FOUND.set_index(["user_id", "item_id"])
    assert rm.check(gold, run, wide(RUN, "score", 0)).ok
    assert rm.explain(gold, run, "u2", "RR").value == 0.5
    assert rm.explain(gold, listed(RUN, "score"), "u2", "RR").value == 0.5
    same = rm.compare_rankings(listed(RUN, "score"), run, "overlap@2")
    assert same.scores.tolist() == [[1.0], [1.0]]


def test_layouts_are_never_changed() -> None:
    frames = [JUDGED.set_index("user_id"), wide(RUN, "score", 0), listed(RUN, "score").to_pandas()]
    for one in frames:
        before = one.copy(deep=True)
        rm.Run(one) if "score" in one or one.columns.name else rm.Qrels(one)
        pd.testing.assert_frame_equal(one, before)


def test_arrays_of_ids_in_a_column_are_lists() -> None:
    gold = pd.DataFrame({"user_id": [1, 2], "items": [np.array([5, 6]), np.array([7])]})
    assert rm.evaluate(gold, {1: [6], 2: [5]}, "RR").per_query("RR") == {"1": 1.0, "2": 0.0}


@pytest.mark.slow
def test_lists_give_the_same_with_and_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(0)
    ids = [[*map(str, dice.permutation(30)[: dice.integers(1, 9)])] for _ in range(50)]
    scores = [dice.choice([0.5, 1.5, 2.5], len(one)).tolist() for one in ids]
    run = pl.DataFrame({"user": np.arange(50), "items": ids, "score": scores})
    gold = {query: ["1", "5", "8"] for query in range(50)}
    for ties in ("docid", "input"):
        fast = rm.evaluate(gold, run, MEASURES, ties=ties)
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, "pyarrow", None)
            plain = rm.evaluate(gold, run, MEASURES, ties=ties)
        assert fast.scores.tobytes() == plain.scores.tobytes()
        assert fast.audit == plain.audit


def test_mistakes_in_lists_are_told_by_the_row_of_the_frame() -> None:
    holey = pl.DataFrame(
        {"user": ["u1", "u2"], "items": [["a", "b"], ["c"]], "score": [[1.0, 2.0], [float("nan")]]}
    )
    with pytest.raises(rm.SchemaError, match=r"row 1 \(from 0\): 'score' is NaN"):
        rm.evaluate(GOLD, holey)
    twice = pl.DataFrame({"user": ["u1", "u2"], "items": [["a"], ["c", "c"]]})
    with pytest.raises(rm.DuplicateError, match=r"row 1 .*'c' appears twice"):
        rm.evaluate(GOLD, twice)
    assert rm.evaluate(GOLD, twice, "RR", duplicates="first")["RR"] == 1.0
