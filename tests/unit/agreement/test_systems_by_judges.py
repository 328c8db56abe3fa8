"""Leaderboards under two sets of judgments: separated pairs, the top, drops, bias, intervals."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.judges.agreement.system_evidence import SeparatedPairs, drawn_means, paired_rankings
from rankmark.judges.agreement.systems_by_judges import SystemsByJudges
from rankmark.similarity import kendall_tau, spearman_rho, tau_ap
from rankmark.similarity.coefficient_names import coefficient
from rankmark.statistics.resampling import sample_blocks, sample_counts

Labels = dict[str, dict[str, float]]
QUERIES = [f"q{at}" for at in range(30)]
DOCS = [f"d{at:02d}" for at in range(15)]


def drawn(seed: int) -> Labels:
    generator = random.Random(seed)
    return {q: {d: generator.choice([0, 0, 1, 2]) for d in DOCS} for q in QUERIES}


def run_of(labels: Labels, seed: int, noise: float) -> Labels:
    generator = random.Random(seed)
    return {
        q: {d: label + generator.gauss(0, noise) for d, label in of.items()}
        for q, of in labels.items()
    }


PEOPLE = drawn(1)
GENERATOR = random.Random(2)
MODEL = {
    q: {d: x if GENERATOR.random() < 0.6 else GENERATOR.choice([0, 1, 2]) for d, x in of.items()}
    for q, of in reversed(PEOPLE.items())  # in another order
}
RUNS = {f"s{at}": run_of(PEOPLE, at, 0.4 + 0.5 * at) for at in range(7)}


def systems_of(
    people: Any, model: Any, runs: Any = RUNS, measure: str = "nDCG@10", **options: Any
) -> SystemsByJudges:
    """Compare how two judges, a and b, order systems."""
    compared = rm.compare_judgments(
        people, model, runs=runs, measure=measure, names=["a", "b"], **options
    )
    assert compared.leaderboards is not None
    return compared.leaderboards


@pytest.fixture(scope="module")
def found() -> Any:
    return systems_of(PEOPLE, MODEL)


def scores(labels: Labels) -> dict[str, rm.Evaluation]:
    return {name: rm.evaluate(labels, run, "nDCG@10") for name, run in RUNS.items()}


def test_html_has_the_tables_of_text(found: Any) -> None:
    page = rm.compare_judgments(PEOPLE, MODEL, names=["a", "b"], runs=RUNS)._repr_html_()
    for table in found._grids():
        for cell in (*table.head, *(cell.text for row in table.rows for cell in row)):
            assert not cell or f">{cell}</t" in page
    tau = found.evidence.intervals["tau"]
    assert f">{tau.low:.4f}</td>" in page
    assert f"{tau.low:.4f}" in found.to_text()


def test_scores_of_systems_are_drawn(found: Any) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = found.plot()
    assert ax.get_xlabel() == "nDCG@10 by a"
    assert {text.get_text() for text in ax.texts} >= {"s0", "s6"}
    pyplot.close(ax.figure)


def test_sentences_count_one_pair_as_one(found: Any) -> None:
    def told(*counts: int) -> str:
        evidence = replace(found.evidence, separated=SeparatedPairs(*counts))
        return replace(found, evidence=evidence).summary

    several = told(7, 3, 0, 1, 0, 15)
    assert "11 pairs of systems that differ significantly by a, 7 are confirmed" in several
    assert "and 1 is reversed (1 significantly)" in several
    assert "of 1 pair of systems that differs significantly by a, 1 is confirmed" in told(
        1, 0, 0, 0, 0, 15
    )


def test_one_system_has_no_correlation() -> None:
    single = systems_of(PEOPLE, MODEL, {"s0": RUNS["s0"]})
    assert "nan" not in single.to_text()
    assert "1 system, a by nDCG@10" in single.to_text()


def test_pairs_that_change_places_are_listed_with_both_differences() -> None:
    a = {"q1": {"x": 1, "y": 0, "z": 0}, "q2": {"x": 1, "y": 0, "z": 0}}
    b = {"q1": {"x": 0, "y": 1, "z": 0}, "q2": {"x": 1, "y": 1, "z": 0}}
    runs = {"exact": {q: ["x", "y"] for q in a}, "broad": {q: ["y", "z"] for q in a}}
    found = systems_of(a, b, runs, "P@1")
    assert [(one.name, one.rank_a, one.rank_b) for one in found.systems] == [
        ("exact", 1, 2),
        ("broad", 2, 1),
    ]
    (swap,) = found.swaps
    assert (swap.rises, swap.falls) == ("broad", "exact")
    assert (swap.difference_a, swap.difference_b) == (-1.0, 0.5)
    assert "broad rises above exact: behind by 1.0000 in a, ahead by 0.5000 in b" in found.to_text()
    assert found.values == {one: found[one] for one in found.values}
    with pytest.raises(rm.MeasureError, match="WAP"):
        found["WAP"]


def test_a_tie_by_one_judge_is_no_swap() -> None:
    a = {"q1": {"x": 1, "y": 0}}
    b = {"q1": {"x": 1, "y": 1}}
    found = systems_of(a, b, {"exact": {"q1": ["x"]}, "broad": {"q1": ["y"]}}, "P@1")
    assert (found.swaps, found.ties) == ((), 1)
    assert [one.rank_b for one in found.systems] == [1, 1]


def test_tops_and_drops_by_hand() -> None:
    order_a, order_b = "vwxyzu", "xuvwzy"
    gains = [{name: 6 - at for at, name in enumerate(order)} for order in (order_a, order_b)]
    qrels = [{f"q{at}": each for at in range(4)} for each in gains]
    runs = {name: {q: [name] for q in qrels[0]} for name in order_a}
    found = systems_of(*qrels, runs, "CG@1").evidence
    assert found is not None
    assert not found.winner_kept
    assert (found.drop.system, found.drop.places) == ("u", 4)  # from 2 to 6
    assert (found.drop_of_top.system, found.drop_of_top.places) == ("u", 4)
    assert found.rank_change == pytest.approx((2 + 2 + 2 + 2 + 0 + 4) / 6)
    tops = {top.k: (top.common, top.tau.estimate) for top in found.top}
    assert tops[5][0] == 4
    assert tops[3] == (2, pytest.approx(-1 / 3))  # v w x is x v w in b


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "AP, RR"}, "is several measures"),
        ({"pairs": "some"}, "pairs is 'some'"),
        ({"runs": {}}, "runs is empty"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        systems_of(PEOPLE, MODEL, **options)


def test_where_lower_is_better_the_lowest_comes_first() -> None:
    people = thirds(5)
    runs = {f"s{at}": run_of(people, at, 0.3 + 0.3 * at) for at in range(6)}
    high, low = (systems_of(people, people, runs, measure) for measure in ("P@5", "FallOut@5"))
    assert (high.more_is_better, low.more_is_better) == (True, False)
    assert [one.name for one in low.systems] == [one.name for one in high.systems]
    rising = [one.score_b for one in low.systems]
    assert rising == sorted(rising)
    assert low.swaps == ()


def test_scores_are_those_of_evaluate(found: Any) -> None:
    people, model = scores(PEOPLE), scores(MODEL)
    for system in found.systems:
        assert system.score_a == pytest.approx(people[system.name]["nDCG@10"], abs=1e-15)
        assert system.score_b == pytest.approx(model[system.name]["nDCG@10"], abs=1e-15)
    by = [{name: one["nDCG@10"] for name, one in each.items()} for each in (people, model)]
    assert found["tau"] == kendall_tau(*by)
    assert found["tauAP"] == tau_ap(*by)
    assert found["rho"] == pytest.approx(spearman_rho(*by))
    pearson = np.corrcoef([*by[0].values()], [*by[1].values()])[0, 1]
    assert found.evidence.intervals["pearson"].estimate == pytest.approx(pearson)


def test_separated_pairs_are_those_of_compare(found: Any) -> None:
    a, b = (rm.compare(labels, RUNS, "nDCG@10").differences for labels in (PEOPLE, MODEL))
    counts = {"same_significant": 0, "same": 0, "other": 0, "other_significant": 0, "tied": 0}
    for one in a:
        (other,) = b.where(baseline=one.baseline, run=one.run)
        if one.significant:
            way = "same" if one.difference * other.difference > 0 else "other"
            counts[way + "_significant" * other.significant] += 1
    assert found.evidence.separated._asdict() == counts | {"pairs": 21}
    assert found.evidence.separated.separated > 5


def test_intervals_are_t_with_the_spread_of_draws_of_the_same_queries(found: Any) -> None:
    stats = pytest.importorskip("scipy.stats")
    people, model = (
        np.array([[of[name].per_query("nDCG@10")[q] for name in RUNS] for q in QUERIES])
        for of in (scores(PEOPLE), scores(MODEL))
    )
    values = []
    for block, samples in enumerate(sample_blocks(30, 1000)):
        for counts in sample_counts(30, samples, block, 0):
            rows = np.repeat(np.arange(30), counts.astype(int))
            means = (each[rows].mean(0).round(12) for each in (people, model))
            values.append(kendall_tau(*(dict(zip(RUNS, each, strict=True)) for each in means)))
    half = stats.t.ppf(0.975, 29) * np.std(values, ddof=1)
    one = found.evidence.intervals["tau"]
    assert one.low == pytest.approx(max(found["tau"] - half, -1))
    assert one.high == pytest.approx(min(found["tau"] + half, 1))


def test_errors_of_scores_are_over_systems(found: Any) -> None:
    a = np.array([system.score_a for system in found.systems])
    b = np.array([system.score_b for system in found.systems])
    errors = found.evidence.errors
    assert errors.mean.estimate == pytest.approx((b - a).mean())
    assert errors.rmse.estimate == pytest.approx(np.sqrt(((b - a) ** 2).mean()))
    assert errors.slope.estimate == pytest.approx(np.polyfit(a, b, 1)[0])


def test_favour_is_what_is_beyond_the_mean_of_all_systems(found: Any) -> None:
    systems = found.evidence.systems
    assert sum(one.favour for one in systems) == pytest.approx(0, abs=1e-12)
    mean = np.mean([one.difference for one in systems])
    for one in systems:
        assert one.favour == pytest.approx(one.difference - mean)
        assert one.favour_low < one.favour < one.favour_high


def test_rankings_of_many_leaderboards_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(0, 4, (50, 6)).astype(float) for _ in range(2))  # with ties
    for name in ("tau", "tauAP", "RBO", "rho"):
        one = coefficient(name)
        together = one.of(paired_rankings(a, b))
        for row in range(50):
            given = (dict(enumerate(each[row])) for each in (a, b))
            assert together[row] == pytest.approx(float(one.function(*given)), nan_ok=True)


def test_missing_scores_are_left_out_of_drawn_means() -> None:
    a = np.array([[1.0, np.nan], [0.0, 0.5]])
    (means,) = list(drawn_means(a, a, 4, 0))
    counts = sample_counts(2, 4, 0, 0)
    wanted = [row[0] / 2 for row in counts]
    assert means[0][:, 0].tolist() == wanted
    assert set(means[0][:, 1].tolist()) <= {0.0, 0.5}


def test_common_pairs_leave_only_the_labels() -> None:
    half = {q: {d: x for d, x in of.items() if d < "d08"} for q, of in PEOPLE.items()}
    own = systems_of(half, PEOPLE)
    assert any(one.share_a != one.share_b for one in own.judged_shares or ())
    common = systems_of(half, PEOPLE, pairs="common")
    assert all(one.score_a == one.score_b for one in common.systems)


def thirds(seed: int) -> Labels:
    """Judge 5 of the 15 documents of each query relevant, so that FallOut is linear in P."""
    generator = random.Random(seed)
    relevant = {q: set(generator.sample(DOCS, 5)) for q in QUERIES}
    return {q: {d: int(d in relevant[q]) for d in DOCS} for q in QUERIES}


def test_favour_is_turned_where_lower_is_better() -> None:
    people, model = thirds(5), thirds(6)
    runs = {f"s{at}": run_of(people if at else model, at, 0.5) for at in range(5)}
    one, other = (systems_of(people, model, runs, measure) for measure in ("P@5", "FallOut@5"))
    favours = [[each.favour for each in found.evidence.systems] for found in (one, other)]
    assert favours[1] == pytest.approx([favour / 2 for favour in favours[0]])
    assert one.evidence.favoured[0].name == "s0"
    assert other.evidence.favoured[0].name == "s0"
    assert one.swaps[0].difference_a < 0 < one.swaps[0].difference_b
    assert other.swaps[0].difference_a < 0 < other.swaps[0].difference_b


def test_units_are_evaluated_as_their_documents(found: Any) -> None:
    chunks = {
        name: {
            query: {f"{d}#{at}": s - at for d, s in scores.items() for at in range(2)}
            for query, scores in run.items()
        }
        for name, run in RUNS.items()
    }
    parents = {f"{d}#{at}": d for d in DOCS for at in range(2)}
    compared = rm.compare_judgments(PEOPLE, MODEL, runs=RUNS, names=["a", "b"])
    for options in ({"unit": "#"}, {"parents": parents}):
        by_unit = rm.compare_judgments(PEOPLE, MODEL, runs=chunks, names=["a", "b"], **options)
        assert by_unit.leaderboards == compared.leaderboards
        assert by_unit.system_doubts == compared.system_doubts
    assert rm.compare_judgments(PEOPLE, MODEL, runs=chunks, unit="#").settings["unit"] == "#"
    first = systems_of(PEOPLE, MODEL, chunks, unit="#", combine="mean")
    assert [one.name for one in first.systems] == [one.name for one in found.systems]


@pytest.mark.parametrize("options", [{"unit": "#"}, {"parents": {"a": "b"}}, {"combine": "sum"}])
def test_units_are_those_of_runs(options: dict[str, Any]) -> None:
    with pytest.raises(rm.InputError, match="units are retrieved by runs, and none are given"):
        rm.compare_judgments(PEOPLE, MODEL, **options)
