"""``python -m rankmark`` is ``rankmark``."""

from rankmark.commands import main

main()
