"""Gaps between groups of users: evaluated, compared and gated."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rankmark as rm
from rankmark.measures.of_runs.gap import gap_by_chance, gap_of
from rankmark.scoring.run_values import Jackknifed
from unit.commands import rankmark_here

RUN = {
    "u1": ["c", "d", "e"],
    "u2": ["b", "d", "e"],
    "u3": ["d", "c", "e"],
    "u4": ["b", "c", "e"],
    "u5": ["a", "d", "e"],
}
OTHER = {user: items[::-1] for user, items in RUN.items()}
QRELS = {"u1": ["c"], "u2": ["b", "e"], "u3": ["e"], "u4": ["c"], "u5": ["d"]}
GROUPS: dict[str, Any] = {"u1": "A", "u2": "A", "u3": "B", "u4": "B", "u5": "B"}
GAP = 'Gap(of="nDCG@3")'


def values(run: Any) -> Any:
    found = rm.evaluate(QRELS, run, "nDCG@3").scores[:, 0]
    return found[:2], found[2:]


def test_the_gap_of_two_groups_has_the_known_interval_and_test() -> None:
    ev = rm.evaluate(QRELS, RUN, GAP, user_groups=GROUPS)
    row = ev.of_run[GAP]
    assert [row.value, row.low, row.high] == pytest.approx([0.372574, 0.176148, 0.569], abs=2e-6)
    known = Jackknifed.of(*next(iter(ev.left_out.values())))
    assert (known.value / known.error, known.freedom, known.p) == pytest.approx(
        (6.2834, 2.8032, 0.009930), abs=1e-4
    )
    welch = stats.ttest_ind(*values(RUN), equal_var=False)
    assert (known.p, known.freedom) == pytest.approx((welch.pvalue, welch.df), rel=1e-12)
    assert ev.names == ["nDCG@3"]
    assert "A 0.9599 (2 users), B 0.5873 (3 users); p 0.0099 (Welch's t)" in ev.list_notes[0]


def test_systems_are_compared_by_the_differences_of_users() -> None:
    better = {**RUN, "u2": ["b", "e", "d"], "u4": ["c", "b", "e"]}  # B stays worse
    compared = rm.compare(QRELS, {"a": RUN, "b": better}, ["nDCG@3", GAP], user_groups=GROUPS)
    (row,) = compared.of_run
    changes = [after - before for before, after in zip(values(RUN), values(better), strict=True)]
    welch = stats.ttest_ind(*changes, equal_var=False)
    ends = welch.confidence_interval()
    assert (row.difference, row.low, row.high, row.p) == pytest.approx(
        (changes[0].mean() - changes[1].mean(), ends.low, ends.high, welch.pvalue), rel=1e-9
    )
    assert not row.more_is_better
    gated = rm.gate(QRELS, RUN, OTHER, GAP, max_drop=0.05, user_groups=GROUPS)
    assert [one.verdict for one in gated.conditions] == ["holds"]
    back = rm.gate(QRELS, OTHER, RUN, GAP, max_drop=0.05, user_groups=GROUPS)
    assert back.conditions[0].verdict == "does not hold"


def test_leaving_each_user_out_gives_what_the_others_give() -> None:
    drawn = np.random.default_rng(1)
    scores, group = drawn.random(30), drawn.integers(0, 4, 30)
    found = gap_of(scores, group)
    for user in range(30):
        kept = np.arange(30) != user
        assert gap_of(scores[kept], group[kept]).value == pytest.approx(found.without[user])
    assert gap_by_chance(scores, group).mean() > 0.05  # there is no difference of groups


def test_many_groups_and_users_without_one_are_told() -> None:
    groups = {**GROUPS, "u4": "C", "u5": None}
    ev = rm.evaluate(QRELS, RUN, ["nDCG@3", GAP], user_groups=groups)
    assert ev[GAP] == pytest.approx(values(RUN)[0].mean() - 0.5)
    assert ev.of_run[GAP].undefined == "a group has one user"
    (note,) = ev.list_notes
    assert "3 groups, best and worst A 0.9599 (2 users), B 0.5000 (1 user)" in note
    assert "(permutation)" in note
    assert note.endswith("1 user without a group or a value, in no mean of it")


def test_columns_files_and_the_command(tmp_path: Path) -> None:
    table = pd.DataFrame({"user": [*GROUPS], "sex": [*GROUPS.values()], "age": [*"xyxyx"]})
    path = tmp_path / "users.csv"
    table.to_csv(path, index=False)
    named = 'Gap(of="nDCG@3", by="sex")'
    wanted = rm.evaluate(QRELS, RUN, GAP, user_groups=GROUPS)[GAP]
    for given in (table, path):
        assert rm.evaluate(QRELS, RUN, named, user_groups=given)[named] == wanted
    judged = pd.DataFrame(
        [(user, item, 1, GROUPS[user]) for user, items in QRELS.items() for item in items],
        columns=["user_id", "item_id", "label", "sex"],
    )
    assert rm.evaluate(judged, RUN, GAP, user_groups="sex")[GAP] == wanted
    judged.to_csv(tmp_path / "q.csv", index=False)
    (tmp_path / "r.json").write_text(json.dumps(RUN))
    files = tmp_path / "q.csv", tmp_path / "r.json"
    for option in ("sex", path):
        measure = named if option is path else GAP
        shown = rankmark_here("evaluate", *files, "-m", measure, "--user-groups", option)
        assert f"{wanted:.4f}" in shown.stdout, shown.stderr


@pytest.mark.parametrize(
    ("measure", "groups", "told"),
    [
        (GAP, None, "needs groups of users"),
        ("nDCG@3", GROUPS, "user_groups is given, and no measure needs it"),
        (GAP, dict.fromkeys(GROUPS, "A"), "in 1 group; give two"),
        (GAP, {"x": "A"}, "has no value"),
        ("Gap", GROUPS, "does not say what it is of"),
        ('Gap(of="NumRel")', GROUPS, "NumRel is no mean over users"),
        ('Gap(of="nDCG@3", by="age")', GROUPS, "does not name one of the columns"),
    ],
)
def test_what_is_missing_is_refused(measure: str, groups: Any, told: str) -> None:
    with pytest.raises(rm.RankmarkError, match=told):
        rm.evaluate(QRELS, RUN, measure, user_groups=groups)


def test_no_query_has_a_gap() -> None:
    ev = rm.evaluate(QRELS, RUN, GAP, user_groups=GROUPS)
    with pytest.raises(rm.MeasureError, match="one number of all users together"):
        ev.per_query(GAP)
    with pytest.raises(rm.MeasureError, match="which no query has by itself"):
        rm.power(QRELS, RUN, OTHER, GAP, user_groups=GROUPS)


def test_the_measure_of_a_gap_keeps_its_own_rule_for_ties() -> None:
    qrels = {"u1": {"a": 1}, "u2": {"a": 1}, "u3": {"b": 1}, "u4": {"b": 1}}
    run = {user: {"a": 1.0, "b": 1.0} for user in qrels}
    groups = {"u1": "A", "u2": "A", "u3": "B", "u4": "B"}
    gap = """Gap(of='nDCG(ties="mean")@2')"""
    ev = rm.evaluate(qrels, run, [gap, 'Gap(of="nDCG@2")'], user_groups=groups)
    assert ev[gap] == 0
    assert ev['Gap(of="nDCG@2")'] == pytest.approx(1 - 1 / np.log2(3))


def test_a_gap_has_the_bounds_of_the_measure() -> None:
    assert rm.measure('Gap(of="nDCG@3")').bounds == (0, 1)
    assert rm.measure('Gap(of="MIUF@3")').bounds == (0, np.inf)
