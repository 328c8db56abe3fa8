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
    """Say how much ties, from what ``tie_facts`` counted."""
    if facts["ties"] is None or table.by_score is None:
        return
    ties, only_floats = facts["ties"]["float64"], facts["ties"]["only_float32"]
    tied = table.by_score.tied
    if ties["rows"]:
        many = max(ties["share"], ties.get("judged_share", 0.0)) >= _MANY_TIES
        yield Finding(
            code="ties",
            severity="warning" if many else "note",
            count=ties["rows"],
            what=f"{_tying(ties)} another's score in the query",
            effect="their order is made by a rule, by id unless another is chosen, and not by the "
            "system; other tools have other rules, and other numbers",
            remedy="write scores in full, or choose a rule: --ties docid, docid-up, input or rank",
            places=table.places(tied),
        )
    if only_floats["rows"]:
        yield Finding(
            code="float32-ties",
            severity="note",
            count=only_floats["rows"],
            what=f"{_tying(only_floats)} another's score once scores are held in single precision",
            effect="none here, as scores are doubles; trec_eval 9, pytrec_eval and ir_measures see "
            "ties, and may give other numbers",
            remedy="nothing, or compare with those tools with care",
            places=table.places(table.tied_as_floats & ~tied),
        )


def _tying(ties: dict[str, Any]) -> str:
    judged = ""
    if "judged" in ties:
        judged = f", {per_cent(ties['judged_share'])} of the judged documents retrieved,"
    rows = f"{count(ties['rows'], 'row')} ({per_cent(ties['share'])})"
    return f"{rows}{judged} {verb(ties['rows'], 'has', 'have')}"


def of_order(table: Table) -> Iterator[Finding]:
    """Say where scores, ranks and the order of the rows contradict one another."""
    rank = table.rows.rank
    yield from _rank_against_score(table)
    if rank is not None:
        falling = table.falls(rank)
        if found := int(np.count_nonzero(falling)):
            yield Finding(
                code="rank-order",
                severity="note",
                count=found,
                what=f"{count(found, 'row')} {verb(found, 'has', 'have')} a better rank than "
                "the row before",
                effect="none unless --ties input; tools that take the order of the rows for the "
                "ranking give other numbers",
                remedy="nothing, or sort the rows by rank",
                places=table.places(falling),
            )
    if table.by_score is not None:
        rising = table.falls(-table.number)
        if found := int(np.count_nonzero(rising)):
            yield Finding(
                code="score-order",
                severity="note",
                count=found,
                what=f"{count(found, 'row')} {verb(found, 'has', 'have')} a higher score than "
                "the row before",
                effect="none, as scores are sorted; tools that take the order of the rows for the "
                "ranking give other numbers",
                remedy="nothing, or sort the rows by score",
                places=table.places(rising),
            )


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
    deepest = {run.name: run.facts["depth"]["max"] for run in runs if run.facts.get("depth")}
    if len(set(deepest.values())) < 2:
        return
    most, least = max(deepest.values()), min(deepest.values())
    shorter = sum(depth < most for depth in deepest.values())
    said = ", ".join(f"{name} {depth:,}" for name, depth in list(deepest.items())[:3])
    more = f" and {len(deepest) - 3} more" if len(deepest) > 3 else ""
    yield Finding(
        code="depths",
        severity="warning",
        count=shorter,
        what=f"the runs end at different depths: {said}{more} documents a query at most",
        effect="AP, R and whatever looks at whole rankings is better for the longer ones",
        remedy=f"cut them alike with --depth {least}, or measure at a cutoff of {least} or less",
    )
