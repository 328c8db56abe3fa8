"""Comparisons and gates of measures of a run: users are left out of both runs at a time."""

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark.commands.app import app
from rankmark.errors import InputError

USERS, ITEMS = 40, 30


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    taste = rng.gumbel(size=(USERS, ITEMS))

    def run(strength):
        scores = 0.6 * taste - strength * np.log(np.arange(1, ITEMS + 1))
        scores += 0.4 * rng.gumbel(size=scores.shape)
        best = np.argsort(-scores, axis=1)[:, :6]
        return {f"u{user}": [f"i{item}" for item in row] for user, row in enumerate(best)}

    chosen = [rng.choice(ITEMS, 3, replace=False) for _ in range(USERS)]
    history = {f"u{user}": [f"i{item}" for item in row] for user, row in enumerate(chosen)}
    history["all"] = [f"i{item}" for item in range(ITEMS)]
    test = {f"u{user}": [f"i{(user * 7) % ITEMS}"] for user in range(USERS)}
    return test, {"even": run(0.2), "steep": run(1.5)}, history


def by_hand(test, runs, history, measure):
    """The difference, and its interval, from evaluations without each user."""
    users = [*test]

    def difference(queries):
        a, b = (
            rm.evaluate(test, run, measure, history=history, queries=queries)[measure]
            for run in runs.values()
        )
        return b - a

    without = np.array([difference([one for one in users if one != user]) for user in users])
    n = len(users)
    error = math.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    return difference(users), error


@pytest.mark.parametrize("measure", ["Gini@5", "ItemCoverage@5"])
def test_an_interval_leaves_each_user_out_of_both_runs(data, measure):
    test, runs, history = data
    compared = rm.compare(test, runs, ["nDCG@5", measure], history=history, baseline="even")
    (row,) = compared.of_run
    difference, error = by_hand(test, runs, history, measure)
    assert row.difference == pytest.approx(difference, abs=1e-12)
    reach = 2.0226909200367604 * error  # of t with 39 degrees of freedom
    assert (row.low, row.high) == pytest.approx((difference - reach, difference + reach))
    assert "of all lists together, no means over queries" in str(compared)
    assert json.loads(compared.to_json())["of_run"][0]["measure"] == measure


def test_runs_are_compared_by_these_measures_alone(data):
    _, runs, history = data
    compared = rm.compare(None, runs, ["Gini@5", "Entropy@5"], history=history)
    gini, entropy = compared.of_run
    assert gini.significant
    assert not gini.more_is_better
    assert gini.difference > 0 > entropy.difference
    assert len(compared.differences) == len(compared.leaderboard) == 0
    for written in (str(compared), compared.to_markdown(), compared.to_latex()):
        assert "Gini@5" in written


def test_a_gate_decides_by_the_same_interval(data):
    test, runs, history = data
    asked = {"nDCG@5": 0.5, "Gini@5": 0.01, "Entropy@5": "50%", "ItemCoverage@5": 0.9}
    result = rm.gate(test, *runs.values(), asked, history=history)
    found = {str(row.condition.measure): row for row in result.conditions}
    assert found["Gini@5"].verdict == "does not hold"
    assert found["ItemCoverage@5"].verdict == "holds"
    assert found["Entropy@5"].verdict == "holds"
    assert "jackknife" in found["Gini@5"].decision.method
    row = rm.compare(test, runs, "Gini@5", history=history).of_run[0]
    two_sided = rm.gate(test, *runs.values(), rm.Condition("Gini@5", 0.01, confidence=0.975),
                        history=history)  # fmt: skip
    assert two_sided.conditions[0].decision.low == pytest.approx(row.low)


def test_what_a_number_of_the_run_cannot_have_is_refused(data):
    test, runs, history = data
    given = (test, *runs.values(), {"Gini@5": 0.1})
    with pytest.raises(InputError, match="in which users have no weights"):
        rm.gate(*given, history=history, weights=dict.fromkeys(test, 1))
    with pytest.raises(InputError, match="a slice is for scores by query"):
        rm.gate(*given, history=history, by=dict.fromkeys(test, "x"))
    with pytest.raises(InputError, match="which no query loses"):
        rm.Condition("Gini@5", 0.1, max_query_drop=0.2)
    with pytest.raises(InputError, match='catalogue is "union"'):
        rm.compare(test, runs, "Gini@5", history=history, catalogue="union")


def test_a_report_shows_them_apart(data, tmp_path):
    test, runs, history = data
    turned = {user: [*items][::-1] for user, items in next(iter(runs.values())).items()}
    asked = ["nDCG@5", "Gini@5", "ARP@5"]
    compared = rm.compare(test, {**runs, "turned": turned}, asked, history=history)
    assert "improvement: 'ARP@5', 'Gini@5'" in str(compared)
    rm.write_report(compared, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    shown = page[page.index("All lists together") :]
    assert len(compared.of_run) == 3  # a row for each pair
    for row in compared.of_run:
        assert f"{row.run_value:.4f}" in shown
        mark = {True: "▲</span> ", False: "▼</span> "}[row.is_gain] if row.significant else "<td>"
        assert f"{mark}{row.difference:+.4f}" in shown
    with pytest.raises(InputError, match="a report is of scores by query"):
        rm.write_report(rm.compare(None, runs, "Gini@5", history=history), tmp_path / "page.html")


def test_commands_read_what_is_known_of_items(data, tmp_path):
    test, runs, history = data
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{user} 0 {item} 1\n" for user, items in test.items() for item in items)
    )
    for name, run in runs.items():
        (tmp_path / f"{name}.run").write_text(
            "".join(
                f"{user} Q0 {item} {rank} {10 - rank} r\n"
                for user, items in run.items()
                for rank, item in enumerate(items, 1)
            )
        )
    (tmp_path / "train.csv").write_text(
        "user_id,item_id\n"
        + "".join(f"{user},{item}\n" for user, items in history.items() for item in items)
    )
    (tmp_path / "gate.toml").write_text(
        '[[conditions]]\nmeasure = "Gini@5"\nmax_drop = 0.9\n'
        '[conventions]\nhistory = "train.csv"\ncatalogue = "history"\n'
    )
    files = [str(tmp_path / name) for name in ("qrels.txt", "even.run", "steep.run")]
    known = ["--history", str(tmp_path / "train.csv")]

    def printed(*arguments, stream="stdout"):
        done = CliRunner().invoke(app, [*arguments])
        assert done.exit_code == 0, done.output
        return getattr(done, stream)

    evaluated = printed("evaluate", *files, "-m", "nDCG@5,MIUF@5,Gini@5", *known)
    assert "of all lists together" in evaluated
    for rows in (["--per-query"], ["--aggregate", "median"]):
        asked = [*files, "-m", "nDCG@5,Gini@5", *known, *rows, "--format", "csv"]
        assert "Gini@5" not in printed("evaluate", *asked)
        assert "no rows for Gini@5: of all lists together" in printed(
            "evaluate", *asked, stream="stderr"
        )
    unjudged = printed("evaluate", "none", *files[1:], "-m", "MIUF@5", *known, "--format", "json")
    figures = {run["name"]: run["scores"]["MIUF@5"] for run in json.loads(unjudged)["runs"]}
    ev = rm.evaluate(None, runs["even"], "MIUF@5", history=history)
    assert figures["even"] == ev["MIUF@5"]
    assert "of all lists together" in printed("compare", *files, "-m", "Gini@5", *known)
    assert "Gini@5" in printed("compare", *files, "-m", "Gini@5", *known, "--format", "csv")
    assert "Gini@5" in printed("gate", *files, "-m", "Gini@5", "--max-drop", "0.9", *known)
    assert "Gini@5" in printed("gate", *files, "--config", str(tmp_path / "gate.toml"))


def test_lists_that_differ_are_not_the_same_where_their_numbers_without_a_user_are() -> None:
    old, new = {"1": ["b", "a"], "2": ["b", "a"]}, {"1": ["a", "b"], "2": ["c", "a"]}
    asked = rm.Condition("ItemCoverage@2", 0.5)
    found = rm.gate({"1": {"a": 1}, "2": {"a": 1}}, old, new, asked, catalogue=["a", "b", "c", "d"])
    assert "the same score" not in str(found)
    assert "the same score" in str(
        rm.gate({"1": {"a": 1}}, old, {**old}, asked, catalogue=["a", "b", "c", "d"])
    )
