"""Calls of a program: it reads a case on its standard input, and writes a number."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections import deque
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import IO, TYPE_CHECKING, Self, cast

from rankmark.errors import InputError, counted, one_line, shown
from rankmark.verbs.verify_function.function_calls import Calls, Outcome

if TYPE_CHECKING:
    from rankmark.verbs.verify_function.call_shapes import Shape
    from rankmark.verbs.verify_function.cases import Case
    from rankmark.verbs.verify_function.program import Program

_LONGEST = 200  # letters of what is shown of a case or an answer
_LONGEST_LINE = 10_000  # letters of an answer
_PATIENCE = 0.05  # seconds after which a wait looks whether Ctrl-C was pressed, on Windows
_AT_END = 1.0  # seconds that a program has to end after its last case
_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf|infinity)|null", re.IGNORECASE | re.ASCII
)
_NEEDED = (
    'it must write one number for each line that it reads, or {"error": "why"} where it refuses '
    "a case, and everything else to stderr"
)


class ProgramError(InputError):
    """A program that cannot be started, ends, does not answer, or answers something else."""


class ProgramCalls(Calls):
    """A program that answers cases while it is entered.

    Parameters
    ----------
    program
        The program.
    time_limit
        Seconds for each answer; None for no limit.
    """

    _process: subprocess.Popen[bytes]

    def __init__(self, program: Program, time_limit: float | None) -> None:
        super().__init__(program, time_limit)
        self._program = program
        self._answers: SimpleQueue[bytes] = SimpleQueue()
        self._cases: SimpleQueue[bytes | None] = SimpleQueue()
        self._said: deque[bytes] = deque(maxlen=3)

    def __enter__(self) -> Self:
        try:
            self._process = subprocess.Popen(  # noqa: S603  (it is the user's own)
                self._program.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise self._error(
                f"it cannot be started: {reason}",
                "name a program and its arguments; pipes and redirections need a script, as no "
                "shell reads them",
            ) from None
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._in, self._out, self._err = cast("tuple[IO[bytes], ...]", pipes)
        work = (self._write, self._read, self._listen)
        self._threads = [Thread(target=each, daemon=True) for each in work]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """End the program: at once after an error, else when it has read that no case follows."""
        more: bytes | None = None
        try:
            self._cases.put(None)
            if raised[0] is None:
                more = self._answer(_AT_END)
        finally:
            self._process.kill()
            self._process.wait()
            for thread in self._threads:
                thread.join(_AT_END)
            if not any(thread.is_alive() for thread in self._threads):
                self._out.close()
                self._err.close()
        if more:
            raise self._of_more(more)

    def of(self, shape: Shape, *cases: Case) -> Outcome:
        """Let it answer a case, or several queries at once."""
        self.count += 1
        case = self.written(shape, *cases)
        if not self._answers.empty():
            if more := self._answers.get():
                raise self._of_more(more)
            self._answers.put(more)  # it has ended
        self._cases.put(case.encode() + b"\n")
        answer = self._answer(self.time_limit)
        shown_case = case if len(case) <= _LONGEST else f"{case[:_LONGEST]}..."
        if answer is None:
            raise self._error(
                f"no answer within {self.time_limit:g} s to {shown_case}",
                "it must write a line for each that it reads, and flush it; --time-limit, or "
                "time_limit=, allows more",
            )
        if not answer:
            raise self._error(
                self._ending(shown_case), "it must answer every line until its input ends"
            )
        return self._outcome(answer.decode(errors="replace").strip("\ufeff \t\r\n"), shown_case)

    def written(self, shape: Shape, *cases: Case) -> str:
        """Write a case as it is sent."""
        given, named = shape.arguments(cases)
        pairs = zip(shape.words, shape.names, strict=True)
        words = [word.rstrip("[]{}") for word, name in pairs if name is None]
        return json.dumps(dict(zip(words, given, strict=True)) | named)

    def _outcome(self, text: str, case: str) -> Outcome:
        if _NUMBER.fullmatch(text):
            return Outcome(float("nan" if text == "null" else text))
        with suppress(ValueError):
            found = json.loads(text)
            if isinstance(found, dict) and [*found] == ["error"]:
                return Outcome(None, one_line(f"{found['error']}")[:_LONGEST], "ValueError")
        found = shown(text, _LONGEST) if text else "an empty line"
        raise self._error(f"its answer to {case} is {found}", _NEEDED)

    def _answer(self, seconds: float | None) -> bytes | None:
        """Wait for a line; b"" if it ended, None if it took too long."""
        end = None if seconds is None else monotonic() + seconds
        while end is None or monotonic() < end:
            with suppress(Empty):
                return self._answers.get(timeout=_PATIENCE)
        return None

    def _of_more(self, line: bytes) -> ProgramError:
        text = shown(line.decode(errors="replace").rstrip("\r\n"), _LONGEST)
        return self._error(f"it wrote more lines than it was given cases, such as {text}", _NEEDED)

    def _ending(self, case: str) -> str:
        """Say how it ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_AT_END)
        for thread in self._threads[2:]:
            thread.join(_AT_END)
        code = self._process.poll()
        how = "closed its output" if code is None else f"ended with exit code {code}"
        if code is not None and code < 0:
            how = f"was ended by signal {-code}"
        said = b"".join(self._said).decode(errors="replace")
        why = f", and wrote to stderr: {one_line(said.strip())[-_LONGEST:]}" if said.strip() else ""
        return f"it {how} after {counted(self.count - 1, 'answer')}, when it was given {case}{why}"

    def _error(self, found: str, remedy: str) -> ProgramError:
        return ProgramError(found, remedy, where=shlex.join(self._program.words))

    def _write(self) -> None:
        with suppress(OSError), self._in:
            while (case := self._cases.get()) is not None:
                self._in.write(case)
                self._in.flush()

    def _read(self) -> None:
        while line := self._out.readline(_LONGEST_LINE):
            self._answers.put(line)
        self._answers.put(b"")

    def _listen(self) -> None:
        while line := self._err.readline(_LONGEST_LINE):
            self._said.append(line)
