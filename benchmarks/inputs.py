"""The files that the benchmark reads: where they lie, what they hold, who makes them."""

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from process import Command

HERE = Path(__file__).parent
CHUNK = 1 << 20


class RoomError(Exception):
    """The disk has no room for a collection."""


@dataclass(frozen=True, slots=True)
class Collection:
    """One qrels file and one run over it."""

    qrels: Path
    run: Path

    def exists(self) -> bool:
        """Say whether both files are there."""
        return self.qrels.exists() and self.run.exists()

    def delete(self) -> None:
        """Remove both files."""
        self.qrels.unlink(missing_ok=True)
        self.run.unlink(missing_ok=True)

    def read(self) -> None:
        """Read both files once, so that the page cache holds them."""
        for path in (self.qrels, self.run):
            with path.open("rb", buffering=0) as file:
                while file.read(CHUNK):
                    pass


@dataclass(frozen=True, slots=True)
class Tables:
    """Judgments and a folder of a run's rows, as Parquet."""

    qrels: Path
    run: Path


@dataclass(frozen=True, slots=True)
class Inputs:
    """The collections of one folder, made when first asked for."""

    folder: Path
    keep: bool = False
    _passing: list[Collection] = field(default_factory=list)

    def marco(self) -> Collection:
        """Return 6,980 queries of 1,000 documents with one to three relevant each."""
        return self._made("marco", "marco.qrels", "marco.run", 270_000_000)

    def parquet(self) -> Collection:
        """Return `marco` with its run as Parquet, ids as text, in Snappy."""
        self.marco()
        return self._made("parquet", "marco.qrels", "marco.parquet", 100_000_000)

    def parquet_zstd(self) -> Collection:
        """Return the same in zstd."""
        self.marco()
        return self._made("parquet-zstd", "marco.qrels", "marco-zstd.parquet", 100_000_000)

    def parquet_integers(self) -> Collection:
        """Return `marco` with its run as Parquet, ids as whole numbers, not packed."""
        self.marco()
        return self._made("parquet-integers", "marco.qrels", "marco-integers.parquet", 200_000_000)

    def parquet_groups(self, groups: int) -> Collection:
        """Return `marco` with its run as Parquet in so many row groups."""
        self.marco()
        name = f"parquet-{groups}-groups"
        return self._made(name, "marco.qrels", f"marco-{groups}-groups.parquet", 110_000_000)

    def packed(self) -> Collection:
        """Return `marco` with its run in gzip."""
        self.marco()
        return self._made("packed", "marco.qrels", "marco.run.gz", 100_000_000)

    def packed_zstd(self) -> Collection:
        """Return `marco` with its run in zstd."""
        self.marco()
        return self._made("packed-zstd", "marco.qrels", "marco.run.zst", 100_000_000)

    def chunks(self) -> Collection:
        """Return `marco`'s queries with units, of which one or two belong to each document."""
        self.marco()
        return self._made("chunks", "marco-chunks.qrels", "marco-chunks.run", 300_000_000)

    def second(self) -> Collection:
        """Return `marco` with another system's run, which has most of its documents."""
        self.marco()
        return self._made("second", "marco.qrels", "marco-second.run", 270_000_000)

    def of_size(self, rows: int) -> Collection:
        """Return `marco`, or the same with fewer queries."""
        if rows == 6_980_000:
            return self.marco()
        name = f"marco-{rows}"
        return self._made(name, f"{name}.qrels", f"{name}.run", 40 * rows)

    def thousand(self) -> tuple[Collection, Collection]:
        """Return the first thousand queries of `marco` and of `second`: a million rows each."""
        self.second()
        first = self._made("thousand", "marco.qrels", "marco-1M.run", 80_000_000)
        return first, Collection(first.qrels, self.folder / "marco-second-1M.run")

    def tenfold(self) -> Collection:
        """Return ten times the queries of `marco`."""
        return self._made("tenfold", "tenfold.qrels", "tenfold.run", 2_700_000_000, passing=True)

    def interleaved(self) -> Collection:
        """Return as many rows as `tenfold`'s, the first of every query, then the second, ...."""
        name = "interleaved"
        return self._made(name, f"{name}.qrels", f"{name}.run", 2_700_000_000, passing=True)

    def robust(self) -> Collection:
        """Return 250 queries of 1,000 documents with 1,200 graded judgments each."""
        return self._made("robust", "robust.qrels", "robust.run", 25_000_000)

    def shuffled(self) -> Collection:
        """Return `robust` with the lines of each query in random order."""
        return self._made("robust", "robust.qrels", "robust-shuffled.run", 25_000_000)

    def tables(self, rows: int, files: int, skew: float = 0.0) -> Tables:
        """Return a run of so many rows in so many Parquet files.

        ``skew`` is the share of the rows that belong to one query; the others have 1,000 each.
        """
        folder = self.folder / f"tables-{rows}-{files}-{skew:g}"
        if not (folder / "complete").exists():
            folder.mkdir(parents=True, exist_ok=True)
            if shutil.disk_usage(folder).free < 30 * rows:
                raise RoomError(f"{folder} has no room for {30 * rows / 1e9:.1f} GB")
            print(f"making {folder.name} ...", file=sys.stderr)
            numbers = (str(number) for number in (rows, files, skew))
            script = str(HERE / "generate_tables.py")
            Command((sys.executable, script, str(folder), *numbers)).run()
        return Tables(folder / "qrels.parquet", folder / "run")

    def discard(self) -> None:
        """Delete what is too large to stay and was made here, unless it is to be kept."""
        while self._passing:
            collection = self._passing.pop()
            if not self.keep:
                collection.delete()

    def _made(
        self, maker: str, qrels: str, run: str, size: int, *, passing: bool = False
    ) -> Collection:
        collection = Collection(self.folder / qrels, self.folder / run)
        if not collection.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            if shutil.disk_usage(self.folder).free < 1.2 * size:
                raise RoomError(f"{run}: {self.folder} has no room for {size / 1e9:.1f} GB")
            print(f"making {run} ...", file=sys.stderr)
            Command((sys.executable, str(HERE / "generate.py"), str(self.folder), maker)).run()
            if passing:
                self._passing.append(collection)
        collection.read()
        return collection
