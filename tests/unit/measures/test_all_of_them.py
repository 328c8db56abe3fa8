"""All relevant documents, or a document of every group: values, ties, groups, and notes."""

import io
import itertools
import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from unit.commands import rankmark_here

NAMES = ("AllRelevant@1", "AllRelevant@2", "AllRelevant@3", "Success@1", "R@1", "R@3")
GROUPS = {"q1": [["a", "b"], ["c"]]}


def test_any_share_and_all_are_three_measures() -> None:
    ev = rm.evaluate({"q": {"a": 1, "c": 1}}, {"q": ["a", "x", "c", "y"]}, NAMES)
    assert [*ev.values()] == [0.0, 0.0, 1.0, 1.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("recall_all@5", rm.AllRelevant @ 5),
        ("recall_any@5", rm.Success @ 5),
        ("Groups@5", rm.StRecall @ 5),
        ("all_groups@5", rm.AllGroups @ 5),
    ],
)
def test_names_in_the_wild_resolve(name: str, wanted: rm.Measure) -> None:
    assert rm.measure(name) == wanted


def test_one_document_of_each_group_is_enough() -> None:
    names = ["Groups@1", "AllGroups@1", "AllGroups@3"]
    assert [*rm.evaluate(GROUPS, {"q1": ["a", "x", "c", "y"]}, names).values()] == [0.5, 0.0, 1.0]
    ev = rm.evaluate(GROUPS, {"q1": ["b", "c"]}, ["AllGroups@2", "R@2", "AllRelevant@2"])
    assert [*ev.values()] == [1.0, 2 / 3, 0.0]


def as_json(groups: Any) -> Any:
    """Return an open JSON file."""
    return io.StringIO(json.dumps(groups))


@pytest.mark.parametrize(
    "qrels",
    [
        GROUPS,
        {"q1": ({"a", "b"}, ("c",))},
        {"q1": [{"a": 1, "b": 2}, {"c": 1, "x": 0}]},
        {"q1": {"1": ["a", "b"], "2": ["c"]}},
        as_json(GROUPS),
        as_json({"q1": {"1": {"a": 1, "b": 1}, "2": {"c": 1}}}),
        [{"query_id": "q1", "subtopic": s, "doc_id": d} for s, d in [(1, "a"), (1, "b"), (2, "c")]],
        io.StringIO("q1 1 a 1\nq1 1 b 1\nq1 2 c 1\n"),
    ],
)
def test_groups_are_the_same_in_every_form(qrels: Any) -> None:
    ev = rm.evaluate(qrels, {"q1": ["b", "x", "c"]}, ["AllGroups@2", "Groups@2", "AllGroups@3"])
    assert [*ev.values()] == [0.0, 0.5, 1.0]


def test_lists_of_groups_for_queries_without_ids() -> None:
    ev = rm.evaluate([[["a", "b"], ["c"]], [["d"]]], [["b", "c"], ["x"]], "AllGroups@2")
    assert ev.per_query("AllGroups@2") == {"0": 1.0, "1": 0.0}


def test_groups_of_one_ranking() -> None:
    assert (rm.AllGroups @ 2)(ranking=["b", "c"], relevant=[["a", "b"], ["c"]]) == 1.0
    assert (rm.AllGroups @ 1)(ranking=["b", "c"], relevant=[["a", "b"], ["c"]]) == 0.0
    assert rm.reward(GROUPS, "AllGroups@2")("q1", ["b", "c"]) == 1.0


@pytest.mark.parametrize("held", [[["a"], "c"], [["a"], 3], ["a", "b"]])
def test_groups_and_single_documents_do_not_mix(held: Any) -> None:
    with pytest.raises(rm.SchemaError, match=r"need .*\[\[document id, ...\], ...\]"):
        rm.evaluate({"q1": held}, {"q1": ["a"]}, "AllGroups")


def test_a_document_twice_in_a_group_is_refused() -> None:
    with pytest.raises(rm.DuplicateError, match="appears twice for subtopic '1'"):
        rm.evaluate({"q1": [["a", "a"], ["c"]]}, {"q1": ["a"]}, "AllGroups")


def test_a_group_without_documents_is_refused_and_not_taken_for_found() -> None:
    with pytest.raises(rm.SchemaError, match="query 'q1': group 2 has no documents; leave it out"):
        rm.evaluate({"q1": [["a"], []]}, {"q1": ["a"]}, "AllGroups")
    with pytest.raises(rm.SchemaError, match="group 2 has no documents; leave it out"):
        (rm.AllGroups @ 1)(ranking=["a"], relevant=[["a"], []])
    ev = rm.evaluate({"q1": [["a"], ["b"]], "q2": []}, {"q1": ["a", "b"]}, "AllGroups")
    assert ev.per_query("AllGroups") == {"q1": 1.0, "q2": 0.0}


def test_cutoffs_that_no_ranking_can_satisfy_are_counted() -> None:
    qrels = {"q1": {"a": 1, "b": 1, "c": 1}, "q2": {"a": 1, "b": 1}, "q3": {"a": 0}}
    ev = rm.evaluate(qrels, {q: ["a", "b", "c"] for q in qrels}, ["AllRelevant@2", "AllRelevant"])
    note = "1 of 3 queries needs more than 2 documents, and has 0 in AllRelevant@2 whatever the"
    assert ev.out_of_reach == (f"{note} ranking",)
    assert ev.out_of_reach[0] in str(ev)
    assert ev.to_dict()["notes"] == [*ev.out_of_reach]
    assert not rm.evaluate(qrels, {"q1": ["a"]}, "AllRelevant@3").out_of_reach
    chosen = rm.evaluate(qrels, {"q1": ["a"]}, "AllRelevant@2", queries=["q2"])
    assert chosen.out_of_reach == ()


def test_groups_that_no_ranking_can_find_are_counted() -> None:
    qrels = {"q1": [["a"], ["b"], ["c"]], "q2": [["a"], ["a"], ["c"]], "q3": [["a"]]}
    ev = rm.evaluate(qrels, {q: ["a", "b", "c"] for q in qrels}, ["AllGroups@1", "AllGroups@2"])
    assert ev.per_query("AllGroups@2") == {"q1": 0.0, "q2": 0.0, "q3": 1.0}
    assert [line.split(" queries")[0] for line in ev.out_of_reach] == ["2 of 3", "1 of 3"]


def test_the_command_says_which_cutoffs_are_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text(json.dumps(GROUPS))
    (tmp_path / "r.json").write_text(json.dumps({"q1": ["b", "c"]}))
    done = rankmark_here(
        "evaluate", f"{tmp_path}/q.json", f"{tmp_path}/r.json", "-m", "AllGroups@1,2"
    )
    assert done.returncode == 0
    assert "1 of 1 query needs more than 1 document, and has 0 in AllGroups@1" in done.stdout


def over_all_orders(measure: Any, qrels: Any, scores: dict[str, float]) -> float:
    """Average over all orders of tied documents, one by one."""
    tied = [
        [doc for doc in scores if scores[doc] == score]
        for score in sorted({*scores.values()}, reverse=True)
    ]
    orders = itertools.product(*map(itertools.permutations, tied))
    return fmean(measure(ranking=[*itertools.chain(*order)], relevant=qrels) for order in orders)


subtopics = st.lists(st.sets(st.sampled_from("abcdefg"), min_size=1), min_size=1, max_size=4)
scored = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([1.0, 2.0]), min_size=1)


@pytest.mark.filterwarnings("ignore:.*no query is judged for more than one subtopic")
@given(groups=subtopics, scores=scored, k=st.sampled_from([None, 1, 2, 3]))
def test_the_mean_over_ties_is_that_of_all_orders(
    groups: list[set[str]], scores: dict[str, float], k: int | None
) -> None:
    for measure in (rm.AllGroups, rm.StRecall, rm.AllRelevant):
        over = measure != rm.AllRelevant
        judged: Any = groups if over else dict.fromkeys(set().union(*groups), 1)
        qrels = {"q": [list(group) for group in groups] if over else judged}
        ev = rm.evaluate(qrels, {"q": scores}, measure(k=k), ties="mean")
        assert not ev.sampling_errors
        wanted = over_all_orders(measure(k=k), judged, scores)
        assert [*ev.values()] == pytest.approx([wanted], rel=1e-12, abs=1e-15)


def test_many_tied_groups_are_tried_in_random_orders() -> None:
    documents = [f"d{number}" for number in range(14)]
    qrels = {"q": [[doc] for doc in documents]}
    ev = rm.evaluate(qrels, {"q": dict.fromkeys(documents, 1.0)}, "AllGroups@13", ties="mean")
    assert ev["AllGroups@13"] == 0.0  # all orders miss one
    ev = rm.evaluate(qrels, {"q": dict.fromkeys(documents, 1.0)}, "StRecall@13", ties="mean")
    assert ev["StRecall@13"] == pytest.approx(13 / 14)
