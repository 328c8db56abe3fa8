"""Cases with the right values of measures, for test suites of implementations in any language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankmark.arguments import Names, checked, names_in
from rankmark.errors import MeasureError
from rankmark.measures import Measure
from rankmark.measures.names import measures as measures_named
from rankmark.verbs.verify_function.call_shapes import Shape
from rankmark.verbs.verify_function.cases import (
    EMPTY,
    NEGATIVE,
    UNJUDGED,
    WITHOUT_RELEVANT,
    Case,
    designed,
    tied,
)
from rankmark.verbs.verify_function.expectation import Expectation
from rankmark.verbs.verify_function.lookup import OF_OTHER_DATA

_SHAPE = Shape(("qrels", "run", "k"), (None, None, None))


@checked
def known_cases(measures: Names = ("nDCG", "RR", "AP", "R", "P")) -> list[dict[str, Any]]:
    """Return small rankings with the values that measures have, as `rankmark cases` writes them.

    Parameters
    ----------
    measures
        Names of measures of labels, without cutoffs, as each case has its own.

    Returns
    -------
    list of dict
        For each case

        - ``kind``: "ordinary", "ties" for tied scores, "unjudged" for documents without a label,
          "negative" for labels below 0, "no_relevant" and "empty" for nothing relevant and nothing
          retrieved;
        - ``retrieved``: ids in rank order, tied ones with the greatest id first;
        - ``run``: the score of each of them, in another order;
        - ``judged``: the label of each judged document;
        - ``k``: the cutoff;
        - ``values``: the value of each measure at that cutoff.

    Raises
    ------
    MeasureError
        If there is no such measure, it has a cutoff, or it needs other data than labels.

    Examples
    --------
    >>> from rankmark.testing import known_cases
    >>> case = known_cases("nDCG")[-1]
    >>> case["kind"], case["judged"], case["k"], case["values"]
    ('empty', {'m2': 2, 'm1': 1}, 3, {'nDCG@k': 0.0})
    """
    asked = [
        _without_cutoff(one) for name in names_in(measures) or () for one in measures_named(name)
    ]
    pairs = [*_every_case()]
    by_measure = {
        f"{one}@k" if hasattr(one, "k") else f"{one}": Expectation(one).values(
            _SHAPE, [case for _, case in pairs]
        )
        for one in asked
    }
    return [
        {
            "kind": kind,
            "retrieved": [doc_id for _, doc_id in sorted(_by_score(case), reverse=True)],
            "run": {doc_id: score for score, doc_id in _by_score(case)},
            "judged": {doc_id: int(label) for doc_id, label in case.labels},
            "k": case.k,
            "values": {name: values[at] for name, values in by_measure.items()},
        }
        for at, (kind, case) in enumerate(pairs)
    ]


def _without_cutoff(found: Measure) -> Measure:
    if getattr(found, "k", None) is not None:
        raise MeasureError(f"{found} has a cutoff", "leave it out, as each case has its own")
    if found.depends_on in OF_OTHER_DATA:
        raise MeasureError(f"{found} needs more than labels", "choose a measure of labels")
    return found


def _every_case() -> Iterator[tuple[str, Case]]:
    for kind, cases in (
        ("ordinary", designed()),
        ("ties", tied()),
        ("unjudged", UNJUDGED),
        ("negative", NEGATIVE),
        ("no_relevant", (WITHOUT_RELEVANT,)),
        ("empty", (EMPTY,)),
    ):
        yield from ((kind, case) for case in cases)


def _by_score(case: Case) -> list[tuple[float, str]]:
    return [(score, doc_id) for doc_id, score in case.mixed]
