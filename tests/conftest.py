"""What every test may ask for: public data beside the checkout, a browser, Hypothesis profiles.

Tests that import a library which is optional and not installed are skipped, and say so.
"""

import gc
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parent.parent
# Made-up ids are alike by chance, made-up lists are short, and made-up labels have many values;
# those warnings have tests of their own.
MADE_UP = ("tests/property/", "tests/conformance/")
BY_CHANCE = (
    "would match if",
    "hold several ids of",
    r"fewer than [\d,]+ documents left",
    "judgments and run may be swapped",
    "seem to be distances",
    "this may be a run",
)

pytest.register_assert_rewrite("conformance.agreement")
os.environ.pop("COLUMNS", None)  # what is shown is as wide as it need be

# By default examples are few, and the same each time, so that what passes here passes everywhere;
# "random" and "thorough" go on looking, with another seed each time (or that of --hypothesis-seed)
# and many more of them.
settings.register_profile("default", max_examples=20, deadline=None, derandomize=True)
settings.register_profile("random", max_examples=40, deadline=None)
settings.register_profile(
    "thorough",
    max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "10000")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


OPTIONAL = {
    *("duckdb", "fsspec", "isal", "matplotlib", "narwhals", "pandas", "polars", "pyarrow"),
    "pyspark",
    *("cwl", "ir_measures", "krippendorff", "lightgbm", "pyNTCIREVAL", "pyndeval"),
    *("pytrec_eval", "ranx"),
    *("sklearn", "statsmodels", "torch", "torchmetrics", "xgboost", "zstandard"),
    *("markdown_it", "mypy", "nbconvert", "playwright"),
}


def skip_without(error: BaseException | None) -> None:
    """Skip where an optional library was not found, which is the error or its cause."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name:
            library = error.name.partition(".")[0]
            if library in OPTIONAL:
                pytest.skip(f"{library} is not installed", allow_module_level=True)
        error = error.__cause__ or error.__context__


class Module(pytest.Module):
    """A file of tests, which is skipped where it imports a library that is not installed."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Collect the tests, or skip; one worker at a time, so that others find them compiled."""
        with self.path.open("rb") as file:
            if fcntl is not None:
                with suppress(OSError):  # some file systems know no locks
                    fcntl.flock(file, fcntl.LOCK_EX)
            try:
                return super().collect()
            except self.CollectError as error:
                skip_without(error)
                raise


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module:
    """Collect a file so that it may lack a library."""
    return Module.from_parent(parent, path=module_path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Skip a test that imports a library itself."""
    try:
        return (yield)
    except ImportError as error:
        skip_without(error)
        raise


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark properties, and what needs a browser or Spark, as slow; ignore warnings by chance."""
    for item in items:
        of_many_examples = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if of_many_examples or {"browser", "spark"}.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        if of_many_examples or item.nodeid.startswith(MADE_UP):
            for words in BY_CHANCE:
                item.add_marker(pytest.mark.filterwarnings(f"ignore:.*{words}"))


def pytest_collection_finish() -> None:
    """Let the collector of garbage pass over what was collected, which all tests keep.

    It would look through the tests and all imported libraries whenever a test makes many objects.
    """
    gc.collect()
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that writes the page of conformance, from what the tests compared."""
    parser.addoption(
        "--conformance-page", action="store_true", help="write docs/evidence/conformance.md"
    )


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Open Chromium without a window, or skip."""
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        pytest.skip("there is no Chromium to open pages with")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()
