"""Weights of queries in the means of an evaluation."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.commands import rankmark_here

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
RUN = {"q1": {"a": 2.0}, "q2": {"x": 2.0, "b": 1.0}, "q3": {"x": 1.0}}
OTHER = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 2.0}, "q3": {"x": 1.0}}
WEIGHTS = {"q1": 3, "q2": 1, "q3": 0}


def forms(folder: Path) -> list[Any]:
    import pandas as pd
    import polars as pl

    lines = "".join(f"{query} {weight}\n" for query, weight in WEIGHTS.items())
    (folder / "weights.txt").write_text(lines)
    columns = {"query_id": [*WEIGHTS], "weight": [*WEIGHTS.values()]}
    return [
        WEIGHTS,
        str(folder / "weights.txt"),
        folder / "weights.txt",
        pd.Series(WEIGHTS),
        pd.DataFrame(columns),
        pl.DataFrame(columns),
    ]


def test_means_are_weighted_whatever_form_the_weights_have(tmp_path: Path) -> None:
    for weights in forms(tmp_path):
        ev = rm.evaluate(QRELS, RUN, ["RR", "NumRet"], weights=weights)
        assert ev["RR"] == (3 * 1.0 + 1 * 0.5) / 4, weights
        assert ev["NumRet"] == (3 * 1 + 1 * 2) / 4, "a weighted count is a mean"
        assert ev.settings["weights"] == WEIGHTS


def test_a_weighted_geometric_mean_is_that_of_scores_repeated_so_often() -> None:
    ev = rm.evaluate(QRELS, RUN, ["GMAP"], weights={"q1": 3, "q2": 1, "q3": 0})
    assert ev["GMAP"] == pytest.approx((1.0**3 * 0.5) ** (1 / 4), rel=1e-14)


def test_every_function_gives_weighted_means_to_the_bit() -> None:
    measures = ["RR", "AP", "nDCG@10", "NumRet", "GMAP"]
    weights = {"q1": 0.3, "q2": 0.7, "q3": 1.9}
    one = rm.evaluate(QRELS, RUN, measures, weights=weights)
    two = rm.evaluate(QRELS, OTHER, measures, weights=weights)
    compared = rm.compare(QRELS, {"a": RUN, "b": OTHER}, measures, weights=weights)
    assert compared["a"] == dict(one)
    given = rm.compare(None, {"a": one, "b": two}, measures)
    assert given["a"] == dict(one)
    assert str(given.differences) == str(compared.differences)
    gated = rm.gate(QRELS, RUN, OTHER, "RR", max_drop=0.5, weights=weights)
    assert gated.conditions[0].decision.baseline == pytest.approx(one["RR"], rel=1e-14)
    assert rm.gate(None, one, two, "RR", max_drop=0.5).conditions == gated.conditions
    assert one.aggregate("RR") == one["RR"]


def test_a_query_without_a_value_has_no_weight_either() -> None:
    qrels = {**QRELS, "q4": {"z": 0}}
    weights = {**WEIGHTS, "q4": 100}
    ev = rm.evaluate(qrels, RUN, "RR", no_relevant="skip", weights=weights)
    assert ev["RR"] == 3.5 / 4
    assert rm.evaluate(qrels, RUN, "RR", weights=weights)["RR"] == 3.5 / 104


def test_the_audit_says_what_weighted_queries_are_worth_and_which_weights_were_not_used() -> None:
    ev = rm.evaluate(QRELS, RUN, "RR", weights={**WEIGHTS, "q8": 2, "q9": 1})
    assert ev.audit.effective == 4**2 / (3**2 + 1**2)
    assert ev.audit.unused_weights == ("q8", "q9")
    assert "means are weighted: 3 queries are worth 1.6 of equal weight" in str(ev)
    assert "2 weights are of queries that are not averaged: 'q8', 'q9'" in str(ev)
    assert ev.to_dict()["audit"]["unused_weights"] == ["q8", "q9"]


def test_bounds_and_tie_intervals_are_weighted_too() -> None:
    tied = {"q1": {"a": 1.0, "x": 1.0}, "q2": {"b": 1.0}, "q3": {"c": 1.0}}
    ev = rm.evaluate(QRELS, tied, "RR", weights={"q1": 3, "q2": 1, "q3": 0})
    assert ev.tie_interval["RR"] == ((3 * 0.5 + 1) / 4, 1.0)
    low, high = ev.bounds["RR"]
    assert low <= ev["RR"] <= high


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"q1": 1}, r"averaged queries without a weight: 2, 'q2', 'q3'"),
        (dict.fromkeys(QRELS, 0), "all weights are 0"),
        ({**WEIGHTS, "q1": -1}, "the weight of query 'q1' is -1; need a finite number from 0"),
        ({**WEIGHTS, "q1": "much"}, "the weight of query 'q1' is 'much'"),
        ({**WEIGHTS, "q1": 1e308}, r"'q1' is 1e\+308; need a finite number from 0 to 1e\+100"),
    ],
)
def test_weights_that_will_not_do_are_refused(weights: Any, said: str) -> None:
    with pytest.raises(rm.InputError, match=said):
        rm.evaluate(QRELS, RUN, "RR", weights=weights)


def test_evaluations_with_different_weights_are_not_compared() -> None:
    one = rm.evaluate(QRELS, RUN, "RR", weights=WEIGHTS)
    two = rm.evaluate(QRELS, OTHER, "RR")
    with pytest.raises(rm.MismatchError, match="evaluated with different weights"):
        rm.compare(None, {"a": one, "b": two})
    assert one != rm.evaluate(QRELS, RUN, "RR")
    with pytest.raises(rm.InputError, match="power treats all queries alike"):
        rm.power(None, one, rm.evaluate(QRELS, OTHER, "RR", weights=WEIGHTS))


def test_the_command_weights_means_and_records_the_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    Path("a.run").write_text("q1 Q0 a 1 2 t\nq2 Q0 x 1 2 t\nq2 Q0 b 2 1 t\n")
    Path("weights").write_text("q1 3\nq2 1\nq9 1\n")
    command = ["evaluate", "qrels", "a.run", "-m", "RR", "--weights", "weights"]
    done = rankmark_here(*command, "--record", "record.json")
    assert done.stdout.splitlines()[1].split() == ["a", "0.8750"]
    assert "2 queries are worth 1.6 of equal weight" in done.stdout
    assert "1 weight is of queries that are not averaged: 'q9'" in done.stdout
    assert rankmark_here("verify", "record.json").returncode == 0
    Path("weights").write_text("q1 1\nq2 1\n")
    assert rankmark_here("verify", "record.json").returncode == 3
    found = json.loads(rankmark_here(*command, "--format", "json").stdout)
    assert found["runs"][0]["scores"] == {"RR": 0.75}
