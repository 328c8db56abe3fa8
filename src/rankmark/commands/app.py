"""The command ``rankmark``. A subcommand is imported when it is called."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts.faults import leave_stdout
from rankmark.errors import one_line
from rankmark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.shell_completion import CompletionItem

GROUPS = {
    "Everyday": {
        "evaluate": "Evaluate runs against judgments.",
        "check": "Find problems in judgments and runs.",
        "explain": "Explain a score, or what makes two runs differ.",
        "compare": "Compare runs, and test their differences.",
        "gate": "Decide whether a new run may replace a baseline.",
        "report": "Write a comparison of runs as a single HTML page.",
        "plot": "Draw runs, such as recall curves or differences by query.",
        "fuse": "Fuse several runs into one.",
        "convert": "Write judgments or a run in another format.",
        "demo": "Evaluate the bundled example collection.",
    },
    "Decisions": {
        "plan-gate": "Plan which queries of a log to judge for a gate.",
        "power": "Show which differences the queries can detect.",
        "tune": "Choose how to fuse runs, and estimate what that gives.",
        "leaderboard": "Rank models over tasks, with intervals of their ranks.",
        "trend": "Follow a measure over records, and find when it changed.",
        "verify": "Compute a recorded result again, and show what changed.",
    },
    "RAG and judges": {
        "spans": "Measure retrieved spans of documents against gold spans.",
        "nuggets": "Score answers by the nuggets that they support.",
        "citations": "Score whether cited passages support their sentences.",
        "search-calls": "Evaluate several searches per query, as agents make them.",
        "abstention": "Show when a run should return nothing.",
        "judges": "Compare human and LLM judgments, and their leaderboards.",
        "estimate": "Estimate scores from few human and many LLM labels.",
        "choose-queries": "Choose which queries people should judge.",
    },
    "Recommenders and online": {
        "similarity": "Compare the rankings of two runs, without judgments.",
        "online": "Measure what users did: clicks, abandonment, revenue.",
        "variants": "Compare the variants of an A/B test, by user.",
        "online-offline": "Show whether offline differences predicted online ones.",
        "log": "Show what a log of clicks holds, and what may be wrong.",
        "judge-clicks": "Make judgments of the clicks in a log.",
        "position-bias": "Estimate how often people look at each rank.",
        "ann-recall": "Measure the recall of approximate nearest neighbours.",
        "interleaving": "Find which ranking users prefer, from interleaved lists.",
        "counterfactual": "Estimate what another ranking would have earned.",
        "interleaving-power": "Show how many searches interleaving needs.",
    },
    "Other tools": {
        "measures": "List the measures, or describe one.",
        "profiles": "List the profiles of other tools, or show one.",
        "reconcile": "Find the conventions that give another program's number.",
        "verify-function": "Find out which measure a function of yours computes.",
        "cases": "Write small rankings with the right values of measures.",
        "schema": "Print the JSON Schema of what a command writes.",
        "trec_eval": "Evaluate with the options and output of trec_eval.",
        "completion": "Print a script for shell completion.",
    },
}
"""What ``rankmark --help`` says of each command, in its groups and their order."""
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}
"""What is said of each command."""
_BESIDE = {
    "nuggets": "citations",
    "choose-queries": "estimate",
    "interleaving-power": "interleaving",
}
"""Commands in the module of another."""


@contextmanager
def _reader_may_end() -> Iterator[None]:
    """End well if the reader of stdout has ended, as in `--help | head`; click ends with 1."""
    try:
        yield
    except BrokenPipeError:
        leave_stdout()
        raise click.exceptions.Exit(0) from None


class _Commands(click.Group):
    """Import a command when it is called; help and completion of names import none."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        called = name.replace("-", "_")
        module = import_module(f"rankmark.commands.{_BESIDE.get(name, called)}")
        return getattr(module, called)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; if there is none, say which was meant."""
        name = args[0]
        if name in COMMANDS or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        from rankmark.commands.parts.mistyped import unknown_command  # noqa: PLC0415

        raise unknown_command(name, COMMANDS, ctx)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands by group, all in the same columns."""
        width = max(map(len, COMMANDS))
        for name, commands in GROUPS.items():
            with formatter.section(name):
                formatter.write_dl([(f"{one:<{width}}", about) for one, about in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """List the commands and options whose names begin with the letters typed."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415

        found = [
            CompletionItem(name, help=about)
            for name, about in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Read the arguments; --version and --help are printed here."""
        with _reader_may_end():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; names in its messages cannot change the terminal."""
        try:
            with _reader_may_end():
                return super().invoke(ctx)
        except click.ClickException as error:
            vars(error)["message"] = "\n".join(map(one_line, error.message.split("\n")))
            raise


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try: rankmark demo, then rankmark evaluate QRELS RUN -m nDCG@10. "
    "COMMAND --help shows the options that most calls need, COMMAND --help-all all of them. "
    "Results go to stdout, everything else to stderr. "
    "Exit code 0: success; 1: invalid input; 2: wrong usage; 3: a gate that does not hold.",
)
@click.version_option(__version__, message="rankmark %(version)s")
def app() -> None:
    """Measure the quality of rankings, and explain the numbers."""
