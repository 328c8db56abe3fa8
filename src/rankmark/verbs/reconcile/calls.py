"""The call and the command that compute a number under some conventions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rankmark.conventions import DECLARED
from rankmark.errors import RankmarkError
from rankmark.measures import Measure
from rankmark.measures.names import measures as measures_of
from rankmark.results.shell_words import command_line

_COLUMNS = ("columns", "qrels_columns", "run_columns")
_FORMATS = ("qrels_format", "run_format")
_TABLES = ("parents", "qrels_parents", "seen", "weights")


class Inputs(NamedTuple):
    """The inputs as the caller gave them, and how they are read.

    Parameters
    ----------
    qrels, run
        As given.
    options
        The keywords of ``evaluate`` for their form.
    """

    qrels: Any
    run: Any
    options: Mapping[str, Any]

    def call(self, measures: Sequence[Measure], conventions: Mapping[str, Any]) -> str:
        """Write the call of ``evaluate``."""
        names = [_name_of(measure) or str(measure) for measure in measures]
        words = [_shown(self.qrels, "qrels"), _shown(self.run, "run")]
        words.append(repr(names[0] if len(names) == 1 else names))
        chosen = {**{n: v for n, v in self.options.items() if v is not None}, **conventions}
        for name, value in chosen.items():
            words.append(f"{name}={_shown(value, name) if name in _TABLES else repr(value)}")
        return f"rm.evaluate({', '.join(words)})"

    def command(
        self,
        measures: Sequence[Measure],
        conventions: Mapping[str, Any],
        extra: Iterable[str] = (),
    ) -> str | None:
        """Write the command; None for data in memory, or what no option can name."""
        qrels, run = _path(self.qrels), _path(self.run)
        names = [_name_of(measure) for measure in measures]
        if qrels is None or run is None or None in names:
            return None
        words = ["rankmark", "evaluate", qrels, run]
        for name in names:
            words += ["-m", str(name)]
        for name, value in conventions.items():
            option = DECLARED[name].option
            if DECLARED[name].is_flag:
                words += [option] * bool(value)
            elif name == "queries" and not isinstance(value, str):
                listed = ",".join(value)
                read = [query.strip() for query in listed.split(",")]
                if listed.startswith("@") or read != list(value):
                    return None  # the option would be read as other ids
                words += [option, listed]
            else:
                words += [option, str(value)]
        for name, value in self.options.items():
            option = f"--{name.replace('_', '-')}"
            if value is None:
                continue
            text = _path(value) if name in _TABLES else str(value)
            if text is not None and name in (*_FORMATS, *_TABLES):
                words += [option, text]
            elif name in _COLUMNS:
                words += [f"{option[:-1]}={role}={column}" for role, column in value.items()]
            else:
                return None
        return command_line([*words, *extra])


def _name_of(measure: Measure) -> str | None:
    """Return a name that stands for the measure; None if there is none, as with functions."""
    try:
        return str(measure) if measures_of(str(measure)) == (measure,) else None
    except RankmarkError:
        return None


def _shown(given: Any, name: str) -> str:
    return repr(os.fspath(given)) if isinstance(given, (str, os.PathLike)) else name


def _path(given: Any) -> str | None:
    if not isinstance(given, (str, os.PathLike)):
        return None
    path = os.fsdecode(given)
    return os.path.join(".", path) if path.startswith("-") and path != "-" else path  # noqa: PTH118
