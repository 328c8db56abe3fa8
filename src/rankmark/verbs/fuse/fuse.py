"""Fuse several runs into one, which is kept in memory, or written part by part."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from rankmark.arguments import Columns, FromOne, Text, checked
from rankmark.array_types import Floats
from rankmark.conventions import Combining, Conventions, ListTies, Separator
from rankmark.data.contract.reading_options import ProgressOfFiles, Reading
from rankmark.data.contract.resources import Memory
from rankmark.data.contract.source_options import RunContents
from rankmark.data.preparing.parents import ParentsSource, prepared_once
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.united_runs import Answered, FusedRows, UnitedDocuments, fused_source
from rankmark.data.preparing.units import refuse_unused_combination, with_documents
from rankmark.data.tables.table import TableSource
from rankmark.errors import InputError, counted, listed, shown
from rankmark.results.run_names import short_names
from rankmark.verbs.convert.convert import convert, format_of, opened
from rankmark.verbs.convert.row_formats import RowFormat
from rankmark.verbs.evaluate.given_runs import named_runs
from rankmark.verbs.fuse.fused_run import FusedRun
from rankmark.verbs.fuse.fusion import AuditCounts, Fusion, FusionAudit
from rankmark.verbs.fuse.method import Method
from rankmark.verbs.fuse.methods import method as method_named
from rankmark.verbs.fuse.norms import Constant
from rankmark.verbs.fuse.presets import Preset, preset_named


def given_runs(
    runs: Any,
    columns: Mapping[str, Any] | None,
    options: Mapping[str, Any],
    parents: ParentsSource | None = None,
) -> dict[str, Run]:
    """Prepare the runs, by name.

    Parameters
    ----------
    runs
        {name: run}; a list of runs of any form, which are named by their files or "run 1", "run
        2", ...; a pattern of paths; or a frame with a column of runs.
    columns, options
        How they are read; see Run.
    parents
        The documents of the units of all runs that were not prepared with their own.
    """
    if isinstance(runs, Iterator):
        runs = list(runs)
    if isinstance(runs, (list, tuple)) and not _are_rows(runs):
        named = _of_list(runs)
    else:
        named, columns = named_runs(runs, columns, systems=False)
    if not named:
        raise InputError("there are no runs", "give two or more")
    known = prepared_once(parents)
    return {
        name: with_documents(prepared(run, columns, options), known) for name, run in named.items()
    }


def prepared(run: Any, columns: Mapping[str, Any] | None, options: Mapping[str, Any]) -> Run:
    """Prepare one run; one that is prepared already takes no options."""
    if isinstance(run, Run):
        return run
    return Run(run, columns=columns, **options)


def _are_rows(runs: Any) -> bool:
    """Return whether a list has rows of one run instead of runs."""
    return bool(runs) and all(
        isinstance(row, (list, tuple)) and len(row) >= 2 and isinstance(row[0], (str, int))
        for row in runs
    )


def _of_list(runs: list[Any] | tuple[Any, ...]) -> dict[str, Any]:
    names = []
    for number, run in enumerate(runs, 1):
        name = run.name if isinstance(run, Run) else None
        if isinstance(run, (str, PathLike)):
            name = str(run)
        elif name is None or name.startswith("<"):
            name = f"run {number}"
        names.append(name)
    short = short_names(names)
    if len(set(short)) < len(short):  # the same file twice, say
        short = [f"run {number}" for number in range(1, len(short) + 1)]
    return dict(zip(short, runs, strict=True))


_NEEDED = "need a list of numbers, one for each run"


def given_weights(weights: Any, names: list[str]) -> Floats | None:
    """Return the weight of each run: (m,) float64, from 0; None if there are none."""
    if weights is None:
        return None
    if isinstance(weights, Mapping):
        wrong = [name for name in weights if str(name) not in names]
        missing = [name for name in names if name not in {*map(str, weights)}]
        if wrong or missing:
            raise InputError(
                f"weights names {listed([*map(str, weights)])}, the runs are {listed(names)}",
                "give one weight to each run",
            )
        by_name = {str(name): weight for name, weight in weights.items()}
        weights = [by_name[name] for name in names]
    if isinstance(weights, (str, bytes)) or not isinstance(weights, Iterable):
        raise InputError(f"weights is {shown(weights)}", _NEEDED)
    try:
        found = np.array([float(weight) for weight in weights])
    except (TypeError, ValueError):
        raise InputError(f"weights is {shown(weights)}", _NEEDED) from None
    if len(found) != len(names):
        raise InputError(
            f"weights has {counted(len(found), 'number')}, and there are {len(names)} runs",
            "give one weight to each run, in their order",
        )
    if not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise InputError(
            f"weights is {found.tolist()}", "need finite numbers from 0, not all of them 0"
        )
    return found


def lower_is_better(lower_better: Any, names: list[str]) -> list[bool]:
    """Return for each run whether lower scores are better."""
    if isinstance(lower_better, (bool, np.bool_)) or lower_better is None:
        return [bool(lower_better)] * len(names)
    is_list = isinstance(lower_better, Iterable) and getattr(lower_better, "ndim", 1) == 1
    chosen = [lower_better] if isinstance(lower_better, str) or not is_list else list(lower_better)
    if all(isinstance(one, (bool, np.bool_)) for one in chosen) and len(chosen) == len(names):
        return [bool(one) for one in chosen]
    wrong = [one for one in chosen if not isinstance(one, str) or one not in names]
    if wrong:
        raise InputError(
            f"lower_better names {shown(wrong[0])}, which is no run",
            f"the runs are {listed(names)}",
        )
    return [name in chosen for name in names]


DEFAULT = "RRF(k=60)"
"""The default method."""


@checked
def fuse(
    runs: Any,
    method: str | Method | None = None,
    *,
    preset: str | None = None,
    norm: str | Sequence[str] | None = None,
    constant: Constant | None = None,
    weights: Sequence[float] | Mapping[str, float] | None = None,
    depth: FromOne | None = None,
    top: FromOne | None = None,
    ties: ListTies | None = None,
    queries: Answered = "any",
    lower_better: bool | Sequence[bool] | Sequence[str] = False,
    unit: Separator | None = None,
    combine: Combining = "best",
    unit_depth: FromOne | None = None,
    run_format: Text | None = None,
    columns: Columns = None,
    contents: RunContents | None = None,
    parents: ParentsSource | None = None,
    threads: FromOne | None = None,
    memory: Memory | None = None,
    progress: ProgressOfFiles | None = None,
) -> FusedRun:
    """Fuse several runs into one.

    Parameters
    ----------
    Data:
    runs
        {name: run}, or a list of runs, each in any form that ``evaluate`` takes; a pattern of
        paths; or a frame with a column of runs.

    Method:
    method
        A method, such as RRF(k=60), wsum or CombMNZ; None for RRF(k=60).

        Or ``"CombMNZ(norm='z')"``.
    preset
        In place of a method, what a search engine does, such as ``"qdrant-rrf"`` or
        ``"weaviate"``.

        Its formula, norm, weights and ties.
    norm
        How the scores of each list are normalised, for methods that use scores: ``"min-max"``
        (the default), ``"min-max(low=0)"`` with a known lowest or highest score, ``"max"``,
        ``"sum"``, ``"z"``, ``"rank"``, ``"borda"``, ``"l2"``, ``"3-sigma"``,
        ``"3-sigma-sample"``, ``"arctan"``, ``"arctan-ip"``, ``"cosine"`` or ``"none"``; or a list
        of one for each run.
    constant
        What a list becomes if all its scores are equal; None for 1.

        A number; ``"raw"`` to leave it as it is; or ``"positive"``, 1 if the score is above
        0 and otherwise 0: what min-max, sum and 3-sigma make of such a list, as of one
        document.
    weights
        The weight of each run, in their order; None for 1 each.

        Numbers from 0; or by name.

    Conventions:
    depth
        Fuse only the first documents of each list.

        Scores are normalised after the cut. None for all.
    top
        Write only the first documents of each fused list.

        None for all.
    ties
        Documents with equal scores: ordered by id, descending (``"docid"``) or ascending
        (``"docid-asc"``), or as in the file (``"input"``); ``"rank"`` uses the rank column instead
        of scores; ``"mean"`` gives them the mean of their points. None for ``"docid"``, or that of
        the preset.

        Equal fused scores are ordered by the same rule, under ``"rank"`` and ``"mean"`` by id,
        descending.
    queries
        Fuse queries that ``"any"`` run answers, from the lists that exist, or only those that
        ``"all"`` answer.
    lower_better
        Whether lower scores are better, as of distances: for all runs, for each of them, or the
        names of those. Their scores are negated.
    unit, combine, unit_depth
        If runs retrieved units of documents, such as chunks, as for ``evaluate``: each list becomes
        one of documents before it is fused, and the result is a run of documents. ``depth`` and
        ``top`` count documents.

    Reading:
    run_format, columns, contents
        For all runs, as for ``evaluate``; prepare the runs with Run if they need different ones.
    parents
        The document of each unit, if its id does not contain it, as for ``evaluate``; for the runs
        that were not prepared with their own.
    threads
        Number of threads; None for one per core. It does not affect the result.
    memory
        Memory for lists, such as ``"256M"`` or ``"2G"``; text files that are larger together are
        read twice, a few queries at a time. None for ``"512M"``.

        It does not affect the result.
    progress
        Called while a file is read, with its number and the number of bytes read so far.

    Returns
    -------
    FusedRun
        A run, with its ``audit``.

    Raises
    ------
    ParseError, DuplicateError, SchemaError
        If a run cannot be read.
    MismatchError
        If no query is in two runs, or in all runs under ``queries="all"``.
    MeasureError
        If a method or one of its parameters does not exist.
    InputError
        If a file cannot be read, an option has an invalid value, a unit has no document in
        ``parents``, or a method needs scores that a run does not have or that are infinite.

    Examples
    --------
    >>> import rankmark as rm
    >>> bm25 = {"q1": {"a": 12.5, "b": 8.1, "c": 7.9}}
    >>> dense = {"q1": {"b": 0.93, "d": 0.91, "a": 0.3}}
    >>> fused = rm.fuse({"bm25": bm25, "dense": dense}, "RRF(k=60)")
    >>> rm.evaluate({"q1": {"b": 1}}, fused, "RR")["RR"]
    1.0
    """
    fusion = fusion_of(
        runs,
        method,
        preset=preset,
        norm=norm,
        constant=constant,
        weights=weights,
        depth=depth,
        top=top,
        ties=ties,
        queries=queries,
        lower_better=lower_better,
        unit=unit,
        combine=combine,
        unit_depth=unit_depth,
        run_format=run_format,
        columns=columns,
        contents=contents,
        parents=parents,
    )
    reading = Reading.of(threads=threads, memory=memory, progress=progress)
    return fused(fusion, reading)


def fusion_of(
    runs: Any,
    method: str | Method | None = None,
    *,
    preset: str | None = None,
    norm: Any = None,
    constant: Constant | None = None,
    weights: Any = None,
    depth: FromOne | None = None,
    top: FromOne | None = None,
    ties: ListTies | None = None,
    queries: Answered = "any",
    lower_better: Any = False,
    unit: Separator | None = None,
    combine: Combining = "best",
    unit_depth: FromOne | None = None,
    run_format: Text | None = None,
    columns: Columns = None,
    contents: RunContents | None = None,
    parents: ParentsSource | None = None,
) -> Fusion:
    """Check what ``fuse`` is given, and return the Fusion that it means."""
    units = Conventions(unit=unit, combine=combine, unit_depth=unit_depth)
    named = given_runs(runs, columns, {"format": run_format, "contents": contents}, parents)
    refuse_unused_combination(units, named.values())
    known = None if preset is None else preset_named(preset)
    if known is not None and method is not None:
        raise InputError(f"method and preset {known.name} are both given", "keep one of the two")
    if known is None:
        chosen = method_named(DEFAULT if method is None else method)
    else:
        chosen = method_named(known.method)
    chosen = _with_norm(chosen, norm, constant, {} if known is None else known.norms)
    return Fusion(
        named,
        chosen,
        _weights(weights, chosen, list(named), known),
        queries,
        ties or ("docid" if known is None else known.ties),
        depth,
        top,
        tuple(lower_is_better(lower_better, list(named))),
        None if known is None else known.name,
        units=units,
    )


def fused(fusion: Fusion, reading: Reading) -> FusedRun:
    """Fuse runs as a Fusion says, and keep the result in memory.

    What can fail is done at once. Documents are put in order when somebody reads the result, unless
    the lists are on disk, of which only a part is in memory.
    """
    counts = AuditCounts(len(fusion.runs))
    united = fusion.united(reading)

    def ranked_table(documents: UnitedDocuments, scores: Floats) -> tuple[FusedRows, int]:
        order, tied = fusion.ranked(documents, scores, reading.workers)
        return documents.table(order, scores, reading.workers), tied

    parts: list[tuple[UnitedDocuments, Floats]] = []
    tables: list[tuple[FusedRows, int]] = []
    for part, _, scores in fusion.scored(united, reading.workers):
        counts.add(part)
        if united.in_memory:
            parts.append((part.documents, scores))
        else:
            tables.append(ranked_table(part.documents, scores))
    counts.warn(list(fusion.runs), united)

    def rank() -> tuple[TableSource, FusionAudit]:
        ranked, tied = zip(*tables, *(ranked_table(*part) for part in parts), strict=True)
        source = fused_source(ranked, {"form": "fused"} | fusion.settings())
        return source, fusion.audit(united, counts, sum(tied))

    return FusedRun(fusion, rank)


def _with_norm(
    method: Method, norm: Any, constant: Constant | None, norms: Mapping[str, str]
) -> Method:
    """Return the method with a norm, if one is given; ``norms`` are what a preset means by some."""
    if isinstance(norm, (list, tuple)):
        norm = tuple(norms.get(name, name) if isinstance(name, str) else name for name in norm)
    elif isinstance(norm, str):
        norm = norms.get(norm, norm)
    given = {"norm": norm, "constant": constant}
    wanted = {name: value for name, value in given.items() if value is not None}
    if wanted and method.uses != "scores":
        raise InputError(
            f"{next(iter(wanted))} does not apply to {method}, which uses ranks", "leave it out"
        )
    return method.choose(**wanted) if wanted else method


def _weights(weights: Any, method: Method, names: list[str], preset: Preset | None) -> Floats:
    found = given_weights(weights, names)
    if preset is not None:
        found = preset.weights_of(found, len(names))
    elif found is not None and not method.weighted:
        raise InputError(f"{method} takes no weights", "leave them out, or choose wsum")
    return np.ones(len(names)) if found is None else found


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
    """
    form = "trec" if to is None and str(target) == "-" else format_of(target, to)
    tag = str(fusion.method).replace(" ", "") if tag is None else tag
    if form != "trec":
        run = fused(fusion, reading)
        convert(run, target, to=form, tag=tag)
        return run.audit
    counts = AuditCounts(len(fusion.runs))
    united = fusion.united(reading)
    all_tied = 0
    with opened(target) as file:
        for part, _, scores in fusion.scored(united, reading.workers):
            counts.add(part)
            order, tied = fusion.ranked(part.documents, scores, reading.workers)
            lines = part.documents.lines(order, scores, tag, reading.workers)
            if lines is None:  # convert says which id or tag it is
                run = fused(fusion, reading.in_silence())
                convert(run, target, to="trec", tag=tag)
                return run.audit
            all_tied += tied
            file.write(lines)
    counts.warn(list(fusion.runs), united)
    return fusion.audit(united, counts, all_tied)
