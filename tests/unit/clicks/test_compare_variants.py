"""Variants of an A/B test: golden figures, and when there is no verdict."""

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_ind

import rankmark as rm
from unit.clicks.online_logs import AFTER, BEFORE, CLICKS, VIEWS, log_of, of_users
from unit.commands import rankmark_here

pytest.importorskip("tea_tasting")


def two(
    a: tuple[list[int], list[int]], b: tuple[list[int], list[int]], extra: Any = ()
) -> list[dict[str, Any]]:
    return [*of_users(*a, "A", "a"), *of_users(*b, "B", "b"), *extra]


def counted(a: int, b: int) -> Any:
    """Give a log in which so many users saw each variant, with a click of some."""
    users = np.arange(a + b)
    return rm.read_log(
        {
            **{"query_id": users, "user": users, "doc": ["d"] * (a + b), "rank": [1] * (a + b)},
            **{"click": users % 3 == 0, "variant": ["A"] * a + ["B"] * b},
        }
    )


def test_golden_the_error_of_a_ratio_of_sums() -> None:
    views = [1 + at for at in VIEWS]
    found = rm.compare_variants(
        log_of(two((CLICKS, VIEWS), (CLICKS, views))), "ClickRate", baseline="A"
    )
    (row,) = found.differences
    assert row.baseline_mean == 0.3125
    assert row.baseline_se == pytest.approx(0.0719216900, abs=1e-10)
    assert row.difference_se == pytest.approx(math.hypot(row.se, row.baseline_se))
    assert row.difference == pytest.approx(10 / 38 - 0.3125)


def test_golden_cuped_leaves_a_fiftieth_of_the_variance() -> None:
    def log(clicks: list[int]) -> Any:
        return log_of(two((clicks, [10] * 8), (clicks, [10] * 8)))

    (row,) = rm.compare_variants(log(AFTER), "Clicks", baseline="A", before=log(BEFORE)).differences
    assert row.se**2 * 8 == pytest.approx(7.5535714286, abs=1e-9)
    assert row.difference_se**2 / 2 * 8 == pytest.approx(0.1482820976, abs=1e-9)
    assert row.variance_left == pytest.approx(0.0196307269, abs=1e-9)


def test_cuped_takes_the_pooled_theta_off_the_difference() -> None:
    others = [9, 1, 3, 2, 2, 5, 3, 1]
    after = log_of(two((AFTER, [10] * 8), (others, [10] * 8)))
    before = log_of(two((BEFORE, [10] * 8), (BEFORE[::-1], [10] * 8)))
    (row,) = rm.compare_variants(after, "Clicks", baseline="A", before=before).differences
    y, x = np.array([*AFTER, *others]), np.array([*BEFORE, *BEFORE[::-1]])
    adjusted = y - np.cov(x, y)[0, 1] / x.var(ddof=1) * (x - x.mean())
    wanted = ttest_ind(adjusted[8:], adjusted[:8], equal_var=False)
    assert row.difference == pytest.approx(adjusted[8:].mean() - adjusted[:8].mean())
    assert row.p == pytest.approx(wanted.pvalue)
    assert (row.low, row.high) == pytest.approx(tuple(wanted.confidence_interval()))


@pytest.mark.parametrize(
    ("numbers", "p"), [((5000, 5200), 0.0476703807), ((821588, 815482), 1.8218e-06)]
)
def test_golden_sample_ratio_mismatch(numbers: tuple[int, int], p: float) -> None:
    from rankmark.clicks.online.compare_variants import _mismatch

    chi2, found = _mismatch(np.array(numbers, dtype=float), np.array([0.5, 0.5]))
    assert found == pytest.approx(p, rel=1e-4 if p < 0.001 else 1e-9)
    assert chi2 == pytest.approx({5000: 3.9215686275, 821588: 22.7743688419}[numbers[0]], abs=1e-9)


def test_a_mismatch_blocks_the_verdict() -> None:
    found = rm.compare_variants(counted(60, 140), "CTR", baseline="A")
    assert found.is_blocked
    assert found.headline.startswith("no verdict: the numbers of units (A 60, B 140)")
    assert {found.verdict(row) for row in found.differences} == {"blocked"}
    planned = rm.compare_variants(
        counted(60, 140), "CTR", baseline="A", planned={"A": 0.3, "B": 0.7}
    )
    assert not planned.is_blocked


def test_users_in_two_variants_are_counted_and_left_out() -> None:
    rows = two((CLICKS, VIEWS), (CLICKS, VIEWS))
    crossed = [
        row | {"query_id": f"x{row['variant']}", "user": "x", "variant": variant}
        for variant, row in zip("AB", rows, strict=False)
    ]
    for at, row in enumerate(crossed):
        row["query_id"] = f"x{at}"
    one, other = (
        rm.compare_variants(log_of(each), "ClickRate", baseline="A")
        for each in (rows, [*rows, *crossed])
    )
    assert (one.crossover, other.crossover) == (0, 1)
    assert one.differences == other.differences
    assert "left out: 1 unit in several variants" in other.notes


def test_a_control_of_0_has_no_relative_difference() -> None:
    found = rm.compare_variants(
        log_of(two(([0] * 8, [4] * 8), ([2] * 4 + [1] * 4, [4] * 8))), "Clicks", baseline="A"
    )
    (row,) = found.differences
    assert math.isnan(row.relative)
    assert row.difference == 1.5
    assert row.undefined == "no relative difference, as A may be 0"
    assert found.verdict(row) == "more"


def test_a_variant_of_0_has_lost_everything() -> None:
    found = rm.compare_variants(
        log_of(two(([2] * 4 + [1] * 4, [4] * 8), ([0] * 8, [4] * 8))), "Clicks", baseline="A"
    )
    assert found.differences[0].relative == -1.0
    assert found.verdict(found.differences[0]) == "less"


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (([0] * 4, [4] * 4), ([0] * 4, [4] * 4), "all units of each variant are alike"),
        (([1], [4]), ([1, 2], [4, 4]), "B or A has fewer than 2 units"),
    ],
)
def test_what_has_no_spread_is_undefined(a: Any, b: Any, why: str) -> None:
    found = rm.compare_variants(log_of(two(a, b)), "Clicks", baseline="A")
    (row,) = found.differences
    assert row.undefined == why
    assert math.isnan(row.p)
    assert found.verdict(row) == "unknown"


def test_a_log_of_before_that_is_the_same_log_gives_nothing() -> None:
    log = log_of(two((CLICKS, VIEWS), (VIEWS, VIEWS)))
    (row,) = rm.compare_variants(log, "Clicks", baseline="A", before=log).differences
    assert row.undefined == "the log of before gives the values exactly, as if it were the same"
    assert math.isnan(row.p)


def test_less_is_better_where_a_measure_says_so() -> None:
    rows = two(([0] * 30 + [1] * 10, [3] * 40), ([1] * 38 + [0] * 2, [3] * 40))
    found = rm.compare_variants(log_of(rows), ["CTR", "Abandonment"], baseline="A")
    assert [found.verdict(row) for row in found.differences] == ["better", "better"]
    assert found.headline == "B is better than A by CTR; B is better than A by Abandonment"


def test_several_measures_and_variants_are_corrected_together() -> None:
    rows = [*two((CLICKS, VIEWS), (VIEWS, VIEWS)), *of_users([0] * 6, VIEWS, "C", "c")]
    found = rm.compare_variants(log_of(rows), ["CTR@3", "ClickRate"], baseline="A")
    assert [(row.measure, row.variant) for row in found.differences] == [
        ("CTR@3", "B"), ("CTR@3", "C"), ("ClickRate", "B"), ("ClickRate", "C"),
    ]  # fmt: skip
    known = [row for row in found.differences if not math.isnan(row.p)]
    assert min(row.adjusted_p for row in known) == pytest.approx(
        min(1.0, len(known) * min(row.p for row in known))
    )


def test_users_without_history_count_as_the_mean() -> None:
    after = log_of(two((AFTER, [10] * 8), (AFTER[::-1], [10] * 8)))
    seen = log_of([row for row in two((BEFORE, [10] * 8), (BEFORE, [10] * 8))
                   if row["user"] not in {"a7", "b0"}])  # fmt: skip
    (row,) = rm.compare_variants(after, "Clicks", baseline="A", before=seen).differences
    known = np.array([*BEFORE[:7], *BEFORE[1:]], dtype=float)
    x = np.array([*BEFORE[:7], known.mean(), known.mean(), *BEFORE[1:]])
    y = np.array([*AFTER, *AFTER[::-1]])
    adjusted = y - np.cov(x, y)[0, 1] / x.var(ddof=1) * (x - x.mean())
    assert row.difference == pytest.approx(adjusted[8:].mean() - adjusted[:8].mean())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "Z"}, "baseline is 'Z'; the log has A, B"),
        ({"planned": {"A": 1.0}}, "need a share above 0 for each of"),
        ({"planned": {"A": 1.0, "B": 0.0}}, "need a share above 0 for each of"),
        ({"unit": "session"}, "session"),
        ({"measures": "TimeToClick"}, "is a median"),
        (
            {"before": lambda: log_of(of_users([1], [2], prefix="other"))},
            "no user of the log is in",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(options: dict[str, Any], message: str) -> None:
    log = log_of(two((CLICKS, VIEWS), (CLICKS, VIEWS)))
    given = {name: each() if callable(each) else each for name, each in options.items()}
    measures = given.pop("measures", "CTR")
    with pytest.raises((rm.InputError, rm.MeasureError), match=message):
        rm.compare_variants(log, measures, **({"baseline": "A"} | given))


def test_issues_without_a_variant_are_refused_and_those_without_a_user_left_out() -> None:
    rows = two((CLICKS, VIEWS), (CLICKS, VIEWS))
    with pytest.raises(rm.InputError, match="1 issue of 12 without a variant"):
        rm.compare_variants(
            log_of([row | {"variant": None} if row["user"] == "a0" else row for row in rows]),
            "CTR",
            baseline="A",
        )
    found = rm.compare_variants(
        log_of([row | {"user": None} if row["user"] == "a0" else row for row in rows]),
        "CTR",
        baseline="A",
    )
    assert found.without_unit == 1
    assert [one.n for one in found.variants] == [5, 6]


def test_shares_planned_may_be_any_numbers() -> None:
    planned = {"A": np.int64(3), "B": np.float32(1)}
    found = rm.compare_variants(counted(30, 10), "CTR", baseline="A", planned=planned)
    assert [one.planned for one in found.variants] == [0.75, 0.25]


@pytest.mark.parametrize("planned", [{"A": math.inf, "B": 1}, {"A": 1, "B": True}, {"A": 1}])
def test_shares_planned_that_are_none_are_refused(planned: Any) -> None:
    with pytest.raises(rm.InputError, match="need a share above 0 for each of 'A', 'B'"):
        rm.compare_variants(counted(3, 3), "CTR", baseline="A", planned=planned)


def test_a_share_planned_twice_is_refused() -> None:
    log = rm.read_log(
        {"query_id": [1, 2], "user": [1, 2], "doc": "dd", "click": [0, 1], "variant": [1, 2]}
    )
    with pytest.raises(rm.InputError, match="need a share above 0 for each of '1', '2'"):
        rm.compare_variants(log, "CTR", baseline="1", planned={1: 1, "1": 3, 2: 1})  # type: ignore[dict-item]


def test_units_that_are_all_in_several_variants_are_refused() -> None:
    log = rm.read_log(
        {"query_id": [1, 2], "user": [1, 1], "doc": "dd", "click": [0, 1], "variant": [*"AB"]}
    )
    with pytest.raises(rm.InputError, match="each user is in several variants"):
        rm.compare_variants(log, "CTR", baseline="A")


def test_one_variant_is_refused() -> None:
    with pytest.raises(rm.InputError, match="there is one variant"):
        rm.compare_variants(log_of(of_users(CLICKS, VIEWS)), "CTR", baseline="A")


def test_the_command_writes_what_python_does(tmp_path: Any) -> None:
    path, before = tmp_path / "log.csv", tmp_path / "before.csv"
    for file, seed in ((path, 1), (before, 2)):
        columns = rm.example_log(80, seed=seed).columns
        lines = zip(*columns.values(), strict=True)
        text = [",".join("" if cell is None else str(cell) for cell in line) for line in lines]
        file.write_text("\n".join([",".join(columns), *text]) + "\n")
    measures = ["CTR@3", "ClickRate"]
    words = ["--baseline", "A", "-m", "CTR@3", "-m", "ClickRate", "--before", before]
    done = rankmark_here("variants", path, *words, "--planned", "A=1", "--planned", "B=1")
    wanted = rm.compare_variants(
        rm.read_log(path), measures, baseline="A", before=rm.read_log(before)
    )
    assert done.stdout == wanted.to_text() + "\n"
    done = rankmark_here("online", path, "-m", "CTR@3,5", "--format", "json")
    assert json.loads(done.stdout)["scores"] == rm.online(rm.read_log(path), "CTR@3,5").means
