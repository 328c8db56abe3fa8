"""Make the benchmark's collections: `python benchmarks/generate.py FOLDER NAME...`."""

import argparse
import gzip
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

DEPTH = 1_000
CHUNK = 250
PASSAGES = 8_841_823
QUERY_IDS = range(100_000, 1_102_400)


def text(value: bytes) -> Bytes:
    """Return one piece of text as a row of bytes, to stand in every line."""
    return np.frombuffer(value, np.uint8)[None, :]


def digits(values: Ints, width: int, *, padded: bool = False) -> Bytes:
    """Write whole numbers in decimal, leading zeros as NUL bytes unless padded."""
    powers = 10 ** np.arange(width - 1, -1, -1)
    column = values[:, None]
    written = (column // powers % 10 + ord("0")).astype(np.uint8)
    if not padded:
        written[(column < powers) & (powers > 1)] = 0
    return written


def decimals(scaled: Ints, places: int) -> Bytes:
    """Write fixed-point numbers that were scaled by ten to the number of places."""
    whole, fraction = np.divmod(scaled, 10**places)
    dot = np.broadcast_to(text(b"."), (len(scaled), 1))
    return np.hstack([digits(whole, 3), dot, digits(fraction, places, padded=True)])


def lines(*columns: Bytes) -> bytes:
    """Join columns into lines, dropping the NUL bytes that padded them."""
    count = max(map(len, columns))
    wide = [np.broadcast_to(column, (count, column.shape[1])) for column in columns]
    table = np.hstack([*wide, np.broadcast_to(text(b"\n"), (count, 1))])
    written: bytes = table[table != 0].tobytes()
    return written


def run_lines(queries: Bytes, documents: Bytes, ranks: Ints, scores: Bytes, tag: bytes) -> bytes:
    """Write run lines: `qid Q0 docid rank score tag`."""
    space = text(b" ")
    return lines(
        queries, text(b" Q0 "), documents, space, digits(ranks, 4), space, scores, text(b" " + tag)
    )


def qrels_lines(queries: Bytes, documents: Bytes, labels: Ints) -> bytes:
    """Write qrels lines: `qid 0 docid label`."""
    return lines(queries, text(b" 0 "), documents, text(b" "), digits(labels, 1))


def distinct(rng: np.random.Generator, count: int) -> Ints:
    """Draw DEPTH distinct passages for each of some queries."""
    drawn: Ints = rng.integers(0, PASSAGES, (count, DEPTH))
    while True:
        repeats = (np.diff(np.sort(drawn, axis=1), axis=1) == 0).any(axis=1)
        if not repeats.any():
            return drawn
        drawn[repeats] = rng.integers(0, PASSAGES, (repeats.sum(), DEPTH))


def falling(rng: np.random.Generator, count: int, places: int, tied: float) -> Ints:
    """Draw DEPTH falling scores a query, scaled, some equal to the one before."""
    gaps = rng.exponential(0.012, (count, DEPTH)) * (rng.random((count, DEPTH)) >= tied)
    scores = rng.uniform(6, 12, (count, 1)) + np.cumsum(gaps, axis=1)[:, ::-1]
    return (scores * 10.0**places).astype(np.int64)


def marco_chunks(rng: np.random.Generator, query_ids: Ints) -> Iterator[tuple[bytes, bytes]]:
    """Write qrels and run of some queries at a time."""
    ranks = np.tile(np.arange(1, DEPTH + 1), CHUNK)
    for start in range(0, len(query_ids), CHUNK):
        ids = query_ids[start : start + CHUNK]
        found = distinct(rng, len(ids))
        scores = falling(rng, len(ids), places=6, tied=0.0)
        run = run_lines(
            np.repeat(digits(ids, 7), DEPTH, axis=0),
            digits(found.ravel(), 7),
            ranks[: found.size],
            decimals(scores.ravel(), 6),
            b"bm25",
        )
        yield marco_judgments(rng, ids, found), run


def marco_judgments(rng: np.random.Generator, ids: Ints, found: Ints) -> bytes:
    """Judge one to three passages a query relevant, mostly one, most of them retrieved."""
    query = np.repeat(np.arange(len(ids)), rng.choice([1, 2, 3], len(ids), p=[0.94, 0.05, 0.01]))
    place = np.exp(rng.uniform(0, np.log(DEPTH), len(query))).astype(np.int64) - 1
    missed = rng.random(len(query)) > 0.86
    relevant = np.where(missed, rng.integers(0, PASSAGES, len(query)), found[query, place])
    pairs = np.unique(np.stack([query, relevant], axis=1), axis=0)
    labels = np.ones(len(pairs), np.int64)
    return qrels_lines(digits(ids[pairs[:, 0]], 7), digits(pairs[:, 1], 7), labels)


def marco(folder: Path, name: str = "marco", queries: int = 6_980) -> None:
    """Make a collection as MS MARCO's passages: numeric ids, few judgments, 1,000 deep."""
    rng = np.random.default_rng(queries)
    query_ids = rng.choice(np.asarray(QUERY_IDS), queries, replace=False)
    with Whole(folder / f"{name}.qrels") as qrels, Whole(folder / f"{name}.run") as run:
        for judgments, ranking in marco_chunks(rng, query_ids):
            qrels.write(judgments)
            run.write(ranking)


def second(folder: Path) -> None:
    """Make another system's run from `marco`'s: most of its passages, in an order near its own."""
    rng = np.random.default_rng(6)
    places = np.arange(1, DEPTH + 1)
    ranks = np.tile(places, CHUNK)
    first = np.loadtxt(folder / "marco.run", dtype=np.int64, usecols=(0, 2))
    with Whole(folder / "marco-second.run") as run:
        for start in range(0, len(first), CHUNK * DEPTH):
            ids, found = first[start : start + CHUNK * DEPTH].T.reshape(2, -1, DEPTH)
            others = distinct(rng, len(found)) + PASSAGES  # passages that the first run cannot have
            mixed = np.where(rng.random(found.shape) < 0.3, others, found)
            moved = np.argsort(places * rng.lognormal(0, 0.5, found.shape), axis=1)
            mixed = np.take_along_axis(mixed, moved, axis=1)
            scores = falling(rng, len(found), places=6, tied=0.0)
            run.write(
                run_lines(
                    digits(ids.ravel(), 7),
                    digits(mixed.ravel(), 8),
                    ranks[: mixed.size],
                    decimals(scores.ravel(), 6),
                    b"dense",
                )
            )


def thousand(folder: Path) -> None:
    """Write the first thousand queries of `marco`'s runs, with all of its judgments."""
    for name in ("marco", "marco-second"):
        with (folder / f"{name}.run").open("rb") as run, Whole(folder / f"{name}-1M.run") as file:
            file.writelines(islice(run, 1000 * DEPTH))


def tenfold(folder: Path) -> None:
    """Make the same with ten times the queries."""
    marco(folder, "tenfold", 69_800)


def interleaved(folder: Path, name: str = "interleaved", queries: int = 69_800) -> None:
    """Make as many rows as `tenfold`'s, the first of every query, then the second, and so on."""
    rng = np.random.default_rng(queries)
    ids = rng.choice(np.asarray(QUERY_IDS), queries, replace=False)
    # Steps through the passages, whose number they do not divide, reach each but once.
    start, step = rng.integers(1, PASSAGES, (2, queries))
    score = rng.integers(10_000_000, 50_000_000, queries)
    found = np.stack([(start + step * rank) % PASSAGES for rank in range(1, DEPTH + 1)], axis=1)
    with Whole(folder / f"{name}.qrels") as qrels:
        qrels.write(marco_judgments(rng, ids, found))
    with Whole(folder / f"{name}.run") as run:
        for place, documents in enumerate(found.T, 1):
            score -= rng.integers(1, 9_000, queries)
            ranks = np.full(queries, place)
            scores = decimals(score, 6)
            run.write(run_lines(digits(ids, 7), digits(documents, 7), ranks, scores, b"bm25"))


def newswire() -> Bytes:
    """Return document ids in the manner of TREC disks 4 and 5."""
    days = [f"{month:02}{day:02}" for month in range(1, 13) for day in range(1, 29)]
    parts = [f"{year}{part}" for year in range(1, 5) for part in range(1, 5)]
    names = [f"FBIS{volume}-{n}" for volume in (3, 4) for n in range(1, 65_001)]
    names += [f"FT9{part}-{n}" for part in parts for n in range(1, 13_001)]
    names += [f"FR94{day}-{part}-{n:05}" for day in days for part in (0, 1) for n in range(1, 81)]
    names += [f"LA{day}{year}-{n:04}" for day in days for year in (89, 90) for n in range(1, 191)]
    ids = np.array(names, "S16")
    return ids.view(np.uint8).reshape(len(ids), -1)


def robust(folder: Path) -> None:
    """Make a collection as TREC Robust: many graded judgments, ties, twice the run."""
    rng = np.random.default_rng(2004)
    names = newswire()
    files = (folder / "robust.qrels", folder / "robust.run", folder / "robust-shuffled.run")
    with Whole(files[0]) as qrels, Whole(files[1]) as run, Whole(files[2]) as shuffled:
        for topic in range(301, 551):
            query = digits(np.array([topic]), 3)
            drawn = rng.choice(len(names), DEPTH + 600, replace=False)
            scores = decimals(falling(rng, 1, places=4, tied=0.05)[0], 4)
            ranks = np.arange(1, DEPTH + 1)
            for file, order in ((run, ranks - 1), (shuffled, rng.permutation(DEPTH))):
                found = names[drawn[order]]
                file.write(run_lines(query, found, ranks[order], scores[order], b"bm25"))
            judged, labels = robust_judgments(rng, drawn)
            qrels.write(qrels_lines(query, names[judged], labels))


def robust_judgments(rng: np.random.Generator, drawn: Ints) -> tuple[Ints, Ints]:
    """Judge 600 documents that were retrieved, early ones first, and 600 that were not."""
    early = np.argsort(np.arange(DEPTH) + rng.exponential(300, DEPTH))[:600]
    places = np.concatenate([early, np.arange(DEPTH, DEPTH + 600)])
    chance = 0.35 * np.exp(-places / 250)
    labels = (rng.random(len(places)) < chance) * rng.choice([1, 2], len(places), p=[0.8, 0.2])
    order = np.argsort(drawn[places])
    return drawn[places][order], labels[order]


def chunks(folder: Path) -> None:
    """Write `marco`'s run with units, `doc#number`, of 610 documents a query.

    The tenth unit of each query is judged, and so is its document, so that both ways match.
    """
    documents = 610
    with (
        (folder / "marco.run").open("rb") as run,
        Whole(folder / "marco-chunks.qrels") as qrels,
        Whole(folder / "marco-chunks.run") as file,
    ):
        while rows := [line.split(b" ") for line in islice(run, DEPTH)]:
            ids = [row[2] for row in rows]
            for place, row in enumerate(rows):
                row[2] = b"%s#%d" % (ids[7 * place % documents], place)
            file.write(b"".join(map(b" ".join, rows)))
            query, unit = rows[9][0], rows[9][2]
            qrels.write(b"%s 0 %s 1\n%s 0 %s 1\n" % (query, unit, query, unit.partition(b"#")[0]))


def parquet(
    folder: Path,
    name: str = "marco",
    ids: str = "string",
    packing: str = "snappy",
    groups: int | None = None,
) -> None:
    """Write `marco`'s run as Parquet, its ids as text or as whole numbers, in some row groups."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    names = ["query_id", "iteration", "doc_id", "rank", "score", "tag"]
    run = pyarrow.csv.read_csv(
        folder / "marco.run",
        read_options=pyarrow.csv.ReadOptions(column_names=names),
        parse_options=pyarrow.csv.ParseOptions(delimiter=" "),
        convert_options=pyarrow.csv.ConvertOptions(
            include_columns=["query_id", "doc_id", "score"],
            column_types=dict.fromkeys(("query_id", "doc_id"), pa.type_for_alias(ids)),
        ),
    )
    with Whole(folder / f"{name}.parquet") as file:
        rows = -(-len(run) // groups) if groups else None
        pyarrow.parquet.write_table(run, file, row_group_size=rows, compression=packing)


def packed(folder: Path) -> None:
    """Write `marco`'s run in gzip, as the program of this name does."""
    with (
        (folder / "marco.run").open("rb") as run,
        Whole(folder / "marco.run.gz") as file,
        gzip.GzipFile("marco.run", "wb", compresslevel=6, fileobj=file, mtime=0) as pack,
    ):
        shutil.copyfileobj(run, pack, 1 << 20)


def packed_zstd(folder: Path) -> None:
    """Write `marco`'s run in zstd."""
    import pyarrow as pa

    with (
        (folder / "marco.run").open("rb") as run,
        Whole(folder / "marco.run.zst") as file,
        pa.CompressedOutputStream(file, "zstd") as pack,
    ):
        shutil.copyfileobj(run, pack, 1 << 20)


class Whole:
    """A file that appears under its name only when it is complete."""

    def __init__(self, path: Path) -> None:
        """Write beside the path until done."""
        self.path = path
        self.part = path.with_name(path.name + ".part")

    def __enter__(self) -> BinaryIO:
        """Open the part file."""
        self.file = self.part.open("wb")
        return self.file

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Return the file its name, or remove what was begun."""
        self.file.close()
        if kind is None:
            self.part.replace(self.path)
        else:
            self.part.unlink()


MAKERS: dict[str, Callable[[Path], None]] = {
    "marco": marco,
    "marco-70000": lambda folder: marco(folder, "marco-70000", 70),
    "marco-698000": lambda folder: marco(folder, "marco-698000", 698),
    "tenfold": tenfold,
    "interleaved": interleaved,
    "robust": robust,
    "parquet": parquet,
    "parquet-zstd": lambda folder: parquet(folder, "marco-zstd", packing="zstd"),
    "parquet-integers": lambda folder: parquet(folder, "marco-integers", "int64", "none"),
    **{
        f"parquet-{groups}-groups": partial(parquet, name=f"marco-{groups}-groups", groups=groups)
        for groups in (1, 10, 50)
    },
    "packed": packed,
    "packed-zstd": packed_zstd,
    "chunks": chunks,
    "second": second,
    "thousand": thousand,
}


def main() -> None:
    """Make the collections that the command line names."""
    parser = argparse.ArgumentParser(description="Make the benchmark's collections.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="+", choices=MAKERS)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.names:
        MAKERS[name](arguments.folder)


if __name__ == "__main__":
    main()
