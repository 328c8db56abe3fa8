"""The command ``rankmark``. Subcommands import what they need only when they run."""

from __future__ import annotations

import click

from rankmark.cli.check import check
from rankmark.cli.compare import compare
from rankmark.cli.completion import completion
from rankmark.cli.convert import convert
from rankmark.cli.demo import demo
from rankmark.cli.evaluate import evaluate
from rankmark.cli.explain import explain
from rankmark.cli.gate import gate
from rankmark.cli.measures import measures
from rankmark.cli.plot import plot
from rankmark.cli.power_analysis import power
from rankmark.cli.profiles import profiles
from rankmark.cli.reconcile import reconcile
from rankmark.cli.report import report
from rankmark.cli.similarity import similarity
from rankmark.cli.trec_eval import trec_eval
from rankmark.cli.verify import verify
from rankmark.version import __version__


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try: rankmark demo, then rankmark evaluate QRELS RUN -m nDCG@10. "
    "Results go to stdout, everything else to stderr. "
    "Exit code 0: success; 1: invalid input; 2: wrong usage; 3: a gate that does not hold.",
)
@click.version_option(__version__, message="rankmark %(version)s")
def app() -> None:
    """Measure the quality of rankings, and explain the numbers."""


for command in (
    evaluate,
    compare,
    explain,
    reconcile,
    check,
    gate,
    verify,
    similarity,
    power,
    plot,
    report,
    convert,
    measures,
    profiles,
    trec_eval,
    demo,
    completion,
):
    app.add_command(command)
