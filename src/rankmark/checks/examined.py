"""Sources as a check examines them: each read as far as it can be read."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.checks.content import Content, content_of, of_another_kind, of_encoding
from rankmark.checks.finding import FileReport, Finding, in_order
from rankmark.checks.row_findings import of_rows
from rankmark.checks.row_table import Table
from rankmark.errors import InputError, RankmarkWarning
from rankmark.sources import PairOptions, Qrels
from rankmark.sources.prepared.listing import rows_of

if TYPE_CHECKING:
    from rankmark.sources.contract.source import Source
    from rankmark.sources.contract.source_options import Kind


@dataclass
class Examined:
    """One source, and what is known of it so far."""

    name: str
    kind: Kind
    source: Source | None = None
    table: Table | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def positions(self) -> bool:
        """Whether its ids are places in arrays, and mean nothing."""
        return self.source is not None and self.source.positions

    @property
    def is_refused(self) -> bool:
        """Whether it is known that evaluate refuses it."""
        return any(finding.severity == "error" for finding in self.findings)

    def add(self, findings: Iterable[Finding]) -> None:
        """Note what was found."""
        self.findings += findings

    def refuse(self, error: InputError) -> None:
        """Note what evaluate says, where nothing else explains it."""
        what, remedy = self._divided(str(error))
        self.findings.append(
            Finding(
                code="refused",
                severity="error",
                count=1,
                what=what,
                effect="evaluate refuses it",
                remedy=remedy,
            )
        )

    def warn(self, messages: Iterable[str]) -> None:
        """Note what evaluate warns of: that no column holds labels or scores."""
        effect = "every row counts as relevant"
        if self.kind == "run":
            effect = "the order of the rows is the ranking"
        for message in dict.fromkeys(messages):
            what, remedy = self._divided(message)
            self.findings.append(
                Finding(
                    code="no-numbers",
                    severity="warning",
                    count=1,
                    what=what,
                    effect=effect,
                    remedy=remedy,
                )
            )

    def _divided(self, message: str) -> tuple[str, str]:
        """Divide a message into what was found and what to do, by which messages end."""
        name = re.escape(self.name)
        said = re.sub(rf"^(?:{self.kind} <[^>]*>|{name})[:,] ", "", message)
        said = re.sub(rf"^{name}:(?=\d)", "line ", said)
        what, _, remedy = said.rpartition("; ")
        return (what, remedy) if what else (said, "correct what is named here")

    def report(self) -> FileReport:
        """Give all that is known, errors first."""
        return FileReport(
            self.name,
            self.kind,
            None if self.source is None else self.source.sha256(),
            self.facts,
            in_order(self.findings),
        )


class Examiner:
    """Reads sources, each as far as it can be read."""

    def __init__(
        self, said: PairOptions, threads: int | None, progress: Callable[[int, int], None] | None
    ) -> None:
        self._said = said
        self._threads = threads
        self._progress = progress
        self._taken: list[dict[str, Any] | None] = []  # None for one whose form was not found

    def __call__(self, given: Any, kind: Kind, prepared: Qrels | None = None) -> Examined:
        """Read one source; ``prepared`` are the judgments beside a run, where they are good."""
        self._said.refuse_format_of_prepared(given, kind)
        is_path = isinstance(given, (str, os.PathLike))
        name = os.fspath(given) if is_path else f"<{type(given).__name__}>"
        examined = Examined(str(name), kind)
        number = len(self._taken)
        self._taken.append(None)
        try:
            with collected_warnings() as warned:
                source = self._said.source_of(given, kind)
                examined.source, examined.name = source, source.name
                if source.positions and prepared is not None:
                    source = _grouped(source, prepared)
                examined.facts["form"] = self._taken[number] = source.description()
                if _is_readable(examined):
                    told = None if self._progress is None else partial(self._progress, number)
                    rows = rows_of(source, threads=self._threads, progress=told)
                    _tabulate(examined, Table(rows))
        except InputError as error:
            examined.refuse(error)
        examined.warn(warned)
        return examined

    def refuse_unused(self) -> None:
        """Refuse an option that serves none, unless a source may have been meant that is broken."""
        taken = [form for form in self._taken if form is not None]
        if len(taken) == len(self._taken):
            self._said.refuse_unused(taken)


def _grouped(source: Source, qrels: Qrels) -> Source:
    """Give a flat run that says no groups those of the judgments."""
    from rankmark.sources.arrays.positional import PositionalSource  # noqa: PLC0415  (for arrays alone)

    return source.with_groups_of(qrels) if isinstance(source, PositionalSource) else source


def _is_readable(examined: Examined) -> bool:
    """Look at a file's bytes; say whether its lines are worth reading."""
    file, form = getattr(examined.source, "file", None), examined.facts["form"]["form"]
    if file is None or form == "parquet":
        return True
    content = content_of(file)
    examined.facts |= _content_facts(content)
    examined.add(of_encoding(content))
    # Other forms have a header, or names, by which they say themselves what they hold.
    another = of_another_kind(content, examined.kind) if form == "trec" else None
    if another is not None:
        examined.add([another])
    return not content.is_wide and another is None


def _content_facts(content: Content) -> dict[str, Any]:
    return {
        "bytes": content.bytes,
        "encoding": content.encoding,
        "byte_order_mark": content.has_mark,
        "line_ends": content.ends,
        "last_line_ends": not content.is_cut,
    }


def _tabulate(examined: Examined, table: Table) -> None:
    examined.facts |= {
        "rows": len(table),
        "queries": int(np.count_nonzero(table.depths)),
        "unreadable_lines": table.rows.faulty,
        "extra_column_lines": table.rows.extra_columns,
    }
    may_be_empty = examined.kind == "run" or examined.facts["form"]["form"] not in _OF_ROWS
    examined.add(of_rows(table, examined.kind, may_be_empty=may_be_empty))
    if len(table):
        examined.table = table


_OF_ROWS = {"trec", "msmarco", "beir", "tsv", "csv", "parquet", "frame", "records"}
"""Forms that name no query but by a row; others may, and are refused when they are read."""


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Gather what sources warn of, as a check tells it as a finding; other warnings go on."""
    messages: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield messages
    finally:
        for warning in caught:
            if issubclass(warning.category, RankmarkWarning):
                messages.append(str(warning.message))
            else:
                warnings.warn_explicit(
                    warning.message, warning.category, warning.filename, warning.lineno
                )
