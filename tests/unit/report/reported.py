"""Comparisons for the tests of reports, among them one of hostile names."""

import base64
import json
import re
import zlib
from typing import Any

import numpy as np

import rankmark as rm
from rankmark.verbs.compare.comparison import Comparison

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><b>bold</b>",
    "\u202egnp.exe\u202c",
    "a\u2028b",
    "{{ 7 * 7 }}",
    "back\\slash'quote\"&amp;",
    "x" * 300,
    "%2F#query=1",
]

_ALIVE: list[Any] = []  # evaluations keep no large data, and read it again


def compared(queries: int = 40, runs: int = 3, depth: int = 30, **choices: Any) -> Comparison:
    """Compare random runs; the second is missing a query."""
    random = np.random.default_rng(7)
    qrels: dict[str, dict[str, int]] = {}
    found: dict[str, dict[str, dict[str, float]]] = {f"run{at}": {} for at in range(runs)}
    for number in range(queries):
        query = f"q{number}"
        labels = random.integers(0, 4, 12)
        qrels[query] = {
            f"d{doc}": int(label)
            for doc, label in zip(random.permutation(60), labels, strict=False)
        }
        for at, ranking in enumerate(found.values()):
            if at == 1 and number == 5:
                continue
            ranking[query] = {
                f"d{doc}": float(random.random() + at * 0.2 * qrels[query].get(f"d{doc}", 0))
                for doc in random.permutation(60)[:depth]
            }
    _ALIVE.append((qrels, found))
    return rm.compare(qrels, found, ["nDCG@10", "AP(rel=2)", "RR"], resamples=1000, **choices)


def hostile() -> Comparison:
    """Compare runs, queries and documents whose names try to become HTML."""
    qrels = {name: {name: 1, f"{name}2": 2} for name in HOSTILE}
    run = {name: {name: 3.0, HOSTILE[0] + "3": 2.0, f"{name}2": 1.0} for name in HOSTILE}
    other = {name: {f"{name}2": 3.0, name: 1.0} for name in HOSTILE}
    runs = {HOSTILE[0]: run, HOSTILE[1]: other, HOSTILE[3]: run}
    return rm.compare(qrels, runs, ["nDCG@10", "RR"], resamples=1000)


def block(page: str, name: str) -> Any:
    """Unpack a block of JSON of a page."""
    return json.loads(_unpacked(page, name))


def stored_scores(page: str) -> Any:
    """Unpack the scores of a page: (n,) float64, by measure, run and query."""
    planes = np.frombuffer(_unpacked(page, "scores"), dtype=np.uint8)
    return planes.reshape(8, -1).T.copy().view("<f8").ravel()


def _unpacked(page: str, name: str) -> bytes:
    found = re.search(f'<script type="application/octet-stream" id="data-{name}">([^<]*)<', page)
    assert found is not None
    return zlib.decompress(base64.b64decode(found[1]))
