"""``rankmark ann``: recall of approximate nearest-neighbour search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.pictures import page_option, require_page, write_page
from rankmark.commands.parts.publishing import (
    TABULAR,
    width_of,
    write_notes,
    write_output,
    write_table,
)

if TYPE_CHECKING:
    from typing import Any

    from rankmark.verbs.evaluate.result_tables import Format


@command()
@click.argument("true_neighbours", type=click.Path(), metavar="TRUE")
@click.argument("neighbours", type=click.Path(), metavar="FOUND")
@option(
    "Measures",
    "-k",
    "--k",
    type=click.IntRange(min=1),
    required=True,
    help="The number of neighbours.",
)
@option(
    "Data",
    "--true-distances",
    type=click.Path(),
    metavar="FILE",
    help="Distances of the ids in TRUE. [default: those that an HDF5 file has]",
)
@option(
    "Data",
    "--distances",
    type=click.Path(),
    metavar="FILE",
    help="Distances of the ids in FOUND. [default: those that an HDF5 file has]",
)
@option(
    "Conventions",
    "--eps",
    type=click.FloatRange(min=0),
    metavar="NUMBER",
    help="How much farther than the k-th true neighbour one may be and still count. [default: "
    "0.001 for those found, 0.000001 for true ones]",
)
@option(
    "Conventions",
    "--relative-eps",
    type=click.FloatRange(min=0),
    metavar="SHARE",
    help="The same as a share of its distance, such as 0.01. [default: 0]",
)
@option(
    "Conventions",
    "--nearest",
    type=click.Choice(["smallest", "largest"]),
    default="smallest",
    show_default=True,
    help="Which value is the nearest: largest for similarities, such as inner products.",
)
@option(
    "Conventions",
    "--padding",
    type=int,
    default=-1,
    show_default=True,
    help="The id of places without a neighbour.",
)
@options.per_query
@options.form
@options.long
@page_option
@options.output
@options.quiet
@options.threads
def ann(
    true_neighbours: str,
    neighbours: str,
    true_distances: str | None,
    distances: str | None,
    per_query: bool,
    form: Format,
    is_long: bool,
    page: Path | None,
    output: Path | None,
    quiet: bool,
    **chosen: Any,
) -> None:
    """Measure the recall of approximate nearest-neighbour search against exact search.

    TRUE and FOUND hold the ids of neighbours, a row for each query, nearest first: .npy, .ivecs,
    .fvecs, .bvecs, or HDF5 as of ann-benchmarks, whose distances are used too. With distances,
    recall is also computed with ties, and by distance. The lines below the table show which queries
    were averaged.

    \b
      rankmark ann truth.npy hnsw.npy -k 10
      rankmark ann groundtruth.ivecs found.npy -k 100 --format json
      rankmark ann sift-128-euclidean.hdf5 results.hdf5 -k 10 --relative-eps 0.01
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.answers.neighbours.ann_recall import ann_recall  # noqa: PLC0415
        from rankmark.answers.neighbours.neighbour_arrays import read_neighbours  # noqa: PLC0415
        from rankmark.answers.neighbours.neighbour_tables import as_table, rendered  # noqa: PLC0415

        given = [true_neighbours, neighbours, true_distances, distances]
        refuse_conflicts(given, output, page)
        require_page(page)
        truth, searched = read_neighbours(true_neighbours), read_neighbours(neighbours)
        of_truth = truth.distances
        if true_distances is not None:
            of_truth = read_neighbours(true_distances).table
        of_found = None if of_truth is None else searched.distances
        if distances is not None:
            of_found = read_neighbours(distances).table
        found = ann_recall(
            truth.table,
            searched.table,
            true_distances=of_truth,
            distances=of_found,
            **chosen,
        )
        notes = found.notes[:1] if quiet else found.notes
        if form in TABULAR:
            write_table(as_table(found, per_query=per_query, is_long=is_long), form, output)
        else:
            width = width_of(output)
            text = rendered(found, form, per_query=per_query, notes=notes, width=width)
            write_output(text, output)
        write_notes(form, notes)
        if page is not None:
            write_page(found, page)
