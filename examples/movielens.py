"""Recommend films by popularity and by nearest neighbours, and compare the two.

    python examples/movielens.py ratings.csv

The file is from a MovieLens data set, https://grouplens.org/datasets/movielens/. The same
recommendations are evaluated from arrays, sparse matrices, Polars and pandas frames, and the scores
are identical.
"""

import argparse
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

import rankmark as rm

MEASURES = ["nDCG@10", "R@20", "RR@10", "Success@10"]
HELD_OUT = 0.2  # of each user's ratings, the latest
LIKED = 4.0  # stars
NEIGHBOURS = 50
DEPTH = 20

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Data(NamedTuple):
    """Ratings as user-item matrices, and the ids of their rows and columns.

    ``seen`` has a 1 for each training rating; ``truth`` has the held-out ratings, 1 if the user
    liked the film and a stored 0 if not.
    """

    seen: csr_array
    truth: csr_array
    users: Ints
    films: Ints


class Top(NamedTuple):
    """The best films for each user, best first: their columns and scores, (n_users, DEPTH)."""

    films: Ints
    scores: Floats


def read(path: Path) -> Data:
    """Read ratings, and hold out the latest of each user."""
    ratings = pl.read_csv(path).rename(str.lower)
    latest_first = pl.col("timestamp").rank("ordinal", descending=True).over("userid")
    latest = latest_first <= HELD_OUT * pl.len().over("userid")
    held_out = ratings.select(latest).to_series().to_numpy()
    liked = (ratings["rating"].to_numpy() >= LIKED).astype(np.float64)
    users, rows = np.unique(ratings["userid"].to_numpy(), return_inverse=True)
    films, columns = np.unique(ratings["movieid"].to_numpy(), return_inverse=True)

    def matrix(values: Floats, chosen: NDArray[np.bool_]) -> csr_array:
        places = (rows[chosen], columns[chosen])
        return csr_array((values[chosen], places), shape=(len(users), len(films)))

    return Data(matrix(np.ones(len(liked)), ~held_out), matrix(liked, held_out), users, films)


def popularity(seen: csr_array) -> Floats:
    """Score each film by how many users have seen it, the same for everyone."""
    return np.tile(seen.sum(axis=0), (seen.shape[0], 1))


def neighbours(seen: csr_array) -> Floats:
    """Score each film by the most similar users who have seen it, weighted by cosine similarity."""
    unit = diags_array(1 / np.sqrt(seen.sum(axis=1))) @ seen
    cosines = (unit @ unit.T).toarray()
    np.fill_diagonal(cosines, 0)
    farther = np.argsort(-cosines, axis=1, kind="stable")[:, NEIGHBOURS:]
    np.put_along_axis(cosines, farther, 0, axis=1)
    scores: Floats = (csr_array(cosines) @ seen).toarray()
    return scores


def recommend(scores: Floats, seen: csr_array) -> Top:
    """Keep the best unseen films for each user; ties are broken by column."""
    new = np.where(seen.toarray() > 0, -np.inf, scores)
    films = np.argsort(-new, axis=1, kind="stable")[:, :DEPTH]
    return Top(films, np.take_along_axis(new, films, axis=1))


def evaluate(data: Data, top: Top) -> dict[str, rm.Evaluation]:
    """Evaluate the same recommendations in four forms.

    Many films are equally popular, so ties are frequent. `recommend` orders them by column, and
    ``ties="input"`` keeps this order in every form. The default would compare ids, which are
    column numbers in an array but MovieLens ids in a frame.
    """
    scored = partial(rm.evaluate, measures=MEASURES, ties="input", no_relevant="skip")
    rows, columns = np.repeat(np.arange(len(data.users)), DEPTH), top.films.ravel()
    matrix = csr_array((top.scores.ravel(), (rows, columns)), shape=data.truth.shape)

    held_out = data.truth.tocoo()
    judged: dict[str, Any] = {
        "user_id": data.users[held_out.row],
        "item_id": data.films[held_out.col],
        "label": held_out.data,
    }
    recommended: dict[str, Any] = {
        "user_id": data.users[rows],
        "item_id": data.films[columns],
        "score": top.scores.ravel(),
    }
    return {
        "arrays": scored(data.truth, top.films),
        "scipy.sparse": scored(data.truth, matrix),
        "Polars": scored(pl.DataFrame(judged), pl.DataFrame(recommended)),
        "pandas": scored(pd.DataFrame(judged), pd.DataFrame(recommended)),
    }


def main(path: Path) -> None:
    """Print a line for each recommender and form."""
    data = read(path)
    print(f"{'':24}" + "".join(f"{name:>12}" for name in MEASURES))
    for recommender in (popularity, neighbours):
        evaluations = evaluate(data, recommend(recommender(data.seen), data.seen))
        for form, evaluation in evaluations.items():
            means = "".join(f"{evaluation[name]:12.4f}" for name in MEASURES)
            print(f"{recommender.__name__:12}{form:12}{means}")
        different = {evaluation.scores.tobytes() for evaluation in evaluations.values()}
        verdict = "all four are identical" if len(different) == 1 else "the four DIFFER"
        print(f"{'':12}{verdict}")
    averaged, users = evaluation.audit.averaged, len(data.users)
    print(f"means over the {averaged} of {users} users who liked a held-out film")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure two recommenders on MovieLens.")
    parser.add_argument("ratings", type=Path, help="ratings.csv of a MovieLens data set")
    main(parser.parse_args().ratings)
