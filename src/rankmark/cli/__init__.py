"""The command line: ``rankmark evaluate``, ``check``, ``plot``, ``measures``, ..."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; wrong usage ends with exit code 2."""
    # NumPy's linear algebra, of which we use nothing, else starts a thread a core, and they spin.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if sys.stderr is None:  # closed by whoever started this: print would take stdout for it
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    from rankmark.cli.faults import told  # noqa: PLC0415

    try:
        with told():
            from rankmark.cli.app import app  # noqa: PLC0415

            app(prog_name="rankmark")
    except SystemExit as ended:
        _leave(ended.code if isinstance(ended.code, int) else 0)


def _leave(code: int) -> None:
    """End without taking the interpreter apart, which costs a tenth of a small evaluation."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError:
        code = code or 1  # nobody takes the output; whoever wrote it has said so
    os._exit(code)
