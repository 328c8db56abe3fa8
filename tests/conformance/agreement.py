"""Compare values with other tools', and count them for docs/evidence/conformance.md.

Every comparison of a measure with another tool goes through ``agrees``, or, where figures are
compared as they were printed, through ``count``. The page is written from these counts.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

import rankmark as rm

ORACLES = (
    "reference", "trec_eval", "pytrec_eval", "ir_measures", "ndeval", "cwl_eval", "gdeval",
    "MS MARCO", "pyNTCIREVAL", "ranx", "BEIR", "MTEB", "scikit-learn", "torchmetrics",
    "LightGBM", "XGBoost", "Spark", "RecBole", "RecTools", "RePlay", "LensKit",
    "sentence-transformers", "ragas", "deepeval", "LlamaIndex", "Haystack", "TruLens",
    "CatBoost", "implicit", "PyKEEN", "OpenSearch",
)  # fmt: skip
"""Whom measures are compared with, in the order of the page's columns."""

BY_PROFILE = {
    "trec_eval10": "trec_eval",
    "trec_eval9": "pytrec_eval",
    "msmarco": "MS MARCO",
    "beir": "BEIR",
    "mteb": "MTEB",
    "sklearn": "scikit-learn",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "spark": "Spark",
    "recbole": "RecBole",
    "rectools": "RecTools",
    "replay": "RePlay",
    "lenskit": "LensKit",
    "lenskit-2025": "LensKit",
    "catboost": "CatBoost",
    "pykeen": "PyKEEN",
    "opensearch": "OpenSearch",
    "llamaindex": "LlamaIndex",
    "haystack": "Haystack",
    "trulens": "TruLens",
}
"""Their names by those of their profiles, where they differ."""

compared: Counter[tuple[str, str]] = Counter()
"""How many values of a measure were compared with an oracle and agreed."""

differing: set[int] = set()
"""The entries of the ledger, by number, whose figures were found again."""


def agrees(oracle: str, measure: Any, ours: Any, theirs: Any, **tolerance: float | bool) -> None:
    """Assert that values are equal, and count them."""
    plain = isinstance(ours, (float, dict))
    if not (plain and ours == theirs):  # most are, to the bit, which is seen much sooner
        assert ours == pytest.approx(theirs, **tolerance), f"{measure}, {oracle}"
    count(oracle, measure, np.size([*theirs.values()] if isinstance(theirs, Mapping) else theirs))


def agrees_by_name(
    oracle: str, ev: rm.Evaluation, said: Mapping[str, float], **tolerance: float
) -> None:
    """Assert that the means of an evaluation are what a tool said, by name, and count them."""
    for name, expected in said.items():
        agrees(oracle, ev.asked.get(name, name), ev[name], expected, **tolerance)


def count(oracle: str, measure: Any, values: int = 1) -> None:
    """Count values that were compared and are equal; a tool may be called as its profile is."""
    oracle = BY_PROFILE.get(oracle, oracle)
    assert oracle in ORACLES, oracle
    compared[_name(measure), oracle] += values


@cache
def _name(measure: Any) -> str:
    """Return the name of a measure, without its parameters."""
    found = rm.measure(measure)
    assert not isinstance(found, list)
    return found.name
