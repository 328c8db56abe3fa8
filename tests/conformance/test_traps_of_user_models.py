"""Traps that tools fall into with user models and tied scores, and who."""

import importlib.util
from pathlib import Path

import pytest
from sklearn import metrics

import rankmark as rm
from rankmark import AP, ERR, RBP

cwl_eval = pytest.mark.skipif(
    importlib.util.find_spec("cwl") is None, reason="cwl_eval is not installed"
)


def test_levels_that_nobody_judged_do_not_scale_the_gains_of_rbp() -> None:
    # Trap 5: trec_eval 10 scales by the gains of all levels to the highest, whether any document
    # has them, and starts from values that it never sets.
    query = RBP(max_rel="query")
    assert query([1, 3]) == pytest.approx(0.1 * (1 / 3 + 0.9))
    assert query([1, 1]) == RBP([1, 1])
    assert RBP(p=0.9, max_rel=3)([1, 3]) == query([1, 3])


def test_a_first_document_of_label_one_is_no_certain_find_at_a_scale_of_four() -> None:
    # Trap 12: gdeval, and ir_measures through it, have the greatest label 4 whatever the labels.
    assert ERR([1]) == 0.0625
    assert ERR(max_rel=1)([1]) == 0.5


def test_query_ids_need_not_be_numbers_for_expected_reciprocal_rank() -> None:
    # Trap 12: gdeval takes numbers alone, and prints five decimals.
    found = rm.evaluate({"one": {"a": 2, "b": 1}}, {"one": {"b": 2.0, "a": 1.0}}, ERR)[ERR]
    assert found == 1 / 16 + 15 / 16 * 3 / 16 / 2
    assert found != round(found, 5)


@cwl_eval
def test_average_precision_is_not_divided_by_the_hits_unless_asked() -> None:
    # Trap 14: cwl_eval's AP divides by the hits of the ranking, although its comment says R.
    from cwl.ruler.measures.cwl_ap import APCWLMetric
    from cwl.ruler.ranking import Ranking

    ranking = Ranking("q", [1.0, 0.0], [1.0, 1.0])
    ranking.total_qrel_rels = 2.0
    assert APCWLMetric().measure(ranking) == pytest.approx(1.0)
    assert AP([1, 0], missed=[1]) == 0.5
    assert AP(norm="hits")([1, 0], missed=[1]) == 1.0


def test_rbp_never_exceeds_one() -> None:
    # Trap 16: ranx multiplies raw labels, and gives 1.75 for 3 and 1 at p = 0.5.
    assert RBP(p=0.5)([3, 1]) == 0.75
    assert 3 * RBP(p=0.5, max_rel=3)([3, 1]) == 1.75
    with pytest.raises(rm.MeasureError, match="label 3 is above max_rel=1"):
        RBP(max_rel=1)([3, 1])


def test_a_tied_pair_is_half_found_where_ties_stand_together() -> None:
    # Trap 23: scikit-learn's AP of a tied pair is 0.5, its label-ranking AP of nothing relevant 1.
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    one = AP(ties="together")
    assert rm.evaluate(qrels, run, one)[one] == 0.5
    assert metrics.average_precision_score([1, 0], [1.0, 1.0]) == 0.5
    nothing = {"q": {"a": 0, "b": 0}}
    assert rm.evaluate(nothing, run, one)[one] == 0
    assert rm.evaluate(nothing, run, one, no_relevant="one")[one] == 1
    assert metrics.label_ranking_average_precision_score([[0, 0]], [[1.0, 1.0]]) == 1


def test_scores_of_zero_and_less_are_scores(shared_data: Path) -> None:
    # Trap 24: torchmetrics takes no document for relevant whose prediction is not above 0.
    qrels = shared_data / "trec_eval-test" / "qrels.test"
    rows = [
        line.split()
        for line in (shared_data / "trec_eval-test" / "results.test").read_text().splitlines()
    ]
    run: dict[str, dict[str, float]] = {}
    below: dict[str, dict[str, float]] = {}
    for query_id, _, doc_id, _, score, _ in rows:
        run.setdefault(query_id, {})[doc_id] = float(score)
        below.setdefault(query_id, {})[doc_id] = float(score) - 2.0**20
    measures = [AP(ties="together"), rm.AUC, rm.RankingLoss, RBP, ERR, rm.INST]
    ev = rm.evaluate(qrels, run, measures)
    assert min(min(scores.values()) for scores in below.values()) < 0
    assert rm.evaluate(qrels, below, measures).scores == pytest.approx(ev.scores, abs=1e-6)
