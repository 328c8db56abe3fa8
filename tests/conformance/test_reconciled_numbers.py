"""Numbers that tools gave for one input, and the conventions that the search finds behind each.

Most are of issue threads in which people asked why two tools differ.
"""

import random
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm

TIED = {"q": {"d1": 1.0, "d2": 1.0, "d3": 1.0}}
GRADED = {"q": {"a": 3, "b": 0, "c": 1, "d": 2}}
GRADED_RUN = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
SELF = {"0": {str(i): 1 for i in range(10)}}
SELF_RUN = {"0": {str(i): 10.0 - i for i in range(10)}}
# The example of Wikipedia's article on DCG.
WIKI = {"q": {"d1": 3, "d2": 2, "d3": 3, "d4": 0, "d5": 1, "d6": 2, "d7": 3, "d8": 2}}
WIKI_RUN = {"q": {f"d{i}": 10.0 - i for i in range(1, 7)}}
EXP2, FROM_RETRIEVED = ("gain", "exp2"), ("ideal", "retrieved")

# qrels, run, measure, number, changes; the tools are those that gave the number.
CASES: dict[str, tuple[Any, Any, Any, Any, list[tuple[str, Any]]]] = {
    "pytrec_eval, ties": ({"q": {"d3": 1}}, TIED, "AP", "1.0", []),
    "ranx, ties": ({"q": {"d3": 1}}, TIED, "AP", ".3333", [("ties", "docid-asc")]),
    "sklearn, ties": ({"q": {"d3": 1}}, TIED, "nDCG", ".7103", [("ties", "mean")]),
    "exponential gain": (GRADED, GRADED_RUN, "nDCG", ".93604", [EXP2]),
    "linear gain": (GRADED, GRADED_RUN, "nDCG", ".91589", []),
    "LightGBM, a query without relevant documents": (
        GRADED | {"p": {"x": 0}},
        GRADED_RUN | {"p": {"x": 1.0}},
        "nDCG",
        ".96802",
        [EXP2, ("no_relevant", "one")],
    ),
    "pytrec_eval, a missing query": (
        {"q1": {"a": 1, "b": 1}, "q2": {"b": 1}},
        {"q1": {"a": 2.0, "x": 1.0}},
        "AP",
        "0.5000",
        [("queries", "both")],
    ),
    "ranx, relevance level 2": (
        {"q": {"a": 1, "b": 2}},
        {"q": {"a": 2.0, "b": 1.0}},
        "nDCG",
        ".6309",
        [("gain", {"1": 0.0, "2": 1.0})],
    ),
    "pytrec_eval, scores in single precision": (
        {"q": {"a": 1}},
        {"q": {"a": 1.00000001, "b": 1.0}},
        "RR",
        ".5",
        [("precision", "float32")],
    ),
    "BEIR, identical ids": (
        SELF,
        SELF_RUN,
        ["nDCG@10", "R@10"],
        [".9364", ".9000"],
        [("drop_self", True)],
    ),
    "divided by the documents retrieved": (
        {"q": {"a": 1, "b": 1}},
        {"q": {"a": 2.0, "b": 1.0}},
        "P@10",
        "1.0000",
        [("norm", "retrieved")],
    ),
    "ideal of the retrieved": (WIKI, WIKI_RUN, "nDCG@6", ".9608", [FROM_RETRIEVED]),
    "ideal of all judged": (WIKI, WIKI_RUN, "nDCG@6", ".7850", []),
    "exponential, retrieved": (WIKI, WIKI_RUN, "nDCG@6", ".9488", [EXP2, FROM_RETRIEVED]),
    "exponential, judged": (WIKI, WIKI_RUN, "nDCG@6", ".7511", [EXP2]),
    "first form of DCG": (WIKI, WIKI_RUN, "nDCG@6", ".7691", [("discount", 2.0)]),
    "Spark, AP by min(R, k)": (
        {"q": {"a": 1, "b": 1, "c": 1, "d": 1}},
        {"q": {"a": 3.0, "x": 2.0, "b": 1.0}},
        "AP@2",
        ".50",
        [("norm", "min")],
    ),
    "torchmetrics, AP by hits": (
        {"q": {"a": 1, "b": 1, "c": 1, "d": 1}},
        {"q": {"a": 3.0, "x": 2.0, "b": 1.0}},
        "AP@2",
        "1.0",
        [("norm", "hits")],
    ),
    "RecTools, k ones": ({"q": {"a": 1}}, {"q": {"x": 3.0, "a": 2.0}}, "nDCG@5", ".2140",
                         [("ideal", "k")]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_conventions_behind_a_number_are_found(name: str) -> None:
    qrels, run, measure, number, changes = CASES[name]
    # A tool may give the number, too; the search is to go on.
    found = rm.reconcile(qrels, run, measure, number, changes=len(changes))
    # Several conventions may give the number of so little data; this must be among them.
    given = [[(change.name, change.value) for change in one.changes] for one in found.answers]
    assert sorted(map(str, changes)) in [sorted(map(str, one)) for one in given]
    assert len(given[0]) == len(changes)


def test_what_is_found_evaluates_to_the_number() -> None:
    for qrels, run, measure, number, _ in CASES.values():
        for answer in rm.reconcile(qrels, run, measure, number).answers:
            if not answer.then and "profile" not in answer.conventions:
                ev = rm.evaluate(qrels, run, list(answer.measures.values()), **answer.conventions)
                assert list(ev.values()) == pytest.approx(list(answer.values.values()), abs=1e-15)


def divided() -> tuple[Any, Any]:
    """Give 173 queries, as the six means of CAsT 2019 that were averaged over one too many."""
    rng = random.Random(1)
    qrels = {f"q{i}": {f"d{j}": rng.choice([0, 0, 1]) for j in range(10)} for i in range(173)}
    return qrels, {q: {f"d{j}": rng.random() for j in range(12)} for q in qrels}


def test_a_divisor_one_too_large_is_found() -> None:
    qrels, run = divided()
    ev = rm.evaluate(qrels, run, ["nDCG@3", "AP"])
    given = {name: f"{mean * 173 / 174:.4f}" for name, mean in ev.items()}
    found = rm.reconcile(qrels, run, value=given)
    (answer,) = found.answers
    assert [(change.name, change.value) for change in answer.changes] == [("divisor", 1)]
    assert answer.then == ("multiply by 173/174",)
    assert answer.coincidence.probability < 0.002


def test_any_other_divisor_and_a_query_left_out_are_found_last() -> None:
    qrels, run = divided()
    ev = rm.evaluate(qrels, run, ["nDCG@3", "AP"])
    given = {name: f"{mean * 173 / 180:.4f}" for name, mean in ev.items()}
    found = rm.reconcile(qrels, run, value=given)
    assert not found
    assert len(found.nearest) == 5
    (answer,) = found.arithmetic
    assert answer.then == ("multiply by 173/180",)
    assert answer.coincidence.subsets
    assert str(found).index("nearest:") < str(found).index("arithmetic that fits:")
    without = [query for query in qrels if query != "q40"]
    ev = rm.evaluate(qrels, run, ["nDCG@3", "AP"], queries=without)
    found = rm.reconcile(qrels, run, value={name: f"{mean:.6f}" for name, mean in ev.items()})
    (left_out,) = found.arithmetic[0].changes
    assert "q40" in left_out.value


def test_a_number_that_nothing_gives_is_said_to_be_out_of_reach() -> None:
    qrels, run = divided()
    found = rm.reconcile(qrels, run, ["nDCG@3", "AP"], ["0.9123", "0.1012"])
    assert not found
    assert found.answers == ()
    assert len(found.nearest) == 5
    assert found.coincidence is not None
    assert found.coincidence.candidates > 4000
    assert "no conventions give this" in str(found)
    assert "nearest:" in str(found)


@pytest.mark.parametrize("run", ["bm25", "bm25-bertzs", "bm25-rm3", "bm25-t5zs"])
def test_the_published_figures_of_dl_hard_need_relevance_from_2_on(
    shared_data: Path, run: str
) -> None:
    folder = shared_data / "dl-hard-passage"
    qrels, path = folder / "dl_hard-passage.qrels", folder / f"{run}.run"
    lines = (folder / f"{run}.run.eval").read_text().splitlines()
    published = {name: value for name, query, value in map(str.split, lines) if query == "all"}
    measures = ["map", "recip_rank", "recall_1000"]
    found = rm.reconcile(qrels, path, value={name: published[name] for name in measures})
    assert [(change.name, change.value) for change in found.answers[0].changes] == [("rel", 2.0)]
    assert found.answers[0].coincidence.probability < 1e-6


def test_the_order_of_ties_is_found_where_all_scores_are_equal(shared_data: Path) -> None:
    folder = shared_data / "dl-hard-passage"
    run: dict[str, dict[str, float]] = {}
    for line in (folder / "bm25.run").read_text().splitlines():
        query, _, document, rank, *_ = line.split()
        if int(rank) <= 50:
            run.setdefault(query, {})[document] = 1.0
    qrels = rm.Qrels(folder / "dl_hard-passage.qrels")
    for ties in ("docid", "docid-asc", "input", "mean", "best", "worst"):
        ev = rm.evaluate(qrels, run, ["nDCG@10", "AP"], ties=ties)  # type: ignore[arg-type]
        given = {name: f"{mean:.4f}" for name, mean in ev.items()}
        (answer,) = rm.reconcile(qrels, run, value=given).answers
        assert answer.conventions == ({} if ties == "docid" else {"ties": ties})


def test_dl_hard_by_query_and_with_the_other_level(shared_data: Path) -> None:
    folder = shared_data / "dl-hard-passage"
    qrels, run = folder / "dl_hard-passage.qrels", folder / "bm25.run"
    found = rm.reconcile(qrels, run, ["AP", "R@1000"], per_query=folder / "bm25.run.eval")
    assert found.of_queries
    assert [change.name for change in found.answers[0].changes] == ["rel"]
    level_1 = rm.reconcile(qrels, run, ["AP", "RR", "R@1000"], [".1925", ".5695", ".6247"])
    assert level_1.answers[0].changes == ()
    assert rm.reconcile(qrels, run, "AP", "17.31").answers[0].measures == {"AP": "AP(rel=2)"}
