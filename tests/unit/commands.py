"""The command line run as a user runs it, in a process of its own, or faster in this one."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from rankmark.commands.app import app

SCRIPT = Path(sys.executable).parent / ("rankmark.exe" if sys.platform == "win32" else "rankmark")
Done = subprocess.CompletedProcess[str]


def rankmark(*arguments: object, env: dict[str, str] | None = None, **options: Any) -> Done:
    """Run ``rankmark`` with arguments; its output is read as UTF-8."""
    options = {"capture_output": True, "timeout": 60, "encoding": "utf-8"} | options
    return subprocess.run(
        [str(SCRIPT), *map(str, arguments)],
        env=os.environ | {"NO_COLOR": "1"} | (env or {}),
        check=False,
        **options,
    )


def told(done: Done) -> str:
    """Give the one line with which a command fails, behind warnings if any."""
    assert done.stdout == ""
    *warnings, line = done.stderr.splitlines()
    assert all(warning.startswith("rankmark: warning: ") for warning in warnings)
    assert line.startswith("rankmark: ")
    return line.removeprefix("rankmark: ")


def rankmark_here(
    *arguments: object,
    input: str | None = None,  # noqa: A002
    columns: int | None = None,
) -> Done:
    """Run ``rankmark`` in this process, which takes a tenth of the time; COLUMNS if given."""
    words = [*map(str, arguments)]
    wide = {} if columns is None else {"COLUMNS": str(columns)}
    done = CliRunner(env={"NO_COLOR": "1", **wide}).invoke(app, words, input)
    return Done(words, done.exit_code, done.stdout, done.stderr)
