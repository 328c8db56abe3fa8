"""Change the formulas one operator at a time, and count the changes that the tests notice.

A mutant is a module of measures/ or data/alignment/ with one change in a function: ``<`` becomes
``<=``, ``+`` becomes ``-``, 1 becomes 2, a condition is negated. A mutant is tried on the tests
that execute the changed line until one fails: first those of the files that are named for the
module or have noticed another change of it, then all others, the fastest first. What no test
notices is listed: it is a missing test, or a change without effect, which ``without_effect.toml``
explains.

    make mutants TRIED=500

Each outcome is written to ``build/mutants/outcomes.jsonl`` at once, and a campaign that was
interrupted goes on where it ended. An outcome holds while the functions of the module and the tests
that it was found with are as they were: after a change of tests, only what survived is tried again,
on the tests that changed.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

import pytest

from reliability.campaign_records import write_record
from reliability.executed_lines import PACKAGES, ExecutedLines, executed_lines, modules_of
from reliability.source_mutants import (
    Mutant,
    digest_of_functions,
    import_changed,
    mutants_of,
)

ROOT = Path(__file__).resolve().parents[2]
OUTCOMES = ROOT / "build" / "mutants" / "outcomes.jsonl"
WITHOUT_EFFECT = Path(__file__).with_name("without_effect.toml")
LIBRARIES = ("numpy", "scipy.special", "scipy.stats")
"""What most tests import, imported once for all processes; they start no threads."""
SECONDS = 30
"""After which a test, in addition to ten times what it usually takes, counts as failed."""
SECONDS_OF_LIKELY_TESTS = 10
MEMORY = 16 << 30
"""Bytes of address space that a changed formula may take."""
COLLECTION = "the collection of tests"
FOUND = (
    "A measure made with rm.Own could not be shown in a notebook.",
    "SetF(beta=4), unlike SetF(beta=4.0), was not read as ir_measures means it.",
    "Tests were lacking for contributions to some variants of a measure, for costs and totals of "
    "user models, for the limits of parameters and for orders of ties.",
)
NOT_COVERED = (
    "Two wrong places at once, a line that is missing, and a wrong declaration outside a function.",
)


@dataclass
class Outcome:
    """What became of a mutant: the test that noticed it, or the files of tests that did not.

    ``module`` is the digest of the module's functions; ``tests`` holds those of the file that
    noticed the mutant or of the files that passed.
    """

    path: str
    number: int
    module: str
    noticed_by: str = ""
    tests: dict[str, str] = field(default_factory=dict)

    def open_tests(self, tests: Iterable[str], lines: ExecutedLines) -> set[str]:
        """List the tests that may find something else now than this outcome says."""
        if self.noticed_by in {COLLECTION, *lines.seconds} and self.is_of_the_same_tests(lines):
            return set()
        passed = {} if self.noticed_by else self.tests
        return {t for t in tests if passed.get(file_of(t)) != lines.digests[file_of(t)]}

    def is_of_the_same_tests(self, lines: ExecutedLines) -> bool:
        """Say whether the files of tests are as they were."""
        return all(lines.digests.get(file) == told for file, told in self.tests.items())


def file_of(test: str) -> str:
    """Give the file that holds a test."""
    return test.partition("::")[0]


class Outcomes:
    """The outcomes that are known, and the file that they are appended to."""

    def __init__(self, lines: ExecutedLines) -> None:
        self.lines = lines
        self.modules = {
            str(path.relative_to(ROOT)): digest_of_functions(path)
            for name in PACKAGES
            for path in modules_of(name)
        }
        self.known: dict[tuple[str, int], Outcome] = {}
        self.noticing: dict[str, Counter[str]] = defaultdict(Counter)
        if OUTCOMES.exists():
            for line in OUTCOMES.read_text("utf-8").splitlines():
                self.keep(Outcome(**json.loads(line)))

    def keep(self, outcome: Outcome) -> None:
        """Keep an outcome, unless it belongs to a module that has changed."""
        if self.modules.get(outcome.path) == outcome.module:
            self.known[outcome.path, outcome.number] = outcome
            if outcome.noticed_by:
                self.noticing[outcome.path][file_of(outcome.noticed_by)] += 1

    def of(self, mutant: Mutant) -> Outcome:
        """Give the outcome of a mutant, which is tried where that is not known."""
        nothing = Outcome(mutant.path, mutant.number, self.modules[mutant.path])
        known = self.known.get((mutant.path, mutant.number), nothing)
        tests = self.lines.tests_of(mutant.path, mutant.lines)
        waiting = known.open_tests(tests, self.lines)
        if not waiting:
            return known
        found = nothing
        for batch in self.batches(mutant, waiting):
            found.noticed_by = failing_test(mutant, batch, self.lines.seconds)
            if found.noticed_by:
                break
        files = {file_of(test) for test in ([found.noticed_by] if found.noticed_by else tests)}
        found.tests = {f: self.lines.digests[f] for f in sorted(files - {COLLECTION})}
        self.keep(found)
        with OUTCOMES.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(found)) + "\n")
        return found

    def survived(self, mutant: Mutant) -> bool:
        """Say whether a mutant was tried, and no test noticed it."""
        known = self.known.get((mutant.path, mutant.number))
        return known is not None and not known.noticed_by

    def batches(self, mutant: Mutant, tests: set[str]) -> Iterator[list[str]]:
        """Give the tests that are likely to notice a mutant, and then the others."""
        stem = Path(mutant.path).stem
        named = re.compile(rf"(?<![a-z0-9]){stem}(?![a-z0-9])", re.IGNORECASE)
        likely_files = {file for file, _ in self.noticing[mutant.path].most_common(3)}
        in_order = sorted(tests, key=lambda test: self.lines.seconds[test])
        likely, taken = [], 0.0
        for test in in_order:
            if named.search(test) or file_of(test) in likely_files:
                taken += self.lines.seconds[test]
                if taken > SECONDS_OF_LIKELY_TESTS:
                    break
                likely.append(test)
        others = sorted(tests.difference(likely), key=lambda test: self.lines.seconds[test])
        return filter(None, iter((likely, others)))


def failing_test(mutant: Mutant | None, tests: Collection[str], seconds: dict[str, float]) -> str:
    """Run tests in a process that imports the mutant, and name the one that fails, or nothing."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as started:
        child = os.fork()
        if not child:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            code = 1
            with contextlib.suppress(BaseException):
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                signal.alarm(10 * SECONDS)  # while tests are collected
                if mutant:
                    import_changed(mutant)
                files = sorted({file_of(test) for test in tests})
                options = ["-x", "-q", "-p", "no:cacheprovider"]
                code = pytest.main([*options, *files], [Chosen(tests, seconds, started)])
            os._exit(int(code))
        _, status = os.waitpid(child, 0)
        if not status:
            return ""
        if os.waitstatus_to_exitcode(status) == pytest.ExitCode.NO_TESTS_COLLECTED:
            sys.exit(f"none of these tests was found: {', '.join(tests)}")
        started.seek(0)
        return (started.read().splitlines() or [COLLECTION])[-1]


class Chosen:
    """Runs the tests that execute a line in their order, writes what it runs, and limits each."""

    def __init__(self, tests: Collection[str], seconds: dict[str, float], started: TextIO) -> None:
        self.order = {test: place for place, test in enumerate(tests)}
        self.seconds, self.started = seconds, started

    def pytest_configure(self) -> None:
        """Have Hypothesis stop at the first example that fails, and take its time until then."""
        from hypothesis import HealthCheck, Phase, settings  # pytest must be the first to import it

        settings.register_profile(
            "unshrunk",
            settings(),
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=[HealthCheck.too_slow],
            database=None,
        )
        settings.load_profile("unshrunk")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep what was chosen."""
        chosen = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(chosen, key=lambda item: self.order[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Write which test begins, and give it some time."""
        self.started.write(f"{nodeid}\n")
        self.started.flush()
        signal.alarm(SECONDS + int(10 * self.seconds[nodeid]))


def try_mutants(tried: int, seed: int, only: str, *, survivors: bool) -> None:
    """Try a sample of the mutants, print those that no test notices, and write the record."""
    lines = executed_lines()
    outcomes = Outcomes(lines)
    every = [m for path in outcomes.modules if only in path for m in mutants_of(ROOT / path)]
    sample = sorted(every, key=lambda mutant: drawn(mutant, seed))[:tried]
    if survivors:
        sample = [mutant for mutant in sample if outcomes.survived(mutant)]
    for name in LIBRARIES:
        importlib.import_module(name)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    noticing: set[str] = set()
    explained = tomllib.loads(WITHOUT_EFFECT.read_text("utf-8"))
    for number, mutant in enumerate(sample, 1):
        noticed = outcomes.of(mutant).noticed_by
        noticing |= {noticed} & lines.seconds.keys()
        why = explained.get(mutant.path, {}).get(mutant.change)
        outcome = "noticed" if noticed else "without effect" if why else "survives"
        counts[package_of(mutant)][outcome] += 1
        if outcome == "survives":
            found = "survives" if lines.tests_of(mutant.path, mutant.lines) else "is never executed"
            print(f"{number}/{len(sample)} {found}: {mutant}", flush=True)
    if failing := failing_test(None, noticing, lines.seconds):
        sys.exit(f"a test fails without any change: {failing}")
    possible = Counter(package_of(mutant) for mutant in every)
    kinds = ("noticed", "without effect", "survives")
    rows = [
        [name, possible[name], counts[name].total(), *(counts[name][kind] for kind in kinds)]
        for name in sorted(counts)
    ]
    for row in rows:
        print(*row)
    if not (only or survivors):
        write_record(
            "mutants_of_formulas",
            promise="A wrong operator, number or condition in a formula makes a test fail.",
            method="One change at a time in functions of measures/ and data/alignment/: comparing, "
            "arithmetic, numbers, conditions. The tests that execute the line are run; a random "
            "sample of all possible changes is tried. A change without effect is one that no input "
            "can show, or of a bound whose exact number nothing promises; each is explained in "
            "tests/reliability/without_effect.toml.",
            command=f"make mutants TRIED={tried}",
            columns=["package", "possible", "tried", *kinds],
            rows=rows,
            found=FOUND,
            not_covered=NOT_COVERED,
        )


def drawn(mutant: Mutant, seed: int) -> bytes:
    """Give the place of a mutant in the random order of a seed, whatever else there is to draw."""
    return hashlib.sha256(f"{seed} {mutant.path} {mutant.number}".encode()).digest()


def package_of(mutant: Mutant) -> str:
    """Give the package that a mutant belongs to, as measures/ or measures/base/."""
    return f"{Path(mutant.path).relative_to('src/rankmark').parent}/"


def main() -> None:
    """Try mutants, print those that no test notices, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tried", type=int, default=500, help="how many mutants to try")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--only", default="", help="only files whose path contains this")
    parser.add_argument(
        "--survivors", action="store_true", help="only those that no test noticed before"
    )
    parser.add_argument("--afresh", action="store_true", help="forget all that earlier runs found")
    asked = parser.parse_args()
    if asked.afresh:
        shutil.rmtree(OUTCOMES.parent, ignore_errors=True)
    try_mutants(asked.tried, asked.seed, asked.only, survivors=asked.survivors)


if __name__ == "__main__":
    main()
