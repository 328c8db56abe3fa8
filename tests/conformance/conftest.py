"""Write the page of conformance where a run asks for it, from what its tests compared."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.agreement import compared, differing
from conformance.ledger import differences
from conformance.page import page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "conformance.md"


@pytest.fixture(scope="session")
def lightgbm_example(shared_data: Path) -> tuple[list[float], list[float], list[int]]:
    """Read labels, scores (sums of features) and sizes of queries of LightGBM's example."""
    folder = shared_data / "lightgbm-lambdarank"
    if not (folder / "rank.test").is_file():
        pytest.skip(f"LightGBM's example of lambdarank is not here ({folder})")
    labels, scores = [], []
    for line in (folder / "rank.test").read_text("utf-8").splitlines():
        label, *features = line.split()
        labels.append(float(label))
        scores.append(sum(float(feature.partition(":")[2]) for feature in features))
    sizes = [int(size) for size in (folder / "rank.test.query").read_text("utf-8").split()]
    return labels, scores, sizes


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send what a worker of pytest-xdist compared to the process that started it."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["compared"] = [[*key, number] for key, number in compared.items()]
        output["differing"] = sorted(differing)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add up what the workers compared."""
    output = getattr(node, "workeroutput", {})
    for measure, oracle, number in output.get("compared", ()):
        compared[measure, oracle] += number
    differing.update(output.get("differing", ()))


@pytest.hookimpl(wrapper=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> Iterator[None]:
    """Write the page after a run without failures."""
    yield
    if not config.getoption("conformance_page"):
        return
    if exitstatus != pytest.ExitCode.OK:
        terminalreporter.write_line(
            "docs/evidence/conformance.md is as it was: the tests did not pass"
        )
        return
    PAGE.write_text(page(compared, differences(differing)), encoding="utf-8")
    terminalreporter.write_line(
        f"docs/evidence/conformance.md: {sum(compared.values()):,} values, "
        f"{len(differing)} differences"
    )
