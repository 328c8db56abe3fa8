"""The files of the command: judgments and runs as TREC text, and z-scores."""

from __future__ import annotations

import os

import numpy as np

from rankmark.compat.trec_eval.given_options import (
    JUDGMENTS,
    NOT_COMPUTED,
    WRONG_FILE,
    WRONG_ZSCORES,
    Options,
    StoppedError,
)
from rankmark.data.alignment import Needs
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.errors import DuplicateError, RankmarkError

_TAIL = 1 << 16  # bytes read at once from the end of a run

ZScores = dict[tuple[str, str], tuple[float, float]]


def judgments_in(options: Options) -> Qrels:
    """Read the judgments.

    Raises
    ------
    StoppedError
        If they cannot be read, or trec_eval would not accept them.
    """
    path = options.files[0]
    try:
        qrels = Qrels(path, format=JUDGMENTS[options.judgments])
    except DuplicateError as error:
        _refuse_more_columns(path, options.judgments)
        raise refused(error, f"get_{options.judgments}", path) from None
    except RankmarkError as error:
        raise refused(error, f"get_{options.judgments}", path) from None
    if qrels.extra_columns:
        _refuse_more_columns(path, options.judgments)
        raise StoppedError(
            WRONG_FILE,
            f"trec_eval.get_{options.judgments}: {qrels.name}: {qrels.extra_columns:,} lines have "
            "more than 4 columns (qid iter docno rel): remove the others",
            f"trec_eval: Quit in file '{path}'",
        )
    if options.judgments in {"qrels", "qrels_jg"}:
        labels = qrels.ideal(Needs())[1]
        broken = labels[labels != np.floor(labels)]
        if len(broken):
            raise StoppedError(
                WRONG_FILE,
                f"trec_eval.get_{options.judgments}: {qrels.name}: label {broken[0]:g} is not a "
                "whole number; trec_eval would drop the fraction: round it, or use rankmark "
                "evaluate",
                f"trec_eval: Quit in file '{path}'",
            )
    return qrels


def _refuse_more_columns(path: str, judgments: str) -> None:
    """Refuse the first line of qrels with more than four columns, as trec_eval does."""
    if judgments == "prefs" or path == "-":
        return
    with open(path, "rb") as file:  # noqa: PTH123
        for number, line in enumerate(file, start=1):
            columns = len(line.split())
            if b"\0" in line:  # it is packed
                return
            if columns > 4 and not line.startswith(b"#"):
                raise StoppedError(
                    WRONG_FILE,
                    f"trec_eval.get_{judgments}: {path}:{number}: found {columns} columns, need 4 "
                    "(qid iter docno rel): remove the others",
                    f"trec_eval: Quit in file '{path}'",
                )


def run_in(options: Options) -> Run:
    """Open the run.

    Raises
    ------
    StoppedError
        If it cannot be read.
    """
    path = options.files[1]
    try:
        return Run(path, format="trec")
    except RankmarkError as error:
        raise refused(error, "get_results", path) from None


def refused(error: RankmarkError, reader: str, path: str) -> StoppedError:
    """Say why a file cannot be used, with trec_eval's exit code."""
    if isinstance(error, DuplicateError):
        return StoppedError(NOT_COMPUTED, f"trec_eval.form_res_rels: duplicate docs: {error}")
    return StoppedError(
        WRONG_FILE, f"trec_eval.{reader}: {error}", f"trec_eval: Quit in file '{path}'"
    )


def tag_in(run: Run) -> str:
    """Return the tag of the last line of a run."""
    with run.source.file.descriptor() as descriptor:  # type: ignore[attr-defined]
        end = os.fstat(descriptor).st_size
        data = b""
        while end > 0:
            begin = max(end - _TAIL, 0)
            data = os.pread(descriptor, end - begin, begin) + data
            end = begin
            lines = data.split(b"\n")[1 if begin else 0 :]
            for line in reversed(lines):
                fields = line.split(None, 6)
                if len(fields) >= 6 and not fields[0].startswith(b"#"):
                    return fields[5].decode("utf-8", "surrogateescape")
    return ""


def zscores_in(path: str) -> ZScores:
    """Read lines of a query id, a measure, a mean and a standard deviation.

    Raises
    ------
    StoppedError
        If the file cannot be read.
    """
    found: ZScores = {}
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
            for number, line in enumerate(file, start=1):
                fields = line.split()
                if len(fields) != 4:
                    raise _wrong_zscores(
                        f"{path}:{number}: found {len(fields)} columns, need 4 (qid measure mean "
                        "stdev)"
                    )
                try:
                    found[fields[0], fields[1]] = float(fields[2]), float(fields[3])
                except ValueError:
                    raise _wrong_zscores(
                        f"{path}:{number}: {fields[2]} and {fields[3]} are not two numbers"
                    ) from None
    except OSError as error:
        raise _wrong_zscores(f"Cannot read zscores file '{path}': {error.strerror}") from None
    if not found:
        raise _wrong_zscores(f"Cannot read zscores file '{path}': it is empty")
    return found


def _wrong_zscores(what: str) -> StoppedError:
    return StoppedError(WRONG_ZSCORES, f"trec_eval.get_zscores: {what}")


def in_bytes(query: str) -> bytes:
    """Return an id as bytes, by which trec_eval orders queries."""
    return query.encode("utf-8", "surrogateescape")
