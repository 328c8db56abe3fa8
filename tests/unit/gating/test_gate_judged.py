"""Gates that decide by the labels of people and of a model."""

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rankmark as rm
from rankmark.cli.app import app
from rankmark.errors import InputError, MismatchError, RankmarkError, RankmarkWarning
from unit.estimating.test_estimate import ALL_PEOPLE, MODEL, PEOPLE, RUNS, write_files

QUERIES, JUDGED = len(MODEL), len(PEOPLE)
OLD, NEW = RUNS["old"], RUNS["new"]


def gate(people: Any = None, old: Any = None, new: Any = None, **choices: Any) -> rm.GateResult:
    given = [one if one is not None else own for one, own in ((people, PEOPLE), (old, OLD))]
    measures = choices.pop("measures", "nDCG@10")
    asked = {"max_drop": 0.1, "judge": MODEL, **choices}
    return rm.gate(*given, NEW if new is None else new, measures, **asked)


def numbers(result: rm.GateResult) -> list[Any]:
    """Return what a gate found, without the names of its inputs."""
    rows = [one.to_row() for one in result.conditions]
    return [result.verdict, *rows]


@pytest.mark.slow
def test_the_estimates_are_those_of_estimate() -> None:
    result = gate(measures=["nDCG@10", "RR", "P@3"])
    found = rm.estimate(PEOPLE, MODEL, RUNS, ["nDCG@10", "RR", "P@3"], confidence=0.9)
    for one in result.conditions:
        name = str(one.condition.measure)
        difference = found.difference("new", "old", name)
        means = {row.run: row.estimate for row in found.means if row.measure == name}
        assert one.decision.difference == difference.estimate
        assert (one.decision.baseline, one.decision.other) == (means["old"], means["new"])
        added = one.decision.with_model
        assert added is not None
        assert (added.lam, added.effective_n) == (difference.found.lam, difference.effective_n)
        assert added.others == QUERIES - JUDGED
        # The bounds allow for rare losses, too, which those of estimate do not.
        assert one.decision.low < difference.low
    assert result.judge is not None
    assert (result.judge.queries, result.judge.judged) == (QUERIES, JUDGED)


@pytest.mark.slow
def test_a_gate_that_cannot_tell_says_who_must_judge() -> None:
    few = {query: PEOPLE[query] for query in [*PEOPLE][:16]}
    result = gate(few, max_drop=0.1, random=True)
    assert result.verdict == "cannot tell"
    assert "about 36 queries judged by people (7 for the spread" in str(result)


def test_with_all_queries_judged_by_people_it_is_the_usual_gate() -> None:
    result = gate(ALL_PEOPLE)
    usual = rm.gate(ALL_PEOPLE, OLD, NEW, "nDCG@10", max_drop=0.1)
    here, there = (one.conditions[0].to_row() for one in (result, usual))
    of_model = {*result.conditions[0]._with_model()}
    assert {k: v for k, v in here.items() if k not in of_model} == {
        k: v for k, v in there.items() if k not in of_model
    }
    assert "people judged all 120 queries, so <mapping> changes nothing" in result.notes


def test_what_people_alone_would_show_is_said_by_the_usual_gate() -> None:
    found = gate().conditions[0].decision.with_model
    usual = rm.gate(PEOPLE, OLD, NEW, "nDCG@10", max_drop=0.1).conditions[0].decision
    assert found is not None
    ends = (found.people_low, found.people_high)
    assert (found.people_estimate, *ends) == (usual.difference, usual.low, usual.high)
    assert found.people_verdict == usual.verdict


@pytest.mark.slow
def test_neither_form_nor_order_of_the_inputs_moves_a_number(tmp_path: Path) -> None:
    first = gate()
    expected = numbers(first)
    write_files(tmp_path)
    names = ("people.txt", "old.run", "new.run")
    people, old, new = (tmp_path / name for name in names)
    for judge in (tmp_path / "model.txt", str(tmp_path / "model.txt"), rm.Qrels(MODEL)):
        assert numbers(gate(people, old, new, judge=judge)) == expected
    assert numbers(gate(rm.Qrels(PEOPLE), rm.Run(OLD), rm.Run(NEW))) == expected
    order = random.Random(0).sample([*MODEL], QUERIES)
    moved = gate(
        {query: PEOPLE[query] for query in order if query in PEOPLE},
        judge={query: MODEL[query] for query in order},
    )
    for now, then in zip(moved.conditions, first.conditions, strict=True):
        for name in ("difference", "low", "high", "p"):
            values = [getattr(one.decision, name) for one in (now, then)]
            assert values[0] == pytest.approx(values[1], abs=1e-12)


@pytest.mark.slow
def test_slices_candidates_and_repeated_runs_are_decided_too() -> None:
    kinds = {query: "ab"[number % 2] for number, query in enumerate(MODEL)}
    result = gate(new={"again": NEW, "both": [NEW, OLD]}, by=kinds, worst=0)
    assert [*result.candidates] == ["again", "both"]
    names = [one.name for one in result.conditions]
    assert names == ["nDCG@10", "nDCG@10, a", "nDCG@10, b"]
    assert dict(result.slices) == {"a": 60, "b": 60}
    assert [one.decision.n for one in result.conditions] == [40, 20, 20]
    whole, first = result.candidates["both"].conditions[0], result.conditions[1]
    assert whole.decision.confidence == pytest.approx(0.975)
    assert whole.spreads[1] is not None
    rows = [query for query, kind in kinds.items() if kind == "a"]
    alone = rm.gate(
        {query: PEOPLE[query] for query in rows if query in PEOPLE},
        *(OLD, NEW, "nDCG@10"),
        max_drop=0.1,
        confidence=0.975,
        judge={query: MODEL[query] for query in rows},
    )
    assert first.decision.low == pytest.approx(alone.conditions[0].decision.low, abs=1e-12)


def test_a_plan_of_choose_queries_gives_the_probabilities() -> None:
    plan = rm.choose_queries(MODEL, RUNS, "nDCG@10", n=30, method="active", seed=1)
    people = {query: ALL_PEOPLE[query] for query in plan.chosen}
    result = gate(people, probabilities=plan)
    found = rm.estimate(people, MODEL, RUNS, "nDCG@10", probabilities=plan).difference()
    assert result.conditions[0].decision.difference == found.estimate
    assert "drawn with the probabilities given" in "".join(result.notes)
    assert result.conditions[0].decision.effective < 30


@pytest.mark.parametrize(
    ("choices", "kind", "told"),
    [
        ({"random": False}, InputError, "their probabilities are not given"),
        ({"judge": {**dict([*MODEL.items()][1:])}}, MismatchError, "did not judge 1 of the 40"),
        ({"judge": None, "random": True}, InputError, "there is no judge"),
        ({"probabilities": {"q1": 0.5}}, InputError, "probabilities has none for 39 of the 40"),
        ({"max_drop": "2%"}, InputError, "give max_drop in units of the measure"),
        ({"weights": dict.fromkeys(MODEL, 1.0)}, InputError, "weights cannot be combined"),
        ({"anytime": True}, InputError, "anytime cannot be combined with judge"),
        ({"bounds": True}, InputError, "bounds cannot be combined with judge"),
        ({"logged": True}, InputError, "judge cannot be combined with logged"),
        ({"judge": {}}, RankmarkError, "hold no judgments"),
    ],
)
def test_what_has_no_meaning_is_refused(
    choices: dict[str, Any], kind: type[Exception], told: str
) -> None:
    with pytest.raises(kind, match=told):
        gate(**choices)


def test_a_chosen_sample_is_refused_unless_its_probabilities_are_given() -> None:
    scores = rm.evaluate(MODEL, NEW, "nDCG@10").per_query("nDCG@10")
    best = sorted(scores, key=lambda query: -scores[query])[:40]
    people = {query: ALL_PEOPLE[query] for query in best}
    with pytest.raises(InputError, match="do not look like a random sample"):
        gate(people)
    assert gate(people, random=True).judge is not None


def test_an_evaluation_is_refused() -> None:
    evaluation = rm.evaluate(PEOPLE, OLD, "nDCG@10")
    with pytest.raises(InputError, match="an evaluation has scores by one set of labels"):
        gate(old=evaluation)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    given = ("people.txt", "old.run", "new.run", "--max-drop", "0.1")
    return CliRunner().invoke(app, ["gate", *given, *words])


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_the_command_says_what_the_function_found() -> None:
    result = rm.gate(
        *("people.txt", "old.run", "new.run", "nDCG@10"), max_drop=0.1, judge="model.txt"
    )
    done = run("--judge", "model.txt", "--format", "json")
    assert done.exit_code == result.exit_code
    assert json.loads(done.stdout) == result.to_dict()
    assert json.loads(done.stdout)["judge"]["qrels"]["name"] == "model.txt"
    shown = run("--judge", "model.txt").stdout
    assert "40 of 120 queries are judged by people, assumed to be a random sample" in shown
    assert "the other 80 by model.txt" in shown
    assert "people alone: " in shown
    assert "judged by people" in run("--judge", "model.txt", "--format", "markdown").stdout
    assert "judged by people" in run("--judge", "model.txt", "--format", "junit").stdout
    table = run("--judge", "model.txt", "--format", "csv").stdout
    row = next(csv.DictReader(io.StringIO(table)))
    assert (row["others"], row["people_verdict"]) == ("80", "holds")
    assert float(row["bound_lambda"]) <= float(row["lambda"])


@pytest.mark.usefixtures("here")
def test_the_command_refuses_what_it_cannot_read_twice() -> None:
    words = ["gate", "people.txt", "-", "new.run", "--max-drop", "0.1", "--judge", "model.txt"]
    done = CliRunner().invoke(app, words, input=Path("old.run").read_text())
    assert done.exit_code == 1
    assert "a run is read from standard input" in done.stderr
    done = run("--judge", "modl.txt")
    assert done.exit_code == 1
    assert done.stderr.startswith("rankmark: modl.txt: there is no such file")


def ranked_by(
    qrels: dict[str, dict[str, float]], spread: float, seed: int
) -> dict[str, dict[str, float]]:
    """Return a run that ranks documents by their labels and by chance."""
    chance = random.Random(seed)
    return {
        query: {doc: label + spread * chance.gauss(0, 1) for doc, label in labels.items()}
        for query, labels in qrels.items()
    }


@pytest.mark.slow
def test_a_gate_of_trec_rag_2025(shared_data: Path) -> None:
    files = [
        shared_data / "rag25" / name
        for name in ("qrels.rag25.test.txt", "qrels.rag25.test-umbrela2.txt")
    ]
    if not files[0].exists():
        pytest.skip("TREC RAG 2025 is not there")
    people, judge = (rm.Qrels(file).by_query() for file in files)
    judge = {query: judge[query] for query in people}
    old, new = ranked_by(people, 2.0, 1), ranked_by(people, 1.0, 2)
    chosen = random.Random(3).sample(sorted(people), 12)
    few = {query: people[query] for query in chosen}
    result = rm.gate(few, old, new, "nDCG@10", max_drop=0.2, judge=judge)
    with pytest.warns(RankmarkWarning, match="people judged 12 queries"):
        found = rm.estimate(few, judge, {"old": old, "new": new}, "nDCG@10").difference()
    decision = result.conditions[0].decision
    assert decision.difference == found.estimate
    assert decision.with_model is not None
    assert decision.with_model.others == len(people) - 12
    assert decision.low < found.low < found.estimate < found.high < decision.high
    usual = rm.gate(few, old, new, "nDCG@10", max_drop=0.2).conditions[0].decision
    assert decision.with_model.people_low == usual.low
