"""Weights of documents: gains times weights, from every form, in every function."""

import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import rankmark as rm
from unit.commands import rankmark_here

RUN = {
    "u1": ["c", "d", "e"],
    "u2": ["b", "d", "e"],
    "u3": ["d", "c", "e"],
    "u4": ["b", "c", "e"],
    "u5": ["a", "d", "e"],
}
QRELS = {"u1": {"c": 1}, "u2": {"b": 1, "e": 1}, "u3": {"e": 1}, "u4": {"c": 1}, "u5": {"d": 1}}
WEIGHTS = {"a": 1.0, "b": 4 / 3, "c": 2.0, "d": 4.0, "e": 4.0}
ROWS = pd.DataFrame(
    [(user, item, 1, WEIGHTS[item]) for user, items in QRELS.items() for item in items],
    columns=["user_id", "item_id", "label", "price"],
)
NAMES = ["PSnDCG@2", "PSP@2", "weighted_recall@2", "IPSRBP@2", "CG(weighted=True)@2"]


def expected(rel: dict[str, float], ranking: list[str], gain: Callable[[float], float]) -> Any:
    """Return the five values from the definitions, for one user."""
    worth = {item: gain(label) * WEIGHTS[item] for item, label in rel.items()}
    found = [worth.get(item, 0.0) for item in ranking][:2]
    best = sorted(worth.values(), reverse=True)

    def dcg(gains: list[float]) -> float:
        return sum(one / math.log2(rank + 1) for rank, one in enumerate(gains[:2], 1))

    binary = {item: WEIGHTS[item] * (label >= 1) for item, label in rel.items()}
    hits = [binary.get(item, 0.0) for item in ranking][:2]
    rbp = 0.15 * sum(one * 0.85**above for above, one in enumerate(hits))
    whole = sum(binary.values())
    if not whole:
        return [0.0] * 5
    return [
        dcg(found) / dcg(best),
        sum(found) / sum(best[:2]),
        sum(hits) / whole,
        rbp / whole,
        sum(found),
    ]


@pytest.mark.parametrize("gain", ["linear", "exp2"])
def test_values_are_those_of_the_definitions_also_of_graded_labels(gain: str) -> None:
    drawn = np.random.default_rng(7)
    items = [*WEIGHTS]
    run = {f"u{at}": drawn.permutation(items).tolist() for at in range(20)}
    qrels = {u: dict(zip(items, drawn.integers(0, 4, 5).tolist(), strict=True)) for u in run}
    measures = [
        rm.measure(name)(gain=gain) if name[:2] in {"PS", "CG"} else rm.measure(name)
        for name in NAMES
    ]
    ev = rm.evaluate(qrels, run, measures, document_weights=WEIGHTS)
    by_hand: dict[str, Callable[[float], float]] = {"linear": float, "exp2": lambda x: 2.0**x - 1}
    wanted = [expected(qrels[user], run[user], by_hand[gain]) for user in run]
    assert ev.scores == pytest.approx(np.array(wanted), rel=1e-12)


def test_figures_of_propensities_are_right(shared_data: Path) -> None:
    known = json.loads((shared_data / "oracles" / "own.json").read_text())["propensity"]["values"]
    for case, wanted in known.items():
        gamma, k = float(case.split()[1].rstrip(",")), int(case.split()[-1])
        popularity = {"a": 4, "b": 3, "c": 2, "d": 1, "e": 1}
        weights = {item: (n / 4) ** (-(gamma + 1) / 2) for item, n in popularity.items()}
        assert weights == pytest.approx(wanted["weights"])
        names = [f"weighted_recall@{k}", f"IPSRBP@{k}"]
        ev = rm.evaluate(QRELS, RUN, names, document_weights=weights)
        assert ev.per_query(names[0]) == pytest.approx(wanted["per user"], rel=1e-12)
        recall, rbp, *pooled = (
            wanted[name]
            for name in sorted(wanted, key=lambda name: ("pool" in name, name))
            if name not in {"per user", "weights"}
        )
        assert [ev[name] for name in names] == pytest.approx(sorted((recall, rbp))[::-1])
        of_users = {user: sum(weights[item] for item in items) for user, items in QRELS.items()}
        whole = rm.evaluate(QRELS, RUN, names[0], document_weights=weights, weights=of_users)
        assert [whole[names[0]]] == pytest.approx(pooled, rel=1e-12)


def forms(folder: Path) -> dict[str, dict[str, Any]]:
    lines, table, of_pairs = folder / "w.txt", folder / "w.csv", folder / "w.json"
    lines.write_text("".join(f"{item} {weight}\n" for item, weight in WEIGHTS.items()))
    table.write_text("item_id,w\n" + "".join(f"{i},{w}\n" for i, w in WEIGHTS.items()))
    of_pairs.write_text(json.dumps(WEIGHTS))
    judged = folder / "q.csv"
    judged.write_text(ROWS.to_csv(index=False))
    nested = {user: {item: WEIGHTS[item] for item in items} for user, items in QRELS.items()}
    return {
        "mapping": {"qrels": QRELS, "document_weights": WEIGHTS},
        "by query": {"qrels": QRELS, "document_weights": nested},
        "series": {"qrels": QRELS, "document_weights": pd.Series(WEIGHTS)},
        "frame": {"qrels": QRELS, "document_weights": ROWS[["user_id", "item_id", "price"]]},
        "lines": {"qrels": QRELS, "document_weights": lines},
        "csv": {"qrels": QRELS, "document_weights": table},
        "json": {"qrels": QRELS, "document_weights": of_pairs},
        "column": {"qrels": ROWS, "qrels_columns": {"weight": "price"}},
        "column of a file": {"qrels": judged, "qrels_columns": {"weight": "price"}},
        "rows": {
            "qrels": iter(ROWS.to_dict("records")),
            "qrels_columns": {"weight": "price"},
        },
        "prepared": {
            "qrels": pickle.loads(pickle.dumps(rm.Qrels(QRELS, document_weights=WEIGHTS)))
        },
    }


def test_every_form_gives_the_same(tmp_path: Path) -> None:
    wanted = [expected(QRELS[user], RUN[user], float) for user in RUN]
    for form, given in forms(tmp_path).items():
        ev = rm.evaluate(run=RUN, measures=NAMES, **given)
        assert ev.scores == pytest.approx(np.array(wanted), rel=1e-12), form
        if form != "rows":
            assert ev.explain("u2", "PSnDCG@2").value == ev.per_query("PSnDCG@2")["u2"], form


def test_arrays_have_a_weight_for_each_column() -> None:
    labels = np.array([[0, 0, 1, 0, 0], [0, 1, 0, 0, 1]])
    scores = np.array([[0.1, 0.2, 0.9, 0.8, 0.7], [0.1, 0.9, 0.2, 0.8, 0.7]])
    weights = np.array([*WEIGHTS.values()])
    wanted = [expected(QRELS[user], RUN[user], float) for user in ("u1", "u2")]
    for form in (np.asarray, sp.csr_matrix):
        ev = rm.evaluate(form(labels), form(scores), NAMES, document_weights=weights)
        assert ev.scores == pytest.approx(np.array(wanted), rel=1e-12)


def test_it_reaches_every_function(tmp_path: Path) -> None:
    other = {user: ranking[::-1] for user, ranking in RUN.items()}
    ev = rm.evaluate(QRELS, RUN, ["PSnDCG@2", "nDCG@2"], document_weights=WEIGHTS)
    weighted, plain = ev.names
    assert ev[plain] == rm.evaluate(QRELS, RUN, "nDCG@2")["nDCG@2"]
    found = rm.compare(QRELS, {"a": RUN, "b": other}, "PSnDCG@2", document_weights=WEIGHTS)
    assert found.evaluations["a"][weighted] == ev[weighted]
    gated = rm.gate(QRELS, RUN, other, "PSnDCG@2", max_drop=0.1, document_weights=WEIGHTS)
    assert f"{ev[weighted]:.4f}" in gated.to_text()
    explained = rm.explain(QRELS, RUN, "u2", "IPSRBP@2", document_weights=WEIGHTS)
    assert math.fsum(row["contribution"] or 0.0 for row in explained.rows) == pytest.approx(
        explained.value
    )
    reward = rm.reward(rm.Qrels(QRELS, document_weights=WEIGHTS), ["PSnDCG@2", "nDCG@2"])
    assert reward("u2", RUN["u2"]).tolist() == list(ev.scores[1])
    tied = rm.evaluate(
        QRELS,
        {user: dict.fromkeys(ranking, 1.0) for user, ranking in RUN.items()},
        "PSP@2",
        document_weights=WEIGHTS,
        ties="mean",
    )
    assert tied.per_query("PSP@2")["u2"] == pytest.approx(2 / 3)
    with pytest.raises(rm.MeasureError, match="weighted measures"):
        _ = ev.bounds
    judged = forms(tmp_path)["column of a file"]["qrels"]
    run = tmp_path / "r.json"
    run.write_text(json.dumps(RUN))
    for option in (["--document-weights", tmp_path / "w.txt"], ["--qrels-column", "weight=price"]):
        shown = rankmark_here("evaluate", judged, run, "-m", "PSnDCG@2", *option)
        assert f"{ev[weighted]:.4f}" in shown.stdout


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ({"b": 1.0, "c": 1.0}, "3 of 6 judged documents have no weight: 'e', 'd'"),
        ({**WEIGHTS, "c": 0}, "document 'c' has the weight 0; need a number above 0"),
        ({**WEIGHTS, "c": -1.0}, "document 'c' has the weight -1"),
        ({**WEIGHTS, "c": math.nan}, "2 of 6 judged documents have no weight: 'c'"),
        ({**WEIGHTS, "c": math.inf}, "document 'c' has the weight inf"),
        ({**WEIGHTS, "c": "2"}, "document 'c' has the weight '2'"),
        (3, "document_weights is 3"),
        (ROWS, "its columns are"),
        (
            pd.DataFrame({"item_id": ["c", "c"], "w": [1, 2]}),
            "document 'c' has two weights, 1 and 2",
        ),
    ],
)
def test_wrong_weights_are_refused_by_name(weights: Any, told: str) -> None:
    with pytest.raises(rm.InputError, match=told):
        rm.evaluate(QRELS, RUN, "PSP@2", document_weights=weights)


def test_weights_and_weighted_measures_need_each_other() -> None:
    with pytest.raises(rm.MeasureError, match="it needs weights of documents"):
        rm.evaluate(QRELS, RUN, "PSP@2")
    with pytest.raises(rm.InputError, match="none of these measures uses them: 'nDCG@2'"):
        rm.evaluate(QRELS, RUN, "nDCG@2", document_weights=WEIGHTS)
    with pytest.raises(rm.InputError, match="none of these measures uses them"):
        rm.evaluate(ROWS, RUN, "nDCG@2", qrels_columns={"weight": "price"})
    with pytest.raises(rm.MeasureError, match="weights take the place of grades"):
        rm.measure("RBP(weighted=True, max_rel=3)")
    with pytest.raises(rm.MeasureError, match="has no parameter"):
        rm.measure("AP(weighted=True)")


def test_in_a_call_labels_are_gains_with_their_weights() -> None:
    assert rm.measure("PSP@2")([0, 2.5, 1], missed=[4]) == pytest.approx(2.5 / 6.5)
