"""What ``evaluate`` lets its callers choose, for the verbs that hand it on."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, TypedDict

from rankmark.conventions import Duplicates, NoRelevant, Precision, Queries, Ties

if TYPE_CHECKING:
    from rankmark.sources.contract.source import Progress


class Choices(TypedDict, total=False):
    """The keywords of ``evaluate``; see there."""

    queries: Queries | Sequence[str] | os.PathLike[str] | IO[Any]
    ties: Ties
    no_relevant: NoRelevant
    depth: int | None
    judged_only: bool
    duplicates: Duplicates
    drop_self: bool
    precision: Precision
    seen: Any
    qrels_format: str | None
    run_format: str | None
    columns: Mapping[str, Any] | None
    qrels_columns: Mapping[str, Any] | None
    run_columns: Mapping[str, Any] | None
    groups: Any
    mask: Any
    lengths: Any
    contents: Literal["scores", "ids"] | None
    holds: Literal["scores", "ids"] | None
    threads: int | None
    progress: Progress | None


SOURCE_OPTIONS = (
    *("qrels_format", "run_format", "columns", "qrels_columns", "run_columns"),
    *("groups", "mask", "lengths", "contents", "holds"),
)
"""Those that say how sources are to be read; the others are conventions, threads and progress."""


def refuse_unknown(verb: str, choices: Choices) -> None:
    """Refuse a keyword that ``evaluate`` does not have, as Python does."""
    for name in choices:
        if name not in Choices.__annotations__:
            raise TypeError(f"{verb}() got an unexpected keyword argument {name!r}")
