"""Write what the examples of the documentation print now into the pages that show them.

``python tests/rewrite_examples.py [PAGES]``, by default of all pages that need no other data. Look
at the changes with git before they are committed. Where a page abbreviates an output by ``...``,
lines that stand between two abbreviations are found again by how similar they are; those that are
lost are reported.
"""

import doctest
import os
import shutil
import sys
import tempfile
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any

from unit.test_documentation import COLLECTION, FLAGS, RUNNABLE, blocks, commands, outcome

LEFT_OUT = "..."
ALIKE = 0.6  # of the letters of a line


def main(paths: list[str]) -> None:
    """Rewrite pages."""
    for page in [Path(path).resolve() for path in paths] or RUNNABLE:
        with tempfile.TemporaryDirectory() as folder:
            for name in COLLECTION.iterdir():
                if name.is_file():
                    shutil.copy(name, folder)
            os.chdir(folder)
            changes = [*of_python(page), *of_commands(page, Path(folder))]
        lines = page.read_text(encoding="utf-8").split("\n")
        for first, shown, printed in sorted(changes, reverse=True):
            lines[first : first + len(shown)] = shortened(shown, printed, f"{page}:{first + 1}")
        page.write_text("\n".join(lines), encoding="utf-8")


def of_python(page: Path) -> list[tuple[int, list[str], list[str]]]:
    """Return where the outputs of Python differ: the line, what is shown, what is printed."""
    found: list[tuple[int, list[str], list[str]]] = []

    class Runner(doctest.DocTestRunner):
        def report_failure(
            self, _out: Any, _test: doctest.DocTest, example: doctest.Example, got: str
        ) -> None:
            first = example.lineno + example.source.count("\n")
            printed = [line or "<BLANKLINE>" for line in got.split("\n")[:-1]]
            found.append((first, example.want.split("\n")[:-1], printed))

        def report_unexpected_exception(
            self, _out: Any, _test: doctest.DocTest, example: doctest.Example, exc_info: Any
        ) -> None:
            print(f"{page}:{example.lineno + 1}: {exc_info[1]!r}")

    examples = []
    for block in blocks(page, "python"):
        for example in doctest.DocTestParser().get_examples(block.text, page.name):
            example.lineno += block.line - 1
            examples.append(example)
    test = doctest.DocTest(examples, {}, page.name, str(page), 0, None)
    Runner(optionflags=FLAGS).run(test, out=lambda _: None)
    return found


def of_commands(page: Path, folder: Path) -> list[tuple[int, list[str], list[str]]]:
    """Return the same of commands."""
    checker, found = doctest.OutputChecker(), []
    for block in blocks(page, "console"):
        for command in commands(block):
            printed = outcome(command.typed, folder)
            if not checker.check_output(command.shown, printed, FLAGS):
                lines = command.shown.split("\n")[:-1]
                blank = lines[-1:] == [""]  # between two commands
                lines = lines[:-1] if blank else lines
                found.append((command.line, lines, printed.splitlines()))
    return found


def shortened(shown: list[str], printed: list[str], where: str) -> list[str]:
    """Leave out of what is printed what a page left out of what it showed."""
    cuts = [at for at, line in enumerate(shown) if line.strip() == LEFT_OUT]
    if not cuts:
        return printed
    written: list[str] = []
    for before, after in pairwise([-1, *cuts, len(shown)]):
        part = shown[before + 1 : after]
        here = [at for at in (place(line, printed) for line in part) if at is not None]
        if part and not here:
            print(f"{where}: lost: {part[0]}")
        if here:
            first = 0 if before < 0 else min(here)
            last = len(printed) - 1 if after == len(shown) else max(here)
            written += printed[first : last + 1]
        written += [LEFT_OUT] * (after < len(shown))
    return written


def place(line: str, printed: list[str]) -> int | None:
    """Return the number of the printed line that is most like one; None if none is."""
    ratios = [SequenceMatcher(None, line, other, autojunk=False).ratio() for other in printed]
    most = max(ratios, default=0.0)
    return ratios.index(most) if line and most > ALIKE else None


if __name__ == "__main__":
    main(sys.argv[1:])
