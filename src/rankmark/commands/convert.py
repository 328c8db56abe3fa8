"""``rankmark convert``: write judgments or a run in another format."""

from __future__ import annotations

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import further
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.verb_options import further_own, own


@command_of(
    "verbs.convert.convert:convert",
    [options.files("source", metavar="IN"), options.files("target", metavar="OUT")],
    own("to"),
    further_own("tag"),
    options.units,
    options.quiet,
    own("kind", "format"),
    options.column,
    further(options.contents, options.split, options.parents),
    options.threads,
    to={"group": "Output"},
    tag={"group": "Output"},
    kind={"flag": "--as", "group": "Reading"},
    format={"flag": "--from", "group": "Reading", "type": click.Choice(options.FILE_FORMATS)},
)
def convert(call: Call, source: str, target: str) -> None:
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
    call.prepare(but=["target"])
    call.result(source, target, told=0)
