"""Do offline differences predict online ones? Estimates by formula and by a slow reference."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import multivariate_normal, t

import rankmark as rm
from rankmark.statistics.errors_in_variables import Measured, relation
from unit.commands import rankmark_here, told

OFFLINE = [1.0, 2.0, -1.0, 3.0, 0.5, 4.0, -2.0, 1.5, 2.5, 0.0]
ONLINE = [0.8, 0.4, -0.9, 1.1, 0.6, 1.2, -0.2, 0.9, 1.9, 0.3]


def rows(measure: str = "nDCG@10", count: int = 10, **changed: Any) -> list[dict[str, Any]]:
    return [
        {
            **{"experiment": f"e{at}", "measure": measure, "offline": offline, "offline_se": 0.4},
            **{"online": online, "online_se": 0.2},
            **changed,
        }
        for at, (offline, online) in enumerate(zip(OFFLINE, ONLINE, strict=True))
    ][:count]


def drawn(n: int, seed: int) -> Measured:
    random = np.random.default_rng(seed)
    true = random.normal(0.5, 1.0, n)
    errors = random.uniform(0.2, 0.8, (2, n))
    online = 0.7 * true + random.normal(0.0, 0.4, n)
    x, y = np.array([true, online]) + errors * random.normal(size=(2, n))
    return Measured(x, y, *errors)


def likelihood(pairs: Measured, of_x: float, of_y: float, rho: float) -> float:
    """Return the restricted likelihood, pair by pair and with a matrix for all of them."""
    n = len(pairs.x)
    each = np.array([[of_x**2, rho * of_x * of_y], [rho * of_x * of_y, of_y**2]])
    whole = np.zeros((2 * n, 2 * n))
    for at in range(n):
        noise = np.diag([pairs.x_error[at] ** 2, pairs.y_error[at] ** 2])
        whole[2 * at : 2 * at + 2, 2 * at : 2 * at + 2] = each + noise
    values = np.column_stack([pairs.x, pairs.y]).ravel()
    design = np.tile(np.eye(2), (n, 1))
    inverse = np.linalg.inv(whole)
    of_means = design.T @ inverse @ design
    means = np.linalg.solve(of_means, design.T @ inverse @ values)
    found = multivariate_normal(design @ means, whole).logpdf(values)
    return float(found - np.linalg.slogdet(of_means)[1] / 2)


def test_equal_errors_give_the_moments_corrected_for_noise() -> None:
    x, y = np.array(OFFLINE), np.array(ONLINE)
    found = relation(
        Measured(x, y, np.full(10, 0.4), np.full(10, 0.2)), confidence=0.95, probability=0.8
    )
    (of_x, both), (_, of_y) = np.cov(x, y) - np.diag([0.16, 0.04])
    assert found.slope.estimate == pytest.approx(both / of_x, abs=1e-5)
    assert found.correlation.estimate == pytest.approx(both / math.sqrt(of_x * of_y), abs=1e-5)


def test_hardly_any_errors_give_the_usual_slope_and_correlation() -> None:
    pairs = drawn(12, 0)
    none = pairs._replace(x_error=np.full(12, 1e-6), y_error=np.full(12, 1e-6))
    found = relation(none, confidence=0.95, probability=0.8)
    assert found.slope.estimate == pytest.approx(np.polyfit(pairs.x, pairs.y, 1)[0], abs=1e-4)
    assert found.correlation.estimate == pytest.approx(
        np.corrcoef(pairs.x, pairs.y)[0, 1], abs=1e-4
    )


def test_estimate_and_interval_are_those_of_the_likelihood() -> None:
    pairs = drawn(9, 3)
    found = relation(pairs, confidence=0.9, probability=0.8)

    def best(rho: float | None) -> Any:
        def minus(given: Any) -> float:
            return -likelihood(
                pairs, abs(given[0]), abs(given[1]), given[2] if rho is None else rho
            )

        start = [0.8, 0.8, 0.5] if rho is None else [0.8, 0.8]
        bounds = [(0, 9), (0, 9), (-0.9999, 0.9999)][: len(start)]
        return minimize(minus, start, bounds=bounds)

    top = best(None)
    of_x, of_y, rho = top.x
    assert found.correlation.estimate == pytest.approx(rho, abs=0.01)
    assert found.slope.estimate == pytest.approx(rho * of_y / of_x, abs=0.02)
    fall = t.ppf(0.95, 7) ** 2 / 2
    assert best(found.correlation.low).fun - top.fun == pytest.approx(fall, abs=0.15)


def test_the_smallest_difference_is_where_a_gain_gets_as_likely_as_asked() -> None:
    pairs = Measured(
        np.array(OFFLINE * 6), np.array(ONLINE * 6), np.full(60, 0.4), np.full(60, 0.2)
    )
    found = relation(pairs, confidence=0.95, probability=0.8)
    (of_x, both), (_, of_y) = np.cov(pairs.x, pairs.y) - np.diag([0.16, 0.04])
    rise = both / (of_x + 0.16)  # by normal theory, as if variances were known
    spread = math.sqrt(of_y - rise * both)
    wanted = pairs.x.mean() + (0.8416 * spread - pairs.y.mean()) / rise
    assert found.smallest == pytest.approx(wanted, abs=0.1)


def test_signs_that_agree_are_counted_with_an_interval() -> None:
    (found,) = rm.compare_online_offline(rows(), resamples=100).measures
    assert (found.agreement, found.n) == (1.0, 10)  # nine, as one difference is 0
    assert found.agreement_low == pytest.approx(9 / (9 + 1.959964**2), abs=1e-6)


def test_intervals_stand_for_errors() -> None:
    given = [
        {name: value for name, value in row.items() if not name.endswith("_se")}
        | {f"{of}_{end}": row[of] + z * row[f"{of}_se"] for of in ("offline", "online")
           for end, z in (("low", -1.959963984540054), ("high", 1.959963984540054))}
        for row in rows()
    ]  # fmt: skip
    one, other = (rm.compare_online_offline(each, resamples=99) for each in (rows(), given))
    assert one.measures[0].slope == pytest.approx(other.measures[0].slope)


def test_the_best_of_many_is_not_believed_if_it_may_be_chance() -> None:
    random = np.random.default_rng(19)
    table = [row | {"offline": random.normal()} for name in range(9) for row in rows(f"m{name:02}")]
    found = rm.compare_online_offline(table, resamples=300)
    alone = rm.compare_online_offline(
        [row for row in table if row["measure"] == found.measures[0].measure], resamples=300
    )
    assert alone.measures[0].p < 0.05 < found.measures[0].p
    assert found.maybe_best == ()


def test_the_measure_that_predicts_is_told_from_one_that_does_not() -> None:
    noise = np.random.default_rng(5).normal(size=10)
    bad = [row | {"offline": one} for row, one in zip(rows("RR"), noise.tolist(), strict=True)]
    found = rm.compare_online_offline([*bad, *rows()], resamples=2000)
    assert found.maybe_best == ("nDCG@10",)
    assert found.headline == "nDCG@10 predicts best in 10 experiments"


def test_experiments_that_lack_a_measure_are_left_out_and_counted() -> None:
    found = rm.compare_online_offline([*rows(), *rows("RR")[1:]], resamples=99)
    assert found.left_out == 1
    assert len(found.experiments) == 9
    assert "left out: 1 experiment without all offline measures" in found.notes


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (rows(count=7), "there are 7 experiments"),
        ([*rows(), *rows("RR", 7)], "there are 7 experiments with all offline measures"),
        (rows(offline_se=0.0), "the error of offline of row 1 is 0"),
        (rows(online=math.nan), "online of row 1 is nan"),
        ([*rows(), *rows(count=1)], "experiment 'e0' appears twice for 'nDCG@10'"),
        ([*rows(), *rows("RR", online=9.0)], "online of row 11 is 9, and 0.8 for another measure"),
        (
            [{k: v for k, v in row.items() if k != "online_se"} for row in rows()],
            "the errors of the online differences are missing",
        ),
        ([{"offline": 1.0, "online": 2.0}] * 9, "none of its columns could be experiment"),
    ],
)
def test_what_cannot_be_told_is_refused(table: Any, message: str) -> None:
    with pytest.raises(rm.InputError, match=message):
        rm.compare_online_offline(table)


def test_noise_alone_has_no_slope() -> None:
    found = rm.compare_online_offline(rows(offline_se=9.0), resamples=99).measures[0]
    assert math.isnan(found.slope)
    assert math.isnan(found.correlation)
    assert found.undefined
    assert found.reason


def test_differences_that_are_all_alike_have_no_relation() -> None:
    found = rm.compare_online_offline(rows(offline=1.0), resamples=99)
    assert math.isnan(found.measures[0].p)
    assert math.isnan(found.measures[0].correlation)
    assert found.maybe_best == ()


def test_the_command_writes_what_python_does(tmp_path: Any) -> None:
    path = tmp_path / "past.csv"
    path.write_text(
        "test,offline,offline_se,online,online_se\n"
        + "".join(f"e{at},{a},0.4,{b},0.2\n" for at, (a, b) in enumerate(zip(OFFLINE, ONLINE)))  # noqa: B905
    )
    done = rankmark_here("online-offline", path, "--resamples", 99)
    assert done.stdout == rm.compare_online_offline(path, resamples=99).to_text() + "\n"
    few = tmp_path / "few.csv"
    few.write_text("".join(path.read_text().splitlines(keepends=True)[:5]))
    assert "need at least 8" in told(rankmark_here("online-offline", few))


@pytest.mark.parametrize("name", ["offline", "online_se"])
def test_numbers_whose_squares_are_too_large_are_refused(name: str) -> None:
    given = rows()
    given[3] |= {name: 1e200}
    with pytest.raises(rm.InputError, match=rf"{name} contains numbers beyond 1e\+100"):
        rm.compare_online_offline(given)


def test_an_interval_without_its_difference_is_refused() -> None:
    given = [
        {name: one for name, one in row.items() if name != "online_se"}
        | {"online_low": row["online"] - 0.4, "online_high": row["online"] + 0.4}
        for row in rows()
    ]
    assert rm.compare_online_offline(given).measures[0].n == 10
    given[2] |= {"online_low": 0.1, "online_high": 0.9}
    with pytest.raises(rm.SchemaError, match=r"row 3 is -0.9, which is not in its interval, \[0.1"):
        rm.compare_online_offline(given)
