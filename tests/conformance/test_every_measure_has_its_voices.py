"""Every measure has its slow reference and its golden figures, in files of its name."""

import importlib
from pathlib import Path

import pytest

from conformance.cases import FAMILIES, NAMES, cases_of, reference, stem_of
from rankmark.measures import ALL

TAKEN = [[a, b] for a in ("ranking", "_ranking") for b in ("missed", "_missed")]
LISTED = "is it in MODULES of src/rankmark/measures/__init__.py?"


@pytest.mark.parametrize("stem", sorted(NAMES))
def test_a_measure_has_all_its_voices(stem: str) -> None:
    assert reference(stem).__name__ == stem
    assert cases_of(stem)


def test_every_reference_speaks_for_a_measure() -> None:
    modules = [importlib.import_module(f"conformance.reference.{name}") for name in FAMILIES]
    functions = {
        name
        for module in modules
        for name, one in vars(module).items()
        if getattr(one, "__module__", None) == module.__name__
        and [*(told := getattr(one, "__annotations__", {}))][:2] in TAKEN
        and told["return"] is float
    }
    assert functions - set(NAMES) == set(), f"no such measure; {LISTED}"
    assert set(NAMES) - functions == set(), "write these in tests/conformance/reference"


def test_every_golden_file_speaks_for_a_measure(root: Path) -> None:
    files = {path.stem for path in (root / "tests" / "golden").glob("*.toml")}
    assert files - set(NAMES) == set(), f"no such measure; {LISTED}"
    assert set(NAMES) - files == set(), "write these files in tests/golden, as rr.toml"


def test_no_two_measures_share_a_file_or_a_name() -> None:
    assert len({stem_of(measure) for measure in ALL}) == len(ALL)
    assert len({measure.name for measure in ALL}) == len(ALL)
