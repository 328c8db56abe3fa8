"""What ``check`` says of judged documents that a corpus lacks."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark import InputError
from rankmark.commands.app import app

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}, "q3": {"d": 2, "e": 1}}
CORPUS = ["a", "d", "x", "y"]
MEASURES = ["R@10", "Success@10", "nDCG@10"]
HIGHEST = {"R@10": 1 / 3, "Success@10": 2 / 3, "nDCG@10": 0.45777824206577566}


def corpus_facts(corpus: object, **options: object) -> dict[str, object]:
    report = rm.check(QRELS, corpus=corpus, measures=MEASURES, rel=1, **options)
    found: dict[str, object] = report.to_dict()["files"][0]["facts"]["corpus"]
    return found


def test_gone_documents_and_queries_that_cannot_be_won_are_named() -> None:
    report = rm.check(QRELS, corpus=CORPUS, measures=MEASURES, rel=1)
    facts = report.to_dict()["files"][0]["facts"]["corpus"]
    assert facts["documents"] == 4
    assert facts["gone"] == {"q1": ["b"], "q2": ["c"], "q3": ["e"]}
    assert facts["unwinnable"] == ["q2"]
    assert facts["attainable"] == pytest.approx(HIGHEST, abs=1e-12)
    assert [one.code for one in report.findings] == ["gone", "unwinnable"]
    assert "nDCG@10 at most 0.4578 from the corpus (not 1.0000)" in report.findings[0].consequence


def test_a_run_attains_at_most_what_its_depth_allows() -> None:
    run = {"q1": {"x": 2.0}, "q3": {"y": 2.0, "x": 1.0}}
    report = rm.check(QRELS, run, corpus=[*CORPUS, "e"], measures=["R@10", "P@2"], rel=1)
    assert report.files[1].facts["attainable"] == pytest.approx(
        {"R@10": (1 / 2 + 0 + 1) / 3, "P@2": (1 / 2 + 0 + 1) / 3}
    )


def test_a_run_of_an_older_index_is_named() -> None:
    run = {"q0": {"b": 1.0}, "q1": {"b": 3.0, "c": 2.0, "a": 1.0}, "q3": {"e": 2.0, "z": 1.0}}
    report = rm.check(QRELS, run, {"q1": {"a": 1.0}}, corpus=CORPUS, measures=["R@10"])
    assert [one.facts["gone_retrieved"] for one in report.files[1:]] == [2, 0]
    alone = str(rm.check(QRELS, run, corpus=CORPUS, measures=["R@10"]))
    assert "2 judged documents retrieved: is the run of an older index?" in alone


def test_the_highest_values_are_those_of_the_best_run() -> None:
    best = {"q1": ["a"], "q2": [], "q3": ["d"]}
    with rm.quiet():
        ev = rm.evaluate(QRELS, best, MEASURES, rel=1)
    assert corpus_facts(CORPUS)["attainable"] == dict(ev.means)


def _folder(folder: Path) -> Path:
    lines = [json.dumps({"_id": one, "title": "", "text": "of it"}) for one in CORPUS]
    (folder / "corpus.jsonl").write_text("\n".join(lines))
    return folder


def _file(name: str, text: str):
    def write(folder: Path) -> Path:
        (folder / name).write_text(text)
        return folder / name

    return write


def _parquet(folder: Path) -> Path:
    pq.write_table(pa.table({"_id": CORPUS, "text": ["of it"] * 4}), folder / "corpus.parquet")
    return folder / "corpus.parquet"


@pytest.mark.parametrize(
    "made",
    [
        lambda _: CORPUS,
        lambda _: set(CORPUS),
        lambda _: iter(CORPUS),
        lambda _: {one: {"text": "of it"} for one in CORPUS},
        lambda _: pa.table({"doc_id": CORPUS}),
        lambda _: io.StringIO("a\nd\nx\ny\n"),
        _folder,
        _file("ids.txt", "\ufeffa\r\nd\r\n\r\nx \ny"),
        _file("corpus.tsv", "a\tfirst\nd\tsecond\nx\tthird\ny\t\n"),
        _file("corpus.csv", "doc_id,text\na,first\nd,second\nx,third\ny,\n"),
        _parquet,
    ],
    ids="list set iterator mapping frame stream folder lines tsv csv parquet".split(),  # noqa: SIM905  (one line)
)
def test_ids_may_have_any_form(made, tmp_path: Path) -> None:
    facts = corpus_facts(made(tmp_path))
    assert (facts["documents"], facts["unwinnable"]) == (4, ["q2"])
    assert facts["attainable"] == pytest.approx(HIGHEST, abs=1e-12)


def test_whole_numbers_are_ids() -> None:
    report = rm.check({"q1": {"1": 1, "2": 1}}, corpus=range(2), measures="R@10")
    assert report.files[0].facts["corpus"]["gone"] == {"q1": ["2"]}


def test_ids_that_are_only_written_otherwise_are_told() -> None:
    qrels = {"q": {f"doc{i}.txt": 1 for i in range(6)} | {f"gone{i}": 1 for i in range(6)}}
    report = rm.check(qrels, corpus=[*(f"doc{i}" for i in range(6)), "gone5"])
    (near,) = (one for one in report.findings if one.code == "near-corpus")
    assert near.count == 6
    assert "6 of the 11 documents that are gone would match if endings were left out" in near.what


def test_ids_that_are_chance_neighbours_are_not_told() -> None:
    report = rm.check({"q": {"d1": 1, "d2": 1}}, corpus=["d2", "d3", "d4", "D5"], measures="R@10")
    assert [one.code for one in report.findings] == ["gone"]


def test_nothing_is_found_where_nothing_is_gone() -> None:
    report = rm.check(QRELS, corpus=[*"abcdexy"], measures=MEASURES, rel=1)
    assert report.findings == ()
    assert report.files[0].facts["corpus"]["attainable"] == dict.fromkeys(MEASURES, 1.0)


def test_unjudged_and_irrelevant_documents_make_no_query_unwinnable() -> None:
    report = rm.check({"q1": {"a": 1, "b": 0}, "q2": {"c": 0}}, corpus=["a"], measures="R@10")
    assert report.files[0].facts["corpus"]["unwinnable"] == []


@pytest.mark.parametrize(
    ("corpus", "told"),
    [
        ([], "holds no ids"),
        (7, "need ids"),
        (["a", None], "None"),
        (b"a", "need ids"),
        (["z"], "none of the"),
    ],
)
def test_what_is_no_corpus_is_refused(corpus: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        rm.check(QRELS, corpus=corpus)


def test_a_folder_without_a_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"need corpus\.jsonl"):
        rm.check(QRELS, corpus=tmp_path)


def test_an_object_without_an_id_is_refused_with_its_line(tmp_path: Path) -> None:
    path = _file("corpus.jsonl", '{"_id": "a"}\n{"text": "of it"}\n')(tmp_path)
    with pytest.raises(InputError, match=r"corpus\.jsonl:2: no field is an id"):
        rm.check(QRELS, corpus=path)


def test_the_command_takes_a_file(tmp_path: Path) -> None:
    qrels = _file("qrels.txt", "q1 0 a 1\nq1 0 b 1\nq2 0 c 1\n")(tmp_path)
    ids = _file("ids.txt", "a\n")(tmp_path)
    given = ["check", str(qrels), "--corpus", str(ids), "-m", "R@10", "--format", "json"]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)["files"][0]["facts"]["corpus"]
    assert facts["gone"] == {"q1": ["b"], "q2": ["c"]}
    assert facts["attainable"] == {"R@10": 0.25}


def test_a_table_of_items_is_a_corpus_and_others_are_told_what_they_lack(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("item_id,name\na,x\nd,y\n")
    assert corpus_facts(tmp_path / "items.csv")["documents"] == 2
    pq.write_table(pa.table({"name": ["a"]}), tmp_path / "c.parquet")
    with pytest.raises(InputError, match=r"could be doc_id; it has name; need ids, or a file"):
        corpus_facts(tmp_path / "c.parquet")
