"""Write a fused run as a file, a part of the queries at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.verbs.convert.convert import convert, format_of, opened
from rankmark.verbs.fuse.fuse import fused
from rankmark.verbs.fuse.fusion_audit import AuditCounts, FusionAudit

if TYPE_CHECKING:
    import os

    from rankmark.data.contract.reading_options import Reading
    from rankmark.verbs.convert.row_formats import RowFormat
    from rankmark.verbs.fuse.fusion import Fusion


def write_fused(
    fusion: Fusion,
    target: str | os.PathLike[str],
    to: RowFormat | None,
    tag: str | None,
    reading: Reading,
) -> FusionAudit:
    """Fuse runs, and write the result completely or not at all.

    Scores are written with as many digits as it takes to read the same number again, at most 17.
    TREC text is written part by part, so that the result is never in memory as a whole.

    Parameters
    ----------
    fusion
        What to fuse, and how.
    target
        Path of the file; ``-`` for standard output.
    to
        The format; None to use the ending of the target's name, TREC text for standard output.
    tag
        The run tag; None for the name of the method.
    reading
        How the runs are read.

    Raises
    ------
    InputError
        If the runs cannot be fused, the format cannot contain an id, or the file cannot be written.
    """
    form = "trec" if to is None and str(target) == "-" else format_of(target, to)
    tag = str(fusion.method).replace(" ", "") if tag is None else tag
    if form != "trec":
        run = fused(fusion, reading)
        convert(run, target, to=form, tag=tag)
        return run.audit
    counts = AuditCounts(len(fusion.runs))
    united = fusion.united(reading)
    with opened(target) as file:
        for scored, documents in fusion.ranked(united, counts, reading.workers):
            lines = scored.part.lines(documents, scored.scores, tag, reading.workers)
            if lines is None:  # convert says which id or tag it is
                convert(fused(fusion, reading.in_silence()), target, to="trec", tag=tag)
                return fusion.audit(united, counts)
            file.write(lines)
    return fusion.audit(united, counts)
