"""A hand-written Polars pipeline evaluates frames that are already there: IDS ORDER QRELS RUN."""

# mypy: disable-error-code="import-not-found, import-untyped"
import sys

import frames
import polars as pl
import turns

IDS, ORDER, QRELS, RUN = sys.argv[1:]

qrels = frames.polars(QRELS, frames.QRELS, IDS)
run = frames.polars(RUN, frames.RUN, IDS).select("query_id", "doc_id", "score")
if ORDER == "shuffled":
    run = run.sample(fraction=1.0, shuffle=True, seed=0)


def means() -> dict[str, float]:
    """Rank within each query, keep what is relevant, add it up, average over the judged.

    Ranking with ``over`` was the fastest of five ways, two to twenty times faster than those that
    sort the frame. It takes ties as they come.
    """
    relevant = qrels.lazy().filter(pl.col("label") > 0)
    rank = pl.col("rank")
    gain = (pl.col("label") / (rank + 1).log(2)).filter(rank <= 10).sum()
    number = pl.int_range(1, pl.len() + 1)

    ideal = (
        relevant.sort("label", descending=True)
        .with_columns(rank=number.over("query_id"))
        .group_by("query_id")
        .agg(ideal=gain, relevant=pl.len())
    )
    found = (
        run.lazy()
        .with_columns(rank=pl.col("score").rank("ordinal", descending=True).over("query_id"))
        .join(relevant, on=["query_id", "doc_id"])
        .sort("query_id", "rank")
        .group_by("query_id")
        .agg(
            gained=gain,
            precisions=(number / rank).sum(),
            reciprocal=(1 / rank).filter(rank <= 10).max(),
            found=(rank <= 100).sum(),
        )
    )
    scores = ideal.join(found, on="query_id", how="left").select(
        pl.col("gained") / pl.col("ideal"),
        pl.col("precisions") / pl.col("relevant"),
        pl.col("reciprocal"),
        pl.col("found") / pl.col("relevant"),
    )
    row = scores.select(pl.all().fill_null(0).mean()).collect().row(0)
    return dict(zip(("nDCG@10", "AP", "RR@10", "R@100"), row, strict=True))


turns.answer(means, means())
