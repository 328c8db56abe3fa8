"""``rankmark convert``: write judgments or a run in another format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import reported_errors
from rankmark.commands.parts.grouped_help import command, option

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind
    from rankmark.verbs.convert.row_formats import RowFormat


@command()
@click.argument("source", metavar="IN", type=click.Path(allow_dash=True))
@click.argument("target", metavar="OUT", type=click.Path(allow_dash=True))
@option(
    "Output",
    "--to",
    type=click.Choice(options.ROW_FORMATS),
    help="Format of OUT. [default: from the ending of its name]",
)
@option("Output", "--tag", help="Run tag to write. [default: the tags in IN]")
@options.convention("unit")
@options.convention("combine")
@options.convention("unit_depth")
@options.quiet
@option(
    "Reading",
    "--as",
    "kind",
    type=click.Choice(["qrels", "run"]),
    help="What IN contains. [default: detected from its columns or its name]",
)
@option(
    "Reading",
    "--from",
    "form",
    type=click.Choice(options.FILE_FORMATS),
    help="Format of IN. [default: detected from its content]",
)
@options.column
@options.contents
@options.split
@options.parents
@options.threads
def convert(
    source: str,
    target: str,
    kind: Kind | None,
    form: str | None,
    to: RowFormat | None,
    tag: str | None,
    quiet: bool,  # noqa: ARG001  (read by the progress bar)
    columns: dict[str, str] | None,
    contents: Literal["scores"] | None,
    split: str | None,
    threads: int | None,
    **units: Any,
) -> None:
    """Write judgments or a run in another format.

    IN is any file that `rankmark evaluate` reads, or - for stdin. OUT is a file ending in .trec,
    .run, .qrels, .txt, .csv, .tsv, .json, .jsonl or .parquet, optionally compressed (.gz, .bz2,
    .xz, .zst), or - for stdout; it may be the same file as IN. Rows are written query by query, the
    documents of a run best first. OUT gives exactly the same scores as IN. With --unit or
    --parents, documents are written in place of chunks or other units.

    \b
      rankmark convert run.jsonl run.trec
      rankmark convert qrels.tsv qrels.parquet
      rankmark convert qrels.txt qrels.tsv --to beir
      rankmark convert scores.csv - --to trec --as run --column score=logit
      rankmark convert chunks.run documents.run --unit '#'
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.verbs.convert.convert import convert as convert_file  # noqa: PLC0415

        with Progress([source]) as progress:
            convert_file(
                source,
                target,
                kind=kind,
                to=to,
                tag=tag,
                format=form,
                columns=columns,
                contents=contents,
                split=split,
                threads=threads,
                progress=progress.of(0),
                **units,
            )
