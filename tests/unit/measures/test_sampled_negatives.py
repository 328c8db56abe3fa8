"""Measures of targets among sampled items: what they are expected to be, and estimates on all."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from unit.commands import rankmark_here

ITEMS = 10_001
BV = 'Corrected(of="nDCG@10", items=10001, negatives=100)'


def run_of(ranks: list[int], items: int) -> dict[str, list[str]]:
    """List the target t of each query at its rank."""
    others = [f"d{at}" for at in range(1, items)]
    return {f"q{at}": [*others[: r - 1], "t", *others[r - 1 :]] for at, r in enumerate(ranks)}


def qrels_of(ranks: list[int]) -> dict[str, list[str]]:
    return {f"q{at}": ["t"] for at in range(len(ranks))}


def expected_of(measure: str, *, distinct: bool = False) -> rm.Measure:
    return rm.measure("Sampled")(of=measure, negatives=100, distinct=distinct)


@pytest.fixture(scope="module")
def known(shared_data: Path) -> Any:
    return json.loads((shared_data / "oracles" / "own.json").read_text())["sampled_metrics"]


def test_expected_values_are_the_known_ones(known: Any) -> None:
    ranks = [*map(int, known["values"]["AP"])]
    run = run_of(ranks, ITEMS)
    for measure, wanted in known["values"].items():
        of = measure.replace("Recall", "R")
        plain, drawn, distinct = rm.evaluate(
            qrels_of(ranks),
            run,
            [
                of,
                f'Sampled(of="{of}", negatives=100)',
                f'Sampled(of="{of}", negatives=100, distinct=True)',
            ],
        ).scores.T
        columns = [
            [row[name] for row in wanted.values()]
            for name in ("true", "sampled, with replacement", "sampled, without replacement")
        ]
        assert [plain, drawn, distinct] == [pytest.approx(one, rel=1e-9) for one in columns], of


def test_the_reversal_and_its_correction_are_the_known_ones(known: Any) -> None:
    reversal, corrected = known["reversal"], known["corrected nDCG@10"]
    of_all, expected, estimated = [], [], []
    weights = rm.evaluate(qrels_of([*range(1, 102)]), run_of([*range(1, 102)], 101), BV).scores[
        :, 0
    ]
    assert weights[:12] == pytest.approx(corrected["w for sampled rank 1..12"], rel=1e-9)
    chances = rm.measures.sampled_negatives.chances_of_ranks  # type: ignore[attr-defined]
    for system in "AB":
        ranks = reversal[f"{system} true ranks"]
        ev = rm.evaluate(
            qrels_of(ranks),
            run_of(ranks, ITEMS),
            ["nDCG@10", 'Sampled(of="nDCG@10", negatives=100)'],
        )
        of_all.append(ev["nDCG@10"])
        expected.append(ev[ev.names[1]])
        of_ranks = chances(np.array(ranks), ITEMS, 100, distinct=False)
        estimated.append((of_ranks @ weights).mean())
    assert of_all == reversal["nDCG@10 on all"] == [0.5, 0.0]
    assert expected == pytest.approx(reversal["nDCG@10 expected on 100 sampled"], rel=1e-9)
    assert estimated == pytest.approx(corrected["A, B expected"], rel=1e-9)
    assert estimated[0] > estimated[1]


@pytest.mark.parametrize("distinct", [True, False])
def test_expected_values_are_those_over_all_samples(distinct: bool) -> None:
    samples = (
        itertools.combinations(range(6), 2) if distinct else itertools.product(range(6), repeat=2)
    )
    drawn = [*samples]
    for rank in range(1, 8):
        ranks = [1 + sum(item < rank - 1 for item in sample) for sample in drawn]
        wanted = rm.evaluate(qrels_of(ranks), run_of(ranks, 3), "RR")["RR"]
        sampled = rm.measure("Sampled")(of="RR", negatives=2, distinct=distinct)
        found = rm.evaluate(qrels_of([rank]), run_of([rank], 7), sampled)
        assert found[sampled] == pytest.approx(wanted, rel=1e-12)


def test_each_list_is_sampled_from_its_own_items() -> None:
    sampled = expected_of("RR").with_parameters(negatives=3)
    run = {"q0": run_of([3], 4)["q0"], "q1": run_of([3], 9)["q0"]}
    qrels = {"q0": ["t"], "q1": ["t"]}
    ev = rm.evaluate(qrels, run, sampled)
    reward = rm.reward(qrels, sampled)
    for query, listed in run.items():
        alone = rm.evaluate({query: ["t"]}, run, sampled)[sampled]
        assert alone == ev.per_query(sampled)[query] == reward(query, listed)
        assert alone == ev.explain(query, sampled).value


def test_a_correction_that_rounding_would_decide_is_refused() -> None:
    measure = f'Corrected(of="nDCG@10", items={ITEMS}, negatives=100, gamma=0)'
    with pytest.raises(rm.MeasureError, match="gamma is 0, so that rounding would decide"):
        rm.evaluate(qrels_of([5]), run_of([5], 101), measure)


def test_corrections_err_least_of_all_weights() -> None:
    items, negatives, gamma = 40, 4, 0.3
    measure = rm.measure("Corrected")(of="RR", items=items, negatives=negatives, gamma=gamma)
    ranks = [*range(1, negatives + 2)]
    weights = rm.evaluate(qrels_of(ranks), run_of(ranks, negatives + 1), measure).scores[:, 0]
    chance = rm.measures.sampled_negatives.chances_of_ranks(  # type: ignore[attr-defined]
        np.arange(1, items + 1), items, negatives, distinct=False
    )

    def loss(weights: Any) -> float:
        mean = chance @ weights
        bias, variance = mean - 1 / np.arange(1, items + 1), chance @ weights**2 - mean**2
        return float((bias**2 + gamma * variance).sum())

    drawn = np.random.default_rng(3)
    for _ in range(50):
        assert loss(weights) < loss(weights + drawn.normal(0, 0.05, len(weights)))
    assert loss(weights) < loss(1 / np.array(ranks))


def test_an_option_adds_estimates_and_few_candidates_are_noted(tmp_path: Path) -> None:
    ranks = [*range(1, 22)]
    qrels, run = qrels_of(ranks), run_of(ranks, 101)
    ev = rm.evaluate(qrels, run, ["nDCG@10", "Judged@10"], sampled=(ITEMS, 100))
    assert ev.names == ["nDCG@10", "Judged@10", BV]
    assert ev[BV] == rm.evaluate(qrels, run, BV)[BV] < ev["nDCG@10"]
    assert ev.audit.candidates is None
    plain = rm.evaluate(qrels, run, "nDCG@10")
    assert plain.audit.candidates == 101
    assert "each list has 101 documents, one of them relevant" in str(plain)
    unlike = {**run, "q3": run["q3"][:50]}
    assert rm.evaluate(qrels, unlike, "nDCG@10").audit.candidates is None
    several = {**qrels, "q3": ["t", "d1"]}
    assert rm.evaluate(several, run, "nDCG@10").audit.candidates is None
    assert rm.evaluate(qrels_of(ranks[:5]), run_of(ranks[:5], 101), "RR").audit.candidates is None
    for name, content in (("q.json", qrels), ("r.json", run)):
        (tmp_path / name).write_text(json.dumps(content))
    files = tmp_path / "q.json", tmp_path / "r.json"
    shown = rankmark_here("evaluate", *files, "-m", "nDCG@10", "--sampled", "10001,100")
    assert BV in shown.stdout
    assert rankmark_here("evaluate", *files, "--sampled", "all").returncode == 2


def test_ranks_of_targets_suffice_and_ties_are_averaged() -> None:
    ranks = {f"q{at}": {"t": at + 1} for at in range(101)}
    alone = rm.evaluate(qrels_of([*range(101)]), ranks, BV, contents="ranks")
    listed = rm.evaluate(qrels_of([*range(101)]), run_of([*range(1, 102)], 101), BV)
    assert alone.scores.tolist() == listed.scores.tolist()
    tied = {"q0": {"t": 2.0, "d1": 2.0, **{f"d{at}": 1.0 for at in range(2, 101)}}}
    mean = rm.evaluate({"q0": ["t"]}, tied, BV, ties="mean")[BV]
    assert mean == pytest.approx(listed.scores[:2].mean(), rel=1e-12)


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("Corrected(items=10001, negatives=100)", "it does not say what it is of"),
        ('Corrected(of="nDCG@10")', "negatives is None|items is None"),
        ('Corrected(of="nDCG@10", items=100, negatives=100)', "items is 100 and negatives 100"),
        ('Corrected(of="nDCG@10", items=101, negatives=50)', "a target has rank 101"),
        ('Corrected(of="Judged@10", items=10001, negatives=100)', "more than the rank"),
        ('Corrected(of="nope", items=10001, negatives=100)', "there is no measure 'nope'"),
        ('Sampled(of="RR")', "negatives is None"),
        ('Sampled(of="RR", items=50, negatives=10)', "a target has rank 101 of 50 items"),
    ],
)
def test_what_is_missing_or_impossible_is_refused(measure: str, told: str) -> None:
    with pytest.raises(rm.MeasureError, match=told):
        rm.evaluate(qrels_of([1, 101]), run_of([1, 101], 101), measure)


def test_lists_need_one_target() -> None:
    run = run_of([3, 4], 101)
    with pytest.raises(rm.MeasureError, match=r"each list needs one relevant document.*'q1'"):
        rm.evaluate({"q0": ["t"], "q1": ["t", "d1"]}, run, BV)
    with pytest.raises(rm.MeasureError, match=r"each list needs one relevant document.*'q0'"):
        rm.evaluate({"q0": ["x"], "q1": ["t"]}, run, BV)
    missing = rm.evaluate({"q0": ["t"], "q1": ["t"], "q2": ["t"]}, run, BV)
    assert missing.per_query(BV)["q2"] == 0.0
    for wrong in (5, (1, 2, 3)):
        with pytest.raises(rm.InputError, match="need \\(items, negatives\\)"):
            rm.evaluate({"q0": ["t"]}, run, sampled=wrong)  # type: ignore[arg-type]
    with pytest.raises(rm.MeasureError, match="no measure depends on the rank"):
        rm.evaluate({"q0": ["t"]}, run, "Judged@10", sampled=(ITEMS, 100))
