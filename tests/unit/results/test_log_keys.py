"""Keys of measures for experiment trackers: accepted, readable, and one for each measure."""

import contextlib
import re
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import pytest

import rankmark as rm
from rankmark.measures import ALL
from rankmark.results.log_keys import log_key, logged
from unit.results.made_results import NEW, QRELS, RESULTS, made

ACCEPTED = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,200}")
"""What the strictest trackers take: Weights & Biases and TensorBoard; MLflow takes 250 letters."""
VALUES = [
    *(0, 1, 2, 10, 100, 1000, 0.1, 0.01, 0.5, 0.05, 0.8, 0.95, 1.5, 2.0, 10.5, 1e-7, 1.5e-7, 2e16),
    *(-1, -2, -0.5, -1e-9, 5e99, True, False, [0.1], [0.1, 0.2], [0.2, 0.1, 1], [0, 1, 3], [1, 2]),
    *({0: 0, 1: 1}, {0: 0, 1: 11}, {1: 1, "other": "linear"}, {0: 0, 1: 1, 2: 3}, {0.1: 1}),
    *("query", "log2", "exp2", "linear", "binary"),
]


def values_of(measure: Any, name: str) -> list[Any]:
    """Return some values that a parameter allows, its words among them."""
    parameter = {**measure.parameters, **measure.common}[name]
    words = re.findall(r'"([\w-]+)"', parameter.allowed)
    found = {}
    for value in [*VALUES, *words]:
        try:
            found[str(parameter.check(value))] = value
        except (ValueError, TypeError, OverflowError):
            continue
    return [*found.values()]


def variants(measure: Any) -> Iterator[Any]:
    """Yield a measure with each value of each parameter, and some of each two parameters."""
    values = {name: values_of(measure, name) for name in (*measure.parameters, *measure.common)}
    yield measure
    for names in (*combinations(values, 1), *combinations(values, 2)):
        for chosen in product(*(values[name][:: 3 * len(names) - 2] for name in names)):
            with contextlib.suppress(rm.MeasureError):  # such as a cutoff below a list of discounts
                yield measure.with_parameters(**dict(zip(names, chosen, strict=True)))


@pytest.mark.slow
def test_each_measure_with_parameters_has_a_key_of_its_own() -> None:
    names = {str(variant) for measure in ALL for variant in variants(measure)}
    keys = {name: log_key(name) for name in names}
    assert len({*keys.values()}) == len(keys) > 10_000
    assert all(map(ACCEPTED.fullmatch, keys.values()))
    folded = {key.lower() for key in keys.values()}  # MLflow writes files of these names
    assert len(folded) == len(keys)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("nDCG@10", "nDCG_at_10"),
        ("AP(rel=2)", "AP_rel_2"),
        ("RBP(p=0.8)@100", "RBP_p_0_8_at_100"),
        ('AP(judged_only=True, ties="docid-asc")', "AP_judged_only_True_ties_docid_asc"),
        ("alpha_nDCG(alpha=0.3)@20", "alpha_nDCG_alpha_0_3_at_20"),
        ("Utility(noise=-0.5)", "Utility_noise_minus_0_5"),
        ("nDCG(discount=1.5e+16)", "nDCG_discount_1_5e_plus_16"),
        ("my_own_score", "my_own_score"),
    ],
)
def test_keys_of_numbers_and_words_are_names_without_punctuation(name: str, key: str) -> None:
    assert log_key(name) == key


@pytest.mark.parametrize(
    "names",
    [
        ("first label", "first-label", "first_label", "first  label"),
        ("π", "measure", "", "@", "1", "2", "é" * 300, "a" * 300, "a" * 301),
        ("nDCG(discount=[1, 2])", "nDCG(discount=[1.2])", "nDCG(discount=1.2)"),
        ("AP\n", "AP", "AP ", "AP(", "AP()"),
    ],
)
def test_keys_of_any_names_are_accepted_and_differ(names: tuple[str, ...]) -> None:
    keys = [*map(log_key, names)]
    assert all(map(ACCEPTED.fullmatch, keys))
    assert len({*keys}) == len(names)


def test_two_names_of_one_result_never_share_a_key() -> None:
    # Nothing forbids an own measure such a name.
    found = logged({"AP(rel=2)": 0.25, "AP_rel_2": 0.5, "RR": 1.0})
    assert [*found.values()] == [0.25, 0.5, 1.0]
    assert [*found][2] == "RR"
    assert all(re.fullmatch("AP_rel_2_[0-9a-f]{8}", key) for key in [*found][:2])


def test_a_prefix_stands_before_each_key() -> None:
    ev = rm.evaluate(QRELS, NEW, ["nDCG@10", "AP(rel=2)"])
    assert ev.to_log("test/") == {
        "test/nDCG_at_10": ev["nDCG@10"],
        "test/AP_rel_2": ev["AP(rel=2)"],
    }


def test_every_result_that_maps_names_to_numbers_can_be_logged() -> None:
    # To name each in a parameter, every worker would make all results before it has any test.
    several = {name: found for name in RESULTS if hasattr(found := made(name), "to_log")}
    assert len(several) > 5
    for name, found in several.items():
        assert [*found.to_log().values()] == [*found.values()], name
        assert all(map(ACCEPTED.fullmatch, found.to_log())), name


@pytest.mark.filterwarnings("ignore")  # of MLflow's own libraries
def test_mlflow_takes_all_keys(tmp_path: Any, monkeypatch: Any) -> None:
    mlflow = pytest.importorskip("mlflow")
    names = [str(variant) for measure in ALL for variant in [measure, *variants(measure)][:40:8]]
    values = {name: at / 8 for at, name in enumerate(dict.fromkeys(names))}
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path.as_posix()}/runs.db")
    with mlflow.start_run() as run:
        with pytest.raises(mlflow.exceptions.MlflowException, match="Invalid value"):
            mlflow.log_metrics({"nDCG@10": 0.5})
        for at in range(0, len(values), 500):  # as many as it takes at once
            mlflow.log_metrics(logged(dict([*values.items()][at : at + 500])))
    kept = mlflow.MlflowClient().get_run(run.info.run_id).data.metrics
    assert kept == logged(values)
