"""Judgments in which a document judged for one query is judged for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.preparing.one_query import with_groups_of
from rankmark.data.preparing.parents import renamed
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.units import naming_documents

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.run import Run


def judged_anywhere(
    qrels: Qrels, run: Run, conventions: Conventions, most: int | None = None
) -> Qrels:
    """Judge each retrieved document for its query, with label 0, that is judged for another one.

    In arrays, documents are positions, and judged wherever they are retrieved. Units count for
    their documents, all of which are looked at.

    Parameters
    ----------
    most
        Of how many of the first documents of a query, at least; None for all.
    """
    if qrels.positional is not None and not qrels.positional.sparse:
        return qrels
    source = with_groups_of(qrels, run).source
    document_of = naming_documents(run.source, conventions)
    if most is not None and document_of is None and hasattr(source, "first_documents"):
        source = source.first_documents(most)
    rows = source.rows(AS_USUAL, lenient=False)
    if document_of is not None:
        rows = renamed(rows, document_of)
    pool = np.asarray(rows.doc_numbers(list(dict.fromkeys(qrels.doc_ids))), dtype=np.int64)
    of_rows = np.asarray(rows.doc_codes).astype(np.int64)
    known = np.zeros(int(max(of_rows.max(initial=-1), pool.max(initial=-1))) + 1, dtype=np.bool_)
    known[pool[pool >= 0]] = True
    found = np.flatnonzero(known[of_rows])
    queries, documents = np.asarray(rows.query_codes)[found].tolist(), of_rows[found].tolist()
    name = {code: rows.doc_ids(code) for code in set(documents)}
    judged = qrels.by_query()
    for query, document in zip(queries, documents, strict=True):
        if (of_query := judged.get(rows.query_ids[query])) is not None:
            of_query.setdefault(name[document], 0.0)
    anywhere = Qrels(judged)
    anywhere.lifted = qrels.lifted
    return anywhere
