"""What a corpus lacks of the judged documents, and what can still be attained."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.preparing.corpus_ids import WRITE_ALIKE, CorpusSource, JudgedInCorpus, none_left
from rankmark.data.preparing.run import Run
from rankmark.errors import collected_warnings, counted
from rankmark.measures.names import measure
from rankmark.scoring.unwinnable import lowest_relevant
from rankmark.verbs.check.finding import Finding, Place, and_more, verb
from rankmark.verbs.evaluate.evaluate import asked_of, evaluated
from rankmark.verbs.evaluate.provenance import written_value

if TYPE_CHECKING:
    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.contract.source import Rows
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.measures import Measure
    from rankmark.verbs.check.consequence import Moves


def examine_corpus(
    qrels: Qrels, corpus: CorpusSource, measures: Sequence[Measure], reading: Reading
) -> tuple[dict[str, Any], list[Finding], dict[str, list[str]]]:
    """Look the judged documents up in a corpus.

    Returns
    -------
    facts, findings
        About the judgments.
    best
        The best list of each query, of documents that the corpus has.

    Raises
    ------
    InputError
        If the corpus cannot be read, or has no judged document.
    """
    judged = JudgedInCorpus.of(qrels, corpus, lowest_relevant(measures))
    labels = qrels.by_query()
    best = best_lists(labels, {*judged.found.gone})
    highest = attained(qrels, best_lists(labels), measures, reading)
    left = attained(qrels, best, measures, reading)
    moves = {name: (highest[name], value) for name, value in left.items() if highest[name] != value}
    facts = {
        "documents": judged.found.documents,
        "gone": judged.gone,
        "unwinnable": [*judged.unwinnable],
        "attainable": left,
    }
    return facts, [*_findings(judged, qrels.rows, moves)], best


def best_lists(
    labels: Mapping[str, Mapping[str, float]], lacking: Collection[str] = ()
) -> dict[str, list[str]]:
    """Return the best list of each query, of documents that are not lacking."""
    return {
        query: sorted(
            (doc for doc, label in held.items() if label > 0 and doc not in lacking),
            key=lambda doc: -held[doc],
        )
        for query, held in labels.items()
    }


def retrieved_in(rows: Rows, gone: Mapping[str, Sequence[str]]) -> int:
    """Count the judgments of documents that are gone, and that a run has all the same."""
    docs = [*{doc for lost in gone.values() for doc in lost}]
    by_number = dict(zip(rows.doc_numbers(docs).tolist(), docs, strict=True))
    at = np.flatnonzero(np.isin(rows.doc_codes, [one for one in by_number if one >= 0]))
    pairs = {*zip(rows.query_codes[at].tolist(), rows.doc_codes[at].tolist(), strict=True)}
    return sum(by_number[doc] in gone.get(rows.query_ids[query], ()) for query, doc in pairs)


def attained(
    qrels: Qrels, lists: Mapping[str, Sequence[str]], measures: Sequence[Measure], reading: Reading
) -> dict[str, float]:
    """Return the means of the measures that are highest where the relevant documents come first."""
    fitting = [one for one in measures if one.promoting_helps and one.depends_on != "subtopics"]
    if not fitting or not lists:
        return {}
    with collected_warnings():  # of queries without documents
        return dict(evaluated(qrels, Run(dict(lists)), asked_of(fitting, {}), reading).means)


def _findings(judged: JudgedInCorpus, rows: int, moves: Moves) -> Iterator[Finding]:
    gone, unwinnable, found = judged.gone, judged.unwinnable, judged.found
    lost = [(query, doc) for query, docs in gone.items() for doc in docs]
    if not lost:
        return
    yield Finding(
        code="gone",
        severity="warning",
        count=len(lost),
        what=f"{len(lost):,} of {counted(rows, 'judgment')} {verb(len(lost), 'is', 'are')} of "
        f"{counted(len(found.gone), 'document that is', 'documents that are')} not in the corpus, "
        f"in {counted(len(gone), 'query', 'queries')}",
        effect="no system that searches the corpus can retrieve them",
        remedy="judge again, or leave them out of the judgments",
        places=tuple(Place(query_id=query, doc_id=doc) for query, doc in lost[:3]),
        moves=moves,
        consequence=_highest(moves),
    )
    if unwinnable:
        yield Finding(
            code="unwinnable",
            severity="warning",
            count=len(unwinnable),
            what=none_left(len(unwinnable)),
            effect="no system that searches the corpus can answer "
            f"{verb(len(unwinnable), 'it', 'them')}",
            remedy="judge documents of this corpus, or leave such queries out with --corpus and "
            '--unwinnable skip, or unwinnable="skip"',
            places=tuple(Place(query_id=query) for query in unwinnable[:3]),
        )
    if found.near is not None:
        yield Finding(
            code="near-corpus",
            severity="warning",
            count=found.near.found,
            what=str(found),
            effect="they count as gone, and are only written otherwise",
            remedy=WRITE_ALIKE,
            places=(Place(doc_id=found.near.ours),),
        )


def _highest(moves: Moves) -> str:
    """Say what can be attained still."""
    shown = [
        f"{name} at most {written_value(measure(name), left)} from the corpus (not "
        f"{written_value(measure(name), whole)})"
        for name, (whole, left) in [*moves.items()][:3]
    ]
    return and_more(shown, 3)
