"""Recall against queries per second: which settings no other beats."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm

ROWS = [
    {"algorithm": "hnsw", "recall": 0.90, "qps": 9000.0},
    {"algorithm": "hnsw", "recall": 0.95, "qps": 4000.0},
    {"algorithm": "hnsw", "recall": 0.94, "qps": 3000.0},
    {"algorithm": "ivf", "recall": 0.93, "qps": 3500.0},
    {"algorithm": "ivf", "recall": 0.99, "qps": 500.0},
]


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


@given(
    points=st.lists(
        st.tuples(st.sampled_from([0.5, 0.7, 0.9]), st.sampled_from([1.0, 2.0, 3.0])), min_size=1
    )
)
def test_a_row_is_on_the_front_unless_another_beats_it(points: list[tuple[float, float]]) -> None:
    recalls, speeds = zip(*points, strict=True)
    found = rm.ann_tradeoff({"recall": recalls, "qps": speeds}, algorithm=None)
    beaten = [any(x >= a and y >= b and (x, y) != (a, b) for x, y in points) for a, b in points]
    assert found.front.tolist() == [not one for one in beaten]
    assert found.front_of_name.tolist() == found.front.tolist()


def test_each_algorithm_has_a_front_of_its_own() -> None:
    found = rm.ann_tradeoff(ROWS)
    assert found.front.tolist() == [True, True, False, False, True]
    assert found.front_of_name.tolist() == [True, True, False, True, True]


def test_every_form_of_a_table_is_read(tmp_path: Path) -> None:
    usual = rm.ann_tradeoff(ROWS).to_dict()
    assert rm.ann_tradeoff(columns(ROWS)).to_dict() == usual
    pandas = pytest.importorskip("pandas")
    assert rm.ann_tradeoff(pandas.DataFrame(ROWS)).to_dict() == usual
    pandas.DataFrame(ROWS).to_csv(tmp_path / "rows.csv", index=False)
    assert rm.ann_tradeoff(tmp_path / "rows.csv").to_dict() == usual
    polars = pytest.importorskip("polars")
    assert rm.ann_tradeoff(polars.DataFrame(ROWS)).to_dict() == usual
    arrow = pytest.importorskip("pyarrow")
    assert rm.ann_tradeoff(arrow.table(columns(ROWS))).to_dict() == usual
    renamed = [{"name": r["algorithm"], "k-nn": r["recall"], "speed": r["qps"]} for r in ROWS]
    named = {"algorithm": "name", "recall": "k-nn", "qps": "speed"}
    assert rm.ann_tradeoff(renamed, **named).to_dict() == usual


def test_the_result_shows_the_front_by_rising_recall() -> None:
    found = rm.ann_tradeoff(ROWS)
    lines = str(found).splitlines()
    assert [line.split()[1] for line in lines[1:4]] == ["0.9000", "0.9500", "0.9900"]
    assert lines[-1] == "3 of 5 rows are on the Pareto front"
    assert repr(found) == "TradeOff(3 of 5 rows are on the Pareto front)"
    assert "9,000.0" in found._repr_html_()
    row = {"name": "ivf", "x": 0.93, "y": 3500.0}
    told = json.loads(found.to_json())
    assert told["rows"][3] == row | {"front": False, "front_of_name": True}
    assert found.to_csv().splitlines()[0] == "algorithm,recall,qps,front,front_of_algorithm"


def test_lines_join_the_front_of_each_algorithm() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert rm.ann_tradeoff(ROWS).plot(ax=ax) is ax
    joined = [line for line in ax.get_lines() if line.get_linestyle() == "-"]
    assert [line.get_xdata().tolist() for line in joined] == [[0.9, 0.95], [0.93, 0.99]]
    assert ax.get_yscale() == "log"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["hnsw", "ivf"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "queries per second")


@pytest.mark.parametrize(
    ("table", "options", "error", "words"),
    [
        ([], {}, rm.InputError, "the table holds no rows"),
        ("absent.csv", {}, rm.InputError, "absent.csv: there is no such file"),
        (7, {}, rm.SchemaError, "the table is 7"),
        ([1, 2], {}, rm.SchemaError, "need .recall, qps"),
        ([{"recall": 1.0, "qps": 1.0}], {}, rm.SchemaError, "no input has a column 'algorithm'"),
        (columns(ROWS), {"qps": "speed"}, rm.SchemaError, "no input has a column 'speed' for qps"),
        (ROWS, {"qps": None}, rm.InputError, "'qps'. is None; need the name of a column"),
        ({"recall": [1.0], "qps": [1.0, 2.0]}, {"algorithm": None}, rm.SchemaError, "1 to 2 rows"),
        ({"recall": [1.0], "qps": [0.0]}, {"algorithm": None}, rm.InputError, "qps of row 1 is 0"),
        ({"recall": [np.nan], "qps": [1]}, {"algorithm": None}, rm.InputError, "row 1 is nan"),
        ({"recall": ["a"], "qps": [1]}, {"algorithm": None}, rm.SchemaError, "need a finite numb"),
    ],
)
def test_what_is_no_table_is_refused(
    table: Any, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        rm.ann_tradeoff(table, **options)
