"""``rankmark ann-recall``: recall of approximate nearest-neighbour search."""

from __future__ import annotations

from typing import Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own

_FILE = {"type": click.Path(), "metavar": "FILE"}


@command_of(
    "answers.ann_recall.ann_recall:ann_recall",
    [
        click.argument("true_neighbours", type=click.Path(), metavar="TRUE"),
        click.argument("neighbours", type=click.Path(), metavar="FOUND"),
    ],
    own("k", "true_distances", "distances", "eps", "relative_eps"),
    further_own("nearest", "padding"),
    options.scores,
    options.threads,
    k={
        "flag": ["-k", "--k"],
        "type": click.IntRange(min=1),
        "required": True,
        "group": "Measures",
    },
    true_distances=_FILE
    | {"help": "Distances of the ids in TRUE. [default: those that an HDF5 file has]"},
    distances=_FILE
    | {"help": "Distances of the ids in FOUND. [default: those that an HDF5 file has]"},
    eps={"type": click.FloatRange(min=0), "metavar": "NUMBER"},
    relative_eps={"type": click.FloatRange(min=0), "metavar": "SHARE"},
    padding={"type": int},
)
def ann_recall(
    call: Call,
    true_neighbours: str,
    neighbours: str,
    true_distances: str | None,
    distances: str | None,
    **asked: Any,
) -> None:
    """Measure the recall of approximate nearest-neighbour search against exact search.

    TRUE and FOUND hold the ids of neighbours, a row for each query, nearest first: .npy, .ivecs,
    .fvecs, .bvecs, or HDF5 as of ann-benchmarks, whose distances are used too. With distances,
    recall is also computed with ties, and by distance. The lines below the table show which queries
    were averaged.

    \b
      rankmark ann-recall truth.npy hnsw.npy -k 10
      rankmark ann-recall groundtruth.ivecs found.npy -k 100 --format json
      rankmark ann-recall sift-128.hdf5 results.hdf5 -k 10 --relative-eps 0.01
    """  # noqa: D301  (click reads the backspace)
    call.prepare()
    from rankmark.answers.ann_recall.neighbour_arrays import read_neighbours  # noqa: PLC0415

    truth, searched = read_neighbours(true_neighbours), read_neighbours(neighbours)
    of_truth = truth.distances
    if true_distances is not None:
        of_truth = read_neighbours(true_distances).table
    of_found = None if of_truth is None else searched.distances
    if distances is not None:
        of_found = read_neighbours(distances).table
    found = call.result(truth.table, searched.table, true_distances=of_truth, distances=of_found)
    call.write_by_query(found, intervals=True, **asked)
