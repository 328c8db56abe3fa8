"""The command line: ``rankmark evaluate``, ``measures``, ``demo``, ``completion``."""

from __future__ import annotations

import os


def main() -> None:
    """Run the command line; wrong usage ends with exit code 2."""
    # NumPy's linear algebra, of which we use nothing, else starts a thread a core, and they spin.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from rankmark.cli.app import app  # noqa: PLC0415

    app(prog_name="rankmark")
