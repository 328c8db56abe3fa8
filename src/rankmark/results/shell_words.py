"""Command lines that a shell reads as they were meant, whatever is in their words."""

from __future__ import annotations

from collections.abc import Iterable
from shlex import quote

_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", "'": "\\'"}


def command_line(words: Iterable[str]) -> str:
    """Write words as one line of a shell."""
    return " ".join(map(shell_word, words))


def shell_word(word: str) -> str:
    r"""Quote a word for bash, zsh and other shells that read ``$'...'``.

    Only words with characters that a terminal would not print are written in that form, with
    escapes of their bytes; bytes that are not UTF-8 are kept.

    Examples
    --------
    >>> print(shell_word("it's"), shell_word("\x1b[2J"))
    'it'"'"'s' $'\033[2J'
    """
    if word.isprintable():
        return quote(word)
    return "$'" + "".join(map(_escaped, word)) + "'"


def _escaped(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character.isprintable():
        return character
    # Octal escapes end after three digits, so that a digit may follow.
    escapes_bytes = "\udc80" <= character <= "\udcff"
    errors = "surrogateescape" if escapes_bytes else "surrogatepass"
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", errors))
