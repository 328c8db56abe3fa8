"""``rankmark convert``: judgments and runs from one format to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankmark.cli import options
from rankmark.cli.faults import told

if TYPE_CHECKING:
    from rankmark.report.rows import RowFormat
    from rankmark.sources.options import Kind


@click.command(short_help="Write judgments or a run in another format.")
@click.argument("source", metavar="IN", type=click.Path(allow_dash=True))
@click.argument("target", metavar="OUT", type=click.Path(allow_dash=True))
@click.option(
    "--as",
    "kind",
    type=click.Choice(["qrels", "run"]),
    help="What IN holds. [default: what its columns say]",
)
@click.option(
    "--from",
    "form",
    type=click.Choice(options.FILE_FORMATS),
    help="The format of IN. [default: what its content is]",
)
@click.option(
    "--to",
    type=click.Choice(["trec", "csv", "tsv", "jsonl", "parquet"]),
    help="The format of OUT. [default: what its name says]",
)
@options.column
@options.threads
def convert(
    source: str,
    target: str,
    kind: Kind | None,
    form: str | None,
    to: RowFormat | None,
    columns: dict[str, str] | None,
    threads: int | None,
) -> None:
    """Write judgments or a run in another format.

    IN is anything that `rankmark evaluate` reads, - for stdin; OUT a file ending in .trec, .run,
    .qrels, .txt, .csv, .tsv, .jsonl or .parquet, perhaps packed (.gz, .bz2, .xz), or - for stdout.
    Rows are written query by query, the documents of a run best first. The scores of what is
    written are those of what was read, to the bit.

    \b
      rankmark convert run.jsonl run.trec
      rankmark convert qrels.tsv qrels.parquet
      rankmark convert scores.csv - --to trec --as run --column score=logit
    """  # noqa: D301  (click reads the backspace)
    with told():
        from rankmark.cli.progress import Progress  # noqa: PLC0415
        from rankmark.report.convert import convert as convert_file  # noqa: PLC0415

        with Progress([source]) as progress:
            convert_file(
                source,
                target,
                kind=kind,
                to=to,
                format=form,
                columns=columns,
                threads=threads,
                progress=progress.of(0),
            )
