"""Why the command ends without a result: trec_eval's exit codes, and what to do."""

from __future__ import annotations

WRONG_USAGE = 1
WRONG_FILE = 2
NOT_COMPUTED = 4
NO_QUERIES = 7
NOT_PRINTED = 8
WRONG_ZSCORES = 255


class StoppedError(Exception):
    """The command ends with an exit code other than 0.

    Parameters
    ----------
    code
        The exit code, trec_eval's.
    lines
        What is written to standard error.
    """

    def __init__(self, code: int, *lines: str) -> None:
        super().__init__(*lines)
        self.code = code
        self.lines = lines
