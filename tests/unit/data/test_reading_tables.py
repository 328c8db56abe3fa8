"""CSV, TSV, BEIR and MS MARCO: read as meant, or refused by line with what to do."""

import io
from html import escape
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.readings import judgments, rankings, refused

WANTED = {"q1": {"a": 1.0, "b": 0.0}, "q2": {"c": 2.0}}

QRELS = {
    "CSV": b"query_id,doc_id,label\nq1,a,1\nq1,b,0\nq2,c,2\n",
    "CSV, CRLF": b"query_id,doc_id,label\r\nq1,a,1\r\nq1,b,0\r\nq2,c,2\r\n",
    "CSV, all quoted": b'"query_id","doc_id","label"\n"q1","a","1"\n"q1","b","0"\n"q2","c","2"\n',
    "CSV, some quoted": b'query_id,doc_id,label\nq1,"a",1\n"q1",b,0\nq2,c,"2"\n',
    "CSV, quoted before CRLF": b'query_id,doc_id,label\r\nq1,a,"1"\r\nq1,b,"0"\r\nq2,c,"2"\r\n',
    "CSV, other columns": b'n,docid,x,qid,rel\n1,a,,q1,1\n2,b,y y,q1,0\n3,c,"a,b""",q2,2\n',
    "CSV, blank lines": b"\n\r\nquery_id,doc_id,label\n\nq1,a,1\n\r\nq1,b,0\nq2,c,2\n\n",
    "CSV, byte order mark": b"\xef\xbb\xbfquery_id,doc_id,label\nq1,a,1\nq1,b,0\nq2,c,2",
    "CSV, no last newline": b"query_id,doc_id,label\nq1,a,1\nq1,b,0\nq2,c,2",
    "CSV, topics interleaved": b"query_id,doc_id,label\nq1,a,1\nq2,c,2\nq1,b,0\n",
    "CSV, blanks beside numbers": b"query_id,doc_id,label\nq1,a, 1\nq1,b,0 \nq2,c, 2\t\n",
    "semicolons": b"QueryID;DocID;Relevance\nq1;a;1\nq1;b;0\nq2;c;2\n",
    "TSV": b"topic\tdocno\tgrade\nq1\ta\t1\nq1\tb\t0\nq2\tc\t2\n",
    "BEIR": b"query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\nq2\tc\t2\n",
}


@pytest.mark.parametrize("dress", QRELS)
def test_judgments_of_every_dress_read_the_same(dress: str) -> None:
    assert judgments(io.BytesIO(QRELS[dress])) == WANTED


def test_judgments_without_labels_are_all_relevant() -> None:
    read = judgments(io.BytesIO(b"user_id,item_id\nu,a\nu,b\n"))
    assert read == {"u": {"a": 1.0, "b": 1.0}}


RUNS = {
    "scores": b"query_id,doc_id,score\nq,a,1\nq,b,3\nq,c,2\n",
    "scores, and ranks that lie": b"rank\tscore\tdocid\tqid\n1\t1\ta\tq\n2\t3\tb\tq\n3\t2\tc\tq\n",
    "scores, topics interleaved": b"qid,docid,score\nq,a,1\np,z,1\nq,b,3\np,y,2\nq,c,2\n",
    "ranks": b"query_id,doc_id,rank\nq,a,3\nq,b,1\nq,c,2\n",
    "ranks, topics interleaved": b"query_id,doc_id,rank\nq,a,3\np,a,1\nq,b,1\nq,c,2\n",
    "order": b"query_id,doc_id\nq,b\nq,c\nq,a\n",
    "order, topics interleaved": b"query_id,doc_id\nq,b\np,z\nq,c\np,a\nq,a\n",
    "MS MARCO": b"q\tb\t1\nq\tc\t2\nq\ta\t3\n",
    "MS MARCO between blanks, commented": b"# c\nq b 1\nq  c 2\nq a\t3\r\n",
    "MS MARCO, topics interleaved": b"q b 1\np z 1\nq c 2\np y 2\nq a 3\n",
}


@pytest.mark.parametrize("dress", RUNS)
def test_runs_are_ordered_by_score_else_by_rank_else_as_they_are_given(dress: str) -> None:
    assert rankings(io.BytesIO(RUNS[dress]), "abc") == {"q": ["b", "c", "a"]}


@pytest.mark.parametrize("ties", ["docid", "docid-asc", "input"])
def test_an_order_as_given_knows_no_ties(ties: str) -> None:
    data = b"query_id,doc_id\n" + b"".join(b"q,d%d\n" % (7 * i % 50) for i in range(50))
    wanted = [f"d{7 * i % 50}" for i in range(50)]
    assert rankings(io.BytesIO(data), wanted, ties=ties) == {"q": wanted}
    run = rm.Run(io.BytesIO(data))
    assert rm.evaluate({"q": {"d0": 1}}, run, "AP", ties="error")["AP"] == 1.0


def test_equal_ranks_tie_and_the_rule_for_ties_orders_them() -> None:
    data = b"query_id,doc_id,rank\nq,a,1\nq,b,1\nq,c,1\n"
    for ties, wanted in (("docid", "cba"), ("docid-asc", "abc"), ("input", "abc")):
        assert rankings(io.BytesIO(data), "abc", ties=ties) == {"q": list(wanted)}


def test_ranks_are_trusted_where_that_is_asked_for_and_there_are_some() -> None:
    scored = b"query_id,doc_id,rank,score\nq,a,2,9\nq,b,1,8\n"
    assert rankings(io.BytesIO(scored), "ab") == {"q": ["a", "b"]}
    assert rankings(io.BytesIO(scored), "ab", ties="rank") == {"q": ["b", "a"]}
    assert rankings(io.BytesIO(b"q b 1\nq a 2\n"), "ab", ties="rank") == {"q": ["b", "a"]}
    run = io.BytesIO(b"query_id,doc_id,score\nq,a,2\n")
    with pytest.raises(rm.InputError, match="needs a rank column, and this file has query_id,"):
        rm.evaluate({"q": {"a": 1}}, run, ties="rank")


@pytest.mark.parametrize(
    "doc_id",
    [
        "two words",
        " x",
        "0 ",
        "a,b",
        'say "a"',
        '"',
        '"",""',
        "a;b",
        "tab\there",
        "#d",
        "文, 書",
        "'",
    ],
)
def test_quoted_ids_are_any_text_on_one_line(doc_id: str) -> None:
    quoted = doc_id.replace('"', '""')
    for data in (
        f'query_id,doc_id,label\n"{quoted}","{quoted}",1\n',
        f'query_id,doc_id,label\n"{quoted}","{quoted}",1\r\n"{quoted} 2","x ""y""",2\r\n',
        f'a\tquery_id\tdoc_id\tlabel\n""""\t"{quoted}"\t"{quoted}"\t1\n',
    ):
        assert judgments(io.BytesIO(data.encode()))[doc_id] == {doc_id: 1.0}


def test_a_quote_within_an_unquoted_field_is_part_of_it() -> None:
    data = b'query_id,doc_id,label\nq,5" disk,1\n'
    assert judgments(io.BytesIO(data)) == {"q": {'5" disk': 1.0}}


def test_ids_hold_blanks_and_begin_with_hashes_where_a_byte_separates_columns() -> None:
    data = b"query_id\tdoc_id\tlabel\n#1 q\tthe doc\t1\n"
    assert judgments(io.BytesIO(data)) == {"#1 q": {"the doc": 1.0}}


HEAD = b"query_id,doc_id,label\n"
MISTAKES = {
    "too few columns": (HEAD + b"q,a,1\nq,b\n", 3, "found 2 columns, need 3 (query_id, doc_id, "),
    "too many columns": (HEAD + b"q,a,b,1\n", 2, "a field that holds a separator in double"),
    "another separator": (HEAD + b"q;a;1\n", 2, "found 1 column, need 3"),
    "no query": (HEAD + b",a,1\n", 2, "the query id is empty"),
    "no document": (HEAD + b'q,"",1\n', 2, "the document id is empty"),
    "no label": (HEAD + b"q,a,\n", 2, "label '' is not a number; correct or remove the line"),
    "no label before CRLF": (HEAD + b"q,a,\r\n", 2, "label '' is not a number"),
    "a word for a label": (HEAD + b"q,a,1\nq,b,yes\n", 3, "label 'yes' is not a number"),
    "a second header": (HEAD + b"q,a,1\n" + HEAD, 3, "label 'label' is not a number"),
    "a decimal comma": (b"qid;docid;rel\nq;a;1,5\n", 2, "'1,5' is not a number; write a decimal"),
    "NaN": (HEAD + b"q,a,nan\n", 2, "label is NaN"),
    "infinity": (HEAD + b"q,a,inf\n", 2, "label is infinite"),
    "NUL": (HEAD + b"q,a,1\nq,b\0,1\n", 3, "NUL"),
    "a quote that does not end": (HEAD + b'q,"a,1\nq,b,1\n', 2, "does not end on its line"),
    "a line break within quotes": (HEAD + b'q,"a\nb",1\n', 2, "take line breaks out of fields"),
    "text behind a quote": (HEAD + b'q,"a"b,1\n', 2, "text follows a closing quote"),
    "behind blank lines and CRLF": (b"\r\n" + HEAD + b"\r\nq,a,1\r\nq,b\r\n", 5, "found 2 columns"),
    "behind a byte order mark": (b"\xef\xbb\xbf" + HEAD + b"q,b\n", 2, "found 2 columns"),
    "old Mac line ends": (HEAD + b"q,a,1\rq,b,1\r", 2, "found a carriage return within the line"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_file_line_and_find(tmp_path: Path, mistake: str) -> None:
    refused(tmp_path / "my.csv", MISTAKES[mistake], rm.Qrels)


def test_a_refused_line_is_shown_as_it_is_written() -> None:
    data = HEAD + b'"q ""1""","a",1,2\n'
    with pytest.raises(rm.ParseError) as caught:
        rm.Qrels(io.BytesIO(data))
    assert f"'{data.splitlines()[1].decode()}'" in str(caught.value)


def test_a_document_twice_is_told_with_both_lines_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_bytes(b'query_id,doc_id,score\nq,"a ""b""",1\np,x,1\n"q","a ""b""",2\n')
    with pytest.raises(rm.DuplicateError, match=r"twice\.csv:4: document 'a \"b\"' .* on line 2;"):
        rm.evaluate({"q": {"a": 1}}, path)


def test_a_table_of_a_header_alone_holds_nothing() -> None:
    with pytest.raises(rm.ParseError, match="holds no judgments; need lines `query_id, doc_id"):
        rm.Qrels(io.BytesIO(HEAD))


def test_columns_besides_the_ids_that_might_be_a_number_are_warned_of() -> None:
    with pytest.warns(
        rm.RankmarkWarning, match="name for label, so every row is relevant; it has 'q"
    ):
        rm.Qrels(io.BytesIO(b"query_id,doc_id,verdict\nq,d,good\n"))
    run = rm.Run(io.BytesIO(b"query_id,doc_id,title\nq,d,One\n"))
    with pytest.warns(rm.RankmarkWarning, match="name for score, so documents are ranked in the"):
        rm.evaluate({"q": {"d": 1}}, run)


def test_columns_of_any_name_can_be_chosen_for_one_side_or_both() -> None:
    qrels, run = b"who,what,how\nq,a,1\n", b"who,what,bm25\nq,a,1\nq,b,2\n"
    ids = {"query_id": "who", "doc_id": "what"}
    one_side = rm.Qrels(io.BytesIO(qrels), columns=ids | {"label": "how"})
    other = rm.Run(io.BytesIO(run), columns=ids | {"score": "bm25"})
    assert rm.evaluate(one_side, other, "RR")["RR"] == 0.5
    both = ids | {"label": "how", "score": "bm25"}
    assert rm.evaluate(io.BytesIO(qrels), io.BytesIO(run), "RR", columns=both)["RR"] == 0.5
    assert rm.evaluate({"q": {"a": 1}}, io.BytesIO(run), "RR", columns=both)["RR"] == 0.5
    assert rm.evaluate(io.BytesIO(b"q 0 a 1\n"), io.BytesIO(run), "RR", columns=both)["RR"] == 0.5


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda f: rm.Qrels(f, columns={"label": "x"}), "does not apply to .* which is trec"),
        (lambda _: rm.Run({"q": {"d": 1}}, format="csv"), "format does not apply to a mapping"),
        (lambda _: rm.Run({"q": {"d": 1}}, columns={}), "columns does not apply to a mapping"),
        (lambda f: rm.evaluate(f, {"q": {"d": 1}}, columns={"score": "x"}), "apply to these input"),
        (lambda f: rm.evaluate(rm.Qrels(f), {}, qrels_format="trec"), "the qrels are already"),
        (lambda f: rm.evaluate(f, rm.Run({}), run_format="trec"), "the run is already prepared"),
        (lambda f: rm.Qrels(f, format="nope"), "need one of trec, msmarco"),
    ],
)  # fmt: skip
def test_what_says_nothing_about_a_source_is_refused(make: Any, said: str) -> None:
    with pytest.raises(rm.InputError, match=said):
        make(io.BytesIO(b"q 0 d 1\n"))


def test_a_role_or_a_column_that_there_is_not_is_refused() -> None:
    for columns, said in (
        (
            {"user": "who"},
            "columns names 'user', which is not a role; need one of query_id, doc_id, score,",
        ),
        (
            {"label": "x"},
            "there is no column 'x' for label; choose one of 'query_id', 'doc_id', 'label'",
        ),
    ):
        with pytest.raises(rm.SchemaError, match=said):
            rm.Qrels(io.BytesIO(HEAD + b"q,a,1\n"), columns=columns)


def test_a_format_is_chosen_in_evaluate_for_either_side() -> None:
    qrels, run = io.BytesIO(b"{} 0 d 1\n"), io.BytesIO(b"{} e 3\n{} d 7\n")
    ev = rm.evaluate(qrels, run, "RR", qrels_format="trec", run_format="msmarco")
    assert ev["RR"] == 0.5
    assert ev.provenance == ["<file object> read as msmarco"]


def test_what_was_taken_is_shown_with_the_result() -> None:
    qrels, run = io.BytesIO(QRELS["BEIR"]), io.BytesIO(RUNS["order"].replace(b"q,", b"q1,"))
    ev = rm.evaluate(qrels, run, "nDCG")
    assert ev.provenance == [
        "<file object> read as beir: query_id=query-id, doc_id=corpus-id, label=score",
        "<file object> read as csv: query_id=query_id, doc_id=doc_id, in the order given",
    ]
    assert all(line in str(ev) for line in ev.provenance)
    assert all(escape(line) in ev._repr_html_() for line in ev.provenance)
    columns = {"query_id": "query_id", "doc_id": "doc_id"}
    assert ev.to_dict()["run"] | {"form": "csv", "columns": columns} == ev.to_dict()["run"]
    judged = rm.evaluate(io.BytesIO(b"qid,docid\nq1,a\n"), {"q1": {"a": 1}}, "RR")
    assert judged.provenance == [
        "<file object> read as csv: query_id=qid, doc_id=docid, every row relevant"
    ]
