"""ranx's ``fuse``: its names of methods and norms, and its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankmark.compat.ranx.inputs import Run
from rankmark.compat.ranx.metrics import RefusedError
from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.preparing.run import Run as Ranking
from rankmark.errors import InputError, shown
from rankmark.verbs.fuse.fuse import fused
from rankmark.verbs.fuse.fusion import Fusion
from rankmark.verbs.fuse.method import Method
from rankmark.verbs.fuse.methods import method as method_named

_NORMS = {
    "min-max": "min-max(floor=1e-9)",
    "min-max-inverted": "min-max(floor=1e-9)",
    "max": "max(floor=1e-9)",
    "sum": "sum(floor=1e-9)",
    "zmuv": "z(floor=1e-9)",
    "rank": "rank",
    "borda": "borda",
    None: "none",
}
# ranx's name of a method, its name of the fused run, and our method.
_METHODS = {
    "min": ("comb_min", "CombMIN"),
    "max": ("comb_max", "CombMAX"),
    "med": ("comb_med", "CombMED"),
    "sum": ("comb_sum", "CombSUM"),
    "anz": ("comb_anz", "CombANZ"),
    "mnz": ("comb_mnz", "CombMNZ"),
    "gmnz": ("comb_gmnz", "CombGMNZ"),
    "isr": ("isr", "ISR"),
    "log_isr": ("log_isr", "logISR"),
    "logn_isr": ("logn_isr", "logN_ISR"),
    "bordafuse": ("bordafuse", "Borda"),
    "w_bordafuse": ("weighted_bordafuse", "Borda"),
    "condorcet": ("condorcet", "Condorcet"),
    "w_condorcet": ("weighted_condorcet", "Condorcet"),
    "rrf": ("rrf", "RRF"),
    "rbc": ("rbc", "RBC"),
    "wmnz": ("wmnz", "WMNZ"),
    "mixed": ("mixed", "Mixed"),
    "wsum": ("weighted_sum", "wsum"),
}
_OWN = {"phi": "p"}  # our names of their parameters
_WEIGHTED = {"w_bordafuse", "w_condorcet", "wmnz", "mixed", "wsum"}


def fuse(
    runs: list[Run],
    norm: str | None = "min-max",
    method: str = "wsum",
    params: dict[str, Any] | None = None,
) -> Run:
    """Fuse runs that answer the same queries.

    Parameters
    ----------
    runs
        Two or more runs.
    norm
        ``"min-max"``, ``"min-max-inverted"``, ``"max"``, ``"sum"``, ``"zmuv"``, ``"rank"``,
        ``"borda"``, or None.
    method
        ``"wsum"``, ``"rrf"``, ``"mnz"``, ``"bordafuse"``, ... as in ranx.
    params
        The parameters of the method, such as ``{"weights": [0.3, 0.7]}`` or ``{"k": 60}``.

    Returns
    -------
    Run
        The fused run, of the name that ranx gives it.

    Raises
    ------
    AssertionError
        If there is only one run, or the queries differ.
    ValueError
        If there is no such method or norm, or a parameter is missing or wrong.

    Examples
    --------
    >>> from rankmark.compat.ranx import Run, fuse
    >>> bm25, dense = Run({"q": {"a": 9.0, "b": 5.0}}), Run({"q": {"b": 0.9, "c": 0.5}})
    >>> fuse([bm25, dense], norm=None, method="rrf", params={"k": 60})["q"]["b"]
    0.03252247488101534
    """
    if len(runs) < 2:
        raise RefusedError("only one run", "give two or more")
    for number, run in enumerate(runs[1:], 1):
        if run.keys() != runs[0].keys():
            raise RefusedError(
                f"runs 0 and {number} have different queries", "give runs of the same queries"
            )
    if norm not in _NORMS:
        raise InputError(f"norm is {shown(norm)}", f"need one of {', '.join(map(str, _NORMS))}")
    if method not in _METHODS:
        raise InputError(f"method is {shown(method)}", f"need one of {', '.join(_METHODS)}")
    given = dict(params or {})
    chosen = _chosen(method, norm, given)
    weights = given.pop("weights", None)
    if method in _WEIGHTED and (weights is None or len(weights) != len(runs)):
        raise InputError(f"weights is {shown(weights)}", f"{method} needs one for each run")
    given.pop("name", None)
    if given:
        raise InputError(f"{method} has no parameter {', '.join(given)}", "leave it out")
    lists = [{query: scores for query, scores in run.run.items() if scores} for run in runs]
    fusion = Fusion(
        {str(number): Ranking.of(_vouched(of_run)) for number, of_run in enumerate(lists)},
        chosen,
        np.ones(len(runs)) if weights is None else np.array(weights, dtype=np.float64),
        ties="input",
        lower_better=(norm == "min-max-inverted",) * len(runs),
    )
    scores = fused(fusion, AS_USUAL).to_dict() if any(lists) else {}
    return Run(
        {query: _as_given(scores.get(query, {}), query, runs) for query in runs[0].keys()},  # noqa: SIM118
        _METHODS[method][0],
    )


def _as_given(scores: Mapping[str, float], query: str, runs: list[Run]) -> dict[str, float]:
    """Put documents in the order of their first appearance, from which ranx sorts them.

    Its sort is unstable: where equal scores end up depends on the order before it.
    """
    return {doc: scores[doc] for doc in dict.fromkeys(doc for run in runs for doc in run[query])}


def _vouched(run: Mapping[str, Mapping[str, float]]) -> NestedMapping:
    """Return a source whose scores are not doubted, as ranx doubts none."""
    source = NestedMapping(run, "run")
    source.vouched = True
    return source


def _chosen(method: str, norm: str | None, given: dict[str, Any]) -> Method:
    """Return our method, with the parameters taken out of those that are given."""
    found = method_named(_METHODS[method][1])
    if found.uses == "ranks":
        if norm == "borda":
            raise InputError(
                f'norm="borda" adds documents to lists, whose ranks {method} uses',
                "choose another norm",
            )
    else:
        found = found.choose(norm=_NORMS[norm])
    own = {name: given.pop(theirs) for theirs, name in _names(found) if theirs in given}
    return found.choose(**own)


def _names(method: Method) -> list[tuple[str, str]]:
    theirs = {name: their for their, name in _OWN.items()}
    return [(theirs.get(name, name), name) for name in method.parameters if name != "norm"]
