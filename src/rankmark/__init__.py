"""rankmark measures the quality of rankings, fast, and explains every number."""

from rankmark.version import __version__ as __version__

TYPE_CHECKING: bool = False  # no constant, or completers would skip the imports below

# The module of each public name. Names are imported on first use, so that `import rankmark` and
# `rankmark --help` do not wait for NumPy; type checkers read the imports below.
_MODULES = {
    name: f"rankmark.{module}"
    for module, names in {
        "answers.abstention.abstention": "abstention",
        "answers.abstention.abstention_result": "Abstention",
        "clicks.labels.judge_clicks": "judge_clicks",
        "clicks.labels.judged_clicks": "JudgedClicks",
        "clicks.labels.position_bias": "position_bias",
        "clicks.labels.rank_examination": "PositionBias",
        "verbs.check.check_report": "CheckReport",
        "clicks.counterfactual.counterfactual": "counterfactual",
        "clicks.counterfactual.counterfactual_value": "CounterfactualValue",
        "clicks.interleaving.interleave": "interleave",
        "clicks.interleaving.compare_interleaved": "compare_interleaved",
        "clicks.interleaving.interleaving_comparison": "InterleavingComparison",
        "clicks.interleaving.interleaving_power": "InterleavingPower interleaving_power",
        "clicks.logs.click_log": "ClickLog",
        "clicks.logs.example_log": "ExampleLog example_log",
        "clicks.logs.read_log": "read_log",
        "clicks.online.compare_online_offline": "compare_online_offline",
        "clicks.online.compare_variants": "compare_variants",
        "clicks.online.online": "online",
        "clicks.online.online_evaluation": "OnlineEvaluation",
        "clicks.online.online_offline": "OnlineOffline",
        "clicks.online.variant_comparison": "VariantComparison",
        "judges.estimate.choose_queries": "choose_queries",
        "judges.estimate.chosen_queries": "ChosenQueries",
        "judges.estimate.estimate": "estimate",
        "judges.estimate.estimate_result": "Estimate",
        "errors": "ChangedError DuplicateError InputError MeasureError MismatchError "
        "MissingDependencyError NotEvaluatedError ParseError ProfileWarning RankmarkError "
        "RankmarkWarning SchemaError quiet",
        "results.explanations.contributions": "Contributions",
        "verbs.explain.difference": "Difference MeanDifference",
        "verbs.explain.failure_causes": "failure_causes",
        "verbs.explain.failures": "FailureCauses",
        "results.explanations.explanation": "Explanation",
        "results.trade_off": "TradeOff",
        "measures": "AP DCG ERR RBP RR Bpref F Judged Measure P R Rprec Success nDCG measures",
        "measures.names": "measure",
        "measures.own": "Own",
        "profiles": "profiles",
        "profiles.known": "profile",
        "profiles.profile": "Profile",
        "verbs.evaluate.evaluation": "Evaluation",
        "verbs.fuse.fuse": "fuse",
        "verbs.fuse.fused_run": "FusedRun",
        "verbs.tune.fusion_bounds": "FusionBounds",
        "verbs.tune.tune_fusion": "fusion_bounds tune_fusion",
        "verbs.tune.tuned_fusion": "TunedFusion",
        "verbs.gate.gate_condition": "Condition",
        "answers.citations.answer_evaluation": "AnswerEvaluation",
        "verbs.power.planned_gate": "GatePower",
        "verbs.gate.gate_plan": "GatePlan",
        "verbs.gate.gate_result": "GateResult",
        "verbs.verify_function.identification": "Identification",
        "judges.agreement.judgment_comparison": "JudgmentComparison",
        "verbs.power.detectable": "PowerAnalysis",
        "verbs.compare_rankings.ranking_comparison": "RankingComparison",
        "verbs.leaderboard.board": "Leaderboard",
        "verbs.leaderboard.leaderboard": "leaderboard",
        "verbs.reconcile.reconciliation": "Reconciliation",
        "verbs.verify.verification": "Verification",
        "answers.spans.span_evaluation": "SpanEvaluation",
        "similarity": "similarity",
        "testing": "testing",
        "data.preparing.qrels": "Qrels",
        "data.preparing.run": "Run",
        "measures.spans": "spans",
        "verbs.compare.comparison": "Comparison",
        "verbs.evaluate.accumulate": "Accumulator",
        "verbs.check.check": "check",
        "verbs.compare.compare": "compare compare_scores",
        "judges.agreement.compare_judgments": "compare_judgments",
        "verbs.compare_rankings.compare_rankings": "compare_rankings",
        "verbs.convert.convert": "convert",
        "verbs.evaluate.evaluate": "evaluate",
        "answers.spans.evaluate_spans": "evaluate_spans",
        "verbs.explain.explain": "explain",
        "answers.spans.judge_spans": "judge_spans",
        "verbs.gate.gate": "gate",
        "verbs.gate.plan_gate": "plan_gate",
        "answers.citations.citations": "citations",
        "answers.citations.nuggets": "nuggets",
        "answers.search_calls.call_evaluation": "CallEvaluation",
        "answers.search_calls.evaluate_calls": "evaluate_calls",
        "answers.search_calls.merge_calls": "merge_calls",
        "verbs.power.gate_power": "gate_power",
        "verbs.compare.p_mrr": "p_mrr",
        "answers.ann_recall.ann_recall": "ann_recall",
        "answers.ann_recall.neighbour_recall": "NeighbourRecall",
        "answers.ann_recall.neighbour_tradeoff": "ann_tradeoff",
        "verbs.reconcile.reconcile": "reconcile",
        "verbs.trend.trend": "trend",
        "verbs.trend.trend_result": "Trend",
        "verbs.verify.verify": "verify",
        "verbs.power.power_analysis": "power",
        "verbs.reward.reward": "Reward reward",
        "verbs.evaluate.scorer": "Scorer scorer",
        "verbs.report.write_report": "WrittenReport write_report",
    }.items()
    for name in names.split()
}

if TYPE_CHECKING:
    from rankmark import measures as measures
    from rankmark import similarity as similarity
    from rankmark import testing as testing
    from rankmark.answers.abstention.abstention import abstention as abstention
    from rankmark.answers.abstention.abstention_result import Abstention as Abstention
    from rankmark.answers.ann_recall.ann_recall import ann_recall as ann_recall
    from rankmark.answers.ann_recall.neighbour_recall import NeighbourRecall as NeighbourRecall
    from rankmark.answers.ann_recall.neighbour_tradeoff import ann_tradeoff as ann_tradeoff
    from rankmark.answers.citations.answer_evaluation import AnswerEvaluation as AnswerEvaluation
    from rankmark.answers.citations.citations import citations as citations
    from rankmark.answers.citations.nuggets import nuggets as nuggets
    from rankmark.answers.search_calls.call_evaluation import CallEvaluation as CallEvaluation
    from rankmark.answers.search_calls.evaluate_calls import evaluate_calls as evaluate_calls
    from rankmark.answers.search_calls.merge_calls import merge_calls as merge_calls
    from rankmark.answers.spans.evaluate_spans import evaluate_spans as evaluate_spans
    from rankmark.answers.spans.judge_spans import judge_spans as judge_spans
    from rankmark.answers.spans.span_evaluation import SpanEvaluation as SpanEvaluation
    from rankmark.clicks.counterfactual.counterfactual import counterfactual as counterfactual
    from rankmark.clicks.counterfactual.counterfactual_value import (
        CounterfactualValue as CounterfactualValue,
    )
    from rankmark.clicks.interleaving.compare_interleaved import (
        compare_interleaved as compare_interleaved,
    )
    from rankmark.clicks.interleaving.interleave import interleave as interleave
    from rankmark.clicks.interleaving.interleaving_comparison import (
        InterleavingComparison as InterleavingComparison,
    )
    from rankmark.clicks.interleaving.interleaving_power import (
        InterleavingPower as InterleavingPower,
    )
    from rankmark.clicks.interleaving.interleaving_power import (
        interleaving_power as interleaving_power,
    )
    from rankmark.clicks.labels.judge_clicks import judge_clicks as judge_clicks
    from rankmark.clicks.labels.judged_clicks import JudgedClicks as JudgedClicks
    from rankmark.clicks.labels.position_bias import position_bias as position_bias
    from rankmark.clicks.labels.rank_examination import PositionBias as PositionBias
    from rankmark.clicks.logs.click_log import ClickLog as ClickLog
    from rankmark.clicks.logs.example_log import ExampleLog as ExampleLog
    from rankmark.clicks.logs.example_log import example_log as example_log
    from rankmark.clicks.logs.read_log import read_log as read_log
    from rankmark.clicks.online.compare_online_offline import (
        compare_online_offline as compare_online_offline,
    )
    from rankmark.clicks.online.compare_variants import compare_variants as compare_variants
    from rankmark.clicks.online.online import online as online
    from rankmark.clicks.online.online_evaluation import OnlineEvaluation as OnlineEvaluation
    from rankmark.clicks.online.online_offline import OnlineOffline as OnlineOffline
    from rankmark.clicks.online.variant_comparison import VariantComparison as VariantComparison
    from rankmark.data.preparing.qrels import Qrels as Qrels
    from rankmark.data.preparing.run import Run as Run
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
    from rankmark.judges.agreement.compare_judgments import compare_judgments as compare_judgments
    from rankmark.judges.agreement.judgment_comparison import (
        JudgmentComparison as JudgmentComparison,
    )
    from rankmark.judges.estimate.choose_queries import choose_queries as choose_queries
    from rankmark.judges.estimate.chosen_queries import ChosenQueries as ChosenQueries
    from rankmark.judges.estimate.estimate import estimate as estimate
    from rankmark.judges.estimate.estimate_result import Estimate as Estimate
    from rankmark.measures import *  # noqa: F403  (also the measures that are not in __all__)
    from rankmark.measures import spans as spans
    from rankmark.measures.names import measure as measure
    from rankmark.measures.own import Own as Own
    from rankmark.profiles.known import profile as profile
    from rankmark.profiles.known import profiles as profiles
    from rankmark.profiles.profile import Profile as Profile
    from rankmark.results.explanations.contributions import Contributions as Contributions
    from rankmark.results.explanations.explanation import Explanation as Explanation
    from rankmark.results.trade_off import TradeOff as TradeOff
    from rankmark.verbs.check.check import check as check
    from rankmark.verbs.check.check_report import CheckReport as CheckReport
    from rankmark.verbs.compare.compare import compare as compare
    from rankmark.verbs.compare.compare import compare_scores as compare_scores
    from rankmark.verbs.compare.comparison import Comparison as Comparison
    from rankmark.verbs.compare.p_mrr import p_mrr as p_mrr
    from rankmark.verbs.compare_rankings.compare_rankings import (
        compare_rankings as compare_rankings,
    )
    from rankmark.verbs.compare_rankings.ranking_comparison import (
        RankingComparison as RankingComparison,
    )
    from rankmark.verbs.convert.convert import convert as convert
    from rankmark.verbs.evaluate.accumulate import Accumulator as Accumulator
    from rankmark.verbs.evaluate.evaluate import evaluate as evaluate
    from rankmark.verbs.evaluate.evaluation import Evaluation as Evaluation
    from rankmark.verbs.evaluate.scorer import Scorer as Scorer
    from rankmark.verbs.evaluate.scorer import scorer as scorer
    from rankmark.verbs.explain.difference import Difference as Difference
    from rankmark.verbs.explain.difference import MeanDifference as MeanDifference
    from rankmark.verbs.explain.explain import explain as explain
    from rankmark.verbs.explain.failure_causes import failure_causes as failure_causes
    from rankmark.verbs.explain.failures import FailureCauses as FailureCauses
    from rankmark.verbs.fuse.fuse import fuse as fuse
    from rankmark.verbs.fuse.fused_run import FusedRun as FusedRun
    from rankmark.verbs.gate.gate import gate as gate
    from rankmark.verbs.gate.gate_condition import Condition as Condition
    from rankmark.verbs.gate.gate_plan import GatePlan as GatePlan
    from rankmark.verbs.gate.gate_result import GateResult as GateResult
    from rankmark.verbs.gate.plan_gate import plan_gate as plan_gate
    from rankmark.verbs.leaderboard.board import Leaderboard as Leaderboard
    from rankmark.verbs.leaderboard.leaderboard import leaderboard as leaderboard
    from rankmark.verbs.power.detectable import PowerAnalysis as PowerAnalysis
    from rankmark.verbs.power.gate_power import gate_power as gate_power
    from rankmark.verbs.power.planned_gate import GatePower as GatePower
    from rankmark.verbs.power.power_analysis import power as power
    from rankmark.verbs.reconcile.reconcile import reconcile as reconcile
    from rankmark.verbs.reconcile.reconciliation import Reconciliation as Reconciliation
    from rankmark.verbs.report.write_report import WrittenReport as WrittenReport
    from rankmark.verbs.report.write_report import write_report as write_report
    from rankmark.verbs.reward.reward import Reward as Reward
    from rankmark.verbs.reward.reward import reward as reward
    from rankmark.verbs.trend.trend import trend as trend
    from rankmark.verbs.trend.trend_result import Trend as Trend
    from rankmark.verbs.tune.fusion_bounds import FusionBounds as FusionBounds
    from rankmark.verbs.tune.tune_fusion import fusion_bounds as fusion_bounds
    from rankmark.verbs.tune.tune_fusion import tune_fusion as tune_fusion
    from rankmark.verbs.tune.tuned_fusion import TunedFusion as TunedFusion
    from rankmark.verbs.verify.verification import Verification as Verification
    from rankmark.verbs.verify.verify import verify as verify
    from rankmark.verbs.verify_function.identification import Identification as Identification
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
        is_module = module.__name__ in {f"rankmark.{name}", f"rankmark.measures.{name}"}
        value = module if is_module else getattr(module, name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return __all__
