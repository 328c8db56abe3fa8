"""A query that a source names counts in every form, and nothing at all is told in every form."""

import gzip
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import rankmark as rm

LABELS = np.array([[1, 0], [0, 0], [0, 1]])
RUN = {"0": ["0", "1"], "1": ["0"], "2": ["0", "1"]}
NAMED: dict[str, Callable[[], Any]] = {
    "dict of dicts": lambda: {"0": {"0": 1}, "1": {}, "2": {"1": 1}},
    "dict of sets": lambda: {"0": {"0"}, "1": set(), "2": {"1"}},
    "dict of lists": lambda: {"0": ["0"], "1": [], "2": ["1"]},
    "dict of pairs": lambda: {"0": [("0", 1)], "1": [], "2": [("1", 1)]},
    "lists": lambda: [["0"], [], ["1"]],
    "dense": lambda: LABELS,
    "masked": lambda: np.ma.masked_equal(LABELS, 0),
    "csr": lambda: sp.csr_matrix(LABELS),
    "csc": lambda: sp.csc_array(LABELS),
    "coo": lambda: sp.coo_matrix(LABELS),
    "ids": lambda: rm.Qrels(np.array([[0], [-1], [1]]), contents="ids"),
    "JSON": lambda: io.BytesIO(b'{"0": {"0": 1}, "1": {}, "2": {"1": 1}}'),
    "JSONL": lambda: io.BytesIO(
        b'{"qid": "0", "docs": ["0"]}\n{"qid": "1", "docs": []}\n{"qid": "2", "docs": ["1"]}\n'
    ),
}


@pytest.mark.parametrize("form", NAMED)
def test_a_query_without_judged_documents_counts(form: str) -> None:
    ev = rm.evaluate(NAMED[form](), RUN, ["RR", "R@2"])
    assert ev.queries == ("0", "1", "2")
    assert tuple(ev.values()) == (0.5, 2 / 3)
    assert (ev.audit.judged, ev.audit.without_relevant) == (3, 1)
    skipped = rm.evaluate(NAMED[form](), RUN, ["RR", "R@2"], no_relevant="skip")
    assert tuple(skipped.values()) == (0.75, 1.0)


NOTHING: dict[str, Callable[[], Any]] = {
    "dict": dict,
    "list": list,
    "generator": lambda: iter(()),
    "frame": lambda: pd.DataFrame({"qid": [], "docid": [], "score": []}),
    "dense": lambda: np.zeros((0, 2)),
    "ids": lambda: np.zeros((0, 2), dtype=np.int64),
    "csr": lambda: sp.csr_matrix((0, 2)),
    "file": lambda: io.BytesIO(b""),
    "blank lines": lambda: io.BytesIO(b"\n\n"),
    "gz": lambda: io.BytesIO(gzip.compress(b"")),
    "header": lambda: io.BytesIO(b"qid,docid,score\n"),
    "JSON object": lambda: io.BytesIO(b"{}"),
    "JSON list": lambda: io.BytesIO(b"[]"),
}


@pytest.mark.parametrize("form", NOTHING)
def test_judgments_that_name_no_query_are_refused(form: str) -> None:
    with pytest.raises(rm.InputError, match="no judgments"):
        rm.evaluate(NOTHING[form](), {"0": ["0"]})


@pytest.mark.parametrize("form", NOTHING)
@pytest.mark.parametrize("qrels", ["dict of dicts", "dense", "csr", "lists"])
def test_a_run_of_nothing_is_read_and_told_of(form: str, qrels: str) -> None:
    with pytest.warns(rm.RankmarkWarning, match="it holds no documents, so all 3 judged queries"):
        ev = rm.evaluate(NAMED[qrels](), NOTHING[form](), ["RR", "NumRet"])
    assert tuple(ev.values()) == (0.0, 0.0)
    assert (ev.audit.missing, ev.audit.rows) == (3, 0)


def test_flat_scores_of_nothing_are_a_run_of_nothing() -> None:
    qrels = rm.Qrels(np.array([1, 0, 1]), groups=[2, 1])
    with pytest.warns(rm.RankmarkWarning, match="it holds no documents"):
        assert rm.evaluate(qrels, np.array([]), "RR")["RR"] == 0.0


@pytest.mark.parametrize("empty", [{}, {"0": {}}, sp.csr_matrix((3, 2))])
def test_answers_without_documents_are_told_of(empty: Any) -> None:
    with pytest.warns(rm.RankmarkWarning, match="it holds no documents"):
        ev = rm.evaluate(LABELS if not isinstance(empty, dict) else NAMED["dict of sets"](), empty)
    assert set(ev.values()) == {0.0}
