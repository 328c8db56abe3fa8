"""Datasets of other libraries: ir_datasets by id, Hugging Face's by split, PyTerrier's frames."""

import sys
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

import rankmark as rm
from unit.commands import rankmark_here

QRELS = {"q1": {"d1": 1, "d2": 2}, "q2": {"d3": 1}}
RUN = {"q1": {"d2": 1.0, "d9": 0.5}, "q2": {"d9": 1.0, "d3": 0.4}}
WANTED = rm.evaluate(QRELS, RUN, ["nDCG@10", "AP"]).means
TSV = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t2\nq2\td3\t1\n"


class TrecQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Dataset:
    """A dataset of ir_datasets."""

    def qrels_iter(self) -> Any:
        for query, held in QRELS.items():
            for doc, label in held.items():
                yield TrecQrel(query, doc, label, "0")


class Broken:
    def qrels_iter(self) -> Any:
        raise ConnectionError("no such host")


@pytest.fixture
def datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for the library, which reads its datasets from the network."""
    known: dict[str, Any] = {"beir/scifact/test": Dataset(), "beir/broken": Broken()}
    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=known.__getitem__))


@pytest.mark.usefixtures("datasets")
def test_an_id_of_ir_datasets_is_its_judgments(tmp_path: Any) -> None:
    ev = rm.evaluate("beir/scifact/test", RUN, ["nDCG@10", "AP"])
    assert ev.means == WANTED
    assert ev.to_dict()["qrels"]["name"] == "beir/scifact/test"
    rm.convert(RUN, tmp_path / "a.run", kind="run")
    done = rankmark_here("evaluate", "beir/scifact/test", tmp_path / "a.run", "-m", "AP")
    assert f"{WANTED['AP']:.4f}" in done.stdout
    assert rm.compare("beir/scifact/test", {"a": RUN, "b": RUN}, "AP").evaluations["a"]["AP"]


@pytest.mark.usefixtures("datasets")
def test_a_name_that_is_no_id_is_a_missing_file_and_a_failed_download_is_said() -> None:
    with pytest.raises(rm.InputError, match=r"beir/nowhere: there is no such file"):
        rm.evaluate("beir/nowhere", RUN, "AP")
    with pytest.raises(rm.InputError, match=r"beir/broken: ir_datasets cannot load it: no such ho"):
        rm.evaluate("beir/broken", RUN, "AP")
    with pytest.raises(rm.InputError, match="this dataset has no scoreddocs_iter"):
        rm.evaluate(QRELS, "beir/scifact/test", "AP")


@pytest.mark.usefixtures("datasets")
def test_a_file_comes_before_a_dataset(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "beir" / "scifact" / "test"
    file.parent.mkdir(parents=True)
    file.write_text("q1 0 d9 1\nq2 0 d9 1\n")
    assert rm.evaluate("beir/scifact/test", RUN, "AP")["AP"] == 0.75


def test_without_the_library_a_name_is_a_missing_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(rm.InputError, match=r"beir/scifact/test: there is no such file"):
        rm.evaluate("beir/scifact/test", RUN, "AP")


def test_a_dataset_of_ir_datasets_itself_is_read_by_its_id(tmp_path: Any) -> None:
    ir_datasets = pytest.importorskip("ir_datasets")
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 2\nq2 0 d3 1\n")
    made = ir_datasets.create_dataset(qrels_trec=str(tmp_path / "qrels"))
    ir_datasets.registry.register("rankmark-test/made", made)
    assert rm.evaluate("rankmark-test/made", RUN, ["nDCG@10", "AP"]).means == WANTED


@pytest.mark.parametrize("kind", ["DatasetDict", "IterableDatasetDict"])
def test_the_only_split_is_read_and_several_are_named(kind: str) -> None:
    by_split = type(kind, (dict,), {})
    rows = [
        {"query-id": query, "corpus-id": doc, "score": label}
        for query, held in QRELS.items()
        for doc, label in held.items()
    ]
    assert rm.evaluate(by_split(test=rows), RUN, ["nDCG@10", "AP"]).means == WANTED
    with pytest.raises(
        rm.InputError,
        match=rf"qrels is {kind} with the splits dev, test; give one of them, as in .*'dev'",
    ):
        rm.evaluate(by_split(dev=rows, test=rows), RUN, "AP")


def test_datasets_of_hugging_face_are_read_by_split(tmp_path: Any) -> None:
    datasets = pytest.importorskip("datasets")
    (tmp_path / "test.tsv").write_text(TSV)
    rows = [line.split("\t") for line in TSV.splitlines()[1:]]
    test = datasets.Dataset.from_list(
        [{"query-id": q, "corpus-id": d, "score": int(label)} for q, d, label in rows]
    )
    by_split = datasets.DatasetDict(test=test)
    for given in (test, by_split, by_split["test"], test.to_iterable_dataset()):
        assert rm.evaluate(given, RUN, ["nDCG@10", "AP"]).means == WANTED
    with pytest.raises(rm.InputError, match="with the splits dev, test"):
        rm.evaluate(datasets.DatasetDict(dev=test, test=test), RUN, "AP")


def test_an_experiment_of_pyterrier_gives_the_numbers_of_its_frames() -> None:
    pt = pytest.importorskip("pyterrier")
    import pandas as pd

    from rankmark.compat.ir_measures import install, uninstall

    topics = pd.DataFrame({"qid": ["q1", "q2"], "query": ["one", "two"]})
    qrels = pd.DataFrame(
        [(q, d, label) for q, held in QRELS.items() for d, label in held.items()],
        columns=["qid", "docno", "label"],
    )
    results = pd.DataFrame(
        [(q, d, s, rank) for q, held in RUN.items() for rank, (d, s) in enumerate(held.items())],
        columns=["qid", "docno", "score", "rank"],
    )
    system = pt.Transformer.from_df(results)
    install()
    try:
        found = pt.Experiment([system], topics, qrels, ["ndcg_cut_10", "map"])
    finally:
        uninstall()
    ev = rm.evaluate(qrels, system(topics), ["nDCG@10", "AP"])
    assert ev.means == WANTED
    assert found[["ndcg_cut_10", "map"]].iloc[0].tolist() == pytest.approx([*WANTED.values()])
