"""A hand-written Polars pipeline fuses files of TREC text by RRF, and writes one: OUT RUN..."""

# mypy: disable-error-code="import-not-found, import-untyped"
import sys

import polars as pl

OUT, *RUNS = sys.argv[1:]
NAMES = ["query", "iter", "doc", "rank", "score", "tag"]

ranked = [
    pl.scan_csv(path, separator=" ", has_header=False, new_columns=NAMES)
    .select("query", "doc", "score")
    .with_columns(rank=pl.col("score").rank("ordinal", descending=True).over("query"))
    .select("query", "doc", points=1 / (60 + pl.col("rank")))
    for path in RUNS
]
fused = (
    pl.concat(ranked)
    .group_by("query", "doc")
    .agg(score=pl.col("points").sum())
    .sort("query", "score", descending=[False, True])
    .with_columns(rank=pl.int_range(1, pl.len() + 1).over("query"))
    .select(
        "query", pl.lit("Q0").alias("iter"), "doc", "rank", "score", pl.lit("polars").alias("tag")
    )
)
fused.collect().write_csv(OUT, separator=" ", include_header=False)
