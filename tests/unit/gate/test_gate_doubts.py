"""Whether ties or unjudged documents could turn the verdict of a gate."""

import pytest

import rankmark as rm
from unit.gate.gated_runs import BETTER, OLD, WORSE, gate, judged, run_of


def test_ties_that_decide_are_told_from_harmless_ones() -> None:
    tied = {query: dict.fromkeys(docs, 1.0) for query, docs in run_of(OLD).items()}
    (found,) = gate(tied, max_drop=0.3).conditions
    worst, best = found.could_be["ties"]
    assert (worst, best) == ("does not hold", "holds")
    (note,) = [one for one in gate(tied, max_drop=0.3).notes if one.startswith("tied scores")]
    assert note.startswith("tied scores: another order of them could turn the verdict: RR into")
    one = run_of(BETTER)
    one["q0"] = dict.fromkeys(one["q0"], 1.0)
    harmless = gate(one)
    assert harmless.conditions[0].could_be == {"ties": ("holds", "holds")}
    assert "tied scores: another order of them cannot change the verdict" in harmless.notes
    assert gate(run_of(BETTER)).conditions[0].could_be == {}


@pytest.mark.slow
def test_judgments_that_decide_are_told_if_bounds_are_asked_for() -> None:
    result = gate(run_of(WORSE), bounds=True)
    assert result.conditions[0].could_be["unjudged"][0] == "does not hold"
    assert any(one.startswith("unjudged documents: judging them") for one in result.notes)
    assert "unjudged" not in gate(run_of(WORSE)).conditions[0].could_be


def test_the_worst_and_the_best_case_are_turned_where_lower_is_better() -> None:
    tied = {query: dict.fromkeys(docs, 1.0) for query, docs in run_of(OLD).items()}
    result = rm.gate(judged(), run_of(OLD), tied, "MeanRank", max_drop=3, max_query_drop=9)
    worst, best = result.conditions[0].could_be["ties"]
    assert (worst, best) == ("does not hold", "holds")
