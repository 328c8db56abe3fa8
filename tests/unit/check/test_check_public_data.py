"""Real files in all their mess, with counts that others have taken."""

from collections import defaultdict
from pathlib import Path

import pytest

import rankmark as rm
from generators.trec_files import naive_fields
from rankmark.verbs.check.finding import FileReport, Finding


def codes(report: FileReport) -> dict[str, Finding]:
    return {finding.code: finding for finding in report.findings}


def test_a_file_of_three_judges_is_told_of(shared_data: Path) -> None:
    found = codes(rm.check(shared_data / "trec_eval-test" / "qrels.123").files[0])
    assert (found["duplicates"].count, found["conflicting"].count) == (6629, 146)
    assert found["duplicates"].places[0].line == 3682  # one more than the first judge's lines
    assert found["interleaved"].count == 6  # three topics, judged three times


def test_topics_that_return_and_junk_behind_the_columns_are_told_of(shared_data: Path) -> None:
    folder = shared_data / "trec_eval-test"
    report = rm.check(folder / "qrels.rel_level", folder / "results.trunc")
    assert report.ok
    found = codes(report.files[1])
    assert found["interleaved"].count == 163
    assert (found["missing"].count, found["missing"].places[0].query_id) == (1, "302")
    rows = list(naive_fields(folder / "results.trunc"))
    assert found["extra-columns"].count == sum(len(fields) > 6 for fields in rows) > 0


def test_ranks_and_scores_out_of_order_are_told_of(shared_data: Path) -> None:
    folder = shared_data / "trec_eval-test"
    found = codes(rm.check(folder / "qrels.test", folder / "results.test").files[1])
    before: dict[bytes, int] = {}
    falls = 0
    for query, _, _, rank, *_ in naive_fields(folder / "results.test"):
        falls += int(rank) < before.get(query, 0)
        before[query] = int(rank)
    assert falls == 753
    assert "753 rows have a better rank and 746 rows have a higher score" in found["row-order"].what
    assert "rank-score" not in found  # where scores are equal, either order is right


@pytest.mark.parametrize(
    ("name", "count", "lowest"),
    [
        ("qrels/qrels.web.251-300.txt", 556, -2),
        ("qrels/qrels.covid-round5.txt", 2, -1),
        ("trec_eval-test/qrels.rel_level", 304, -1),
    ],
)
def test_negative_labels_are_counted(shared_data: Path, name: str, count: int, lowest: int) -> None:
    report = rm.check(shared_data / name).files[0]
    assert codes(report)["negative-labels"].count == count
    assert f"the lowest {lowest}" in codes(report)["negative-labels"].what
    assert report.facts["labels"]["min"] == lowest


def test_files_that_are_no_judgments_are_told_by_their_kind(shared_data: Path) -> None:
    said = {
        "qrels/prels.web.1-50.txt": "prels",
        "trec_eval-test/prefs.test": "preferences",
        "trec_eval-test/results.test": "a run",
    }
    for name, kind in said.items():
        (finding,) = rm.check(shared_data / name).files[0].findings
        assert (finding.code, finding.severity) == ("kind", "error")
        assert f"the lines look like {kind}" in finding.what


def test_lines_that_end_in_two_characters_are_told_of(shared_data: Path) -> None:
    facts = rm.check(shared_data / "qrels" / "qrels.msmarco-doc.dev.txt").files[0].facts
    assert (facts["line_ends"], facts["rows"], facts["queries"]) == ("CRLF", 5193, 5193)
    facts = rm.check(shared_data / "dl-hard-passage" / "dl_hard-passage.qrels").files[0].facts
    assert not facts["last_line_ends"]
    facts = rm.check(shared_data / "qrels" / "qrels.beir-v1.0.0-climate-fever.test.txt")
    assert facts.files[0].facts["encoding"] == "UTF-8"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bm25", "bm25-rm3", "bm25-bertzs", "bm25-t5zs"])
def test_ties_and_judged_shares_of_real_runs_are_those_of_the_audit(
    shared_data: Path, name: str
) -> None:
    folder = shared_data / "dl-hard-passage"
    files = folder / "dl_hard-passage.qrels", folder / f"{name}.run"
    report = rm.check(*files, measures="AP(rel=2)")
    assert report.ok
    facts, audit = report.files[1].facts, rm.evaluate(*files, "AP(rel=2)").audit
    assert facts["ties"]["float64"]["judged_share"] == pytest.approx(audit.tied_share)
    assert facts["judged_at_10"]["mean"] == pytest.approx(audit.judged_at_10)
    scores = defaultdict(list)
    for query, _, _, _, score, *_ in naive_fields(files[1]):
        scores[query].append(float(score))
    tied = sum(sum(one.count(x) > 1 for x in one) for one in scores.values())
    assert facts["ties"]["float64"]["rows"] == tied
    assert facts["rows"] == sum(map(len, scores.values()))
    found = codes(report.files[0])
    assert found["no-relevant"].count == audit.without_relevant


def test_judgments_of_other_collections_never_meet_and_say_so(shared_data: Path) -> None:
    run = shared_data / "trec_eval-test" / "results.test"
    report = rm.check(shared_data / "qrels" / "qrels.dl19-passage.txt", run)
    finding = codes(report.files[1])["queries-apart"]
    assert (finding.severity, finding.count) == ("error", 3)
    assert "these are the qrels of another collection" in finding.what
