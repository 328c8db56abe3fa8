"""Records of what was computed: inputs with their hashes, choices, versions and values."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmark.data.files.input_file import InputFile, printable
from rankmark.data.files.opened import bytes_at
from rankmark.data.files.whole_files import small_file
from rankmark.errors import InputError, ParseError
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.conventions import Conventions


_START, _END = "# ir_metadata.start", "# ir_metadata.end"
_VERSION = "0.1"


def found_header(text: str) -> str | None:
    """Return the header at the beginning of a run's text, its first and last line included."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != _START:
        return None
    for number, line in enumerate(lines):
        if line.rstrip() == _END:
            return "\n".join(each.rstrip() for each in lines[: number + 1]) + "\n"
        if not line.startswith("#"):
            break
    return None


def evaluation_header(
    *,
    tag: str,
    qrels: str,
    measures: Sequence[str],
    baseline: str | None,
    tests: Sequence[str],
) -> str:
    """Return a header on the evaluation of a run: test collection, measures, baseline and tests.

    How the run was made is for its authors to say: platform, implementation, method and actor are
    left out.
    """
    evaluation: dict[str, Any] = {"reported_measures": list(measures)}
    if baseline is not None:
        evaluation["baseline"] = [baseline]
    if tests:
        evaluation["significance_test"] = [{"name": test} for test in tests]
    content = {
        "schema version": _VERSION,
        "tag": tag,
        "research goal": {"evaluation": evaluation},
        "data": {"test_collection": {"qrels": qrels}},
    }
    lines = [_START, *(f"# {line}" for line in _yaml(content, "")), _END]
    return "\n".join(lines) + "\n"


def _yaml(content: Mapping[str, Any], indent: str) -> list[str]:
    lines = []
    for key, value in content.items():
        if isinstance(value, Mapping):
            lines += [f"{indent}{key}:", *_yaml(value, indent + "  ")]
        elif isinstance(value, list):
            lines.append(f"{indent}{key}:")
            for item in value:
                text = f"name: {_scalar(item['name'])}" if isinstance(item, dict) else _scalar(item)
                lines.append(f"{indent}  - {text}")
        else:
            lines.append(f"{indent}{key}: {value if key == 'schema version' else _scalar(value)}")
    return lines


def _scalar(value: str) -> str:
    """Write text as YAML reads it: JSON's strings are YAML's, in ASCII."""
    return json.dumps(value)


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
    per_query
        The names of ``measures``; and {run: lines of a query and its scores} under ``runs``.
    """

    values: Mapping[str, Any]
    conventions: Conventions
    measures: Sequence[str]
    per_query: Mapping[str, Any]
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
        folder = Path(os.path.realpath(path)).parent  # also where a link points to itself
        inputs = [("qrels", self.qrels), *(("run", run) for run in self.runs)]
        inputs += list(self.others.items())
        record = {
            "schema": SCHEMA,
            "rankmark": __version__,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "commit": _commit(),
            "command": self.command,
            "inputs": [_input(role, name, folder) for role, name in inputs],
            "choices": dict(self.choices),
            "environment": environment(),
            "values": dict(computed.values),
            **computed.parts(self.qrels, self.runs, self.choices, self.runs),
            "per_query": computed.per_query,
        }
        text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)
        # Bytes of paths and ids that are not UTF-8 are kept as JSON's escapes: verify reads them.
        return text.encode("utf-8", "backslashreplace").decode() + "\n"


def _commit() -> dict[str, Any] | None:
    """Return the commit of the folder in which the command runs; None outside of a repository.

    ``changed`` says whether tracked files differ from the commit.
    """
    import subprocess  # noqa: PLC0415  (rarely needed)

    def git(*words: str) -> str:
        asked = ["git", *words]
        done = subprocess.run(asked, capture_output=True, timeout=10, check=True)  # noqa: S603
        return done.stdout.decode("utf-8", "replace")

    try:
        commit, date = git("log", "-1", "--format=%H %cI").split()
        changed = bool(git("status", "--porcelain", "--untracked-files=no"))
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return {"id": commit, "date": date, "changed": changed}


def environment() -> dict[str, str]:
    """Return the versions of what numbers may depend on."""
    libraries = {name: metadata.version(name) for name in ("numpy", "scipy")}
    return {"python": platform.python_version(), "platform": platform.platform(), **libraries}


def sha256_of(path: Path) -> str:
    """Hash the bytes of a file as they are."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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


def _found(run: str) -> str | None:
    """Return the ir_metadata header at the beginning of a run, if there is one."""
    with InputFile(run).descriptor() as descriptor:
        head = bytes_at(descriptor, 0, _HEADER_BYTES)
    return found_header(head.decode("utf-8", "replace"))


FIELDS = (
    *("schema", "rankmark", "date", "commit", "command", "inputs", "conventions", "choices"),
    *("seeds", "environment", "values", "ir_metadata", "per_query"),
)
"""The fields of a record."""
_MOST_BYTES = 256 << 20


def read_record(file: Path, name: str) -> dict[str, Any]:
    """Read a record; ``name`` is what the file is called in messages.

    Raises
    ------
    InputError
        If the file cannot be read.
    ParseError
        If it is not a record.
    """
    data = small_file(file, _MOST_BYTES)
    try:
        record = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # no UTF-8, or no JSON
        raise no_record(name, "it is not JSON") from None
    kinds: dict[str, type] = {
        "rankmark": str,
        "command": str,
        "inputs": list,
        "choices": dict,
        "values": dict,
    }
    if not isinstance(record, dict):
        raise no_record(name, "it is not an object")
    for key, kind in kinds.items():
        if not isinstance(record.get(key), kind):
            raise no_record(name, f"it has no {key}")
    if record.get("schema") != SCHEMA:
        raise no_record(name, f"its schema is {record.get('schema')!r}, not {SCHEMA}")
    for given in record["inputs"]:
        if not isinstance(given, dict) or not all(
            isinstance(given.get(key), str) for key in ("role", "name", "path", "sha256")
        ):
            raise no_record(name, "an input has no role, name, path or sha256")
    return record


def no_record(name: str, found: str) -> ParseError:
    """Return the error for a file that is not a record."""
    return ParseError(found, "need a file that --record wrote", where=name)
