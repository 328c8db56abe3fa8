"""Findings about ids that judgments and a run write in two ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.evidence.near_ids import near_ids
from rankmark.data.preparing.id_mismatch import unmatched_documents
from rankmark.verbs.check.finding import Finding, Place
from rankmark.verbs.check.phrases import count, verb

if TYPE_CHECKING:
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.verbs.check.judged_overlap import Overlap

_REMEDY = "write ids the same way in both files"


def near_findings(qrels: Qrels, overlap: Overlap) -> Iterator[Finding]:
    """Find judged documents and queries that are in the run with their ids written otherwise."""
    judged, run = overlap.qrels.rows, overlap.run.rows
    missing = [judged.query_ids[code] for code in overlap.missing.tolist()]
    only = [run.query_ids[code] for code in overlap.run_only.tolist()]
    near = near_ids([(missing, only)])
    if near is not None:
        yield Finding(
            code="near-queries",
            severity="warning",
            count=near.found,
            what=f"{count(near.found, 'judged query', 'judged queries')} that the run lacks {near}",
            effect=f"{verb(near.found, 'it counts', 'each counts')} 0 in the mean",
            remedy=_REMEDY,
            places=(Place(query_id=near.ours),),
        )
    near = near_ids(unmatched_documents(qrels, run)) if np.any(overlap.judged) else None
    if near is not None and not near.of_parts:
        yield Finding(
            code="near-documents",
            severity="warning",
            count=near.found,
            what=f"{count(near.found, 'more judged document')} {near}",
            effect=f"{verb(near.found, 'it counts', 'they count')} as not retrieved",
            remedy=_REMEDY,
            places=(Place(doc_id=near.ours),),
        )
