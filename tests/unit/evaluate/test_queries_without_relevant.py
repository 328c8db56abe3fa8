"""Queries without relevant documents lower the means, and a warning names what leaves them out."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import rankmark as rm
from unit.commands import rankmark_here

USERS, ITEMS, EMPTY = 40, 12, 24
SAID = 'queries have no relevant documents, and count 0 in .*; .* no_relevant="skip"'


def truth(empty: int = EMPTY) -> Any:
    labels = np.zeros((USERS, ITEMS))
    labels[empty:, :2] = 1
    return labels


SCORES = np.random.default_rng(5).random((USERS, ITEMS))
RANKED = {str(user): [*map(str, row)] for user, row in enumerate(np.argsort(-SCORES).tolist())}


@contextmanager
def silent() -> Iterator[None]:
    """Fail at any warning, also at those that are ignored in other tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def as_dicts(labels: Any) -> tuple[Any, Any]:
    return {
        str(u): {str(d): 1 for d in np.flatnonzero(row)} for u, row in enumerate(labels)
    }, RANKED


def as_sets(labels: Any) -> tuple[Any, Any]:
    return {str(u): {str(d) for d in np.flatnonzero(row)} for u, row in enumerate(labels)}, RANKED


def as_lists(labels: Any) -> tuple[Any, Any]:
    return [np.flatnonzero(row).tolist() for row in labels], np.argsort(-SCORES).tolist()


def as_rows_of_judgments(labels: Any) -> tuple[Any, Any]:
    return [(str(u), str(d), label) for (u, d), label in np.ndenumerate(labels)], RANKED


FORMS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "sparse": lambda labels: (scipy.sparse.csr_array(labels), SCORES),
    "sparse and ids": lambda labels: (scipy.sparse.coo_array(labels), np.argsort(-SCORES)),
    "dense": lambda labels: (labels, SCORES),
    "dicts": as_dicts,
    "sets": as_sets,
    "lists": as_lists,
    "rows": as_rows_of_judgments,
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_many_queries_without_relevant_documents_are_warned_of(form: str) -> None:
    qrels, run = FORMS[form](truth())
    options = {"contents": "ids"} if form == "sparse and ids" else {}
    with pytest.warns(rm.RankmarkWarning, match=f"{EMPTY} of {USERS} {SAID}"):
        ev = rm.evaluate(qrels, run, ["nDCG@10", "AP"], **options)
    assert ev.audit.without_relevant == EMPTY
    acc = rm.Accumulator(["nDCG@10", "AP"])
    acc.update(qrels, run, **options)
    with pytest.warns(rm.RankmarkWarning, match=f"{EMPTY} of {USERS} {SAID}"):
        assert acc.result()["AP"] == pytest.approx(ev["AP"])
    with silent():
        skipped = rm.evaluate(qrels, run, "AP", no_relevant="skip", **options)
        rm.evaluate(qrels, run, "AP", no_relevant="nan", **options)
        rm.evaluate(qrels, run, "AP", no_relevant="one", **options)
        rm.evaluate(qrels, run, ["Judged@10", "NumRelRet", "RankingLoss"], **options)
    assert skipped["AP"] == pytest.approx(ev["AP"] * USERS / (USERS - EMPTY))


def test_few_of_them_occur_in_every_collection() -> None:
    with silent():
        rm.evaluate(truth(9), SCORES, "nDCG@10")
        rm.evaluate(np.vstack([truth(10), *[truth(0)] * 2]), np.tile(SCORES, (3, 1)), "nDCG@10")
    with pytest.warns(rm.RankmarkWarning, match=f"10 of 40 {SAID}"):
        rm.evaluate(truth(10), SCORES, "nDCG@10")


def test_only_queries_that_are_averaged_count() -> None:
    qrels, run = as_dicts(truth())
    with silent():
        rm.evaluate(qrels, run, "AP", queries=[str(user) for user in range(EMPTY - 5, USERS)])
        rm.evaluate(qrels, {"30": ["1"]}, "AP", queries="both")


def test_what_a_tool_does_is_said_by_its_profile() -> None:
    with silent():
        rm.evaluate(truth(), SCORES, "ndcg_score", profile="sklearn")


def test_labels_below_1_have_the_warning_of_rel_alone() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rm.evaluate(truth() / 2, SCORES, "AP")
        rm.evaluate(truth() / 2, SCORES, "nDCG")
    assert len(caught) == 1
    assert "no label reaches rel=1" in str(caught[0].message)


def test_the_interface_of_torchmetrics_is_told_what_such_queries_count() -> None:
    from rankmark.compat.torchmetrics import RetrievalMAP, RetrievalNormalizedDCG, RetrievalRecall

    index = np.arange(USERS).repeat(ITEMS)
    with silent():
        for metric in (RetrievalMAP(), RetrievalRecall(), RetrievalNormalizedDCG()):
            metric.update(SCORES.ravel(), truth().ravel().astype(int), indexes=index)
            metric.compute()


@pytest.mark.slow
def test_a_command_with_several_runs_says_it_once(tmp_path: Path) -> None:
    qrels, ranked = as_rows_of_judgments(truth())
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {label:g}\n" for q, d, label in qrels))
    lines = [f"{q} Q0 {d} {r} {-r} x\n" for q, ids in ranked.items() for r, d in enumerate(ids, 1)]
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text("".join(lines))
    paths = [str(tmp_path / name) for name in ("qrels", "a.run", "b.run")]
    done = rankmark_here("evaluate", *paths, "-m", "nDCG@10")
    assert done.stderr.count("queries have no relevant documents") == 1
