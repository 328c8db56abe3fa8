"""The command line: ``rankmark evaluate``, ``measures``, ``demo``."""

import sys


def main() -> None:
    """Run the command line, with usage errors as exit code 2."""
    from rankmark.cli.app import app  # noqa: PLC0415

    app(prog_name="rankmark" if not sys.argv[0].endswith("__main__.py") else "python -m rankmark")
