"""rankmark does small works, one after another, for callgrind to count the instructions of each.

Callgrind counts inside `PyRun_StringFlags` alone, which runs a piece of Python, and writes a
file each time that it ends.
"""

import ctypes
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rankmark as rm

MEASURES = ["nDCG@10", "AP", "RR@10", "R@100"]
DICE = random.Random(1)


def run_lines(queries: int, documents: int, levels: int) -> list[str]:
    """Write a run as text; with few levels many scores tie."""
    return [
        f"{query + 100} Q0 {doc} {rank} {score:.6f} tag\n"
        for query in range(queries)
        for rank, (doc, score) in enumerate(
            zip(
                DICE.sample(range(10**6, 9 * 10**6), documents),
                sorted(
                    (DICE.randrange(levels) * 30 / levels for _ in range(documents)), reverse=True
                ),
                strict=True,
            ),
            1,
        )
    ]


def judged(lines: list[str], every: int) -> dict[str, dict[str, int]]:
    """Judge every so many of a run's documents."""
    qrels: dict[str, dict[str, int]] = {}
    for place, line in enumerate(lines):
        query, _, doc, *_ = line.split()
        if place % every == 0:
            qrels.setdefault(query, {})[doc] = place % 4
    return qrels


def works(folder: Path) -> dict[str, Callable[[], object]]:
    """Prepare the inputs and give what is to be done with them."""

    def written(name: str, lines: list[str]) -> Path:
        path = folder / name
        path.write_text("".join(lines))
        return path

    lines, ties = run_lines(40, 1000, 10**6), run_lines(40, 1000, 50)
    few, many = rm.Qrels(judged(lines, 500)), rm.Qrels(judged(lines, 2))
    some = rm.Qrels(judged(ties, 20))
    qrels = [
        f"{q} 0 {d} {label}\n" for q, row in judged(lines, 2).items() for d, label in row.items()
    ]
    grouped, tied = written("grouped.run", lines), written("tied.run", ties)
    shuffled = written("shuffled.run", DICE.sample(lines, len(lines)))
    padded = written("padded.run", [line.replace(" ", "  ") for line in lines])
    judgments = written("judged.qrels", qrels)
    mapping: dict[str, dict[str, float]] = {}
    for line in lines:
        query, _, doc, _, score, _ = line.split()
        mapping.setdefault(query, {})[doc] = float(score)
    columns = {
        "query_id": np.array([int(line.split()[0]) for line in lines]),
        "doc_id": np.array([int(line.split()[2]) for line in lines]),
        "score": np.array([float(line.split()[4]) for line in lines]),
    }
    ten = rm.Qrels({"q": {f"d{n}": n % 3 for n in range(5, 25)}})
    ten_run = {"q": {f"d{n}": 10.0 - n for n in range(10)}}

    reward, ids = rm.reward(ten, "nDCG@10"), [*ten_run["q"]]
    many_rewarded = ["q"] * 1000, [DICE.sample(ids, 10) for _ in range(1000)]

    def evaluate(qrels: object, run: object) -> Callable[[], object]:
        return lambda: rm.evaluate(qrels, run, MEASURES, threads=1)  # type: ignore[arg-type]

    return {
        "text, grouped, few judged": evaluate(few, grouped),
        "text, grouped, half judged": evaluate(many, grouped),
        "text, grouped, ties": evaluate(some, tied),
        "text, two blanks between columns": evaluate(few, padded),
        "text, shuffled": evaluate(few, shuffled),
        "qrels as text": lambda: rm.Qrels(judgments, threads=1),
        "dicts": evaluate(few, mapping),
        "columns of whole numbers": evaluate(few, columns),
        "one query of 10 documents": evaluate(ten, ten_run),
        "100 rankings of 10 ids rewarded": lambda: [reward("q", ids) for _ in range(100)],
        "1,000 rankings of 10 ids in a batch": lambda: reward.batch(*many_rewarded),
    }


def main() -> None:
    """Do each work once uncounted and once counted, and say their names."""
    with tempfile.TemporaryDirectory() as folder:
        prepared = works(Path(folder))
        for work in prepared.values():
            work()
        sys.modules["counted"] = type(sys)("counted")
        for work in prepared.values():
            vars(sys.modules["counted"])["work"] = work
            if ctypes.pythonapi.PyRun_SimpleString(b"import counted; counted.work()"):
                sys.exit("a work failed")
    print(json.dumps(list(prepared)))


main()
