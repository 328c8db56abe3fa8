"""``judge_spans``: chunks judged by gold spans, for all measures of ranks."""

from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.errors import InputError, SchemaError

GOLD: dict[str, Any] = {"q1": [("d", 50, 80), ("d", 210, 230)], "q2": [("e", 0, 10)]}


def judgments(qrels: rm.Qrels) -> dict[str, dict[str, dict[str, int]]]:
    """Give {query: {subtopic: {document: label}}}."""
    rows, codes, ids = qrels.source.rows_by_subtopic(AS_USUAL)
    found: dict[str, dict[str, dict[str, int]]] = {}
    for query, code, document, label in zip(
        rows.query_codes, codes, rows.doc_codes, rows.number, strict=True
    ):
        of_query = found.setdefault(rows.query_ids[query], {})
        of_query.setdefault(ids(int(code)), {})[rows.doc_ids(int(document))] = int(label)
    return found


def test_each_gold_span_is_a_subtopic_that_chunks_are_relevant_to() -> None:
    retrieved = {"q1": [("d", 100, 200), ("d", 0, 100)], "q2": [("e", 0, 5)]}
    qrels, run = rm.judge_spans(GOLD, retrieved)
    assert judgments(qrels) == {
        "q1": {
            "d#50-80": {"d#0-100": 1, "d#100-200": 0},
            "d#210-230": {"d#210-230": 1},  # no chunk covers it, so that it is not found
        },
        "q2": {"e#0-10": {"e#0-5": 1}},
    }
    assert run == {"q1": ["d#100-200", "d#0-100"], "q2": ["e#0-5"]}
    found = rm.evaluate(qrels, run, ["StRecall@2", "RR", "Judged@2", "R"])
    assert found.per_query("StRecall@2") == {"q1": 0.5, "q2": 1.0}
    assert found.per_query("RR") == {"q1": 0.5, "q2": 1.0}
    assert found.per_query("R") == {"q1": 0.5, "q2": 1.0}
    assert found["Judged@2"] == 1.0


@pytest.mark.parametrize(
    ("of", "theta", "relevant"),
    [
        ("gold", 0.5, True),  # 10 of 20
        ("gold", 0.51, False),
        ("chunk", 0.1, True),  # 10 of 100
        ("chunk", 0.11, False),
        ("iou", 10 / 110, True),
        ("iou", 0.1, False),
    ],
)
def test_enough_is_measured_on_the_side_that_was_chosen(
    of: Any, theta: float, relevant: bool
) -> None:
    qrels, _ = rm.judge_spans({"q": [("d", 90, 110)]}, {"q": [("d", 0, 100)]}, of=of, theta=theta)
    assert (judgments(qrels)["q"]["d#90-110"]["d#0-100"] == 1) is relevant


def test_one_chunk_may_be_relevant_to_several_gold_spans() -> None:
    gold = {"q": [("d", 0, 10), ("d", 5, 15), ("d", 0, 10)]}
    qrels, run = rm.judge_spans(gold, {"q": [("d", 0, 100)]})
    assert judgments(qrels) == {"q": {"d#0-10": {"d#0-100": 1}, "d#5-15": {"d#0-100": 1}}}
    assert rm.evaluate(qrels, run, "StRecall@1")["StRecall@1"] == 1.0


def test_a_chunk_retrieved_again_takes_its_rank_and_earns_nothing() -> None:
    again = ("d", 0, 100)
    qrels, run = rm.judge_spans({"q": [("d", 0, 9)]}, {"q": [again, again, ("e", 0, 1), again]})
    assert run == {"q": ["d#0-100", "d#0-100(2)", "e#0-1", "d#0-100(3)"]}
    found = rm.evaluate(qrels, run, ["nDCG@4", "P@2", "alpha_nDCG@4"])
    assert found.means == {"nDCG@4": 1.0, "P@2": 0.5, "alpha_nDCG@4": 1.0}


def test_several_runs_are_judged_together_for_compare_gate_explain_and_reports(
    tmp_path: Path,
) -> None:
    a = {"q1": [("d", 0, 100), ("d", 200, 300)], "q2": [("e", 50, 60)]}
    b = {"q1": [("d", 40, 240)], "q2": [("e", 0, 10), ("e", 50, 60)]}
    qrels, first, second = rm.judge_spans(GOLD, a, b)
    assert set(judgments(qrels)["q1"]["d#50-80"]) == {"d#0-100", "d#40-240"}
    compared = rm.compare(qrels, {"a": first, "b": second}, ["StRecall@1", "RR"])
    assert {(row.run, row.measure): row.mean for row in compared.leaderboard} == {
        ("a", "StRecall@1"): 0.25,
        ("b", "StRecall@1"): 1.0,
        ("a", "RR"): 0.5,
        ("b", "RR"): 1.0,
    }
    report = rm.write_report(compared, tmp_path / "spans.html")
    assert "StRecall@1" in Path(report).read_text(encoding="utf-8")
    (decided,) = rm.gate(qrels, first, second, {"RR": 0.9}).conditions
    assert (decided.decision.baseline, decided.decision.other) == (0.5, 1.0)
    explained = rm.explain(qrels, first, "q1", "StRecall@1")
    assert explained.value == 0.5
    assert "d#0-100" in str(explained)


def test_all_chunks_of_the_collection_are_judged_where_they_are_given() -> None:
    chunks = {"d": [(0, 100), (40, 90), (100, 200), (200, 300)], "e": [(0, 10)]}
    retrieved = {"q1": [("d", 0, 100)], "q2": []}
    qrels, run = rm.judge_spans(GOLD, retrieved, chunks=chunks)
    assert judgments(qrels)["q1"] == {
        "d#50-80": {"d#0-100": 1, "d#40-90": 1},
        "d#210-230": {"d#200-300": 1},
    }
    assert judgments(qrels)["q2"] == {"e#0-10": {"e#0-10": 1}}
    assert rm.evaluate(qrels, run, "R").per_query("R") == {"q1": 1 / 3, "q2": 0.0}


def test_queries_without_gold_stay_in_the_run() -> None:
    qrels, run = rm.judge_spans(GOLD, {"q1": [("d", 0, 100)], "other": [("d", 0, 1)], "none": []})
    assert run == {"q1": ["d#0-100"], "other": ["d#0-1"], "none": []}
    assert set(qrels.query_ids) == {"q1", "q2"}
    assert rm.evaluate(qrels, run, "StRecall@1").audit.run_only == 2


def test_segments_in_seconds_have_ids_too() -> None:
    qrels, run = rm.judge_spans({"q": [("v", 1.5, 3.25)]}, {"q": [("v", 1.25, 3)]}, of="iou")
    assert (judgments(qrels), run) == ({"q": {"v#1.5-3.25": {"v#1.25-3": 1}}}, {"q": ["v#1.25-3"]})


def test_what_is_wrong_is_refused() -> None:
    retrieved = {"q1": [("d", 0, 1)]}
    for options, told in (
        ({"theta": 0}, "theta is 0"),
        ({"theta": 1.5}, "theta is 1.5; need a number from 0 to 1"),
        ({"of": "both"}, "of is 'both'"),
    ):
        with pytest.raises(InputError, match=told):
            rm.judge_spans(GOLD, retrieved, **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="nothing was retrieved"):
        rm.judge_spans(GOLD)
    with pytest.raises(SchemaError, match="retrieved is 5"):
        rm.judge_spans(GOLD, retrieved, 5)
    with pytest.raises(SchemaError, match="no input has a column 'x' for start"):
        rm.judge_spans(GOLD, retrieved, columns={"start": "x"})
