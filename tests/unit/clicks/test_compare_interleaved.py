"""Logs of interleaved lists: credit, preference and checks."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.clicks.interleaving.interleave import drafted
from rankmark.clicks.interleaving.interleaving_power import power_of_signs
from unit.commands import rankmark_here

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
stats = pytest.importorskip("scipy.stats")

Rows = list[dict[str, Any]]


def shown(issue: Any, one: Any, clicks: Sequence[int], **more: Any) -> Rows:
    """Give the rows of an interleaved list, of which some ranks were clicked."""
    return [
        {
            **{"query_id": issue, "user": f"u{issue}", "doc": doc, "rank": rank, "team": team},
            **{"rank_a": a, "rank_b": b, "click": int(rank in clicks), **more},
        }
        for rank, (doc, team, a, b) in enumerate(zip(*one, strict=True), 1)
    ]


def credited(wins: int, losses: int, ties: int) -> Rows:
    """Give searches of as many users, of which each team wins some."""
    rows: Rows = []
    for issue in range(wins + losses + ties):
        one = rm.interleave([*"123"], [*"234"], seed=issue)
        team = "a" if issue < wins else "b" if issue < wins + losses else "neither"
        rows += shown(issue, one, [one.teams.index(team) + 1] if team in one.teams else [])
    return rows


@pytest.fixture(scope="module")
def golden() -> Rows:
    return credited(60, 40, 25)


def log_of(rows: Rows) -> rm.ClickLog:
    """Read a log by the engine that is quickest for few rows."""
    return rm.read_log(pl.DataFrame(rows, infer_schema_length=None))


def outcome(found: rm.InterleavingComparison) -> str:
    return {(1, 0): "a", (0, 1): "b", (0, 0): "tie"}[found.wins, found.losses]


def test_the_sign_test_of_the_reference(golden: Rows) -> None:
    found = rm.compare_interleaved(log_of(golden))
    assert (found.wins, found.losses, found.ties, found.preference) == (60, 40, 25, 0.08)
    assert found.p == pytest.approx(0.0568879336, abs=5e-11)  # scipy.stats.binomtest(60, 100)
    expected = stats.binomtest(60, 100).proportion_ci(method="exact")
    assert (found.win_share.low, found.win_share.high) == pytest.approx([*expected])
    assert found.credit_share.estimate == pytest.approx(0.2)
    assert "Neither a nor b is preferred" in str(found)


CASES = [
    # shown, teams or None for balanced, clicked ranks, who wins: mpkato/interleaving, 7907f7d
    *(("123", None, clicks, who) for clicks, who in [((1,), "a"), ((2,), "b"), ((3,), "b")]),
    *(("123", None, clicks, "tie") for clicks in [(1, 2), ()]),
    *(("213", "bab"[:1] + "aa", clicks, who) for clicks, who in [((1,), "b"), ((2,), "a")]),
    *(("213", "baa", clicks, who) for clicks, who in [((3,), "a"), ((1, 2), "tie")]),
]


@pytest.mark.parametrize(("docs", "teams", "clicks", "who"), CASES)
def test_credit_is_that_of_the_reference(docs: str, teams: Any, clicks: Any, who: str) -> None:
    ranks = [[ranking.find(doc) + 1 or None for doc in docs] for ranking in ("123", "234")]
    rows = shown(1, (docs, teams or [None] * 3, *ranks), clicks)
    method = "team-draft" if teams else "balanced"
    found = rm.compare_interleaved(log_of(rows), method=method, teams=["a", "b"])  # type: ignore[arg-type]
    assert outcome(found) == who


def test_random_clicks_favour_the_shifted_ranking_in_balanced_lists() -> None:
    rows: Rows = []
    for issue, (docs, rank) in enumerate(product(["123", "213"], [1, 2, 3])):
        ranks = [[ranking.find(doc) + 1 or None for doc in docs] for ranking in ("123", "234")]
        rows += shown(issue, (docs, [None] * 3, *ranks), [rank])
    found = rm.compare_interleaved(log_of(rows), method="balanced")
    assert (found.wins, found.losses) == (2, 4)
    assert "balanced interleaving is biased" in str(found)
    assert [(one.rank, one.a, one.b) for one in found.teams_at_rank] == [(1, 3, 3)]


def by_hand(rows: Rows, unit: str) -> dict[str, Any]:
    """Count wins and shares with loops."""
    issues: dict[Any, dict[str, Any]] = {}
    for row in rows:
        one = issues.setdefault(row["query_id"], {"unit": row[unit], "a": 0, "b": 0})
        if row["team"] in ("a", "b") and row["click"] > 0:
            one[row["team"]] += 1
    units: dict[Any, list[int]] = {}
    for one in issues.values():
        sums = units.setdefault(one["unit"], [0, 0, 0])
        sums[0] += (one["a"] > one["b"]) - (one["a"] < one["b"])
        sums[1] += one["a"]
        sums[2] += one["b"]
    shares = [(a - b) / (a + b) for _, a, b in units.values() if a + b]
    return {
        "wins": sum(one[0] > 0 for one in units.values()),
        "losses": sum(one[0] < 0 for one in units.values()),
        "ties": sum(one[0] == 0 for one in units.values()),
        "share": sum(shares) / len(shares),
    }


@pytest.fixture(scope="module")
def drawn() -> Rows:
    """Searches of 60 users, some with several, some without a click."""
    random = np.random.default_rng(5)
    rows: Rows = []
    for issue in range(240):
        a, b = random.permutation(8)[:5].tolist(), random.permutation(8)[:5].tolist()
        one = rm.interleave(a, a if issue % 10 == 0 else b, "competitive-pairs", seed=issue)
        clicks = [rank for rank in range(1, 6) if random.random() < 0.5 / rank]
        user, bought = f"u{int(random.integers(60))}", bool(random.random() < 0.2)
        own = {"user": user, "session": f"{user}-{issue % 2}", "bought": bought}
        rows += [row | own for row in shown(issue, one, clicks)]
    return rows


@pytest.mark.parametrize("unit", ["user", "session", "issue"])
def test_units_are_counted_as_by_hand(drawn: Rows, unit: Any) -> None:
    found = rm.compare_interleaved(log_of(drawn), unit=unit)
    # Issues for which both rankings are the same count nowhere.
    known = [row | {"click": row["click"] * (row["query_id"] % 10 > 0)} for row in drawn]
    expected = by_hand(known, "query_id" if unit == "issue" else unit)
    shares = expected.pop("share")
    assert {name: getattr(found, name) for name in expected} == expected
    assert found.credit_share.estimate == pytest.approx(shares, abs=1e-15)
    assert (found.issues, found.identical, found.effective) == (240, 24, 216)


ENGINES: dict[str, Callable[[Rows], Any]] = {
    "pandas": pd.DataFrame,
    "Polars, shuffled": lambda rows: pl.DataFrame(rows, infer_schema_length=None).sample(
        fraction=1, shuffle=True, seed=1
    ),
    "DuckDB": lambda rows: duckdb.connect().from_arrow(pa.Table.from_pylist(rows)),
}


@pytest.mark.parametrize("form", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("method", ["team-draft", "balanced", "competitive-pairs"])
def test_every_engine_gives_the_same_bits(drawn: Rows, method: Any, form: Any) -> None:
    found = rm.compare_interleaved(rm.read_log(form(drawn)), method=method)
    assert found.to_json() == rm.compare_interleaved(log_of(drawn), method=method).to_json()


def without(rows: Rows, *names: str, **more: Any) -> Rows:
    return [
        {name: value for name, value in row.items() if name not in names} | more for row in rows
    ]


def test_pairs_of_the_same_document_give_no_credit(drawn: Rows) -> None:
    same = [row for row in drawn if row["query_id"] % 10 == 0]
    assert {row["team"] for row in same} == {None}
    teams = ["a", "b"]
    log = log_of(without(drawn, "rank_a", "rank_b"))
    found = rm.compare_interleaved(log, method="competitive-pairs", teams=teams)
    assert found.identical == 24
    assert rm.compare_interleaved(log, teams=teams).identical is None
    assert "does not tell" in str(rm.compare_interleaved(log, teams=teams))


def test_the_same_lists_give_no_credit() -> None:
    rows: Rows = []
    for issue in range(30):
        rows += shown(issue, rm.interleave([*"xyz"], [*"xyz"], seed=issue), [1])
    found = rm.compare_interleaved(log_of(rows))
    assert (found.identical, found.effective, found.ties, found.credits) == (30, 0, 30, (0, 0))
    assert math.isnan(found.credit_share.low)
    assert found.p == 1


def test_other_credit_than_clicks(drawn: Rows) -> None:
    clicked = without(drawn, "click", click=0)
    found = rm.compare_interleaved(log_of(clicked), credit="bought")
    rows = [row | {"click": row["bought"]} for row in drawn if row["query_id"] % 10]
    assert found.wins == by_hand(rows, "user")["wins"]
    revenue = [row | {"euros": 9.5 if row["bought"] else math.nan} for row in clicked]
    for form in (pd.DataFrame, pl.DataFrame):
        paid = rm.compare_interleaved(rm.read_log(form(revenue)), credit="euros")
        assert (paid.wins, paid.credits) == (found.wins, found.credits)


def test_a_coin_that_is_not_fair_takes_the_verdict() -> None:
    rows: Rows = []
    for issue in range(200):
        one = rm.interleave([*"123"], [*"456"], seed=0 if issue % 4 else 2)
        rows += shown(issue, one, [1])
    found = rm.compare_interleaved(log_of(rows))
    assert found.unfair
    assert found.headline.startswith("No verdict: at rank 1, 50 documents are of a and 150 of b")
    assert not rm.compare_interleaved(log_of(credited(60, 40, 25))).unfair


def test_an_aa_test_includes_0() -> None:
    random = np.random.default_rng(1)
    rows: Rows = []
    for issue in range(300):
        one = rm.interleave(*random.permutation(20).reshape(2, 10).tolist(), seed=issue)
        rows += shown(issue, one, [rank for rank in range(1, 6) if random.random() < 0.3])
    found = rm.compare_interleaved(log_of(rows), aa=True)
    assert found.headline.endswith("includes 0, as it should.")
    worse = [row | {"click": int(row["team"] == "ab"[row["query_id"] % 5 == 0])} for row in rows]
    found = rm.compare_interleaved(log_of(worse), aa=True)
    assert "does not include 0" in found.headline
    assert "says nothing" in str(rm.compare_interleaved(log_of(rows[:10]), aa=True))


def test_what_is_missing_is_named(golden: Rows) -> None:
    cases: list[tuple[Rows, Mapping[str, Any], str]] = [
        (without(golden, "team"), {}, "needs team"),
        (without(golden, "user"), {}, "needs user"),
        (without(golden, "rank_a"), {"method": "balanced"}, "needs rank_a"),
        (golden, {"credit": "bought"}, "needs bought"),
        (golden, {"credit": "doc"}, "doc is not numbers"),
        (golden, {"teams": ["a"]}, "there are 1 teams: a"),
        (without(golden, "team", team="a"), {}, "there are 1 teams: a"),
    ]
    for rows, options, message in cases:
        with pytest.raises(rm.InputError, match=message):
            rm.compare_interleaved(log_of(rows), **options)
    assert rm.compare_interleaved(log_of(without(golden, "user")), unit="issue").wins == 60
    without_rank = rm.compare_interleaved(log_of(without(golden, "rank")))
    assert (without_rank.wins, without_rank.teams_at_rank) == (60, ())


def test_named_teams_turn_the_sign(golden: Rows) -> None:
    found = rm.compare_interleaved(log_of(golden), teams=["b", "a"])
    assert (found.wins, found.losses, found.preference) == (40, 60, -0.08)


@pytest.mark.parametrize(
    ("teams", "told"), [(["a", "c"], "no document is of team 'c'; the log has 'a', 'b'"),
                        (["a", "a"], "there are 2 teams: a, a")],
)  # fmt: skip
def test_teams_that_the_log_cannot_compare_are_refused(
    golden: Rows, teams: list[str], told: str
) -> None:
    with pytest.raises(rm.InputError, match=told):
        rm.compare_interleaved(log_of(golden), teams=teams)


def test_an_issue_without_a_user_is_no_other_users(golden: Rows) -> None:
    rows = [row | {"user": None if row["query_id"] == 0 else row["query_id"] - 1} for row in golden]
    found = rm.compare_interleaved(log_of(rows))  # user 0 has issue 1, and nobody issue 0
    assert (found.wins, found.losses, found.ties) == (60, 40, 25)


def test_the_command_writes_the_result(golden: Rows, tmp_path: Any) -> None:
    path = tmp_path / "log.parquet"
    pd.DataFrame(golden).rename(columns={"user": "visitor"}).to_parquet(path)
    done = rankmark_here("interleaving", str(path), "--column", "user=visitor", "--format", "json")
    assert (done.returncode, done.stderr.count("\n")) == (0, done.stderr.count("\n"))
    assert json.loads(done.stdout)["wins"] == 60


LABELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"x": 1, "y": 2}, "q3": {"z": 1}}
OLD = {"q1": ["b", "c", "a"], "q2": ["x", "y", "w"], "q3": ["z"]}
NEW = {"q1": ["a", "c", "d"], "q2": ["y", "v", "x"], "q3": ["z"]}


def by_all_clicks(method: Any, click: Sequence[float], looks: Sequence[float] | None) -> Any:
    """Weigh every list that coins make, and every pattern of clicks on it."""
    won = lost = 0.0
    for query, labels in LABELS.items():
        for coins in product((0.25, 0.75), repeat=4):
            thrown = iter([coin > 0.5 for coin in coins])
            docs, teams = drafted(OLD[query], NEW[query], method, 3, thrown.__next__)
            for clicks in product((False, True), repeat=len(docs)):
                chance, going = 1 / 16 / len(LABELS), True
                for rank, (doc, is_clicked) in enumerate(zip(docs, clicks, strict=True)):
                    p = click[labels.get(doc, 0)] * (looks[rank] if looks else going)
                    chance *= p if is_clicked else 1 - p
                    going = going and not is_clicked
                gain = sum(
                    {"a": 1, "b": -1, None: 0}[team]
                    for team, is_clicked in zip(teams, clicks, strict=True)
                    if is_clicked
                )
                won, lost = won + chance * (gain > 0), lost + chance * (gain < 0)
    return won, lost


@pytest.mark.parametrize("looks", [None, [1.0, 0.5, 0.2]])
@pytest.mark.parametrize("method", ["team-draft", "competitive-pairs"])
def test_wins_are_those_of_all_lists_and_clicks(method: Any, looks: Any) -> None:
    click = [0.1, 0.4, 0.8]
    found = rm.interleaving_power(
        LABELS, OLD, NEW, method=method, click=click, examination=looks, k=3
    )
    assert (found.won, found.lost) == pytest.approx(by_all_clicks(method, click, looks), 1e-12)
    assert found.identical == 1


def test_so_many_issues_find_it_in_simulations() -> None:
    options: dict[str, Any] = {"click": [0.1, 0.4, 0.8], "examination": [1, 0.5, 0.2], "k": 3}
    found = rm.interleaving_power(LABELS, OLD, NEW, **options)
    n = found.required_issues
    assert n is not None
    random, queries = np.random.default_rng(2), [*LABELS]
    outcomes = []
    for seed in range(4000):  # searches, each with a list and clicks of its own
        query = queries[seed % 3]
        one = rm.interleave(OLD[query], NEW[query], k=3, seed=seed)
        looks = np.array(options["examination"][: len(one.docs)])
        labels = [LABELS[query].get(doc, 0) for doc in one.docs]
        clicked = random.random(len(looks)) < looks * np.array(options["click"])[labels]
        gain = sum({"a": 1, "b": -1}[str(team)] for team in np.array(one.teams)[clicked])
        outcomes.append(np.sign(gain))
    drawn = np.array(outcomes)
    for share, expected in ((drawn > 0).mean(), found.won), ((drawn < 0).mean(), found.lost):
        assert abs(share - expected) < 4 * math.sqrt(expected / len(drawn))
    wins, losses, _ = random.multinomial(
        n, [found.won, found.lost, 1 - found.won - found.lost], size=4000
    ).T
    p = np.array([2 * stats.binom.cdf(np.minimum(wins, losses), wins + losses, 0.5)])
    assert 0.78 < ((p <= 0.05) & (losses > wins)).mean() < 0.83


@pytest.mark.parametrize(("won", "lost", "n"), [(0.3, 0.1, 20), (0.6, 0.0, 12), (0.2, 0.1, 1)])
def test_the_power_of_the_sign_test_is_the_sum_over_all_outcomes(
    won: float, lost: float, n: int
) -> None:
    total = 0.0
    for wins in range(n + 1):
        for losses in range(n + 1 - wins):
            if wins > losses and stats.binomtest(wins, wins + losses).pvalue <= 0.05:
                chances = [won, lost, 1 - won - lost]
                total += stats.multinomial.pmf([wins, losses, n - wins - losses], n, chances)
    assert power_of_signs(won, lost, n, 0.05) == pytest.approx(total, abs=1e-12)


def test_the_power_goes_on_where_it_is_no_longer_exact() -> None:
    near = [power_of_signs(0.26, 0.24, n, 0.05) for n in (19_998, 20_002)]
    assert abs(near[0] - near[1]) < 0.01


def test_runs_that_nobody_can_tell_apart() -> None:
    found = rm.interleaving_power(LABELS, OLD, OLD)
    assert found.required_issues is None
    assert found.headline.startswith("Interleaving would not tell")
    for options, message in [
        ({"click": [0.1, 1.2]}, "click is"),
        ({"click": [0.1, 0.5]}, "no number for label 2"),
        ({"examination": [1, 0.5]}, "6 ranks"),
        ({"examination": [1.0, 0.0], "k": 2}, "examination is"),
        ({"examination": [1.0, math.nan], "k": 2}, "examination is"),
        ({"examination": {1: 1.0, 3: 0.5}, "k": 2}, "examination is of the ranks"),
        ({"power": 0.01}, "power is 0.01"),
    ]:
        with pytest.raises(rm.InputError, match=message):
            rm.interleaving_power(LABELS, OLD, NEW, **options)  # type: ignore[arg-type]
    with pytest.raises(rm.MismatchError, match="run a answers no judged query"):
        rm.interleaving_power({"other": {"a": 1}}, OLD, NEW)
    with pytest.raises(rm.MismatchError, match="run b answers no judged query"):
        rm.interleaving_power(LABELS, OLD, {f"{query} ": run for query, run in NEW.items()})


def test_labels_of_which_2_has_no_power_have_chances() -> None:
    labels = {"q": {"a": 2000, "b": 1998}}
    found = rm.interleaving_power(labels, {"q": ["a"]}, {"q": ["b"]}, k=1)
    assert (found.won, found.lost) == (0.5, 0.125)


def test_the_command_says_how_many_issues(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in (("q", LABELS), ("old", OLD), ("new", NEW)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    done = rankmark_here(
        *("interleaving-power", "q.json", "old.json", "new.json", "--click", "0.1,0.4,0.8"),
        *("--examination", "1,0.5,0.2", "--k", "3"),
    )
    found = rm.interleaving_power(
        LABELS, OLD, NEW, click=[0.1, 0.4, 0.8], examination=[1, 0.5, 0.2], k=3
    )
    assert (done.returncode, done.stdout.partition("\n")[0]) == (0, found.headline)
