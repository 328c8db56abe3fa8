"""rankmark measures the quality of rankings, fast, and explains every number."""

from rankmark.version import __version__ as __version__

TYPE_CHECKING: bool = False  # no constant, or completers would skip the imports below

# The module of each public name. Names are imported on first use, so that `import rankmark` and
# `rankmark --help` do not wait for NumPy; type checkers read the imports below.
_MODULES = {
    name: f"rankmark.{module}"
    for module, names in {
        "answering.abstention": "abstention",
        "answering.abstention_result": "Abstention",
        "checking.check_report": "CheckReport",
        "estimating.choose_queries": "choose_queries",
        "estimating.chosen_queries": "ChosenQueries",
        "estimating.estimate": "estimate",
        "estimating.estimate_result": "Estimate",
        "errors": "ChangedError DuplicateError InputError MeasureError MismatchError "
        "MissingDependencyError NotEvaluatedError ParseError ProfileWarning RankmarkError "
        "RankmarkWarning SchemaError quiet",
        "explanations.contributions": "Contributions",
        "explaining.difference": "Difference",
        "explanations.explanation": "Explanation",
        "explaining.means": "MeanDifference",
        "measures": "AP DCG ERR RBP RR Bpref F Judged Measure P R Rprec Success nDCG measures",
        "measures.names": "measure",
        "measures.own": "Own",
        "profiles": "profiles",
        "profiles.known": "profile",
        "profiles.profile": "Profile",
        "reporting.written_report": "WrittenReport",
        "evaluating.evaluation": "Evaluation",
        "fusing.fuse": "fuse",
        "fusing.fused_run": "FusedRun",
        "tuning.fusion_bounds": "FusionBounds",
        "tuning.tune_fusion": "fusion_bounds tune_fusion",
        "tuning.tuned_fusion": "TunedFusion",
        "gating.gate_condition": "Condition",
        "grounding.answer_evaluation": "AnswerEvaluation",
        "planning.planned_gate": "GatePower",
        "gating.gate_result": "GateResult",
        "identifying.identification": "Identification",
        "judging.judgment_comparison": "JudgmentComparison",
        "planning.detectable": "PowerAnalysis",
        "comparing_rankings.ranking_comparison": "RankingComparison",
        "leaderboards.board": "Leaderboard",
        "leaderboards.leaderboard": "leaderboard",
        "reconciling.reconciliation": "Reconciliation",
        "verifying.verification": "Verification",
        "evaluating_spans.span_evaluation": "SpanEvaluation",
        "similarity": "similarity",
        "testing": "testing",
        "sources": "Qrels Run",
        "spans": "spans",
        "comparing.comparison": "Comparison",
        "evaluating.accumulate": "Accumulator",
        "checking.check": "check",
        "comparing.compare": "compare",
        "judging.compare_judgments": "compare_judgments",
        "comparing_rankings.compare_rankings": "compare_rankings",
        "comparing.compare_scores": "compare_scores",
        "converting.convert": "convert",
        "evaluating.evaluate": "evaluate",
        "evaluating_spans.evaluate_spans": "evaluate_spans",
        "explaining.explain": "explain",
        "evaluating_spans.judge_spans": "judge_spans",
        "gating.gate": "gate",
        "grounding.citations": "citations",
        "grounding.nuggets": "nuggets",
        "merging_calls.call_evaluation": "CallEvaluation",
        "merging_calls.evaluate_calls": "evaluate_calls",
        "merging_calls.merge_calls": "merge_calls",
        "planning.gate_power": "gate_power",
        "comparing.p_mrr": "p_mrr",
        "recalling.ann_recall": "ann_recall",
        "recalling.neighbour_recall": "NeighbourRecall",
        "recalling.neighbour_tradeoff": "NeighbourTradeoff ann_tradeoff",
        "reconciling.reconcile": "reconcile",
        "verifying.verify": "verify",
        "planning.power_analysis": "power",
        "rewarding.reward": "Reward reward",
        "evaluating.scorer": "Scorer scorer",
        "reporting.write_report": "write_report",
    }.items()
    for name in names.split()
}

if TYPE_CHECKING:
    from rankmark import measures as measures
    from rankmark import similarity as similarity
    from rankmark import spans as spans
    from rankmark import testing as testing
    from rankmark.answering.abstention import abstention as abstention
    from rankmark.answering.abstention_result import Abstention as Abstention
    from rankmark.checking.check import check as check
    from rankmark.checking.check_report import CheckReport as CheckReport
    from rankmark.comparing.compare import compare as compare
    from rankmark.comparing.compare_scores import compare_scores as compare_scores
    from rankmark.comparing.comparison import Comparison as Comparison
    from rankmark.comparing.p_mrr import p_mrr as p_mrr
    from rankmark.comparing_rankings.compare_rankings import compare_rankings as compare_rankings
    from rankmark.comparing_rankings.ranking_comparison import (
        RankingComparison as RankingComparison,
    )
    from rankmark.converting.convert import convert as convert
    from rankmark.errors import ChangedError as ChangedError
    from rankmark.errors import DuplicateError as DuplicateError
    from rankmark.errors import InputError as InputError
    from rankmark.errors import MeasureError as MeasureError
    from rankmark.errors import MismatchError as MismatchError
    from rankmark.errors import MissingDependencyError as MissingDependencyError
    from rankmark.errors import NotEvaluatedError as NotEvaluatedError
    from rankmark.errors import ParseError as ParseError
    from rankmark.errors import ProfileWarning as ProfileWarning
    from rankmark.errors import RankmarkError as RankmarkError
    from rankmark.errors import RankmarkWarning as RankmarkWarning
    from rankmark.errors import SchemaError as SchemaError
    from rankmark.errors import quiet as quiet
    from rankmark.estimating.choose_queries import choose_queries as choose_queries
    from rankmark.estimating.chosen_queries import ChosenQueries as ChosenQueries
    from rankmark.estimating.estimate import estimate as estimate
    from rankmark.estimating.estimate_result import Estimate as Estimate
    from rankmark.evaluating.accumulate import Accumulator as Accumulator
    from rankmark.evaluating.evaluate import evaluate as evaluate
    from rankmark.evaluating.evaluation import Evaluation as Evaluation
    from rankmark.evaluating.scorer import Scorer as Scorer
    from rankmark.evaluating.scorer import scorer as scorer
    from rankmark.evaluating_spans.evaluate_spans import evaluate_spans as evaluate_spans
    from rankmark.evaluating_spans.judge_spans import judge_spans as judge_spans
    from rankmark.evaluating_spans.span_evaluation import SpanEvaluation as SpanEvaluation
    from rankmark.explaining.difference import Difference as Difference
    from rankmark.explaining.explain import explain as explain
    from rankmark.explaining.means import MeanDifference as MeanDifference
    from rankmark.explanations.contributions import Contributions as Contributions
    from rankmark.explanations.explanation import Explanation as Explanation
    from rankmark.fusing.fuse import fuse as fuse
    from rankmark.fusing.fused_run import FusedRun as FusedRun
    from rankmark.gating.gate import gate as gate
    from rankmark.gating.gate_condition import Condition as Condition
    from rankmark.gating.gate_result import GateResult as GateResult
    from rankmark.grounding.answer_evaluation import AnswerEvaluation as AnswerEvaluation
    from rankmark.grounding.citations import citations as citations
    from rankmark.grounding.nuggets import nuggets as nuggets
    from rankmark.identifying.identification import Identification as Identification
    from rankmark.judging.compare_judgments import compare_judgments as compare_judgments
    from rankmark.judging.judgment_comparison import JudgmentComparison as JudgmentComparison
    from rankmark.leaderboards.board import Leaderboard as Leaderboard
    from rankmark.leaderboards.leaderboard import leaderboard as leaderboard
    from rankmark.measures import *  # noqa: F403  (also the measures that are not in __all__)
    from rankmark.measures.names import measure as measure
    from rankmark.measures.own import Own as Own
    from rankmark.merging_calls.call_evaluation import CallEvaluation as CallEvaluation
    from rankmark.merging_calls.evaluate_calls import evaluate_calls as evaluate_calls
    from rankmark.merging_calls.merge_calls import merge_calls as merge_calls
    from rankmark.planning.detectable import PowerAnalysis as PowerAnalysis
    from rankmark.planning.gate_power import gate_power as gate_power
    from rankmark.planning.planned_gate import GatePower as GatePower
    from rankmark.planning.power_analysis import power as power
    from rankmark.profiles.known import profile as profile
    from rankmark.profiles.known import profiles as profiles
    from rankmark.profiles.profile import Profile as Profile
    from rankmark.recalling.ann_recall import ann_recall as ann_recall
    from rankmark.recalling.neighbour_recall import NeighbourRecall as NeighbourRecall
    from rankmark.recalling.neighbour_tradeoff import NeighbourTradeoff as NeighbourTradeoff
    from rankmark.recalling.neighbour_tradeoff import ann_tradeoff as ann_tradeoff
    from rankmark.reconciling.reconcile import reconcile as reconcile
    from rankmark.reconciling.reconciliation import Reconciliation as Reconciliation
    from rankmark.reporting.write_report import write_report as write_report
    from rankmark.reporting.written_report import WrittenReport as WrittenReport
    from rankmark.rewarding.reward import Reward as Reward
    from rankmark.rewarding.reward import reward as reward
    from rankmark.sources import Qrels as Qrels
    from rankmark.sources import Run as Run
    from rankmark.tuning.fusion_bounds import FusionBounds as FusionBounds
    from rankmark.tuning.tune_fusion import fusion_bounds as fusion_bounds
    from rankmark.tuning.tune_fusion import tune_fusion as tune_fusion
    from rankmark.tuning.tuned_fusion import TunedFusion as TunedFusion
    from rankmark.verifying.verification import Verification as Verification
    from rankmark.verifying.verify import verify as verify
else:
    __all__ = sorted(["__version__", *_MODULES])  # noqa: PLE0605  (a list of strings)

    def __getattr__(name: str) -> object:
        """Import a name of the table, or a measure that is not listed there."""
        from importlib import import_module  # noqa: PLC0415

        if name not in _MODULES and (
            name.startswith("_") or name not in import_module("rankmark.measures").__all__
        ):
            raise AttributeError(f"module 'rankmark' has no attribute {name!r}")
        module = import_module(_MODULES.get(name, "rankmark.measures"))
        value = module if module.__name__ == f"rankmark.{name}" else getattr(module, name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return __all__
