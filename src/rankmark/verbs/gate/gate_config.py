"""The TOML file of a gate: conditions, options, slices, systems and conventions."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankmark.conventions import DECLARED, Conventions
from rankmark.data.contract.reading_options import (
    FILES,
    OF_ARRAYS,
    WITHOUT_EFFECT,
    WORDS,
    Reading,
)
from rankmark.data.files.input_file import printable
from rankmark.data.files.whole_files import path_given, small_file
from rankmark.errors import InputError, ParseError, RankmarkError, shown
from rankmark.verbs.gate.gate_condition import Condition, scored_measure
from rankmark.verbs.gate.gate_options import OF_CONDITIONS, Checks, options_of

_MOST_BYTES = 1 << 20
_KEY = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_DEEP = re.compile(rf"(?<![\w-])(?:{_KEY}){{100}}")
"""A name with 100 dots or more: tomllib's time grows with the square of their number."""
_CONDITION = ("measure", *OF_CONDITIONS, "slice")
_NOT_OF_FILES = {*WITHOUT_EFFECT, *OF_ARRAYS, "item_groups"}
_OF_FILES = (name for name in Reading._fields if name not in _NOT_OF_FILES)
_CONVENTIONS = (*DECLARED, "rel", "profile", "seen", *_OF_FILES, "groups")
TABLES = ("conditions", "slices", "runs", "conventions")


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
    """A file that has been read; paths in it are relative to its folder.

    It is asked several times, and a pipe can be read once. ``known`` are the options of ``gate``.
    """

    path: Path
    document: Mapping[str, Any]
    known: Checks

    @classmethod
    def read(cls, path: str | os.PathLike[str], gate: Callable[..., Any]) -> ConfigFile:
        """Read a file for ``gate``, unless it has been read."""
        if isinstance(path, ConfigFile):
            return path
        file = path_given("config", path)
        document = _parsed(small_file(file, _MOST_BYTES), printable(str(file)))
        return cls(file, document, options_of(gate))

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def name(self) -> str:
        """What messages call it."""
        return printable(str(self.path))

    def contents(self, given: Mapping[str, Any], *, are_scores: bool = False) -> GateConfig:
        """Return all that it contains.

        Parameters
        ----------
        given
            {option: value}, which take precedence over the options of the file, but not over what a
            single condition chooses for itself.
        are_scores
            Whether conditions name scores by query, rather than measures.
        """
        document = self.document
        self._refuse_unknown(document, (*self.known, *TABLES), "")
        options = self.options()
        chosen = {**options, **given}
        defaults = {key: chosen[key] for key in OF_CONDITIONS if key in chosen}
        tables = document.get("conditions", [])
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            raise self._error("conditions", f"it is {shown(tables)}", "write [[conditions]] tables")
        slices = self._slices()
        known = None if "by" in chosen else slices
        conditions = [
            condition
            for number, table in enumerate(tables)
            for condition in self._conditions(
                table, f"conditions[{number}]", defaults, known, chosen if are_scores else None
            )
        ]
        table = self._table("conventions")
        self._refuse_unknown(table, _CONVENTIONS, "conventions.")
        conventions = {key: self._convention(key, value) for key, value in table.items()}
        try:
            checked = {key: conventions[key] for key in DECLARED if key in conventions}
            Conventions(**checked)
        except RankmarkError as error:
            raise InputError(error.found, error.remedy, where=self.name) from None
        return GateConfig(tuple(conditions), slices, conventions, options, self.runs())

    def options(self) -> dict[str, Any]:
        """Return the options of the file, files among them by their paths."""
        found: dict[str, Any] = {}
        for name, check in self.known.items():
            if name not in self.document:
                continue
            found[name] = value = self.document[name]
            if check is not None:
                try:
                    found[name] = check(name, value)
                except InputError as error:
                    raise InputError(error.found, error.remedy, where=self.name) from None
            elif name not in OF_CONDITIONS:
                place = Path(self.file(name, value))
                is_column = name == "by" and not place.exists()
                found[name] = value if is_column else str(place)
        return found

    def files(self) -> list[str]:
        """Return the paths of the files that its options name."""
        return [
            str(value)
            for name, value in self.options().items()
            if self.known[name] is None and name not in OF_CONDITIONS
        ]

    def runs(self) -> dict[str, list[str]]:
        """Return the systems: the path of a run, a pattern of paths, or a list of paths, each."""
        found: dict[str, list[str]] = {}
        for name, value in self._table("runs").items():
            paths = value if isinstance(value, list) else [value]
            if not paths or not all(isinstance(path, str) and path for path in paths):
                raise self._error(
                    f"runs.{name}",
                    f"it is {shown(value)}",
                    "need the path of a run, a pattern of paths, or a list of paths",
                )
            found[name] = [str(self._path(path)) for path in paths]
        return found

    def _conditions(
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
        self._refuse_unknown(table, _CONDITION, f"{where}.")
        if not isinstance(table.get("measure"), str):
            raise self._error(where, "it names no measure", 'write measure = "nDCG@10"')
        # A condition that asks for a gain does not take the usual margin, nor the other way round.
        given = {**defaults, **table}
        if "max_drop" in table and "require_better" not in table:
            given.pop("require_better", None)
        measure, named = given.pop("measure"), given.pop("slice", None)
        each = named if isinstance(named, list) else [named]
        for one in each:
            found = remedy = ""
            if one is not None and not isinstance(one, str):
                found, remedy = f"it is {shown(one)}", "need names of slices"
            elif slices is not None and one not in {None, "*", *slices}:
                found = f"there is no slice {shown(one)}"
                remedy = f"there are: {', '.join(slices) or 'none'}"
            if found:
                raise self._error(f"{where}.slice", found, remedy)
        try:
            if scored is not None:
                measure = scored_measure(measure, scored)
            return [Condition(measure, slice=one, **given) for one in each]
        except RankmarkError as error:
            raise self._error(where, str(error), None) from None

    def _slices(self) -> dict[str, Sequence[str]]:
        """Read each slice: a list of ids, or a file with one per line."""
        from rankmark.data.files.lines_of_text import query_ids_in  # noqa: PLC0415

        found: dict[str, Sequence[str]] = {}
        for name, value in self._table("slices").items():
            if isinstance(value, list) and value and all(map(_is_id, value)):
                found[name] = [*map(str, value)]
            elif isinstance(value, str) and value:
                found[name] = query_ids_in(self._path(value))
            else:
                raise self._error(
                    f"slices.{name}",
                    f"it is {shown(value)}",
                    "need a list of query ids, or the name of a file with one per line",
                )
        return found

    def _convention(self, key: str, value: Any) -> Any:
        """Return the value of a convention; queries and seen documents may be in a file."""
        if key in FILES and value not in WORDS.get(key, ()):
            return self.file(f"conventions.{key}", value)
        if key == "user_groups":
            place = Path(self.file(f"conventions.{key}", value))
            return str(place) if place.exists() else value  # which may be a column
        if key == "queries":
            from rankmark.data.files.lines_of_text import averaged_queries  # noqa: PLC0415

            in_file = isinstance(value, str) and value.startswith("@")
            given = self._path(value.removeprefix("@")) if in_file else value
            try:
                return averaged_queries("queries", given)
            except InputError as error:
                raise InputError(
                    error.found, error.remedy, where=error.where or self.name
                ) from None
        return value

    def file(self, where: str, value: Any) -> str:
        """Return the path of a file that a key names."""
        if not isinstance(value, str) or not value:
            raise self._error(where, f"it is {shown(value)}", "need the name of a file")
        return str(self._path(value))

    def _path(self, name: str) -> Path:
        return self.path.parent / name

    def _table(self, key: str) -> Mapping[str, Any]:
        found = self.document.get(key, {})
        if not isinstance(found, dict):
            raise self._error(key, f"it is {shown(found)}", f"write a table: [{key}]")
        return found

    def _refuse_unknown(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        from difflib import get_close_matches  # noqa: PLC0415

        for key in table:
            if key not in known:
                near = get_close_matches(key, known, 1, 0.6)
                remedy = f"did you mean {near[0]}? " if near else ""
                raise self._error(
                    f"{where}{key}", "there is no such key", f"{remedy}keys are {', '.join(known)}"
                )

    def _error(self, where: str, found: str, remedy: str | None) -> InputError:
        return InputError(f"{where}: {found}", remedy, where=self.name)


def _refuse_deep_names(text: str) -> None:
    if _DEEP.search(text):
        raise RecursionError


def _parsed(data: bytes, name: str) -> dict[str, Any]:
    """Parse the bytes of a file with this name."""
    import tomllib  # noqa: PLC0415

    remedy, line = "'Gate a change' in the documentation has an example", None
    try:
        text = data.decode("utf-8-sig")
        _refuse_deep_names(text)
        return tomllib.loads(text)
    except UnicodeDecodeError:
        found, remedy = "it is not UTF-8", "TOML files are UTF-8"
    except tomllib.TOMLDecodeError as error:
        said, at = str(error), re.search(r" \(at line (\d+), column \d+\)$", str(error))
        found = said[: at.start()] if at else said.removesuffix(" (at end of document)")
        found, line = f"it is not TOML: {found}", int(at[1]) if at else None
    except RecursionError:
        found = "it is nested too deeply"
    except ValueError:
        found = (
            f"a whole number has more than {sys.get_int_max_str_digits():,} digits, which Python "
            "does not read"
        )
    raise ParseError(found, remedy, where=name, line=line)


def _is_id(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))
