"""Examine sources, reading each as far as possible."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import Source
from rankmark.data.contract.source_options import Kind
from rankmark.data.preparing.pair_options import PairOptions
from rankmark.data.preparing.parents import OfUnits, own_rows
from rankmark.data.preparing.qrels import Qrels
from rankmark.errors import InputError, RankmarkWarning, collected_warnings
from rankmark.verbs.check.content import Content, content_of, encoding_findings, wrong_kind
from rankmark.verbs.check.finding import FileReport, Finding, Severity, in_order
from rankmark.verbs.check.row_findings import row_findings
from rankmark.verbs.check.row_table import Table


@dataclass
class Examined:
    """A source, and what has been found out about it so far."""

    name: str
    kind: Kind
    source: Source | None = None
    table: Table | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def positions(self) -> bool:
        """Whether its ids are positions in arrays."""
        return self.source is not None and self.source.positions

    def of_documents(self) -> Table | None:
        """Return the table, with documents in place of units whose documents were given."""
        if self.table is None or not isinstance(self.source, OfUnits):
            return self.table
        return Table(self.source.rows_of_documents(self.table.rows))

    @property
    def is_refused(self) -> bool:
        """Whether evaluate is known to refuse it."""
        return any(finding.severity == "error" for finding in self.findings)

    def add(self, findings: Iterable[Finding]) -> None:
        """Add findings."""
        self.findings += findings

    def refuse(self, error: InputError) -> None:
        """Add the message with which evaluate refuses it, if no other finding explains it."""
        self.findings.append(self._of(error, "refused", "error", "evaluate refuses it"))

    def warn(self, messages: Iterable[RankmarkWarning]) -> None:
        """Add warnings of evaluate: that there is no column of labels or scores."""
        effect = "every row counts as relevant"
        if self.kind == "run":
            effect = "the order of the rows is the ranking"
        for message in {str(message): message for message in messages}.values():
            self.findings.append(self._of(message, "no-numbers", "warning", effect))

    def _of(
        self, message: InputError | RankmarkWarning, code: str, severity: Severity, effect: str
    ) -> Finding:
        """Write what was found, and the place in the source, whose name stands above."""
        of_source = rf"(?:{self.kind} <[^>]*>|{self.kind}|{re.escape(self.name)})(?:: |$)"
        place = re.sub(f"^{of_source}", "", message.where or "")
        if message.line is not None:
            place = f"line {message.line}"
        what = f"{place}: {message.found}" if place else message.found
        return Finding(
            code, severity, 1, what, effect, message.remedy or "correct what is named here"
        )

    def report(self) -> FileReport:
        """Return everything that was found, errors first."""
        return FileReport(
            self.name,
            self.kind,
            None if self.source is None else self.source.sha256(),
            self.facts,
            in_order(self.findings),
        )


class Examiner:
    """Reads sources, each as far as possible."""

    def __init__(self, options: PairOptions, reading: Reading) -> None:
        self._options = options
        self._reading = reading
        self._forms: list[dict[str, Any] | None] = []  # None if the form was not recognised

    def __call__(self, given: Any, kind: Kind, prepared: Qrels | None = None) -> Examined:
        """Read a source; ``prepared`` are the judgments for a run, if they can be read."""
        self._options.refuse_format_of_prepared(given, kind)
        is_path = isinstance(given, (str, os.PathLike))
        name = os.fspath(given) if is_path else f"<{type(given).__name__}>"
        examined = Examined(str(name), kind)
        number = len(self._forms)
        self._forms.append(None)
        try:
            with collected_warnings() as messages:
                source = self._options.source_of(given, kind)
                examined.source, examined.name = source, source.name
                if (source.positions or source.is_file) and prepared is not None:
                    source = _grouped(source, prepared)
                examined.facts["form"] = self._forms[number] = source.description()
                if _is_readable(examined):
                    rows = source.rows(self._reading.of_file(number), lenient=True)
                    _tabulate(examined, Table(rows))
        except InputError as error:
            examined.refuse(error)
        examined.warn(messages)
        return examined

    def refuse_unused(self) -> None:
        """Refuse an option that applies to no source, unless some could not be recognised."""
        forms = [form for form in self._forms if form is not None]
        if len(forms) == len(self._forms):
            self._options.refuse_unused(forms)


def _grouped(source: Source, qrels: Qrels) -> Source:
    """Apply the groups of the judgments to a flat run without groups, or to scores by line."""
    from rankmark.data.arrays.positional import PositionalSource  # noqa: PLC0415

    has_lines = source.is_file or isinstance(source, PositionalSource)
    return source.with_groups_of(qrels) if has_lines else source


def _is_readable(examined: Examined) -> bool:
    """Examine the content of a file, and return whether its lines can be read."""
    source = None if examined.source is None else own_rows(examined.source)
    file, form = getattr(source, "file", None), examined.facts["form"]["form"]
    if file is None or form in {"parquet", "arrow"}:
        return True
    content = content_of(file)
    examined.facts |= _content_facts(content)
    examined.add(encoding_findings(content))
    # Other formats have names of columns.
    wrong = wrong_kind(content, examined.kind) if form == "trec" else None
    if wrong is not None:
        examined.add([wrong])
    return not content.is_wide and wrong is None


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
    examined.add(row_findings(table, examined.kind, may_be_empty=may_be_empty))
    if len(table):
        examined.table = table


_OF_ROWS = {"trec", "msmarco", "beir", "tsv", "csv", "parquet", "arrow", "frame", "records"}
"""Forms in which each query has a row."""
