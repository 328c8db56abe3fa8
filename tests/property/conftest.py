"""Made-up ids are alike by chance, and made-up lists short: those warnings have their own tests."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
BY_CHANCE = (
    "would match if",
    "hold several ids of",
    r"fewer than [\d,]+ documents left",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            for words in BY_CHANCE:
                item.add_marker(pytest.mark.filterwarnings(f"ignore:.*{words}"))
