"""A check names the option that maps units to their documents, if some ids are those of units."""

from pathlib import Path

import pytest

import rankmark as rm
from rankmark.verbs.check.finding import Finding

QRELS = {"q1": {"a": 1, "b": 0, "e": 1}, "q2": {"c": 1}}


def finding(qrels: object, run: object) -> Finding | None:
    """Return what is said about units, if anything is."""
    found = {one.code: one for one in rm.check(qrels, run).files[1].findings}
    return found.get("unmapped-units")


@pytest.mark.parametrize("separator", ["#", "::", ":", "__", "_", "-", "/", "@", "|", "."])
def test_every_usual_separator_is_found_and_maps_what_was_counted(separator: str) -> None:
    run = {"q1": {"a": 3.0, f"b{separator}1": 2.0, f"e{separator}0": 1.0}, "q2": {"c": 1.0}}
    said = finding(QRELS, run)
    assert said is not None
    assert said.count == 2
    assert f'unit="{separator}"' in said.remedy
    with rm.quiet():  # evaluate may say so, too
        before = rm.evaluate(QRELS, run, ["num_rel_ret", "Judged@10"])
    after = rm.evaluate(QRELS, run, ["num_rel_ret", "Judged@10"], unit=separator)
    assert (before["num_rel_ret"], after["num_rel_ret"]) == (2, 3)
    assert after["Judged@10"] == 1


def test_units_of_the_judgments_are_named_with_their_option() -> None:
    qrels = {"q1": {"a": 1, "b#1": 0, "b#2": 2}, "q2": {"c#7": 1}}
    said = finding(qrels, {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}})
    assert said is not None
    assert (said.count, said.what) == (
        2,
        "the judgments have units of documents that are retrieved, such as 'b#1' beside 'b': "
        "2 more documents match if ids are cut at '#'",
    )
    assert said.remedy.endswith("--qrels-unit '#', or qrels_unit=\"#\"")


def test_documents_of_other_queries_are_no_reason_to_cut_ids() -> None:
    assert finding(QRELS, {"q1": {"a": 3.0, "c#1": 2.0}, "q2": {"c": 1.0, "a#1": 0.5}}) is None


def test_a_unit_beside_its_own_judged_document_adds_nothing() -> None:
    assert finding(QRELS, {"q1": {"a": 3.0, "a-1": 2.0}, "q2": {"c": 1.0}}) is None


def test_few_matches_among_many_may_be_chance() -> None:
    judged = {"q": {f"d{i}": 1 for i in range(100)} | {"x": 1}}
    run = {"q": {f"d{i}": float(i) for i in range(100)} | {"x.html": 0.5}}
    assert finding(judged, run) is None


def test_the_command_names_the_option(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "chunks.run"
    qrels.write_text("q1 0 a 1\nq1 0 b 1\n")
    run.write_text("q1 Q0 a 1 2 t\nq1 Q0 b#4 2 1 t\n")
    assert "--unit '#'" in str(rm.check(qrels, run))
