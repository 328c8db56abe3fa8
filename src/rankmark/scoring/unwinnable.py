"""Queries that no system can win any more, as a corpus has none of their relevant documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankmark.data.preparing.corpus_ids import WRITE_ALIKE, JudgedInCorpus, none_left
from rankmark.data.preparing.units import judgments_of_documents
from rankmark.errors import InputError, warn
from rankmark.measures.base.requirements import ABOVE_ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.measures import Measure
    from rankmark.scoring.request import Asked


def lowest_relevant(measures: Iterable[Measure]) -> float:
    """Return the lowest label that is relevant to one of the measures."""
    found = (getattr(one, "rel", ABOVE_ZERO) for one in measures if one.promoting_helps)
    return min(found, default=ABOVE_ZERO)


def judged_in_corpus(qrels: Qrels, asked: Asked, reading: Reading) -> JudgedInCorpus:
    """Look the judged documents up in the corpus, unless that was done for several runs.

    Raises
    ------
    InputError
        If there is no corpus, or it has no judged document, or nothing is judged, or all queries
        with relevant documents would be left out.
    """
    if isinstance(reading.corpus, JudgedInCorpus):
        return reading.corpus
    if reading.corpus is None:
        raise InputError(
            f'unwinnable="{reading.unwinnable}" needs a corpus',
            "give the ids of the documents that can be retrieved as corpus, or --corpus",
        )
    if not qrels.rows:
        raise InputError("a corpus is given, and no document is judged", "leave it out")
    qrels = judgments_of_documents(qrels, asked.conventions.qrels_unit)
    lowest = lowest_relevant(asked.measures)
    judged = JudgedInCorpus.of(qrels, reading.corpus, lowest, asked.conventions.unit)
    if judged.found.near is not None:
        warn(str(judged.found), WRITE_ALIKE, where="corpus")
    if reading.unwinnable != "skip" or not judged.unwinnable:
        return judged
    chosen, labels = asked.conventions.queries, qrels.by_query()
    queries = labels if isinstance(chosen, str) else {*chosen} & labels.keys()
    relevant = {one for one in queries if max(labels[one].values(), default=-1) >= lowest}
    if relevant and relevant <= {*judged.unwinnable}:
        raise InputError(
            f"{none_left(len(judged.unwinnable))}, and none is left to be averaged",
            "are these the ids of this collection?",
            where="corpus",
        )
    return judged


def leaving_out(asked: Asked, judged: JudgedInCorpus, reading: Reading) -> Asked:
    """Return what is asked, without the queries that cannot be won if these are to be skipped."""
    if reading.unwinnable != "skip":
        return asked
    return asked._replace(conventions=replace(asked.conventions, unwinnable=judged.unwinnable))
