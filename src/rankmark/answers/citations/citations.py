"""Score the citations of answers: whether the passages cited support the sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.answers.citations.answer_evaluation import (
    AnswerEvaluation,
    CitationAudit,
    averaged_topics,
    evaluated_answers,
    refuse_all_failed,
    requested_names,
    support_of,
)
from rankmark.arguments import Columns, FromOne, Part, checked, whole
from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.files.lines_of_text import AveragedQueries
from rankmark.data.given_tables.role_tables import (
    QUERY,
    Role,
    TableKind,
    named_roles,
    refuse_unused,
    role_table,
)
from rankmark.data.preparing.failed_labels import IF_FAILED, Failures
from rankmark.data.preparing.run import Run
from rankmark.errors import listed, shown, warn
from rankmark.verbs.evaluate.known_scores import CITATION_SCORES

if TYPE_CHECKING:
    from rankmark.answers.citations.answer_evaluation import Support
    from rankmark.data.given_tables.given_columns import Places
    from rankmark.data.given_tables.role_tables import GivenTable, RoleTable
    from rankmark.data.preparing.qrels import Failed
    from rankmark.data.preparing.run import RunSource

Method = Literal["alce", "trec_rag"]
Empty = Literal["zero", "nan"]

_OTHER_NAMES = {
    **{"citation_precision": "precision", "citation_recall": "recall", "citation_f1": "F"},
    **{"citation_prec": "precision", "citation_rec": "recall", "F1": "F", "f1": "F"},  # ALCE's
    **{"weighted_precision": "precision", "weighted_recall": "recall"},  # TREC RAG's
}

_ROLES = (
    QUERY,
    Role("sentence", ("sentenceid", "sentence", "sentenceindex", "sentenceidx", "sentid", "sent",
                      "statementid", "statement", "claimid", "claim")),
    Role("passage", ("passageid", "passage", "citation", "cited", "citedid", "reference", "docid",
                     "docno", "documentid", "document", "doc", "chunkid", "chunk", "segmentid")),
    Role("support", ("support", "alone", "supported", "assignment", "judgment", "judgement",
                     "verdict", "label")),
    Role("together", ("together", "joint", "jointly", "alltogether"), optional=True),
    Role("without", ("without", "rest", "others"), optional=True),
)  # fmt: skip
_CITATIONS = TableKind(
    "answers",
    _ROLES,
    "a table with the columns query_id, sentence, passage and support, and for ALCE's scores "
    "together and without, {query: [(sentence, passage, support), ...]}, or a file of these",
)


class _Citation(NamedTuple):
    passage: str
    row: int
    exists: bool
    alone: Support | None
    together: Support | None
    without: Support | None


class _Scored(NamedTuple):
    """What a sentence contributes: its recall, and the sum and number of its citations.

    ``failed`` of these are left out; without others, the whole sentence is.
    """

    recall: float
    precise: float
    counted: int
    failed: int = 0


class _NoLabelError(Exception):
    """A label is missing on which a sentence depends, and failures are left out."""


class _Judged(NamedTuple):
    """Where the citations are from, and what becomes of labels that failed."""

    places: Places
    failures: Failures

    def refuse(self, row: int, found: str, remedy: str) -> Exception:
        """Return the error of a missing label."""
        if self.failures.left_out:
            return _NoLabelError()
        return self.places.error(row, found, remedy)


@checked
def citations(
    answers: GivenTable,
    measures: Iterable[str] | str | None = None,
    *,
    method: Method | None = None,
    passages: int | Run | RunSource | None = None,
    at_most_citations: FromOne | None = None,
    queries: AveragedQueries = "judged",
    empty: Empty = "zero",
    partial: Part = 0.5,
    failed: Failed | None = None,
    columns: Columns = None,
) -> AnswerEvaluation:
    """Score whether the passages that answers cite support their sentences, as ALCE or TREC RAG.

    People or a model judged the support; this reads their judgments, and calls no model.

    Parameters
    ----------
    Data:
    answers
        A row for each citation, in the order of the text: the query, the sentence, the passage, and
        whether the passage alone supports the sentence: full, partial or no (or yes and no, 1, 0.5
        and 0). A sentence without citations has one row with an empty passage, and a query without
        an answer one with an empty sentence. For ALCE's scores also ``together``, whether all
        passages that the sentence cites support it together, and ``without``, whether the others
        do without this one; both may be empty where they do not matter. Rows or a frame with these
        columns; ``{query: [(sentence, passage, support), ...]}``; or a file of these: CSV, TSV,
        JSON, JSON Lines, Parquet.
    passages
        The passages that each answer could cite, so that others are out of range: their
        number, if citations are numbers from 1, or a run.

        None if all exist.

    Measures:
    measures
        Names of scores: precision, recall and F; None for all three.

    Conventions:
    method
        Whose scores: ALCE's, or TREC RAG's weights of full, partial and no support; None
        for alce if there is a column together.

        ``"alce"``: a sentence counts if its passages together support it, and a citation if
        its sentence does and the passage supports it alone or is needed. ``"trec_rag"``:
        support counts 1, ``partial`` or 0; precision is its mean over citations, recall its
        mean over sentences, of which the best citation counts.
    at_most_citations
        Ignore all but the first citations of each sentence; None for all of them.

        ALCE's own runs on ASQA and ELI5 have 3, TREC RAG 2024 has 1.
    queries
        Which queries are averaged: all in the table (``"judged"``), where one without an
        answer counts 0; only those with an answer (``"both"``), as ALCE does; or these.
    empty
        The precision and F of an answer without citations: ``"zero"``, as ALCE; ``"nan"`` leaves it
        out of their means.
    partial
        What partial support counts under ``"trec_rag"``, from 0 to 1.

    Reading:
    failed
        What becomes of citations whose support a model failed to give (ERROR, N/A, -, null, or an
        empty cell): ``"error"`` (default) refuses them, ``"unjudged"`` leaves them out, and with
        them sentences and queries of whose support nothing is known.

        A number, or several, such as -1, stand for a failure, too. ``"alce"`` leaves out a
        sentence if its scores depend on the label.
    columns
        Names of the columns that contain query_id, sentence, passage, support, together or
        without, if they are not recognised.

        Such as ``{"passage": "cited"}``.

    Returns
    -------
    AnswerEvaluation
        ``scores``: (n_queries, n_scores) float64, unitless, from 0 to 1, one row per query. F is
        the harmonic mean of the query's precision and recall.
        ``compare_scores({"a": one, "b": other})`` compares two.

    Raises
    ------
    SchemaError
        If a form is unknown, a column is missing, or a judgment is missing that the method needs.
    MeasureError
        If a score does not exist.
    InputError
        If there are no rows, or an option has an invalid value.

    Notes
    -----
    A citation that is out of range: under ``"alce"``, its sentence is not supported, and none of
    the sentence's citations is counted; under ``"trec_rag"``, it is counted and supports nothing.

    References
    ----------
    .. [1] Gao et al., Enabling Large Language Models to Generate Text with Citations, EMNLP 2023;
       ALCE, eval.py, compute_autoais.

    Examples
    --------
    >>> import rankmark as rm
    >>> judged = [
    ...     {"query_id": "q", "sentence": 1, "passage": 1, "support": "yes", "together": "yes"},
    ...     {"query_id": "q", "sentence": 1, "passage": 2, "support": "no", "without": "yes"},
    ...     {"query_id": "q", "sentence": 2, "passage": 3, "support": "no"},
    ...     {"query_id": "q", "sentence": 3, "passage": None},
    ... ]
    >>> found = rm.citations(judged)
    >>> round(found["precision"], 4), round(found["recall"], 4)
    (0.3333, 0.3333)
    """
    names = requested_names(measures, CITATION_SCORES, _OTHER_NAMES)
    roles = named_roles(columns, _ROLES)
    given = role_table(answers, _CITATIONS, roles)
    refuse_unused(roles, given)
    chosen: Method = method or ("alce" if "together" in given else "trec_rag")
    known = passages if passages is None else _known(passages)
    exists = _existing(known, given.places)
    judged = _Judged(given.places, Failures(failed))
    sentences = _sentences(given, exists, judged)

    def of_sentence(cited: list[_Citation]) -> _Scored:
        if chosen == "trec_rag":
            return _trec_rag(cited[:at_most_citations], partial, judged)
        try:
            return _alce(cited, at_most_citations, judged)
        except _NoLabelError:
            return _Scored(0.0, 0.0, 0, len(cited[:at_most_citations]))

    scored = {
        query: [of_sentence(cited) for cited in of_query.values()]
        for query, of_query in sentences.items()
    }
    known_of = {
        query: [one for one in of_query if one.counted or not one.failed]
        for query, of_query in scored.items()
    }
    unknown = {query for query, of_query in scored.items() if of_query and not known_of[query]}
    sentences = {query: of for query, of in sentences.items() if query not in unknown}
    refuse_all_failed(sentences, given.name)
    answered = [query for query, of_query in sentences.items() if of_query]
    kept = tuple(
        query
        for query in averaged_topics(queries, sentences, answered, given.name)
        if query not in unknown
    )
    rows = [_of_answer(known_of.get(query, [])) for query in kept]
    of_kept = [cited for query in kept for cited in sentences.get(query, {}).values()]
    first = [cited[:at_most_citations] for cited in of_kept]
    if any(first) and not any(one.exists for cited in first for one in cited):
        warn(
            f"{given.name}: no citation is of a passage that exists, such as "
            f"{listed([one.passage for cited in first for one in cited][:3])}",
            "give passages the ids, or the numbers from 1, that citations have",
        )
    audit = CitationAudit(
        judged=len(sentences),
        answered=len(answered),
        missing=len(sentences) - len(answered),
        averaged=len(kept),
        sentences=len(of_kept),
        without_citation=sum(not cited for cited in of_kept),
        citations=sum(map(len, first)),
        repeated=sum(len(cited) - len({one.passage for one in cited}) for cited in first),
        out_of_range=sum(not one.exists for cited in first for one in cited),
        beyond=sum(map(len, of_kept)) - sum(map(len, first)),
        failed=sum(one.failed for of_query in scored.values() for one in of_query),
    )
    conventions: dict[str, Any] = {"method": chosen, "queries": queries, "empty": empty}
    if chosen == "trec_rag":
        conventions["partial"] = partial
    if at_most_citations is not None:
        conventions["at_most_citations"] = at_most_citations
    if judged.failures.left_out:
        conventions["failed"] = judged.failures.chosen
    if known is not None:
        conventions["passages"] = getattr(known, "name", known)
    return evaluated_answers(
        "citations",
        rows,
        CITATION_SCORES,
        names=names,
        queries=kept,
        conventions=conventions,
        audit=audit,
        read={"answers": given.read},
    )


def _of_answer(scored: list[_Scored]) -> tuple[float, float, float]:
    """Return precision, recall and F of an answer; those are NaN without citations."""
    if not scored:  # no answer
        return 0.0, 0.0, 0.0
    recall = sum(one.recall for one in scored) / len(scored)
    counted = sum(one.counted for one in scored)
    if not counted:
        return np.nan, recall, np.nan
    precision = sum(one.precise for one in scored) / counted
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def _alce(cited: list[_Citation], most: int | None, judged: _Judged) -> _Scored:
    """Score a sentence as ``compute_autoais``: citations are cut after the check of their range."""
    if not cited or not all(one.exists for one in cited):
        return _Scored(0.0, 0.0, 0)
    cited = cited[:most]
    if len(cited) == 1:
        (one,) = cited
        supported = one.together if one.alone is None else one.alone
        is_supported = _yes(supported, "support", one.row, judged)
        return _Scored(float(is_supported), float(is_supported), 1)
    if not _together(cited, judged):
        return _Scored(0.0, 0.0, len(cited))
    precise = sum(
        _yes(one.alone, "support", one.row, judged)
        or not _yes(one.without, "without", one.row, judged)
        for one in cited
    )
    return _Scored(1.0, float(precise), len(cited))


def _together(cited: list[_Citation], judged: _Judged) -> bool:
    """Return whether passages together support a sentence; its rows must not contradict."""
    known = [one for one in cited if one.together is not None]
    if not known:
        return _yes(None, "together", cited[0].row, judged)
    found = {_yes(one.together, "together", one.row, judged) for one in known}
    if len(found) > 1:
        row = known[0].row
        raise judged.places.error(
            row,
            f"together{judged.places.of(row)} contradicts another row of the sentence",
            "give all of them the same, or leave all but one empty",
        )
    return found.pop()


def _yes(support: Support | None, role: str, row: int, judged: _Judged) -> bool:
    places = judged.places
    if support is None:
        raise judged.refuse(
            row,
            f"{role}{places.of(row)} is empty, and ALCE's scores depend on it",
            f'fill in {role}, or choose method="trec_rag"',
        )
    if support == "partial":
        raise places.error(
            row,
            f"{role}{places.of(row)} is partial, and ALCE's scores know only yes and no",
            'choose method="trec_rag", or decide',
        )
    return support == "full"


def _trec_rag(cited: list[_Citation], partial: float, judged: _Judged) -> _Scored:
    weights = {"full": 1.0, "partial": partial, "no": 0.0}
    if not cited:
        return _Scored(0.0, 0.0, 0)
    found = []
    for one in cited:
        if one.exists and one.alone is None:
            if judged.failures.left_out:
                continue
            raise judged.places.error(
                one.row,
                f"support{judged.places.of(one.row)} is empty",
                "judge the citation, or leave out what was not judged, as with "
                f"at_most_citations=1; if a model failed to give it, {IF_FAILED}",
            )
        found.append(weights[one.alone] if one.exists and one.alone is not None else 0.0)
    return _Scored(max(found, default=0.0), sum(found), len(found), len(cited) - len(found))


def _sentences(
    given: RoleTable, exists: Callable[[str, str, int], bool], judged: _Judged
) -> dict[str, dict[str, list[_Citation]]]:
    """Return the citations of each sentence of each query, in the order of the rows."""
    found: dict[str, dict[str, list[_Citation]]] = {query: {} for query in given.empty}
    rows = zip(given.ids("query_id"), given.texts("sentence"), given.texts("passage"), strict=True)
    for row, (query, sentence, passage) in enumerate(rows):
        of_query = found.setdefault(query, {})
        if sentence is None:
            if passage is not None:
                raise given.error(
                    row,
                    f"sentence{given.places.of(row)} is empty, and there is a passage",
                    "name the sentence that cites it",
                )
            continue
        cited = of_query.setdefault(sentence, [])
        if passage is None:
            continue
        labels = {
            role: support_of(given[role][row], role, row, *judged)
            for role in ("support", "together", "without")
            if role in given
        }
        support, together, without = (
            None if label == "failed" else label
            for label in (labels["support"], labels.get("together"), labels.get("without"))
        )
        cited.append(
            _Citation(
                passage,
                row,
                exists(query, passage, row),
                support,
                together,
                without,
            )
        )
    return found


def _known(passages: int | Run | RunSource) -> int | Run:
    if isinstance(passages, (bool, int, float, np.number)):
        return whole("passages", passages)
    return passages if isinstance(passages, Run) else Run(passages)


def _existing(passages: int | Run | None, places: Places) -> Callable[[str, str, int], bool]:
    """Return a function that tells whether a passage of a query exists."""
    if passages is None:
        return lambda _query, _passage, _row: True
    if isinstance(passages, int):
        most = passages

        def is_number(_query: str, passage: str, row: int) -> bool:
            if not re.fullmatch(r"-?\d{1,18}", passage):
                raise places.error(
                    row,
                    f"passage{places.of(row)} is {shown(passage)}",
                    "need the number of a passage, as passages is their number; or give a run",
                )
            return 1 <= int(passage) <= most

        return is_number
    rows = passages.source.rows(AS_USUAL, lenient=True)
    retrieved: dict[str, set[str]] = {}
    for query, document in zip(rows.query_codes.tolist(), rows.doc_codes.tolist(), strict=True):
        retrieved.setdefault(rows.query_ids[query], set()).add(rows.doc_ids(document))
    return lambda query, passage, _row: passage in retrieved.get(query, ())
