"""The ledger of known differences, as the tests and the page read it."""

import tomllib
from collections.abc import Container
from pathlib import Path
from typing import Any, NamedTuple

import rankmark as rm

LEDGER = sorted(Path(__file__).parent.glob("known_differences*.toml"))
ENTRIES: list[dict[str, Any]] = [
    entry for part in LEDGER for entry in tomllib.loads(part.read_text("utf-8"))["difference"]
]


class Difference(NamedTuple):
    """A difference of the ledger, as the page shows it."""

    oracle: str
    measure: str
    theirs: str
    our_figure: float
    their_figure: float
    is_bug: bool
    why: str
    was_checked: bool

    @property
    def row(self) -> str:
        """The name of the measure, without its parameters."""
        found = rm.measure(self.measure)
        assert not isinstance(found, list)
        return found.name


def differences(checked: Container[int]) -> list[Difference]:
    """List all differences, some of which, by number, were found in this run."""
    return [
        Difference(
            entry["oracle"],
            entry["measure"],
            entry["theirs"],
            entry["our_figure"],
            entry["their_figure"],
            entry.get("bug", False),
            entry["why"],
            number in checked,
        )
        for number, entry in enumerate(ENTRIES)
    ]
