"""pytrec_eval's interface: ``from rankmark.compat import pytrec_eval``.

The numbers are those of pytrec_eval-terrier, that is, of trec_eval 9.0.8: scores in single
precision, ties by document id, and only queries that are both judged and in the run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from rankmark.compat.trec_eval.printed_columns import columns_of, printed, scored
from rankmark.conventions import Conventions
from rankmark.data.alignment import Alignment
from rankmark.data.contract.reading_options import ONE_THREAD
from rankmark.data.mappings.nested_mapping import NestedMapping, StrictDicts
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.ranking_patterns import Patterns
from rankmark.data.preparing.run import Run
from rankmark.errors import MeasureError, MismatchError, shown, warn
from rankmark.measures.base.requirements import needs_of
from rankmark.measures.trec_eval_names import ALL_TREC, FAMILIES, NICKNAMES
from rankmark.profiles.pytrec_eval import PROFILE
from rankmark.scoring.term_tables import divisors, tabulated

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_NAMES = ALL_TREC[9]
__version__ = PROFILE.version.removeprefix("terrier ")
"""The version of pytrec_eval-terrier whose interface and numbers these are; ir_measures asks."""

supported_measures: set[str] = set(_NAMES)
"""The names of all measures, without parameters."""

supported_nicknames: dict[str, set[str]] = {name: set(held) for name, held in NICKNAMES.items()}
"""Sets of measures by name; those of preferences and of judgment groups cannot be computed."""

_NUMBERS = re.compile(r"[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)")
_MOST_KNOWN = 1 << 14
"""Patterns of rankings whose values are remembered."""
_WORTH_TABLES = 200
"""Patterns whose formulas take about as long as tables of their terms take to make."""
_WRONG_RUN = "Unable to extract query/object scores."


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines ``qid Q0 docid rank score tag`` of a run: {query: {document: score}}.

    A document that appears twice for a query raises AssertionError, as in pytrec_eval.
    """
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for line in f_run:
        query, _, document, _, score_text, _ = line.split()
        _refuse_twice(document, query, run[query])
        run[query][document] = float(score_text)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines ``qid iter docid label`` of qrels: {query: {document: label}}.

    A document that appears twice for a query raises AssertionError, as in pytrec_eval.
    """
    qrel: dict[str, dict[str, int]] = defaultdict(dict)
    for line in f_qrel:
        query, _, document, label = line.split()
        _refuse_twice(document, query, qrel[query])
        qrel[query][document] = int(label)
    return qrel


def _refuse_twice(document: str, query: str, known: Mapping[str, Any]) -> None:
    if document in known:
        raise AssertionError(f"document {shown(document)} appears twice for query {shown(query)}")


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Aggregate the values of queries: counts are summed, ``gm_map`` is e to the mean logarithm.

    All other measures are averaged.
    """
    column = np.asarray(values if isinstance(values, (list, np.ndarray)) else list(values))
    if measure.startswith("num_"):
        return float(np.sum(column))
    mean = float(np.mean(column))
    return float(np.exp(mean)) if measure.startswith("gm_") else mean


class RelevanceEvaluator:
    """Evaluate runs against judgments, under trec_eval's names.

    Parameters
    ----------
    query_relevance
        ``{query id: {document id: label}}``, whole labels. It is copied.
    measures
        Names such as ``map``, ``ndcg_cut_10``, ``P.5,10``, or nicknames such as ``official``; a
        name without numbers, such as ``ndcg_cut``, means trec_eval's own cutoffs.
    relevance_level
        The lowest relevant label; measures with graded gains do not use it.
    judged_docs_only_flag
        Remove documents that are unjudged, or have a label below 0, from the rankings.

    Raises
    ------
    TypeError
        If an id is not a string, a label not an int, or the level is below 1.
    ValueError
        If a measure is unknown, or its parameters cannot be used.

    Examples
    --------
    >>> from rankmark.compat import pytrec_eval
    >>> evaluator = pytrec_eval.RelevanceEvaluator({"q": {"a": 1, "b": 0}}, {"map", "P_5"})
    >>> evaluator.evaluate({"q": {"a": 0.5, "b": 0.9}})
    {'q': {'map': 0.5, 'P_5': 0.2}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,  # noqa: FBT001, FBT002  (as in pytrec_eval)
    ) -> None:
        if not isinstance(relevance_level, int) or not isinstance(judged_docs_only_flag, int):
            raise TypeError("Expected object_relevance_per_qid dictionary and measures set.")
        requested = _parsed(measures)
        judged = _judged_by_query(query_relevance)
        if relevance_level < 1:
            raise TypeError("Argument relevance_level should be positive.")
        self._level = int(relevance_level)
        columns, self._measures = columns_of(requested, self._level)
        self._names = tuple(column.name for column in columns)
        # Most are a measure as it is: its number.
        numbers = {measure: number for number, measure in enumerate(self._measures)}
        self._columns = tuple(
            column
            if column.measure is None or column.printed != "as it is"
            else numbers[column.measure]
            for column in columns
        )
        self._needs = needs_of(self._measures) if self._measures else None
        self._conventions = Conventions(
            judged_only=bool(judged_docs_only_flag), precision=PROFILE.conventions["precision"]
        )
        if judged_docs_only_flag:  # trec_eval removes documents with labels below 0, too
            judged = {
                query: {document: label for document, label in labels.items() if label >= 0}
                for query, labels in judged.items()
            }
        self._judged = _Judged(judged)
        self._patterns: Patterns | None = None
        self._is_tabulated = False
        self._known: dict[bytes, tuple[float, ...]] = {}
        self._alone = 0  # runs of one query, so far

    def __getstate__(self) -> dict[str, Any]:
        """Return what it was made of; what is found out in evaluating is found out again."""
        found_out: dict[str, Any] = {"_patterns": None, "_is_tabulated": False, "_known": {}}
        return {**vars(self), **found_out, "_alone": 0}

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Evaluate a run.

        Parameters
        ----------
        scores
            ``{query id: {document id: score}}``.

        Returns
        -------
        dict
            ``{query id: {measure: value}}`` for the judged queries of the run, in its order.

        Raises
        ------
        TypeError
            If an id is not a string, or a score not a number.
        SchemaError
            If a score is NaN.
        """
        if not scores:
            return {}
        if not isinstance(scores, dict):
            raise TypeError("Argument object scores should be of type dictionary.")
        if len(scores) == 1 and (alone := self._of_one(scores)) is not None:
            return alone
        judged = self._judged.of(scores)
        if judged is None or self._needs is None:
            return {query: {} for query in scores if judged is not None and query in judged.rows}
        try:
            alignment, _ = match(
                judged.qrels,
                Run.of(StrictDicts(scores, "run")),
                self._conventions,
                needs=self._needs,
                reading=ONE_THREAD,
            )
        except MismatchError:  # no query is judged
            return {}
        except TypeError as error:
            raise TypeError(_WRONG_RUN) from error
        values = self._values(alignment)
        rows, names = judged.rows, self._names
        return {
            query: dict(zip(names, values[rows[query]], strict=True))
            for query in scores
            if query in rows
        }

    def _values(self, alignment: Alignment) -> list[tuple[float, ...]]:
        """Return the values of each query, in the order of the names."""
        found = [scored(measure, alignment) for measure in self._measures]
        columns = [
            found[column].tolist()
            if isinstance(column, int)
            else printed(column, self._measures, found, self._level).tolist()
            for column in self._columns
        ]
        return list(zip(*columns, strict=True))

    def _of_one(self, scores: dict[Any, Any]) -> dict[str, dict[str, float]] | None:
        """Evaluate a run of one query by its pattern; None if it is not plain, or for the first.

        Judgments are hashed for the second such run, as one alone would not be worth it.
        """
        patterns = self._patterns
        if patterns is None:
            patterns = self._hashed()
            if patterns is None:
                return None
        for query, documents in scores.items():
            if self._is_tabulated:
                added_up = patterns.values_of_scores(query, documents)
                if added_up is not None:
                    return {query: dict(zip(self._names, added_up, strict=True))}
            pattern = patterns.find_scores(query, documents)
            if not pattern:  # not judged, or to be converted or refused
                return None
            values = self._known.get(pattern)
            if values is None:
                if len(self._known) == _WORTH_TABLES:
                    self._is_tabulated = self._tabulated(patterns)
                a = patterns.aligned(pattern)
                (values,) = self._values(a)
                if self._is_tabulated:
                    patterns.learn_divisors(pattern, divisors(self._measures, a))
                if len(self._known) >= _MOST_KNOWN:
                    self._known = {}  # another thread may still use the old one
                self._known[pattern] = values
            return {query: dict(zip(self._names, values, strict=True))}
        return None

    def _hashed(self) -> Patterns | None:
        self._alone += 1
        judged = self._judged.every
        if self._alone < 2 or judged is None or self._needs is None:
            return None
        self._patterns = Patterns(judged.qrels, self._conventions, self._needs)
        return self._patterns

    def _tabulated(self, patterns: Patterns) -> bool:
        """Tabulate the terms of all measures, if they are sums and printed as they are."""
        as_they_are = self._columns == tuple(range(len(self._measures)))
        return as_they_are and tabulated(patterns, self._measures, self._conventions)


class _Prepared(NamedTuple):
    """Judgments that were read, and the row of each query."""

    qrels: Qrels
    rows: dict[str, int]


class _Judged:
    """The judgments of an evaluator; of few queries of many, these are read alone."""

    _most = 64  # runs whose judgments are kept
    _largest = 16  # queries of such a run

    def __init__(self, judged: dict[str, dict[str, int]]) -> None:
        self._judged = judged
        self.every = _prepared(judged) if judged else None
        self._few: dict[tuple[str, ...], _Prepared] = {}

    def of(self, run: dict[str, Any]) -> _Prepared | None:
        """Return the judgments for a run; None if there are none."""
        if len(run) > self._largest or len(run) * 4 > len(self._judged):
            return self.every
        key = tuple(query for query in run if query in self._judged)
        if not key:
            return self.every
        few = self._few.get(key)
        if few is None:
            if len(self._few) >= self._most:
                self._few = {}  # another thread may use the old one
            few = _prepared({query: self._judged[query] for query in key})
            self._few[key] = few
        return few


def _prepared(judged: dict[str, dict[str, int]]) -> _Prepared:
    qrels = Qrels.of(NestedMapping(judged, "qrels"))
    return _Prepared(qrels, {query: row for row, query in enumerate(judged)})


def _judged_by_query(query_relevance: Any) -> dict[str, dict[str, int]]:
    """Copy judgments, without queries that have none."""
    if not isinstance(query_relevance, Mapping):
        raise TypeError("Argument query_relevance should be of type dictionary.")
    judged: dict[str, dict[str, int]] = {}
    for query, labels in query_relevance.items():
        if not isinstance(query, str):
            raise TypeError("Expected string as key.")
        if not isinstance(labels, dict):
            raise TypeError("Expected dictionary as value.")
        if not labels:
            continue
        if not all(issubclass(kind, str) for kind in {*map(type, labels)}):
            raise TypeError("Expected mapping of document id to query relevance or matching score.")
        if not all(issubclass(kind, int) for kind in {*map(type, labels.values())}):
            raise TypeError("Expected relevance to be integer.")
        judged[query] = dict(labels)
    return judged


def _parsed(measures: Iterable[str]) -> dict[str, set[float]]:
    """Return the parameters by name; none for trec_eval's own."""
    requested: dict[str, set[float]] = {}
    for name in {known for asked in measures for known in supported_nicknames.get(asked, (asked,))}:
        if name in _NAMES:
            requested.setdefault(name, set())
            continue
        base, numbers = _split(name)
        if FAMILIES[base].parameter is None:
            warn(f"{base} takes no parameters, and {name} is {base}", f"write {base}")
            numbers = []
        requested.setdefault(base, set()).update(numbers)
    return requested


def _split(name: str) -> tuple[str, list[float]]:
    """Split ``P_5`` and ``P.5,10`` into the name and its numbers."""
    if not isinstance(name, str):
        raise TypeError(f"expected a string as the name of a measure, got {name!r}")
    for base in _NAMES:
        if name.startswith(base) and (numbers := _NUMBERS.match(name, len(base))):
            return base, [float(number) for number in numbers[1].split(",")]
    remedy = "choose from supported_measures"
    if name.startswith("prefs_"):
        remedy = "for preferences, use rankmark.evaluate with the measure Prefs"
    elif "avgjg" in name:
        remedy = "for several assessors, use rankmark.Qrels(..., format='qrels_jg')"
    raise MeasureError(f"unsupported measure {name}", remedy)
