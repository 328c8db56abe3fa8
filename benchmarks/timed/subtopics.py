"""A million judgments by subtopic and a run, the same wherever they are made."""

from random import Random

QUERIES, DOCUMENTS, SUBTOPICS, RETRIEVED = 1_000, 250, 4, 100

Judged = list[tuple[str, str, str, int]]
Ranked = list[tuple[str, str, float]]


def judged() -> Judged:
    """Return rows of query, subtopic, document and label."""
    label = Random(0)
    return [
        (f"q{query}", f"s{subtopic}", f"d{document + query}", label.randrange(3))
        for query in range(QUERIES)
        for document in range(DOCUMENTS)
        for subtopic in range(SUBTOPICS)
    ]


def ranked() -> Ranked:
    """Return rows of query, document and score; some documents are not judged."""
    score = Random(1)
    return [
        (f"q{query}", f"d{3 * place + query}", score.random())
        for query in range(QUERIES)
        for place in range(RETRIEVED)
    ]
