"""A check names each mess where it is, how much there is of it, and nothing on clean files."""

from pathlib import Path
from typing import NamedTuple

import pytest

import rankmark as rm
from rankmark.verbs.check.finding import Finding

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n"
RUN = "q1 Q0 a 1 2.5 t\nq1 Q0 b 2 1.5 t\nq2 Q0 c 1 3 t\n"
DEEP = QRELS + "".join(f"q1 0 d{i} 0\nq2 0 e{i} 0\n" for i in range(9))
MANY = "".join(f"q{i} 0 d{i} 1\n" for i in range(30))


def checked(
    folder: Path, qrels: str | bytes, *runs: str | bytes, **options: object
) -> rm.CheckReport:
    """Check judgments and runs, written to files."""
    paths = []
    for number, text in enumerate([qrels, *runs]):
        path = folder / ("qrels" if number == 0 else f"run{number}")
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append(path)
    return rm.check(*paths, **options)  # type: ignore[arg-type]


def by_code(findings: tuple[Finding, ...]) -> dict[str, Finding]:
    return {finding.code: finding for finding in findings}


class Mess(NamedTuple):
    """Files with one mess, and what is to be found: its places are lines, or ids of queries."""

    qrels: str | bytes
    run: str | bytes
    severity: str
    count: int
    at: list[int | str]
    said: str


QRELS_MESS = {
    "encoding": Mess(
        "q1 0 caf\xe9 1\nq1 0 b 0\nq2 0 c 1\nq2 0 \xfc 0\n".encode("latin-1"),
        RUN, "warning", 2, [1, 4], "2 lines are not UTF-8",
    ),
    "byte-order-mark": Mess(QRELS.encode("utf-8-sig"), RUN, "note", 1, [1], "a byte order mark"),
    "kind": Mess(RUN, RUN, "error", 1, [], "these are not judgments: the lines look like a run"),
    "empty": Mess("", RUN, "error", 1, [], "there are no judgments in it"),
    "unreadable": Mess(
        QRELS + "q2 d\nq2 0 d high\n", RUN, "error", 2, [4, 5],
        "2 lines cannot be read; line 4: found 2 columns",
    ),
    "duplicates": Mess(
        QRELS + "q1 0 a 1\nq1 0 a 1\n", RUN, "error", 2, [4, 5], "2 rows repeat a document",
    ),
    "conflicting": Mess(
        QRELS + "q1 0 a 1\nq1 0 a 0\n", RUN, "error", 1, [5], "has a different label",
    ),
    "nan": Mess(QRELS + "q2 0 d nan\n", RUN, "error", 1, [4], "1 label is NaN"),
    "infinite": Mess(QRELS + "q2 0 d inf\n", RUN, "error", 1, [4], "1 label is infinite"),
    "extra-columns": Mess(
        QRELS + "q2 0 d 1 more junk\n", RUN, "warning", 1, [4], "1 line has more columns",
    ),
    "interleaved": Mess(
        QRELS + "q1 0 d 0\nq2 0 e 0\nq1 0 f 0\n", RUN, "note", 3, [4, 5, 6],
        "the rows of 2 queries are interrupted by other queries, 3 times in all",
    ),
    "no-relevant": Mess(
        QRELS + "q3 0 d 0\nq3 0 e 0\nq4 0 d 0\n", RUN, "warning", 2, [4, 6],
        "2 queries have no document with a label of 1 or more",
    ),
    "nothing-relevant": Mess(
        "q1 0 a 0.5\nq1 0 b 0\nq2 0 c 0.25\n", RUN, "warning", 2, [1, 3],
        "no label reaches rel=1, the highest is 0.5",
    ),
    "graded": Mess(
        QRELS + "q2 0 d 2\n", RUN, "warning", 2, [1, 4],
        "labels have 2 grades above 0 (1, 2), and no rel says which of them are relevant "
        "to AP, RR@10",
    ),
    "negative-labels": Mess(
        QRELS + "q2 0 d -1\nq2 0 e -2\n", RUN, "note", 2, [4, 5],
        "2 labels are below 0, the lowest -2",
    ),
    "self": Mess(
        QRELS + "q2 0 q2 0\n", RUN, "warning", 1, [4], "1 document has the id of the query",
    ),
}  # fmt: skip

RUN_MESS = {
    "encoding": Mess(QRELS, RUN.encode("utf-16"), "error", 1, [], "the file is UTF-16"),
    "kind": Mess(QRELS, QRELS, "error", 1, [], "this is not a run: the lines look like qrels"),
    "empty": Mess(QRELS, "# nothing\n\n", "warning", 1, [], "there are no documents in it"),
    "unreadable": Mess(
        QRELS, "qid Q0 docid rank score tag\n" + RUN, "error", 1, [1], "1 line cannot be read",
    ),
    "duplicates": Mess(
        QRELS, RUN + "q1 Q0 b 3 1.5 t\n", "error", 1, [4], "1 row repeats a document",
    ),
    "conflicting": Mess(
        QRELS, RUN + "q1 Q0 b 3 1 t\n", "error", 1, [4], "has a different score",
    ),
    "nan": Mess(QRELS, RUN + "q2 Q0 d 2 nan t\n", "error", 1, [4], "1 score is NaN"),
    "infinite": Mess(
        QRELS, RUN + "q2 Q0 d 2 -inf t\n", "warning", 1, [4], "1 score is infinite",
    ),
    "extra-columns": Mess(
        QRELS, RUN + "q2 Q0 d 2 1 t junk\n", "warning", 1, [4], "1 line has more columns",
    ),
    "interleaved": Mess(
        QRELS, RUN + "q1 Q0 d 3 1 t\n", "note", 1, [4],
        "the rows of 1 query are interrupted by other queries, 1 time in all",
    ),
    "ties": Mess(
        QRELS, RUN + "q2 Q0 d 2 3 t\n", "warning", 2, [3, 4],
        "2 rows (50.0%), among them 1 of 3 judged documents, have the same score as another",
    ),
    "float32-ties": Mess(
        QRELS, RUN + "q2 Q0 d 2 2.99999999 t\n", "note", 2, [3, 4],
        "have the same score as another of the query once scores are rounded to single precision",
    ),
    "rank-score": Mess(
        QRELS, "q1 Q0 a 2 2.5 t\nq1 Q0 b 1 1.5 t\nq2 Q0 c 1 3 t\n", "warning", 2, [1, 2],
        "2 rows (66.7%) have ranks that contradict scores",
    ),
    "row-order": Mess(
        QRELS, "q1 Q0 b 2 1.5 t\nq1 Q0 a 1 2.5 t\nq2 Q0 c 1 3 t\n", "note", 1, [2],
        "1 row has a better rank and 1 row has a higher score than the row before",
    ),
    "reversed": Mess(
        QRELS, RUN + "".join(f"q2 Q0 d{i} {i} {i} t\n" for i in range(4, 25)), "warning", 21, [],
        "21 rows have a higher score than the next better rank, 1 row a lower one",
    ),
    "missing": Mess(
        QRELS + "q3 0 a 1\nq4 0 a 1\n", RUN, "warning", 2, ["q3", "q4"],
        "2 judged queries of 4 are not in the run",
    ),
    "run-only": Mess(
        QRELS, RUN + "q9 Q0 a 1 1 t\nq8 Q0 a 1 1 t\nq8 Q0 b 2 0 t\n", "note", 2, [4, 5],
        "2 queries of the run are not judged",
    ),
    "unjudged-top": Mess(
        DEEP, RUN + "q2 Q0 x 2 1 t\n", "note", 1, [],
        "1 of the 4 documents in the first 10 ranks of all queries is not judged",
    ),
    "self": Mess(
        QRELS, RUN + "q2 Q0 q2 2 1 t\n", "warning", 1, [4],
        "1 document has the id of the query, in 1 query of 2 (50.0%)",
    ),
    "queries-apart": Mess(
        MANY, RUN.replace("q1", "topic-1").replace("q2", "topic-2"), "error", 2, [1, 3],
        "none of the run's 2 queries is judged: it has 'topic-1', 'topic-2'",
    ),
    "documents-apart": Mess(
        QRELS, RUN.replace(" a", " A").replace(" b", " B").replace(" c", " C"), "warning", 3,
        [1, 2, 3], "upper and lower case, as in 'a' and 'A'",
    ),
    "unmapped-units": Mess(
        QRELS, "q1 Q0 a 1 3 t\nq1 Q0 b#1 2 2 t\nq1 Q0 b#2 3 1 t\nq2 Q0 c#12 1 1 t\n", "warning", 2,
        [], "the run has units of documents that are judged, such as 'b#1' beside 'b': "
        "2 more documents match if ids are cut at '#'",
    ),
}  # fmt: skip


def seen(finding: Finding) -> list[int | str | None]:
    return [place.line or place.query_id for place in finding.places]


@pytest.mark.parametrize("code", QRELS_MESS)
def test_a_mess_of_judgments_is_named(code: str, tmp_path: Path) -> None:
    mess = QRELS_MESS[code]
    report = checked(tmp_path, mess.qrels, mess.run)
    assert report.files[0].kind == "qrels"
    finding = by_code(report.files[0].findings)[code]
    assert (finding.severity, finding.count, seen(finding)) == (mess.severity, mess.count, mess.at)
    assert mess.said in finding.what
    assert finding.effect
    assert finding.remedy
    assert report.ok == (mess.severity != "error")


@pytest.mark.parametrize("code", RUN_MESS)
def test_a_mess_of_a_run_is_named(code: str, tmp_path: Path) -> None:
    mess = RUN_MESS[code]
    report = checked(tmp_path, mess.qrels, mess.run)
    assert report.files[1].kind == "run"
    finding = by_code(report.files[1].findings)[code]
    assert (finding.severity, finding.count, seen(finding)) == (mess.severity, mess.count, mess.at)
    assert mess.said in finding.what
    assert finding.effect
    assert finding.remedy
    assert report.ok == (mess.severity != "error")


def test_a_clean_pair_of_files_has_no_findings(tmp_path: Path) -> None:
    report = checked(tmp_path, QRELS, RUN)
    assert report.findings == ()
    assert report.ok


# What else a mess must bring with it: a tie with the document repeated, say.
BRINGS = {
    0: {
        "duplicates": {"interleaved"},
        "conflicting": {"duplicates", "interleaved"},
    },
    1: {
        "duplicates": {"interleaved", "ties"},
        "conflicting": {"duplicates", "interleaved"},
        "ties": {"rank-score"},
        "rank-score": {"row-order"},
    },
}


@pytest.mark.parametrize("number", [0, 1])
def test_nothing_is_found_that_is_not_there(number: int, tmp_path: Path) -> None:
    for code, mess in (QRELS_MESS, RUN_MESS)[number].items():
        report = checked(tmp_path, mess.qrels, mess.run)
        found = set(by_code(report.files[number].findings))
        assert found <= {code} | BRINGS[number].get(code, set()), code


@pytest.mark.parametrize(
    ("measures", "told"),
    [
        (None, True),
        (["AP"], True),
        (["AP(rel=1)"], False),
        (["AP( rel = 2 )"], False),
        (["map-l2"], False),
        (["AP(rel=1)", "RR"], True),
        ([rm.AP(rel=2)], False),
        (["nDCG@10"], False),
        ("nDCG@10", False),
        (rm.nDCG @ 10, False),
    ],
)
def test_grades_are_told_of_where_nobody_said_what_is_relevant(
    measures: object, told: bool, tmp_path: Path
) -> None:
    report = checked(tmp_path, QRELS + "q2 0 d 2\n", measures=measures)
    assert ("graded" in by_code(report.findings)) == told


def test_queries_without_relevant_documents_follow_the_threshold(tmp_path: Path) -> None:
    qrels = QRELS + "q3 0 d 2\n"
    assert "no-relevant" not in by_code(checked(tmp_path, qrels, measures="AP(rel=1)").findings)
    finding = by_code(checked(tmp_path, qrels, measures="AP(rel=2)").findings)["no-relevant"]
    assert (finding.count, seen(finding)) == (2, [1, 3])
    assert "with a label of 2 or more" in finding.what


@pytest.mark.parametrize(
    ("name", "lines", "said"),
    [
        ("prels", "1 doc-1 1 1 0.5\n1 doc-2 0 0 1\n", "prels, judgments of a sample"),
        ("prefs", "1 EC F:x doc-1 1\n1 EC F:x doc-2 0\n", "preferences (qid judge group"),
        ("features", "2 1:0.5 2:1\n0 1:0 2:3e-1\n", "features for learning to rank"),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_files_of_another_kind_are_called_by_their_name(
    name: str, lines: str, said: str, place: int, tmp_path: Path
) -> None:
    files = [QRELS, RUN]
    files[place] = lines
    report = checked(tmp_path, *files)
    (finding,) = report.files[place].findings
    assert (finding.code, finding.severity) == ("kind", "error"), name
    assert said in finding.what
    assert report.files[1 - place].findings == ()


def test_judgments_and_run_swapped_are_told_on_both_sides(tmp_path: Path) -> None:
    report = checked(tmp_path, RUN, QRELS)
    assert [finding.code for finding in report.findings] == ["kind", "kind"]
    assert all("runs swapped?" in finding.remedy for finding in report.findings)


def test_runs_of_different_depth_are_told_of_side_by_side(tmp_path: Path) -> None:
    deeper = RUN + "q2 Q0 a 2 1 t\nq2 Q0 b 3 0 t\n"
    report = checked(tmp_path, QRELS, RUN, deeper, RUN)
    (finding,) = report.together
    assert (finding.code, finding.severity, finding.count) == ("depths", "warning", 1)
    assert finding.what.endswith("run2 at 3, the other 2 at 2")
    assert "run2 at cutoffs of 2 or less" in finding.remedy
    assert finding.effect.startswith("nDCG@10, AP, RR@10, R@100, P@10, Judged@10 use ranks")
    assert checked(tmp_path, QRELS, RUN, RUN).together == ()


def test_queries_that_hardly_meet_are_a_warning(tmp_path: Path) -> None:
    run = "".join(f"{i} Q0 d{i} 1 1 t\n" for i in range(30)) + "q3 Q0 d3 1 1 t\n"
    report = checked(tmp_path, MANY, run)
    finding = by_code(report.files[1].findings)["queries-apart"]
    assert (finding.severity, finding.count) == ("warning", 30)
    assert "only 1 of the run's 31 queries is judged" in finding.what
    assert "ids of the qrels begin with 'q', as in 'q0' and '0'" in finding.what
    assert report.ok


def test_swapped_columns_are_told_of(tmp_path: Path) -> None:
    run = "".join(f"d{i} Q0 q{i} 1 1 t\n" for i in range(30))
    report = checked(tmp_path, MANY, run)
    finding = by_code(report.files[1].findings)["queries-apart"]
    assert "the query and document columns of one of the two are swapped" in finding.what
    assert not report.ok


def test_a_rank_column_that_says_nothing_contradicts_nothing(tmp_path: Path) -> None:
    for ranks in ("000", "111", "013", "245", "xyz"):
        rows = zip("abc", ranks, (3, 2, 1), strict=True)
        run = "".join(f"q1 Q0 {doc} {rank} {score} t\n" for doc, rank, score in rows)
        codes = by_code(checked(tmp_path, QRELS, run).files[1].findings)
        assert not {"rank-score", "row-order"} & set(codes), ranks


def test_distances_are_told_by_ranks_or_rows_that_begin_with_the_lowest(tmp_path: Path) -> None:
    scores = [(f"d{i}", i / 7) for i in range(30)]
    ranked = "".join(f"q1 Q0 {doc} {i} {x} t\n" for i, (doc, x) in enumerate(scores, 1))
    table = "qid,docid,sim\n" + "".join(f"q1,{doc},{x}\n" for doc, x in scores)
    for run, remedy in ((ranked, "trust the ranks: --ties rank"), (table, "negate them")):
        codes = by_code(checked(tmp_path, QRELS, run).files[1].findings)
        assert codes["reversed"].count == 29
        assert codes["reversed"].remedy.endswith(remedy)
        assert not {"rank-score", "row-order"} & set(codes)
        backwards = "".join(reversed(ranked.splitlines(keepends=True)))
    for run in (backwards, "".join(ranked.splitlines(keepends=True)[:20])):
        found = "reversed" in by_code(checked(tmp_path, QRELS, run).files[1].findings)
        assert found == (run is backwards)  # the ranks say it, in whatever order; a few say nothing


def test_errors_come_first_and_notes_last(tmp_path: Path) -> None:
    run = RUN + "q2 Q0 d 2 nan t\nq1 Q0 e 3 inf t\nq1 Q0 f 3 3 t\n"
    severities = [finding.severity for finding in checked(tmp_path, QRELS, run).files[1].findings]
    assert severities[0] == "error"
    assert severities == sorted(severities, key=["error", "warning", "note"].index)


def test_what_cannot_be_opened_is_told_of_and_the_rest_is_checked(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "packed").write_bytes(b"\x1f\x8b\x08\x00damaged")
    report = rm.check(tmp_path / "qrels", tmp_path / "absent", tmp_path / "packed")
    assert [len(file.findings) for file in report.files] == [0, 1, 1]
    absent, packed = report.files[1].findings[0], report.files[2].findings[0]
    assert (absent.code, absent.severity) == (packed.code, packed.severity) == ("refused", "error")
    assert (absent.what, absent.remedy) == ("there is no such file", "check the path")
    assert "data is damaged" in packed.what
    assert not report.ok


def test_facts_say_what_a_file_is(tmp_path: Path) -> None:
    qrels = "q1\t0\ta\t1\r\nq1\t0\tb\t0\r\nq2\t0\t\u6587\t1"
    facts = checked(tmp_path, qrels, RUN + "q2 Q0 d 2 3 t\n").files[0].facts
    assert facts["form"]["form"] == "trec"
    assert (facts["encoding"], facts["byte_order_mark"]) == ("UTF-8", False)
    assert (facts["line_ends"], facts["last_line_ends"]) == ("CRLF", False)
    assert (facts["bytes"], facts["rows"], facts["queries"]) == (len(qrels.encode()), 3, 2)
    assert facts["depth"] == {"min": 1, "p25": 1, "median": 1, "p75": 1, "max": 2}
    assert facts["labels"] == {
        "distinct": 2,
        "min": 0.0,
        "max": 1.0,
        "histogram": [{"label": 0.0, "rows": 1}, {"label": 1.0, "rows": 2}],
    }
    facts = checked(tmp_path, QRELS, RUN + "q2 Q0 d 2 -3 t\n").files[1].facts
    assert facts["scores"] == {"min": -3.0, "max": 3.0, "negative": 1}
    assert facts["ties"]["float64"] == {"rows": 0, "share": 0.0, "judged": 0, "judged_share": 0.0}
    assert (facts["judged_queries"], facts["answered"], facts["missing"]) == (2, 2, 0)
    assert facts["judged_at_10"] == {"mean": 0.75, "judged": 3, "documents": 4}


def test_many_labels_are_put_into_bins(tmp_path: Path) -> None:
    qrels = "".join(f"q1 0 d{i} {i / 100}\n" for i in range(101))
    labels = checked(tmp_path, qrels).files[0].facts["labels"]
    assert (labels["distinct"], len(labels["histogram"])) == (101, 10)
    assert sum(one["rows"] for one in labels["histogram"]) == 101


def test_inputs_may_be_prepared_and_used_again(tmp_path: Path) -> None:
    checked(tmp_path, QRELS, RUN)
    qrels, run = rm.Qrels(tmp_path / "qrels"), rm.Run(tmp_path / "run1")
    assert rm.check(qrels, run, run).findings == ()
    with (tmp_path / "run1").open("rb") as file:
        assert rm.check(qrels, file).files[1].facts["rows"] == 3
    assert rm.evaluate(qrels, run, "RR")["RR"] == 1.0


@pytest.mark.parametrize("data", [b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b"q 0 a 1\n\xef\xbb\xbf\n"])
def test_a_line_of_a_byte_order_mark_alone_is_reported(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "run.txt"
    path.write_bytes(data)
    (_, file) = rm.check({"q": {"a": 1}}, path).files
    assert file.findings


def test_where_no_document_matches_the_option_that_maps_is_what_to_do() -> None:
    run = {"q": {"D1#3": 0.9, "D4#1": 0.5, "D2#2": 0.4}}
    report = rm.check({"q": {"D1": 1, "D2": 1}}, run)
    codes = {finding.code: finding for finding in report.files[1].findings}
    assert "unmapped-units" not in codes
    assert codes["documents-apart"].remedy == (
        "map units to their documents with --unit '#', or unit=\"#\""
    )
