"""Explanations of measures of lists: what each item adds to the value of its list."""

import math
from pathlib import Path

import pytest

import rankmark as rm
from generators.recommendations import CATEGORIES, GROUPS, HISTORY, LISTS, SHORT_LISTS, TEST
from rankmark.errors import InputError, MeasureError
from rankmark.measures import EVERY
from rankmark.measures.of_lists.list_measure import ListMeasure
from unit.commands import rankmark_here

KNOWN = {"history": HISTORY, "items": CATEGORIES, "groups": GROUPS}
SUMS = [
    *("MIUF", "MIUF@2", 'MIUF(relevant=True, weights="log2", norm="k")@5', "EFD@3", "Surprisal@3"),
    *('MIUF(cold="skip")@3', "EPC@3", "ARP@3", 'ARP(cold="skip", scale="rank")@3', "TailShare@3"),
    *('TailShare(norm="none")@3', 'TailShare(norm="k")@5', "Unexpectedness@2"),
    *('Unexpectedness(norm="k")@4', 'Unexpectedness(base="history")@3', "Serendipity@3"),
    *('Serendipity(by="history")@3', 'Serendipity(relevance="all")@3', "CategoryCoverage@2"),
    *('CategoryCoverage(norm="k")@3', 'CategoryCoverage(norm="present", relevant=True)@3'),
    *("ILD@3", "EILD@3", 'ILD(distance="cooccurrence", weights="log2")@3'),
]
NO_SUMS = ["AWRF@3", "Miscalibration@3", "CategoryEntropy@3", 'Skew(group="major")@3', "NDKL@3"]


@pytest.fixture(scope="module")
def evaluated() -> rm.Evaluation:
    return rm.evaluate(TEST, LISTS, [*SUMS, *NO_SUMS], **KNOWN)


@pytest.mark.parametrize("name", SUMS)
def test_what_items_add_is_the_value(name: str, evaluated: rm.Evaluation) -> None:
    for query, value in evaluated.per_query(name).items():
        found = evaluated.explain(query, name)
        assert found.value == value
        shares = [row["contribution"] for row in found.rows]
        assert math.fsum(shares) == pytest.approx(value, rel=1e-12, abs=1e-12)
        first = LISTS[query][: getattr(found.measure, "k", None)]
        assert [row["doc_id"] for row in found.rows if row["rank"]] == first
        assert "unknown" not in found.formula


def test_a_list_without_categories_adds_nothing() -> None:
    found = rm.explain(
        {"q": {"x": 1}}, {"q": ["x"]}, "q", "CategoryCoverage", items={"y": ["news"]}
    )
    assert found.value == 0
    assert [row["contribution"] for row in found.rows] == [0]


def test_every_measure_of_lists_is_a_sum_or_says_why_not() -> None:
    explained = {rm.measure(name).name for name in SUMS}
    lists = [one for one in EVERY if isinstance(one, ListMeasure) and not one.costs]
    assert explained == {one.name for one in lists if not one.no_terms}


def test_labels_are_counted_where_the_measure_looks_at_them() -> None:
    of_all = rm.explain(TEST, LISTS, "u2", "MIUF@3", history=HISTORY)
    assert of_all.counts == {}
    assert "TP" not in str(of_all)
    assert [(row["label"], row["note"]) for row in of_all.rows] == [
        (1.0, None),
        (None, "unjudged"),
        (1.0, None),
    ]
    assert "cold items 1 of 3 (33%): counted as one user" in str(of_all)
    of_relevant = rm.explain(TEST, LISTS, "u2", "MIUF(relevant=True)@3", history=HISTORY)
    assert of_relevant.counts == {"tp": 2, "fp": 1, "fn": 0, "tn": 0}


def test_lists_are_explained_without_judgments_and_against_others() -> None:
    alone = rm.explain(None, LISTS, "u1", "MIUF@3", history=HISTORY)
    judged = rm.explain(TEST, LISTS, "u1", "MIUF@3", history=HISTORY)
    assert [row["contribution"] for row in alone.rows] == [r["contribution"] for r in judged.rows]
    other = {**LISTS, "u1": ["e", "d", "b"]}
    found = rm.explain(TEST, LISTS, "u1", "MIUF@3", against=other, history=HISTORY)
    assert {row["doc_id"]: row["difference"] for row in found.rows} == {
        "b": pytest.approx(math.log2(5 / 3) / 3),
        "c": pytest.approx(-math.log2(5 / 2) / 3),
    }
    means = rm.explain(None, LISTS, measure="MIUF@3", against=other, history=HISTORY)
    assert means.difference == pytest.approx(found.difference / 5)


@pytest.mark.parametrize("name", NO_SUMS)
def test_what_is_no_sum_says_why(name: str, evaluated: rm.Evaluation) -> None:
    with pytest.raises(MeasureError, match=r"is no sum over items: it (is a|is the|compares)"):
        evaluated.explain("u1", name)


def test_what_cannot_be_explained_is_refused() -> None:
    ev = rm.evaluate(TEST, SHORT_LISTS, ["MIUF@3", "nDCG@3"], history=HISTORY)
    with pytest.raises(InputError, match="query 'u5' has no list"):
        ev.explain("u5", "MIUF@3")
    with pytest.raises(InputError, match="query 'u9' is not judged"):
        ev.explain("u9", "MIUF@3")
    with pytest.raises(MeasureError, match="name it among the measures of evaluate"):
        ev.explain("u1", "ARP@3")
    with pytest.raises(MeasureError, match="is one number of all lists together"):
        ev.explain("u1", "ItemCoverage@3")
    with pytest.raises(InputError, match="collection is given, and MIUF@3 does not use it"):
        rm.explain(TEST, LISTS, "u1", "MIUF@3", collection=9, history=HISTORY)
    with pytest.raises(MeasureError, match="Cost adds up what documents cost"):
        rm.explain(TEST, LISTS, "u1", "Cost", document_costs=dict.fromkeys("abcde", 1.0))
    tied = {"u1": {"a": 1.0, "b": 1.0, "c": 0.5}}
    with pytest.raises(InputError, match="leaves tied items without an order"):
        rm.explain(TEST, tied, "u1", "MIUF@1", ties="mean", history=HISTORY)


def test_the_command_explains_lists(tmp_path: Path) -> None:
    for name, columns, rows in (
        ("run.csv", "query_id,doc_id,rank", LISTS),
        ("history.csv", "user_id,item_id", HISTORY),
    ):
        lines = [
            ",".join([user, item, str(rank)][: columns.count(",") + 1])
            for user, items in rows.items()
            for rank, item in enumerate(items, 1)
        ]
        (tmp_path / name).write_text("\n".join([columns, *lines]))
    files = ["none", tmp_path / "run.csv", "--history", tmp_path / "history.csv"]
    done = rankmark_here("explain", *files, "--query", "u2", "-m", "MIUF@3")
    assert done.stderr == ""
    assert "   1         b      ?   0.7370  0.2457  0.2457" in done.stdout
