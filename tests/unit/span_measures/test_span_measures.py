"""Measures of spans: Chroma's figures, set values by hand, names and parameters."""

import math
from typing import Any

import pytest

import rankmark as rm
from rankmark import spans
from rankmark.errors import InputError, MeasureError
from rankmark.measures.spans.span_names import as_span_measures, span_measures

APART = [(0, 100), (100, 200), (200, 300), (300, 400)]
OVERLAPPING = [(0, 120), (80, 200), (160, 280), (240, 360)]
NAMES = ("SpanRecall", "SpanPrecision", "SpanIoU", "PrecisionOmega")
CASES: dict[str, tuple[Any, ...]] = {  # gold, all chunks, retrieved, their document
    "gold in two chunks": ([(50, 80), (210, 230)], APART, [(0, 100), (300, 400)], "d"),
    "touching": ([(50, 100)], APART, [(0, 100), (100, 200)], "d"),
    "overlapping chunks": ([(90, 110)], OVERLAPPING, [(0, 120), (80, 200)], "d"),
    "duplicate chunk": ([(50, 80)], APART, [(0, 100), (0, 100)], "d"),
    "miss": ([(50, 80)], APART, [(100, 200)], "d"),
    "other document": ([(50, 80)], APART, [(0, 100)], "another"),
    "overlapping gold": ([(50, 80), (60, 90)], APART, [(0, 100)], "d"),
    "nothing retrieved": ([(50, 80)], APART, [], "d"),
}
# Printed by chunking_evaluation's own functions, which divide by zero in the last case.
CHROMA = {
    "gold in two chunks": (0.6, 0.15, 0.136364, 0.25),
    "touching": (1.0, 0.25, 0.25, 0.25),
    "overlapping chunks": (1.0, 0.083333, 0.083333, 0.1),
    "duplicate chunk": (1.0, 0.15, 0.15, 0.3),
    "miss": (0.0, 0.0, 0.0, 0.3),
    "other document": (0.0, 0.0, 0.0, 0.3),
    "overlapping gold": (0.666667, 0.4, 0.4, 0.4),
}
AS_SETS = {
    "gold in two chunks": (30 / 50, 30 / 200, 30 / 220, 50 / 200),
    "touching": (1.0, 50 / 200, 50 / 200, 50 / 100),
    "overlapping chunks": (1.0, 20 / 200, 20 / 200, 20 / 200),
    "duplicate chunk": (1.0, 30 / 100, 30 / 100, 30 / 100),
    "miss": (0.0, 0.0, 0.0, 0.3),
    "other document": (0.0, 0.0, 0.0, 0.3),
    "overlapping gold": (1.0, 40 / 100, 40 / 100, 40 / 100),
    "nothing retrieved": (0.0, 0.0, 0.0, 0.3),
}


def given(case: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Give gold spans, retrieved chunks and all chunks of a case."""
    gold, chunks, retrieved, document = CASES[case]
    return (
        {"q": [("d", *span) for span in gold]},
        {"q": [(document, *span) for span in retrieved]},
        {"d": chunks},
    )


def values(case: str, measures: Any = NAMES, **options: Any) -> list[float]:
    gold, retrieved, chunks = given(case)
    with rm.quiet():  # the case of another document
        found = rm.evaluate_spans(gold, retrieved, measures, chunks=chunks, **options)
    return found.scores[0].tolist()


@pytest.mark.parametrize("case", CHROMA)
def test_the_profile_gives_the_figures_of_chromas_code(case: str) -> None:
    assert values(case, profile="chroma") == pytest.approx(CHROMA[case], abs=5e-7)


@pytest.mark.parametrize("case", AS_SETS)
def test_by_default_every_character_counts_once(case: str) -> None:
    assert tuple(values(case)) == AS_SETS[case]


def test_where_nothing_was_retrieved_precision_is_what_was_chosen() -> None:
    case = "nothing retrieved"
    recall, precision, iou, omega = values(case, empty="nan")
    assert (recall, iou, omega) == (0.0, 0.0, 0.3)
    assert math.isnan(precision)
    assert values(case, "SpanF", empty="nan") == [0.0]
    for options in ({"profile": "chroma"}, {"empty": "error"}):
        with pytest.raises(InputError, match="nothing was retrieved for 1 of 1 queries: 'q'"):
            values(case, **options)
    assert values(case, "PrecisionOmega", profile="chroma") == [0.3]
    assert values(case, profile="chroma", empty="zero") == [0.0, 0.0, 0.0, 0.3]


def test_what_a_measure_says_goes_before_the_profile() -> None:
    assert values("duplicate chunk", 'SpanPrecision(count="sum")') == [0.15]
    assert values("overlapping gold", "SpanRecall(gold=sum)") == [40 / 60]
    assert values("touching", "PrecisionOmega(touching=True)") == [0.25]


def test_gold_outside_all_chunks_counts_only_where_that_is_asked_for() -> None:
    gold, chunks = {"q": [("d", 90, 110)]}, {"d": [(0, 100)]}
    of = [
        rm.evaluate_spans(gold, {"q": []}, name, chunks=chunks).scores[0, 0]
        for name in ("PrecisionOmega", "PrecisionOmega(missed=True)")
    ]
    assert of == [10 / 100, 10 / 110]
    apart = {"d": [(0, 90), (110, 120)]}
    assert rm.evaluate_spans(gold, {"q": []}, "PrecisionOmega", chunks=apart).scores[0, 0] == 0.0


def test_omega_counts_overlapping_chunks_once_or_each() -> None:
    measures = ["PrecisionOmega", "PrecisionOmega(count=sum)"]
    assert values("overlapping chunks", measures) == [20 / 200, 20 / 240]


def test_f_is_the_weighted_harmonic_mean() -> None:
    for beta in (0.5, 1, 2):
        recall, precision, f = values(
            "gold in two chunks", ["SpanRecall", "SpanPrecision", f"SpanF(beta={beta})"]
        )
        mean = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
        assert f == pytest.approx(mean, abs=1e-15)


def test_a_cutoff_takes_the_first_chunks_and_a_budget_cuts_the_one_that_crosses_it() -> None:
    gold = {"q": [("d", 0, 30), ("e", 40, 60)]}
    retrieved = {"q": [("d", 10, 30), ("d", 10, 30), ("e", 0, 50), ("e", 50, 60)]}

    def recall(measure: str) -> float:
        return rm.evaluate_spans(gold, retrieved, measure).scores[0, 0]

    assert [recall(f"SpanRecall@{k}") for k in (1, 2, 3, 4)] == [0.4, 0.4, 0.6, 0.8]
    # The second copy takes 20 units of the budget, and finds nothing.
    budgets = {5: 0.1, 20: 0.4, 40: 0.4, 80: 0.4, 85: 0.5, 90: 0.6, 95: 0.7, 500: 0.8}
    assert {budget: recall(f"SpanRecall@tokens({budget}, cut)") for budget in budgets} == budgets
    assert recall("SpanRecall@2@tokens(85, cut)") == 0.4
    precision = rm.evaluate_spans(gold, retrieved, "SpanPrecision@tokens(85, cut)").scores[0, 0]
    assert precision == (20 + 5) / (20 + 45)


def test_a_budget_of_spans_takes_the_documents_that_one_of_documents_takes() -> None:
    # The project's own oracle, token_budget: documents are spans of as many tokens.
    tokens = {"d1": 400, "d2": 300, "d3": 900, "d4": 200, "d5": 100, "d9": 50}
    run = {"q": ["d1", "d2", "d3", "d4", "d5"]}
    qrels = {"q": {"d2": 1, "d3": 1, "d4": 1, "d9": 1}}
    gold = {"q": [(one, 0, tokens[one]) for one in qrels["q"]]}
    retrieved = {"q": [(one, 0, tokens[one]) for one in run["q"]]}
    for budget, wanted in {
        "tokens(700)": 0.25,
        "tokens(1000)": 0.25,
        "tokens(1000, skip)": 0.5,
        "tokens(1900)": 0.75,
    }.items():
        of_spans = rm.evaluate_spans(gold, retrieved, f"SegmentRecall(iou=1)@{budget}")
        of_documents = rm.evaluate(qrels, run, f"R@{budget}", document_costs=tokens)
        assert of_spans.scores[0, 0] == of_documents.scores[0, 0] == wanted


def test_a_budget_does_not_depend_on_other_queries() -> None:
    many = {f"q{n}": [("d", 0.1 * n, 0.1 * n + 0.7), ("d", 0.1, 0.3)] for n in range(50)}
    gold = {query: [("d", 0.2, 3.1)] for query in many}
    together = rm.evaluate_spans(gold, many, "SpanRecall@seconds(0.8, cut)").scores[:, 0].tolist()
    alone = [
        rm.evaluate_spans({q: gold[q]}, {q: many[q]}, "SpanRecall@seconds(0.8, cut)").scores[0, 0]
        for q in many
    ]
    assert together == alone


def test_a_segment_is_found_if_one_of_the_first_has_enough_in_common() -> None:
    gold = {"q": [("v", 10.0, 20.0), ("v", 30.5, 40.5), ("v", 60.0, 62.0)]}
    retrieved = {"q": [("v", 15.0, 25.0), ("v", 10.0, 20.0), ("v", 10.0, 20.0), ("v", 25.5, 45.5)]}
    asked = ["SegmentRecall@1", "SegmentRecall@2", "SegmentRecall@3", "SegmentRecall@4"]
    # 5 of 15 seconds in common; all; once again, which counts no more; 10 of 20.
    assert rm.evaluate_spans(gold, retrieved, asked).scores[0].tolist() == [0, 1 / 3, 1 / 3, 2 / 3]
    narrow = rm.evaluate_spans(gold, retrieved, "SegmentRecall(iou=0.51)@4")
    assert narrow.scores[0, 0] == 1 / 3
    wide = rm.evaluate_spans(gold, retrieved, "SegmentRecall(iou=0.3)@1")
    assert wide.scores[0, 0] == 1 / 3


def test_a_gold_segment_given_twice_is_one_and_overlapping_ones_are_two() -> None:
    gold = {"q": [("v", 0, 10), ("v", 0, 10), ("v", 1, 11)]}
    assert rm.evaluate_spans(gold, {"q": [("v", 0, 10)]}, "SegmentRecall").scores[0, 0] == 1.0
    strict = rm.evaluate_spans(gold, {"q": [("v", 0, 10)]}, "SegmentRecall(iou=0.9)")
    assert strict.scores[0, 0] == 0.5


def test_names_are_read_and_written_alike() -> None:
    names = [
        "SpanRecall",
        "SpanRecall@5",
        "SpanRecall@tokens(2000)",
        "SpanRecall@3@seconds(2.5, skip)",
        'SpanPrecision(count="sum")@10',
        'SpanIoU(count="sum", gold="sum")',
        "SpanF(beta=2)@3",
        "PrecisionOmega(touching=True, missed=True)",
        "SegmentRecall(iou=0.7)@1",
    ]
    assert [str(one) for one in as_span_measures(names)] == names
    assert [repr(one) for one in span_measures("spanrecall @ 5, 10, SpanF1")] == [
        "SpanRecall@5",
        "SpanRecall@10",
        "SpanF",
    ]
    assert span_measures("SpanRecall@1,5") == spans.SPAN_RECALL @ [1, 5]
    assert spans.SPAN_F(beta=2) @ 3 == span_measures("SpanF(beta=2)@3")[0]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("SpanRecal", "unknown measure of spans 'SpanRecal'; did you mean SpanRecall? choose from"),
        ("nDCG@10", "unknown measure of spans 'nDCG'"),
        ("SpanRecall(count=sum)", "SpanRecall has no parameter 'count'; it takes gold, budget, k"),
        ("SpanPrecision(count=both)", 'count is \'both\'; need one of "union", "sum"'),
        ("SpanRecall@tokens(0)", "budget is 'tokens(0)'; need a unit and how much of it"),
        ("SpanF(beta=-1)", "beta is -1.0; need a number above 0"),
        ("SegmentRecall(iou=1.5)", "iou is 1.5; need a number from 0 to 1"),
        ("SegmentRecall(iou=0)", "iou is 0; need a number above 0"),
        ("PrecisionOmega@5", "PrecisionOmega has no cutoff"),
        ("PrecisionOmega(touching=1)", "touching is 1; need True or False"),
        ("SpanRecall@0", "k is 0; need a whole number from 1"),
    ],
)
def test_what_cannot_be_measured_is_told(name: str, told: str) -> None:
    with pytest.raises(MeasureError) as caught:
        as_span_measures(name)
    assert told in str(caught.value)


def test_no_measure_and_what_is_none_are_refused() -> None:
    with pytest.raises(MeasureError, match="no measure was requested"):
        as_span_measures([])
    with pytest.raises(MeasureError, match="5 is not a measure of spans"):
        as_span_measures([5])  # type: ignore[list-item]


def test_all_chunks_are_asked_for_where_they_are_needed() -> None:
    gold, retrieved, _ = given("miss")
    with pytest.raises(MeasureError, match="PrecisionOmega needs all chunks of the collection"):
        rm.evaluate_spans(gold, retrieved, "PrecisionOmega")


@pytest.mark.parametrize("measure", spans.ALL, ids=str)
def test_chromas_parameters_are_parameters_of_the_measure(measure: spans.SpanMeasure) -> None:
    assert dict(measure.chroma).keys() <= measure.parameters.keys()
    assert measure.as_chroma().as_chroma() == measure.as_chroma()
