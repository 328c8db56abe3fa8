"""Judgments and a run of two users as nested dicts and as frames, and their scores."""

from typing import Any

import pandas as pd

import rankmark as rm

MEASURES = ["nDCG", "RR", "R@1"]
GOLD = {"u1": {"a": 1, "b": 0}, "u2": {"c": 2, "d": 1}}
RUN = {"u1": {"b": 0.9, "a": 0.5}, "u2": {"x": 0.8, "c": 0.7}}


def frame(nested: Any, number: str) -> pd.DataFrame:
    rows = [(user, item, value) for user, held in nested.items() for item, value in held.items()]
    return pd.DataFrame(rows, columns=["user_id", "item_id", number])


def scored(qrels: Any, run: Any, **options: Any) -> Any:
    return rm.evaluate(qrels, run, MEASURES, **options).scores.tolist()


JUDGED, FOUND = frame(GOLD, "label"), frame(RUN, "score")
WANTED = scored(GOLD, RUN)
