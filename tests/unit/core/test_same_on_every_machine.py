"""The core makes the same bytes of the same input on every processor and by every scanner.

The digests below were written on x86-64. A machine on which one differs reads, ranks or sums
differently, and its results cannot be compared with those of others.
"""

import functools
import hashlib
import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark import Qrels, _core
from rankmark.data.files import open_text
from unit.readings import read_qrels, read_run

RUNS = {"docid": "f6be5bc68ced", "docid-asc": "4c299fabf0a1", "input": "139d922f3776"}
SCORES = "37f4612ab45f"
MOST_ULPS = 2
"""How far scores may be apart where they depend on the system's logarithms and powers."""


def digest(*parts: Any) -> str:
    """Hash arrays by their bytes, and anything else by how it is written."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
    return whole.hexdigest()[:12]


class Dice:
    """Chance that is the same in every version of Python and NumPy."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random  # which Python promises not to change

    def below(self, end: int) -> int:
        return int(self._random() * end)

    def pick(self, among: Any) -> Any:
        return among[self.below(len(among))]

    def digits(self, most: int) -> str:
        return "".join(str(self.below(10)) for _ in range(1 + self.below(most)))


def numbers() -> Iterator[str]:
    """Write numbers of every form and size, halfway between doubles and beyond them too."""
    dice = Dice(1)
    yield from ("0", "-0", "1e400", "-1e400", "1e-400", "4.9e-324", "2.4703282292062327e-324")
    yield from ("2.4703282292062328e-324", "2.2250738585072011e-308", "1.7976931348623158e308")
    yield from ("9007199254740993.0", "0.1", ".5", "5.", "+3", "1E5", "123456789012345678.5")
    yield "1." + "0" * 80 + "1"
    while True:
        whole, fraction = dice.digits(20), dice.digits(30)
        exponent = f"e{dice.below(660) - 340}"
        form = dice.pick(["{0}", "{0}.{1}", "0.{1}", "{0}.{1}{2}", "0.{1}{2}", "{0}.5"])
        # Whole numbers that no double holds are refused, so they are written with a point.
        plain = form == "{0}" and len(whole) > 15
        yield dice.pick(["", "", "-"]) + (form + ".0" * plain).format(whole, fraction, exponent)


def ids(dice: Dice) -> str:
    """Write an id, short or long, of any letters."""
    return dice.pick(["d", "doc-", "文", "a-long-prefix-of-an-id-", "é", "\U0001f600"]) + str(
        dice.below(60)
    )


QUERIES = [f"q{number}" for number in range(40)]


def judged() -> dict[str, dict[str, int]]:
    """Give judgments of three in four documents, one in five of them not relevant."""
    dice = Dice(2)
    return {
        query: {ids(dice): dice.below(5) - 1 for _ in range(10 + dice.below(90))}
        for query in QUERIES
    }


def retrieved(*, grouped: bool) -> bytes:
    """Write a run with many ties, the queries one after another or all mixed."""
    dice, written = Dice(3), numbers()
    queries = []
    for query in QUERIES:
        scores = [next(written) for _ in range(12)]
        documents = {ids(dice): dice.pick(scores) for _ in range(120)}
        queries.append([f"{query} Q0 {doc} 1 {score} x\n" for doc, score in documents.items()])
    lines: list[str] = []
    while not grouped and any(queries):  # each query's lines stay in their order
        lines += [held.pop(0) for held in queries if held and dice.below(2)]
    return "".join(lines + [line for held in queries for line in held]).encode()


def each_scanner(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Read by each scanner that the processor has, one after another."""
    for number, name in enumerate(_core.scanners()):
        monkeypatch.setattr(
            open_text, "TextLayout", functools.partial(_core.TextLayout, scanner=number)
        )
        yield name


CUTS = ((1 << 20, 1), (4096, 3), (65, 2))


def test_numbers_in_files_are_the_doubles_that_python_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finite = (number for number in numbers() if not math.isinf(float(number)))
    written = [next(finite) for _ in range(5000)]
    data = "".join(f"q{i // 100} 0 d{i} {number}\n" for i, number in enumerate(written)).encode()
    expected = np.array([float(number) for number in written])
    for scanner in each_scanner(monkeypatch):
        for block, threads in CUTS:
            labels = np.array(read_qrels(data, block=block, threads=threads)[2][1])
            assert labels.tobytes() == expected.tobytes(), (scanner, block, threads)


@pytest.mark.parametrize("ties", list(RUNS))
def test_runs_in_files_are_ranked_the_same_everywhere(
    ties: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    qrels = Qrels(judged())
    for grouped in (True, False):
        data = retrieved(grouped=grouped)
        for scanner in each_scanner(monkeypatch):
            for block, threads in CUTS:
                columns = read_run(data, qrels, block=block, threads=threads, ties=ties)[0]
                found = digest(*columns)
                assert found == RUNS[ties], (grouped, scanner, block, threads)


def nested() -> dict[str, dict[str, float]]:
    """Give the run as a dict."""
    run: dict[str, dict[str, float]] = {query: {} for query in QUERIES}
    for line in retrieved(grouped=True).decode().splitlines():
        query, _, doc, _, score, _ = line.split()
        run[query][doc] = float(score)
    return run


EXACT = ["AP", "P@10", "R@20", "RR", "bpref", "Rprec", "iprec@0.3", "Judged@10", "infAP"]
"""Measures of which each step is a sum, product or quotient, which all processors round alike."""


def test_scores_of_sums_and_quotients_are_the_same_everywhere() -> None:
    run = nested()
    columns = {
        "query_id": [query for query, held in run.items() for _ in held],
        "doc_id": [doc for held in run.values() for doc in held],
        "score": np.array([score for held in run.values() for score in held.values()]),
    }
    for form in (run, columns):
        found = rm.evaluate(judged(), form, EXACT)
        assert digest(found.queries, found.scores, [found[name] for name in EXACT]) == SCORES


ROUNDED = {
    "nDCG@10": "0x1.1db5c50c415cbp-4",
    "ERR@10": "0x1.430c51eb851ecp-4",
    "RBP(p=0.8)": "0x1.736d2271df562p-4",
}


def test_scores_of_logarithms_and_powers_are_nearly_the_same_everywhere() -> None:
    found = rm.evaluate(judged(), nested(), list(ROUNDED))
    for name, written in ROUNDED.items():
        expected = float.fromhex(written)
        assert abs(found[name] - expected) <= MOST_ULPS * math.ulp(expected), found[name].hex()
