"""How many examples a property test tries: its own number, fewer or more of them by the profile."""

from typing import Any

from hypothesis import settings

USUAL = 40  # examples of a test that names no number, in the profile "random"


def examples(number: int, **given: Any) -> settings:
    """Try so many examples in the profile "random", and in others in proportion."""
    return settings(max_examples=max(number * settings().max_examples // USUAL, 4), **given)
