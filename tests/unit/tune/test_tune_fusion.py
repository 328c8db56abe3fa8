"""``tune_fusion`` and ``fusion_bounds``: their numbers are those of evaluating fused runs."""

from __future__ import annotations

import hashlib
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import InputError, MeasureError, MismatchError
from rankmark.measures import R
from rankmark.verbs.fuse.methods import ALL

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def collection(
    seed: int = 0, queries: int = 12
) -> tuple[dict[str, dict[str, int]], dict[str, Run]]:
    """Make judgments, and three runs with ties, missing queries and lists of one score."""
    random = np.random.default_rng(seed)
    ids = [f"d{at:02}" for at in range(30)]
    qrels = {
        f"q{at}": {ids[d]: int(random.integers(0, 4)) for d in random.choice(30, 12, replace=False)}
        for at in range(queries)
    }
    runs: dict[str, Run] = {}
    for name, levels in (("words", 5), ("vectors", 1000), ("graph", 3)):
        runs[name] = {}
        for query in [*qrels, "unjudged"]:
            if random.random() < 0.15:
                continue
            found = random.choice(30, random.integers(1, 20), replace=False)
            scores = random.integers(0, levels, len(found)) / 7
            runs[name][query] = {ids[d]: float(s) for d, s in zip(found, scores, strict=True)}
    return qrels, runs


QRELS, RUNS = collection()
TWO = {name: RUNS[name] for name in ("words", "vectors")}


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "RR(rel=2)", "Bpref", "P@5", "Judged@10"])
@pytest.mark.parametrize("ties", ["docid", "docid-asc", "mean"])
def test_a_point_has_the_scores_of_evaluating_its_fused_run(measure: str, ties: Any) -> None:
    tuned = rm.tune_fusion(QRELS, RUNS, measure, k=[1, 60], step=0.25, ties=ties, repeats=1)
    rule = "docid-asc" if ties == "docid-asc" else "docid"
    for at in range(0, len(tuned.points), 3):
        fused = rm.fuse(RUNS, **tuned.points[at].options, ties=ties)
        scores = rm.evaluate(QRELS, fused, measure, ties=rule).scores[:, 0]
        assert tuned.scores[at].tolist() == scores.tolist(), tuned.points[at]


@pytest.mark.parametrize("method", ALL, ids=str)
def test_every_method_is_tuned_to_the_bit(method: Any) -> None:
    tuned = rm.tune_fusion(
        QRELS, RUNS, "nDCG", methods=method, k=7, norms=["z", "rank"], step=0.5, depth=9, repeats=1
    )
    for at, point in enumerate(tuned.points):
        fused = rm.fuse(RUNS, **point.options, depth=9)
        assert tuned.scores[at].tolist() == rm.evaluate(QRELS, fused, "nDCG").scores[:, 0].tolist()


@pytest.mark.parametrize("given", [{"no_relevant": "skip"}, {"queries": "both"},
                                   {"queries": ["q1", "q2", "q3"]}, {"rel": 3}])  # fmt: skip
def test_conventions_are_those_of_evaluate(given: dict[str, Any]) -> None:
    qrels = QRELS | {"nothing": {"d01": 0}, "q3": {"d02": 2}}
    tuned = rm.tune_fusion(qrels, TWO, "AP", methods="RRF", k=60, folds=2, **given)
    run = rm.evaluate(qrels, rm.fuse(TWO, **tuned.best.options), "AP", **given)
    assert [*tuned.queries] == [*run.per_query("AP")]
    assert tuned.training_mean == pytest.approx(run["AP"], abs=1e-15)
    assert tuned.scores[tuned.points.index(tuned.best)].tolist() == [*run.per_query("AP").values()]


def test_queries_are_scored_alike_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"step": 0.25, "k": [1, 60], "no_relevant": "skip"}
    qrels = QRELS | {"nothing": {"d01": 0}}
    whole = rm.tune_fusion(qrels, RUNS, "AP", **given)
    monkeypatch.setattr("rankmark.verbs.fuse.judged_lists._ROWS", 25)
    parts = rm.tune_fusion(qrels, RUNS, "AP", **given)
    assert parts.to_json() == whole.to_json()


def test_what_is_deployed_is_the_best_point_on_all_queries() -> None:
    tuned = rm.tune_fusion(QRELS, RUNS, "nDCG@10")
    assert len(tuned.points) == 10 * 66 + 66
    assert rm.evaluate(QRELS, tuned.run, "nDCG@10")["nDCG@10"] == tuned.training_mean
    assert tuned.training_mean == pytest.approx(tuned.scores.mean(axis=1).max(), abs=1e-12)
    assert tuned.optimism == tuned.training_mean - np.mean(tuned.held_out_means) > 0
    assert sum(row.chosen for row in tuned.table) == 50


def test_a_held_out_score_is_that_of_what_was_chosen_without_the_query() -> None:
    tuned = rm.tune_fusion(QRELS, TWO, "nDCG@10", repeats=3)
    place = {query: at for at, query in enumerate(tuned.queries)}
    numbers = {point: at for at, point in enumerate(tuned.points)}
    for query, score in tuned.held_out.items():
        assert score == tuned.scores[numbers[tuned.held_out_points[query]], place[query]]
    evaluated = rm.evaluate(QRELS, tuned.held_out_run, "nDCG@10")
    assert evaluated.per_query("nDCG@10") == tuned.held_out
    assert tuned.held_out_mean == pytest.approx(evaluated["nDCG@10"], abs=1e-15)
    apart = [abs(mean - np.mean(tuned.held_out_means)) for mean in tuned.held_out_means]
    assert tuned.held_out_mean == tuned.held_out_means[apart.index(min(apart))]
    assert len(apart) == 3
    compared = rm.compare_scores(tuned.scores_by_run, baseline="tuned, held out")
    ours = tuned.compared.differences
    assert [row.difference for row in ours] == [row.difference for row in compared.differences]
    assert [row.p for row in ours] == [row.p for row in compared.differences]


def test_single_runs_and_untuned_fusion_have_their_own_scores() -> None:
    tuned = rm.tune_fusion(QRELS, RUNS, "AP", methods="wsum", repeats=1)
    for name, run in RUNS.items():
        assert tuned.scores_by_run[name] == rm.evaluate(QRELS, run, "AP").per_query("AP")
    untuned = rm.evaluate(QRELS, rm.fuse(RUNS, "RRF(k=60)"), "AP").per_query("AP")
    assert tuned.scores_by_run["RRF(k=60)"] == untuned


def test_weights_of_a_single_run_give_its_ranking() -> None:
    tuned = rm.tune_fusion(QRELS, {"a": RUNS["vectors"], "b": RUNS["vectors"]}, "AP", repeats=1)
    alone = rm.evaluate(QRELS, RUNS["vectors"], "AP").scores[:, 0].tolist()
    assert all(row.tolist() == alone for row in tuned.scores)
    assert tuned.best.weights == (0.5, 0.5), "all are equal, so the weights are"
    assert tuned.best.method == "RRF(k=1)"
    assert tuned.optimism == pytest.approx(0, abs=1e-15)


def test_distances_and_runs_of_other_forms_give_the_same_numbers(tmp_path: Path) -> None:
    given: dict[str, Any] = {"step": 0.25, "k": 60, "repeats": 2}
    expected = rm.tune_fusion(QRELS, TWO, "AP", **given)
    away = {q: {d: -s for d, s in scores.items()} for q, scores in TWO["vectors"].items()}
    found = rm.tune_fusion(
        QRELS, {"words": TWO["words"], "vectors": away}, "AP", lower_better=["vectors"], **given
    )
    assert found.scores.tolist() == expected.scores.tolist()
    assert found.held_out == expected.held_out
    assert rm.evaluate(QRELS, found.run, "AP")["AP"] == found.training_mean
    for name, run in TWO.items():
        rm.convert(run, tmp_path / f"{name}.run", kind="run")
    rm.convert(QRELS, tmp_path / "qrels.txt", kind="qrels")
    paths = [tmp_path / f"{name}.run" for name in TWO]
    from_files = rm.tune_fusion(tmp_path / "qrels.txt", paths, "AP", **given)
    assert from_files.to_dict()["points"] == expected.to_dict()["points"]
    columns: dict[str, list[Any]] = {"run": [], "query_id": [], "doc_id": [], "score": []}
    for name, run in TWO.items():
        for query, scores in run.items():
            columns["run"] += [name] * len(scores)
            columns["query_id"] += [query] * len(scores)
            columns["doc_id"] += [*scores]
            columns["score"] += [*scores.values()]
    assert rm.tune_fusion(QRELS, columns, "AP", **given).held_out == expected.held_out


def test_clusters_stay_together_and_seeds_repeat() -> None:
    clusters = {query: at // 3 for at, query in enumerate(QRELS)}
    given: dict[str, Any] = {"methods": "wsum", "folds": 4, "repeats": 3, "clusters": clusters}
    tuned = rm.tune_fusion(QRELS, TWO, "nDCG", **given, seed=5)
    by_cluster = {(clusters[query], point) for query, point in tuned.held_out_points.items()}
    assert len(by_cluster) == 4
    again = rm.tune_fusion(QRELS, TWO, "nDCG", **given, seed=5)
    assert again.held_out == tuned.held_out
    assert tuned.settings["clusters"] == 4


def test_a_measure_of_which_less_is_better_is_minimised() -> None:
    tuned = rm.tune_fusion(QRELS, TWO, "MeanRank", methods="wsum", repeats=1)
    assert tuned.training_mean == pytest.approx(tuned.scores.mean(axis=1).min(), abs=1e-9)
    assert tuned.optimism > -1e-12
    assert (tuned.bounds.oracle == tuned.bounds.scores.min(axis=1)).all()


def test_the_bounds_are_those_of_evaluate() -> None:
    found = rm.fusion_bounds(QRELS, RUNS, "nDCG@5")
    for at, run in enumerate(RUNS.values()):
        assert (
            found.scores[:, at].tolist() == rm.evaluate(QRELS, run, "nDCG@5").scores[:, 0].tolist()
        )
        for depth, row in zip(found.depths, found.recalls, strict=True):
            assert row[at] == pytest.approx(
                rm.evaluate(QRELS, run, R @ depth)[f"R@{depth}"], abs=1e-15
            )
    assert found.depths[-1] == max(len(of) for run in RUNS.values() for of in run.values())
    ideal = {
        query: dict.fromkeys((d for run in RUNS.values() for d in run.get(query, {})), 0.0)
        for query in QRELS
    }
    for query, documents in ideal.items():
        documents.update({d: float(QRELS[query].get(d, -1)) for d in documents})
    assert found.ideal.tolist() == rm.evaluate(QRELS, ideal, "nDCG@5").scores[:, 0].tolist()
    assert found.recalls[-1, -1] == pytest.approx(rm.evaluate(QRELS, ideal, "R")["R"], abs=1e-15)
    assert found.oracle.tolist() == found.scores.max(axis=1).tolist()


def test_the_union_at_a_depth_is_that_of_lists_cut_there() -> None:
    found = rm.fusion_bounds(QRELS, RUNS, "AP")
    for depth, row in zip(found.depths, found.recalls, strict=True):
        fused = rm.fuse(RUNS, depth=depth)
        assert row[-1] == pytest.approx(rm.evaluate(QRELS, fused, "R")["R"], abs=1e-15)
    cut = rm.fusion_bounds(QRELS, RUNS, "AP", depth=5)
    assert cut.depths[-1] == 5
    assert cut.recalls.tolist() == found.recalls[: len(cut.depths)].tolist()


def test_no_fusion_beats_the_ideal_order_of_the_union() -> None:
    tuned = rm.tune_fusion(QRELS, RUNS, "nDCG@10", repeats=1)
    assert (tuned.scores <= tuned.bounds.ideal + 1e-12).all()
    assert (tuned.bounds.oracle <= tuned.bounds.ideal + 1e-12).all()


@pytest.mark.parametrize(
    ("given", "error"),
    [({"folds": 1}, "folds"), ({"folds": 13}, "13 folds, and 12"), ({"repeats": 0}, "repeats"),
     ({"measure": "AP,nDCG"}, "one measure"), ({"measure": "nothing"}, "nothing"),
     ({"step": 0.3}, "step"), ({"ties": "nothing"}, "ties"),
     ({"runs": {"a": TWO["words"]}}, "one run"), ({"depth": 0}, "depth"),
     ({"lower_better": ["nothing"]}, "nothing"),
     ({"clusters": {"q1": 1}}, "clusters has none for"), ({"seed": -1}, "seed")],
)  # fmt: skip
def test_what_cannot_be_tuned_is_refused(given: dict[str, Any], error: str) -> None:
    call = {"qrels": QRELS, "runs": TWO, "measure": "AP"} | given
    with pytest.raises((InputError, MeasureError), match=error):
        rm.tune_fusion(**call)


@pytest.mark.parametrize("score", [math.inf, -math.inf])
def test_scores_that_fuse_refuses_are_not_tuned(score: float) -> None:
    (query, *_), words = (query for query in TWO["words"] if query in QRELS), TWO["words"]
    runs = {**TWO, "words": {**words, query: {**words[query], "extra": score}}}
    for call in (lambda **way: rm.fuse(runs, **way), lambda method: tuned(runs, method)):
        with pytest.raises(InputError, match=f"words: query '{query}' has a score that is {score}"):
            call(method="wsum")
    assert tuned(runs, "RRF").best


def test_fused_scores_that_have_no_order_are_not_tuned() -> None:
    large = {name: {q: dict.fromkeys(found, 1e+308) for q, found in run.items()}
             for name, run in TWO.items()}  # fmt: skip
    with pytest.raises(InputError, match=r"gives scores that are not finite; normalise"):
        tuned(large, "CombSUM", norms="none")


def tuned(runs: dict[str, Run], method: str, **options: Any) -> rm.TunedFusion:
    return rm.tune_fusion(QRELS, runs, "AP", methods=method, repeats=1, **options)


def test_options_of_judgments_that_are_prepared_are_refused() -> None:
    for options in ({"qrels_format": "trec"}, {"qrels_parents": {"a": "a"}}):
        with pytest.raises(InputError, match="the qrels are already prepared"):
            rm.fusion_bounds(rm.Qrels(QRELS), TWO, "AP", **options)


def test_what_was_read_is_hashed(tmp_path: Path) -> None:
    file = tmp_path / "words.json"
    file.write_text(json.dumps(TWO["words"]))
    bounds = rm.fusion_bounds(QRELS, {"words": file, "vectors": TWO["vectors"]}, "AP").to_dict()
    assert bounds["runs"]["words"]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert bounds["runs"]["vectors"]["sha256"] is bounds["qrels"]["sha256"] is None
    written = rm.tune_fusion(QRELS, TWO, "AP", repeats=1).to_dict()
    assert list(written["runs"]) == list(TWO)
    assert "qrels" in written
    assert "qrels" not in written["bounds"]


def test_nothing_is_plotted_if_no_weights_were_tuned() -> None:
    tuned = rm.tune_fusion(QRELS, TWO, "AP", step=None, repeats=1)
    with pytest.raises(InputError, match="no weights were tuned"):
        tuned.plot()


def test_no_optimism_has_no_sign() -> None:
    same = rm.tune_fusion(QRELS, {"one": TWO["words"], "other": TWO["words"]}, "AP", repeats=3)
    assert same.summary[2].endswith(": 0.0000")


def test_one_query_cannot_be_dealt_into_folds() -> None:
    (query, *_) = QRELS
    with pytest.raises(InputError, match="2 folds, and 1 query to deal into them; need two"):
        rm.tune_fusion(QRELS, TWO, "AP", folds=2, queries=[query])


def test_runs_without_judged_queries_are_refused() -> None:
    strangers = {"a": {"x": {"d": 1.0}}, "b": {"x": {"e": 1.0}}}
    for function in (rm.tune_fusion, rm.fusion_bounds):
        with pytest.raises(MismatchError, match="is judged"):
            function(QRELS, strangers)


@pytest.mark.slow
def test_results_travel_and_show_themselves() -> None:
    tuned = pickle.loads(pickle.dumps(rm.tune_fusion(QRELS, TWO, "nDCG@10", step=0.5, k=60)))
    written = json.loads(tuned.to_json())
    assert written["best"]["weights"] == dict(zip(TWO, tuned.best.weights, strict=True))
    assert written["held_out"] == tuned.held_out
    assert written["bounds"]["means"]["words"]["mean"] == tuned.bounds.means["words"]
    assert "held_out" not in tuned.to_dict(per_query=False)
    frame = tuned.to_pandas()
    assert [*frame] == ["method", "weight_words", "weight_vectors", "mean", "low", "high", "chosen"]
    assert len(frame) == len(tuned.points) == 6
    for text in (str(tuned), tuned._repr_html_()):
        assert "held out" in text
        assert "union in ideal order" in text
    assert "nDCG@10" in repr(tuned)
    assert "union in ideal order" in repr(tuned.bounds)
    assert [*tuned.bounds.to_pandas()] == ["query_id", "words", "vectors", "oracle", "ideal"]


@pytest.mark.slow
@pytest.mark.parametrize("runs", [TWO, RUNS], ids=len)
def test_pictures_show_the_means_and_the_recall(runs: dict[str, Run]) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    tuned = rm.tune_fusion(QRELS, runs, "nDCG@10", step=0.25, repeats=1)
    ax = tuned.plot()
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == 5]
    assert len(lines) == len(runs)
    at = lines[-1].get_xdata().tolist().index(0.25)
    mean = max(
        row.mean
        for row in tuned.table
        if row.weights[-1] == 0.25 and (len(runs) == 3 or row.method == "wsum")
    )
    assert lines[-1].get_ydata()[at] == mean
    assert {"tuned, held out", "RRF(k=60), untuned"} <= {
        text.get_text() for text in ax.get_legend().get_texts()
    } or len(ax.get_legend().get_texts()) == len(runs) + 2 + (len(runs) == 2)
    bounds = tuned.bounds.plot()
    assert len(bounds.get_lines()) >= len(runs) + 1
    pyplot.close("all")
