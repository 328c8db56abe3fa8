"""Begin to read files in a thread; see reading_ahead.py."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from io import FileIO
from math import inf
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from rankmark import _core
from rankmark.conventions import limit
from rankmark.errors import RankmarkError
from rankmark.sources.contract.cores import as_threads
from rankmark.sources.contract.memory import as_memory
from rankmark.sources.files import reading_ahead
from rankmark.sources.files.packing import MAGIC_BYTES, packing_of

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.sources.contract.source import Progress
    from rankmark.sources.files.file_source import FileSource
    from rankmark.sources.files.text import OpenText


def begin_reading(
    qrels: FileSource,
    run: FileSource,
    conventions: Conventions,
    *,
    memory: int | None,
    threads: int | None,
) -> None:
    """Begin to read judgments and a run, if both are plain files of text.

    Since nobody knows yet which judged documents the measures need, all are kept.
    """
    with ExitStack() as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the actual reader warns
        try:
            if not (_is_plain(qrels) and _is_plain(run)):
                return
            texts = [opened.enter_context(source.opened_text()) for source in (qrels, run)]
        except (RankmarkError, OSError, ValueError):  # a path may be impossible
            return
        if texts[0] is None or texts[1] is None:
            return
        bounds = -inf, limit(None), as_memory(memory)
        ranking = _core.RankingOptions(*conventions.for_core(), *bounds).keeping_all()
        reading = reading_ahead.ReadingAhead(texts[0].request, texts[1].request, ranking)
        reading_ahead.expect(reading)
        work = reading, texts[0], texts[1], as_threads(threads), opened.pop_all()
        # Not a daemon, which must not return to an interpreter that has been shut down.
        Thread(target=_read, args=work).start()


def _is_plain(source: FileSource) -> bool:
    """Return True for the path of a regular file that is not packed."""
    path = source.file.path
    if path is None or not Path(path).is_file():
        return False
    with FileIO(path) as file:
        return packing_of(file.read(MAGIC_BYTES)) is None


def _read(
    reading: reading_ahead.ReadingAhead,
    qrels: OpenText,
    run: OpenText,
    threads: int,
    opened: ExitStack,
) -> None:
    """Read both files, and close them."""

    def read_qrels(progress: Progress) -> tuple[Any, ...]:
        return _core.qrels_from_file(
            qrels.source, qrels.for_core(), threads, qrels.block_bytes, progress
        )

    def read_run(judgments: _core.Judgments, progress: Progress) -> _core.RunRead:
        layout = run.for_core(single=reading.ranking.single)
        return _core.run_from_file(
            run.source, layout, judgments, reading.ranking, threads, run.block_bytes, progress
        )

    with opened:
        reading.read(read_qrels, read_run)
