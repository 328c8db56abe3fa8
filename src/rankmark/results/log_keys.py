"""Names of measures as keys that experiment trackers accept: letters, digits and underscores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

_LONGEST = 150  # letters; MLflow takes 250 with what users put before it
_VALUE = r'-?[\d.]+(?:e[+-]?\d+)?|"[\w-]+"|True|False'
_PLAIN = rf"[A-Za-z][A-Za-z0-9_]*(?:\((?:\w+=(?:{_VALUE})(?:, |(?=\))))+\))?(?:@\d+)?"
"""A name whose parameters are numbers and words, which says the same without punctuation."""
_SAID = {"@": "_at_", "-": "_minus_", "+": "_plus_"}


def logged(values: Mapping[str, float], prefix: str = "") -> dict[str, float]:
    """Return the values by their keys: as many as names, also if two names have one key."""
    keys = [log_key(name) for name in values]
    count = Counter(keys)
    told_apart = [
        key if count[key] == 1 else _with_digest(name)
        for name, key in zip(values, keys, strict=True)
    ]
    return {f"{prefix}{key}": value for key, value in zip(told_apart, values.values(), strict=True)}


def log_key(name: str) -> str:
    """Return the key of a name: it begins with a letter, and no other measure has it.

    >>> log_key("nDCG@10"), log_key('nDCG(gain="exp2")@5'), log_key("RBP(p=0.8)")
    ('nDCG_at_10', 'nDCG_gain_exp2_at_5', 'RBP_p_0_8')

    Lists, mappings and text of any kind would look alike without their punctuation, so that a
    digest follows them.
    """
    if len(name) > _LONGEST or not re.fullmatch(_PLAIN, name, re.ASCII):
        return _with_digest(name)
    words = re.sub(r'"([\w-]+)"', lambda word: word[1].replace("-", "_"), name)
    words = re.sub(r"[@+-]", lambda sign: _SAID[sign[0]], words)
    return _joined(words)


def _with_digest(name: str) -> str:
    from hashlib import sha256  # noqa: PLC0415

    stem = _joined(name)[:_LONGEST].rstrip("_")
    stem = stem if stem[:1].isalpha() else f"measure_{stem}".rstrip("_")
    return f"{stem}_{sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"


def _joined(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
