"""``--record FILE``: write what was read, chosen and found, for ``rankmark verify``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts.grouped_help import PATH, Command, option
from rankmark.commands.parts.publishing import write_output

if TYPE_CHECKING:
    from pathlib import Path

    from rankmark.results.records.run_record import Computed

record: Callable[[Command], Command] = option(
    "Output",
    "--record",
    metavar="FILE",
    type=PATH,
    help="Write hashes of the inputs, the options, versions and values, for `rankmark verify`.",
)
_OTHER_FILES = (
    *("seen", "reference", "clusters", "weights", "by"),
    *("parents", "qrels_parents"),
)


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
    computed: Computed,
) -> None:
    """Write the record of a command.

    Parameters
    ----------
    path
        The file to write, completely or not at all.
    command, qrels, runs
        Which command read which files.
    choices
        Keywords of the call that ``verify`` repeats; files among them become inputs.
    computed
        What was found.
    """
    from pathlib import Path  # noqa: PLC0415  (importing it takes long)

    from rankmark.data.contract.reading_options import WITHOUT_EFFECT  # noqa: PLC0415
    from rankmark.results.records.run_record import Recorded  # noqa: PLC0415

    chosen = {k: v for k, v in choices.items() if v is not None and k not in WITHOUT_EFFECT}
    others = {
        name: str(chosen.pop(name))
        for name in _OTHER_FILES
        if name in chosen and Path(chosen[name]).exists()  # --by may name a column
    }
    if isinstance(chosen.get("queries"), tuple):
        chosen["queries"] = list(chosen["queries"])
    recorded = Recorded(command, qrels, tuple(runs), others, chosen)
    write_output(recorded.text(computed, path), path)
