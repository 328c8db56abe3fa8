"""What every row needs: the inputs, the peers that are there, how often to run."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from inputs import Collection, Inputs
from peers import PYTREC_EVAL, TIMED, Package, Peer, PeerError, TrecEval
from process import Command, Server

MEASURES = ("nDCG@10", "AP", "RR@10", "R@100")

# Half a unit in the fourth decimal, which is as far as anyone prints.
TOLERANCE = 5e-5


@dataclass(frozen=True, slots=True)
class SparkSizes:
    """How large the work in Spark is."""

    rows: int = 5_000_000
    partitions: int = 8
    memory: str = "6g"
    works: tuple[str, ...] = ()  # the scripts to run; all if empty


@dataclass(slots=True)
class Bench:
    """One run of the benchmark."""

    inputs: Inputs
    runs: int
    tenfold: bool
    trec_eval: TrecEval | None
    spark: SparkSizes = SparkSizes()
    record: bool = (
        False  # are the instructions counted now those that later ones are compared with?
    )
    notes: list[str] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    _missing: set[str] = field(default_factory=set)

    def has(self, peer: Peer) -> bool:
        """Say whether a peer takes part, installing it when first asked."""
        if peer.name in self.versions or peer.name in self._missing:
            return peer.name in self.versions
        try:
            if isinstance(peer, Package):
                peer.install()
        except PeerError as error:
            self._missing.add(peer.name)
            self.note(f"{peer.name} takes no part: {error}")
            return False
        self.versions[peer.name] = peer.version
        return True

    def reference(self) -> Peer | None:
        """Return trec_eval, or pytrec_eval-terrier where it stands in, or nothing."""
        peer: Peer = self.trec_eval or PYTREC_EVAL
        if not self.trec_eval:
            self.note(f"{peer.name} stands in for trec_eval, which was not found")
        return peer if self.has(peer) else None

    def can_import(self, module: str) -> bool:
        """Say whether rankmark's own environment has a library, noting where it has not."""
        if find_spec(module) is not None:
            return True
        self.note(f"{module} is not installed beside rankmark, so what needs it is not measured")
        return False

    def compare(
        self, inputs: str, ours: Mapping[str, float], peer: str, theirs: Mapping[str, float]
    ) -> None:
        """Say below the table whether a peer's means agree with ours on the same inputs."""
        apart = [name for name, mean in theirs.items() if abs(ours[name] - mean) > TOLERANCE]
        verdict = f"{', '.join(apart)} DIFFER from" if apart else f"{', '.join(theirs)} agree with"
        self.note(f"{inputs}: the means of {verdict} those of {peer}")

    def note(self, line: str) -> None:
        """Say something once below the table."""
        if line not in self.notes:
            self.notes.append(line)


def program() -> str:
    """Return the path of this environment's `rankmark`."""
    return str(Path(sys.executable).with_name("rankmark"))


def evaluate(collection: Collection, *options: str, measures: Sequence[str] = MEASURES) -> Command:
    """Evaluate a collection's files by the command line, in a fresh process."""
    asked = [word for name in measures for word in ("-m", name)]
    return Command(
        (program(), "evaluate", str(collection.qrels), str(collection.run), *asked, *options)
    )


def server(work: str, *arguments: Path | str) -> Server:
    """Start the script that has rankmark do one named work warm."""
    return Server(sys.executable, TIMED / f"rankmark_{work}.py", *arguments)
