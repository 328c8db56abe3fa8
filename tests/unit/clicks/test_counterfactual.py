"""What another ranking would have earned: figures of other tools, enumeration, simulation."""

import json
import math
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from unit.commands import rankmark_here

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
pytest.importorskip("scipy")

from rankmark.clicks.counterfactual.weighted_rewards import Shown, earned  # noqa: E402

# st-tech/zr-obp's slate estimators at 8cbd5fa, and the formulas; six lists of three documents.
LOGGING = [
    *([0.58, 0.74, 0.67], [0.34, 0.38, 0.72], [0.2, 0.69, 0.68]),
    *([0.48, 0.38, 0.37], [0.35, 0.47, 0.5], [0.53, 0.8, 0.68]),
]
TARGET = [
    *([0.6, 0.89, 0.27], [0.23, 0.59, 0.14], [0.13, 0.51, 0.47]),
    *([0.83, 0.6, 0.51], [0.5, 0.3, 0.11], [0.25, 0.65, 0.26]),
]
REWARD = [[1, 0, 0], [0, 1, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1], [1, 1, 1]]
VALUES = {
    "IPS": 1.656911854228919,
    "SNIPS": 1.9310733176992396,
    "independent": 1.6008183210207685,
    "independent-SNIPS": 1.939043017625509,
    "cascade": 1.979772784377566,
    "cascade-SNIPS": 2.008940814453867,
}


def log_of(columns: Mapping[str, Any]) -> rm.ClickLog:
    """Read a log by the engine that is quickest for few rows."""
    return rm.read_log(pl.DataFrame(dict(columns), strict=False))


def slates(**more: Any) -> dict[str, Any]:
    return {
        "query_id": np.repeat(range(6), 3),
        "doc": [f"d{at}" for at in range(18)],
        "rank": [1, 2, 3] * 6,
        "click": np.ravel(REWARD),
        "propensity": np.ravel(LOGGING),
        "target": np.ravel(TARGET),
    } | more


ANY: dict[str, Any] = {"target": "target", "min_effective": 0}


@pytest.mark.parametrize("method", VALUES)
def test_values_are_those_of_obp(method: Any) -> None:
    found = rm.counterfactual(log_of(slates()), method=method, **ANY)
    assert found.value.estimate == pytest.approx(VALUES[method], abs=1e-12)
    assert found.logged == pytest.approx(np.sum(REWARD) / 6)
    if method == "IPS":
        assert found.effective_n == pytest.approx(1.8118637061458418, abs=1e-12)


def test_the_figures_of_the_file_are_the_same(shared_data: Path) -> None:
    known = json.loads((shared_data / "oracles" / "off_policy.json").read_text(encoding="utf-8"))
    assert known["input"] == {"logging": LOGGING, "target": TARGET, "reward": REWARD}
    assert sorted(known["formula"].values()) == pytest.approx(sorted(VALUES.values()), abs=1e-12)


SINGLE = {
    "query_id": [1, 2, 3, 4],
    "doc": ["a", "b", "c", "d"],
    "rank": [1, 1, 1, 1],
    "click": [1, 0, 1, 1],
    "propensity": [0.5, 0.25, 0.8, 0.1],
    "target": [0.4, 0.5, 0.6, 0.3],
}


def test_the_figures_of_the_reference() -> None:
    log = log_of(SINGLE)
    found = rm.counterfactual(log, method="IPS", **ANY)
    assert found.value.estimate == pytest.approx(1.1375, abs=1e-12)
    assert found.error == pytest.approx(0.64723, abs=5e-6)
    assert (found.largest_weight, found.mean_weight) == pytest.approx((3, 1.6375))
    assert found.effective_n == pytest.approx(3.0207709910, abs=5e-11)
    found = rm.counterfactual(log, method="SNIPS", **ANY)
    assert found.value.estimate == pytest.approx(0.6946564885, abs=5e-11)
    found = rm.counterfactual(log, method="IPS", clip=2, **ANY)
    assert (found.value.estimate, found.clipped) == (pytest.approx(0.8875, abs=1e-12), 1)
    for method in ("independent", "cascade"):  # the same for a single document
        found = rm.counterfactual(log, method=method, **ANY)  # type: ignore[arg-type]
        assert found.value.estimate == pytest.approx(1.1375, abs=1e-12)


def plackett_luce(scores: Mapping[str, float]) -> dict[tuple[str, ...], list[float]]:
    """Give all lists of two documents, with the probability at each rank given those above."""
    total = sum(scores.values())
    return {
        (a, b): [scores[a] / total, scores[b] / (total - scores[a])]
        for a, b in permutations(scores, 2)
    }


NEW, OLD = plackett_luce({"x": 5, "y": 2, "z": 1}), plackett_luce({"x": 1, "y": 1, "z": 2})
RANDOM = np.random.default_rng(4)
ANYHOW = {docs: RANDOM.random(2) for docs in OLD}
BY_PREFIX = {docs: [ord(docs[0]) % 7, ANYHOW[docs][1]] for docs in OLD}
MODEL = {docs: [ord(docs[0]) % 5, RANDOM.random()] for docs in OLD}
"""What a model says of the first document, and of the second below it: anything."""


@pytest.mark.parametrize(
    ("method", "reward"),
    [("IPS", ANYHOW), ("cascade", BY_PREFIX), ("doubly-robust", BY_PREFIX)],
)
def test_the_mean_over_all_lists_is_what_the_new_ranking_earns(method: str, reward: Any) -> None:
    def expected(docs: tuple[str, ...], rank: int) -> float:
        if rank == 0:
            return sum(float(np.prod(NEW[one])) * MODEL[one][0] for one in OLD)
        return sum(NEW[one][1] * MODEL[one][1] for one in OLD if one[0] == docs[0])

    rows = [
        (
            *(at, rank + 1, reward[docs][rank], NEW[docs][rank] / OLD[docs][rank]),
            *(MODEL[docs][rank], expected(docs, rank)),
        )
        for at, docs in enumerate(OLD)
        for rank in range(2)
    ]
    found = earned(Shown(*map(np.array, zip(*rows, strict=True)), len(OLD)), method, math.inf)
    chances = np.array([np.prod(OLD[docs]) for docs in OLD])
    truth = sum(float(np.prod(NEW[docs])) * sum(reward[docs]) for docs in OLD)
    assert chances @ found.values == pytest.approx(truth, abs=1e-12)


def test_independent_weights_suffice_where_rewards_depend_on_document_and_rank() -> None:
    def at_rank(of: Any, doc: str, rank: int) -> float:
        return sum(float(np.prod(of[docs])) for docs in of if docs[rank] == doc)

    like = {"x": [0.3, 0.1], "y": [0.7, 0.5], "z": [0.2, 0.9]}
    rows = [
        (at, rank + 1, like[doc][rank], at_rank(NEW, doc, rank) / at_rank(OLD, doc, rank), 0.0, 0.0)
        for at, docs in enumerate(OLD)
        for rank, doc in enumerate(docs)
    ]
    lists = Shown(*map(np.array, zip(*rows, strict=True)), len(OLD))
    chances = np.array([np.prod(OLD[docs]) for docs in OLD])
    truth = sum(at_rank(NEW, doc, rank) * like[doc][rank] for doc in like for rank in range(2))
    found = earned(lists, "independent", math.inf)
    assert chances @ found.values == pytest.approx(truth, abs=1e-12)


def test_a_model_that_is_right_takes_the_variance() -> None:
    random, n = np.random.default_rng(0), 1000
    action = random.choice(3, n, p=[0.7, 0.2, 0.1])
    right, new = np.array([0.2, 0.5, 0.8]), np.array([0.1, 0.3, 0.6])
    log = log_of(
        {
            "query_id": range(n),
            "doc": [f"d{one}" for one in action],
            "rank": [1] * n,
            "click": (random.random(n) < right[action]).astype(int),
            "propensity": np.array([0.7, 0.2, 0.1])[action],
            "target": new[action],
            "predicted": right[action],
            "expected": [float(new @ right)] * n,
        }
    )
    robust, plain = (
        rm.counterfactual(log, target="target", method=method)  # type: ignore[arg-type]
        for method in ("doubly-robust", "cascade")
    )
    assert robust.error < 0.8 * plain.error
    assert robust.value.low < float(new @ right) < robust.value.high


# ------------------------------------------------------------------ by item and position

SESSIONS = ["abc 010", "abc 100", "abc 110", "bac 101", "abc 000"]
ROWS = [
    {"query_id": at, "query": "q", "doc": doc, "rank": rank, "click": int(click)}
    for at, session in enumerate(SESSIONS)
    for rank, (doc, click) in enumerate(zip(*session.split(), strict=True), 1)
]


def test_clicks_move_to_their_new_ranks() -> None:
    log = log_of(pl.DataFrame(ROWS).to_dict())
    look = [1, 0.5, 0.25]
    found = rm.counterfactual(log, {"q": list("bac")}, examination=look, min_effective=0)
    # b from 2 to 1: 2; a from 1 to 2: 1/2; a and b: 5/2; b stays, c stays: 2; nothing: 0.
    assert found.value.estimate == 7 / 5
    assert (found.logged, found.unsupported, found.largest_weight) == (6 / 5, 0, 2)
    values = np.array([2, 0.5, 2.5, 2, 0])
    assert found.error == pytest.approx(values.std(ddof=1) / math.sqrt(5))
    assert found.effective_rewards == pytest.approx(7**2 / (values**2).sum())
    assert found.effective_n == pytest.approx(7**2 / (4 + 0.25 + 0.25 + 4 + 1 + 1))
    same = rm.counterfactual(log, {"q": list("abc")}, examination=look, min_effective=0, k=1)
    # At rank 1: a, and in one session a is at rank 2 and not clicked.
    assert (same.value.estimate, same.logged) == (2 / 5, 3 / 5)
    clipped = rm.counterfactual(
        log, {"q": list("bac")}, examination=look, min_effective=0, clip=1.0
    )
    assert (clipped.value.estimate, clipped.clipped) == (5 / 5, 2)


def test_what_some_issues_did_not_show_counts_more() -> None:
    log = log_of(
        {
            "query_id": [1, 1, 2, 2, 3],
            "query": ["q"] * 4 + ["other"],
            "doc": ["a", "b", "a", "c", "a"],
            "rank": [1, 2, 1, 2, 1],
            "click": [0, 1, 1, 0, 1],
        }
    )
    options: dict[str, Any] = {"examination": [1, 0.5], "min_effective": 0}
    found = rm.counterfactual(log, {"q": ["b", "z"]}, **options)
    assert found.value.estimate == 2 / 0.5 / 1 / 2  # b was shown in one of two issues
    assert (found.issues, found.left_out) == (2, 1)
    assert found.unsupported == pytest.approx(1 / 3)  # z, at rank 2
    assert "the value is a lower bound" in str(found)
    with pytest.raises(rm.MismatchError, match="answers no query of the log"):
        rm.counterfactual(log, {"p": ["a"]}, **options)


def test_clicks_beyond_what_is_known_are_counted() -> None:
    log = log_of(pl.DataFrame(ROWS).to_dict())
    found = rm.counterfactual(log, {"q": list("abc")}, examination={1: 1, 2: 0.5}, min_effective=0)
    assert (found.beyond, found.issues) == (1, 5)
    assert "1 click at ranks whose examination is unknown" in str(found)


@pytest.fixture(scope="module")
def made() -> rm.ExampleLog:
    return rm.example_log(1500, seed=3)


@pytest.fixture(scope="module")
def fused(made: rm.ExampleLog) -> dict[str, list[str]]:
    """Give a ranking of what both rankers of the log show, by label."""
    return {
        query: sorted(labels, key=lambda doc: (-labels[doc], doc))[:10]
        for query, labels in made.labels.items()
        if labels
    }


@pytest.mark.parametrize("unit", ["user", "session", "issue"])
def test_the_truth_of_the_example_log_is_found(made: Any, fused: Any, unit: Any) -> None:
    log = log_of(made.columns)
    found = rm.counterfactual(log, fused, examination=made.examination, unit=unit)
    by_query = {
        query: sum(
            look * made.attraction[query][doc]
            for look, doc in zip(made.examination, docs, strict=False)
        )
        for query, docs in fused.items()
    }
    asked = dict(zip(made.columns["query_id"], made.columns["query"], strict=True)).values()
    truth = np.mean([by_query[query] for query in asked if query in by_query])
    assert found.unsupported == 0
    assert found.value.low < truth < found.value.high
    assert found.value.high - found.value.low < 0.2
    assert found.difference.low > 0


ENGINES: dict[str, Any] = {
    "columns": dict,
    "pandas": pd.DataFrame,
    "Polars, shuffled": lambda columns: pl.DataFrame(columns, strict=False).sample(
        fraction=1, shuffle=True, seed=1
    ),
}


@pytest.mark.parametrize("form", ENGINES.values(), ids=ENGINES)
def test_every_engine_gives_the_same_bits(made: Any, fused: Any, form: Any) -> None:
    found = [
        rm.counterfactual(one, fused, examination=made.examination).to_json()
        for one in (rm.read_log(form(made.columns)), log_of(made.columns))
    ]
    assert found[0] == found[1]
    columns = {name: np.array(values) for name, values in slates().items()}
    for method in ("IPS", "cascade-SNIPS"):
        found = [
            rm.counterfactual(one, method=method, **ANY).to_json()  # type: ignore[arg-type]
            for one in (rm.read_log(form(columns)), log_of(columns))
        ]
        assert found[0] == found[1]


# ------------------------------------------------------------------ how far to believe it


def drawn(n: int, chances: list[float], seed: int = 0) -> dict[str, Any]:
    """Draw a document of three for each issue; a run has the last one."""
    random = np.random.default_rng(seed)
    action = random.choice(3, n, p=chances)
    return {
        "query_id": range(n),
        "query": ["q"] * n,
        "user": [f"u{at // 2}" for at in range(n)],
        "doc": [f"d{one}" for one in action],
        "rank": [1] * n,
        "click": (random.random(n) < 0.5).astype(int),
        "propensity": np.array(chances)[action],
    }


def test_a_run_is_weighed_where_the_log_had_its_documents() -> None:
    log = log_of(drawn(600, [0.5, 0.3, 0.2]))
    found = rm.counterfactual(log, {"q": ["d2"]}, "IPS")
    assert found.value.low < 0.5 < found.value.high
    assert (found.largest_weight, found.unsupported) == (5, 0)
    assert (found.value.clusters, found.value.n) == (300, 600)
    nothing = rm.counterfactual(log, {"q": ["d9"]}, "IPS")
    assert (nothing.unsupported, nothing.effective_n) == (1, 0)
    assert math.isnan(nothing.value.estimate)
    assert nothing.headline.startswith("No value: the effective sample size is 0.0")


def test_a_small_effective_sample_size_gives_no_value() -> None:
    log = log_of(drawn(200, [0.6, 0.37, 0.03]))
    found = rm.counterfactual(log, {"q": ["d2"]}, "SNIPS")
    assert 0 < min(found.effective_n, found.effective_rewards) < 50
    assert math.isnan(found.value.estimate)
    assert math.isnan(found.difference.low)
    assert found.logged > 0
    assert json.loads(found.to_json())["value"]["estimate"] is None
    assert rm.counterfactual(log, {"q": ["d2"]}, "SNIPS", min_effective=1).value.estimate > 0


def test_weights_that_are_not_1_on_average_give_no_value() -> None:
    wrong = drawn(600, [0.5, 0.3, 0.2]) | {"propensity": [1.0] * 600}
    found = rm.counterfactual(log_of(wrong), {"q": ["d2"]}, "IPS")
    assert "the mean weight is 0.2" in found.refused
    assert not rm.counterfactual(log_of(wrong), {"q": ["d2"]}, "IPS", clip=9).refused


def test_one_user_has_a_value_without_interval() -> None:
    log = log_of(drawn(100, [0.5, 0.3, 0.2]) | {"user": ["one"] * 100})
    found = rm.counterfactual(log, {"q": ["d0"]}, "IPS", min_effective=0)
    assert found.value.estimate > 0
    assert (math.isnan(found.value.low), found.value.undefined) == (True, "1 user")


def test_no_clicks_earn_nothing() -> None:
    log = log_of(drawn(100, [0.5, 0.3, 0.2]) | {"click": [0] * 100})
    found = rm.counterfactual(log, {"q": ["d0"]}, "IPS", min_effective=0)
    assert (found.value.estimate, found.logged, found.effective_rewards) == (0, 0, 0)
    assert "effective sample size is 0.0" in rm.counterfactual(log, {"q": ["d0"]}, "IPS").refused


def test_issues_without_documents_and_without_users_stay() -> None:
    columns = {
        "query_id": [1, 2, 3],
        "query": ["q"] * 3,
        "user": ["u", None, None],
        "doc": ["a", "a", None],
        "rank": [1, 1, None],
        "click": [1, 0, 0],
        "propensity": [1.0, 1.0, None],
    }
    cases: list[tuple[dict[str, Any], float]] = [
        ({"method": "IPS"}, 1 / 3),
        ({"examination": [1.0]}, 1 / 2),  # as one of three did not show the document
    ]
    for options, value in cases:
        found = rm.counterfactual(log_of(columns), {"q": ["a"]}, min_effective=0, **options)
        assert (found.issues, found.value.clusters) == (3, 3)
        assert found.value.estimate == pytest.approx(value)


def test_other_rewards_than_clicks() -> None:
    euros = [2.0, math.nan, 4.5, 1.0]
    found = rm.counterfactual(
        log_of(SINGLE | {"euros": euros}), method="IPS", reward="euros", **ANY
    )
    assert found.value.estimate == pytest.approx((0.8 * 2 + 0.75 * 4.5 + 3) / 4)
    twice = log_of(SINGLE | {"click": [3, 0, 2, 1]})  # clicks on a document count once
    assert rm.counterfactual(twice, method="IPS", **ANY).value.estimate == pytest.approx(1.1375)


def test_what_is_wrong_is_named() -> None:
    def without(name: str) -> dict[str, Any]:
        return {key: values for key, values in SINGLE.items() if key != name}

    ips: dict[str, Any] = {"method": "IPS"} | ANY
    two = SINGLE | {"query_id": [1, 1, 3, 4]}
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        (without("propensity"), ips, "needs propensity"),
        (without("rank"), ips, "needs rank"),
        (without("target"), ips, "needs target"),
        (SINGLE, {"run": {"q": ["a"]}, "examination": [1]}, "needs query"),
        (SINGLE | {"target": [0.4, 1.5, 0.6, 0.3]}, ips, "target is no probability in 1 row of 4"),
        (SINGLE | {"target": [0.4, None, 0.6, 0.3]}, ips, "target is no probability"),
        (SINGLE | {"propensity": [0.5, None, 0.8, 0.1]}, ips, "propensity is no probability"),
        (two, ips, "issue 1 has two documents at rank 1"),
        (SINGLE, {"method": "IPS"}, "needs query"),
        (SINGLE | {"query": ["q"] * 4}, {"method": "IPS"}, "there is no new ranking"),
        (SINGLE, ips | {"run": {"q": ["a"]}}, "there are two new rankings"),
        (SINGLE, ips | {"examination": [1]}, "examination is for item-position"),
        (SINGLE, {"target": "target"}, "item-position needs"),
        (SINGLE, ips | {"reward": "doc"}, "doc is not numbers"),
        (SINGLE, ips | {"method": "doubly-robust"}, "needs predicted and expected"),
        (
            SINGLE | {"predicted": [1, 1, None, 1], "expected": [1] * 4},
            ips | {"method": "doubly-robust"},
            "predicted is no number",
        ),
    ]
    for columns, options, message in cases:
        with pytest.raises(rm.InputError, match=message):
            rm.counterfactual(log_of(columns), **options)
    for propensity in (0.0, 1.2, -0.5):
        with pytest.raises(rm.SchemaError, match="1 row of 4 with propensity"):
            log_of(SINGLE | {"propensity": [0.5, propensity, 0.8, 0.1]})
    for examination in ([1, 0], [1, math.nan], [], "1", None):
        with pytest.raises(rm.InputError, match="examination"):
            rm.counterfactual(
                log_of(pl.DataFrame(ROWS).to_dict()), {"q": ["a"]}, examination=examination
            )


@pytest.mark.parametrize("method", ["item-position", "IPS"])
def test_infinite_rewards_are_refused(method: Any) -> None:
    log = log_of(slates(query=["q"] * 18, paid=[math.inf, *[1.0] * 17]))
    options = {"examination": [1.0] * 3, "run": {"q": ["d0"]}} if method == "item-position" else ANY
    with pytest.raises(rm.InputError, match="paid holds infinite numbers; give amounts"):
        rm.counterfactual(log, method=method, reward="paid", **options)


def test_probabilities_that_are_text_are_refused() -> None:
    log = log_of(slates(target=["x"] * 18))
    with pytest.raises(rm.InputError, match="target is not numbers, but String; convert it"):
        rm.counterfactual(log, method="IPS", **ANY)


def test_the_command_writes_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(ROWS).to_csv("log.csv", index=False)
    Path("new.json").write_text(json.dumps({"q": list("bac")}), encoding="utf-8")
    options = ("--examination", "1,0.5,0.25", "--min-effective", "0", "--format", "json")
    done = rankmark_here("counterfactual", "log.csv", "new.json", *options)
    assert (done.returncode, json.loads(done.stdout)["value"]["estimate"]) == (0, 1.4)
    done = rankmark_here("counterfactual", "log.csv", "new.json", "--examination", "1,0.5,0.25")
    assert (done.returncode, done.stdout[:8]) == (0, "No value")
    pd.DataFrame(slates()).to_csv("drawn.csv", index=False)
    done = rankmark_here(
        *("counterfactual", "drawn.csv", "--target", "target", "--method", "cascade"), *options[2:]
    )
    assert json.loads(done.stdout)["value"]["estimate"] == pytest.approx(VALUES["cascade"])
