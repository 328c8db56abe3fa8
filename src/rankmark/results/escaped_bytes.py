r"""Bytes that are not UTF-8, written so that they can be read and found again.

Python holds such a byte as half of a pair of surrogates, which no text can contain.
It is written as ``\x`` and two digits, such as ``\xe9``, and a backslash before what looks like
that is written as ``\x5c``, so that different ids are never written alike.
"""

from __future__ import annotations

import re

from rankmark.errors import ESCAPED

_LIKE_ESCAPES = r"(?=x[0-9a-f]{2}|ud[89a-f][0-9a-f]{2})"
_IN_TEXT = rf"[\ud800-\udfff]|\\{_LIKE_ESCAPES}"
_IN_JSON = rf"[\ud800-\udfff]|\\\\{_LIKE_ESCAPES}"


def encodable(text: str) -> str:
    r"""Escape bytes that are not UTF-8.

    Examples
    --------
    >>> print(encodable(b"caf\xe9 \xc3\xa9".decode("utf-8", "surrogateescape")))
    caf\xe9 é
    """
    if text.isascii() and "\\" not in text:
        return text
    return re.sub(_IN_TEXT, _escaped, text)


def encodable_json(text: str) -> str:
    """Escape them in the text of a JSON document."""
    if text.isascii() and "\\" not in text:
        return text
    return re.sub(_IN_JSON, lambda found: _escaped(found).replace("\\", "\\\\"), text)


def readable(text: str) -> str:
    """Escape them in text for people, where a backslash stays as it is."""
    return text if text.isascii() else text.encode("utf-8", ESCAPED).decode()


def _escaped(found: re.Match[str]) -> str:
    if found[0].startswith("\\"):
        return r"\x5c"
    return readable(found[0])
