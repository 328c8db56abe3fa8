"""The list of measures, as a table: names in words, formulas and what their symbols mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankmark.measures.base.measure import Measure
from rankmark.measures.base.symbols import SYMBOLS, named_symbols
from rankmark.results import html_parts as html
from rankmark.results.result import Result, json_number
from rankmark.results.table_schema import columns_of
from rankmark.results.text_tables import text
from rankmark.results.text_width import line_width

DEPENDS_ON = {
    "documents": "which documents are among the first k, not their order",
    "order": "the ranks of the relevant documents",
    "grades": "how relevant each document is",
    "judged": "which documents are judged",
    "anywhere": "which documents are judged for any query",
    "subtopics": "which subtopics of a query each document is relevant to",
    "preferences": "which of two documents is preferred",
    "counts": "numbers of documents or queries; summed over queries",
    "lists": "which items are in a list, and what is known of them",
    "run": "the items of all lists together; one number for a run, not by query",
}
"""What the values of measures depend on, in the order in which measures are listed."""
_HEAD = ("measure", "name in words", "formula")
_SYMBOLS_HEAD = ("symbol", "meaning")


class Measures(list[Measure], Result):
    """A list of measures, which is printed and shown in notebooks as a table.

    Examples
    --------
    >>> import rankmark as rm
    >>> rm.measures().search("pyndeval normalised")
    [alpha_DCG, alpha_nDCG, nERR_IA, nNRBP]
    """

    def search(self, words: str) -> Measures:
        """Return the measures whose names or description contain all of some words.

        Upper and lower case do not matter, nor does the order of the words. Names are the name, the
        name in words, and those in other tools.
        """
        wanted = words.casefold().split()
        return Measures(one for one in self if _contains(one, wanted))

    def to_dict(self) -> dict[str, Any]:
        """Return a row for each measure, for JSON, in a list under ``rows``."""
        rows = [_facts(one) | {"symbols": one.symbols} for one in self]
        for row in rows:
            row |= {name: json_number(row[name]) for name in ("lowest", "highest")}
        return {"rows": rows}

    def _table(self) -> dict[str, Any]:
        explained = (
            {"symbols": [f"{symbol}: {meaning}" for symbol, meaning in one.symbols.items()]}
            for one in self
        )
        return columns_of([_facts(one) | told for one, told in zip(self, explained, strict=True)])

    def __str__(self) -> str:
        rows: list[str | tuple[str, str, str]] = []
        for group, found in self._groups():
            rows += ["", group] if rows else [group]
            rows += [(f"  {name}", words, formula) for name, words, formula in found]
        symbols = [(f"  {symbol}", meaning) for symbol, meaning in self._symbols()]
        width = line_width()
        return "\n".join(
            text(head, of, words, width=width)
            for head, of, words in ((_HEAD, rows, 3), (_SYMBOLS_HEAD, symbols, 2))
            if of
        ).rstrip()

    def _repr_html_(self) -> str:
        rows = [row for group, found in self._groups() for row in (group, *found)]
        symbols = html.table(_SYMBOLS_HEAD, [*self._symbols()], 2)
        return html.page(html.table(_HEAD, rows, 3), symbols)

    def _groups(self) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
        """Yield what values depend on, and the rows of the measures whose values do so."""
        for group, meaning in DEPENDS_ON.items():
            found = [
                (str(one), one.full_name, one.formula) for one in self if one.depends_on == group
            ]
            if found:
                yield f"{group}: {meaning}", found

    def _symbols(self) -> Iterator[tuple[str, str]]:
        """Yield the symbols that measures share; a parameter is explained with its measure."""
        used = {name for one in self for name, _ in named_symbols(one.formula)}
        for symbol, meaning in SYMBOLS.items():
            if symbol in used:
                yield symbol, meaning.replace("{i}", "i")


def _facts(one: Measure) -> dict[str, Any]:
    return {
        "measure": str(one),
        "full_name": one.full_name,
        "formula": one.formula,
        "depends_on": one.depends_on,
        "lowest": one.bounds[0],
        "highest": one.bounds[1],
        "more_is_better": one.more_is_better,
        "over_queries": "none" if one.depends_on == "run" else one.aggregate,
        "aliases": [*one.aliases],
    }


def _contains(one: Measure, wanted: list[str]) -> bool:
    told = " ".join([str(one), one.full_name, *one.aliases, *one.numbered, one.account])
    return all(word in told.casefold() for word in wanted)
