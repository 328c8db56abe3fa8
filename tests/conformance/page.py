"""Write docs/conformance.md from what the tests of one run compared."""

import importlib.metadata
from collections.abc import Iterator, Mapping, Sequence

import rankmark as rm
from conformance.agreement import BY_PROFILE, ORACLES
from conformance.ledger import Difference
from rankmark.measures import ALL

PACKAGES = {
    "pytrec_eval": "pytrec_eval-terrier",
    "ndeval": "pyndeval",
    "cwl_eval": "cwl-eval",
    "XGBoost": "xgboost-cpu",
}
"""The names of packages that are not those of the tools."""
OTHERWISE = {
    "reference": "slow implementations in plain Python, written from the papers",
    "trec_eval": "10.0: the figures that it printed in its own tests",
    "gdeval": "the script in ir_measures",
    "MS MARCO": "its script ms_marco_eval.py",
}

TOP = """\
# Conformance

With which tools the numbers of each measure were compared, how many values agreed, and where numbers differ.

The tests in `tests/conformance` wrote this page, with `make conformance`.
In this run, {total} values agreed.
A value is the score of one query, or of one evaluation, for one measure and one choice of its parameters and conventions.
Most of the data is random, with tied scores, unjudged documents, missing queries, negative and graded labels, and queries without relevant documents; the rest are public TREC collections.
Tools that are not installed for the tests were run before, and what they said is recorded.
An empty cell means that the tool does not have the measure, or that it was not compared.
"""  # noqa: E501
MEASURES = """
## Measures

Where a tool's own conventions give another number, the cell links to the reason: _differs_ if both numbers are right, _bug_ if the tool's is not.
The values counted agree under the conventions that [Differences](differences.md) lists.
"""  # noqa: E501
DIFFERENCES = """
## Differences

One example of each difference, with both numbers; a test checks that each still exists.
An asterisk means that the tool was not at hand in this run, and that its number is that of an earlier one.
"""  # noqa: E501


def page(compared: Mapping[tuple[str, str], int], entries: Sequence[Difference]) -> str:
    """Write the page."""
    parts = [TOP.format(total=f"{sum(compared.values()):,}")]
    parts += ["\n## Tools\n\n", *table(tools(compared))]
    parts += [MEASURES, "\n", *table(measures(compared, entries)), DIFFERENCES]
    for oracle in ORACLES:
        rows = [entry for entry in entries if entry.oracle == oracle]
        if rows:
            parts += [f"\n### {oracle}\n\n", *table(rows_of(rows))]
    return "".join(parts)


def tools(compared: Mapping[tuple[str, str], int]) -> Iterator[list[str]]:
    """Give the rows of the table of tools."""
    yield ["tool", "version", "measures", "values"]
    for oracle in columns(compared):
        counts = [count for (_, of), count in compared.items() if of == oracle]
        yield [oracle, version(oracle), str(len(counts)), f"{sum(counts):,}"]


def columns(compared: Mapping[tuple[str, str], int]) -> list[str]:
    """Give the oracles that were asked, in the order of the page."""
    asked = {oracle for _, oracle in compared}
    return [oracle for oracle in ORACLES if oracle in asked]


def version(oracle: str) -> str:
    """Give the version of an oracle, or what it is; figures of some tools are recorded."""
    if oracle in OTHERWISE:
        return OTHERWISE[oracle]
    try:
        return importlib.metadata.version(PACKAGES.get(oracle, oracle))
    except importlib.metadata.PackageNotFoundError:
        found = {BY_PROFILE.get(one.name, one.name): one.version for one in rm.profiles()}
        return f"{found[oracle]}, recorded"


def measures(
    compared: Mapping[tuple[str, str], int], entries: Sequence[Difference]
) -> Iterator[list[str]]:
    """Give the rows of the table of measures."""
    asked = columns(compared)
    yield ["measure", *(oracle for oracle in asked)]
    for measure in ALL:
        cells = []
        for oracle in asked:
            count = compared.get((measure.name, oracle), 0)
            found = [e for e in entries if e.oracle == oracle and e.row == measure.name]
            cells.append(", ".join([f"{count:,}"] * bool(count) + links(oracle, found)))
        yield [f"[{measure.name}](measures.md#{measure.name.lower()})", *cells]


def links(oracle: str, entries: Sequence[Difference]) -> list[str]:
    """Link to the reasons of differences."""
    anchor = oracle.lower().replace(" ", "-")
    words = dict.fromkeys("bug" if entry.is_bug else "differs" for entry in entries)
    return [f"[{word}](#{anchor})" for word in words]


def rows_of(entries: Sequence[Difference]) -> Iterator[list[str]]:
    """Give the rows of the table of an oracle's differences."""
    yield ["measure", "there", "number there", "number here", "", "reason"]
    for entry in entries:
        yield [
            f"`{entry.measure}`",
            f"`{entry.theirs}`",
            f"{entry.their_figure:.6g}",
            f"{entry.our_figure:.6g}",
            ("bug" if entry.is_bug else "differs") + "*" * (not entry.was_checked),
            entry.why,
        ]


def table(rows: Iterator[list[str]]) -> Iterator[str]:
    """Format rows as Markdown, the first one as headings."""
    for number, row in enumerate(rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n"
        if not number:
            yield "|" + "---|" * len(row) + "\n"
