"""Queries that no system can win, as a corpus has none of their relevant documents."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.commands import rankmark_here

QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1, "f": 0}, "q3": {"d": 2, "e": 1}}
CORPUS = ["a", "d", "f", "x", "y"]
OLD = {"q1": {"a": 2.0, "x": 1.0}, "q2": {"x": 1.0}, "q3": {"y": 2.0, "d": 1.0}}
NEW = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"x": 1.0}, "q3": {"d": 2.0, "x": 1.0}}
LEFT = {query: QRELS[query] for query in ("q1", "q3")}
MEASURES = ["R@10", "Success@10", "nDCG@10"]
SKIP: dict[str, Any] = {"corpus": CORPUS, "unwinnable": "skip"}
NONE_LEFT = "1 query has no relevant document left in the corpus"
UNANSWERABLE = "no system that searches it can answer it"


def test_the_best_run_attains_what_the_corpus_allows() -> None:
    with rm.quiet():
        ev = rm.evaluate(QRELS, {"q1": ["a"], "q2": ["x"], "q3": ["d"]}, MEASURES, corpus=CORPUS)
    assert dict(ev.means) == pytest.approx(
        {"R@10": 1 / 3, "Success@10": 2 / 3, "nDCG@10": 0.45777824206577566}, abs=1e-12
    )
    assert ev.audit.unwinnable_queries == ("q2",)
    assert (ev.audit.gone, ev.audit.unwinnable_skipped, ev.audit.averaged) == (3, False, 3)
    assert f"{NONE_LEFT}, and {UNANSWERABLE}: 'q2'" in str(ev.audit)
    assert "3 judgments are of documents that are not in the corpus" in str(ev.audit)


@pytest.mark.parametrize("queries", ["judged", "both", ["q2", "q3"]])
@pytest.mark.parametrize("ties", ["docid", "mean", "error"])
def test_without_them_values_are_those_of_the_other_queries(queries: Any, ties: Any) -> None:
    run = {**OLD, "q1": {**OLD["q1"], "c": 0.5}}
    options: dict[str, Any] = {"ties": ties, "queries": queries}
    wanted = options | ({"queries": ["q3"]} if isinstance(queries, list) else {})
    with rm.quiet():
        ev = rm.evaluate(QRELS, run, MEASURES, **options, **SKIP)
        other = rm.evaluate(LEFT, run, MEASURES, **wanted)
    assert ev.queries == other.queries
    assert ev.scores.tolist() == other.scores.tolist()
    assert (ev.audit.judged, ev.audit.run_only, ev.audit.averaged) == (2, 0, len(other.queries))
    assert f"{NONE_LEFT}, and is left out: 'q2'" in str(ev.audit)
    assert ev.settings["unwinnable"] == "skip"
    assert ev.settings["corpus"] == {"documents": 5}
    assert pickle.loads(pickle.dumps(ev)).audit == ev.audit


def test_measures_with_conventions_of_their_own_leave_them_out_too() -> None:
    names = ["R@10", "nDCG(judged_only=True)@10"]
    with rm.quiet():
        ev = rm.evaluate(QRELS, OLD, names, **SKIP)
        other = rm.evaluate(LEFT, OLD, names)
    assert ev.scores.tolist() == other.scores.tolist()


def test_what_is_relevant_follows_from_the_measures() -> None:
    corpus = [*CORPUS, "e"]
    graded = {"q": {"d": 2, "e": 1}, "r": {"x": 2}}
    run = {"q": ["e"], "r": ["x"]}
    for measures, lost in (("R(rel=2)@5", ("q",)), (["R(rel=2)@5", "nDCG@5"], ())):
        ev = rm.evaluate(graded, run, measures, corpus=[one for one in corpus if one != "d"])
        assert ev.audit.unwinnable_queries == lost


def test_units_of_a_document_are_the_document() -> None:
    ev = rm.evaluate({"q": {"a": 1}}, {"q": ["a#3"]}, "R@5", unit="#", corpus=["a#1", "b#1"])
    assert ev.audit.gone == 0


def test_verbs_name_them_alike_and_leave_them_out() -> None:
    with rm.quiet():
        compared = rm.compare(QRELS, {"old": OLD, "new": NEW}, MEASURES, **SKIP)
        gated = rm.gate(QRELS, OLD, NEW, "nDCG@10", max_drop=0.5, **SKIP)
        pair = rm.power(QRELS, OLD, NEW, "nDCG@10", **SKIP)
        kept = rm.gate(QRELS, OLD, NEW, "nDCG@10", max_drop=0.5, corpus=iter(CORPUS))
        evaluations = [rm.evaluate(QRELS, run, MEASURES, **SKIP) for run in (OLD, NEW)]
        again = rm.compare(None, dict(zip("ab", evaluations, strict=True)), unwinnable="skip")
    assert compared.queries == gated.baseline.queries == again.queries == ("q1", "q3")
    assert pair.rows[0].n == 2
    assert f"{NONE_LEFT}, and is left out: 'q2'" in str(gated)
    assert f"both runs: {NONE_LEFT}, and is left out: 'q2'" in str(compared)
    assert f"{NONE_LEFT}, and {UNANSWERABLE}: 'q2'" in str(kept)
    report = rm.check(QRELS, corpus=CORPUS, measures=MEASURES)
    assert NONE_LEFT in [finding.what for finding in report.findings]


def test_estimates_leave_out_what_the_model_knows_to_be_lost() -> None:
    model = {f"q{n}": {"a": 1, "b": n % 3 == 0} for n in range(40)} | {"x": {"gone": 1}}
    people = {f"q{n}": {"a": 1, "b": n % 7 == 1} for n in range(25)} | {"x": {"a": 1}}
    runs = {"new": {query: {"b": 2.0, "a": 1.0} for query in model}}
    with rm.quiet():
        found = rm.estimate(people, model, runs, "RR", corpus=["a", "b"], unwinnable="skip")
        del model["x"], people["x"]
        wanted = rm.estimate(people, model, runs, "RR")
    (one,), (other,) = found.means, wanted.means
    assert (one.estimate, one.found.interval) == (other.estimate, other.found.interval)
    assert f"{NONE_LEFT}, and is left out: 'x'" in found.notes


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"unwinnable": "skip"}, 'unwinnable="skip" needs a corpus'),
        ({"unwinnable": "zero", "corpus": CORPUS}, "need one of keep, skip"),
        ({"unwinnable": "skip", "corpus": ["x", "f"]}, "none is left to be averaged"),
        (SKIP | {"queries": ["q2"]}, "none is left to be averaged"),
        ({"corpus": 7}, "need ids"),
        (
            {"corpus": ["q1", "q2"]},
            r"none of the judged documents \(6\) is in it; are the ids",
        ),
        ({"corpus": [*"ABCDEF"]}, "is in it: 6 of the 6 documents that are gone would match if"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], told: str) -> None:
    for call in (
        lambda: rm.evaluate(QRELS, OLD, MEASURES, **options),
        lambda: rm.compare(QRELS, {"old": OLD, "new": NEW}, MEASURES, **options),
    ):
        with pytest.raises(rm.InputError, match=told):
            call()


def test_queries_that_are_left_out_are_not_called_missing() -> None:
    run = {query: docs for query, docs in NEW.items() if query != "q2"}
    with rm.quiet():
        audit = rm.evaluate(QRELS, run, MEASURES, **SKIP).audit
        gated = rm.gate(QRELS, OLD, run, "nDCG@10", max_drop=0.5, **SKIP)
        kept = rm.evaluate(QRELS, run, MEASURES, corpus=CORPUS).audit
    assert (audit.judged, audit.answered, audit.missing, audit.missing_queries) == (2, 2, 0, ())
    assert (kept.judged, kept.answered, kept.missing, kept.missing_queries) == (3, 2, 1, ("q2",))
    assert "as if nothing had been retrieved" not in str(gated)


def test_a_run_of_an_older_index_is_named(tmp_path: Path) -> None:
    older = {**OLD, "q2": {"c": 1.0, "x": 0.5}, "q3": {"e": 2.0, "d": 1.0}}
    file = tmp_path / "older.run"
    file.write_text(
        "".join(f"{q} Q0 {d} 1 {s} t\n" for q, docs in older.items() for d, s in docs.items())
    )
    for run in (older, file):
        with rm.quiet():
            ev = rm.evaluate(QRELS, run, MEASURES, corpus=CORPUS)
        assert ev.audit.gone_retrieved == 2
        told = "retrieved 2 judged documents that are not in the corpus: is it of an older index?"
        assert f"the run {told}" in str(ev.audit)
    with rm.quiet():
        compared = rm.compare(QRELS, {"old": OLD, "older": older}, MEASURES, corpus=CORPUS)
        gated = rm.gate(QRELS, older, OLD, "nDCG@10", max_drop=0.5, corpus=CORPUS)
    assert f"older: the run {told}" in str(compared)
    assert f"old: the run {told}" not in str(compared)
    assert str(gated).count(told) == 1


def test_evaluations_are_not_given_a_corpus_later() -> None:
    ev = rm.evaluate(QRELS, OLD, MEASURES)
    with pytest.raises(rm.InputError, match="corpus cannot be chosen"):
        rm.compare(None, {"a": ev, "b": ev}, corpus=CORPUS)
    with pytest.raises(rm.MismatchError, match="unwinnable None and 'skip'"):
        rm.compare(None, {"a": ev, "b": rm.evaluate(QRELS, NEW, MEASURES, **SKIP)})


def test_ids_that_are_only_written_otherwise_are_warned_of() -> None:
    with pytest.warns(rm.RankmarkWarning, match="3 of the 3 documents that are gone would match"):
        rm.evaluate(QRELS, OLD, MEASURES, corpus=["a", "d", "f", "B", "C", "E"])


def test_commands_take_files_and_record_them(tmp_path: Path) -> None:
    for name, given in (("q.json", QRELS), ("old.json", OLD), ("new.json", NEW)):
        (tmp_path / name).write_text(json.dumps(given))
    ids = tmp_path / "ids.txt"
    ids.write_text("\n".join(CORPUS))
    (tmp_path / "gate.toml").write_text(
        'max_drop = 0.5\n[[conditions]]\nmeasure = "nDCG@10"\n'
        '[conventions]\ncorpus = "ids.txt"\nunwinnable = "skip"\n'
    )
    files = [tmp_path / name for name in ("q.json", "old.json", "new.json")]
    skip = ["--corpus", ids, "--unwinnable", "skip"]
    record = tmp_path / "record.json"
    shown = rankmark_here("compare", *files, "-m", "nDCG@10", *skip, "--record", record)
    assert shown.stdout.count(f"both runs: {NONE_LEFT}, and is left out: 'q2'") == 1
    recorded = json.loads(record.read_text())
    assert recorded["inputs"][-1]["role"] == "corpus"
    assert recorded["choices"]["unwinnable"] == "skip"
    assert "the same" in rankmark_here("verify", record).stdout
    for more in (
        ["-m", "nDCG@10", "--max-drop", "0.5", *skip],
        ["--config", tmp_path / "gate.toml"],
    ):
        gated = rankmark_here("gate", *files, *more)
        assert f"{NONE_LEFT}, and is left out: 'q2'" in gated.stdout
