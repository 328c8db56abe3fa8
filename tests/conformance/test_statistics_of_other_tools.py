"""Statistics are those of pingouin, autorank and ranx where these compute the same.

The tools bring much with them, so they are not installed for the tests: what is missing is skipped.
"""

import warnings
from types import ModuleType

import numpy as np
import pytest
from scipy import stats

from rankmark.statistics import (
    adjust,
    anova,
    effect_size,
    mean_interval,
    power_of_t,
    randomisation_test,
    t_test,
    tukey,
    wilcoxon_test,
)

RNG = np.random.default_rng(3)
BASELINE, OTHER = RNG.random((2, 40)) + np.array([[0.0], [0.05]])
HARD = RNG.random((20, 1))
SYSTEMS = HARD + RNG.normal([0.0, 0.02, 0.05, 0.1], 0.1, (20, 4))


def tool(name: str) -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: ModuleType = pytest.importorskip(name)
    return found


def long_frame():
    pandas = tool("pandas")
    frame = pandas.DataFrame(SYSTEMS).melt(ignore_index=False).reset_index()
    frame.columns = ["query", "system", "score"]
    return frame


@pytest.mark.filterwarnings("ignore")
def test_pingouin_tests_two_systems_alike() -> None:
    pingouin = tool("pingouin")
    theirs = pingouin.ttest(OTHER, BASELINE, paired=True).iloc[0]
    ours = t_test(BASELINE, OTHER)
    assert (ours.statistic, ours.p) == pytest.approx((theirs["T"], theirs["p_val"]))
    interval = mean_interval(OTHER - BASELINE, method="t")
    assert (interval.low, interval.high) == pytest.approx(tuple(theirs["CI95"]), abs=0.006)
    effect = effect_size(BASELINE, OTHER)
    assert effect.d_av == pytest.approx(theirs["cohen_d"])
    power = pingouin.power_ttest(d=0.4, n=30, contrast="paired")
    assert power_of_t(0.4, 1.0, 30).power == pytest.approx(power)


@pytest.mark.filterwarnings("ignore")
def test_pingouins_wilcoxon_counts_signs_of_up_to_50_differences_and_corrects_beyond() -> None:
    pingouin = tool("pingouin")
    few = pingouin.wilcoxon(OTHER[:15], BASELINE[:15]).iloc[0]
    assert wilcoxon_test(BASELINE[:15], OTHER[:15]).p == pytest.approx(few["p_val"])
    some = pingouin.wilcoxon(OTHER, BASELINE).iloc[0]
    assert effect_size(BASELINE, OTHER).cliffs_delta == pytest.approx(2 * some["CLES"] - 1)
    assert wilcoxon_test(BASELINE, OTHER).p == pytest.approx(some["p_val"], abs=0.005)
    first, second = RNG.random((2, 80))
    many = pingouin.wilcoxon(second, first).iloc[0]
    corrected = stats.wilcoxon(second, first, method="approx", correction=True).pvalue
    assert many["p_val"] == pytest.approx(corrected)
    assert 0.99 * corrected < wilcoxon_test(first, second).p < corrected


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [("holm", "holm"), ("bonf", "bonferroni"), ("fdr_bh", "bh"), ("fdr_by", "by")],
)
def test_pingouin_corrects_alike(theirs, ours) -> None:
    p = RNG.random(9) ** 3
    assert adjust(p, ours).adjusted == pytest.approx(
        tool("pingouin").multicomp(p, method=theirs)[1]
    )


@pytest.mark.filterwarnings("ignore")
def test_pingouin_analyses_variance_alike_but_takes_tukeys_groups_as_independent() -> None:
    pingouin = tool("pingouin")
    frame = long_frame()
    theirs = pingouin.rm_anova(
        data=frame, dv="score", within="system", subject="query", detailed=True
    )
    ours = anova(SYSTEMS)
    assert (ours.f, ours.p) == pytest.approx((theirs["F"].iloc[0], theirs["p_unc"].iloc[0]))
    assert (ours.systems, ours.residual) == pytest.approx(tuple(theirs["SS"]))
    independent = pingouin.pairwise_tukey(data=frame, dv="score", between="system")
    assert (independent["p_tukey"].to_numpy() > tukey(SYSTEMS).adjusted[:, 0]).all()


@pytest.mark.filterwarnings("ignore")
def test_autorank_finds_the_same_where_it_takes_the_t_test() -> None:
    autorank, pandas = tool("autorank"), tool("pandas")
    rng = np.random.default_rng(0)
    baseline = rng.normal(0.4, 0.1, 30)
    other = baseline + rng.normal(0.03, 0.05, 30)
    found = autorank.autorank(pandas.DataFrame({"baseline": baseline, "other": other}))
    assert found.omnibus == "ttest"
    assert t_test(baseline, other).p == pytest.approx(found.pvalue)


@pytest.mark.filterwarnings("ignore")
def test_ranx_finds_the_same_but_for_its_permutations_and_its_tukey() -> None:
    tool("ranx")
    theirs = tool("ranx.statistical_tests")
    p, _ = theirs.paired_student_t_test(BASELINE, OTHER)
    assert t_test(BASELINE, OTHER).p == pytest.approx(p)
    p, _ = theirs.fisher_randomization_test(BASELINE, OTHER, n_permutations=20_000)
    ours = randomisation_test(BASELINE, OTHER).p
    assert ours == pytest.approx(p, abs=5 * (ours * (1 - ours) / 20_000) ** 0.5)
    names = list("abcd")
    rows = theirs.tukey_hsd_test(names, list(SYSTEMS.T), max_p=0.05)
    independent = {(row["control"], row["treatment"]): row["p-value"] for row in rows}
    found = tukey(SYSTEMS)
    for (first, second), paired in zip(found.pairs, found.adjusted[:, 0], strict=True):
        assert independent[names[first], names[second]] > paired
