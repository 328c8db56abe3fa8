"""Random judgments and runs in a fixed sequence, for comparing tools one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from generators.random_collections import Collection


def plain_collections(
    count: int,
    *,
    labels: Sequence[int] = (0, 1),
    tied: bool = False,
    unjudged: bool = False,
    missed: bool = False,
    unanswered: bool = False,
    longest: int = 12,
    seed: int = 15,
) -> Iterator[Collection]:
    """Yield collections of up to five queries, whose ids are numbers.

    Parameters
    ----------
    labels
        From which those of documents are drawn.
    tied
        Whether documents may have equal scores.
    unjudged, missed
        Whether unjudged documents are retrieved, and judged ones not retrieved.
    unanswered
        Whether a query may lack a ranking.
    longest
        The most documents of a ranking.
    """
    draw = random.Random(seed)
    for _ in range(count):
        qrels: dict[str, dict[str, float]] = {}
        run: dict[str, dict[str, float]] = {}
        for query in range(1, draw.randint(2, 6)):
            documents = [f"d{number}" for number in draw.sample(range(10, 40), longest)]
            judged = draw.sample(documents, draw.randint(1, longest))
            qrels[str(query)] = {document: draw.choice(labels) for document in judged}
            ranked = documents if unjudged else judged
            least = 1 if missed else len(ranked)
            ranked = draw.sample(ranked, draw.randint(least, len(ranked)))
            scores = [draw.randint(1, 4) for _ in ranked] if tied else range(1, len(ranked) + 1)
            drawn = draw.sample(list(scores), len(ranked))
            run[str(query)] = {d: score / 8 for d, score in zip(ranked, drawn, strict=True)}
        if unanswered and len(run) > 1 and draw.random() < 0.5:
            run.popitem()
        yield Collection(qrels, run)
