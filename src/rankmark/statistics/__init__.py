"""Statistics over arrays of scores, one per query: tests, intervals, corrections, power.

Nothing here knows what the scores measure. A difference is the other system's score minus the
baseline's; a NaN score means that the query has none, and results say how many were left out. An
undefined number is NaN, and ``undefined`` gives the reason.
"""

from rankmark.statistics.bootstrap_max_t import BootstrapMaxT, bootstrap_max_t
from rankmark.statistics.confidence_intervals import Interval, mean_interval, mean_intervals
from rankmark.statistics.confidence_sequences import (
    ConfidenceSequence,
    confidence_sequence,
    error_after_looks,
)
from rankmark.statistics.effect_sizes import EffectSize, effect_size, effect_sizes
from rankmark.statistics.letters import letters
from rankmark.statistics.max_t import MaxT, max_t
from rankmark.statistics.mean_tests import bootstrap_test, bootstrap_tests, t_test
from rankmark.statistics.multiple_comparisons import Adjusted, Ends, adjust, simultaneous_ends
from rankmark.statistics.paired_test import PairedTest
from rankmark.statistics.power import (
    Power,
    detectable_difference,
    power_of_t,
    required_queries,
    simulated_power,
    simulated_queries,
)
from rankmark.statistics.randomisation import (
    randomisation_test,
    randomisation_tests,
    randomise_pairs,
)
from rankmark.statistics.rank_tests import sign_test, wilcoxon_test
from rankmark.statistics.relative_differences import relative_interval, relative_intervals
from rankmark.statistics.reweighting import lower_bound, queries_if_unchanged, smallest_margin
from rankmark.statistics.shares import share_difference_interval, share_interval
from rankmark.statistics.tukey import Anova, Tukey, anova, randomised_tukey, tukey

__all__ = [
    "Adjusted",
    "Anova",
    "BootstrapMaxT",
    "ConfidenceSequence",
    "EffectSize",
    "Ends",
    "Interval",
    "MaxT",
    "PairedTest",
    "Power",
    "Tukey",
    "adjust",
    "anova",
    "bootstrap_max_t",
    "bootstrap_test",
    "bootstrap_tests",
    "confidence_sequence",
    "detectable_difference",
    "effect_size",
    "effect_sizes",
    "error_after_looks",
    "letters",
    "lower_bound",
    "max_t",
    "mean_interval",
    "mean_intervals",
    "power_of_t",
    "queries_if_unchanged",
    "randomisation_test",
    "randomisation_tests",
    "randomise_pairs",
    "randomised_tukey",
    "relative_interval",
    "relative_intervals",
    "required_queries",
    "share_difference_interval",
    "share_interval",
    "sign_test",
    "simulated_power",
    "simulated_queries",
    "simultaneous_ends",
    "smallest_margin",
    "t_test",
    "tukey",
    "wilcoxon_test",
]
