"""A gate over a log: what to judge, in which order, and what the judgments so far decide."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import rankmark as rm
from rankmark.commands.app import app

QUERIES = [f"q{number}" for number in range(400)]
OLD = {query: ["a", "b", "c", "d"] for query in QUERIES}
SWAPPED = OLD | {query: ["b", "a", "c", "d"] for query in QUERIES[:60]}
LOSS = 1 - 1 / math.log2(3)  # of nDCG, where the only relevant document moves from rank 1 to 2
FIRST = {"a": 1}
SECOND = {"b": 1}


def plan(new=SWAPPED, *measures, **asked):
    asked = {"max_drop": 0.02, "seed": 7, **asked}
    return rm.plan_gate(OLD, new, *(measures or ("nDCG@10",)), **asked)


def judged(found, count, labels=FIRST):
    return dict.fromkeys([*found.to_judge][:count], labels)


def test_what_can_be_lost_follows_from_the_rankings():
    found = plan()
    (row,) = found.candidates[0].rows
    assert (row.queries, row.can_change) == (400, 60)
    assert row.largest_loss == pytest.approx(LOSS)
    assert row.mean_loss == pytest.approx(60 * LOSS / 400)
    by_formula = math.ceil(math.log(20) / -math.log1p(-0.02 / row.mean_loss))
    assert found.least <= by_formula  # which is that of draws with replacement
    assert found.planned == 2 * by_formula == len(found.to_judge)
    assert {*found.to_judge} <= {*QUERIES[:60]}
    assert all(documents == ("a", "b", "c", "d") for documents in found.to_judge.values())


def test_the_documents_of_both_rankings_are_judged_best_first():
    found = rm.plan_gate(
        {"q": ["a", "b", "c"]}, {"q": ["x", "a", "y"]}, "P@2", max_drop=0.1, seed=1
    )
    assert found.to_judge == {"q": ("a", "x", "b")}


def test_an_unchanged_run_passes_without_a_judgment():
    found = plan({query: [*ranking] for query, ranking in OLD.items()})
    assert (found.verdict, found.planned, found.to_judge) == ("holds", 0, {})
    result = rm.gate(None, OLD, OLD, plan=found)
    assert result.holds
    assert "whatever the judgments" in result.conditions[0].reason


@pytest.mark.parametrize("form", ["mapping", "file"])
def test_judgments_may_be_empty_where_nothing_is_judged_yet(form, tmp_path):
    (tmp_path / "qrels.txt").touch()
    qrels = {} if form == "mapping" else tmp_path / "qrels.txt"
    found = plan()
    result = rm.gate(qrels, OLD, SWAPPED, plan=found)
    assert (result.verdict, result.conditions[0].decision.n) == ("cannot tell", 0)
    assert "nothing is judged yet" in result.conditions[0].reason
    with pytest.raises(rm.InputError, match="no such file"):
        rm.gate(tmp_path / "none.txt", OLD, SWAPPED, plan=found)


def test_so_does_one_that_can_lose_at_most_the_margin():
    assert plan(max_drop=60 * LOSS / 400).verdict == "holds"
    assert plan(max_drop=60 * LOSS / 400 - 1e-6).verdict == "cannot tell"


def test_the_gate_decides_at_any_look():
    found = plan()
    verdicts = [
        rm.gate(judged(found, count) or None, OLD, SWAPPED, plan=found).verdict
        for count in range(found.planned + 1)
    ]
    # All lose: a drop is shown sooner or later, and never its absence.
    assert set(verdicts) == {"cannot tell", "does not hold"}
    assert verdicts == sorted(verdicts)
    gains = [
        rm.gate(judged(found, count, SECOND) or None, OLD, SWAPPED, plan=found).verdict
        for count in range(found.planned + 1)
    ]
    assert gains[0] == "cannot tell"
    assert gains[-1] == "holds"
    assert gains == sorted(gains)
    assert gains.index("holds") <= found.least


def test_queries_without_a_change_need_no_more_than_the_least():
    found = plan()
    none = judged(found, found.planned, {"z": 1})
    before = rm.gate({**none}, OLD, SWAPPED, plan=found)
    assert before.holds
    assert before.conditions[0].bounds.looks == found.least
    fewer = rm.gate(judged(found, found.least - 1, {"z": 1}), OLD, SWAPPED, plan=found)
    assert fewer.verdict == "cannot tell"
    assert fewer.conditions[0].more == 1
    following = [*found.to_judge][found.least - 1 :][:5]
    assert f"next in the order: {', '.join(following)}" in str(fewer)


def test_judgments_out_of_order_are_left_out_and_said():
    found = plan()
    ids = [*found.to_judge]
    some = dict.fromkeys([*ids[:3], ids[5], "q399", "elsewhere"], FIRST)
    result = rm.gate(some, OLD, SWAPPED, plan=found)
    assert result.conditions[0].decision.n == 3
    assert result.progress.out_of_order == (ids[5],)
    assert result.progress.elsewhere == 1
    assert f"left out: {ids[5]!r}; judge {ids[3]!r} first" in str(result)
    in_order = rm.gate(judged(found, 3), OLD, SWAPPED, plan=found)
    assert result.conditions[0].bounds == in_order.conditions[0].bounds


def test_the_order_depends_on_the_seed_and_the_ids_alone():
    found = plan()
    turned = rm.plan_gate(
        dict(reversed(OLD.items())),
        dict(reversed(SWAPPED.items())),
        "nDCG@10",
        max_drop=0.02,
        seed=7,
    )
    assert [*turned.to_judge] == [*found.to_judge]
    assert turned.candidates[0].digest == found.candidates[0].digest
    longer = {**OLD, "another": ["a"]}, {**SWAPPED, "another": ["a"]}
    assert [*rm.plan_gate(*longer, "nDCG@10", max_drop=0.02, seed=7).to_judge][:10] == [
        *found.to_judge
    ][:10]
    assert [*plan(seed=8).to_judge] != [*found.to_judge]
    assert plan(seed=None).seed != plan(seed=None).seed


def test_queries_that_can_lose_more_come_first_in_proportion():
    new = OLD | {query: ["b", "a", "c", "d"] for query in QUERIES[:40]}
    new |= {query: ["x", "y", "z", "d"] for query in QUERIES[40:80]}
    share = np.mean(
        [
            sum(int(query[1:]) >= 40 for query in [*plan(new, seed=seed, n=5).to_judge])
            for seed in range(40)
        ]
    )
    losses = LOSS, 1.0  # the discounts of the first three, over those of one to three
    assert share / 5 == pytest.approx(losses[1] / sum(losses), abs=0.1)


def test_other_runs_are_refused():
    found = plan()
    other = SWAPPED | {"q70": ["b", "a", "c", "d"]}
    with pytest.raises(rm.InputError, match="not those of the plan"):
        rm.gate(judged(found, 5), OLD, other, plan=found)
    with pytest.raises(rm.InputError, match="not those of the plan"):
        rm.gate(judged(found, 5), OLD, SWAPPED, plan=found, depth=1)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"max_drop": 0.1}, "max_drop"),
        ({"anytime": True}, "anytime"),
        ({"small_slices": "warn"}, "small_slices"),
        ({"unchanged": "pass"}, "unchanged"),
        ({"max_query_drop": 0.5}, "max_query_drop"),
        ({"reference": OLD}, "reference"),
    ],
)
def test_a_plan_has_decided_the_rest(options, name):
    found = plan()
    with pytest.raises(rm.InputError, match=f"{name} is given beside a plan"):
        rm.gate(judged(found, 5), OLD, SWAPPED, plan=found, **options)
    with pytest.raises(rm.InputError, match="conditions is given beside a plan"):
        rm.gate(judged(found, 5), OLD, SWAPPED, "nDCG@10", plan=found)


@pytest.mark.parametrize(
    "name",
    ["bpref", "infAP", "Judged@10", 'nDCG(ideal="retrieved")@10', "nDCG(judged_only=True)@10", "P"],
)
def test_measures_whose_loss_needs_judgments_are_refused(name):
    with pytest.raises(rm.MeasureError):
        plan(SWAPPED, name)


@pytest.mark.parametrize(
    "options",
    [{"ties": "mean"}, {"ties": "error"}, {"ties": "worst"}],
)
def test_rules_for_ties_without_an_order_are_refused(options):
    with pytest.raises(rm.InputError, match="depends on the order"):
        plan(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"judged_only": True},
        {"queries": "both"},
        {"no_relevant": "skip"},
        {"seen": {"q1": {"a": 1}}},
        {"profile": "ranx"},
    ],
)
def test_conventions_without_a_bound_are_refused(options):
    found = plan()
    with pytest.raises(rm.InputError, match="has no meaning for a plan"):
        rm.gate(judged(found, 5), OLD, SWAPPED, plan=found, **options)


def test_a_condensed_list_would_lose_what_its_rankings_do_not_show():
    """The counterexample: unjudged documents that are left out bring a loss into the first rank."""
    old, new = {"q": ["u", "a", "b"]}, {"q": ["u", "b", "a"]}
    found = rm.plan_gate(old, new, "P@1", max_drop=0.1, seed=0)
    assert found.verdict == "holds"
    qrels = {"q": {"a": 1, "b": 0}}
    lost = [rm.evaluate(qrels, run, "P@1", judged_only=True)["P@1"] for run in (old, new)]
    assert lost == [1.0, 0.0]
    with pytest.raises(rm.InputError, match="judged_only"):
        rm.gate(qrels, old, new, plan=found, judged_only=True)


def test_a_loss_beyond_the_bound_is_an_error():
    gain = {0.0: 0.0, 1.0: 1.0}
    found = plan(SWAPPED, rm.nDCG(gain=gain, k=10))
    assert rm.gate(judged(found, 12, SECOND), OLD, SWAPPED, plan=found).holds
    qrels = judged(found, 3, {"a": 1})
    result = rm.gate(qrels, OLD, SWAPPED, plan=found)
    assert result.conditions[0].largest.difference == pytest.approx(-LOSS)


def test_files_and_the_command(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, run in (("main.run", OLD), ("branch.run", SWAPPED)):
        lines = (
            f"{query} Q0 {document} {rank} {-rank} x\n"
            for query, ranking in run.items()
            for rank, document in enumerate(ranking, 1)
        )
        Path(name).write_text("".join(lines))
    call = ["plan-gate", "main.run", "branch.run", "--max-drop", "0.02", "--seed", "7"]
    made = CliRunner().invoke(
        app, [*call, "--format", "json", "-o", "plan.json", "--to-judge", "judge.csv"]
    )
    assert made.exit_code == 0, made.output
    found = plan()
    written = json.loads(Path("plan.json").read_text())
    assert written["candidates"][0]["digest"] == found.candidates[0].digest
    assert [one["query_id"] for one in written["candidates"][0]["order"]] == [*found.to_judge]
    rows = Path("judge.csv").read_text().splitlines()
    first = next(iter(found.to_judge))
    assert rows[:3] == ["query_id,doc_id,label", f"{first},a,", f"{first},b,"]
    unfilled = CliRunner().invoke(
        app, ["gate", "judge.csv", "main.run", "branch.run", "--plan", "plan.json"]
    )
    assert unfilled.exit_code == 1
    assert "label '' is not a number" in unfilled.stderr
    assert "judge " in CliRunner().invoke(app, call).stdout
    Path("qrels.txt").write_text("".join(f"{query} 0 b 1\n" for query in found.to_judge))
    decide = ["gate", "qrels.txt", "main.run", "branch.run", "--plan", "plan.json"]
    done = CliRunner().invoke(app, [*decide, "--record", "record.json"])
    assert done.exit_code == 0, done.output
    assert "the gate holds" in done.stdout
    again = CliRunner().invoke(app, ["verify", "record.json"])
    assert again.exit_code == 0, again.output
    result = rm.gate("qrels.txt", "main.run", "branch.run", plan="plan.json")
    assert (
        result.to_dict()["conditions"]
        == json.loads(CliRunner().invoke(app, [*decide, "--format", "json"]).stdout)["conditions"]
    )
    Path("branch.run").write_text(Path("main.run").read_text())
    refused = CliRunner().invoke(app, [*decide, "-m", "nDCG@10"])
    assert refused.exit_code == 2
    assert "those of the plan" in refused.stderr
    refused = CliRunner().invoke(app, decide)
    assert refused.exit_code == 1
    assert "make a new plan" in refused.stderr


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("{", "it is no JSON"),
        ("[]", "no plan of a gate"),
        ("{}", "no plan of a gate: it has no 'schema'"),
        ('{"schema": 2}', "its schema is 2"),
        ('{"schema": 1, "conditions": [{"measure": "nDCG@10"}]}', "no max_drop"),
        ('{"schema": 1, "conditions": 5}', "no plan of a gate"),
    ],
)
def test_files_that_are_no_plan(tmp_path, text, found):
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(rm.RankmarkError, match=found):
        rm.gate(None, OLD, SWAPPED, plan=path)


def test_candidates_share_the_error_and_have_their_own_orders():
    worse = OLD | {query: ["b", "a", "c", "d"] for query in QUERIES[100:200]}
    found = plan({"good": SWAPPED, "worse": worse})
    assert [one.name for one in found.candidates] == ["good", "worse"]
    single = plan().least
    assert found.candidates[0].least > single
    qrels = {query: SECOND if int(query[1:]) < 60 else FIRST for query in found.to_judge}
    result = rm.gate(qrels, OLD, {"good": SWAPPED, "worse": worse}, plan=found)
    assert result.passing == ("good",)
    assert result.conditions[0].decision.confidence == pytest.approx(0.975)
    assert result.candidates["worse"].verdict == "does not hold"
    assert all(not one.progress.out_of_order for one in result.candidates.values())
    with pytest.raises(rm.InputError, match="the plan has 2 candidates, and 1 are given"):
        rm.gate(qrels, OLD, SWAPPED, plan=found)


def test_slices_have_to_hold_too():
    by = {query: "rare" if number % 4 == 0 else "frequent" for number, query in enumerate(QUERIES)}
    found = plan(SWAPPED, "nDCG@10", by=by, max_drop=0.03)
    assert [one.condition.name for one in found.candidates[0].rows] == [
        *("nDCG@10", "nDCG@10, frequent", "nDCG@10, rare"),
    ]
    qrels = {query: FIRST if by[query] == "rare" else SECOND for query in found.to_judge}
    result = rm.gate(qrels, OLD, SWAPPED, plan=found, by=by)
    verdicts = {one.name: one.verdict for one in result.conditions}
    assert verdicts["nDCG@10, frequent"] == "holds"
    assert verdicts["nDCG@10, rare"] == "does not hold"
    rare = next(one for one in result.conditions if one.name.endswith("rare"))
    assert rare.decision.n == sum(by[query] == "rare" for query in found.to_judge)
    with pytest.raises(rm.InputError, match="the plan has slices"):
        rm.gate(qrels, OLD, SWAPPED, plan=found)


def test_relative_margins_and_improvements():
    found = plan(SWAPPED, max_drop="10%", n=60)
    qrels = {query: {"a": 1, "b": 1} for query in found.to_judge}
    result = rm.gate(qrels, OLD, SWAPPED, plan=found)
    decision = result.conditions[0].decision
    assert result.holds
    assert decision.relative_low > -0.1
    assert decision.baseline == pytest.approx(1.0, abs=0.3)
    assert "10%" in result.conditions[0].reason
    better = plan(SWAPPED, max_drop=None, require_better=True, n=60)
    gained = dict.fromkeys(better.to_judge, SECOND)
    assert rm.gate(gained, OLD, SWAPPED, plan=better).holds
    assert (
        rm.gate(
            qrels, OLD, SWAPPED, plan=plan(SWAPPED, max_drop=None, require_better=True, n=60)
        ).verdict
        == "cannot tell"
    )


@pytest.mark.parametrize("drop", [0.1, "10%"])
def test_a_drop_that_is_allowed_elsewhere_is_no_improvement(drop):
    """A condition that requires a gain may have inherited the margin of the others."""
    found = plan(SWAPPED, max_drop=drop, require_better=True, n=60)
    assert (found.verdict, found.planned) == ("cannot tell", 60)
    same = {query: {"z": 1} for query in found.to_judge}
    result = rm.gate(same, OLD, SWAPPED, plan=found)
    assert result.verdict == "cannot tell"
    assert result.conditions[0].needed == "> 0"
    usual = rm.gate(
        {query: {"a": 1, "b": 1} for query in QUERIES},
        *(OLD, SWAPPED, "nDCG@10"),
        max_drop=drop,
        require_better=True,
    )
    assert usual.verdict == "cannot tell"
    assert "nan" not in str(usual)


def test_weights_count_queries_by_their_traffic():
    weights = {query: 50.0 if number == 0 else 1.0 for number, query in enumerate(QUERIES)}
    new = OLD | {"q0": ["b", "a", "c", "d"]}
    plain = plan(new, max_drop=0.01)
    assert plain.verdict == "holds"
    heavy = plan(new, max_drop=0.01, weights=weights)
    assert heavy.verdict == "cannot tell"
    assert heavy.candidates[0].rows[0].mean_loss == pytest.approx(50 * LOSS / 449)
    assert heavy.candidates[0].weight_of(0) == pytest.approx(50 * LOSS)
    lost = rm.gate({"q0": FIRST}, OLD, new, plan=heavy, weights=weights)
    assert lost.verdict == "does not hold"
    assert lost.conditions[0].decision.difference == pytest.approx(-50 * LOSS / 449)
    with pytest.raises(rm.InputError, match="the plan has weights"):
        rm.gate({"q0": FIRST}, OLD, new, plan=heavy)


def test_repeated_runs_can_lose_the_mean_of_what_each_can():
    old, new = [rm.Run(OLD), rm.Run(OLD)], [rm.Run(OLD), rm.Run(SWAPPED)]
    found = rm.plan_gate(old, new, "nDCG@10", max_drop=0.02, seed=7)
    assert found.candidates[0].rows[0].mean_loss == pytest.approx(30 * LOSS / 400)
    qrels = dict.fromkeys(found.to_judge, FIRST)
    result = rm.gate(qrels, old, new, plan=found)
    assert result.conditions[0].largest.difference == pytest.approx(-LOSS / 2)


def test_the_claim_may_be_about_the_population():
    found = plan(claim="population", max_drop=0.04)
    assert found.least > plan(max_drop=0.04).least > 0
    assert {*found.to_judge} <= {*QUERIES[:60]}
    qrels = dict.fromkeys(found.to_judge, SECOND)
    result = rm.gate(qrels, OLD, SWAPPED, plan=found)
    assert "about the population" in result.to_text(verbose=True)
    assert result.conditions[0].decision.method == "bets on independent draws"
    assert math.isnan(result.conditions[0].decision.high)


def test_one_query_of_a_user_is_judged():
    users = {query: f"u{number // 4}" for number, query in enumerate(QUERIES)}
    found = plan(claim="population", clusters=users, n=50)
    drawn = [users[query] for query in found.to_judge]
    assert len(set(drawn)) == len(drawn) <= 15
    result = rm.gate(judged(found, 3), OLD, SWAPPED, plan=found, clusters=users)
    assert result.conditions[0].decision.n == 3
    with pytest.raises(rm.InputError, match="the plan has clusters"):
        rm.gate(judged(found, 3), OLD, SWAPPED, plan=found)
    with pytest.raises(rm.InputError, match="about the queries of the log"):
        plan(clusters=users)
    with pytest.raises(rm.InputError, match="leave one of the two out"):
        plan(claim="population", clusters=users, by=users)
    with pytest.raises(rm.InputError, match="as often as users ask them"):
        plan(claim="population", weights=dict.fromkeys(QUERIES, 1.0))


def test_unjudged_documents_can_turn_the_verdict():
    found = plan()
    partly = {query: {"b": 1} for query in found.to_judge}
    result = rm.gate(partly, OLD, SWAPPED, plan=found, bounds=True)
    assert result.holds
    assert result.conditions[0].could_be["unjudged"][0] != "holds"
    fully = {query: {"a": 0, "b": 1, "c": 0, "d": 0} for query in found.to_judge}
    assert rm.gate(fully, OLD, SWAPPED, plan=found, bounds=True).conditions[0].could_be == {}


def test_several_measures_share_one_order():
    found = plan(SWAPPED, {"nDCG@10": {"max_drop": 0.02}, "RR": {"max_drop": 0.05}, "P@1": 0.2})
    one = found.candidates[0]
    assert [row.condition.margin for row in one.rows] == [0.02, 0.05, 0.2]
    assert one.weight_of(0) == 1.0  # the largest, of P@1
    assert one.rows[2].least == 0  # 0.15 of P@1 can be lost
    qrels = {query: {"z": 1} for query in found.to_judge}
    result = rm.gate(qrels, OLD, SWAPPED, plan=found)
    assert [one.verdict for one in result.conditions] == ["holds"] * 3


def test_plans_say_when_they_cannot_be_enough():
    assert "cannot be enough" in str(plan(n=2))
    better = plan(max_drop=None, require_better=True)
    assert "if they gain enough" in str(better)
    everything = plan(OLD | {query: ["x", *"abc"] for query in QUERIES}, max_drop=0.005)
    assert everything.planned > 300
    assert "a plan helps little" in str(everything)
    assert "all queries that can lose anything are in the plan" in str(plan(n=60))
    small = plan(claim="population", max_drop=0.001)
    assert "too small for a claim about the population" in small.headline
    assert small.verdict == "cannot tell"


def test_a_plan_that_was_edited_is_refused(tmp_path):
    path = tmp_path / "plan.json"
    text = plan().to_json()
    path.write_text(text)
    assert rm.gate(None, OLD, SWAPPED, plan=path).verdict == "cannot tell"
    path.write_text(text.replace('"max_drop": 0.02', '"max_drop": 0.2'))
    with pytest.raises(rm.InputError, match="not those of the plan"):
        rm.gate(None, OLD, SWAPPED, plan=path)


def test_lists_that_are_missing_are_lost_wholly():
    new = {query: ranking for query, ranking in OLD.items() if query != "q5"}
    found = plan(new, max_drop=0.001)
    assert [*found.to_judge] == ["q5"]
    assert "new has no ranking for 1 query, which can lose everything" in found.notes
    assert found.candidates[0].rows[0].largest_loss == pytest.approx(1.0)
    alone = rm.gate({"q5": FIRST}, OLD, new, plan=found)
    assert (alone.verdict, alone.new_name) == ("does not hold", "new")
    both = rm.gate({"q5": FIRST, "q6": FIRST}, OLD, new, plan=found)
    assert both.conditions[0].bounds == alone.conditions[0].bounds
    with pytest.raises(rm.MismatchError):
        rm.gate({"elsewhere": FIRST}, OLD, new, plan=found)
    swapped = rm.plan_gate(new, OLD, "nDCG@10", max_drop=0.001, seed=1)
    assert swapped.verdict == "holds"


def test_how_often_a_log_at_the_margin_passes():
    """Through the whole of it: orders of a log of which a third of what can be lost is."""
    lost = {*QUERIES[:20]}
    qrels = {query: FIRST if query in lost else {"z": 1} for query in QUERIES[:60]}
    margin = 20 * LOSS / 400
    passed = 0
    for seed in range(25):
        found = plan(max_drop=margin, n=20, seed=seed)
        some = {query: qrels[query] for query in found.to_judge}
        passed += rm.gate(some, OLD, SWAPPED, plan=found).holds
    assert passed <= 5  # 5% and 3.4 standard errors of 25
