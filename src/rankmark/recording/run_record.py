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
from rankmark.formatting.result import json_number
from rankmark.recording.ir_metadata import evaluation_header, found_header
from rankmark.sources.files.input_file import InputFile, printable
from rankmark.sources.files.opened import bytes_at
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.comparing.comparison import Comparison
    from rankmark.conventions import Conventions
    from rankmark.evaluating.evaluation import Evaluation
    from rankmark.gating.gate_result import GateResult

SCHEMA = 1
"""Version of records; it increases if a field changes its meaning or is removed."""
_HEADER_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Computed:
    """What a command found, and what else its record says of it.

    Parameters
    ----------
    values
        Numbers and verdicts, which are compared when they are computed again.
    conventions
        In full, with defaults.
    measures, baseline, tests
        For ir_metadata: names, the path of the baseline's run, and how differences were tested.
    """

    values: Mapping[str, Any]
    conventions: Conventions
    measures: Sequence[str]
    baseline: str | None = None
    tests: Sequence[str] = ()

    def parts(
        self, qrels: str, runs: Sequence[str], choices: Mapping[str, Any], paths: Sequence[str]
    ) -> dict[str, Any]:
        """Return what a record says besides values: conventions, seeds and headers of runs.

        Parameters
        ----------
        qrels, runs
            Names of the files, as they were given.
        choices
            Keywords of the command's function.
        paths
            Where the runs are now.
        """
        return {
            "conventions": self.conventions.to_dict(),
            "seeds": {
                name: choices[name]
                for name in ("seed", "resamples")
                if choices.get(name) is not None
            },
            "ir_metadata": [
                {
                    "run": run,
                    "found": _found(path),
                    "evaluation": evaluation_header(
                        tag=Path(run).name,
                        qrels=Path(qrels).name,
                        measures=self.measures,
                        baseline=None if run == self.baseline else self.baseline,
                        tests=self.tests,
                    ),
                }
                for run, path in zip(runs, paths, strict=True)
            ],
        }


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

    def text(self, computed: Computed, path: Path) -> str:
        """Write the record of what was computed, for a file at a path.

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
            "choices": dict(self.choices),
            "environment": environment(),
            "values": dict(computed.values),
            **computed.parts(self.qrels, self.runs, self.choices, self.runs),
        }
        text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)
        # Bytes of paths and ids that are not UTF-8 are kept as JSON's escapes: verify reads them.
        return text.encode("utf-8", "backslashreplace").decode() + "\n"


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


def of_evaluations(names: Sequence[str], evaluations: Sequence[Evaluation]) -> Computed:
    """Return what is recorded of runs with these names."""
    first = evaluations[0]
    values = evaluated_values(zip(names, evaluations, strict=True))
    return Computed(values, first.conventions, first.names)


def of_gate(result: GateResult, runs: Sequence[str]) -> Computed:
    """Return what is recorded of a gate: means of all runs, and numbers of the conditions.

    The runs of the baseline come first.
    """
    numbers = ("verdict", "n", "difference", "low", "high", "p", "required_queries")
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
    return Computed(
        values,
        result.conventions,
        list(dict.fromkeys(str(one.condition.measure) for one in result.conditions)),
        runs[0],
        [f"bounds of the mean difference by {result.method}"],
    )


def of_comparison(compared: Comparison, runs: Sequence[str]) -> Computed:
    """Return what is recorded of a comparison of these files.

    Means of all runs, the leaderboard, the differences, and those of slices.
    """
    written = compared.to_dict()
    tables = ("leaderboard", "differences", "slices")
    values = evaluated_values(compared.evaluations.items()) | {
        name: written[name] for name in tables if name in written
    }
    baseline = compared.baseline
    return Computed(
        values,
        next(iter(compared.evaluations.values())).conventions,
        compared.measures,
        None if baseline is None else runs[compared.runs.index(baseline)],
        [f"{compared.chosen.test}, corrected by {compared.chosen.correction}"],
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
