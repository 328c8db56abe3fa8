"""How judgments and runs are read, as one object from the verb down."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, TypedDict

from rankmark.arguments import Columns, FromOne, Kind, Text, function
from rankmark.data.contract.resources import (
    DEFAULT_MEMORY,
    Memory,
    as_memory,
    as_threads,
    cores,
)
from rankmark.data.contract.source_options import RunContents, Split
from rankmark.errors import InputError
from rankmark.named_tuples import NamedTuple

Progress = Annotated[Callable[[int], None], Kind(function)]
"""Called with the number of bytes read so far."""
ProgressOfFiles = Annotated[Callable[[int, int], None], Kind(function)]
"""Called with the number of the file and the number of bytes read so far."""


class ReadingOptions(TypedDict, total=False):
    """How judgments and runs are read, as keywords; see ``evaluate``."""

    qrels_format: Text | None
    run_format: Text | None
    columns: Columns
    qrels_columns: Columns
    run_columns: Columns
    groups: Any
    mask: Any
    lengths: Any
    contents: RunContents | None
    split: Split | None
    failed: Any
    parents: Any
    qrels_parents: Any
    document_weights: Any
    document_slices: Any
    document_costs: Any
    threads: FromOne | None
    memory: Memory | None


class Reading(NamedTuple):
    """How judgments and runs are read, as far as the caller said: the options and the progress.

    A tuple, as small calls would notice the time that a dataclass takes.

    Parameters
    ----------
    qrels_format, run_format, columns, qrels_columns, run_columns, groups, mask, lengths, contents
        As for ``evaluate``; see ``PairOptions``.
    split, failed, parents, qrels_parents, document_weights, document_slices, document_costs
        As for ``evaluate``.
    threads, memory
        As for ``evaluate``; use ``workers`` and ``bytes_held``.
    progress
        Called with the number of bytes read so far; before ``of_file``, with the number of the
        file, too.
    history, catalogue, popularity, items, item_groups
        What is known of items, as for ``evaluate``, where groups of items are ``groups``.
    user_groups, corpus, unwinnable
        As for ``evaluate``; the corpus also as it was found to have the judged documents.
    """

    qrels_format: str | None = None
    run_format: str | None = None
    columns: Mapping[str, Any] | None = None
    qrels_columns: Mapping[str, Any] | None = None
    run_columns: Mapping[str, Any] | None = None
    groups: Any = None
    mask: Any = None
    lengths: Any = None
    contents: RunContents | None = None
    split: str | None = None
    failed: Any = None
    parents: Any = None
    qrels_parents: Any = None
    document_weights: Any = None
    document_slices: Any = None
    document_costs: Any = None
    threads: int | None = None
    memory: int | str | None = None
    progress: Callable[..., None] | None = None
    history: Any = None
    catalogue: Any = None
    popularity: Any = None
    items: Any = None
    user_groups: Any = None
    corpus: Any = None
    unwinnable: str | None = None
    item_groups: Any = None

    @classmethod
    def of(cls, *values: Any, **options: Any) -> Reading:
        """Return how inputs are read; small calls give None for all."""
        for value in values:
            if value is not None:
                break
        else:
            if not options:
                return AS_USUAL
        found = cls(*values, **options)
        return found._of_items() if _are_of_items(found.groups) else found

    def _of_items(self) -> Reading:
        return self._replace(groups=None, item_groups=self.groups)

    def of_items(self, prepared: Any) -> Reading:
        """Return the same with what is known of items, prepared once for several runs."""
        return self._replace(**dict.fromkeys(OF_ITEMS) | {"history": prepared})

    def refuse_items(self) -> None:
        """Refuse what is known of items where no measure needs it."""
        for name in OF_ITEMS:
            if getattr(self, name) is not None:
                raise InputError(
                    f"{name.removeprefix('item_')} is given, and no measure needs it",
                    "leave it out, or ask for a measure of lists, such as MIUF@10",
                )

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> Reading:
        """Take how inputs are read out of keywords of ``evaluate``."""
        return cls.of(**{name: options.pop(name) for name in cls._fields if name in options})

    @property
    def is_plain(self) -> bool:
        """Whether no option says what the inputs contain."""
        return self is AS_USUAL or not self.of_contents()

    @property
    def workers(self) -> int:
        """The number of threads: the one requested, or one per core."""
        return cores() if self.threads is None else as_threads(self.threads)

    @property
    def bytes_held(self) -> int:
        """The number of bytes that may be used for rows of interleaved queries."""
        return DEFAULT_MEMORY if self.memory is None else as_memory(self.memory)

    def of_contents(self) -> dict[str, Any]:
        """Return the options that say what the inputs contain, as far as they were given."""
        given = self._asdict()
        return {name: given[name] for name in _OF_CONTENTS if given[name] is not None}

    def of_file(self, number: int) -> Reading:
        """Return how one of several files is read, whose number the progress is told."""
        if self.progress is None:
            return self
        return self._replace(progress=partial(self.progress, number))

    def in_silence(self) -> Reading:
        """Return the same without progress, for what is read once more."""
        return self._replace(progress=None)

    def of_prepared(self) -> Reading:
        """Return how inputs are read whose contents are known, as they are prepared."""
        return self._replace(**dict.fromkeys(_OF_CONTENTS))

    def once_more(self) -> Reading:
        """Return what holds if the inputs are ranked again, without references to objects."""
        if self.threads is None and self.memory is None:
            return AS_USUAL
        return Reading(threads=self.threads, memory=self.memory)


def _are_of_items(groups: Any) -> bool:
    """Return whether groups are those of items, not the sizes of groups of rows of an array."""
    is_table = isinstance(groups, (Mapping, str, os.PathLike)) or hasattr(groups, "read")
    return is_table or hasattr(groups, "columns") or hasattr(groups, "collect_schema")


OF_ITEMS = ("history", "catalogue", "popularity", "items", "item_groups")
"""The options that say what is known of items."""
WITHOUT_EFFECT = ("threads", "memory", "progress")
"""The options that change no result."""
OF_JUDGMENTS = (
    *("qrels_format", "qrels_columns", "qrels_parents", "failed"),
    *("document_weights", "document_slices"),
)
"""The options of judgments, which are done with once these are prepared."""
FILES = (
    *("seen", "parents", "qrels_parents", "corpus"),
    *("document_weights", "document_slices", "document_costs"),
    *("history", "catalogue", "popularity", "items", "groups"),
)
"""The options of ``evaluate`` that are files where they are written as text."""
WORDS = {"catalogue": ("history", "union"), "popularity": ("users", "interactions")}
"""What is written in place of a file."""
OF_ARRAYS = ("groups", "mask", "lengths")
"""The options of arrays in memory, which no file needs."""
_OF_OTHERS = {*WITHOUT_EFFECT, *OF_ITEMS, "user_groups", "corpus", "unwinnable"}
_OF_CONTENTS = [name for name in Reading._fields if name not in _OF_OTHERS]
AS_USUAL = Reading()
"""Every core, and no other options."""
ONE_THREAD = Reading(threads=1)
