"""What was measured of one group of rows, kept so that a page can be made of several runs."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from table import Row


@dataclass(frozen=True, slots=True)
class Measured:
    """The rows of one group, and the circumstances under which they were measured."""

    group: str
    date: str  # YYYY-MM-DD
    machine: str
    runs: int
    rows: Sequence[Row]
    notes: Sequence[str]
    versions: dict[str, str]

    def save(self, folder: Path) -> None:
        """Write it, in place of what was measured of this group before."""
        folder.mkdir(parents=True, exist_ok=True)
        facts = asdict(self) | {"rows": [row.facts() for row in self.rows]}
        path = folder / f"{self.group}.json"
        path.write_text(json.dumps(facts, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote."""
        facts = json.loads(path.read_text(encoding="utf-8"))
        return cls(**facts | {"rows": [Row.from_facts(row) for row in facts["rows"]]})


def load_all(folder: Path, groups: Sequence[str]) -> list[Measured]:
    """Read what is there of some groups, in their order."""
    paths = [folder / f"{group}.json" for group in groups]
    return [Measured.load(path) for path in paths if path.exists()]
