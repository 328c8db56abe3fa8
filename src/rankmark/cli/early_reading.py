"""Begin to read files while the modules that evaluate them are imported."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rankmark.conventions import Conventions
from rankmark.errors import RankmarkError


def read_ahead(
    qrels: str, runs: Sequence[str], threads: int | None, options: Mapping[str, Any]
) -> None:
    """Begin to read the judgments and the first run, unless NumPy is imported already.

    Wrong options are reported later, by the modules that use them.

    Parameters
    ----------
    options
        The options for formats, conventions and memory.
    """
    decided_later = (
        options["profile"] or options["contents"] or options["seen"] or options["ties"] == "rank"
    )
    if "numpy" in sys.modules or decided_later or "-" in {qrels, runs[0]}:
        return
    from rankmark.sources.contract.source_options import SourceOptions, columns_of  # noqa: PLC0415
    from rankmark.sources.files.begin_reading import begin_reading  # noqa: PLC0415
    from rankmark.sources.files.file_source import FileSource  # noqa: PLC0415
    from rankmark.sources.files.files import InputFile  # noqa: PLC0415

    named = options["columns"]
    try:
        conventions = Conventions(
            ties=options["ties"],
            depth=options["depth"],
            judged_only=options["judged_only"],
            duplicates=options["duplicates"],
            drop_self=options["drop_self"],
            precision=options["precision"],
        )
        of_qrels = columns_of(named, options["qrels_columns"], "qrels")
        of_run = columns_of(named, options["run_columns"], "run")
        begin_reading(
            FileSource(InputFile(qrels), "qrels", SourceOptions(options["qrels_format"], of_qrels)),
            FileSource(InputFile(runs[0]), "run", SourceOptions(options["run_format"], of_run)),
            conventions,
            memory=options["memory"],
            threads=threads,
        )
    except RankmarkError:
        return
