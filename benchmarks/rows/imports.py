"""How long it takes until rankmark is there, and a small file is evaluated."""

import sys
from collections.abc import Iterator
from pathlib import Path

from bench import Bench, evaluate
from inputs import Collection
from process import Command
from sample import interleave
from table import Goal, Row

import rankmark

# A start is short and noisy, so it is measured more often.
STARTS = 4
FROM_SHELL = "a small file evaluated from the shell"
GOALS = {"import, from process start": Goal("at most", 1.3), FROM_SHELL: Goal("at most", 1.2)}


def imports(bench: Bench) -> Iterator[Row]:
    """Measure an interpreter that imports rankmark, and the command, against importing numpy."""
    example = Path(rankmark.__file__).parent / "example"
    small = Collection(example / "qrels.txt", example / "bm25.run")
    commands = {
        "import numpy": Command((sys.executable, "-c", "import numpy")),
        "import, from process start": Command((sys.executable, "-c", "import rankmark")),
        "NumPy and click imported": Command((sys.executable, "-c", "import numpy, click")),
        FROM_SHELL: evaluate(small),
    }
    for command in commands.values():
        command.run()
    works = {name: command.seconds for name, command in commands.items()}
    taken = interleave(works, STARTS * bench.runs)
    numpys = taken.pop("import numpy")
    for work, ours in taken.items():
        yield Row(work, ours, "import numpy", numpys, GOALS.get(work))
    bench.note(
        f"{FROM_SHELL}: of the instructions beyond those of `import numpy`, importing click takes "
        "a fifth, importing rankmark's modules two thirds, and all else a tenth"
    )
