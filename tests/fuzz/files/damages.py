"""Ways to damage a file."""

import random
import struct
from collections.abc import Callable, Sequence

Damage = Callable[[bytearray, bytes, random.Random], None]
INTERESTING = (
    *(0, 1, -1, 2, 7, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 5000, 2**31 - 1, -(2**31), 2**32 - 1),
    *(2**32, 2**53, 2**61, 2**62, 2**62 + 1, 2**63 - 1, -(2**63), -(2**61), 10**6),
)
PIECES = (
    *(b"\n", b"\r", b"\r\n", b"\t", b" ", b",", b";", b'"', b"'", b"\\", b"{", b"}", b"[", b"]"),
    *(b":", b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\\ud800", b"#"),
    *(
        b"-",
        b"+",
        b".",
        b"e",
        b"1e999",
        b"-1e308",
        b"5e-324",
        b"nan",
        b"Infinity",
        b"null",
        b"true",
    ),
    *(
        b"9" * 30,
        b"0" * 400,
        b"x" * 70_000,
        b"[" * 5000,
        b'{"a":' * 300,
        b"\xe2\x80\xae",
        b"\x1b[2J",
    ),
)


def damaged(data: bytes, other: bytes, ways: Sequence[Damage], dice: random.Random) -> bytes:
    """Damage a file in one to three places, many of them where it describes itself."""
    bytes_ = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        dice.choice(ways)(bytes_, other, dice)
        if not bytes_:
            return b""
    return bytes(bytes_)


def place(data: bytearray, dice: random.Random, size: int = 1) -> int:
    """Choose where to damage: anywhere, or near an end, where metadata is."""
    last = max(len(data) - size, 0)
    where = dice.randrange(4)
    if where == 0:
        return dice.randint(0, min(last, 700))
    if where == 1:
        return dice.randint(max(last - 1500, 0), last)
    return dice.randint(0, last)


def flip(data: bytearray, _: bytes, dice: random.Random) -> None:
    data[place(data, dice)] ^= 1 << dice.randrange(8)


def overwrite(data: bytearray, _: bytes, dice: random.Random) -> None:
    data[place(data, dice)] = dice.randrange(256)


def number(data: bytearray, _: bytes, dice: random.Random) -> None:
    """Write a number that programs trip over, mostly where numbers stand."""
    size = dice.choice((1, 2, 4, 4, 8, 8))
    at = place(data, dice, size)
    if dice.random() < 0.8:
        at -= at % min(size, 4)
    value = dice.choice(INTERESTING) % 2 ** (8 * size)
    data[at : at + size] = value.to_bytes(size, "little")


def nudge(data: bytearray, _: bytes, dice: random.Random) -> None:
    """Make a number a little larger or smaller."""
    size = dice.choice((4, 8))
    at = place(data, dice, size)
    at -= at % 4
    if at + size <= len(data):
        letter = "<i" if size == 4 else "<q"
        (value,) = struct.unpack_from(letter, data, at)
        value += dice.choice((-8, -1, 1, 8, 64, 2**20))
        value = (value + 2 ** (8 * size - 1)) % 2 ** (8 * size) - 2 ** (8 * size - 1)
        struct.pack_into(letter, data, at, value)


def truncate(data: bytearray, _: bytes, dice: random.Random) -> None:
    del data[place(data, dice) :]


def remove(data: bytearray, _: bytes, dice: random.Random) -> None:
    at = place(data, dice)
    del data[at : at + dice.choice((1, 4, 8, 64, 500))]


def insert(data: bytearray, _: bytes, dice: random.Random) -> None:
    at = place(data, dice)
    data[at:at] = dice.randbytes(dice.choice((1, 4, 8, 64)))


def blank(data: bytearray, _: bytes, dice: random.Random) -> None:
    at = place(data, dice)
    some = data[at : at + dice.choice((4, 8, 64, 500))]
    data[at : at + len(some)] = dice.choice((b"\0", b"\xff")) * len(some)


def move(data: bytearray, _: bytes, dice: random.Random) -> None:
    """Copy one place over another."""
    size = dice.choice((4, 8, 8, 64))
    source, target = place(data, dice, size), place(data, dice, size)
    if dice.random() < 0.8:
        source, target = source - source % 8, target - target % 8
    data[target : target + size] = data[source : source + size]


def splice(data: bytearray, other: bytes, dice: random.Random) -> None:
    """Go on with another file of the kind, whose ids have another type."""
    at = place(data, dice)
    size = dice.choice((8, 64, 500, len(other)))
    data[at : at + size] = other[at : at + size]


def write_text(data: bytearray, _: bytes, dice: random.Random) -> None:
    """Put in what separates, quotes or ends, or what is no text or no number."""
    at = place(data, dice)
    data[at : at + dice.choice((0, 1, 3))] = dice.choice(PIECES)


def swap_lines(data: bytearray, _: bytes, dice: random.Random) -> None:
    """Repeat, remove or join lines."""
    lines = data.split(b"\n")
    at = dice.randrange(len(lines))
    lines[at : at + dice.choice((0, 1, 2))] = [
        dice.choice(
            (bytearray(), lines[at], dice.choice(lines), bytearray(b" ").join(lines[at : at + 2]))
        )
    ]
    data[:] = b"\n".join(lines)


DAMAGES: Sequence[Damage] = (
    *(flip, flip, overwrite, number, number, number, nudge),
    *(truncate, remove, insert, blank, move, splice),
)
DAMAGES_OF_TEXT: Sequence[Damage] = (
    *(flip, overwrite, truncate, remove, insert, blank, move, splice),
    *(write_text, write_text, write_text, write_text, swap_lines, swap_lines),
)
