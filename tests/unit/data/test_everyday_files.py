"""Files as engines, spreadsheets and public collections write them: read as meant, or refused."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm

TOP1000 = "1\t11\thow to lower sugar\tWatch portion sizes\n1\t12\thow to lower sugar\tAs long as\n"
U_DATA = "196\t242\t3\t881250949\n186\t302\t3\t891717742\n22\t377\t1\t878887116\n"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("blanks", [0, 1, 2, 3, 5])
def test_a_header_with_blanks_is_a_header(separator: str, blanks: int, tmp_path: Path) -> None:
    names = ["Case" + " Name" * (blanks > 4), "Case ID", "Search Text", "Doc ID", "Rating"]
    names = [name if at < blanks else name.replace(" ", "") for at, name in enumerate(names)]
    rows = [names, ["C", "1", "star wars", "11", "3"], ["C", "2", "jedi", "11", "1"]]
    path = written(tmp_path, "a.txt", "".join(separator.join(row) + "\n" for row in rows))
    with pytest.raises(rm.SchemaError, match=f"name for query_id.*'{names[1]}'.*--column query_id"):
        rm.Qrels(path)
    qrels = rm.Qrels(path, columns={"query_id": names[1]})
    assert qrels.by_query() == {"1": {"11": 3}, "2": {"11": 1}}


@pytest.mark.parametrize("name", ["top1000.dev", "top1000.tsv"])
def test_candidates_without_scores_are_no_run(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, TOP1000)
    with pytest.raises(rm.ParseError, match="top1000, candidates without scores: qid, pid, query"):
        rm.evaluate({"1": {"12": 1}}, path)
    path.write_text("qid\tpid\tquery\tpassage\n" + TOP1000)
    with pytest.warns(rm.RankmarkWarning, match="documents are ranked in the order given"):
        assert rm.evaluate({"1": {"12": 1}}, path, "RR")["RR"] == 0.5


@pytest.mark.parametrize("times", [1, 1000])
def test_time_stamps_are_no_labels(times: int, tmp_path: Path) -> None:
    path = written(tmp_path, "u.data", U_DATA.replace("\n", "000\n") if times > 1 else U_DATA)
    for read in (rm.Qrels, lambda run: rm.evaluate({"196": {"242": 1}}, run)):
        with pytest.raises(rm.SchemaError, match=r"time stamps and no labels.*first line of names"):
            read(path)  # type: ignore[operator]
    assert rm.Qrels(path, format="trec").rows == 3
    path.write_text("user_id\titem_id\trating\ttimestamp\n" + U_DATA)
    assert rm.Qrels(path).by_query()["196"] == {"242": 3}
    path.write_text("196 0 242 3\n186 0 302 3\n")  # judgments of numbers
    assert rm.Qrels(path).by_query()["196"] == {"242": 3}


def test_ratings_between_double_colons_are_refused_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, "ratings.dat", "1::1193::5::978300760\n1::661::3::978302109\n")
    with pytest.raises(rm.ParseError, match="separated by '::', as in MovieLens"):
        rm.Qrels(path)


GOLDEN = [
    {"id": "q1", "query": "star wars", "relevant": ["a", "b"]},
    {"id": "q2", "query": "jedi", "relevant": ["c"]},
]


@pytest.mark.parametrize("form", ["JSON Lines", "JSON", "Python"])
def test_the_id_beside_a_query_is_the_id_of_the_query(form: str, tmp_path: Path) -> None:
    golden: Any = GOLDEN
    if form == "JSON":
        golden = written(tmp_path, "g.json", json.dumps(GOLDEN))
    elif form == "JSON Lines":
        golden = written(tmp_path, "g.jsonl", "".join(json.dumps(one) + "\n" for one in GOLDEN))
    assert rm.evaluate(golden, {"q1": ["x", "a"], "q2": ["c"]}, "RR")["RR"] == 0.75
    by_text = rm.Qrels(golden, columns={"query_id": "query"})
    assert by_text.query_ids == ("star wars", "jedi")


JUDGED = {"amsterdam": {"d1": 0, "d2": 3, "d3": 1}, "berlin": {"d1": 1}}
HITS = [{"_id": "d3", "_score": 2.5}, {"_id": "d9", "_score": 2.1}, {"_id": "d2", "_score": 2.0}]
RIGHT = (1 + 3 / 2) / (3 + 1 / math.log2(3)) / 2  # gains 1 and 3 at ranks 1 and 3; berlin has none
SHAPES: dict[str, Any] = {
    "by query": {"amsterdam": HITS, "berlin": []},
    "with id and score": {
        "amsterdam": [{"id": hit["_id"], "score": hit["_score"]} for hit in HITS],
        "berlin": [],
    },
    "responses": {
        "amsterdam": {"took": 1, "hits": {"total": 3, "hits": HITS}},
        "berlin": {"took": 1, "hits": {"total": 0, "hits": []}},
    },
    "rows": [{"query_id": "amsterdam", "hits": HITS}, {"query_id": "berlin", "hits": []}],
    "rows of responses": [
        {"query_id": "amsterdam", "hits": {"hits": HITS}},
        {"query_id": "berlin", "hits": {"hits": []}},
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_hits_in_a_file_are_those_in_python(shape: str, tmp_path: Path) -> None:
    held = SHAPES[shape]
    forms = [held, written(tmp_path, "hits.json", json.dumps(held))]
    if isinstance(held, list):
        lines = "".join(json.dumps(one) + "\n" for one in held)
        forms.append(written(tmp_path, "hits.jsonl", lines))
    for form in forms:
        ev = rm.evaluate(JUDGED, form, "nDCG@10")
        assert ev["nDCG@10"] == pytest.approx(RIGHT)
        assert ev.audit.missing == 0


def test_a_query_twice_among_rows_with_hits_is_refused() -> None:
    with pytest.raises(rm.DuplicateError, match="query 'a' appears twice"):
        rm.Run([{"query_id": "a", "hits": HITS}, {"query_id": "a", "hits": HITS}])
    with pytest.raises(rm.SchemaError, match="need fields as in the first"):
        rm.Run([{"query_id": "a", "hits": HITS}, {"query_id": "b"}])


@pytest.mark.parametrize("text", ['"unclosed', '"a" b'])
def test_a_quote_in_a_column_that_is_not_read_is_told_with_its_column(
    text: str, tmp_path: Path
) -> None:
    path = written(tmp_path, "s.csv", f"qid,docid,label,text\n1,a,1,{text}\n1,b,0,plain\n")
    with pytest.raises(rm.ParseError, match=r"s\.csv:2: .*leave its column out: 'text'"):
        rm.Qrels(path)
    path.write_text('qid,docid,label,text\n1,a,1,a 5" disk\n')
    assert rm.Qrels(path).rows == 1


@pytest.mark.parametrize("make", [lambda path: path, str, lambda path: f"{path}/*"])
def test_a_folder_of_other_files_is_refused_at_the_first(
    make: Callable[[Path], Any], tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "notes.txt").write_text("no data")
    (tmp_path / "b").symlink_to(tmp_path)  # a circle
    with pytest.raises(rm.ParseError, match=r"notes\.txt: this is neither Parquet nor Arrow"):
        rm.Qrels(make(tmp_path))
    (tmp_path / "a" / "notes.txt").unlink()
    with pytest.raises(rm.InputError, match="it cannot be read: Too many levels"):
        rm.Qrels(make(tmp_path))


@pytest.mark.skipif(os.sep != "/", reason="the root of a disk is another")
def test_the_root_of_a_disk_is_refused_before_it_is_walked() -> None:
    with pytest.raises(rm.InputError):
        rm.Qrels(Path("/"))


def test_columns_of_an_array_have_groups() -> None:
    labels, scores = np.array([1, 0, 2, 0, 1]), np.array([0.3, 0.9, 0.7, 0.1, 0.2])
    wanted = rm.evaluate(labels, scores, "RR", groups=[3, 2])["RR"]
    column = rm.evaluate(labels[:, None], scores[:, None], "RR", groups=np.array([[3], [2]]))
    assert column["RR"] == wanted == 0.75


def test_user_and_item_numbers_are_not_ids_of_one_thing() -> None:
    users = {user: {item: 1 / item for item in range(1, 11)} for user in range(1, 31)}
    rated = {user: {3: 1} for user in users}
    ev = rm.evaluate(rated, users, "RR")
    assert ev.audit.self_matches == 10
    assert "own id" not in str(ev)
    assert "self" not in {found.code for found in rm.check({1: {1: 1}}, users).files[1].findings}
    documents = {n: {n: 2.0, n + 1: 1.0} for n in range(1, 31)}  # each finds itself
    judged = {n: {n + 1: 1} for n in documents}
    own = rm.evaluate(judged, documents, "RR")
    assert "30 queries retrieved a document with their own id" in str(own)
    assert "self" in {found.code for found in rm.check({1: {2: 1}}, documents).files[1].findings}


@pytest.mark.slow
def test_no_real_table_is_refused_or_doubted(shared_data: Path) -> None:
    exports = shared_data / "exports"
    for path in (exports / "movielens.csv", shared_data / "movielens-small" / "ratings.csv"):
        assert rm.Qrels(path).source.description()["columns"]["label"] == "rating"
    with pytest.raises(rm.SchemaError, match="time stamps and no labels"):
        rm.Qrels(exports / "u.data")
    for name in ("hits_by_query.json", "es_hits_by_query.json", "es_by_query.json"):
        ev = rm.evaluate(exports / "plain.qrels", exports / name, "nDCG@10")
        assert ev["nDCG@10"] == pytest.approx(0.7453, abs=5e-5), name


@pytest.mark.parametrize("separator", ["|", "::", " ", "\t"])
def test_a_table_without_names_is_told_how_to_be_one(separator: str, tmp_path: Path) -> None:
    path = tmp_path / "ratings.dat"
    rows = [["u1", "a", "0"], ["u1", "b", "1"]]
    path.write_text("".join(separator.join(row) + "\n" for row in rows))
    with pytest.raises(rm.InputError, match="put a first line of names, such as query_id,doc_id"):
        rm.Qrels(path)
    lines = ["query_id,doc_id,label", *map(",".join, rows)]
    path.write_text("".join(line + "\n" for line in lines))
    assert rm.evaluate(path, {"u1": ["a", "b"]}, "RR")["RR"] == 0.5
