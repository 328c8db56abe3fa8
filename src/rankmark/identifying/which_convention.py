"""Find out which measure a function computes, by which conventions, or with which bug."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from rankmark.argument_types import typed
from rankmark.errors import InputError, shown
from rankmark.identifying.argument_words import shapes
from rankmark.identifying.cases import LEFT_OUT
from rankmark.identifying.expectation import expectation
from rankmark.identifying.function_calls import Calls
from rankmark.identifying.identified import Identified
from rankmark.identifying.working_calls import working_call

if TYPE_CHECKING:
    from rankmark.identifying.identification import Identification
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile

_LONGEST = 86_400  # seconds


@typed
def which_convention(
    function: Callable[..., Any],
    *,
    arguments: str | Iterable[str] | None = None,
    expect: str | Measure | None = None,
    profile: str | Profile | None = None,
    leave_out: Iterable[str] = (),
    time_limit: float | None = 10.0,
) -> Identification:
    """Find out which measure your function computes, by which conventions, or with which bug.

    The function is called with small rankings, and its numbers are compared with those of the
    measures here, computed in all the ways in which tools compute them, and with those of frequent
    mistakes. Where several ways give the same numbers, more rankings are made to tell them apart.

    Parameters
    ----------
    function
        Anything that can be called with a ranking and judgments, and returns a number.
    arguments
        What its arguments are, in their order: ``"labels, k"``, ``"labels, scores, k"``,
        ``"retrieved, relevant, k"``, ``"retrieved, judged"``, ``"qrels, run"``, or others of

        ====================  =======================================================
        ``labels``            labels in rank order; with ``scores``, in any order
        ``hits``              the same, but 0 or 1 for each document
        ``scores``            scores of the documents
        ``retrieved``         ids, best first
        ``relevant``          ids of the relevant documents
        ``judged``            ``{id: label}`` of all judged documents
        ``ideal``             labels of all judged documents, high to low
        ``num_relevant``      the number of relevant documents
        ``qrels``, ``run``    ``{query: {id: label}}``, ``{query: {id: score}}``
        ``k``                 the cutoff
        ====================  =======================================================

        with ``[]`` behind a word for a list with one for each query, and ``name=`` before it for an
        argument passed by name. None to try what the names of the parameters suggest.
    expect
        A measure that it should implement, such as ``"nDCG@10"``; the result is then true or false.
    profile
        A tool whose conventions, and whose name of the measure, are meant by ``expect``.
    leave_out
        Aspects in which it may differ from the measure expected: ``"ties"``, ``"negative"``,
        ``"unjudged"``, ``"no_relevant"``, ``"empty"``.
    time_limit
        Seconds for each call, kept on the main thread of Unix; None for no limit.

    Returns
    -------
    Identification
        Print it: a sentence, the bugs, the smallest case that shows a difference, with both
        formulas, what it does where conventions differ, and which tools agree. ``measure``,
        ``conventions``, ``bugs``, ``edges`` and others have the same for programs.

    Raises
    ------
    InputError
        If it is not a function, or cannot be called with rankings in any way that was tried.
    MeasureError
        If the measure expected does not exist, or needs other data than labels.

    Examples
    --------
    >>> from rankmark.testing import which_convention
    >>> def recall_at_k(retrieved, relevant, k):
    ...     return len(set(retrieved[:k]) & set(relevant)) / min(k, len(relevant))
    >>> which_convention(recall_at_k).measure
    'R(norm="min")'
    """
    if not callable(function):
        raise InputError(f"{shown(function)} is not a function", "give a function of a ranking")
    if expect is None and profile is not None:
        raise InputError("a profile is given, but no measure", "name the measure as expect=, too")
    if time_limit is not None:
        time_limit = _seconds(time_limit)
    left_out = _left_out(leave_out)
    expected = None if expect is None else expectation(expect, profile, left_out)
    calls = Calls(function, time_limit)
    working = working_call(calls, shapes(function, arguments))
    return Identified(calls, working, expected).result()


def _seconds(time_limit: Any) -> float:
    is_number = isinstance(time_limit, (int, float)) and not isinstance(time_limit, bool)
    if not is_number or not 0 < time_limit <= _LONGEST:
        raise InputError(
            f"time_limit is {shown(time_limit)}",
            f"need seconds above 0, at most {_LONGEST:,}, or None",
        )
    return float(time_limit)


def _left_out(leave_out: Any) -> frozenset[str]:
    if not isinstance(leave_out, (str, list, tuple, set, frozenset)):
        raise InputError(f"leave_out is {shown(leave_out)}", "need a list of aspects")
    given = [leave_out] if isinstance(leave_out, str) else list(leave_out)
    for one in given:
        if not isinstance(one, str) or one not in LEFT_OUT:
            raise InputError(f"leave_out has {shown(one)}", f"need one of {', '.join(LEFT_OUT)}")
    return frozenset(given)
