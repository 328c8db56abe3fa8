"""The keywords of ``evaluate``, for functions that pass them on."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Literal, TypedDict

from rankmark.conventions import Duplicates, NoRelevant, Precision, Queries, Ties

if TYPE_CHECKING:
    from rankmark.profiles.profile import Profile
    from rankmark.sources.contract.source import Progress


class SourceChoices(TypedDict, total=False):
    """The keywords of ``evaluate`` for reading sources."""

    qrels_format: str | None
    run_format: str | None
    columns: Mapping[str, Any] | None
    qrels_columns: Mapping[str, Any] | None
    run_columns: Mapping[str, Any] | None
    groups: Any
    mask: Any
    lengths: Any
    contents: Literal["scores", "ids"] | None


class Choices(SourceChoices, total=False):
    """All keywords of ``evaluate``."""

    rel: float | None
    queries: Queries | Sequence[str] | os.PathLike[str] | IO[Any]
    ties: Ties
    no_relevant: NoRelevant
    depth: int | None
    judged_only: bool
    duplicates: Duplicates
    drop_self: bool
    precision: Precision
    profile: str | Profile | None
    seen: Any
    threads: int | None
    progress: Progress | None
    memory: int | str | None


def refuse_unknown(verb: str, choices: Choices) -> None:
    """Refuse keywords that ``evaluate`` does not have, as Python does."""
    for name in choices:
        if name not in Choices.__annotations__:
            raise TypeError(f"{verb}() got an unexpected keyword argument {name!r}")
