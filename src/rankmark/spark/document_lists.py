"""Columns of lists: all documents of a query in one row, as ALS recommends them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.data.tables.columns import is_known
from rankmark.errors import SchemaError, listed

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind

    Field = tuple[str, str]
    """The name of a column and its type, as Spark writes it."""

RANK = "rank"
_ARRAY, _STRUCT = "array<", "struct<"


class FlatColumn(NamedTuple):
    """A column once each document has a row.

    Parameters
    ----------
    field
        Its name and type.
    stored
        The column that has its values; None for places in lists, from 1.
    is_list
        Whether that column has lists.
    member
        The place of its values in the structs of these lists; None if they have no structs.
    """

    field: Field
    stored: Field | None
    is_list: bool = False
    member: int | None = None


def flat_columns(
    fields: Sequence[Field], kind: Kind, columns: Mapping[str, Any] | None, where: str
) -> list[FlatColumn]:
    """Return the columns that rows of single documents have.

    Lists are taken apart if documents have no other column: those of structs with an id, or those
    of ids and beside them those of numbers. Without numbers, the places in the lists of a run are
    its ranks.

    Raises
    ------
    SchemaError
        If several columns have lists of documents.
    """
    plain = [FlatColumn(field, field) for field in fields]
    named = {str(name): role for role, name in (columns or {}).items()}

    def has_role(name: str, *roles: str) -> bool:
        if set(roles) & {*named.values()}:
            return named.get(name) in roles
        return any(is_known(name, role) for role in roles)  # type: ignore[arg-type]

    if any(has_role(name, "doc_id") for name, of in fields if not of.startswith(_ARRAY)):
        return plain
    lists = [field for field in fields if field[1].startswith(_ARRAY)]
    documents = [
        field
        for field in lists
        if any(has_role(name, "doc_id") for name, _ in [field, *_members(field[1])])
    ]
    if not documents:
        return plain
    if len(documents) > 1:
        raise SchemaError(
            f"several columns have lists of documents: {listed([name for name, _ in documents])}",
            "choose with columns={'doc_id': NAME}",
            where=where,
        )
    (document,) = documents
    members = _members(document[1])
    flat = [one for one in plain if one.stored not in lists]
    if members:
        return flat + [
            FlatColumn(member, document, is_list=True, member=place)
            for place, member in enumerate(members)
        ]
    beside = [
        field
        for field in lists
        if has_role(field[0], "score", "label") or named.get(field[0]) == "parent"
    ]
    flat += [
        FlatColumn((field[0], _inner(field[1])), field, is_list=True)
        for field in (document, *beside)
    ]
    numbers = [name for name, _ in beside if named.get(name) != "parent"]
    if kind == "run" and not numbers and not any(has_role(one.field[0], RANK) for one in flat):
        flat.append(FlatColumn((RANK, "int"), None, is_list=True))
    return flat


def _inner(of: str) -> str:
    return of.removeprefix(_ARRAY).removesuffix(">")


def _members(of: str) -> list[Field]:
    """Return the members of the structs in a list; none if it has no structs."""
    inner = _inner(of)
    if not of.startswith(_ARRAY) or not inner.startswith(_STRUCT):
        return []
    found, depth = [""], 0
    for letter in inner.removeprefix(_STRUCT).removesuffix(">"):
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    pairs = (one.partition(":") for one in found)
    return [(name, kind) for name, _, kind in pairs]


def stored_columns(flat: Iterable[FlatColumn]) -> list[Field]:
    """Return the columns that have the values of these, each once.

    If only places in lists are used of a list, its documents are there, too.
    """
    return [*dict.fromkeys(one.stored for one in flat if one.stored is not None)]


def flattened(batches: Iterable[Any], flat: Sequence[FlatColumn], where: str) -> Iterator[Any]:
    """Give each document of Arrow batches of the stored columns a row.

    Raises
    ------
    SchemaError
        If the lists of one row have different lengths.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    stored = stored_columns(flat)
    places = {field: place for place, field in enumerate(stored)}
    lists = {field: places[field] for one in flat if one.is_list and (field := one.stored)}
    for batch in batches:
        lengths = _lengths(batch, lists, where)
        starts = np.cumsum(lengths) - lengths
        rows = pa.array(np.repeat(np.arange(len(lengths)), lengths))
        values = {field: pc.list_flatten(batch.column(place)) for field, place in lists.items()}
        arrays = []
        for one in flat:
            if one.stored is None:
                ranks = np.arange(len(rows)) - np.repeat(starts, lengths) + 1
                arrays.append(pa.array(ranks.astype(np.int32)))
            elif not one.is_list:
                arrays.append(batch.column(places[one.stored]).take(rows))
            elif one.member is None:
                arrays.append(values[one.stored])
            else:
                arrays.append(pc.struct_field(values[one.stored], [one.member]))
        yield pa.record_batch(arrays, names=[one.field[0] for one in flat])


def _lengths(batch: Any, lists: Mapping[Field, int], where: str) -> Any:
    """Return the number of documents of each row, 0 for a null list: (n,) int64."""
    import pyarrow.compute as pc  # noqa: PLC0415

    first: Any = None
    for place in lists.values():
        lengths = pc.list_value_length(batch.column(place)).fill_null(0).to_numpy().astype(np.int64)
        if first is None:
            first = lengths
        elif (first != lengths).any():
            row = int(np.flatnonzero(first != lengths)[0])
            names = " and ".join(repr(name) for name, _ in lists)
            raise SchemaError(
                f"{names} have lists of {first[row]} and {lengths[row]} in one row",
                "need lists of equal length",
                where=where,
            )
    return first
