"""A first line ``sep=;``, by which spreadsheets name the separator of a table."""

from pathlib import Path

import pytest

import rankmark as rm

ROWS = [("query_id", "doc_id", "score"), ("q", "a", "2"), ("q", "b,c", "1")]
QRELS = {"q": {"b,c": 1}}


def table(separator: str, first: str, end: str = "\n") -> bytes:
    lines = [first, *(separator.join(row) for row in ROWS)]
    return "".join(line + end for line in lines).encode()


@pytest.mark.parametrize("separator", [";", "|", ":", "\t"])
@pytest.mark.parametrize("first", ["sep={}", "SEP={}", '"sep={0}"{0}{0}'])
def test_it_is_read_as_meant(separator: str, first: str, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(table(separator, first.format(separator)))
    assert rm.evaluate(QRELS, path, "RR")["RR"] == 0.5
    chosen = "tsv" if separator == "\t" else "csv"
    assert rm.evaluate(QRELS, path, "RR", run_format=chosen)["RR"] == 0.5
    assert rm.check(QRELS, path).ok
    path.write_bytes(b"\xef\xbb\xbf" + table(separator, first.format(separator), "\r\n"))
    assert rm.evaluate(QRELS, path, "RR")["RR"] == 0.5


def test_lines_are_counted_with_it(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(table(";", "sep=;") + b"q;d;high\n")
    with pytest.raises(rm.ParseError, match=r"run\.csv:5: score 'high' is not a number"):
        rm.evaluate(QRELS, path)
    qrels = tmp_path / "qrels.csv"
    qrels.write_text("sep=;\nquery_id;doc_id;label\nq;a;1\nq;b;x\n")
    with pytest.raises(rm.ParseError, match=r"qrels\.csv:4: label 'x' is not a number"):
        rm.evaluate(qrels, {"q": ["a"]})


@pytest.mark.parametrize("content", ["sep=;", "sep=;\n"])
def test_nothing_below_it_is_an_error(content: str, tmp_path: Path) -> None:
    path = tmp_path / "qrels.csv"
    path.write_text(content)
    with pytest.raises(rm.ParseError, match=r"qrels\.csv"):
        rm.evaluate(path, {"q": ["a"]})


def test_scores_of_queries_may_have_it_too(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("sep=;\nrun;query_id;score\na;q;1.5\n")
    assert rm.compare_scores(path)["a"] == {"score": 1.5}
    path.write_text("sep=;\n")
    with pytest.raises(rm.ParseError, match=r"scores\.csv"):
        rm.compare_scores(path)
