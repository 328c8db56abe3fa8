"""Columns of targets beside scores, and the ranks of targets without the documents between them."""

import pickle
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankmark as rm
from rankmark.measures import ALL

QUERIES, ITEMS = 40, 60


def scores_and_targets() -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    return rng.normal(size=(QUERIES, ITEMS)), rng.integers(0, ITEMS, QUERIES)


def places_of(scores: Any, targets: Any) -> Any:
    own = scores[np.arange(len(targets)), targets][:, None]
    return 1 + (scores > own).sum(axis=1)


OF_LABELS = [one for one in ALL if one.depends_on not in ("subtopics", "preferences", "anywhere")]


@pytest.mark.parametrize("measure", OF_LABELS, ids=str)
def test_targets_scores_and_ranks_have_one_number_or_none(measure: rm.Measure) -> None:
    scores, targets = scores_and_targets()
    labels = np.zeros(scores.shape)
    labels[np.arange(QUERIES), targets] = 1
    asked = [measure, measure @ 5] if "k" in measure.parameters else [measure]
    sparse = {str(q): {str(t): 1} for q, t in enumerate(targets.tolist())}
    whole = rm.evaluate(
        sparse, {str(q): dict(enumerate(row)) for q, row in enumerate(scores)}, asked
    )
    assert rm.evaluate(targets, scores, asked).scores.tobytes() == whole.scores.tobytes()
    ranks = places_of(scores, targets)
    among = rm.Run(ranks, contents="ranks", candidates=ITEMS)
    for qrels in (targets, among.targets):
        assert rm.evaluate(qrels, among, asked).scores.tobytes() == whole.scores.tobytes()
    alone = rm.Run(ranks, contents="ranks")
    for column, one in enumerate(asked):
        found = value_or_refusal(targets, alone, one)
        if isinstance(found, str):
            assert re.search(rf"{re.escape(str(one))}: .*how many documents were ranked", found)
        else:
            assert found.scores[:, 0].tobytes() == whole.scores[:, column].tobytes()


def value_or_refusal(qrels: Any, run: rm.Run, measure: rm.Measure) -> Any:
    try:
        return rm.evaluate(qrels, run, measure)
    except rm.MeasureError as error:
        return str(error)


@pytest.mark.parametrize(
    "name",
    ["RR", "RR@10", "Success@10", "R@3", "AP", "nDCG@10", "RBP", "MeanRank", "P@5", "NumRelRet"],
)
def test_these_need_nothing_but_ranks(name: str) -> None:
    run = rm.Run([3, 1, 40], contents="ranks")
    ev = rm.evaluate(run.targets, run, name)
    assert np.isfinite(ev[name])
    assert np.isnan(ev.audit.judged_at_10)
    assert "Judged@10" not in str(ev.audit)


@pytest.mark.parametrize(
    "name", ["P", "AMR", "AMRI", "AUC", "NumRet", "Judged@10", "P(norm=retrieved)@10"]
)
def test_these_ask_for_the_number_of_candidates(name: str) -> None:
    run = rm.Run([3, 1, 4], contents="ranks")
    with pytest.raises(rm.MeasureError, match=r"how many documents were ranked.*candidates="):
        rm.evaluate(run.targets, run, name)


def test_the_index_is_that_of_candidates_by_query_or_for_all() -> None:
    ranks = [1, 3, 20]
    for candidates, wanted in [
        (100, [1.0, 1 - 2 / 49.5, 1 - 19 / 49.5]),
        ([100, 50, 30], [1.0, 1 - 2 / 24.5, 1 - 19 / 14.5]),
        ({"0": 100, 1: 50, "2": 30}, [1.0, 1 - 2 / 24.5, 1 - 19 / 14.5]),
    ]:
        run = rm.Run(ranks, contents="ranks", candidates=candidates)
        found = rm.evaluate(run.targets, run, "AMRI").per_query("AMRI")
        assert list(found.values()) == pytest.approx(wanted, rel=1e-14)


def test_weights_by_candidates_give_the_numbers_of_sums_over_all() -> None:
    # PyKEEN 1.11.1, AdjustedArithmeticMeanRank and its Index, of ranks 1, 3, 20 among 100, 50, 30.
    sizes = [100, 50, 30]
    run = rm.Run([1, 3, 20], contents="ranks", candidates=sizes)
    by_query = dict(enumerate(sizes))
    index = rm.evaluate(
        run.targets, run, "AMRI", weights={q: size - 1 for q, size in by_query.items()}
    )
    ratio = rm.evaluate(
        run.targets, run, "AMR", weights={q: size + 1 for q, size in by_query.items()}
    )
    assert index["AMRI"] == pytest.approx(0.7627118644067796, rel=1e-14)
    assert ratio["AMR"] == pytest.approx(0.26229508196721313, rel=1e-14)


SEVERAL = {"a": {"x": 1, "y": 4}, "b": {"z": 2}}
JUDGED = {"a": {"x": 1, "y": 1}, "b": {"z": 1}}
ASKED = ["RR", "AP", "nDCG@5", "R@3"]


def test_every_form_of_the_same_ranks_gives_the_same_bits(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        [(q, d, r) for q, ranks in SEVERAL.items() for d, r in ranks.items()],
        columns=["query_id", "doc_id", "rank"],
    )
    file = tmp_path / "ranks.csv"
    frame.to_csv(file, index=False)
    unnamed = {query: [*ranks.values()] for query, ranks in SEVERAL.items()}
    rows = [["x", 9.0], ["w", 8.0], ["v", 7.0], ["y", 6.0]], [["u", 9.0], ["z", 8.0]]
    whole = rm.evaluate(JUDGED, dict(zip("ab", map(dict, rows), strict=True)), ASKED)
    for form in (SEVERAL, frame, file, unnamed, frame.rename(columns={"rank": "score"})):
        found = rm.evaluate(JUDGED, form, ASKED, contents="ranks")  # type: ignore[arg-type]
        assert found.scores.tobytes() == whole.scores.tobytes()
        run = rm.Run(form, contents="ranks")  # type: ignore[arg-type]
        assert rm.evaluate(run.targets, run, ASKED).scores.tobytes() == whole.scores.tobytes()
        again = rm.evaluate(JUDGED, pickle.loads(pickle.dumps(run)), ASKED)
        assert again.scores.tobytes() == whole.scores.tobytes()


def test_rows_of_ranks_may_be_filled_with_none_and_nan() -> None:
    held = [[1, 4], [2, None]]
    rows: tuple[Any, ...] = (held, np.array(held, dtype=float), [[1, 4], [2, float("nan")]])
    for given in rows:
        run = rm.Run(given, contents="ranks")
        ev = rm.evaluate(run.targets, run, ["R", "RR"])
        assert ev.per_query("R") == {"0": 1.0, "1": 0.5}
        assert ev.per_query("RR") == {"0": 1.0, "1": 0.5}
        with pytest.raises(rm.MeasureError, match=r"MeanRank.*how many documents were ranked"):
            rm.evaluate(run.targets, run, "MeanRank")


def test_a_depth_cuts_ranks() -> None:
    ev = rm.evaluate(JUDGED, SEVERAL, "AP", contents="ranks", depth=2)
    assert ev.per_query("AP") == {"a": 0.5, "b": 0.5}


def test_realistic_ranks_lie_between_two_and_need_their_rule() -> None:
    run = rm.Run([1.5, 2, 3.5], contents="ranks", candidates=4)
    with pytest.raises(rm.InputError, match=r'lie between two.*choose ties="midrank"'):
        rm.evaluate(run.targets, run, "RR")
    ev = rm.evaluate(run.targets, run, ["RR", "MeanRank", "Success@3"], ties="midrank")
    assert ev["RR"] == pytest.approx((1 / 1.5 + 1 / 2 + 1 / 3.5) / 3)
    assert [ev["MeanRank"], ev["Success@3"]] == [pytest.approx(7 / 3), pytest.approx(2 / 3)]
    assert ev.tie_interval["RR"] == (ev["RR"], ev["RR"])
    scores = {
        "0": {"t": 2.0, "a": 2.0, "b": 1.0, "c": 0.0},
        "1": {"t": 2.0, "a": 3.0, "b": 1.0, "c": 0.0},
        "2": {"t": 0.0, "a": 2.0, "b": 1.0, "c": 0.0},
    }
    measures = ["RR", "MeanRank", "Success@3", "nDCG@3", "AMRI"]
    of_scores = rm.evaluate({q: {"t": 1} for q in scores}, scores, measures, ties="midrank")
    of_ranks = rm.evaluate(run.targets, run, measures, ties="midrank")
    assert of_scores.scores.tobytes() == of_ranks.scores.tobytes()


def test_an_explanation_lists_targets_at_their_ranks() -> None:
    run = rm.Run(SEVERAL, contents="ranks")
    found = rm.explain(JUDGED, run, "a", "AP")
    assert [(row["rank"], row["doc_id"]) for row in found.rows] == [(1, "x"), (4, "y")]
    assert found.formula == "AP = (1/1 + 2/4) / 2 = 1.5 / 2 = 0.75"
    between = rm.Run({"a": {"x": 1, "y": 4.5}}, contents="ranks")
    middle = rm.explain({"a": {"x": 1, "y": 1}}, between, "a", "RR", ties="midrank")
    assert middle.value == 1.0


def test_comparisons_take_runs_of_ranks() -> None:
    dice = random.Random(1)
    runs = {
        name: rm.Run([dice.randint(1, 20) for _ in range(30)], contents="ranks", candidates=20)
        for name in ("a", "b")
    }
    found = rm.compare(runs["a"].targets, runs, ["RR", "AMRI"])
    single = rm.evaluate(runs["a"].targets, runs["b"], ["RR", "AMRI"])
    assert dict(found["b"]) == dict(single)


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ([0, 1], {}, "query '0' has rank 0; ranks count from 1: .*add 1"),
        ([1.3, 1], {}, "query '0' has rank 1.3; .*halves"),
        ({"q": [1, 1]}, {}, "query 'q' has targets at ranks '1', '1'.*a query of its own"),
        ([1, 9], {"candidates": 8}, "query '1' has rank 9 among 8 candidates"),
        ([1, 9], {"candidates": [9]}, "candidates: 1 queries have none: '1'"),
        ([1, 9], {"candidates": 0}, "candidates is 0; need whole numbers from 1"),
        ([1, 9], {"candidates": 9.5}, "candidates is 9.5"),
    ],
)
def test_impossible_ranks_are_refused(given: Any, options: dict[str, Any], message: str) -> None:
    def evaluated() -> Any:
        run = rm.Run(given, contents="ranks", **options)
        return rm.evaluate(run.targets, run, "RR")

    with pytest.raises(rm.InputError, match=message):
        evaluated()


def test_ranks_without_ids_are_of_the_relevant_documents_only_if_these_are_alike() -> None:
    for judged in ({"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 1, "b": 2}}):
        with pytest.raises(rm.SchemaError, match="say which document has which rank"):
            rm.evaluate(judged, {"q": [1, 2]}, "RR", contents="ranks")
    judged = {"q": {"a": 1, "n": 0, "b": 1}}
    assert rm.evaluate(judged, {"q": [3, 2]}, "RR", contents="ranks")["RR"] == 0.5


def test_what_needs_other_documents_is_refused() -> None:
    run = rm.Run(SEVERAL, contents="ranks")
    options: list[dict[str, Any]] = [
        {"judged_only": True},
        {"drop_self": True},
        {"seen": {"a": ["w"]}},
        {"unit": "#"},
    ]
    for asked in options:
        with pytest.raises(rm.InputError, match="of a run of ranks nothing is known of others"):
            rm.evaluate(JUDGED, run, "RR", **asked)
    with pytest.raises(rm.MeasureError, match=r"Bpref.*which other documents were ranked"):
        rm.evaluate({"a": {"x": 1, "n": 0}}, run, "Bpref")
    with pytest.raises(rm.MeasureError, match="which other documents are judged"):
        rm.evaluate(JUDGED, run, rm.RR(judged_only=True))
    with pytest.raises(rm.MeasureError, match="bounds are unavailable for ranks"):
        _ = rm.evaluate(JUDGED, run, "RR").bounds
    with pytest.raises(rm.InputError, match="targets are of ranks alone"):
        _ = rm.Run({"q": {"a": 0.5}}).targets
    with pytest.raises(rm.InputError, match="candidates are of ranks alone"):
        rm.Run({"q": {"a": 0.5}}, candidates=3)
    with pytest.raises(rm.DuplicateError, match="document 'x' has two ranks for query 'a'"):
        rm.evaluate(JUDGED, [("a", "x", 1.0), ("a", "x", 3.0)], "RR", contents="ranks")


def test_targets_fit_ids_tensors_and_filtered_scores() -> None:
    torch = pytest.importorskip("torch")
    scores, targets = scores_and_targets()
    plain = rm.evaluate(targets, scores, "RR")
    of_torch = rm.evaluate(torch.tensor(targets), torch.tensor(scores), "RR")
    assert of_torch.scores.tobytes() == plain.scores.tobytes()
    listed = rm.evaluate(rm.Qrels(targets.tolist(), contents="targets"), scores, "RR")
    assert listed.scores.tobytes() == plain.scores.tobytes()
    top = np.argsort(-scores, axis=1)[:, :10]
    assert (
        rm.evaluate(targets, top, "RR@10")["RR@10"]
        == rm.evaluate(targets, scores, "RR@10")["RR@10"]
    )
    seen = {q: [i for i in range(ITEMS) if i != t and i % 3 == 0] for q, t in enumerate(targets)}
    kept = np.array([[i == t or i % 3 != 0 for i in range(ITEMS)] for t in targets])
    filtered = places_of(np.where(kept, scores, -np.inf), targets)
    ev = rm.evaluate(targets, scores, ["MeanRank", "AMRI"], seen=[*seen.values()])
    assert list(ev.per_query("MeanRank").values()) == filtered.tolist()
    masked = rm.evaluate(targets, scores, ["MeanRank", "AMRI"], mask=kept)
    assert masked.scores.tobytes() == ev.scores.tobytes()


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        ([0, -100], r"row 1 \(from 0\): the target is -100.*scores\[targets >= 0\]"),
        ([0, 3], "have a target in column 3, and the run has 3 columns.*count from 0"),
        ([0], "the run has 2 queries x 3 items, the qrels have 1 queries"),
    ],
)
def test_targets_that_are_no_columns_are_refused(targets: list[int], message: str) -> None:
    scores = np.array([[0.1, 0.5, 0.2], [0.3, 0.2, 0.9]])
    with pytest.raises(rm.SchemaError, match=message):
        rm.evaluate(np.array(targets), scores, "RR")


def test_targets_are_whole_numbers_in_one_dimension() -> None:
    for given in ([[1, 2]], [0.5, 1.0]):
        with pytest.raises(rm.SchemaError, match=r"targets are of .*need a column for each query"):
            rm.Qrels(np.array(given), contents="targets")


def test_large_targets_that_change_are_noticed() -> None:
    rng = np.random.default_rng(5)
    scores, targets = rng.normal(size=(1500, 5)), rng.integers(0, 5, 1500)
    ev = rm.evaluate(targets, scores, "RR")
    targets[:] = (targets + 1) % 5
    with pytest.raises(rm.ChangedError):
        ev.explain("3", "RR")
