"""Judgments of the core from nested mappings of ids that were read, and may be no Unicode text."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankmark._core import Judgments, qrels_from_rows


def judgments_by_query(judged: Mapping[str, Mapping[str, float]]) -> Judgments:
    """Return judgments as the core holds them; the ids of a document are given once a query."""
    doc_ids = [doc_id for labels in judged.values() for doc_id in labels]
    sizes = [len(labels) for labels in judged.values()]
    return qrels_from_rows(
        np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes),
        [*judged],
        np.arange(len(doc_ids), dtype=np.uint32),
        doc_ids,
        np.array([one for labels in judged.values() for one in labels.values()], dtype=np.float64),
    )
