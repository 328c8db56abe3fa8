"""The systems that a gate compares, in whatever form they are given: runs, or trials."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.data.files.input_file import printable
from rankmark.errors import DuplicateError, InputError, listed
from rankmark.measures import Measure
from rankmark.results.per_query import ByQuery
from rankmark.scoring.misplaced_arguments import several as several_runs
from rankmark.verbs.evaluate.evaluate_runs import each_run, evaluate_runs, grouped
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.given_evaluations import are_evaluations, given_evaluations
from rankmark.verbs.evaluate.given_runs import given_system, is_pattern, trials_in
from rankmark.verbs.evaluate.provenance import Given
from rankmark.verbs.gate.gated_system import System

if TYPE_CHECKING:
    from rankmark.verbs.evaluate.given_runs import NamedRuns
    from rankmark.verbs.gate.gate_condition import GatedMeasure
    from rankmark.verbs.gate.gate_conditions import Asked

_INSPECTED = 10  # entries of a mapping
Same = Literal["", "object", "file", "content", "scores"]


def are_scores(base: Any, new: Any) -> bool:
    """Return whether systems without judgments are scores, rather than evaluations of runs."""
    return not all(isinstance(one, Evaluation) for given in (base, new) for one in _each(given))


def given_reference(given: Any, named: NamedRuns) -> list[Given]:
    """Return the fixed reference in a list, which is empty if there is none."""
    if given is None:
        return []
    return [as_reference(given_system(given, named))]


def as_reference(found: Given) -> Given:
    """Return a system that is called the reference, unless it has the name of a file or its own."""
    is_named = found.name is not None or bool(_path(found.runs[0]))
    return found if is_named else found._replace(name="reference")


def given_candidates(given: Any, named: NamedRuns) -> list[Given]:
    """Return the systems that may replace the baseline: one, or several by name."""
    if not _are_candidates(given, named):
        return [given_system(given, named)]
    return candidates_named(given, [given_system(one, named) for one in given.values()])


def candidates_named(given: Iterable[Any], systems: Sequence[Given]) -> list[Given]:
    """Return candidates with these names."""
    names = [*map(str, given)]
    if len(set(names)) < len(names):
        raise DuplicateError(f"two runs have the name {listed(names)}", "name each run differently")
    return [Given(name, one.runs) for name, one in zip(names, systems, strict=True)]


def evaluated_systems(qrels: Any, systems: Sequence[Given], asked: Asked) -> list[System]:
    """Evaluate the runs of all systems on the same queries, or check their evaluations."""
    by_name = each_run(_labels(systems), systems)
    runs = [*by_name.values()]
    if are_evaluations(by_name):
        found = [*given_evaluations(by_name, qrels, asked.conventions).values()]
    else:
        options = {**asked.conventions, "progress": asked.progress}
        found = evaluate_runs(qrels, runs, asked.measures, **options)
    for one in found:
        if not one.audit.rows:
            raise InputError(
                "it holds no documents, so there is nothing to decide",
                "check whether the program that made it finished",
                where=printable(one.run_name),
            )
    evaluations = grouped(systems, found, asked.options.get("pass_score"))
    names = system_names(systems, [one.run_name for one in evaluations])
    return [System(name, each) for name, each in zip(names, evaluations, strict=True)]


def system_names(systems: Sequence[Given], run_names: Sequence[str]) -> list[str]:
    """Name systems as they were given, or after the files of their runs, which are told apart.

    Parameters
    ----------
    systems
        The baseline first.
    run_names
        The name of the first run of each, such as that of its file.
    """
    names: list[str] = []
    paths = [_path(one.runs[0]) for one in systems]
    for label, one, run_name, path in zip(_labels(systems), systems, run_names, paths, strict=True):
        called = [one.name or run_name, path, label]
        if run_name.startswith("<") and one.name is None:  # a mapping, a frame, ...
            called = [label]
        free = (name for name in called if name and name not in names)
        # A file that is compared with itself keeps its name.
        names.append(called[0] if path and path == paths[0] else next(free, called[0]))
    return names


def same_runs(
    base: Given, new: Given, baseline: System, candidate: System, measures: Sequence[GatedMeasure]
) -> Same:
    """Return in which way two systems are the same; "" if they are not.

    Files are read again for a comparison of their content only if all scores are the same.
    """
    for measure in measures:
        a, b = (one.numbers(measure) for one in (baseline, candidate))
        if not np.array_equal(a, b, equal_nan=True):
            return ""
        # Other lists may have the same numbers once a user is left out.
        if isinstance(measure, Measure) and measure.depends_on == "run":
            first, second = (one.left_out(measure).value for one in (baseline, candidate))
            if first != second:
                return ""
    if len(base.runs) == len(new.runs):
        pairs = [*zip(base.runs, new.runs, strict=True)]
        if all(_are_one_file(a, b) for a, b in pairs):
            return "file"
        if all(a is b for a, b in pairs):
            return "object"
        hashes = [baseline.hashes(), candidate.hashes()]
        if None not in hashes[0] and hashes[0] == hashes[1]:
            return "content"
    return "scores"


def _are_one_file(a: Any, b: Any) -> bool:
    if not _path(a) or not _path(b):
        return False
    try:
        return os.path.samefile(a, b)  # noqa: PTH121
    except OSError:
        return False


def _path(run: Any) -> str:
    return os.fsdecode(run) if isinstance(run, (str, os.PathLike)) else ""


def _labels(systems: Sequence[Given]) -> list[str]:
    names = [one.name for one in systems]
    usual = ["baseline", *["new"] * (len(names) - 1)]  # of several candidates, each has a name
    return [name or other for name, other in zip(names, usual, strict=True)]


def _are_candidates(given: Any, named: NamedRuns) -> bool:
    """Return whether a mapping is one of systems by name, rather than a run."""
    if not isinstance(given, Mapping) or isinstance(given, Evaluation) or not given:
        return False
    are_empty = all(isinstance(one, Mapping) and not one for one in given.values())
    # The rankings of a run may all be empty.
    return all(_is_system(one, named) for one in given.values()) and not are_empty


def _is_system(given: Any, named: NamedRuns) -> bool:
    if isinstance(given, (Evaluation, Given)):
        return True
    if isinstance(given, str) and (given in named or is_pattern(given)):
        return True
    if isinstance(given, (list, tuple)):
        return bool(trials_in(given, are_files=True))
    if several_runs([given]):
        return True
    # A run has a mapping or a list for each query, rather than numbers.
    return isinstance(given, Mapping) and all(
        isinstance(one, (Mapping, list, tuple)) for one in islice(given.values(), _INSPECTED)
    )


def _each(given: Any) -> Iterable[Any]:
    if isinstance(given, (list, tuple)) and given:
        return [one for inner in given for one in _each(inner)]
    if isinstance(given, Mapping) and given and not isinstance(given, ByQuery):
        return [one for inner in given.values() for one in _each(inner)]
    return [given]
