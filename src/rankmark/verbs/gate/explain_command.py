"""The command line that explains a query's difference, with the conventions that were chosen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmark.conventions import DECLARED
from rankmark.data.contract.reading_options import FILES, OF_ARRAYS, WITHOUT_EFFECT
from rankmark.errors import RankmarkError
from rankmark.results.shell_words import command_line
from rankmark.scoring.request import as_measures

if TYPE_CHECKING:
    from rankmark.profiles.profile import Profile
    from rankmark.verbs.gate.gate_condition import GatedMeasure

_FORMATS = ("qrels_format", "run_format")
_COLUMNS = ("columns", "qrels_columns", "run_columns")
_OTHERS = (*FILES, "profile")
# These do not change the score of one query, or cannot be given for files.
_WITHOUT = {"queries", "contents", "corpus", "unwinnable", *WITHOUT_EFFECT, *OF_ARRAYS}


@dataclass(frozen=True, slots=True)
class ExplainCommand:
    """A ``rankmark explain`` of two runs, but for the query and the measure."""

    inputs: tuple[str, str, str]
    options: tuple[str, ...]
    profile: str | Profile | None

    @classmethod
    def of(
        cls, qrels: Any, base: Any, new: Any, conventions: Mapping[str, Any]
    ) -> ExplainCommand | None:
        """Return the command for these inputs; None if there is none, as for data in memory."""
        paths = [_path(one) for one in (qrels, base, new)]
        options = _options(conventions)
        if None in paths or options is None:
            return None
        first, second, third = (path or "" for path in paths)
        return cls((first, second, third), tuple(options), conventions.get("profile"))

    def line(self, query: str, measure: GatedMeasure) -> str | None:
        """Write the command for a query; None if the measure has no name there."""
        name = str(measure)
        try:
            if as_measures(name, profile=self.profile)[0] != (measure,):
                return None  # as P alone, which is nine measures in trec_eval
        except RankmarkError:
            return None
        qrels, base, new = self.inputs
        words = ["rankmark", "explain", qrels, base, f"--query={query}", "-m", name]
        return command_line([*words, "--against", new, *self.options])


def _path(given: Any) -> str | None:
    """Return a path as a command takes it; None for standard input and data in memory."""
    if not isinstance(given, (str, os.PathLike)):
        return None
    path = os.fsdecode(given)
    if path == "-":
        return None
    return os.path.join(".", path) if path.startswith("-") else path  # noqa: PTH118


def _options(conventions: Mapping[str, Any]) -> list[str] | None:
    words: list[str] = []
    for name, value in conventions.items():
        option, declared = f"--{name.replace('_', '-')}", DECLARED.get(name)
        if value is None or name in _WITHOUT or (declared and value == declared.default):
            continue
        if declared and declared.is_flag:
            words += [option]
        elif name in _COLUMNS:
            words += [f"{option[:-1]}={role}={column}" for role, column in value.items()]
        elif declared or name in _OTHERS or name in _FORMATS:
            text = _path(value) if name in FILES else str(getattr(value, "name", value))
            if text is None:
                return None
            words += [option, text]
        else:
            return None
    return words
