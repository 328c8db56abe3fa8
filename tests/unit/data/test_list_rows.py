"""Lists that are ranked by numbers are those that the sources of runs rank by ids."""

import random
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import rankmark as rm
from rankmark.data.preparing import list_rows

MEASURES = ["MIUF@3", "ILD(distance='cooccurrence')@4", "ARP", "Gini@3", "ItemCoverage@2"]
DRAWS = random.Random(3)
# Ids of one to three digits, whose order as text is another than as numbers; few scores, many ties.
ROWS = [
    (user, item, float(DRAWS.randrange(4)), rank)
    for user in [5, 40, 7, 100, 8]
    for rank, item in enumerate(DRAWS.sample(range(1, 120, 7), 9), 1)
]
ROWS[3] = (ROWS[3][0], ROWS[3][0], *ROWS[3][2:])  # an item with the id of its user
SHUFFLED = random.Random(4).sample(ROWS, len(ROWS))
HISTORY = [
    (user, item)
    for user in [5, 7, 8, 9]
    for item in DRAWS.sample([one for one in range(1, 120, 7) if not one % 2], 6)
]


def frame(rows: list[Any], kind: type = int) -> pd.DataFrame:
    found = pd.DataFrame(rows, columns=["user_id", "item_id", "score", "rank"][: len(rows[0])])
    return found.astype({"user_id": kind, "item_id": kind})


# Two of the three users with a history, and one without.
JUDGED = frame([(user, item) for user, item, *_ in ROWS if user != 8 and item % 2][::3])


def nested(rows: list[Any]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for user, item, score, _ in rows:
        found.setdefault(str(user), {})[str(item)] = score
    return found


RUNS = {
    "whole numbers": frame(ROWS),
    "text": frame(ROWS, str),
    "interleaved": frame(SHUFFLED),
    "ranks": frame(ROWS).drop(columns="score"),
    "mapping": nested(ROWS),
    "lists": {user: [*items] for user, items in nested(ROWS).items()},
}
ASKED: dict[str, dict[str, Any]] = {
    "by id": {},
    "ascending": {"ties": "docid-asc"},
    "as given": {"ties": "input"},
    "by rank": {"ties": "rank"},
    "worst": {"ties": "worst"},
    "cut": {"depth": 3},
    "float32": {"precision": "float32"},
    "without oneself": {"drop_self": True},
    "seen": {"seen": frame(HISTORY)},
    "both": {"queries": "both"},
}


def told(judged: Any, run: Any, asked: dict[str, Any]) -> Any:
    whole = {"worst": MEASURES[:3]}.get(asked.get("ties", ""), MEASURES)
    try:
        found = rm.evaluate(
            judged, run, whole, history=frame(HISTORY), catalogue=range(130), **asked
        )
    except rm.InputError as error:
        return str(error)
    return found.to_dict() | {"values": found.per_query(whole[0]), "detail": str(found.audit)}


# Every form by id and in the order given, and every convention for two of the forms.
CASES = [
    (form, asked)
    for form in RUNS
    for asked in ASKED
    if asked in {"by id", "as given"} or form in {"whole numbers", "mapping"}
]


@pytest.mark.parametrize(("form", "asked"), CASES)
@pytest.mark.parametrize("judged", [None, JUDGED], ids=["unjudged", "judged"])
def test_numbers_rank_as_ids_do(
    judged: Any, form: str, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_number = told(judged, RUNS[form], ASKED[asked])
    for name in ("ranked", "counted"):
        monkeypatch.setattr(list_rows.ListRows, name, lambda *_, **__: None)
    assert told(judged, RUNS[form], ASKED[asked]) == by_number


def in_form(form: str, rows: pd.DataFrame, folder: Path) -> Any:
    if form == "file":
        rows.to_csv(folder / f"{len(rows)}.csv", index=False)
        return folder / f"{len(rows)}.csv"
    if form == "Polars":
        return pl.from_pandas(rows)
    return rows.astype({"user_id": str, "item_id": str}) if form == "text" else rows


@pytest.mark.parametrize("form", ["text", "file", "Polars"])
def test_every_form_has_the_same_bits(form: str, tmp_path: Path) -> None:
    found = []
    for one in (form, "whole numbers"):
        run, history = (in_form(one, each, tmp_path) for each in (frame(ROWS), frame(HISTORY)))
        catalogue = [*map(str, range(130))] if one == "text" else range(130)
        ev = rm.evaluate(None, run, MEASURES, history=history, catalogue=catalogue)
        found.append(({name: ev[name] for name in MEASURES}, dict(ev.per_query("MIUF@3"))))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "rows", [[*ROWS, ROWS[0]], [*ROWS, (5, 3, float("nan"), 9)]], ids=["twice", "no number"]
)
def test_a_faulty_row_is_named(rows: list[Any]) -> None:
    with pytest.raises(rm.InputError, match=r"row 45 \(from 0\)"):
        rm.evaluate(None, frame(rows), "MIUF@3", history=frame(HISTORY))
