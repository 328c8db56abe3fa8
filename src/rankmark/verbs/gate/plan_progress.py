"""How far the queries of a plan are judged."""

from __future__ import annotations

from typing import NamedTuple

from rankmark.errors import counted, listed


class Progress(NamedTuple):
    """How far the queries of a plan are judged.

    Parameters
    ----------
    claim
        Whether the verdict is about the "log" or the "population".
    judged
        How many are, from the first on without a gap: those that count.
    planned
        How many were to be judged.
    queries
        How many queries the log has.
    out_of_order
        Queries of the log that are judged although one before them is not, and do not count.
    elsewhere
        Judged queries that are not in the log, and do not count.
    next
        The queries that follow in the order.
    """

    claim: str
    judged: int
    planned: int
    queries: int
    out_of_order: tuple[str, ...]
    elsewhere: int
    next: tuple[str, ...]

    def lines(self, *, is_open: bool) -> list[str]:
        """Say what to know of it; if it is open, which queries follow."""
        judged = counted(self.judged, "query is", "queries are")
        lines = [
            f"{judged} judged in the order of the plan, of {self.planned:,} planned and "
            f"{self.queries:,} in the log"
        ]
        if not self.planned and not self.judged and self.next:
            lines = [f"none of the {self.queries:,} queries of the log has to be judged"]
        if is_open and self.next:
            lines.append(f"next in the order: {', '.join(self.next)}")
        elif is_open:
            lines.append("no query is left in the order")
        if self.out_of_order:
            count = counted(len(self.out_of_order), "query is", "queries are")
            lines.append(
                f"{count} judged out of order, and left out: {listed(self.out_of_order)}; judge "
                f"{self.next[0]!r} first"
            )
        if self.elsewhere:
            lines.append(
                f"{counted(self.elsewhere, 'judged query is', 'judged queries are')} not in the "
                "log, and left out"
            )
        return lines
