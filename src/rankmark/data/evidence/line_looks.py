"""Lines of a text that may be ids that are looked for, as eight bytes of each tell, fast.

Looks at ten million lines take a second, and need arrays of a block of them. They find every line
that is looked for, and few others, which are then compared as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.array_types import Bools, Ints

_WORD = 8  # bytes
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio, to hash
_LEAST_BITS, _MOST_BITS = 16, 24  # of places in the table of a set
_FREE = 5  # bits by which there are more places than words
_LOWER = bytes(range(256)).lower()
_LEFT_OUT = b" _-+'\"<>[]()\t\r\v\f.:#/\\|,0"
_ENCODING, _BETWEEN = b"%&", b".#_:/\\|-"
"""What is part of what stands for a letter, and what stands between an id and what is added."""


class Lines:
    """The lines of a text.

    Parameters
    ----------
    text
        Its last line has an end, too.

    Attributes
    ----------
    starts, ends, lengths
        (n,) int64, the places of the lines in the text, and their numbers of bytes.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        padded: NDArray[np.uint8] = np.frombuffer(bytes(_WORD) + text, np.uint8)
        self.bytes = padded[_WORD:]
        self.ends: Ints = np.flatnonzero(self.bytes == ord("\n"))
        self.starts: Ints = np.concatenate([[0], self.ends + 1])[:-1]
        self.lengths: Ints = self.ends - self.starts
        self._before: NDArray[np.uint64] = np.ndarray((len(text) + 1,), "<u8", padded, strides=(1,))

    def words(self, places: Ints, lengths: Ints | int) -> NDArray[np.uint64]:
        """Return the bytes before places, as numbers: so many, but eight at most."""
        words = self._before[places]
        left_out = _WORD - np.minimum(lengths, _WORD)
        return words >> (8 * left_out).astype(np.uint64) if np.any(left_out) else words

    def __len__(self) -> int:
        return int(np.count_nonzero(self.lengths))

    def places(self, byte: int) -> tuple[Ints, Ints]:
        """Return the places of a byte in the text, and the numbers of their lines."""
        if byte not in self.text:  # which takes less time
            return self.ends[:0], self.ends[:0]
        at: Ints = np.flatnonzero(self.bytes == byte)
        return at, np.searchsorted(self.ends, at)

    def behind_letters(self) -> Ints:
        """Return the first place of each line that has no letter of ASCII, or its end."""
        others = np.flatnonzero((self.bytes | 0x20) - np.uint8(ord("a")) > 25)
        last = np.flatnonzero(self.bytes[others] == ord("\n"))
        return others[np.concatenate([[0], last + 1])[:-1]]

    def at(self, rows: Any) -> list[str]:
        """Return some lines."""
        ends = zip(self.starts[rows].tolist(), self.ends[rows].tolist(), strict=True)
        return [self.text[start:end].decode("utf-8", "surrogateescape") for start, end in ends]

    @classmethod
    def of(cls, ids: Sequence[str]) -> Lines:
        """Return ids as lines; one that has line breaks becomes several."""
        text = "\n".join([*ids, ""])
        try:
            return cls(text.encode("utf-8", "surrogateescape"))
        except UnicodeEncodeError:  # halves of pairs, which no file has
            return cls(text.encode("utf-8", "replace"))


class _Words:
    """A set of words, that may seem to have others."""

    def __init__(self, words: NDArray[np.uint64]) -> None:
        bits = min(max(len(words).bit_length() + _FREE, _LEAST_BITS), _MOST_BITS)
        self._shift = np.uint64(64 - bits)
        self._table: Bools = np.zeros(1 << bits, dtype=np.bool_)
        self._table[self._places(words)] = True

    def has(self, words: NDArray[np.uint64]) -> Bools:
        return self._table[self._places(words)]

    def _places(self, words: NDArray[np.uint64]) -> Any:
        return (words * _FACTOR) >> self._shift


class SameLook:
    """A look for lines that are one of some ids."""

    def __init__(self, ids: Sequence[str]) -> None:
        lines = Lines.of(ids)
        self._last = _Words(lines.words(lines.ends, lines.lengths))

    def likely_in(self, lines: Lines) -> list[str]:
        """Return the lines that may be one of the ids."""
        found = self._last.has(lines.words(lines.ends, lines.lengths)) & (lines.lengths > 0)
        return lines.at(np.flatnonzero(found))


class AlikeLook:
    """A look for lines that are one of some ids but for how they are written.

    Parameters
    ----------
    ids
        As they are, and in other ways those with letters beyond ASCII, or encoded ones.
    cut
        Ids without prefixes, endings, folders or numbers of parts, where they have some.
    """

    def __init__(self, ids: Sequence[str], cut: Sequence[str]) -> None:
        bare = _bare(Lines.of(ids))
        self._bare = _Words(bare.words(bare.ends, bare.lengths))
        whole = Lines.of([*ids, *cut])
        self._whole = _Words(whole.words(whole.ends, whole.lengths))

    def likely_in(self, lines: Lines) -> list[str]:
        """Return the lines that may be one of the ids, and those with letters beyond ASCII."""
        bare, starts, ends = _bare(lines), lines.starts, lines.ends
        found = self._bare.has(bare.words(bare.ends, bare.lengths))
        found |= self._whole.has(lines.words(ends, lines.lengths))
        found |= self._whole.has(lines.words(ends, ends - lines.behind_letters()))
        for one in _BETWEEN:
            at, line = lines.places(one)
            before = self._whole.has(lines.words(at, at - starts[line]))
            behind = self._whole.has(lines.words(ends[line], ends[line] - at - 1))
            found[line[before | behind]] = True
        for one in _ENCODING:
            found[lines.places(one)[1]] = True
        if not lines.text.isascii():
            odd = np.flatnonzero(lines.bytes >= 0x80)
            found[np.searchsorted(ends, odd)] = True
        return lines.at(np.flatnonzero(found & (lines.lengths > 0)))


def _bare(lines: Lines) -> Lines:
    """Return lines of which only small letters and digits other than 0 are left."""
    return Lines(lines.text.translate(_LOWER, _LEFT_OUT))
