"""Find the column of a measure in the scores of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.errors import MeasureError, NotEvaluatedError
from rankmark.measures.names import measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.measures import Measure


def column_of(
    name: str | Measure,
    measures: Sequence[Measure],
    numbers: Mapping[str, int],
    asked: Mapping[str, Measure],
) -> int:
    """Return the number of a measure among those evaluated.

    Parameters
    ----------
    name
        A measure, or any of its names.
    measures
        Those evaluated.
    numbers
        Their numbers by canonical name.
    asked
        Measures by the names under which they were requested.

    Raises
    ------
    NotEvaluatedError
        If it was not evaluated, or there is no such measure.
    """
    if isinstance(name, str):
        if name in numbers:  # the only way to find an ``Own`` measure by name
            return numbers[name]
        if name in asked:  # as AP(rel=2) was, by rel=2
            return measures.index(asked[name])
    try:
        found = measure(name)
    except MeasureError as error:
        raise NotEvaluatedError(error.found, error.remedy, where=error.where) from None
    if found not in measures:
        have = ", ".join(numbers)
        raise NotEvaluatedError(f"{found} was not evaluated", f"this evaluation has {have}")
    return measures.index(found)
