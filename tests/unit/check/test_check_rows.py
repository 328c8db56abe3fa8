"""What a check counts, against plain Python over the same rows, and against evaluate."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.data.contract.source import Rows
from rankmark.verbs.check.finding import Finding, Place
from rankmark.verbs.check.judged_overlap import Overlap, overlap_facts, self_matches
from rankmark.verbs.check.ranking import order_findings, tie_facts, tie_findings
from rankmark.verbs.check.row_findings import row_findings
from rankmark.verbs.check.row_table import Table

Row = tuple[str, str, float, float]
IN_A_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def table(
    rows: Sequence[Row], *, scored: bool = True, ranked: bool = True, lines: bool = True
) -> Table:
    """Make a table of rows: query, document, number, rank."""
    queries = {row[0]: None for row in rows}
    documents = {row[1]: None for row in rows}
    query_codes = {query: code for code, query in enumerate(queries)}
    doc_codes = {document: code for code, document in enumerate(documents)}
    return Table(
        Rows(
            query_codes=np.array([query_codes[row[0]] for row in rows], dtype=np.uint32),
            query_ids=tuple(queries),
            doc_codes=np.array([doc_codes[row[1]] for row in rows], dtype=np.uint32),
            doc_ids=list(documents).__getitem__,
            doc_numbers=lambda ids: np.array([doc_codes.get(one, -1) for one in ids], np.int64),
            number=np.array([row[2] for row in rows], dtype=np.float64) if scored else None,
            rank=np.array([row[3] for row in rows], dtype=np.float64) if ranked else None,
            line=np.arange(1, len(rows) + 1, dtype=np.int64) if lines else None,
            row=None if lines else range(len(rows)),
        )
    )


ids = st.sampled_from(["q1", "q2", "q3"])
documents = st.sampled_from(["a", "b", "c", "d", "q1", "\u6587"])
numbers = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-40, 2.0, -1.0, 1e300, 2e300, math.inf])
rows_of_runs = st.lists(st.tuples(ids, documents, numbers, st.integers(0, 4)), max_size=14)


def found(findings: object) -> dict[str, Finding]:
    return {finding.code: finding for finding in findings}  # type: ignore[attr-defined]


def single(number: float) -> float:
    """Round as single precision does."""
    return float(np.float32(number)) if abs(number) < 3e38 else math.copysign(math.inf, number)


@given(rows_of_runs)
def test_places_and_ties_are_those_of_plain_sorting(rows: list[Row]) -> None:
    one = table(rows)
    if not rows:
        return
    standing = one.by_score
    assert standing is not None
    for i, (query, _, score, _) in enumerate(rows):
        others = [row[2] for row in rows if row[0] == query]
        better = sum(other > score for other in others)
        equal = sum(other == score for other in others)
        assert (standing.first[i], standing.last[i]) == (better + 1, better + equal)
        alike = sum(single(other) == single(score) for other in others)
        assert one.tied_as_floats[i] == (alike > 1)


@given(st.lists(st.tuples(ids, documents, numbers, st.integers(0, 4)), max_size=14, min_size=1))
def test_order_interleaving_and_duplicates_are_those_of_a_loop(rows: list[Row]) -> None:
    one = table(rows)
    before: dict[str, Row] = {}
    moved, returns, seen, again, other = [], [], {}, [], []
    for i, row in enumerate(rows):
        query, document, number, rank = row
        if query in before and (rank < before[query][3] or number > before[query][2]):
            moved.append(i + 1)
        if query in before and rows[i - 1][0] != query:
            returns.append(i + 1)
        if (query, document) in seen:
            again.append(i + 1)
            if seen[query, document] != number:
                other.append(i + 1)
        seen.setdefault((query, document), number)
        before[query] = row
    findings = found(row_findings(one, "run")) | found(order_findings(one, in_order=True))
    expected = {
        "row-order": moved,
        "interleaved": returns,
        "duplicates": again,
        "conflicting": other,
    }
    for code, lines in expected.items():
        assert (code in findings) == bool(lines)
        if lines:
            assert findings[code].count == len(lines)
            assert [place.line for place in findings[code].places] == lines[:3]


@given(rows_of_runs, st.lists(st.tuples(ids, documents, numbers, st.integers(0, 0)), max_size=9))
def test_judged_documents_and_self_matches_are_those_of_a_lookup(
    rows: list[Row], judgments: list[Row]
) -> None:
    if not rows or not judgments:
        return
    run, qrels = table(rows), table(judgments)
    overlap = Overlap(qrels, run)
    judged = {row[:2] for row in judgments}
    assert overlap.judged.tolist() == [row[:2] in judged for row in rows]
    assert overlap.self_matches.tolist() == [row[0] == row[1] for row in rows]
    assert self_matches(qrels).tolist() == [row[0] == row[1] for row in judgments]
    judged_queries, held = {row[0] for row in judgments}, {row[0] for row in rows}
    facts = overlap_facts(overlap)
    assert facts["judged_queries"] == len(judged_queries)
    assert facts["answered"] == len(judged_queries & held)
    assert facts["missing"] == len(judged_queries - held)
    assert facts["run_only"] == len(held - judged_queries)


def test_scores_that_are_not_there_are_neither_nan_nor_ties() -> None:
    rows = [("q", "a", math.nan, 1), ("q", "b", math.nan, 1), ("q", "c", math.nan, 2)]
    for ranked in (True, False):
        one = table(rows, scored=False, ranked=ranked)
        assert not {"nan", "infinite"} & set(found(row_findings(one, "run")))
        facts = tie_facts(one, None)
        assert facts == {"ties": None}
        assert list(tie_findings(one, facts)) == []
        assert list(order_findings(one, in_order=True)) == []
        expected = [1, 1, 3] if ranked else [1, 2, 3]
        assert one.by_order.first.tolist() == expected


def test_rows_without_lines_are_counted_from_nought() -> None:
    one = table([("q", "a", 1, 1), ("q", "a", 1, 2)], lines=False)
    place = found(row_findings(one, "run"))["duplicates"].places[0]
    assert place == Place(row=1, query_id="q", doc_id="a")
    assert str(place) == "row 1 (q, a)"
    assert place.to_dict() == {"row": 1, "query_id": "q", "doc_id": "a"}


def test_a_nan_among_scores_leaves_the_ties_of_the_others() -> None:
    one = table([("q", "a", 1, 1), ("q", "b", math.nan, 2), ("q", "c", 1, 3), ("q", "d", 2, 4)])
    assert one.by_score is not None
    assert one.by_score.tied.tolist() == [True, False, True, False]
    assert one.by_score.first.tolist() == [2, 4, 2, 1]


def write(folder: Path, qrels: list[str], run: list[str]) -> tuple[Path, Path]:
    paths = folder / "qrels", folder / "run"
    for path, lines in zip(paths, (qrels, run), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return paths


pairs = st.lists(st.tuples(ids, documents), unique=True, min_size=1, max_size=18)


@IN_A_FOLDER
@given(pairs, pairs, st.data())
@pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")
def test_shares_are_those_of_the_audit(
    tmp_path: Path,
    judged: list[tuple[str, str]],
    retrieved: list[tuple[str, str]],
    data: st.DataObject,
) -> None:
    scores = [data.draw(st.integers(0, 3)) for _ in retrieved]
    many = [f"q1 Q0 more{i} 1 {i % 3} t" for i in range(data.draw(st.sampled_from([0, 9, 30])))]
    qrels, run = write(
        tmp_path,
        [f"{query} 0 {document} 1" for query, document in judged],
        [
            f"{query} Q0 {document} 1 {score} t"
            for (query, document), score in zip(retrieved, scores, strict=True)
        ]
        + many,
    )
    report = rm.check(qrels, run)
    facts = report.files[1].facts
    if not report.ok:
        assert not facts["answered"]
        return
    audit = rm.evaluate(qrels, run, "AP").audit
    assert facts["judged_at_10"]["mean"] == pytest.approx(audit.judged_at_10)
    assert facts["ties"]["float64"]["judged_share"] == pytest.approx(audit.tied_share)
    counted = (facts["judged_queries"], facts["answered"], facts["missing"], facts["run_only"])
    assert counted == (audit.judged, audit.answered, audit.missing, audit.run_only)


PIECES = {
    "qrels": ["q1 0 a 1", "q2 0 b 0", "q1 0 b 2", "q2 0 b", "q3 0 c x", "q1 0 c inf", "# x", ""],
    "run": [
        *("q1 Q0 a 1 2 t", "q2 Q0 b 1 2 t", "q1 Q0 b 2 2 t", "q3 Q0 a 1 1 t", "q4 Q0 a 1 1 t x y"),
        *("q1 Q0 c 1 nan t", "q2 Q0 c 1 inf t", "q2 Q0 c", "q2 Q0 d x 1 t", "q2 Q0 e 1 high t", ""),
    ],
}


@IN_A_FOLDER
@given(
    st.lists(st.sampled_from(PIECES["qrels"]), max_size=4),
    st.lists(st.sampled_from(PIECES["run"]), max_size=4),
)
@pytest.mark.filterwarnings("ignore::rankmark.RankmarkWarning")
def test_there_is_an_error_wherever_evaluate_refuses_and_nowhere_else(
    tmp_path: Path, qrels: list[str], run: list[str]
) -> None:
    files = write(tmp_path, qrels, run)
    try:
        rm.evaluate(*files, "AP")
        refused = False
    except rm.InputError:
        refused = True
    report = rm.check(*files)
    codes = [finding.code for finding in report.findings if finding.severity == "error"]
    assert bool(codes) == refused
    assert "refused" not in codes  # which is for what nothing else explains


@given(st.lists(st.tuples(ids, st.integers(1, 30)), max_size=40))
def test_depths_are_counted_by_query(depths: list[tuple[str, int]]) -> None:
    rows: list[Row] = []
    counts: Counter[str] = Counter()
    places: defaultdict[str, int] = defaultdict(int)
    for query, _ in depths:
        rows.append((query, f"d{len(rows)}", 0.0, 0.0))
        counts[query] += 1
        places.setdefault(query, len(rows) - 1)
    one = table(rows)
    assert one.depths.tolist() == list(counts.values())
    assert one.first_rows.tolist() == list(places.values())
