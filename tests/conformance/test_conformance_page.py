"""The page of conformance has a row for every measure, and every difference of the ledger."""

import re
from pathlib import Path

import pytest

from conformance.agreement import ORACLES
from conformance.ledger import ENTRIES, Difference, differences
from conformance.page import link_to, links, rows_of, table
from rankmark.measures import ALL

LEDGER = differences(range(len(ENTRIES)))
REMEDY = "run make conformance, which writes docs/evidence/conformance.md"


@pytest.fixture(scope="module")
def sections(root: Path, request: pytest.FixtureRequest) -> dict[str, list[list[str]]]:
    """Give the rows of the table below each heading of the page."""
    if request.config.getoption("conformance_page"):
        pytest.skip("this run writes the page")
    text = (root / "docs" / "evidence" / "conformance.md").read_text("utf-8")
    parts = re.split(r"^##+ (.+)\n", text, flags=re.M)
    return {
        heading: [
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in part.splitlines()
            if line.startswith("| ")
        ]
        for heading, part in zip(parts[1::2], parts[2::2], strict=True)
    }


def values(cell: str) -> int:
    found = re.match(r"[\d,]+", cell)
    return int(found[0].replace(",", "")) if found else 0


def test_every_measure_has_a_row_and_agrees_with_its_reference(
    sections: dict[str, list[list[str]]],
) -> None:
    headings, *rows = sections["Measures"]
    assert headings[:2] == ["measure", "reference"]
    assert set(headings[1:]) <= set(ORACLES)
    assert [re.findall(r"\w+", row[0])[0] for row in rows] == [m.name for m in ALL], REMEDY
    assert [row[0] for row in rows if not values(row[1])] == []


def test_every_column_is_a_tool_with_as_many_values(
    root: Path, sections: dict[str, list[list[str]]]
) -> None:
    headings, *rows = sections["Measures"]
    of_column = {
        name: [values(row[place]) for row in rows] for place, name in enumerate(headings) if place
    }
    _, *tools = sections["Tools"]
    assert {tool: [measures, count] for tool, _, measures, count in tools} == {
        name: [str(sum(map(bool, found))), f"{sum(found):,}"] for name, found in of_column.items()
    }
    total = sum(map(sum, of_column.values()))
    assert f"{total:,} values agreed" in (root / "docs" / "evidence" / "conformance.md").read_text(
        "utf-8"
    )


@pytest.mark.parametrize("oracle", dict.fromkeys(entry.oracle for entry in LEDGER))
def test_every_difference_is_listed_and_linked(
    oracle: str, sections: dict[str, list[list[str]]]
) -> None:
    known = [entry for entry in LEDGER if entry.oracle == oracle]
    listed = [
        [cell.rstrip("*") if place == 4 else cell for place, cell in enumerate(row)]
        for row in sections[oracle]
    ]
    wanted = [line.strip("\n") for line in table(rows_of(known))]
    assert ["| " + " | ".join(row) + " |" for row in listed] == [
        line for line in wanted if line.startswith("| ")
    ], REMEDY
    headings, *rows = sections["Measures"]
    linked = {row[0]: row[headings.index(oracle)] for row in rows}
    by_measure: dict[str, list[Difference]] = {}
    for entry in known:
        by_measure.setdefault(entry.row, []).append(entry)
    for measure in ALL:
        # A measure without a row is told above.
        cell = linked.get(link_to(measure), "")
        assert re.findall(r"\[\w+\]\([^)]*\)", cell) == links(
            oracle, by_measure.get(measure.name, [])
        )
