"""Methods of fusion, a family in each file: a formula over Ballots, its parameters and source."""

from rankmark.verbs.fuse.method import Method
from rankmark.verbs.fuse.methods.borda import BORDA
from rankmark.verbs.fuse.methods.comb import (
    COMB_ANZ,
    COMB_GMNZ,
    COMB_MAX,
    COMB_MED,
    COMB_MIN,
    COMB_MNZ,
    COMB_SUM,
)
from rankmark.verbs.fuse.methods.condorcet import CONDORCET
from rankmark.verbs.fuse.methods.isr import ISR, LOG_ISR, LOG_N_ISR
from rankmark.verbs.fuse.methods.rbc import RBC
from rankmark.verbs.fuse.methods.rrf import RRF
from rankmark.verbs.fuse.methods.weighted_means import (
    ARITHMETIC_MEAN,
    GEOMETRIC_MEAN,
    HARMONIC_MEAN,
)
from rankmark.verbs.fuse.methods.wsum import MIXED, WMNZ, WSUM

ALL: tuple[Method, ...] = (
    RRF,
    WSUM,
    COMB_SUM,
    COMB_MNZ,
    COMB_ANZ,
    COMB_GMNZ,
    COMB_MAX,
    COMB_MIN,
    COMB_MED,
    WMNZ,
    MIXED,
    ARITHMETIC_MEAN,
    GEOMETRIC_MEAN,
    HARMONIC_MEAN,
    ISR,
    LOG_ISR,
    LOG_N_ISR,
    BORDA,
    RBC,
    CONDORCET,
)
"""All methods, those to try first before others."""
