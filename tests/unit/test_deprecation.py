"""A function that is about to be removed says so, and works."""

import inspect
import warnings

import pytest

from rankmark.deprecation import deprecated


@deprecated("rm.old(x)", instead="rm.new(x)", since="1.2", until="1.4")
def old(x: int, *, y: int = 1) -> int:
    """Add."""
    return x + y


def test_it_warns_at_the_callers_line_and_returns_what_it_did() -> None:
    said = "^rm.old.x. is deprecated since rankmark 1.2 and goes in 1.4; use rm.new.x.$"
    with pytest.warns(DeprecationWarning, match=said) as caught:
        assert old(2, y=3) == 5
    (found,) = caught
    assert found.filename == __file__


def test_it_keeps_its_signature_and_docstring() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert str(inspect.signature(old)) == "(x: int, *, y: int = 1) -> int"
    assert old.__doc__ == "Add."
