"""The page of a report, as data and as text; test_report_in_browser opens it."""

import base64
import hashlib
import json
import pickle
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.results.drawing.figures import COLOURS
from rankmark.verbs.report.html_page import html_page, packed_floats, packed_json, visible
from rankmark.verbs.report.page_data import Chosen, page_data
from rankmark.verbs.report.page_tables import dots
from rankmark.verbs.report.write_report import report_page
from unit.commands import rankmark_here
from unit.report.reported import HOSTILE, block, compared, hostile, stored_scores


@pytest.fixture(scope="module")
def comparison() -> Any:
    return compared()


@pytest.fixture(scope="module")
def page(comparison: Any) -> str:
    return report_page(comparison)


def test_names_of_runs_keep_their_case_in_the_legend() -> None:
    older, gone = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 1, "b": 1}}
    with rm.quiet():
        found = rm.compare(gone, {"old": older, "new": {"q": {"a": 1.0}}}, "RR", corpus=["a"])
        legend = page_data(found, Chosen())["legend"]
    assert [line.split(" retrieved")[0] for line in legend if "older" in line] == ["old: the run"]


class Tags(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def best_first(comparison: Any) -> list[str]:
    rows = comparison.leaderboard.where(measure=comparison.measures[0])
    return [row.run for row in sorted(rows, key=lambda row: row.rank)]


@pytest.mark.slow
def test_the_page_has_means_differences_and_audit(comparison: Any, page: str) -> None:
    text = Tags(page).text
    for row in comparison.leaderboard:
        assert f"{row.mean:.4f}" in text
    for row in comparison.differences:
        assert f"{row.difference:+.4f}".replace("-", "−") in text
    assert "missing: q5" in text
    for line in comparison.legend:
        assert line[1:] in text


def test_scores_of_all_queries_are_stored_exactly(comparison: Any, page: str) -> None:
    order = [comparison.runs.index(run) for run in best_first(comparison)]
    expected = comparison.scores[:, order].transpose(2, 1, 0).ravel()
    assert stored_scores(page).tobytes() == np.ascontiguousarray(expected).tobytes()
    assert block(page, "queries")["ids"] == [*comparison.queries]


def test_stored_lists_add_up_to_the_scores(comparison: Any, page: str) -> None:
    lists = block(page, "lists-0")["lists"]
    stored = stored_scores(page).reshape(3, 3, -1)
    assert len(lists) == len(comparison.queries)
    for number, (ids, labels, runs) in enumerate(lists):
        assert len(ids) == len(set(ids)) == len(labels)
        for run, found in enumerate(runs):
            for measure in range(3):
                added = sum(found["c"][measure])
                score = stored[measure, run, number]
                assert added == pytest.approx(score, abs=1e-4), (number, run, measure)


def test_pairs_and_runs_stand_in_the_order_of_the_leaderboard(comparison: Any, page: str) -> None:
    order = best_first(comparison)
    assert order != sorted(order)
    assert block(page, "meta")["runs"] == order
    data = page_data(comparison, Chosen())
    assert [row["name"] for row in data["audit"]["rows"]] == order
    for table in data["differences"]:
        pairs = [(order.index(row["run"]), order.index(row["baseline"])) for row in table["rows"]]
        assert pairs == sorted(pairs)
        assert len(pairs) == 3


def test_no_folder_of_this_machine_is_on_the_page(tmp_path: Path) -> None:
    files = [tmp_path / folder / "a.run" for folder in ("old", "new")]
    for path in files:
        path.parent.mkdir()
        path.write_text(f"q1 Q0 {path.parent.name}#1 1 2 x\nq2 Q0 d#1 1 1 x\n")
    (tmp_path / "my.qrels").write_text("q1 0 new 1\nq2 0 d 1\n")
    for unit in (None, "#"):
        compared = rm.compare(tmp_path / "my.qrels", files, "RR", unit=unit)
        page = report_page(compared)
        names = [read.get("name") for read in page_data(compared, Chosen())["inputs"]]
        assert sorted(names) == ["my.qrels", "new/a.run", "old/a.run"]
        stored = [json.dumps(block(page, name)) for name in ("meta", "queries", "lists-0")]
        assert not [text for text in [page, *stored] if str(tmp_path) in text]
        assert block(page, "meta")["files"]["new/a"] == ["my.qrels", "new/a.run"]


@pytest.mark.slow
def test_the_smallest_p_is_shown_where_it_limits_what_is_found() -> None:
    assert not page_data(compared(), Chosen())["differences"][0]["has_smallest_p"]
    few = page_data(compared(queries=4), Chosen())["differences"][0]
    assert few["has_smallest_p"]
    assert [row["smallest_p"] for row in few["rows"]] == ["0.1250"] * 3
    assert "Smallest p" in report_page(compared(queries=4))


def test_runs_have_the_colours_of_all_plots(comparison: Any) -> None:
    figure = page_data(comparison, Chosen())["figures"][0]
    assert {row["name"]: row["colour"] for row in figure["rows"]} == {
        "run0": "run-1",
        "run1": "run-2",
        "run2": "run-3",
    }
    style = re.search(r"--run-1: (#\w+); --run-2: (#\w+)", report_page(comparison))
    assert style is not None
    assert style.groups() == COLOURS[1:3]


def test_long_names_still_differ_where_they_are_shortened() -> None:
    names = [f"{'passage-' * 9}{number}{'-rerank' * 9}" for number in range(2)]
    run = {"q": {"d": 1.0}}
    data = page_data(rm.compare({"q": {"d": 1}}, dict.fromkeys(names, run), "RR"), Chosen())
    for shown in (data["short"].values(), [row["brief"] for row in data["figures"][0]["rows"]]):
        assert len({*shown}) == 2
        assert max(map(len, shown)) <= 44


@pytest.mark.slow
def test_the_same_comparison_gives_the_same_page(page: str) -> None:
    assert report_page(compared()) == page


@pytest.mark.slow
def test_hostile_names_stay_text() -> None:
    comparison = hostile()
    page = report_page(
        comparison,
        title=HOSTILE[1],
        queries_text=dict.fromkeys(HOSTILE, HOSTILE[2]),
        docs_text={HOSTILE[0]: "</script><img src=x onerror=alert(1)>"},
    )
    page.encode()  # nothing that UTF-8 cannot hold
    plain = Tags(report_page(compared(runs=3)))
    found = Tags(page)
    assert {*found.tags} == {*plain.tags}
    assert not {name for name, _ in found.attributes} - {name for name, _ in plain.attributes}
    assert not any(name.startswith("on") for name, _ in found.attributes)
    assert not re.search("[\u202a-\u202e\u2028\u2066-\u2069]", page)
    assert "<img" not in page
    assert "⟨U+202E⟩gnp.exe" in found.text
    assert block(page, "queries")["ids"] == HOSTILE


@pytest.mark.slow
def test_ids_that_are_no_utf8_are_escaped(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(b"q\xff 0 d\xfe 1\n")
    (tmp_path / "run").write_bytes(b"q\xff Q0 d\xfe 1 2.5 tag\n")
    page = report_page(rm.compare(tmp_path / "qrels", [tmp_path / "run"], "RR"))
    page.encode()
    assert block(page, "queries")["ids"] == ["q\udcff"]
    assert block(page, "lists-0")["lists"][0][0] == ["d\udcfe"]


def test_the_policy_allows_only_the_pages_own_script_and_style(page: str) -> None:
    policy = re.search('Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy[1].replace("&#39;", "'").split("; "))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy[1]
    for name, tag in [("script-src", "script"), ("style-src", "style")]:
        content = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert content is not None
        digest = base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert "innerHTML" not in page
    assert not re.search(r"\sstyle=", page)


def test_lists_are_stored_for_the_queries_that_differ_most() -> None:
    comparison = compared(queries=20)
    data = page_data(comparison, Chosen(documents=5, most_listed=5 * 3 * 7))
    meta = json.loads(zlib.decompress(base64.b64decode(data["blocks"]["meta"])))
    spread = np.ptp(comparison.scores[:, :, 0], axis=1)
    assert sorted(spread[meta["stored"]]) == sorted(spread)[-7:]
    assert any("13 of 20 queries" in line for line in data["left_out"])


@pytest.mark.slow
def test_of_many_queries_those_are_listed_that_differ_most() -> None:
    comparison = compared(queries=20)
    data = page_data(comparison, Chosen(documents=5, most_queries=7))
    assert data["counts"] == {"runs": 3, "queries": 20, "listed": 7, "measures": 3}
    found = {
        name: json.loads(zlib.decompress(base64.b64decode(data["blocks"][name])))
        for name in ("meta", "queries", "lists-0")
    }
    spread = dict(zip(comparison.queries, np.ptp(comparison.scores[:, :, 0], axis=1), strict=True))
    listed = found["queries"]["ids"]
    assert sorted(spread[query] for query in listed) == sorted(spread.values())[-7:]
    assert found["meta"]["isCut"]
    assert found["meta"]["stored"] == "all"
    assert len(found["lists-0"]["lists"]) == 7
    assert any("scores of 13 of 20 queries, whose" in line for line in data["left_out"])
    text = " ".join(html_page(data).split())
    assert "Listed are the 7 queries whose" in text
    assert "13 are left out here" in text
    single = page_data(compared(queries=20, runs=1), Chosen(most_queries=7))
    assert "Listed are the first 7 queries" in html_page(single)


def test_texts_of_documents_beyond_the_limit_are_counted() -> None:
    texts = {f"d{number}": "ten letters" for number in range(60)}
    chosen = Chosen(docs_text=lambda wanted: {i: texts[i] for i in wanted}, most_text=110)
    data = page_data(compared(queries=5), chosen)
    assert any(line.startswith("Texts of 50 listed documents") for line in data["left_out"])


def test_scores_of_other_programs_have_a_page_without_lists() -> None:
    rows = [(run, f"q{n}", n % 3 / 2 + at / 9) for at, run in enumerate("ab") for n in range(9)]
    scores = {"run": [r for r, *_ in rows], "query_id": [q for _, q, _ in rows]}
    found = rm.compare_scores(scores | {"clicks": [value for *_, value in rows]})
    page = report_page(found)
    assert block(page, "meta")["stored"] is None
    assert "scores were computed by another program" in page


@pytest.mark.slow
def test_a_frame_of_several_runs_has_ranked_lists() -> None:
    import pandas as pd

    rows = [(run, f"q{n}", f"d{d}", d % 7) for run in "ab" for n in range(30) for d in range(40)]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    qrels = {f"q{n}": {"d1": 1} for n in range(30)}
    page = report_page(rm.compare(qrels, frame, "RR", resamples=1000))
    assert all(None not in of_run for *_, of_run in block(page, "lists-0")["lists"])


@pytest.mark.slow
def test_runs_that_were_not_pickled_are_named() -> None:
    runs = {
        name: {f"q{n}": {f"d{d}": float(d % top) for d in range(40)} for n in range(30)}
        for name, top in (("kept", 7), ("gone", 9))
    }
    qrels = {f"q{n}": {"d1": 1} for n in range(30)}
    found = pickle.loads(pickle.dumps(rm.compare(qrels, runs, "RR", resamples=1000)))
    page = report_page(found)
    assert "Ranked lists of gone" in page
    assert "Ranked lists of kept" in page


@pytest.mark.slow
def test_slices_have_a_table_and_a_filter() -> None:
    by = {f"q{number}": "</script>" if number % 2 else "even" for number in range(20)}
    comparison = compared(queries=20, baseline="run0", by=by)
    page = report_page(comparison)
    means = comparison.slices["even"].leaderboard.where(measure="nDCG@10")
    text = Tags(page).text
    assert all(f"{row.mean:.4f}" in text for row in means)
    assert block(page, "meta")["slices"]["even"] == [*range(0, 20, 2)]
    assert "</script>" in text
    assert 'id="slices"' not in report_page(compared(queries=3))


@pytest.mark.slow
def test_one_run_and_one_query_have_a_page() -> None:
    page = report_page(rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR"))
    assert "1 run, 1 query" in page
    assert 'id="differences"' not in page


@pytest.mark.slow
def test_seventeen_runs_say_alike_facts_once() -> None:
    page = report_page(compared(queries=8, runs=17, baseline="run0"))
    assert page.count("<dt>Judged</dt>") == 1
    assert Tags(page).tags.count("svg") == 3 + 17 * 3


@pytest.mark.parametrize("wrong", [None, 3, {"a": 1}, "report.html"])
def test_what_is_no_comparison_is_refused(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(rm.SchemaError, match=r"rankmark\.compare"):
        rm.write_report(wrong, tmp_path / "a.html")
    assert [*tmp_path.iterdir()] == []


def test_numbers_and_json_are_packed_without_a_letter_of_html() -> None:
    for packed in (packed_json({"</script>": ["\u2028", "\udcff"]}), packed_floats(np.arange(3.0))):
        assert re.fullmatch("[A-Za-z0-9+/=]+", packed)


def test_what_is_not_seen_is_written() -> None:
    assert visible("a\u202eb\x00\udcff\u200b") == "a⟨U+202E⟩b⟨U+0000⟩\\xff⟨U+200B⟩"
    assert visible("قطة 🐈\u200d⬛") == "قطة 🐈\u200d⬛"


@pytest.mark.parametrize(
    ("values", "ticks"),
    [([0.27, 0.49], ["0.2", "0.3", "0.4", "0.5"]), ([3, 3], None)],
)
def test_axes_have_round_numbers(values: list[float], ticks: list[str] | None) -> None:
    rows = [{"name": "", "value": value, "low": None, "high": None} for value in values]
    found = [tick["text"] for tick in dots(rows)["ticks"]]
    assert len(set(found)) == len(found) >= 3
    assert ticks is None or found == ticks


EXAMPLE = Path(rm.__file__).parent / "example"


@pytest.mark.slow
def test_the_command_writes_a_page_with_texts(tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    runs = [EXAMPLE / "bm25.run", EXAMPLE / "lsa.run"]
    texts = ["--queries-text", EXAMPLE / "queries.tsv", "--docs-text", EXAMPLE / "corpus.tsv"]
    done = rankmark_here(
        *("report", EXAMPLE / "qrels.txt", *runs, "-m", "nDCG@10", "--baseline", "bm25"),
        *("--resamples", 1000, *texts, "-o", output),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    page = output.read_text("utf-8")
    assert "2 runs on qrels.txt" in page
    assert all(block(page, "queries")["texts"])
    assert block(page, "lists-0")["texts"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["missing.run"], 1, "missing.run"),
        ([EXAMPLE / "bm25.run", "--baseline", "nobody"], 2, "--baseline: 'nobody' names no run"),
        ([EXAMPLE / "bm25.run", "-m", "nothing"], 2, "nothing"),
        ([EXAMPLE / "bm25.run", "--queries-text", EXAMPLE / "bm25.run"], 1, "has no tab"),
        ([EXAMPLE / "bm25.run", "--docs-text", EXAMPLE / "queries.tsv"], 1, "no id that is needed"),
    ],
)
def test_mistakes_end_with_one_line(
    arguments: list[Any], code: int, words: str, tmp_path: Path
) -> None:
    output = tmp_path / "a.html"
    done = rankmark_here("report", EXAMPLE / "qrels.txt", *arguments, "-o", output)
    assert done.returncode == code
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not output.exists()


def test_texts_are_read_from_lines_and_json(tmp_path: Path) -> None:
    from rankmark.data.files.lines_of_text import texts_in

    path = tmp_path / "texts"
    path.write_text('{"_id": "a", "title": "T", "text": "x  y"}\n{"docno": 7, "contents": "c"}\n')
    assert texts_in(path, ["a", "7", "z"], 100) == {"a": "T — x y", "7": "c"}
    path.write_text("a\tone\ttwo\r\n\nb\tlonger than most\n")
    assert texts_in(path, {"a", "b"}, 9) == {"a": "one — two", "b": "longer t…"}
    path.write_text('{"text": "no id"}\n')
    with pytest.raises(rm.ParseError, match="no field is an id"):
        texts_in(path, ["a"], 9)
    path.write_text("{not json\n")
    with pytest.raises(rm.ParseError, match="this is not valid JSON"):
        texts_in(path, ["a"], 9)


def test_the_page_says_why_relevant_documents_are_missing(comparison: Any, page: str) -> None:
    assert "not among the first 10" in Tags(page).text
    found = page_data(comparison, Chosen())["failures"]
    assert found["measure"] == "nDCG@10"
    evaluations = comparison.evaluations
    for run, (_, grid, *_) in found["runs"]:
        kept = evaluations[run]._kept
        causes = rm.failure_causes(kept.qrels.again(), {run: kept.run.again()}, "nDCG@10").causes
        assert [(one.cause, f"{one.documents:,}") for one in causes] == [
            (row[0].text, row[1].text) for row in grid.rows
        ]
    assert (
        page_data(rm.compare_scores({"a": {"q": 1}, "b": {"q": 2}}), Chosen())["failures"] is None
    )


def test_failures_follow_the_ties_that_the_measure_has_for_itself() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    for ties in ("docid", "docid-asc"):
        name = f'P(ties="{ties}")@1'
        found = rm.compare(qrels, {"one": run, "other": run}, [name, "P@1"])
        failures = page_data(found, Chosen())["failures"]
        assert failures["measure"] == name
        for run_name, (said, *_) in failures["runs"]:
            mean = next(row.mean for row in found.leaderboard if row.run == run_name)
            assert str(said).startswith("all 1 relevant" if mean else "1 of 1 relevant")


def test_names_of_trials_are_visible_where_failures_leave_them_out() -> None:
    runs = {"new\u202e": [{"q": ["b"]}, {"q": ["a"]}], "old": {"q": ["b"]}}
    text = Tags(report_page(rm.compare({"q": {"a": 1}}, runs, "R@1"))).text
    assert "new\u27e8U+202E\u27e9 is left out: each of its trials has its own" in text
