"""How many examples a property test tries: its own number, and more of them where asked."""

from typing import Any

from hypothesis import settings

USUAL = 60  # examples of a test that names no number, in the profiles "default" and "random"


def examples(number: int, **given: Any) -> settings:
    """Try so many examples, and in the profile "thorough" as many times more as a test there."""
    return settings(max_examples=max(number * settings().max_examples // USUAL, number), **given)
