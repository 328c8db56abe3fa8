"""`with_atheris.py GROUP [CORPUS] [-max_total_time=60 ...]`: fuzz what Python reads.

Files of one of `GROUPS` are read by every verb in turn, and what they come to must be as in
`damaged_files.py`. Which lines of rankmark a file reaches guides what is tried next. Needs atheris.
The files of `damaged_kinds.py` are added to the corpus. An input is a byte that chooses the kind of
file, one that chooses the verb, and the file.
"""

import importlib
import pkgutil
import random
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import atheris
from damaged_kinds import GROUPS, TYPES, Example, damages_of, example
from damages import damaged

READERS = {
    "names of measures": "rankmark.measures",
    "gate file": "rankmark.verbs.gate",
    "record": "rankmark.verbs.verify",
}
"""The package that reads the files of a group, if it is not `rankmark.data`."""
ACCEPTED = ("refused", "same numbers", "other numbers")


def watch(package: str) -> None:
    """Have the lines of a package guide what is tried; to watch all of them takes a minute."""
    with atheris.instrument_imports(include=[package]):
        import rankmark  # noqa: F401

        whole = importlib.import_module(package)
        for module in pkgutil.walk_packages(whole.__path__, f"{package}."):
            importlib.import_module(module.name)


def seeds(group: str) -> dict[str, bytes]:
    """Give whole files of a group, by a name for each."""
    from damaged_files import turns_of

    found = {}
    for number, kind in enumerate(GROUPS[group]):
        for choice, ids in enumerate(TYPES):
            verbs = turns_of(kind)
            verb = choice % len(verbs)
            whole = example(kind, ids, "qrels" if verbs[verb] == "judge" else "run")
            found[f"{kind} {ids}".replace(" ", "-")] = bytes((number, verb)) + whole.data
    return found


def main() -> None:
    """Fuzz one group."""
    group = sys.argv.pop(1)
    kinds = GROUPS[group]
    watch(READERS.get(group, "rankmark.data"))

    from damaged_files import DifferentNumbersError, given, outcome, turns_of

    suffixes = {kind: example(kind, TYPES[0], "run").suffix for kind in kinds}
    warnings.simplefilter("ignore")
    corpus = Path(sys.argv[-1])
    if corpus.is_dir():
        for name, data in seeds(group).items():
            (corpus / name).write_bytes(data)
    directory = tempfile.TemporaryDirectory()
    folder = Path(directory.name)

    def read(data: bytes) -> None:
        if len(data) < 2:
            return
        kind = kinds[data[0] % len(kinds)]
        verbs = turns_of(kind)
        file = Example(data[2:], suffixes[kind])
        found = given(file, verbs[data[1] % len(verbs)], folder)
        told, said = outcome(found, None)
        if told not in ACCEPTED:
            raise found if isinstance(found, BaseException) else DifferentNumbersError(said)

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        """Half of the time, damage a file as it hurts; else as libFuzzer thinks."""
        dice = random.Random(seed)
        if dice.random() < 0.5 or len(data) < 3:
            return bytes(atheris.Mutate(data, most))
        kind = kinds[data[0] % len(kinds)]
        other = example(kind, dice.choice(TYPES), "run").data
        first = bytes((data[0], dice.randrange(256) if dice.random() < 0.2 else data[1]))
        return (first + damaged(data[2:], other, damages_of(kind), dice))[:most]

    options: dict[str, Any] = {"custom_mutator": mutated}
    atheris.Setup(sys.argv, read, **options)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
