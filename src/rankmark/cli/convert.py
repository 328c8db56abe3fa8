"""``rankmark convert``: judgments and runs from one format to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmark.cli import options
from rankmark.cli.faults import told

if TYPE_CHECKING:
    from rankmark.report.row_formats import RowFormat
    from rankmark.sources.contract.source_options import Kind


@click.command(short_help="Write judgments or a run in another format.")
@click.argument("source", metavar="IN", type=click.Path(allow_dash=True))
@click.argument("target", metavar="OUT", type=click.Path(allow_dash=True))
@click.option(
    "--as",
    "kind",
    type=click.Choice(["qrels", "run"]),
    help="What IN holds. [default: what its columns or its name say]",
)
@click.option(
    "--from",
    "form",
    type=click.Choice(options.FILE_FORMATS),
    help="The format of IN. [default: what its content is]",
)
@click.option(
    "--to",
    type=click.Choice(options.ROW_FORMATS),
    help="The format of OUT. [default: what its name says]",
)
@click.option("--tag", help="What to call a run in its column of tags. [default: the tags of IN]")
@options.column
@options.threads
def convert(
    source: str,
    target: str,
    kind: Kind | None,
    form: str | None,
    to: RowFormat | None,
    tag: str | None,
    columns: dict[str, str] | None,
    threads: int | None,
) -> None:
    """Write judgments or a run in another format.

    IN is anything that `rankmark evaluate` reads, - for stdin; OUT a file ending in .trec, .run,
    .qrels, .txt, .csv, .tsv, .json, .jsonl or .parquet, perhaps packed (.gz, .bz2, .xz, .zst), or -
    for stdout; it may be IN itself. Rows are written query by query, the documents of a run best
    first. What is written has the same scores as what was read, to the bit.

    \b
      rankmark convert run.jsonl run.trec
      rankmark convert qrels.tsv qrels.parquet
      rankmark convert qrels.txt qrels.tsv --to beir
      rankmark convert scores.csv - --to trec --as run --column score=logit
    """  # noqa: D301  (click reads the backspace)
    with told():
        from rankmark.cli.progress import Progress  # noqa: PLC0415
        from rankmark.verbs.convert import convert as convert_file  # noqa: PLC0415

        with Progress([source]) as progress:
            convert_file(
                source,
                target,
                kind=kind,
                to=to,
                tag=tag,
                format=form,
                columns=columns,
                threads=threads,
                progress=progress.of(0),
            )
