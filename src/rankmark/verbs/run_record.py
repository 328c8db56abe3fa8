"""Records of what was computed: inputs with their hashes, choices, versions and values."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError
from rankmark.formatting.result import encodable, json_number
from rankmark.report.ir_metadata import evaluation_header, found_header
from rankmark.sources.files.files import InputFile, printable
from rankmark.sources.files.opened import bytes_at
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.results.comparison import Comparison
    from rankmark.results.evaluation import Evaluation
    from rankmark.results.gate_result import GateResult

SCHEMA = 1
"""Version of records; it increases if a field changes its meaning or is removed."""
_HEADER_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Recorded:
    """The inputs and choices of a command, to be recorded with its results.

    Parameters
    ----------
    command
        "evaluate", "compare" or "gate".
    qrels, runs
        Paths of the judgments and the runs.
    others
        {role: path} of other files that decide the numbers, such as those of seen documents.
    choices
        Keywords of the function of that name, apart from files: values that JSON can represent.
    """

    command: str
    qrels: str
    runs: tuple[str, ...]
    others: Mapping[str, str]
    choices: Mapping[str, Any]

    def text(
        self,
        values: Mapping[str, Any],
        conventions: Conventions,
        headers: Sequence[str],
        path: Path,
    ) -> str:
        """Write the record of these values, for a file at a path.

        Raises
        ------
        InputError
            If an input is not a file that can be read again.
        """
        folder = path.resolve().parent
        inputs = [("qrels", self.qrels), *(("run", run) for run in self.runs)]
        inputs += list(self.others.items())
        record = {
            "schema": SCHEMA,
            "rankmark": __version__,
            "command": self.command,
            "inputs": [_input(role, name, folder) for role, name in inputs],
            "conventions": conventions.to_dict(),
            "choices": dict(self.choices),
            "seeds": {
                name: self.choices[name]
                for name in ("seed", "resamples")
                if self.choices.get(name) is not None
            },
            "environment": environment(),
            "values": dict(values),
            "ir_metadata": [
                {"run": run, "found": _found(run), "evaluation": header}
                for run, header in zip(self.runs, headers, strict=True)
            ],
        }
        return encodable(json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def environment() -> dict[str, str]:
    """Return the versions of what numbers may depend on."""
    libraries = {name: metadata.version(name) for name in ("numpy", "scipy")}
    return {"python": platform.python_version(), "platform": platform.platform(), **libraries}


def sha256_of(path: Path) -> str:
    """Hash the bytes of a file as they are."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def evaluated_values(evaluations: Iterable[tuple[str, Evaluation]]) -> dict[str, Any]:
    """Return the means of runs by name, and a hash of the scores of each query."""
    pairs = list(evaluations)
    return {
        "means": {
            name: {measure: json_number(value) for measure, value in one.means.items()}
            for name, one in pairs
        },
        "per_query_sha256": {name: _hash_of_scores(one) for name, one in pairs},
    }


def gate_values(result: GateResult, runs: Sequence[str]) -> dict[str, Any]:
    """Return the means of all runs, the baseline's first, and the numbers of the conditions."""
    numbers = ("verdict", "queries", "difference", "low", "high", "p", "required_queries")
    by_name = result.candidates
    candidates = [by_name[name] for name, _ in result.choices["systems"][1:]]
    values: dict[str, Any] = {"verdict": result.verdict, "conditions": []}
    if result.logged is None:
        systems = (result.baseline, *(one.new for one in candidates))
        evaluations = [run for system in systems for run in system.evaluations]
        values = evaluated_values(zip(runs, evaluations, strict=True)) | values
    for one in candidates:
        of = {"run": one.new_name} if result.others else {}
        for condition in one.conditions:
            found = condition.to_dict()
            row = {"name": found["name"], **of, **{name: found[name] for name in numbers}}
            values["conditions"].append(row)
        if one.logged is not None:
            values.setdefault("logged", []).append({"name": one.new_name, **one.logged.to_dict(0)})
    return values


def comparison_values(compared: Comparison) -> dict[str, Any]:
    """Return the means of all runs, the leaderboard, the differences, and those of slices."""
    written = compared.to_dict()
    tables = ("leaderboard", "differences", "slices")
    return evaluated_values(compared.evaluations.items()) | {
        name: written[name] for name in tables if name in written
    }


def header_of(
    qrels: str, run: str, measures: Sequence[str], baseline: str | None, tests: Sequence[str]
) -> str:
    """Return the ir_metadata header that says how a run was evaluated."""
    return evaluation_header(
        tag=Path(run).name, qrels=qrels, measures=measures, baseline=baseline, tests=tests
    )


def _input(role: str, name: str, folder: Path) -> dict[str, Any]:
    path = Path(name)
    if not path.is_file():
        raise InputError(
            f"{printable(name)} is not a file, so it cannot be read again",
            "record results of files only",
        )
    try:
        relative = os.path.relpath(path.resolve(), folder)
    except ValueError:  # on another drive
        relative = str(path.resolve())
    return {
        "role": role,
        "name": name,
        "path": Path(relative).as_posix(),
        "sha256": sha256_of(path),
        "bytes": path.stat().st_size,
    }


def _hash_of_scores(evaluation: Evaluation) -> str:
    """Hash ids and scores, in the order of the judgments, as text that any program can write."""
    digest = hashlib.sha256()
    for query, row in zip(evaluation.queries, np.asarray(evaluation.scores).tolist(), strict=True):
        digest.update("\t".join([query, *map(repr, row)]).encode("utf-8", "surrogateescape"))
        digest.update(b"\n")
    return digest.hexdigest()


def _found(run: str) -> str | None:
    """Return the ir_metadata header at the beginning of a run, if there is one."""
    with InputFile(run).descriptor() as descriptor:
        head = bytes_at(descriptor, 0, _HEADER_BYTES)
    return found_header(head.decode("utf-8", "replace"))
