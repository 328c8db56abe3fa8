"""Logs of clicks for tests of what users did."""

from datetime import timedelta
from functools import cache
from typing import Any

import rankmark as rm

CLICKS, VIEWS = [1, 0, 3, 2, 0, 4], [5, 2, 10, 4, 3, 8]
BEFORE, AFTER = [2, 1, 3, 1, 4, 8, 2, 5], [3, 1, 4, 1, 5, 9, 2, 6]


def columns_of(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def of_users(
    clicks: list[int], views: list[int], variant: str = "A", prefix: str = "u"
) -> list[dict[str, Any]]:
    """Give each user one issue with so many documents, of which so many are clicked."""
    return [
        {
            **{"query_id": f"{variant}{prefix}{user}", "user": f"{prefix}{user}", "doc": f"d{at}"},
            **{"rank": at + 1, "click": int(at < clicked), "variant": variant},
        }
        for user, (clicked, shown) in enumerate(zip(clicks, views, strict=True))
        for at in range(shown)
    ]


def log_of(rows: list[dict[str, Any]]) -> Any:
    return rm.read_log(columns_of(rows))


@cache
def made_columns() -> dict[str, list[Any]]:
    """Give the made-up log with times of clicks and purchases; some clicks have no dwell time."""
    found = dict(rm.example_log(240, seed=4).columns)
    seconds = [None if not click else at % 50 for at, click in enumerate(found["click"])]
    found["click_time"] = [
        None if plus is None else time + timedelta(seconds=plus)
        for time, plus in zip(found["time"], seconds, strict=True)
    ]
    found["dwell"] = [None if at % 7 == 0 else dwell for at, dwell in enumerate(found["dwell"])]
    found["revenue"] = [round(0.1 * d, 2) if d and d > 60 else 0.0 for d in found["dwell"]]
    found["bought"] = [int(amount > 0) for amount in found["revenue"]]
    return found
