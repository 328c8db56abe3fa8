"""``python -m rankmark`` is ``rankmark``."""

from rankmark.cli import main

main()
