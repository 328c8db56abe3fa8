"""The columns of a Spark DataFrame that an evaluation uses, and their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.data.contract.source import side
from rankmark.data.tables.column_values import is_number_type
from rankmark.data.tables.columns import Chosen, choose, refuse_unknown
from rankmark.errors import MissingDependencyError, SchemaError, shown
from rankmark.spark.document_lists import FlatColumn, flat_columns, stored_columns
from rankmark.verbs.evaluate.given_runs import RUN_COLUMNS

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind
    from rankmark.spark.document_lists import Field

NAME = "<DataFrame>"
POSITIONS = "position in the frame"
_IDS = "string, varchar, char, binary, tinyint, smallint, int, bigint, float, double, decimal"
_NUMBERS = "tinyint, smallint, int, bigint, float, double, decimal, boolean"


class FrameColumns(NamedTuple):
    """The columns of judgments or of a run, in the order in which they are sent.

    Parameters
    ----------
    kind
        Whether they are judgments or a run.
    names
        The names of the columns, each once.
    types
        Their types, as Spark writes them: ``"string"``, ``"decimal(10,2)"``.
    chosen
        The roles of these columns, by their places among ``names``.
    run
        The place of the column that names the run of each row; None if there is a single run.
    by
        The places of the columns of judgments that have attributes of queries.
    parent
        The place of the column with the document of each unit; None without units.
    name
        The name of the DataFrame or the files in messages.
    form
        ``"spark"``, or ``"parquet"`` if tasks read files.
    lists
        The same columns in the same order, if lists have to be taken apart; else empty.
    """

    kind: Kind
    names: tuple[str, ...]
    types: tuple[str, ...]
    chosen: Chosen
    run: int | None = None
    by: tuple[int, ...] = ()
    parent: int | None = None
    name: str = NAME
    form: str = "spark"
    lists: tuple[FlatColumn, ...] = ()

    @property
    def where(self) -> str:
        """How messages name them."""
        return side(self.name, self.kind)

    @property
    def stored(self) -> tuple[Field, ...]:
        """The names and types of the columns that are read, in their order."""
        if self.lists:
            return tuple(stored_columns(self.lists))
        return tuple(zip(self.names, self.types, strict=True))

    @property
    def query(self) -> int:
        """The place of the column of query ids."""
        return self.chosen.query_id

    def with_positions(self) -> FrameColumns:
        """Return the same with a column for the place of each row in the DataFrame."""
        return self._replace(names=(*self.names, POSITIONS), types=(*self.types, "bigint"))

    def without_positions(self) -> FrameColumns:
        """Return the same without this column."""
        return self._replace(names=self.names[:-1], types=self.types[:-1])

    def description(self) -> dict[str, Any]:
        """Describe how they were interpreted."""
        columns = self.chosen.named(self.names, self.kind)
        if self.parent is not None:
            columns["parent"] = self.names[self.parent]
        return {"form": self.form, "columns": columns}


def fields_of_frame(frame: Any, where: str) -> list[tuple[str, str]]:
    """Return the names of a DataFrame's columns with their types, as Spark writes these.

    Raises
    ------
    SchemaError
        If it is no DataFrame.
    """
    if not all(hasattr(type(frame), name) for name in ("mapInArrow", "schema", "select")):
        raise SchemaError(
            f"it is {type(frame).__name__}",
            "need a Spark DataFrame, or the paths of Parquet files; rankmark.evaluate takes other "
            "forms",
            where=where,
        )
    return [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]


def columns_of_fields(
    fields: Sequence[tuple[str, str]],
    kind: Kind,
    columns: Mapping[str, Any] | None,
    *,
    subtopics: bool = False,
    by_rank: bool = False,
    in_order: bool = False,
    several: bool = False,
    by: Sequence[str] = (),
    where: str,
) -> FrameColumns:
    """Choose the columns of a DataFrame or of files by their names and types; no job is run.

    Parameters
    ----------
    fields
        The names of all columns with their types.
    columns
        ``{role: name}`` for columns whose names are not recognised.
    subtopics
        Whether judgments need a subtopic column.
    by_rank, in_order
        Whether the run is ranked by its rank column, or needs one for the order of its rows.
    several
        Whether the DataFrame has several runs, and a column that names them.
    by
        Names of columns with attributes of queries.
    where
        How messages name the DataFrame or the files.

    Raises
    ------
    SchemaError
        If a column is missing, ambiguous or of another type.
    """
    flat = flat_columns(fields, kind, columns, where)
    fields = [one.field for one in flat]
    lists = [*flat] if any(one.is_list for one in flat) else []
    beside = [*by]
    if several:
        beside = [_run_column([name for name, _ in fields], columns, where)]
        columns = {role: name for role, name in (columns or {}).items() if role != "run"}
    parent = (columns or {}).get("parent")
    if parent is not None:
        beside.append(_parent_column(parent, [name for name, _ in fields], columns or {}, where))
        columns = {role: name for role, name in (columns or {}).items() if role != "parent"}
    apart = [place for place, (name, _) in enumerate(fields) if name in beside]
    apart.sort(key=lambda place: fields[place][0] == parent)  # the parent is the last
    others = [place for place in range(len(fields)) if place not in apart]
    names = [fields[place][0] for place in others]
    subtopics = subtopics or "subtopic" in (columns or {})
    chosen = choose(
        names,
        kind,
        columns,
        where,
        subtopics=subtopics,
        numeric=lambda at: is_number_type(fields[others[at]][1]),
    )
    if kind == "run":
        chosen = _of_run(chosen, where, by_rank=by_rank, in_order=in_order)
    places, moved = chosen.picked()
    used = [*(others[place] for place in places), *apart]
    picked = FrameColumns(
        kind,
        tuple(fields[place][0] for place in used),
        tuple(_plain(fields[place][1]) for place in used),
        moved,
        run=len(places) if several else None,
        by=tuple(range(len(places), len(places) + len(by))) if by else (),
        parent=None if parent is None else len(used) - 1,
        lists=tuple(lists[place] for place in used if lists),
    )
    ids = {moved.query_id, moved.doc_id, moved.subtopic, picked.run, picked.parent, *picked.by}
    for place, (name, of) in enumerate(zip(picked.names, picked.types, strict=True)):
        allowed = _IDS if place in ids else _NUMBERS
        if place in picked.by:
            allowed += ", boolean, date"
        if of.split("(")[0] not in allowed.split(", "):
            remedy = "need text or whole numbers" if place in ids else "need numbers"
            if of.startswith("array"):
                remedy += (
                    ", or lists of documents, in a column such as doc_id or of structs with it"
                )
            raise SchemaError(f"{name!r} holds {of}", remedy, where=where)
    return picked


def _run_column(names: list[str], columns: Mapping[str, Any] | None, where: str) -> str:
    """Return the column that names the runs."""
    named = (columns or {}).get("run")
    found = [at for at, name in enumerate(names) if name == named]
    if named is None:
        found = [at for at, name in enumerate(names) if name.lower() in RUN_COLUMNS]
    if len(found) != 1:
        problem = "no column names" if not found else f"{len(found)} columns could name"
        raise SchemaError(
            f"{problem} the run; it has {', '.join(map(repr, names))}",
            "choose with columns={'run': NAME}",
            where=where,
        )
    return names[found[0]]


def _parent_column(name: Any, names: list[str], columns: Mapping[str, Any], where: str) -> str:
    """Return the column with the documents of units.

    Raises
    ------
    SchemaError
        If there is none of this name, or it is the column of their own ids.
    """
    refuse_unknown("parent", name, names, where)
    if name in {columns.get("doc_id"), columns.get("query_id")}:
        raise SchemaError(
            f"{name!r} holds the ids of units or queries, and is named as their documents, too",
            "name two columns, as in {'doc_id': 'chunk_id', 'parent': 'doc_id'}",
            where=where,
        )
    return str(name)


def _of_run(chosen: Chosen, where: str, *, by_rank: bool, in_order: bool) -> Chosen:
    """Leave out the column of scores or of ranks if it is not used."""
    if by_rank and chosen.rank is None:
        raise SchemaError(
            'ties="rank" needs a rank column, and there is none',
            "rank by score, or choose it with columns={'rank': NAME}",
            where=where,
        )
    if chosen.rank is None and (chosen.number is None or in_order):
        what = "neither scores nor ranks" if chosen.number is None else "no ranks"
        raise SchemaError(
            f"it has {what}, and the rows of a DataFrame have no order",
            "add a column of ranks, or choose it with columns={'rank': NAME}",
            where=where,
        )
    if by_rank or chosen.number is None:
        return chosen._replace(number=None)
    return chosen if in_order else chosen._replace(rank=None)


def _plain(of: str) -> str:
    """Return the type of a text column without its length or collation."""
    return "string" if of.startswith(("string", "varchar", "char")) else of


def quoted(name: str) -> str:
    """Return a column's name as Spark's expressions need it."""
    return f"`{name.replace('`', '``')}`"


def arrow_type(of: str) -> Any:
    """Return the Arrow type of a column, with 32-bit offsets."""
    import pyarrow as pa  # noqa: PLC0415

    if of.startswith("decimal"):
        precision, scale = of[len("decimal(") : -1].split(",")
        return pa.decimal128(int(precision), int(scale))
    types = {
        "string": pa.string(),
        "binary": pa.binary(),
        "tinyint": pa.int8(),
        "smallint": pa.int16(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
    }
    return types[of]


def need_pyspark(purpose: str) -> Any:
    """Import PySpark and return it.

    Raises
    ------
    MissingDependencyError
        If it is not installed, or older than 4.
    """
    try:
        import pyspark  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("PySpark 4", "spark", purpose) from None
    if int(pyspark.__version__.split(".")[0]) < 4:
        what = f"PySpark 4, and {shown(pyspark.__version__)} is installed"
        raise MissingDependencyError(what, "spark", purpose)
    return pyspark
