"""The worked examples, explained: tables and formulas as text, to the letter.

``explained_examples.txt`` holds each call, and what it prints. After a change that is meant,
``python tests/golden/test_explained_examples.py`` writes the answers anew; read the difference.
"""

import re
from pathlib import Path

import pytest

import rankmark as rm

FILE = Path(__file__).with_name("explained_examples.txt")
MARK = ">>> "
EXAMPLES = dict(re.findall(rf"^{MARK}(.+)\n((?:(?!{MARK}).*\n)*)", FILE.read_text("utf-8"), re.M))


def answer(call: str) -> str:
    """Make the call; the pictures of "cat in a box" are 1 to 8."""
    return str(eval(call, {"rm": rm, "pictures": range(1, 9)}))


@pytest.mark.parametrize("call", EXAMPLES)
def test_an_example_is_explained_as_it_is_worked_by_hand(call: str) -> None:
    assert answer(call).rstrip() == EXAMPLES[call].rstrip()


def test_lines_fit_a_terminal() -> None:
    assert max(len(line) for text in EXAMPLES.values() for line in text.splitlines()) <= 80
    assert len(EXAMPLES) >= 20


if __name__ == "__main__":
    FILE.write_text("\n".join(f"{MARK}{call}\n{answer(call)}" for call in EXAMPLES), "utf-8")
