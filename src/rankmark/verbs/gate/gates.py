"""Several gates of one file, such as of rankings, answers and abstention: one verdict for all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankmark.data.files.input_file import printable
from rankmark.errors import InputError, shown
from rankmark.results.shown_parts import Look, Part, Section
from rankmark.results.shown_result import ShownResult
from rankmark.results.table_schema import columns_of
from rankmark.statistics.margin_decision import Verdict
from rankmark.verbs.gate.decided_gate import Decided, worst
from rankmark.verbs.gate.gate import gate
from rankmark.verbs.gate.gate_config import ConfigFile
from rankmark.verbs.gate.gate_result import GateResult, junit_of_all

_INPUTS = ("name", "qrels", "baseline", "run")


@dataclass(frozen=True, slots=True)
class Gates(Decided, ShownResult):
    """The results of several gates; true if all of them hold.

    Parameters
    ----------
    results
        {name of a gate: its result}, in the order of the file.
    """

    _markdown = "pull request"
    results: Mapping[str, GateResult]

    @property
    def verdict(self) -> Verdict:
        """``"holds"`` if all gates do; else ``"does not hold"`` if one does not."""
        return worst(one.verdict for one in self.results.values())

    def _contents(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "holds": self.holds,
            "exit_code": self.exit_code,
            "gates": {name: one.to_dict() for name, one in self.results.items()},
        }

    def _table(self) -> dict[str, Any]:
        return columns_of(
            {"gate": name} | row for name, one in self.results.items() for row in one._rows()
        )

    def _parts(self, look: Look) -> Sequence[Part]:
        return [Section(name, one._parts(look)) for name, one in self.results.items()]

    def to_junit(self) -> str:
        """Return the verdicts as JUnit XML: each condition of each gate is a test."""
        return junit_of_all(self.results)


def gates(config: str | os.PathLike[str]) -> Gates:
    """Decide several gates, each a table ``[[gates]]`` of a TOML file.

    Parameters
    ----------
    config
        The file. A table has a ``name``, ``baseline`` and ``run`` (a path, or several candidates),
        ``qrels`` unless these are scores by query, and all that the file of a single gate may have.
        Paths are relative to the folder of the file.

    Returns
    -------
    Gates
        True if all gates hold.

    Raises
    ------
    InputError
        If a table lacks an input, or two have the same name; and as ``gate``.
    ParseError, DuplicateError, MismatchError, MeasureError, SchemaError
        As ``gate``.
    """
    file = ConfigFile.read(config, gate)
    tables, where = file.document.get("gates"), printable(str(file.path))
    if not isinstance(tables, list) or not tables or {*file.document} != {"gates"}:
        raise InputError(
            "it is no file of several gates, which has only [[gates]] tables",
            "give judgments, the baseline and the new run, or write a [[gates]] table for each",
            where=where,
        )
    results: dict[str, GateResult] = {}
    for number, table in enumerate(tables):
        name = table.get("name", f"gate {number + 1}")
        if not isinstance(name, str) or name in results:
            raise InputError(
                f"gates[{number}]: name is {shown(name)}",
                "give each gate a name of its own",
                where=where,
            )
        results[name] = _decided(file, table, f"gates[{number}]")
    return Gates(results)


def _decided(file: ConfigFile, table: Mapping[str, Any], where: str) -> GateResult:
    own = replace(file, document={k: v for k, v in table.items() if k not in _INPUTS})
    runs = own.document.get("runs", {})

    def path(key: str, value: Any) -> str:
        if isinstance(value, str) and value in runs:
            return value
        return file.file(f"{where}.{key}", value)

    new = table.get("run")
    candidates = [path("run", one) for one in (new if isinstance(new, list) else [new])]
    qrels = path("qrels", table["qrels"]) if "qrels" in table else None
    return gate(
        qrels,
        path("baseline", table.get("baseline")),
        candidates[0] if len(candidates) == 1 else {one: one for one in candidates},
        config=own,
    )
