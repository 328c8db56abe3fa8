"""``rankmark schema``: the JSON Schema of what a command writes with --format json."""

from __future__ import annotations

from pathlib import Path

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import reported_errors
from rankmark.commands.parts.grouped_help import command
from rankmark.commands.parts.writing import write_output

DOCUMENTS = {
    "evaluate": ["Evaluation", "Evaluations"],
    "check": ["CheckReport"],
    "explain": ["Explanation", "Difference", "MeanDifference", "FailureCauses"],
    "compare": ["Comparison"],
    "gate": ["GateResult", "Gates"],
    "trend": ["Trend"],
    "power": ["PowerAnalysis", "GatePower"],
    "plan-gate": ["GatePlan"],
    "tune": ["TunedFusion", "FusionBounds"],
    "leaderboard": ["Leaderboard"],
    "online": ["OnlineEvaluation"],
    "variants": ["VariantComparison"],
    "online-offline": ["OnlineOffline"],
    "log": ["ClickLog"],
    "judge-clicks": ["JudgedClicks"],
    "position-bias": ["PositionBias"],
    "verify": ["Verification"],
    "spans": ["SpanEvaluation"],
    "nuggets": ["AnswerEvaluation"],
    "citations": ["AnswerEvaluation"],
    "search-calls": ["CallEvaluation"],
    "abstention": ["Abstention"],
    "judges": ["JudgmentComparison"],
    "estimate": ["Estimate"],
    "choose-queries": ["ChosenQueries"],
    "similarity": ["RankingComparison"],
    "ann-recall": ["NeighbourRecall", "TradeOff"],
    "counterfactual": ["CounterfactualValue"],
    "interleaving": ["InterleavingComparison"],
    "interleaving-power": ["InterleavingPower"],
    "measures": ["Measures"],
    "profiles": ["Profile", "Profiles"],
    "reconcile": ["Reconciliation"],
    "verify-function": ["Identification"],
    "cases": ["Cases"],
}
"""The documents that each command writes as JSON; which one depends on its options."""


@command()
@click.argument("name", metavar="COMMAND", type=click.Choice([*DOCUMENTS]))
@options.output
def schema(name: str, output: Path | None) -> None:
    """Print the JSON Schema of what a command writes with --format json.

    It is a schema of draft 2020-12. Fields may be added in later versions, which it allows.

    \b
      rankmark schema evaluate > evaluation.schema.json
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.results.json_schema import json_schema  # noqa: PLC0415
        from rankmark.results.result import as_json  # noqa: PLC0415

        write_output(as_json(json_schema(*DOCUMENTS[name]), 2) + "\n", output)
