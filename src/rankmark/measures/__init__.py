"""The measures, imported when they are first used, since there are many; most have a file each.

``rankmark.measures()`` lists them: the package can be called.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from rankmark.measures.base.measure import Measure as Measure

MODULES = {
    "P": "p", "R": "r", "F": "f", "Success": "success", "AllRelevant": "all_relevant",
    "Rprec": "rprec", "IPrec": "iprec", "RecallAtPrecision": "recall_at_precision",
    "Utility": "utility", "RR": "rr", "AP": "ap", "infAP": "infap", "yaAP": "yaap",
    "Bpref": "bpref", "CG": "cg", "NCG": "ncg", "DCG": "dcg", "UDCG": "udcg", "nDCG": "ndcg",
    "nDCGrel": "ndcg_rel", "Rndcg": "rndcg", "G": "g", "binG": "bing", "Q": "q",
    "OMeasure": "o_measure", "PMeasure": "p_measure", "PPlus": "p_plus", "NCU": "ncu", "RBP": "rbp",
    "RBPResidual": "rbp_residual", "ERR": "err", "nERR": "nerr", "PFound": "pfound",
    "INST": "inst",
    "INSQ": "user_models", "SDCG": "user_models", "BPM": "bpm", "NERR8": "user_models",
    "NERR9": "user_models", "NERR10": "user_models", "NERR11": "user_models", "TBG": "tbg",
    "U": "u", "Compat": "compat", "AUC": "auc", "OPA": "opa", "Prefs": "prefs",
    "NumPrefs": "num_prefs", "RankingLoss": "ranking_loss", "CoverageError": "coverage_error",
    "MeanRank": "mean_rank", "AMR": "amr", "AMRI": "amri", "FallOut": "fall_out",
    "Judged": "judged", "WSS": "wss", "RecallArea": "recall_area", "alpha_DCG": "alpha_ndcg",
    "alpha_nDCG": "alpha_ndcg", "ERR_IA": "intent_aware", "nERR_IA": "intent_aware",
    "NRBP": "nrbp", "nNRBP": "nrbp", "AP_IA": "intent_aware", "P_IA": "intent_aware",
    "StRecall": "strecall", "AllGroups": "all_groups", "Unjudged": "judged", "Hole": "judged",
    "NumQ": "counts", "NumRet": "counts", "NumRel": "counts", "NumRelRet": "counts",
    "NumNonrelJudgedRet": "counts",
}  # fmt: skip
"""The module of each measure by judgments, in the order in which measures are listed."""
OF_LISTS = {
    "ItemCoverage": "of_runs.item_coverage", "UserCoverage": "of_runs.user_coverage",
    "Gini": "of_runs.gini", "Entropy": "of_runs.entropy", "HHI": "of_runs.hhi",
    "Personalization": "of_runs.personalization", "Gap": "of_runs.gap",
    "PopularityLift": "of_runs.popularity_lift",
    "GroupRates": "of_runs.group_rates", "ExpectedExposure": "of_runs.expected_exposure",
    "MIUF": "of_lists.miuf", "EPC": "of_lists.epc", "ARP": "of_lists.arp",
    "TailShare": "of_lists.tail_share", "ILD": "of_lists.ild",
    "CategoryCoverage": "of_lists.category_coverage",
    "CategoryEntropy": "of_lists.category_entropy",
    "Unexpectedness": "of_lists.unexpectedness", "Serendipity": "of_lists.serendipity",
    "Miscalibration": "of_lists.miscalibration",
    "GroupExposure": "of_lists.group_exposure", "AWRF": "of_lists.awrf",
    "Skew": "of_lists.skew", "NDKL": "of_lists.ndkl", "rND": "of_lists.rnd",
    "Cost": "of_lists.cost", "CostUntil": "of_lists.cost_until",
}  # fmt: skip
"""The modules of measures of lists and of runs, which need more than judgments."""
OF_SAMPLES = {"Corrected": "sampled_negatives", "Sampled": "sampled_negatives"}
"""The modules of measures that need to know how lists were sampled."""
NAMED = MODULES | OF_LISTS | OF_SAMPLES
"""The module of every measure."""
_MODULES = NAMED | {"DEFAULT": "default"}

if TYPE_CHECKING:
    from rankmark.measures.measure_list import Measures


class _Callable(ModuleType):
    """A package that can be called, and lists its measures."""

    def __call__(self) -> "Measures":
        """Return all measures, in the order in which they are listed."""
        from rankmark.measures.measure_list import Measures  # noqa: PLC0415

        return Measures(self.EVERY)

    def __dir__(self) -> list[str]:
        return sorted(["ALL", "DEFAULT", "EVERY", "Measure", *NAMED])


sys.modules[__name__].__class__ = _Callable

if TYPE_CHECKING:
    from rankmark.measures.all_groups import AllGroups as AllGroups
    from rankmark.measures.all_relevant import AllRelevant as AllRelevant
    from rankmark.measures.alpha_ndcg import alpha_DCG as alpha_DCG
    from rankmark.measures.alpha_ndcg import alpha_nDCG as alpha_nDCG
    from rankmark.measures.amr import AMR as AMR
    from rankmark.measures.amri import AMRI as AMRI
    from rankmark.measures.ap import AP as AP
    from rankmark.measures.auc import AUC as AUC
    from rankmark.measures.bing import binG as binG
    from rankmark.measures.bpm import BPM as BPM
    from rankmark.measures.bpref import Bpref as Bpref
    from rankmark.measures.cg import CG as CG
    from rankmark.measures.compat import Compat as Compat
    from rankmark.measures.counts import NumNonrelJudgedRet as NumNonrelJudgedRet
    from rankmark.measures.counts import NumQ as NumQ
    from rankmark.measures.counts import NumRel as NumRel
    from rankmark.measures.counts import NumRelRet as NumRelRet
    from rankmark.measures.counts import NumRet as NumRet
    from rankmark.measures.coverage_error import CoverageError as CoverageError
    from rankmark.measures.dcg import DCG as DCG
    from rankmark.measures.default import DEFAULT as DEFAULT
    from rankmark.measures.err import ERR as ERR
    from rankmark.measures.f import F as F
    from rankmark.measures.fall_out import FallOut as FallOut
    from rankmark.measures.g import G as G
    from rankmark.measures.infap import infAP as infAP
    from rankmark.measures.inst import INST as INST
    from rankmark.measures.intent_aware import AP_IA as AP_IA
    from rankmark.measures.intent_aware import ERR_IA as ERR_IA
    from rankmark.measures.intent_aware import P_IA as P_IA
    from rankmark.measures.intent_aware import nERR_IA as nERR_IA
    from rankmark.measures.iprec import IPrec as IPrec
    from rankmark.measures.judged import Hole as Hole
    from rankmark.measures.judged import Judged as Judged
    from rankmark.measures.judged import Unjudged as Unjudged
    from rankmark.measures.mean_rank import MeanRank as MeanRank
    from rankmark.measures.ncg import NCG as NCG
    from rankmark.measures.ncu import NCU as NCU
    from rankmark.measures.ndcg import nDCG as nDCG
    from rankmark.measures.ndcg_rel import nDCGrel as nDCGrel
    from rankmark.measures.nerr import nERR as nERR
    from rankmark.measures.nrbp import NRBP as NRBP
    from rankmark.measures.nrbp import nNRBP as nNRBP
    from rankmark.measures.num_prefs import NumPrefs as NumPrefs
    from rankmark.measures.o_measure import OMeasure as OMeasure
    from rankmark.measures.of_lists.arp import ARP as ARP
    from rankmark.measures.of_lists.awrf import AWRF as AWRF
    from rankmark.measures.of_lists.category_coverage import CategoryCoverage as CategoryCoverage
    from rankmark.measures.of_lists.category_entropy import CategoryEntropy as CategoryEntropy
    from rankmark.measures.of_lists.epc import EPC as EPC
    from rankmark.measures.of_lists.group_exposure import GroupExposure as GroupExposure
    from rankmark.measures.of_lists.ild import ILD as ILD
    from rankmark.measures.of_lists.miscalibration import Miscalibration as Miscalibration
    from rankmark.measures.of_lists.miuf import MIUF as MIUF
    from rankmark.measures.of_lists.ndkl import NDKL as NDKL
    from rankmark.measures.of_lists.rnd import rND as rND
    from rankmark.measures.of_lists.serendipity import Serendipity as Serendipity
    from rankmark.measures.of_lists.skew import Skew as Skew
    from rankmark.measures.of_lists.tail_share import TailShare as TailShare
    from rankmark.measures.of_lists.unexpectedness import Unexpectedness as Unexpectedness
    from rankmark.measures.of_runs.entropy import Entropy as Entropy
    from rankmark.measures.of_runs.expected_exposure import ExpectedExposure as ExpectedExposure
    from rankmark.measures.of_runs.gap import Gap as Gap
    from rankmark.measures.of_runs.gini import Gini as Gini
    from rankmark.measures.of_runs.group_rates import GroupRates as GroupRates
    from rankmark.measures.of_runs.hhi import HHI as HHI
    from rankmark.measures.of_runs.item_coverage import ItemCoverage as ItemCoverage
    from rankmark.measures.of_runs.personalization import Personalization as Personalization
    from rankmark.measures.of_runs.popularity_lift import PopularityLift as PopularityLift
    from rankmark.measures.of_runs.user_coverage import UserCoverage as UserCoverage
    from rankmark.measures.opa import OPA as OPA
    from rankmark.measures.p import P as P
    from rankmark.measures.p_measure import PMeasure as PMeasure
    from rankmark.measures.p_plus import PPlus as PPlus
    from rankmark.measures.pfound import PFound as PFound
    from rankmark.measures.prefs import Prefs as Prefs
    from rankmark.measures.q import Q as Q
    from rankmark.measures.r import R as R
    from rankmark.measures.ranking_loss import RankingLoss as RankingLoss
    from rankmark.measures.rbp import RBP as RBP
    from rankmark.measures.rbp_residual import RBPResidual as RBPResidual
    from rankmark.measures.recall_area import RecallArea as RecallArea
    from rankmark.measures.recall_at_precision import RecallAtPrecision as RecallAtPrecision
    from rankmark.measures.rndcg import Rndcg as Rndcg
    from rankmark.measures.rprec import Rprec as Rprec
    from rankmark.measures.rr import RR as RR
    from rankmark.measures.sampled_negatives import Corrected as Corrected
    from rankmark.measures.sampled_negatives import Sampled as Sampled
    from rankmark.measures.strecall import StRecall as StRecall
    from rankmark.measures.success import Success as Success
    from rankmark.measures.tbg import TBG as TBG
    from rankmark.measures.u import U as U
    from rankmark.measures.udcg import UDCG as UDCG
    from rankmark.measures.user_models import INSQ as INSQ
    from rankmark.measures.user_models import NERR8 as NERR8
    from rankmark.measures.user_models import NERR9 as NERR9
    from rankmark.measures.user_models import NERR10 as NERR10
    from rankmark.measures.user_models import NERR11 as NERR11
    from rankmark.measures.user_models import SDCG as SDCG
    from rankmark.measures.utility import Utility as Utility
    from rankmark.measures.wss import WSS as WSS
    from rankmark.measures.yaap import yaAP as yaAP

    ALL: tuple[Measure, ...]
    """All measures by judgments, in the order in which they are listed."""
    EVERY: tuple[Measure, ...]
    """These, and the measures of lists, of runs and of samples."""
else:
    __all__ = sorted(["ALL", "DEFAULT", "EVERY", "Measure", *NAMED])  # noqa: PLE0605  (a list of strings)

    def __getattr__(name: str) -> object:
        from importlib import import_module  # noqa: PLC0415

        def of_name(name: str) -> object:
            if name not in _MODULES:
                raise AttributeError(f"module 'rankmark.measures' has no attribute {name!r}")
            return getattr(import_module(f"rankmark.measures.{_MODULES[name]}"), name)

        if name in {"ALL", "EVERY"}:
            value: object = tuple(map(of_name, MODULES if name == "ALL" else NAMED))
        else:
            value = of_name(name)
        globals()[name] = value
        return value
