"""The index of a column of pandas holds queries or documents, and is never read as positions."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm
from unit.data.labelled_frames import FOUND, GOLD, JUDGED, MEASURES, RUN, WANTED, frame, scored

RANKED = FOUND.groupby("user_id")["item_id"].agg(list)  # stands best first


def pairs(rows: pd.DataFrame, *index: str) -> pd.Series:
    return rows.set_index(list(index)).iloc[:, -1]


def of_dicts(rows: pd.DataFrame) -> pd.Series:
    return pd.Series(
        {user: dict(zip(held.iloc[:, 1], held.iloc[:, 2], strict=True))
         for user, held in rows.groupby("user_id")}
    )  # fmt: skip


FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "two levels": lambda rows: pairs(rows, "user_id", "item_id"),
    "two levels the other way": lambda rows: rows.set_index(["item_id", "user_id"]).iloc[:, -1],
    "two levels without names": lambda rows: pairs(rows, "user_id", "item_id").rename_axis(
        [None, None]
    ),
    "two levels of categories": lambda rows: pairs(
        rows.astype({"user_id": "category", "item_id": "category"}), "user_id", "item_id"
    ),
    "nullable numbers": lambda rows: pairs(rows.convert_dtypes(), "user_id", "item_id"),
    "dicts by query": of_dicts,
    "dicts in another order": lambda rows: of_dicts(rows).iloc[::-1],
    "dicts by category": lambda rows: of_dicts(rows).set_axis(
        pd.CategoricalIndex(["u1", "u2"], categories=["u2", "x", "u1"])
    ),
}


@pytest.mark.parametrize("run_form", FORMS)
@pytest.mark.parametrize("qrels_form", FORMS)
def test_an_index_is_read_as_ids(qrels_form: str, run_form: str) -> None:
    assert scored(FORMS[qrels_form](JUDGED), FORMS[run_form](FOUND)) == scored(
        {query: GOLD[query] for query in (["u2", "u1"] if "another" in qrels_form else GOLD)}, RUN
    )


def test_what_groupby_gives_is_read_by_query() -> None:
    gold = JUDGED[JUDGED["label"] > 0].groupby("user_id")["item_id"].agg(list)
    wanted = scored({"u1": ["a"], "u2": ["c", "d"]}, {"u1": ["b", "a"], "u2": ["x", "c"]})
    for kind in (list, set, tuple, np.array):
        assert scored(gold.map(kind), RANKED) == wanted
        assert scored(gold, RANKED.iloc[::-1].map(kind) if kind is not set else RANKED) == wanted
    ev = rm.evaluate(gold, RANKED, MEASURES)
    columns = {"query_id": "user_id", "doc_id": "item_id"}
    assert ev.settings["run"] == {"form": "series of lists", "columns": columns}


def test_whole_numbers_of_users_are_ids_and_not_positions() -> None:
    gold = pd.Series([["a"], ["b"], ["c"]], index=pd.Index([1, 2, 3], name="user_id"))
    run = pd.Series([["c"], ["a"]], index=pd.Index([3, 1]))
    assert rm.evaluate(gold, run, "RR").per_query("RR") == {"1": 1.0, "2": 0.0, "3": 1.0}


def test_two_columns_without_an_index_meet_row_by_row() -> None:
    ev = rm.evaluate(pd.Series([["a"], ["b"]]), pd.Series([["a"], ["x", "b"]]), "RR")
    assert ev.per_query("RR") == {"0": 1.0, "1": 0.5}


def test_a_row_that_is_missing_is_no_ranking() -> None:
    holey = RANKED.reindex(["u1", "u3"])
    with pytest.raises(
        rm.SchemaError, match="'u3' has nan instead of a list; drop it, or replace it"
    ):
        scored(GOLD, holey)


def test_a_query_that_stands_twice_is_refused() -> None:
    with pytest.raises(rm.DuplicateError, match="run <series>: query 'u1' appears twice in the"):
        scored(GOLD, pd.concat([RANKED, RANKED[:1]]))


@pytest.mark.parametrize("dtype", ["float64", "int64", "Int64", "Float64", "object"])
def test_one_query_has_its_documents_in_the_index(dtype: str) -> None:
    wanted = rm.evaluate({"a": 1, "b": 0}, {"b": 9, "a": 5}, MEASURES).scores.tolist()
    scores = pd.Series([9, 5], index=["b", "a"]).astype(dtype)
    assert scored(pd.Series({"a": 1, "b": 0}), scores) == wanted
    one = frame({"u1": {"b": 9, "a": 5}}, "score").set_index("item_id")["score"].astype(dtype)
    assert scored({"a": 1, "b": 0}, one) == wanted
    assert scored({5: 1, 7: 0}, pd.Series({7: 9, 5: 5}).astype(dtype)) == wanted


def test_a_column_of_ids_is_one_querys_ranking() -> None:
    wanted = rm.evaluate({"a"}, ["b", "a"], MEASURES).scores.tolist()
    assert scored({"a"}, FOUND[FOUND["user_id"] == "u1"]["item_id"]) == wanted
    numbers = pd.DataFrame({"item_id": [3, 5, 7]})[1:]["item_id"]
    assert rm.evaluate({7}, numbers, "RR")["RR"] == 0.5


def test_a_document_of_each_query_is_read_with_its_query() -> None:
    left_out = JUDGED[JUDGED["label"] > 0].groupby("user_id").first()["item_id"]
    assert left_out.index.name == "user_id"
    wanted = scored({"u1": {"a"}, "u2": {"c"}}, RUN)
    assert scored(left_out, RUN) == wanted
    assert scored(pd.Series({"u1": "a", "u2": "c"}), RUN) == wanted
    several = JUDGED[JUDGED["label"] > 0].set_index("user_id")["item_id"]
    assert scored(several, RUN) == scored({"u1": {"a"}, "u2": {"c", "d"}}, RUN)


@pytest.mark.parametrize(
    "unclear",
    [
        FOUND[1:]["score"],  # row numbers that are left are no ids
        FOUND.set_index("user_id")["score"],
        pd.Series([1.0], index=pd.Index(["a"], name="film")),
        pd.Series(["a"], index=pd.Index(["a"], name="film")),
    ],
)
def test_what_stays_unclear_is_refused_with_what_to_write(unclear: pd.Series) -> None:
    with pytest.raises(rm.SchemaError, match=r"say what they are: series\.rename_axis"):
        scored(GOLD, unclear)


def test_a_level_without_a_name_beside_one_with_is_no_document() -> None:
    best = FOUND.groupby("user_id")["score"].nlargest(1)  # (user, number of the row)
    with pytest.raises(rm.SchemaError, match="2 levels, and a level without a name; need"):
        scored(GOLD, best)


def test_a_missing_number_is_refused_by_its_document() -> None:
    with pytest.raises(
        rm.SchemaError, match=r"the value of 'a' is missing; fill it, or drop it: dropna\(\)"
    ):
        scored({"a": 1}, pd.Series({"b": 1.0, "a": None}))
    with pytest.raises(rm.SchemaError, match="'score' is null; drop the row"):
        scored(GOLD, pairs(FOUND.assign(score=[1.0, None, 2.0, 3.0]), "user_id", "item_id"))


def test_times_are_no_ids() -> None:
    times = pd.Series([["a"]], index=pd.DatetimeIndex(["2026-01-01"]))
    with pytest.raises(rm.SchemaError, match=r"Timestamp\('2026-01-01.*need an id: text or"):
        scored(times, {"q": ["a"]})


def test_numbers_row_by_row_need_the_same_index() -> None:
    labels = pd.Series([1, 0, 2], index=[7, 8, 9])
    scores, groups = labels * 0.5, pd.Series(["q", "q", "p"], index=[7, 8, 9])
    wanted = scored(labels.to_numpy(), scores.to_numpy(), groups=["q", "q", "p"])
    assert scored(labels, scores, groups=groups) == wanted
    assert scored(labels, scores.to_numpy(), groups=groups) == wanted
    assert scored(labels.astype("Int64"), scores, groups=groups) == wanted
    with pytest.raises(rm.SchemaError, match=r"Series with different indexes; reorder one to "):
        scored(labels, scores[::-1], groups=["q", "q", "p"])
    with pytest.raises(rm.SchemaError, match="groups and the run are Series with different index"):
        scored(labels, scores[::-1], groups=groups)


@pytest.mark.parametrize("by", ["mapping", "list"])
def test_the_series_of_each_query_is_read_by_its_index(by: str) -> None:
    def given(held: dict[str, Any]) -> Any:
        return held if by == "mapping" else list(held.values())

    gold = given(GOLD)
    of_user = dict(iter(FOUND.groupby("user_id")))
    scores = {user: rows.set_index("item_id")["score"] for user, rows in of_user.items()}
    assert scored(gold, given(scores)) == WANTED
    assert scored(gold, given({user: pd.Series(held) for user, held in RUN.items()})) == WANTED
    ids = {user: rows["item_id"] for user, rows in of_user.items()}
    assert scored(gold, given(ids)) == WANTED
    with pytest.raises(
        rm.SchemaError,
        match=r"a Series may hold ids or numbers; give \.tolist\(\) for ids in order, or",
    ):
        scored(gold, given({user: rows["score"] for user, rows in of_user.items()}))


def test_every_verb_reads_an_index() -> None:
    gold, run = of_dicts(JUDGED), of_dicts(FOUND)
    assert rm.check(gold, run).ok
    assert rm.explain(gold, run, "u2", "RR").value == 0.5
    assert rm.Qrels(gold).query_ids == ("u1", "u2")
    assert rm.compare_rankings(run, run.iloc[::-1], "overlap@2").scores.tolist() == [[1.0]] * 2
    assert scored(rm.Qrels(gold), rm.Run(run)) == WANTED


def test_series_are_never_changed() -> None:
    gold, run = of_dicts(JUDGED), pairs(FOUND, "user_id", "item_id")
    before = gold.copy(deep=True), run.copy(deep=True)
    scored(gold, run)
    pd.testing.assert_series_equal(gold, before[0])
    pd.testing.assert_series_equal(run, before[1])


def test_a_column_of_lists_of_polars_meets_row_by_row() -> None:
    gold, run = pl.Series([["a"], ["b", "c"]]), pl.Series([["a", "x"], ["x", "b"]])
    assert rm.evaluate(gold, run, "RR").per_query("RR") == {"0": 1.0, "1": 0.5}


@pytest.mark.slow
def test_a_recommenders_notebook_gets_the_number_of_the_matrices(shared_data: Path) -> None:
    ratings = shared_data / "movielens-small" / "ratings.csv"
    if not ratings.is_file():
        pytest.skip(f"MovieLens is not here ({ratings} is no file)")
    example = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "movielens.py"))
    data = example["read"](ratings)
    top = example["recommend"](example["popularity"](data.seen), data.seen)
    liked = data.truth.tocoo()
    test = pd.DataFrame({"user_id": data.users[liked.row], "item_id": data.films[liked.col]})
    gold = test[liked.data > 0].groupby("user_id")["item_id"].agg(list)
    run = pd.Series(list(data.films[top.films]), index=data.users)
    wanted = rm.evaluate(data.truth, top.films, "R@20", no_relevant="skip")["R@20"]
    assert rm.evaluate(gold, run, "R@20")["R@20"] == pytest.approx(wanted, abs=1e-15)
    assert round(wanted, 4) == 0.0828


@pytest.mark.parametrize("form", [list, np.array, pd.Series, pl.Series])
def test_users_counted_from_1_do_not_meet_rows_counted_from_0(form: Any) -> None:
    gold = pd.Series([["a"], ["b"], ["c"]], index=pd.Index([1, 2, 3], name="user_id"))
    rows = form([["a", "x"], ["b", "x"], ["c", "x"]])
    for qrels, run in ((gold, rows), (gold.to_dict(), rows), (rm.Qrels(list(gold)), gold)):
        with pytest.raises(
            rm.SchemaError,
            match=r"rows, numbered from 0, and the .* ids, such as '3', and no '0'",
        ):
            rm.evaluate(qrels, run, "RR")
    from_0 = gold.set_axis(pd.Index([0, 1, 2], name="user_id"))
    assert rm.evaluate(from_0, rows, "RR")["RR"] == 1.0
    assert rm.evaluate(gold, pd.Series(list(rows), index=gold.index), "RR")["RR"] == 1.0
