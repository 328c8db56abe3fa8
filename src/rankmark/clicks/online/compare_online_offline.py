"""Find out whether offline differences predicted online ones: ``compare_online_offline``."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from rankmark.arguments import Columns, Draws, Seed, Share, checked, filled
from rankmark.array_types import Floats
from rankmark.clicks.online.online_offline import (
    OfflineMeasure,
    OfflinePair,
    OnlineOffline,
)
from rankmark.data.given_tables.role_tables import (
    GivenTable,
    Role,
    RoleTable,
    TableKind,
    named_roles,
    refuse_unused,
    role_table,
)
from rankmark.errors import DuplicateError, InputError, counted, shown
from rankmark.statistics.errors_in_variables import Measured, relation
from rankmark.statistics.multiple_comparisons import adjust
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import column
from rankmark.statistics.shares import share_interval

_SIDES = ("offline", "online")
_ROLES = (
    Role("experiment", ("experiment", "experimentid", "test", "abtest")),
    Role("measure", ("measure", "offlinemeasure", "metric", "offlinemetric"), optional=True),
    *(Role(side, (side, f"{side}difference", f"{side}diff")) for side in _SIDES),
    *(
        Role(f"{side}_{end}", (f"{side}{end}", f"{side}difference{end}", *more), optional=True)
        for side in _SIDES
        for end, more in (("se", (f"{side}error", f"{side}stderr")), ("low", ()), ("high", ()))
    ),
)
_TABLE = TableKind(
    "the table",
    _ROLES,
    "a row for each experiment and offline measure, with the columns experiment, offline, online, "
    "and offline_se and online_se, or offline_low, offline_high, online_low and online_high: rows, "
    "columns, a frame or a file",
)
FEWEST = 8
_NO_SLOPE = "the offline differences may be nothing but their errors"


@checked
def compare_online_offline(
    table: GivenTable,
    *,
    confidence: Share = 0.95,
    probability: Share = 0.8,
    resamples: Draws = 10_000,
    seed: Seed = 0,
    columns: Columns = None,
) -> OnlineOffline:
    """Find out how well offline differences predicted online ones, in past experiments.

    Both differences of an experiment are known only up to their errors, which make a relation look
    weaker than it is. Slope and correlation are those of the true differences.

    Parameters
    ----------
    Data:
    table
        A row for each experiment, or for each experiment and offline measure, with the columns
        ``experiment``, ``measure`` (if there are several), ``offline`` and ``online``, the
        differences of the new system from the old one, of which more is better; and their standard
        errors, ``offline_se`` and ``online_se``, or their intervals, ``offline_low``,
        ``offline_high``, ``online_low`` and ``online_high``. Rows, columns, a frame or a file.

    Statistics:
    confidence
        Confidence of intervals, those in the table included.
    probability
        The probability of an online gain for which the smallest offline difference is asked.
    resamples
        Number of draws of the permutation tests.
    seed
        Seed of the draws.

        None draws a seed, which the result contains.

    Reading:
    columns
        Names of the columns, by role, if they are not recognised.

        Such as ``{"offline": "nDCG difference"}``.

    Returns
    -------
    OnlineOffline
        ``measures``: a row for each offline measure, the one that predicts best first; ``pairs``,
        which of them predict better than others.

    Raises
    ------
    InputError
        If there are fewer than 8 experiments, or an option is invalid.
    SchemaError
        If a column is missing, a difference is not a number, or an error is not above 0.
    DuplicateError
        If an experiment appears twice for a measure.

    References
    ----------
    .. [1] Fuller 1987, Measurement Error Models.

    Examples
    --------
    >>> import rankmark as rm
    >>> past = [
    ...     {"experiment": at, "offline": d, "offline_se": 0.3, "online": d + e, "online_se": 0.5}
    ...     for at, (d, e) in enumerate(zip([1, 2, -1, 3, 0.5, 4, -2, 1.5, 2.5], [0.2, -0.3] * 5))
    ... ]
    >>> found = rm.compare_online_offline(past)
    >>> found.measures[0].agreement, round(found.measures[0].slope, 2)
    (1.0, 0.91)
    """
    roles = named_roles(columns, _ROLES)
    given = role_table(table, _TABLE, roles)
    refuse_unused(roles, given)
    z = float(special.ndtri((1.0 + confidence) / 2.0))
    numbers = {side: column(side, given.numbers(side)) for side in _SIDES}
    numbers |= {f"{side}_se": column(f"{side}_se", _errors(given, side, z)) for side in _SIDES}
    rows = _rows(given)
    common = [one for one in _experiments(rows) if all(one in of for of in rows.values())]
    if len(common) < FEWEST:
        of_all = "" if len(rows) == 1 else " with all offline measures"
        raise InputError(
            f"there {'is' if len(common) == 1 else 'are'} {counted(len(common), 'experiment')}"
            f"{of_all}",
            f"need at least {FEWEST}: fewer say next to nothing of other experiments",
            where=given.name,
        )
    taken = {measure: [of[one] for one in common] for measure, of in rows.items()}
    online = _same_online(given, numbers, taken)
    random = np.random.default_rng(filled(seed))
    offline = np.array([numbers["offline"][at] for at in taken.values()])
    largest, of_pairs = _permuted(offline, online, resamples, random)
    names = [*taken]
    found = [
        _measure(
            name,
            Measured(*(numbers[of][taken[name]] for of in ("offline", "online")),
                     *(numbers[f"{of}_se"][taken[name]] for of in ("offline", "online"))),
            confidence, probability,
        )._replace(p=largest[at])
        for at, name in enumerate(names)
    ]  # fmt: skip
    adjusted = adjust([p for _, _, p in of_pairs]).adjusted.tolist()
    found.sort(key=lambda one: (-_known(one.measured), names.index(one.measure)))
    return OnlineOffline(
        measures=tuple(found),
        pairs=tuple(
            OfflinePair(names[a], names[b], difference, p)
            for ((a, b), difference, _), p in zip(of_pairs, adjusted, strict=True)
        ),
        experiments=tuple(common),
        left_out=len(_experiments(rows)) - len(common),
        settings={
            "confidence": confidence,
            "probability": probability,
            "resamples": resamples,
            "seed": seed,
        },
        read=given.read,
    )


def _known(value: float) -> float:
    return -2.0 if np.isnan(value) else value


def _errors(given: RoleTable, side: str, z: float) -> Floats:
    """Return standard errors, from the column of them or from intervals."""
    ends = [f"{side}_low", f"{side}_high"]
    if f"{side}_se" in given:
        name, errors = f"{side}_se", given.numbers(f"{side}_se")
    elif all(end in given for end in ends):
        low, high = (given.numbers(end) for end in ends)
        own, slack = given.numbers(side), 0.1 * (high - low)  # as ends may be rounded
        beyond = (slack > 0) & ((own < low - slack) | (own > high + slack))
        for row in np.flatnonzero(beyond)[:1].tolist():
            told = f"{side}{given.places.of(row)} is {own[row]:g}, which is not in its interval"
            ends_of_row = f"[{low[row]:g}, {high[row]:g}]"
            raise given.error(row, f"{told}, {ends_of_row}", "correct the columns")
        name, errors = ends[1], (high - low) / (2.0 * z)
    else:
        raise InputError(
            f"the errors of the {side} differences are missing",
            f"give a column {side}_se, or {ends[0]} and {ends[1]}: without errors, what is noise "
            "cannot be told from what the offline measure does not predict",
            where=given.name,
        )
    for row in np.flatnonzero(errors <= 0)[:1].tolist():
        told = f"the error of {side}{given.places.of(row)} is {errors[row]:g}, by {name}"
        raise given.error(row, told, "need a standard error above 0")
    return errors


def _rows(given: RoleTable) -> dict[str, dict[str, int]]:
    """Return the row of each experiment, by measure."""
    measures = given.ids("measure") if "measure" in given else ["offline"] * given.rows
    rows: dict[str, dict[str, int]] = {}
    for row, (measure, one) in enumerate(zip(measures, given.ids("experiment"), strict=True)):
        of_measure = rows.setdefault(measure, {})
        if one in of_measure:
            of = f" for {shown(measure)}" if "measure" in given else ""
            told = f"experiment {shown(one)} appears twice{of}"
            raise given.error(row, told, "give each a single row", DuplicateError)
        of_measure[one] = row
    return rows


def _experiments(rows: dict[str, dict[str, int]]) -> list[str]:
    return [*dict.fromkeys(one for of in rows.values() for one in of)]


def _same_online(
    given: RoleTable, numbers: dict[str, Floats], taken: dict[str, list[int]]
) -> Floats:
    """Return the online differences, which must be the same in the rows of all measures."""
    first, *others = taken.values()
    for at in others:
        for name in ("online", "online_se"):
            if (wrong := np.flatnonzero(numbers[name][at] != numbers[name][first])).size:
                row = at[int(wrong[0])]
                raise given.error(
                    row,
                    f"{name}{given.places.of(row)} is {numbers[name][row]:g}, and "
                    f"{numbers[name][first[int(wrong[0])]]:g} for another measure of the same "
                    "experiment",
                    "give one online difference for each experiment",
                )
    return numbers["online"][first]


def _measure(name: str, pairs: Measured, confidence: float, probability: float) -> OfflineMeasure:
    found = relation(pairs, confidence=confidence, probability=probability)
    signs = np.sign(pairs.x) * np.sign(pairs.y)
    agreement = share_interval(np.where(signs == 0, np.nan, signs > 0), confidence=confidence)
    return OfflineMeasure(
        measure=name,
        n=len(pairs.x),
        agreement=agreement.estimate,
        agreement_low=agreement.low,
        agreement_high=agreement.high,
        measured=float(_correlations(pairs.x[None], pairs.y[None])[0]),
        correlation=found.correlation.estimate,
        correlation_low=found.correlation.low,
        correlation_high=found.correlation.high,
        slope=found.slope.estimate,
        slope_low=found.slope.low,
        slope_high=found.slope.high,
        undefined=_NO_SLOPE if found.slope.undefined else "",
        smallest=found.smallest,
        reason=found.unknown,
        p=np.nan,
    )


def _standard(values: Floats) -> Floats:
    """Return rows with mean 0 and length 1; NaN for those of one value."""
    centred = values - values.mean(axis=-1, keepdims=True)
    lengths = np.sqrt((centred * centred).sum(axis=-1, keepdims=True))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(
            np.ptp(values, axis=-1, keepdims=True) > 0, centred / lengths, np.nan
        )
    return found


def _correlations(x: Floats, y: Floats) -> Floats:
    return (_standard(x) * _standard(y)).sum(axis=-1)


def _permuted(
    offline: Floats, online: Floats, resamples: int, random: np.random.Generator
) -> tuple[list[float], list[tuple[tuple[int, int], float, float]]]:
    """Test the correlation of each measure, and the difference of each two.

    Under no relation, any experiment may have had any online difference: the largest correlation of
    all measures is found for each draw, so that p-values are corrected for how many were looked at.
    If two measures predict alike, they may be exchanged in any experiment once they are on one
    scale.

    Returns
    -------
    p-values
        (n_measures,), NaN for a measure without spread.
    pairs
        The two numbers of the measures, the difference of their correlations, and its p-value.
    """
    x, y = _standard(offline), _standard(online)
    given = x @ y
    known = ~np.isnan(given)
    order = np.argsort(random.random((resamples, len(y))), axis=1)
    drawn = np.abs(y[order] @ x[known].T)
    most = drawn.max(axis=1, initial=0.0)
    p = np.where(
        known, (1 + (most >= np.abs(given)[:, None] - 1e-12).sum(axis=1)) / (1 + resamples), np.nan
    )
    pairs = []
    for a, b in combinations(range(len(x)), 2):
        swapped = random.random((resamples, len(y))) < 0.5
        one, other = np.where(swapped, x[b], x[a]), np.where(swapped, x[a], x[b])
        found = np.abs(_standard(one) @ y - _standard(other) @ y)
        difference = float(given[a] - given[b])
        count = int((found >= abs(difference) - 1e-12).sum())
        is_known = bool(known[a] and known[b])
        pairs.append(((a, b), difference, (1 + count) / (1 + resamples) if is_known else np.nan))
    return p.tolist(), pairs
