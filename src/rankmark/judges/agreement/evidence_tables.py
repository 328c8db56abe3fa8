"""The sentence, the tables and the JSON of what two leaderboards say of decisions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankmark.results.number_style import UNKNOWN, with_ends
from rankmark.results.result import interval_for_json, json_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.judges.agreement.system_evidence import LeaderboardEvidence
    from rankmark.similarity import Coefficient
    from rankmark.statistics import Interval

_FEW_SYSTEMS = 8
_FEW_QUERIES = 20
_SHOWN = 10
TextTable = tuple[list[str], list[list[str]]]
Called = tuple[str, str]
"""What a and b are called."""


def summary_of(
    found: LeaderboardEvidence,
    called: Called,
    measure: str,
    values: Mapping[Coefficient, float],
    systems: int,
) -> str:
    """Return which decisions change, in a sentence."""
    pairs, (a, b) = found.separated, called
    sentence = f"{measure}: "
    if pairs.separated:
        count, confirmed = pairs.separated, pairs.same_significant
        turned = pairs.other + pairs.other_significant
        sentence += (
            f"of {count:,} {'pair' if count == 1 else 'pairs'} of systems that "
            f"{'differs' if count == 1 else 'differ'} significantly by {a}, {confirmed:,} "
            f"{'is' if confirmed == 1 else 'are'} confirmed by {b}, and {turned:,} "
            f"{'is' if turned == 1 else 'are'} reversed ({pairs.other_significant:,} significantly)"
        )
    else:
        sentence += f"none of {pairs.pairs:,} pairs of systems differs significantly by {a}"
    name, value = next(iter(values.items()))
    if not math.isnan(value):
        sentence += f"; {name} is {with_ends(found.intervals[str(name)], 2)}"
        if found.queries < _FEW_QUERIES:
            queries = "query" if found.queries == 1 else "queries"
            sentence += f" over only {found.queries:,} {queries}"
    best = f"the best of {systems} systems is "
    best += "the same" if found.winner_kept else "a different one"
    return f"{sentence}; {best}"


def coefficients_of(found: LeaderboardEvidence, called: Called) -> TextTable:
    """Return the table of coefficients, of the top, and of errors of scores."""
    a, b = called
    rows = [_row(name, one) for name, one in found.intervals.items()]
    rows += [_row(f"tau of the {top.k} best by {a}", top.tau) for top in found.top]
    words = ("mean difference of scores", "root mean square difference", f"slope of {b} on {a}")
    rows += [_row(word, one) for word, one in zip(words, found.errors, strict=True)]
    return ["", "value", "low", "high"], rows


def _row(name: str, one: Interval) -> list[str]:
    return [name, *(_number(value) for value in (one.estimate, one.low, one.high))]


def evidence_tables(found: LeaderboardEvidence, called: Called) -> list[TextTable]:
    """Return the tables of separated pairs, of the top, and of the systems that b favours."""
    pairs, (a, b) = found.separated, called
    head = [f"pairs that differ significantly by {a}", "number"]
    rows = [
        [f"same order by {b}, significant", f"{pairs.same_significant:,}"],
        [f"same order by {b}, not significant", f"{pairs.same:,}"],
        [f"reversed by {b}, not significant", f"{pairs.other:,}"],
        [f"reversed by {b}, significant", f"{pairs.other_significant:,}"],
    ]
    if pairs.tied:
        rows.append([f"tied by {b}", f"{pairs.tied:,}"])
    rows.append(["all", f"{pairs.separated:,} of {pairs.pairs:,}"])
    tables = [(head, rows)]
    if found.systems:
        head = ["system", f"{b} - {a}", "low", "high"]
        head += ["beyond the mean", "low", "high", "adjusted p"]
        ordered = sorted(found.systems, key=lambda one: -one.favour)
        body = [
            [one.name]
            + [
                _number(value, "+")
                for value in (
                    one.difference,
                    one.low,
                    one.high,
                    one.favour,
                    one.favour_low,
                    one.favour_high,
                )
            ]
            + [_number(one.adjusted_p)]
            for one in ordered
        ]
        tables.append((head, body))
    return tables


def evidence_notes(found: LeaderboardEvidence, called: Called) -> list[str]:
    """Return lines on reversed pairs, the top, drops, and how intervals were found."""
    a, b = called
    lines = [
        f"{better} is significantly better than {worse} by {a}, and worse by {b}"
        for better, worse in found.reversed_pairs[:_SHOWN]
    ]
    if len(found.reversed_pairs) > _SHOWN:
        lines.append(f"and {len(found.reversed_pairs) - _SHOWN:,} more pairs")
    lines += [
        f"of the {top.k} best by {a}, {top.common} are among the {top.k} best by {b}"
        for top in found.top
    ]
    drop, of_top = found.drop, found.drop_of_top
    lines.append(
        f"greatest fall from {b} to {a}: {_fall(drop.system, drop.places)}; of the five best by "
        f"{b}: {_fall(of_top.system, of_top.places)}; mean change {found.rank_change:.2f} ranks"
    )
    one = next(iter(found.intervals.values()))
    lines.append(
        f"{found.queries:,} queries; significance: {found.test} test, {found.correction}, "
        f"level {found.alpha:g}; intervals: {100 * one.confidence:.6g}%, for sets of as many "
        f"queries, {one.resamples:,} draws of queries, the same for both, seed {one.seed}"
    )
    if found.queries < _FEW_QUERIES:
        lines.append(f"with fewer than {_FEW_QUERIES} queries, these intervals are unreliable")
    if found.systems:
        lines.append(
            "differences by system: intervals and p hold for all systems together (max-t); beyond "
            f"the mean: how much more {b} adds to a system than to all systems on average"
        )
    systems = len(found.systems)
    if 0 < systems < _FEW_SYSTEMS:
        lines.append(f"with {systems} systems, tau says little, as one swap changes it a lot")
    return lines


def _fall(system: str, places: int) -> str:
    if places <= 0:
        return "none"
    return f"{system}, by {places} rank{'s' if places > 1 else ''}"


def _number(value: float, sign: str = "") -> str:
    return f"{value:{sign}.4f}" if math.isfinite(value) else UNKNOWN


def evidence_for_json(found: LeaderboardEvidence) -> dict[str, Any]:
    """Return everything for JSON, with None for NaN."""
    return {
        "queries": found.queries,
        "intervals": {name: interval_for_json(one) for name, one in found.intervals.items()},
        "separated": found.separated._asdict(),
        "reversed_pairs": [list(pair) for pair in found.reversed_pairs],
        "top": [
            {"k": top.k, "tau": interval_for_json(top.tau), "common": top.common}
            for top in found.top
        ],
        "winner_kept": found.winner_kept,
        "drop": found.drop._asdict(),
        "drop_of_top": found.drop_of_top._asdict(),
        "rank_change": found.rank_change,
        "errors": {name: interval_for_json(one) for name, one in found.errors._asdict().items()},
        "systems": [
            {
                name: json_number(value) if isinstance(value, float) else value
                for name, value in one._asdict().items()
            }
            for one in found.systems
        ],
        "level": found.alpha,
        "test": found.test,
        "correction": found.correction,
    }
