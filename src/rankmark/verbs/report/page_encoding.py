"""Data inside the page: compressed, in base64, so that none of it can be parsed as HTML."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import readable_bytes

if TYPE_CHECKING:
    from rankmark.array_types import Floats

_INVISIBLE = re.compile(
    # Controls, marks that change the direction of text, separators of lines, lone surrogates.
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


def packed_json(content: object) -> str:
    """Return JSON as base64 of zlib's format; ids that are not UTF-8 become escapes of JSON."""
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return _packed(text.encode("ascii"))


def packed_floats(values: Floats) -> str:
    """Return (n,) float64 as base64 of zlib's format.

    The first bytes of all numbers come first, then the second bytes, and so on, since bytes of the
    same significance are alike.
    """
    planes = np.ascontiguousarray(values, dtype="<f8").reshape(-1, 1).view(np.uint8).T
    return _packed(np.ascontiguousarray(planes).tobytes())


def visible(text: str) -> str:
    """Return text with characters that are invisible or change its direction as ⟨U+202E⟩.

    Bytes that are not UTF-8 are written as everywhere.
    """
    return _INVISIBLE.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", readable_bytes(text))


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 6)).decode("ascii")
