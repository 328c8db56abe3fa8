"""Measures of the documents of one slice."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmark as rm
from unit.commands import rankmark_here

RUN = {"u1": ["c", "d", "e"], "u2": ["b", "d", "e"], "u3": ["d", "c", "e"]}
QRELS = {"u1": {"c": 1, "a": 0}, "u2": {"b": 2, "e": 1}, "u3": {"e": 3, "d": -1}}
STRATA = {"a": "head", "b": "head", "c": "tail", "d": "tail", "e": "tail"}
NAMES = ["R@2", "AP", "nDCG@3", "RR", "P@2", "Bpref", "ERR@3", "RBP"]


def among(name: str, part: str = "tail") -> rm.Measure:
    return rm.measure(name)(among=part)


@pytest.mark.parametrize("ties", ["docid", "mean", "worst"])
def test_values_are_those_of_judgments_with_others_not_relevant(ties: Any) -> None:
    run = {user: dict(zip(items, (2, 1, 1), strict=True)) for user, items in RUN.items()}
    for part in ("head", "tail"):
        own = {
            user: {i: x if STRATA[i] == part else min(x, 0) for i, x in labels.items()}
            for user, labels in QRELS.items()
        }
        found = rm.evaluate(
            QRELS, run, [among(name, part) for name in NAMES], document_slices=STRATA, ties=ties
        )
        wanted = rm.evaluate(own, run, NAMES, ties=ties)
        assert found.scores.tolist() == wanted.scores.tolist()
        plain = rm.evaluate(QRELS, run, [*NAMES, among("RR")], document_slices=STRATA, ties=ties)
        assert (
            plain.scores[:, :-1].tolist()
            == rm.evaluate(QRELS, run, NAMES, ties=ties).scores.tolist()
        )


def test_every_form_and_function_takes_slices(tmp_path: Path) -> None:
    measure = among("R@2")
    wanted = rm.evaluate(QRELS, RUN, measure, document_slices=STRATA)[measure]
    assert wanted == pytest.approx(1 / 3)
    lines = tmp_path / "slices.txt"
    lines.write_text("".join(f"{item}\t{part}\n" for item, part in STRATA.items()))
    pairs = {user: {item: STRATA[item] for item in items} for user, items in QRELS.items()}
    table = pd.DataFrame({"item_id": [*STRATA], "stratum": [*STRATA.values()]})
    document, rows = tmp_path / "slices.json", tmp_path / "slices.jsonl"
    document.write_text(json.dumps(STRATA))
    table.to_json(rows, orient="records", lines=True)
    for given in (lines, pairs, table, pd.Series(STRATA), document, rows):
        assert rm.evaluate(QRELS, RUN, measure, document_slices=given)[measure] == wanted
    prepared = rm.Qrels(QRELS, document_slices=STRATA)
    assert rm.evaluate(prepared, RUN, measure)[measure] == wanted
    assert rm.explain(prepared, RUN, "u2", measure).value == 0.0
    assert rm.reward(prepared, measure)("u1", RUN["u1"]) == 1.0
    compared = rm.compare(prepared, {"a": RUN, "b": RUN}, [measure])
    assert compared.evaluations["a"][measure] == wanted
    (tmp_path / "q.json").write_text(json.dumps(QRELS))
    (tmp_path / "r.json").write_text(json.dumps(RUN))
    files = tmp_path / "q.json", tmp_path / "r.json"
    shown = rankmark_here("evaluate", *files, "-m", str(measure), "--document-slices", lines)
    assert f"{wanted:.4f}" in shown.stdout


def test_weights_apply_within_a_slice() -> None:
    weights = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0, "e": 5.0}
    measure = rm.measure('CG(weighted=True, among="tail")@3')
    found = rm.evaluate(QRELS, RUN, measure, document_slices=STRATA, document_weights=weights)
    assert found.scores[:, 0].tolist() == [3.0, 5.0, 15.0]
    assert rm.measure(str(measure)) == measure


@pytest.mark.parametrize(
    ("measure", "slices", "told"),
    [
        ('R(among="x")@2', STRATA, "no judged document is in the slice 'x'"),
        ('R(among="tail")@2', None, "it needs slices of documents"),
        ("R@2", STRATA, "none of these measures uses them"),
        ('R(among="tail")@2', {"a": "tail"}, "5 of 6 judged documents have no slice: 'c'"),
        ('R(among="tail")@2', STRATA | {"c": np.nan}, "of 6 judged documents have no slice: 'c'"),
        ('R(among="tail")@2', STRATA | {"c": ""}, "of 6 judged documents have no slice: 'c'"),
        ('Hole(among="tail")@2', STRATA, "does not look at labels alone"),
    ],
)
def test_what_is_missing_is_refused(measure: str, slices: Any, told: str) -> None:
    with pytest.raises(rm.RankmarkError, match=told):
        rm.evaluate(QRELS, RUN, measure, document_slices=slices)
