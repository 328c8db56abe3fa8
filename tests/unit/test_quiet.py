"""Within quiet, no warning is given, in this thread and in those that rankmark starts."""

import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm

QRELS, UNJUDGED = {"q": {"a": 1}}, {"q": {"x": 1.0}}
TIED = {"q": {"a": 1.0, "b": 1.0}}


def told(*kinds: Any) -> list[str]:
    """Return which warnings are given, of two that are due."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with rm.quiet(*kinds):
            rm.evaluate(QRELS, UNJUDGED, "RR")
            rm.evaluate(QRELS, TIED, "RetrievalMRR", profile="torchmetrics")
    return [type(one.message).__name__ for one in caught]


def test_warnings_are_left_out_all_or_some() -> None:
    assert told() == []
    assert told(rm.ProfileWarning) == ["RankmarkWarning"]
    assert told(rm.RankmarkWarning) == []
    with pytest.raises(rm.InputError, match="is no class of warnings"), rm.quiet(UserWarning):  # type: ignore[arg-type]
        pass
    with pytest.warns(rm.ProfileWarning, match="may differ from torchmetrics"):
        ev = rm.evaluate(QRELS, TIED, "RetrievalMRR", profile="torchmetrics")
    assert len(ev.settings["profile"]["differences"]) == 1


def test_a_quiet_function_is_quiet_each_time_and_others_are_not() -> None:
    @rm.quiet()
    def reward() -> float:
        return rm.evaluate(QRELS, UNJUDGED, "RR")["RR"]

    assert reward() == reward() == 0.0
    with pytest.warns(rm.RankmarkWarning, match="is judged for its query"):
        rm.evaluate(QRELS, UNJUDGED, "RR")


def test_it_ends_with_errors_and_does_not_reach_threads_of_others() -> None:
    with pytest.raises(rm.MeasureError), rm.quiet():
        rm.evaluate(QRELS, TIED, "nothing")
    counted: list[int] = []

    def elsewhere() -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rm.evaluate(QRELS, UNJUDGED, "RR")
        counted.append(len(caught))

    with rm.quiet():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert counted == [1]


def test_files_that_are_read_by_several_threads_are_quiet_too(tmp_path: Path) -> None:
    for name in ("a.run", "b.run", "c.run"):
        (tmp_path / name).write_text("q Q0 x 1 1.0 r\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with rm.quiet():
            rm.compare(QRELS, [tmp_path / name for name in ("a.run", "b.run", "c.run")], "RR")


def test_a_check_finds_the_same_whether_quiet_or_not(tmp_path: Path) -> None:
    path = tmp_path / "no-scores.csv"
    path.write_text("query_id,doc_id,points\nq,a,two\nq,b,one\n")
    found = rm.check(QRELS, path).to_dict()
    with rm.quiet():
        assert rm.check(QRELS, path).to_dict() == found
    assert "no-numbers" in str(found)


def test_calls_in_several_threads_keep_their_warnings_apart() -> None:
    runs = {"q": {"a": 1.0}}, UNJUDGED, {"q": {}}
    expected = [rm.check(QRELS, run).to_dict() for run in runs]
    before, usual = (warnings.filters[:], warnings.showwarning), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda n: rm.check(QRELS, runs[n % 3]).to_dict(), range(60)))
    finally:
        sys.setswitchinterval(usual)
    assert found == expected * 20
    assert (warnings.filters, warnings.showwarning) == before
