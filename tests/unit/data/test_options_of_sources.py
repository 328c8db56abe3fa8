"""What a caller says of a source serves where it belongs, and is refused where it does not."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.sparse

import rankmark as rm

MAPPING = {"q": {"a": 1}}
DENSE = np.array([[1.0, 0.0]])
FRAME = pl.DataFrame({"qid": ["q"], "docid": ["a"], "score": [1.0]})


@pytest.mark.parametrize(
    ("source", "option"),
    [
        (MAPPING, {"columns": {"query_id": "q"}}),
        (MAPPING, {"groups": [1]}),
        (MAPPING, {"format": "trec"}),
        (FRAME, {"contents": "ids"}),
        (FRAME, {"mask": [True]}),
        (DENSE, {"groups": [2]}),
        (DENSE, {"columns": {"query_id": "q"}}),
        ([("q", "a")], {"lengths": [1]}),
        ([["a"]], {"columns": {"query_id": "q"}}),
        ({"a"}, {"contents": "ids"}),
        (scipy.sparse.csr_matrix(DENSE), {"mask": DENSE > 0}),
    ],
    ids=lambda one: type(one).__name__,
)
def test_an_option_that_says_nothing_about_a_source_is_refused(source: Any, option: Any) -> None:
    (name,) = option
    for prepare in (rm.Qrels, rm.Run):
        with pytest.raises(rm.InputError, match=f"{name} does not apply to .*; leave it out"):
            prepare(source, **option)


def test_an_option_of_evaluate_serves_the_side_that_has_a_use_for_it(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("q 0 a 1\n")
    frame = FRAME.rename({"docid": "antwort"})
    judged = pl.DataFrame({"qid": ["q"], "antwort": ["a"], "label": [1]})
    for qrels in (MAPPING, path, rm.Qrels(MAPPING), judged):
        ev = rm.evaluate(qrels, frame, "RR", columns={"doc_id": "antwort"})
        assert ev["RR"] == 1.0


def test_labels_are_looked_for_in_the_qrels_and_scores_in_the_run() -> None:
    qrels = pl.DataFrame({"qid": ["q"] * 2, "docid": ["a", "b"], "l": [1, 0]})
    run = pl.DataFrame({"qid": ["q"] * 2, "docid": ["a", "b"], "s": [0.1, 0.2], "p": [1, 2]})
    columns = {"label": "l", "score": "s", "rank": "p"}
    assert rm.evaluate(qrels, run, "RR", columns=columns)["RR"] == 0.5
    assert rm.evaluate(qrels, run, "RR", columns=columns, ties="rank")["RR"] == 1.0


def test_a_column_that_only_one_side_has_is_told_of_that_side() -> None:
    other = FRAME.rename({"qid": "frage"})
    with pytest.raises(rm.SchemaError, match="qrels <frame>: there is no column 'frage'"):
        rm.evaluate(FRAME, other, columns={"query_id": "frage"})
    told = rm.Run(other, columns={"query_id": "frage"})
    assert rm.evaluate(FRAME, told, "RR")["RR"] == 1.0


@pytest.mark.parametrize(
    "option",
    [{"columns": {"query_id": "q"}}, {"groups": [1]}, {"mask": [True]}, {"contents": "ids"}],
    ids=str,
)
def test_an_option_of_evaluate_that_serves_neither_side_is_refused(option: Any) -> None:
    (name,) = option
    with pytest.raises(rm.InputError, match=f"{name} does not apply to these inputs"):
        rm.evaluate(MAPPING, MAPPING, **option)
    with pytest.raises(rm.InputError, match=f"{name} does not apply to these inputs; leave"):
        rm.evaluate(rm.Qrels(DENSE), rm.Run(DENSE), **option)


def test_a_source_that_is_none_is_told_what_would_be_one() -> None:
    class Later:
        def compute(self) -> None: ...

    with pytest.raises(rm.SchemaError, match=r"run is Later, .* compute\(\) it first; need a path"):
        rm.Run(Later())  # type: ignore[arg-type]
    with pytest.raises(rm.SchemaError, match=r"qrels is int; need a path, .* or lists of ids"):
        rm.Qrels(5)  # type: ignore[arg-type]


def test_contents_says_what_an_array_of_whole_numbers_is() -> None:
    labels, ids = np.array([[1, 0], [0, 1]]), np.array([[1, 0], [1, 0]])
    wanted = rm.evaluate(labels, ids, "RR", contents="ids")
    assert wanted != rm.evaluate(labels, ids, "RR", contents="scores")
    assert wanted == rm.evaluate(labels, rm.Run(ids, contents="ids"), "RR")
    assert wanted == rm.evaluate(rm.Qrels(labels, contents="labels"), ids, "RR", contents="ids")
    assert rm.explain(labels, ids, "0", "RR", contents="ids").value == wanted.scores[0, 0]
    assert rm.check(labels, ids, contents="ids").ok
    assert rm.similarity.ranking([2, 1], contents="scores").ids == ("0", "1")


def test_rankings_are_compared_with_the_options_of_runs() -> None:
    ids = np.array([[1, 0], [1, 0]])
    assert rm.compare_rankings(ids, ids.astype(float), "tau", contents="scores")["tau"] == 1.0
    one = np.array([0.5, 0.1, 0.2])
    assert len(rm.compare_rankings(one, one, "tau", groups=[2, 1]).queries) == 2
    with pytest.raises(rm.InputError, match="the run is already prepared; give its groups to Run"):
        rm.compare_rankings(rm.Run(one, groups=[2, 1]), one, "tau", groups=[2, 1])
