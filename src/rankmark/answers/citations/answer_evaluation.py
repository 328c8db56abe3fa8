"""What ``nuggets`` and ``citations`` share: topics, words of support, names, and the result."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np

from rankmark.data.given_tables.given_columns import Places, is_empty
from rankmark.data.preparing.failed_labels import IF_FAILED, Failures, is_no_label
from rankmark.errors import (
    DuplicateError,
    InputError,
    MeasureError,
    MismatchError,
    counted,
    listed,
    shown,
)
from rankmark.results.per_query import Audit, MeansByQuery


def averaged_topics(
    queries: Any, judged: Iterable[str], answered: Iterable[str], where: str
) -> tuple[str, ...]:
    """Return the topics that are averaged, in their order.

    Parameters
    ----------
    queries
        "judged" for all that were judged, "both" for those with an answer, or a tuple of ids.
    judged, answered
        The topics that were judged, and those of them that have an answer.

    Raises
    ------
    InputError
        If no topic is left.
    MismatchError
        If none of the ids was judged.
    """
    known = tuple(dict.fromkeys(judged))
    if isinstance(queries, str):
        have = {*answered}
        kept = known if queries == "judged" else tuple(one for one in known if one in have)
        if not kept:
            raise InputError("no query has an answer", 'choose queries="judged"', where=where)
        return kept
    kept = tuple(queries)
    if len({*kept}) < len(kept):
        twice = next(one for one in kept if kept.count(one) > 1)
        raise DuplicateError(f"queries has {twice!r} twice", "keep one")
    if not {*kept} & {*known}:
        raise MismatchError(
            f"none of the queries was judged: {listed(kept[:3], len(kept))}",
            f"give ids such as {listed(known[:3], len(known))}",
            where=where,
        )
    return kept


Support = Literal["full", "partial", "no", "failed"]

_WORDS: dict[Support, tuple[str, ...]] = {
    "full": ("support", "full", "yes", "true", "1", "1.0", "fullsupport", "supported",
             "fullysupported", "supports", "y", "t", "entailment", "entailed"),
    "partial": ("partial", "partialsupport", "partiallysupported", "partlysupported", "0.5", ".5"),
    "no": ("no", "notsupport", "nosupport", "notsupported", "unsupported", "none", "false", "0",
           "0.0", "n", "f", "neutral", "contradiction", "notsupports"),
}  # fmt: skip
_LEFT_OUT = str.maketrans("", "", "_- ")
_MEANING: dict[str, Support] = {word: kind for kind, words in _WORDS.items() for word in words}


def support_of(
    value: Any, what: str, row: int, places: Places, failures: Failures
) -> Support | None:
    """Return what a cell says about support; None if it is empty.

    "failed" is returned only if failures are left out.

    Raises
    ------
    SchemaError
        If it is none of the words.
    """
    if is_empty(value):
        return None
    word = str(value).strip().lower()
    if not word.startswith("-"):  # -1 is not 1
        word = word.translate(_LEFT_OUT)
    if word in _MEANING:
        return _MEANING[word]
    if failures.left_out and failures.has(value):
        return "failed"
    remedy = (
        "need full, partial or no (or support, partial_support, not_support; yes, no; 1, 0.5, "
        "0), or an empty cell"
    )
    if is_no_label(value):
        remedy += f"; if a model failed to give it, {IF_FAILED}"
    raise places.error(row, f"{what}{places.of(row)} is {shown(value)}", remedy)


def refuse_all_failed(judged: Collection[str], where: str) -> None:
    """Refuse answers none of whose labels is known."""
    if not judged:
        raise InputError("no query has a label", "check the column of support", where=where)


@dataclass(frozen=True, slots=True)
class NuggetAudit(Audit):
    """Which topics were averaged, and what their answers support.

    Parameters
    ----------
    judged, answered, missing
        Topics with nuggets; those of them with an answer, and the others.
    averaged
        Topics that were averaged.
    nuggets, vital
        Nuggets of these, and how many of them are vital.
    full, partial
        Nuggets that the answers support in full, and in part.
    without_vital
        Topics averaged that have an answer and nuggets, none of which is vital.
    failed
        Nuggets of all topics whose label failed, and which are left out.
    """

    judged: int
    answered: int
    missing: int
    averaged: int
    nuggets: int
    vital: int
    full: int
    partial: int
    without_vital: int
    failed: int = 0

    told = (
        (
            "judged {judged:,}, answered {answered:,}, missing {missing:,}; nuggets {nuggets:,}, "
            "vital {vital:,}, supported {full:,}, in part {partial:,}",
            "",
        ),
        ("; without vital nuggets {without_vital:,}", "without_vital"),
        ("; left out, as their label failed, {failed:,}", "failed"),
    )


@dataclass(frozen=True, slots=True)
class CitationAudit(Audit):
    """Which topics were averaged, and what their answers cite.

    Parameters
    ----------
    judged, answered, missing
        Topics in the table; those of them whose answer has a sentence, and the others.
    averaged
        Topics that were averaged.
    sentences, without_citation
        Sentences of these, and how many of them cite nothing.
    citations, repeated, out_of_range, beyond
        Citations of these; those that repeat another one of their sentence; those of passages that
        do not exist; and those beyond ``at_most_citations``, which are ignored.
    failed
        Citations of all topics that are left out, as their label failed, or under ALCE one on which
        the score of their sentence depends.
    """

    judged: int
    answered: int
    missing: int
    averaged: int
    sentences: int
    without_citation: int
    citations: int
    repeated: int
    out_of_range: int
    beyond: int
    failed: int = 0

    told = (
        (
            "judged {judged:,}, answered {answered:,}, missing {missing:,}; sentences "
            "{sentences:,}, without citation {without_citation:,}; citations {citations:,}, "
            "repeated {repeated:,}, out of range {out_of_range:,}",
            "",
        ),
        (", ignored {beyond:,}", "beyond"),
        ("; left out, as their label failed, {failed:,}", "failed"),
    )


class AnswerEvaluation(MeansByQuery):
    """Scores of generated answers: a mapping from the names of scores to means.

    ``kind`` is "nuggets" or "citations"; the scores are from 0 to 1.
    """

    _main, _nothing_drawn = "answers", ("all values are undefined", 'choose empty="zero"')
    _between = (0.0, 1.0)

    def __init__(self, *, kind: Literal["nuggets", "citations"], **found: Any) -> None:
        super().__init__(**found)
        self.kind = kind

    @property
    def _label(self) -> str:  # type: ignore[override]
        """That of LaTeX."""
        return f"tab:{self.kind}"

    @property
    def heading(self) -> str:
        """What was scored."""
        what = {"nuggets": "Nuggets supported", "citations": "Citations"}[self.kind]
        return f"{what} in {self._about()['run']}"

    def _chosen(self) -> object:
        return self.kind, self._conventions

    @property
    def notes(self) -> list[str]:
        """The lines below a table: intervals, audit, how tables were read, and conventions."""
        ends = {name: ends for name, ends in self.intervals().items() if ends[0] < ends[1]}
        between = [f"{name} {low:.4f} to {high:.4f}" for name, (low, high) in ends.items()]
        intervals = [f"95% intervals of the means: {', '.join(between)}"] if between else []
        return [*intervals, *super().notes]

    def _inputs(self) -> dict[str, Any]:
        return {"kind": self.kind, **self._read}

    def _more(self) -> dict[str, Any]:
        return {"intervals": self.intervals()}

    def _drawn_title(self) -> str:
        return f"{self.kind}, {counted(len(self.queries), 'query', 'queries')}"


def evaluated_answers(
    kind: Literal["nuggets", "citations"],
    rows: Sequence[Sequence[float]],
    known: Sequence[str],
    *,
    names: Sequence[str],
    queries: Sequence[str],
    conventions: Mapping[str, Any],
    **found: Any,
) -> AnswerEvaluation:
    """Choose the scores that were requested of all that are known, a row for each query."""
    columns = [known.index(name) for name in names]
    scores = np.array(rows).reshape(len(queries), len(known))[:, columns]
    if conventions["empty"] == "zero":
        scores = np.where(np.isnan(scores), 0.0, scores)
    averaged = conventions["queries"]
    averaged = averaged if isinstance(averaged, str) else [*queries]
    return AnswerEvaluation(
        kind=kind,
        names=names,
        queries=queries,
        scores=np.ascontiguousarray(scores),
        conventions={**conventions, "queries": averaged},
        **found,
    )


def requested_names(
    requested: Any, known: tuple[str, ...], others: dict[str, str]
) -> tuple[str, ...]:
    """Return the names of scores that are requested, without duplicates; None for all.

    Parameters
    ----------
    known, others
        All names, and what other names stand for.

    Raises
    ------
    MeasureError
        If one does not exist.
    InputError
        If these are no names, or there are none.
    """
    if requested is None:
        return known
    try:
        given = [requested] if isinstance(requested, str) else [*requested]
    except TypeError:
        raise InputError(f"measures is {shown(requested)}", "need names of scores") from None
    found: dict[str, None] = {}
    for one in given:
        name = others.get(one, one) if isinstance(one, str) else ""
        if name not in known:
            near = get_close_matches(str(one), known, 1)
            meant = f"did you mean {near[0]}? " if near else ""
            remedy = f"{meant}choose from {', '.join(known)}"
            raise MeasureError(f"there is no score {shown(one)}", remedy)
        found[name] = None
    if not found:
        raise InputError("no score was requested", f"choose from {', '.join(known)}")
    return tuple(found)
