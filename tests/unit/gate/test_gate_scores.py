"""A gate on scores by query: results, and tables of scores from elsewhere."""

import json
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import rankmark as rm
from rankmark.commands.app import app
from rankmark.errors import DuplicateError, InputError, MeasureError, MismatchError, SchemaError
from rankmark.testing import assert_not_worse
from unit.gate.gated_runs import BETTER, OLD, UNSURE, WORSE, judged, run_of

NAMES = ("RR", "R@1")


def evaluated(ranks: list[int]) -> rm.Evaluation:
    return rm.evaluate(judged(), run_of(ranks), NAMES)


def by_query(ranks: list[int]) -> dict[str, dict[str, float]]:
    found = evaluated(ranks)
    return {
        query: dict(zip(NAMES, row, strict=True))
        for query, row in zip(found.queries, found.scores.tolist(), strict=True)
    }


def as_rows(ranks: list[int]) -> list[dict[str, Any]]:
    return [{"query_id": query, **row} for query, row in by_query(ranks).items()]


def as_columns(ranks: list[int]) -> dict[str, list[Any]]:
    rows = as_rows(ranks)
    return {name: [row[name] for row in rows] for name in rows[0]}


def as_frame(ranks: list[int]) -> Any:
    return pytest.importorskip("pandas").DataFrame(as_columns(ranks))


FORMS: list[Callable[[list[int]], Any]] = [by_query, as_rows, as_columns, as_frame]


def decisions(result: rm.GateResult) -> list[tuple[Any, ...]]:
    return [astuple(one.decision) for one in result.conditions]


def command(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["gate", "--scores", *map(str, arguments)])


@pytest.mark.parametrize("new", [BETTER, WORSE, UNSURE])
@pytest.mark.parametrize("form", FORMS)
def test_scores_are_decided_as_the_evaluations_that_they_are_of(
    form: Callable[[list[int]], Any], new: list[int]
) -> None:
    expected = rm.gate(None, evaluated(OLD), evaluated(new), *NAMES, max_drop=0.05)
    found = rm.gate(None, form(OLD), form(new), *NAMES, max_drop=0.05)
    assert decisions(found) == decisions(expected)
    assert [one.lost for one in found.conditions] == [one.lost for one in expected.conditions]
    assert [one.reason for one in found.conditions] == [one.reason for one in expected.conditions]
    assert found.verdict == expected.verdict


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_files_that_other_commands_write_are_scores(form: str, tmp_path: Path) -> None:
    qrels = "".join(f"q{n} 0 a 1\n" for n in range(40))
    (tmp_path / "qrels.txt").write_text(qrels)
    for name, ranks in (("old", OLD), ("new", BETTER)):
        lines = [
            f"{query} Q0 {document} 1 {score} x\n"
            for query, documents in list(run_of(ranks).items())[:40]
            for document, score in documents.items()
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
        words = ["evaluate", str(tmp_path / "qrels.txt"), str(tmp_path / f"{name}.run")]
        options = ["-m", "RR", "--per-query", "--format", form]
        done = CliRunner().invoke(app, [*words, *options])
        (tmp_path / f"{name}.{form}").write_text(done.stdout)
    files = [tmp_path / f"{name}.{form}" for name in ("old", "new")]
    done = command(*files, "-m", "RR", "--max-drop", 0.1, "--format", "json")
    runs = [tmp_path / f"{name}.run" for name in ("old", "new")]
    expected = rm.gate(tmp_path / "qrels.txt", *runs, "RR", max_drop=0.1).to_dict()
    found = json.loads(done.stdout)
    for one in (*found["conditions"][0]["lost"], *expected["conditions"][0]["lost"]):
        one["explain"] = None
    assert found["conditions"][0] | {"could_be": {}} == expected["conditions"][0] | {"could_be": {}}
    assert (done.exit_code, found["verdict"]) == (expected["exit_code"], expected["verdict"])
    assert found["runs"]["baseline"]["sources"][0]["sha256"]


def test_names_of_trec_eval_are_recognised(tmp_path: Path) -> None:
    for name, ranks in (("old", OLD), ("new", BETTER)):
        lines = [f"recip_rank\t{query}\t{row['RR']!r}\n" for query, row in by_query(ranks).items()]
        (tmp_path / name).write_text("".join([*lines, "recip_rank\tall\t0.5\n"]))
    found = rm.gate(None, tmp_path / "old", tmp_path / "new", "RR", max_drop=0.05)
    expected = rm.gate(None, evaluated(OLD), evaluated(BETTER), "RR", max_drop=0.05)
    assert decisions(found) == decisions(expected)


def supported(ranks: list[int]) -> rm.AnswerEvaluation:
    words = {True: "support", False: "not_support"}
    return rm.nuggets({f"q{n}": [("a", "vital", words[r == 1])] for n, r in enumerate(ranks)})


def cited(ranks: list[int]) -> rm.AnswerEvaluation:
    words = {True: "full", False: "no"}
    return rm.citations({f"q{n}": [("s", "p", words[r == 1])] for n, r in enumerate(ranks)})


def spans_found(ranks: list[int]) -> rm.SpanEvaluation:
    gold = {f"q{n}": [("d", 0, 10)] for n in range(len(ranks))}
    return rm.evaluate_spans(
        gold, {f"q{n}": [("d", 0, 10) if r == 1 else ("d", 20, 30)] for n, r in enumerate(ranks)}
    )


def calls_made(ranks: list[int]) -> rm.CallEvaluation:
    rows = [
        {"query_id": f"q{n}", "call": 1, "doc_id": "a" if r == 1 else "b", "rank": 1}
        for n, r in enumerate(ranks)
    ]
    return rm.evaluate_calls(judged(), rows, ["R@1"])


@pytest.mark.parametrize(
    ("result", "name"),
    [
        (supported, "strict_vital"),
        (supported, "weighted"),
        (cited, "precision"),
        (cited, "F"),
        (spans_found, "SpanRecall"),
        (calls_made, "R@1"),
    ],
)
@pytest.mark.parametrize("new", [BETTER, WORSE, UNSURE])
def test_results_are_decided_as_an_evaluation_with_the_same_numbers(
    result: Callable[[list[int]], Any], name: str, new: list[int]
) -> None:
    expected = rm.gate(None, evaluated(OLD), evaluated(new), "R@1", max_drop="10%")
    found = rm.gate(None, result(OLD), result(new), name, max_drop="10%")
    assert decisions(found) == decisions(expected)
    assert found.conditions[0].name == name


def test_a_result_is_compared_with_a_file_of_scores(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    file.write_text(supported(OLD).to_json())
    found = rm.gate(None, file, supported(BETTER), "strict_vital", max_drop=0.05)
    both = rm.gate(None, supported(OLD), supported(BETTER), "strict_vital", max_drop=0.05)
    assert decisions(found) == decisions(both)
    assert found.baseline_name == str(file)
    mixed = rm.gate(None, evaluated(OLD), by_query(BETTER), "RR", max_drop=0.05)
    assert mixed.verdict == "holds"


def test_one_of_several_candidates_may_go_live_and_trials_are_averaged() -> None:
    found = rm.gate(
        None, by_query(OLD), {"a": by_query(WORSE), "b": by_query(BETTER)}, "RR", max_drop=0.05
    )
    assert (found.passing, found.new_name) == (("b",), "b")
    runs = [by_query(BETTER), by_query(OLD)]
    expected = rm.gate(
        None, evaluated(OLD), [evaluated(BETTER), evaluated(OLD)], "RR", max_drop=0.05
    )
    repeated = rm.gate(None, by_query(OLD), runs, "RR", max_drop=0.05, pass_score=0.5)
    assert decisions(repeated) == decisions(expected)
    (of_scores,), (of_runs,) = repeated.reliabilities, expected.reliabilities
    assert of_scores.worst_mean == pytest.approx(of_runs.worst_mean)
    assert of_scores.icc == pytest.approx(of_runs.icc)
    assert len(of_scores.pass_any) == 2
    assert repeated.to_dict()["runs"]["new"]["reliability"] == [of_scores.to_dict()]
    assert repeated.to_dict()["runs"]["new"]["scores"]["RR"] == pytest.approx(
        expected.conditions[0].decision.other
    )


def test_scores_with_an_unknown_range_need_one() -> None:
    old = {f"q{n}": {"faithfulness": 0.5, "seconds": 2.0} for n in range(200)}
    new = {f"q{n}": {"faithfulness": 0.6, "seconds": 1.0} for n in range(200)}
    with pytest.raises(InputError, match=r"no known range.* give score_range, such as 0 to 1"):
        rm.gate(None, old, new, "faithfulness", max_drop=0.05)
    with pytest.raises(InputError, match=r"no known range, so that no bound of a share is known"):
        rm.gate(None, old, new, "faithfulness", max_drop="5%", max_query_drop=1)
    ranged = rm.gate(None, old, new, "faithfulness", max_drop=0.05, score_range=(0, 1))
    assumed = rm.gate(None, old, new, "faithfulness", max_drop=0.05, max_query_drop=1)
    assert ranged.conditions[0].decision.low == assumed.conditions[0].decision.low
    assert "no query loses more than 1" in str(assumed)
    with pytest.raises(
        InputError, match="seconds of query 'q0' is 2, which is not between 0 and 1"
    ):
        rm.gate(None, old, new, "seconds", max_drop=0.05, score_range=(0, 1))
    slower = {"max_drop": 0.05, "score_range": (0, 9)}
    assert not rm.gate(None, new, old, "seconds", **slower, lower_is_better="seconds")
    assert rm.gate(None, new, old, "seconds", **slower)
    asked = {"seconds": {"max_drop": 0.1, "max_query_drop": 5}}
    assert rm.gate(None, old, new, asked, lower_is_better=["seconds"]).holds


def test_the_only_score_needs_no_name() -> None:
    old = {f"q{n}": 0.5 for n in range(100)}
    found = rm.gate(None, old, old, max_drop=0.05, score_range=(0, 1))
    assert [one.name for one in found.conditions] == ["score"]
    with pytest.raises(InputError, match="no score was chosen, and there are 2"):
        rm.gate(None, by_query(OLD), by_query(OLD), max_drop=0.05)


def test_the_only_score_can_be_read_from_standard_input(tmp_path: Path) -> None:
    lines = ["query_id,RR", *(f"q{at},0.{at % 10}" for at in range(50))]
    new = tmp_path / "new.csv"
    new.write_text("\n".join(lines))
    done = CliRunner().invoke(
        app, ["gate", "--scores", "-", str(new), "--max-drop", "0.1"], input="\n".join(lines)
    )
    assert done.exit_code == 0, done.output
    assert "the gate holds" in done.output


def test_queries_without_a_score_are_left_out_and_said() -> None:
    old, new = by_query(OLD), by_query(BETTER)
    new["q3"] = {"RR": float("nan"), "R@1": 0.0}
    found = rm.gate(None, old, new, "RR", max_drop=0.05)
    assert found.conditions[0].decision.n == len(OLD) - 1
    assert "1 query has no RR in baseline or in new, and is left out" in str(found)
    del new["q3"]
    with pytest.raises(MismatchError, match=r"200 queries and new of 199; 1 are in only one"):
        rm.gate(None, old, new, "RR", max_drop=0.05)


def test_slices_weights_and_clusters_are_those_of_the_queries() -> None:
    kinds = {f"q{n}": "even" if n % 2 == 0 else "odd" for n in range(len(OLD))}
    choices: dict[str, Any] = {"by": kinds, "clusters": {q: int(q[1:]) // 4 for q in kinds}}
    expected = rm.gate(None, evaluated(OLD), evaluated(BETTER), "RR", max_drop=0.2, **choices)
    found = rm.gate(None, by_query(OLD), by_query(BETTER), "RR", max_drop=0.2, **choices)
    assert [one.name for one in found.conditions] == ["RR", "RR, even", "RR, odd"]
    assert decisions(found) == decisions(expected)


def test_what_concerns_rankings_is_refused_and_the_other_way_round() -> None:
    old = by_query(OLD)
    with pytest.raises(InputError, match="bounds is for runs"):
        rm.gate(None, old, old, "RR", max_drop=0.1, bounds=True)
    with pytest.raises(InputError, match="ties is for runs"):
        rm.gate(None, old, old, "RR", max_drop=0.1, ties="mean")
    for name, value in {"score_range": (0, 1), "lower_is_better": ["RR"]}.items():
        with pytest.raises(InputError, match=f"{name} is for scores by query"):
            rm.gate(judged(), run_of(OLD), run_of(OLD), "RR", max_drop=0.1, **{name: value})
    for wrong in [(1, 0), (0,), "01", (0, float("inf")), (False, True)]:
        with pytest.raises(InputError, match="score_range is"):
            rm.gate(None, old, old, "RR", max_drop=0.1, score_range=wrong)  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="is not a score"):
        rm.gate(None, old, old, [len], max_drop=0.1)
    with pytest.raises(SchemaError, match="no column 'AP' among the scores; choose from 'RR'"):
        rm.gate(None, old, old, "AP", max_drop=0.1)
    with pytest.raises(SchemaError, match="call the column of queries query_id"):
        rm.gate(None, {"frage": ["q"], "RR": [1]}, old, "RR", max_drop=0.1)
    twice = [*as_rows(OLD), {"query_id": "q0", "RR": 1.0, "R@1": 1.0}]
    with pytest.raises(DuplicateError, match="'q0'"):
        rm.gate(None, old, twice, "RR", max_drop=0.1)


def test_abstention_is_gated_at_a_threshold() -> None:
    qrels = {f"q{n}": {"a": int(n % 4 > 0)} for n in range(80)}
    old, new = (
        rm.abstention(
            qrels, {f"q{n}": {"a": n * step % 7 / 7 + 0.1, "b": 0.3} for n in range(80)}, "RR"
        )
        for step in (3, 5)
    )
    for threshold in (0.0, 0.3, 0.5, 0.7, 2.0):
        scores = old.scores_at(threshold)
        mean = sum(row["RR"] for row in scores.values()) / len(scores)
        assert mean == pytest.approx(old.at(threshold).value)
    found = rm.gate(None, old.scores_at(0.4), new.scores_at(0.4), "RR", max_drop=0.9)
    assert found.conditions[0].decision.other == pytest.approx(new.at(0.4).value)
    with pytest.raises(InputError, match=r"give the scores at a threshold.*scores_at"):
        rm.gate(None, old, new, "RR", max_drop=0.9)


def test_the_command_decides_on_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.json").write_text(supported(OLD).to_json())
    Path("new.json").write_text(supported(BETTER).to_json())
    Path("worse.json").write_text(supported(WORSE).to_json())
    done = command("old.json", "new.json", "-m", "strict_vital", "--max-drop", 0.05)
    assert (done.exit_code, done.stdout[:42]) == (0, "new.json against old.json: the gate holds\n")
    done = command("old.json", "worse.json", "-m", "strict_vital,all", "--max-drop", 0.05)
    assert done.exit_code == 3
    Path("gate.toml").write_text(
        'max_drop = 0.05\n[[conditions]]\nmeasure = "strict_vital"\n'
        '[[conditions]]\nmeasure = "all"\nmax_drop = 0.2\n'
    )
    done = command(
        "old.json", "worse.json", "new.json", "--config", "gate.toml", "--junit", "x.xml"
    )
    assert (done.exit_code, "new.json may go live" in done.stdout) == (0, True)
    assert 'name="worse.json: all may fall by at most 0.2"' in Path("x.xml").read_text()
    done = command("old.json", "-m", "all", "--max-drop", 0.1)
    assert (done.exit_code, "Missing argument" in done.stderr) == (2, True)
    done = command("old.json", "new.json", "-m", "strict_vitl", "--max-drop", 0.05)
    told = "give --score-range, such as 0 to 1, or --max-query-drop"
    assert (done.exit_code, told in done.stderr) == (2, True)
    assert "correct the name: did you mean strict_vital?" in done.stderr
    done = command("old.json", "new.json", "-m", "all", "--max-drop", 0.1, "--record", "r.json")
    assert (done.exit_code, "--record is for runs" in done.stderr) == (2, True)
    done = command("old.json", "missing.json", "-m", "all", "--max-drop", 0.1)
    assert (done.exit_code, "missing.json" in done.stderr) == (1, True)
    Path("judged.csv").write_text("query_id,nugget,importance,support\nq1,n1,vital,support\n")
    done = command("judged.csv", "new.json", "-m", "strict_vital", "--max-drop", 0.05)
    told = "these are judgments of answers; give what rankmark nuggets or citations writes with"
    assert (done.exit_code, told in done.stderr) == (1, True)
    means = supported(OLD).to_json(per_query=False)
    Path("means.json").write_text(means)
    done = command("old.json", "means.json", "-m", "all", "--max-drop", 0.1)
    assert (done.exit_code, "write it with --per-query" in done.stderr) == (1, True)


def test_the_assertion_takes_scores() -> None:
    assert_not_worse(None, by_query(OLD), by_query(BETTER), "RR", max_drop=0.05)
    with pytest.raises(AssertionError, match="the gate does not hold"):
        assert_not_worse(None, by_query(OLD), by_query(WORSE), "RR", max_drop=0.05)
