"""The data that an evaluation keeps, and reading the rest again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.alignment import LAST_RANK, Alignment, positions
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.contract.source import side
from rankmark.data.contract.source_options import NO_OPTIONS
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.parents import source_of, with_parents
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.units import judgments_of_documents
from rankmark.errors import ChangedError, InputError, quiet
from rankmark.measures.base.requirements import needed_by
from rankmark.named_tuples import NamedTuple
from rankmark.scoring.ranked import Ranked

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Needs
    from rankmark.data.contract.source import Source
    from rankmark.data.contract.source_options import Kind, SourceOptions
    from rankmark.data.preparing.corpus_ids import JudgedInCorpus
    from rankmark.data.preparing.list_facts import ListedRun
    from rankmark.data.preparing.matching import RunFacts
    from rankmark.data.preparing.pair_options import PairOptions
    from rankmark.data.preparing.seen import Seen
    from rankmark.measures import Measure
    from rankmark.scoring.ties import Case

MOST_DOCUMENTS, MOST_QUERIES = 1000, 20
"""Larger judgments and runs are not copied for a result, which holds the caller's objects."""

_DATA_OPTIONS = ("groups", "mask", "lengths")
_MANY = 10_000  # rows from which an alignment is reduced


class Described:
    """The description of a source without its data; ``file`` reads the same file later."""

    nameless = False

    def __init__(self, source: Source, file: Source | None) -> None:
        self.name: str = source.name
        self.positions: bool = source.positions
        self.by_column: bool = source.by_column
        self.ranks_alone: bool = source.ranks_alone
        self.file = file
        self._description = source.description()

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return deepcopy(self._description)

    def sha256(self) -> str | None:
        """Hash the file's bytes; None if it is not a file, or has changed."""
        return None if self.file is None else self.file.sha256()


class Remembered:
    """Large judgments or a large run that were evaluated, to be read again.

    A changed file is detected by its size and times, and by its hash if that was computed; a
    changed object in memory by the fingerprint of its data, or by what it leads to.

    Parameters
    ----------
    side
        What was evaluated.
    original
        The caller's object, or ``side`` itself if the caller prepared it.
    options
        The caller's options for it.
    file
        The same file, for later reading; None if it is not a file.
    """

    def __init__(
        self, side: Qrels | Run, original: Any, options: SourceOptions, file: Source | None
    ) -> None:
        source = side.source
        self.kind: Kind = "qrels" if isinstance(side, Qrels) else "run"
        self._maker: type[Qrels | Run] = type(side)
        self.name: str = source.name
        self.source: Described = Described(source, file)
        if isinstance(side, Qrels):
            self.query_ids: tuple[str, ...] = side.query_ids
            self.extra_columns: int = side.extra_columns
            self.failed: int = side.failed
        self._fingerprint = getattr(source, "fingerprint", None)
        self._original: Any = original
        self._options = options
        has_data = any(getattr(options, name) is not None for name in _DATA_OPTIONS)
        self.is_certain: bool = (
            original is side or file is not None or (self._fingerprint is not None and not has_data)
        )

    def again(self) -> Qrels | Run:
        """Read it again; unless ``is_certain``, the caller must check that it is the same."""
        original = self._original
        if isinstance(original, Qrels):
            return original
        if isinstance(original, Run) and self.source.file is None:
            parents = self._options.parents
            return original if parents is None else Run.of(with_parents(original.source, parents))
        if self.source.file is not None:
            return self._maker.of(self.source.file)
        if self._original is None:
            raise self._refused("was not pickled with the evaluation")
        try:
            with quiet():  # these were given when it was evaluated
                source = source_of(original, self.kind, self._options)
            is_same = source.description() == self.source.description()
            if not is_same or self._fingerprint != getattr(source, "fingerprint", None):
                raise self.changed()
            return self._maker.of(source)
        except ChangedError:
            raise
        except InputError:  # an exhausted iterator, say
            raise self._refused("cannot be read again as it was evaluated") from None

    def changed(self) -> ChangedError:
        """Return the error for changed contents."""
        return self._refused("has changed since it was evaluated")

    def _refused(self, what: str) -> ChangedError:
        return ChangedError(
            f"{side(self.name, self.kind)} {what}, and is needed again for this",
            f"evaluate it as rm.{self.kind.capitalize()}(...), which makes a copy, and keep that",
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without references into this process."""
        return vars(self) | {"_original": None, "_options": NO_OPTIONS}


def remembered(qrels: Qrels, original: Any, options: PairOptions) -> Qrels | Remembered:
    """Keep few judgments, as a copy unless they are prepared; many are read again.

    Parameters
    ----------
    original
        The caller's object, which may be ``qrels`` itself.
    """
    if qrels.rows <= MOST_DOCUMENTS:
        prepared: bool = original is qrels
        if prepared:
            return qrels
        if len(qrels.query_ids) <= MOST_QUERIES and not qrels.source.is_file:
            qrels.keep()
            return qrels
    return Remembered(qrels, original, options.of_qrels, qrels.source.as_read())


def remembered_run(
    run: Run, original: Any, options: PairOptions, facts: RunFacts
) -> Run | Remembered:
    """Keep a small run, as a copy unless it is prepared; a large one is read again."""
    source, queries = run.source, facts.counts.shape[1] + facts.run_only
    if facts.rows > MOST_DOCUMENTS or queries > MOST_QUERIES or source.is_file:
        return Remembered(run, original, options.of_run, source.as_read())
    if run is not original:
        source.keep()
    return run


class Prepared(NamedTuple):
    """Judgments and a run."""

    qrels: Qrels
    run: Run


class KeptData(NamedTuple):
    """The alignment that was scored, and the sources of the rest of the data.

    Data missing from the alignment is read again, and refused if it changed since the evaluation.

    Parameters
    ----------
    qrels, run
        The data if small; otherwise how to read it again.
    conventions, needs
        How they were aligned.
    alignment, facts
        As evaluated.
    only_for
        The measures for which the alignment was reduced; None if it was not.
    seen
        The documents left out as seen before; None if there are none.
    own
        The data of measures that were aligned under conventions of their own.
    reading
        How the run is read again.
    corpus
        What a corpus lacks of the judged documents; None without a corpus.
    on_ties
        Whether another order of ties could let other documents fit into a budget.
    """

    qrels: Qrels | Remembered
    run: Run | Remembered
    conventions: Conventions
    needs: Needs
    alignment: Alignment
    facts: RunFacts
    only_for: tuple[Measure, ...] | None = None
    seen: Seen | None = None
    own: Mapping[Measure, KeptData] = {}
    reading: Reading = AS_USUAL
    corpus: JudgedInCorpus | None = None
    on_ties: bool = False

    def referring_to(self, qrels: Qrels | Remembered) -> KeptData:
        """Read these judgments if judgments are needed again; they are the same."""
        own = {
            measure: kept
            if measure.depends_on == "anywhere" or measure.is_rejudged
            else kept._replace(qrels=qrels)
            for measure, kept in self.own.items()
        }
        return self._replace(qrels=qrels, own=own)

    def read(self) -> Prepared:
        """Read everything again."""
        prepared = self._again()
        if not self._is_certain:
            alignment, facts = self._aligned_as_before(*prepared)
            if not (_same(alignment, self.alignment) and _same_facts(facts, self.facts)):
                raise self._changed()
        return prepared

    def read_for(self, query: str) -> Prepared:
        """Read again for one query."""
        qrels, run = self._again()
        if not self._is_certain and query in qrels.query_ids:
            from rankmark.data.alignment.tie_probabilities import queries_of  # noqa: PLC0415
            from rankmark.data.preparing.ranked_queries import (  # noqa: PLC0415
                run_for_query,
                with_groups_of,
            )

            alone = run_for_query(with_groups_of(qrels, run), query) or Run({query: {}})
            row = qrels.query_ids.index(query)
            now, _ = self._aligned_as_before(qrels, alone)
            if not _same(*(queries_of(a, row, row + 1) for a in (now, self.alignment))):
                raise self._changed()
        return Prepared(qrels, run)

    def ranked(self, needs: Needs) -> Ranked:
        """Return the ranked run with what satisfies the needs, and a cache of its own."""
        # If ties have no order, the alignment lacks documents that tie across the depth.
        is_whole = self.conventions.unordered is None or self.conventions.depth is None
        if is_whole and self._covers(needs) and not self.run.source.ranks_alone:
            kept = Ranked(self.alignment, self.facts, self.conventions)
            return kept.over(self.alignment.with_columns())
        return Ranked.of(*self.read(), self.conventions, needs=needs, reading=self.reading)

    def orders(self, needs: Needs) -> Sequence[Case]:
        """Read again, and return the cases over all orders of ties, whatever their rule is."""
        from rankmark.scoring.ties import match_unordered  # noqa: PLC0415

        qrels, run, listed = self._listed(*self.read(), needs)
        _, _, cases = match_unordered(
            partial(match, qrels, run, reading=self.reading, may_differ=listed is not None),
            self.conventions,
            needs,
        )
        if listed is None:
            return cases
        return [case._replace(alignment=listed.of(case.alignment)) for case in cases]

    def shares_judgments(self, other: KeptData | Qrels) -> bool:
        """Return True if another evaluation has the same judgments, or they are the given ones.

        If they cannot be read again, only the queries are compared.
        """
        theirs = other if isinstance(other, Qrels) else other.qrels
        if self.qrels is theirs:
            return True
        try:
            qrels, others = self.qrels.again(), theirs.again()
        except ChangedError:
            ids = other.query_ids if isinstance(other, Qrels) else other.alignment.queries
            return sorted(self.alignment.queries) == sorted(ids)
        assert isinstance(qrels, Qrels)  # noqa: S101
        assert isinstance(others, Qrels)  # noqa: S101
        return qrels is others or qrels.same_judgments_as(others)

    def _covers(self, needs: Needs) -> bool:
        """Return True if the alignment satisfies the needs."""
        have = self.needs
        return (
            self.only_for is None
            and have.lowest <= needs.lowest
            and _reaches(have.deepest, needs.deepest)
            and _reaches(have.ideal, needs.ideal)
            and (not needs.subtopics or have.subtopics)
        )

    @property
    def _is_certain(self) -> bool:
        sides = (self.qrels, self.run)
        return all(not isinstance(one, Remembered) or one.is_certain for one in sides)

    def _again(self) -> Prepared:
        qrels, run = self.qrels.again(), self.run.again()
        assert isinstance(qrels, Qrels)  # noqa: S101
        assert isinstance(run, Run)  # noqa: S101
        if qrels.query_ids != self.alignment.queries:
            raise self._changed()
        qrels = judgments_of_documents(qrels, self.conventions.qrels_unit)
        if self.seen is not None:
            from rankmark.data.preparing.seen import without_seen  # noqa: PLC0415  (rarely used)

            run = without_seen(qrels, run, self.seen)
        return Prepared(qrels, run)

    def _aligned_as_before(self, qrels: Qrels, run: Run) -> tuple[Alignment, RunFacts]:
        qrels, run, listed = self._listed(qrels, run, self.needs)
        ranked = Ranked.of(
            qrels,
            run,
            self.conventions,
            needs=self.needs,
            reading=self.reading,
            may_differ=listed is not None,
        )
        a = ranked.alignment if listed is None else listed.of(ranked.alignment)
        return (a if self.only_for is None else _reduced(a, self.only_for)), ranked.facts

    def _listed(self, qrels: Qrels, run: Run, needs: Needs) -> tuple[Qrels, Run, ListedRun | None]:
        """Return what is matched: these, or all items of lists for a measure of lists."""
        view = self.alignment.views.get("lists")
        if view is None:
            return qrels, run, None
        from rankmark.data.preparing.list_facts import listed_run  # noqa: PLC0415  (rarely used)

        found = listed_run(
            qrels, run, self.conventions, view.judged.data, needs.deepest, self.reading
        )
        return found.qrels, found.run, found

    def _changed(self) -> Exception:
        sides = [one for one in (self.run, self.qrels) if isinstance(one, Remembered)]
        return next((one for one in sides if not one.is_certain), sides[0]).changed()


def keeping(a: Alignment, measures: tuple[Measure, ...]) -> tuple[Alignment, bool]:
    """Reduce a large alignment to the rows that measures need, and return whether it was reduced.

    The needs of measures are combined when they are aligned, which may include many more rows: one
    measure may need all labels of the first ranks, another all ranks of high labels.
    """
    is_small = len(a.label) <= _MANY and len(a.ideal_label) <= _MANY
    if is_small or a.views:
        return a, False
    reduced = _reduced(a, measures)
    kept = len(reduced.label) + len(reduced.ideal_label)
    return (reduced, True) if 2 * kept < len(a.label) + len(a.ideal_label) else (a, False)


def _reduced(a: Alignment, measures: tuple[Measure, ...]) -> Alignment:
    rows = np.zeros(len(a.label), dtype=np.bool_)
    ideal = np.zeros(len(a.ideal_label), dtype=np.bool_)
    begins = a.rank if a.tie_first is None else a.tie_first
    place = positions(a.ideal_starts)
    for measure in measures:
        lowest, deepest, most, *_ = needed_by(measure)
        rows |= (a.label >= lowest) & (begins <= (LAST_RANK if deepest is None else deepest))
        ideal |= (a.ideal_label >= lowest) & (place <= (LAST_RANK if most is None else most))
    ideal |= (a.ideal_label > 0) & (place == 1)  # whether any is positive is always needed
    return Alignment(
        a.queries,
        _kept_starts(a.starts, rows),
        a.rank[rows],
        a.label[rows],
        a.retrieved,
        _kept_starts(a.ideal_starts, ideal),
        a.ideal_label[ideal],
        None if a.tie_first is None else a.tie_first[rows],
        None if a.tie_last is None else a.tie_last[rows],
    )


def _kept_starts(starts: Ints, rows: Bools) -> Ints:
    before: Ints = np.append(0, np.cumsum(rows))
    return before[starts]


def _reaches(have: int | None, needed: int | None) -> bool:
    return have is None or (needed is not None and have >= needed)


def _same(first: Alignment, second: Alignment) -> bool:
    """Compare all columns that measures use, to the bit."""
    from rankmark.data.alignment.tie_probabilities import tie_columns  # noqa: PLC0415

    columns = (
        (a.starts, a.rank, a.label, a.retrieved, a.ideal_starts, a.ideal_label, *tie_columns(a))
        for a in (first, second)
    )
    return all(a.tobytes() == b.tobytes() for a, b in zip(*columns, strict=True))


def _same_facts(first: RunFacts, second: RunFacts) -> bool:
    def comparable(facts: RunFacts) -> list[object]:
        return [fact.tobytes() if isinstance(fact, np.ndarray) else fact for fact in facts]

    return comparable(first) == comparable(second)
