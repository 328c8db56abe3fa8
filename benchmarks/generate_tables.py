"""Make a run and judgments as Parquet: FOLDER ROWS FILES SKEW.

The rows of every query are spread over all files in random order, as after a join of candidates
with scores. SKEW is the share of all rows that belong to one query; the others have 1,000 each.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from generate import DEPTH, PASSAGES, QUERY_IDS, Ints, distinct

CHUNK = 1_000  # queries, so that a row group of each of eight files has 125,000 rows


def main() -> None:
    """Write `run/part-*.parquet` and `qrels.parquet`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rows", type=int)
    parser.add_argument("files", type=int)
    parser.add_argument("skew", type=float)
    options = parser.parse_args()
    (options.folder / "run").mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(options.rows)
    writers = [
        pyarrow.parquet.ParquetWriter(options.folder / f"run/part-{file:05}.parquet", RUN)
        for file in range(options.files)
    ]
    judged: list[pa.Table] = []
    for queries, documents, scores in chunks(rng, options.rows, options.skew):
        judged.append(judgments(rng, queries, documents))
        order = rng.permutation(len(queries))
        for file, part in enumerate(np.array_split(order, options.files)):
            columns = [ids(queries[part]), ids(documents[part]), pa.array(scores[part])]
            writers[file].write_table(pa.table(columns, schema=RUN))
    for writer in writers:
        writer.close()
    pyarrow.parquet.write_table(pa.concat_tables(judged), options.folder / "qrels.parquet")
    (options.folder / "complete").touch()


def chunks(
    rng: np.random.Generator, rows: int, skew: float
) -> Iterator[tuple[Ints, Ints, np.ndarray]]:
    """Yield queries, documents and scores of some rows at a time."""
    large = int(rows * skew)
    number = (rows - large) // DEPTH
    for start in range(0, number, CHUNK):
        size = min(CHUNK, number - start)
        queries = np.repeat(QUERY_IDS[start + 1] + np.arange(size), DEPTH)
        yield queries, distinct(rng, size).ravel(), drawn_scores(rng, size * DEPTH)
    if large:
        documents = PASSAGES + rng.permutation(large)
        yield np.full(large, QUERY_IDS[0]), documents, drawn_scores(rng, large)


def drawn_scores(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw scores with six decimals, as rankers print them."""
    return np.round(rng.gamma(2.0, 4.0, size), 6)


def judgments(rng: np.random.Generator, queries: Ints, documents: Ints) -> pa.Table:
    """Judge one to three documents a query relevant, of which some are not retrieved."""
    starts = np.flatnonzero(np.diff(queries, prepend=-1))
    sizes = np.diff(starts, append=len(queries))
    number = rng.choice([1, 2, 3], len(starts), p=[0.94, 0.05, 0.01])
    query = np.repeat(np.arange(len(starts)), number)
    place = starts[query] + (rng.random(len(query)) * sizes[query]).astype(np.int64)
    missed = rng.random(len(query)) > 0.86
    chosen = np.where(missed, 10 * PASSAGES + np.arange(len(query)), documents[place])
    pairs = np.unique(np.stack([queries[starts][query], chosen], axis=1), axis=0)
    labels = pa.array(np.ones(len(pairs), np.int64))
    return pa.table([ids(pairs[:, 0]), ids(pairs[:, 1]), labels], schema=QRELS)


def ids(numbers: Ints) -> pa.Array:
    """Write numbers as text."""
    return pa.array(numbers).cast(pa.string())


RUN = pa.schema([("query_id", pa.string()), ("doc_id", pa.string()), ("score", pa.float64())])
QRELS = pa.schema([("query_id", pa.string()), ("doc_id", pa.string()), ("label", pa.int64())])

if __name__ == "__main__":
    main()
