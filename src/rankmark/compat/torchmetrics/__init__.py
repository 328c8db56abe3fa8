"""torchmetrics' retrieval metrics: ``from rankmark.compat.torchmetrics import RetrievalMAP``.

The numbers are those of torchmetrics 1.9, computed for all queries at once. ``Metric`` computes any
other measure. Where torchmetrics is installed, all of these are metrics of it, with its states,
checks and synchronisation, and work in a MetricCollection, a MetricTracker or Lightning. Otherwise
they have the same methods, and torch is not imported; arrays are taken, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.compat.torchmetrics.retrieval_metrics import __all__  # noqa: F401

if TYPE_CHECKING:
    from rankmark.compat.torchmetrics.retrieval_metrics import *  # noqa: F403
else:
    try:
        from rankmark.compat.torchmetrics.own_metrics import *  # noqa: F403
    except (ImportError, AttributeError):  # torchmetrics is not installed, or too old
        from rankmark.compat.torchmetrics.retrieval_metrics import *  # noqa: F403

_NOT_HERE = {
    "RetrievalPrecisionRecallCurve": (
        "evaluate P and R at each rank, as in rankmark.evaluate(labels, scores, rankmark.P @ "
        "[1, 2, 3])"
    ),
    "RetrievalRecallAtFixedPrecision": (
        'use Metric("RecallAtPrecision(precision=0.5)"), the mean of the highest recalls of queries'
    ),
}


def __getattr__(name: str) -> Any:
    """Take what this interface lacks from torchmetrics, or say what to use instead."""
    if name not in _NOT_HERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from torchmetrics import retrieval  # noqa: PLC0415
    except ImportError:
        raise ImportError(
            f"rankmark.compat.torchmetrics has no {name}; {_NOT_HERE[name]}", name=__name__
        ) from None
    return getattr(retrieval, name)
