"""Measures of what users did, against plain Python, on each engine, and in edge cases."""

import json
import math
import statistics
from collections import defaultdict
from datetime import datetime, time, timedelta, timezone
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm
from rankmark.clicks.online.issue_values import issue_values
from rankmark.clicks.online.online_measures import online_measures
from unit.clicks.online_logs import CLICKS, VIEWS, columns_of, log_of, made_columns, of_users

ALL = [
    *("CTR@3", "CTR", "ClickRate@10", "Clicks@5", 'Clicks(count="clicks")', "Abandonment@2"),
    *('Abandonment(answered="bought")', "ClickRR@10", 'ClickRR(click="last")@4'),
    'ClickRR(click="mean", no_click="undefined")',
    *("SAT(dwell=30, last=True)@10", "SAT(dwell=60, last=False)", "TimeToClick@3"),
    *("Reformulation(within=7200)", "ZeroResults", "Conversion", "Revenue"),
]


def by_hand(columns: dict[str, list[Any]]) -> dict[str, dict[str, float]]:
    """Give the values of all measures for each issue, and the numbers by user, in plain Python."""
    issues: dict[str, list[dict[str, Any]]] = defaultdict(list)
    heads = {}
    for values in zip(*columns.values(), strict=True):
        row = dict(zip(columns, values, strict=True))
        issues[row["query_id"]] += [row] * (row["doc"] is not None)
        heads[row["query_id"]] = row
    found: dict[str, dict[str, float]] = {name: {} for name in ALL}
    for issue, rows in sorted((issue, issues[issue]) for issue in heads):

        def clicked(k: float, rows: list[dict[str, Any]] = rows) -> list[dict[str, Any]]:
            return [row for row in rows if row["click"] and row["rank"] <= k]

        ranks = sorted(row["rank"] for row in clicked(math.inf))
        long = [row["dwell"] is not None and row["dwell"] >= 60 for row in clicked(math.inf)]
        head = heads[issue]
        after = sorted(
            (other["time"], other["query_id"] < issue, other["query"])
            for other in heads.values()
            if other["session"] == head["session"] and other["query_id"] != issue
            and other["time"] >= head["time"]
        )  # fmt: skip
        is_soon = bool(after) and (after[0][0] - head["time"]).total_seconds() <= 7200
        times = [(row["click_time"] - head["time"]).total_seconds() for row in clicked(3)]
        values = [
            bool(clicked(3)), bool(ranks),
            len(clicked(10)) / len(rows) if rows else math.nan, len(clicked(5)),
            sum(row["click"] for row in rows), not clicked(2),
            not ranks and not any(row["bought"] for row in rows),
            1 / ranks[0] if ranks else 0,
            1 / max(row["rank"] for row in clicked(4)) if clicked(4) else 0,
            len(ranks) / sum(ranks) if ranks else math.nan,
            any(row["dwell"] is None or row["dwell"] >= 30 for row in clicked(10)), any(long),
            min(times) if times else math.nan,
            is_soon and after[0][2] != head["query"], not rows,
            any(row["bought"] for row in rows), sum(row["revenue"] for row in rows),
        ]  # fmt: skip
        for name, value in zip(ALL, values, strict=True):
            found[name][issue] = float(value)
    return found


def same_bits(a: Any, b: Any) -> bool:
    return all(
        np.array_equal(x.view(np.int64), y.view(np.int64)) for x, y in zip(a, b, strict=True)
    )


def test_every_measure_is_what_plain_python_finds() -> None:
    columns = made_columns()
    wanted, found = by_hand(columns), rm.online(rm.read_log(columns), ALL)
    for name in ALL:
        assert found.per_query(name) == pytest.approx(wanted[name], nan_ok=True), name
    users: dict[str, set[str]] = defaultdict(set)
    for user, issue in zip(columns["user"], columns["query_id"], strict=True):
        users[user].add(issue)
    shown = sum(doc is not None for doc in columns["doc"])
    known = [value for value in wanted["TimeToClick@3"].values() if not math.isnan(value)]
    bought = [any(wanted["Conversion"][one] for one in of) for of in users.values()]
    assert found["ClickRate@10"] == pytest.approx(sum(columns["click"]) / shown)
    assert found["TimeToClick@3"] == statistics.median(known)
    assert found["Conversion"] == pytest.approx(statistics.mean(bought))
    assert found["Revenue"] == pytest.approx(sum(columns["revenue"]) / len(users))
    assert found["CTR@3"] == pytest.approx(statistics.mean(wanted["CTR@3"].values()))


@pytest.mark.parametrize("engine", ["pandas", "polars", "lazy polars", "duckdb", "rows shuffled"])
def test_values_have_the_same_bits_on_each_engine(engine: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    columns = made_columns()
    order = np.random.default_rng(0).permutation(len(columns["doc"])).tolist()
    source = {
        "pandas": lambda: pd.DataFrame(columns),
        "polars": lambda: pl.DataFrame(columns),
        "lazy polars": lambda: pl.LazyFrame(columns),
        "duckdb": lambda: duckdb.from_arrow(pa.table(columns)),
        "rows shuffled": lambda: {
            name: [values[at] for at in order] for name, values in columns.items()
        },
    }[engine]()
    measures = online_measures(ALL)
    one, other = (issue_values(rm.read_log(each), measures, ["user"]) for each in (columns, source))
    assert same_bits(one.values, other.values)
    assert same_bits(one.weights, other.weights)


def test_golden_a_ratio_of_sums_has_the_error_of_users() -> None:
    found = rm.online(log_of(of_users(CLICKS, VIEWS)), ["ClickRate", "CTR"])
    assert found["ClickRate"] == 0.3125
    low, high = found.intervals()["ClickRate"]
    assert (high - low) / 2 / 2.5705818366 == pytest.approx(0.0719216900, abs=1e-9)  # t, 5 degrees
    assert np.nanmean(found.scores[:, 0]) == 0.25  # the mean of the rates of users


def test_a_log_without_clicks_has_a_rate_of_0_with_wilsons_interval() -> None:
    found = rm.online(
        log_of(of_users([0] * 10, [3] * 10)), ["CTR@3", "ClickRR@3", "ClickRR(no_click=undefined)"]
    )
    assert found["CTR@3"] == found["ClickRR@3"] == 0.0
    assert math.isnan(found["ClickRR(no_click=undefined)"])
    low, high = found.intervals()["CTR@3"]
    assert (low, high) == (0.0, pytest.approx(3.8414588 / (10 + 3.8414588)))


def test_one_user_has_a_value_and_no_interval() -> None:
    found = rm.online(log_of(of_users([2], [5])), ["ClickRate@5", "Clicks@5"])
    assert found.means == {"ClickRate@5": 0.4, "Clicks@5": 2.0}
    assert all(math.isnan(end) for ends in found.intervals().values() for end in ends)


def test_a_user_without_views_is_not_among_the_units_of_a_ratio() -> None:
    rows = of_users(CLICKS, VIEWS)
    empty = [row | {"query_id": f"e{at}", "user": f"e{at}", "doc": None, "rank": None, "click": 0}
             for at, row in enumerate(rows[:4])]  # fmt: skip
    one, other = (rm.online(log_of(each), "ClickRate") for each in (rows, [*rows, *empty]))
    assert one.intervals() == other.intervals()
    assert rm.online(log_of([*rows, *empty]), "ZeroResults")["ZeroResults"] == pytest.approx(0.4)


def test_a_click_below_the_cutoff_does_not_count_and_the_issue_stays() -> None:
    rows = [row | {"click": int(row["rank"] == 4)} for row in of_users([0, 0], [5, 5])]
    found = rm.online(log_of(rows), ["CTR@3", "CTR@4", "Clicks@3"])
    assert found.means == {"CTR@3": 0.0, "CTR@4": 1.0, "Clicks@3": 0.0}


def test_a_log_without_users_takes_issues_as_independent() -> None:
    rows = [{k: v for k, v in row.items() if k != "user"} for row in of_users(CLICKS, VIEWS)]
    found = rm.online(log_of(rows))
    assert found.settings["unit"] == "issue"
    assert found.names == ["CTR", "Abandonment"]


def test_scores_go_into_comparisons_with_users_as_clusters() -> None:
    found = rm.online(rm.read_log(made_columns()), ["ClickRR@1", "ClickRR@10"])
    scores = {"top": found.per_query("ClickRR@1"), "all": found.per_query("ClickRR@10")}
    compared = rm.compare_scores(scores, baseline="top", clusters=found.units, test="t")
    assert compared.differences[0].difference == pytest.approx(
        found["ClickRR@10"] - found["ClickRR@1"]
    )
    assert rm.compare_scores({"a": found, "b": found}).measures == ("ClickRR@1", "ClickRR@10")


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("CTR@0", "the cutoff is 0|k is 0"),
        ("Clickrat", "did you mean ClickRate"),
        ("SAT(dwell=-1)", "dwell is -1"),
        ("ClickRR(no_click=none)", "no_click is 'none'"),
        ("ZeroResults@3", "ZeroResults has no cutoff"),
        ([], "no online measure was requested"),
    ],
)
def test_names_that_are_no_measures_are_refused(measure: Any, message: str) -> None:
    with pytest.raises(rm.MeasureError, match=message):
        rm.online(log_of(of_users([1], [2])), measure)


@pytest.mark.parametrize(
    ("measure", "column"),
    [("CTR@3", "rank"), ("ClickRR", "rank"), ("SAT", "dwell"), ("Revenue", "revenue"),
     ("Reformulation", "session"), ("TimeToClick", "click_time")],
)  # fmt: skip
def test_columns_that_the_log_lacks_are_named(measure: str, column: str) -> None:
    rows = [{k: v for k, v in row.items() if k != "rank"} for row in of_users([1], [2])]
    with pytest.raises(rm.InputError, match=column):
        rm.online(log_of(rows), measure)


def test_clicks_before_their_query_are_refused() -> None:
    rows = [row | {"time": 9.0, "click_time": 1.0} for row in of_users([1], [2])]
    with pytest.raises(rm.InputError, match="1 issue clicked before the time of the query"):
        rm.online(log_of(rows), "TimeToClick")


def test_ubi_has_the_time_of_clicks(tmp_path: Path) -> None:
    times = {"q1": "2026-03-01T10:00:00Z", "q2": "2026-03-01T11:00:00Z"}
    queries = [
        {"query_id": one, "user_query": "mug", "timestamp": time,
         "query_response_hit_ids": ["a", "b"]}
        for one, time in times.items()
    ]  # fmt: skip
    events = [
        {"action_name": "click", "query_id": "q1", "timestamp": f"2026-03-01T10:00:{second}Z",
         "event_attributes": {"object": {"object_id": doc}}}
        for doc, second in (("b", 20), ("a", 45))
    ]  # fmt: skip
    for name, rows in (("queries", queries), ("events", events)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    log = rm.read_log(tmp_path / "queries.jsonl", tmp_path / "events.jsonl")
    found = rm.online(log, ["TimeToClick", "TimeToClick@1"])
    assert found.means == {"TimeToClick": 20.0, "TimeToClick@1": 45.0}
    assert math.isnan(found.per_query("TimeToClick")["q2"])


def test_a_log_that_is_none_is_refused() -> None:
    with pytest.raises(rm.SchemaError, match="give what read_log returned"):
        rm.online(columns_of(of_users([1], [2])))  # type: ignore[arg-type]


def test_json_has_intervals_and_issues() -> None:
    found = json.loads(rm.online(log_of(of_users(CLICKS, VIEWS)), "CTR").to_json())
    assert found["per_query"]["Au1"] == {"CTR": 0.0}
    assert found["audit"]["units"] == 6
    assert len(found["intervals"]["CTR"]) == 2


TWO = {"query_id": ["i", "j"], "user": ["u", "v"], "doc": ["a", "a"], "rank": [1, 1]}


def of_two(engine: Any = dict, click: int = 1, **more: list[Any]) -> Any:
    return rm.read_log(engine(TWO | {"click": [click] * 2} | more))


@pytest.mark.parametrize("engine", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_nan_in_a_column_of_numbers_is_nothing(engine: Any) -> None:
    log = of_two(engine, bought=[math.nan, 1.0], revenue=[math.nan, 2.5])
    assert rm.online(log, ["Conversion", "Revenue"]).means == {"Conversion": 0.5, "Revenue": 1.25}
    left = of_two(engine, click=0, answered=[math.nan, 1.0])
    measure = 'Abandonment(answered="answered")'
    assert rm.online(left, measure).means[measure] == 0.5


@pytest.mark.parametrize("measure", ["Conversion", "Revenue", 'Abandonment(answered="{}")'])
def test_amounts_that_are_text_are_refused(measure: str) -> None:
    log = of_two(bought=["yes", "no"], revenue=["yes", "no"])
    with pytest.raises(rm.InputError, match="is not numbers, but String; convert it"):
        rm.online(log, measure.format("bought"))


NOON = datetime(2026, 3, 1, 12)
THERE = NOON.replace(tzinfo=timezone(timedelta(hours=-5)))
CLOCKS = {"seconds": 5.0, "without a time zone": NOON, "with a time zone": THERE, "String": "12"}


@pytest.mark.parametrize("engine", [dict, pl.DataFrame])
@pytest.mark.parametrize(
    ("of_query", "of_click"), [pair for pair in permutations(CLOCKS, 2) if pair[0] != "String"]
)
def test_times_of_different_clocks_are_not_subtracted(
    engine: Any, of_query: str, of_click: str
) -> None:
    log = of_two(engine, time=[CLOCKS[of_query]] * 2, click_time=[CLOCKS[of_click]] * 2)
    with pytest.raises(
        rm.InputError, match=f"click_time is .*{of_click}, and time is .*{of_query}"
    ):
        rm.online(log, "TimeToClick")


@pytest.mark.parametrize("kind", [time(12), timedelta(seconds=3)])
def test_times_of_day_and_durations_are_no_times(kind: Any) -> None:
    with pytest.raises(rm.SchemaError, match="time is not times, but"):
        of_two(time=[kind] * 2)


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.from_pandas])
def test_nanoseconds_are_times(engine: Any) -> None:
    at = {name: pd.to_datetime([ns] * 2, unit="ns") for name, ns in
          {"time": 1_000_000_001, "click_time": 3_500_000_002}.items()}  # fmt: skip
    log = rm.read_log(engine(pd.DataFrame(TWO | {"click": [1, 1]} | at)))
    assert rm.online(log, "TimeToClick").means == {"TimeToClick": 2.5}


@pytest.mark.parametrize("name", ["time", "click_time", "revenue"])
def test_infinite_numbers_are_refused(name: str) -> None:
    columns = {"time": [1.0, 1.0], "click_time": [2.0, 2.0], "revenue": [1.0, 0.0]}
    log = of_two(**columns | {name: [math.inf, 3.0]})
    with pytest.raises(rm.InputError, match=f"{name} holds infinite numbers"):
        rm.online(log, ["TimeToClick", "Revenue"])
