"""Borda: points for the places of an election."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmark.verbs.fuse.method import Method, OneOf

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.verbs.fuse.ballots import Ballots


def borda(ballots: Ballots, *, missing: Literal["mean", "zero"] = "mean") -> Floats:
    """Return w (u - r + 1), where u is the number of documents in the union: (m, U) float64.

    Absent documents share the points that are left, (u - n + 1) / 2 each; or get none with
    ``missing="zero"``.
    """
    union = ballots.of_documents(ballots.lists.sizes)
    points = union - ballots.ranks + 1
    for run, size in enumerate(ballots.sizes):
        absent = (union - ballots.of_documents(size) + 1) / 2 if missing == "mean" else 0.0
        points[run] = np.where(ballots.present[run], points[run], absent)
    return ballots.weights[:, None] * points


BORDA = Method(
    "Borda",
    borda,
    "sum of w_i (u - r_i(d) + 1), and of w_i (u - n_i + 1) / 2 for lists without d",
    uses="ranks",
    source="Aslam, Montague 2001, SIGIR",
    weighted=True,
    aliases=("bordafuse", "w_bordafuse"),
    checks=(("missing", OneOf(("mean", "zero")), '"mean" or "zero"'),),
)
