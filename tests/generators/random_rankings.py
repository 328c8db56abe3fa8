"""Random pairs of rankings, with ties, and with items that are in only one of them."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.reference.similarity.groups import Groups
from generators.random_collections import dice

ITEMS = "abcdefgh"


@st.composite
def rankings(
    draw: st.DrawFn, *, items: str = ITEMS, least: int = 0, ties: bool = True
) -> list[list[str]]:
    """Draw a ranking of some of the items, best first, each a tie of one or more."""
    thrown = draw(dice)
    chosen = thrown.sample(items, draw(st.integers(least, len(items))))
    joined = draw(st.sampled_from((0.0, 0.2, 0.5, 1.0))) if ties else 0.0
    ranking: list[list[str]] = []
    for item in chosen:
        if ranking and thrown.random() < joined:
            ranking[-1].append(item)
        else:
            ranking.append([item])
    return ranking


def full_rankings(*, ties: bool = True) -> SearchStrategy[list[list[str]]]:
    """Draw an order of all items."""
    return rankings(least=len(ITEMS), ties=ties)


def as_given(ranking: Groups) -> list[object]:
    """Return a ranking as users write it: a list of ids, in which a set is a tie."""
    return [tie[0] if len(tie) == 1 else set(tie) for tie in ranking]


def as_scores(ranking: Groups) -> dict[str, float]:
    """Return a ranking as {id: score}."""
    return {item: -float(at) for at, tie in enumerate(ranking) for item in tie}
