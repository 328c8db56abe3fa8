"""An editor knows the public interface; ``make types`` checks the types that public_api asserts."""

from pathlib import Path

import rankmark


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(rankmark.__file__).parent / "py.typed").is_file()
