"""rankmark measures the quality of rankings, fast, and explains every number."""

from rankmark.version import __version__ as __version__

TYPE_CHECKING: bool = False  # no constant, or completers would skip the imports below

# The module of each public name. Names are imported on first use, so that `import rankmark` and
# `rankmark --help` do not wait for NumPy; type checkers read the imports below.
_MODULES = {
    name: f"rankmark.{module}"
    for module, names in {
        "checks.check_report": "CheckReport",
        "errors": "ChangedError DuplicateError InputError MeasureError MismatchError "
        "MissingDependencyError NotEvaluatedError ParseError ProfileWarning RankmarkError "
        "RankmarkWarning SchemaError quiet",
        "explanations.contributions": "Contributions",
        "explanations.difference": "Difference",
        "explanations.explanation": "Explanation",
        "explanations.means": "MeanDifference",
        "measures": "AP DCG ERR RBP RR Bpref F Judged Measure P R Rprec Success nDCG measures",
        "measures.names": "measure",
        "measures.own": "Own",
        "profiles": "profiles",
        "profiles.known": "profile",
        "profiles.profile": "Profile",
        "report.written_report": "WrittenReport",
        "results.evaluation": "Evaluation",
        "results.gate_condition": "Condition",
        "results.planned_gate": "GatePower",
        "results.gate_result": "GateResult",
        "results.leaderboard_comparison": "LeaderboardComparison",
        "results.detectable": "PowerAnalysis",
        "results.pairwise_mrr": "PairwiseMRR",
        "results.ranking_comparison": "RankingComparison",
        "results.reconciliation": "Reconciliation",
        "results.verification": "Verification",
        "similarity": "similarity",
        "sources": "Qrels Run",
        "results.comparison": "Comparison",
        "verbs.accumulate": "Accumulator",
        "verbs.check": "check",
        "verbs.compare": "compare",
        "verbs.compare_leaderboards": "compare_leaderboards",
        "verbs.compare_rankings": "compare_rankings",
        "verbs.compare_scores": "compare_scores",
        "verbs.convert": "convert",
        "verbs.evaluate": "evaluate",
        "verbs.explain": "explain",
        "verbs.gate": "gate",
        "verbs.gate_power": "gate_power",
        "verbs.p_mrr": "p_mrr",
        "verbs.reconcile": "reconcile",
        "verbs.verify": "verify",
        "verbs.power_analysis": "power",
        "verbs.scorer": "Scorer scorer",
        "verbs.write_report": "write_report",
    }.items()
    for name in names.split()
}

if TYPE_CHECKING:
    from rankmark import measures as measures
    from rankmark import similarity as similarity
    from rankmark.checks.check_report import CheckReport as CheckReport
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
    from rankmark.explanations.contributions import Contributions as Contributions
    from rankmark.explanations.difference import Difference as Difference
    from rankmark.explanations.explanation import Explanation as Explanation
    from rankmark.explanations.means import MeanDifference as MeanDifference
    from rankmark.measures import *  # noqa: F403  (also the measures that are not in __all__)
    from rankmark.measures.names import measure as measure
    from rankmark.measures.own import Own as Own
    from rankmark.profiles.known import profile as profile
    from rankmark.profiles.known import profiles as profiles
    from rankmark.profiles.profile import Profile as Profile
    from rankmark.report.written_report import WrittenReport as WrittenReport
    from rankmark.results.comparison import Comparison as Comparison
    from rankmark.results.detectable import PowerAnalysis as PowerAnalysis
    from rankmark.results.evaluation import Evaluation as Evaluation
    from rankmark.results.gate_condition import Condition as Condition
    from rankmark.results.gate_result import GateResult as GateResult
    from rankmark.results.leaderboard_comparison import (
        LeaderboardComparison as LeaderboardComparison,
    )
    from rankmark.results.pairwise_mrr import PairwiseMRR as PairwiseMRR
    from rankmark.results.planned_gate import GatePower as GatePower
    from rankmark.results.ranking_comparison import RankingComparison as RankingComparison
    from rankmark.results.reconciliation import Reconciliation as Reconciliation
    from rankmark.results.verification import Verification as Verification
    from rankmark.sources import Qrels as Qrels
    from rankmark.sources import Run as Run
    from rankmark.verbs.accumulate import Accumulator as Accumulator
    from rankmark.verbs.check import check as check
    from rankmark.verbs.compare import compare as compare
    from rankmark.verbs.compare_leaderboards import compare_leaderboards as compare_leaderboards
    from rankmark.verbs.compare_rankings import compare_rankings as compare_rankings
    from rankmark.verbs.compare_scores import compare_scores as compare_scores
    from rankmark.verbs.convert import convert as convert
    from rankmark.verbs.evaluate import evaluate as evaluate
    from rankmark.verbs.explain import explain as explain
    from rankmark.verbs.gate import gate as gate
    from rankmark.verbs.gate_power import gate_power as gate_power
    from rankmark.verbs.p_mrr import p_mrr as p_mrr
    from rankmark.verbs.power_analysis import power as power
    from rankmark.verbs.reconcile import reconcile as reconcile
    from rankmark.verbs.scorer import Scorer as Scorer
    from rankmark.verbs.scorer import scorer as scorer
    from rankmark.verbs.verify import verify as verify
    from rankmark.verbs.write_report import write_report as write_report
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
