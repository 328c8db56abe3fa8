"""A gate over logged queries, few of which are judged."""

import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankmark as rm
from rankmark.cli.app import app
from rankmark.errors import InputError, MeasureError
from rankmark.gating.gate_logged import changed_queries, sample_of
from rankmark.measures import ALL
from rankmark.measures.base.requirements import needed_by
from rankmark.statistics.logged_decision import decide_logged

LOGGED = 400
CHANGED = [f"q{n}" for n in range(0, LOGGED, 10)]
Rankings = dict[str, list[str]]


def documents(query: str) -> list[str]:
    return [f"{query}-{place}" for place in range(12)]


def base() -> Rankings:
    return {f"q{n}": documents(f"q{n}") for n in range(LOGGED)}


def new(*, worse: bool = False) -> Rankings:
    """Change every tenth query: the first document moves behind the second, or goes away."""
    run = base()
    for query in CHANGED:
        first, second, *rest = run[query]
        run[query] = [second, *rest] if worse else [second, first, *rest]
    return run


def qrels(queries: Any) -> dict[str, dict[str, int]]:
    return {query: {f"{query}-0": 1, f"{query}-3": 1} for query in queries}


def order(seed: int = 0) -> list[str]:
    found = sample_of(CHANGED, set(), logged=LOGGED, k=10, seed=seed)
    return list(found.to_judge)


def gate(judged: Any, other: Any = None, **choices: Any) -> rm.GateResult:
    other = new() if other is None else other
    chosen = {"max_drop": 0.05, "logged": True, **choices}
    return rm.gate(qrels(judged), base(), other, "nDCG@10", **chosen)


def test_queries_whose_first_documents_are_the_same_in_the_same_order_did_not_change() -> None:
    other = new()
    other["q1"] = [*other["q1"][:10], "elsewhere"]  # beyond rank 10
    del other["q3"]
    other["extra"] = ["a"]
    found = changed_queries(rm.Run(base()), rm.Run(other), 10, {})
    assert found.logged == LOGGED + 1
    assert set(found.queries) == {*CHANGED, "q3", "extra"}
    assert (found.only_base, found.only_new) == ({"q3"}, {"extra"})
    assert changed_queries(rm.Run(base()), rm.Run(base()), 10, {}).queries == []


def test_ties_are_ordered_as_everywhere_before_rankings_are_compared() -> None:
    tied = {"q": {"a": 1.0, "b": 1.0}}
    ordered = {"q": {"b": 2.0, "a": 1.0}}
    assert changed_queries(rm.Run(tied), rm.Run(ordered), 2, {}).queries == []
    assert changed_queries(rm.Run(tied), rm.Run(ordered), 2, {"ties": "docid-asc"}).queries == ["q"]


@pytest.mark.parametrize("name", [measure.name for measure in ALL])
def test_equal_first_documents_have_equal_scores_if_a_measure_says_that_it_looks_no_further(
    name: str,
) -> None:
    try:
        measure = rm.measure(f"{name}@5")
    except MeasureError:
        pytest.skip("it has no cutoff")
    if needed_by(measure).deepest is None or measure.depends_on in {"subtopics", "preferences"}:
        pytest.skip("it depends on the whole ranking, or on other judgments")
    rng = np.random.default_rng(2)
    judged: dict[str, dict[str, int]] = {}
    short: Rankings = {}
    long: Rankings = {}
    for number in range(20):
        query = f"q{number}"
        ids = [f"d{place}" for place in range(20)]
        judged[query] = {one: int(rng.integers(0, 4)) for one in rng.permutation(ids)[:12].tolist()}
        shuffled = rng.permutation(ids).tolist()
        short[query] = shuffled[: 5 + number % 3]
        long[query] = shuffled[:5] + rng.permutation(shuffled[5:]).tolist()
    a, b = (rm.evaluate(judged, run, measure).scores for run in (short, long))
    assert np.array_equal(a, b, equal_nan=True)


def test_nothing_has_to_be_judged_if_no_query_changed() -> None:
    result = rm.gate(None, base(), base(), "nDCG@10", max_drop=0.02, logged=True)
    assert result.verdict == "holds"
    assert result.logged is not None
    assert (result.logged.logged, result.logged.changed) == (LOGGED, 0)
    expected = decide_logged([], [], 0.02, logged=LOGGED, changed=0)
    # In tuples, one NaN equals itself.
    assert astuple(result.conditions[0].decision) == astuple(expected)
    assert "0 of 400 logged queries changed (0.0%)" in str(result)
    assert json.loads(result.to_json())["logged"]["changed"] == 0


def test_the_verdict_is_that_of_the_judged_beginning_of_a_random_order() -> None:
    judged = order()[:25]
    result = gate(judged)
    assert result.logged is not None
    assert result.logged.judged == tuple(judged)
    a, b = (rm.evaluate(qrels(judged), run, "nDCG@10").scores[:, 0] for run in (base(), new()))
    expected = decide_logged(a, b, 0.05, logged=LOGGED, changed=len(CHANGED))
    (found,) = result.conditions
    assert astuple(found.decision) == astuple(expected)
    assert result.verdict == "holds"
    assert gate(judged, new(worse=True), max_drop=0.01).verdict == "does not hold"


def test_queries_that_happen_to_be_judged_are_not_used() -> None:
    chosen = order()
    result = gate([*chosen[:10], *chosen[11:]])
    assert result.logged is not None
    assert result.logged.judged == tuple(chosen[:10])
    assert result.logged.passed_over == len(CHANGED) - 11
    assert result.logged.to_judge == (chosen[10],)
    assert "29 others are judged, but not next in that order, and not used" in str(result)
    assert gate([]).logged == gate([query for query in base() if query not in CHANGED]).logged


def test_before_anything_is_judged_the_first_queries_are_named(tmp_path: Path) -> None:
    empty = tmp_path / "qrels.txt"
    empty.write_text("")
    for nothing in (None, {}, empty):
        result = rm.gate(nothing, base(), new(), "nDCG@10", max_drop=0.05, logged=True)
        assert result.verdict == "cannot tell"
        assert result.logged is not None
        assert list(result.logged.to_judge) == order()
        assert "none of the 40 queries that changed is judged" in str(result)


def test_a_query_in_only_one_run_changed_and_counts_as_answered_with_nothing() -> None:
    other = base()
    del other["q7"]
    result = gate(["q7"], other)
    assert result.logged is not None
    assert result.logged.judged == ("q7",)
    assert result.conditions[0].decision.difference == pytest.approx(
        -rm.evaluate(qrels(["q7"]), base(), "nDCG@10")["nDCG@10"] / LOGGED
    )


def test_the_order_depends_on_the_id_and_the_seed_alone() -> None:
    assert order() == order()
    assert order() != order(1)
    assert set(order()) == set(CHANGED)
    some = sample_of(CHANGED[::2], set(), logged=LOGGED, k=10, seed=0).to_judge
    assert [query for query in order() if query in set(some)] == list(some)


def test_the_queries_to_judge_next_are_named() -> None:
    chosen = order()
    result = gate(chosen[:3], judge_next=2)
    lines = str(result).splitlines()
    at = lines.index(f"to judge next, in this order (2 of {len(CHANGED) - 3}):")
    assert lines[at + 1 : at + 3] == [f"  {query}" for query in chosen[3:5]]
    assert chosen[3] in result.to_markdown()
    assert json.loads(result.to_json())["logged"]["to_judge"] == chosen[3:5]
    assert result.logged is not None
    assert list(result.logged.to_judge) == chosen[3:]


def test_candidates_share_the_judged_queries_and_the_error() -> None:
    judged = order()
    result = gate(judged, {"a": new(), "b": new(worse=True), "c": base()}, max_drop=0.02)
    assert list(result.candidates)[-1] == "b"
    assert result.candidates["c"].logged is not None
    assert result.candidates["c"].logged.changed == 0
    assert result.conditions[0].decision.confidence == pytest.approx(1 - 0.05 / 3)


@pytest.mark.parametrize(
    ("measure", "choices", "words"),
    [
        ("AP", {}, "AP depends on the whole ranking"),
        ('nDCG(ideal="retrieved")@10', {}, "depends on the whole ranking"),
        ("nDCG@10", {"max_drop": "1%"}, "the baseline's mean over logged queries is unknown"),
        ("nDCG@10", {"ties": "mean"}, "ties is 'mean', which is no order of the documents"),
        ("nDCG@10", {"queries": ["q1"]}, "queries cannot be chosen with logged"),
        ("nDCG@10", {"judged_only": True}, "judged_only cannot be combined with logged"),
        ("nDCG@10", {"weights": {"q1": 1}}, "weights cannot be combined with logged"),
        ("nDCG@10", {"anytime": True}, "anytime cannot be combined with logged"),
        ("nDCG@10", {"slices": {"a": ["q1"]}}, "slices cannot be combined with logged"),
    ],
)
def test_what_has_no_meaning_for_logged_queries_is_refused(
    measure: str, choices: dict[str, Any], words: str
) -> None:
    chosen = {"max_drop": 0.05, "logged": True, **choices}
    with pytest.raises(InputError, match=words):
        rm.gate(qrels(["q1"]), base(), new(), measure, **chosen)


def test_runs_are_needed_and_one_for_each_system() -> None:
    evaluated = rm.evaluate(qrels(["q1"]), base(), "nDCG@10")
    with pytest.raises(InputError, match="no rankings of unjudged queries"):
        rm.gate(None, evaluated, evaluated, "nDCG@10", max_drop=0.05, logged=True)
    with pytest.raises(InputError, match="logged queries need one ranking each"):
        gate(["q1"], [rm.Run(new()), rm.Run(new())])


def test_chunks_are_compared_as_their_documents() -> None:
    chunks = {"q": {"D1#3": 0.9, "D1#1": 0.8, "D2#1": 0.7}, "p": {"D3#1": 0.9, "D4#2": 0.8}}
    moved = {"q": {"D1#1": 0.9, "D1#3": 0.8, "D2#9": 0.7}, "p": {"D4#1": 0.9, "D3#2": 0.8}}
    parents = {unit: unit[:2] for run in (chunks, moved) for of in run.values() for unit in of}
    for how in ({"unit": "#"}, {"parents": parents}):
        told = rm.gate({"p": {"D4": 1}}, chunks, moved, "RR@10", max_drop=0.1, logged=True, **how)
        assert told.logged is not None
        assert (told.logged.changed, told.logged.judged) == (1, ("p",))
        (condition,) = told.conditions
        assert condition.name.startswith("RR@10")
        assert told.new.evaluations[0]["RR@10"] == 1.0
        assert told.baseline.evaluations[0]["RR@10"] == 0.5
    by_chunk = rm.gate({}, chunks, moved, "RR@10", max_drop=0.1, logged=True)
    assert by_chunk.logged is not None
    assert by_chunk.logged.changed == 2


def test_a_depth_cuts_what_is_compared() -> None:
    other = base()
    other["q5"] = [*other["q5"][:4], "x", *other["q5"][4:]]
    assert gate([], other).logged != gate([], other, depth=4).logged
    shallow = gate([], other, depth=4).logged
    assert shallow is not None
    assert (shallow.changed, shallow.k) == (0, 4)


def write(path: Path, run: Rankings) -> None:
    rows = (
        f"{query} Q0 {doc} {rank} {-rank} x\n"
        for query, docs in run.items()
        for rank, doc in enumerate(docs, 1)
    )
    path.write_text("".join(rows))


def command(*words: object) -> Result:
    return CliRunner().invoke(app, ["gate", "qrels.txt", "a.run", "b.run", *map(str, words)])


def test_judging_what_the_command_names_leads_to_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("a.run"), base())
    write(Path("b.run"), new())
    Path("qrels.txt").write_text("q1 0 q1-0 1\n")  # a query that did not change
    words = ("--max-drop", 0.068, "--logged", "--judge-next", 15, "--to-judge", "next.txt")
    verdicts = []
    while True:
        done = command(*words)
        verdicts.append(done.exit_code)
        queries = Path("next.txt").read_text().split()
        if done.exit_code == 0 or not queries:
            break
        with Path("qrels.txt").open("a") as file:
            file.write("".join(f"{query} 0 {query}-0 1\n" for query in queries))
    assert verdicts[0] == 3
    assert verdicts[-1] == 0
    assert len(verdicts) <= 4
    assert "of those that changed decide" in done.output
