"""What is known of items: catalogue, popularity, categories, vectors and groups, in any form."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankmark as rm
from generators.recommendations import CATEGORIES, HISTORY, LISTS, TEST
from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.preparing.item_data import ItemData
from rankmark.errors import InputError, SchemaError

PAIRS = [(item, name) for item, names in CATEGORIES.items() for name in names]
VECTORS = {item: [float(at), at % 2] for at, item in enumerate("abcde")}


def made(**given: Any) -> ItemData:
    return ItemData(**given, reading=AS_USUAL)


def by_id(data: ItemData, what: Any) -> dict[str, Any]:
    """Return the rows of an array by the ids of items."""
    return {item: what[number].tolist() for item, number in data.numbers.items()}


@pytest.mark.parametrize(
    "items",
    [
        CATEGORIES,
        {item: set(names) for item, names in CATEGORIES.items()},
        pd.DataFrame(PAIRS, columns=["item_id", "genre"]),
        pl.DataFrame({"movieId": [*CATEGORIES], "genres": [*CATEGORIES.values()]}),
        {"item": [item for item, _ in PAIRS], "category": [name for _, name in PAIRS]},
        [{"item_id": item, "category": name} for item, name in PAIRS],
    ],
    ids=["lists", "sets", "pandas", "polars lists", "columns", "rows"],
)
def test_categories_are_the_same_in_every_form(items: Any) -> None:
    data = made(items=items)
    starts, codes = data.categories(len(data.numbers))  # type: ignore[misc]
    names = {
        item: {data.category_names[code] for code in codes[starts[at] : starts[at + 1]]}
        for item, at in data.numbers.items()
    }
    assert names == {item: set(of_item) for item, of_item in CATEGORIES.items()}


@pytest.mark.parametrize(
    "items",
    [
        VECTORS,
        {item: np.array(vector) for item, vector in VECTORS.items()},
        pd.DataFrame(VECTORS, index=["x", "y"]).T.rename_axis("item_id").reset_index(),
        pl.DataFrame({"item_id": [*VECTORS], "embedding": [*VECTORS.values()]}),
    ],
    ids=["lists", "arrays", "columns of numbers", "a column of lists"],
)
def test_vectors_are_the_same_in_every_form(items: Any) -> None:
    data = made(items=items, catalogue=["z", *"abcde"])
    vectors = by_id(data, data.vectors(6))
    assert np.isnan(vectors.pop("z")).all()
    assert vectors == VECTORS


def test_rows_of_an_array_are_items_by_number() -> None:
    data = made(items=np.eye(3), history={"u": [0, 2]})
    assert by_id(data, data.vectors(3))["2"] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    "groups",
    [
        {"a": "old", "b": ["old", "new"], "c": {"new": 0.25, "old": 0.75}},
        pd.DataFrame(
            [("a", "old", 1), ("b", "old", 0.5), ("b", "new", 0.5), ("c", "new", 0.25),
             ("c", "old", 0.75)],
            columns=["item_id", "group", "share"],
        ),
    ],
    ids=["mapping", "frame"],
)  # fmt: skip
def test_groups_may_be_shares(groups: Any) -> None:
    data = made(groups=groups)
    old = data.group_names.index("old")
    assert {item: row[old] for item, row in by_id(data, data.groups(3)).items()} == {
        "a": 1.0,
        "b": 0.5,
        "c": 0.75,
    }


def test_groups_of_evaluate_are_those_of_items_or_the_sizes_of_rows() -> None:
    labels, scores = np.array([1, 0, 0, 1]), np.array([0.5, 0.4, 0.3, 0.2])
    assert rm.evaluate(labels, scores, "RR", groups=[2, 2])["RR"] == 0.75
    with pytest.raises(InputError, match="groups is given, and no measure needs it"):
        rm.evaluate(TEST, LISTS, "RR", groups={"a": "x"})


@pytest.mark.parametrize("form", ["mapping", "series", "frame"])
def test_popularity_may_be_given(form: str) -> None:
    numbers = {"a": 4.0, "b": 3.5}
    given = {
        "mapping": numbers,
        "series": pd.Series(numbers),
        "frame": pl.DataFrame({"item_id": [*numbers], "count": [*numbers.values()]}),
    }[form]
    data = made(popularity=given, catalogue=[*"abc"])
    assert by_id(data, data.popularity) == {"a": 4.0, "b": 3.5, "c": 0.0}


def test_popularity_counts_users_or_interactions() -> None:
    twice = pd.DataFrame({"user_id": ["u", "u", "v"], "item_id": ["a", "a", "a"]})
    assert made(history=twice).popularity.tolist() == [2.0]
    assert made(history=twice, popularity="interactions").popularity.tolist() == [3.0]


def test_a_catalogue_may_be_in_a_file_of_any_kind(tmp_path: Any) -> None:
    pq.write_table(pa.table({"item_id": [*"abcde"]}), tmp_path / "items.parquet")
    (tmp_path / "items.csv").write_text("item_id,title\n" + "".join(f"{i},x\n" for i in "abcde"))
    (tmp_path / "items.txt").write_text("\n".join("abcde"))
    for name in ("items.parquet", "items.csv", "items.txt"):
        assert made(catalogue=str(tmp_path / name)).catalogue == 5
    assert made(catalogue=range(4)).catalogue == 4
    assert made(catalogue=pd.DataFrame({"item_id": [7, 8]})).numbers == {"7": 0, "8": 1}


def test_settings_say_how_it_was_read() -> None:
    ev = rm.evaluate(TEST, LISTS, ["MIUF@3", "Gini@3"], history=HISTORY, items=None)
    assert ev.settings["history"]["form"] == "mapping"
    assert ev.settings["catalogue"] == {"from": "from history", "items": 4}
    assert ev.settings["measures"] == ["MIUF@3", "Gini@3"]
    assert json.loads(ev.to_json())["settings"]["catalogue"]["items"] == 4


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"items": {"a": "X|Y"}}, SchemaError, "which seems to be several"),
        ({"items": {"a": [1.0], "b": [1.0, 2.0]}}, SchemaError, "vectors that are not finite"),
        ({"items": {"a": [np.nan]}}, SchemaError, "vectors that are not finite"),
        ({"items": pd.DataFrame({"item_id": ["a"]})}, SchemaError, "ids alone"),
        ({"groups": {"a": {"x": -1}}}, InputError, "groups has the share -1"),
        ({"popularity": {"a": -1}}, InputError, "popularity has -1"),
        ({"popularity": "users"}, InputError, "of no history"),
        ({"catalogue": "history"}, InputError, "there is no history"),
        ({"catalogue": []}, InputError, "the catalogue is empty"),
        ({"catalogue": 5}, InputError, "need a list of ids"),
        ({"catalogue": {"a", None}}, InputError, "catalogue: None is not an id"),
        ({"items": {}}, InputError, "items has no category"),
        ({"items": {"a": []}}, InputError, "items has no category"),
        ({"items": {1: ["x"], "1": ["y"]}}, InputError, "items: '1' appears twice"),
        ({"groups": {}}, InputError, "groups is empty"),
        ({"groups": {1: "x", "1": "y"}}, InputError, "groups: '1' appears twice"),
        ({"history": {"u": {"a": 0}}}, InputError, "history is empty"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        made(**given)


def test_a_catalogue_of_other_ids_is_refused() -> None:
    with pytest.raises(InputError, match="no item of the lists is in the catalogue, which has"):
        rm.evaluate(TEST, LISTS, "ItemCoverage@3", catalogue=range(5))


def test_a_set_of_whole_numbers_is_a_catalogue_of_the_ids_of_a_list() -> None:
    assert made(catalogue={2.0, 1.0}).numbers == made(catalogue=[1.0, 2.0]).numbers


def test_a_json_file_holds_what_a_mapping_does(tmp_path: Path) -> None:
    def written(name: str, content: Any) -> str:
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
        return str(tmp_path / f"{name}.json")

    forms: dict[str, Any] = {
        "popularity": {"a": 3, "b": 1},
        "items": CATEGORIES,
        "groups": {"a": {"x": 0.25, "y": 0.75}, "b": "y"},
    }
    for name, given in forms.items():
        found, wanted = (made(**{name: one}) for one in (written(name, given), given))
        assert found.numbers == wanted.numbers
        assert found.description() == wanted.description()
    vectors = made(items=written("vectors", VECTORS))
    assert by_id(vectors, vectors.vectors(5)) == VECTORS
    assert made(catalogue=written("ids", ["a", "b"])).catalogue == 2


@pytest.mark.parametrize("name", ["ids.csv", "ids.tsv", "ids.csv.gz"])
def test_a_table_of_ids_alone_is_a_catalogue(tmp_path: Path, name: str) -> None:
    text = b"item_id\na\nb\n"
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    assert [*made(catalogue=tmp_path / name).numbers] == ["a", "b"]


def test_a_header_is_no_item(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("item_id\na\nb\n")
    with pytest.raises(InputError, match="first line, 'item_id', would be an item"):
        made(catalogue=str(tmp_path / "ids.txt"))


def test_what_is_wrong_with_a_popularity_is_shown_as_it_is() -> None:
    with pytest.raises(InputError, match="popularity has '3'"):
        made(popularity={"a": "3"})
