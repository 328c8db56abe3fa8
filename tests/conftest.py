"""What every test may ask for: the public data beside the checkout, and Hypothesis profiles."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

pytest.register_assert_rewrite("conformance.agreement")

# Examples are the same each time, so that what passes here passes everywhere; "thorough" goes on
# looking, with another seed each time (or that of --hypothesis-seed), and many more of them.
settings.register_profile("default", max_examples=60, deadline=None, derandomize=True)
settings.register_profile("random", max_examples=60, deadline=None)
settings.register_profile(
    "thorough",
    max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "10000")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the page of conformance, from what the tests compared."""
    parser.addoption("--conformance-page", action="store_true", help="write docs/conformance.md")


@pytest.fixture(scope="session")
def root() -> Path:
    """Give the folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Give the folder of public data that nobody on this project wrote, or skip."""
    named = os.environ.get("RANKMARK_SHARED_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the public test data is not here ({folder} is no folder)")
    return folder
