"""What measures of lists share: weights of ranks, and which items count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError
from rankmark.measures.base.parameters import Parameter, written

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.data.preparing.list_facts import ListFacts, Lists

_RULES = ("equal", "log2", "rank")


def rank_weights(default: str = "equal") -> Any:
    """Declare ``weights``, the weight of a rank."""
    return Parameter(
        "the weight of a rank",
        default,
        '"equal", "log2": 1 / log2(rank + 1), "rank": 1 / rank, a number p below 1: p^(rank - 1), '
        "or a base above 1: 1 / max(1, log_base(rank))",
        _checked,
        written,
    )


def weights_of(rule: str | float, rank: Ints) -> Floats:
    """Return the weight of each rank: (m,) float64."""
    if rule == "equal":
        return np.ones(len(rank))
    found: Floats
    if rule == "log2":
        found = 1 / np.log2(rank + 1.0)
    elif rule == "rank":
        found = 1.0 / rank
    elif float(rule) < 1:
        found = np.power(float(rule), rank - 1.0)
    else:
        found = 1 / np.maximum(1.0, np.log(rank) / np.log(float(rule)))
    return found


def relevance(lists: Lists, facts: ListFacts, rel: float) -> Floats:
    """Return 1 for the items that are relevant to their users, else 0: (m,) float64."""
    if not facts.has_labels:
        raise InputError("relevance needs judgments", "give them, or leave relevant=True out")
    return (facts.labels[lists.row] >= rel).astype(np.float64)


def _checked(value: Any) -> str | float:
    if isinstance(value, str) and value in _RULES:
        return value
    number = float(value)
    if isinstance(value, (bool, str)) or not 0 < number < np.inf or number == 1:
        raise ValueError
    return number
