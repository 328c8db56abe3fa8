"""Tied documents at the middle of their ranks, as the "realistic" ranks of link prediction."""

import random
from typing import Any

import pytest

import rankmark as rm
from rankmark.measures import ALL

# PyKEEN, "Understanding the Evaluation": the optimistic rank has all options with the same score
# behind the right one, the pessimistic one before it, and the realistic one is their mean.
SCORES = {
    "one above, three equal": {"t": 0.5, "a": 0.9, "b": 0.5, "c": 0.5, "d": 0.1},
    "all equal": {"t": 0.0, "a": 0.0, "b": 0.0, "c": 0.0},
    "nothing equal": {"t": 0.4, "a": 0.5, "b": 0.3},
    "two equal": {"t": 0.7, "a": 0.7, "b": 0.2},
}
TARGETS = {query: {"t": 1} for query in SCORES}
OPTIMISTIC = [2, 1, 2, 1]
REALISTIC = [3, 2.5, 2, 1.5]
PESSIMISTIC = [4, 4, 2, 2]
MEASURES = ["MeanRank", "RR", "Success@2", "AMR", "AMRI"]


def expected(ranks: list[float]) -> list[float]:
    sizes = [len(scores) for scores in SCORES.values()]
    by_chance = [(size + 1) / 2 for size in sizes]
    pairs = list(zip(ranks, by_chance, strict=True))
    columns = [
        ranks,
        [1 / rank for rank in ranks],
        [float(rank <= 2) for rank in ranks],
        [rank / chance for rank, chance in pairs],
        [1 - (rank - 1) / (chance - 1) for rank, chance in pairs],
    ]
    return [sum(column) / len(column) for column in columns]


@pytest.mark.parametrize(
    ("ties", "ranks"),
    [("best", OPTIMISTIC), ("midrank", REALISTIC), ("worst", PESSIMISTIC)],
)
def test_three_rules_give_the_optimistic_realistic_and_pessimistic_ranks(
    ties: Any, ranks: list[float]
) -> None:
    ev = rm.evaluate(TARGETS, SCORES, MEASURES, ties=ties)
    assert list(ev.per_query("MeanRank").values()) == ranks
    assert list(ev.means.values()) == pytest.approx(expected(ranks), rel=1e-12)


def test_the_mean_over_orders_is_the_middle_rank_only_where_values_are_linear_in_it() -> None:
    middle, mean = (rm.evaluate(TARGETS, SCORES, MEASURES, ties=t) for t in ("midrank", "mean"))
    for name in ("MeanRank", "AMR", "AMRI"):
        assert middle[name] == pytest.approx(mean[name], rel=1e-12)
    assert middle["RR"] < mean["RR"]


def of_random() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    dice = random.Random(5)
    queries = [f"q{number}" for number in range(12)]
    qrels = {q: {f"d{n}": dice.choice([0, 1, 2]) for n in range(7)} for q in queries}
    run = {
        q: {f"d{n}": float(dice.randrange(4)) for n in range(11) if dice.random() < 0.8}
        for q in queries
    }
    return qrels, run


def middle_rank(run: dict[str, float], doc_id: str) -> float:
    before = sum(score > run[doc_id] for score in run.values())
    return before + (sum(score == run[doc_id] for score in run.values()) + 1) / 2


@pytest.mark.parametrize("depth", [None, 3])
def test_values_are_those_of_formulas_over_ranks_that_are_counted(depth: int | None) -> None:
    qrels, run = of_random()
    ev = rm.evaluate(qrels, run, ["RR", "R@4", "NumRelRet", "CG@5"], ties="midrank", depth=depth)
    for query, judged in qrels.items():
        ranks = {
            doc_id: middle_rank(run[query], doc_id)
            for doc_id in judged
            if doc_id in run[query] and (depth is None or middle_rank(run[query], doc_id) <= depth)
        }
        hits = [rank for doc_id, rank in ranks.items() if judged[doc_id] >= 1]
        relevant = sum(label >= 1 for label in judged.values())
        wanted = [
            1 / min(hits) if hits else 0.0,
            sum(rank <= 4 for rank in hits) / relevant,
            len(hits),
            sum(judged[doc_id] for doc_id, rank in ranks.items() if rank <= 5),
        ]
        row = [ev.per_query(name)[query] for name in ev.means]
        assert row == pytest.approx(wanted, rel=1e-12)


OF_LABELS = [one for one in ALL if one.depends_on not in ("subtopics", "preferences", "anywhere")]


@pytest.mark.parametrize("measure", OF_LABELS, ids=str)
def test_each_measure_has_a_value_or_is_refused_by_name(measure: rm.Measure) -> None:
    qrels, run = of_random()
    if not measure.tie_handling.has_midranks:
        with pytest.raises(rm.MeasureError, match=rf"{measure.name}.*share the middle"):
            rm.evaluate(qrels, run, measure, ties="midrank")
        return
    untied = {q: {d: -float(n) for n, d in enumerate(scores)} for q, scores in run.items()}
    usual, middle = (rm.evaluate(qrels, untied, measure, ties=t) for t in ("docid", "midrank"))
    assert usual.scores.tobytes() == middle.scores.tobytes()
    value = rm.evaluate(qrels, run, measure, ties="midrank").per_query(measure)["q3"]
    assert rm.explain(qrels, run, "q3", measure, ties="midrank").value == value


def test_three_tied_documents_and_one_in_their_middle_have_the_same_bits() -> None:
    qrels = {"q": {"b": 1}}
    tied = rm.evaluate(qrels, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, "nDCG,RR,RBP", ties="midrank")
    apart = rm.evaluate(qrels, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "nDCG,RR,RBP")
    assert tied.scores.tobytes() == apart.scores.tobytes()


def test_an_explanation_adds_up_what_documents_add_at_their_middle_rank() -> None:
    found = rm.explain(TARGETS, SCORES, "all equal", "nDCG", ties="midrank")
    added = [row["contribution"] for row in found.rows if row["doc_id"] == "t"]
    assert added == [pytest.approx(found.value)]
    assert "middle of its ranks" in str(found)


def test_discounts_of_whole_ranks_are_not_asked_for_ranks_between_two() -> None:
    measure = rm.nDCG(discount=[1.0, 2.0, 3.0, 4.0]) @ 4
    with pytest.raises(rm.MeasureError, match="discount is of whole ranks"):
        rm.evaluate(TARGETS, SCORES, measure, ties="midrank")


def test_a_depth_and_judged_documents_only_are_refused_together() -> None:
    with pytest.raises(rm.InputError, match='under ties="midrank", a depth cannot cut ties'):
        rm.evaluate(TARGETS, SCORES, "RR", ties="midrank", depth=2, judged_only=True)
    with pytest.raises(rm.InputError, match=r"RR\(judged_only=True\).*a depth cannot cut"):
        rm.evaluate(TARGETS, SCORES, rm.RR(judged_only=True), ties="midrank", depth=2)
