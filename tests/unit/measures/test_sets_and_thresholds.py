"""Sets of measures, and one threshold for all measures that name none."""

import json
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark import AP, InputError, MeasureError, P, nDCG
from rankmark.measures.names import measures
from rankmark.measures.sets import SETS
from unit.commands import rankmark_here, told

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1, "d": 2}}
RUN = {"q1": ["b", "c", "a"], "q2": ["a", "x"]}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{q} 0 {d} {label}\n" for q, docs in QRELS.items() for d, label in docs.items()]
    Path(tmp_path / "qrels").write_text("".join(lines))
    for name in ("a.run", "b.run"):
        rows = [f"{q} Q0 {d} {i} {-i} t\n" for q, docs in RUN.items() for i, d in enumerate(docs)]
        Path(tmp_path / name).write_text("".join(rows))
    monkeypatch.chdir(tmp_path)


def test_the_official_set_is_what_trec_eval_prints(shared_data: Path) -> None:
    folder = shared_data / "trec_eval-test"
    printed = [line.split() for line in (folder / "out.test").read_text().splitlines()]
    names = [name for name, *_ in printed if name != "runid"]
    assert [m for name in names for m in measures(name)] == [*measures("official")]


def test_the_set_of_beir_has_its_cutoffs() -> None:
    cutoffs = (1, 3, 5, 10, 100, 1000)
    named = [f"{name}@{k}" for name in ("NDCG", "MAP", "Recall", "P") for k in cutoffs]
    assert [m for name in named for m in measures(name)] == [*measures("beir")]


@pytest.mark.parametrize("name", SETS)
def test_a_set_is_found_by_its_name_in_any_spelling_and_among_others(name: str) -> None:
    found = measures(name)
    assert found == measures(name.upper()) == measures(name.replace("-", "_"))
    assert [*dict.fromkeys((*measures("Judged@10"), *found))] == [*measures(f"Judged@10, {name}")]
    assert rm.evaluate(QRELS, RUN, [name]).measures == found


@pytest.mark.parametrize("name", ["beir@10", "official(rel=2)", "msmarco @ 10"])
def test_a_set_has_no_cutoff_and_no_parameters(name: str) -> None:
    with pytest.raises(MeasureError, match="is a set of measures, without parameters and cutoffs"):
        measures(name)


def test_one_measure_is_not_a_set() -> None:
    with pytest.raises(MeasureError, match="'beir' is 24 measures, nDCG@1, nDCG@3, nDCG@5"):
        rm.measure("beir")


def test_rel_applies_to_measures_that_name_none() -> None:
    asked: list[Any] = ["map", AP(rel=1), P @ 1, nDCG @ 10, "ERR@10", "NumRel", "Judged@10"]
    found = rm.evaluate(QRELS, RUN, asked, rel=2)
    assert found.names == [
        "AP(rel=2)",
        "AP",
        "P(rel=2)@1",
        "nDCG@10",
        "ERR@10",
        "NumRel(rel=2)",
        "Judged@10",
    ]
    assert found == rm.evaluate(QRELS, RUN, found.names)
    assert found["map"] == found["AP(rel=2)"] != found["AP"]
    assert found.unsaid_rel is None
    assert rm.evaluate(QRELS, RUN, "AP").names == ["AP"]  # nothing is remembered


def test_a_name_that_was_asked_for_finds_its_number() -> None:
    found = rm.evaluate(QRELS, RUN, ["AP", "recip_rank"], rel=2)
    assert (found["AP"], found["recip_rank"]) == tuple(found.values())
    assert "P@5" not in found


def test_rel_of_1_says_that_all_labels_count() -> None:
    assert rm.evaluate(QRELS, RUN, "AP").unsaid_rel
    assert rm.evaluate(QRELS, RUN, "AP", rel=1).unsaid_rel is None


@pytest.mark.parametrize("rel", ["2", float("nan"), [2]], ids=str)
def test_rel_is_a_number(rel: Any) -> None:
    with pytest.raises((MeasureError, InputError), match=r"need a (finite )?number"):
        rm.evaluate(QRELS, RUN, "AP", rel=rel)


def test_rel_is_refused_where_it_means_nothing() -> None:
    with pytest.raises(MeasureError, match=r"rel=2 applies to no measure: nDCG@10, DCG; leave"):
        rm.evaluate(QRELS, RUN, ["nDCG@10", "DCG"], rel=2)


def test_rel_of_explain_and_check() -> None:
    assert rm.explain(QRELS, RUN, "q1", "AP", rel=2).value == pytest.approx(1 / 3)
    assert rm.explain(QRELS, RUN, against=RUN, measure="AP", rel=2).difference == 0
    assert rm.check(QRELS, RUN, measures="AP", rel=2).measures == ("AP(rel=2)",)
    assert not any(f.code == "graded" for f in rm.check(QRELS, RUN, measures="AP", rel=2).findings)


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_the_options_of_commands() -> None:
    done = rankmark_here("evaluate", "qrels", "a.run", "-m", "msmarco,AP", "--rel", "2")
    assert done.stdout.splitlines()[0].split()[1:] == ["RR(rel=2)@10", "AP(rel=2)"]
    assert "graded" not in done.stdout
    done = rankmark_here("evaluate", "qrels", "a.run", "-m", "AP", "--rel", "2", "--format", "json")
    assert json.loads(done.stdout)["runs"][0]["asked"] == {"AP": "AP(rel=2)"}
    done = rankmark_here("explain", "qrels", "a.run", "--query", "q1", "-m", "AP", "--rel", "2")
    assert done.stdout.startswith("AP(rel=2) of query q1: 0.3333")
    done = rankmark_here("check", "qrels", "a.run", "-m", "AP", "--rel", "2", "--format", "json")
    assert json.loads(done.stdout)["measures"] == ["AP(rel=2)"]
    done = rankmark_here("plot", "distribution", "qrels", "a.run", "-m", "AP", "--rel", "2")
    assert "AP(rel=2)" in done.stdout
    refused = rankmark_here("evaluate", "qrels", "a.run", "-m", "nDCG", "--rel", "2")
    assert refused.returncode == 2
    assert told(refused).startswith("rel=2.0 applies to no measure: nDCG; leave it out")


def test_sets_are_listed_and_described() -> None:
    listed = rankmark_here("measures").stdout
    assert all(f"  {name}  " in listed for name in SETS)
    page = rankmark_here("measures", "TREC-DL").stdout.splitlines()
    assert page[0].startswith("trec-dl: passage ranking in the TREC Deep Learning track")
    listed = {line.split()[0] for line in page[2:] if line}
    assert listed >= {str(one) for one in measures("trec-dl")}


@pytest.mark.parametrize("asked", ["AP", AP, ["AP", "nDCG@10"]], ids=str)
def test_rel_of_compare(asked: Any) -> None:
    found = rm.compare(QRELS, {"a": RUN, "b": {"q1": ["a"], "q2": ["d"]}}, asked, rel=2)
    assert found.measures[0] == "AP(rel=2)"
    assert found["a"]["AP(rel=2)"] == rm.evaluate(QRELS, RUN, "AP(rel=2)")["AP(rel=2)"]


@pytest.mark.usefixtures("files")
def test_a_record_has_thresholds_in_the_names_of_measures_only() -> None:
    asked = ("-m", "AP(rel=1),P@1,nDCG", "--rel", "2", "--record", "record.yaml")
    assert rankmark_here("evaluate", "qrels", "a.run", *asked).returncode == 0
    verified = rankmark_here("verify", "record.yaml")
    assert verified.returncode == 0, verified.stdout + verified.stderr
