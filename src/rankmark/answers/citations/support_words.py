"""Words for how much something is supported, and their weights."""

from __future__ import annotations

from typing import Any, Literal

from rankmark.data.given_tables.given_columns import Places, is_empty
from rankmark.errors import shown

Support = Literal["full", "partial", "no"]

_WORDS: dict[Support, tuple[str, ...]] = {
    "full": ("support", "full", "yes", "true", "1", "1.0", "fullsupport", "supported",
             "fullysupported", "supports", "y", "t", "entailment", "entailed"),
    "partial": ("partial", "partialsupport", "partiallysupported", "partlysupported", "0.5", ".5"),
    "no": ("no", "notsupport", "nosupport", "notsupported", "unsupported", "none", "false", "0",
           "0.0", "n", "f", "neutral", "contradiction", "notsupports"),
}  # fmt: skip
_MEANING: dict[str, Support] = {word: kind for kind, words in _WORDS.items() for word in words}


def support_of(value: Any, what: str, row: int, places: Places) -> Support | None:
    """Return what a cell says about support; None if it is empty.

    Raises
    ------
    SchemaError
        If it is none of the words.
    """
    if is_empty(value):
        return None
    word = str(value).strip().lower()
    for sign in "_- ":
        word = word.replace(sign, "")
    if word not in _MEANING:
        raise places.error(
            row,
            f"{what}{places.of(row)} is {shown(value)}",
            "need full, partial or no (or support, partial_support, not_support; yes, no; 1, 0.5, "
            "0), or an empty cell",
        )
    return _MEANING[word]
