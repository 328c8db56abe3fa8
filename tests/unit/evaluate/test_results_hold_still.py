"""Whatever an evaluation says later is about what was evaluated, or it refuses."""

import gc
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import rankmark as rm
from rankmark.data.alignment import Needs
from rankmark.measures import ALL
from unit.evaluate.graded_collection import ITEMS, QUERIES, collection, nested, rows

FEW = 4


def columns(matrix: Any, number: str) -> dict[str, Any]:
    queries, documents, numbers = zip(*rows(matrix), strict=True)
    return {"query_id": list(queries), "doc_id": list(documents), number: np.array(numbers)}


class Held(dict[str, dict[str, float]]):
    """A mapping of somebody's own, to which there are weak references."""


def overwrite_list(held: list[Any]) -> None:
    held[:] = [(query, doc, 1.0 - score) for query, doc, score in held]


def overwrite_dict(held: dict[str, dict[str, float]]) -> None:
    for documents in held.values():
        documents.update({doc: 1.0 - score for doc, score in documents.items()})


def overwrite_array(held: Any) -> None:
    held[:] = 1.0 - held


def overwrite_sparse(held: Any) -> None:
    held.data[:] = 1.0 - held.data


def overwrite_pandas(held: Any) -> None:
    held["score"] = 1.0 - held["score"]


def overwrite_polars(held: Any) -> None:
    held.replace_column(2, 1.0 - held["score"])


def new_lists(held: dict[str, list[str]]) -> None:
    for ranked in held.values():
        ranked.reverse()


def top_lists(matrix: Any) -> dict[str, list[str]]:
    order = np.argsort(-matrix, axis=1)
    return {str(query): [f"d{item}" for item in row] for query, row in enumerate(order.tolist())}


# What judgments and a run are given as, and how the latter is written over.
FORMS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[Any], None]]] = {
    "array": (np.copy, np.copy, overwrite_array),
    "array of float32": (np.float32, np.float32, overwrite_array),
    "sparse": (scipy.sparse.csr_matrix, scipy.sparse.csr_matrix, overwrite_sparse),
    "coo": (scipy.sparse.coo_matrix, scipy.sparse.coo_matrix, overwrite_sparse),
    "dict": (nested, nested, overwrite_dict),
    "own mapping": (nested, lambda matrix: Held(nested(matrix)), overwrite_dict),
    "lists": (nested, top_lists, new_lists),
    "records": (rows, rows, overwrite_list),
    "pandas": (
        lambda matrix: pd.DataFrame(columns(matrix, "label")),
        lambda matrix: pd.DataFrame(columns(matrix, "score")),
        overwrite_pandas,
    ),
    "polars": (
        lambda matrix: pl.DataFrame(columns(matrix, "label")),
        lambda matrix: pl.DataFrame(columns(matrix, "score")),
        overwrite_polars,
    ),
}
ASKS: dict[str, Callable[[rm.Evaluation], Any]] = {
    "explain": lambda ev: str(ev.explain("2")),
    "explain another": lambda ev: str(ev.explain("3", "AP")),
    "bounds": lambda ev: ev.bounds,
    "tie interval": lambda ev: ev.tie_interval,
    "curve": lambda ev: ev.rankings(Needs()).over([rm.measure("P@20")]).tolist(),
    "page": str,
    "everything": lambda ev: ev.to_json(),
}


def refused(ask: Callable[[rm.Evaluation], Any], ev: rm.Evaluation) -> bool:
    """Say whether an answer is refused as it should be."""
    try:
        ask(ev)
    except rm.ChangedError as error:
        return re.search(r"has changed since .*as rm\.Run\(\.\.\.\)", str(error)) is not None
    return False


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("queries", [FEW, QUERIES])
def test_what_was_overwritten_is_told_as_it_was_or_refused(form: str, queries: int) -> None:
    make_qrels, make_run, overwrite = FORMS[form]
    labels, scores = collection(queries)
    qrels, run = make_qrels(labels), make_run(scores)
    measures = ["nDCG@5", "RR"]
    told = {name: ask(rm.evaluate(qrels, run, measures)) for name, ask in ASKS.items()}
    ev = rm.evaluate(qrels, run, measures)
    means = dict(ev)
    overwrite(run)
    assert rm.evaluate(qrels, run, measures) != ev
    for name, ask in ASKS.items():
        if refused(ask, ev):
            assert queries > FEW
            assert name in {"explain", "explain another", "bounds", "curve"}
        else:
            assert ask(ev) == told[name]
    assert dict(ev) == means


@pytest.mark.parametrize("form", FORMS)
def test_prepared_sources_stay_what_they_were(form: str) -> None:
    make_qrels, make_run, overwrite = FORMS[form]
    labels, scores = collection(QUERIES)
    given = make_run(scores)
    qrels, run = rm.Qrels(make_qrels(labels)), rm.Run(given)
    ev = rm.evaluate(qrels, run, ["nDCG@5", "RR"])
    told = {name: ask(ev) for name, ask in ASKS.items()}
    again = rm.evaluate(qrels, run, ["nDCG@5", "RR"])
    overwrite(given)
    assert {name: ask(again) for name, ask in ASKS.items()} == told
    assert rm.evaluate(qrels, run, ["nDCG@5", "RR"]) == ev


@pytest.mark.parametrize("form", FORMS)
def test_prepared_judgments_stay_what_they_were(form: str) -> None:
    _, make, overwrite = FORMS[form]
    labels, scores = collection(QUERIES)
    if form in {"sparse", "coo"}:
        labels = labels + 0.5  # as a sparse matrix holds them all
    given = make(labels)
    qrels = rm.Qrels(given)
    run = scores if form.startswith("array") else rm.Run(nested(scores))
    if form in {"sparse", "coo"}:
        run = scipy.sparse.csr_matrix(scores)
    first = rm.evaluate(qrels, run, ["nDCG@5", "AP(rel=0.6)"])
    checked = rm.check(qrels).to_dict()
    overwrite(given)
    assert rm.evaluate(qrels, run, ["nDCG@5", "AP(rel=0.6)"]) == first
    assert str(rm.evaluate(qrels, run, "AP").explain("1")) == str(
        rm.evaluate(qrels, run, "AP").explain("1")
    )
    assert rm.check(qrels).to_dict() == checked


def test_a_buffer_that_is_used_again_is_noticed_by_every_bit() -> None:
    labels, scores = collection(QUERIES)
    for query, item, value in ((0, 39, 0.5), (59, 31, -np.inf), (30, 20, 1e-300)):
        buffer = scores.copy()
        ev = rm.evaluate(labels, buffer, "RR")
        buffer[query, item] = value
        with pytest.raises(rm.ChangedError, match="run <array> has changed since"):
            _ = ev.bounds
        buffer[:] = scores  # back again
        assert ev.bounds == rm.evaluate(labels, scores, "RR").bounds
        swapped = buffer[0, 3], buffer[0, 35]
        buffer[0, 35], buffer[0, 3] = swapped
        with pytest.raises(rm.ChangedError):
            ev.explain("5")


def test_labels_that_are_written_over_are_noticed() -> None:
    labels, scores = collection(QUERIES)
    ev = rm.evaluate(labels, scores, "RR")
    labels[3, 3] += 1
    with pytest.raises(rm.ChangedError, match=r"qrels <array> has changed .* rm.Qrels\(...\)"):
        ev.explain("3")


def test_masks_and_groups_that_are_written_over_are_noticed() -> None:
    labels, scores = collection(QUERIES)
    mask = np.ones(labels.shape, dtype=bool)
    mask[:, 35:] = False
    ev = rm.evaluate(labels, scores, "RR", mask=mask)
    assert str(ev.explain("3"))
    mask[:, 0] = False
    with pytest.raises(rm.ChangedError):
        ev.explain("3")
    groups = np.full(QUERIES, ITEMS)
    flat = rm.evaluate(labels.ravel(), scores.ravel(), "RR", groups=groups)
    assert str(flat.explain("3"))
    groups[2:4] += [1, -1]
    with pytest.raises(rm.ChangedError):
        flat.explain("3")


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_result_holds_what_it_was_given(form: str) -> None:
    make_qrels, make_run, _ = FORMS[form]
    labels, scores = collection(QUERIES)
    ev = rm.evaluate(make_qrels(labels), make_run(scores), "nDCG@5")
    gc.collect()  # nobody else holds the judgments and the run
    qrels, run = make_qrels(labels), make_run(scores)
    assert str(ev.explain("1")) == str(rm.evaluate(qrels, run, "nDCG@5").explain("1"))
    assert ev.bounds == rm.evaluate(qrels, run, "nDCG@5").bounds
    assert ev.tie_interval == rm.evaluate(qrels, run, "nDCG@5").tie_interval


@pytest.mark.slow
def test_a_run_that_was_not_pickled_is_missed_in_words() -> None:
    labels, scores = collection(QUERIES)
    ev = rm.evaluate(nested(labels), nested(np.round(scores, 1)), "RR", depth=7)
    ev = pickle.loads(pickle.dumps(ev))
    assert "depth=7" in str(ev)
    with pytest.raises(rm.ChangedError, match="was not pickled"):
        ev.explain("1")


@pytest.mark.slow
def test_a_stream_of_rows_that_was_read_is_refused_in_words() -> None:
    labels, scores = collection(QUERIES)
    generator = (row for row in rows(scores))
    ev = rm.evaluate(nested(labels), generator, "RR")
    with pytest.raises(rm.ChangedError):
        ev.explain("1")
    reader = pa.table(columns(scores, "score")).to_reader()
    ev = rm.evaluate(nested(labels), reader, "RR")
    with pytest.raises(rm.ChangedError):
        ev.explain("1")


def test_what_results_give_out_cannot_be_written_into_them() -> None:
    labels, scores = collection(FEW)
    ev = rm.evaluate(labels, scores, ["RR", "nDCG@5"])
    text = ev.to_json()
    for held in (ev.tie_interval, ev.bounds, ev.settings["run"], ev.asked, ev.per_query("RR")):
        held.clear()
    ev.settings["measures"].clear()
    ev.to_dict()["scores"].clear()
    frame = ev.to_pandas()
    frame["RR"] = 7.0
    assert ev.to_json() == text
    assert ev.tie_interval
    assert ev.bounds


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["docid", "mean", "worst"])
@pytest.mark.parametrize("no_relevant", ["zero", "nan"])
def test_an_alignment_that_is_reduced_says_the_same(
    ties: Any, no_relevant: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = np.random.default_rng(5)
    labels = dice.integers(-1, 3, (12, 30)).astype(float)
    labels[3], labels[7] = 0.0, -1.0
    labels[labels.sum(axis=1) % 2 == 0, 20:] = 0.0
    scores = np.round(dice.random((12, 30)), 1)
    judged = {q: {d: n for d, n in held.items() if n < 2} for q, held in nested(labels).items()}
    one_by_one = [one for one in ALL if one.depends_on not in {"subtopics", "preferences"}]
    cut = [(one @ 5) for one in one_by_one if "k" in one.parameters]
    few = [["nDCG@10", "AP", "Judged@3"], ["P@2", "RR"], ["Judged@5"]]
    every = [[*one_by_one, *cut]] if ties == "docid" else []  # the others try many orders
    for measures in (*few, *every):
        whole = rm.evaluate(judged, nested(scores), measures, ties=ties, no_relevant=no_relevant)
        with monkeypatch.context() as patch:
            patch.setattr("rankmark.scoring.kept_data._MANY", -1)
            reduced = rm.evaluate(
                judged, nested(scores), measures, ties=ties, no_relevant=no_relevant
            )
            assert measures != few[0] or reduced._kept.only_for
            assert reduced == whole
            assert reduced.to_json() == whole.to_json()
            assert str(reduced) == str(whole)
            assert str(reduced.bounds) == str(whole.bounds)
            if len(measures) < 4:
                assert str(reduced.tie_interval) == str(whole.tie_interval)
            assert str(reduced.explain("2", "RR")) == str(whole.explain("2", "RR"))
