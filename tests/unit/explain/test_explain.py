"""``rm.explain`` and ``measure.explain``: what they hold, what they refuse, how they are shown."""

import json
import math
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm

QRELS = {"q": {"a": 3, "b": 0, "c": 1, "lost": 2, "dull": 0}, "other": {"a": 1}}
RUN = {"q": {"a": 2.0, "b": 5.0, "c": 2.0, "new": 1.0}, "other": {"a": 1.0}}
AGAINST = {"q": {"c": 9.0, "lost": 8.0, "a": 7.0}, "other": {"b": 1.0}}


class Own(rm.Measure):
    """One over the number retrieved: a measure that says nothing of documents."""

    name = "one over n"
    formula = "1 / n"
    depends_on = "documents"
    source = "nobody"

    def score(self, a: Any) -> Any:
        return 1.0 / a.retrieved


def test_a_row_says_what_a_document_is_and_what_it_adds() -> None:
    told = rm.explain(QRELS, RUN, "q", "nDCG@3")
    discounts = [1, math.log2(3), 2]
    ideal = 3 / discounts[0] + 2 / discounts[1] + 1 / discounts[2]
    assert [row["doc_id"] for row in told.rows] == ["b", "c", "a"]
    assert [row["rank"] for row in told.rows] == [1, 2, 3]
    assert [row["label"] for row in told.rows] == [0, 1, 3]
    assert [row["tied"] for row in told.rows] == [None, (2, 3), (2, 3)]
    assert [row["gain"] for row in told.rows] == [0, 1, 3]
    assert [row["discount"] for row in told.rows] == pytest.approx(discounts)
    wanted = [0, 1 / discounts[1] / ideal, 3 / discounts[2] / ideal]
    assert [row["contribution"] for row in told.rows] == pytest.approx(wanted)
    assert told.rows[-1]["total"] == pytest.approx(told.value)
    assert [row["doc_id"] for row in told.ideal] == ["a", "lost", "c"]
    assert [row["total"] for row in told.ideal][-1] == pytest.approx(1)
    assert told.missed == [{"doc_id": "lost", "label": 2}, {"doc_id": "dull", "label": 0}]
    assert told.settings["ties"] == "docid"


def test_an_ideal_that_is_not_cut_is_shown_beyond_the_cutoff() -> None:
    told = rm.explain(QRELS, RUN, "q", 'nDCG(ideal="uncut")@2')
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    assert [row["doc_id"] for row in told.ideal] == ["a", "lost", "c"]
    assert [row["total"] for row in told.ideal][-1] == pytest.approx(1)
    assert told.value == pytest.approx(1 / math.log2(3) / ideal)
    assert told.formula.startswith('nDCG(ideal="uncut")@2 = 1/log2(3) / (3/log2(2) + 2/log2(3) + 1')


def test_unjudged_documents_are_marked_and_have_no_label() -> None:
    told = rm.explain(QRELS, RUN, "q", "AP")
    last = told.rows[-1]
    assert (last["doc_id"], last["label"], last["note"]) == ("new", None, "unjudged")
    assert "new" in str(told)
    assert "?: unjudged" in str(told)


def test_positives_and_negatives_are_counted_at_the_cutoff() -> None:
    told = rm.explain(QRELS, RUN, "q", "P@2")
    assert told.counts == {"tp": 1, "fp": 1, "fn": 2, "tn": 1}  # b above; dull is left
    assert told.tn_of == "judged"
    assert told.below == [{"rank": 3, "doc_id": "a", "label": 3}]
    of_all = rm.explain(QRELS, RUN, "q", "P@2", collection=100)
    assert of_all.counts == {"tp": 1, "fp": 1, "fn": 2, "tn": 96}
    assert of_all.tn_of == "collection"
    graded = rm.explain(QRELS, RUN, "q", "P(rel=3)@3")
    assert graded.counts == {"tp": 1, "fp": 2, "fn": 0, "tn": 2}


def test_eight_pictures_have_their_four_kinds_at_two() -> None:
    told = (rm.P @ 2).explain(ranking=range(1, 9), relevant={2, 4, 5, 7}, collection=8)
    assert told.counts == {"tp": 1, "fp": 1, "fn": 3, "tn": 3}
    labels = (rm.P @ 2).explain([0, 1, 0, 1, 1, 0, 1, 0])
    assert labels.counts == told.counts
    assert labels.tn_of == "judged"


def test_a_collection_smaller_than_what_is_there_is_refused() -> None:
    with pytest.raises(rm.InputError, match=r"collection is 3; need at least 6"):
        rm.explain(QRELS, RUN, "q", "P@2", collection=3)


def test_a_query_that_the_run_lacks_is_explained_by_what_it_missed() -> None:
    told = rm.explain(QRELS, {"other": {"a": 1.0}}, "q", "R@10")
    assert (told.value, told.rows, told.formula) == (0, [], "R@10 = 0 / 3 = 0")
    assert [one["doc_id"] for one in told.missed] == ["a", "lost", "c", "b", "dull"]


@pytest.mark.parametrize(
    ("policy", "value", "note"), [("one", 1.0, "nothing is relevant"), ("zero", 0.0, None)]
)
def test_a_query_without_relevant_documents_says_so(
    policy: Any, value: float, note: str | None
) -> None:
    qrels = {"q": {"a": 0}, "other": {"a": 1}}
    told = rm.explain(qrels, RUN, "q", "AP", no_relevant=policy)
    assert told.value == value
    assert told.rows[-1]["total"] == value
    assert (told.rows[-1]["note"] == "nothing is relevant") == (note is not None)
    nothing = rm.explain(qrels, RUN, "q", "AP", no_relevant="nan")
    assert math.isnan(nothing.value)
    assert nothing.to_dict()["value"] is None
    assert json.loads(nothing.to_json())["rows"][-1]["contribution"] is None
    assert str(nothing)


def test_what_adds_but_has_no_rank_stands_below_the_ranks() -> None:
    told = rm.explain(QRELS, RUN, "q", "NumRel")
    assert told.value == 3
    assert [row["doc_id"] for row in told.rows if row["rank"] is None] == ["lost"]
    assert told.rows[-1]["note"] == "not retrieved"


def test_a_measure_of_ones_own_says_that_contributions_are_unknown() -> None:
    for one in (Own(), rm.Own("top", labels=lambda labels: labels[0])):
        told = rm.explain(QRELS, RUN, "q", one)
        assert told.value == rm.evaluate(QRELS, RUN, one).per_query(one)["q"]
        assert [row["contribution"] for row in told.rows] == [None] * 4
        assert "unknown" in told.formula
        assert "unknown" in str(told)
        found = rm.explain(QRELS, RUN, "q", one, against=AGAINST)
        assert (found.rows, found.by_rank) == ([], [])
        assert "unknown" in str(found)


def test_own_terms_explain_a_measure_of_ones_own() -> None:
    from rankmark.results.explanations.contributions import Contributions

    class Explained(Own):
        """The same, which knows what documents add: judged ones an equal share."""

        name = "explained"

        def contributions(self, a: Any) -> Contributions:
            share = a.spread(1.0 / (a.retrieved * a.count(a.within(None))))
            return Contributions(share, written="1/{judged}/{n}", numbers={
                "judged": a.count(a.within(None)), "n": a.retrieved.astype(float),
            })  # fmt: skip

    told = rm.explain(QRELS, RUN, "q", Explained())
    assert [row["contribution"] for row in told.rows] == pytest.approx([1 / 12] * 3 + [0])
    assert told.formula == "explained = 1/3/4 + 1/3/4 + 1/3/4 = 0.25"


def test_ties_are_explained_in_the_order_asked_for() -> None:
    values = {}
    for ties in ("docid", "docid-asc", "input", "best", "worst", "mean"):
        told = rm.explain(QRELS, RUN, "q", "nDCG@2", ties=ties)  # type: ignore[call-overload]
        values[ties] = told.value
        ev = rm.evaluate(QRELS, RUN, "nDCG@2", ties=ties)  # type: ignore[arg-type]
        assert told.value == pytest.approx(ev.per_query("nDCG@2")["q"], abs=1e-15)
    assert values["best"] > values["mean"] > values["worst"]
    mean = rm.explain(QRELS, RUN, "q", "nDCG@2", ties="mean")
    shares = {row["doc_id"]: row["contribution"] for row in mean.rows}
    assert shares["a"] == pytest.approx(3 * shares["c"])  # each stands at rank 2 half of the time
    with pytest.raises(rm.InputError, match="are tied"):
        rm.explain(QRELS, RUN, "q", "AP", ties="error")


def test_a_difference_is_told_by_document_and_by_rank() -> None:
    found = rm.explain(QRELS, RUN, "q", "P@2", against=AGAINST)
    assert (found.baseline.value, found.other.value, found.difference) == (0.5, 1, 0.5)
    assert [row["doc_id"] for row in found.rows] == ["lost"]
    assert (found.rows[0]["rank_baseline"], found.rows[0]["rank_other"]) == (None, 2)
    assert [(row["rank"], row["difference"]) for row in found.by_rank] == [(1, 0.5), (2, 0)]
    assert found.rows[-1]["total"] == found.by_rank[-1]["total"] == 0.5


def test_a_difference_of_means_is_told_by_query() -> None:
    found = rm.explain(QRELS, RUN, None, "P@1", against=AGAINST)
    assert (found.baseline, found.other) == (0.5, 0.5)
    assert {row["query_id"]: row["contribution"] for row in found.rows} == {"q": 0.5, "other": -0.5}
    only = rm.explain(QRELS, RUN, None, "P@1", against=AGAINST, queries=["q"])
    assert [row["query_id"] for row in only.rows] == ["q"]
    assert only.difference == 1


def test_a_geometric_mean_and_a_sum_are_told_by_query_too() -> None:
    for name in ('AP(aggregate="gmean")', "NumRelRet(rel=2)"):
        found = rm.explain(QRELS, RUN, None, name, against=AGAINST)
        assert found.rows[-1]["total"] == pytest.approx(found.difference, abs=1e-15)
        assert found.difference != 0


def test_an_evaluation_explains_its_values_under_its_conventions() -> None:
    ev = rm.evaluate(QRELS, RUN, ["nDCG@2", "AP"], ties="worst", depth=2)
    for name in ("nDCG@2", "AP"):
        told = ev.explain("q", name)
        assert told.value == ev.per_query(name)["q"]
        assert told.settings == ev.conventions.to_dict()
    assert str(ev.explain("q").measure) == "nDCG@2"
    assert ev.explain("q", "P@2", collection=9).counts["tn"] == 9 - 2 - 3 + 1
    with pytest.raises(rm.InputError, match="not judged"):
        ev.explain("r")


def test_ties_of_judged_documents_are_refused_whatever_the_measure() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 0}}
    for run in ({"q": {"a": 3.0, "b": 2.0, "c": 2.0}}, {"q": {"a": 2.0, "b": 2.0, "c": 1.0}}):
        for name in ("AP", "Bpref"):
            with pytest.raises(rm.InputError, match=r"2 judged documents are tied \(query 'q'\)"):
                rm.explain(qrels, run, "q", name, ties="error")
    apart = {"q": {"a": 3.0, "x": 2.0, "y": 2.0, "b": 1.0}}
    assert rm.explain(qrels, apart, "q", "AP", ties="error").value == 1


def test_files_are_read_for_the_query_alone(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 a 1\nother 0 b 1\n")
    run.write_text("q Q0 x 1 9 t\nother Q0 b 1 8 t\nq Q0 a 2 7 t\n")
    told = rm.explain(str(qrels), str(run), "q", "RR")
    assert [row["doc_id"] for row in told.rows] == ["x", "a"]
    assert told.value == 0.5


def test_over_subtopics_a_document_says_what_it_was_judged_for() -> None:
    qrels = {"q": {"red": {"a": 1, "b": 1}, "blue": {"a": 1, "c": 0}}}
    told = rm.explain(qrels, {"q": ["b", "a", "x"]}, "q", "alpha_nDCG@2")
    assert [row["doc_id"] for row in told.rows] == ["b", "a"]
    assert told.rows[1]["subtopics"] == {"red": 1, "blue": 1}
    assert told.rows[-1]["total"] == pytest.approx(told.value)


def test_a_mistaken_query_measure_or_word_is_refused() -> None:
    with pytest.raises(rm.InputError, match=r"query 'r' is not judged.*'q'"):
        rm.explain(QRELS, RUN, "r", "AP")
    with pytest.raises(rm.MeasureError, match="did you mean"):
        rm.explain(QRELS, RUN, "q", "nDGC@10")
    with pytest.raises(rm.InputError, match="needs a query, or another run"):
        rm.explain(QRELS, RUN)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="unexpected keyword argument 'tie'"):
        rm.explain(QRELS, RUN, "q", tie="docid")  # type: ignore[call-overload]
    with pytest.raises(rm.InputError, match="ties is 'dokid'"):
        rm.explain(QRELS, RUN, "q", ties="dokid")  # type: ignore[call-overload]


class Tags(HTMLParser):
    """The tags that a page has, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_every_id_is_escaped_in_html_and_markdown() -> None:
    evil, bad = "<script>alert('x')</script>", "[a](b)|*c*\x1b[2J"
    qrels = {"<i>q": {evil: 1, bad: 2, "<b>gone": 3}}
    run = {"<i>q": {evil: 2.0, bad: 1.0, "<u>new": 0.5}}
    told = rm.explain(qrels, run, "<i>q", "AP")
    found = rm.explain(qrels, run, "<i>q", "AP", against={"<i>q": {evil: 1.0}})
    means = rm.explain(qrels, run, None, "AP", against={"<i>q": {evil: 1.0}})
    for page in (told, found, means):
        tags = Tags()
        tags.feed(page._repr_html_())
        assert set(tags.tags) <= {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td",
                                  "small", "code", "span"}  # fmt: skip
        assert "<i>q" in tags.text
        assert "\x1b" not in str(page) + page.to_markdown()
        assert "<script" not in page.to_markdown().replace("\\<", "")
    assert evil in json.loads(told.to_json())["rows"][0]["doc_id"]


def test_long_stretches_that_add_nothing_are_left_out_unless_asked_for() -> None:
    run = {"q": [f"d{i}" for i in range(500)] + ["a"]}
    told = rm.explain(QRELS, run, "q", "AP")
    assert len(str(told).splitlines()) < 30
    assert "ranks 4 to 500: 497 rows that add nothing" in str(told)
    assert "d321" in told.to_text(all_rows=True)
    assert len(told.rows) == 501


@pytest.mark.slow
def test_text_fits_eighty_columns_whatever_the_ids() -> None:
    qrels = {"q": {f"http://a.very.long.example.org/documents/{i:080}": i % 3 for i in range(60)}}
    run = {"q": list(qrels["q"])[::-1]}
    for page in (
        rm.explain(qrels, run, "q", "ERR@20"),
        rm.explain(qrels, run, "q", "AP", against={"q": list(qrels["q"])}),
    ):
        lines = str(page).splitlines()
        assert max(map(len, lines)) <= 80
        assert "documents/" in str(page)
        assert "…" not in str(page)  # ids are folded, and not cut


def test_markdown_and_html_show_the_best_ranking_beside() -> None:
    told = rm.explain(QRELS, {"q": ["b"]}, "q", "nDCG@3")
    rows = [line.split("|") for line in told.to_markdown().splitlines() if line.startswith("| ")]
    head = [cell.strip() for cell in rows[0]]
    assert head[-4:-1] == ["ideal document", "ideal label", "ideal total"]
    beside = [row[head.index("ideal document")].strip() for row in rows[2:]]
    assert beside == ["a", "lost", "c"]


class Doubled(type(rm.AP)):  # type: ignore[misc]
    """A score of its own, with the terms of another measure."""

    name = "doubled"

    def score(self, a: Any) -> Any:
        return 2.0 * super().score(a)


def test_terms_that_do_not_add_up_to_the_score_are_unknown() -> None:
    told = rm.explain(QRELS, RUN, "q", Doubled())
    assert told.value == 2 * rm.explain(QRELS, RUN, "q", "AP").value
    assert [row["contribution"] for row in told.rows] == [None] * 4
    assert "unknown" in told.formula


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ties", "name"),
    [*(("mean", name) for name in ("AP", "NumRel", "Judged@10")), ("best", "AP"), ("worst", "AP")],
)
def test_thousands_of_tied_documents_take_no_squares(ties: Any, name: str) -> None:
    many = 4000
    qrels = {"q": {f"d{i}": i % 3 for i in range(many)}}
    run = {"q": dict.fromkeys(qrels["q"], 1.0)}
    begun = time.process_time()
    told = rm.explain(qrels, run, "q", name, ties=ties)
    assert time.process_time() - begun < 10  # pairs of documents would take minutes
    assert sum(row["contribution"] for row in told.rows) == pytest.approx(told.value)


@pytest.mark.parametrize("queries", ["judged", "both"])
def test_differences_with_values_that_are_lacking_are_written(queries: Any) -> None:
    qrels = {"q": {"a": 0}, "r": {"a": 1}, "s": {"a": 1}}
    run, against = {"q": ["a"], "r": ["b", "a"]}, {"q": ["b"], "s": ["a"]}
    chosen: dict[str, Any] = {"no_relevant": "nan", "queries": queries}
    means = rm.explain(qrels, run, None, "AP", against=against, **chosen)
    written = json.loads(means.to_json())
    assert written["rows"][-1]["query_id"] == "q"
    assert written["difference"] is written["rows"][-1]["contribution"] is None
    assert ("3 have no" if queries == "both" else "1 has no") in str(means)
    found = rm.explain(qrels, run, "q", "AP", against=against, **chosen)
    assert json.loads(found.to_json())["rows"][0]["difference"] is None


def test_numbers_too_great_for_json_become_null() -> None:
    qrels, run = {"q": {"a": 1e308, "b": 1e308}}, {"q": ["a", "b"]}
    told = rm.explain(qrels, run, "q", "CG")
    assert json.loads(told.to_json())["value"] is None


def test_equal_runs_have_no_empty_tables() -> None:
    found = rm.explain(QRELS, RUN, "q", "AP", against=RUN)
    assert "No document contributes to the difference." in str(found)
    assert "By rank" not in str(found)


def test_a_query_that_no_mean_is_over_says_so() -> None:
    assert "in no mean" in str(rm.explain(QRELS, RUN, "q", "AP", queries=["other"]))
    lacking = rm.explain(QRELS, {"other": ["a"]}, "q", "AP", queries="both")
    assert "in no mean" in str(lacking)
    with pytest.raises(rm.InputError, match="1 requested query has no judgments: 'none'"):
        rm.explain(QRELS, RUN, "q", "AP", queries=["none"])


@pytest.mark.parametrize("collection", [10.5, math.nan, "10"])
def test_a_collection_is_a_whole_number(collection: Any) -> None:
    with pytest.raises(rm.InputError, match="whole number"):
        rm.explain(QRELS, RUN, "q", "AP", collection=collection)
    with pytest.raises(rm.InputError, match="name the query"):
        rm.explain(QRELS, RUN, None, "AP", against=AGAINST, collection=10)  # type: ignore[call-overload]


def test_ids_that_can_be_read_once_are_explained() -> None:
    told = rm.AP.explain(ranking=iter("abc"), relevant=iter("ad"))
    assert [row["doc_id"] for row in told.rows] == ["a", "b", "c"]
    assert [one["doc_id"] for one in told.missed] == ["d"]


def test_expected_contributions_are_plain_numbers() -> None:
    told = rm.explain(QRELS, RUN, "q", "AP", ties="mean")
    assert {type(row["contribution"]) for row in told.rows} == {float}
    assert not [row for row in told.rows if row["rank"] is None]


@pytest.mark.slow
def test_wide_tables_fit_without_long_ids() -> None:
    qrels = {"q": {f"q{i}": 40 + i % 4 for i in range(60)}}
    run = {"q": dict.fromkeys(qrels["q"], 1.0)}
    for name in ("Compat@1000", 'nDCGrel(gain="exp2", discount=3.5)', "NumRel(rel=2)"):
        told = rm.explain(
            qrels, run, "q", name, ties="mean" if name == "NumRel(rel=2)" else "docid"
        )
        found = rm.explain(qrels, run, "q", name, against={"q": ["q1"]}, ties="mean")
        for page in (told, found):
            assert max(map(len, str(page).splitlines())) <= 80


def test_a_label_that_a_map_of_gains_lacks_may_stand_where_nothing_is_scored() -> None:
    one = (rm.nDCG @ 1)(gain={3: 1}, ideal="retrieved")
    told = rm.explain({"q": {"a": 3, "b": 1}}, {"q": ["a", "b"]}, "q", one, depth=1)
    assert told.value == 1
    assert told.counts == {"tp": 1, "fp": 0, "fn": 0, "tn": 1}
