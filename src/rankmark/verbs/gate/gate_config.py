"""The TOML file of a gate: conditions, options, slices, systems and conventions."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankmark.conventions import DECLARED, Conventions
from rankmark.data.contract.reading_options import OF_ARRAYS, WITHOUT_EFFECT, Reading
from rankmark.data.files.input_file import printable
from rankmark.data.files.whole_files import path_given, small_file
from rankmark.errors import InputError, ParseError, RankmarkError, shown
from rankmark.verbs.gate.gate_condition import Condition
from rankmark.verbs.gate.gate_options import BY_NAME, OF_CONDITIONS, OPTIONS
from rankmark.verbs.gate.scored_measure import scored_measure

_MOST_BYTES = 1 << 20
_SEE = "'Gate a change' in the documentation has an example"
_KEY = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_DEEP = re.compile(rf"(?<![\w-])(?:{_KEY}){{100}}")
"""A name with 100 dots or more: tomllib's time grows with the square of their number."""
_CONDITION = ("measure", *OF_CONDITIONS, "slice")
_OF_FILES = (name for name in Reading._fields if name not in {*WITHOUT_EFFECT, *OF_ARRAYS})
_CONVENTIONS = (*DECLARED, "rel", "profile", "seen", *_OF_FILES)
_TOP = (*BY_NAME, "conditions", "slices", "runs", "conventions")


@dataclass(frozen=True, slots=True)
class GateConfig:
    """The contents of a gate's configuration file.

    Parameters
    ----------
    conditions
        In the order of the file.
    slices
        {name: query ids}.
    conventions
        Keywords of ``evaluate``.
    options
        {option: value}, those of the file only.
    runs
        {name of a system: paths of its runs, and patterns of these}.
    """

    conditions: tuple[Condition, ...]
    slices: dict[str, Sequence[str]]
    conventions: dict[str, Any]
    options: dict[str, Any]
    runs: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class ConfigFile(os.PathLike[str]):
    """A file that has been read, for those who ask it several times: a pipe can be read once."""

    path: Path
    document: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ConfigFile:
        """Read a file, unless it has been read.

        Raises
        ------
        ParseError
            If it is not TOML.
        InputError
            If it cannot be read.
        """
        if isinstance(path, ConfigFile):
            return path
        file = path_given("config", path)
        return cls(file, _parsed(small_file(file, _MOST_BYTES), printable(str(file))))

    def __fspath__(self) -> str:
        return str(self.path)


def runs_in(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    """Read only the systems of a file: {name: paths of its runs}."""
    reader, document = _read(path)
    return reader.runs(reader.table(document, "runs"))


def files_in(path: str | os.PathLike[str]) -> list[str]:
    """Read only the paths of the files that the options of a file name."""
    reader, document = _read(path)
    chosen = reader.options(document)
    return [str(chosen[one.name]) for one in OPTIONS if one.kind == "file" and one.name in chosen]


def reference_in(path: str | os.PathLike[str]) -> str | None:
    """Read only the path of the fixed reference; None without one."""
    reader, document = _read(path)
    return reader.options(document).get("reference")


def read_config(
    path: str | os.PathLike[str], given: Mapping[str, Any], *, are_scores: bool = False
) -> GateConfig:
    """Read the TOML file of a gate; paths in it are relative to its folder.

    Parameters
    ----------
    path
        The file.
    given
        {option: value}, which take precedence over the options of the file, but not over what a
        single condition chooses for itself.
    are_scores
        Whether conditions name scores by query, rather than measures.

    Raises
    ------
    ParseError
        If it is not TOML.
    InputError
        If it cannot be read, or has an unknown key or an invalid value.
    """
    reader, document = _read(path)
    return reader.config(document, given, are_scores=are_scores)


def _refuse_deep_names(text: str) -> None:
    if _DEEP.search(text):
        raise RecursionError


def _read(path: str | os.PathLike[str]) -> tuple[_Reader, Mapping[str, Any]]:
    read = ConfigFile.read(path)
    return _Reader(read.path, printable(str(read.path))), read.document


def _parsed(data: bytes, name: str) -> dict[str, Any]:
    """Parse the bytes of a file with this name."""
    import tomllib  # noqa: PLC0415

    try:
        text = data.decode("utf-8-sig")
        _refuse_deep_names(text)
        document = tomllib.loads(text)
    except UnicodeDecodeError:
        raise ParseError("it is not UTF-8", "TOML files are UTF-8", where=name) from None
    except tomllib.TOMLDecodeError as error:
        said, line = str(error), re.search(r" \(at line (\d+), column \d+\)$", str(error))
        found = said[: line.start()] if line else said.removesuffix(" (at end of document)")
        raise ParseError(
            f"it is not TOML: {found}",
            _SEE,
            where=name,
            line=int(line[1]) if line else None,
        ) from None
    except RecursionError:
        raise ParseError(
            "it is nested too deeply",
            _SEE,
            where=name,
        ) from None
    except ValueError:
        raise ParseError(
            f"a whole number has more than {sys.get_int_max_str_digits():,} digits, which Python "
            "does not read",
            _SEE,
            where=name,
        ) from None
    return document


@dataclass(frozen=True, slots=True)
class _Reader:
    file: Path
    name: str

    def config(
        self, document: Mapping[str, Any], given: Mapping[str, Any], *, are_scores: bool
    ) -> GateConfig:
        self.refuse_unknown(document, _TOP, "")
        options = self.options(document)
        chosen = {**options, **given}
        defaults = {key: chosen[key] for key in OF_CONDITIONS if key in chosen}
        tables = document.get("conditions", [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            raise self.error("conditions", f"it is {shown(tables)}", "write [[conditions]] tables")
        slices = self.slices(self.table(document, "slices"))
        known = None if "by" in chosen else slices
        conditions = [
            condition
            for number, table in enumerate(tables)
            for condition in self.conditions(
                table, f"conditions[{number}]", defaults, known, chosen if are_scores else None
            )
        ]
        table = self.table(document, "conventions")
        self.refuse_unknown(table, _CONVENTIONS, "conventions.")
        conventions = {key: self.convention(key, value) for key, value in table.items()}
        try:
            checked = {key: conventions[key] for key in DECLARED if key in conventions}
            Conventions(**{**checked, "queries": "judged"})  # queries may be in a file
        except RankmarkError as error:
            raise InputError(error.found, error.remedy, where=self.name) from None
        runs = self.runs(self.table(document, "runs"))
        return GateConfig(tuple(conditions), slices, conventions, options, runs)

    def options(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of the file, files among them by their paths."""
        found: dict[str, Any] = {}
        for one in OPTIONS:
            if one.name not in document:
                continue
            value = document[one.name]
            try:
                found[one.name] = one.checked(value)
            except InputError as error:
                raise InputError(error.found, error.remedy, where=self.name) from None
            if one.kind == "file":
                if not isinstance(value, str) or not value:
                    raise self.error(one.name, f"it is {shown(value)}", "need the name of a file")
                place = self.path(value)
                is_column = one.name == "by" and not place.exists()
                found[one.name] = value if is_column else str(place)
        return found

    def runs(self, tables: Mapping[str, Any]) -> dict[str, list[str]]:
        """Read the systems: the path of a run, a pattern of paths, or a list of paths, each."""
        found: dict[str, list[str]] = {}
        for name, value in tables.items():
            paths = value if isinstance(value, list) else [value]
            if not paths or not all(isinstance(path, str) and path for path in paths):
                raise self.error(
                    f"runs.{name}",
                    f"it is {shown(value)}",
                    "need the path of a run, a pattern of paths, or a list of paths",
                )
            found[name] = [str(self.path(path)) for path in paths]
        return found

    def conditions(
        self,
        table: Mapping[str, Any],
        where: str,
        defaults: Mapping[str, Any],
        slices: Mapping[str, Any] | None,
        scored: Mapping[str, Any] | None,
    ) -> list[Condition]:
        """Return the condition of a table, or one for each of its slices.

        ``scored`` are the options of a gate on scores by query, and None of one on runs.
        """
        self.refuse_unknown(table, _CONDITION, f"{where}.")
        if not isinstance(table.get("measure"), str):
            raise self.error(where, "it names no measure", 'write measure = "nDCG@10"')
        # A condition that asks for a gain does not take the usual margin, nor the other way round.
        given = {**defaults, **table}
        if "max_drop" in table and "require_better" not in table:
            given.pop("require_better", None)
        measure, named = given.pop("measure"), given.pop("slice", None)
        each = named if isinstance(named, list) else [named]
        for one in each:
            if one is not None and not isinstance(one, str):
                raise self.error(f"{where}.slice", f"it is {shown(one)}", "need names of slices")
            if slices is not None and one not in {None, "*", *slices}:
                have = ", ".join(slices) or "none"
                raise self.error(
                    f"{where}.slice", f"there is no slice {shown(one)}", f"there are: {have}"
                )
        try:
            if scored is not None:
                measure = scored_measure(measure, scored)
            return [Condition(measure, slice=one, **given) for one in each]
        except RankmarkError as error:
            raise self.error(where, str(error), None) from None

    def slices(self, tables: Mapping[str, Any]) -> dict[str, Sequence[str]]:
        """Read each slice: a list of ids, or a file with one per line."""
        from rankmark.data.files.lines_of_text import query_ids_in  # noqa: PLC0415

        found: dict[str, Sequence[str]] = {}
        for name, value in tables.items():
            where = f"slices.{name}"
            if isinstance(value, list) and value and all(_is_id(one) for one in value):
                found[name] = [str(one) for one in value]
            elif isinstance(value, str) and value:
                found[name] = query_ids_in(self.path(value))
            else:
                raise self.error(
                    where,
                    f"it is {shown(value)}",
                    "need a list of query ids, or the name of a file with one per line",
                )
        return found

    def convention(self, key: str, value: Any) -> Any:
        """Return the value of a convention; queries and seen documents may be in a file."""
        if key in {"seen", "parents", "qrels_parents"}:
            if not isinstance(value, str) or not value:
                raise self.error(
                    f"conventions.{key}", f"it is {shown(value)}", "need the name of a file"
                )
            return str(self.path(value))
        if key == "queries" and isinstance(value, str) and value.startswith("@"):
            return self.path(value.removeprefix("@"))
        return value

    def path(self, name: str) -> Path:
        return self.file.parent / name

    def table(self, document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        found = document.get(key, {})
        if not isinstance(found, dict):
            raise self.error(key, f"it is {shown(found)}", f"write a table: [{key}]")
        return found

    def refuse_unknown(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        from difflib import get_close_matches  # noqa: PLC0415

        for key in table:
            if key not in known:
                near = get_close_matches(key, known, 1, 0.6)
                remedy = f"did you mean {near[0]}? " if near else ""
                raise self.error(
                    f"{where}{key}", "there is no such key", f"{remedy}keys are {', '.join(known)}"
                )

    def error(self, where: str, found: str, remedy: str | None) -> InputError:
        return InputError(f"{where}: {found}", remedy, where=self.name)


def _is_id(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
