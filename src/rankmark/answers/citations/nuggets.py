"""Score answers by the nuggets that they support."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.answers.citations.answer_evaluation import (
    AnswerEvaluation,
    NuggetAudit,
    averaged_topics,
    evaluated_answers,
    refuse_all_failed,
    requested_names,
    support_of,
)
from rankmark.arguments import Columns, Part, checked
from rankmark.data.files.lines_of_text import AveragedQueries
from rankmark.data.given_tables.given_columns import is_empty
from rankmark.data.given_tables.role_tables import (
    QUERY,
    Role,
    TableKind,
    named_roles,
    refuse_unused,
    role_table,
)
from rankmark.data.preparing.failed_labels import Failures
from rankmark.errors import DuplicateError, MismatchError, listed, shown
from rankmark.verbs.evaluate.known_scores import NUGGET_SCORES

if TYPE_CHECKING:
    from rankmark.answers.citations.answer_evaluation import Support
    from rankmark.data.given_tables.given_columns import Places
    from rankmark.data.given_tables.role_tables import GivenTable, RoleTable
    from rankmark.data.preparing.qrels import Failed

Empty = Literal["zero", "nan"]

_OTHER_NAMES = {  # TREC RAG's, and nuggetizer's
    **{"V_strict": "strict_vital", "A_strict": "strict_all", "V": "vital", "A": "all"},
    **{"W_strict": "weighted_strict", "W": "weighted"},
    **{f"{name}_score": name for name in NUGGET_SCORES},
}

_NUGGET = Role("nugget", ("nuggetid", "nid", "nugget", "nuggettext", "text", "claim", "fact"))
_IMPORTANCE = Role("importance", ("importance", "nuggetimportance", "vital", "isvital"))
_SUPPORT = Role(
    "support", ("support", "assignment", "supported", "judgment", "judgement", "verdict", "label")
)
_ROLES = (QUERY, _NUGGET, _IMPORTANCE, _SUPPORT)
_ANSWERS = TableKind(
    "answers",
    (QUERY, _NUGGET, _IMPORTANCE, _SUPPORT),
    "a table with the columns query_id, nugget, importance and support, "
    "{query: [(nugget, importance, support), ...]}, or a file of these, such as nuggetizer's",
)
_ANSWERS_TO = TableKind(
    "answers",
    (QUERY, _NUGGET, _SUPPORT, _IMPORTANCE._replace(optional=True)),
    "a table with the columns query_id, nugget and support, {query: [(nugget, support), ...]}, or "
    "a file of these",
)
_GOLD = TableKind(
    "gold",
    (QUERY, _NUGGET, _IMPORTANCE),
    "a table with the columns query_id, nugget and importance, {query: [(nugget, importance), "
    "...]}, or a file of these",
)


class _Nugget(NamedTuple):
    vital: bool
    support: Support | None


@checked
def nuggets(
    answers: GivenTable,
    measures: Iterable[str] | str | None = None,
    *,
    gold: GivenTable | None = None,
    queries: AveragedQueries = "judged",
    empty: Empty = "zero",
    partial: Part = 0.5,
    okay: Part = 0.5,
    failed: Failed | None = None,
    columns: Columns = None,
) -> AnswerEvaluation:
    """Score answers by the nuggets that they support, as TREC RAG and nuggetizer do.

    A nugget is a fact that an answer should contain. People or a model judged which nuggets each
    answer supports; this reads their judgments, and calls no model.

    Parameters
    ----------
    Data:
    answers
        For each query and nugget, how important the nugget is, vital or okay, and how far the
        answer supports it: support, partial_support or not_support (also full, partial, no; or 1,
        0.5, 0), or empty if the query has no answer. Rows or a frame with the columns query_id,
        nugget, importance and support; ``{query: [(nugget, importance, support), ...]}``; or a file
        of these: CSV, TSV, JSON, JSON Lines, as nuggetizer writes it, or Parquet.
    gold
        All nuggets of each query: a table with query_id, nugget and importance.

        The forms are those of ``answers``, which then need no importance. A nugget without
        a row in ``answers`` is not supported, and a query without rows has no answer.

    Measures:
    measures
        Names of scores: strict_vital, strict_all, vital, all, weighted_strict or weighted;
        None for all six.

        Or TREC's V_strict, A_strict, V, A, W_strict and W. strict_vital is the primary
        score of TREC RAG 2024.

    Conventions:
    queries
        Which queries are averaged: all with nuggets (``"judged"``), where one without an
        answer counts 0; only those with an answer (``"both"``), as nuggetizer does; or
        these.
    empty
        The vital scores of a query none of whose nuggets is vital: ``"zero"``, as nuggetizer;
        ``"nan"`` leaves it out of their means.
    partial
        What partial support counts, from 0 to 1.
    okay
        What a nugget that is not vital weighs in the weighted scores, from 0 to 1.

    Reading:
    failed
        What becomes of nuggets whose support a model failed to give (ERROR, N/A, -, null, or an
        empty cell if others of the query are not empty): ``"error"`` (default) refuses words for
        it, ``"unjudged"`` leaves the nuggets out.

        A number, or several, such as -1, stand for a failure, too. An empty cell counts as
        not supported unless failures are left out.
    columns
        Names of the columns that contain query_id, nugget, importance or support, if they
        are not recognised.

        Such as ``{"support": "grade"}``.

    Returns
    -------
    AnswerEvaluation
        ``scores``: (n_queries, n_scores) float64, unitless, from 0 to 1, one row per query.
        ``compare_scores({"a": one, "b": other})`` compares two.

    Raises
    ------
    SchemaError
        If a form is unknown, a column is missing, or a cell has none of the words.
    DuplicateError
        If a nugget appears twice for a query.
    MismatchError
        If a nugget of an answer is not among those of ``gold``.
    MeasureError
        If a score does not exist.
    InputError
        If there are no rows, or an option has an invalid value.

    References
    ----------
    .. [1] Pradeep et al., The Great Nugget Recall, SIGIR 2025; nuggetizer, core/metrics.py.

    Examples
    --------
    >>> import rankmark as rm
    >>> judged = {
    ...     "q1": [
    ...         ("n1", "vital", "support"),
    ...         ("n2", "vital", "partial_support"),
    ...         ("n3", "vital", "not_support"),
    ...         ("n4", "okay", "support"),
    ...         ("n5", "okay", "partial_support"),
    ...     ]
    ... }
    >>> found = rm.nuggets(judged)
    >>> round(found["strict_vital"], 4), found["all"], found["weighted"]
    (0.3333, 0.6, 0.5625)
    """
    names = requested_names(measures, NUGGET_SCORES, _OTHER_NAMES)
    roles = named_roles(columns, _ROLES)
    given = role_table(answers, _ANSWERS if gold is None else _ANSWERS_TO, roles)
    known = None if gold is None else role_table(gold, _GOLD, roles)
    refuse_unused(roles, *(one for one in (given, known) if one is not None))
    failures = Failures(failed)
    judged, lost = _judged(given, known, failures)
    refuse_all_failed(judged, given.name)
    answered = _answered(judged)
    unknown = lost.keys() - judged.keys()  # all of whose labels failed
    kept = tuple(
        query
        for query in averaged_topics(queries, judged, answered, given.name)
        if query not in unknown
    )
    rows = [  # without an answer, nothing is undefined
        _scores([*judged.get(query, {}).values()], partial, okay)
        if query in answered
        else (0.0,) * len(NUGGET_SCORES)
        for query in kept
    ]
    of_kept = [nugget for query in kept for nugget in judged.get(query, {}).values()]
    audit = NuggetAudit(
        judged=len(judged),
        answered=len(answered),
        missing=len(judged) - len(answered),
        averaged=len(kept),
        nuggets=len(of_kept),
        vital=sum(nugget.vital for nugget in of_kept),
        full=sum(nugget.support == "full" for nugget in of_kept),
        partial=sum(nugget.support == "partial" for nugget in of_kept),
        without_vital=sum(
            query in answered and not any(nugget.vital for nugget in judged[query].values())
            for query in kept
        ),
        failed=sum(map(len, lost.values())),
    )
    conventions = {"queries": queries, "empty": empty, "partial": partial, "okay": okay}
    if failures.left_out:
        conventions["failed"] = failures.chosen
    return evaluated_answers(
        "nuggets",
        rows,
        NUGGET_SCORES,
        names=names,
        queries=kept,
        conventions=conventions,
        audit=audit,
        read={"answers": given.read} | ({} if known is None else {"gold": known.read}),
    )


def _scores(judged: list[_Nugget], partial: float, okay: float) -> tuple[float, ...]:
    """Return the scores of a query, in the order of ``NUGGET_SCORES``; NaN for 0 of 0."""
    vital = np.array([nugget.vital for nugget in judged], dtype=bool)
    strict = np.array([nugget.support == "full" for nugget in judged], dtype=np.float64)
    half = np.array([nugget.support == "partial" for nugget in judged], dtype=np.float64)
    credit = strict + partial * half
    weight = np.where(vital, 1.0, okay)
    return tuple(
        float((weights * found).sum() / weights.sum()) if weights.sum() else np.nan
        for weights, found in (
            (vital * 1.0, strict),
            (np.ones(len(vital)), strict),
            (vital * 1.0, credit),
            (np.ones(len(vital)), credit),
            (weight, strict),
            (weight, credit),
        )
    )


def _judged(
    given: RoleTable, gold: RoleTable | None, failures: Failures
) -> tuple[dict[str, dict[str, _Nugget]], dict[str, set[str]]]:
    """Return the nuggets of each query, with the support of its answer, and those that failed.

    A query all of whose labels failed is left out.
    """
    judged: dict[str, dict[str, _Nugget]] = {}
    if gold is not None:
        for query, nugget, row in _nuggets_of(gold, judged):
            vital = _is_vital(gold["importance"][row], row, gold.places)
            judged[query][nugget] = _Nugget(vital, None)
    seen: dict[str, dict[str, _Nugget]] = {}
    for query, nugget, row in _nuggets_of(given, seen):
        support = support_of(given["support"][row], "support", row, given.places, failures)
        if gold is None:
            vital = _is_vital(given["importance"][row], row, given.places)
        elif query not in judged:
            raise given.places.error(
                row,
                f"query {shown(query)}{given.places.of(row)} has no nuggets in gold",
                f"gold has {listed([*judged][:3], len(judged))}",
                MismatchError,
            )
        elif nugget not in judged[query]:
            raise given.places.error(
                row,
                f"nugget {shown(nugget)}{given.places.of(row)} is not in gold of query "
                f"{shown(query)}",
                "give both the same nugget ids",
                MismatchError,
            )
        else:
            vital = judged[query][nugget].vital
        seen[query][nugget] = _Nugget(vital, support)
    lost = (
        {query: _failed(of_query) for query, of_query in seen.items()} if failures.left_out else {}
    )
    if gold is None:
        judged = {**seen, **{query: {} for query in given.empty if query not in seen}}
    else:
        judged = {query: {**of_query, **seen.get(query, {})} for query, of_query in judged.items()}
    lost = {query: nuggets for query, nuggets in lost.items() if nuggets}
    for query, gone in lost.items():
        if all(one in gone for one in seen[query]):
            del judged[query]
        else:
            judged[query] = {one: of for one, of in judged[query].items() if one not in gone}
    return judged, lost


def _failed(of_query: Mapping[str, _Nugget]) -> set[str]:
    """Return the nuggets whose label failed; an answer whose cells are all empty does not exist."""
    if all(nugget.support is None for nugget in of_query.values()):
        return set()
    return {one for one, nugget in of_query.items() if nugget.support in {None, "failed"}}


def _nuggets_of(
    table: RoleTable, into: dict[str, dict[str, _Nugget]]
) -> Iterable[tuple[str, str, int]]:
    """Yield the query, the nugget and the number of each row; refuse what appears twice.

    A row without a nugget only names a query.
    """
    rows = zip(table.ids("query_id"), table.texts("nugget"), strict=True)
    for row, (query, nugget) in enumerate(rows):
        of_query = into.setdefault(query, {})
        if nugget is None:
            continue
        if nugget in of_query:
            raise table.places.error(
                row,
                f"nugget {shown(nugget)}{table.places.of(row)} appears twice for query "
                f"{shown(query)}",
                "keep one row; give each run a table of its own",
                DuplicateError,
            )
        yield query, nugget, row


def _is_vital(value: object, row: int, places: Places) -> bool:
    word = "" if is_empty(value) else str(value).strip().lower()
    if word in {"vital", "true", "yes"}:
        return True
    if word in {"okay", "ok", "false", "no"}:
        return False
    raise places.error(row, f"importance{places.of(row)} is {shown(value)}", "need vital or okay")


def _answered(judged: Mapping[str, Mapping[str, _Nugget]]) -> set[str]:
    """Return the queries with an answer: those with a judgment of a nugget."""
    return {
        query
        for query, of_query in judged.items()
        if any(nugget.support is not None for nugget in of_query.values())
    }
