"""The command line: ``rankmark evaluate``, ``measures``, ``demo``."""

from __future__ import annotations


def main() -> None:
    """Run the command line; wrong usage ends with exit code 2."""
    from rankmark.cli.app import app  # noqa: PLC0415

    app(prog_name="rankmark")
