"""What rankmark makes of qrels and runs, in a form that tests can compare."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from rankmark import ParseError, Qrels, Run
from rankmark.alignment import Needs
from rankmark.conventions import Conventions
from rankmark.sources import match


def judgments(source: Any) -> dict[str, dict[str, float]]:
    """Read qrels as ``{query id: {document id: label}}``."""
    qrels = Qrels(source)
    starts, labels = qrels.judgments.starts(), qrels.judgments.labels()
    return {
        query: dict(zip(qrels.doc_ids[begin:end], labels[begin:end].tolist(), strict=True))
        for query, begin, end in zip(qrels.query_ids, starts, starts[1:], strict=False)
    }


def rankings(
    source: Any, documents: Iterable[str], queries: Iterable[str] = ("q",), **conventions: Any
) -> dict[str, list[str]]:
    """Read a run as ``{query id: [document id, ...]}``, best first, of the documents named."""
    documents = list(documents)
    qrels = Qrels({query: {doc: i for i, doc in enumerate(documents, 1)} for query in queries})
    alignment, _ = match(qrels, Run(source), Conventions(**conventions), needs=Needs(lowest=0.0))
    return {
        query: [documents[int(label) - 1] for label in alignment.label[begin:end]]
        for query, begin, end in zip(
            alignment.queries, alignment.starts, alignment.starts[1:], strict=False
        )
    }


def refused(path: Path, mistake: tuple[bytes, int, str], read: Callable[[Path], Any]) -> None:
    """Check that a file with a mistake is refused: where it stands, and what was found."""
    data, line, found = mistake
    path.write_bytes(data)
    with pytest.raises(ParseError) as caught:
        read(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert found in str(caught.value)
    assert "\n" not in str(caught.value)
