"""The tools that rankmark is measured against, each in an environment of its own."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from inputs import Collection
from process import Command, Server

HERE = Path(__file__).parent
ENVIRONMENTS = HERE / ".envs"
TIMED = HERE / "timed"

# The same four measures, as trec_eval spells them; its RR has no cutoff.
TREC_EVAL_MEASURES = ("ndcg_cut.10", "map", "recip_rank", "recall.100")


class PeerError(Exception):
    """A peer could not be installed."""


@dataclass(frozen=True, slots=True)
class Package:
    """A peer from the package index, at one version."""

    name: str
    version: str
    stem: str
    extra: str = ""

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return self._folder / "bin" / "python"

    @property
    def _folder(self) -> Path:
        return ENVIRONMENTS / self.name

    def install(self) -> None:
        """Make its environment unless the one that is there fits."""
        wanted = f"{self.name}{self.extra}=={self.version}"
        stamp = self._folder / "installed"
        installed = f"{wanted} on Python {sys.version}"
        if stamp.exists() and stamp.read_text() == installed:
            return
        print(f"installing {wanted} ...", file=sys.stderr)
        shutil.rmtree(self._folder, ignore_errors=True)
        try:
            _run(sys.executable, "-m", "venv", self._folder)
            _run(self.python, "-m", "pip", "install", "--quiet", wanted)
        except subprocess.CalledProcessError as error:
            raise PeerError(f"{wanted} does not install: {error.stderr.strip()[-300:]}") from error
        stamp.write_text(installed)

    def files(self, collection: Collection) -> Command:
        """Read a collection's files and evaluate them, in a fresh process."""
        script = TIMED / f"{self.stem}_files.py"
        return Command((str(self.python), str(script), str(collection.qrels), str(collection.run)))

    def server(self, work: str, *arguments: Path | str) -> Server:
        """Start the script that does one named work warm."""
        return Server(self.python, TIMED / f"{self.stem}_{work}.py", *arguments)


@dataclass(frozen=True, slots=True)
class TrecEval:
    """The trec_eval program."""

    program: Path
    name: str = "trec_eval"

    @property
    def version(self) -> str:
        """What it says of itself."""
        said = subprocess.run(
            [self.program, "--version"], capture_output=True, text=True, check=False
        )
        return (said.stdout + said.stderr).strip().removeprefix("trec_eval version ")

    def files(self, collection: Collection) -> Command:
        """Read a collection's files and evaluate them."""
        measures = [word for name in TREC_EVAL_MEASURES for word in ("-m", name)]
        return Command((str(self.program), *measures, str(collection.qrels), str(collection.run)))


Peer = Package | TrecEval

PYTREC_EVAL = Package("pytrec_eval-terrier", "0.5.11", "pytrec_eval")
IR_MEASURES = Package("ir_measures", "0.4.3", "ir_measures")
RANX = Package("ranx", "0.3.21", "ranx")
RECTOOLS = Package("RecTools", "0.19.0", "rectools")
POLARS = Package("polars", "2.1.0", "polars")
REPLAY = Package("replay-rec", "0.22.0", "replay", extra="[spark]")
PYNDEVAL = Package("pyndeval", "0.0.8", "pyndeval")
SCIKIT_LEARN = Package("scikit-learn", "1.9.1", "sklearn")


def _run(*argv: str | Path) -> None:
    subprocess.run(argv, check=True, capture_output=True, text=True)
