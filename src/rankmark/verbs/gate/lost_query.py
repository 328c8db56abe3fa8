"""A query that a new run lost."""

from __future__ import annotations

from typing import NamedTuple


class LostQuery(NamedTuple):
    """A query that lost, and the command that explains why.

    Parameters
    ----------
    query_id
        The query.
    baseline, new, difference
        Its scores, and the new one minus the baseline's.
    explain
        A line for a shell, or None if the inputs are not files.
    """

    query_id: str
    baseline: float
    new: float
    difference: float
    explain: str | None
