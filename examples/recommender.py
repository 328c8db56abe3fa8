"""Recommend items from a purchase log, and evaluate the recommendations with pandas.

    python examples/recommender.py [LOG.csv]

The log has the columns user_id, item_id and timestamp; without a file, a synthetic log is used.
Each user's latest purchases are held out, and two recommenders return twenty items each: the most
popular ones, and those bought together with the user's purchases. Judgments and recommendations are
passed to `rankmark.evaluate` as pandas objects, such as the result of `groupby(...).agg(list)`.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

import rankmark as rm

MEASURES = ["Recall@20", "nDCG@10", "RR@10", "HitRate@10"]
HELD_OUT = 3  # purchases of each user, the latest
DEPTH = 20


def made_up_log(users: int = 300, items: int = 240, seed: int = 0) -> pd.DataFrame:
    """Make a log: each user likes one or two of eight kinds of items; some items sell better."""
    dice = np.random.default_rng(seed)
    kind = np.arange(items) % 8
    appeal = 1 / np.arange(1, items + 1) ** 0.7
    rows = []
    for user in range(1, users + 1):
        liked = np.isin(kind, dice.choice(8, size=dice.integers(1, 3), replace=False))
        chance = appeal * np.where(liked, 12.0, 1.0)
        bought = dice.choice(
            items, size=dice.integers(8, 20), replace=False, p=chance / chance.sum()
        )
        rows += [(f"u{user}", int(item), time) for time, item in enumerate(bought)]
    return pd.DataFrame(rows, columns=["user_id", "item_id", "timestamp"])


def split(log: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Hold out the latest purchases of each user."""
    log = log.sort_values("timestamp", kind="stable")
    test = log.groupby("user_id").tail(HELD_OUT)
    return log.drop(test.index), test


def popular(train: pd.DataFrame) -> pd.Series:
    """Recommend the most popular items that the user has not bought yet."""
    best = train["item_id"].value_counts().index.tolist()
    seen = train.groupby("user_id")["item_id"].agg(set)
    return seen.map(lambda has: [item for item in best if item not in has][:DEPTH])


def bought_together(train: pd.DataFrame) -> pd.DataFrame:
    """Score items by how often they were bought together with the user's purchases."""
    bought = pd.crosstab(train["user_id"], train["item_id"]).clip(upper=1)
    together = bought.T @ bought
    together = together / np.sqrt(np.outer(np.diag(together), np.diag(together)))
    scores = (bought @ together).mask(bought > 0)  # do not recommend what the user has
    long = scores.stack().dropna().rename("score").reset_index()
    return long.sort_values("score", ascending=False).groupby("user_id").head(DEPTH)


def main(path: Path | None) -> None:
    """Print the scores of each recommender, and the users for whom the second is better."""
    train, test = split(made_up_log() if path is None else pd.read_csv(path))
    gold = test.groupby("user_id")["item_id"].agg(list)

    # A Series of lists, best first, and a frame with user_id, item_id and score.
    recommended = {"popular": popular(train), "bought together": bought_together(train)}
    found = {name: rm.evaluate(gold, run, MEASURES) for name, run in recommended.items()}

    means = {name: list(ev.values()) for name, ev in found.items()}
    print(pd.DataFrame(means, index=MEASURES).T.round(4))
    users = pd.DataFrame({name: ev.per_query("nDCG@10") for name, ev in found.items()})
    gain = users["bought together"] - users["popular"]
    print(
        f"\nOf {len(gain)} users, {(gain > 0).sum()} gain and {(gain < 0).sum()} lose in nDCG@10."
    )
    print("The largest gains: " + ", ".join(gain.nlargest(3).index) + ".")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure two recommenders on a log of purchases.")
    parser.add_argument("log", type=Path, nargs="?", help="CSV of user_id, item_id, timestamp")
    main(parser.parse_args().log)
