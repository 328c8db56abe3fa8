"""What a run alone tells: how deep it is, what ties, and what its rank column says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.checks.finding import FileReport, Finding
from rankmark.checks.finding_groups import shown_names
from rankmark.checks.phrases import and_more, count, per_cent, verb
from rankmark.checks.row_findings import spread

if TYPE_CHECKING:
    from rankmark.array_types import Bools
    from rankmark.checks.row_table import Table
    from rankmark.measures import Measure

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


def tie_findings(table: Table, facts: dict[str, Any]) -> Iterator[Finding]:
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
            "other rules, and may give other numbers",
            remedy="write scores in full, or choose the rule: --ties docid, docid-asc, input or "
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
            effect="none unless --precision float32; trec_eval 9, pytrec_eval and ir_measures hold "
            "scores so, and break such ties by id",
            remedy="nothing; to compare with those tools, choose --precision float32",
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


def order_findings(table: Table, *, in_order: bool) -> Iterator[Finding]:
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
            effect="the highest score counts as the best, so rankings may be upside down",
            remedy="if lower scores are better, as with distances, negate them"
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
        + verb(found, "has a rank that contradicts its score", "have ranks that contradict scores"),
        effect="scores decide, as in trec_eval, under every rule but --ties rank; tools that trust "
        "the rank column give other numbers",
        remedy="write ranks that follow the scores, or trust the ranks: --ties rank",
        places=table.places(apart),
    )


def depth_findings(runs: Sequence[FileReport], measures: Sequence[Measure]) -> Iterator[Finding]:
    """Say where runs that stand side by side end at different ranks, and name those that do."""
    named_runs = zip(shown_names(runs), runs, strict=True)
    deepest = [
        (name, run.facts["depth"]["max"]) for name, run in named_runs if run.facts.get("depth")
    ]
    depths = [depth for _, depth in deepest]
    if len(set(depths)) < 2:
        return
    usual, times = Counter(depths).most_common(1)[0]
    odd = [(name, depth) for name, depth in deepest if depth != usual]
    is_usual = 2 * times > len(depths)
    named = deepest if not is_usual else odd
    said = and_more([f"{name} at {depth:,}" for name, depth in named], 3)
    if is_usual:
        others = "the other" if times == 1 else f"the other {times}"
        said += f", {others} at {usual:,}"
    least = min(depths)
    seen = [str(measure) for measure in measures if _looks_beyond(measure, least)]
    if is_usual and len(odd) < times:
        remedy = (
            f"compare {and_more([name for name, _ in odd], 3)} at cutoffs of {least:,} or less, "
            "or leave it out of tables"
        )
    else:
        remedy = f"cut all alike with --depth {least}, or measure at cutoffs of {least:,} or less"
    yield Finding(
        code="depths",
        severity="warning" if seen else "note",
        count=len(odd),
        what=f"the runs end at different ranks: {said}",
        effect=f"{and_more(seen, 6)} {verb(len(seen), 'looks', 'look')} at ranks that some runs do "
        "not have, where longer runs mostly gain"
        if seen
        else f"none on the measures asked, which look at the first {least:,} at most",
        remedy=remedy,
    )


def _looks_beyond(measure: Measure, depth: int) -> bool:
    deepest = measure.needs().deepest
    return deepest is None or deepest > depth
