"""What each list gave the documents of a fused run, for explanations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from rankmark.results.explanations.page import number
from rankmark.results.marked_tables import MarkedTable

_SHOWN = 10  # documents in a table that is shortened


class Vote(NamedTuple):
    """What one list gave one document.

    Parameters
    ----------
    rank, score
        Its rank, from 1, and its score in the list; None if the list does not contain it, and for
        the score if the list has none.
    normalised
        The score after normalisation, or what an absent document gets; None for methods that use
        ranks.
    contribution
        What the list adds to the fused score; None if the fused score is no sum.
    """

    rank: int | None
    score: float | None
    normalised: float | None
    contribution: float | None


class FusedDocument(NamedTuple):
    """A document of a fused run: its rank, its id, its fused score, and a vote of each list."""

    rank: int
    doc_id: str
    score: float
    votes: tuple[Vote, ...]


class ListVotes(NamedTuple):
    """What each list gave the documents of one query.

    Parameters
    ----------
    method
        The method, with its parameters.
    runs, weights
        The names of the runs, and their weights; None if the method takes none.
    documents
        All documents of the fused run, in rank order.
    """

    method: str
    runs: tuple[str, ...]
    weights: tuple[float, ...] | None
    documents: tuple[FusedDocument, ...]

    def of(self, doc_ids: Iterable[str | None]) -> ListVotes:
        """Keep some of the documents, in their order."""
        by_id = {document.doc_id: document for document in self.documents}
        kept = (by_id[each] for each in dict.fromkeys(doc_ids) if each in by_id)
        return self._replace(documents=tuple(kept))

    def to_dict(self) -> dict[str, Any]:
        """Return the votes for JSON."""
        weights = self.weights
        return {
            "method": self.method,
            "weights": None if weights is None else dict(zip(self.runs, weights, strict=True)),
            "documents": [
                {"rank": one.rank, "doc_id": one.doc_id, "score": one.score}
                | {
                    "lists": {
                        run: vote._asdict() for run, vote in zip(self.runs, one.votes, strict=True)
                    }
                }
                for one in self.documents
            ],
        }

    def to_text(self, *, width: int | None = None) -> str:
        """Return the title and a row for each document, in lines of ``width`` columns."""
        return f"{self.title()}\n{self.grid(all_rows=True).as_text(width=width)}"

    def title(self) -> str:
        """Return a line that names the method, and the weights of the lists."""
        weights = ""
        if self.weights is not None:
            pairs = zip(self.runs, self.weights, strict=True)
            weights = ", weights " + " ".join(f"{run}={weight:g}" for run, weight in pairs)
        return f"What each list gave, by {self.method}{weights}:"

    def grid(self, *, all_rows: bool) -> MarkedTable:
        """Return a table with a row for each document, of the first ten unless ``all_rows``."""
        documents = self.documents if all_rows else self.documents[:_SHOWN]
        kept = [
            [any(getattr(one.votes[at], field) is not None for one in documents) for field in _TOLD]
            for at in range(len(self.runs))
        ]
        head = ["rank", "document", "fused score"]
        for run, fields in zip(self.runs, kept, strict=True):
            head += [
                f"{run} {word}"
                for word, is_kept in zip(_TOLD.values(), fields, strict=True)
                if is_kept
            ]
        rows: list[Sequence[str] | str] = []
        for one in documents:
            cells = [number(one.rank), one.doc_id, number(one.score)]
            for vote, fields in zip(one.votes, kept, strict=True):
                told = zip(_TOLD, fields, strict=True)
                cells += [number(getattr(vote, field)) for field, is_kept in told if is_kept]
            rows.append(cells)
        if len(documents) < len(self.documents):
            more = len(self.documents) - len(documents)
            rows.append(f"   ... {more:,} more document{'s' if more > 1 else ''}")
        return MarkedTable(head, rows, 0, ids=[1])


@runtime_checkable
class FusedLists(Protocol):
    """A fused run, which knows what each list gave its documents."""

    def votes(self, query: str) -> ListVotes | None:
        """Return what each list gave the documents of a query; None if no list has it."""
        ...


_TOLD = {"rank": "rank", "score": "score", "normalised": "norm", "contribution": "adds"}
