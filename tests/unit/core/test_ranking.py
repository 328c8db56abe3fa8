"""Ranks against a plain sort, whichever way the core finds them: counting, searching or sorting."""

import io
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark import Qrels, Run
from rankmark.conventions import Conventions
from rankmark.data.alignment import Alignment, Needs
from rankmark.data.preparing.matching import RunFacts, match

Ranking = list[tuple[str, float]]  # document ids and scores, as given


def in_order(given: Ranking, ties: str) -> Ranking:
    """Sort the slow and obvious way."""
    if ties == "docid-asc":
        return sorted(given, key=lambda pair: (-pair[1], pair[0].encode()))
    if ties == "docid":
        by_id = sorted(given, key=lambda pair: pair[0].encode(), reverse=True)
        return sorted(by_id, key=lambda pair: -pair[1])
    return sorted(given, key=lambda pair: -pair[1])


def expected(
    given: Ranking, labels: dict[str, float], ties: str, depth: int | None, judged_only: bool
) -> list[tuple[int, float, int, int]]:
    """Give (rank, label, tie_first, tie_last) of each judged document that is left.

    Depth comes before judged_only, as trec_eval's -M before its -J.
    """
    ranked = in_order(given, ties)
    if judged_only:
        ranked = [pair for pair in ranked[:depth] if pair[0] in labels]
    scores = [score for _, score in ranked]
    rows = [
        (
            rank,
            labels[doc],
            scores.index(score) + 1,
            len(scores) - scores[::-1].index(score),
        )
        for rank, (doc, score) in enumerate(ranked, 1)
        if doc in labels
    ]
    return [row for row in rows if depth is None or row[0] <= depth]


def as_file(runs: dict[str, Ranking]) -> io.BytesIO:
    lines = [f"{q} Q0 {d} 0 {s!r} t\n" for q, ranking in runs.items() for d, s in ranking]
    return io.BytesIO("".join(lines).encode())


def aligned(
    labels: dict[str, dict[str, float]], run: Any, **conventions: Any
) -> tuple[Alignment, RunFacts]:
    given = Run(run, contents="scores")
    return match(Qrels(labels), given, Conventions(**conventions), needs=Needs())


def rows_of(a: Alignment) -> list[list[tuple[int, float, int, int]]]:
    first = a.rank if a.tie_first is None else a.tie_first
    last = a.rank if a.tie_last is None else a.tie_last
    rows = list(zip(*(x.tolist() for x in (a.rank, a.label, first, last)), strict=True))
    return [rows[begin:end] for begin, end in zip(a.starts, a.starts[1:], strict=False)]


def rows_without_ties(rows: list[tuple[int, float, int, int]]) -> list[tuple[int, float]]:
    return [row[:2] for row in rows]


LEVELS = [-1e300, -2.5, -1.0, 0.0, 0.5, 1.0, 1.0000000000000002, 7.0, float("inf"), float("-inf")]


@st.composite
def rankings(draw: st.DrawFn) -> tuple[Ranking, dict[str, float]]:
    """Draw a ranking with heavy ties and labels of few, many or all of its documents."""
    chance = random.Random(draw(st.integers(0, 2**32)))
    size = draw(st.sampled_from([1, 2, 3, 10, 40, 100, 300]))
    levels = LEVELS[: draw(st.integers(1, len(LEVELS)))] if draw(st.booleans()) else None
    ids = [f"{chance.choice('aä文Zz')}{i}" for i in range(size)]
    given = [(doc, chance.choice(levels) if levels else chance.random()) for doc in ids]
    if draw(st.booleans()):
        given.sort(key=lambda pair: -pair[1])
    judged = chance.sample(ids, max(1, int(size * draw(st.sampled_from([0.01, 0.1, 0.5, 1.0])))))
    labels = {doc: float(chance.randint(-1, 3)) for doc in judged}
    return given, labels | {"never retrieved": 2.0}


@given(
    drawn=rankings(),
    ties=st.sampled_from(["docid", "docid-asc", "input"]),
    depth=st.sampled_from([None, 1, 5, 50]),
    judged_only=st.booleans(),
    from_file=st.booleans(),
)
def test_ranks_are_those_of_a_plain_sort(
    drawn: tuple[Ranking, dict[str, float]],
    ties: str,
    depth: int | None,
    judged_only: bool,
    from_file: bool,
) -> None:
    given, labels = drawn
    run = as_file({"q": given}) if from_file else {"q": dict(given)}
    a, facts = aligned({"q": labels}, run, ties=ties, depth=depth, judged_only=judged_only)
    wanted = expected(given, labels, ties, depth, judged_only)
    [rows] = rows_of(a)
    assert rows_without_ties(rows) == rows_without_ties(wanted)
    some_tie = any(first != last for _, _, first, last in wanted)
    if some_tie:
        assert rows == wanted
    else:
        assert a.tie_first is None
        assert a.tie_last is None
    assert a.retrieved.tolist() == [len(wanted) if judged_only else len(given[:depth])]
    assert facts.judged.tolist() == [len(wanted)]
    assert facts.tied.tolist() == [sum(first != last for _, _, first, last in wanted)]
    assert facts.judged_top.tolist() == [sum(rank <= 10 for rank, *_ in wanted)]


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["docid", "docid-asc", "input"])
@pytest.mark.parametrize("judged", [1, 3, 60, 61, 66, 67, 400, 1000])
@pytest.mark.parametrize("shape", ["ascending", "shuffled", "in order", "all tied", "two scores"])
def test_each_way_of_finding_ranks_finds_the_same(ties: str, judged: int, shape: str) -> None:
    chance = random.Random(judged)
    scores = [float(i) for i in range(1000)]
    if shape == "all tied":
        scores = [1.5] * 1000
    elif shape == "two scores":
        scores = [float(chance.random() < 0.3) for _ in range(1000)]
    if shape == "shuffled":
        chance.shuffle(scores)
    elif shape == "in order":
        scores.sort(reverse=True)
    given = [(f"d{chance.getrandbits(20)}-{i}", score) for i, score in enumerate(scores)]
    labels = {doc: 1.0 for doc, _ in chance.sample(given, judged)}
    for run in (as_file({"q": given}), {"q": dict(given)}):
        [rows] = rows_of(aligned({"q": labels}, run, ties=ties)[0])
        assert rows == expected(given, labels, ties, None, False)


def test_ties_of_unjudged_documents_are_no_ties() -> None:
    a, facts = aligned({"q": {"a": 1}}, {"q": {"a": 2.0, "x": 1.0, "y": 1.0}})
    assert (a.tie_first, a.tie_last) == (None, None)
    assert facts.tied.tolist() == [0]


def test_plus_and_minus_zero_tie() -> None:
    a, _ = aligned({"q": {"a": 1, "b": 2}}, {"q": {"a": 0.0, "b": -0.0}})
    assert rows_of(a) == [[(1, 2.0, 1, 2), (2, 1.0, 1, 2)]]


def test_ids_are_ordered_by_bytes_not_by_language() -> None:
    labels = {doc: float(i) for i, doc in enumerate(["Z", "a", "ä", "文", "a0"])}
    a, _ = aligned({"q": labels}, {"q": dict.fromkeys(labels, 1.0)})
    assert a.label.tolist() == [3.0, 2.0, 4.0, 1.0, 0.0]


def test_a_trusted_rank_column_overrules_the_scores() -> None:
    run = io.BytesIO(b"q Q0 a 3 9 t\nq Q0 b 1 8 t\nq Q0 c 2 7 t\n")
    a, _ = aligned({"q": {"a": 1, "b": 2, "c": 3}}, run, ties="rank")
    assert a.label.tolist() == [2.0, 3.0, 1.0]


def test_queries_stand_in_judgment_order_with_gaps_for_the_missing() -> None:
    labels = {"q3": {"a": 1}, "q1": {"b": 2}, "q2": {"c": 3}}
    a, facts = aligned(labels, {"q2": {"c": 1.0, "d": 2.0}, "q3": {"x": 0.0}, "q9": {"a": 1.0}})
    assert list(a.queries) == ["q3", "q1", "q2"]
    assert (a.starts.tolist(), a.rank.tolist()) == ([0, 0, 0, 1], [2])
    assert a.retrieved.tolist() == [1, 0, 2]
    assert np.asarray(facts.answered).tolist() == [1, 0, 1]
    assert (facts.run_only, facts.run_only_examples, facts.rows) == (1, ["q9"], 4)


def test_labels_below_the_lowest_are_left_out_and_still_audited() -> None:
    labels = {"q": {"a": 0, "b": 1, "c": 2}}
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    a, facts = match(Qrels(labels), Run(run), Conventions(), needs=Needs(lowest=1.0))
    assert (a.rank.tolist(), a.label.tolist()) == ([2, 3], [1.0, 2.0])
    assert (a.ideal_starts.tolist(), a.ideal_label.tolist()) == ([0, 2], [2.0, 1.0])
    assert facts.judged.tolist() == [3]


def test_the_columns_of_an_alignment_cannot_be_written() -> None:
    a, _ = aligned({"q": {"a": 1}}, {"q": {"a": 2.0}})
    for column in (a.starts, a.rank, a.label, a.retrieved):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0


@pytest.mark.parametrize("ties", ["docid", "docid-asc", "input"])
def test_many_small_ties_cost_no_more_than_sorting(ties: str) -> None:
    # Each score twice, shuffled, all judged: quadratic work would take minutes here.
    many = 60_000
    scores = {f"d{i * 7919 % many}": float(i // 2) for i in range(many)}
    a, facts = aligned({"q": dict.fromkeys(scores, 1)}, {"q": scores}, ties=ties)
    assert a.rank.tolist() == list(range(1, many + 1))
    assert facts.tied.tolist() == [many]


def test_a_number_is_asked_for_once() -> None:
    class Fickle:
        asked = 0

        def __float__(self) -> float:
            Fickle.asked += 1
            return float(Fickle.asked)

    a, _ = aligned({"q": {"a": 1}}, {"q": {"b": 0.5, "a": Fickle()}})
    assert (a.rank.tolist(), Fickle.asked) == ([1], 1)
