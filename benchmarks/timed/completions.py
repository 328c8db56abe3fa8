"""What a training loop rewards: rankings of ten ids, in groups of eight for a query."""

import random

QUERIES, GROUP = 1000, 8
DICE = random.Random(1)

QRELS = {
    f"q{query}": {f"d{query}-{n}": DICE.randrange(3) for n in range(20)} for query in range(QUERIES)
}
ONE = {f"d0-{n}": 1 + n % 5 for n in range(20)}
"""Judgments of so many grades that hardly two rankings look the same to nDCG."""


def rankings(number: int) -> tuple[list[str], list[list[str]]]:
    """Draw rankings, half of whose ids are of the query's pool, and their query ids."""
    queries = [f"q{place // GROUP % QUERIES}" for place in range(number)]
    return queries, [
        [
            f"d{query[1:] if DICE.random() < 0.5 else DICE.randrange(QUERIES)}-{DICE.randrange(30)}"
            for _ in range(10)
        ]
        for query in queries
    ]


def different(number: int) -> list[list[str]]:
    """Draw rankings of documents that all have a grade."""
    return [DICE.sample([*ONE], 10) for _ in range(number)]
