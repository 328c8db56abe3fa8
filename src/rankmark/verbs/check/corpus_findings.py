"""What a corpus lacks of the judged documents, and what can still be attained."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.data.preparing.corpus_ids import CorpusSource, InCorpus, in_corpus
from rankmark.data.preparing.run import Run
from rankmark.errors import collected_warnings, counted
from rankmark.measures.names import measure
from rankmark.verbs.check.finding import Finding, Place, and_more, verb
from rankmark.verbs.evaluate.evaluate import asked_of, evaluated
from rankmark.verbs.evaluate.provenance import written_value

if TYPE_CHECKING:
    from rankmark.data.contract.reading_options import Reading
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
        If the corpus cannot be read.
    """
    labels = qrels.by_query()
    found = in_corpus(corpus, dict.fromkeys(doc for held in labels.values() for doc in held))
    lacking = set(found.gone)
    gone = {query: [doc for doc in held if doc in lacking] for query, held in labels.items()}
    gone = {query: lost for query, lost in gone.items() if lost}
    rel = min((one.rel for one in measures if hasattr(one, "rel")), default=1.0)
    unwinnable = [
        query
        for query, lost in gone.items()
        if any(labels[query][doc] >= rel for doc in lost)
        and not any(label >= rel for doc, label in labels[query].items() if doc not in lacking)
    ]
    best = best_lists(labels, lacking)
    highest = attained(qrels, best_lists(labels), measures, reading)
    left = attained(qrels, best, measures, reading)
    moves = {name: (highest[name], value) for name, value in left.items() if highest[name] != value}
    facts = {
        "documents": found.documents,
        "gone": gone,
        "unwinnable": unwinnable,
        "attainable": left,
    }
    return facts, [*_findings(facts, labels, found, moves)], best


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


def attained(
    qrels: Qrels, lists: Mapping[str, Sequence[str]], measures: Sequence[Measure], reading: Reading
) -> dict[str, float]:
    """Return the means of the measures that are highest where the relevant documents come first."""
    fitting = [one for one in measures if one.promoting_helps and one.depends_on != "subtopics"]
    if not fitting or not lists:
        return {}
    with collected_warnings():  # of queries without documents
        return dict(evaluated(qrels, Run(dict(lists)), asked_of(fitting, {}), reading).means)


def _findings(
    facts: Mapping[str, Any],
    labels: Mapping[str, Mapping[str, float]],
    found: InCorpus,
    moves: Moves,
) -> Iterator[Finding]:
    gone, unwinnable = facts["gone"], facts["unwinnable"]
    lost = [(query, doc) for query, docs in gone.items() for doc in docs]
    if not lost:
        return
    judged = sum(map(len, labels.values()))
    yield Finding(
        code="gone",
        severity="warning",
        count=len(lost),
        what=f"{len(lost):,} of {counted(judged, 'judgment')} {verb(len(lost), 'is', 'are')} of "
        f"{counted(len(found.gone), 'document that is', 'documents that are')} not in the corpus, "
        f"in {counted(len(gone), 'query', 'queries')}",
        effect="no system can retrieve them, and the relevant ones count as not retrieved",
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
            what=f"{counted(len(unwinnable), 'query has', 'queries have')} no relevant document "
            "left in the corpus",
            effect=f"{verb(len(unwinnable), 'it counts', 'each counts')} 0, whatever a system does",
            remedy="judge documents of this corpus, or leave such queries out",
            places=tuple(Place(query_id=query) for query in unwinnable[:3]),
        )
    near = found.near
    if near is not None:
        some = (
            f" (its first {found.compared:,} ids were compared)"
            if found.compared < found.documents
            else ""
        )
        yield Finding(
            code="near-corpus",
            severity="warning",
            count=near.found,
            what=f"{near.found:,} of the {len(found.gone):,} documents that are gone {near}{some}",
            effect="they count as gone, and are only written otherwise",
            remedy="write ids the same way in both",
            places=(Place(doc_id=near.ours),),
        )


def _highest(moves: Moves) -> str:
    """Say what can be attained still."""
    shown = [
        f"{name} at most {written_value(measure(name), left)} (not "
        f"{written_value(measure(name), whole)})"
        for name, (whole, left) in [*moves.items()][:3]
    ]
    return and_more(shown, 3)
