"""Measure what users did: ``online``."""

from __future__ import annotations

from collections.abc import Iterable

from rankmark.arguments import checked
from rankmark.clicks.analysis_units import Unit, column_of, unit_of
from rankmark.clicks.logs.click_log import Log
from rankmark.clicks.online.issue_values import issue_values
from rankmark.clicks.online.online_evaluation import OnlineAudit, OnlineEvaluation
from rankmark.clicks.online.online_measures import OnlineMeasure, online_measures


@checked
def online(
    log: Log,
    measures: Iterable[str | OnlineMeasure] | str | OnlineMeasure = ("CTR", "Abandonment"),
    *,
    unit: Unit | None = None,
) -> OnlineEvaluation:
    """Measure what users did: clicks, abandonment, satisfied clicks, reformulation, revenue.

    Every measure has a value for each issue of a query. What one user does is not independent, so
    that intervals are by user.

    Parameters
    ----------
    Data:
    log
        What ``read_log`` returned.

    Measures:
    measures
        Names with parameters and cutoffs, such as ``"CTR@3"`` or ``"SAT(dwell=60)@10"``.

        - ``CTR``: the share of issues with a click; ``Abandonment``: of those without one, with
          ``answered="column"`` only of issues in which no document has a number above 0 there;
          ``ZeroResults``: of those without documents.
        - ``ClickRate``: documents clicked of those shown, a ratio of sums. ``Clicks``: documents
          clicked in an issue, or with ``count="clicks"`` clicks.
        - ``ClickRR``: the reciprocal rank of the ``click="first"``, ``"last"`` or ``"mean"`` one;
          an issue without a click counts 0, or with ``no_click="undefined"`` has no value.
        - ``SAT``: the share of issues with a click that is followed by ``dwell=30`` seconds or
          more. A click without a dwell time, as the last one of a session has, satisfies unless
          ``last=False``.
        - ``TimeToClick``: the median of the seconds from ``time`` to ``click_time``, a column of
          the log, over the issues with a click.
        - ``Reformulation``: the share of issues after which another query follows in the session
          ``within=30`` seconds.
        - ``Conversion``: the share of users with a number above 0 in the column
          ``of="bought"``; ``Revenue``: the mean of the sums of users in ``of="revenue"``.

    Statistics:
    unit
        Within which issues are not independent: ``"user"``, ``"session"``, or ``"issue"`` if all
        are. None for users, or for issues in logs without users.

    Returns
    -------
    OnlineEvaluation
        ``scores``: (n_issues, n_measures) float64, with a row for each issue of a query.

    Raises
    ------
    MeasureError
        If a measure or one of its parameters does not exist.
    InputError
        If the log lacks a column that a measure needs.

    References
    ----------
    .. [1] Fox, Karnawat, Mydland, Dumais and White 2005, Evaluating implicit measures to improve
       web search, ACM Transactions on Information Systems 23(2), pages 147-168.

    Examples
    --------
    >>> import rankmark as rm
    >>> rows = {"query_id": ["i1", "i1", "i2", "i2"], "user": ["u", "u", "v", "v"],
    ...         "doc": ["a", "b", "a", "b"], "rank": [1, 2, 1, 2], "click": [0, 1, 0, 0]}
    >>> found = rm.online(rm.read_log(rows), ["CTR@1", "CTR@2", "ClickRate@2", "ClickRR@2"])
    >>> found.means
    {'CTR@1': 0.0, 'CTR@2': 0.5, 'ClickRate@2': 0.25, 'ClickRR@2': 0.25}
    """
    asked = online_measures(measures)
    chosen = unit_of(log, unit)
    of_unit = column_of(chosen)
    found = issue_values(log, asked, [of_unit])
    return OnlineEvaluation(
        asked,
        found,
        chosen,
        OnlineAudit(
            issues=len(found.ids),
            clicked=found.counts["clicked"],
            empty=found.counts["empty"],
            units=len(found.groups[of_unit][1]),
            without_unit=int((found.groups[of_unit][0] < 0).sum()),
            unit=chosen,
        ),
        {"log": {"name": log.name, "columns": log.columns}},
    )
