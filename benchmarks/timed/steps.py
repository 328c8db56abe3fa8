"""A batch of validation queries, as a training loop has it: 100 x 100 documents, all judged."""

import random

Labels = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


def step() -> tuple[Labels, Scores]:
    """Return judgments, and scores of the same documents in another order."""
    chance = random.Random(0)
    qrels: Labels = {}
    run: Scores = {}
    for query in range(100):
        documents = [f"d{number}" for number in chance.sample(range(100_000), 100)]
        qrels[f"q{query}"] = {document: chance.randrange(4) for document in documents}
        chance.shuffle(documents)
        run[f"q{query}"] = {document: chance.random() for document in documents}
    return qrels, run
