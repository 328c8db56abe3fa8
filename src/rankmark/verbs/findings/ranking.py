"""What a run alone tells: how deep it is, what ties, and what its rank column says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.verbs.findings.finding import FileReport, Finding
from rankmark.verbs.findings.rows import spread
from rankmark.verbs.findings.wording import count, per_cent, verb

if TYPE_CHECKING:
    from rankmark.alignment import Bools
    from rankmark.verbs.findings.table import Table

_FEW_STEPS = 20  # from a row to the next of a query; fewer may rise by chance
_NEARLY_ALL = 0.9  # share of the steps from which scores rise as a run goes on
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
    """Count the rows that tie, in doubles and in floats, and the judged documents among them.

    Parameters
    ----------
    judged
        (n,) bool, whether each row's document is judged for its query; None where nobody knows.
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


def of_ties(table: Table, facts: dict[str, Any]) -> Iterator[Finding]:
    """Say how much ties, from what ``tie_facts`` counted, where it may matter."""
    if facts["ties"] is None or table.by_score is None:
        return
    ties, only_floats = facts["ties"]["float64"], facts["ties"]["only_float32"]
    tied = table.by_score.tied
    if _matters(ties):
        yield Finding(
            code="ties",
            severity="warning" if _is_much(ties) else "note",
            count=ties["rows"],
            what=f"{_tying(ties, facts.get('judged_rows'))} as another of the query",
            effect="a rule orders them, not the system: here by id, descending; other tools have "
            "other rules, and other numbers",
            remedy="write scores in full, or choose the rule: --ties docid, docid-up, input or "
            "rank",
            places=table.places(tied),
        )
    if _matters(only_floats):
        yield Finding(
            code="float32-ties",
            severity="note",
            count=only_floats["rows"],
            what=f"{_tying(only_floats, facts.get('judged_rows'))} as another of the query once "
            "scores are held in single precision",
            effect="none here; trec_eval 9, pytrec_eval and ir_measures see ties, and may give "
            "other numbers",
            remedy="nothing, but compare with those tools with care",
            places=table.places(table.tied_as_floats & ~tied),
        )


def _matters(ties: dict[str, Any]) -> bool:
    """Say whether a number may depend on it: a judged document ties, or very many rows do."""
    return bool(ties["rows"]) and (bool(ties.get("judged", 1)) or ties["share"] >= _MANY_TIES)


def _is_much(ties: dict[str, Any]) -> bool:
    return bool(max(ties["share"], ties.get("judged_share", 0.0)) >= _MANY_TIES)


def _tying(ties: dict[str, Any], judged_rows: int | None) -> str:
    rows = f"{count(ties['rows'], 'row')} ({per_cent(ties['share'])})"
    have = verb(ties["rows"], "has", "have")
    if judged_rows is None:
        return f"{rows} {have} the same score"
    judged = f"{ties['judged']:,} of {count(judged_rows, 'judged document')}"
    return f"{rows}, among them {judged}, {have} the same score"


def of_order(table: Table, *, in_order: bool) -> Iterator[Finding]:
    """Say where scores, ranks and the order of the rows contradict one another.

    Parameters
    ----------
    in_order
        Whether rows stand in an order that may be meant, which those of an array do not.
    """
    turned = _reversed(table, in_order=in_order)
    yield from turned or _rank_against_score(table)
    if turned or not in_order:
        return
    nowhere = np.zeros(len(table), dtype=np.bool_)
    falling = nowhere if table.rows.rank is None else table.falls(table.rows.rank)
    rising = nowhere if table.by_score is None else table.falls(-table.number)
    found = falling | rising
    said = [
        f"{count(number, 'row')} {verb(number, 'has', 'have')} a {what}"
        for what, mask in (("better rank", falling), ("higher score", rising))
        if (number := int(np.count_nonzero(mask)))
    ]
    if said:
        yield Finding(
            code="row-order",
            severity="note",
            count=int(np.count_nonzero(found)),
            what=f"{' and '.join(said)} than the row before",
            effect="none unless --ties input; tools that take the order of the rows for the "
            "ranking give other numbers",
            remedy="nothing, or sort the rows",
            places=table.places(found),
        )


def _reversed(table: Table, *, in_order: bool) -> list[Finding]:
    """Say where scores rise along the ranks, or else along the rows: they may be distances."""
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
            what=f"{count(rises, 'row')} {verb(rises, 'has', 'have')} a higher score than the "
            f"{before}, {count(falls, 'row')} a lower one",
            effect="the highest score counts as the best, so rankings may be turned round",
            remedy="if lower is better, as of distances, write scores with a minus"
            + ("" if rank is None else "; or trust the ranks: --ties rank"),
        )
    ]


def _rank_against_score(table: Table) -> Iterator[Finding]:
    """Compare each row's place by rank with its place by score; equals may stand in any order."""
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
        what=f"{count(found, 'row')} ({per_cent(found / len(table))}) "
        f"{verb(found, 'is', 'are')} elsewhere by rank than by score",
        effect="scores decide, as in trec_eval; tools that trust the rank column give other "
        "numbers",
        remedy="write ranks that follow the scores, or trust the ranks: --ties rank",
        places=table.places(apart),
    )


def of_depths(runs: Sequence[FileReport]) -> Iterator[Finding]:
    """Say where runs that stand side by side end at different ranks."""
    deepest = [(run.name, run.facts["depth"]["max"]) for run in runs if run.facts.get("depth")]
    depths = [depth for _, depth in deepest]
    if len(set(depths)) < 2:
        return
    most, least = max(depths), min(depths)
    shorter = sum(depth < most for depth in depths)
    said = ", ".join(f"{name} {depth:,}" for name, depth in deepest[:3])
    more = f" and {len(deepest) - 3} more" if len(deepest) > 3 else ""
    yield Finding(
        code="depths",
        severity="warning",
        count=shorter,
        what=f"the runs end at different depths: {said}{more} documents a query at most",
        effect="AP, R and whatever looks at whole rankings is better for the longer ones",
        remedy=f"cut them alike with --depth {least}, or measure at a cutoff of {least} or less",
    )
