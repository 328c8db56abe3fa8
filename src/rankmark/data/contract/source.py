"""The interface that every form of judgments and runs implements, one module per form."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from rankmark._core import Judgments, RankingOptions
from rankmark.data.contract.reading_options import Reading
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Floats, Ints, Ranks
    from rankmark.data.alignment.views import JudgmentGroups, Subtopics
    from rankmark.data.contract.places import Positional
    from rankmark.data.contract.source_options import Kind


class Judged(NamedTuple):
    """Judgments as a source returns them.

    Parameters
    ----------
    judgments
        The core's judgments, for looking up documents; None if ``positional`` creates them.
    query_ids
        (Q,) ids, in order of first appearance.
    rows
        Number of judgments.
    extra_columns
        Number of lines of a file with more columns than the format has.
    doc_ids
        (rows,) ids of judged documents, query by query; None if the core returns them cheaply.
    shape
        (n_queries, n_items), or (n_queries,), if queries are rows of an array or a list; None if
        they have ids.
    positional
        Labels by place, for arrays.
    subtopics
        Labels by subtopic, if judgments were read by subtopic; the core's labels are then the
        numbers of documents.
    groups
        Labels by group, if judgments were read by group; the core's labels are then the numbers
        of documents, too.
    """

    judgments: Judgments | None
    query_ids: tuple[str, ...]
    rows: int
    extra_columns: int = 0
    doc_ids: tuple[str, ...] | None = None
    shape: tuple[int, ...] | None = None
    positional: Positional | None = None
    subtopics: Subtopics | None = None
    groups: JudgmentGroups | None = None

    def by_query(self) -> dict[str, dict[str, float]]:
        """Return the labels as a mapping."""
        assert self.judgments is not None  # noqa: S101
        ids = self.judgments.document_ids() if self.doc_ids is None else self.doc_ids
        labels, starts = self.judgments.labels().tolist(), self.judgments.starts().tolist()
        return {
            query: dict(zip(ids[begin:end], labels[begin:end], strict=True))
            for query, begin, end in zip(self.query_ids, starts, starts[1:], strict=False)
        }


Vouched = bool | Literal["in part"]
Order = Literal["best first", "rows"]
"""What the order of documents with scores says: hits and pairs come best first, rows as they do."""

(
    ANSWERED, JUDGED, TIED, JUDGED_TOP, SELF_MATCHES, DUPLICATES, SEEN, RETRIEVED, NOT_POSITIVE,
    RISES, UNITS, WHOLE_UNITS, NEGATIVE_UNITS, UNIT_DOCUMENTS,
) = range(COUNTS := 14)  # fmt: skip
"""The rows of ``Columns.counts``."""


class Columns(NamedTuple):
    """The core's columns for Q judged queries and H kept hits; see Alignment and RunFacts.

    ``counts``, (14, Q) int64, is what is known of each query, as described by ``ANSWERED`` and the
    others.
    """

    starts: Ints
    rank: Ranks
    label: Floats
    tie_first: Ranks | None
    tie_last: Ranks | None
    counts: Ints


class AlignedRun(NamedTuple):
    """A run aligned with judgments: columns and counts.

    ``order`` is what the order of its documents says; None if they have no scores, or no order.
    """

    columns: Columns
    run_only: int
    run_only_examples: list[str]
    rows: int
    extra_columns: int
    interleaved: int
    order: Order | None = None


class Rows(NamedTuple):
    """All rows of a source, for callers that need every row.

    Parameters
    ----------
    query_codes, query_ids
        (n,) uint32, and the distinct ids that they index, in order of first appearance.
    doc_codes, doc_ids, doc_numbers
        (n,) uint32; a function from a code to its id; and one from ids to their codes, (k,)
        int64, -1 for ids that appear in no row.
    number
        (n,) float64, labels or scores; None if a run has only ranks or an order.
    rank
        (n,) float64, the rank column; None if there is none.
    line
        (n,) int64, 1-based line of each row in its file; None if there are no lines.
    faults, faulty
        The first hundred lines that could not be read, each with what was found and what to do,
        and the number of all such lines.
    extra_lines, extra_columns
        The first hundred lines with more columns than the format has, and the number of all such
        lines.
    row
        (n,) number of each row in the caller's table, from 0; None if there are no rows to count,
        as in a mapping, or if a row is a query, as in a matrix.
    order
        As of AlignedRun.
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
    order: Order | None = None


class RowsBySubtopic(NamedTuple):
    """All judgments of a source, with the subtopic of each.

    Parameters
    ----------
    rows
        The judgments; ``rows.query_ids`` may include queries without judgments.
    codes, ids
        (n,) integer codes of the subtopics, and a function from a code to its id.
    """

    rows: Rows
    codes: Any
    ids: Callable[[int], str]


class RowsByGroup(NamedTuple):
    """All judgments of a file with groups.

    Parameters
    ----------
    rows
        The judgments.
    groups
        For each column that names groups, (n,) integer codes and a function from a code to its id.
    """

    rows: Rows
    groups: list[tuple[Ints, Callable[[int], str]]]


class PreparedQrels(Protocol):
    """Prepared judgments, as a run is aligned with them; see Qrels."""

    source: Source
    query_ids: tuple[str, ...]
    shape: tuple[int, ...] | None
    positional: Positional | None

    @property
    def name(self) -> str:
        """Name for messages."""
        ...

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Ids of the judged documents, query by query."""
        ...

    @property
    def judgments(self) -> Judgments:
        """The core's judgments."""
        ...


class Source:
    """One form of judgments or of a run.

    Attributes
    ----------
    name
        Its name in messages and tables: the file's name, or ``<mapping>``, ``<frame>``, ...
    positions
        Whether its ids are row and column numbers of arrays rather than real ids.
    by_column
        Whether its documents are numbers of columns, or places in their query, which are no ids.
    nameless
        Whether it is a single query without an id.
    is_file
        Whether it is a file, which is read anew each time.
    vouched
        Whether the caller said that its numbers are scores or labels, so that they are not
        doubted; ``"in part"`` for a part of a run, which may look different from the whole.
    ranks_alone
        Whether it is a run of which only the ranks of some documents are known.
    has_length
        Whether it is known how many documents were ranked.
    document_weights
        The weights of judged documents, if these have some; in ``document_slices``, their slices.
    costs
        What the documents of a run cost, if that is known.
    """

    name: str
    positions: bool = False
    by_column: bool = False
    nameless: bool = False
    is_file: bool = False
    vouched: Vouched = False
    ranks_alone: bool = False
    has_length: bool = True
    document_weights: Any = None
    document_slices: Any = None
    costs: Any = None

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        raise NotImplementedError

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments; ``by_rank`` trusts its rank column instead of its scores."""
        raise NotImplementedError

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:
        """List all rows; ``lenient`` skips lines of a file that cannot be read."""
        raise NotImplementedError

    def beginning(self) -> Source | None:
        """Return the first rows alone, if it is large and they can be told from the others."""
        return None

    def first_documents(self, most: int) -> Source:
        """Return the first documents of each query, as far as these can be told fast."""
        return self

    def for_query(self, query: str, reading: Reading) -> Source | None:
        """Read the rows of one query again, in the same order; None if it has none."""
        raise NotImplementedError

    def with_groups_of(self, qrels: PreparedQrels) -> Source:
        """Return the run, with the groups of the judgments if it is an array without its own."""
        return self

    def keep(self) -> None:
        """Copy what the caller may change; a file is not copied, as it is read anew each time."""

    def as_read(self) -> Source | None:
        """Return the same file for later reading, refused if it has changed; None if no file."""
        return None

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted: its form and the columns used, in JSON types."""
        raise NotImplementedError

    def sha256(self) -> str | None:
        """Hash the file's bytes; None if it is not a file."""
        return None


class Wrapped(Source):
    """A source around another, of which it passes on all that it does not change.

    Parameters
    ----------
    source
        The other source.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.name
        self.positions = source.positions
        self.by_column = source.by_column
        self.nameless = source.nameless
        self.is_file = source.is_file
        self.vouched = source.vouched

    def around(self, source: Source | None) -> Self | None:
        """Return the same around another source; None around none."""
        if source is None:
            return None
        other = copy(self)
        Wrapped.__init__(other, source)
        return other

    def read_qrels(self, reading: Reading) -> Judged:  # noqa: D102
        return self.source.read_qrels(reading)

    def align_run(  # noqa: D102
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        return self.source.align_run(qrels, ranking, reading, by_rank=by_rank)

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:  # noqa: D102
        return self.source.rows(reading, lenient=lenient)

    def for_query(self, query: str, reading: Reading) -> Source | None:  # noqa: D102
        return self.around(self.source.for_query(query, reading))

    def keep(self) -> None:  # noqa: D102
        self.source.keep()

    def as_read(self) -> Self | None:  # noqa: D102
        return self.around(self.source.as_read())

    def description(self) -> dict[str, Any]:  # noqa: D102
        return self.source.description()

    def sha256(self) -> str | None:  # noqa: D102
        return self.source.sha256()


def side(name: str, kind: Kind) -> str:
    """Name one side for messages: a file by its name, other forms prefixed by qrels or run."""
    return f"{kind} {name}" if name.startswith("<") else name
