"""Findings about a run: its depth, its ties, and whether ranks and scores agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.conventions import ORDERS
from rankmark.errors import counted
from rankmark.measures.base.requirements import needed_by
from rankmark.verbs.check.check_report import shown_names
from rankmark.verbs.check.finding import FileReport, Finding, and_more, per_cent, verb
from rankmark.verbs.check.row_findings import spread

if TYPE_CHECKING:
    from rankmark.array_types import Bools
    from rankmark.measures import Measure
    from rankmark.verbs.check.row_table import Table

_FEW_STEPS = 20  # increases from row to row; fewer may be chance
_NEARLY_ALL = 0.9  # share of increases from which scores may be distances
_MANY_TIES = 0.01  # share of rows, or of judged documents, from which ties are a warning


def run_facts(table: Table) -> dict[str, Any]:
    """Describe depths and scores."""
    facts: dict[str, Any] = {"depth": spread(table.depths), "scores": None}
    scores = table.number[np.isfinite(table.number)]
    if len(scores):
        facts["scores"] = {
            "min": float(scores.min()),
            "max": float(scores.max()),
            "negative": int(np.count_nonzero(scores < 0)),
        }
    facts["rank_column"] = table.rows.rank is not None
    return facts


def tie_facts(table: Table, judged: Bools | None) -> dict[str, Any]:
    """Count tied rows and judged documents, in double and in single precision.

    Parameters
    ----------
    judged
        (n,) bool, whether each row's document is judged for its query; None if unknown.
    """
    if table.by_score is None:
        return {"ties": None}
    tied, rounded = table.by_score.tied, table.tied_as_floats
    return {
        "ties": {
            "float64": _shares(tied, judged),
            "only_float32": _shares(rounded & ~tied, judged),
        }
    }


def _shares(tied: Bools, judged: Bools | None) -> dict[str, Any]:
    rows = int(np.count_nonzero(tied))
    shares: dict[str, Any] = {"rows": rows, "share": rows / len(tied) if len(tied) else 0.0}
    if judged is not None:
        of_judged, all_judged = int(np.count_nonzero(tied & judged)), int(np.count_nonzero(judged))
        shares["judged"] = of_judged
        shares["judged_share"] = of_judged / all_judged if all_judged else 0.0
    return shares


def tie_findings(table: Table, facts: dict[str, Any]) -> Iterator[Finding]:
    """Find ties that may matter, from ``tie_facts``."""
    if facts["ties"] is None or table.by_score is None:
        return
    ties, only_floats = facts["ties"]["float64"], facts["ties"]["only_float32"]
    tied = table.by_score.tied
    if _matters(ties):
        yield Finding(
            code="ties",
            severity="warning" if _are_many(ties) else "note",
            count=ties["rows"],
            what=f"{_tying(ties, facts.get('judged_rows'))} as another of the query",
            effect="a rule orders them, not the system: here by id, descending; other tools use "
            "other rules, and may give other numbers",
            remedy="write scores in full, or choose the rule: --ties "
            f"{', '.join(ORDERS[:-1])} or {ORDERS[-1]}",
            places=table.places(tied),
        )
    if _matters(only_floats):
        yield Finding(
            code="float32-ties",
            severity="note",
            count=only_floats["rows"],
            what=f"{_tying(only_floats, facts.get('judged_rows'))} as another of the query once "
            "scores are rounded to single precision",
            effect="none unless --precision float32; trec_eval 9, pytrec_eval and ir_measures "
            "round scores, and break such ties by id",
            remedy="nothing; to compare with those tools, choose --precision float32",
            places=table.places(table.tied_as_floats & ~tied),
        )


def _matters(ties: dict[str, Any]) -> bool:
    """Return whether a number may depend on ties: of judged documents, or of many rows."""
    return bool(ties["rows"]) and (bool(ties.get("judged", 1)) or ties["share"] >= _MANY_TIES)


def _are_many(ties: dict[str, Any]) -> bool:
    return bool(max(ties["share"], ties.get("judged_share", 0.0)) >= _MANY_TIES)


def _tying(ties: dict[str, Any], judged_rows: int | None) -> str:
    rows = f"{counted(ties['rows'], 'row')} ({per_cent(ties['share'])})"
    have = verb(ties["rows"], "has", "have")
    if judged_rows is None:
        return f"{rows} {have} the same score"
    judged = f"{ties['judged']:,} of {counted(judged_rows, 'judged document')}"
    return f"{rows}, among them {judged}, {have} the same score"


def order_findings(table: Table, *, in_order: bool) -> Iterator[Finding]:
    """Find contradictions between scores, ranks and the order of the rows.

    Parameters
    ----------
    in_order
        Whether the order of the rows may be meaningful, unlike in arrays.
    """
    reversed_scores = _reversed(table, in_order=in_order)
    yield from reversed_scores or _rank_against_score(table)
    if reversed_scores or not in_order:
        return
    none = np.zeros(len(table), dtype=np.bool_)
    better_rank = none if table.rows.rank is None else table.decreases(table.rows.rank)
    higher_score = none if table.by_score is None else table.decreases(-table.number)
    found = better_rank | higher_score
    parts = [
        f"{counted(number, 'row')} {verb(number, 'has', 'have')} a {what}"
        for what, mask in (("better rank", better_rank), ("higher score", higher_score))
        if (number := int(np.count_nonzero(mask)))
    ]
    if parts:
        yield Finding(
            code="row-order",
            severity="note",
            count=int(np.count_nonzero(found)),
            what=f"{' and '.join(parts)} than the row before",
            effect="none unless --ties input; tools that take the order of the rows for the "
            "ranking give other numbers",
            remedy="nothing, or sort the rows",
            places=table.places(found),
        )


def _reversed(table: Table, *, in_order: bool) -> list[Finding]:
    """Find scores that increase with the ranks, or from row to row: they may be distances."""
    rank = table.rows.rank if table.ranks_differ else None
    if not table.is_scored or (rank is None and not in_order):
        return []
    rises, falls = table.steps(rank)
    if rises < _FEW_STEPS or rises < _NEARLY_ALL * (rises + falls):
        return []
    before = "row before" if rank is None else "next better rank"
    return [
        Finding(
            code="reversed",
            severity="warning",
            count=rises,
            what=f"{counted(rises, 'row')} {verb(rises, 'has', 'have')} a higher score than the "
            f"{before}, {counted(falls, 'row')} a lower one",
            effect="the highest score counts as the best, so rankings may be upside down",
            remedy="if lower scores are better, as with distances, negate them"
            + ("" if rank is None else "; or trust the ranks: --ties rank"),
        )
    ]


def _rank_against_score(table: Table) -> Iterator[Finding]:
    """Find rows whose rank contradicts their score; ties may have any order."""
    by_rank, by_score = table.by_rank, table.by_score
    if table.rows.rank is None or by_rank is None or by_score is None:
        return
    apart = (by_rank.last < by_score.first) | (by_rank.first > by_score.last)
    apart &= ~np.isnan(table.rows.rank) & ~np.isnan(table.number)
    found = int(np.count_nonzero(apart))
    if not found:
        return
    yield Finding(
        code="rank-score",
        severity="warning",
        count=found,
        what=f"{counted(found, 'row')} ({per_cent(found / len(table))}) "
        + verb(found, "has a rank that contradicts its score", "have ranks that contradict scores"),
        effect="scores decide, as in trec_eval, under every rule but --ties rank; tools that trust "
        "the rank column give other numbers",
        remedy="write ranks that follow the scores, or trust the ranks: --ties rank",
        places=table.places(apart),
    )


def depth_findings(runs: Sequence[FileReport], measures: Sequence[Measure]) -> Iterator[Finding]:
    """Find runs that end at different ranks."""
    named_runs = zip(shown_names(runs), runs, strict=True)
    last_ranks = [
        (name, run.facts["depth"]["max"]) for name, run in named_runs if run.facts.get("depth")
    ]
    depths = [depth for _, depth in last_ranks]
    if len(set(depths)) < 2:
        return
    usual, times = Counter(depths).most_common(1)[0]
    unusual = [(name, depth) for name, depth in last_ranks if depth != usual]
    has_majority = 2 * times > len(depths)
    named = unusual if has_majority else last_ranks
    what = and_more([f"{name} at {depth:,}" for name, depth in named], 3)
    if has_majority:
        others = "the other" if times == 1 else f"the other {times}"
        what += f", {others} at {usual:,}"
    least = min(depths)
    affected = [str(measure) for measure in measures if _uses_ranks_beyond(measure, least)]
    if has_majority and len(unusual) < times:
        remedy = (
            f"compare {and_more([name for name, _ in unusual], 3)} at cutoffs of {least:,} or "
            "less, or leave it out of tables"
        )
    else:
        remedy = f"cut all alike with --depth {least}, or measure at cutoffs of {least:,} or less"
    yield Finding(
        code="depths",
        severity="warning" if affected else "note",
        count=len(unusual),
        what=f"the runs end at different ranks: {what}",
        effect=f"{and_more(affected, 6)} {verb(len(affected), 'uses', 'use')} ranks that some runs "
        "do not have, where longer runs mostly gain"
        if affected
        else f"none on these measures, which use at most the first {least:,} ranks",
        remedy=remedy,
    )


def _uses_ranks_beyond(measure: Measure, depth: int) -> bool:
    deepest = needed_by(measure).deepest
    return deepest is None or deepest > depth
