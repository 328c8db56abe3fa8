"""The numbers behind pictures: what one alignment gives at many cutoffs, beside evaluate's."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.verbs.plot.evaluation_plots import best_first, by_query, in_both
from rankmark.verbs.plot.numbers_by_rank import EVERY, RECALLS, curves, ideals, judged, recalls

EXAMPLE = Path(rm.__file__).parent / "example"
QRELS, BM25, LSA, OVERLAP = (
    EXAMPLE / name for name in ("qrels.txt", "bm25.run", "lsa.run", "overlap.run")
)
CONVENTIONS: list[dict[str, Any]] = [
    {},
    {"ties": "mean"},
    {"ties": "best"},
    {"ties": "worst", "depth": 7},
    {"ties": "input", "no_relevant": "skip"},
    {"ties": "docid-asc", "no_relevant": "one"},
    {"queries": "both", "depth": 5},
    {"queries": ["q02", "q17", "q05"], "judged_only": True},
    {"ties": "mean", "depth": 4, "judged_only": True},
]
MEASURES = [
    "nDCG@3",
    "P@3",
    "R@3",
    'nDCG(gain="exp2", ideal="k")@3',
    'nDCG(ideal="uncut")@3',
    "RR(rel=2)@3",
]


def named(conventions: dict[str, Any]) -> str:
    return ",".join(f"{name}={value}" for name, value in conventions.items()) or "default"


@pytest.mark.slow
@pytest.mark.parametrize("conventions", CONVENTIONS, ids=named)
def test_a_curve_at_k_is_what_evaluate_gives_at_k(conventions: dict[str, Any]) -> None:
    ev = rm.evaluate(QRELS, OVERLAP, MEASURES, **conventions)
    found = curves([ev], ev.measures, 12, None)
    assert found.k.tolist() == list(range(1, 13))
    at = [one @ k for k in found.k.tolist() for one in ev.measures]
    wanted = rm.evaluate(QRELS, OVERLAP, at, **conventions)
    assert found.values[0].T.ravel().tolist() == [*wanted.values()]


@pytest.mark.slow
@pytest.mark.parametrize("conventions", CONVENTIONS, ids=named)
def test_the_curve_of_one_query_is_its_score_at_each_k(conventions: dict[str, Any]) -> None:
    ev = rm.evaluate(QRELS, OVERLAP, MEASURES, **conventions)
    found = curves([ev], ev.measures, 8, "q05")
    asked = [one @ k for k in found.k.tolist() for one in ev.measures]
    at = rm.evaluate(QRELS, OVERLAP, asked, **conventions)
    of_query = [at.per_query(one)["q05"] for one in at.measures]
    assert found.values[0].T.ravel().tolist() == of_query


def test_curves_tell_runs_and_how_many_queries_each_is_the_mean_of() -> None:
    evs = [rm.evaluate(QRELS, run, "P@5", queries="both") for run in (BM25, LSA)]
    found = curves(evs, evs[0].measures, None, None)
    assert found.values.shape == (2, 1, 5)
    assert found.averaged == [24, 23]
    assert found.values[:, 0, -1].tolist() == [ev["P@5"] for ev in evs]


def test_measures_over_subtopics_have_curves() -> None:
    qrels = [("q", "1", "a", 1), ("q", "2", "b", 1), ("q", "1", "c", 1), ("r", "1", "a", 1)]
    qrels = rm.Qrels(
        [dict(zip(("query_id", "subtopic", "doc_id", "label"), row, strict=True)) for row in qrels],
        subtopics=True,
    )
    run = {"q": {"c": 3.0, "a": 2.0, "b": 1.0}, "r": {"x": 2.0, "a": 1.0}}
    ev = rm.evaluate(qrels, run, "alpha_nDCG")
    found = curves([ev], ev.measures, 3, None)
    at = [rm.evaluate(qrels, run, rm.alpha_nDCG @ k) for k in (1, 2, 3)]
    assert found.values[0, 0].tolist() == [next(iter(one.values())) for one in at]
    alone = curves([ev], ev.measures, 3, "r")
    assert alone.values[0, 0].tolist() == [one.scores[1, 0] for one in at]


def test_judgments_in_groups_have_curves_but_no_ideal(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q g1 a 1\nq g1 b 0\nq g2 a 0\nq g2 b 2\nr g1 c 1\n")
    qrels = rm.Qrels(path, format="qrels_jg")
    ev = rm.evaluate(qrels, {"q": ["b", "x", "a"], "r": ["d", "c"]}, "P")
    for query, row in (("q", 0), ("r", 1)):
        found = curves([ev], ev.measures, 3, query).values[0, 0]
        at = [
            rm.evaluate(qrels, {"q": ["b", "x", "a"], "r": ["d", "c"]}, rm.P @ k) for k in (1, 2, 3)
        ]
        assert found.tolist() == [one.scores[row, 0] for one in at]
    with pytest.raises(rm.MeasureError, match="draw a curve of nDCG instead"):
        ideals([ev], rm.nDCG, 3, None)


@pytest.mark.slow
def test_a_measure_of_ones_own_has_a_curve() -> None:
    found = rm.Own("found", labels=lambda labels: float(np.nansum(labels)))
    ev = rm.evaluate({"q": {"a": 2, "b": 1}}, {"q": ["b", "x", "a"]}, [found])
    assert curves([ev], ev.measures, None, None).values.tolist() == [[[1.0, 1.0, 3.0]]]


def test_a_curve_ends_at_the_cutoff_or_where_rankings_end() -> None:
    ev = rm.evaluate(QRELS, OVERLAP, ["nDCG", "nDCG@7", "P@4"])
    short = rm.evaluate({"q": {"0": 1}}, {"q": ["1", "0", "2", "3"]}, "nDCG")
    assert curves([short], short.measures, None, None).k.tolist() == [1, 2, 3, 4]
    assert curves([ev], ev.measures[1:], None, None).k[-1] == 7
    assert curves([ev], ev.measures[1:], 3, None).k[-1] == 3
    longest = max(Counter(line.split()[0] for line in OVERLAP.read_text().splitlines()).values())
    assert curves([ev], ev.measures[:1], None, None).k[-1] == longest


def test_a_curve_goes_on_beyond_the_rankings() -> None:
    ev = rm.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, "P")
    found = curves([ev], ev.measures, 4, None)
    assert found.values[0, 0].tolist() == [1.0, 1.0, 2 / 3, 0.5]


def test_many_cutoffs_are_spaced_evenly_and_right() -> None:
    ev = rm.evaluate(QRELS, BM25, "P")
    found = curves([ev], ev.measures, 5000, None)
    assert (found.k[0], found.k[-1], len(found.k)) == (1, 5000, 400)
    at = rm.evaluate(QRELS, BM25, [rm.P @ int(k) for k in found.k[[10, 399]]])
    assert found.values[0, 0, [10, 399]].tolist() == list(at.values())


@pytest.mark.slow
@pytest.mark.parametrize("conventions", CONVENTIONS, ids=named)
@pytest.mark.parametrize(
    "name", ["nDCG", 'nDCG(gain="exp2", discount=2)', 'nDCG(ideal="k")', 'nDCG(ideal="uncut")']
)
def test_dcg_over_its_ideal_is_ndcg(conventions: dict[str, Any], name: str) -> None:
    ev = rm.evaluate(QRELS, OVERLAP, name, **conventions)
    at = rm.evaluate(QRELS, OVERLAP, ev.measures[0] @ [*range(1, 10)], **conventions)
    for query in ("q05", "q17", "q02"):
        found = ideals([ev], ev.measures[0], 9, query)
        wanted = [at.per_query(one)[query] for one in at.measures]
        assert (found.dcg[0] / found.ideal[0]).tolist() == pytest.approx(wanted, abs=1e-12)
        assert len(wanted) == 9


def test_dcg_is_averaged_over_queries_as_evaluate_does() -> None:
    ev = rm.evaluate(QRELS, BM25, "DCG@10", no_relevant="skip")
    found = ideals([ev], ev.measures[0], None, None)
    assert found.dcg[0, -1] == pytest.approx(ev["DCG@10"], abs=1e-12)
    assert found.averaged == [23]
    assert (found.ideal >= found.dcg).all()


@pytest.mark.slow
def test_the_ideal_of_what_was_retrieved_is_each_runs_own() -> None:
    name = 'nDCG(ideal="retrieved")@5'
    evs = [rm.evaluate(QRELS, run, name, depth=3) for run in (BM25, OVERLAP)]
    found = ideals(evs, evs[0].measures[0], None, None)
    assert not np.array_equal(found.ideal[0], found.ideal[1])
    unsure = rm.evaluate(QRELS, OVERLAP, 'nDCG(ideal="retrieved")@5', ties="mean", depth=3)
    with pytest.raises(
        rm.MeasureError,
        match=r'nDCG\(ideal="retrieved"\)@1: with a depth, the ideal ranking depends on the order',
    ):
        ideals([unsure], unsure.measures[0], None, None)


@pytest.mark.slow
@pytest.mark.parametrize("conventions", CONVENTIONS, ids=named)
def test_eleven_points_are_interpolated_precision(conventions: dict[str, Any]) -> None:
    eleven = [rm.IPrec(recall=recall) for recall in RECALLS[::EVERY].tolist()]
    ev = rm.evaluate(QRELS, OVERLAP, [*eleven, "IPrec"], **conventions)
    found = recalls([ev], ev.measures[-1], None, None)
    every = (len(found.recalls) - 1) // 10
    assert found.recalls[::every].tolist() == RECALLS[::EVERY].tolist()
    points = found.interpolated[0, ::every]
    assert points.tolist() == list(tuple(ev.values())[:11])
    assert points.mean() == pytest.approx(ev["IPrec"], abs=1e-12)
    assert found.raw == []
    one = recalls([ev], ev.measures[-1], None, ev.queries[0])
    ((recall, precision),) = one.raw
    assert len(recall) == len(precision)


@pytest.mark.slow
@pytest.mark.parametrize("conventions", CONVENTIONS, ids=named)
@pytest.mark.parametrize("run", [BM25, LSA, OVERLAP], ids=lambda run: run.stem)
def test_interpolated_precision_is_never_below_precision_at_a_rank(
    run: Path, conventions: dict[str, Any]
) -> None:
    """It holds its value up to the next recall, as a step: no straight line cuts a corner."""
    ev = rm.evaluate(QRELS, run, "IPrec", **conventions)
    for query in ev.queries[:4]:
        found = recalls([ev], ev.measures[0], None, query)
        ((recall, precision),) = found.raw
        steps = np.searchsorted(found.recalls, recall, side="right") - 1
        assert (found.interpolated[0][steps] >= precision - 1e-12).all(), query
        assert (np.diff(found.interpolated[0]) <= 1e-12).all()


def test_precision_at_each_rank_begins_and_ends_with_a_relevant_document() -> None:
    qrels = {"q": {"a": 1, "b": 2, "c": 2, "e": 0}}
    ev = rm.evaluate(qrels, {"q": ["x", "a", "e", "b", "y", "z"]}, "IPrec")
    found = recalls([ev], ev.measures[0], None, "q")
    recall, precision = found.raw[0]
    assert recall.tolist() == [1 / 3, 1 / 3, 2 / 3]
    assert precision.tolist() == [1 / 2, 1 / 3, 2 / 4]
    strict = recalls([ev], rm.IPrec(rel=2), None, "q")
    assert [values.tolist() for values in strict.raw[0]] == [[0.5], [0.25]]
    nothing = recalls([rm.evaluate(qrels, {"q": ["x"]}, "IPrec")], rm.IPrec, None, "q")
    assert [len(values) for values in nothing.raw[0]] == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("conventions", [{}, {"queries": "both"}, {"depth": 6}], ids=named)
@pytest.mark.parametrize("run", [BM25, LSA, OVERLAP], ids=lambda run: run.stem)
def test_the_judged_share_at_10_is_the_audits(conventions: dict[str, Any], run: Path) -> None:
    ev = rm.evaluate(QRELS, run, "Judged@10", **conventions)
    found = judged([ev], 10, None)
    assert found.judged[0, -1] == pytest.approx(ev.audit.judged_at_10, abs=1e-12)
    assert found.counted == [len(ev.queries)]


def test_shares_are_means_over_queries_down_to_each_rank() -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"c": 1}, "s": {"z": 1}}
    run = {"q": {"a": 9.0, "x": 5.0, "b": 5.0, "y": 1.0}, "r": {"u": 2.0, "v": 2.0, "c": 1.0}}
    ev = rm.evaluate(qrels, run, "P@1")
    found = judged([ev], 5, None)
    # q: a; x and b tie, one of them judged; y. r: u and v tie, neither is judged; then c.
    # Of q 1, 1/2, 2/3, 2/4 are judged, of r 0, 0, 1/3 and no more, and s is missing.
    assert found.judged[0] == pytest.approx([1 / 3, 1 / 6, 1 / 3, 5 / 18, 5 / 18])
    assert found.tied[0] == pytest.approx([0.0, 1 / 6, 2 / 9, 1 / 6, 1 / 6])
    at_each = rm.evaluate(qrels, run, [rm.Judged @ k for k in range(1, 6)])
    assert found.judged[0] == pytest.approx([*at_each.values()])
    assert judged([ev], 4, "q").tied[0].tolist() == [0.0, 1 / 2, 2 / 3, 2 / 4]
    assert judged([ev], None, "r").judged[0].tolist() == [0.0, 0.0, 1 / 3]
    cut = rm.evaluate(qrels, run, "P@1", depth=3)
    assert judged([cut], 4, "q").tied[0].tolist() == [0.0, 1 / 2, 2 / 3, 2 / 3]
    assert judged([ev], 2, "s").judged[0].tolist() == [0.0, 0.0]


def test_scores_of_runs_stand_side_by_side_by_query() -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 0}}
    first = rm.evaluate(qrels, {"q": ["a"], "s": ["a"]}, "RR", queries="both", no_relevant="skip")
    second = rm.evaluate(qrels, {"r": ["b", "a"], "q": ["b"]}, "RR", queries="both")
    scores = by_query([first, second], rm.RR)
    assert scores.queries == ["q", "r"]
    np.testing.assert_array_equal(scores.values, [[1.0, 0.0], [math.nan, 0.5]])
    assert in_both(scores).queries == ["q"]
    assert best_first(scores, more_is_better=True).queries == ["q", "r"]
    assert best_first(scores, more_is_better=False).queries == ["q", "r"]
    with pytest.raises(rm.InputError, match="for both runs"):
        in_both(by_query([first, rm.evaluate(qrels, {"r": ["a"]}, "RR", queries=["r"])], rm.RR))


def test_what_has_no_cutoff_or_no_ideal_is_refused() -> None:
    ev = rm.evaluate(QRELS, BM25, "AP")
    with pytest.raises(rm.MeasureError, match="no cutoff"):
        curves([ev], (rm.MeanRank,), 5, None)
    with pytest.raises(rm.MeasureError, match="ask for nDCG or DCG"):
        ideals([ev], rm.AP, 5, None)
    with pytest.raises(rm.MeasureError, match="ask for IPrec"):
        recalls([ev], rm.AP, 5, None)
    with pytest.raises(rm.InputError, match="query 'q99' is not among those averaged"):
        curves([ev], (rm.P,), 5, "q99")


def test_a_mean_that_is_no_number_is_refused() -> None:
    ev = rm.evaluate({"q": {"a": 0}}, {"q": ["a"]}, "nDCG@5", no_relevant="skip")
    for draw in (
        lambda: curves([ev], ev.measures, 5, None),
        lambda: ideals([ev], ev.measures[0], 5, None),
        lambda: recalls([ev], rm.IPrec, 5, "q"),
        lambda: by_query([ev], ev.measures[0]),
    ):
        with pytest.raises(rm.InputError, match="value"):
            draw()


def test_nothing_is_kept_with_the_judgments() -> None:
    qrels = rm.Qrels(QRELS)
    ev = rm.evaluate(qrels, BM25, "nDCG@10")
    known = {key: len(ideal[2]) for key, ideal in qrels._ideals.items()}
    curves([ev], ev.measures, 50, None)
    kept = {key: len(ideal[2]) for key, ideal in qrels._ideals.items()}
    assert all(kept[key] == known.get(key, 0) for key in kept)
