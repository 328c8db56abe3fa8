"""Every command under every fault that a system, a user or a file can bring.

make faults                                # the whole matrix, an hour
python -m reliability.faults --only streams --only limits --share 10
"""

from __future__ import annotations

import argparse
import itertools
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reliability.campaign_records import write_record
from reliability.commands_under_fault import Job, jobs, prepare
from reliability.watched_process import Ended, Sent, watched

SCRIPT = Path(sys.executable).with_name("rankmark")
MEMORY = 400 << 20  # bytes that a command on small files may take, matplotlib included
FOUND_BEFORE = b"what was here before\n"
# Root may read and write all; without these rights it is a user like others.
AS_A_USER = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 else []
REFUSED = frozenset({1, 2})
FOUND = [
    "Ctrl-C during the import of modules of the standard library printed a traceback.",
    "When memory ran out while a library was loaded or a thread was started, the message called "
    "this a bug in rankmark; when it ran out before rankmark could report errors, the command "
    "ended with a traceback.",
    "`gate` hung if `--config` was a pipe, and `gate` and `compare` hung if `--by` was one.",
    "An open file as `by`, and JSON scores that were nested too deeply, raised the wrong "
    "exception.",
    "`verify` could overwrite an input that the record names, and `gate` a file that its "
    "configuration names.",
    "`--record` with a link that points to itself was reported as a bug in rankmark.",
]
NOT_COVERED = [
    "If Ctrl-C comes before the first lines of rankmark run, Python prints a traceback.",
    "If a system call fails while Python itself starts, Python prints a message of its own.",
    "If memory is refused to NumPy or SciPy, their OpenBLAS may crash, exit or hang; under some "
    "limits it asks for memory again and again while it is loaded, and only SIGKILL ends it.",
    "SIGKILL may leave temporary files behind.",
    "Systems other than Linux.",
]
NOT_OURS = (
    "Traceback",
    "bug in rankmark",
    "Fatal Python error",
    "Exception ignored",
    "terminate called",
    "Segmentation fault",
)


@dataclass
class Case:
    """One command under one fault.

    Parameters
    ----------
    fault, job, what
        The row of the record, the command, and which of the fault's cases it is.
    arrange
        What to do to the folder first; returns names of files that may be left.
    words
        The words of the command, where they differ from the job's.
    codes
        Exit codes that are right, besides those of success.
    options
        Of ``watched``.
    prefix
        A program that runs the command.
    """

    fault: str
    job: Job
    what: str
    arrange: Callable[[Path], Sequence[str]] = lambda _: ()
    words: Sequence[str] | None = None
    codes: frozenset[int] = REFUSED
    options: Mapping[str, Any] = field(default_factory=dict)
    prefix: Sequence[str] = ()
    memory: int = MEMORY
    is_compared: bool = True


@dataclass
class Row:
    """What became of the cases of one fault."""

    cases: int = 0
    done: int = 0
    refused: int = 0
    ended: int = 0
    not_begun: int = 0
    peak: int = 0
    late: float = 0.0
    wrong: list[str] = field(default_factory=list)


class Campaign:
    """A folder with the inputs, and what each command writes if nothing happens to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.given = folder / "given"
        self.given.mkdir()
        (folder / "home").mkdir(mode=0o777)
        self.env = os.environ | {
            "HOME": str(folder / "home"),
            "MPLCONFIGDIR": str(folder / "home"),
            "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.rows: dict[str, Row] = defaultdict(Row)
        prepare(self.given)
        made = [SCRIPT, "evaluate", "qrels", "a.run", "b.run", "--record", "made.record"]
        assert watched(made, self.given).code == 0
        self.inputs = {path.name: path.read_bytes() for path in self.given.iterdir()}
        self.written: dict[Job, dict[str, bytes]] = {}

    def fresh(self) -> Path:
        """Make a folder with the inputs, and one for temporary files in it."""
        place = self.folder / "case"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.given, place)
        (place / "tmp").mkdir()
        return place

    def undisturbed(self, job: Job) -> dict[str, bytes]:
        """Give what a command writes; None for what differs from run to run, as a date does."""
        if job not in self.written:
            place = self.fresh()
            found: list[dict[str, bytes]] = []
            for _ in range(2 if "record" in str(job) else 1):
                ended = watched([SCRIPT, *job.words], place, env=self.env)
                assert ended.code in job.codes, (str(job), ended)
                found.append({name: (place / name).read_bytes() for name in job.writes})
            self.written[job] = {
                name: data for name, data in found[0].items() if data == found[-1][name]
            }
        return self.written[job]

    def run(self, case: Case) -> Ended:
        """Run a case, and note what became of it."""
        whole = self.undisturbed(case.job) if case.is_compared else {}
        place = self.fresh()
        may_be_left = {*case.arrange(place)}
        words = case.job.words if case.words is None else case.words
        env = self.env | {"TMPDIR": str(place / "tmp")}
        ended = watched([*case.prefix, SCRIPT, *words], place, **{"env": env, **case.options})
        row = self.rows[case.fault]
        row.cases += 1
        row.peak = max(row.peak, ended.peak)
        row.late = max(row.late, ended.late)
        # First, as Python ends with 1, which is also what some commands end with when they succeed.
        if ended.code and _never_began(ended):
            row.not_begun += 1
            return ended
        if ended.code in case.job.codes:
            row.done += 1
        elif ended.code > 0 and ended.code < 128:
            row.refused += 1
        else:
            row.ended += 1
        wrong = [*self._wrong(case, ended, place, whole, may_be_left)]
        for one in wrong:
            line = f"{case.job} [{case.fault}: {case.what}]: {one}"
            row.wrong.append(line)
            print("WRONG", line, flush=True)
        return ended

    def _wrong(  # noqa: PLR0912  (one branch for each thing that may be wrong)
        self, case: Case, ended: Ended, place: Path, whole: Mapping[str, bytes], left: set[str]
    ) -> Iterator[str]:
        if ended.hung:
            yield "hangs"
            return
        is_killed = ended.code == -signal.SIGKILL and -signal.SIGKILL in case.codes
        if ended.code not in case.codes | case.job.codes:
            yield f"exit code {ended.code}, {ended.err[-300:]!r}"
        if any(sign in ended.err for sign in NOT_OURS):
            yield f"message {ended.err[-700:]!r}"
        is_heard = "stderr" not in case.options and 2 not in case.options.get("closed", ())
        is_told = case.job.command in {"check", "verify"} and ended.out
        if is_heard and ended.code in REFUSED and not is_told and not _is_told(ended.err):
            yield f"exit code {ended.code} and no message but {ended.err!r}"
        if ended.peak > case.memory:
            yield f"took {ended.peak >> 20} MiB"
        if ended.late > 1:
            yield f"lived on for {ended.late:.2f} s"
        for name in case.job.writes:
            path = place / name
            if not path.is_file() or name in left:
                if ended.code in case.job.codes and name not in left and case.words is None:
                    yield f"{name} is missing"
                continue
            data = path.read_bytes()
            if data == FOUND_BEFORE and ended.code not in case.job.codes:
                continue
            if name in whole and data != whole[name]:
                yield f"{name} holds {len(data)} bytes instead of {len(whole[name])}"
        for path in (*place.iterdir(), *(place / "tmp").iterdir()):
            known = {*self.inputs, *case.job.writes, *left, "tmp"}
            if path.name not in known and not (is_killed and path.name.startswith((".", "tmp"))):
                yield f"{path.name} is left"
        for name, data in self.inputs.items():
            if name not in left and (place / name).read_bytes() != data:
                yield f"the input {name} has changed"


def _never_began(ended: Ended) -> bool:
    """Say whether Python itself, or a library that it loads, could not start."""
    if "KeyboardInterrupt" in ended.err and "in main" not in ended.err:
        return True  # in the lines that import rankmark.commands
    signs = (
        "Fatal Python error: init",
        "Failed checking if argv[0]",
        "error while loading shared libraries",
        "OpenBLAS error",
        "cannot allocate memory for thread-local data",
    )
    return any(sign in ended.err for sign in signs)


def _is_told(err: str) -> bool:
    return any(sign in err for sign in ("rankmark: ", "Error: ", "trec_eval"))


Cases = Iterator[Case]
MEBIBYTES = (*range(20, 180, 10), 200, 260, 340, 450, 700)
ALL = jobs()
WRITERS = [job for job in ALL if job.writes]
TO_STDOUT = [job for job in ALL if not job.writes and "-o" not in job.words]
# One of each command, and of each way to write.
ONE_EACH = [next(group) for _, group in itertools.groupby(ALL, lambda job: job.command)]
READERS = [job for job in ONE_EACH if job.reads]


def one_writer_each() -> list[Job]:
    """Give a command for each function that writes a file."""
    return [next(group) for _, group in itertools.groupby(WRITERS, lambda job: job.command)]


# What is written.


def full_disk(campaign: Campaign) -> Cases:
    """The disk takes so many bytes and no more."""
    for job in WRITERS:
        size = max(map(len, campaign.undisturbed(job).values()), default=2000)
        parts = 12 if job.command == "convert" else 3
        for room in sorted({0, 1, size - 1, *(size * part // parts for part in range(parts))}):
            limits = {resource.RLIMIT_FSIZE: room}
            yield Case(
                "full disk, after n bytes", job, f"{room} of {size}", options={"limits": limits}
            )


def _injected(what: str) -> list[str]:
    trace = what.partition(":")[0]
    return [
        "strace",
        "-f",
        "-qq",
        "-o",
        "tmp/trace",
        "-e",
        f"trace={trace}",
        "-e",
        f"inject={what}",
    ]


def _existing(job: Job) -> Callable[[Path], Sequence[str]]:
    def arrange(place: Path) -> Sequence[str]:
        for name in job.writes:
            (place / name).write_bytes(FOUND_BEFORE)
        return ["trace"]

    return arrange


def failing_calls(_: Campaign) -> Cases:
    """The n-th system call that writes fails."""
    if shutil.which("strace") is None:
        return
    failures = {
        "write": ("ENOSPC", "EIO", "EINTR"),
        "chmod": ("EPERM",),
        "rename": ("EXDEV",),
        "close": ("EIO",),
        "openat": ("EMFILE", "EINTR"),
    }
    for at, job in enumerate(WRITERS):
        for call, errors in failures.items():
            if call in {"close", "openat"} and job not in one_writer_each():
                continue
            numbers = {"write": range(1, 7), "openat": (600, 400, 300, 200, 150)}.get(
                call, (1, 2, 3)
            )
            if call == "close":
                numbers = range(1, 400, 13)
            for number in numbers:
                error = errors[(at + number) % len(errors)]
                what = f"{call}:error={error}:when={number}"
                yield Case(
                    "a system call fails, the n-th in turn",
                    job,
                    what,
                    _existing(job),
                    prefix=_injected(what),
                    codes=frozenset({0, 1}),
                    is_compared=call != "openat",
                )


def signals_at_writes(_: Campaign) -> Cases:
    """A signal comes with the n-th system call that writes."""
    if shutil.which("strace") is None:
        return
    names = ("SIGTERM", "SIGHUP", "SIGINT", "SIGKILL")
    every = one_writer_each()
    for at, job in enumerate(WRITERS):
        for call, number in (("write", 1), ("write", 2), ("write", 5), ("chmod", 1), ("rename", 1)):
            for name in names if job in every else names[at % 4 : at % 4 + 1]:
                what = f"{call}:signal={name}:when={number}"
                yield Case(
                    f"{name} while it writes",
                    job,
                    what,
                    _existing(job),
                    prefix=_injected(what),
                    codes=_codes_of(name),
                )


def _codes_of(name: str) -> frozenset[int]:
    number = int(getattr(signal, name))
    return frozenset({-number, 128 + number})


def signals_at_moments(campaign: Campaign) -> Cases:
    """A signal comes at any moment from the start to the end."""
    for job in ONE_EACH:
        start = time.monotonic()
        watched([SCRIPT, *job.words], campaign.fresh(), env=campaign.env)
        took = time.monotonic() - start
        for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"):
            for part in range(8):
                moment = 0.06 + took * part / 8
                sent = Sent(getattr(signal, name), moment)
                yield Case(
                    f"{name} at any moment",
                    job,
                    f"after {moment:.2f} s",
                    options={"sent": sent},
                    codes=_codes_of(name),
                )


def streams(_: Campaign) -> Cases:
    """Standard streams that are closed, full or left by their reader."""
    for job in TO_STDOUT:
        yield Case("stdout closed", job, ">&-", options={"closed": (1,)}, codes=frozenset({0, 1}))
        yield Case("stderr closed", job, "2>&-", options={"closed": (2,)})
        with Path("/dev/full").open("wb") as full:
            code = frozenset({1, 8})  # 8 is trec_eval's
            yield Case(
                "stdout on a full disk",
                job,
                ">/dev/full",
                options={"streams": {"stdout": full}},
                codes=code,
            )
            yield Case(
                "stderr on a full disk",
                job,
                "2>/dev/full",
                options={"streams": {"stderr": full}},
                codes=code,
            )
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            yield Case(
                "stdout closed by its reader (SIGPIPE)",
                job,
                "| true",
                options={"streams": {"stdout": pipe}},
            )
    for job in ONE_EACH:
        yield Case(
            "all streams closed",
            job,
            "<&- >&- 2>&-",
            options={"closed": (0, 1, 2)},
            codes=frozenset({0, 1, 2}),
        )


def outputs_that_cannot_be(_: Campaign) -> Cases:
    """Paths to write to that are something else, or an input."""

    def loop(place: Path) -> Sequence[str]:
        (place / "target").symlink_to("target")
        return ["target"]

    def folder(place: Path) -> Sequence[str]:
        (place / "target").mkdir()
        return ["target"]

    def hard_link(place: Path) -> Sequence[str]:
        os.link(
            place / "qrels" if (place / "qrels").exists() else place / "a.run", place / "target"
        )
        return ["target"]

    def soft_link(place: Path) -> Sequence[str]:
        (place / "target").symlink_to("a.run")
        return ["target"]

    def unattended(place: Path) -> Sequence[str]:  # a FIFO whose reader leaves after a byte
        os.mkfifo(place / "target")
        threading.Thread(target=_read_a_little, args=(place / "target",), daemon=True).start()
        return ["target"]

    def read_only(place: Path) -> Sequence[str]:
        (place / "closed").mkdir(mode=0o555)
        return ["closed", "target"]

    def socket_there(place: Path) -> Sequence[str]:
        there = Path.cwd()
        os.chdir(place)  # the path of a socket is short
        with socket.socket(socket.AF_UNIX) as one:
            one.bind("target")
        os.chdir(there)
        return ["target"]

    ways: dict[str, tuple[str, Callable[[Path], Sequence[str]], dict[str, Any]]] = {
        "a directory": ("target", folder, {}),
        "a folder that is missing": ("no/such/target", lambda _: (), {}),
        "beneath a file": ("qrels/target", lambda _: (), {}),
        "a link to itself": ("target", loop, {}),
        "a name of 300 letters": ("x" * 300, lambda _: (), {}),
        "a name of nothing": ("", lambda _: (), {}),
        "a full device": ("/dev/full", lambda _: (), {}),
        "a link to an input": ("target", soft_link, {}),
        "an input under another name": ("target", hard_link, {}),
        "a pipe whose reader leaves": ("target", unattended, {}),
        "a folder that takes nothing": ("closed/target", read_only, {}),
        "a socket": ("target", socket_there, {}),
        "/proc": ("/proc/target", lambda _: (), {}),
    }
    for job in one_writer_each():
        for name in job.writes:
            for what, (path, arrange, options) in ways.items():
                words = [path if word == name else word for word in job.words]
                if job.command == "convert":
                    words += ["--to", "trec"]
                codes = REFUSED | ({0} if what in {"a pipe whose reader leaves"} else set())
                if what == "an input under another name" and "qrels" not in job.reads:
                    continue
                prefix = AS_A_USER if "takes nothing" in what else ()
                yield Case(
                    "an output that cannot be written",
                    job,
                    what,
                    arrange,
                    words,
                    codes,
                    options,
                    prefix,
                )
            for read in job.reads:
                words = [read if word == name else word for word in job.words]
                yield Case("an output that is an input", job, read, words=words)


def _read_a_little(path: Path) -> None:
    with suppress(OSError), path.open("rb", buffering=0) as pipe:
        pipe.read(1)


# What is read.


def inputs_that_cannot_be(campaign: Campaign) -> Cases:
    """Files to read that are something else."""

    def replaced(name: str, make: Callable[[Path], object]) -> Callable[[Path], Sequence[str]]:
        def arrange(place: Path) -> Sequence[str]:
            (place / name).unlink()
            make(place / name)
            return [name]

        return arrange

    def fifo(share: float) -> Callable[[Path], None]:
        def make(path: Path) -> None:
            data = campaign.inputs[path.name]
            os.mkfifo(path)
            threading.Thread(
                target=_write_to, args=(path, data[: int(len(data) * share)]), daemon=True
            ).start()

        return make

    def unreadable(path: Path) -> None:
        path.write_bytes(b"")
        path.chmod(0)

    def bound(path: Path) -> None:
        there = Path.cwd()
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
        os.chdir(there)

    ways: dict[str, Callable[[Path], object]] = {
        "missing": lambda _: None,
        "empty": Path.touch,
        "a directory": Path.mkdir,
        "a link to itself": lambda path: path.symlink_to(path.name),
        "a link to nothing": lambda path: path.symlink_to("nothing"),
        "/dev/null": lambda path: path.symlink_to("/dev/null"),
        "/dev/zero": lambda path: path.symlink_to("/dev/zero"),
        "/dev/full": lambda path: path.symlink_to("/dev/full"),
        "/dev/stdin": lambda path: path.symlink_to("/dev/stdin"),
        "/proc/self/mem": lambda path: path.symlink_to("/proc/self/mem"),
        "a socket": bound,
        "a pipe": fifo(1.0),
        "a pipe whose writer leaves half-way": fifo(0.5),
        "a file that nobody may read": unreadable,
        "10 MB of zeros": lambda path: path.write_bytes(bytes(10_000_000)),
        "10 MB without a line break": lambda path: path.write_bytes(b"x" * 10_000_000),
        "the bytes of a program": lambda path: shutil.copy(sys.executable, path),
    }
    for job in READERS:
        for name in job.reads:
            for what, make in ways.items():
                prefix = AS_A_USER if "nobody may read" in what else ()
                codes = REFUSED | {0, 3} if job.command in {"check", "verify"} else REFUSED | {0}
                yield Case(
                    "an input that cannot be read",
                    job,
                    f"{name}: {what}",
                    replaced(name, make),
                    codes=codes | {4, 7},
                    prefix=prefix,
                    is_compared=False,
                )


def _write_to(path: Path, data: bytes) -> None:
    with suppress(OSError), path.open("wb") as pipe:
        pipe.write(data)


def inputs_that_change(campaign: Campaign) -> Cases:
    """Files that grow, shrink, vanish or are replaced, over and over, while they are read."""

    def changer(name: str, how: str) -> Callable[[int], None]:
        path, data = campaign.folder / "case" / name, campaign.inputs[name]

        def act(pid: int) -> None:
            end = time.monotonic() + 5
            while time.monotonic() < end and not _is_over(pid):
                with suppress(OSError):
                    if how == "grows":
                        with path.open("ab") as file:
                            file.write(data[: len(data) // 3])
                    elif how == "shrinks":
                        os.truncate(path, path.stat().st_size * 2 // 3)
                    elif how == "vanishes":
                        path.unlink()
                        time.sleep(0.003)
                        path.write_bytes(data)
                    else:
                        new = path.with_name("new")
                        new.write_bytes(data[::-1] if time.monotonic_ns() % 2 else data)
                        new.replace(path)
                time.sleep(0.001)

        return act

    for job in READERS:
        for name in job.reads:
            for how in ("grows", "shrinks", "vanishes", "replaced"):
                yield Case(
                    "an input that changes while it is read",
                    job,
                    f"{name} {how}",
                    lambda _, name=name: [name, "new", "out"],
                    codes=frozenset({0, 1, 2, 3, 4, 7}),
                    options={"beside": changer(name, how)},
                    is_compared=False,
                )


def _is_over(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def limits(_: Campaign) -> Cases:
    """Little memory, few files, a small stack."""
    numpy = {
        mebibytes: watched(
            [sys.executable, "-c", "import numpy"],
            Path(),
            limits={resource.RLIMIT_AS: mebibytes << 20},
        )
        for mebibytes in MEBIBYTES
    }
    for job in ONE_EACH:
        for mebibytes in MEBIBYTES:
            # NumPy crashes where memory ends while it is loaded.
            crash = {numpy[mebibytes].code} if numpy[mebibytes].code < 0 else set()
            yield Case(
                "little memory (ulimit -v)",
                job,
                f"{mebibytes} MiB",
                options={"limits": {resource.RLIMIT_AS: mebibytes << 20}},
                codes=frozenset({1, 2, 4} | crash),
                is_compared=False,
            )
        for files in (3, 4, 5, 6, 7, 8, 10, 14):
            yield Case(
                "few open files (ulimit -n)",
                job,
                f"{files}",
                options={"limits": {resource.RLIMIT_NOFILE: files}},
                codes=frozenset({1, 2}),
                is_compared=False,
            )
        for kibibytes in (256, 512, 1024):
            yield Case(
                "a small stack (ulimit -s)",
                job,
                f"{kibibytes} KiB",
                options={"limits": {resource.RLIMIT_STACK: kibibytes << 10}},
                codes=frozenset({1}),
                is_compared=False,
            )


def interrupted_starts(_: Campaign) -> Cases:
    """Ctrl-C in the first moments, which belong to Python."""
    job = ONE_EACH[0]
    for milliseconds in range(0, 160, 2):
        yield Case(
            "Ctrl-C while the program starts",
            job,
            f"after {milliseconds} ms",
            options={"sent": Sent(signal.SIGINT, milliseconds / 1000)},
            codes=_codes_of("SIGINT"),
        )


FAULTS: list[Callable[[Campaign], Cases]] = [
    full_disk,
    failing_calls,
    signals_at_writes,
    signals_at_moments,
    streams,
    outputs_that_cannot_be,
    inputs_that_cannot_be,
    inputs_that_change,
    limits,
    interrupted_starts,
]


def main() -> int:
    """Go through the matrix, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    names = [fault.__name__ for fault in FAULTS]
    parser.add_argument("--only", action="append", choices=names)
    parser.add_argument("--share", type=int, default=1, help="run every n-th case")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        campaign = Campaign(Path(folder))
        for fault in FAULTS:
            if chosen.only and fault.__name__ not in chosen.only:
                continue
            begun = time.monotonic()
            count = 0
            for case in itertools.islice(fault(campaign), 0, None, chosen.share):
                campaign.run(case)
                count += 1
            print(f"{fault.__name__}: {count} cases, {time.monotonic() - begun:.0f} s", flush=True)
    for name, row in campaign.rows.items():
        print(f"{name}: {row.cases} cases, {len(row.wrong)} wrong")
    if not chosen.only:
        _write_record(campaign, chosen.share)
    return 1 if any(row.wrong for row in campaign.rows.values()) else 0


def _extent(share: int) -> str:
    if share == 1:
        return "every case"
    ending = (
        "th" if share % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(share % 10, "th")
    )
    return f"every {share}{ending} case"


def _write_record(campaign: Campaign, share: int) -> None:
    cases = sum(row.cases for row in campaign.rows.values())
    write_record(
        "faults",
        promise="When a write, a read or a system call fails, or a signal arrives, a command ends "
        "with a documented exit code or by that signal. It prints an error message of its own and "
        "leaves each output file either complete or unchanged.",
        method=f"Each fault is combined with those of {len(ALL)} commands that it concerns, which "
        "cover all formats; each case runs in a process of its own. Afterwards its exit code, "
        "messages, outputs, inputs, temporary files, memory and time are checked. "
        f"This run covers {_extent(share)}: {cases} cases. "
        "A case that counts as wrong also counts in one of the columns to its left.",
        command="make faults" + (f" SHARE={share}" if share > 1 else ""),
        columns=[
            *("fault", "cases", "succeeded", "refused with a message", "ended by the signal"),
            *("failed before rankmark started", "wrong", "peak MiB"),
            "seconds to end after the signal",
        ],
        rows=[
            [
                *(name, row.cases, row.done, row.refused, row.ended),
                *(row.not_begun, len(row.wrong), row.peak >> 20, round(row.late, 2)),
            ]
            for name, row in campaign.rows.items()
        ],
        found=FOUND,
        not_covered=NOT_COVERED,
    )


if __name__ == "__main__":
    sys.exit(main())
