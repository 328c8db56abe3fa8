"""Fuse several runs into one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rankmark.arguments import typed, whole
from rankmark.conventions import Conventions
from rankmark.data.contract.reading_options import Reading
from rankmark.data.preparing.united_runs import Answered, ListTies, fused_source
from rankmark.data.preparing.units import refuse_unused_combination
from rankmark.errors import InputError
from rankmark.formula_parameters import choice
from rankmark.verbs.fuse.fused_inputs import given_runs, given_weights, lower_is_better
from rankmark.verbs.fuse.fused_run import FusedRun
from rankmark.verbs.fuse.fusion import Fusion
from rankmark.verbs.fuse.fusion_audit import AuditCounts
from rankmark.verbs.fuse.method_names import method as method_named
from rankmark.verbs.fuse.presets import preset_named

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.parents import ParentsSource
    from rankmark.verbs.fuse.method import Method
    from rankmark.verbs.fuse.norms import Constant
    from rankmark.verbs.fuse.presets import Preset

DEFAULT = "RRF(k=60)"
"""The default method."""


@typed
def fuse(
    runs: Any,
    method: str | Method | None = None,
    *,
    preset: str | None = None,
    norm: str | Sequence[str] | None = None,
    constant: Constant | None = None,
    weights: Sequence[float] | Mapping[str, float] | None = None,
    depth: int | None = None,
    top: int | None = None,
    ties: ListTies | None = None,
    queries: Answered = "any",
    lower_better: bool | Sequence[bool] | Sequence[str] = False,
    unit: str | None = None,
    combine: str = "best",
    unit_depth: int | None = None,
    run_format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    contents: Literal["scores", "ids"] | None = None,
    parents: ParentsSource | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    progress: Callable[[int, int], None] | None = None,
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
        A method, such as ``"RRF(k=60)"``, ``"wsum"`` or ``"CombMNZ(norm='z')"``. None for
        RRF(k=60).
    preset
        In place of a method, what a search engine or a framework does, such as ``"qdrant-rrf"`` or
        ``"opensearch-arithmetic_mean"``: its formula, norm, weights and ties.
    norm
        How the scores of each list are normalised, for methods that use scores: ``"min-max"``
        (the default), ``"min-max(low=0)"`` with a known lowest or highest score, ``"max"``,
        ``"sum"``, ``"z"``, ``"rank"``, ``"borda"``, ``"l2"``, ``"3-sigma"``,
        ``"3-sigma-sample"``, ``"arctan"``, ``"arctan-ip"``, ``"cosine"`` or ``"none"``; or a list
        of one for each run.
    constant
        What min-max, sum and 3-sigma make of a list whose scores are all equal, such as a list of
        one document: a number; ``"raw"`` to leave it as it is; or ``"positive"``, 1 if the score
        is above 0 and otherwise 0. 1 by default.
    weights
        The weight of each run: numbers from 0, in the order of the runs or by name. None for 1.

    Conventions:
    depth
        The last rank of each list that is fused; scores are normalised after the cut.
    top
        The number of documents that are returned for each query; None for all.
    ties
        The order of equal scores in a list: by id, descending (``"docid"``, the default, as
        trec_eval) or ascending
        (``"docid-asc"``), as given (``"input"``), or by the rank column (``"rank"``). ``"mean"``
        gives tied documents the mean of their points. Equal fused scores are ordered by the same
        rule, under ``"rank"`` and ``"mean"`` by id, descending. None for that of the preset.
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
        The memory for lists, such as ``"2G"``; None for 512M. If text files are larger together,
        they are read twice, a few queries at a time. It does not affect the result.
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
    depth: int | None = None,
    top: int | None = None,
    ties: ListTies | None = None,
    queries: Answered = "any",
    lower_better: Any = False,
    unit: str | None = None,
    combine: str = "best",
    unit_depth: int | None = None,
    run_format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    contents: Literal["scores", "ids"] | None = None,
    parents: ParentsSource | None = None,
) -> Fusion:
    """Check what ``fuse`` is given, and return the Fusion that it means."""
    choice("queries", queries, *get_args(Answered))
    if ties is not None:
        choice("ties", ties, *get_args(ListTies))
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
        None if depth is None else whole("depth", depth),
        None if top is None else whole("top", top),
        tuple(lower_is_better(lower_better, list(named))),
        None if known is None else known.name,
        units=units,
    )


def fused(fusion: Fusion, reading: Reading) -> FusedRun:
    """Fuse runs as a Fusion says, and keep the result in memory."""
    tables = []
    counts = AuditCounts(len(fusion.runs))
    united = fusion.united(reading)
    for scored, documents in fusion.ranked(united, counts, reading.workers):
        tables.append(scored.part.table(documents, scored.scores, reading.workers))
    source = fused_source(tables, {"form": "fused"} | fusion.settings())
    return FusedRun(source, fusion, fusion.audit(united, counts))


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
