"""Several runs where one is needed, measures where a run is: the message that its author needs."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmark as rm

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
RUN = {"q1": {"a": 0.5}, "q2": {"c": 0.5}}
FRAME = pd.DataFrame({"qid": ["q1"], "docid": ["a"], "score": [0.5]})
EXAMPLE = Path(rm.__file__).parent / "example"
FILE = EXAMPLE / "bm25.run"


@pytest.mark.parametrize(
    "runs",
    [
        [RUN, RUN],
        (RUN, RUN),
        [FILE, FILE],
        [str(FILE), str(FILE)],
        ["bm25.run", "lsa.run"],
        [rm.Run(RUN), rm.Run(RUN)],
        [FRAME, FRAME],
        [np.ones((2, 3)), np.ones((2, 3))],
    ],
)
def test_a_list_of_runs_is_answered_with_compare(runs: Any) -> None:
    with pytest.raises(rm.SchemaError) as caught:
        rm.evaluate(QRELS, runs, "RR")
    assert "run is a list of 2 runs; evaluate takes one run" in str(caught.value)
    assert "rm.compare(qrels, " in str(caught.value)


@pytest.mark.parametrize("run", [RUN, FILE, str(FILE), rm.Run(RUN), FRAME, "no/such.run"])
def test_a_mapping_of_runs_is_answered_with_compare(run: Any) -> None:
    with pytest.raises(rm.SchemaError) as caught:
        rm.evaluate(QRELS, {"bm25": run, "lsa": run}, "RR")
    assert "run is a mapping of 2 runs: 'bm25', 'lsa'" in str(caught.value)
    assert "rm.compare(qrels, runs) evaluates several" in str(caught.value)


def test_what_may_be_one_run_is_refused_for_what_it_is() -> None:
    with pytest.raises(rm.SchemaError, match="need a number"):
        rm.evaluate(QRELS, {"q1": {"a": "text"}}, "RR")
    with pytest.raises(rm.InputError, match="there is no such file"):
        rm.evaluate(QRELS, "no.run", "RR")


@pytest.mark.parametrize("measures", [["Recall@20"], "AP", rm.AP, [rm.nDCG @ 5, "RR"], ("AP",)])
def test_measures_in_the_place_of_a_run_are_named(measures: Any) -> None:
    with pytest.raises(rm.InputError, match=r"check takes runs here; give .*: measures=\['"):
        rm.check(QRELS, RUN, measures)


def test_a_file_may_be_called_like_a_measure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("AP").write_text("q1 Q0 a 1 0.5 t\n")
    assert rm.check(QRELS, "AP").files[1].name == "AP"


@pytest.mark.parametrize(
    ("runs", "call"),
    [
        ([RUN, RUN], "rm.check(qrels, *runs)"),
        ({"a": FILE}, "rm.check(qrels, *runs.values())"),
        ([str(FILE)], "rm.check(qrels, *runs)"),
    ],
)
def test_check_takes_runs_one_by_one(runs: Any, call: str) -> None:
    with pytest.raises(rm.InputError) as caught:
        rm.check(QRELS, runs)
    assert call in str(caught.value)
