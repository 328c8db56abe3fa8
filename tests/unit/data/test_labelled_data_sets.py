"""A Dataset of LightGBM is judged by its labels, group by group."""

import lightgbm as lgb
import numpy as np
import pytest

import rankmark as rm

LABELS, SIZES = [1, 0, 2, 0, 1], [3, 2]
SCORES = np.array([0.3, 0.9, 0.7, 0.1, 0.2])


def data(**fields: object) -> lgb.Dataset:
    return lgb.Dataset(np.zeros((5, 1)), params={"verbose": -1}, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("constructed", [False, True])
def test_labels_and_groups_are_those_of_the_data_set(constructed: bool) -> None:
    held = data(label=LABELS, group=SIZES)
    if constructed:
        held.construct()
    wanted = rm.evaluate(np.array(LABELS), SCORES, ["RR", "nDCG"], groups=SIZES)
    found = rm.evaluate(held, SCORES, ["RR", "nDCG"])
    assert found.scores.tolist() == wanted.scores.tolist()


def test_a_data_set_without_groups_or_as_run_is_refused() -> None:
    with pytest.raises(rm.SchemaError, match=r"qrels: Dataset .*group"):
        rm.Qrels(data(label=LABELS))
    with pytest.raises(rm.SchemaError, match="which contains labels; give the scores that a model"):
        rm.Run(data(label=LABELS, group=SIZES))
