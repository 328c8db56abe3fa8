"""Leaderboards under two sets of judgments: separated pairs, the top, drops, bias, intervals."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.comparing.drawn_leaderboards import drawn_means, paired_rankings
from rankmark.comparing.leaderboard_evidence import SeparatedPairs
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


@pytest.fixture(scope="module")
def found() -> Any:
    return rm.compare_leaderboards(PEOPLE, MODEL, runs=RUNS)


def scores(labels: Labels) -> dict[str, rm.Evaluation]:
    return {name: rm.evaluate(labels, run, "nDCG@10") for name, run in RUNS.items()}


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


def test_evaluations_on_the_same_queries_show_the_same(found: Any) -> None:
    again = rm.compare_leaderboards(scores(PEOPLE), scores(MODEL), ["tau", "tauAP", "RBO", "rho"])
    assert again.evidence is not None
    assert again.evidence.separated == found.evidence.separated
    assert again.evidence.systems == found.evidence.systems
    assert again.evidence.errors is not None
    assert again.evidence.errors.mean.low == pytest.approx(found.evidence.errors.mean.low)
    assert again.evidence.intervals["tau"] == found.evidence.intervals["tau"]


def test_html_has_the_tables_of_text(found: Any) -> None:
    page = found._repr_html_()
    for head, rows in found.text_tables():
        for cell in (*head, *(cell for row in rows for cell in row)):
            assert not cell or f">{cell}</t" in page
    tau = found.evidence.intervals["tau"]
    assert f">{tau.low:.4f}</td>" in page
    assert f"{tau.low:.4f}" in str(found)


def test_scores_of_systems_are_drawn_by_one_measure(found: Any, tmp_path: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = found.plot()
    assert ax.get_xlabel() == "nDCG@10 by a"
    assert {text.get_text() for text in ax.texts} >= {"s0", "s6"}
    pyplot.close(ax.figure)
    rm.write_report(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Score of each system by a and by b" in page
    assert f"{found.evidence.intervals['tau'].low:.4f}" in page
    evaluations = {name: rm.evaluate(PEOPLE, run, ["nDCG@10", "AP"]) for name, run in RUNS.items()}
    apart = rm.compare_leaderboards(evaluations, evaluations, measure="nDCG@10", measure_b="AP")
    with pytest.raises(rm.InputError, match="the scores are nDCG@10 and AP"):
        apart.plot()
    rm.write_report(apart, tmp_path / "page.html")
    assert "<figure>" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_sentences_count_one_pair_as_one() -> None:
    pairs = SeparatedPairs(7, 3, 0, 1, 0, 15)
    made = rm.compare_leaderboards(PEOPLE, MODEL, runs=RUNS)
    assert made.evidence is not None
    told = replace(made, evidence=replace(made.evidence, separated=pairs)).summary
    assert "11 pairs of systems that differ significantly by a, 7 are confirmed" in told
    assert "and 1 is reversed (1 significantly)" in told
    one = replace(
        made, evidence=replace(made.evidence, separated=SeparatedPairs(1, 0, 0, 0, 0, 15))
    )
    assert "of 1 pair of systems that differs significantly by a, 1 is confirmed" in one.summary


def test_one_system_has_no_correlation() -> None:
    single = rm.compare_leaderboards(PEOPLE, MODEL, runs={"s0": RUNS["s0"]})
    assert "nan" not in str(single)
    assert "1 system, a by nDCG@10" in str(single)


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


def test_tops_and_drops_by_hand() -> None:
    a = {"v": 0.9, "w": 0.8, "x": 0.7, "y": 0.6, "z": 0.5, "u": 0.4}
    order = ["x", "u", "v", "w", "z", "y"]  # in b
    qrels = {f"q{at}": {"d": 1} for at in range(4)}

    def board(scores: dict[str, float]) -> dict[str, rm.Evaluation]:
        # R@1 of each query is the mean, at ranks that differ by system only.
        ranks = {name: at for at, name in enumerate(sorted(scores, key=scores.__getitem__)[::-1])}
        return {
            name: rm.evaluate(
                qrels, {q: [*(f"x{n}" for n in range(rank)), "d"] for q in qrels}, "RR"
            )
            for name, rank in ranks.items()
        }

    b = {name: 1 - at / 10 for at, name in enumerate(order)}
    found = rm.compare_leaderboards(board(a), board(b)).evidence
    assert found is not None
    assert not found.winner_kept
    assert (found.drop.system, found.drop.places) == ("u", 4)  # from 2 to 6
    assert (found.drop_of_top.system, found.drop_of_top.places) == ("u", 4)
    assert found.rank_change == pytest.approx((2 + 2 + 2 + 2 + 0 + 4) / 6)
    tops = {top.k: (top.common, top.tau.estimate) for top in found.top}
    assert tops[5][0] == 4
    assert tops[3] == (2, pytest.approx(-1 / 3))  # v w x is x v w in b


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
    own = rm.compare_leaderboards(half, PEOPLE, runs=RUNS)
    assert any(one.share_a != one.share_b for one in own.judged_shares or ())
    common = rm.compare_leaderboards(half, PEOPLE, runs=RUNS, pairs="common")
    assert all(one.score_a == one.score_b for one in common.systems)


def test_judgments_are_read_as_evaluate_reads_them() -> None:
    units = [{q: {f"{d}#0": x for d, x in of.items()} for q, of in PEOPLE.items()}, PEOPLE]
    parents = {f"{d}#0": d for d in DOCS} | {d: d for d in DOCS}
    found = rm.compare_leaderboards(units[0], units[1], runs=RUNS, qrels_parents=parents)
    assert all(one.score_a == one.score_b for one in found.systems)
    rows = [(q, d, x) for q, of in PEOPLE.items() for d, x in of.items()]
    columns = {name: [*of] for name, of in zip("xyz", zip(*rows, strict=True), strict=True)}
    names = {"query_id": "x", "doc_id": "y", "label": "z"}
    again = rm.compare_leaderboards(columns, columns, runs=RUNS, qrels_columns=names)
    assert again.systems == rm.compare_leaderboards(PEOPLE, PEOPLE, runs=RUNS).systems
    with pytest.raises(rm.InputError, match="format does not apply to these inputs"):
        rm.compare_leaderboards(PEOPLE, MODEL, runs=RUNS, qrels_format="trec")
    with pytest.raises(rm.InputError, match="the qrels are already prepared"):
        rm.compare_leaderboards(rm.Qrels(PEOPLE), MODEL, runs=RUNS, qrels_format="trec")


def test_only_queries_of_both_count(tmp_path: Path) -> None:
    found = rm.compare_leaderboards(PEOPLE | {"z": {"a": 1}}, MODEL, runs=RUNS)
    assert found.evidence is not None
    assert found.evidence.queries == 30
    listed = tmp_path / "ids.txt"
    listed.write_text("q4\nq3\n")
    for queries in (["q3", "q4"], listed):
        fewer = rm.compare_leaderboards(PEOPLE, MODEL, runs=RUNS, queries=queries)
        assert fewer.evidence is not None
        assert fewer.evidence.queries == 2
    only_people = PEOPLE | {"z": {"a": 1}}
    with pytest.raises(rm.InputError, match=r"1 requested query is not judged by both .*: 'z'"):
        rm.compare_leaderboards(only_people, MODEL, runs=RUNS, queries=["q3", "z"])
    for wrong in (None, 5, "q3"):
        with pytest.raises(rm.InputError, match="queries is"):
            rm.compare_leaderboards(PEOPLE, MODEL, runs=RUNS, queries=wrong)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"runs": RUNS, "measure_b": "AP"}, "measure_b is for evaluations"),
        ({"runs": RUNS, "queries": "both"}, 'queries="both" depends on the runs'),
        ({"runs": RUNS, "measure": "AP, RR"}, "is several measures"),
        ({"runs": RUNS, "pairs": "some"}, "pairs is 'some'"),
        ({"runs": {}}, "runs is empty"),
    ],
)
def test_wrong_options_are_refused_with_runs(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        rm.compare_leaderboards(PEOPLE, MODEL, **options)


def test_options_of_runs_need_runs() -> None:
    with pytest.raises(rm.InputError, match="ties is for runs, and none are given"):
        rm.compare_leaderboards({"s": 0.5}, {"s": 0.4}, ties="mean")


def test_judgments_without_a_common_query_are_refused() -> None:
    with pytest.raises(rm.MismatchError, match="no query is judged by both"):
        rm.compare_leaderboards(PEOPLE, {"z": {"a": 1}}, runs=RUNS)


def thirds(seed: int) -> Labels:
    """Judge 5 of the 15 documents of each query relevant, so that FallOut is linear in P."""
    generator = random.Random(seed)
    relevant = {q: set(generator.sample(DOCS, 5)) for q in QUERIES}
    return {q: {d: int(d in relevant[q]) for d in DOCS} for q in QUERIES}


def test_where_lower_is_better_the_lowest_comes_first() -> None:
    people = thirds(5)
    runs = {f"s{at}": run_of(people, at, 0.3 + 0.3 * at) for at in range(6)}
    both = {name: rm.evaluate(people, run, ["P@5", "FallOut@5"]) for name, run in runs.items()}
    found = rm.compare_leaderboards(both, both, measure="P@5", measure_b="FallOut@5")
    assert found.more_is_better == (True, False)
    assert found["tau"] == 1
    assert found.swaps == ()
    assert [one.rank_a for one in found.systems] == [one.rank_b for one in found.systems]
    falling = [one.score_b for one in found.systems]
    assert falling == sorted(falling)
    assert found.evidence.intervals["pearson"].estimate == pytest.approx(1)
    assert found.evidence.separated.other == found.evidence.separated.other_significant == 0
    assert found.evidence.separated.same_significant > 0
    assert found.p_value("tau") == pytest.approx(2 / 720)


def test_favour_is_turned_where_lower_is_better() -> None:
    people, model = thirds(5), thirds(6)
    runs = {f"s{at}": run_of(people if at else model, at, 0.5) for at in range(5)}
    one, other = (
        rm.compare_leaderboards(people, model, runs=runs, measure=measure)
        for measure in ("P@5", "FallOut@5")
    )
    favours = [[each.favour for each in found.evidence.systems] for found in (one, other)]
    assert favours[1] == pytest.approx([favour / 2 for favour in favours[0]])
    assert one.evidence.favoured[0].name == "s0"
    assert other.evidence.favoured[0].name == "s0"
    assert one.swaps[0].difference_a < 0 < one.swaps[0].difference_b
    assert other.swaps[0].difference_a < 0 < other.swaps[0].difference_b
