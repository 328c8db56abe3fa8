"""``--record FILE``: write what was read, chosen and found, for ``rankmark verify``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.cli.publishing import write_output

if TYPE_CHECKING:
    from rankmark.cli.options import Command
    from rankmark.conventions import Conventions

record: Callable[[Command], Command] = click.option(
    "--record",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write hashes of the inputs, the choices, versions and values, for `rankmark verify`.",
)
_NOT_CHOICES = {"threads", "memory", "progress"}
_OTHER_FILES = ("seen", "clusters", "weights", "by")


def refuse_recording(path: Path | None, inputs: Sequence[str]) -> None:
    """Refuse to record what cannot be read again, before it is read."""
    if path is not None and "-" in inputs:
        raise click.UsageError("--record needs files; standard input cannot be read again")


def write_record(
    path: Path,
    command: str,
    qrels: str,
    runs: Sequence[str],
    choices: Mapping[str, Any],
    values: Mapping[str, Any],
    conventions: Conventions,
    *,
    measures: Sequence[str],
    baseline: str | None = None,
    tests: Sequence[str] = (),
) -> None:
    """Write the record of a command.

    Parameters
    ----------
    path
        The file to write, completely or not at all.
    command, qrels, runs
        Which command read which files.
    choices
        Keywords of ``rankmark.verbs.verify``'s call of the same function; files among them become
        inputs.
    values
        What was found, as a function of ``rankmark.verbs.run_record`` gives it.
    conventions
        In full, for people who read the record.
    measures, baseline, tests
        For the run's ir_metadata.
    """
    from rankmark.verbs.run_record import Recorded, header_of  # noqa: PLC0415

    chosen = {k: v for k, v in choices.items() if v is not None and k not in _NOT_CHOICES}
    others = {
        name: str(chosen.pop(name))
        for name in _OTHER_FILES
        if name in chosen and Path(chosen[name]).exists()  # --by may name a column
    }
    if isinstance(chosen.get("queries"), tuple):
        chosen["queries"] = list(chosen["queries"])
    recorded = Recorded(command, qrels, tuple(runs), others, chosen)
    headers = [
        header_of(
            Path(qrels).name,
            run,
            measures,
            baseline if baseline is None or run != baseline else None,
            tests,
        )
        for run in runs
    ]
    write_output(recorded.text(values, conventions, headers, path), path)
