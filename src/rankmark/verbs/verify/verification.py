"""The result of computing a recorded result again: whether it is the same, and what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from rankmark.errors import counted, one_line
from rankmark.results.escaped_bytes import readable
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_parts import InText, Look, Part, Title, Values
from rankmark.results.shown_result import TabledResult
from rankmark.results.table_schema import columns_of

MOVED = 3
"""Exit code where an input or a number moved."""


Kind = Literal[
    "input", "number", "convention", "seed", "header", "record", "version", "environment"
]
_COUNT = frozenset(get_args(Kind)) - {"version", "environment"}


class Move(NamedTuple):
    """A difference from what was recorded.

    Parameters
    ----------
    kind
        "input", "number", "convention", "seed" or "header" (in ir_metadata); "record", a field
        that records do not have; or "version" (of rankmark) and "environment" (Python, NumPy,
        SciPy, the platform), which do not count.
    what
        A file, a number or a program.
    then, now
        As recorded, and as found; of files, the SHA-256.
    """

    kind: Kind
    what: str
    then: Any
    now: Any

    def __str__(self) -> str:
        doubt = "" if self.kind in _COUNT else ", which does not count"
        then, now = _shown(self.then), _shown(self.now)
        return f"{self.kind} changed: {self.what}: {then} then, {now} now{doubt}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verification(TabledResult):
    """The comparison of a record with a new computation; true if no more than versions changed.

    Parameters
    ----------
    record
        The file.
    command
        What was recorded: "evaluate", "compare" or "gate".
    inputs, values
        How many were compared.
    moves
        What changed.

    Examples
    --------
    >>> from rankmark import Verification
    >>> Verification(record="ev.json", command="evaluate", inputs=2, values=1, moves=()).same
    True
    >>> found = Verification(record="ev.json", command="evaluate", inputs=2, values=1, moves=())
    """

    record: str
    command: str
    inputs: int
    values: int
    moves: tuple[Move, ...]

    @property
    def same(self) -> bool:
        """Whether everything except versions is the same."""
        return not any(move.kind in _COUNT for move in self.moves)

    @property
    def exit_code(self) -> int:
        """0 if everything except versions is the same, else 3."""
        return 0 if self.same else MOVED

    def __bool__(self) -> bool:
        return self.same

    @property
    def headline(self) -> str:
        """Whether the record still holds, and what was compared."""
        inputs, values = counted(self.inputs, "input"), counted(self.values, "value")
        said = "the same" if self.same else "moved"
        return one_line(f"{self.record}: {said} ({self.command}, {inputs}, {values})")

    @property
    def notes(self) -> list[str]:
        """What changed, a line each."""
        return [*map(str, self.moves)]

    def _contents(self) -> dict[str, Any]:
        return {
            "record": self.record,
            "command": self.command,
            "same": self.same,
            "exit_code": self.exit_code,
            "inputs": self.inputs,
            "values": self.values,
            "moves": self.moves,
        }

    def _grids(self) -> list[MarkedTable]:
        moves = [(move.kind, move.what, _shown(move.then), _shown(move.now)) for move in self.moves]
        return [MarkedTable(("changed", "what", "then", "now"), moves, 4)] if moves else []

    def _table(self) -> dict[str, Any]:
        rows = [{key: _cell(value) for key, value in m._asdict().items()} for m in self.moves]
        return columns_of(rows, *Move._fields)

    def __repr__(self) -> str:
        return f"Verification({'same' if self.same else 'moved'}: {len(self.moves)} moves)"

    def _parts(self, look: Look, **_: Any) -> Sequence[Part]:
        counts = {"inputs": self.inputs, "values": self.values, "changes": len(self.moves)}
        numbers = Values((name, f"{count:,}") for name, count in counts.items())
        parts: list[Part] = [Title(self.headline), numbers, *self._grids()]
        return self._grids() if look.is_pasted else [InText([self.headline, *self.notes], parts)]


def _shown(value: Any) -> str:
    return "none" if value is None else readable(str(value))


def _cell(value: Any) -> str | None:
    return None if value is None else str(value)
