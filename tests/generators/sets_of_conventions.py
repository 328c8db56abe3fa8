"""Sets of conventions in which every pair of values of two conventions is tried."""

import itertools

import numpy as np

CONVENTIONS = {
    "queries": ["judged", "both", ["q1", "q3", "none_relevant", "missing", "q5"]],
    "ties": ["docid", "docid-asc", "input", "rank", "mean", "best", "worst"],
    "no_relevant": ["zero", "one", "nan", "skip"],
    "depth": [None, 2, 5],
    "judged_only": [False, True],
    "duplicates": ["error", "first", "best"],
    "drop_self": [False, True],
    "precision": ["double", "float32"],
    # "d1" and "d12" count for "d", and "d11" for "d1"; the rest is asked in tests of units.
    "unit": [None, "1"],
    "qrels_unit": [None, "1"],
    "combine": ["best", "first", "count", "rrf@2"],
    "unit_depth": [None, 4],
}
OF_UNITS = ("combine", "unit_depth")
"""Conventions that without ``unit`` have no value but their first."""


def covering(values, seed=3):
    """Draw sets of conventions until every pair of values is in one of them."""
    rng = np.random.default_rng(seed)
    names = list(values)
    numbers = {name: range(len(values[name])) for name in names}
    missing = {
        ((a, i), (b, j))
        for a, b in itertools.combinations(names, 2)
        for i in numbers[a]
        for j in numbers[b]
    }
    missing = {pair for pair in missing if not _contradict(*pair)}
    while missing:
        drawn = [{name: int(rng.integers(len(values[name]))) for name in names} for _ in range(60)]
        for one in drawn:
            if one.get("unit") == 0:
                one.update(dict.fromkeys(OF_UNITS, 0))
        best = max(drawn, key=lambda one: len(missing.intersection(pairs(one))))
        missing -= set(pairs(best))
        yield {name: values[name][number] for name, number in best.items()}


def pairs(one):
    return itertools.combinations(one.items(), 2)


def contradict(a, one, b, other):
    """Return whether two conventions, by name and value, cannot go together."""
    return (a, one) == ("unit", None) and b in OF_UNITS and other != CONVENTIONS[b][0]


def _contradict(first, second):
    """Return the same of conventions by name and place of the value."""
    return first == ("unit", 0) and second[0] in OF_UNITS and second[1] > 0
