"""The conventions of the command, and reading that begins while NumPy is imported."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rankmark.compat.trec_eval.arguments import JUDGMENTS
from rankmark.conventions import Conventions
from rankmark.errors import RankmarkError

if TYPE_CHECKING:
    from rankmark.compat.trec_eval.arguments import Options


def conventions_of(options: Options) -> Conventions:
    """Return how the options order and cut rankings."""
    by_preference = options.judgments in {"prefs", "qrels_prefs"}
    return Conventions(
        ties="docid-asc" if by_preference else "docid",
        depth=options.depth,
        judged_only=options.judged_only and not by_preference,
        precision="float32" if options.version == 9 else "double",
    )


def read_ahead(options: Options) -> None:
    """Begin to read both files, unless NumPy is imported already; errors are reported later."""
    if "numpy" in sys.modules or options.judgments != "qrels" or "-" in options.files:
        return
    from rankmark.sources.contract.source_options import SourceOptions  # noqa: PLC0415
    from rankmark.sources.files.begin_reading import begin_reading  # noqa: PLC0415
    from rankmark.sources.files.file_source import FileSource  # noqa: PLC0415
    from rankmark.sources.files.files import InputFile  # noqa: PLC0415

    qrels, run = options.files
    try:
        begin_reading(
            FileSource(InputFile(qrels), "qrels", SourceOptions(JUDGMENTS[options.judgments])),
            FileSource(InputFile(run), "run", SourceOptions("trec")),
            conventions_of(options),
            memory=None,
            threads=None,
        )
    except RankmarkError:
        return
