"""A table of the facts of several runs; facts that are the same for all are printed once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rankmark.results.text_tables import text
from rankmark.results.text_width import filled
from rankmark.verbs.check.finding_groups import common_folder, shown_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankmark.verbs.check.finding import FileReport


def side_by_side(runs: Sequence[FileReport], most: int) -> Iterator[str]:
    """Write the facts of runs in lines of ``most`` columns."""
    folder = common_folder(runs)
    yield from filled(f"{len(runs)} runs" + (f" in {folder}" if folder else ""), most, "", "  ")
    columns: dict[str, list[str]] = {}
    alike = []
    for name, fact in _FACTS.items():
        values = [fact(run.facts) for run in runs]
        usual, times = Counter(values).most_common(1)[0]
        if times == len(values):
            if usual:
                alike.append(f"{name} {usual}")
        else:
            columns[name] = values
    if alike:
        yield from filled(f"the same in all: {', '.join(alike)}", most, "  ", "    ")
    if columns:
        yield ""
        rows = [*zip(shown_names(runs), *columns.values(), strict=True)]
        table = text(["", *columns], rows, 1, width=most - 2)
        yield from (f"  {line}".rstrip() for line in table.splitlines())


def _form(facts: Any) -> str:
    return str(facts["form"]["form"]) if "form" in facts else "unknown"


def _counted(name: str) -> Callable[[Any], str]:
    return lambda facts: f"{facts[name]:,}" if name in facts else ""


def _depth(facts: Any) -> str:
    depth = facts.get("depth")
    if not depth:
        return ""
    least, most = depth["min"], depth["max"]
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _tied(facts: Any) -> str:
    ties = facts.get("ties")
    return _share(ties["float64"]["share"]) if ties else ""


def _judged(facts: Any) -> str:
    return _share(facts["judged_at_10"]["mean"]) if "judged_at_10" in facts else ""


def _share(share: float) -> str:
    return "<0.1%" if 0 < share < 0.001 else ">99.9%" if 0.999 < share < 1 else f"{share:.1%}"


_FACTS: dict[str, Callable[[Any], str]] = {
    "form": _form,
    "rows": _counted("rows"),
    "a query": _depth,
    "tied": _tied,
    "Judged@10": _judged,
    "missing": _counted("missing"),
    "run-only": _counted("run_only"),
}
