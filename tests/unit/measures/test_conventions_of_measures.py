"""``ties`` and ``no_relevant`` of one measure: the number of an evaluation with this rule."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark import AP, RR, P, R, nDCG
from rankmark.conventions import NO_RELEVANT, TIES
from unit.commands import rankmark_here

QRELS = {
    "q1": {"a": 2, "b": 1, "c": 0, "d": 1, "e": 2},
    "q2": {"a": 0, "b": 0, "c": 1, "d": 2},
    "q3": {"a": 1},
    "q4": {"a": 0, "b": 0},
}
RUN = {
    "q1": {"b": 9.0, "x": 9.0, "a": 9.0, "c": 6.0, "d": 6.0},
    "q2": {"a": 9.0, "d": 9.0, "y": 7.0, "x": 7.0, "c": 7.0},
    "q4": {"b": 3.0, "a": 1.0},
}
OTHER = {query: dict(reversed(row.items())) for query, row in RUN.items()}
MEASURES = (nDCG @ 3, AP, RR, P @ 2, R(judged_only=True) @ 3, rm.Hole @ 3, AP(aggregate="gmean"))
RULES = [rule for rule in TIES if rule not in {"error", "rank", "midrank"}]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    rows = [f"{q} 0 {d} {label}" for q, row in QRELS.items() for d, label in row.items()]
    qrels.write_text("\n".join(rows) + "\n")
    ranked = [(q, d, n, row[d]) for q, row in RUN.items() for n, d in enumerate(reversed(row), 1)]
    run.write_text("".join(f"{q} Q0 {d} {n} {score} tag\n" for q, d, n, score in ranked))
    return str(qrels), str(run)


def same(one: Any, other: Any) -> None:
    """Compare floats to the bit, in which NaN is itself."""
    np.testing.assert_array_equal(np.asarray(one), np.asarray(other), strict=True)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [None, 2])
@pytest.mark.parametrize("no_relevant", NO_RELEVANT)
@pytest.mark.parametrize("ties", RULES)
def test_each_measure_has_the_number_that_the_convention_gives_all(
    ties: Any, no_relevant: Any, depth: Any
) -> None:
    whole = rm.evaluate(QRELS, RUN, MEASURES, ties=ties, no_relevant=no_relevant, depth=depth)
    own = [measure(ties=ties, no_relevant=no_relevant) for measure in MEASURES]
    usual = rm.evaluate(QRELS, RUN, MEASURES, depth=depth)
    mixed = rm.evaluate(QRELS, RUN, [*own, *MEASURES], depth=depth)
    same(mixed.scores[:, : len(own)], whole.scores)
    same(mixed.scores[:, len(own) :], usual.scores)
    same([*mixed.values()], [*whole.values(), *usual.values()])
    same([*rm.evaluate(QRELS, RUN, own, depth=depth).values()], [*whole.values()])
    for measure, plain in zip(own, MEASURES, strict=True):
        assert mixed.per_query(measure) == pytest.approx(whole.per_query(plain), abs=0, nan_ok=True)
        assert mixed.tie_interval[str(measure)] == pytest.approx(
            whole.tie_interval[str(plain)], abs=0, nan_ok=True
        )


@pytest.mark.parametrize("ties", [*RULES, "rank"])
def test_every_verb_has_the_same_number(ties: Any, files: tuple[str, str]) -> None:
    qrels, run = files
    whole = rm.evaluate(qrels, run, "nDCG@3", ties=ties)
    measures = [nDCG(ties=ties) @ 3, "nDCG@3"]
    name = f'nDCG(ties="{ties}")@3'
    assert str(measures[0]) == name
    ev = rm.evaluate(qrels, run, measures)
    assert ev[name] == whole["nDCG@3"]
    compared = rm.compare(qrels, {"one": run, "other": run}, measures)
    assert compared["one"][name] == whole["nDCG@3"]
    for query, value in whole.per_query("nDCG@3").items():
        assert ev.explain(query, name).value == value
        assert rm.explain(qrels, run, query, name).value == value
        assert rm.evaluate(qrels, run, "RR").explain(query, name).value == value
    accumulator = rm.Accumulator(measures)
    accumulator.update(qrels, run)
    assert accumulator.result()[name] == pytest.approx(whole["nDCG@3"], abs=1e-15)
    assert accumulator.result().per_query(name) == whole.per_query("nDCG@3")
    asked = ["-m", name, "-m", "nDCG@3"]
    printed = json.loads(rankmark_here("evaluate", qrels, run, *asked, "--format", "json").stdout)
    assert printed["runs"][0]["scores"][name] == whole["nDCG@3"]
    gate = rm.gate(qrels, run, run, name, "nDCG@3", max_drop=0.1, unchanged="pass")
    assert [one.decision.baseline for one in gate.conditions] == [ev[name], ev["nDCG@3"]]


def test_records_of_several_rules_can_be_verified(files: tuple[str, str], tmp_path: Path) -> None:
    asked = ["-m", "RR(ties=worst)", "-m", "RR", "--record", tmp_path / "record"]
    assert rankmark_here("evaluate", *files, *asked).returncode == 0
    assert rm.verify(tmp_path / "record")


def test_scorers_and_gates_from_files_take_them(files: tuple[str, str], tmp_path: Path) -> None:
    labels, scores = np.array([[0, 1], [1, 0]]), np.array([[1.0, 1.0], [1.0, 1.0]])

    class Same:
        def predict(self, x: Any) -> Any:
            return x

    given = rm.scorer(["RR(ties=best)", "RR(ties=mean)", "RR(ties=worst)"])(Same(), scores, labels)
    assert [*given.values()] == [1.0, 0.75, 0.5]
    config = tmp_path / "gate.toml"
    config.write_text("[[conditions]]\nmeasure = 'RR(ties=\"best\")'\nmax_drop = 0.9\n")
    gate = rm.gate(files[0], files[1], files[1], config=config, unchanged="pass")
    whole = rm.evaluate(*files, "RR", ties="best")
    assert gate.conditions[0].decision.baseline == whole["RR"]


def test_reconcile_looks_for_conventions_and_refuses_those_of_a_measure() -> None:
    with pytest.raises(rm.MeasureError, match='ties="best"'):
        rm.reconcile(QRELS, RUN, "AP(ties=best)", "0.5")


def test_a_query_that_a_run_lacks_is_explained_by_rank_too(files: tuple[str, str]) -> None:
    assert rm.explain(*files, "q3", "AP", ties="rank").value == 0.0


def test_streams_are_read_once_for_several_rules(files: tuple[str, str]) -> None:
    measures = ["RR(ties=worst)", "RR(ties=best)", "RR"]
    qrels, run = files
    expected = dict(rm.evaluate(qrels, run, measures))
    with Path(qrels).open("rb") as judgments, Path(run).open("rb") as ranked:
        assert dict(rm.evaluate(judgments, ranked, measures)) == expected
    assert expected['RR(ties="worst")'] < expected["RR"] < expected['RR(ties="best")']


def test_documents_seen_before_are_left_out_under_every_rule() -> None:
    seen = {"q1": ["x", "c"], "q2": ["a"]}
    whole = rm.evaluate(QRELS, RUN, AP, ties="best", seen=seen)
    mixed = rm.evaluate(QRELS, RUN, [RR, AP(ties="best")], seen=seen)
    assert mixed['AP(ties="best")'] == whole["AP"]


def test_a_rule_that_refuses_ties_concerns_its_measure_only() -> None:
    with pytest.raises(rm.InputError, match="tied"):
        rm.evaluate(QRELS, RUN, [RR, AP(ties="error")])
    ev = rm.evaluate(QRELS, RUN, [RR(ties="best"), AP(ties="docid")], ties="error")
    assert ev['AP(ties="docid")'] == rm.evaluate(QRELS, RUN, AP)["AP"]


def test_a_profile_applies_to_what_the_measure_does_not_say() -> None:
    chosen: Any = {"profile": "sentence-transformers"}
    measures = [RR(ties="worst") @ 3, "mrr@3", AP(no_relevant="one")]
    with rm.quiet(rm.ProfileWarning):
        whole = rm.evaluate(QRELS, OTHER, RR @ 3, ties="worst", **chosen)
        usual = rm.evaluate(QRELS, OTHER, "mrr@3", **chosen)
        mixed = rm.evaluate(QRELS, OTHER, measures, **chosen)
    assert mixed['RR(ties="worst")@3'] == whole["RR@3"]
    assert mixed["mrr@3"] == usual["mrr@3"]
    assert mixed.conventions.of(AP(no_relevant="one")).ties == "docid-asc"


def test_the_settings_show_them_and_the_line_of_conventions_does_not_repeat_them() -> None:
    ev = rm.evaluate(QRELS, RUN, [AP(ties="best"), RR])
    assert ev.settings["of_measures"] == {'AP(ties="best")': {"ties": "best"}}
    assert str(ev.conventions) == "queries=judged ties=docid no_relevant=zero"
    assert rm.evaluate(QRELS, RUN, AP(ties="best")).conventions.ties == "best"
    assert rm.evaluate(QRELS, RUN, [AP(ties="docid"), RR]).conventions.of_measures == ()


def test_a_value_that_is_left_out_is_in_no_mean_of_its_measure_only() -> None:
    measures = [nDCG(no_relevant="skip") @ 3, nDCG(no_relevant="nan") @ 3, nDCG @ 3]
    skip, nan, zero = rm.evaluate(QRELS, RUN, measures).values()
    assert skip == pytest.approx(zero * 4 / 3)
    assert np.isnan(nan)


def test_a_single_ranking_has_them_too() -> None:
    assert AP(no_relevant="one")([0, 0]) == AP(no_relevant="one").explain([0, 0]).value == 1.0
    assert AP(no_relevant="one")([0, 1]) == 0.5
    assert np.isnan(AP(no_relevant="skip")([0, 0]))
    assert AP(ties="worst")([0, 1]) == 0.5


def test_they_are_parameters_like_others() -> None:
    one = AP(no_relevant="skip", ties="input", rel=2) @ 10
    assert str(one) == 'AP(rel=2, ties="input", no_relevant="skip")@10'
    two = nDCG(no_relevant="skip", ties="input", judged_only=True)
    assert str(two) == 'nDCG(judged_only=True, ties="input", no_relevant="skip")'
    assert hash(two) == hash(nDCG(judged_only=True)(ties="input")(no_relevant="skip"))
    for each in (one, two):
        assert rm.measure(str(each)) == each == pickle.loads(pickle.dumps(each))
        assert hash(rm.measure(str(each))) == hash(each)
    assert nDCG(ties=None) == nDCG == two(ties=None, no_relevant=None, judged_only=False)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("AP(ties=no)", 'ties is \'no\'; need one of "apart", "together", "docid"'),
        ("nDCG(ties=together)", "ties is 'together'; need one of \"docid\""),
        ("AUC(ties=input)", 'ties is \'input\'; need one of "half", "wrong"'),
        ("P(no_relevant=no)@5", "no_relevant is 'no'; need one of \"zero\""),
    ],
)
def test_other_words_are_refused(name: str, what: str) -> None:
    with pytest.raises(rm.MeasureError, match=what):
        rm.measure(name)
