"""Queries that a model judged, and which of them people judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLabels:
    """How many queries people judged, of all that a model judged, and how these were drawn.

    Parameters
    ----------
    name
        Of the model's judgments: the file, or the form.
    queries, judged
        Queries that the model judged, and those of them that people judged.
    sample
        How the queries that people judged were drawn, in words.
    source
        What was read as the model's judgments, as an evaluation describes it.
    """

    name: str
    queries: int
    judged: int
    sample: str
    source: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "queries": self.queries,
            "judged": self.judged,
            "sample": self.sample,
            "qrels": dict(self.source),
        }
