"""Expected, best and worst values are those of all orders of tied documents, one by one."""

import random
import statistics
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from conformance.agreement import agrees
from conformance.cases import OVER_LABELS, Case, cases_of, stem_of
from conformance.every_order import every_order
from conformance.reference.gains import Label
from conformance.reference.ranking import Scored
from generators.effort import examples
from generators.random_collections import LABELS, dice
from generators.trec_files import Dress, write_qrels, write_run

OVER_ALL = {"mean": statistics.fmean, "best": max, "worst": min}
DOC_IDS = ("a", "b", "c", "d", "e", "f")


# Made once, as a strategy is checked when it is first drawn from.
LENGTHS = st.integers(1, 5)
THREE_SCORES = st.integers(1, 3)


@st.composite
def tied_rankings(draw: st.DrawFn) -> tuple[dict[str, float], dict[str, float]]:
    """Give judgments and a run of one query, at most five documents with at most three scores."""
    thrown, scores = draw(dice), draw(THREE_SCORES)
    retrieved = thrown.sample(DOC_IDS, draw(LENGTHS))
    known = [*DOC_IDS, "x", "y"]
    judged = thrown.sample(known, thrown.randint(1, len(known)))
    return (
        {doc_id: thrown.choice(LABELS) for doc_id in judged},
        {doc_id: float(thrown.randrange(scores)) for doc_id in retrieved},
    )


@cache
def one_case(stem: str) -> st.SearchStrategy[Case]:
    """Give a strategy for a variant of a measure."""
    return st.sampled_from(cases_of(stem))


@cache
def several_cases(stem: str) -> st.SearchStrategy[list[Case]]:
    """Give a strategy for some variants of a measure."""
    return st.lists(one_case(stem), min_size=1, max_size=8, unique_by=str)


conventions = st.fixed_dictionaries(
    {}, optional={"depth": st.sampled_from([1, 2, 3, 4]), "judged_only": st.booleans()}
)


def values_over(orders: Iterable[tuple[Scored, list[Label]]], case: Case) -> list[float]:
    """Give the value of each order; many have the same labels, and are computed once."""
    known: dict[tuple[Any, ...], float] = {}
    values = []
    for ranking, missed in orders:
        key = (*ranking, "scores", *ranking.scores, "missed", *missed)
        if key not in known:
            known[key] = case.value(ranking, missed)
        values.append(known[key])
    return values


@pytest.mark.parametrize("stem", sorted(map(stem_of, OVER_LABELS)))
@examples(24)
@given(ranking=tied_rankings(), conventions=conventions, data=st.data())
def test_a_rule_without_an_order_is_what_all_orders_say(
    stem: str,
    ranking: tuple[dict[str, float], dict[str, float]],
    conventions: dict[str, Any],
    data: st.DataObject,
) -> None:
    judged, run = ranking
    cases = data.draw(several_cases(stem))
    qrels = {"other": {"a": 2.0}, "q": judged, "last": {"b": 1.0}}
    runs = {"other": {"a": 1.0, "b": 1.0}, "q": run}
    orders = list(every_order(judged, run, **conventions))
    values_of = [values_over(orders, case) for case in cases]
    for rule, over_all in OVER_ALL.items():
        measures = [case.ours for case in cases]
        ev = rm.evaluate(qrels, runs, measures, ties=rule, **conventions)  # type: ignore[arg-type]
        assert ev.sampling_errors == {}
        for case, values in zip(cases, values_of, strict=True):
            wanted = over_all([v if case.ours.more_is_better else -v for v in values])
            wanted = wanted if case.ours.more_is_better else -wanted
            found = ev.per_query(case.ours)["q"]
            agrees("reference", case.ours, found, wanted, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("stem", sorted(map(stem_of, OVER_LABELS)))
@examples(16)
@given(
    ranking=tied_rankings(),
    conventions=conventions,
    ties=st.sampled_from(["docid", "docid-asc", "input", "mean", "best", "worst"]),
    data=st.data(),
)
def test_the_tie_interval_holds_the_values_of_all_orders(
    stem: str,
    ranking: tuple[dict[str, float], dict[str, float]],
    conventions: dict[str, Any],
    ties: Any,
    data: st.DataObject,
) -> None:
    judged, run = ranking
    case = data.draw(one_case(stem))
    ev = rm.evaluate({"q": judged}, {"q": run}, case.ours, ties=ties, **conventions)
    values = values_over(every_order(judged, run, **conventions), case)
    wanted = case.summary([min(values)]), case.summary([max(values)])
    assert ev.tie_interval[str(case.ours)] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    low, high = ev.tie_interval[str(case.ours)]
    assert low - 1e-12 <= ev[case.ours] <= high + 1e-12


@pytest.mark.parametrize("stem", sorted(map(stem_of, OVER_LABELS)))
@examples(8)
@given(ranking=tied_rankings(), data=st.data())
def test_where_nothing_ties_every_rule_gives_the_same_bits(
    stem: str, ranking: tuple[dict[str, float], dict[str, float]], data: st.DataObject
) -> None:
    judged, run = ranking
    run = {doc_id: -float(place) for place, doc_id in enumerate(run)}
    case = data.draw(one_case(stem))
    found = [
        rm.evaluate({"q": judged}, {"q": run}, case.ours, ties=rule).scores.tobytes()  # type: ignore[arg-type]
        for rule in ("docid", "mean", "best", "worst")
    ]
    assert len(set(found)) == 1


RULES = ("docid", "docid-asc", "input", "mean", "best", "worst")


@pytest.fixture(scope="module")
def mostly_tied(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Give judgments and a run, of which 99.5% of the documents tie, as mappings and as files.

    As input.rutcor03100 of TREC 2003 Robust, whose scores are small whole numbers.
    """
    dice = random.Random(2003)
    qrels, run = {}, {}
    for query_id in ("303", "304", "305", "601"):
        doc_ids = [f"FT{number:04}" for number in range(200)]
        dice.shuffle(doc_ids)
        scores = [9.0, *sorted((float(dice.randint(1, 4)) for _ in doc_ids[1:]), reverse=True)]
        run[query_id] = dict(zip(doc_ids, scores, strict=True))
        judged = dice.sample(doc_ids, 60)
        qrels[query_id] = {doc_id: float(dice.choice([0, 0, 0, 1, 2])) for doc_id in judged}
    folder = tmp_path_factory.mktemp("tied")
    files = (
        write_qrels(folder / "qrels", qrels, Dress()),
        write_run(folder / "run", run, Dress()),
    )
    return qrels, run, files


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RR", "AP@100", "R@100", "Rprec"])
def test_six_rules_for_a_run_that_nearly_all_ties_give_six_values(
    mostly_tied: Any, name: str
) -> None:
    qrels, run, files = mostly_tied
    values = {rule: rm.evaluate(qrels, run, name, ties=rule)[name] for rule in RULES}
    assert len(set(values.values())) == len(RULES)
    assert values["worst"] == min(values.values())
    assert values["best"] == max(values.values())
    ev = rm.evaluate(qrels, run, name)
    assert ev.audit.tied_share == pytest.approx(0.995, abs=0.01)
    assert ev.tie_interval[name] == pytest.approx((values["worst"], values["best"]), rel=1e-12)
    for rule in RULES:
        from_files = rm.evaluate(*files, name, ties=rule)  # type: ignore[arg-type]
        assert from_files[name] == values[rule], rule


@pytest.mark.parametrize(
    "name", ["AP", "nDCG@10", "RR@10", "Success@5", "R@100", "Rprec", "ERR@10", "nERR", "RBP"]
)
def test_the_mean_of_drawn_orders_comes_close_to_the_expected_value(
    mostly_tied: Any, name: str
) -> None:
    qrels, run, _ = mostly_tied
    dice = random.Random(1)
    drawn = []
    for _ in range(200):
        shuffled = {}
        for query_id, scores in run.items():
            documents = list(scores)
            dice.shuffle(documents)
            shuffled[query_id] = {doc_id: scores[doc_id] for doc_id in documents}
        drawn.append(rm.evaluate(qrels, shuffled, name, ties="input")[name])
    error = statistics.stdev(drawn) / len(drawn) ** 0.5
    ev = rm.evaluate(qrels, run, name, ties="mean")
    assert ev.sampling_errors == {}
    expected = ev[name]
    assert abs(statistics.fmean(drawn) - expected) < 4 * error


@pytest.mark.parametrize("name", ['AP(norm="hits")@10', 'AP(norm="hits")@50', 'AP(norm="hits")'])
def test_how_many_are_found_is_weighed_where_the_order_decides_it(
    mostly_tied: Any, name: str
) -> None:
    qrels, run, _ = mostly_tied
    values = {rule: rm.evaluate(qrels, run, name, ties=rule) for rule in RULES}
    assert values["mean"].sampling_errors == {}
    means = [values[rule][name] for rule in ("worst", "docid", "mean", "input", "best")]
    assert min(means) == means[0] < means[-1] == max(means)


def test_finding_one_alone_may_be_the_best_order_for_the_precision_of_those_found() -> None:
    # The first three ranks are taken: one found at rank 1 makes 1, and a second at rank 3 would
    # make (1 + 2/3) / 2. The number of orders is too great for all of them to be tried.
    judged = {"top": 1.0, "low": 0.0} | {f"d{n:02}": float(n < 5) for n in range(30)}
    run = {"top": 3.0, "low": 2.0} | {f"d{n:02}": 1.0 for n in range(30)}
    name = 'AP(norm="hits")@3'
    ev = rm.evaluate({"q": judged}, {"q": run}, name, ties="best")
    assert ev[name] == 1.0
    assert ev.tie_interval[name] == pytest.approx((5 / 6, 1.0))
    mean = rm.evaluate({"q": judged}, {"q": run}, name, ties="mean")
    assert mean[name] == pytest.approx(5 / 30 * 5 / 6 + 25 / 30)
