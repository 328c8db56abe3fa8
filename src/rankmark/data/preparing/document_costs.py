"""What the documents of a run cost, such as tokens: for each row of it, or for each document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rankmark.arguments import is_finite_number
from rankmark.array_types import Bools, Floats, distinct
from rankmark.data.contract.source import Rows
from rankmark.data.preparing.document_weights import ByDocument
from rankmark.errors import InputError, shown


class Costs(NamedTuple):
    """What the documents of a run cost.

    Parameters
    ----------
    of_rows
        {name of the cost: (n,) float64, of each row of the run}.
    by_document
        The cost of each document, whatever its name is; None if there is none.
    """

    of_rows: Mapping[str, Floats]
    by_document: ByDocument | None = None

    def named(self, name: str, rows: Rows) -> Floats | None:
        """Return what each row costs, NaN if that is unknown: (n,) float64; None without costs."""
        if name in self.of_rows:
            return self.of_rows[name]
        if (given := self.by_document) is None:
            return None
        documents = np.asarray(rows.doc_codes).astype(np.int64)
        ids = {code: rows.doc_ids(code) for code in distinct(documents).tolist()}
        if given.by_document:
            by_code = {code: given.by_document.get(one) for code, one in ids.items()}
            found = [by_code[code] for code in documents.tolist()]
        else:
            queries = [rows.query_ids[code] for code in np.asarray(rows.query_codes).tolist()]
            pairs = zip(queries, map(ids.__getitem__, documents.tolist()), strict=True)
            found = [*map(given.by_pair.get, pairs)]
        if found and not any(one is not None for one in found):
            raise InputError(
                "it has the cost of no document that was retrieved, such as "
                f"{next(iter(ids.values()))!r}",
                "are the ids of one kind?",
                where="document_costs",
            )
        return from_zero(found, "document_costs", rows)

    def some(self, rows: Bools) -> Costs:
        """Return the costs of some rows."""
        return Costs({name: costs[rows] for name, costs in self.of_rows.items()}, self.by_document)


def from_zero(found: list[Any], where: str, rows: Rows) -> Floats:
    """Return costs as numbers, NaN for those that are None, of rows."""
    is_plain = {*map(type, found)} <= {int, float, type(None)}
    for cost in {*found} if is_plain else found:
        if cost is not None and not (is_finite_number(cost) and cost >= 0):
            at = next(at for at, one in enumerate(found) if one is cost)
            document = rows.doc_ids(int(np.asarray(rows.doc_codes)[at]))
            raise InputError(
                f"a cost is {shown(cost)}, of document {document!r}",
                "need finite numbers from 0",
                where=where,
            )
    return np.array(found, dtype=np.float64)
