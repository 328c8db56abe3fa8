"""Compute a recorded result again, and compare it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rankmark.arguments import checked
from rankmark.data.files.input_file import printable
from rankmark.data.files.whole_files import path_given
from rankmark.errors import InputError, RankmarkError
from rankmark.measures.names import measure
from rankmark.results.records import run_record
from rankmark.verbs.evaluate.provenance import Given
from rankmark.verbs.gate.gate_condition import Condition
from rankmark.verbs.verify.verification import Kind, Move, Verification
from rankmark.version import __version__

# Means are the same to the bit everywhere; p-values and bounds come from functions of SciPy, whose
# last digits may differ between its versions.
_CLOSE = 1e-9
_EXACT = ("means", "per_query_sha256")
_SAID: dict[Kind, str] = {
    "convention": "conventions",
    "seed": "seeds",
    "header": "ir_metadata",
}


@checked
def verify(path: str | os.PathLike[str]) -> Verification:
    """Repeat a recorded computation, and compare inputs, versions and numbers.

    Parameters
    ----------
    path
        A file that ``--record`` wrote. Inputs are looked for at the same place relative to it,
        then under the paths as they were given.

    Returns
    -------
    Verification
        True if inputs and numbers are the same; ``moves`` lists what changed.

    Raises
    ------
    InputError
        If an input is missing, or can no longer be evaluated.
    ParseError
        If the file is not a record.
    """
    file = path_given("path", path)
    name = printable(str(file))
    record = run_record.read_record(file, name)
    files: dict[str, list[str]] = {}
    moves: list[Move] = []
    for given in record["inputs"]:
        found = _found(given, file, name)
        files.setdefault(given["role"], []).append(str(found))
        now = run_record.sha256_of(found)
        if now != given["sha256"]:
            moves.append(Move("input", given["name"], given["sha256"], now))
        if "bytes" in given and given["bytes"] != found.stat().st_size:
            moves.append(
                Move("input", f"{given['name']}, bytes", given["bytes"], found.stat().st_size)
            )
    names = {
        role: [one["name"] for one in record["inputs"] if one["role"] == role]
        for role in ("qrels", "run")
    }
    try:
        computed = _again(record["command"], files, names["run"], record["choices"])
    except RankmarkError:
        raise
    except (KeyError, TypeError, IndexError, ValueError, StopIteration) as error:
        reason = str(error) or "its inputs do not fit them"
        raise run_record.no_record(name, f"its choices cannot be read: {reason}") from None
    then, now_values = dict(_flat(record["values"])), dict(_flat(computed.values))
    for what in {**then, **now_values}:
        a, b = then.get(what), now_values.get(what)
        if not _same(a, b, exact=what.startswith(_EXACT)):
            moves.append(Move("number", what, a, b))
    said = computed.parts(names["qrels"][0], names["run"], record["choices"], files["run"])
    for kind, field in _SAID.items():
        said_then, said_now = dict(_flat(record.get(field))), dict(_flat(said[field]))
        moves += [
            Move(
                kind, f"{field}.{what}" if what else field, said_then.get(what), said_now.get(what)
            )
            for what in {**said_then, **said_now}
            if said_then.get(what) != said_now.get(what)
        ]
    moves += [
        Move("record", field, record[field], None)
        for field in record
        if field not in run_record.FIELDS
    ]
    if record["rankmark"] != __version__:
        moves.append(Move("version", "rankmark", record["rankmark"], __version__))
    before, today = record.get("environment", {}), run_record.environment()
    moves += [
        Move("environment", key, before.get(key), value)
        for key, value in {**dict.fromkeys(before), **today}.items()
        if before.get(key) != value
    ]
    return Verification(
        record=name,
        command=record["command"],
        inputs=len(record["inputs"]),
        values=len(then),
        moves=tuple(moves),
    )


def inputs_of(path: str | os.PathLike[str]) -> list[str]:
    """Return the paths of the inputs of a record, without those that are missing.

    Raises
    ------
    ParseError
        If the file is not a record.
    """
    file = path_given("path", path)
    places = (
        _places(given, file)
        for given in run_record.read_record(file, printable(str(file)))["inputs"]
    )
    return [str(place) for of_one in places for place in of_one if place.is_file()]


def _found(given: Mapping[str, str], file: Path, name: str) -> Path:
    """Return the path of an input: relative to the record, or as it was given."""
    places = _places(given, file)
    for place in places:
        if place.is_file():
            return place
    raise InputError(
        f"its {given['role']} {given['name']!r} is missing", f"put it at {places[0]}", where=name
    )


def _places(given: Mapping[str, str], file: Path) -> list[Path]:
    return [file.resolve().parent / given["path"], Path(given["name"])]


def _again(
    command: str, files: Mapping[str, list[str]], names: list[str], choices: dict[str, Any]
) -> run_record.Computed:
    """Compute the values of a record from files, which may lie elsewhere now."""
    (qrels,), runs = files["qrels"], [*files["run"]]
    systems: list[Any] = runs
    others = {role: found[0] for role, found in files.items() if role not in {"qrels", "run"}}
    given = {**choices, **others}
    if given.get("profile") is not None and "measures" in given:
        # Their names here, which may mean something else under a profile.
        given["measures"] = [measure(name) for name in given["measures"]]
    if command != "gate" and "systems" in given:
        systems = _systems(given.pop("systems"), runs)
        names = [str(one.name) for one in systems]
    if command == "evaluate":
        from rankmark.verbs.evaluate.evaluate_runs import evaluate_runs  # noqa: PLC0415
        from rankmark.verbs.evaluate.recorded import of_evaluations  # noqa: PLC0415

        found = evaluate_runs(qrels, systems, given.pop("measures"), **given)
        return of_evaluations(names, found)
    if command == "gate":
        from rankmark.verbs.gate.gate import gate  # noqa: PLC0415
        from rankmark.verbs.gate.recorded import of_gate  # noqa: PLC0415

        asked = [Condition(**one) for one in given.pop("conditions")]
        first, *candidates = _systems(given.pop("systems"), runs)
        new = {one.name: one for one in candidates} if candidates[1:] else candidates[0]
        return of_gate(gate(qrels, first, new, *asked, **given), names)
    if command == "compare":
        from rankmark.verbs.compare.compare import compare  # noqa: PLC0415
        from rankmark.verbs.compare.recorded import of_comparison  # noqa: PLC0415

        compared = compare(
            qrels,
            dict(zip(given.pop("names"), systems, strict=True)),
            given.pop("measures"),
            **given,
        )
        return of_comparison(compared, names)
    raise KeyError(command)


def _systems(named: list[list[Any]], runs: list[str]) -> list[Given]:
    """Return the systems of a gate with their runs, which are recorded one after the other."""
    rest = iter(runs)
    return [Given(name, [next(rest) for _ in range(count)]) for name, count in named]


def _flat(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the numbers and words of a record, each with its path in the record."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _flat(each, f"{where}.{key}" if where else str(key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _flat(each, f"{where}[{_label(each) or number}]")
    else:
        yield where, value


def _label(row: Any) -> str:
    """Return a label for a row of a table, from its identifying fields."""
    if not isinstance(row, Mapping):
        return ""
    keys = ("name", "slice", "measure", "baseline", "run")
    return ", ".join(row[key] for key in keys if isinstance(row.get(key), str) and row[key])


def _same(then: Any, now: Any, *, exact: bool) -> bool:
    numbers = isinstance(then, float) or isinstance(now, float)
    if exact or not numbers or then is None or now is None:
        return bool(then == now)
    if isinstance(then, str) or isinstance(now, str):
        return False
    return math.isclose(then, now, rel_tol=_CLOSE, abs_tol=_CLOSE)
