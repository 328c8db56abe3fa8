"""The documents of units are found in ids of every length, and told apart byte by byte."""

import random
from collections import Counter
from pathlib import Path

import pytest

import rankmark as rm

UNITS = 3000


def document_of(unit: str) -> str:
    """Cut an id before its last separator, unless nothing stands before it."""
    return unit[: unit.rfind("#")] if unit.rfind("#") > 0 else unit


def units(seed: int) -> list[str]:
    """Give units of documents whose ids have 1 to 40 bytes, and differ in one or in the last."""
    dice = random.Random(seed)
    letters = "ab#é"
    documents = [
        "".join(dice.choice(letters) for _ in range(dice.randint(1, 4)))
        + "x" * dice.choice([0, 0, 1, 3, 4, 5, 8, 9, 16, 36])
        + dice.choice(["", "y", "z", "#"])
        for _ in range(400)
    ]
    drawn = {
        dice.choice(documents) + dice.choice(["#", "#", "#", ""]) + str(dice.randrange(10**digits))
        for digits in range(10)
        for _ in range(UNITS // 10)
    }
    found = sorted(drawn)
    dice.shuffle(found)
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("in_order", [True, False])
def test_documents_are_ranked_by_their_best_units(seed: int, in_order: bool) -> None:
    dice = random.Random(seed)
    found = units(seed)
    scores = [float(len(found) - place) for place in range(len(found))]
    if not in_order:
        dice.shuffle(scores)
    run = dict(zip(found, scores, strict=True))
    best: dict[str, float] = {}
    for unit, score in run.items():
        document = document_of(unit)
        best[document] = max(best.get(document, score), score)
    ranking = sorted(best, key=best.__getitem__, reverse=True)
    assert max(Counter(map(document_of, found)).values()) > 5
    judged = dice.sample(ranking, 6)
    ev = rm.evaluate({"q": dict.fromkeys(judged, 1)}, {"q": run}, "AP", unit="#")
    ranks = sorted(ranking.index(document) + 1 for document in judged)
    wanted = sum(count / rank for count, rank in enumerate(ranks, 1)) / len(ranks)
    assert ev["AP"] == pytest.approx(wanted, rel=1e-14)
    assert (ev.audit.units, ev.audit.unit_documents) == (len(found), len(best))


@pytest.mark.parametrize("chunk", ["#1", "#0123456789"])
def test_documents_of_every_length_are_found_among_the_judged(chunk: str, tmp_path: Path) -> None:
    documents = [("0123456789abcdef" * 5)[:size] for size in range(1, 80)]
    qrels = {"q": dict.fromkeys(documents, 1)}
    run = tmp_path / "run"
    lines = [f"q Q0 {one}{chunk} {rank} {-rank} tag\n" for rank, one in enumerate(documents, 1)]
    run.write_text("".join(lines))
    scores = {f"{one}{chunk}": -rank for rank, one in enumerate(documents)}
    for given in (run, {"q": scores}, {"q": list(scores)}):
        assert rm.evaluate(qrels, given, "AP", unit="#")["AP"] == 1.0
