"""A check of frames, rows, arrays and lists: where things are, and what is said of them."""

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import rankmark as rm
from rankmark.verbs.check.finding import Finding, Place

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}
RUN = {"q1": {"a": 0.5, "b": 0.25}, "q2": {"c": 3.0}}
LABELS = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
SCORES = np.array([[0.3, 0.9, 0.7], [0.1, 0.2, 0.4]])
COLUMNS = {"qid": ["q1", "q1", "q2"], "docid": ["a", "b", "c"], "score": [0.5, 0.25, 3.0]}


def by_code(report: rm.CheckReport) -> dict[str, Finding]:
    return {finding.code: finding for finding in report.findings}


def refused(qrels: Any, run: Any, **options: Any) -> Finding:
    """Give what evaluate refuses, which a check must say too, and nothing else of the run."""
    with pytest.raises(rm.InputError):
        rm.evaluate(qrels, run, "AP", **options)
    report = rm.check(qrels, run, measures="AP(rel=1)", **options)
    assert not report.ok
    (finding,) = report.files[1].findings
    assert finding.severity == "error"
    return finding


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
def test_a_nan_of_a_frame_is_told_with_its_row(make: Any) -> None:
    frame = make(COLUMNS | {"score": [0.5, float("nan"), 3.0]})
    if make is pl.DataFrame:
        finding = by_code(rm.check(QRELS, frame))["nan"]
        assert (finding.count, finding.what) == (1, "1 score is NaN")
        assert finding.places == (Place(row=1, query_id="q1", doc_id="b"),)
        assert str(finding.places[0]) == "row 1 (q1, b)"
    else:  # for pandas, NaN is a missing value
        assert refused(QRELS, frame).what == "row 1 (from 0): 'score' is null"


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
@pytest.mark.parametrize("column", ["qid", "docid", "score"])
def test_a_missing_value_of_a_frame_is_told_with_its_row_and_column(make: Any, column: str) -> None:
    broken = [*COLUMNS[column][:2], None]
    finding = refused(QRELS, make(COLUMNS | {column: broken}))
    assert (finding.code, finding.what) == ("refused", f"row 2 (from 0): {column!r} is null")
    assert finding.remedy == "drop the row, or fill it"


def test_a_nan_of_an_array_is_told_with_its_place() -> None:
    scores = SCORES.copy()
    scores[1, 2] = np.nan
    finding = refused(LABELS, scores)
    assert finding.what == "row 1, column 2 (from 0): the score is NaN"
    assert finding.remedy == "mark places without a document with mask= or lengths="


def test_rows_of_tables_are_counted_from_nought_and_those_of_matrices_are_queries() -> None:
    tied = {"q1": {"a": 0.5, "b": 0.5}, "q2": {"c": 3.0}}
    rows = [(q, d, s) for q, documents in tied.items() for d, s in documents.items()]
    records, nested = by_code(rm.check(QRELS, rows))["ties"], by_code(rm.check(QRELS, tied))["ties"]
    assert list(map(str, records.places)) == ["row 0 (q1, a)", "row 1 (q1, b)"]
    assert list(map(str, nested.places)) == ["query q1, document a", "query q1, document b"]
    scores = np.array([[0.9, 0.9, 0.3], [0.1, 0.2, 0.4]])
    dense = by_code(rm.check(LABELS, scores))["ties"]
    assert [place.to_dict() for place in dense.places] == [
        {"query_id": "0", "doc_id": "0"},
        {"query_id": "0", "doc_id": "1"},
    ]
    scattered = np.array(["x", "y", "x", "y", "x", "y"])
    flat = rm.check(
        rm.Qrels(LABELS.T.ravel(), groups=scattered),
        rm.Run(scores.T.ravel(), groups=scattered),
    )
    assert [place.row for place in by_code(flat)["ties"].places] == [0, 2]


def test_flat_scores_take_the_groups_of_the_judgments() -> None:
    qrels = rm.Qrels(LABELS.ravel(), groups=[3, 3])
    report = rm.check(qrels, SCORES.ravel())
    assert report.ok
    assert report.files[1].facts["rows"] == 6
    assert report.files[1].facts["judged_rows"] == 6
    finding = refused(qrels, SCORES.ravel()[:5])
    assert "need groups=, sizes or query ids" in finding.what


def test_arrays_of_other_shapes_are_refused_as_evaluate_refuses_them() -> None:
    finding = refused(LABELS, SCORES[:, :2])
    assert finding.what.startswith("the run has 2 queries x 2 items, the qrels have 2 queries x 3")


def test_places_that_meet_no_id_are_an_error_without_a_guess_at_ids() -> None:
    finding = refused(QRELS, SCORES)
    assert finding.code == "queries-apart"
    assert finding.what == (
        "none of the run's 2 queries is judged: it has '0', '1', the judgments have 'q1', 'q2'"
    )
    assert finding.remedy == "make sure that rows and columns mean the same on both sides"
    truth = scipy.sparse.csr_array(np.array([[0, 0, 1], [0, 0, 0]]))
    beside = by_code(rm.check(truth, scipy.sparse.csr_array(np.array([[1, 1, 0], [0, 0, 0]]))))
    assert beside["documents-apart"].what.endswith("it has '0', '1', the judgments have '2'")


def test_documents_of_an_array_never_are_their_query_and_those_of_ids_may_be() -> None:
    texts = {"a": {"a": 1.0, "b": 0.5}, "b": {"b": 1.0, "c": 0.5}}
    assert "self" in by_code(rm.check(texts, texts))
    for own in (LABELS, scipy.sparse.csr_array(LABELS), [{0, 1}, {1, 2}]):
        assert "self" not in by_code(rm.check(own, own if isinstance(own, list) else SCORES))


@pytest.mark.parametrize(
    "run",
    [["b", "a", "a"], {"q": ["b", "a", "a"]}, io.BytesIO(b"q\tb\t1\nq\ta\t2\nq\ta\t3\n")],
    ids=["one query", "mapping", "msmarco"],
)
def test_a_document_twice_in_an_order_is_not_in_conflict_with_itself(run: Any) -> None:
    qrels = {"a", "b"} if isinstance(run, list) else {"q": {"a", "b"}}
    report = rm.check(qrels, run)
    (finding,) = (one for one in report.findings if one.severity == "error")
    assert (finding.code, finding.count) == ("duplicates", 1)
    assert finding.remedy == "keep one row of each, or choose duplicates first or best"


def test_nothing_is_an_error_where_evaluate_has_no_use_for_it_and_else_a_warning() -> None:
    cases = (
        *((QRELS, {}), (QRELS, {"q1": {}}), ({"q1": {}, "q2": {}}, RUN), ({"a"}, [])),
        *((QRELS, pl.DataFrame(COLUMNS).clear()), (QRELS, io.BytesIO(b"")), (QRELS, iter(()))),
    )
    for qrels, run in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rm.RankmarkWarning)
            rm.evaluate(qrels, run, "AP")
        report = rm.check(qrels, run)
        assert report.ok
        assert by_code(report)["empty"].severity == "warning"
    for qrels, run in (({}, RUN), (pl.DataFrame(COLUMNS).clear(), RUN), (io.BytesIO(b""), RUN)):
        with pytest.raises(rm.InputError):
            rm.evaluate(qrels, run, "AP")
        assert not rm.check(qrels, run).ok


def test_orders_without_scores_are_said_to_be_what_they_are() -> None:
    runs: dict[str, Any] = {
        "lists": {"q1": ["b", "a"], "q2": ("c",)},
        "ranks": pl.DataFrame({"qid": ["q1", "q1"], "docid": ["a", "b"], "rank": [2, 1]}),
        "pairs": [("q1", "a"), ("q1", "b")],
        "json": io.BytesIO(b'{"q1": ["b", "a"]}'),
        "json of ranks": io.BytesIO(
            b'[{"qid": "q1", "docid": "a", "rank": 2}, {"qid": "q1", "docid": "b", "rank": 1}]'
        ),
    }
    for name, run in runs.items():
        report = rm.check(QRELS, run)
        assert report.ok
        facts = report.files[1].facts
        assert (facts["scores"], facts["ties"]) == (None, None), name
        assert facts["rank_column"] == ("ranks" in name), name
        order = "by rank" if "ranks" in name else "as given"
        assert f"\n  scores          none; ordered {order}\n" in str(report), name
    mixed = rm.check(QRELS, {"q1": ["b", "a"], "q2": {"c": 1.0}}).files[1].facts
    assert mixed["scores"] == {"min": -1.0, "max": 1.0, "negative": 1}


def test_a_run_without_a_column_of_scores_is_warned_of_in_the_report_alone() -> None:
    numbers = pl.DataFrame(COLUMNS).rename({"score": "bm25"})
    frame = numbers.with_columns(bm25=pl.lit("high"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = rm.check(QRELS, frame, measures="AP(rel=1)")
    finding = by_code(report)["no-numbers"]
    assert finding.severity == "warning"
    assert finding.what == (
        "no column has a usual name for score, so documents are ranked in the order given; it has "
        "'qid', 'docid', 'bm25'"
    )
    assert finding.remedy == "if one holds scores, choose it with columns={'score': NAME}"
    chosen = rm.check(QRELS, numbers, columns={"score": "bm25"}, measures="AP(rel=1)")
    assert chosen.findings == ()
    assert by_code(rm.check(QRELS, numbers))["refused"].severity == "error"
    judged = rm.check(pl.DataFrame({"qid": ["q1"], "docid": ["a"], "stars_given": ["none"]}))
    assert by_code(judged)["no-numbers"].effect == "every row counts as relevant"


def test_options_are_those_of_evaluate(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text('{} 0 a 1\n{"} 0 b 0\n')
    (tmp_path / "run").write_text("user,thing,score\n{},a,1\n")
    ambiguous = rm.check(tmp_path / "qrels", tmp_path / "run")
    assert [file.ok for file in ambiguous.files] == [False, False]
    options: Any = {"qrels_format": "trec", "run_format": "csv", "columns": {"doc_id": "thing"}}
    report = rm.check(tmp_path / "qrels", tmp_path / "run", **options)
    assert report.ok
    assert [file.facts["rows"] for file in report.files] == [2, 1]
    run = report.files[1]
    assert run.facts["form"]["columns"] == {"query_id": "user", "doc_id": "thing", "score": "score"}
    assert "\n  columns         query_id=user, doc_id=thing, score=score\n" in str(report)
    assert rm.check(LABELS.ravel(), SCORES.ravel(), groups=[3, 3]).ok
    assert rm.check(LABELS, np.array([[0, 1], [2, 1]]), contents="ids").ok


def test_options_that_serve_nobody_are_refused() -> None:
    with pytest.raises(rm.InputError, match="groups does not apply to these inputs"):
        rm.check(QRELS, RUN, groups=[2, 1])
    with pytest.raises(rm.InputError, match="columns does not apply to these inputs"):
        rm.check(QRELS, RUN, columns={"doc_id": "x"})
    with pytest.raises(rm.InputError, match="the qrels are already prepared"):
        rm.check(rm.Qrels(QRELS), RUN, qrels_format="trec")
    with pytest.raises(rm.InputError, match="threads is 0"):
        rm.check(QRELS, RUN, threads=0)


def test_sources_of_one_name_are_told_apart() -> None:
    report = rm.check(QRELS, RUN, RUN | {"q2": {"c": 1.0, "d": 0.5, "e": 0.25}})
    text = str(report)
    for heading in ("\n<mapping>: judgments\n", "\n  <mapping> 1  ", "\n  <mapping> 2  "):
        assert heading in text
    assert "<mapping> 1 at 2, <mapping> 2 at 3" in by_code(report)["depths"].what
    bad = rm.check(QRELS, RUN, pl.DataFrame(COLUMNS | {"score": [None, None, 1.0]}))
    assert str(bad).startswith("1 error (run <frame>) in judgments and 2 runs\n")
