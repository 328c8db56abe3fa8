"""What every form of judgments and runs can do, one file a form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rankmark import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.alignment.judgment_groups import JudgmentGroups
    from rankmark.alignment.subtopics import Subtopics
    from rankmark.array_types import Bools, Floats, Ints, Ranks
    from rankmark.sources.contract.places import Positional
    from rankmark.sources.contract.source_options import Kind

Progress = Callable[[int], None]
"""Told how many bytes have been read since it was told last."""


class Judged(NamedTuple):
    """Judgments as a source gives them.

    Parameters
    ----------
    judgments
        The core's own, made for looking up documents; None where ``positional`` makes them.
    query_ids
        (Q,) ids, in the order in which each came first.
    rows
        How many judgments.
    extra_columns
        How many lines of a file have more columns than the format has.
    doc_ids
        (rows,) ids of judged documents, query by query; None where asking the core costs nothing.
    shape
        (n_queries, n_items), or (n_queries,), where queries are rows of an array or of a list;
        None where they have ids.
    positional
        Labels by place, of arrays.
    subtopics
        What documents were judged for, where judgments were read by subtopic; the core's labels
        are then the numbers of documents.
    groups
        What each group of judgments says, where they were read by group; the core's labels are
        then the numbers of documents, too.
    """

    judgments: _core.Judgments | None
    query_ids: tuple[str, ...]
    rows: int
    extra_columns: int = 0
    doc_ids: tuple[str, ...] | None = None
    shape: tuple[int, ...] | None = None
    positional: Positional | None = None
    subtopics: Subtopics | None = None
    groups: JudgmentGroups | None = None


class Columns(NamedTuple):
    """What the core gives for Q judged queries and H kept hits; see Alignment and RunFacts."""

    starts: Ints
    rank: Ranks
    label: Floats
    tie_first: Ranks | None
    tie_last: Ranks | None
    retrieved: Ints
    judged: Ints
    tied: Ints
    judged_top: Ints
    answered: Bools
    self_matches: Ints
    duplicates: Ints
    seen: Ints


class AlignedRun(NamedTuple):
    """A run aligned with judgments: columns, and what was counted on the way."""

    columns: Columns
    run_only: int
    run_only_examples: list[str]
    rows: int
    extra_columns: int
    interleaved: int


class Rows(NamedTuple):
    """A source's rows as they were given, for whoever must see every one of them.

    Parameters
    ----------
    query_codes, query_ids
        (n,) uint32, and the distinct ids that they number, in order of first appearance.
    doc_codes, doc_ids, doc_numbers
        (n,) uint32; a function that gives the id with a number; and one that gives the numbers of
        ids, (k,) int64, -1 for those that are in no row.
    number
        (n,) float64, labels or scores; None where a run has only ranks or an order.
    rank
        (n,) float64, the rank column, or None where there is none.
    line
        (n,) int64, 1-based line of each row in its file; None where there are no lines.
    faults, faulty
        The first hundred lines that could not be read, each with what was found and what to do,
        and how many there are.
    extra_lines, extra_columns
        The first hundred lines with more columns than the format has, and how many there are.
    row
        (n,) number of each row in the caller's table, from 0; None where there are no rows to
        count, as in a mapping, or where a row is a query, as in a matrix.
    """

    query_codes: Any
    query_ids: tuple[str, ...]
    doc_codes: Any
    doc_ids: Callable[[int], str]
    doc_numbers: Callable[[list[str]], Ints]
    number: Floats | None
    rank: Floats | None
    line: Ints | None
    faults: Sequence[tuple[int, str, str]] = ()
    faulty: int = 0
    extra_lines: Sequence[int] = ()
    extra_columns: int = 0
    row: Sequence[int] | Ints | None = None


class RowsBySubtopic(NamedTuple):
    """All judgments of a source, with the subtopic of each.

    Parameters
    ----------
    rows
        The judgments; queries without one may be among ``rows.query_ids``.
    codes, ids
        (n,) whole numbers of the subtopics, and a function that gives the id with a number.
    """

    rows: Rows
    codes: Any
    ids: Callable[[int], str]


class RowsByGroup(NamedTuple):
    """All judgments of a file.

    Parameters
    ----------
    rows
        The judgments.
    groups
        Of each column that names groups, (n,) whole numbers, and a function that gives the id.
    """

    rows: Rows
    groups: list[tuple[Ints, Callable[[int], str]]]


class PreparedQrels(Protocol):
    """Judgments made ready, as a run meets them; see Qrels."""

    source: Source
    query_ids: tuple[str, ...]
    shape: tuple[int, ...] | None
    positional: Positional | None

    @property
    def name(self) -> str:
        """What messages call them."""
        ...

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Ids of the judged documents, query by query."""
        ...

    @property
    def judgments(self) -> _core.Judgments:
        """The core's own."""
        ...


class Source(Protocol):
    """One form of judgments or of a run.

    Attributes
    ----------
    name
        How messages and tables call it: the file's name, or ``<mapping>``, ``<frame>``, ...
    positions
        Whether its ids are numbers of rows and columns of arrays, and not ids that mean something.
    nameless
        Whether it is one query, whose id nobody says.
    is_file
        Whether it is read anew each time, from a file.
    """

    name: str
    positions: bool
    nameless: bool
    is_file: bool

    def read_qrels(self, *, threads: int, progress: Progress | None) -> Judged:
        """Read judgments."""
        ...

    def align_run(
        self,
        qrels: PreparedQrels,
        ranking: _core.RankingOptions,
        *,
        by_rank: bool,
        threads: int,
        progress: Progress | None,
    ) -> AlignedRun:
        """Align a run with judgments; ``by_rank`` trusts its rank column instead of its scores."""
        ...

    def rows(self, *, lenient: bool, threads: int, progress: Progress | None) -> Rows:
        """List all rows; ``lenient`` passes over lines of a file that cannot be read."""
        ...

    def for_query(self, query: str, *, threads: int, progress: Progress | None) -> Source | None:
        """Read again only what it holds for one query; None where that is nothing.

        What comes back is ranked as the whole is: the same rows in the same order.
        """
        ...

    def keep(self) -> None:
        """Copy what the caller may change; nothing of a file, which is read anew each time."""
        ...

    def as_read(self) -> Source | None:
        """Give the same file to be read later, or refused once it has changed; else None."""
        ...

    def description(self) -> dict[str, Any]:
        """Say what it was taken for: its form, and the columns used, as JSON knows it."""
        ...

    def sha256(self) -> str | None:
        """Hash the file's bytes; None where there is no file."""
        ...


def side(name: str, kind: Kind) -> str:
    """Call one side in messages: a file by its name, and what has none also by what it is for."""
    return f"{kind} {name}" if name.startswith("<") else name
