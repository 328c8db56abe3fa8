"""How long it takes until rankmark is there."""

import sys
from collections.abc import Iterator

from bench import Bench
from process import Command
from sample import interleave
from table import Goal, Row

# A start is short and noisy, so it is measured more often.
STARTS = 4


def imports(bench: Bench) -> Iterator[Row]:
    """Measure an interpreter that imports rankmark against one that imports numpy."""
    commands = {
        name: Command((sys.executable, "-c", f"import {name}")) for name in ("rankmark", "numpy")
    }
    for command in commands.values():
        command.run()
    works = {f"import {name}": command.seconds for name, command in commands.items()}
    mine, numpys = interleave(works, STARTS * bench.runs).values()
    yield Row("import, from process start", mine, "import numpy", numpys, Goal("at most", 1.3))
